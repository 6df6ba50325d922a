"""How bots with a net think, compiled: what every choice of a seat is worth.

All thought is about tables between two turns. Others are supposed to choose what is best for them
if nobody else crosses anything; the active seat chooses both its actions together. The plain bots
think the same, through the law.
"""

from typing import Any, Final

import numpy as np

from qwixx.compiled.contract import (
    acting,
    active,
    closed,
    features,
    forget,
    legal,
    open_fields,
    phase,
    roll,
    seats,
    together,
    total,
    turn_over,
)
from qwixx.compiled.jit import compiled
from qwixx.compiled.net import Mind, chance, forward
from qwixx.compiled.printed import COLOUR, MOVES, OVER, WHITE, named
from qwixx.compiled.words import Words, lowest
from qwixx.core.values import POINT, WIN

# What a mind is like, in its numbers.
STYLE, OVERLOOKED, HASTE, CANDIDATES, FEWEST, MARGIN, WORTHS = range(7)

NEVER: Final = -(1 << 60)
MOST_ENDS: Final = 64  # ways to end a turn: five in the white action, nine in the colour action


@compiled
def judge(board: Any, table: Words, seat: int, mind: Mind) -> tuple[int, int]:
    """The chance to win of a seat and the points it will have,
    in units, before a throw or at the end."""
    if phase(board, table) == OVER:
        return final(board, table, seat)
    odds, points = forward(mind, features(board, table, seat, mind.lists))
    return WIN if seats(board, table) == 1 else chance(odds), points


@compiled
def final(board: Any, table: Words, seat: int) -> tuple[int, int]:
    """The share of the win of a seat and its points, in units."""
    mine, best, sharing = total(board, table, seat), total(board, table, seat), 1
    for other in range(seats(board, table)):
        if other != seat:
            found = total(board, table, other)
            sharing += int(found == mine)
            best = max(best, found)
    return WIN // sharing if best == mine else 0, mine * POINT


@compiled
def _best_colour(
    board: Any, table: Words, after: Words, choices: Words, mind: Mind
) -> tuple[int, int]:
    """The best colour action of the active seat: the move and its worth."""
    turner, best, found = active(board, table), NEVER, 0
    moves = legal(board, table, turner)
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        after[:] = table
        choices[turner] = move
        together(board, after, choices)
        win, points = judge(board, after, turner, mind)
        if win + points > best:
            best, found = win + points, move
    return found, best


@compiled
def suppose(board: Any, table: Words, seat: int, mind: Mind, choices: Words, work: Words) -> int:
    """What every other seat will choose, as if it chose alone;
    the colour action of the active one comes back."""
    turner, colour, players = active(board, table), 0, seats(board, table)
    before, after, later, alone = work[0], work[1], work[2], work[3]
    before[:] = table
    forget(board, before)
    choices[:] = 0
    alone[:] = 0
    for other in range(players):
        if other == seat or not acting(board, before) >> other & 1:
            continue
        moves, best = legal(board, before, other), NEVER
        while moves:
            move = lowest(moves)
            moves &= moves - 1
            alone[other] = move
            after[:] = before
            together(board, after, alone)
            then = 0
            if phase(board, after) == COLOUR and other == turner:
                then, worth = _best_colour(board, after, later, alone, mind)
            else:
                if phase(board, after) == COLOUR:
                    turn_over(board, after)
                win, points = judge(board, after, other, mind)
                worth = win + points
            if worth > best:
                best, choices[other] = worth, move
                if other == turner:
                    colour = then
        alone[other] = 0
    return colour


@compiled
def list_ends(board: Any, table: Words, seat: int, mind: Mind, ends: Words) -> int:
    """Every way in which this turn can end for a seat's choices:
    the choice to make now, then the table."""
    turner, players, listed = active(board, table), seats(board, table), 0
    moves, in_white, colour = legal(board, table, seat), phase(board, table) == WHITE, 0
    work = np.empty((4, len(table)), np.int64)
    after, choices, follow = work[1], np.zeros(players, np.int64), np.zeros(players, np.int64)
    if in_white:
        colour = suppose(board, table, seat, mind, choices, work)
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        choices[seat] = move
        after[:] = table
        together(board, after, choices)
        then, goes_on = 1, in_white and phase(board, after) == COLOUR
        if goes_on:
            then = legal(board, after, turner)
            if turner != seat:
                then = 1 << colour if then >> colour & 1 else 1
        while then:
            ends[listed, 0] = move
            ends[listed, 1:] = after
            if goes_on:
                follow[turner] = lowest(then)
                together(board, ends[listed, 1:], follow)
            then &= then - 1
            listed += 1
    return listed


@compiled
def candidates(mind: Mind, values: Words) -> Words:
    """The ends of a turn that are worth a further look, best first,
    given chance and points of each."""
    order = np.empty(len(values), np.int64)
    for end in range(len(values)):
        place, worth = end, values[end, 0] + values[end, 1]
        while place > 0 and worth > values[order[place - 1], 0] + values[order[place - 1], 1]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = end
    near = order[values[:, 0][order] >= values[order[0], 0] - mind.numbers[MARGIN]]
    return (
        near[: mind.numbers[CANDIDATES]]
        if len(near) >= mind.numbers[FEWEST]
        else order[: mind.numbers[FEWEST]]
    )


@compiled
def read_off(moves: Words, values: Words, wins: Words, points: Words) -> int:
    """The best of some moves, given chance and points; both of each move at its best, by the move."""
    best, found, shown = NEVER, 0, np.full(MOVES, NEVER)
    for place in range(len(moves)):
        move, worth = moves[place], values[place, 0] + values[place, 1]
        if worth > shown[move]:
            shown[move], wins[move], points[move] = worth, values[place, 0], values[place, 1]
        if worth > best:
            best, found = worth, move
    return found


@compiled
def weigh(board: Any, table: Words, seat: int, mind: Mind, wins: Words, points: Words) -> int:
    """The chance and the points of every legal choice of a seat, by the move; the best move."""
    ends, values = (
        np.empty((MOST_ENDS, 1 + len(table)), np.int64),
        np.empty((MOST_ENDS, 2), np.int64),
    )
    listed = list_ends(board, table, seat, mind, ends)
    for end in range(listed):
        values[end, 0], values[end, 1] = judge(board, ends[end, 1:], seat, mind)
    found = read_off(ends[:listed, 0], values[:listed], wins, points)
    if not mind.numbers[CANDIDATES] or listed == 1:
        return found
    chosen = candidates(mind, values[:listed])
    for end in chosen:
        values[end, 0], values[end, 1] = look(board, ends[end, 1:], seat, mind)
    return read_off(ends[:, 0][chosen], values[chosen], wins, points)


@compiled
def look(board: Any, table: Words, seat: int, mind: Mind) -> tuple[int, int]:
    """The chance and the points of a seat after the next throw, the mean over all dice;
    exact at the end.

    The white action depends on the white sum alone (S2). In the colour action each coloured die
    speaks for itself (S3), so what the roller would take is sorted, and going down the list the
    ways in which nothing before it came up are the product of what is left of each die.
    """
    if phase(board, table) == OVER:
        return final(board, table, seat)
    faces, rows, roller, players = (
        board.faces,
        board.rows,
        active(board, table),
        seats(board, table),
    )
    work, thrown, after, end = (
        np.empty((4, len(table)), np.int64),
        table.copy(),
        table.copy(),
        table.copy(),
    )
    choices, follow = np.empty(players, np.int64), np.zeros(players, np.int64)
    # By die and number what the roller takes with it at best;
    # in the row after the last, what it takes with none.
    favourites = np.empty((rows + 1, 2 * faces + 1, 4), np.int64)  # worth, order, chance and points
    ends = np.empty((rows + 1, 2 * faces + 1, len(table)), np.int64)  # and the table that it leaves
    sum_win, sum_points = 0, 0
    for whites in range(2, 2 * faces + 1):
        first = max(1, whites - faces)
        thrown[:] = table
        roll(board, thrown, first | (whites - first) << 3)
        suppose(board, thrown, roller, mind, choices, work)
        favourites[:, :, _WORTH] = NEVER
        moves, number_of_move = legal(board, thrown, roller), 0
        while moves:
            choices[roller] = lowest(moves)
            moves &= moves - 1
            after[:] = thrown
            together(board, after, choices)
            goes_on = phase(board, after) == COLOUR
            fields = open_fields(board, after, roller) if goes_on else 0
            gone = closed(board, after)
            for die in range(rows + 1):
                # the faces of one coloured die with the white ones of this sum name these numbers
                least, most = (first + 1, min(faces, whites - 1) + faces) if die < rows else (0, 0)
                for number in range(least, most + 1):
                    may, face = 1, max(1, number - faces)
                    if die < rows:
                        may = (
                            0
                            if gone >> die & 1
                            else (fields & named(board, die, face, number - face)) << 1
                        )
                    while may:
                        move = lowest(may)
                        may &= may - 1
                        end[:] = after
                        if goes_on:
                            follow[roller] = move
                            together(board, end, follow)
                        win, points = judge(board, end, roller, mind)
                        favourite = favourites[die, number]
                        if win + points > favourite[_WORTH]:
                            favourite[_WORTH], favourite[_ORDER] = (
                                win + points,
                                number_of_move * 64 + move,
                            )
                            favourite[_WIN], favourite[_POINTS] = win, points
                            ends[die, number] = end
            number_of_move += 1
        if roller != seat:
            _see_as(board, seat, mind, favourites, ends)
        for one in range(first, whites // 2 + 1):
            win, points = _over_colours(board, one, whites - one, favourites)
            ways = 1 if 2 * one == whites else 2
            sum_win, sum_points = sum_win + ways * win, sum_points + ways * points
    every = faces ** (rows + 2)
    return sum_win // every, sum_points // every


_WORTH, _ORDER, _WIN, _POINTS = range(4)


@compiled
def _see_as(board: Any, seat: int, mind: Mind, favourites: Words, ends: Words) -> None:
    """What the roller may take, as another seat sees it:
    only what it likes at least as well as none of it."""
    none = favourites[board.rows, 0, _WORTH]
    for die in range(favourites.shape[0]):
        for number in range(favourites.shape[1]):
            favourite = favourites[die, number]
            if favourite[_WORTH] >= none:
                favourite[_WIN], favourite[_POINTS] = judge(board, ends[die, number], seat, mind)


@compiled
def _liked(one: Words, other: Words) -> bool:
    """Whether the roller likes the first of two favourites better:
    the one that comes first, if they are alike."""
    return bool(
        one[_WORTH] > other[_WORTH]
        or (one[_WORTH] == other[_WORTH] and one[_ORDER] < other[_ORDER])
    )


@compiled
def _over_colours(board: Any, first: int, second: int, favourites: Words) -> tuple[int, int]:
    """Chance and points after a throw with these whites,
    added up over all throws of the coloured dice."""
    rows, faces = board.rows, board.faces
    none = favourites[rows, 0]
    order = np.empty((rows * faces, 2), np.int64)
    listed = 0
    for die in range(rows):
        for face in range(1, faces + 1):
            number = first + face
            if _liked(favourites[die, second + face], favourites[die, number]):
                number = second + face
            if _liked(favourites[die, number], none):
                place = listed
                while place > 0:
                    before = favourites[order[place - 1, 0], order[place - 1, 1]]
                    if not _liked(favourites[die, number], before):
                        break
                    order[place] = order[place - 1]
                    place -= 1
                order[place, 0], order[place, 1] = die, number
                listed += 1
    left = np.full(rows, faces)
    ways, win, points = faces**rows, 0, 0
    for place in range(listed):
        if ways <= 0:
            break
        die, number = order[place, 0], order[place, 1]
        now = ways // left[die]
        left[die] -= 1
        ways -= now
        win += now * favourites[die, number, _WIN]
        points += now * favourites[die, number, _POINTS]
    return win + ways * none[_WIN], points + ways * none[_POINTS]
