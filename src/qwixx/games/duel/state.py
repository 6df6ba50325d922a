"""What lies on a duel board: pieces in four shared rows, locks, failed throws, and the turn."""

from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from qwixx.core.dice import Dice
from qwixx.core.fields import Move
from qwixx.core.game import Phase

BLACK: Final = 0
GREY: Final = 1

# A row of the board, left to right:
# 0 is empty, +n a stack of n black pieces, -n one of n grey pieces.
Row: TypeAlias = tuple[int, ...]


class DuelState(NamedTuple):
    """A frozen board. `locks` names the owner of each row's lock, `white` this turn's white choice."""

    rows: tuple[Row, ...]
    locks: tuple[int | None, ...]
    failed: tuple[int, ...]
    active: int
    phase: Phase
    dice: Dice | None
    white: Move | None


def owner(pieces: int) -> int:
    """Whose pieces stand on an occupied field."""
    return BLACK if pieces > 0 else GREY


def stack(seat: int, height: int) -> int:
    """A stack of that many pieces of a seat."""
    return height if seat == BLACK else -height


class Reading(NamedTuple):
    """What the rules look for in a row; a place of -1 means nowhere."""

    foremost: int
    rightmost: tuple[int, int]  # each seat's own rightmost piece
    counts: tuple[int, int]  # each seat's pieces in the row, the lock not among them


@lru_cache(maxsize=1 << 16)
def read(row: Row) -> Reading:
    rightmost, counts = [-1, -1], [0, 0]
    for place, pieces in enumerate(row):
        if pieces:
            seat = owner(pieces)
            rightmost[seat] = place
            counts[seat] += abs(pieces)
    return Reading(max(rightmost), (rightmost[0], rightmost[1]), (counts[0], counts[1]))


def count_in_row(state: DuelState, row: int, seat: int) -> int:
    """A seat's pieces in a row, the one on the lock included (D10)."""
    return read(state.rows[row]).counts[seat] + (state.locks[row] == seat)


def placed(state: DuelState, seat: int) -> int:
    """A seat's pieces on the board: rows, locks and failed throws."""
    in_rows = sum([read(row).counts[seat] for row in state.rows])
    return in_rows + state.locks.count(seat) + state.failed[seat]
