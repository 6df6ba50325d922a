"""Two plain opponents: one that knows nothing, and one that skips as little as it can."""

from random import Random
from typing import Any, Final

from qwixx.bots.bot import Bot, Decision, Estimate
from qwixx.core.fields import PASS, Move
from qwixx.core.game import Effects, Game

# What greedy thinks a move's effects are worth, in crosses; a cross or a piece itself is worth 1.
WORTH: Final = {
    "skips": -0.5,
    "closes": 3.0,
    "captures": 1.5,
    "raises": 0.25,
    "leads": 0.0,
    "forgoes": -1.5,
    "failed": -2.5,
}


class RandomBot(Bot):
    """Any legal move, each as likely as the next."""

    def decide(self, game: Game[Any], view: Any, seat: int, rng: Random) -> Decision:
        moves = game.moves(view, seat)
        return Decision(rng.choice(moves), dict.fromkeys(moves, Estimate()))


class GreedyBot(Bot):
    """Skips as few numbers as it can over both actions of a turn, and rather fails than ruins a row."""

    def decide(self, game: Game[Any], view: Any, seat: int, rng: Random) -> Decision:
        moves = game.moves(view, seat)
        worths = {move: _worth_of_turn(game, view, seat, move) for move in moves}
        best = max(worths.values())
        ties = [move for move in moves if worths[move] == best]
        return Decision(rng.choice(ties), dict.fromkeys(moves, Estimate()))


def _worth(move: Move, effects: Effects) -> float:
    return (move != PASS) + sum(WORTH[effect] * size for effect, size in effects.items())


def _worth_of_turn(game: Game[Any], view: Any, seat: int, move: Move) -> float:
    """What a move is worth with the best that can follow it in the same turn, all others passing."""
    worth = _worth(move, game.effects(view, seat, move))
    after = game.choose(view, seat, move)
    while after.dice is not None and (others := [other for other in game.to_act(after) if other != seat]):
        after = game.choose(after, others[0], PASS)
    if after.dice is None or after.active != seat:
        return worth
    return worth + max(_worth(then, game.effects(after, seat, then)) for then in game.moves(after, seat))
