"""Opponents: a level is a name that resolves to a bot.
A game has the levels that need nothing it lacks."""

from collections.abc import Callable
from typing import Final

from qwixx.bots.bot import Bot, Decision, decide
from qwixx.bots.expert import ClubBot, ExpertBot
from qwixx.bots.master import MasterBot
from qwixx.bots.outside import OutsideBot
from qwixx.bots.plain import FORMULA, GreedyBot, NoviceBot, RandomBot
from qwixx.bots.stock import place_of
from qwixx.core.errors import BadRequest, shown
from qwixx.core.values import Value

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


def levels(game_id: str, players: int = 2) -> tuple[str, ...]:
    """The levels that can play a game, from the weakest to the strongest;
    the practice game has nets of its own."""
    return tuple(
        level
        for level, kind in LEVELS.items()
        if not needs_net(level) or _has_net(game_id, players, kind)
    )


def needs_net(level: str) -> bool:
    """Whether a level thinks with a net."""
    kind = LEVELS.get(level)
    return isinstance(kind, type) and issubclass(kind, ExpertBot)


def _has_net(game_id: str, players: int, kind: Callable[[], Bot]) -> bool:
    small: bool = getattr(kind, "small", False)
    return place_of(game_id, players, small).is_file()


def check(level: str, game_id: str, players: int = 2) -> None:
    """A level that cannot play a game is refused, with those that can."""
    offered = levels(game_id, players)
    if level in LEVELS and level not in offered:
        alone = " alone" if players == 1 else ""
        raise BadRequest(
            f"no {level} has learned {game_id}{alone}: "
            f"its levels are {', '.join(offered)}, or {OUTSIDE}COMMAND"
        )


def resolve(level: object) -> Bot:
    """The bot of a level, or the outside program that `exec:COMMAND` names."""
    if isinstance(level, str) and level.startswith(OUTSIDE):
        return OutsideBot(level.removeprefix(OUTSIDE))
    known = LEVELS | YARDSTICKS
    if not isinstance(level, str) or level not in known:
        raise BadRequest(
            f"there is no level {shown(level)}: use {', '.join(LEVELS)}, or {OUTSIDE}COMMAND"
        )
    return known[level]()


def player(level: str, game_id: str, players: int = 2) -> Bot:
    """The bot of a level that can play this game."""
    check(level, game_id, players)
    return resolve(level)


__all__ = [
    "LEVELS",
    "OUTSIDE",
    "YARDSTICKS",
    "Bot",
    "Decision",
    "OutsideBot",
    "Value",
    "check",
    "decide",
    "levels",
    "player",
    "resolve",
]
