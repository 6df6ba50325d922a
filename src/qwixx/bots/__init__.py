"""Opponents: a level is a name that resolves to a bot. A game has the levels that need nothing it lacks."""

from collections.abc import Callable
from pathlib import Path
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

# The net that a level thinks with: what the name of its file has after the game's. Others need the rules alone.
NETS: Final = {"club": "-small", "expert": "-small", "master": ""}
WEIGHTS: Final = Path(__file__).parent / "weights"

# Not for people to play against, but to measure by.
YARDSTICKS: Final[dict[str, Callable[[], Bot]]] = {
    "formula": lambda: GreedyBot(FORMULA),
}


def levels(game_id: str) -> tuple[str, ...]:
    """The levels that can play a game, from the weakest to the strongest."""
    return tuple(level for level in LEVELS if level not in NETS or _has_net(game_id, level))


def _has_net(game_id: str, level: str) -> bool:
    return (WEIGHTS / f"{game_id}{NETS[level]}.npz").is_file()


def check(level: str, game_id: str) -> None:
    """A level that cannot play a game is refused, with those that can."""
    offered = levels(game_id)
    if level in LEVELS and level not in offered:
        raise BadRequest(
            f"no {level} has learned {game_id}: its levels are {', '.join(offered)}, or {OUTSIDE}COMMAND"
        )


def resolve(level: object) -> Bot:
    """The bot of a level, or the outside program that `exec:COMMAND` names."""
    if isinstance(level, str) and level.startswith(OUTSIDE):
        return OutsideBot(level.removeprefix(OUTSIDE))
    known = LEVELS | YARDSTICKS
    if not isinstance(level, str) or level not in known:
        raise BadRequest(f"there is no level {shown(level)}: use {', '.join(LEVELS)}, or {OUTSIDE}COMMAND")
    return known[level]()


def player(level: str, game_id: str) -> Bot:
    """The bot of a level that can play this game."""
    check(level, game_id)
    return resolve(level)


__all__ = [
    "LEVELS",
    "NETS",
    "OUTSIDE",
    "WEIGHTS",
    "YARDSTICKS",
    "Bot",
    "Decision",
    "Estimate",
    "OutsideBot",
    "check",
    "decide",
    "levels",
    "player",
    "resolve",
]
