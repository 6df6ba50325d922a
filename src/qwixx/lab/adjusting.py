"""Results without the luck: what every throw of a game gave to every seat, taken away again.

Luck has a mean of nought, so the mean of a result stays what it is, and its spread shrinks.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qwixx import games, study
from qwixx.core.dice import Dice
from qwixx.core.events import Event, apply

WIN, POINTS = 0, 1


class Adjuster:
    """Finds the luck of games of one kind."""

    def __init__(self, game_id: str, players: int) -> None:
        self._game, self._players = games.game(game_id), players
        self._judge = study.judgement(self._game, players, "compiled")

    def luck(self, events: Sequence[Event], first: int) -> NDArray[np.float64]:
        """The luck of a game to every seat, in wins and in points."""
        state: Any = self._game.start(self._players, first)
        luck = np.zeros((self._players, 2))
        for event in events:
            if isinstance(event, Dice):
                luck += np.array(self._judge.after(state, event))
                luck -= np.array(self._judge.before(state))
            state = apply(self._game, state, event)
        return luck
