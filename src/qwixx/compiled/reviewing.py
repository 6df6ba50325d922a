"""What reviews ask of thought, compiled: every line of a choice with its worth,
and what throws make of a table."""

from typing import Any, Final

import numpy as np

from qwixx.compiled.contract import active, closed, legal, phase, roll, seats, together
from qwixx.compiled.jit import compiled
from qwixx.compiled.judging import NEVER, WHITES, judge, suppose
from qwixx.compiled.net import Mind
from qwixx.compiled.printed import COLOUR, face_of, white_dice
from qwixx.compiled.sealed import interacts, solved, take
from qwixx.compiled.thinking import list_ends, mean_of, mixes
from qwixx.compiled.words import Words, lowest


@compiled
def list_lines(board: Any, table: Words, seat: int, mind: Mind, ends: Words, values: Words) -> int:
    """Every way in which this turn can end for a seat's choices, and its chance and points there."""
    listed = list_ends(board, table, seat, mind, ends)
    for end in range(listed):
        values[end, 0], values[end, 1] = judge(board, ends[end, 1:], seat, mind)
    return listed


DIE, FACE, WAYS = range(3)  # of a fall
SEEN, LOOKED = range(2)  # what it comes to, and what the look takes it for
NONE: Final = -1  # no die


@compiled
def after_throw(board: Any, table: Words, dice: int, mind: Mind, found: Words) -> None:
    """Chance and points of every seat after a throw, everybody choosing well by the net and seeing
    all dice. Their mean over all throws is what `look` says."""
    falls, values = room_for_falls(board, table)
    unseen(board, table, mind, found)
    listed, place = list_falls(board, table, dice & WHITES, mind, falls, values), 0
    while place < listed - 1 and face_of(dice, 2 + falls[place, DIE]) != falls[place, FACE]:
        place += 1
    found += values[place, SEEN]


@compiled
def room_for_falls(board: Any, table: Words) -> tuple[Words, Words]:
    most = board.rows * board.faces + 1
    return np.empty((most, 3), np.int64), np.empty((most, 2, seats(board, table), 2), np.int64)


@compiled
def unseen(board: Any, table: Words, mind: Mind, found: Words) -> None:
    """What the look has more than what throws come to, in the mean over all of them."""
    falls, values = room_for_falls(board, table)
    faces = board.faces
    found[:] = 0
    for first in range(1, faces + 1):
        for second in range(first, faces + 1):
            whites = white_dice(first, second)
            if not _matters(board, table, whites):
                continue
            listed = list_falls(board, table, whites, mind, falls, values)
            for place in range(listed):
                often = falls[place, WAYS] * (1 if first == second else 2)
                found += often * (values[place, LOOKED] - values[place, SEEN])
    found[:] = found // faces ** (2 + board.rows)


@compiled
def _matters(board: Any, table: Words, whites: int) -> bool:
    """Whether some choice of a throw with these whites may close a row or end the game, with several
    who choose at once."""
    thrown = table.copy()
    for face in range(1, board.faces + 1):
        dice = whites
        for die in range(board.rows):
            if not closed(board, table) >> die & 1:
                dice |= face << 6 + 3 * die
        thrown[:] = table
        roll(board, thrown, dice)
        if interacts(board, thrown):
            return True
    return False


@compiled
def list_falls(
    board: Any, table: Words, whites: int, mind: Mind, falls: Words, values: Words
) -> int:
    """What throws with these whites come to: by the coloured die that the roller likes best, and by
    none, in how many ways it falls so, and chance and points of every seat."""
    players = seats(board, table)
    thrown, work = table.copy(), np.empty((4, len(table)), np.int64)
    choices, mean = np.zeros(players, np.int64), np.empty((players, 2), np.int64)
    any_mixed = False
    roll(board, thrown, whites)
    if interacts(board, thrown):
        game = solved(board, thrown, mind)
        any_mixed = mixes(game)
        if any_mixed:
            for seat in range(players):
                mean_of(board, game, seat, mind, mean[seat])
        else:
            take(game, choices)
    else:
        suppose(board, thrown, active(board, table), mind, choices, work)
    ends = np.empty((len(falls), len(table)), np.int64)
    listed = _rank(board, table, whites, mind, choices, falls, ends)
    least = _least_liked(board, table, falls[:listed])
    for place in range(listed):
        dice = least
        if falls[place, DIE] != NONE:
            at = 6 + 3 * falls[place, DIE]
            dice = least & ~(7 << at) | falls[place, FACE] << at
        thrown[:] = table
        roll(board, thrown, whites | dice)
        for seat in range(players):
            if not any_mixed:
                mean[seat, 0], mean[seat, 1] = judge(board, ends[place], seat, mind)
        values[place, :] = mean
        if interacts(board, thrown):
            game = solved(board, thrown, mind)
            for seat in range(players):
                mean_of(board, game, seat, mind, values[place, SEEN, seat])
    return listed


@compiled
def _rank(
    board: Any, table: Words, whites: int, mind: Mind, choices: Words, falls: Words, ends: Words
) -> int:
    """The faces of coloured dice that a roller would use, given the choices of the others, the best
    first; then none; with the ways in which nothing before came up, and the tables that they leave."""
    rows, faces, listed = board.rows, board.faces, 0
    liked = np.empty((rows * faces, 2), np.int64)  # worth, and order among what is alike
    end = table.copy()
    worth, order = _answer(board, table, whites, mind, choices, end)
    for die in range(rows):
        for face in range(1, faces + 1):
            if closed(board, table) >> die & 1:
                continue
            dice = whites | face << 6 + 3 * die
            found, first = _answer(board, table, dice, mind, choices, end)
            if found == worth and first == order:
                continue
            place = listed
            while place > 0 and (
                found > liked[place - 1, 0]
                or (found == liked[place - 1, 0] and first < liked[place - 1, 1])
            ):
                liked[place], falls[place], ends[place] = (
                    liked[place - 1],
                    falls[place - 1],
                    ends[place - 1],
                )
                place -= 1
            liked[place, 0], liked[place, 1] = found, first
            falls[place, DIE], falls[place, FACE] = die, face
            ends[place] = end
            listed += 1
    left, ways = np.full(rows, faces), faces**rows
    for place in range(listed):
        die = falls[place, DIE]
        falls[place, WAYS] = ways // left[die] if ways else 0
        left[die] -= 1
        ways -= falls[place, WAYS]
    _answer(board, table, whites, mind, choices, ends[listed])
    falls[listed, DIE], falls[listed, FACE], falls[listed, WAYS] = NONE, 0, ways
    return listed + 1


@compiled
def _answer(
    board: Any, table: Words, dice: int, mind: Mind, choices: Words, best_end: Words
) -> tuple[int, int]:
    """The turn that a roller likes best with these dice, given the choices of the others: its worth,
    which of all it is, and the table that it leaves."""
    roller, thrown, after, end = active(board, table), table.copy(), table.copy(), table.copy()
    roll(board, thrown, dice)
    chosen, follow = choices.copy(), np.zeros_like(choices)
    best, first, number = NEVER, 0, 0
    moves = legal(board, thrown, roller)
    while moves:
        chosen[roller] = lowest(moves)
        moves &= moves - 1
        after[:] = thrown
        together(board, after, chosen)
        goes_on = phase(board, after) == COLOUR
        then = legal(board, after, roller) if goes_on else 1
        while then:
            end[:] = after
            if goes_on:
                follow[roller] = lowest(then)
                together(board, end, follow)
            win, points = judge(board, end, roller, mind)
            if win + points > best:
                best, first = win + points, number * 64 + lowest(then)
                best_end[:] = end
            then &= then - 1
        number += 1
    return best, first


@compiled
def _least_liked(board: Any, table: Words, falls: Words) -> int:
    """Every coloured die in play with a face that the roller has no use for, or else least."""
    dice = 0
    for die in range(board.rows):
        found, used = 0, 0
        for place in range(len(falls)):
            if falls[place, DIE] == die:
                found = falls[place, FACE]
                used |= 1 << found
        for face in range(board.faces, 0, -1):
            if not used >> face & 1:
                found = face
        if not closed(board, table) >> die & 1:
            dice |= found << 6 + 3 * die
    return dice
