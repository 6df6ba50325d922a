"""What a net is told of a Qwixx table between two turns: a list of features for each sheet."""

from functools import lru_cache
from typing import Any, Final

from qwixx.core.game import ROLL
from qwixx.games.classic.rules import Classic
from qwixx.games.classic.state import ClassicState, Sheet, crosses_of, reached

# A feature says one thing of a sheet: of each row how far it is and how full,
# and whether it is closed; the failed throws; and the players with the turns until its own.
_ROWS: Final = 4
_LENGTH: Final = 11
_FAILED: Final = 4  # more end the game, and nobody thinks any more
_PLAYERS: Final = 5
FAILS_AT: Final = _ROWS * 2 * 13 * 13
TURN_AT: Final = FAILS_AT + 1 + _FAILED
FEATURES: Final = TURN_AT + _PLAYERS * _PLAYERS
OTHER_FEATURES: Final = FEATURES
LISTED: Final = 6
# How nets of this game are trained: units that read the own sheet alone and beside another,
# hidden ones; games of a generation by the number of players, and the generations.
TRAINING: Final[tuple[dict[str, Any], ...]] = (
    {"units": (96, 0, 32), "seats": {1: 12000}, "generations": 120},
    {
        "units": (16, 16, 16),
        "seats": {2: 2000, 3: 700, 4: 500, 5: 400},
        "generations": 84,
        "check": 28,
        "small": True,
    },
    {
        "units": (64, 64, 32),
        "seats": {2: 2000, 3: 700, 4: 500, 5: 400},
        "generations": 220,
        "check": 44,
    },
)


def holds(game: Classic) -> bool:
    """Whether there is a feature for all that can lie on a table of this game."""
    return (
        len(game.layout.colours) == _ROWS
        and max(map(len, game.layout.numbers)) <= _LENGTH
        and game.most_failed <= _FAILED + 1
        and game.players[-1] <= _PLAYERS
    )


def listed(state: ClassicState, seat: int) -> tuple[list[int], list[list[int]]]:
    """The features of a table to a seat:
    its own list, and one for each other in the order of the seats."""
    sheets, closed, active = state.sheets, state.closed, state.active
    players = len(sheets)
    turn_at = TURN_AT + (players - 1) * 5
    seats = (*range(seat, players), *range(seat))
    lists = [[*_of_sheet(sheets[one], closed), turn_at + (one - active) % players] for one in seats]
    return lists[0], lists[1:]


def turn_over(state: ClassicState) -> ClassicState:
    """The table as if the colour action were left out and nothing failed,
    which only thought can do."""
    following = (state.active + 1) % len(state.sheets)
    return ClassicState(state.sheets, state.closed, following, ROLL, None, None, state.sealed)


@lru_cache(maxsize=1 << 16)
def _of_sheet(sheet: Sheet, closed: tuple[bool, ...]) -> tuple[int, ...]:
    """All but the turn, which is not the sheet's own."""
    rows = [
        ((row * 2 + shut) * 13 + reached(marks)) * 13 + crosses_of(marks)
        for row, (marks, shut) in enumerate(zip(sheet.rows, closed, strict=True))
    ]
    return (*rows, FAILS_AT + sheet.failed)
