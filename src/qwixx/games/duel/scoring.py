"""The score of a duel board (D13) and why it ended (D12)."""

from typing import Protocol

from qwixx.core.fields import Layout
from qwixx.core.game import Reason, Result
from qwixx.games import family
from qwixx.games.duel.state import DuelState, count_in_row, placed


class ScoringRules(Protocol):
    """The board, how many pieces each has, and how many failed throws end the game."""

    layout: Layout
    pieces: int
    most_failed: int


def ended(rules: ScoringRules, state: DuelState) -> Reason | None:
    """What has ended the game, if anything has;
    where two things did at once, the first named in D12."""
    if max(placed(state, 0), placed(state, 1)) >= rules.pieces:
        return "pieces"
    if sum(state.failed) >= rules.most_failed:
        return "failed"
    if len(state.locks) - state.locks.count(None) >= family.ROWS_TO_END:
        return "rows"
    return None


def result(rules: ScoringRules, state: DuelState) -> Result:
    rows = range(len(state.rows))
    counts = [tuple([count_in_row(state, row, seat) for row in rows]) for seat in (0, 1)]
    return family.score(rules.layout, counts, state.failed, ended(rules, state))
