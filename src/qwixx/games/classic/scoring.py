"""The score of a classic table (C13) and why it ended (C10, C11)."""

from typing import Protocol

from qwixx.core.fields import Layout
from qwixx.core.game import Reason, Result
from qwixx.games import family
from qwixx.games.classic.state import ClassicState, Sheet


class Limits(Protocol):
    """The sheet, and the number of failed throws that ends the game."""

    layout: Layout
    most_failed: int


def ended(limits: Limits, sheets: tuple[Sheet, ...], closed: tuple[bool, ...]) -> Reason | None:
    """What has ended the game, if anything has."""
    if sum(closed) >= family.ROWS_TO_END:
        return "rows"
    if any(sheet.failed >= limits.most_failed for sheet in sheets):
        return "failed"
    return None


def result(limits: Limits, state: ClassicState) -> Result:
    counts = [[marks.bit_count() for marks in sheet.rows] for sheet in state.sheets]
    failed = [sheet.failed for sheet in state.sheets]
    return family.score(limits.layout, counts, failed, ended(limits, state.sheets, state.closed))
