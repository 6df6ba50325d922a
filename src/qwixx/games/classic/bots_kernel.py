"""The bots that play Qwixx compiled, and whole games between them."""

import numpy as np

from qwixx.games.classic.expert_kernel import weigh
from qwixx.games.classic.kernel import (
    ACTIVE,
    CHOSEN,
    CLOSED,
    DICE,
    DICE_MASK,
    ENOUGH,
    closing,
    colour_action,
    crossed,
    legal,
    open_fields,
    reason,
    start,
    total,
    white_action,
)
from qwixx.games.kernel import (
    A_ROLL,
    CLOSES,
    CLUB,
    EXPERT,
    FAILED,
    FORGOES,
    GREEDY,
    LANE,
    LANE_MASK,
    MASTER,
    MOVES,
    NOVICE,
    OVER,
    OVERLOOKED,
    RANDOM,
    ROLL,
    SKIPS,
    WHITE,
    Board,
    Weights,
    Words,
    any_of,
    colour_fields,
    compiled,
    count,
    dealt,
    length,
    lowest,
    luck,
    nth_of,
    unit,
    white_fields,
)
from qwixx.games.look_kernel import nearly_best


@compiled
def _lockable(board: Board, marks: int) -> bool:
    return count(marks) + board.last - length(marks) >= board.to_lock


@compiled
def _worth(board: Board, sheet: int, failing: bool, move: int, weights: Weights, bot: int) -> float:
    """What a move does, weighed: a cross counts 1."""
    if not move:
        return float(weights[bot, FAILED]) if failing else 0.0
    row, place = (move - 1) // LANE, (move - 1) % LANE
    marks = sheet >> LANE * row & LANE_MASK
    worth = 1.0 + float(weights[bot, SKIPS]) * (place - length(marks))
    if place == board.last:
        worth += weights[bot, CLOSES]
    if _lockable(board, marks) and not _lockable(board, marks | 1 << place):
        worth += weights[bot, FORGOES]
    return worth


@compiled
def _best_worth(
    board: Board, sheet: int, closed: int, dice: int, failing: bool, weights: Weights, bot: int
) -> float:
    """The most that the colour action can be worth."""
    moves = 1 | (open_fields(board, sheet, closed) & colour_fields(board, dice)) << 1
    best = -np.inf
    while moves:
        best = max(best, _worth(board, sheet, failing, lowest(moves), weights, bot))
        moves &= moves - 1
    return best


@compiled
def greediest(board: Board, table: Words, seat: int, weights: Weights, bot: int) -> int:
    """The moves worth most with the best that can follow in the same turn, as a set."""
    turn, sheet = int(table[0]), int(table[1 + seat])
    closed, dice, active = turn >> CLOSED & 15, turn >> DICE & DICE_MASK, turn >> ACTIVE & 7
    in_white = turn & 3 == WHITE
    failing = not in_white and turn >> (CHOSEN + 6 * seat) & 63 == 1
    moves, best, found = legal(board, table, seat), -np.inf, 0
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        worth = _worth(board, sheet, failing, move, weights, bot)
        shut = closed | (closing(board, move) if move else 0)
        if in_white and seat == active and count(shut) < ENOUGH:
            after = crossed(board, sheet, move) if move else sheet
            worth += _best_worth(board, after, shut, dice, move == 0, weights, bot)
        if worth > best:
            best, found = worth, 0
        if worth == best:
            found |= 1 << move
    return found


@compiled
def hasty(board: Board, table: Words, seat: int, weights: Weights, bot: int, fraction: int) -> int:
    """The choice of a novice: the best of one action by itself, if the white dice are not overlooked."""
    turn, sheet = int(table[0]), int(table[1 + seat])
    attention = unit(fraction) * OVERLOOKED
    if turn & 3 == WHITE and attention < 1.0:
        return 0
    failing = turn & 3 != WHITE and turn >> (CHOSEN + 6 * seat) & 63 == 1
    moves, best, found = legal(board, table, seat), -np.inf, 0
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        worth = _worth(board, sheet, failing, move, weights, bot)
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
        return nearly_best(len(table) - 1, legal(board, table, seat), wins, points, fraction)
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
    players = len(table) - 1
    turns, events = 0, 0
    while table[0] & 3 != OVER:
        if table[0] & 3 == ROLL:
            dice = dealt(seed, deal, turns, board.faces, board.rows, table[0] >> CLOSED & 15)
            table[0] |= WHITE | dice << DICE
            turns += 1
            if events < len(log):
                log[events] = A_ROLL | dice
            events += 1
        turn, chosen = int(table[0]), 0
        active, closed, dice = turn >> ACTIVE & 7, turn >> CLOSED & 15, turn >> DICE & DICE_MASK
        if turn & 3 == WHITE:
            offered = white_fields(board, dice)
            for seat in range(players):
                if turn >> (CHOSEN + 6 * seat) & 63:
                    continue
                chance = luck(seed, number, seat, 2 * turns)
                if styles[lineup[seat]] == RANDOM:
                    move = any_of(1 | (open_fields(board, table[1 + seat], closed) & offered) << 1, chance)
                else:
                    move = decide(board, table, seat, styles, weights, lineup[seat], chance)
                chosen |= (move + 1) << (CHOSEN + 6 * seat)
                if events < len(log):
                    log[events] = seat << 6 | move
                events += 1
            table[0] |= chosen
            white_action(board, table)
        else:
            chance = luck(seed, number, active, 2 * turns + 1)
            if styles[lineup[active]] == RANDOM:
                offered = colour_fields(board, dice)
                move = any_of(1 | (open_fields(board, table[1 + active], closed) & offered) << 1, chance)
            else:
                move = decide(board, table, active, styles, weights, lineup[active], chance)
            if events < len(log):
                log[events] = active << 6 | move
            events += 1
            colour_action(board, table, move)
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
    table = np.zeros(1 + players, np.int64)
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
