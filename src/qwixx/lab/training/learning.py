"""Learning, compiled: games of self-play that leave positions with what came of them,
and steps down the slope."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qwixx.compiled.chance import LUCK_STREAM, ORDER_STREAM, dealt, draw, order, share, stream
from qwixx.compiled.contract import acting, active, closed, phase, roll, start, together
from qwixx.compiled.jit import compiled, compiled_fast
from qwixx.compiled.judging import NEVER, final, judge
from qwixx.compiled.net import Weights, new_mind
from qwixx.compiled.playing import decide, liking, new_room
from qwixx.compiled.printed import OVER, ROLL
from qwixx.compiled.words import Words, lowest
from qwixx.core.nets import HEADS, POINTS, Shape
from qwixx.core.values import POINT, WIN
from qwixx.lab.training.floats import WIDEST, Floats, backward, chance, forward, new_space

LONGEST: Final = 400  # turns of a game that are learnt from
LEARNER, RIVAL, PLAIN, ANY = range(4)  # who plays, a row each
_OTHER_THROWS: Final = 1 << 12  # draws between two throws of the same turn


@compiled
def record(
    board: Any,
    width: int,
    seed: int,
    numbers: Words,
    lineups: Words,
    openings: Words,
    lucky: Words,
    minds: Words,
    nets: Weights,
    sizes: Words,
    fade: float,
    seen: NDArray[np.int16],
    others: NDArray[np.int8],
    targets: Floats,
) -> int:
    """Play games and keep what a learner saw between two turns, and what came of it;
    how many positions that is. In its opening each throw of a game is the luckiest of so many."""
    players, at_hand = lineups.shape[1], 0
    table, room, choices = (
        np.zeros(width, np.int64),
        new_room(width),
        np.zeros(lineups.shape[1], np.int64),
    )
    kept_lists = np.zeros((LONGEST + 1, players, 1 + sizes[0], sizes[1]), np.int64)
    judged = np.zeros((LONGEST + 1, players, 2))
    for game in range(len(numbers)):
        number = numbers[game]
        start(board, table, order(seed, number, 0, players))
        turn, kept = 0, 0
        while phase(board, table) != OVER:
            if phase(board, table) == ROLL:
                if turn >= openings[game] and kept < LONGEST:
                    for seat in range(players):
                        who = lineups[game, seat]
                        mind = new_mind(minds[who], nets[who], sizes[0], sizes[1])
                        win, points = judge(board, table, seat, mind)
                        judged[kept, seat, 0], judged[kept, seat, 1] = win / WIN, points / POINT
                        kept_lists[kept, seat] = mind.lists[: 1 + sizes[0]]
                    kept += 1
                throws = lucky[game] if turn < openings[game] else 1
                roll(board, table, luckiest(board, table, seed, number, turn, throws, minds, room))
                turn += 1
            plain = 0 if turn > openings[game] else 1 if lucky[game] > 1 else 2
            where = board, table, seed, number, turn
            choose(*where, plain, lineups[game], minds, nets, sizes, room, choices)
            together(board, table, choices)
        for seat in range(players):
            own_win, own_points = final(board, table, seat)
            judged[kept, seat, 0], judged[kept, seat, 1] = own_win / WIN, own_points / POINT
            if lineups[game, seat] != LEARNER:
                continue
            target, score = judged[kept, seat]
            for moment in range(kept - 1, -1, -1):
                if moment < kept - 1:
                    target = fade * target + (1.0 - fade) * judged[moment + 1, seat, 0]
                    score = fade * score + (1.0 - fade) * judged[moment + 1, seat, 1]
                if at_hand == len(seen):
                    return at_hand
                seen[at_hand] = kept_lists[moment, seat]
                others[at_hand] = _others(kept_lists[moment, seat])
                targets[at_hand, 0], targets[at_hand, 1] = target, score / POINTS
                at_hand += 1
    return at_hand


@compiled
def choose(
    board: Any,
    table: Words,
    seed: int,
    number: int,
    turn: int,
    plain: int,
    lineup: Words,
    minds: Words,
    nets: Weights,
    sizes: Words,
    room: Words,
    choices: Words,
) -> None:
    """What everybody who is to act chooses; in an opening by the first plain bot, or by either of
    two, instead of by those who sit there."""
    left = acting(board, table)
    while left:
        seat = lowest(left)
        left &= left - 1
        luck = draw(stream(seed, LUCK_STREAM, number, seat), turn * 4 + phase(board, table))
        who = lineup[seat]
        if plain:
            who = PLAIN + share(draw(stream(seed, ORDER_STREAM, number, seat), turn), plain)
        choices[seat] = decide(board, table, seat, minds, nets, sizes, who, luck, room)


@compiled
def luckiest(
    board: Any,
    table: Words,
    seed: int,
    number: int,
    turn: int,
    throws: int,
    minds: Words,
    room: Words,
) -> int:
    """Of so many throws the one that the plain bot likes best. Where that is done for some turns,
    rows become long and are closed early."""
    best, found, thrown = NEVER, 0, table.copy()
    for one in range(throws):
        drawn = turn + one * _OTHER_THROWS
        dice = dealt(seed, number, drawn, board.faces, board.rows, closed(board, table))
        if throws == 1:
            return dice
        thrown[:] = table
        roll(board, thrown, dice)
        worth = liking(board, thrown, active(board, table), minds, PLAIN, room)
        if worth > best:
            best, found = worth, dice
    return found


@compiled
def _others(lists: Words) -> int:
    """How many lists of others are there; those that are not begin with -1."""
    found = 0
    for other in range(1, len(lists)):
        found += int(lists[other, 0] >= 0)
    return found


@compiled_fast
def slope(
    net: Floats,
    shape: Shape,
    which: Words,
    seen: Words,
    seats: Words,
    targets: Floats,
    by_points: float,
    slopes: Floats,
) -> float:
    """Add the slopes of these positions; the loss of their chances to win comes back."""
    room, listed = seen.shape[1:]
    lists, space = np.empty((room, listed), np.int64), new_space(room - 1)
    errors, back = np.empty(HEADS, np.float32), np.empty((4, WIDEST), np.float32)
    lost = 0.0
    for sample in which:
        lists[:] = seen[sample]
        forward(net, shape, lists, seats[sample], space)
        errors[0] = chance(space[0, 0]) - targets[sample, 0]
        errors[1] = by_points * (space[0, 1] - targets[sample, 1])
        lost += errors[0] ** 2
        backward(net, shape, lists, seats[sample], space, errors, back, slopes)
    return lost


@compiled_fast
def step(
    net: Floats, slopes: Floats, mean: Floats, square: Floats, scale: float, rate: float, time: int
) -> None:
    """One step of Adam; the slopes are used up."""
    rate *= np.sqrt(1.0 - 0.999**time) / (1.0 - 0.9**time)
    for place in range(len(net)):
        found = np.float32(slopes[place] * scale)
        slopes[place] = np.float32(0.0)
        mean[place] += np.float32(0.1) * (found - mean[place])
        square[place] += np.float32(0.001) * (found * found - square[place])
        net[place] -= np.float32(rate) * mean[place] / (np.sqrt(square[place]) + np.float32(1e-8))
