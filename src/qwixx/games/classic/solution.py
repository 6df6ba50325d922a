"""The exact solution of the practice game, as a table and as advice:
the lab makes it, anybody may read it.

The table holds what the rest of the game brings, by turns to wait until the own one, sheet and
failed throws. With others at the table it is the friendly game, in which they never end it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from qwixx.core.errors import NotToAct
from qwixx.core.fields import Move
from qwixx.core.game import COLOUR, OVER, ROLL, WHITE
from qwixx.files import tables
from qwixx.games import family
from qwixx.games.classic.rules import Classic
from qwixx.games.classic.sheets import Sheets, Sizes, slot
from qwixx.games.classic.state import ClassicState


class Advice(NamedTuple):
    """What a move is worth: the expected final total,
    and the best move to follow it in the same turn, if any."""

    value: float
    then: Move | None = None


@dataclass(frozen=True)
class Solution:
    """The values of every sheet, and how they came to be."""

    sheets: Sheets
    players: int
    values: tables.Values
    seconds: float
    cpu_seconds: float

    @property
    def states(self) -> int:
        return self.sheets.states

    @property
    def seats(self) -> list[float]:
        """The value of the game to each seat, the one that begins first."""
        start = self.sheets.pairs[0, 0]
        return [float(self.values[wait, slot(start, start), 0]) for wait in range(self.players)]

    def rest(self, kinds: Sequence[int], failed: int, wait: int) -> float:
        """What the rest of the game brings."""
        pairs = self.sheets.pairs
        return float(
            self.values[wait, slot(pairs[kinds[0], kinds[1]], pairs[kinds[2], kinds[3]]), failed]
        )

    def value(self, game: Classic, state: ClassicState, seat: int) -> float:
        """The expected final total of a seat before the dice of a turn are thrown, or at the end."""
        alone = _alone(state, seat)
        return self._worth(game, alone, (seat - state.active) % len(state.sheets))

    def choices(self, game: Classic, state: ClassicState, seat: int) -> dict[Move, Advice]:
        """The exact value of every choice of a seat that is to act; the others never end the game."""
        family.check_seat(seat, len(state.sheets))
        if seat not in game.to_act(state):
            raise NotToAct(f"seat {seat} has no choice to make now")
        alone = _alone(state, seat)
        wait = (seat - state.active - 1) % len(state.sheets)
        own = seat == state.active
        return {move: self._advice(game, alone, move, wait, own) for move in game.moves(alone, 0)}

    def _advice(
        self, game: Classic, alone: ClassicState, move: Move, wait: int, own: bool
    ) -> Advice:
        after = game.choose(alone, 0, move)
        if after.phase != COLOUR or not own:
            return Advice(self._worth(game, after, wait))
        follow = {
            then: self._worth(game, game.choose(after, 0, then), wait)
            for then in game.moves(after, 0)
        }
        best = max(follow, key=follow.__getitem__)
        return Advice(follow[best], best)

    def _worth(self, game: Classic, alone: ClassicState, wait: int) -> float:
        total = game.result(alone).totals[0]
        if alone.phase == OVER:
            return total
        (sheet,) = alone.sheets
        kinds = self._kinds(game, sheet.rows, alone.closed)
        return total + self.rest(kinds, sheet.failed, wait)

    def _kinds(self, game: Classic, rows: Sequence[int], closed: Sequence[bool]) -> list[int]:
        """The kinds of rising rows, then of falling ones;
        a layout with fewer has rows that take nothing."""
        kinds: list[list[int]] = [[], []]
        for marks, shut, numbers in zip(rows, closed, game.layout.numbers, strict=True):
            kinds[numbers[0] > numbers[-1]].append(self.sheets.kind_of(marks, shut))
        return [
            kind
            for direction in kinds
            for kind in (*direction, *[self.sheets.dead] * (2 - len(direction)))
        ]


def _alone(state: ClassicState, seat: int) -> ClassicState:
    """The table as if this seat sat there alone: what others do changes nothing for it."""
    phase = state.phase if state.phase in (WHITE, COLOUR, OVER) else ROLL
    return ClassicState(
        (state.sheets[seat],), state.closed, 0, phase, state.dice, state.white, (None,)
    )


def count_states(game: Classic) -> int:
    return Sheets(sizes_of(game)).states


def can_be_solved(game: Classic) -> bool:
    """Whether the rows of the sheet are alike: one colour each, all sums of two dice, in order."""
    sums = list(range(2, 2 * game.layout.faces + 1))
    return not game.layout.tints and all(
        list(row) in (sums, sums[::-1]) for row in game.layout.numbers
    )


def sizes_of(game: Classic) -> Sizes:
    return Sizes(game.layout.faces, game.to_lock, game.most_failed)


def kept(game: Classic, players: int) -> Solution | None:
    """The solution that was kept, if it is there and whole."""
    if not can_be_solved(game):
        return None
    sizes = sizes_of(game)
    sheets = Sheets(sizes)
    shape = (players, sheets.slots, sizes.most_failed)
    found = tables.read(_name(game, players), {"rules": sizes._asdict(), "players": players}, shape)
    if found is None:
        return None
    values, about = found
    return Solution(sheets, players, values, about["seconds"], about["cpu_seconds"])


def keep(game: Classic, solution: Solution) -> None:
    """Put the solution where `kept` finds it."""
    about = {
        "rules": solution.sheets.sizes._asdict(),
        "players": solution.players,
        "seconds": solution.seconds,
        "cpu_seconds": solution.cpu_seconds,
    }
    tables.write(_name(game, solution.players), about, solution.values)


def _name(game: Classic, players: int) -> str:
    return f"{game.id}-{players}.table"
