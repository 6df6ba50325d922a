"""Fields and moves: four coloured rows of numbers, as data, and how they are written.

A field is colour + number (`R7`); a move is a field or `-`. A `Layout` is the printed board; games are
played on the full one, tests also on tiny ones that can be enumerated.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from .errors import BadRequest, shown

Move: TypeAlias = str
PASS: Final[Move] = "-"
HIDDEN: Final[Move] = "?"  # stands in a view for a choice that the viewer may not know

COLOUR_NAMES: Final = {"R": "red", "Y": "yellow", "G": "green", "B": "blue"}

_RISING: Final = tuple(range(2, 13))
_FALLING: Final = tuple(range(12, 1, -1))
_FIELD: Final = re.compile(r"([A-Z])(0|[1-9][0-9]?)")


@dataclass(frozen=True, eq=False)
class Layout:
    """The printed rows, left to right, and the dice that go with them."""

    colours: str = "RYGB"
    numbers: tuple[tuple[int, ...], ...] = (_RISING, _RISING, _FALLING, _FALLING)
    faces: int = 6

    @cached_property
    def fields(self) -> tuple[tuple[Move, ...], ...]:
        """Every field as it is written, row by row from left to right."""
        rows = zip(self.colours, self.numbers, strict=True)
        return tuple(tuple(f"{colour}{number}" for number in numbers) for colour, numbers in rows)

    @cached_property
    def places(self) -> dict[Move, tuple[int, int]]:
        """Where a field lies: its row and its position in the row, both from 0."""
        return {
            field: (row, position)
            for row, fields in enumerate(self.fields)
            for position, field in enumerate(fields)
        }

    @cached_property
    def last(self) -> tuple[int, ...]:
        """The position of the rightmost number of each row."""
        return tuple(len(numbers) - 1 for numbers in self.numbers)

    def place(self, move: Move) -> tuple[int, int]:
        """The place of a field; text that is no field of this board raises."""
        try:
            return self.places[move]
        except (KeyError, TypeError):
            raise BadRequest(self._no_such_move(move)) from None

    def number(self, field: Move) -> int:
        row, position = self.places[field]
        return self.numbers[row][position]

    def _no_such_move(self, move: object) -> str:
        if isinstance(move, str) and _FIELD.fullmatch(move):
            return f"there is no field {move} on this board"
        return f"{shown(move)} is no move: write a field such as {self.fields[0][-1]}, or {PASS} to pass"


STANDARD: Final = Layout()
