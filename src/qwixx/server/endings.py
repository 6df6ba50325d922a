"""Which moves end the game, for people to know before they make them."""

from collections.abc import Iterable
from typing import Any

from qwixx.core.fields import PASS, Move
from qwixx.core.game import OVER, Game


def endings(
    game: Game[Any], state: Any, seat: int, moves: Iterable[Move]
) -> dict[Move, tuple[int, ...]]:
    """Those of a seat's moves that end the game, each with every seat's total.

    `state` is the decision as it was opened, so that no sealed choice has a part in this: of the
    others it is supposed that they pass. If the mover is left with nothing but passing after that,
    it is part of the move.
    """
    for other in game.to_act(state):
        if other != seat:
            state = game.choose(state, other, PASS)
    found = {}
    for move in moves:
        after = game.choose(state, seat, move)
        while game.to_act(after) == (seat,) and game.moves(after, seat) == (PASS,):
            after = game.choose(after, seat, PASS)
        if after.phase == OVER:
            found[move] = game.result(after).totals
    return found
