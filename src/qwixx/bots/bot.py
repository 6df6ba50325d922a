"""What a bot is: something that decides a seat's choice from what that seat may know."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random
from typing import Any, NamedTuple

from qwixx.core.errors import GameOver, NotToAct
from qwixx.core.fields import Move
from qwixx.core.game import Game
from qwixx.core.values import Value


class Decision(NamedTuple):
    """The chosen move, and what every legal one is worth to the bot; None where it does not say."""

    move: Move
    values: Mapping[Move, Value | None]


class Bot(ABC):
    """A level resolves to one of these; generic code sees nothing else of it."""

    @abstractmethod
    def decide(self, game: Game[Any], view: Any, seat: int, rng: Random) -> Decision:
        """The choice of a seat that is to act, from its own view of the state."""

    def close(self) -> None:  # noqa: B027 - most bots hold nothing
        """Let go of whatever the bot holds (a program of its own, say)."""


def decide(bot: Bot, game: Game[Any], state: Any, seat: int, rng: Random) -> Decision:
    """Ask a bot for a seat's choice, showing it only what the seat may know."""
    if seat not in game.to_act(state):
        if game.result(state).over:
            raise GameOver("the game is over: there is nothing left to choose")
        raise NotToAct(f"seat {seat} has no choice to make now")
    return bot.decide(game, game.view(state, seat), seat, rng)
