"""A turn of a game, judged: the luck of its throw and the skill of its choices, to every seat.

Everything adds up. What a table is worth to a seat after a turn is what it was worth before, plus
the luck of the throw, less what the seat's own choices lost, plus what the others' choices did to
it, plus a rest: what the judgement said of the throw, corrected by what it says when it looks on
from there.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from qwixx.core.dice import Dice
from qwixx.core.events import Choice, apply
from qwixx.core.fields import Move
from qwixx.core.game import Game
from qwixx.core.record import Record, states
from qwixx.study.judging import Judged, Judgement, Worth, shared
from qwixx.study.kinds import Kind, kind_of
from qwixx.study.reasons import Reason, reason_for


class Turn(NamedTuple):
    """A throw, the table before it, and the choices that were made with it."""

    number: int  # of the throw among the events of the record
    table: Any
    dice: Dice
    choices: tuple[Choice, ...]


class Decision(NamedTuple):
    """A choice that was made, beside what could have been."""

    event: int
    seat: int
    move: Move
    best: Move
    then: Move | None  # the colour action that the best choice was made for
    loss: Worth
    values: dict[Move, Worth]
    reason: Reason
    kind: Kind | None  # of error; None if it was the best choice

    @property
    def chosen(self) -> bool:
        """Whether there was anything to choose."""
        return len(self.values) > 1


class JudgedTurn(NamedTuple):
    """What a turn was worth to every seat."""

    event: int  # the throw's
    before: tuple[Worth, ...]
    luck: tuple[Worth, ...]
    others: tuple[Worth, ...]
    rest: tuple[Worth, ...]
    after: tuple[Worth, ...]
    decisions: tuple[Decision, ...]


def turns(game: Game[Any], record: Record) -> list[Turn]:
    """The turns of a record, whose every rule is checked; the last may not be over."""
    found: list[Turn] = []
    for number, (table, event) in enumerate(zip(states(game, record), record.events, strict=False)):
        if isinstance(event, Dice):
            found.append(Turn(number, table, event, ()))
        else:
            found[-1] = found[-1]._replace(choices=(*found[-1].choices, event))
    return found


def judged(judgement: Judgement, turn: Turn) -> JudgedTurn:
    """A turn that is over, judged from what each seat could know at its choices."""
    return _Account(judgement, turn).settled()


class _Account:
    """What each seat is held to have, step by step through a turn."""

    def __init__(self, judgement: Judgement, turn: Turn) -> None:
        self._judgement, self._game, self._turn = judgement, judgement.game, turn
        self._before = judgement.before(turn.table)
        self._held = list(judgement.after(turn.table, turn.dice))
        self._luck = tuple(
            held - before for held, before in zip(self._held, self._before, strict=True)
        )
        self._others = [Worth()] * judgement.players
        self._rest = [Worth()] * judgement.players
        self._decisions: list[Decision] = []

    def settled(self) -> JudgedTurn:
        turn, game = self._turn, self._game
        state, number = game.roll(turn.table, turn.dice), turn.number
        left = list(turn.choices)
        first = True
        while game.to_act(state):
            acting = game.to_act(state)
            made = {
                choice.seat: (number + 1 + at, choice)
                for at, choice in enumerate(left[: len(acting)])
            }
            self._act(state, acting, made, first)
            for choice in left[: len(acting)]:
                state = apply(game, state, choice)
            number, left, first = number + len(acting), left[len(acting) :], False
        after = self._judgement.before(state)
        before_told, after_told = shared(self._before), shared(after)
        for seat in range(self._judgement.players):
            self._others[seat] += after[seat] - self._held[seat]
            # What is told is shares of one win: what that changes, the judgement has corrected.
            self._rest[seat] += after_told[seat] - after[seat]
            self._rest[seat] += self._before[seat] - before_told[seat]
        return JudgedTurn(
            turn.number,
            before_told,
            self._luck,
            tuple(self._others),
            tuple(self._rest),
            after_told,
            tuple(sorted(self._decisions)),
        )

    def _act(
        self,
        state: Any,
        acting: Sequence[int],
        made: dict[int, tuple[int, Choice]],
        first: bool,
    ) -> None:
        """Choices that are made at the same time: nobody knows another's."""
        idle = [seat for seat in range(self._judgement.players) if seat not in acting]
        witnesses = idle if first else []
        for seat in acting:
            found = self._judgement.choices(state, seat, witnesses)
            self._hold(seat, found.values[found.best], corrected=first)
            # Who has no choice in a turn sees what the best play of the active seat comes to.
            for witness, worth in zip(witnesses, found.witnessed, strict=True):
                self._hold(witness, worth, corrected=True)
            witnesses = []
            self._decide(state, *made[seat], found)

    def _hold(self, seat: int, worth: Worth, corrected: bool) -> None:
        """What a seat has is now seen to be this: by a closer look, or since others have chosen."""
        change = self._rest if corrected else self._others
        change[seat] += worth - self._held[seat]
        self._held[seat] = worth

    def _decide(self, state: Any, event: int, choice: Choice, found: Judged) -> None:
        seat, move = choice
        best, value = found.values[found.best], found.values[move]
        loss = Worth(max(0.0, best.win - value.win), max(0.0, best.points - value.points))
        # A choice that gains points and loses chances is no gain: that goes to the rest.
        self._rest[seat] += value - best + loss
        self._held[seat] = value
        view = self._game.view(state, seat)
        # Beside the choice that was made; who made the best one is told what the next best was.
        beside = found.values if move == found.best else (found.best, move)
        compared = {one: found.values[one].units() for one in beside}
        reason = reason_for(self._game, view, seat, found.best, compared)
        kind = None
        if loss != Worth():
            kind = kind_of(self._game, view, seat, found.best, move)
        self._decisions.append(
            Decision(
                event, seat, move, found.best, found.then, loss, dict(found.values), reason, kind
            )
        )
