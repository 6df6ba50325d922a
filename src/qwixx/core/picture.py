"""What a table looks like, for whoever draws it: panels of rows of cells, with no rule in them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from string import ascii_lowercase, ascii_uppercase
from typing import ClassVar, Generic, NamedTuple

from .errors import BadRequest
from .fields import Move
from .game import Game, Position, S


class Cell(NamedTuple):
    """One field, or (with no field) the lock of its row."""

    field: Move | None
    colour: str  # its own; a lock has its row's
    label: str  # its number
    owner: int | None = None  # the seat whose cross or piece is here
    height: int = 0  # crosses or pieces here
    gone: bool = False  # empty, and can never be entered any more by the owner of the panel
    foremost: bool = False  # the foremost mark of its row


@dataclass(frozen=True)
class Strip:
    """One row."""

    colour: str  # of its lock, by which it is named
    cells: tuple[Cell, ...]
    closed: bool

    @cached_property
    def text(self) -> str:
        """The row in few letters, one for each cell: `.` is empty, `-` is gone,
        `a` is a mark of seat 0, `b` of seat 1 ..., a capital for the foremost mark."""
        return "".join(map(_letter, self.cells))

    @cached_property
    def stacks(self) -> dict[Move, int]:
        """How many marks lie on a field, where there are several."""
        return {
            cell.field: cell.height
            for cell in self.cells
            if cell.field is not None and cell.height > 1
        }


@dataclass(frozen=True)
class Panel:
    """A seat's own sheet, or the board that all share (seat None)."""

    seat: int | None
    strips: tuple[Strip, ...]
    failed: tuple[int, ...]  # whose marks lie in the boxes for failed throws

    @cached_property
    def short(self) -> "Short":
        """All of it in few letters."""
        strips = self.strips
        return Short(
            [strip.text for strip in strips],
            self.seat,
            "".join([strip.colour for strip in strips if strip.closed]),
            {field: height for strip in strips for field, height in strip.stacks.items()},
            "".join([ascii_lowercase[seat] for seat in self.failed]),
        )


class Short(NamedTuple):
    """A panel in few letters."""

    rows: list[str]
    seat: int | None
    closed: str  # the colours of its closed rows
    stacks: dict[Move, int]  # how many marks lie on a field, where there are several
    failed: str  # a letter for each failed throw, of the seat that it is a mark of


def _letter(cell: Cell) -> str:
    if cell.owner is None:
        return "-" if cell.gone else "."
    return (ascii_uppercase if cell.foremost else ascii_lowercase)[cell.owner]


class PrintedRow(NamedTuple):
    """A row as it is printed."""

    colour: str  # of its lock, by which it is named
    fields: tuple[Move, ...]  # left to right, each written with its own colour and number


class Printed(NamedTuple):
    """What is printed on the sheet or board, and what lies beside it."""

    rows: tuple[PrintedRow, ...]
    faces: int  # of a die
    points: tuple[int, ...]  # of 1, 2, 3 ... crosses or pieces in a row
    failed: int  # boxes for failed throws
    cost: int  # of each
    to_lock: int  # marks that a row needs before its last number may be taken
    pieces: int | None  # a player's supply
    sealed: bool  # whether there are choices that all make at once


class Guide(ABC, Generic[S]):
    """A game as people meet it: its name, its rules in short, its picture."""

    title: str
    summary: str  # the rules in short
    markers: ClassVar[tuple[str, ...]]  # what each seat's marks are called, if they differ

    game: Game[S]
    printed: Printed

    @abstractmethod
    def panels(self, state: S) -> tuple[Panel, ...]:
        """The table in this state."""

    def left(self, state: S, seat: int) -> int | None:  # noqa: ARG002 - most games have no pieces
        """The pieces that a seat has not placed; None where there are none to place."""
        return None

    @abstractmethod
    def status(self, state: S, seat: int) -> str:
        """What else there is to know of a seat: failed throws, pieces left."""

    def tapped(self, position: Position, seat: int | None, place: str) -> Position:  # noqa: ARG002 - here and below: a game may leave it out
        """A position of this game after somebody has tapped a field of it, or (a colour alone) the
        lock of a row, to try things out, with a mark of this seat in hand or (None) to take one
        away. Whether it can be is for the law to say: it may be none that can."""
        raise self._cannot_edit()

    def with_failed(self, position: Position, seat: int, count: int) -> Position:  # noqa: ARG002 - as above
        """The same after a seat's failed throws were changed."""
        raise self._cannot_edit()

    def _cannot_edit(self) -> BadRequest:
        return BadRequest(f"positions of {self.game.id} cannot be changed by taps")
