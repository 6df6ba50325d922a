"""The trained bots: a net judges the tables that a turn can lead to,
and the expert chooses the best of them.

All thought is about tables between two turns; the active seat chooses both its actions together.
Where several choose at once and somebody can close a row or end the game, they are supposed to
choose as in equilibrium; else each as if nobody else crossed anything.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from random import Random
from typing import Any, NamedTuple

from qwixx import games
from qwixx.bots.bot import Bot, Decision
from qwixx.bots.judging import (
    Judge,
    closing,
    fair,
    guesses,
    options_of,
    supposed,
    together,
)
from qwixx.bots.sealed import Sealed, mean_of
from qwixx.bots.temper import HASTE, HASTE_ALONE
from qwixx.core.equilibrium import MIX_ONE
from qwixx.core.fields import PASS, Move
from qwixx.core.game import COLOUR, Game
from qwixx.core.values import POINT, WIN, Value, likelihood


class Line(NamedTuple):
    """A choice of a seat, a table that the turn may end with after it,
    and what that is worth to the seat."""

    move: Move
    end: Any
    value: Value


class Thought(NamedTuple):
    """What a seat thinks of its choices: the ways in which the turn may end after them, if there
    is no doubt about the others; the value of each; and where several choose at once and it
    matters, the game that this is."""

    lines: list[Line]
    values: dict[Move, Value]
    game: Sealed | None = None

    def shares(self, seat: int) -> dict[Move, int]:
        """How often each of the moves is to be chosen, where several are mixed."""
        if self.game is None or not self.game.is_mixed(seat) or not self.game.others_mix(seat):
            return {}
        return self.game.mix[self.game.seats.index(seat)]


class ExpertBot(Bot):
    """Takes the best choice, as its net sees it;
    in practice with the exact table, if that was made and kept."""

    small = True  # thinks with a net of few units

    def __init__(self) -> None:
        self._solutions: dict[Game[Any], games.Solution | None] = {}
        self._judges: dict[tuple[Game[Any], int], Judge] = {}

    def decide(self, game: Game[Any], view: Any, seat: int, rng: Random) -> Decision:
        exact = self.exact(game, view, seat)
        thought = Thought([], exact) if exact else think(self.judge(game, view), view, seat)
        players = len(game.result(view).totals)
        return Decision(self.pick(thought, seat, players, rng), thought.values)

    def pick(self, thought: Thought, seat: int, players: int, rng: Random) -> Move:  # noqa: ARG002 - as others do
        """One of the moves: the best, or one of those that are mixed."""
        if shares := thought.shares(seat):
            return drawn(shares, rng)
        return best(thought.values)

    def values(self, game: Game[Any], view: Any, seat: int) -> dict[Move, Value]:
        """What every legal move is worth."""
        return self.exact(game, view, seat) or think(self.judge(game, view), view, seat).values

    def judge(self, game: Game[Any], view: Any) -> Judge:
        players = len(game.result(view).totals)
        if (game, players) not in self._judges:
            self._judges[game, players] = Judge(game, players, self.small)
        return self._judges[game, players]

    def exact(self, game: Game[Any], view: Any, seat: int) -> dict[Move, Value]:
        """The exact values of the practice game, where they are kept."""
        if len(game.result(view).totals) > 1:
            return {}
        if game not in self._solutions:
            self._solutions[game] = kept(game)
        solution = self._solutions[game]
        if solution is None:
            return {}
        choices = solution.choices(game, view, seat)
        return {move: Value(WIN, round(POINT * choice.value)) for move, choice in choices.items()}


class ClubBot(ExpertBot):
    """Sees what the expert sees, but likes several moves: the better, the more often."""

    def pick(self, thought: Thought, seat: int, players: int, rng: Random) -> Move:  # noqa: ARG002 - it mixes anyway
        values = thought.values
        top = max(value.worth for value in values.values())
        haste = HASTE if players > 1 else HASTE_ALONE
        weights = [likelihood(top - value.worth, haste) for value in values.values()]
        left = rng.random() * sum(weights)
        for move, weight in zip(values, weights, strict=True):
            left -= weight
            if left < 0:
                return move
        return move


def kept(game: Game[Any]) -> games.Solution | None:
    """The exact solution of a game for one player, if it was made and can be read."""
    try:
        solution = games.solution_of(game.id)
    except ImportError:
        return None
    return None if solution is None else solution.kept(game, 1)


def best(values: Mapping[Move, Value]) -> Move:
    """The move that is worth most; of several the first."""
    return max(values, key=lambda move: values[move].worth)


def drawn(shares: Mapping[Move, int], rng: Random) -> Move:
    """One of some moves that are mixed, by luck."""
    left = int(rng.random() * MIX_ONE)
    for move, share in shares.items():
        left -= share
        if left < 0:
            return move
    raise AssertionError("the shares are not a whole")


def best_of_each(found: Sequence[Line]) -> dict[Move, Value]:
    """What each move is worth with the best that may follow it."""
    best: dict[Move, Value] = {}
    for move, _, value in found:
        if move not in best or value.worth > best[move].worth:
            best[move] = value
    return best


def lines(judge: Judge, view: Any, seat: int) -> list[Line]:
    """Every choice of a seat with what is supposed to follow it, and what it then comes to;
    none if others mix."""
    return think(judge, view, seat).lines


def think(judge: Judge, view: Any, seat: int) -> Thought:
    """What every choice of a seat comes to."""
    game, options = judge.game, options_of(judge.game, view)
    others = {other: moves for other, moves in options.items() if other != seat}
    thoughts = guesses(judge, view, others)
    choices, colour = supposed(thoughts, judge((guess.end, guess.seat) for guess in thoughts))
    ends = [
        (move, end)
        for move in options[seat]
        for end in _ends(game, together(game, view, {**choices, seat: move}), seat, colour)
    ]
    possible = chain((guess.end for guess in thoughts), (end for _, end in ends))
    if others and closing(game, view, possible):
        return _think_sealed(judge, view, seat, options, choices)
    values = judge((end, seat) for _, end in ends)
    found = [Line(move, end, values[end, seat]) for move, end in ends]
    return Thought(found, best_of_each(found))


def _think_sealed(
    judge: Judge,
    view: Any,
    seat: int,
    options: Mapping[int, tuple[Move, ...]],
    others: Mapping[int, Move],
) -> Thought:
    """The same, where what others choose at the same time matters."""
    own = guesses(judge, view, {seat: options[seat]})
    alone, _ = supposed(own, judge((guess.end, seat) for guess in own))
    game = Sealed(judge, view, options, {**others, **alone})
    return answered(game, seat)


def answered(game: Sealed, seat: int) -> Thought:
    """What every choice of a seat comes to, given the mix of the others."""
    judge, options = game.judge, game.options[game.seats.index(seat)]
    answers = {move: list(game.answers(seat, move)) for move in options}
    game.learn((outcome, seat) for weighed in answers.values() for outcome, _ in weighed)
    if game.others_mix(seat):
        return Thought(
            [], {move: mean_of(game.values, seat, answers[move]) for move in options}, game
        )
    ends = [
        (move, end)
        for move, [(outcome, _)] in answers.items()
        for end in (
            _ends(judge.game, game.after(outcome), seat, PASS)
            if game.view.active == seat
            else [game.ends[outcome]]
        )
    ]
    seats = game.fair_seats(seat)
    values = judge((end, one) for _, end in ends for one in seats)
    found = [
        Line(move, end, fair({one: values[end, one] for one in seats}, seat)) for move, end in ends
    ]
    return Thought(found, best_of_each(found), game)


def _ends(game: Game[Any], after: Any, seat: int, colour: Move) -> list[Any]:
    """The tables that the turn may end with after an action:
    as the seat likes, or as the active one will."""
    if after.phase != COLOUR:
        return [after]
    moves = game.moves(after, after.active)
    if after.active != seat:
        return [game.choose(after, after.active, colour if colour in moves else PASS)]
    return [game.choose(after, seat, then) for then in moves]


__all__ = [
    "ClubBot",
    "ExpertBot",
    "Judge",
    "Line",
    "Thought",
    "answered",
    "best_of_each",
    "lines",
    "options_of",
    "think",
    "together",
]
