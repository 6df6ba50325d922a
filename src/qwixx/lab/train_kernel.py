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
from qwixx.games.net_kernel import WIDEST, backward, chance, forward, new_lists, new_space

LONGEST: Final = 400  # turns of a game that are learnt from
MOST_SEATS: Final = 5
LEARNER, RIVAL, PLAIN, ANY = range(4)  # the rows of the weights: who plays


@cache
def recorder(game_id: str) -> Any:
    """The function that plays a game id's games and records what a learner saw."""
    kernel, bots, expert = (games.kernel_of(game_id, part) for part in ("kernel", "bots_kernel", "expert_kernel"))
    start, roll, to_act, choose = kernel.start, kernel.roll, kernel.to_act, kernel.choose
    decide, list_all, judge, listed = bots.decide, expert.list_all, expert.judge, expert.LISTED
    others = expert.OTHERS
    closed_rows, width = kernel.closed_rows, kernel.words
    sizes = tuple(width(players) for players in range(MOST_SEATS + 1))

    @numba.njit(nogil=True, error_model="numpy")  # type: ignore[untyped-decorator]  # numba carries no types
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
        seen: Words,
        seats: Words,
        targets: Weights,
    ) -> int:
        table = np.zeros(sizes[players], np.int64)
        kept_lists = np.zeros((LONGEST + 1, players, 1 + others, listed), np.int64)
        judged = np.zeros((LONGEST + 1, players, 2))
        at_hand = 0
        space = new_space(others)
        for game in range(len(numbers)):
            number = numbers[game]
            start(table, order(seed, number, 0, players))
            turn, kept, rivals = 0, 0, 0
            while table[0] & 3 != OVER:
                if table[0] & 3 == ROLL:
                    if turn >= openings[game] and kept < LONGEST:
                        for seat in range(players):
                            lists = new_lists(others, listed)
                            rivals = list_all(table, seat, lists)
                            kept_lists[kept, seat] = lists[: 1 + others]
                            judged[kept, seat, 0] = judge(
                                board, table, seat, weights[lineups[game, seat]], lists, space
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
                judged[kept, seat, 0] = judge(board, table, seat, weights[0], new_lists(others, listed), space)
                judged[kept, seat, 1] = space[0, 1]
                win, points = judged[kept, seat]
                if lineups[game, seat] != LEARNER:
                    continue
                for moment in range(kept - 1, -1, -1):
                    if moment < kept - 1:
                        win = fade * win + (1.0 - fade) * judged[moment + 1, seat, 0]
                        points = fade * points + (1.0 - fade) * judged[moment + 1, seat, 1]
                    if at_hand == len(seen):
                        return at_hand
                    seen[at_hand] = kept_lists[moment, seat]
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
    seen: Words,
    seats: Words,
    targets: Weights,
    by_points: float,
    slopes: Weights,
) -> float:
    """Add the slopes of these positions; the loss of their chances to win comes back."""
    room, listed = seen.shape[1:]
    lists, space = new_lists(room - 1, listed), new_space(room - 1)
    errors, back = np.empty(HEADS, np.float32), np.empty((4, WIDEST), np.float32)
    lost = 0.0
    for sample in which:
        lists[:room] = seen[sample]
        lists[room:] = -1
        forward(net, shape, lists, seats[sample], space)
        errors[0] = chance(space[0, 0]) - targets[sample, 0]
        errors[1] = by_points * (space[0, 1] - targets[sample, 1])
        lost += errors[0] ** 2
        backward(net, shape, lists, seats[sample], space, errors, back, slopes)
    return lost


@compiled_fast
def step(
    net: Weights, slopes: Weights, mean: Weights, square: Weights, scale: float, rate: float, time: int
) -> None:
    """One step of Adam; the slopes are used up."""
    rate *= np.sqrt(1.0 - 0.999**time) / (1.0 - 0.9**time)
    for place in range(len(net)):
        found = np.float32(slopes[place] * scale)
        slopes[place] = np.float32(0.0)
        mean[place] += np.float32(0.1) * (found - mean[place])
        square[place] += np.float32(0.001) * (found * found - square[place])
        net[place] -= np.float32(rate) * mean[place] / (np.sqrt(square[place]) + np.float32(1e-8))
