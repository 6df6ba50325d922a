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
    FAILS,
    colour_action,
    legal,
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
    length,
    lowest,
)
from qwixx.games.net import BY_POINTS, POINTS, Shape
from qwixx.games.net_kernel import chance, forward

SHAPE: Final = Shape(FEATURES, FEATURES, 64, 64, 32)
PRACTICE_SHAPE: Final = Shape(FEATURES, 0, 64, 0, 32)
_NEVER: Final = -1.0


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
def list_all(table: Words, seat: int, own: Words, others: Words) -> int:
    """The features of a position to a seat: its own list, and one for each other; how many others there are."""
    players = len(table) - 1
    list_features(table, seat, own)
    for other in range(1, players):
        list_features(table, (seat + other) % players, others[other - 1])
    return players - 1


@compiled
def judge(board: Board, table: Words, seat: int, net: Weights, own: Words, others: Words, space: Weights) -> float:
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
    seats = list_all(table, seat, own, others)
    if players == 1:
        forward(net, PRACTICE_SHAPE, own, others, seats, space[3:], space[1], space[0])
        space[0, 1] *= POINTS
        return 1.0
    forward(net, SHAPE, own, others, seats, space[3:], space[1], space[0])
    space[0, 1] *= POINTS
    return chance(space[0, 0])


@compiled
def rate(board: Board, table: Words, seat: int, net: Weights, own: Words, others: Words, space: Weights) -> float:
    """What a table is worth to a seat, to choose by; space[0] keeps chance and points."""
    win = judge(board, table, seat, net, own, others, space)
    space[0, 0] = win
    return win + BY_POINTS * space[0, 1]


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
    board: Board, table: Words, after: Words, net: Weights, own: Words, others: Words, space: Weights
) -> tuple[int, float, float, float]:
    """The best colour action of the active seat: the move, its worth, chance and points."""
    active = table[0] >> ACTIVE & 7
    moves, best, found, win, points = legal(board, table, active), _NEVER * 1e9, 0, 0.0, 0.0
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        after[:] = table
        colour_action(board, after, move)
        worth = rate(board, after, active, net, own, others, space)
        if worth > best:
            best, found, win, points = worth, move, space[0, 0], space[0, 1]
    return found, best, win, points


@compiled
def suppose(
    board: Board, table: Words, seat: int, net: Weights, choices: Words, work: Words, own: Words, others: Words,
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
        moves, best = legal(board, open_table, other), _NEVER * 1e9
        while moves:
            move = lowest(moves)
            moves &= moves - 1
            alone[other] = move
            _after_white(board, open_table, alone, work[0])
            then = 0
            if work[0, 0] & 3 == COLOUR and other == active:
                then, worth, _, _ = _best_colour(board, work[0], work[1], net, own, others, space)
            else:
                if work[0, 0] & 3 == COLOUR:
                    _turn_over(work[0])
                worth = rate(board, work[0], other, net, own, others, space)
            if worth > best:
                best, choices[other] = worth, move
                if other == active:
                    colour = then
        alone[other] = 0
    return colour


@compiled
def weigh(board: Board, table: Words, seat: int, net: Weights, wins: Weights, points: Weights) -> int:
    """The chance and the points of every legal choice of a seat, by the move; the best move."""
    players = len(table) - 1
    own, others = np.empty(LISTED, np.int64), np.empty((4, LISTED), np.int64)
    space = np.empty((9, 128), np.float32)
    work, choices = np.empty((3, players + 1), np.int64), np.zeros(players, np.int64)
    moves, best, found = legal(board, table, seat), _NEVER * 1e9, 0
    if table[0] & 3 == COLOUR:
        while moves:
            move = lowest(moves)
            moves &= moves - 1
            work[0] = table
            colour_action(board, work[0], move)
            worth = rate(board, work[0], seat, net, own, others, space)
            wins[move], points[move] = space[0, 0], space[0, 1]
            if worth > best:
                best, found = worth, move
        return found
    active = table[0] >> ACTIVE & 7
    colour = suppose(board, table, seat, net, choices, work, own, others, space)
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        choices[seat] = move
        _after_white(board, table, choices, work[0])
        if work[0, 0] & 3 == COLOUR:
            if active == seat:
                _, worth, win, gained = _best_colour(board, work[0], work[1], net, own, others, space)
                space[0, 0], space[0, 1] = win, gained
            else:
                colour_action(board, work[0], colour if legal(board, work[0], active) >> colour & 1 else 0)
                worth = rate(board, work[0], seat, net, own, others, space)
        else:
            worth = rate(board, work[0], seat, net, own, others, space)
        wins[move], points[move] = space[0, 0], space[0, 1]
        if worth > best:
            best, found = worth, move
    return found
