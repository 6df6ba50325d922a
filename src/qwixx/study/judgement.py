"""What tables and choices are worth to every seat, as the master sees them:
the judgement that reviews and the explorer go by.

A table before a throw is worth the mean over all throws, after each of which everybody chooses well
by the master's net; at the end it is counted. In practice the exact table decides, where it is
kept. With the extra "lab" the same thought runs compiled, and comes to the same numbers.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from math import inf
from typing import Any, Final, NamedTuple

from qwixx import bots, games
from qwixx.bots.expert import Judge, Line, guesses, kept, lines, options_of, supposed, together
from qwixx.bots.master import candidates, next_throw
from qwixx.core.dice import Dice
from qwixx.core.errors import BadRequest, GameOver, NotToAct
from qwixx.core.fields import PASS, Move
from qwixx.core.game import COLOUR, OVER, WHITE, Game
from qwixx.core.values import POINT, WIN, Value

_REMEMBERED: Final = 20_000  # values of tables


class Worth(NamedTuple):
    """What something is worth to a seat, for people: a chance to win (from 0 to 1), and points."""

    win: float = 0.0
    points: float = 0.0

    @classmethod
    def of(cls, value: Value) -> "Worth":
        return cls(value.win / WIN, value.points / POINT)

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
        if move not in best or _worth(worth) > _worth(looked[best[move]][1]):
            best[move] = number
    top = max(best.values(), key=lambda number: _worth(looked[number][1]))
    return top, {move: looked[best[move]][1] for move in game.moves(view, seat)}


def _worth(worth: Worth) -> int:
    """What to choose by, in the whole units of a judgement."""
    return round(worth.win * WIN) + round(worth.points * POINT)


def can_judge(game: Game[Any], players: int) -> bool:
    """Whether there is a judgement of this game with so many seats."""
    return "master" in bots.levels(game.id, players)


def judgement(game: Game[Any], players: int, plain: bool = False) -> Judgement:
    """The best judgement at hand: the exact one, or the master's, compiled if that can be."""
    makers: list[Callable[[], Judgement | None]] = [
        partial(_exact, game, players),
        partial(_compiled, game, players),
    ]
    for make in makers[:1] if plain else makers:
        found = make()
        if found is not None:
            return found
    if not can_judge(game, players):
        alone = " alone" if players == 1 else ""
        raise BadRequest(f"no net has learned {game.id}{alone}, so it cannot be judged")
    return PlainJudgement(game, players)


def _exact(game: Game[Any], players: int) -> Judgement | None:
    solution = kept(game) if players == 1 else None
    return None if solution is None else ExactJudgement(game, solution)


def _compiled(game: Game[Any], players: int) -> Judgement | None:
    """None without the extra "lab", or for a sheet that has no kernel or net."""
    if not can_judge(game, players):
        return None
    try:
        fast = import_module("qwixx.study.fast")
    except ImportError:
        return None
    found: Judgement | None = fast.made(game, players)
    return found
