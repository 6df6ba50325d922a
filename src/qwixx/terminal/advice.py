"""A hint in words, for the terminal."""

from typing import Final

from qwixx.core.fields import PASS, Move
from qwixx.core.values import Value
from qwixx.study import Hint
from qwixx.study.reasons import ReasonKey

WHY: Final[dict[ReasonKey, str]] = {
    "only": "there is nothing else",
    "ends_ahead": "it ends the game with you {n:g} ahead",
    "ends_behind": "{other} would end the game with you {n:g} behind",
    "closes": "it closes the row",
    "captures": "it captures a piece",
    "saves": "it saves you a failed throw",
    "keeps_lock": "{other} would give up the lock",
    "skips_none": "it skips nothing, {other} skips {n:g}",
    "skips_less": "it skips {n:g} fewer than {other}",
    "leaves_open": "{other} would skip {n:g}",
    "wins": "it wins {n:g} more of 100 games than {other}",
    "points": "it is worth {n:g} points more than {other}",
    "even": "but {other} is about as good",
    "plain": "it looks best",
}


def hint_lines(hint: Hint) -> list[str]:
    """The best choice and why, then every choice with what it is worth, the best first."""
    (_, best, values), reason = hint
    why = WHY[reason.key].format(n=reason.n, other=_name(reason.other or PASS))
    known = {move: value for move, value in values.items() if value is not None}
    chances = any(value.to_json()["win"] < 1 for value in known.values())
    ranked = sorted(known, key=lambda move: known[move].worth, reverse=True)
    worths = [f"  {_name(move):<5} {_worth(known[move], chances)}" for move in ranked]
    return [f"Hint: {_name(best)}: {why}.", *worths]


def _name(move: Move) -> str:
    return "pass" if move == PASS else move


def _worth(value: Value, chances: bool) -> str:
    shown = value.to_json()
    points = f"{shown['points']:6.1f} points"
    return f"{shown['win']:5.0%} to win, {points}" if chances else points
