"""The score of a classic table (C13) and why it ended (C10, C11)."""

from typing import Protocol

from qwixx.core.fields import Layout
from qwixx.core.game import Reason, Result
from qwixx.games import family
from qwixx.games.classic.state import ClassicState, Sheet, crosses_in


class ScoringRules(Protocol):
    """The sheet, and the number of failed throws that ends the game."""

    layout: Layout
    most_failed: int


def ended(
    rules: ScoringRules, sheets: tuple[Sheet, ...], closed: tuple[bool, ...]
) -> Reason | None:
    """What has ended the game, if anything has."""
    if sum(closed) >= family.ROWS_TO_END:
        return "rows"
    if any(sheet.failed >= rules.most_failed for sheet in sheets):
        return "failed"
    return None


def result(rules: ScoringRules, state: ClassicState) -> Result:
    counts = [crosses_in(sheet.rows) for sheet in state.sheets]
    failed = [sheet.failed for sheet in state.sheets]
    return family.score(rules.layout, counts, failed, ended(rules, state.sheets, state.closed))
