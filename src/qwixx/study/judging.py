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
    Look,
    all_throws,
    candidates,
    next_throws,
    white_pairs,
)
from qwixx.bots.sealed import Sealed
from qwixx.core.dice import Dice
from qwixx.core.errors import BadRequest, GameOver, NotToAct
from qwixx.core.fields import PASS, Move
from qwixx.core.game import COLOUR, OVER, ROLL, WHITE, Game
from qwixx.core.values import POINT, WIN, Value
from qwixx.study.falls import Fall, Values, Whites, list_falls, of_throw, unseen

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
        by_sum: dict[int, list[tuple[int, Values]]] = {}
        for (first, second), found in self._by_whites(table).items():
            often = 1 if first == second else 2
            by_sum.setdefault(first + second, []).extend(
                (often * ways, values) for ways, values in found if ways
            )
        every = self.game.layout.faces ** len(self.game.layout.colours)
        return [_together(white_sum, found, every) for white_sum, found in by_sum.items()]

    @abstractmethod
    def _by_whites(self, table: Any) -> Mapping[Whites, Sequence[tuple[int, Values]]]:
        """What throws may come to, and in how many ways of the coloured dice, by the whites."""

    @abstractmethod
    def _worth(self, table: Any, seat: int) -> Worth: ...

    @abstractmethod
    def _choices(self, view: Any, seat: int, witnesses: Sequence[int]) -> Judged: ...


def _together(white_sum: int, found: Sequence[tuple[int, Values]], every: int) -> Throws:
    """What throws with one white sum come to, given in how many ways, of so many for each pair."""
    ways = [number for number, _ in found]
    by_seat = list(zip(*(values for _, values in found), strict=True))
    return Throws(
        white_sum,
        sum(ways) // every,
        tuple(_mean_of(values, ways) for values in by_seat),
        tuple(_outermost(values, min) for values in by_seat),
        tuple(_outermost(values, max) for values in by_seat),
    )


def _mean_of(values: Sequence[Value], ways: Sequence[int]) -> Worth:
    win = points = 0
    for value, number in zip(values, ways, strict=True):
        win, points = win + number * value.win, points + number * value.points
    return Worth.of(Value(win // sum(ways), points // sum(ways)))


def _outermost(values: Sequence[Value], which: Callable[[Iterable[int]], int]) -> Worth:
    return Worth.of(
        Value(which(value.win for value in values), which(value.points for value in values))
    )


class _Fallen(NamedTuple):
    """What throws at the last table come to, as far as they were asked for."""

    table: Any
    unseen: Values
    falls: dict[Whites, list[Fall]]

    def moved(self, fall: Fall) -> Values:
        """What throws come to, so that all have the mean that the look has."""
        return tuple(
            Value(value.win + more.win, value.points + more.points)
            for value, more in zip(fall.seen, self.unseen, strict=True)
        )


class NetJudgement(Judgement):
    """By the master's net. Where several choose at once and it matters to each what the others do,
    they are supposed to choose as in equilibrium, each outcome looked at."""

    def __init__(self, game: Game[Any], players: int) -> None:
        super().__init__(game, players)
        self._looked: dict[Any, Value] = {}
        self._fallen = _Fallen(None, (), {})

    @property
    @abstractmethod
    def judge(self) -> Judge:
        """The net, asked through the law."""

    @abstractmethod
    def _look(self, table: Any, seats: Sequence[int]) -> dict[int, Value]:
        """What a table before a throw is worth to some seats, over all throws."""

    @abstractmethod
    def _falls(self, table: Any, whites: Whites) -> list[Fall]:
        """What throws with these whites come to."""

    @abstractmethod
    def _unseen(self, table: Any) -> Values:
        """What `before` has more than what throws come to, in the mean over all of them."""

    def after(self, table: Any, dice: Dice) -> tuple[Worth, ...]:
        self.game.roll(table, dice)  # refuses dice that cannot fall here
        falls = self._remembered_falls(table, (min(dice.whites), max(dice.whites)))
        return tuple(map(Worth.of, self._fallen.moved(of_throw(falls, dice))))

    def _by_whites(self, table: Any) -> Mapping[Whites, Sequence[tuple[int, Values]]]:
        falls = {
            pair: self._remembered_falls(table, pair)
            for pairs in white_pairs(self.game).values()
            for pair in pairs
        }
        return {
            pair: [(fall.ways, self._fallen.moved(fall)) for fall in found]
            for pair, found in falls.items()
        }

    def _remembered_falls(self, table: Any, whites: Whites) -> list[Fall]:
        if table != self._fallen.table:
            self._fallen = _Fallen(table, self._unseen(table), {})
        if whites not in self._fallen.falls:
            self._fallen.falls[whites] = self._falls(table, whites)
        return self._fallen.falls[whites]

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

    def __init__(self, game: Game[Any], players: int) -> None:
        super().__init__(game, players)
        self._thrown: tuple[Any, AllThrows] | None = None  # the last table, and its throws

    @cached_property
    def judge(self) -> Judge:
        return Judge(self.game, self.players)

    def _all_throws(self, table: Any) -> AllThrows:
        if self._thrown is None or table != self._thrown[0]:
            self._thrown = table, all_throws(self.judge, table, range(self.players))
        return self._thrown[1]

    def _falls(self, table: Any, whites: Whites) -> list[Fall]:
        return list_falls(self._all_throws(table), table, whites)

    def _unseen(self, table: Any) -> Values:
        return unseen(self._all_throws(table), table)

    def _look(self, table: Any, seats: Sequence[int]) -> dict[int, Value]:
        if len(seats) < self.players:
            return next_throws(self.judge, table, seats)
        throws = self._all_throws(table)
        return {seat: throws.to(seat) for seat in seats}

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


class ExactJudgement(Judgement):
    """By the exact table of the practice game."""

    def __init__(self, game: Game[Any], solution: games.Solution) -> None:
        super().__init__(game, 1)
        self._solution = solution

    def after(self, table: Any, dice: Dice) -> tuple[Worth, ...]:
        found = self._choices(self.game.roll(table, dice), 0, ())
        return (found.values[found.best],)

    def _by_whites(self, table: Any) -> Mapping[Whites, Sequence[tuple[int, Values]]]:
        throws = all_throws(_ExactJudge(self.game, self._solution), table, (0,))
        return {
            pair: [(ways, (value,)) for ways, value in falls]
            for white_sum, pairs in throws.pairs.items()
            for pair, falls in zip(pairs, throws.falls(white_sum, 0), strict=True)
        }

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
