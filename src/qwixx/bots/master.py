"""The master: the expert's best lines, each looked at through every next throw.

The next throw is weighed in full, and exactly: the white action depends on the white sum alone
(S2), and each coloured die speaks for its own row (S3), so what the roller would take is sorted,
and going down the list the chance that nothing before it came up is the product of what is left of
each die.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from math import inf, isfinite, prod
from random import Random
from time import perf_counter
from typing import Any, Final, NamedTuple, TypeAlias

from qwixx.bots.bot import Decision
from qwixx.bots.expert import ExpertBot, Line, Thought, answered, best_of_each, drawn, think
from qwixx.bots.judging import Judge, closing, fair, guesses, options_of, supposed
from qwixx.bots.sealed import Outcome, Sealed, mean_of
from qwixx.bots.temper import CANDIDATES, FEWEST, MARGIN
from qwixx.core.dice import GONE, Dice
from qwixx.core.equilibrium import MOST_LOOKED_AT
from qwixx.core.errors import BadRequest, shown
from qwixx.core.fields import PASS, Move
from qwixx.core.game import COLOUR, OVER, Game
from qwixx.core.values import Value

SECONDS: Final = 1.0  # for one decision
SETTING: Final = "QWIXX_MASTER_SECONDS"

Choices: TypeAlias = Mapping[int, Move]
WhitePairs: TypeAlias = Mapping[int, Sequence[tuple[int, int]]]  # by their sum
Spot: TypeAlias = tuple[int, int]  # a coloured die, and a number that it makes with a white one
Falls: TypeAlias = list[tuple[int, Value]]  # in how many ways, and what that comes to


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
        thought = think(self.judge(game, view), view, seat)
        look = Look(self.judge(game, view), deadline)
        if thought.game is not None:
            thought = look.into_all(thought, seat)
        deeper = look.at_best(thought, seat)
        if len(deeper) < FEWEST:
            move = self.pick(thought, seat, len(game.result(view).totals), rng)
            return Decision(move, thought.values)
        seen = best_of_each(deeper)
        best = max(deeper, key=lambda line: line.value.worth).move
        shares = thought.shares(seat)
        move = drawn(shares, rng) if shares else best
        return Decision(move, _moved(thought, deeper, seen[best]) | seen)


class Look:
    """What tables are worth a throw further on, as many as there is time for; each is looked at
    once."""

    def __init__(self, judge: Judge, deadline: float) -> None:
        self.judge, self.deadline = judge, deadline
        self._known: dict[tuple[Any, tuple[int, ...]], dict[int, Value]] = {}
        self._ends: dict[Outcome, Any] = {}

    def into_all(self, thought: Thought, seat: int) -> Thought:
        """Find the equilibrium anew, each outcome that is thought of looked at a throw further."""
        game = thought.game
        assert game is not None
        outcomes = game.all_outcomes()
        if not 1 < len(outcomes) <= MOST_LOOKED_AT:
            return thought
        seats, values = tuple(range(self.judge.players)), dict[tuple[Outcome, int], Value]()
        try:
            for outcome in outcomes:
                found = self(self.end_of(game, outcome), seats)
                shared = found if len(seats) == 2 else {}
                values.update(
                    {(outcome, one): fair(shared or {one: found[one]}, one) for one in game.seats}
                )
        except OutOfTime:
            return thought
        game.settle(values)
        return answered(game, seat)

    def at_best(self, thought: Thought, seat: int) -> list[Line]:
        """The lines that are worth a closer look, with what the next throw makes of them."""
        game, deeper = thought.game, list[Line]()
        mixed = game is not None and game.others_mix(seat)
        found = [Line(move, None, value) for move, value in thought.values.items()]
        near = candidates(found if mixed else thought.lines)
        try:
            for line in near if len(near) >= FEWEST else ():
                if game is not None and (mixed or game.view.active != seat):
                    value = self.mean(game, seat, line.move)
                else:
                    seats = game.fair_seats(seat) if game is not None else (seat,)
                    value = fair(self(line.end, seats), seat)
                deeper.append(line._replace(value=value))
        except OutOfTime:
            pass  # what was looked at counts
        return deeper

    def mean(self, game: Sealed, seat: int, move: Move) -> Value:
        """What a choice comes to against the mix of the others."""
        weighed = list(game.answers(seat, move))
        values = {
            (outcome, seat): fair(self(self.end_of(game, outcome), game.fair_seats(seat)), seat)
            for outcome, _ in weighed
        }
        return mean_of(values, seat, weighed)

    def end_of(self, game: Sealed, outcome: Outcome) -> Any:
        """The table that an outcome leaves, the active seat choosing its colour action by this
        look, as it will."""
        if outcome not in self._ends:
            self._ends[outcome] = self._looked_for(game, outcome)
        return self._ends[outcome]

    def _looked_for(self, game: Sealed, outcome: Outcome) -> Any:
        after, active = game.after(outcome), game.view.active
        if after.phase != COLOUR:
            return after
        rules = self.judge.game
        ends = [rules.choose(after, active, then) for then in rules.moves(after, active)]
        values = self.judge((end, active) for end in ends)
        near = candidates([Line(PASS, end, values[end, active]) for end in ends])
        if len(near) < FEWEST:
            return ends[0]
        seats = game.fair_seats(active)
        return max(near, key=lambda line: fair(self(line.end, seats), active).worth).end

    def __call__(self, end: Any, seats: tuple[int, ...]) -> dict[int, Value]:
        """What a table at the end of a turn is worth to some seats."""
        if end.phase == OVER:
            return {seat: self.judge.final(end, seat) for seat in seats}
        if (end, seats) not in self._known:
            self._known[end, seats] = next_throws(self.judge, end, seats, self.deadline)
        return self._known[end, seats]


def _moved(thought: Thought, deeper: Sequence[Line], best: Value) -> dict[Move, Value]:
    """The expert's values of moves that were not looked at, moved as the others were;
    none passes the best."""
    before = {(line.move, line.end): line.value for line in thought.lines} or {
        (move, None): value for move, value in thought.values.items()
    }
    changes = [(line.value, before[line.move, line.end]) for line in deeper]
    win = sum(after.win - value.win for after, value in changes) // len(changes)
    points = sum(after.points - value.points for after, value in changes) // len(changes)
    return {
        move: Value(min(best.win, max(0, value.win + win)), value.points + points)
        for move, value in thought.values.items()
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


def next_throw(judge: Judge, state: Any, seat: int, deadline: float = inf) -> Value:
    """What a table before a throw is worth to a seat:
    the mean over all dice, everybody choosing as an expert."""
    return next_throws(judge, state, (seat,), deadline)[seat]


def next_throws(
    judge: Judge, state: Any, seats: Sequence[int], deadline: float = inf
) -> dict[int, Value]:
    """The same to each of some seats. Where the white action is mixed, there is no other."""
    throws = all_throws(judge, state, seats, deadline)
    return {seat: throws.to(seat) for seat in seats}


def all_throws(
    judge: Judge, state: Any, seats: Sequence[int], deadline: float = inf
) -> "AllThrows":
    """All that may come of the next throw, judged for some seats."""
    game, roller = judge.game, state.active
    pairs = white_pairs(game)
    actions = white_actions(judge, state, pairs, deadline)
    turns: dict[int, list[TurnMoves]] = {}
    for white_sum, whites in pairs.items():
        action = actions[white_sum]
        if not isinstance(action, Sealed):
            _check(deadline)
            turns[white_sum] = list(turn_moves(game, state, whites, action))
    values: dict[tuple[Any, int], Value] = {}
    for some in turns.values():  # one after the other, so that time can be up in between
        values |= judge(
            (turn.end, who)
            for turn in some
            for who in {roller, *seats}
            if (turn.end, who) not in values
        )
        _check(deadline)
    return AllThrows(judge, roller, pairs, actions, turns, values)


class AllThrows(NamedTuple):
    """What may come of the next throw."""

    judge: Judge
    roller: int
    pairs: WhitePairs
    actions: Mapping[int, Choices | Sealed]
    turns: Mapping[int, Sequence[TurnMoves]]
    values: Mapping[tuple[Any, int], Value]

    def to(self, seat: int) -> Value:
        """The mean over all dice to a seat."""
        layout, win, points = self.judge.game.layout, 0, 0
        for white_sum, whites in self.pairs.items():
            for pair, value in zip(whites, self._of_sum(white_sum, seat), strict=True):
                ways = 1 if pair[0] == pair[1] else 2
                win, points = win + ways * value.win, points + ways * value.points
        every = layout.faces ** (2 + len(layout.colours))
        return Value(win // every, points // every)

    def _of_sum(self, white_sum: int, seat: int) -> list[Value]:
        """Of each pair of whites what it comes to, added up over all throws of the coloured dice."""
        return [_added_up(falls) for falls in self.falls(white_sum, seat)]

    def falls(self, white_sum: int, seat: int) -> list[Falls]:
        """Of each pair of whites all that it may come to with the coloured dice."""
        game, action, whites = self.judge.game, self.actions[white_sum], self.pairs[white_sum]
        if isinstance(action, Sealed):
            every = game.layout.faces ** len(game.layout.colours)
            return [[(every, action.mean(seat))]] * len(whites)
        favourites = best_by_spot(self.turns[white_sum], self.values, self.roller, seat)
        return [_best_of_dice(game, pair, favourites) for pair in whites]


def _check(deadline: float) -> None:
    if perf_counter() >= deadline:
        raise OutOfTime


def white_pairs(game: Game[Any]) -> WhitePairs:
    """The pairs of white dice by their sum."""
    pairs: dict[int, list[tuple[int, int]]] = {}
    for pair in combinations_with_replacement(range(1, game.layout.faces + 1), 2):
        pairs.setdefault(sum(pair), []).append(pair)
    return pairs


def thrown_alike(game: Game[Any], state: Any, whites: tuple[int, int], face: int) -> Any:
    """The table after a throw of these whites, with the same face on every coloured die."""
    coloured = tuple(0 if colour == GONE else face for colour in game.dice_in_play(state))
    return game.roll(state, Dice(whites, coloured))


def white_actions(
    judge: Judge, state: Any, pairs: WhitePairs, deadline: float = inf
) -> dict[int, Choices | Sealed]:
    """What all but the roller will choose in the white action, by the white sum;
    the whole game of it, where somebody mixes."""
    game, roller = judge.game, state.active
    tables, thoughts = {}, {}
    for white_sum, whites in pairs.items():
        _check(deadline)
        tables[white_sum] = thrown = thrown_alike(game, state, whites[0], 1)
        options = options_of(game, thrown)
        thoughts[white_sum] = options, guesses(judge, thrown, options, blind=True)
    values = judge(
        (guess.end, guess.seat)
        for options, some in thoughts.values()
        for guess in some
        if guess.seat != roller or len(options) > 1
    )
    found: dict[int, Choices | Sealed] = {}
    for white_sum, (options, some) in thoughts.items():
        if len(options) < 2:
            found[white_sum] = {}
            continue
        alone, _ = supposed(some, values)
        if not closing(game, state, (guess.end for guess in some)):
            found[white_sum] = {seat: alone[seat] for seat in alone if seat != roller}
            continue
        _check(deadline)
        sealed = Sealed(judge, tables[white_sum], options, alone, blind=True)
        mixed = any(map(sealed.is_mixed, sealed.seats))
        chosen = sealed.likely()
        found[white_sum] = sealed if mixed else {s: chosen[s] for s in chosen if s != roller}
    return found


def turn_moves(
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
                    game, thrown_alike(game, state, whites, face), choices, numbers, not known
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


def best_by_spot(
    turns: Iterable[TurnMoves], values: Mapping[tuple[Any, int], Value], roller: int, seat: int
) -> dict[Spot | None, Favourite]:
    """What the roller likes best for each field of the colour action, and without one."""
    best: dict[Spot | None, Favourite] = {}
    for spot, order, end in turns:
        favourite = Favourite(-values[end, roller].worth, order, values[end, seat])
        if spot not in best or favourite < best[spot]:
            best[spot] = favourite
    return best


def liked(
    game: Game[Any], whites: tuple[int, int], favourites: Mapping[Spot | None, Favourite]
) -> list[tuple[Favourite, int, int]]:
    """The faces of coloured dice that a roller would use with these whites, the best first: what it
    takes with it, the die and the face."""
    faces, least = game.layout.faces, favourites[None]
    found = sorted(
        (min(here), die, face)
        for die in range(len(game.layout.colours))
        for face in range(1, faces + 1)
        if (
            here := [
                favourites[die, white + face]
                for white in whites
                if (die, white + face) in favourites
            ]
        )
    )
    return [one for one in found if one[0] < least]


def ways_of(game: Game[Any], dice: Iterable[int]) -> list[int]:
    """In how many ways each of some faces, given by their dice, comes up and none before it; then
    in how many none of them does.

    The coloured dice are independent: going down the list, the chance that none before came up is
    the product of what is left of each die.
    """
    # A die that has left names nothing, whatever it would show.
    left = [game.layout.faces] * len(game.layout.colours)
    ways, found = prod(left), list[int]()
    for die in dice:
        found.append(ways // left[die] if ways else 0)
        left[die] -= 1
        ways -= found[-1]
    return [*found, ways]


def _best_of_dice(
    game: Game[Any], whites: tuple[int, int], favourites: Mapping[Spot | None, Favourite]
) -> Falls:
    """What throws with these whites are worth, over all throws of the coloured dice."""
    found = liked(game, whites, favourites)
    values = [favourite.value for favourite, _, _ in found] + [favourites[None].value]
    ways = ways_of(game, (die for _, die, _ in found))
    return [(number, value) for number, value in zip(ways, values, strict=True) if number]


def _added_up(falls: Falls) -> Value:
    win = points = 0
    for ways, value in falls:
        win, points = win + ways * value.win, points + ways * value.points
    return Value(win, points)
