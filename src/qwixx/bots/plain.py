"""Plain opponents: one that knows nothing, one that has just begun,
and one that skips as little as it can."""

from collections.abc import Mapping
from random import Random
from typing import Any, Final, NamedTuple

from qwixx.bots.bot import Bot, Decision
from qwixx.bots.temper import OVERLOOKED
from qwixx.core.fields import PASS, Move
from qwixx.core.game import WHITE, Effects, Game


class Opinion(NamedTuple):
    """What a bot thinks of each effect of a move, in crosses; a cross or a piece itself is worth 1."""

    skips: float = 0.0
    closes: float = 0.0
    captures: float = 0.0
    raises: float = 0.0
    leads: float = 0.0
    forgoes: float = 0.0
    narrows: float = 0.0
    failed: float = 0.0

    def worth(self, effects: Effects) -> float:
        return sum(weight * size for weight, size in zip(self, effects, strict=True))


# Greedy's opinion. Narrowing is as bad as forgoing: greedy counts on no stack.
WORTH: Final = Opinion(
    skips=-0.5, closes=3.0, captures=1.5, raises=0.25, forgoes=-1.5, narrows=-1.5, failed=-2.5
)
NOVICE: Final = Opinion(skips=-0.25, closes=3.0, captures=1.0, failed=-0.5)
# Crosses less half the steps to the right and 2.5 for a failed throw, all doubled;
# crossing where that is even.
FORMULA: Final = Opinion(skips=-1 + 2**-10, closes=2.0, failed=-5.0)


class RandomBot(Bot):
    """Any legal move, each as likely as the next."""

    def decide(self, game: Game[Any], view: Any, seat: int, rng: Random) -> Decision:
        moves = game.moves(view, seat)
        return Decision(rng.choice(moves), dict.fromkeys(moves))


class NoviceBot(Bot):
    """Looks at one action at a time, and sometimes not at all at the white dice."""

    def decide(self, game: Game[Any], view: Any, seat: int, rng: Random) -> Decision:
        moves = game.moves(view, seat)
        attention = rng.random() * OVERLOOKED
        values = dict.fromkeys(moves)
        if view.phase == WHITE and attention < 1:
            return Decision(PASS, values)
        ties = _best({move: _worth(move, game.effects(view, seat, move), NOVICE) for move in moves})
        return Decision(ties[int((attention - int(attention)) * len(ties))], values)


class GreedyBot(Bot):
    """Skips as few numbers as it can over both actions of a turn,
    and rather fails than ruins a row."""

    def __init__(self, opinion: Opinion = WORTH) -> None:
        self.opinion = opinion

    def decide(self, game: Game[Any], view: Any, seat: int, rng: Random) -> Decision:
        moves = game.moves(view, seat)
        ties = _best({move: _worth_of_turn(game, view, seat, move, self.opinion) for move in moves})
        return Decision(rng.choice(ties), dict.fromkeys(moves))


def _best(worths: Mapping[Move, float]) -> list[Move]:
    best = max(worths.values())
    return [move for move, worth in worths.items() if worth == best]


def _worth(move: Move, effects: Effects, opinion: Opinion) -> float:
    return (move != PASS) + opinion.worth(effects)


def _worth_of_turn(
    game: Game[Any], view: Any, seat: int, move: Move, opinion: Opinion = WORTH
) -> float:
    """What a move is worth with the best that can follow it in the same turn, all others passing."""
    worth = _worth(move, game.effects(view, seat, move), opinion)
    after = game.choose(view, seat, move)
    while after.dice is not None and (
        others := [other for other in game.to_act(after) if other != seat]
    ):
        after = game.choose(after, others[0], PASS)
    if after.dice is None or after.active != seat:
        return worth
    return worth + max(
        _worth(then, game.effects(after, seat, then), opinion) for then in game.moves(after, seat)
    )
