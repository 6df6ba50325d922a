"""What a table does by itself, in time: bots decide, the dice of those who are away are thrown, and a clock
runs out."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any, Final, TypeAlias

from qwixx.core.fields import PASS
from qwixx.core.game import ROLL
from qwixx.server import log
from qwixx.server.room import Room
from qwixx.server.rooms import Rooms
from qwixx.server.table import Table
from qwixx.server.thinking import Thinkers, simpler
from qwixx.server.throws import Failed, Happen

logger: Final = logging.getLogger("qwixx.server")
TROUBLE_SECONDS: Final = 0.5  # after which bots look again whether they can be followed
Keep: TypeAlias = Callable[[Coroutine[Any, Any, None]], None]


class Alarms:
    """The alarm of every table. Only the event loop's thread touches it."""

    def __init__(
        self,
        rooms: Rooms,
        thinkers: Thinkers,
        happen: Happen,
        failed: Failed,
        keep: Keep,
    ) -> None:
        self._rooms = rooms
        self._thinkers = thinkers
        self._happen = happen
        self._failed = failed
        self._keep = keep
        self._loop = asyncio.get_running_loop()

    def set(self, room: Room) -> None:
        """Set the table's alarm to the next thing it does by itself."""
        if room.timer is not None:
            room.timer.cancel()
            room.timer = None
        if room.lost or room.thinking or room.asking or room.table.id in self._rooms.closed:
            return
        try:
            due = room.due()
        except Exception as error:  # noqa: BLE001 - without its alarm the table would stand still
            self._failed(room, error)
            return
        if due is not None:
            room.timer = self._loop.call_at(room.opened + due.after, self._ring, room)

    def _ring(self, room: Room) -> None:
        room.timer = None
        try:
            self._act(room)
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(room, error)

    def _act(self, room: Room) -> None:
        """What is due at a table is done."""
        due, table = room.due(), room.table
        if self._rooms.writer.trouble is not None:  # bots do not play on where nobody can follow
            room.timer = self._loop.call_later(TROUBLE_SECONDS, self._ring, room)
        elif due is None or self._loop.time() < room.opened + due.after:
            self.set(room)
        elif table.playing is not None and table.playing.state.phase == ROLL:
            self._happen(room, table.rolled(due.seat))
        elif due.what == "clock":
            self._happen(room, table.chose(due.seat, PASS, "clock"))
        else:
            room.thinking = True
            self._keep(self._think(room, due.seat))

    async def _think(self, room: Room, seat: int) -> None:
        try:
            await self._decide(room, seat)
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(room, error)

    async def _decide(self, room: Room, seat: int) -> None:
        """A bot decides, away from the loop;
        if the moment has passed meanwhile, its choice is dropped."""
        table, playing = room.table, room.table.playing
        assert playing is not None  # a bot has something to decide
        opened, level = playing.opened, table.seats[seat].bot_level or table.options.stand_in
        move, failure = PASS, ""
        try:
            people = bool(room.sockets)
            thinking = self._thinkers.decide(level, table.game, playing.state, seat, people=people)
            move = await thinking
        except Exception as error:  # noqa: BLE001 - whatever it was, it is logged and told below
            failure = repr(error)
        room.thinking = False
        if not (
            table.opened == opened
            and table.waits_for(seat)
            and table.seats[seat].bot_level == level
        ):
            self.set(room)
        elif not failure and move in playing.legal[seat]:
            self._happen(room, table.chose(seat, move, "bot"))
        else:
            self._happen(room, _stand_in(table, seat, level, failure or f"{move} is not legal"))


def _stand_in(table: Table, seat: int, level: str, why: str) -> log.AnyEvent:
    """A bot that fails is told to the log and to the table, and a simpler one plays on."""
    stand_in = simpler(level)
    logger.error(
        "a bot failed",
        extra={"table": table.id, "bot": level, "stand_in": stand_in, "why": why[:200]},
    )
    return table.chose(seat, PASS, "bot") if stand_in is None else log.Weakened(seat, stand_in)
