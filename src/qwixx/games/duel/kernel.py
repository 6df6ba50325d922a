"""Qwixx Duel as compiled batch play on packed integers, proved equal to the law,
which is right where they differ.

A table is nine words. The first is the turn: phase, active seat, closed rows, dice, the white
choice, failed throws and pieces placed of each seat. Then two words a row: who stands where, how
many pieces each has there and whose the lock is; and the height of the stack on each place.
"""

from typing import Final, NamedTuple

import numpy as np

from qwixx.compiled import contract
from qwixx.compiled.jit import compiled, inlined
from qwixx.compiled.printed import (
    BY_FAILED,
    BY_PIECES,
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
from qwixx.compiled.words import Bytes, Words, count, length, lowest
from qwixx.core.errors import BadRequest
from qwixx.core.game import PHASES
from qwixx.games import family
from qwixx.games.duel import features as net_input
from qwixx.games.duel.rules import Duel
from qwixx.games.duel.state import DuelState, Row, owner, placed, read, stack

# Where things lie in the word of the turn.
_ACTIVE: Final = 2
_CLOSED: Final = 3
_DICE: Final = _CLOSED + ROWS
_CHOSEN: Final = _DICE + DICE_BITS
_FAILS: Final = _CHOSEN + 6
_PLACED: Final = _FAILS + 6
# Where they lie in the first word of a row:
# a lane of places for each seat, then counts, then the lock.
_COUNT: Final = 2 * LANE
_LOCK: Final = _COUNT + 10
_HEIGHT: Final = 5  # bits of a stack in the second word
_MOST_PIECES: Final = 31  # in five bits, as a stack, in a row and in all
_MOST_FAILED: Final = 7  # in three bits
_ENOUGH: Final = family.ROWS_TO_END
_COST: Final = family.FAILED_COST

FEATURES: Final = contract.FeatureSizes(
    net_input.FEATURES, net_input.OTHER_FEATURES, net_input.LISTED, ROWS
)


class DuelBoard(NamedTuple):
    """A board and the limits of the game."""

    rows: int
    faces: int
    by_whites: int
    by_dice: int
    last: int  # the place of the last number
    counted: int
    to_lock: int
    most_failed: int
    pieces: int


def board(game: Duel) -> DuelBoard:
    if game.pieces > _MOST_PIECES or game.most_failed > _MOST_FAILED:
        raise BadRequest(
            f"a kernel plays with {_MOST_PIECES} pieces and {_MOST_FAILED} failed throws at most"
        )
    return DuelBoard(*sheet(game.layout), game.to_lock, game.most_failed, game.pieces)


def words(players: int) -> int:  # noqa: ARG001 - as in every kernel
    """How many words a table takes."""
    return 9


def pack(game: Duel, state: DuelState) -> Words:
    """The law's state as a packed table."""
    table = np.zeros(words(2), np.int64)
    turn = pack_phase(state.phase) | state.active << _ACTIVE | pack_dice(state.dice) << _DICE
    if state.white is not None:
        turn |= (pack_move(game.layout, state.white) + 1) << _CHOSEN
    for seat in (0, 1):
        turn |= state.failed[seat] << (_FAILS + 3 * seat) | placed(state, seat) << (
            _PLACED + 5 * seat
        )
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
                stack(grey >> place & 1, heights >> _HEIGHT * place & 31)
                for place in range(layout.last[row] + 1)
            )
        )
        lock = word >> _LOCK & 3
        locks.append(lock - 1 if lock else None)
    white = turn >> _CHOSEN & 63
    return DuelState(
        tuple(rows),
        tuple(locks),
        (turn >> _FAILS & 7, turn >> (_FAILS + 3) & 7),
        turn >> _ACTIVE & 1,
        PHASES[turn & 3],
        unpack_dice(layout, turn >> _DICE & DICE_MASK),
        unpack_move(layout, white - 1) if white else None,
    )


@inlined
def start(board: DuelBoard, table: Words, first: int) -> None:  # noqa: ARG001 - here and below: as in every kernel
    table[:] = 0
    table[0] = first << _ACTIVE


@inlined
def phase(board: DuelBoard, table: Words) -> int:  # noqa: ARG001
    return int(table[0]) & 3


@inlined
def active(board: DuelBoard, table: Words) -> int:  # noqa: ARG001
    return int(table[0]) >> _ACTIVE & 1


@inlined
def seats(board: DuelBoard, table: Words) -> int:  # noqa: ARG001
    return 2


@inlined
def closed(board: DuelBoard, table: Words) -> int:  # noqa: ARG001
    return int(table[0]) >> _CLOSED & 15


@inlined
def dice(board: DuelBoard, table: Words) -> int:  # noqa: ARG001
    return int(table[0]) >> _DICE & DICE_MASK


@inlined
def failed(board: DuelBoard, table: Words, seat: int) -> int:  # noqa: ARG001
    return int(table[0]) >> (_FAILS + 3 * seat) & 7


@inlined
def marks(board: DuelBoard, table: Words, seat: int, shown: Bytes, at: int) -> None:
    for row in range(board.rows):
        word, heights, first = int(table[1 + 2 * row]), int(table[2 + 2 * row]), at
        at += board.last + 2
        left = word >> LANE * seat & LANE_MASK
        while left:
            place = lowest(left)
            left &= left - 1
            shown[first + place] = heights >> _HEIGHT * place & 31
        shown[at - 1] = int(word >> _LOCK & 3 == seat + 1)


@inlined
def roll(board: DuelBoard, table: Words, dice: int) -> None:  # noqa: ARG001
    table[0] |= WHITE | dice << _DICE


@inlined
def acting(board: DuelBoard, table: Words) -> int:  # noqa: ARG001
    """D1"""
    turn = int(table[0])
    return int(turn & 3 == WHITE or turn & 3 == COLOUR) << (turn >> _ACTIVE & 1)


@inlined
def _open_places(board: DuelBoard, word: int, heights: int, seat: int) -> int:
    """Every place of an open row that a seat may enter, whatever the dice say."""
    own, both = word >> LANE * seat & LANE_MASK, (word | word >> LANE) & LANE_MASK
    few = int(word >> (_COUNT + 5 * seat) & 31 < board.to_lock)
    free = (2 << board.last) - (1 << length(own)) & ~both & ~(few << board.last)  # D2, D3, D9
    foremost = max(length(both), 1) - 1
    single = int(heights >> _HEIGHT * foremost & 31 == 1)
    # D4, D5, D6; no branch, as none could be foretold
    return free | (both & 1 << foremost) & (own | -single)


@inlined
def open_fields(board: DuelBoard, table: Words, seat: int) -> int:
    """Every field that a seat may enter, whatever the dice say."""
    turn = int(table[0])
    white = turn >> _CHOSEN & 63
    fields = 0
    for row in range(board.rows):
        lane = LANE_MASK * (1 - (turn >> (_CLOSED + row) & 1))  # S4
        fields |= (
            _open_places(board, table[1 + 2 * row], table[2 + 2 * row], seat) & lane
        ) << LANE * row
    if white > 1:
        fields &= ~(1 << (white - 2))  # D7
    return fields


@inlined
def legal(board: DuelBoard, table: Words, seat: int) -> int:
    turn = int(table[0])
    dice = turn >> _DICE & DICE_MASK
    offered = white_fields(board, dice) if turn & 3 == WHITE else colour_fields(board, dice)
    return 1 | (open_fields(board, table, seat) & offered) << 1


@inlined
def _enter(board: DuelBoard, table: Words, move: int) -> None:
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


@inlined
def _ended(board: DuelBoard, turn: int) -> bool:
    """D12"""
    most = max(turn >> _PLACED & 31, turn >> (_PLACED + 5) & 31)
    failed = (turn >> _FAILS & 7) + (turn >> (_FAILS + 3) & 7)
    return (
        most >= board.pieces
        or failed >= board.most_failed
        or count(turn >> _CLOSED & 15) >= _ENOUGH
    )


@inlined
def _act(board: DuelBoard, table: Words, move: int) -> None:
    """The active seat makes a legal choice."""
    colour = table[0] & 3 == COLOUR
    if move:
        _enter(board, table, move)
    elif colour and table[0] >> _CHOSEN & 63 == 1:  # D8
        seat = table[0] >> _ACTIVE & 1
        table[0] += 1 << (_FAILS + 3 * seat) | 1 << (_PLACED + 5 * seat)
    turn = int(table[0])
    kept = turn >> _FAILS << _FAILS | turn & 15 << _CLOSED
    seat, dice = turn >> _ACTIVE & 1, turn >> _DICE & DICE_MASK
    if _ended(board, turn):
        table[0] = kept | OVER | seat << _ACTIVE
    elif colour:
        table[0] = kept | ROLL | (1 - seat) << _ACTIVE
    else:
        closed = turn >> _CLOSED & 15
        if closed:
            dice = without(dice, closed)
        table[0] = kept | COLOUR | seat << _ACTIVE | dice << _DICE | (move + 1) << _CHOSEN


@inlined
def choose(board: DuelBoard, table: Words, seat: int, move: int) -> None:  # noqa: ARG001
    _act(board, table, move)


@inlined
def together(board: DuelBoard, table: Words, choices: Words) -> None:
    _act(board, table, choices[int(table[0]) >> _ACTIVE & 1])


@inlined
def turn_over(board: DuelBoard, table: Words) -> None:  # noqa: ARG001
    turn = int(table[0])
    table[0] = (
        turn >> _FAILS << _FAILS
        | turn & 15 << _CLOSED
        | (1 - (turn >> _ACTIVE & 1)) << _ACTIVE
        | ROLL
    )


@inlined
def forget(board: DuelBoard, table: Words) -> None:
    """D1: nothing is sealed."""


@inlined
def _reach(board: DuelBoard, word: int, seat: int) -> int:
    """How many pieces a seat can come to in a row before its last number, stacks left aside."""
    own, both = word >> LANE * seat & LANE_MASK, (word | word >> LANE) & LANE_MASK
    free = (1 << board.last) - (1 << length(own)) & ~both if length(own) < board.last else 0
    return (word >> (_COUNT + 5 * seat) & 31) + (word >> _LOCK & 3 == seat + 1) + count(free)


@inlined
def effects(
    board: DuelBoard, table: Words, seat: int, move: int
) -> tuple[int, int, int, int, int, int, int, int]:
    turn = int(table[0])
    if not move:
        failing = turn & 3 == COLOUR and turn >> _CHOSEN & 63 == 1
        return 0, 0, 0, 0, 0, 0, 0, int(failing)  # D8
    row, place = (move - 1) // LANE, (move - 1) % LANE
    word, heights = int(table[1 + 2 * row]), int(table[2 + 2 * row])
    own, both = word >> LANE * seat & LANE_MASK, (word | word >> LANE) & LANE_MASK
    skips = count((1 << place) - (1 << length(own)) & ~both) if place > length(own) else 0
    # D11: the very last piece puts none on the lock
    closes = int(place == board.last and (turn >> (_PLACED + 5 * seat) & 31) + 1 < board.pieces)
    mine, taken = own >> place & 1, both >> place & 1
    raises = mine * ((heights >> _HEIGHT * place & 31) + 1)
    # What the row comes to: the piece, and the one on the lock (D10).
    after = (word | 1 << (LANE * seat + place)) & ~((taken & ~mine) << (LANE * (1 - seat) + place))
    after += 1 << (_COUNT + 5 * seat)
    if closes:
        after |= (seat + 1) << _LOCK
    worse = int(_reach(board, after, seat) < board.to_lock <= _reach(board, word, seat))
    near = board.last - 1
    blocked = int(heights >> _HEIGHT * near & 31 > 1) & (word >> (LANE * (1 - seat) + near) & 1)
    return (
        skips,
        closes,
        taken & ~mine,
        raises,
        int(place >= length(both)),
        worse & blocked,
        worse & ~blocked,
        0,
    )


@compiled
def features(board: DuelBoard, table: Words, seat: int, lists: Words) -> int:
    """As in features.py."""
    turn, other, shut = int(table[0]), 1 - seat, 0
    for row in range(board.rows):
        listed = lists[1 + row]
        word = int(table[1 + 2 * row])
        mine, his = word >> LANE * seat & LANE_MASK, word >> LANE * other & LANE_MASK
        far, his_far = length(mine), length(his)
        lock = word >> _LOCK & 3
        holds = min((word >> (_COUNT + 5 * seat) & 31) + (lock == seat + 1), 13)
        he_holds = min((word >> (_COUNT + 5 * other) & 31) + (lock == other + 1), 13)
        gap, leads = 0, 0
        if lock:
            listed[0] = net_input.LENGTHS + (lock != seat + 1)
            shut += 1
        else:
            foremost = max(far, his_far)
            stacked = foremost > 0 and int(table[2 + 2 * row]) >> _HEIGHT * (foremost - 1) & 31 > 1
            listed[0] = (far * 12 + his_far) * 2 + stacked
            leads = int(far > his_far)
            gap = ((1 << foremost) - (1 << min(far, his_far))) & ~(mine | his)
        at = net_input.LENGTHS + 2
        listed[1] = at + holds * 12 + min(far, 11)
        at += net_input.COUNTS
        listed[2] = at + he_holds * 12 + min(his_far, 11)
        at += net_input.COUNTS
        listed[3] = at + leads * 64 + (gap & 63)
        at += 128
        listed[4] = at + leads * 32 + (gap >> 6 & 31)
    own = lists[0]
    own[0] = (turn >> (_FAILS + 3 * seat) & 7) * 5 + (turn >> (_FAILS + 3 * other) & 7)
    own[1] = net_input.PLACED_AT + (turn >> (_PLACED + 5 * seat) & 31)
    own[2] = net_input.PLACED_AT + 24 + (turn >> (_PLACED + 5 * other) & 31)
    own[3] = net_input.TURN_AT + int(turn >> _ACTIVE & 1 == seat)
    own[4] = net_input.CLOSED_AT + shut
    return board.rows


@inlined
def total(board: DuelBoard, table: Words, seat: int) -> int:
    """D13"""
    found = -_COST * (int(table[0]) >> (_FAILS + 3 * seat) & 7)
    for row in range(board.rows):
        word = int(table[1 + 2 * row])
        found += points(
            (word >> (_COUNT + 5 * seat) & 31) + (word >> _LOCK & 3 == seat + 1), board.counted
        )
    return found


@inlined
def reason(board: DuelBoard, table: Words) -> int:
    """What ended a game that is over; where two things did at once, the first named in D12."""
    turn = int(table[0])
    if max(turn >> _PLACED & 31, turn >> (_PLACED + 5) & 31) >= board.pieces:
        return BY_PIECES
    return BY_ROWS if count(turn >> _CLOSED & 15) >= _ENOUGH else BY_FAILED


contract.kernel(DuelBoard)
