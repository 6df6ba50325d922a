"""The trained bots: a net judges the tables that a turn can lead to,
and the expert chooses the best of them.

All thought is about tables between two turns. Others are supposed to choose what is best for them
if nobody else crosses anything; the active seat chooses both its actions together.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from random import Random
from typing import Any, NamedTuple

from qwixx import games
from qwixx.bots.bot import Bot, Decision
from qwixx.bots.temper import HASTE, HASTE_ALONE
from qwixx.core.errors import BotFailed
from qwixx.core.fields import PASS, Move
from qwixx.core.game import COLOUR, OVER, Game
from qwixx.core.values import POINT, WIN, Value, likelihood


class Line(NamedTuple):
    """A choice of a seat, a table that the turn may end with after it,
    and what that is worth to the seat."""

    move: Move
    end: Any
    value: Value


class Guess(NamedTuple):
    """What a seat might choose if nobody else crosses anything,
    and the table that this would leave."""

    seat: int
    move: Move
    colour: Move  # the colour action to follow, of the active seat
    end: Any


class Judge:
    """Says what tables between two turns, or at the end, are worth."""

    def __init__(self, game: Game[Any], players: int, small: bool = False) -> None:
        self.game, self.players = game, players
        features = games.features_of(game.id)
        if features is None:
            raise BotFailed(f"no net has learned the game {game.id}")
        self.features = features
        try:
            nets = import_module("qwixx.bots.net")
        except ImportError:
            raise BotFailed(
                "this bot thinks with numpy, which is not there: pip install numpy"
            ) from None
        self.net = nets.net_of(game.id, players, small)

    def __call__(self, asked: Iterable[tuple[Any, int]]) -> dict[tuple[Any, int], Value]:
        """The value of each table to the seat it is asked for; each is thought about once."""
        known: dict[tuple[Any, int], Value] = {}
        open_tables: dict[tuple[Any, int], Any] = {}
        for table in asked:
            if table in known or table in open_tables:
                continue
            state, seat = table
            if state.phase == OVER:
                known[table] = self._final(state, seat)
            else:
                open_tables[table] = self.features.listed(state, seat)
        if open_tables:
            wins, points = self.net.judge(list(open_tables.values()))
            if self.players == 1:
                wins = [WIN] * len(wins)
            known.update(zip(open_tables, map(Value, wins, points), strict=True))
        return known

    def _final(self, state: Any, seat: int) -> Value:
        result = self.game.result(state)
        winners = result.winners or ()
        return Value(WIN // len(winners) if seat in winners else 0, POINT * result.totals[seat])


class ExpertBot(Bot):
    """Takes the best choice, as its net sees it;
    in practice with the exact table, if that was made and kept."""

    small = True  # thinks with a net of few units

    def __init__(self) -> None:
        self._solutions: dict[Game[Any], games.Solution | None] = {}
        self._judges: dict[tuple[Game[Any], int], Judge] = {}

    def decide(self, game: Game[Any], view: Any, seat: int, rng: Random) -> Decision:
        values = self.values(game, view, seat)
        move = self.pick(values, len(game.result(view).totals), rng)
        return Decision(move, values)

    def pick(self, values: Mapping[Move, Value], players: int, rng: Random) -> Move:  # noqa: ARG002 - as others do
        """One of the moves, by what they are worth."""
        return max(values, key=lambda move: values[move].worth)

    def values(self, game: Game[Any], view: Any, seat: int) -> dict[Move, Value]:
        """What every legal move is worth."""
        return self.exact(game, view, seat) or best_of_each(
            lines(self.judge(game, view), view, seat)
        )

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

    def pick(self, values: Mapping[Move, Value], players: int, rng: Random) -> Move:
        best = max(value.worth for value in values.values())
        haste = HASTE if players > 1 else HASTE_ALONE
        weights = [likelihood(best - value.worth, haste) for value in values.values()]
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


def best_of_each(found: Sequence[Line]) -> dict[Move, Value]:
    """What each move is worth with the best that may follow it."""
    best: dict[Move, Value] = {}
    for move, _, value in found:
        if move not in best or value.worth > best[move].worth:
            best[move] = value
    return best


def lines(judge: Judge, view: Any, seat: int) -> list[Line]:
    """Every choice of a seat with what is supposed to follow it, and what it then comes to."""
    game, options = judge.game, options_of(judge.game, view)
    thoughts = guesses(judge, view, seat, options)
    choices, colour = supposed(thoughts, judge((guess.end, guess.seat) for guess in thoughts))
    ends = [
        (move, end)
        for move in options[seat]
        for end in _ends(game, together(game, view, {**choices, seat: move}), seat, colour)
    ]
    values = judge((end, seat) for _, end in ends)
    return [Line(move, end, values[end, seat]) for move, end in ends]


def options_of(game: Game[Any], view: Any) -> dict[int, tuple[Move, ...]]:
    """The legal moves of every seat that acts now, those among them whose choice is sealed already."""
    options: dict[int, tuple[Move, ...]] = {}
    state = view
    while state.phase == view.phase:
        seats = game.to_act(state)
        for seat in seats:
            if seat not in options:
                options[seat] = game.moves(state, seat)
        state = game.choose(state, seats[0], PASS)
    return options


def together(game: Game[Any], view: Any, choices: Mapping[int, Move]) -> Any:
    """The table after an action in which all choose so; who is not named passes."""
    state = view
    while state.phase == view.phase:
        seat = game.to_act(state)[0]
        state = game.choose(state, seat, choices.get(seat, PASS))
    return state


def guesses(
    judge: Judge, view: Any, seat: int, options: Mapping[int, Sequence[Move]]
) -> list[Guess]:
    """All that the other seats might choose."""
    game, found = judge.game, list[Guess]()
    for other, moves in options.items():
        if other == seat:
            continue
        for move in moves:
            after = together(game, view, {other: move})
            if after.phase != COLOUR:
                found.append(Guess(other, move, PASS, after))
            elif after.active != other:
                found.append(Guess(other, move, PASS, judge.features.turn_over(after)))
            else:
                colours = game.moves(after, other)
                found += [
                    Guess(other, move, then, game.choose(after, other, then)) for then in colours
                ]
    return found


def supposed(
    found: Sequence[Guess], values: Mapping[tuple[Any, int], Value]
) -> tuple[dict[int, Move], Move]:
    """What the other seats will choose, and the colour action of the active one,
    if it is among them."""
    best: dict[int, tuple[int, Guess]] = {}
    for guess in found:
        worth = values[guess.end, guess.seat].worth
        if guess.seat not in best or worth > best[guess.seat][0]:
            best[guess.seat] = worth, guess
    colours = [guess.colour for _, guess in best.values() if guess.colour != PASS]
    return {seat: guess.move for seat, (_, guess) in best.items()}, colours[0] if colours else PASS


def _ends(game: Game[Any], after: Any, seat: int, colour: Move) -> list[Any]:
    """The tables that the turn may end with after an action:
    as the seat likes, or as the active one will."""
    if after.phase != COLOUR:
        return [after]
    moves = game.moves(after, after.active)
    if after.active != seat:
        return [game.choose(after, after.active, colour if colour in moves else PASS)]
    return [game.choose(after, seat, then) for then in moves]
