"""Bots that play compiled, and whole games between them.

A bot is a row of numbers (what it is like, what it thinks of effects, the sizes and biases of its
net) and a row of weights of its net, if it has one. Effects are weighed in parts of CROSS, so all
is whole numbers here too.
"""

from typing import Any, Final

import numpy as np

from qwixx.compiled.chance import DICE_STREAM, LUCK_STREAM, any_of, draw, stream, thrown, unit
from qwixx.compiled.contract import (
    acting,
    active,
    closed,
    effects,
    legal,
    phase,
    reason,
    roll,
    seats,
    start,
    together,
    total,
)
from qwixx.compiled.jit import compiled, inlined, merged
from qwixx.compiled.judging import NEVER
from qwixx.compiled.net import Weights, faded, new_mind
from qwixx.compiled.printed import A_ROLL, COLOUR, MOVES, OVER, ROLL, WHITE
from qwixx.compiled.thinking import HASTE, OVERLOOKED, STYLE, WORTHS, ponder
from qwixx.compiled.words import Words, count, lowest, nth_of
from qwixx.core.values import ODDS_BITS

RANDOM, NOVICE, GREEDY, TRAINED = range(4)
CROSS: Final = 1024
# Rows of the room that a game is played in.
_AFTER, _TRIED, _CHOICES, _KEYS, _STYLES, _ROOM = range(6)


@compiled
def new_room(width: int) -> Words:
    """Room for the play of tables of so many words."""
    return np.zeros((_ROOM, width), np.int64)


@inlined
def _worth(board: Any, table: Words, seat: int, move: int, minds: Words, bot: int) -> int:
    """What a move does, weighed: a cross or a piece counts CROSS."""
    skips, closes, captures, raises, leads, forgoes, narrows, failed = effects(
        board, table, seat, move
    )
    return int(
        (CROSS if move else 0)
        + minds[bot, WORTHS] * skips
        + minds[bot, WORTHS + 1] * closes
        + minds[bot, WORTHS + 2] * captures
        + minds[bot, WORTHS + 3] * raises
        + minds[bot, WORTHS + 4] * leads
        + minds[bot, WORTHS + 5] * forgoes
        + minds[bot, WORTHS + 6] * narrows
        + minds[bot, WORTHS + 7] * failed
    )


@inlined
def _best_worth(board: Any, table: Words, seat: int, minds: Words, bot: int) -> int:
    """The most that the choice to make can be worth."""
    moves, best = legal(board, table, seat), NEVER
    while moves:
        best = max(best, _worth(board, table, seat, lowest(moves), minds, bot))
        moves &= moves - 1
    return best


@inlined
def greediest(
    board: Any, table: Words, seat: int, minds: Words, bot: int, both: bool, room: Words
) -> int:
    """The moves worth most, as a set;
    with the best that can follow in the same turn, if both are weighed."""
    both = both and phase(board, table) == WHITE and active(board, table) == seat
    after, choices = room[_AFTER], room[_TRIED]
    choices[:] = 0
    moves, best, found = legal(board, table, seat), NEVER, 0
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        worth = _worth(board, table, seat, move, minds, bot)
        if both:
            choices[seat] = move
            after[:] = table
            together(board, after, choices)
            if phase(board, after) == COLOUR:
                worth += _best_worth(board, after, seat, minds, bot)
        if worth > best:
            best, found = worth, 0
        if worth == best:
            found |= 1 << move
    return found


@compiled
def liking(board: Any, table: Words, seat: int, minds: Words, bot: int, room: Words) -> int:
    """How well a bot likes a throw: what the best it can do with it is worth, both actions
    together."""
    move = lowest(greediest(board, table, seat, minds, bot, True, room))
    after, choices = room[_AFTER], room[_TRIED]
    worth = _worth(board, table, seat, move, minds, bot)
    choices[:] = 0
    choices[seat] = move
    after[:] = table
    together(board, after, choices)
    if phase(board, after) == COLOUR and active(board, after) == seat:
        worth += _best_worth(board, after, seat, minds, bot)
    return worth


@inlined
def hasty(
    board: Any, table: Words, seat: int, minds: Words, bot: int, fraction: int, room: Words
) -> int:
    """The choice of a novice: the best of one action by itself,
    if the white dice are not overlooked."""
    attention = unit(fraction) * minds[bot, OVERLOOKED]
    if phase(board, table) == WHITE and attention < 1.0:
        return 0
    found = greediest(board, table, seat, minds, bot, False, room)
    return nth_of(found, int((attention - int(attention)) * count(found)))


@compiled
def nearly_best(moves: int, wins: Words, points: Words, haste: int, fraction: int) -> int:
    """A move of a bot in a hurry: the better, the likelier."""
    best, whole, left = NEVER, 0, moves
    while left:
        move = lowest(left)
        left &= left - 1
        best = max(best, wins[move] + points[move])
    left = moves
    while left:
        move = lowest(left)
        left &= left - 1
        whole += likelihood(best - wins[move] - points[move], haste)
    drawn, move = unit(fraction) * whole, 0
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        drawn -= likelihood(best - wins[move] - points[move], haste)
        if drawn < 0.0:
            return move
    return move


@compiled
def likelihood(worse: int, haste: int) -> int:
    """As in core/values.py."""
    return faded((worse << ODDS_BITS) // haste)


@compiled
def decide(
    board: Any,
    table: Words,
    seat: int,
    minds: Words,
    nets: Weights,
    sizes: Words,
    bot: int,
    fraction: int,
    room: Words,
) -> int:
    """The choice of a compiled bot; sizes are those of the lists of features."""
    style = minds[bot, STYLE]
    if style == GREEDY:
        return any_of(greediest(board, table, seat, minds, bot, True, room), fraction)
    if style == NOVICE:
        return hasty(board, table, seat, minds, bot, fraction, room)
    if style == RANDOM:
        return any_of(legal(board, table, seat), fraction)
    mind = new_mind(minds[bot], nets[bot], sizes[0], sizes[1])
    wins, points = np.empty(MOVES, np.int64), np.empty(MOVES, np.int64)
    found = ponder(board, table, seat, mind, wins, points, fraction)
    if minds[bot, HASTE]:
        return nearly_best(legal(board, table, seat), wins, points, minds[bot, HASTE], fraction)
    return found


@merged
def play_on(
    board: Any,
    table: Words,
    seed: int,
    deal: int,
    number: int,
    lineup: Words,
    minds: Words,
    nets: Weights,
    sizes: Words,
    room: Words,
    log: Words,
) -> tuple[int, int]:
    """Play a table to its end: the turns it took, and the events,
    of which the log holds as many as it can.

    No choice may be sealed on it yet: an action is played whole.
    """
    players, turns, events = seats(board, table), 0, 0
    choices, keys, styles = room[_CHOICES], room[_KEYS], room[_STYLES]
    for seat in range(players):
        keys[seat] = np.int64(stream(seed, LUCK_STREAM, number, seat))
        styles[seat] = minds[lineup[seat], STYLE]
    key = stream(seed, DICE_STREAM, deal, 0)
    while phase(board, table) != OVER:
        if phase(board, table) == ROLL:
            dice = thrown(key, turns, board.faces, board.rows, closed(board, table))
            roll(board, table, dice)
            turns += 1
            if events < len(log):
                log[events] = A_ROLL | dice
            events += 1
        decision = 2 * turns + int(phase(board, table) == COLOUR)
        left = acting(board, table)
        while left:
            seat = lowest(left)
            left &= left - 1
            fraction = draw(np.uint64(keys[seat]), decision)
            if styles[seat] == RANDOM:
                move = any_of(legal(board, table, seat), fraction)
            else:
                move = decide(board, table, seat, minds, nets, sizes, lineup[seat], fraction, room)
            choices[seat] = move
            if events < len(log):
                log[events] = seat << 6 | move
            events += 1
        together(board, table, choices)
    return turns, events


@compiled
def play(
    board: Any,
    width: int,
    seed: int,
    games: Words,
    lineups: Words,
    minds: Words,
    nets: Weights,
    sizes: Words,
    results: Words,
    logs: Words,
) -> None:
    """A batch: of each game its deal, number and first seat;
    totals, turns, reason and events come back.

    A table takes so many words; sizes are those of the lists of features.
    """
    players = lineups.shape[1]
    table, room = np.zeros(width, np.int64), new_room(width)
    for game in range(len(games)):
        start(board, table, games[game, 2])
        turns, events = play_on(
            board,
            table,
            seed,
            games[game, 0],
            games[game, 1],
            lineups[game],
            minds,
            nets,
            sizes,
            room,
            logs[game],
        )
        for seat in range(players):
            results[game, seat] = total(board, table, seat)
        results[game, players] = turns
        results[game, players + 1] = reason(board, table)
        results[game, players + 2] = events
