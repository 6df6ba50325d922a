"""What a net is told of a duel board between two turns, as a seat sees it:
of the whole board, and of each row."""

from functools import lru_cache
from typing import Any, Final

from qwixx.core.game import ROLL
from qwixx.games.duel.rules import Duel
from qwixx.games.duel.state import DuelState, Row, placed, read

# Of the whole board: failed throws, pieces placed, whose turn comes, rows closed.
_ROWS: Final = 4
_LENGTH: Final = 11
_FAILED: Final = 4  # of both together; more end the game, and nobody thinks any more
_PIECES: Final = 23
PLACED_AT: Final = (1 + _FAILED) * (1 + _FAILED)
TURN_AT: Final = PLACED_AT + 2 * (1 + _PIECES)
CLOSED_AT: Final = TURN_AT + 2
FEATURES: Final = CLOSED_AT + 3
LISTED: Final = 5
# Of a row: how far both are and whether the foremost field is a stack, or whose the lock is; how
# many pieces each has, and how far it is; which fields the one behind can still enter, on the left
# and on the right. All rows are told alike, since none differs from another.
LENGTHS: Final = 12 * 12 * 2
COUNTS: Final = 14 * 12
OTHER_FEATURES: Final = LENGTHS + 2 + 2 * COUNTS + 2 * 64 + 2 * 32
# How nets of this game are trained: units that read the whole board alone and beside a row,
# hidden ones; games of a generation by the number of players, and the generations.
TRAINING: Final[tuple[dict[str, Any], ...]] = (
    {
        "units": (16, 32, 16),
        "seats": {2: 4000},
        "generations": 26,
        "fades": (0.4, 0.4),
        "check": 11,
        "small": True,
    },
    {"units": (32, 96, 32), "seats": {2: 4000}, "generations": 240, "fades": (0.4, 0.4)},
)


def holds(game: Duel) -> bool:
    """Whether there is a feature for all that can lie on a board of this game."""
    return (
        len(game.layout.colours) <= _ROWS
        and max(map(len, game.layout.numbers)) <= _LENGTH
        and game.most_failed <= _FAILED + 1
        and game.pieces <= _PIECES
    )


def listed(state: DuelState, seat: int) -> tuple[list[int], list[list[int]]]:
    """The features of a board to a seat: those of the whole board, and a list for each row."""
    other = 1 - seat
    whole = [
        state.failed[seat] * 5 + state.failed[other],
        PLACED_AT + placed(state, seat),
        PLACED_AT + 24 + placed(state, other),
        TURN_AT + (state.active == seat),
        CLOSED_AT + sum(lock is not None for lock in state.locks),
    ]
    return whole, [
        _of_row(pieces, lock, seat) for pieces, lock in zip(state.rows, state.locks, strict=True)
    ]


def turn_over(state: DuelState) -> DuelState:
    """The board as if the colour action were left out and nothing failed,
    which only thought can do."""
    return DuelState(state.rows, state.locks, state.failed, 1 - state.active, ROLL, None, None)


@lru_cache(maxsize=1 << 16)
def _of_row(pieces: Row, lock: int | None, seat: int) -> list[int]:
    other, reading = 1 - seat, read(pieces)
    far, his_far = reading.rightmost[seat] + 1, reading.rightmost[other] + 1
    holds = min(reading.counts[seat] + (lock == seat), 13)
    he_holds = min(reading.counts[other] + (lock == other), 13)
    leads, gap = 0, 0
    if lock is not None:
        lengths = LENGTHS + (lock != seat)
    else:
        foremost = max(far, his_far)
        stacked = foremost > 0 and abs(pieces[foremost - 1]) > 1
        lengths = (far * 12 + his_far) * 2 + stacked
        leads = int(far > his_far)
        gap = sum(1 << place for place in range(min(far, his_far), foremost) if not pieces[place])
    counts = LENGTHS + 2
    gaps = counts + 2 * COUNTS
    return [
        lengths,
        counts + holds * 12 + min(far, 11),
        counts + COUNTS + he_holds * 12 + min(his_far, 11),
        gaps + leads * 64 + (gap & 63),
        gaps + 128 + leads * 32 + (gap >> 6 & 31),
    ]
