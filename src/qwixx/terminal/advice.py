"""A hint in words, for the terminal."""

from qwixx.core.values import Value
from qwixx.study import Hint
from qwixx.study.words import named, sentence


def hint_lines(hint: Hint) -> list[str]:
    """The best choice and why, then every choice with what it is worth, the best first."""
    (_, best, values), reason = hint
    known = {move: value for move, value in values.items() if value is not None}
    chances = any(value.to_json()["win"] < 1 for value in known.values())
    ranked = sorted(known, key=lambda move: known[move].worth, reverse=True)
    worths = [f"  {named(move):<5} {_worth(known[move], chances)}" for move in ranked]
    return [f"Hint: {named(best)}: {sentence(reason)}.", *worths]


def _worth(value: Value, chances: bool) -> str:
    shown = value.to_json()
    points = f"{shown['points']:6.1f} points"
    return f"{shown['win']:5.0%} to win, {points}" if chances else points
