"""Whether a move ends the game, for people to know before they make it."""

from typing import Any

from qwixx.core.fields import PASS, Move
from qwixx.core.game import Game


def ending(game: Game[Any], state: Any, seat: int, move: Move) -> tuple[int, ...] | None:
    """Every seat's total if this move ends the game; None if it goes on.

    `state` is the decision as it was opened, so that no sealed choice has a part in this: of the others it is
    supposed that they pass. If the mover is left with nothing but passing after that, it is part of the move.
    """
    after = game.choose(others_passing(game, state, seat), seat, move)
    while game.to_act(after) == (seat,) and game.moves(after, seat) == (PASS,):
        after = game.choose(after, seat, PASS)
    result = game.result(after)
    return result.totals if result.over else None


def others_passing(game: Game[Any], state: Any, seat: int) -> Any:
    """The state in which all who choose at the same time as this seat have passed."""
    for other in game.to_act(state):
        if other != seat:
            state = game.choose(state, other, PASS)
    return state
