"""Throws that wait for their links: the pages that take part are asked, bring theirs by themselves, and
then the dice fall. What is being asked is kept with the table's connections, in its room."""

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeAlias

from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.asking import Asking
from qwixx.server.chains import Chance
from qwixx.server.limits import Limits
from qwixx.server.refusals import Refusal
from qwixx.server.room import Room
from qwixx.server.sockets import Socket, frame

Failed: TypeAlias = Callable[[Room, Exception], None]


class Happen(Protocol):
    """Something happens at a table."""

    def __call__(
        self, room: Room, event: log.AnyEvent | Chance | None, command: str | None = None
    ) -> None: ...


def begins_now(asking: Asking, command: m.Command, own_id: str) -> bool:
    """Whether this command is the one that waits for its links. While they come in, nothing
    happens that they would not be for."""
    if own_id == asking.command:
        return True
    if isinstance(command, m.Roll):
        raise Refusal("stale", "the dice are being thrown")
    if asking.chance.throw is None and not isinstance(command, m.Withdraw | m.Choose):
        raise Refusal("not_now", "the game is just beginning: a moment")
    return False


class Throws:
    """Asks for links, and has the dice thrown once they are in. Only the event loop's thread touches it."""

    def __init__(
        self,
        limits: Limits,
        happen: Happen,
        arm: Callable[[Room], None],
        failed: Failed,
    ) -> None:
        self._limits = limits
        self._happen = happen
        self._arm = arm
        self._failed = failed
        self._loop = asyncio.get_running_loop()

    def ask(
        self,
        room: Room,
        chance: Chance,
        command: str | None = None,
        holder: str | None = None,
        link: str | None = None,
    ) -> None:
        """The pages that take part bring their links, each by itself; then the dice are thrown."""
        if room.asking is not None:
            return
        try:
            self._question(room, Asking(chance, room.table.round, command), holder, link)
        except Exception as error:  # noqa: BLE001 - else it would be asked for ever
            self._failed(room, error)

    def _question(self, room: Room, asking: Asking, holder: str | None, link: str | None) -> None:
        room.asking = asking
        if link is not None:
            asking.bring(holder, link)
        for keeper, question in asking.questions():
            room.tell_holder(keeper, frame(question))
        if not asking.waits(room.late):
            self._draw(room, asking)
            return
        bound = asking.bound(
            lambda keeper: room.holders[keeper] > 0,
            self._limits.links_seconds,
            self._limits.links_alone_seconds,
        )
        asking.timer = self._loop.call_later(bound, self._draw, room, asking)
        self._arm(room)

    def brought(self, socket: Socket, room: Room, brought: m.Bring) -> None:
        """A page answers. Too late, it is left out; the next time it is waited for again."""
        room.late.discard(socket.holder or "")
        asking = room.asking
        if asking is None or asking.chance.throw != brought.throw:
            return
        if asking.bring(socket.holder, brought.link) and not asking.waits(room.late):
            self._draw(room, asking)

    def _draw(self, room: Room, asking: Asking) -> None:
        """Everybody's link is in, or the bound has passed: those that are missing are left out."""
        if room.asking is not asking:
            return
        asking.end()
        room.asking = None
        room.late.update(asking.missing().values())
        try:
            event = room.table.settled(asking.chance, asking.links)
        except Exception as error:  # noqa: BLE001 - whatever it was, the table must not stand still
            self._failed(room, error)
            return
        self._happen(room, event, asking.command)
