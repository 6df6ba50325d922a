"""The bots that play the duel compiled, and whole games between them."""

import numpy as np

from qwixx.games.duel.expert_kernel import weigh
from qwixx.games.duel.kernel import (
    ACTIVE,
    CHOSEN,
    CLOSED,
    COUNT,
    DICE,
    HEIGHT,
    LOCK,
    act,
    enter,
    legal,
    moves_of_active,
    reason,
    start,
    total,
)
from qwixx.games.kernel import (
    A_ROLL,
    CAPTURES,
    CLOSES,
    CLUB,
    COLOUR,
    EXPERT,
    FAILED,
    FORGOES,
    GREEDY,
    LANE,
    LANE_MASK,
    LEADS,
    MASTER,
    MOVES,
    NOVICE,
    OVER,
    OVERLOOKED,
    RAISES,
    RANDOM,
    ROLL,
    SKIPS,
    WHITE,
    Board,
    Weights,
    Words,
    any_of,
    compiled,
    count,
    dealt,
    length,
    lowest,
    luck,
    nth_of,
    unit,
)
from qwixx.games.look_kernel import nearly_best


@compiled
def _reach(board: Board, word: int, seat: int) -> int:
    """How many pieces a seat can come to in a row before its last number, stacks left aside."""
    own, both = word >> LANE * seat & LANE_MASK, (word | word >> LANE) & LANE_MASK
    free = (1 << board.last) - (1 << length(own)) & ~both if length(own) < board.last else 0
    return (word >> (COUNT + 5 * seat) & 31) + (word >> LOCK & 3 == seat + 1) + count(free)


@compiled
def _worth(board: Board, table: Words, move: int, weights: Weights, bot: int, scratch: Words) -> float:
    """What a move of the active seat does, weighed: a piece counts 1. `scratch` is left as the table after it."""
    scratch[:] = table
    if not move:
        failing = table[0] & 3 == COLOUR and table[0] >> CHOSEN & 63 == 1
        return float(weights[bot, FAILED]) if failing else 0.0
    seat, row, place = table[0] >> ACTIVE & 1, (move - 1) // LANE, (move - 1) % LANE
    word = int(table[1 + 2 * row])
    own, both = word >> LANE * seat & LANE_MASK, (word | word >> LANE) & LANE_MASK
    enter(board, scratch, move)
    worth = 1.0
    if place > length(own):
        worth += weights[bot, SKIPS] * count((1 << place) - (1 << length(own)) & ~both)
    if place == board.last:
        worth += weights[bot, CLOSES]
    if own >> place & 1:
        worth += weights[bot, RAISES] * ((table[2 + 2 * row] >> HEIGHT * place & 31) + 1)
    elif both >> place & 1:
        worth += weights[bot, CAPTURES]
    if place >= length(both):
        worth += weights[bot, LEADS]
    # The law tells two effects here, `forgoes` and `narrows`, which weigh the same.
    if _reach(board, scratch[1 + 2 * row], seat) < board.to_lock <= _reach(board, word, seat):
        worth += weights[bot, FORGOES]
    return worth


@compiled
def greediest(board: Board, table: Words, seat: int, weights: Weights, bot: int) -> int:
    """The moves worth most with the best that can follow in the same turn, as a set."""
    after, later = np.empty_like(table), np.empty_like(table)
    moves, best, found = legal(board, table, seat), -np.inf, 0
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        worth = _worth(board, table, move, weights, bot, after)
        if table[0] & 3 == WHITE:
            after[:] = table
            act(board, after, move)
            follow = -np.inf
            then = moves_of_active(board, after) if after[0] & 3 == COLOUR else 0
            while then:
                follow = max(follow, _worth(board, after, lowest(then), weights, bot, later))
                then &= then - 1
            if after[0] & 3 == COLOUR:
                worth += follow
        if worth > best:
            best, found = worth, 0
        if worth == best:
            found |= 1 << move
    return found


@compiled
def hasty(board: Board, table: Words, seat: int, weights: Weights, bot: int, fraction: int) -> int:
    """The choice of a novice: the best of one action by itself, if the white dice are not overlooked."""
    attention, after = unit(fraction) * OVERLOOKED, np.empty_like(table)
    if table[0] & 3 == WHITE and attention < 1.0:
        return 0
    moves, best, found = legal(board, table, seat), -np.inf, 0
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        worth = _worth(board, table, move, weights, bot, after)
        if worth > best:
            best, found = worth, 0
        if worth == best:
            found |= 1 << move
    return nth_of(found, int((attention - int(attention)) * count(found)))


@compiled
def trained(board: Board, table: Words, seat: int, style: int, net: Weights, fraction: int) -> int:
    """The choice of a bot with a net."""
    wins, points = np.empty(MOVES, np.float32), np.empty(MOVES, np.float32)
    found = weigh(board, table, seat, net, style == MASTER, wins, points)
    if style == CLUB:
        return nearly_best(2, legal(board, table, seat), wins, points, fraction)
    return found


@compiled
def decide(board: Board, table: Words, seat: int, styles: Words, weights: Weights, bot: int, fraction: int) -> int:
    """The choice of a compiled bot."""
    if styles[bot] == GREEDY:
        return any_of(greediest(board, table, seat, weights, bot), fraction)
    if styles[bot] == NOVICE:
        return hasty(board, table, seat, weights, bot, fraction)
    if styles[bot] >= EXPERT:
        return trained(board, table, seat, styles[bot], weights[bot], fraction)
    return any_of(legal(board, table, seat), fraction)


@compiled
def play_on(
    board: Board,
    table: Words,
    seed: int,
    deal: int,
    number: int,
    lineup: Words,
    styles: Words,
    weights: Weights,
    log: Words,
) -> tuple[int, int]:
    """Play a table to its end: the turns it took, and the events, of which the log holds as many as it can."""
    turns, events = 0, 0
    while table[0] & 3 != OVER:
        if table[0] & 3 == ROLL:
            dice = dealt(seed, deal, turns, board.faces, board.rows, table[0] >> CLOSED & 15)
            table[0] |= WHITE | dice << DICE
            turns += 1
            if events < len(log):
                log[events] = A_ROLL | dice
            events += 1
        seat = table[0] >> ACTIVE & 1
        chance = luck(seed, number, seat, 2 * turns + (table[0] & 3 == COLOUR))
        if styles[lineup[seat]] == RANDOM:
            move = any_of(moves_of_active(board, table), chance)
        else:
            move = decide(board, table, seat, styles, weights, lineup[seat], chance)
        if events < len(log):
            log[events] = seat << 6 | move
        events += 1
        act(board, table, move)
    return turns, events


@compiled
def play(
    board: Board,
    seed: int,
    games: Words,
    lineups: Words,
    styles: Words,
    weights: Weights,
    results: Words,
    logs: Words,
) -> None:
    """A batch: of each game its deal, number and first seat; totals, turns, reason and events come back."""
    players = lineups.shape[1]
    table = np.zeros(9, np.int64)
    for game in range(len(games)):
        start(table, games[game, 2])
        turns, events = play_on(
            board, table, seed, games[game, 0], games[game, 1], lineups[game], styles, weights, logs[game]
        )
        for seat in range(players):
            results[game, seat] = total(board, table, seat)
        results[game, players] = turns
        results[game, players + 1] = reason(board, table)
        results[game, players + 2] = events
