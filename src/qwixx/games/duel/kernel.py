"""Qwixx Duel as compiled batch play on packed integers, proved equal to the law, which is right where they differ.

A table is nine words. The first is the turn: phase, active seat, closed rows, dice, the white choice, failed throws
and pieces placed of each seat. Then two words a row: who stands where, how many pieces each has there and whose the
lock is; and the height of the stack on each place.
"""

from typing import Final

import numpy as np

from qwixx.core.game import PHASES
from qwixx.games import family
from qwixx.games.duel.rules import Duel
from qwixx.games.duel.state import DuelState, Row, owner, placed, read, stack
from qwixx.games.kernel import (
    A_ROLL,
    BY_FAILED,
    BY_PIECES,
    BY_ROWS,
    CAPTURES,
    CLOSES,
    COLOUR,
    FAILED,
    FORGOES,
    GREEDY,
    LANE,
    LANE_MASK,
    LEADS,
    OVER,
    RAISES,
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
    new_board,
    pack_dice,
    pack_move,
    pack_phase,
    points,
    unpack_dice,
    unpack_move,
    white_fields,
    without,
)

# Where things lie in the word of the turn.
_ACTIVE, _CLOSED, _DICE, _WHITE, _FAILS, _PLACED = 2, 3, 7, 25, 31, 37
_DICE_MASK: Final = (1 << 18) - 1
# Where they lie in the first word of a row: a lane of places for each seat, then counts, then the lock.
_COUNT, _LOCK = 2 * LANE, 2 * LANE + 10
_HEIGHT: Final = 5  # bits of a stack in the second word
_ENOUGH: Final = family.ROWS_TO_END
_COST: Final = family.FAILED_COST


def board(game: Duel) -> Board:
    return new_board(game.layout, game.to_lock, game.most_failed, game.pieces)


def words(players: int) -> int:  # noqa: ARG001 - as in every kernel
    """How many words a table takes."""
    return 9


def pack(game: Duel, state: DuelState) -> Words:
    """The law's state as a packed table."""
    table = np.zeros(words(2), np.int64)
    turn = pack_phase(state.phase) | state.active << _ACTIVE | pack_dice(state.dice) << _DICE
    if state.white is not None:
        turn |= (pack_move(game.layout, state.white) + 1) << _WHITE
    for seat in (0, 1):
        turn |= state.failed[seat] << (_FAILS + 3 * seat) | placed(state, seat) << (_PLACED + 5 * seat)
    for row, (pieces, lock) in enumerate(zip(state.rows, state.locks, strict=True)):
        turn |= (lock is not None) << (_CLOSED + row)
        table[1 + 2 * row : 3 + 2 * row] = _pack_row(pieces, lock)
    table[0] = turn
    return table


def _pack_row(pieces: Row, lock: int | None) -> tuple[int, int]:
    word = 0 if lock is None else (lock + 1) << _LOCK
    heights = 0
    for place, height in enumerate(pieces):
        if height:
            word |= 1 << (LANE * owner(height) + place)
            heights |= abs(height) << _HEIGHT * place
    for seat, number in enumerate(read(pieces).counts):
        word |= number << (_COUNT + 5 * seat)
    return word, heights


def unpack(game: Duel, table: Words) -> DuelState:
    layout = game.layout
    turn, *packed = table.tolist()
    rows, locks = [], []
    for row in range(len(layout.colours)):
        word, heights = packed[2 * row : 2 * row + 2]
        grey = word >> LANE
        rows.append(
            tuple(
                stack(grey >> place & 1, heights >> _HEIGHT * place & 31) for place in range(layout.last[row] + 1)
            )
        )
        lock = word >> _LOCK & 3
        locks.append(lock - 1 if lock else None)
    white = turn >> _WHITE & 63
    return DuelState(
        tuple(rows),
        tuple(locks),
        (turn >> _FAILS & 7, turn >> (_FAILS + 3) & 7),
        turn >> _ACTIVE & 1,
        PHASES[turn & 3],
        unpack_dice(layout, turn >> _DICE & _DICE_MASK),
        unpack_move(layout, white - 1) if white else None,
    )


@compiled
def start(table: Words, first: int) -> None:
    table[:] = 0
    table[0] = first << _ACTIVE


@compiled
def phase(table: Words) -> int:
    return int(table[0]) & 3


@compiled
def to_act(table: Words, seat: int) -> bool:
    """D1"""
    turn = int(table[0])
    return (turn & 3 == WHITE or turn & 3 == COLOUR) and turn >> _ACTIVE & 1 == seat


@compiled
def roll(table: Words, dice: int) -> None:
    table[0] |= WHITE | dice << _DICE


@compiled
def open_places(board: Board, word: int, heights: int, seat: int) -> int:
    """Every place of an open row that a seat may enter, whatever the dice say."""
    own, both = word >> LANE * seat & LANE_MASK, (word | word >> LANE) & LANE_MASK
    few = int(word >> (_COUNT + 5 * seat) & 31 < board.to_lock)
    free = (2 << board.last) - (1 << length(own)) & ~both & ~(few << board.last)  # D2, D3, D9
    foremost = max(length(both), 1) - 1
    single = int(heights >> _HEIGHT * foremost & 31 == 1)
    return free | (both & 1 << foremost) & (own | -single)  # D4, D5, D6; no branch, as none could be foretold


@compiled
def moves_of_active(board: Board, table: Words) -> int:
    """The legal moves of the active seat, whose choice it is."""
    turn = int(table[0])
    seat, dice = turn >> _ACTIVE & 1, turn >> _DICE & _DICE_MASK
    offered = white_fields(board, dice) if turn & 3 == WHITE else colour_fields(board, dice)
    white = turn >> _WHITE & 63
    fields = 0
    for row in range(board.rows):
        lane = LANE_MASK * (1 - (turn >> (_CLOSED + row) & 1))  # S4
        fields |= (open_places(board, table[1 + 2 * row], table[2 + 2 * row], seat) & lane) << LANE * row
    fields &= offered
    if white > 1:
        fields &= ~(1 << (white - 2))  # D7
    return 1 | fields << 1


@compiled
def legal(board: Board, table: Words, seat: int) -> int:
    """The legal moves of a seat as a set; empty if it is not to act."""
    return moves_of_active(board, table) if to_act(table, seat) else 0


@compiled
def _enter(board: Board, table: Words, move: int) -> None:
    """The active seat's piece goes on the field, and one on the lock if the field calls for it."""
    turn = int(table[0])
    seat = turn >> _ACTIVE & 1
    row, place = (move - 1) // LANE, (move - 1) % LANE
    word = int(table[1 + 2 * row])
    if word >> (LANE * (1 - seat) + place) & 1:  # D4
        word ^= 1 << (LANE * (1 - seat) + place)
        word -= 1 << (_COUNT + 5 * (1 - seat))
        turn -= 1 << (_PLACED + 5 * (1 - seat))
    else:
        table[2 + 2 * row] += 1 << _HEIGHT * place
    word |= 1 << (LANE * seat + place)
    word += 1 << (_COUNT + 5 * seat)
    turn += 1 << (_PLACED + 5 * seat)
    if place == board.last and turn >> (_PLACED + 5 * seat) & 31 < board.pieces:  # D10, D11
        word |= (seat + 1) << _LOCK
        turn += 1 << (_PLACED + 5 * seat)
        turn |= 1 << (_CLOSED + row)
    table[1 + 2 * row] = word
    table[0] = turn


@compiled
def _ended(board: Board, turn: int) -> bool:
    """D12"""
    most = max(turn >> _PLACED & 31, turn >> (_PLACED + 5) & 31)
    failed = (turn >> _FAILS & 7) + (turn >> (_FAILS + 3) & 7)
    return most >= board.pieces or failed >= board.most_failed or count(turn >> _CLOSED & 15) >= _ENOUGH


@compiled
def act(board: Board, table: Words, move: int) -> None:
    """The active seat makes a legal choice."""
    colour = table[0] & 3 == COLOUR
    if move:
        _enter(board, table, move)
    elif colour and table[0] >> _WHITE & 63 == 1:  # D8
        seat = table[0] >> _ACTIVE & 1
        table[0] += 1 << (_FAILS + 3 * seat) | 1 << (_PLACED + 5 * seat)
    turn = int(table[0])
    kept = turn >> _FAILS << _FAILS | turn & 15 << _CLOSED
    seat, dice = turn >> _ACTIVE & 1, turn >> _DICE & _DICE_MASK
    if _ended(board, turn):
        table[0] = kept | OVER | seat << _ACTIVE
    elif colour:
        table[0] = kept | ROLL | (1 - seat) << _ACTIVE
    else:
        closed = turn >> _CLOSED & 15
        if closed:
            dice = without(dice, closed)
        table[0] = kept | COLOUR | seat << _ACTIVE | dice << _DICE | (move + 1) << _WHITE


@compiled
def choose(board: Board, table: Words, seat: int, move: int) -> None:  # noqa: ARG001 - as in every kernel
    """A legal choice. It is not checked here: `legal` says what is."""
    act(board, table, move)


@compiled
def total(board: Board, table: Words, seat: int) -> int:
    """D13"""
    found = -_COST * (int(table[0]) >> (_FAILS + 3 * seat) & 7)
    for row in range(board.rows):
        word = int(table[1 + 2 * row])
        found += points((word >> (_COUNT + 5 * seat) & 31) + (word >> _LOCK & 3 == seat + 1))
    return found


@compiled
def reason(board: Board, table: Words) -> int:
    """What ended a game that is over; where two things did at once, the first named in D12."""
    turn = int(table[0])
    if max(turn >> _PLACED & 31, turn >> (_PLACED + 5) & 31) >= board.pieces:
        return BY_PIECES
    return BY_ROWS if count(turn >> _CLOSED & 15) >= _ENOUGH else BY_FAILED


@compiled
def _reach(board: Board, word: int, seat: int) -> int:
    """How many pieces a seat can come to in a row before its last number, stacks left aside."""
    own, both = word >> LANE * seat & LANE_MASK, (word | word >> LANE) & LANE_MASK
    free = (1 << board.last) - (1 << length(own)) & ~both if length(own) < board.last else 0
    return (word >> (_COUNT + 5 * seat) & 31) + (word >> _LOCK & 3 == seat + 1) + count(free)


@compiled
def _worth(board: Board, table: Words, move: int, weights: Weights, bot: int, scratch: Words) -> float:
    """What a move of the active seat does, weighed: a piece counts 1. `scratch` is left as the table after it."""
    scratch[:] = table
    if not move:
        failing = table[0] & 3 == COLOUR and table[0] >> _WHITE & 63 == 1
        return float(weights[bot, FAILED]) if failing else 0.0
    seat, row, place = table[0] >> _ACTIVE & 1, (move - 1) // LANE, (move - 1) % LANE
    word = int(table[1 + 2 * row])
    own, both = word >> LANE * seat & LANE_MASK, (word | word >> LANE) & LANE_MASK
    _enter(board, scratch, move)
    worth = 1.0
    if place > length(own):
        worth += weights[bot, SKIPS] * count((1 << place) - (1 << length(own)) & ~both)
    if place == board.last:
        worth += weights[bot, CLOSES]
    if own >> place & 1:
        worth += weights[bot, RAISES] * ((table[2 + 2 * row] >> _HEIGHT * place & 31) + 1)
    elif both >> place & 1:
        worth += weights[bot, CAPTURES]
    if place >= length(both):
        worth += weights[bot, LEADS]
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
def decide(board: Board, table: Words, seat: int, styles: Words, weights: Weights, bot: int, fraction: int) -> int:
    """The choice of a compiled bot."""
    if styles[bot] == GREEDY:
        return any_of(greediest(board, table, seat, weights, bot), fraction)
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
            dice = dealt(seed, deal, turns, board.faces, board.rows, table[0] >> _CLOSED & 15)
            table[0] |= WHITE | dice << _DICE
            turns += 1
            if events < len(log):
                log[events] = A_ROLL | dice
            events += 1
        seat = table[0] >> _ACTIVE & 1
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
