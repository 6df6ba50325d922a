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
    BY_FAILED,
    BY_PIECES,
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
ACTIVE, CLOSED, DICE, CHOSEN, FAILS, PLACED = 2, 3, 7, 25, 31, 37
DICE_MASK: Final = (1 << 18) - 1
# Where they lie in the first word of a row: a lane of places for each seat, then counts, then the lock.
COUNT, LOCK = 2 * LANE, 2 * LANE + 10
HEIGHT: Final = 5  # bits of a stack in the second word
ENOUGH: Final = family.ROWS_TO_END
COST: Final = family.FAILED_COST


def board(game: Duel) -> Board:
    return new_board(game.layout, game.to_lock, game.most_failed, game.pieces)


def words(players: int) -> int:  # noqa: ARG001 - as in every kernel
    """How many words a table takes."""
    return 9


def pack(game: Duel, state: DuelState) -> Words:
    """The law's state as a packed table."""
    table = np.zeros(words(2), np.int64)
    turn = pack_phase(state.phase) | state.active << ACTIVE | pack_dice(state.dice) << DICE
    if state.white is not None:
        turn |= (pack_move(game.layout, state.white) + 1) << CHOSEN
    for seat in (0, 1):
        turn |= state.failed[seat] << (FAILS + 3 * seat) | placed(state, seat) << (PLACED + 5 * seat)
    for row, (pieces, lock) in enumerate(zip(state.rows, state.locks, strict=True)):
        turn |= (lock is not None) << (CLOSED + row)
        table[1 + 2 * row : 3 + 2 * row] = _pack_row(pieces, lock)
    table[0] = turn
    return table


def _pack_row(pieces: Row, lock: int | None) -> tuple[int, int]:
    word = 0 if lock is None else (lock + 1) << LOCK
    heights = 0
    for place, height in enumerate(pieces):
        if height:
            word |= 1 << (LANE * owner(height) + place)
            heights |= abs(height) << HEIGHT * place
    for seat, number in enumerate(read(pieces).counts):
        word |= number << (COUNT + 5 * seat)
    return word, heights


def unpack(game: Duel, table: Words) -> DuelState:
    layout = game.layout
    turn, *packed = table.tolist()
    rows, locks = [], []
    for row in range(len(layout.colours)):
        word, heights = packed[2 * row : 2 * row + 2]
        grey = word >> LANE
        rows.append(
            tuple(stack(grey >> place & 1, heights >> HEIGHT * place & 31) for place in range(layout.last[row] + 1))
        )
        lock = word >> LOCK & 3
        locks.append(lock - 1 if lock else None)
    white = turn >> CHOSEN & 63
    return DuelState(
        tuple(rows),
        tuple(locks),
        (turn >> FAILS & 7, turn >> (FAILS + 3) & 7),
        turn >> ACTIVE & 1,
        PHASES[turn & 3],
        unpack_dice(layout, turn >> DICE & DICE_MASK),
        unpack_move(layout, white - 1) if white else None,
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
    """D1"""
    turn = int(table[0])
    return (turn & 3 == WHITE or turn & 3 == COLOUR) and turn >> ACTIVE & 1 == seat


@compiled
def roll(table: Words, dice: int) -> None:
    table[0] |= WHITE | dice << DICE


@compiled
def open_places(board: Board, word: int, heights: int, seat: int) -> int:
    """Every place of an open row that a seat may enter, whatever the dice say."""
    own, both = word >> LANE * seat & LANE_MASK, (word | word >> LANE) & LANE_MASK
    few = int(word >> (COUNT + 5 * seat) & 31 < board.to_lock)
    free = (2 << board.last) - (1 << length(own)) & ~both & ~(few << board.last)  # D2, D3, D9
    foremost = max(length(both), 1) - 1
    single = int(heights >> HEIGHT * foremost & 31 == 1)
    return free | (both & 1 << foremost) & (own | -single)  # D4, D5, D6; no branch, as none could be foretold


@compiled
def open_fields(board: Board, table: Words) -> int:
    """Every field that the active seat may enter, whatever the dice say."""
    turn = int(table[0])
    seat, white = turn >> ACTIVE & 1, turn >> CHOSEN & 63
    fields = 0
    for row in range(board.rows):
        lane = LANE_MASK * (1 - (turn >> (CLOSED + row) & 1))  # S4
        fields |= (open_places(board, table[1 + 2 * row], table[2 + 2 * row], seat) & lane) << LANE * row
    if white > 1:
        fields &= ~(1 << (white - 2))  # D7
    return fields


@compiled
def moves_of_active(board: Board, table: Words) -> int:
    """The legal moves of the active seat, whose choice it is."""
    turn = int(table[0])
    dice = turn >> DICE & DICE_MASK
    offered = white_fields(board, dice) if turn & 3 == WHITE else colour_fields(board, dice)
    return 1 | (open_fields(board, table) & offered) << 1


@compiled
def legal(board: Board, table: Words, seat: int) -> int:
    """The legal moves of a seat as a set; empty if it is not to act."""
    return moves_of_active(board, table) if to_act(table, seat) else 0


@compiled
def enter(board: Board, table: Words, move: int) -> None:
    """The active seat's piece goes on the field, and one on the lock if the field calls for it."""
    turn = int(table[0])
    seat = turn >> ACTIVE & 1
    row, place = (move - 1) // LANE, (move - 1) % LANE
    word = int(table[1 + 2 * row])
    if word >> (LANE * (1 - seat) + place) & 1:  # D4
        word ^= 1 << (LANE * (1 - seat) + place)
        word -= 1 << (COUNT + 5 * (1 - seat))
        turn -= 1 << (PLACED + 5 * (1 - seat))
    else:
        table[2 + 2 * row] += 1 << HEIGHT * place
    word |= 1 << (LANE * seat + place)
    word += 1 << (COUNT + 5 * seat)
    turn += 1 << (PLACED + 5 * seat)
    if place == board.last and turn >> (PLACED + 5 * seat) & 31 < board.pieces:  # D10, D11
        word |= (seat + 1) << LOCK
        turn += 1 << (PLACED + 5 * seat)
        turn |= 1 << (CLOSED + row)
    table[1 + 2 * row] = word
    table[0] = turn


@compiled
def _ended(board: Board, turn: int) -> bool:
    """D12"""
    most = max(turn >> PLACED & 31, turn >> (PLACED + 5) & 31)
    failed = (turn >> FAILS & 7) + (turn >> (FAILS + 3) & 7)
    return most >= board.pieces or failed >= board.most_failed or count(turn >> CLOSED & 15) >= ENOUGH


@compiled
def act(board: Board, table: Words, move: int) -> None:
    """The active seat makes a legal choice."""
    colour = table[0] & 3 == COLOUR
    if move:
        enter(board, table, move)
    elif colour and table[0] >> CHOSEN & 63 == 1:  # D8
        seat = table[0] >> ACTIVE & 1
        table[0] += 1 << (FAILS + 3 * seat) | 1 << (PLACED + 5 * seat)
    turn = int(table[0])
    kept = turn >> FAILS << FAILS | turn & 15 << CLOSED
    seat, dice = turn >> ACTIVE & 1, turn >> DICE & DICE_MASK
    if _ended(board, turn):
        table[0] = kept | OVER | seat << ACTIVE
    elif colour:
        table[0] = kept | ROLL | (1 - seat) << ACTIVE
    else:
        closed = turn >> CLOSED & 15
        if closed:
            dice = without(dice, closed)
        table[0] = kept | COLOUR | seat << ACTIVE | dice << DICE | (move + 1) << CHOSEN


@compiled
def choose(board: Board, table: Words, seat: int, move: int) -> None:  # noqa: ARG001 - as in every kernel
    """A legal choice. It is not checked here: `legal` says what is."""
    act(board, table, move)


@compiled
def total(board: Board, table: Words, seat: int) -> int:
    """D13"""
    found = -COST * (int(table[0]) >> (FAILS + 3 * seat) & 7)
    for row in range(board.rows):
        word = int(table[1 + 2 * row])
        found += points((word >> (COUNT + 5 * seat) & 31) + (word >> LOCK & 3 == seat + 1))
    return found


@compiled
def reason(board: Board, table: Words) -> int:
    """What ended a game that is over; where two things did at once, the first named in D12."""
    turn = int(table[0])
    if max(turn >> PLACED & 31, turn >> (PLACED + 5) & 31) >= board.pieces:
        return BY_PIECES
    return BY_ROWS if count(turn >> CLOSED & 15) >= ENOUGH else BY_FAILED
