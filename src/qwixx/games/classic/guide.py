"""Qwixx as people meet it."""

from typing import ClassVar

from qwixx.core.fields import Layout
from qwixx.core.picture import Cell, Guide, Panel, Strip
from qwixx.games.classic.rules import Classic
from qwixx.games.classic.state import ClassicState, Sheet
from qwixx.games.family import printed


class ClassicGuide(Guide[ClassicState]):
    """A panel for every sheet."""

    markers: ClassVar = ()

    game: Classic

    def __init__(self, game: Classic, title: str, summary: str) -> None:
        self.game = game
        self.title = title
        self.summary = summary
        self.printed = printed(game.layout, game.most_failed, None, sealed=True)

    def panels(self, state: ClassicState) -> tuple[Panel, ...]:
        return tuple(
            Panel(seat, _strips(self.game.layout, state, seat, sheet)) for seat, sheet in enumerate(state.sheets)
        )

    def status(self, state: ClassicState, seat: int) -> str:
        return f"failed throws {state.sheets[seat].failed} of {self.game.most_failed}"


def _strips(layout: Layout, state: ClassicState, seat: int, sheet: Sheet) -> tuple[Strip, ...]:
    return tuple(
        Strip(colour, _cells(layout, row, seat, sheet.rows[row], state.closed[row]), state.closed[row])
        for row, colour in enumerate(layout.colours)
    )


def _cells(layout: Layout, row: int, seat: int, marks: int, closed: bool) -> tuple[Cell, ...]:
    rightmost = marks.bit_length() - 1
    fields: list[str | None] = [*layout.fields[row], None]
    labels = [*map(str, layout.numbers[row]), "lock"]
    return tuple(
        Cell(
            field,
            label,
            owner=seat if marks >> place & 1 else None,
            height=marks >> place & 1,
            gone=closed or place <= rightmost,
            foremost=place == rightmost,
        )
        for place, (field, label) in enumerate(zip(fields, labels, strict=True))
    )
