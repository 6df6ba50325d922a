"""How the trained bots think about the duel, compiled: what a board is to a net, and what every choice is worth.

All thought is about boards between two turns.
"""

from typing import Final

import numpy as np

from qwixx.games.duel.features import (
    CLOSED_AT,
    COUNTS,
    FEATURES,
    LENGTHS,
    LISTED,
    OTHER_FEATURES,
    PLACED_AT,
    TURN_AT,
)
from qwixx.games.duel.kernel import (
    ACTIVE,
    COUNT,
    DICE,
    FAILS,
    HEIGHT,
    LOCK,
    PLACED,
    act,
    legal,
    moves_of_active,
    open_fields,
    total,
)
from qwixx.games.kernel import (
    COLOUR,
    LANE,
    LANE_MASK,
    OVER,
    WHITE,
    Board,
    Weights,
    Words,
    compiled,
    field,
    length,
    lowest,
)
from qwixx.games.look_kernel import MOST_ENDS, NEVER, candidates, over_colours, read_off
from qwixx.games.net import BY_POINTS, POINTS, Shape
from qwixx.games.net_kernel import chance, forward, new_lists, new_space

OTHERS: Final = 4  # the rows
SHAPE: Final = Shape(FEATURES, OTHER_FEATURES, 32, 96, 32)
# How the nets of this game are trained: games of a generation by the number of players, and the generations.
TRAINING: Final = (
    {"seats": {2: 4000}, "generations": 26, "fades": (0.4, 0.4), "check": 11, "units": (16, 32, 16)},
    {"seats": {2: 4000}, "generations": 240, "fades": (0.4, 0.4)},
)


@compiled
def list_all(table: Words, seat: int, lists: Words) -> int:
    """The features of a board to a seat, before a throw: those of the whole board, and a list for each row."""
    turn, other, closed = int(table[0]), 1 - seat, 0
    for row in range(4):
        listed = lists[1 + row]
        word = int(table[1 + 2 * row])
        mine, his = word >> LANE * seat & LANE_MASK, word >> LANE * other & LANE_MASK
        far, his_far = length(mine), length(his)
        lock = word >> LOCK & 3
        holds = min((word >> (COUNT + 5 * seat) & 31) + (lock == seat + 1), 13)
        he_holds = min((word >> (COUNT + 5 * other) & 31) + (lock == other + 1), 13)
        gap, leads = 0, 0
        if lock:
            listed[0] = LENGTHS + (lock != seat + 1)
            closed += 1
        else:
            foremost = max(far, his_far)
            stacked = foremost > 0 and table[2 + 2 * row] >> HEIGHT * (foremost - 1) & 31 > 1
            listed[0] = (far * 12 + his_far) * 2 + stacked
            leads = int(far > his_far)
            gap = ((1 << foremost) - (1 << min(far, his_far))) & ~(mine | his)
        at = LENGTHS + 2
        listed[1] = at + holds * 12 + min(far, 11)
        at += COUNTS
        listed[2] = at + he_holds * 12 + min(his_far, 11)
        at += COUNTS
        listed[3] = at + leads * 64 + (gap & 63)
        at += 128
        listed[4] = at + leads * 32 + (gap >> 6 & 31)
    own = lists[0]
    own[0] = (turn >> (FAILS + 3 * seat) & 7) * 5 + (turn >> (FAILS + 3 * other) & 7)
    own[1] = PLACED_AT + (turn >> (PLACED + 5 * seat) & 31)
    own[2] = PLACED_AT + 24 + (turn >> (PLACED + 5 * other) & 31)
    own[3] = TURN_AT + int(turn >> ACTIVE & 1 == seat)
    own[4] = CLOSED_AT + closed
    return 4


@compiled
def judge(board: Board, table: Words, seat: int, net: Weights, lists: Words, space: Weights) -> float:
    """The chance to win of a seat, and in space[0, 1] the points it will have, before a throw or at the end."""
    if table[0] & 3 == OVER:
        mine, his = total(board, table, seat), total(board, table, 1 - seat)
        space[0, 1] = mine
        if mine == his:
            return 0.5
        return 1.0 if mine > his else 0.0
    forward(net, SHAPE, lists, list_all(table, seat, lists), space)
    space[0, 1] *= POINTS
    return chance(space[0, 0])


@compiled
def rate(board: Board, table: Words, seat: int, net: Weights, lists: Words, space: Weights) -> float:
    """What a table is worth to a seat, to choose by; space[0] keeps chance and points."""
    win = judge(board, table, seat, net, lists, space)
    space[0, 0] = win
    return win + BY_POINTS * float(space[0, 1])


@compiled
def list_ends(board: Board, table: Words, seat: int, ends: Words) -> int:
    """Every way in which this turn can end: the choice to make now, then the board."""
    listed, after = 0, np.empty_like(table)
    moves = legal(board, table, seat)
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        after[:] = table
        act(board, after, move)
        then = moves_of_active(board, after) if after[0] & 3 == COLOUR else 1
        while then:
            ends[listed, 0] = move
            ends[listed, 1:] = after
            if after[0] & 3 == COLOUR:
                act(board, ends[listed, 1:], lowest(then))
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
    listed = list_ends(board, table, seat, ends)
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
    faces, active = board.faces, table[0] >> ACTIVE & 1
    rolled, after, end = np.empty_like(table), np.empty_like(table), np.empty_like(table)
    shape = (board.rows + 1, 2 * faces + 1)
    worths, chances = np.empty(shape, np.float32), np.empty(shape, np.float32)
    wins, points, with_white = np.empty(shape, np.float32), np.empty(shape, np.float32), np.empty(shape, np.int64)
    for whites in range(2, 2 * faces + 1):
        rolled[:] = table
        first = max(1, whites - faces)
        rolled[0] |= WHITE | (first | (whites - first) << 3) << DICE
        worths[:] = NEVER
        moves = moves_of_active(board, rolled)
        least, most = first + 1, min(faces, whites - 1) + faces
        while moves:
            move = lowest(moves)
            moves &= moves - 1
            after[:] = rolled
            act(board, after, move)
            fields = open_fields(board, after) if after[0] & 3 == COLOUR else 0
            for row in range(board.rows + 1):
                for number in range(least if row < board.rows else 0, most + 1 if row < board.rows else 1):
                    mark = field(board, row, number) if row < board.rows else 0
                    if row < board.rows and fields & mark == 0:
                        continue
                    end[:] = after
                    if after[0] & 3 == COLOUR:
                        act(board, end, 1 + lowest(mark) if mark else 0)
                    worth = rate(board, end, active, net, lists, space)
                    if worth > worths[row, number]:
                        worths[row, number] = worth
                        wins[row, number], points[row, number] = space[0, 0], space[0, 1]
                        with_white[row, number] = move
        if seat != active:
            for row in range(board.rows + 1):
                for number in range(shape[1]):
                    if worths[row, number] > NEVER and worths[row, number] >= worths[board.rows, 0]:
                        end[:] = rolled
                        act(board, end, with_white[row, number])
                        mark = field(board, row, number) if row < board.rows else 0
                        if end[0] & 3 == COLOUR:
                            act(board, end, 1 + lowest(mark) if mark else 0)
                        rate(board, end, seat, net, lists, space)
                        wins[row, number], points[row, number] = space[0, 0], space[0, 1]
        chances[:] = np.float32(0.0)
        for one in range(first, whites // 2 + 1):
            over_colours(board, one, whites - one, worths, chances)
        for row in range(board.rows + 1):
            for number in range(shape[1]):
                if chances[row, number] > 0.0:
                    mean[0] += chances[row, number] * wins[row, number]
                    mean[1] += chances[row, number] * points[row, number]
