"""How the trained bots think about Qwixx, compiled: what a position is to a net, and what every choice is worth.

All thought is about tables between two turns. Others are supposed to choose what is best for them if nobody else
crosses anything; the active seat chooses both its actions together.
"""

from typing import Final

import numpy as np

from qwixx.games.classic.features import FAILS_AT, FEATURES, LISTED, TURN_AT
from qwixx.games.classic.kernel import (
    ACTIVE,
    CHOSEN,
    CLOSED,
    DICE,
    FAILS,
    colour_action,
    legal,
    open_fields,
    total,
    white_action,
)
from qwixx.games.kernel import (
    COLOUR,
    LANE,
    LANE_MASK,
    OVER,
    ROLL,
    WHITE,
    Board,
    Weights,
    Words,
    compiled,
    count,
    field,
    length,
    lowest,
    white_fields,
)
from qwixx.games.look_kernel import MOST_ENDS, NEVER, candidates, over_colours, read_off
from qwixx.games.net import BY_POINTS, POINTS, Shape
from qwixx.games.net_kernel import chance, forward, new_lists, new_space

OTHERS: Final = 4
SHAPE: Final = Shape(FEATURES, FEATURES, 64, 64, 32)
PRACTICE_SHAPE: Final = Shape(FEATURES, 0, 96, 0, 32)
# How the nets of this game are trained: games of a generation by the number of players, and the generations.
TRAINING: Final = (
    {"seats": {1: 12000}, "generations": 120},
    {"seats": {2: 2000, 3: 700, 4: 500, 5: 400}, "generations": 84, "check": 28, "units": (16, 16, 16)},
    {"seats": {2: 2000, 3: 700, 4: 500, 5: 400}, "generations": 220, "check": 44},
)


@compiled
def list_features(table: Words, seat: int, listed: Words) -> None:
    """The features of a seat's sheet, before a throw."""
    turn, sheet, players = int(table[0]), int(table[1 + seat]), len(table) - 1
    for row in range(4):
        marks = sheet >> LANE * row & LANE_MASK
        closed = turn >> (CLOSED + row) & 1
        listed[row] = ((row * 2 + closed) * 13 + length(marks)) * 13 + count(marks)
    listed[4] = FAILS_AT + (sheet >> FAILS)
    listed[5] = TURN_AT + (players - 1) * 5 + (seat - (turn >> ACTIVE & 7) + players) % players


@compiled
def list_all(table: Words, seat: int, lists: Words) -> int:
    """The features of a position to a seat: its own list, and one for each other; how many others there are."""
    players = len(table) - 1
    list_features(table, seat, lists[0])
    for other in range(1, players):
        list_features(table, (seat + other) % players, lists[other])
    return players - 1


@compiled
def judge(board: Board, table: Words, seat: int, net: Weights, lists: Words, space: Weights) -> float:
    """The chance to win of a seat, and in space[0, 1] the points it will have, before a throw or at the end."""
    players = len(table) - 1
    if table[0] & 3 == OVER:
        best, mine, sharing = total(board, table, seat), total(board, table, seat), 1
        for other in range(players):
            if other != seat:
                found = total(board, table, other)
                sharing += found == mine
                best = max(best, found)
        space[0, 1] = mine
        return 1.0 / sharing if best == mine else 0.0
    seats = list_all(table, seat, lists)
    if players == 1:
        forward(net, PRACTICE_SHAPE, lists, seats, space)
        space[0, 1] *= POINTS
        return 1.0
    forward(net, SHAPE, lists, seats, space)
    space[0, 1] *= POINTS
    return chance(space[0, 0])


@compiled
def rate(board: Board, table: Words, seat: int, net: Weights, lists: Words, space: Weights) -> float:
    """What a table is worth to a seat, to choose by; space[0] keeps chance and points."""
    win = judge(board, table, seat, net, lists, space)
    space[0, 0] = win
    return win + BY_POINTS * float(space[0, 1])


@compiled
def _turn_over(table: Words) -> None:
    """The colour action is left out, and nothing is failed."""
    turn, players = int(table[0]), len(table) - 1
    active = turn >> ACTIVE & 7
    table[0] = ROLL | (active + 1) % players << ACTIVE | turn & 15 << CLOSED


@compiled
def _after_white(board: Board, table: Words, choices: Words, after: Words) -> None:
    """All choices of the white action take effect."""
    after[:] = table
    turn = int(table[0]) & (1 << CHOSEN) - 1
    for seat in range(len(table) - 1):
        turn |= (choices[seat] + 1) << (CHOSEN + 6 * seat)
    after[0] = turn
    white_action(board, after)


@compiled
def _best_colour(
    board: Board, table: Words, after: Words, net: Weights, lists: Words, space: Weights
) -> tuple[int, float, float, float]:
    """The best colour action of the active seat: the move, its worth, chance and points."""
    active = table[0] >> ACTIVE & 7
    moves, best, found, win, points = legal(board, table, active), NEVER, 0, 0.0, 0.0
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        after[:] = table
        colour_action(board, after, move)
        worth = rate(board, after, active, net, lists, space)
        if worth > best:
            best, found, win, points = worth, move, space[0, 0], space[0, 1]
    return found, best, win, points


@compiled
def suppose(
    board: Board,
    table: Words,
    seat: int,
    net: Weights,
    choices: Words,
    work: Words,
    lists: Words,
    space: Weights,
) -> int:
    """What every other seat will choose, as if it chose alone; the colour action of the active one comes back."""
    players = len(table) - 1
    active, colour = table[0] >> ACTIVE & 7, 0
    open_table = work[2]
    open_table[:] = table
    open_table[0] = int(table[0]) & (1 << CHOSEN) - 1
    alone = np.zeros(players, np.int64)
    for other in range(players):
        choices[other] = 0
    for other in range(players):
        if other == seat:
            continue
        moves, best = legal(board, open_table, other), NEVER
        while moves:
            move = lowest(moves)
            moves &= moves - 1
            alone[other] = move
            _after_white(board, open_table, alone, work[0])
            then = 0
            if work[0, 0] & 3 == COLOUR and other == active:
                then, worth, _, _ = _best_colour(board, work[0], work[1], net, lists, space)
            else:
                if work[0, 0] & 3 == COLOUR:
                    _turn_over(work[0])
                worth = rate(board, work[0], other, net, lists, space)
            if worth > best:
                best, choices[other] = worth, move
                if other == active:
                    colour = then
        alone[other] = 0
    return colour


@compiled
def list_ends(
    board: Board, table: Words, seat: int, net: Weights, lists: Words, space: Weights, ends: Words
) -> int:
    """Every way in which this turn can end for a seat's choices: the choice to make now, then the table."""
    players = len(table) - 1
    active, listed = table[0] >> ACTIVE & 7, 0
    moves = legal(board, table, seat)
    work, choices, colour = np.empty((3, players + 1), np.int64), np.zeros(players, np.int64), 0
    in_white = table[0] & 3 == WHITE
    if in_white:
        colour = suppose(board, table, seat, net, choices, work, lists, space)
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        work[0] = table
        if in_white:
            choices[seat] = move
            _after_white(board, table, choices, work[0])
        then = 1 << move
        if in_white:
            then = 1
            if work[0, 0] & 3 == COLOUR:
                may = legal(board, work[0], active)
                then = may if active == seat else 1 << colour if may >> colour & 1 else 1
        while then:
            ends[listed, 0] = move
            ends[listed, 1:] = work[0]
            if work[0, 0] & 3 == COLOUR:
                colour_action(board, ends[listed, 1:], lowest(then))
            then &= then - 1
            listed += 1
    return listed


@compiled
def weigh(
    board: Board, table: Words, seat: int, net: Weights, further: bool, wins: Weights, points: Weights
) -> int:
    """The chance and the points of every legal choice of a seat, by the move; the best move."""
    lists, space = new_lists(OTHERS, LISTED), new_space(OTHERS)
    ends, values = np.empty((MOST_ENDS, 1 + len(table)), np.int64), np.empty((MOST_ENDS, 3), np.float32)
    listed = list_ends(board, table, seat, net, lists, space, ends)
    for end in range(listed):
        values[end, 0] = rate(board, ends[end, 1:], seat, net, lists, space)
        values[end, 1:] = space[0, :2]
    found = read_off(ends[:listed, 0], values[:listed], wins, points)
    if not further or listed == 1:
        return found
    chosen = candidates(values[:listed])
    for end in chosen:
        look(board, ends[end, 1:], seat, net, lists, space, values[end, 1:])
        values[end, 0] = values[end, 1] + BY_POINTS * values[end, 2]
    return read_off(ends[:, 0][chosen], values[chosen], wins, points)


@compiled
def look(
    board: Board,
    table: Words,
    seat: int,
    net: Weights,
    lists: Words,
    space: Weights,
    mean: Weights,
) -> None:
    """The chance and the points of a seat after the next throw, the mean over all dice; exact at the end."""
    mean[:] = np.float32(0.0)
    if table[0] & 3 == OVER:
        mean[0] = judge(board, table, seat, net, lists, space)
        mean[1] = space[0, 1]
        return
    players, faces = len(table) - 1, board.faces
    active, closed = table[0] >> ACTIVE & 7, table[0] >> CLOSED & 15
    work, choices = np.empty((3, players + 1), np.int64), np.empty(players, np.int64)
    after, end = np.empty(players + 1, np.int64), np.empty(players + 1, np.int64)
    shape = (board.rows + 1, 2 * faces + 1)
    worths, chances = np.empty(shape, np.float32), np.empty(shape, np.float32)
    wins, points, with_white = np.empty(shape, np.float32), np.empty(shape, np.float32), np.empty(shape, np.int64)
    for whites in range(2, 2 * faces + 1):
        after[:] = table
        first = max(1, whites - faces)
        after[0] |= WHITE | (first | (whites - first) << 3) << DICE
        suppose(board, after, active, net, choices, work, lists, space)
        worths[:] = NEVER
        moves = 1 | (open_fields(board, after[1 + active], closed) & white_fields(board, after[0] >> DICE)) << 1
        # the faces of one coloured die with the white ones of this sum name these numbers
        least, most = first + 1, min(faces, whites - 1) + faces
        while moves:
            move = lowest(moves)
            moves &= moves - 1
            choices[active] = move
            _after_white(board, after, choices, work[0])
            fields = 0
            if work[0, 0] & 3 == COLOUR:
                fields = open_fields(board, work[0, 1 + active], work[0, 0] >> CLOSED & 15)
            for row in range(board.rows + 1):
                for number in range(least if row < board.rows else 0, most + 1 if row < board.rows else 1):
                    mark = field(board, row, number) if row < board.rows else 0
                    if row < board.rows and fields & mark == 0:
                        continue
                    end[:] = work[0]
                    if work[0, 0] & 3 == COLOUR:
                        colour_action(board, end, 1 + lowest(mark) if mark else 0)
                    worth = rate(board, end, active, net, lists, space)
                    if worth > worths[row, number]:
                        worths[row, number] = worth
                        wins[row, number], points[row, number] = space[0, 0], space[0, 1]
                        with_white[row, number] = move
        if seat != active:
            for row in range(board.rows + 1):
                for number in range(shape[1]):
                    if worths[row, number] > NEVER and worths[row, number] >= worths[board.rows, 0]:
                        choices[active] = with_white[row, number]
                        _after_white(board, after, choices, work[0])
                        mark = field(board, row, number) if row < board.rows else 0
                        if work[0, 0] & 3 == COLOUR:
                            colour_action(board, work[0], 1 + lowest(mark) if mark else 0)
                        rate(board, work[0], seat, net, lists, space)
                        wins[row, number], points[row, number] = space[0, 0], space[0, 1]
        chances[:] = np.float32(0.0)
        for one in range(first, whites // 2 + 1):
            over_colours(board, one, whites - one, worths, chances)
        for row in range(board.rows + 1):
            for number in range(shape[1]):
                if chances[row, number] > 0.0:
                    mean[0] += chances[row, number] * wins[row, number]
                    mean[1] += chances[row, number] * points[row, number]
