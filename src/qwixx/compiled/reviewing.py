"""What reviews ask of thought, compiled: every line of a choice with its worth,
and what a throw makes of a table."""

from typing import Any

import numpy as np

from qwixx.compiled.contract import active, roll, seats
from qwixx.compiled.jit import compiled
from qwixx.compiled.net import Mind
from qwixx.compiled.thinking import MOST_ENDS, NEVER, judge, list_ends
from qwixx.compiled.words import Words


@compiled
def list_lines(board: Any, table: Words, seat: int, mind: Mind, ends: Words, values: Words) -> int:
    """Every way in which this turn can end for a seat's choices, and its chance and points there."""
    listed = list_ends(board, table, seat, mind, ends)
    for end in range(listed):
        values[end, 0], values[end, 1] = judge(board, ends[end, 1:], seat, mind)
    return listed


@compiled
def after_throw(board: Any, table: Words, dice: int, mind: Mind, found: Words) -> None:
    """Chance and points of every seat after a throw, everybody choosing well by the net alone."""
    thrown = table.copy()
    roll(board, thrown, dice)
    roller = active(board, thrown)
    ends = np.empty((MOST_ENDS, 1 + len(table)), np.int64)
    values = np.empty((MOST_ENDS, 2), np.int64)
    listed, best, place = list_lines(board, thrown, roller, mind, ends, values), NEVER, 0
    for end in range(listed):
        worth = values[end, 0] + values[end, 1]
        if worth > best:
            best, place = worth, end
    for seat in range(seats(board, thrown)):
        found[seat, 0], found[seat, 1] = judge(board, ends[place, 1:], seat, mind)
