"""Qwixx Duel as people meet it."""

from functools import lru_cache
from typing import ClassVar

from qwixx.core.fields import Layout
from qwixx.core.game import Position
from qwixx.core.picture import Cell, Guide, Panel, Strip
from qwixx.games.duel.position import tapped, with_failed
from qwixx.games.duel.rules import Duel
from qwixx.games.duel.state import DuelState, Row, owner, read
from qwixx.games.family import printed


class DuelGuide(Guide[DuelState]):
    """One panel: the board that both share."""

    title = "Qwixx Duel"
    markers: ClassVar = ("black", "grey")
    summary = """\
Only the active player acts. White action: place a piece on the sum of the two
white dice, in any open row. Colour action: then place one on one white die
plus one coloured die, in that colour's row. Both on one field is not allowed.
Place to the right of your own rightmost piece in the row, on empty fields.
The foremost piece of a row, if it stands alone, can be captured: you take its
field, it goes back to its owner. On your own foremost field you may stack;
a stack is safe for ever, and grows only while it is the foremost.
Placing nothing puts one of your pieces on the failed throws: -5.
The last number of a row needs five of your pieces there. A second piece goes
on the lock, the row is closed and its die leaves the game.
The game ends with the second closed row, the fourth failed throw of both
together, or somebody's last piece.
1, 2, 3 ... 12 pieces in a row: 1 3 6 10 15 21 28 36 45 55 66 78 points."""

    game: Duel

    def __init__(self, game: Duel) -> None:
        self.game = game
        self.printed = printed(
            game.layout, game.most_failed, game.to_lock, game.pieces, sealed=False
        )

    def panels(self, state: DuelState) -> tuple[Panel, ...]:
        layout, rows = self.game.layout, range(len(state.rows))
        strips = [_strip(layout, row, state.rows[row], state.locks[row]) for row in rows]
        failed = [seat for seat, count in enumerate(state.failed) for _ in range(count)]
        return (Panel(None, tuple(strips), tuple(failed)),)

    def left(self, state: DuelState, seat: int) -> int:
        return self.game.supply(state, seat)

    def status(self, state: DuelState, seat: int) -> str:
        failed, both = state.failed[seat], sum(state.failed)
        left = self.left(state, seat)
        return (
            f"{left} pieces left, failed throws {failed} (both {both} of {self.game.most_failed})"
        )

    def tapped(self, position: Position, seat: int | None, place: str) -> Position:
        return tapped(self.game.layout, position, seat, place)

    def with_failed(self, position: Position, seat: int, count: int) -> Position:
        return with_failed(position, seat, count)


# A move changes one row, and every table draws all of them again and again.
@lru_cache(maxsize=1 << 14)
def _strip(layout: Layout, row: int, pieces: Row, lock: int | None) -> Strip:
    colour, closed, foremost = layout.colours[row], lock is not None, read(pieces).foremost
    cells = [
        Cell(
            field,
            field[0],
            field[1:],
            owner=owner(height) if height else None,
            height=abs(height),
            gone=closed and not height,
            foremost=place == foremost,
        )
        for place, (field, height) in enumerate(zip(layout.fields[row], pieces, strict=True))
    ]
    cells.append(Cell(None, colour, "lock", lock, height=int(closed)))
    return Strip(colour, tuple(cells), closed)
