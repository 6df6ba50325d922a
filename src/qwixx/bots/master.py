"""The master: the expert's best lines, each looked at through every next throw.

The next throw is weighed in full, and exactly: the white action depends on the white sum alone
(S2), and each coloured die speaks for its own row (S3), so what the roller would take is sorted,
and going down the list the chance that nothing before it came up is the product of what is left of
each die.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from math import inf, isfinite
from random import Random
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeAlias

from qwixx.bots.bot import Decision
from qwixx.bots.expert import (
    ExpertBot,
    Judge,
    Line,
    best_of_each,
    guesses,
    lines,
    options_of,
    supposed,
)
from qwixx.bots.temper import CANDIDATES, FEWEST, MARGIN
from qwixx.core.dice import GONE, Dice
from qwixx.core.errors import BadRequest, shown
from qwixx.core.fields import PASS, Move
from qwixx.core.game import COLOUR, OVER, Game
from qwixx.core.values import Value

SECONDS: Final = 1.0  # for one decision
SETTING: Final = "QWIXX_MASTER_SECONDS"

Choices: TypeAlias = Mapping[int, Move]
Spot: TypeAlias = tuple[int, int]  # a coloured die, and a number that it makes with a white one


class TurnMoves(NamedTuple):
    """What a roller may do with a throw in both its actions, and the table that this leaves."""

    spot: Spot | None  # what is crossed in the colour action
    # Where it stands among all: of two that are alike the first is taken.
    order: tuple[int, int, int]
    end: Any


class Favourite(NamedTuple):
    """The turn that a roller likes best of some, and its value to who thinks;
    sorted, the best comes first."""

    dislike: int
    order: tuple[int, int, int]
    value: Value


class OutOfTime(Exception):
    """There is no time left to look further."""


class MasterBot(ExpertBot):
    """Has a larger net than the expert, and knows what the next throw may bring;
    thinks so many seconds at most."""

    small = False

    def __init__(self, seconds: float | None = None) -> None:
        super().__init__()
        self.seconds = _setting() if seconds is None else seconds

    def decide(self, game: Game[Any], view: Any, seat: int, rng: Random) -> Decision:
        deadline = perf_counter() + self.seconds
        if self.exact(game, view, seat):
            return super().decide(game, view, seat, rng)
        judge = self.judge(game, view)
        found = lines(judge, view, seat)
        deeper = _looked_at(judge, candidates(found), seat, deadline)
        values = best_of_each(found)
        if len(deeper) < FEWEST:
            move = self.pick(values, len(game.result(view).totals), rng)
        else:
            seen = best_of_each(deeper)
            move = max(deeper, key=lambda line: line.value.worth).move
            values = _moved(values, found, deeper, seen[move]) | seen
        return Decision(move, values)


def _moved(
    values: Mapping[Move, Value], found: Sequence[Line], deeper: Sequence[Line], best: Value
) -> dict[Move, Value]:
    """The expert's values of moves that were not looked at, moved as the others were;
    none passes the best."""
    before = {(line.move, line.end): line.value for line in found}
    changes = [(line.value, before[line.move, line.end]) for line in deeper]
    win = sum(after.win - value.win for after, value in changes) // len(changes)
    points = sum(after.points - value.points for after, value in changes) // len(changes)
    return {
        move: Value(min(best.win, max(0, value.win + win)), value.points + points)
        for move, value in values.items()
    }


def _setting() -> float:
    text = os.environ.get(SETTING, "")
    try:
        seconds = float(text or SECONDS)
    except ValueError:
        seconds = -1.0
    if seconds < 0 or not isfinite(seconds):
        raise BadRequest(f"{SETTING} must be a number of seconds, not {shown(text)}")
    return seconds


def candidates(found: Sequence[Line]) -> list[Line]:
    """The lines worth a closer look, the best first."""
    ranked = sorted(found, key=lambda line: line.value.worth, reverse=True)
    near = [line for line in ranked if line.value.win >= ranked[0].value.win - MARGIN]
    return near[:CANDIDATES] if len(near) >= FEWEST else ranked[:FEWEST]


def _looked_at(judge: Judge, near: Sequence[Line], seat: int, deadline: float) -> list[Line]:
    """The lines with what the next throw makes of them, as many as there is time for."""
    deeper: list[Line] = []
    known: dict[Any, Value] = {line.end: line.value for line in near if line.end.phase == OVER}
    try:
        for line in near if len(near) >= FEWEST else ():
            if line.end not in known:
                known[line.end] = next_throw(judge, line.end, seat, deadline)
            deeper.append(line._replace(value=known[line.end]))
    except OutOfTime:
        pass  # what was looked at counts
    return deeper


def next_throw(judge: Judge, state: Any, seat: int, deadline: float = inf) -> Value:
    """What a table before a throw is worth to a seat:
    the mean over all dice, everybody choosing as an expert."""
    game, roller = judge.game, state.active
    pairs = _white_pairs(game)
    choices = _others_choices(judge, state, pairs, deadline)
    turns: dict[int, list[TurnMoves]] = {}
    for white_sum, whites in pairs.items():
        _check(deadline)
        turns[white_sum] = list(_turns(game, state, whites, choices[white_sum]))
    values = judge(
        (turn.end, who) for some in turns.values() for turn in some for who in {roller, seat}
    )
    _check(deadline)
    win = points = 0
    for white_sum, whites in pairs.items():
        favourites = _best_by_spot(turns[white_sum], values, roller, seat)
        for pair in whites:
            value = _best_of_dice(game, pair, favourites)
            ways = 1 if pair[0] == pair[1] else 2
            win, points = win + ways * value.win, points + ways * value.points
    every = game.layout.faces ** (2 + len(game.layout.colours))
    return Value(win // every, points // every)


def _check(deadline: float) -> None:
    if perf_counter() >= deadline:
        raise OutOfTime


def _white_pairs(game: Game[Any]) -> dict[int, list[tuple[int, int]]]:
    """The pairs of white dice by their sum."""
    pairs: dict[int, list[tuple[int, int]]] = {}
    for pair in combinations_with_replacement(range(1, game.layout.faces + 1), 2):
        pairs.setdefault(sum(pair), []).append(pair)
    return pairs


def _thrown(game: Game[Any], state: Any, whites: tuple[int, int], face: int) -> Any:
    """The table after a throw of these whites, with the same face on every coloured die."""
    coloured = tuple(0 if colour == GONE else face for colour in game.dice_in_play(state))
    return game.roll(state, Dice(whites, coloured))


def _others_choices(
    judge: Judge, state: Any, pairs: Mapping[int, Sequence[tuple[int, int]]], deadline: float
) -> dict[int, Choices]:
    """What all but the roller will choose in the white action, by the white sum."""
    game, thoughts = judge.game, {}
    for white_sum, whites in pairs.items():
        _check(deadline)
        thrown = _thrown(game, state, whites[0], 1)
        thoughts[white_sum] = guesses(judge, thrown, state.active, options_of(game, thrown))
    values = judge((guess.end, guess.seat) for some in thoughts.values() for guess in some)
    return {white_sum: supposed(some, values)[0] for white_sum, some in thoughts.items()}


def _turns(
    game: Game[Any], state: Any, pairs: Sequence[tuple[int, int]], choices: Choices
) -> Iterator[TurnMoves]:
    """All that the roller may do with whites of one sum and some coloured dice, each once."""
    # Numbers that were met before: what a turn leaves depends on the sum alone.
    known: set[int] = set()
    for whites in pairs:
        for face in range(1, game.layout.faces + 1):
            numbers = {white + face for white in whites} - known
            if numbers:
                yield from _turns_of_throw(
                    game, _thrown(game, state, whites, face), choices, numbers, not known
                )
                known |= numbers


def _turns_of_throw(
    game: Game[Any], thrown: Any, choices: Choices, numbers: set[int], without: bool
) -> Iterator[TurnMoves]:
    """The turns of a throw that cross these numbers in the colour action;
    those that cross none, if asked for."""
    roller = thrown.active
    for seat, move in choices.items():
        thrown = game.choose(thrown, seat, move)
    for first, move in enumerate(game.moves(thrown, roller)):
        after = game.choose(thrown, roller, move)
        if after.phase != COLOUR:
            if without:
                yield TurnMoves(None, (first, -1, 0), after)
            continue
        if without:
            yield TurnMoves(None, (first, -1, 0), game.choose(after, roller, PASS))
        for then in game.moves(after, roller)[1:]:
            number = game.layout.number(then)
            if number in numbers:
                spot = game.layout.dice[then], number
                yield TurnMoves(
                    spot, (first, *game.layout.places[then]), game.choose(after, roller, then)
                )


def _best_by_spot(
    turns: Iterable[TurnMoves], values: Mapping[tuple[Any, int], Value], roller: int, seat: int
) -> dict[Spot | None, Favourite]:
    """What the roller likes best for each field of the colour action, and without one."""
    best: dict[Spot | None, Favourite] = {}
    for spot, order, end in turns:
        favourite = Favourite(-values[end, roller].worth, order, values[end, seat])
        if spot not in best or favourite < best[spot]:
            best[spot] = favourite
    return best


def _best_of_dice(
    game: Game[Any], whites: tuple[int, int], favourites: Mapping[Spot | None, Favourite]
) -> Value:
    """What a throw with these whites is worth, added up over all throws of the coloured dice.

    The coloured dice are independent: going down the sorted favourites,
    the chance that none before came up is the product of what is left of each die.
    """
    faces, least = game.layout.faces, favourites[None]
    # A die that has left names nothing, whatever it would show.
    left = [faces] * len(game.layout.colours)
    found = sorted(
        (min(here), die)
        for die in range(len(left))
        for face in range(1, faces + 1)
        if (
            here := [
                favourites[die, white + face]
                for white in whites
                if (die, white + face) in favourites
            ]
        )
    )
    ways = faces ** len(left)
    win = points = 0
    for favourite, die in found:
        if not ways or favourite > least:
            break
        now = ways // left[die]
        left[die] -= 1
        ways -= now
        win, points = win + now * favourite.value.win, points + now * favourite.value.points
    return Value(win + ways * least.value.win, points + ways * least.value.points)
