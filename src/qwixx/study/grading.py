"""Grades: labels of choices by what they lost, and the level whose errors are like a player's.

All bounds and rates are data, in grades.json: they were chosen from the measured distribution of
errors (docs/study.md).
"""

import json
from functools import cache
from math import log
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, get_args

from qwixx.study.judging import Worth
from qwixx.study.turns import Decision

GRADES: Final = Path(__file__).parent / "grades.json"

Label: TypeAlias = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
LABELS: Final[tuple[Label, ...]] = get_args(Label)


@cache
def _grades() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(GRADES.read_text(encoding="utf-8"))
    return found


def bounds(alone: bool) -> dict[Label, float]:
    """What a choice must lose at least to bear each label:
    chances to win, or points if there is nobody to win against."""
    found: dict[Label, float] = _grades()["bounds"]["points" if alone else "win"]
    return found


def label_of(decision: Decision, alone: bool) -> Label:
    """How good a choice was."""
    if decision.loss == Worth():
        return "best"
    lost = _counted(decision.loss, alone)
    reached = [label for label, bound in bounds(alone).items() if lost >= bound]
    return reached[-1] if reached else "good"


def rates(game_id: str, players: int) -> dict[str, float]:
    """What a choice of each level loses in the mean, as measured; nothing if it was not."""
    found: dict[str, float] = _grades()["rates"].get(game_id, {}).get(str(players), {})
    return found


def plays_like(game_id: str, players: int, rate: Worth) -> str | None:
    """The level whose errors cost about as much a choice; None if no level was measured."""
    measured = rates(game_id, players)
    least: float = _grades()["least"]["points" if players == 1 else "win"]
    lost = log(max(least, _counted(rate, players == 1)))
    return min(
        measured, key=lambda level: abs(log(max(least, measured[level])) - lost), default=None
    )


def _counted(loss: Worth, alone: bool) -> float:
    return loss.points if alone else loss.win
