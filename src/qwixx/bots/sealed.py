"""An action in which several choose at once: what they choose in equilibrium.

Every seat begins with what it would choose alone. As long as somebody has a better answer to what
the others choose, that is added, and the equilibrium of what was added so far is found.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, TypeAlias

from qwixx.bots.judging import Asked, Judge, fair
from qwixx.core.equilibrium import MIX_BITS, MIX_ONE, MOST_OUTCOMES, TOLERANCE, equilibrium
from qwixx.core.fields import Move
from qwixx.core.game import COLOUR
from qwixx.core.values import Value

Outcome: TypeAlias = tuple[Move, ...]  # what every seat that acts chooses
Valued: TypeAlias = dict[tuple[Outcome, int], Value]
Weighed: TypeAlias = Iterable[tuple[Outcome, int]]  # outcomes, and how often, of MIX_ONE


class Sealed:
    """The game of one action. Blind are those who see the white dice only."""

    def __init__(
        self,
        judge: Judge,
        view: Any,
        options: Mapping[int, Sequence[Move]],
        alone: Mapping[int, Move],
        blind: bool = False,
    ) -> None:
        self.judge, self.view, self.blind = judge, view, blind
        self.seats = sorted(options)
        self._order = tuple(map(self.seats.index, options))  # in which the law asks them
        self._chosen: dict[Outcome, Any] = {(): view}  # after the choices of the first of them
        self.options = [options[seat] for seat in self.seats]
        self.kept = [[alone[seat]] for seat in self.seats]  # what is thought of so far
        self.mix = [{alone[seat]: MIX_ONE} for seat in self.seats]
        self.ends: dict[Outcome, Any] = {}
        self.values: Valued = {}
        self._solve()

    def is_mixed(self, seat: int) -> bool:
        """Whether a seat chooses now this, now that."""
        return len(self.mix[self.seats.index(seat)]) > 1

    def others_mix(self, seat: int) -> bool:
        return any(self.is_mixed(other) for other in self.seats if other != seat)

    def likely(self) -> dict[int, Move]:
        """What everybody chooses; of those who mix, what they choose most often."""
        return {
            seat: max(mix, key=mix.__getitem__)
            for seat, mix in zip(self.seats, self.mix, strict=True)
        }

    def answers(self, seat: int, move: Move) -> Iterator[tuple[Outcome, int]]:
        """The outcomes that a choice may come to, and how often, in parts of MIX_ONE."""
        own = self.seats.index(seat)
        mixes = [{move: MIX_ONE} if place == own else mix for place, mix in enumerate(self.mix)]
        return self._weighed(mixes)

    def all_outcomes(self) -> list[Outcome]:
        """All of what is thought of."""
        return list(product(*self.kept))

    def mean(self, seat: int) -> Value:
        """What the action comes to for a seat."""
        weighed = list(self._weighed(self.mix))
        self.learn((outcome, seat) for outcome, _ in weighed)
        return mean_of(self.values, seat, weighed)

    def learn(self, wanted: Iterable[tuple[Outcome, int]]) -> None:
        """Judge these outcomes for these seats; of two seats always for both."""
        new = [found for found in dict.fromkeys(wanted) if found not in self.values]
        self._end(dict.fromkeys(outcome for outcome, _ in new))
        seen = [(self.ends[outcome], self.fair_seats(seat)) for outcome, seat in new]
        values = self.judge((end, seat) for end, seats in seen for seat in seats)
        for (outcome, _), (end, seats) in zip(new, seen, strict=True):
            judged = {seat: values[end, seat] for seat in seats}
            self.values.update({(outcome, seat): fair(judged, seat) for seat in seats})

    def fair_seats(self, seat: int) -> tuple[int, ...]:
        """Whom an outcome must be judged for to know what it is worth to a seat."""
        return (0, 1) if self.judge.players == 2 else (seat,)

    def after(self, outcome: Outcome) -> Any:
        """The table after the action."""
        moves = tuple(outcome[place] for place in self._order)
        done = next(n for n in range(len(moves), -1, -1) if moves[:n] in self._chosen)
        state = self._chosen[moves[:done]]
        for number in range(done, len(moves)):
            seat = self.seats[self._order[number]]
            state = self.judge.game.choose(state, seat, moves[number])
            self._chosen[moves[: number + 1]] = state
        return state

    def settle(self, values: Valued | None = None) -> None:
        """The equilibrium of what is thought of; by other values, if they are given."""
        outcomes, payoff = self.all_outcomes(), self._payoffs(values or self.values)
        if values is None:
            self.learn((outcome, seat) for outcome in outcomes for seat in self.seats)
        payoffs = [[payoff(outcome, seat) for seat in self.seats] for outcome in outcomes]
        found = equilibrium(list(map(len, self.kept)), payoffs)
        for place, shares in enumerate(found):
            chosen = {
                move: share for move, share in zip(self.kept[place], shares, strict=True) if share
            }
            self.mix[place] = {move: chosen[move] for move in self.options[place] if move in chosen}

    def _solve(self) -> None:
        grown = True
        while grown:
            self.learn(
                (outcome, seat)
                for seat, moves in zip(self.seats, self.options, strict=True)
                for move in moves
                for outcome, _ in self.answers(seat, move)
            )
            grown = False
            for place, seat in enumerate(self.seats):
                answer = self._better_answer(seat)
                sizes = list(map(len, self.kept))
                sizes[place] += 1
                if answer is not None and prod(sizes) <= MOST_OUTCOMES:
                    self.kept[place].append(answer)
                    grown = True
            if grown:
                self.settle()

    def _better_answer(self, seat: int) -> Move | None:
        """A better answer of a seat to what the others choose, that was not thought of yet."""
        place, payoff = self.seats.index(seat), self._payoffs(self.values)
        worths = {
            move: sum(
                weight * payoff(outcome, seat) for outcome, weight in self.answers(seat, move)
            )
            >> MIX_BITS
            for move in self.options[place]
        }
        now = sum(share * worths[move] for move, share in self.mix[place].items()) >> MIX_BITS
        best = max(worths, key=worths.__getitem__)
        return best if worths[best] > now + TOLERANCE and best not in self.kept[place] else None

    def _payoffs(self, values: Valued) -> Any:
        """What a seat chooses by: its worth; of two seats, how much more than the other's it is,
        so that one gains what the other loses."""

        def payoff(outcome: Outcome, seat: int) -> int:
            own = values[outcome, seat].worth
            return own - values[outcome, 1 - seat].worth if self.judge.players == 2 else own

        return payoff

    def _weighed(self, mixes: Sequence[Mapping[Move, int]]) -> Iterator[tuple[Outcome, int]]:
        for outcome in product(*mixes):
            weight = MIX_ONE
            for mix, move in zip(mixes, outcome, strict=True):
                weight = weight * mix[move] >> MIX_BITS
            if weight:
                yield outcome, weight

    def _end(self, outcomes: Iterable[Outcome]) -> None:
        """The tables that these leave, with the colour action that the active seat likes best."""
        game, turns = self.judge.game, dict[Outcome, list[Any]]()
        active = self.view.active
        for outcome in outcomes:
            if outcome in self.ends:
                continue
            after = self.after(outcome)
            if after.phase != COLOUR:
                self.ends[outcome] = after
            elif self.blind:
                self.ends[outcome] = self.judge.features.turn_over(after)
            else:
                turns[outcome] = [
                    game.choose(after, active, then) for then in game.moves(after, active)
                ]
        asked: Iterator[Asked] = ((end, active) for ends in turns.values() for end in ends)
        values = self.judge(asked)
        for outcome, ends in turns.items():
            self.ends[outcome] = max(ends, key=lambda end: values[end, active].worth)


def mean_of(values: Mapping[tuple[Outcome, int], Value], seat: int, weighed: Weighed) -> Value:
    """The mean of some outcomes to a seat."""
    win = points = 0
    for outcome, weight in weighed:
        found = values[outcome, seat]
        win, points = win + weight * found.win, points + weight * found.points
    return Value(win >> MIX_BITS, points >> MIX_BITS)
