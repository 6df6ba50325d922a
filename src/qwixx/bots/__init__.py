"""Opponents: a level is a name that resolves to a bot."""

from collections.abc import Callable
from typing import Final

from qwixx.bots.bot import Bot, Decision, Estimate, decide
from qwixx.bots.outside import OutsideBot
from qwixx.bots.plain import GreedyBot, RandomBot
from qwixx.core.errors import BadRequest, shown

OUTSIDE: Final = "exec:"

# From the weakest to the strongest.
LEVELS: Final[dict[str, Callable[[], Bot]]] = {
    "random": RandomBot,
    "greedy": GreedyBot,
}


def resolve(level: object) -> Bot:
    """The bot of a level, or the outside program that `exec:COMMAND` names."""
    if isinstance(level, str) and level.startswith(OUTSIDE):
        return OutsideBot(level.removeprefix(OUTSIDE))
    if not isinstance(level, str) or level not in LEVELS:
        raise BadRequest(f"there is no level {shown(level)}: use {', '.join(LEVELS)}, or {OUTSIDE}COMMAND")
    return LEVELS[level]()


__all__ = ["LEVELS", "OUTSIDE", "Bot", "Decision", "Estimate", "OutsideBot", "decide", "resolve"]
