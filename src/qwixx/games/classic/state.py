"""What lies on a classic table: the sheets, the turn, and the sealed choices."""

from collections.abc import Iterable
from typing import NamedTuple

from qwixx.core.dice import Dice
from qwixx.core.fields import Move
from qwixx.core.game import Phase


class Sheet(NamedTuple):
    """One player's sheet. The marks of a row are a bit mask:
    bit i is its i-th place, the bit after the last number its lock."""

    rows: tuple[int, ...]
    failed: int


class ClassicState(NamedTuple):
    """A frozen table. `sealed` holds each seat's choice in the white action until the last is in."""

    sheets: tuple[Sheet, ...]
    closed: tuple[bool, ...]
    active: int
    phase: Phase
    dice: Dice | None
    white: Move | None
    sealed: tuple[Move | None, ...]


def mark_at(place: int) -> int:
    """The mark of a row that is crossed in this place."""
    return 1 << place


def marks_at(places: Iterable[int]) -> int:
    """The marks of a row that is crossed in these places."""
    return sum(map(mark_at, places))


def marked(marks: int, place: int) -> bool:
    """Whether the row is crossed in this place."""
    return bool(marks >> place & 1)


def reached(marks: int) -> int:
    """How many places lie up to the rightmost cross of the row, with it; 0 if there is none."""
    return marks.bit_length()


def crosses_of(marks: int) -> int:
    """How many crosses the row has, its lock among them."""
    return marks.bit_count()
