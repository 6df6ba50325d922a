"""The table as it is drawn, in few bytes."""

from typing import Any

from qwixx.core.picture import Guide
from qwixx.server import messages as m


def panels(guide: Guide[Any], state: Any) -> list[m.PanelView]:
    """What lies on the table, as the game's own guide draws it."""
    return [m.PanelView(*panel.short) for panel in guide.panels(state)]


def left(guide: Guide[Any], state: Any) -> list[int] | None:
    """The pieces that each seat has not placed; None where there are none to place."""
    found = [
        count
        for seat in range(guide.game.seats(state))
        if (count := guide.left(state, seat)) is not None
    ]
    return found or None
