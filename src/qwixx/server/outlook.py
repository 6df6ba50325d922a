"""What every move comes to, for people to know before they make it: points, and the end of the game."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from qwixx.core.fields import PASS, Move
from qwixx.core.game import OVER, Game


class Outlook(NamedTuple):
    """What a move comes to."""

    ends: tuple[int, ...] | None  # every seat's total, if it ends the game
    gains: int  # what it adds to the total of whoever makes it


def outlook(game: Game[Any], state: Any, seat: int, moves: Iterable[Move]) -> dict[Move, Outlook]:
    """What each of a seat's moves comes to.

    `state` is the decision as it was opened, so that no sealed choice has a part in this: of the
    others it is supposed that they pass. If the mover is left with nothing but passing after that,
    it is part of the end, but not of what the move gains.
    """
    for other in game.to_act(state):
        if other != seat:
            state = game.choose(state, other, PASS)
    before = game.result(state).totals[seat]
    found = {}
    for move in moves:
        after = game.choose(state, seat, move)
        gains = game.result(after).totals[seat] - before
        while game.to_act(after) == (seat,):
            passed = game.choose(after, seat, PASS)
            # Whether there is nothing else is asked last, and only where it matters: it takes longest.
            goes_on = passed.phase != OVER and game.to_act(passed) != (seat,)
            if goes_on or game.moves(after, seat) != (PASS,):
                break
            after = passed
        found[move] = Outlook(game.result(after).totals if after.phase == OVER else None, gains)
    return found
