"""Kinds of errors: what a choice did that a better one would not have done, by their effects."""

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

from qwixx.core.fields import PASS, Move
from qwixx.core.game import WHITE, Effects, Game

Kind: TypeAlias = Literal[
    "failed", "closes", "lock", "captures", "action", "passes", "skips", "crosses", "row"
]
# Every kind, from the most telling to the least, and what it says.
KINDS: Final[dict[Kind, str]] = {
    "failed": "a failed throw taken for nothing, or not taken where it was the lesser evil",
    "closes": "a row closed too early, or not closed",
    "lock": "the lock of a row given up, or kept in reach at too high a price",
    "captures": "a piece not captured, or one that was not worth it",
    "action": "the white action against the colour action: one taken for the other",
    "passes": "passed where there was something to take",
    "crosses": "took something where passing was better",
    "skips": "too much skipped, or too little dared",
    "row": "the wrong row",
}


def kind_of(game: Game[Any], view: Any, seat: int, best: Move, made: Move) -> Kind:
    """The first kind that tells the two choices apart."""
    right, wrong = game.effects(view, seat, best), game.effects(view, seat, made)
    if found := next((kind for kind, differ in _TELLING.items() if differ(right, wrong)), None):
        return found
    if PASS in (best, made):
        if view.phase == WHITE and view.active == seat:
            return "action"
        return "passes" if made == PASS else "crosses"
    return "skips" if right.skips != wrong.skips else "row"


_TELLING: Final[dict[Kind, Callable[[Effects, Effects], bool]]] = {
    "failed": lambda right, wrong: right.failed != wrong.failed,
    "closes": lambda right, wrong: right.closes != wrong.closes,
    "lock": lambda right, wrong: right.forgoes != wrong.forgoes,
    "captures": lambda right, wrong: right.captures != wrong.captures,
}
