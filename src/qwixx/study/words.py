"""Reasons in words, in English, for the terminal and for programs. The page has its own, in five
languages."""

from typing import Final

from qwixx.core.fields import PASS, Move
from qwixx.study.reasons import Reason, ReasonKey

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


def named(move: Move) -> str:
    return "pass" if move == PASS else move


def sentence(reason: Reason) -> str:
    """Why a choice is the best, as the end of a sentence that names it."""
    return WHY[reason.key].format(n=reason.n, other=named(reason.other or PASS))
