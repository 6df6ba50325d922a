"""The chances of everybody at a table, for those who watch, where the table allows it.

A table is judged between two turns, so nothing sealed is ever in it, and in another process, so no
move waits for it. Of several turns only the last is judged; if nobody watches, none is. Whoever
holds a seat hears nothing of it.
"""

import asyncio
from dataclasses import dataclass

from qwixx.core.errors import QwixxError
from qwixx.server import messages as m
from qwixx.server.room import Room
from qwixx.server.sockets import Socket, frame
from qwixx.server.studies import Studies, Wanted
from qwixx.study import can_judge


@dataclass
class _Turn:
    """A turn that is being judged, or was."""

    round: int
    turn: int
    judging: asyncio.Task[None]
    frame: bytes | None = None


class Watching:
    """Which turn of each table is judged. Only the event loop's thread touches it."""

    def __init__(self, studies: Studies) -> None:
        self._studies = studies
        self._turns: dict[str, _Turn] = {}

    def follow(self, room: Room) -> None:
        """Something has happened, or somebody has come or gone."""
        table, playing = room.table, room.table.playing
        if not table.options.chances:
            return
        known, watchers = self._turns.get(table.id), _watchers(room)
        if playing is None or playing.over or not watchers:
            self.forget(table.id)
        elif known is None or (known.round, known.turn) != (table.round, playing.turn):
            self.forget(table.id)
            if can_judge(table.game, table.game.seats(playing.between)):
                address = watchers[0].address
                judging = asyncio.create_task(self._judge(room, playing.between, address))
                self._turns[table.id] = _Turn(table.round, playing.turn, judging)

    def welcome(self, room: Room, socket: Socket) -> None:
        """Somebody who has just come hears what the others have heard."""
        self.follow(room)
        known = self._turns.get(room.table.id)
        if known is not None and known.frame is not None and socket in _watchers(room):
            socket.push(known.frame)

    def forget(self, table: str) -> None:
        """Nobody wants to know any more."""
        known = self._turns.pop(table, None)
        if known is not None:
            known.judging.cancel()

    def close(self) -> None:
        for table in tuple(self._turns):
            self.forget(table)

    async def _judge(self, room: Room, between: object, address: str) -> None:
        table = room.table
        try:
            found = await self._studies.values(address, Wanted(table.game_id, between))
        except QwixxError:
            return  # too much is being judged: perhaps the next turn will be
        known = self._turns[table.id]
        chances = m.Chances(known.round, known.turn, found["win"], found["points"])
        text = frame(chances)

        def tell() -> None:
            known.frame = text
            if self._turns.get(table.id) is known:
                for socket in _watchers(room):
                    socket.push(text)

        room.when_durable(tell)  # what led to this table may not be on disk yet


def _watchers(room: Room) -> list[Socket]:
    """Those who hold no seat."""
    return [socket for socket in room.sockets if not room.table.held_by(socket.holder)]
