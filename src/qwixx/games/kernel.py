"""What the kernels of the games share: how they are compiled, their chance, and moves and dice as integers.

Chance comes from counters, not from a generator with a memory: every draw is a hash of its stream and its
number, so a game is the same whichever thread plays it and whatever is played beside it.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from qwixx.core import cache
from qwixx.core.dice import Dice
from qwixx.core.events import Choice, Event
from qwixx.core.fields import PASS, Layout, Move
from qwixx.core.game import PHASES, Phase, Reason

Words = NDArray[np.int64]
Weights = NDArray[np.float32]
F = TypeVar("F", bound=Callable[..., Any])


def _cache_folder() -> Path:
    """A place for the machine code of each state of the sources: numba looks only at the file of a function."""
    games = Path(__file__).parent
    sources = sorted({*games.rglob("*.py"), *games.parent.rglob("*kernel.py")})
    digest = hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    base = Path(numba.config.CACHE_DIR) if numba.config.CACHE_DIR else cache.folder() / "compiled"
    return base / digest


_CACHE: Final = str(_cache_folder())


def compiled(function: F) -> F:
    """Compile at the first call, free of Python's lock, and keep the machine code for the next process."""
    return _compiled(function, fastmath=False)


def compiled_fast(function: F) -> F:
    """The same for sums whose order does not matter."""
    return _compiled(function, fastmath=True)


def _compiled(function: F, fastmath: bool) -> F:
    chosen, numba.config.CACHE_DIR = numba.config.CACHE_DIR, _CACHE
    try:
        return cast("F", numba.njit(cache=True, nogil=True, error_model="numpy", fastmath=fastmath)(function))
    finally:
        numba.config.CACHE_DIR = chosen


class Board(NamedTuple):
    """A layout and the limits of a game, so that the tiny ones that tests enumerate are played by the same code.

    Plain numbers and no array: numba counts the references of an array at every call, which costs more than a rule.
    """

    rows: int
    faces: int
    last: int  # the place of the rightmost number
    lowest: int  # the first number of a rising row
    highest: int  # the first number of a falling row
    falling: int  # the rows that fall, as bits
    to_lock: int
    most_failed: int
    pieces: int


# A set of fields is a mask of four lanes, one a row, with a bit for each place and one for the lock.
# A move is 0 for a pass, or 1 + the bit of its field; a set of moves is a mask of these.
LANE: Final = 12
LANE_MASK: Final = (1 << LANE) - 1
MOVES: Final = 1 + 4 * LANE

ROLL, WHITE, COLOUR, OVER = range(4)
REASONS: Final[tuple[Reason, ...]] = ("rows", "failed", "pieces")
BY_ROWS, BY_FAILED, BY_PIECES = range(3)

# What a compiled bot can be; each weighs with its own row of weights.
RANDOM, NOVICE, GREEDY, EXPERT, CLUB, MASTER = range(6)  # the last three have a net
OVERLOOKED: Final = 4  # a novice overlooks one in so many white actions
EFFECTS: Final = ("skips", "closes", "captures", "raises", "leads", "forgoes", "failed")
SKIPS, CLOSES, CAPTURES, RAISES, LEADS, FORGOES, FAILED = range(7)

# An event in a log: dice with this bit, or 64 · seat + move.
A_ROLL: Final = 1 << 20

FRACTION: Final = 59  # bits of a draw: times the fifteen moves of a turn it still fits a signed word
_FRACTION_MASK: Final = (1 << FRACTION) - 1
DICE_STREAM, LUCK_STREAM, ORDER_STREAM = range(3)

_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_TIMES: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_RIGHT: Final = (np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(64 - FRACTION))
_SMALL: Final = tuple(np.uint64(number) for number in range(3))


@compiled
def mixed(word: np.uint64) -> np.uint64:
    """A hash of 64 bits in which every bit depends on every other (the finaliser of splitmix64)."""
    word = (word ^ (word >> _RIGHT[0])) * _TIMES[0]
    word = (word ^ (word >> _RIGHT[1])) * _TIMES[1]
    return word ^ (word >> _RIGHT[2])


@compiled
def stream(seed: int, use: int, number: int, part: int) -> np.uint64:
    """The key of an independent stream: for one use, one game, and one part of it (a seat, say)."""
    key = mixed(np.uint64(seed) + _STEP)
    key = mixed(key ^ (np.uint64(number) * _STEP))
    return mixed(key + np.uint64(use * 64 + part + 1) * _TIMES[1])


@compiled
def draw(key: np.uint64, number: int) -> int:
    """One draw of a stream, as a fraction of 2 ** FRACTION."""
    return int(np.int64(mixed(key + np.uint64(number) * _STEP) >> _RIGHT[3]))


@compiled
def luck(seed: int, number: int, seat: int, decision: int) -> int:
    """The draw for a decision of a seat: 2 · turn in the white action, 2 · turn + 1 in the colour action."""
    return draw(stream(seed, LUCK_STREAM, number, seat), decision)


@compiled
def share(fraction: int, parts: int) -> int:
    """Which of so many equal parts the fraction falls in."""
    return (fraction * parts) >> FRACTION


@compiled
def thrown(key: np.uint64, turn: int, faces: int, rows: int, closed: int) -> int:
    """The dice of a turn, three bits each, whites first; the die of a closed row shows 0 (S4)."""
    fraction = draw(key, turn)
    dice = 0
    for die in range(rows + 2):
        fraction *= faces
        if die < 2 or not closed >> (die - 2) & 1:
            dice |= ((fraction >> FRACTION) + 1) << 3 * die
        fraction &= _FRACTION_MASK
    return dice


@compiled
def dealt(seed: int, deal: int, turn: int, faces: int, rows: int, closed: int) -> int:
    """The dice of a turn, counted from 0, of a deal."""
    return thrown(stream(seed, DICE_STREAM, deal, 0), turn, faces, rows, closed)


@compiled
def order(seed: int, deal: int, number: int, parts: int) -> int:
    """Which of so many parts falls to a deal: who begins, who sits beside whom."""
    return share(draw(stream(seed, ORDER_STREAM, deal, 0), number), parts)


def count(mask: int) -> int:
    """How many bits of a word are set."""
    return int(mask).bit_count()


def lowest(mask: int) -> int:
    """The place of the lowest bit that is set."""
    return (int(mask) & -int(mask)).bit_length() - 1


def length(mask: int) -> int:
    """The place after the highest bit that is set."""
    return int(mask).bit_length()


# In compiled code each of these is an instruction of the machine.


def _code_of_count(_typing: Any, _mask: Any) -> Any:
    return _WORD(_WORD), lambda _context, builder, _signature, words: builder.ctpop(words[0])


def _code_of_lowest(_typing: Any, _mask: Any) -> Any:
    return _WORD(_WORD), lambda _context, builder, _signature, words: builder.cttz(words[0], _UNDEFINED_FOR_0)


def _code_of_length(_typing: Any, _mask: Any) -> Any:
    def code(_context: Any, builder: Any, _signature: Any, words: Any) -> Any:
        return builder.sub(ir.Constant(ir.IntType(64), 64), builder.ctlz(words[0], _DEFINED_FOR_0))

    return _WORD(_WORD), code


_WORD: Final = numba.types.int64
_UNDEFINED_FOR_0, _DEFINED_FOR_0 = (ir.Constant(ir.IntType(1), flag) for flag in (1, 0))
_count, _lowest, _length = map(intrinsic, (_code_of_count, _code_of_lowest, _code_of_length))
overload(count)(lambda mask: lambda mask: _count(mask))  # noqa: ARG005, PLW0108 - numba reads the inner one
overload(lowest)(lambda mask: lambda mask: _lowest(mask))  # noqa: ARG005, PLW0108 - as above
overload(length)(lambda mask: lambda mask: _length(mask))  # noqa: ARG005, PLW0108 - as above


@compiled
def any_of(moves: int, fraction: int) -> int:
    """One of a set of moves, each as likely as the next, in the law's order."""
    return nth_of(moves, share(fraction, count(moves)))


@compiled
def nth_of(moves: int, place: int) -> int:
    """The move at a place of a set, in the law's order."""
    for _ in range(place):
        moves &= moves - 1
    return lowest(moves)


@compiled
def unit(fraction: int) -> float:
    """A draw as a number from 0 up to 1, as Python's generators give it."""
    return (fraction >> (FRACTION - 53)) * 2.0**-53


@compiled
def field(board: Board, row: int, number: int) -> int:
    """The field with this number in a row, as a mask; none if the row has no such number."""
    place = board.highest - number if board.falling >> row & 1 else number - board.lowest
    there = int(place >= 0) & int(place <= board.last)  # no branch, as none could be foretold
    return there << (LANE * row + (place & 15))


@compiled
def white_fields(board: Board, dice: int) -> int:
    """S2: the fields that the white sum names, one in each row."""
    white_sum = (dice & 7) + (dice >> 3 & 7)
    fields = 0
    for row in range(board.rows):
        fields |= field(board, row, white_sum)
    return fields


@compiled
def colour_fields(board: Board, dice: int) -> int:
    """S3: the fields that one white and one coloured die name; a die that has left names none."""
    fields = 0
    for row in range(board.rows):
        die = dice >> (6 + 3 * row) & 7
        both = field(board, row, die + (dice & 7)) | field(board, row, die + (dice >> 3 & 7))
        fields |= both * int(die > 0)
    return fields


@compiled
def without(dice: int, closed: int) -> int:
    """S4: the dice of closed rows leave the game."""
    for row in range(4):
        if closed >> row & 1:
            dice &= ~(7 << (6 + 3 * row))
    return dice


@compiled
def points(crosses: int) -> int:
    """S5"""
    counted = min(crosses, 12)
    return counted * (counted + 1) // 2


def new_board(layout: Layout, to_lock: int, most_failed: int, pieces: int = 0) -> Board:
    """A layout and the limits of a game as the kernels read them."""
    falling = [numbers[0] > numbers[-1] for numbers in layout.numbers]
    (last,) = set(layout.last)
    highest = max(numbers[0] for numbers in layout.numbers)
    board = Board(
        len(layout.colours),
        layout.faces,
        last,
        min(min(numbers) for numbers in layout.numbers),
        highest,
        sum(falls << row for row, falls in enumerate(falling)),
        to_lock,
        most_failed,
        pieces,
    )
    for row, numbers in enumerate(layout.numbers):
        places = [lowest(field(board, row, number)) - LANE * row for number in numbers]
        assert places == list(range(last + 1)), "a kernel plays rows of all numbers in order, of one length"
    return board


def pack_move(layout: Layout, move: Move) -> int:
    if move == PASS:
        return 0
    row, place = layout.places[move]
    return 1 + LANE * row + place


def unpack_move(layout: Layout, code: int) -> Move:
    return layout.fields[(code - 1) // LANE][(code - 1) % LANE] if code else PASS


def pack_moves(layout: Layout, moves: Iterable[Move]) -> int:
    return sum(1 << pack_move(layout, move) for move in moves)


def pack_dice(dice: Dice | None) -> int:
    faces = (*dice.whites, *dice.coloured) if dice else ()
    return sum(face << 3 * die for die, face in enumerate(faces))


def unpack_dice(layout: Layout, word: int) -> Dice | None:
    if not word:
        return None
    first, second, *coloured = (word >> 3 * die & 7 for die in range(2 + len(layout.colours)))
    return Dice((first, second), tuple(coloured))


def pack_phase(phase: Phase) -> int:
    return PHASES.index(phase)


def read_log(layout: Layout, log: Sequence[int]) -> Iterator[Event]:
    """The events of a game that a kernel has played."""
    for word in log:
        if word & A_ROLL:
            dice = unpack_dice(layout, word - A_ROLL)
            assert dice is not None
            yield dice
        else:
            yield Choice(word >> 6, unpack_move(layout, word & 63))
