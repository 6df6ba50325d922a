"""The table as it is drawn, in few bytes."""

from string import ascii_lowercase
from typing import Any

from qwixx.core.picture import Guide, Panel
from qwixx.server import messages as m


def panels(guide: Guide[Any], state: Any) -> list[m.PanelView]:
    """What lies on the table, as the game's own guide draws it."""
    return [_panel(panel) for panel in guide.panels(state)]


def left(guide: Guide[Any], state: Any) -> list[int] | None:
    """The pieces that each seat has not placed; None where there are none to place."""
    found = [
        count
        for seat in range(guide.game.seats(state))
        if (count := guide.left(state, seat)) is not None
    ]
    return found or None


def _panel(panel: Panel) -> m.PanelView:
    stacks: dict[str, int] = {}
    for strip in panel.strips:
        stacks |= strip.stacks
    return m.PanelView(
        rows=[strip.text for strip in panel.strips],
        seat=panel.seat,
        closed="".join([strip.colour for strip in panel.strips if strip.closed]),
        stacks=stacks,
        failed="".join([ascii_lowercase[seat] for seat in panel.failed]),
    )
