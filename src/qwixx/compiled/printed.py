"""Moves, dice and the printed sheet as integers.

A set of fields is a mask of four lanes, one a row, with a bit for each place and one for the lock.
A move is 0 for a pass, or 1 + the bit of its field; a set of moves is a mask of these. A die takes
three bits, the whites first.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from qwixx.compiled.jit import inlined
from qwixx.compiled.words import place_of, word_at
from qwixx.core.dice import Dice
from qwixx.core.errors import BadRequest
from qwixx.core.events import Choice, Event
from qwixx.core.fields import PASS, Layout, Move
from qwixx.core.game import PHASES, Phase, Reason

ROWS: Final = 4
LANE: Final = 12
LANE_MASK: Final = (1 << LANE) - 1
MOVES: Final = 1 + ROWS * LANE
MOST_FACES: Final = 7
DICE_BITS: Final = 3 * (2 + ROWS)
DICE_MASK: Final = (1 << DICE_BITS) - 1

ROLL, WHITE, COLOUR, OVER = range(4)
REASONS: Final[tuple[Reason, ...]] = ("rows", "failed", "pieces")
BY_ROWS, BY_FAILED, BY_PIECES = range(3)

A_ROLL: Final = 1 << 20  # an event in a log: dice with this bit, or 64 · seat + move


class Board(Protocol):
    """What every kernel's board tells: plain numbers.
    Each kernel has a type of its own, which names it."""

    @property
    def rows(self) -> int: ...
    @property
    def faces(self) -> int: ...
    @property
    def by_whites(self) -> int:
        """Where the fields lie that the white dice name."""

    @property
    def by_dice(self) -> int:
        """Where the fields lie that a coloured die names with a white one."""


@inlined
def face_of(dice: int, die: int) -> int:
    """What a die shows, the whites first; 0 if it has left."""
    return dice >> 3 * die & 7


@inlined
def white_dice(first: int, second: int) -> int:
    """A throw of the white dice alone."""
    return first | second << 3


@inlined
def white_fields(board: Board, dice: int) -> int:
    """S2: the fields that the white sum names."""
    return word_at(board.by_whites, dice & 63)


@inlined
def named(board: Board, die: int, face: int, white: int) -> int:
    """S3: the fields that a coloured die names with a white one; none if it has left."""
    return word_at(board.by_dice, die << 6 | face << 3 | white)


@inlined
def colour_fields(board: Board, dice: int) -> int:
    """S3: the fields that one white and one coloured die name."""
    first, second = face_of(dice, 0), face_of(dice, 1)
    fields = 0
    for die in range(ROWS):
        face = face_of(dice, 2 + die)
        fields |= named(board, die, face, first) | named(board, die, face, second)
    return fields


@inlined
def without(dice: int, closed: int) -> int:
    """S4: the dice of closed rows leave the game."""
    for row in range(ROWS):
        if closed >> row & 1:
            dice &= ~(7 << (6 + 3 * row))
    return dice


@inlined
def points(crosses: int, counted: int) -> int:
    """S5"""
    crosses = min(crosses, counted)
    return crosses * (crosses + 1) // 2


def sheet(layout: Layout) -> tuple[int, int, int, int, int, int]:
    """What the board of every kernel begins with: its rows, its faces, where the fields lie that
    white dice and that coloured ones name, the place of the last number, how much is counted.
    What no kernel holds raises."""
    lasts = set(layout.last)
    if (
        len(lasts) > 1
        or max(lasts) + 1 >= LANE
        or len(layout.colours) > ROWS
        or layout.faces > MOST_FACES
    ):
        raise BadRequest(
            f"a kernel plays {ROWS} rows at most, all of one length, of {LANE - 1} fields at most, "
            f"with dice of {MOST_FACES} faces at most"
        )
    tables = _by_whites(layout), _by_dice(layout)
    return len(layout.colours), layout.faces, *tables, lasts.pop(), layout.counted


def _by_whites(layout: Layout) -> int:
    """The table of what two white dice name."""
    faces = range(layout.faces + 1)
    table = [0] * 64
    for first in faces[1:]:
        for second in faces[1:]:
            table[first | second << 3] = sum(
                _bit(layout, field)
                for field in layout.places
                if layout.number(field) == first + second
            )
    return place_of(table)


def _by_dice(layout: Layout) -> int:
    """The table of what a coloured die and a white one name."""
    table = [0] * (ROWS << 6)
    for (die, number), fields in layout.named.items():
        for face in range(max(1, number - layout.faces), min(layout.faces, number - 1) + 1):
            table[die << 6 | face << 3 | number - face] = sum(
                _bit(layout, field) for field in fields
            )
    return place_of(table)


def by_closed(layout: Layout) -> int:
    """The table of the fields in rows that are open, by the rows that are closed."""
    table = [
        sum(
            _bit(layout, field)
            for field, (row, _) in layout.places.items()
            if not closed >> row & 1
        )
        for closed in range(1 << ROWS)
    ]
    return place_of(table)


def _bit(layout: Layout, field: Move) -> int:
    row, place = layout.places[field]
    return 1 << (LANE * row + place)


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
