"""Qwixx on any sheet as compiled play on packed integers, proved equal to the law,
which is right if they differ.

A table is a row of words. The first is the turn: phase, active seat, closed rows, dice, and each
seat's sealed choice, or in the colour action the white choice of the active seat. Then one word a
sheet: four rows of twelve bits as the law has them, and above them the failed throws.
"""

from typing import Final, NamedTuple

import numpy as np

from qwixx.compiled import contract
from qwixx.compiled.jit import compiled, inlined
from qwixx.compiled.printed import (
    BY_FAILED,
    BY_ROWS,
    COLOUR,
    DICE_BITS,
    DICE_MASK,
    LANE,
    LANE_MASK,
    OVER,
    ROLL,
    ROWS,
    WHITE,
    by_closed,
    colour_fields,
    pack_dice,
    pack_move,
    pack_phase,
    points,
    sheet,
    unpack_dice,
    unpack_move,
    white_fields,
    without,
)
from qwixx.compiled.words import Bytes, Words, count, length, lowest, word_at
from qwixx.core.errors import BadRequest
from qwixx.core.fields import HIDDEN
from qwixx.core.game import PHASES
from qwixx.games import family
from qwixx.games.classic import features as net_input
from qwixx.games.classic.rules import Classic
from qwixx.games.classic.state import ClassicState, Sheet

# Where things lie in the word of the turn.
_ACTIVE: Final = 2
_CLOSED: Final = 5
_DICE: Final = _CLOSED + ROWS
_CHOSEN: Final = _DICE + DICE_BITS
_CODE: Final = 6  # bits of a choice: 1 + the move, 0 for none
_MOST_PLAYERS: Final = 5  # whose choices find room
_FAILS: Final = ROWS * LANE  # where the failed throws lie in the word of a sheet
_FIRST_PLACES: Final = sum(1 << LANE * row for row in range(ROWS))
# Without the highest places.
_LOWER: Final = tuple(_FIRST_PLACES * (LANE_MASK >> step) for step in (1, 2, 4, 8))
_ENOUGH: Final = family.ROWS_TO_END
_COST: Final = family.FAILED_COST

FEATURES: Final = contract.FeatureSizes(net_input.FEATURES, net_input.FEATURES, net_input.LISTED, 4)


class ClassicBoard(NamedTuple):
    """A sheet and the limits of the game."""

    rows: int
    faces: int
    by_whites: int
    by_dice: int
    last: int  # the place of the last number
    counted: int
    by_closed: int  # where the fields lie of the rows that are open
    to_lock: int
    most_failed: int


def board(game: Classic) -> ClassicBoard:
    if game.players[-1] > _MOST_PLAYERS:
        raise BadRequest(f"a kernel plays with {_MOST_PLAYERS} players at most")
    layout = game.layout
    return ClassicBoard(*sheet(layout), by_closed(layout), game.to_lock, game.most_failed)


def words(players: int) -> int:
    """How many words a table takes."""
    return players + 1


def pack(game: Classic, state: ClassicState) -> Words:
    """The law's state as a packed table; of a view, as if nobody had made the choices that are hidden
    in it."""
    layout = game.layout
    chosen = [None if choice == HIDDEN else choice for choice in state.sealed]
    if state.white is not None:
        chosen[state.active] = state.white
    turn = pack_phase(state.phase) | state.active << _ACTIVE | pack_dice(state.dice) << _DICE
    turn |= sum(closed << (_CLOSED + row) for row, closed in enumerate(state.closed))
    for seat, move in enumerate(chosen):
        if move is not None:
            turn |= (pack_move(layout, move) + 1) << (_CHOSEN + _CODE * seat)
    sheets = [
        sum(marks << LANE * row for row, marks in enumerate(sheet.rows)) | sheet.failed << _FAILS
        for sheet in state.sheets
    ]
    return np.array([turn, *sheets], np.int64)


def unpack(game: Classic, table: Words) -> ClassicState:
    layout = game.layout
    turn, *packed = table.tolist()
    rows = range(len(layout.colours))
    sheets = tuple(
        Sheet(tuple(word >> LANE * row & LANE_MASK for row in rows), word >> _FAILS)
        for word in packed
    )
    codes = [turn >> (_CHOSEN + _CODE * seat) & 63 for seat in range(len(sheets))]
    chosen = tuple(unpack_move(layout, code - 1) if code else None for code in codes)
    active, phase = turn >> _ACTIVE & 7, PHASES[turn & 3]
    white = chosen[active] if phase == "colour" else None
    return ClassicState(
        sheets,
        tuple(bool(turn >> (_CLOSED + row) & 1) for row in rows),
        active,
        phase,
        unpack_dice(layout, turn >> _DICE & DICE_MASK),
        white,
        (None,) * len(sheets) if white is not None else chosen,
    )


@inlined
def start(board: ClassicBoard, table: Words, first: int) -> None:  # noqa: ARG001 - here and below: as in every kernel
    table[:] = 0
    table[0] = first << _ACTIVE


@inlined
def phase(board: ClassicBoard, table: Words) -> int:  # noqa: ARG001
    return int(table[0]) & 3


@inlined
def active(board: ClassicBoard, table: Words) -> int:  # noqa: ARG001
    return int(table[0]) >> _ACTIVE & 7


@inlined
def seats(board: ClassicBoard, table: Words) -> int:  # noqa: ARG001
    return len(table) - 1


@inlined
def closed(board: ClassicBoard, table: Words) -> int:  # noqa: ARG001
    return int(table[0]) >> _CLOSED & 15


@inlined
def dice(board: ClassicBoard, table: Words) -> int:  # noqa: ARG001
    return int(table[0]) >> _DICE & DICE_MASK


@inlined
def failed(board: ClassicBoard, table: Words, seat: int) -> int:  # noqa: ARG001
    return int(table[1 + seat]) >> _FAILS


@inlined
def marks(board: ClassicBoard, table: Words, seat: int, shown: Bytes, at: int) -> None:
    left, spare = int(table[1 + seat]) & (1 << _FAILS) - 1, LANE - 2 - board.last
    while left:
        place = lowest(left)
        left &= left - 1
        shown[at + place - place // LANE * spare] = 1


@inlined
def roll(board: ClassicBoard, table: Words, dice: int) -> None:  # noqa: ARG001
    table[0] |= WHITE | dice << _DICE


@inlined
def acting(board: ClassicBoard, table: Words) -> int:  # noqa: ARG001
    """C2, C4"""
    turn = int(table[0])
    if turn & 3 != WHITE:
        return int(turn & 3 == COLOUR) << (turn >> _ACTIVE & 7)
    if not turn >> _CHOSEN:
        return (1 << len(table) - 1) - 1
    found = 0
    for seat in range(len(table) - 1):
        found |= int(turn >> (_CHOSEN + _CODE * seat) & 63 == 0) << seat
    return found


@inlined
def _open_of(board: ClassicBoard, sheet: int, shut: int, fields: int) -> int:
    """Those of some fields that may be crossed on a sheet."""
    passed = sheet  # every place up to the rightmost cross of its row, all rows at once
    passed |= passed >> 1 & _LOWER[0]
    passed |= passed >> 2 & _LOWER[1]
    passed |= passed >> 4 & _LOWER[2]
    passed |= passed >> 8 & _LOWER[3]
    found = fields & ~passed & word_at(board.by_closed, shut)  # C1, S4
    last = found & _FIRST_PLACES << board.last
    while last:  # seldom, as few throws name a last number
        field = lowest(last)
        last &= last - 1
        if count(sheet >> (field - board.last) & LANE_MASK) < board.to_lock:  # C6
            found ^= 1 << field
    return found


@inlined
def open_fields(board: ClassicBoard, table: Words, seat: int) -> int:
    """Every field that may be crossed on this sheet, whatever the dice say."""
    return _open_of(board, int(table[1 + seat]), int(table[0]) >> _CLOSED & 15, -1)


@inlined
def legal(board: ClassicBoard, table: Words, seat: int) -> int:
    turn = int(table[0])
    dice = turn >> _DICE & DICE_MASK
    offered = white_fields(board, dice) if turn & 3 == WHITE else colour_fields(board, dice)
    return 1 | _open_of(board, int(table[1 + seat]), turn >> _CLOSED & 15, offered) << 1


@inlined
def _cross(board: ClassicBoard, table: Words, seat: int, move: int) -> int:
    """C7, C8: cross a field, and with the last number the lock; the row that this closes, as a bit.

    A pass crosses nothing, without a branch, since none could be foretold.
    """
    field = 1 << move >> 1
    last = field & _FIRST_PLACES << board.last
    table[1 + seat] |= field | last << 1
    return 1 << (move - 1) // LANE if last else 0


@inlined
def _after_white(turn: int, shut: int, white: int) -> int:
    """The word of the turn once all have chosen and these rows are shut."""
    turner = turn >> _ACTIVE & 7
    if count(shut) >= _ENOUGH:  # C11, C12
        return OVER | turner << _ACTIVE | shut << _CLOSED
    dice = turn >> _DICE & DICE_MASK
    if shut:
        dice = without(dice, shut)
    chosen = (white + 1) << (_CHOSEN + _CODE * turner)
    return COLOUR | turner << _ACTIVE | shut << _CLOSED | dice << _DICE | chosen


@inlined
def _after_colour(turn: int, shut: int, failed: bool, players: int) -> int:
    """The word of the turn that follows."""
    turner = turn >> _ACTIVE & 7
    if failed or count(shut) >= _ENOUGH:  # C10, C11
        return OVER | turner << _ACTIVE | shut << _CLOSED
    following = turner + 1 if turner + 1 < players else 0
    return ROLL | following << _ACTIVE | shut << _CLOSED


@inlined
def choose(board: ClassicBoard, table: Words, seat: int, move: int) -> None:
    choices = np.empty(len(table) - 1, np.int64)
    choices[seat] = move
    if table[0] & 3 == WHITE:
        table[0] |= (move + 1) << (_CHOSEN + _CODE * seat)
        for other in range(len(choices)):
            choices[other] = (int(table[0]) >> (_CHOSEN + _CODE * other) & 63) - 1
    if table[0] & 3 == COLOUR or acting(board, table) == 0:
        together(board, table, choices)


@inlined
def together(board: ClassicBoard, table: Words, choices: Words) -> None:
    """C3, C9: all choices take effect together, on the sheets as they stood.

    Both arrays are read after the ways have met again:
    else numba counts their references at every action.
    """
    turn, players = int(table[0]), len(table) - 1
    turner, shut, white = turn >> _ACTIVE & 7, turn >> _CLOSED & 15, turn & 3 == WHITE
    if white:
        for seat in range(players):
            shut |= _cross(board, table, seat, choices[seat])
    else:
        shut |= _cross(board, table, turner, choices[turner])
    move, passed = int(choices[turner]), turn >> (_CHOSEN + _CODE * turner) & 63 == 1
    table[1 + turner] += int(not white and passed and move == 0) << _FAILS  # C5
    failed = table[1 + turner] >> _FAILS >= board.most_failed
    table[0] = (
        _after_white(turn, shut, move) if white else _after_colour(turn, shut, failed, players)
    )


@inlined
def turn_over(board: ClassicBoard, table: Words) -> None:  # noqa: ARG001
    turn = int(table[0])
    following = ((turn >> _ACTIVE & 7) + 1) % (len(table) - 1)
    table[0] = ROLL | following << _ACTIVE | turn & 15 << _CLOSED


@inlined
def forget(board: ClassicBoard, table: Words) -> None:  # noqa: ARG001
    table[0] &= (1 << _CHOSEN) - 1


@inlined
def _lockable(board: ClassicBoard, marks: int) -> bool:
    return count(marks) + board.last - length(marks) >= board.to_lock


@inlined
def effects(
    board: ClassicBoard, table: Words, seat: int, move: int
) -> tuple[int, int, int, int, int, int, int, int]:
    turn = int(table[0])
    if not move:
        failing = turn & 3 == COLOUR and turn >> (_CHOSEN + _CODE * seat) & 63 == 1
        return 0, 0, 0, 0, 0, 0, 0, int(failing)  # C5
    row, place = (move - 1) // LANE, (move - 1) % LANE
    marks = int(table[1 + seat]) >> LANE * row & LANE_MASK
    forgoes = _lockable(board, marks) and not _lockable(board, marks | 1 << place)
    return place - length(marks), int(place == board.last), 0, 0, 0, int(forgoes), 0, 0


@compiled
def features(board: ClassicBoard, table: Words, seat: int, lists: Words) -> int:
    """As in features.py."""
    turn, players = int(table[0]), len(table) - 1
    for other in range(players):
        owner, listed = (seat + other) % players, lists[other]
        sheet = int(table[1 + owner])
        for row in range(board.rows):
            marks = sheet >> LANE * row & LANE_MASK
            shut = turn >> (_CLOSED + row) & 1
            listed[row] = ((row * 2 + shut) * 13 + length(marks)) * 13 + count(marks)
        listed[4] = net_input.FAILS_AT + (sheet >> _FAILS)
        listed[5] = (
            net_input.TURN_AT
            + (players - 1) * 5
            + (owner - (turn >> _ACTIVE & 7) + players) % players
        )
    return players - 1


@inlined
def total(board: ClassicBoard, table: Words, seat: int) -> int:
    """C13"""
    sheet = int(table[1 + seat])
    found = -_COST * (sheet >> _FAILS)
    for row in range(board.rows):
        found += points(count(sheet >> LANE * row & LANE_MASK), board.counted)
    return found


@inlined
def reason(board: ClassicBoard, table: Words) -> int:  # noqa: ARG001
    return BY_ROWS if count(table[0] >> _CLOSED & 15) >= _ENOUGH else BY_FAILED


contract.kernel(ClassicBoard)
