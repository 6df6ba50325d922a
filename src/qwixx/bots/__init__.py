"""Opponents: a level is a name that resolves to a bot."""

from collections.abc import Callable
from typing import Final

from qwixx.bots.bot import Bot, Decision, Estimate, decide
from qwixx.bots.expert import ClubBot, ExpertBot
from qwixx.bots.master import MasterBot
from qwixx.bots.outside import OutsideBot
from qwixx.bots.plain import FORMULA, GreedyBot, NoviceBot, RandomBot
from qwixx.core.errors import BadRequest, shown

OUTSIDE: Final = "exec:"

# From the weakest to the strongest.
LEVELS: Final[dict[str, Callable[[], Bot]]] = {
    "random": RandomBot,
    "novice": NoviceBot,
    "greedy": GreedyBot,
    "club": ClubBot,
    "expert": ExpertBot,
    "master": MasterBot,
}

# Not for people to play against, but to measure by.
YARDSTICKS: Final[dict[str, Callable[[], Bot]]] = {
    "formula": lambda: GreedyBot(FORMULA),
}


def resolve(level: object) -> Bot:
    """The bot of a level, or the outside program that `exec:COMMAND` names."""
    if isinstance(level, str) and level.startswith(OUTSIDE):
        return OutsideBot(level.removeprefix(OUTSIDE))
    known = LEVELS | YARDSTICKS
    if not isinstance(level, str) or level not in known:
        raise BadRequest(f"there is no level {shown(level)}: use {', '.join(LEVELS)}, or {OUTSIDE}COMMAND")
    return known[level]()


__all__ = ["LEVELS", "OUTSIDE", "YARDSTICKS", "Bot", "Decision", "Estimate", "OutsideBot", "decide", "resolve"]
