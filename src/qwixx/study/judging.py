"""What tables and choices are worth to every seat, as the master sees them:
the judgement that reviews and the explorer go by.

A table before a throw is worth the mean over all throws, after each of which everybody chooses well
by the master's net; at the end it is counted. In practice the exact table decides, where it is
kept. With the extra "lab" the same thought runs compiled, and comes to the same numbers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from math import inf
from operator import itemgetter
from types import ModuleType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from qwixx import bots, games
from qwixx.bots.expert import Line, Thought, kept, think
from qwixx.bots.judging import Asked, Judge, fair, guesses, options_of, supposed, together
from qwixx.bots.master import (
    AllThrows,
    Falls,
    Look,
    all_throws,
    candidates,
    next_throws,
    white_actions,
    white_pairs,
)
from qwixx.bots.sealed import Sealed
from qwixx.core.dice import Dice
from qwixx.core.errors import BadRequest, GameOver, NotToAct
from qwixx.core.fields import PASS, Move
from qwixx.core.game import COLOUR, OVER, ROLL, WHITE, Game
from qwixx.core.values import POINT, WIN, Value

_REMEMBERED: Final = 20_000  # values of tables
Way: TypeAlias = Literal["ready", "plain", "compiled"]


class Worth(NamedTuple):
    """What something is worth to a seat, for people: a chance to win (from 0 to 1), and points."""

    win: float = 0.0
    points: float = 0.0

    @classmethod
    def of(cls, value: Value) -> "Worth":
        return cls(value.win / WIN, value.points / POINT)

    def units(self) -> Value:
        """In the whole units of a judgement."""
        return Value(round(self.win * WIN), round(self.points * POINT))

    def __add__(self, other: tuple[Any, ...]) -> "Worth":
        return Worth(self.win + other[0], self.points + other[1])

    def __sub__(self, other: tuple[Any, ...]) -> "Worth":
        return Worth(self.win - other[0], self.points - other[1])

    def to_json(self) -> dict[str, float]:
        return {"win": self.win, "points": self.points}


def shared(worths: Sequence[Worth]) -> tuple[Worth, ...]:
    """What a table is worth to all seats, as it is told: each is judged for itself, so that together
    they may not have exactly one win; their chances are told as shares of it."""
    whole = sum(worth.win for worth in worths)
    return tuple(
        Worth(worth.win / whole if whole else 1 / len(worths), worth.points) for worth in worths
    )


class Judged(NamedTuple):
    """What every legal choice of a seat is worth to it, with the best that may follow."""

    best: Move
    then: Move | None  # the colour action that the best choice was made for, if one is to follow
    values: Mapping[Move, Worth]
    witnessed: tuple[Worth, ...]  # what the best is worth to others who were asked about


class Throws(NamedTuple):
    """What throws with one white sum make of a table to every seat, the coloured dice however they
    fall."""

    white_sum: int
    ways: int  # in which two white dice make this sum
    mean: tuple[Worth, ...]
    low: tuple[Worth, ...]  # the worst of them to each seat, by chances and by points apart
    high: tuple[Worth, ...]


class Judgement(ABC):
    """Judges the tables of one game with one number of seats. Not for several threads at once."""

    compiled = False

    def __init__(self, game: Game[Any], players: int) -> None:
        self.game, self.players = game, players
        self._known: dict[Any, Worth] = {}

    def before(self, table: Any) -> tuple[Worth, ...]:
        """What a table before a throw, or at the end, is worth to every seat."""
        return tuple(self.worth(table, seat) for seat in range(self.players))

    def worth(self, table: Any, seat: int) -> Worth:
        """What such a table is worth to one seat; remembered."""
        key = (table, seat)
        if key not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = self.counted(table, seat) or self._worth(table, seat)
        return self._known[key]

    def counted(self, table: Any, seat: int) -> Worth | None:
        """At the end: the share of the win, and the points."""
        if table.phase != OVER:
            return None
        result = self.game.result(table)
        winners = result.winners or ()
        return Worth(1 / len(winners) if seat in winners else 0.0, float(result.totals[seat]))

    def choices(self, state: Any, seat: int, witnesses: Sequence[int] = ()) -> Judged:
        """What every choice of a seat that is to act is worth, from its own view of the state."""
        if seat not in self.game.to_act(state):
            if state.phase == OVER:
                raise GameOver("the game is over: there is nothing left to choose")
            raise NotToAct(f"seat {seat} has no choice to make now")
        return self._choices(self.game.view(state, seat), seat, witnesses)

    @abstractmethod
    def after(self, table: Any, dice: Dice) -> tuple[Worth, ...]:
        """What a throw makes of a table to every seat, everybody choosing well.
        Its mean over all throws is what the table was worth before."""

    def throws(self, table: Any) -> list[Throws]:
        """What every throw that may come makes of a table, by the white sum."""
        if table.phase != ROLL:
            return []
        found, seats = self._all_throws(table), range(self.players)
        by_sum = []
        for white_sum, pairs in found.pairs.items():
            ways = [1 if first == second else 2 for first, second in pairs]
            falls = [found.falls(white_sum, seat) for seat in seats]
            by_sum.append(
                Throws(
                    white_sum,
                    sum(ways),
                    tuple(_mean_of(of_seat, ways) for of_seat in falls),
                    tuple(_outermost(of_seat, min) for of_seat in falls),
                    tuple(_outermost(of_seat, max) for of_seat in falls),
                )
            )
        return by_sum

    @abstractmethod
    def _all_throws(self, table: Any) -> AllThrows: ...

    @abstractmethod
    def _worth(self, table: Any, seat: int) -> Worth: ...

    @abstractmethod
    def _choices(self, view: Any, seat: int, witnesses: Sequence[int]) -> Judged: ...


def _mean_of(pairs: Sequence[Falls], ways: Sequence[int]) -> Worth:
    """What throws come to in the mean, given in how many ways each pair of whites falls."""
    win = points = every = 0
    for falls, often in zip(pairs, ways, strict=True):
        for number, value in falls:
            win += often * number * value.win
            points += often * number * value.points
            every += often * number
    return Worth.of(Value(win // every, points // every))


def _outermost(pairs: Sequence[Falls], which: Callable[[Iterable[int]], int]) -> Worth:
    values = [value for falls in pairs for _, value in falls]
    return Worth.of(
        Value(which(value.win for value in values), which(value.points for value in values))
    )


class NetJudgement(Judgement):
    """By the master's net. Where several choose at once and it matters to each what the others do,
    they are supposed to choose as in equilibrium, each outcome looked at."""

    def __init__(self, game: Game[Any], players: int) -> None:
        super().__init__(game, players)
        self._looked: dict[Any, Value] = {}

    @property
    @abstractmethod
    def judge(self) -> Judge:
        """The net, asked through the law."""

    @abstractmethod
    def _look(self, table: Any, seats: Sequence[int]) -> dict[int, Value]:
        """What a table before a throw is worth to some seats, over all throws."""

    def looked(self, table: Any, seats: Sequence[int]) -> dict[int, Value]:
        """The same, or as counted at the end; remembered."""
        new = [seat for seat in seats if (table, seat) not in self._looked]
        if new:
            if len(self._looked) >= _REMEMBERED:
                self._looked.clear()
                new = list(seats)
            found = _final(self.game, table, new) or self._look(table, new)
            self._looked |= {(table, seat): value for seat, value in found.items()}
        return {seat: self._looked[table, seat] for seat in seats}

    def _all_throws(self, table: Any) -> AllThrows:
        """Through the law, also where the rest is compiled: it is asked for by people, once."""
        return all_throws(self.judge, table, range(self.players))

    def before(self, table: Any) -> tuple[Worth, ...]:
        found = self.looked(table, range(self.players))
        return tuple(Worth.of(found[seat]) for seat in range(self.players))

    def _worth(self, table: Any, seat: int) -> Worth:
        return Worth.of(self.looked(table, (seat,))[seat])

    def _sealed(self, view: Any, seat: int, thought: Thought) -> Judged:
        """What every choice comes to against the equilibrium of the others."""
        look = _FurtherLook(self)
        thought = look.into_all(thought, seat)
        game = thought.game
        assert game is not None
        found: list[tuple[Move, Worth]] = []
        ends: list[Any] = []
        if game.others_mix(seat) or game.view.active != seat:
            for move in self.game.moves(view, seat):
                found.append((move, Worth.of(look.mean(game, seat, move))))
                likeliest, _ = max(game.answers(seat, move), key=itemgetter(1))
                ends.append(look.end_of(game, likeliest))
        else:
            for line in worth_a_look(thought.lines, candidates(thought.lines)):
                found.append((line.move, Worth.of(self._fair(game, line.end, seat))))
                ends.append(line.end)
        best, values_of_moves = best_of(found, view, self.game, seat)
        move = found[best][0]
        then = self._then_of(game, seat, move, ends[best])
        return Judged(move, then, values_of_moves, ())

    def _fair(self, game: Sealed, end: Any, seat: int) -> Value:
        return fair(self.looked(end, game.fair_seats(seat)), seat)

    def _then_of(self, game: Sealed, seat: int, move: Move, end: Any) -> Move | None:
        """The colour action with which the likeliest outcome of a choice comes to this end."""
        if game.view.active != seat:
            return None
        outcome, _ = max(game.answers(seat, move), key=itemgetter(1))
        return _to_end(self.game, game.after(outcome), seat, end)


def _final(game: Game[Any], table: Any, seats: Sequence[int]) -> dict[int, Value]:
    """What the end of a game is worth; nothing before."""
    if table.phase != OVER:
        return {}
    result = game.result(table)
    winners = result.winners or ()
    return {
        seat: Value(WIN // len(winners) if seat in winners else 0, POINT * result.totals[seat])
        for seat in seats
    }


def _to_end(game: Game[Any], after: Any, seat: int, end: Any) -> Move | None:
    """The colour action that leads to a table; None if there is none to take."""
    if after.phase != COLOUR:
        return None
    ends = ((then, game.choose(after, seat, then)) for then in game.moves(after, seat))
    return next((then for then, found in ends if found == end), PASS)


class _FurtherLook(Look):
    """The look of the master, by a judgement that remembers."""

    def __init__(self, judgement: NetJudgement) -> None:
        super().__init__(judgement.judge, inf)
        self._judgement = judgement

    def __call__(self, end: Any, seats: tuple[int, ...]) -> dict[int, Value]:
        return self._judgement.looked(end, seats)


class PlainJudgement(NetJudgement):
    """With numpy, through the law."""

    @cached_property
    def judge(self) -> Judge:
        return Judge(self.game, self.players)

    def after(self, table: Any, dice: Dice) -> tuple[Worth, ...]:
        game, roller, judge = self.game, table.active, self.judge
        pairs = {dice.white_sum: white_pairs(game)[dice.white_sum]}
        action = white_actions(judge, table, pairs)[dice.white_sum]
        seats = range(self.players)
        if isinstance(action, Sealed):
            return tuple(Worth.of(action.mean(seat)) for seat in seats)
        thrown = game.roll(table, dice)
        for seat, move in action.items():
            thrown = game.choose(thrown, seat, move)
        ends = [end for move in game.moves(thrown, roller) for end in _ends(game, thrown, move)]
        values = judge((end, roller) for end in ends)
        end = max(ends, key=lambda end: values[end, roller].worth)
        values = judge((end, seat) for seat in seats)
        return tuple(Worth.of(values[end, seat]) for seat in seats)

    def _look(self, table: Any, seats: Sequence[int]) -> dict[int, Value]:
        return next_throws(self.judge, table, seats)

    def _choices(self, view: Any, seat: int, witnesses: Sequence[int]) -> Judged:
        thought = think(self.judge, view, seat)
        if thought.game is not None:
            return self._sealed(view, seat, thought)
        looked = [
            (line, self.worth(line.end, seat))
            for line in worth_a_look(thought.lines, candidates(thought.lines))
        ]
        best, values = best_of(
            [(line.move, worth) for line, worth in looked], view, self.game, seat
        )
        line = looked[best][0]
        witnessed = tuple(self.worth(line.end, one) for one in witnesses)
        return Judged(line.move, self._then(view, seat, line), values, witnessed)

    def _then(self, view: Any, seat: int, line: Line) -> Move | None:
        """The colour action with which a line comes to its end."""
        if view.phase != WHITE or view.active != seat:
            return None
        options = options_of(self.game, view)
        thoughts = guesses(
            self.judge, view, {other: options[other] for other in options if other != seat}
        )
        choices, _ = supposed(thoughts, self.judge((one.end, one.seat) for one in thoughts))
        after = together(self.game, view, {**choices, seat: line.move})
        return _to_end(self.game, after, seat, line.end)


def _ends(game: Game[Any], thrown: Any, move: Move) -> list[Any]:
    """The tables that a turn may end with after the white choice of the active seat."""
    seat = thrown.active
    after = game.choose(thrown, seat, move)
    if after.phase != COLOUR:
        return [after]
    return [game.choose(after, seat, then) for then in game.moves(after, seat)]


class ExactJudgement(Judgement):
    """By the exact table of the practice game."""

    def __init__(self, game: Game[Any], solution: games.Solution) -> None:
        super().__init__(game, 1)
        self._solution = solution

    def after(self, table: Any, dice: Dice) -> tuple[Worth, ...]:
        found = self._choices(self.game.roll(table, dice), 0, ())
        return (found.values[found.best],)

    def _all_throws(self, table: Any) -> AllThrows:
        return all_throws(_ExactJudge(self.game, self._solution), table, (0,))

    def _worth(self, table: Any, seat: int) -> Worth:
        return Worth(1.0, self._solution.value(self.game, table, seat))

    def _choices(self, view: Any, seat: int, witnesses: Sequence[int]) -> Judged:
        found = self._solution.choices(self.game, view, seat)
        best = max(found, key=lambda move: found[move].value)
        values = {move: Worth(1.0, advice.value) for move, advice in found.items()}
        return Judged(best, found[best].then, values, tuple(values[best] for _ in witnesses))


class _ExactJudge(Judge):
    """The exact table in the place of a net."""

    def __init__(self, game: Game[Any], solution: games.Solution) -> None:
        super().__init__(game, 1)
        self._solution = solution

    def __call__(self, asked: Iterable[Asked]) -> dict[Asked, Value]:
        return {
            (table, seat): Worth(1.0, self._solution.value(self.game, table, seat)).units()
            for table, seat in dict.fromkeys(asked)
        }


def worth_a_look(found: Sequence[Line], near: Sequence[Line]) -> list[Line]:
    """The lines that the master looks at, and the best line of every move."""
    first: dict[Move, Line] = {}
    for line in found:
        if line.move not in first or line.value.worth > first[line.move].value.worth:
            first[line.move] = line
    return list(dict.fromkeys([*near, *first.values()]))


def best_of(
    looked: Sequence[tuple[Move, Worth]], view: Any, game: Game[Any], seat: int
) -> tuple[int, dict[Move, Worth]]:
    """Which of the lines is best, and every move at its best, in the order of the law."""
    best: dict[Move, int] = {}
    for number, (move, worth) in enumerate(looked):
        if move not in best or worth.units().worth > looked[best[move]][1].units().worth:
            best[move] = number
    top = max(best.values(), key=lambda number: looked[number][1].units().worth)
    return top, {move: looked[best[move]][1] for move in game.moves(view, seat)}


def can_judge(game: Game[Any], players: int) -> bool:
    """Whether there is a judgement of this game with so many seats."""
    return "master" in bots.levels(game.id, players)


def check_judged(game: Game[Any], players: int) -> None:
    """A game that cannot be judged is refused."""
    if not can_judge(game, players):
        alone = " alone" if players == 1 else ""
        raise BadRequest(f"no net has learned {game.id}{alone}, so it cannot be judged")


def judgement(game: Game[Any], players: int, way: Way = "ready") -> Judgement:
    """The best judgement at hand: the exact one, where it is kept, or the master's.

    That one is compiled if it can be and, unless asked for, if the machine code is there already:
    to make it takes longer than a review.
    """
    exact = kept(game) if players == 1 else None
    if exact is not None:
        return ExactJudgement(game, exact)
    check_judged(game, players)
    fast = None if way == "plain" else _fast()
    if fast is not None and (way == "compiled" or fast.is_warm(game.id)):
        found: Judgement | None = fast.made(game, players)
        if found is not None:
            return found
    return PlainJudgement(game, players)


def warm_up(game_id: str) -> bool:
    """Have the compiled judgement ready from now on; whether there is one."""
    fast = _fast()
    return fast is not None and bool(fast.warm_up(game_id))


def _fast() -> ModuleType | None:
    """The compiled judgement; None without the extra "lab"."""
    try:
        return import_module("qwixx.study.fast")
    except ImportError:
        return None
