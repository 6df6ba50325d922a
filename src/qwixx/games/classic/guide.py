"""Qwixx as people meet it."""

from functools import lru_cache
from typing import ClassVar

from qwixx.core.errors import BadRequest
from qwixx.core.game import Position
from qwixx.core.picture import Cell, Guide, Panel, Strip
from qwixx.games.classic.position import tapped, with_failed
from qwixx.games.classic.rules import Classic
from qwixx.games.classic.state import ClassicState, marked, reached
from qwixx.games.family import printed


class ClassicGuide(Guide[ClassicState]):
    """A panel for every sheet."""

    markers: ClassVar = ()

    game: Classic

    def __init__(self, game: Classic, title: str, summary: str) -> None:
        self.game = game
        self.title = title
        self.summary = summary
        self.printed = printed(game.layout, game.most_failed, game.to_lock, None, sealed=True)

    def panels(self, state: ClassicState) -> tuple[Panel, ...]:
        game, closed = self.game, state.closed
        return tuple(
            [_panel(game, seat, *sheet, closed) for seat, sheet in enumerate(state.sheets)]
        )

    def status(self, state: ClassicState, seat: int) -> str:
        return f"failed throws {state.sheets[seat].failed} of {self.game.most_failed}"

    def tapped(self, position: Position, seat: int | None, place: str) -> Position:
        if seat is None:
            raise BadRequest("whose sheet is it? A cross belongs to a seat")
        return tapped(self.game.layout, position, seat, place)

    def with_failed(self, position: Position, seat: int, count: int) -> Position:
        return with_failed(position, seat, count)


# A move changes one sheet and of it one row or two, and every table draws all of them again and again.
@lru_cache(maxsize=1 << 13)
def _panel(
    game: Classic, seat: int, rows: tuple[int, ...], failed: int, closed: tuple[bool, ...]
) -> Panel:
    strips = [
        _strip(game, seat, row, marks, shut)
        for row, (marks, shut) in enumerate(zip(rows, closed, strict=True))
    ]
    return Panel(seat, tuple(strips), (seat,) * failed)


@lru_cache(maxsize=1 << 14)
def _strip(game: Classic, seat: int, row: int, marks: int, closed: bool) -> Strip:
    layout = game.layout
    colour, rightmost = layout.colours[row], reached(marks) - 1
    # The last number and its lock are lost as soon as there cannot be enough crosses for them (C6).
    lost = len(layout.fields[row]) + 1 if game.lockable(marks, row) else layout.last[row]
    printed = [(field, field[0], field[1:]) for field in layout.fields[row]]
    cells = [
        Cell(
            field,
            tint,
            label,
            owner=seat if marked(marks, place) else None,
            height=int(marked(marks, place)),
            gone=not marked(marks, place) and (closed or place < rightmost or place >= lost),
            foremost=place == rightmost,
        )
        for place, (field, tint, label) in enumerate([*printed, (None, colour, "lock")])
    ]
    return Strip(colour, tuple(cells), closed)
