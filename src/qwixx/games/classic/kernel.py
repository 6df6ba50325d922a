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
    BY_FAILED,
    BY_ROWS,
    COLOUR,
    LANE,
    LANE_MASK,
    OVER,
    ROLL,
    WHITE,
    Board,
    Words,
    colour_fields,
    compiled,
    count,
    length,
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
ACTIVE, CLOSED, DICE, CHOSEN = 2, 5, 9, 27
DICE_MASK: Final = (1 << 18) - 1
FAILS: Final = 4 * LANE  # where the failed throws lie in the word of a sheet
ENOUGH: Final = family.ROWS_TO_END
COST: Final = family.FAILED_COST


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
    turn = pack_phase(state.phase) | state.active << ACTIVE | pack_dice(state.dice) << DICE
    turn |= sum(closed << (CLOSED + row) for row, closed in enumerate(state.closed))
    for seat, move in enumerate(chosen):
        if move is not None:
            turn |= (pack_move(layout, move) + 1) << (CHOSEN + 6 * seat)
    sheets = [
        sum(marks << LANE * row for row, marks in enumerate(sheet.rows)) | sheet.failed << FAILS
        for sheet in state.sheets
    ]
    return np.array([turn, *sheets], np.int64)


def unpack(game: Classic, table: Words) -> ClassicState:
    layout = game.layout
    turn, *packed = table.tolist()
    rows = range(len(layout.colours))
    sheets = tuple(Sheet(tuple(word >> LANE * row & LANE_MASK for row in rows), word >> FAILS) for word in packed)
    codes = [turn >> (CHOSEN + 6 * seat) & 63 for seat in range(len(sheets))]
    chosen = tuple(unpack_move(layout, code - 1) if code else None for code in codes)
    active, phase = turn >> ACTIVE & 7, PHASES[turn & 3]
    white = chosen[active] if phase == "colour" else None
    return ClassicState(
        sheets,
        tuple(bool(turn >> (CLOSED + row) & 1) for row in rows),
        active,
        phase,
        unpack_dice(layout, turn >> DICE & DICE_MASK),
        white,
        (None,) * len(sheets) if white is not None else chosen,
    )


@compiled
def start(table: Words, first: int) -> None:
    table[:] = 0
    table[0] = first << ACTIVE


@compiled
def phase(table: Words) -> int:
    return int(table[0]) & 3


@compiled
def closed_rows(table: Words) -> int:
    return int(table[0]) >> CLOSED & 15


@compiled
def to_act(table: Words, seat: int) -> bool:
    """C2, C4"""
    turn = int(table[0])
    if turn & 3 == WHITE:
        return turn >> (CHOSEN + 6 * seat) & 63 == 0
    return turn & 3 == COLOUR and turn >> ACTIVE & 7 == seat


@compiled
def roll(table: Words, dice: int) -> None:
    table[0] |= WHITE | dice << DICE


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
    closed, dice = turn >> CLOSED & 15, turn >> DICE & DICE_MASK
    offered = white_fields(board, dice) if turn & 3 == WHITE else colour_fields(board, dice)
    return 1 | (open_fields(board, table[1 + seat], closed) & offered) << 1


@compiled
def crossed(board: Board, sheet: int, move: int) -> int:
    row, place = (move - 1) // LANE, (move - 1) % LANE
    crosses = 3 if place == board.last else 1  # C7: the lock goes with the last number
    return sheet | crosses << (LANE * row + place)


@compiled
def closing(board: Board, move: int) -> int:
    """C8: the row that a move closes, as a bit."""
    row, place = (move - 1) // LANE, (move - 1) % LANE
    return 1 << row if place == board.last else 0


@compiled
def white_action(board: Board, table: Words) -> None:
    """C3, C9: all choices take effect together, on the sheets as they stood."""
    turn = int(table[0])
    closed = turn >> CLOSED & 15
    for seat in range(len(table) - 1):
        move = (turn >> (CHOSEN + 6 * seat) & 63) - 1
        if move > 0:
            table[1 + seat] = crossed(board, table[1 + seat], move)
            closed |= closing(board, move)
    active = turn >> ACTIVE & 7
    if count(closed) >= ENOUGH:  # C11, C12
        table[0] = OVER | active << ACTIVE | closed << CLOSED
        return
    dice = turn >> DICE & DICE_MASK
    if closed:
        dice = without(dice, closed)
    white = turn & 63 << (CHOSEN + 6 * active)
    table[0] = COLOUR | active << ACTIVE | closed << CLOSED | dice << DICE | white


@compiled
def colour_action(board: Board, table: Words, move: int) -> None:
    turn = int(table[0])
    active, closed = turn >> ACTIVE & 7, turn >> CLOSED & 15
    sheet = table[1 + active]
    if move:
        sheet = crossed(board, sheet, move)
        closed |= closing(board, move)
    elif turn >> (CHOSEN + 6 * active) & 63 == 1:
        sheet += 1 << FAILS  # C5
    table[1 + active] = sheet
    if sheet >> FAILS >= board.most_failed or count(closed) >= ENOUGH:  # C10, C11
        table[0] = OVER | active << ACTIVE | closed << CLOSED
        return
    following = active + 1 if active + 2 < len(table) else 0
    table[0] = ROLL | following << ACTIVE | closed << CLOSED


@compiled
def choose(board: Board, table: Words, seat: int, move: int) -> None:
    """A legal choice. It is not checked here: `legal` says what is."""
    if table[0] & 3 == COLOUR:
        colour_action(board, table, move)
        return
    table[0] |= (move + 1) << (CHOSEN + 6 * seat)
    for other in range(len(table) - 1):
        if table[0] >> (CHOSEN + 6 * other) & 63 == 0:
            return
    white_action(board, table)


@compiled
def total(board: Board, table: Words, seat: int) -> int:
    """C13"""
    sheet = int(table[1 + seat])
    found = -COST * (sheet >> FAILS)
    for row in range(board.rows):
        found += points(count(sheet >> LANE * row & LANE_MASK))
    return found


@compiled
def reason(board: Board, table: Words) -> int:  # noqa: ARG001 - as in every kernel
    """What ended a game that is over."""
    return BY_ROWS if count(table[0] >> CLOSED & 15) >= ENOUGH else BY_FAILED
