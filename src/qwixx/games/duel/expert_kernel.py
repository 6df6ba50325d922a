"""How the trained bots think about the duel, compiled: what a board is to a net, and what every choice is worth.

All thought is about boards between two turns.
"""

from typing import Final

import numpy as np

from qwixx.games.duel.features import COUNTS, FAILS_AT, FEATURES, LENGTHS, LISTED, PLACED_AT, ROW, TURN_AT
from qwixx.games.duel.kernel import (
    ACTIVE,
    CLOSED,
    COUNT,
    FAILS,
    HEIGHT,
    LOCK,
    PLACED,
    act,
    legal,
    moves_of_active,
    total,
)
from qwixx.games.kernel import COLOUR, LANE, LANE_MASK, OVER, Board, Weights, Words, compiled, length, lowest
from qwixx.games.net import BY_POINTS, POINTS, Shape
from qwixx.games.net_kernel import chance, forward

OTHERS: Final = 0
SHAPE: Final = Shape(FEATURES, 0, 96, 0, 32)


@compiled
def list_all(table: Words, seat: int, own: Words, others: Words) -> int:  # noqa: ARG001 - as in every game
    """The features of a board to a seat, before a throw; nobody has a list of its own."""
    turn, other = int(table[0]), 1 - seat
    for row in range(4):
        word = int(table[1 + 2 * row])
        mine, his = word >> LANE * seat & LANE_MASK, word >> LANE * other & LANE_MASK
        far, his_far = length(mine), length(his)
        lock = word >> LOCK & 3
        holds = min((word >> (COUNT + 5 * seat) & 31) + (lock == seat + 1), 13)
        he_holds = min((word >> (COUNT + 5 * other) & 31) + (lock == other + 1), 13)
        at = row * ROW
        gap, leads = 0, 0
        if lock:
            own[5 * row] = at + LENGTHS + (lock != seat + 1)
        else:
            foremost = max(far, his_far)
            stacked = foremost > 0 and table[2 + 2 * row] >> HEIGHT * (foremost - 1) & 31 > 1
            own[5 * row] = at + (far * 12 + his_far) * 2 + stacked
            leads = int(far > his_far)
            gap = ((1 << foremost) - (1 << min(far, his_far))) & ~(mine | his)
        at += LENGTHS + 2
        own[5 * row + 1] = at + holds * 12 + min(far, 11)
        at += COUNTS
        own[5 * row + 2] = at + he_holds * 12 + min(his_far, 11)
        at += COUNTS
        own[5 * row + 3] = at + leads * 64 + (gap & 63)
        at += 128
        own[5 * row + 4] = at + leads * 32 + (gap >> 6 & 31)
    own[20] = FAILS_AT + (turn >> (FAILS + 3 * seat) & 7) * 5 + (turn >> (FAILS + 3 * other) & 7)
    own[21] = PLACED_AT + (turn >> (PLACED + 5 * seat) & 31)
    own[22] = PLACED_AT + 24 + (turn >> (PLACED + 5 * other) & 31)
    own[23] = TURN_AT + int(turn >> ACTIVE & 1 == seat)
    return 0


@compiled
def judge(board: Board, table: Words, seat: int, net: Weights, own: Words, others: Words, space: Weights) -> float:
    """The chance to win of a seat, and in space[0, 1] the points it will have, before a throw or at the end."""
    if table[0] & 3 == OVER:
        mine, his = total(board, table, seat), total(board, table, 1 - seat)
        space[0, 1] = mine
        if mine == his:
            return 0.5
        return 1.0 if mine > his else 0.0
    list_all(table, seat, own, others)
    forward(net, SHAPE, own, others, 0, space[3:], space[1], space[0])
    space[0, 1] *= POINTS
    return chance(space[0, 0])


@compiled
def rate(board: Board, table: Words, seat: int, net: Weights, own: Words, others: Words, space: Weights) -> float:
    """What a table is worth to a seat, to choose by; space[0] keeps chance and points."""
    win = judge(board, table, seat, net, own, others, space)
    space[0, 0] = win
    return win + BY_POINTS * space[0, 1]


@compiled
def weigh(board: Board, table: Words, seat: int, net: Weights, wins: Weights, points: Weights) -> int:
    """The chance and the points of every legal choice of a seat, by the move; the best move."""
    own, others = np.empty(LISTED, np.int64), np.empty((1, LISTED), np.int64)
    space = np.empty((9, 128), np.float32)
    after, later = np.empty_like(table), np.empty_like(table)
    moves, best, found = legal(board, table, seat), -1e9, 0
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        after[:] = table
        act(board, after, move)
        if after[0] & 3 == COLOUR:
            worth = -1e9
            then = moves_of_active(board, after)
            while then:
                later[:] = after
                act(board, later, lowest(then))
                then &= then - 1
                follow = rate(board, later, seat, net, own, others, space)
                if follow > worth:
                    worth, wins[move], points[move] = follow, space[0, 0], space[0, 1]
        else:
            worth = rate(board, after, seat, net, own, others, space)
            wins[move], points[move] = space[0, 0], space[0, 1]
        if worth > best:
            best, found = worth, move
    return found
