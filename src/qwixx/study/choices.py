"""What every choice of a seat is worth, as the strongest level of its game sees it,
from what that seat may know."""

from collections.abc import Mapping
from random import Random
from typing import Any, Final, NamedTuple

from qwixx import bots
from qwixx.bots.master import MasterBot
from qwixx.core.fields import Move
from qwixx.core.game import Game
from qwixx.core.values import Value
from qwixx.study.reasons import Reason, reason_for

SECONDS: Final = 0.13  # of thought that somebody who waits for a hint is asked to wait


class Choices(NamedTuple):
    """Every legal choice of a seat with its value, and the best of them.

    A level without a net does not say what a choice is worth: then the values are None.
    """

    level: str  # who judged
    best: Move
    values: Mapping[Move, Value | None]


class Hint(NamedTuple):
    """What to choose, what every choice is worth, and why."""

    choices: Choices
    reason: Reason


class Adviser:
    """Judges choices for people; thinks so many seconds at most.
    Nets that it has read are kept."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._bots: dict[str, bots.Bot] = {}

    def choices(self, game: Game[Any], state: Any, seat: int) -> Choices:
        """What every choice of a seat that is to act is worth, from its own view of the state."""
        level = bots.levels(game.id, game.seats(state))[-1]
        # The same table gets the same advice: chance decides nothing here.
        found = bots.decide(self._bot(level), game, state, seat, Random(0))
        return Choices(level, found.move, _none_above(found.move, found.values))

    def hint(self, game: Game[Any], state: Any, seat: int) -> Hint:
        """The best choice of a seat that is to act, and why it is."""
        found = self.choices(game, state, seat)
        view = game.view(state, seat)
        return Hint(found, reason_for(game, view, seat, found.best, found.values))

    def _bot(self, level: str) -> bots.Bot:
        if level not in self._bots:
            kind = bots.LEVELS[level]
            self._bots[level] = MasterBot(self._seconds) if kind is MasterBot else kind()
        return self._bots[level]


def _none_above(best: Move, values: Mapping[Move, Value | None]) -> dict[Move, Value | None]:
    """Choices that were not looked at as closely as the best one are never shown above it."""
    top = values[best]
    if top is None:
        return dict(values)
    return {
        move: value
        if value is None or value.worth <= top.worth
        else Value(min(value.win, top.win), min(value.points, top.points))
        for move, value in values.items()
    }
