"""Learning, compiled: games of self-play that leave positions with what came of them, and steps down the slope."""

from functools import cache
from typing import Any, Final

import numba
import numpy as np

from qwixx import games
from qwixx.games.kernel import (
    LUCK_STREAM,
    ORDER_STREAM,
    OVER,
    ROLL,
    Board,
    Weights,
    Words,
    compiled_fast,
    dealt,
    draw,
    order,
    share,
    stream,
)
from qwixx.games.net import HEADS, POINTS, Shape
from qwixx.games.net_kernel import backward, forward

LONGEST: Final = 400  # turns of a game that are learnt from
MOST_SEATS: Final = 5
LEARNER, RIVAL, PLAIN, ANY = range(4)  # the rows of the weights: who plays


@cache
def recorder(game_id: str) -> Any:
    """The function that plays a game id's games and records what a learner saw."""
    kernel, bots, expert = (games.kernel_of(game_id, part) for part in ("kernel", "bots_kernel", "expert_kernel"))
    start, roll, to_act, choose = kernel.start, kernel.roll, kernel.to_act, kernel.choose
    decide, list_all, judge, listed = bots.decide, expert.list_all, expert.judge, expert.LISTED
    closed_rows, width = kernel.closed_rows, kernel.words
    sizes = tuple(width(players) for players in range(MOST_SEATS + 1))

    @numba.njit(nogil=True, error_model="numpy")  # type: ignore[misc]  # numba carries no types
    def record(
        board: Board,
        seed: int,
        numbers: Words,
        players: int,
        lineups: Words,
        openings: Words,
        styles: Words,
        weights: Weights,
        fade: float,
        own: Words,
        others: Words,
        seats: Words,
        targets: Weights,
    ) -> int:
        table = np.zeros(sizes[players], np.int64)
        kept_own = np.zeros((LONGEST + 1, players, own.shape[1]), np.int64)
        kept_others = np.zeros((LONGEST + 1, players, others.shape[1], others.shape[2]), np.int64)
        judged = np.zeros((LONGEST + 1, players, 2))
        at_hand = 0
        space = np.empty((9, 128), np.float32)
        aside = np.zeros(listed, np.int64)
        asides = np.zeros((others.shape[1], listed), np.int64)
        for game in range(len(numbers)):
            number = numbers[game]
            start(table, order(seed, number, 0, players))
            turn, kept, rivals = 0, 0, 0
            while table[0] & 3 != OVER:
                if table[0] & 3 == ROLL:
                    if turn >= openings[game] and kept < LONGEST:
                        for seat in range(players):
                            rivals = list_all(table, seat, kept_own[kept, seat], kept_others[kept, seat])
                            judged[kept, seat, 0] = judge(
                                board, table, seat, weights[lineups[game, seat]], aside, asides, space
                            )
                            judged[kept, seat, 1] = space[0, 1]
                        kept += 1
                    roll(table, dealt(seed, number, turn, board.faces, board.rows, closed_rows(table)))
                    turn += 1
                for seat in range(players):
                    if to_act(table, seat):
                        luck = draw(stream(seed, LUCK_STREAM, number, seat), turn * 4 + (table[0] & 3))
                        who = lineups[game, seat]
                        if turn <= openings[game]:
                            who = PLAIN + share(draw(stream(seed, ORDER_STREAM, number, seat), turn), 2)
                        choose(board, table, seat, decide(board, table, seat, styles, weights, who, luck))
            for seat in range(players):
                judged[kept, seat, 0] = judge(board, table, seat, weights[0], aside, asides, space)
                judged[kept, seat, 1] = space[0, 1]
                win, points = judged[kept, seat]
                if lineups[game, seat] != LEARNER:
                    continue
                for moment in range(kept - 1, -1, -1):
                    if moment < kept - 1:
                        win = fade * win + (1.0 - fade) * judged[moment + 1, seat, 0]
                        points = fade * points + (1.0 - fade) * judged[moment + 1, seat, 1]
                    if at_hand == len(own):
                        return at_hand
                    own[at_hand] = kept_own[moment, seat]
                    others[at_hand] = kept_others[moment, seat]
                    seats[at_hand] = rivals
                    targets[at_hand, 0], targets[at_hand, 1] = win, points / POINTS
                    at_hand += 1
        return at_hand

    return record


@compiled_fast
def slope(
    net: Weights,
    shape: Shape,
    which: Words,
    own: Words,
    others: Words,
    seats: Words,
    targets: Weights,
    by_points: float,
    slopes: Weights,
) -> float:
    """Add the slopes of these positions; the loss of their chances to win comes back."""
    units, hidden = np.empty((2 + MOST_SEATS, 128), np.float32), np.empty(128, np.float32)
    heads, errors = np.empty(HEADS, np.float32), np.empty(HEADS, np.float32)
    back = np.empty((4, 128), np.float32)
    lost = 0.0
    for sample in which:
        forward(net, shape, own[sample], others[sample], seats[sample], units, hidden, heads)
        win = 1.0 / (1.0 + np.exp(-heads[0]))
        errors[0] = win - targets[sample, 0]
        errors[1] = by_points * (heads[1] - targets[sample, 1])
        lost += errors[0] ** 2
        backward(net, shape, own[sample], others[sample], seats[sample], units, hidden, errors, back, slopes)
    return lost


@compiled_fast
def step(net: Weights, slopes: Weights, mean: Weights, square: Weights, scale: float, rate: float, time: int) -> None:
    """One step of Adam; the slopes are used up."""
    rate *= np.sqrt(1.0 - 0.999**time) / (1.0 - 0.9**time)
    for place in range(len(net)):
        found = np.float32(slopes[place] * scale)
        slopes[place] = np.float32(0.0)
        mean[place] += np.float32(0.1) * (found - mean[place])
        square[place] += np.float32(0.001) * (found * found - square[place])
        net[place] -= np.float32(rate) * mean[place] / (np.sqrt(square[place]) + np.float32(1e-8))
