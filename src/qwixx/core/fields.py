"""Fields and moves: rows of coloured numbers, as data, and how they are written.

A field is colour + number (`R7`); a move is a field or `-`. A `Layout` is the printed board:
another sheet of the same game is another layout, and tests also play on tiny ones that can be
enumerated.
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
    """The printed rows, left to right, and the dice that go with them.

    A row is named by the colour of its lock, and the die of that colour leaves with it (S4). Its
    fields are of that colour too, unless `tints` says otherwise: a letter for every field of every
    row.
    """

    colours: str = "RYGB"
    numbers: tuple[tuple[int, ...], ...] = (_RISING, _RISING, _FALLING, _FALLING)
    faces: int = 6
    tints: tuple[str, ...] = ()
    counted: int = 12  # crosses or pieces in a row that count (S5): eleven numbers and the lock

    def __post_init__(self) -> None:
        """A field is known by its colour and number, so each may be printed once,
        and a die must speak for it."""
        if len(self.places) < sum(map(len, self.numbers)):
            raise ValueError("a field is printed twice on this sheet")
        if not {field[0] for field in self.places} <= set(self.colours):
            raise ValueError("a field of this sheet has a colour that no die has")

    @cached_property
    def fields(self) -> tuple[tuple[Move, ...], ...]:
        """Every field as it is written, row by row from left to right."""
        alike = (colour * len(row) for colour, row in zip(self.colours, self.numbers, strict=True))
        rows = zip(self.tints or alike, self.numbers, strict=True)
        return tuple(
            tuple(f"{colour}{number}" for colour, number in zip(tints, numbers, strict=True))
            for tints, numbers in rows
        )

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

    @cached_property
    def dice(self) -> dict[Move, int]:
        """The coloured die that speaks for a field, from 0."""
        return {field: self.colours.index(field[0]) for field in self.places}

    @cached_property
    def named(self) -> dict[tuple[int, int], tuple[Move, ...]]:
        """The fields that a coloured die names with a sum, row by row."""
        found: dict[tuple[int, int], tuple[Move, ...]] = {}
        for field, die in self.dice.items():
            key = die, self.number(field)
            found[key] = (*found.get(key, ()), field)
        return found

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
