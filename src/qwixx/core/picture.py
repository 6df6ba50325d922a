"""What a table looks like, for whoever draws it: panels of rows of cells, with no rule in them."""

from abc import ABC, abstractmethod
from typing import ClassVar, Generic, NamedTuple

from .fields import Move
from .game import Game, S


class Cell(NamedTuple):
    """One field, or (with no field) the lock of its row."""

    field: Move | None
    label: str
    owner: int | None = None  # the seat whose cross or piece is here
    height: int = 0  # crosses or pieces here
    gone: bool = False  # can never be entered any more by the owner of the panel
    foremost: bool = False


class Strip(NamedTuple):
    """One coloured row."""

    colour: str
    cells: tuple[Cell, ...]
    closed: bool


class Panel(NamedTuple):
    """A seat's own sheet, or the board that all share (seat None)."""

    seat: int | None
    strips: tuple[Strip, ...]


class Printed(NamedTuple):
    """What is printed on the sheet or board, and what lies beside it."""

    rows: dict[str, tuple[int, ...]]  # the numbers of each colour, left to right
    points: tuple[int, ...]  # of 1, 2, 3 ... crosses or pieces in a row
    failed: int  # boxes for failed throws
    cost: int  # of each
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

    @abstractmethod
    def status(self, state: S, seat: int) -> str:
        """What else there is to know of a seat: failed throws, pieces left."""
