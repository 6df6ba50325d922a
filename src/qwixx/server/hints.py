"""Hints that people at a table ask for: found away from the loop, counted, and told to whoever asked."""

import asyncio
import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from qwixx.core.errors import QwixxError
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.limits import Addresses, Limits
from qwixx.server.refusals import Refusal
from qwixx.server.room import Room
from qwixx.server.showing import hint_view
from qwixx.server.sockets import Socket, frame
from qwixx.server.thinking import Thinkers
from qwixx.server.throws import Happen
from qwixx.study import Hint

logger: Final = logging.getLogger("qwixx.server")


class _Asked(NamedTuple):
    """A hint that somebody waits for, as it stood when it was asked for."""

    command: m.AskHint
    own_id: str
    finding: asyncio.Task[Hint | None]
    opened: int  # when the decision was that it is about
    wanted: Callable[[], bool]  # it is still open, and whoever asked still there


class Hints:
    """Asked by many, found once for each decision. Only the event loop's thread touches it."""

    def __init__(
        self,
        limits: Limits,
        thinkers: Thinkers,
        happen: Happen,
        refuse: Callable[[Socket, Room, str | None, QwixxError], None],
    ) -> None:
        self._addresses = Addresses(limits.hints_a_minute / 60, limits.hints_burst)
        self._thinkers = thinkers
        self._happen = happen
        self._refuse = refuse
        self._tasks: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()

    def ask(self, socket: Socket, room: Room, command: m.AskHint, own_id: str) -> None:
        """A hint is about the decision that is open now, whatever happens before it is found."""
        table, seat = room.table, command.seat
        table.check_hint(command, socket.holder)
        if not self._addresses.take(socket.address):
            raise Refusal("too_fast", "too many hints from here: wait a moment")
        playing = table.playing
        assert playing is not None  # who asked has something to decide
        key = (playing.opened, seat)

        def open_still() -> bool:
            return table.opened == key[0] and table.can_take_hint(seat)

        if key not in room.hints:
            room.hints = {known: one for known, one in room.hints.items() if known[0] == key[0]}
            found = self._thinkers.hint(table.game, playing.decision, seat, open_still)
            room.hints[key] = asyncio.create_task(found)

        def wanted() -> bool:
            return open_still() and seat in table.held_by(socket.holder) and not socket.ended

        asked = _Asked(command, own_id, room.hints[key], playing.opened_at, wanted)
        task = asyncio.create_task(self._advise(socket, room, asked))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _advise(self, socket: Socket, room: Room, asked: _Asked) -> None:
        """Wait for a hint, found away from the loop, count it, and tell it to whoever asked.

        It is found for the decision as it was opened: what others have sealed is not in it. All who
        ask in the same decision hear the same.
        """
        table, command = room.table, asked.command
        try:
            hint = await asyncio.shield(asked.finding)
            if hint is None or not asked.wanted():
                raise Refusal("stale", "the moment for this hint has passed")
        except QwixxError as error:
            room.forget_hints_not_found()
            self._refuse(socket, room, command.id, error)
            return
        except Exception:
            room.forget_hints_not_found()
            logger.exception("no hint was found", extra={"table": table.id})
            failed = Refusal("not_now", "no hint can be found just now")
            self._refuse(socket, room, command.id, failed)
            return
        if table.playing is not None and command.seat not in table.playing.hinted:
            self._happen(room, log.Hinted(command.seat), asked.own_id)
        answer = frame(hint_view(command.id, command.seat, asked.opened, hint))
        room.when_durable(lambda: socket.push(answer))
