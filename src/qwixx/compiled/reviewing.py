"""What reviews ask of thought, compiled: every line of a choice with its worth,
and what a throw makes of a table."""

from typing import Any

import numpy as np

from qwixx.compiled.contract import active, legal, phase, roll, seats, together
from qwixx.compiled.jit import compiled
from qwixx.compiled.judging import NEVER, WHITES, judge, suppose
from qwixx.compiled.net import Mind
from qwixx.compiled.printed import COLOUR
from qwixx.compiled.sealed import interacts, solved, take
from qwixx.compiled.thinking import list_ends, mean_of_mixed
from qwixx.compiled.words import Words, lowest


@compiled
def list_lines(board: Any, table: Words, seat: int, mind: Mind, ends: Words, values: Words) -> int:
    """Every way in which this turn can end for a seat's choices, and its chance and points there."""
    listed = list_ends(board, table, seat, mind, ends)
    for end in range(listed):
        values[end, 0], values[end, 1] = judge(board, ends[end, 1:], seat, mind)
    return listed


@compiled
def after_throw(board: Any, table: Words, dice: int, mind: Mind, found: Words) -> None:
    """Chance and points of every seat after a throw, everybody choosing well by the net alone:
    what `look` takes the mean of."""
    players, thrown, end = seats(board, table), table.copy(), table.copy()
    roll(board, thrown, dice & WHITES)
    roller, choices = active(board, thrown), np.zeros(players, np.int64)
    if interacts(board, thrown):
        game = solved(board, thrown, mind)
        for seat in range(players):
            any_mixed = mean_of_mixed(board, game, seat, mind, found[seat])
        if any_mixed:
            return
        take(game, choices)
    else:
        work = np.empty((4, len(table)), np.int64)
        suppose(board, thrown, roller, mind, choices, work)
    thrown[:] = table
    roll(board, thrown, dice)
    after, follow = thrown.copy(), np.zeros(players, np.int64)
    best, moves = NEVER, legal(board, thrown, roller)
    while moves:
        choices[roller] = lowest(moves)
        moves &= moves - 1
        after[:] = thrown
        together(board, after, choices)
        goes_on = phase(board, after) == COLOUR
        then = legal(board, after, roller) if goes_on else 1
        while then:
            end[:] = after
            if goes_on:
                follow[roller] = lowest(then)
                together(board, end, follow)
            then &= then - 1
            win, points = judge(board, end, roller, mind)
            if win + points > best:
                best = win + points
                for seat in range(players):
                    found[seat, 0], found[seat, 1] = judge(board, end, seat, mind)
