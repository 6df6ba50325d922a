"""The score of a classic table (C13) and why it ended (C10, C11)."""

from functools import lru_cache
from typing import Protocol

from qwixx.core.fields import Layout
from qwixx.core.game import Reason, Result
from qwixx.games import family
from qwixx.games.classic.state import ClassicState, Sheet, crosses_of


class ScoringRules(Protocol):
    """The sheet, and the number of failed throws that ends the game."""

    layout: Layout
    most_failed: int

    def __hash__(self) -> int:
        """Rules are told apart by which they are."""


def ended(
    rules: ScoringRules, sheets: tuple[Sheet, ...], closed: tuple[bool, ...]
) -> Reason | None:
    """What has ended the game, if anything has."""
    if sum(closed) >= family.ROWS_TO_END:
        return "rows"
    if max([sheet.failed for sheet in sheets]) >= rules.most_failed:
        return "failed"
    return None


def result(rules: ScoringRules, state: ClassicState) -> Result:
    return _result(rules, state.sheets, state.closed)


# What a move would come to is asked before it is made and after, and for those who pass.
@lru_cache(maxsize=1 << 12)
def _result(rules: ScoringRules, sheets: tuple[Sheet, ...], closed: tuple[bool, ...]) -> Result:
    counts = [tuple(map(crosses_of, sheet.rows)) for sheet in sheets]
    failed = [sheet.failed for sheet in sheets]
    return family.score(rules.layout, counts, failed, ended(rules, sheets, closed))
