"""What a seat may know of a table, and what it may choose, as numbers: alike for every game.

All is read off the contract and the game's picture, through the view of the seat, so that no other
seat's sealed choice can be in it. `compiled.stepping.show` writes the same from packed tables.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qwixx import games
from qwixx.core.fields import PASS, Move
from qwixx.core.game import COLOUR, WHITE
from qwixx.core.picture import Guide

Observation = NDArray[np.uint8]
Mask = NDArray[np.int8]

IN_ACTION: Final = (WHITE, COLOUR)


class Field(NamedTuple):
    """A part of an observation: where it lies, its shape, and the highest number in it."""

    name: str
    at: slice
    shape: tuple[int, ...]
    highest: int


class Encoding:
    """How tables of a game with so many players are told in numbers."""

    def __init__(self, guide: Guide[Any], players: int) -> None:
        self.guide, self.game, self.players = guide, guide.game, players
        layout, printed = guide.game.layout, guide.printed
        rows = len(layout.colours)
        # Every action by its number, and the number of each.
        self.moves: tuple[Move, ...] = (PASS, *layout.places)
        self.numbers = {move: number for number, move in enumerate(self.moves)}
        self.fields = tuple(
            _laid_out(
                ("marks", (players, rows, 2 + max(layout.last)), printed.pieces or 1),
                ("failed", (players,), printed.failed),
                ("closed", (rows,), 1),
                ("dice", (2 + rows,), layout.faces),
                ("phase", (len(IN_ACTION),), 1),
                ("active", (players,), 1),
                ("failing", (1,), 1),
            )
        )
        self.size = self.fields[-1].at.stop

    @property
    def highest(self) -> Observation:
        """The highest number at each place of an observation."""
        return np.concatenate(
            [np.full(field.at.stop - field.at.start, field.highest) for field in self.fields]
        ).astype(np.uint8)

    def named(self, observation: Any) -> dict[str, Any]:
        """The parts of an observation, or of a batch of them, by name and in their shapes."""
        return {
            field.name: observation[..., field.at].reshape(*observation.shape[:-1], *field.shape)
            for field in self.fields
        }

    def observe(self, state: Any, seat: int) -> Observation:
        """What a seat may know of a state. Seats are counted from it on, round the table."""
        game, players, view = self.game, self.players, self.game.view(state, seat)
        shown = np.zeros(self.size, np.uint8)
        parts = self.named(shown)
        for panel in self.guide.panels(view):
            for row, strip in enumerate(panel.strips):
                parts["closed"][row] = strip.closed
                for place, cell in enumerate(strip.cells):
                    if cell.owner is not None:
                        parts["marks"][(cell.owner - seat) % players, row, place] = cell.height
            for owner in panel.failed:
                parts["failed"][(owner - seat) % players] += 1
        if view.dice is not None:
            parts["dice"][:] = (*view.dice.whites, *view.dice.coloured)
        if view.phase in IN_ACTION:
            parts["phase"][IN_ACTION.index(view.phase)] = 1
            parts["failing"][0] = game.effects(view, view.active, PASS).failed
        parts["active"][(view.active - seat) % players] = 1
        return shown

    def mask(self, state: Any, seat: int) -> Mask:
        """The legal actions of a seat; a pass alone where it has no choice to make."""
        allowed = np.zeros(len(self.moves), np.int8)
        for move in self.game.moves(state, seat) or (PASS,):
            allowed[self.numbers[move]] = 1
        return allowed


def _laid_out(*parts: tuple[str, tuple[int, ...], int]) -> Iterator[Field]:
    at = 0
    for name, shape, highest in parts:
        size = int(np.prod(shape))
        yield Field(name, slice(at, at + size), shape, highest)
        at += size


@cache
def encoding(game_id: str, players: int) -> Encoding:
    """How tables of a registered game are told in numbers."""
    games.game(game_id).start(players, 0)  # which says what is wrong with a number of players
    return Encoding(games.guide(game_id), players)
