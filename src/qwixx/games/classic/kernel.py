"""Qwixx as compiled batch play on packed integers, proved equal to the law, which is right where they differ.

A table is a row of words. The first is the turn: phase, active seat, closed rows, dice, and each seat's sealed
choice, or in the colour action the white choice of the active seat. Then one word a sheet: four rows of twelve bits
as the law has them, and above them the failed throws.
"""

from typing import Final

import numpy as np

from qwixx.core.game import PHASES
from qwixx.games import family
from qwixx.games.classic.rules import Classic
from qwixx.games.classic.state import ClassicState, Sheet
from qwixx.games.kernel import (
    A_ROLL,
    BY_FAILED,
    BY_ROWS,
    CLOSES,
    COLOUR,
    FAILED,
    FORGOES,
    GREEDY,
    LANE,
    LANE_MASK,
    OVER,
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
_ACTIVE, _CLOSED, _DICE, _CHOSEN = 2, 5, 9, 27
_DICE_MASK: Final = (1 << 18) - 1
_FAILS: Final = 4 * LANE  # where the failed throws lie in the word of a sheet
_ENOUGH: Final = family.ROWS_TO_END
_COST: Final = family.FAILED_COST


def board(game: Classic) -> Board:
    return new_board(game.layout, game.to_lock, game.most_failed)


def words(players: int) -> int:
    """How many words a table takes."""
    return players + 1


def pack(game: Classic, state: ClassicState) -> Words:
    """The law's state as a packed table. A view, with hidden choices in it, is none."""
    layout = game.layout
    chosen = list(state.sealed)
    if state.white is not None:
        chosen[state.active] = state.white
    turn = pack_phase(state.phase) | state.active << _ACTIVE | pack_dice(state.dice) << _DICE
    turn |= sum(closed << (_CLOSED + row) for row, closed in enumerate(state.closed))
    for seat, move in enumerate(chosen):
        if move is not None:
            turn |= (pack_move(layout, move) + 1) << (_CHOSEN + 6 * seat)
    sheets = [
        sum(marks << LANE * row for row, marks in enumerate(sheet.rows)) | sheet.failed << _FAILS
        for sheet in state.sheets
    ]
    return np.array([turn, *sheets], np.int64)


def unpack(game: Classic, table: Words) -> ClassicState:
    layout = game.layout
    turn, *packed = table.tolist()
    rows = range(len(layout.colours))
    sheets = tuple(Sheet(tuple(word >> LANE * row & LANE_MASK for row in rows), word >> _FAILS) for word in packed)
    codes = [turn >> (_CHOSEN + 6 * seat) & 63 for seat in range(len(sheets))]
    chosen = tuple(unpack_move(layout, code - 1) if code else None for code in codes)
    active, phase = turn >> _ACTIVE & 7, PHASES[turn & 3]
    white = chosen[active] if phase == "colour" else None
    return ClassicState(
        sheets,
        tuple(bool(turn >> (_CLOSED + row) & 1) for row in rows),
        active,
        phase,
        unpack_dice(layout, turn >> _DICE & _DICE_MASK),
        white,
        (None,) * len(sheets) if white is not None else chosen,
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
    """C2, C4"""
    turn = int(table[0])
    if turn & 3 == WHITE:
        return turn >> (_CHOSEN + 6 * seat) & 63 == 0
    return turn & 3 == COLOUR and turn >> _ACTIVE & 7 == seat


@compiled
def roll(table: Words, dice: int) -> None:
    table[0] |= WHITE | dice << _DICE


@compiled
def open_fields(board: Board, sheet: int, closed: int) -> int:
    """Every field that may be crossed on this sheet, whatever the dice say."""
    fields = 0
    for row in range(board.rows):
        marks = sheet >> LANE * row & LANE_MASK
        free = (2 << board.last) - (1 << length(marks))  # C1
        if count(marks) < board.to_lock:
            free &= (1 << board.last) - 1  # C6
        if not closed >> row & 1:  # S4
            fields |= free << LANE * row
    return fields


@compiled
def legal(board: Board, table: Words, seat: int) -> int:
    """The legal moves of a seat as a set; empty if it is not to act."""
    if not to_act(table, seat):
        return 0
    turn = int(table[0])
    closed, dice = turn >> _CLOSED & 15, turn >> _DICE & _DICE_MASK
    offered = white_fields(board, dice) if turn & 3 == WHITE else colour_fields(board, dice)
    return 1 | (open_fields(board, table[1 + seat], closed) & offered) << 1


@compiled
def _crossed(board: Board, sheet: int, move: int) -> int:
    row, place = (move - 1) // LANE, (move - 1) % LANE
    crosses = 3 if place == board.last else 1  # C7: the lock goes with the last number
    return sheet | crosses << (LANE * row + place)


@compiled
def _closing(board: Board, move: int) -> int:
    """C8: the row that a move closes, as a bit."""
    row, place = (move - 1) // LANE, (move - 1) % LANE
    return 1 << row if place == board.last else 0


@compiled
def _white_action(board: Board, table: Words) -> None:
    """C3, C9: all choices take effect together, on the sheets as they stood."""
    turn = int(table[0])
    closed = turn >> _CLOSED & 15
    for seat in range(len(table) - 1):
        move = (turn >> (_CHOSEN + 6 * seat) & 63) - 1
        if move > 0:
            table[1 + seat] = _crossed(board, table[1 + seat], move)
            closed |= _closing(board, move)
    active = turn >> _ACTIVE & 7
    if count(closed) >= _ENOUGH:  # C11, C12
        table[0] = OVER | active << _ACTIVE | closed << _CLOSED
        return
    dice = turn >> _DICE & _DICE_MASK
    if closed:
        dice = without(dice, closed)
    white = turn & 63 << (_CHOSEN + 6 * active)
    table[0] = COLOUR | active << _ACTIVE | closed << _CLOSED | dice << _DICE | white


@compiled
def _colour_action(board: Board, table: Words, move: int) -> None:
    turn = int(table[0])
    active, closed = turn >> _ACTIVE & 7, turn >> _CLOSED & 15
    sheet = table[1 + active]
    if move:
        sheet = _crossed(board, sheet, move)
        closed |= _closing(board, move)
    elif turn >> (_CHOSEN + 6 * active) & 63 == 1:
        sheet += 1 << _FAILS  # C5
    table[1 + active] = sheet
    if sheet >> _FAILS >= board.most_failed or count(closed) >= _ENOUGH:  # C10, C11
        table[0] = OVER | active << _ACTIVE | closed << _CLOSED
        return
    following = active + 1 if active + 2 < len(table) else 0
    table[0] = ROLL | following << _ACTIVE | closed << _CLOSED


@compiled
def choose(board: Board, table: Words, seat: int, move: int) -> None:
    """A legal choice. It is not checked here: `legal` says what is."""
    if table[0] & 3 == COLOUR:
        _colour_action(board, table, move)
        return
    table[0] |= (move + 1) << (_CHOSEN + 6 * seat)
    for other in range(len(table) - 1):
        if table[0] >> (_CHOSEN + 6 * other) & 63 == 0:
            return
    _white_action(board, table)


@compiled
def total(board: Board, table: Words, seat: int) -> int:
    """C13"""
    sheet = int(table[1 + seat])
    found = -_COST * (sheet >> _FAILS)
    for row in range(board.rows):
        found += points(count(sheet >> LANE * row & LANE_MASK))
    return found


@compiled
def reason(board: Board, table: Words) -> int:  # noqa: ARG001 - as in every kernel
    """What ended a game that is over."""
    return BY_ROWS if count(table[0] >> _CLOSED & 15) >= _ENOUGH else BY_FAILED


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
    closed, dice, active = turn >> _CLOSED & 15, turn >> _DICE & _DICE_MASK, turn >> _ACTIVE & 7
    in_white = turn & 3 == WHITE
    failing = not in_white and turn >> (_CHOSEN + 6 * seat) & 63 == 1
    moves, best, found = legal(board, table, seat), -np.inf, 0
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        worth = _worth(board, sheet, failing, move, weights, bot)
        shut = closed | (_closing(board, move) if move else 0)
        if in_white and seat == active and count(shut) < _ENOUGH:
            after = _crossed(board, sheet, move) if move else sheet
            worth += _best_worth(board, after, shut, dice, move == 0, weights, bot)
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
    players = len(table) - 1
    turns, events = 0, 0
    while table[0] & 3 != OVER:
        if table[0] & 3 == ROLL:
            dice = dealt(seed, deal, turns, board.faces, board.rows, table[0] >> _CLOSED & 15)
            table[0] |= WHITE | dice << _DICE
            turns += 1
            if events < len(log):
                log[events] = A_ROLL | dice
            events += 1
        turn, chosen = int(table[0]), 0
        active, closed, dice = turn >> _ACTIVE & 7, turn >> _CLOSED & 15, turn >> _DICE & _DICE_MASK
        if turn & 3 == WHITE:
            offered = white_fields(board, dice)
            for seat in range(players):
                if turn >> (_CHOSEN + 6 * seat) & 63:
                    continue
                chance = luck(seed, number, seat, 2 * turns)
                if styles[lineup[seat]] == RANDOM:
                    move = any_of(1 | (open_fields(board, table[1 + seat], closed) & offered) << 1, chance)
                else:
                    move = decide(board, table, seat, styles, weights, lineup[seat], chance)
                chosen |= (move + 1) << (_CHOSEN + 6 * seat)
                if events < len(log):
                    log[events] = seat << 6 | move
                events += 1
            table[0] |= chosen
            _white_action(board, table)
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
            _colour_action(board, table, move)
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
