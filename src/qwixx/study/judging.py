"""What tables and choices are worth to every seat, as the master sees them:
the judgement that reviews and the explorer go by.

A table before a throw is worth the mean over all throws, after each of which everybody chooses well
by the master's net; at the end it is counted. In practice the exact table decides, where it is
kept. With the extra "lab" the same thought runs compiled, and comes to the same numbers.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from importlib import import_module
from math import inf
from types import ModuleType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from qwixx import bots, games
from qwixx.bots.expert import Judge, Line, guesses, kept, lines, options_of, supposed, together
from qwixx.bots.master import candidates, next_throw
from qwixx.core.dice import Dice
from qwixx.core.errors import BadRequest, GameOver, NotToAct
from qwixx.core.fields import PASS, Move
from qwixx.core.game import COLOUR, OVER, WHITE, Game
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


class Judged(NamedTuple):
    """What every legal choice of a seat is worth to it, with the best that may follow."""

    best: Move
    then: Move | None  # the colour action that the best choice was made for, if one is to follow
    values: Mapping[Move, Worth]
    witnessed: tuple[Worth, ...]  # what the best is worth to others who were asked about


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

    @abstractmethod
    def _worth(self, table: Any, seat: int) -> Worth: ...

    @abstractmethod
    def _choices(self, view: Any, seat: int, witnesses: Sequence[int]) -> Judged: ...


class PlainJudgement(Judgement):
    """By the master's net with numpy, through the law."""

    def __init__(self, game: Game[Any], players: int) -> None:
        super().__init__(game, players)
        self._judge = Judge(game, players)

    def after(self, table: Any, dice: Dice) -> tuple[Worth, ...]:
        thrown = self.game.roll(table, dice)
        found = lines(self._judge, thrown, table.active)
        end = max(found, key=lambda line: line.value.worth).end
        values = self._judge((end, seat) for seat in range(self.players))
        return tuple(Worth.of(values[end, seat]) for seat in range(self.players))

    def _worth(self, table: Any, seat: int) -> Worth:
        return Worth.of(next_throw(self._judge, table, seat, inf))

    def _choices(self, view: Any, seat: int, witnesses: Sequence[int]) -> Judged:
        found = lines(self._judge, view, seat)
        looked = [
            (line, self.worth(line.end, seat)) for line in worth_a_look(found, candidates(found))
        ]
        best, values = best_of(
            [(line.move, worth) for line, worth in looked], view, self.game, seat
        )
        end = looked[best][0].end
        return Judged(
            looked[best][0].move,
            self._then(view, seat, looked[best][0]),
            values,
            tuple(self.worth(end, one) for one in witnesses),
        )

    def _then(self, view: Any, seat: int, line: Line) -> Move | None:
        """The colour action with which a line comes to its end."""
        game = self.game
        if view.phase != WHITE or view.active != seat:
            return None
        thoughts = guesses(self._judge, view, seat, options_of(game, view))
        values = self._judge((guess.end, guess.seat) for guess in thoughts)
        choices, _ = supposed(thoughts, values)
        after = together(game, view, {**choices, seat: line.move})
        if after.phase != COLOUR:
            return None
        ends = ((then, game.choose(after, seat, then)) for then in game.moves(after, seat))
        return next((then for then, end in ends if end == line.end), PASS)


class ExactJudgement(Judgement):
    """By the exact table of the practice game."""

    def __init__(self, game: Game[Any], solution: games.Solution) -> None:
        super().__init__(game, 1)
        self._solution = solution

    def after(self, table: Any, dice: Dice) -> tuple[Worth, ...]:
        found = self._choices(self.game.roll(table, dice), 0, ())
        return (found.values[found.best],)

    def _worth(self, table: Any, seat: int) -> Worth:
        return Worth(1.0, self._solution.value(self.game, table, seat))

    def _choices(self, view: Any, seat: int, witnesses: Sequence[int]) -> Judged:
        found = self._solution.choices(self.game, view, seat)
        best = max(found, key=lambda move: found[move].value)
        values = {move: Worth(1.0, advice.value) for move, advice in found.items()}
        return Judged(best, found[best].then, values, tuple(values[best] for _ in witnesses))


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
