"""What a net is told of a Qwixx table between two turns: a list of features for each sheet."""

from functools import cache
from typing import Final

from qwixx.core.game import ROLL
from qwixx.games.classic.state import ClassicState

# A feature says one thing of a sheet: of each row how far it is and how full, and whether it is closed; the failed
# throws; and the players with the turns until its own.
FAILS_AT: Final = 4 * 2 * 13 * 13
TURN_AT: Final = FAILS_AT + 5
FEATURES: Final = TURN_AT + 25
LISTED: Final = 6


def listed(state: ClassicState, seat: int) -> tuple[list[int], list[list[int]]]:
    """The features of a table to a seat: its own list, and one for each other in the order of the seats."""
    players = len(state.sheets)
    lists = [_of_sheet(state, (seat + other) % players) for other in range(players)]
    return lists[0], lists[1:]


def turn_over(state: ClassicState) -> ClassicState:
    """The table as if the colour action were left out and nothing failed, which only thought can do."""
    following = (state.active + 1) % len(state.sheets)
    return ClassicState(state.sheets, state.closed, following, ROLL, None, None, state.sealed)


def _of_sheet(state: ClassicState, seat: int) -> list[int]:
    sheet, closed, players = state.sheets[seat], state.closed, len(state.sheets)
    features = [_of_row(row, marks, closed[row]) for row, marks in enumerate(sheet.rows)]
    features += (FAILS_AT + sheet.failed, TURN_AT + (players - 1) * 5 + (seat - state.active) % players)
    return features


@cache
def _of_row(row: int, marks: int, closed: bool) -> int:
    return ((row * 2 + closed) * 13 + marks.bit_length()) * 13 + marks.bit_count()
