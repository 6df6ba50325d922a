"""The game of one round at a table: its state, its dice,
who has to decide, and what is still sealed."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from qwixx.core.dice import Dice
from qwixx.core.events import Choice
from qwixx.core.events import Event as GameEvent
from qwixx.core.game import OVER, ROLL, Effects, Game
from qwixx.core.proof import OpenDice
from qwixx.core.sealing import Links, SealedDice
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.refusals import Refusal


@dataclass
class Round:
    """A game as far as it was played.
    A decision is open from one throw or resolved action to the next."""

    game: Game[Any]
    source: SealedDice | OpenDice | None  # None: the events say what the dice showed
    first: int
    state: Any  # with the choices of this action that are in
    opened: int  # the event that opened the present decision
    opened_at: int
    decision: Any = None  # the state when it was opened: nothing sealed is in it
    between: Any = None  # the state before this turn's throw
    events: list[GameEvent] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    rolls: int = 0
    # Of everybody who has this decision.
    legal: dict[int, tuple[str, ...]] = field(default_factory=dict)
    # Choices of this action, sealed until the last is in.
    pending: dict[int, str] = field(default_factory=dict)
    # How often each seat took back its choice in it.
    withdrawn: Counter[int] = field(default_factory=Counter)
    hints: Counter[int] = field(default_factory=Counter)  # that each seat took in this round
    hinted: set[int] = field(default_factory=set)  # the seats that took one in this decision
    _sealed: int = 0  # events that are in the digest
    # Where a choice leads that was just checked.
    _foreseen: tuple[log.Chose | None, Any] = field(default=(None, None), compare=False)

    def __post_init__(self) -> None:
        self.decision = self.between = self.state

    @property
    def over(self) -> bool:
        return bool(self.state.phase == OVER)

    @property
    def turn(self) -> int:
        """Which turn this is, counted from 0."""
        return self.rolls if self.state.phase == ROLL else self.rolls - 1

    def waited_for(self) -> list[int]:
        """The seats that have to throw or to choose now."""
        if self.state.phase == ROLL:
            return [self.state.active]
        return [seat for seat in self.legal if seat not in self.pending]

    @property
    def sealed(self) -> SealedDice | None:
        """The dice, if they are of the kind that seals the game."""
        return self.source if isinstance(self.source, SealedDice) else None

    def check_throw(self, seat: int) -> None:
        """Only the active seat throws, and only between turns."""
        if self.state.phase != ROLL:
            raise Refusal("not_now", "the dice lie already: this turn's choices come first", "S1")
        if seat != self.state.active:
            raise Refusal("not_now", f"it is the turn of seat {self.state.active} to roll", "S1")

    def throw(self, links: Links) -> log.Rolled:
        """The dice are what the key, these links and all that happened make them."""
        in_play = self.game.dice_in_play(self.state)
        if isinstance(self.source, SealedDice):
            return log.Rolled(str(self.source.throw(in_play, links)), dict(links))
        assert self.source is not None  # else nobody throws
        return log.Rolled(str(self.source.throw(self.rolls, in_play)))

    def choice(
        self, seat: int, move: str, why: Literal["only", "clock", "bot"] | None
    ) -> log.Chose:
        """A legal choice; the game itself refuses any other."""
        chose = log.Chose(seat, move, why)
        self._foreseen = (chose, self.game.choose(self.state, seat, move))
        return chose

    def withdrawal(self, seat: int) -> log.Withdrew:
        """A choice that is still sealed can be taken back, unless there was none to make."""
        if seat not in self.pending:
            raise Refusal("not_now", "you have not chosen yet: there is nothing to take back")
        if not self.can_withdraw(seat):
            raise Refusal("not_now", "passing was all you could do, so it stays")
        return log.Withdrew(seat)

    def can_withdraw(self, seat: int) -> bool:
        """Whether this seat's choice is sealed, and was one."""
        return seat in self.pending and len(self.legal[seat]) > 1

    def take_hint(self, seat: int) -> None:
        """A seat has been told what would be best; asking again in the same decision is no other."""
        self.hints[seat] += 1
        self.hinted.add(seat)

    def apply(self, event: log.PlayEvent, number: int, at: int) -> dict[str, Any]:
        """Carry out a move of the game; what everybody may know of it."""
        if isinstance(event, log.Withdrew):
            self._withdraw(event.seat)
            return {"chosen": sorted(self.pending)}
        if isinstance(event, log.Rolled):
            dice = Dice.parse(event.dice)
            after = self.game.roll(self.state, dice)
            self._note(dice, at)
            without = self._seal_throw(dice, at, event.links)
            self.rolls += 1
            self._open(after, number, at)
            return {"dice": event.dice, "without": without or None, "chosen": []}
        before, after = self.state, self._after(event)
        self._note(Choice(event.seat, event.move), at)
        self.pending[event.seat] = event.move
        if after.phase == before.phase:
            self.state = after
            return {"why": event.why, "chosen": sorted(self.pending)}
        revealed = {str(seat): self.pending[seat] for seat in sorted(self.pending)}
        effects = effects_of(self.game, before, self.pending)
        self._open(after, number, at)
        return {"why": event.why, "revealed": revealed, "effects": effects, "chosen": []}

    def _seal_throw(self, dice: Dice, at: int, links: Links) -> list[int]:
        """A throw is in the digest; the seats whose pages were left out of it."""
        if self.sealed is None:
            return []
        missing = self.sealed.part(links).missing
        self.sealed.thrown(dice, at, links)
        self._sealed = len(self.events)
        return list(missing)

    def _seal_choices(self) -> None:
        """What was chosen in a turn is in the digest once it cannot be taken back."""
        if self.sealed is not None:
            for event, at in zip(
                self.events[self._sealed :], self.times[self._sealed :], strict=True
            ):
                self.sealed.chosen(event, at)
            self._sealed = len(self.events)

    def _withdraw(self, seat: int) -> None:
        """As if this seat had not chosen: the others' choices are made again,
        in the order in which they came."""
        sealed = range(len(self.events) - len(self.pending), len(self.events))
        place = next(place for place in sealed if self.events[place] == (seat, self.pending[seat]))
        del self.events[place], self.times[place], self.pending[seat]
        self.withdrawn[seat] += 1
        self.state = self.decision
        for other, move in self.pending.items():
            self.state = self.game.choose(self.state, other, move)

    def _after(self, event: log.Chose) -> Any:
        foreseen, after = self._foreseen
        return after if foreseen is event else self.game.choose(self.state, event.seat, event.move)

    def _note(self, event: GameEvent, at: int) -> None:
        self.events.append(event)
        self.times.append(at)

    def _open(self, state: Any, number: int, at: int) -> None:
        """A new decision is open: who has it, and what is legal."""
        self.state = self.decision = state
        if state.phase == ROLL:
            self.between = state
        if state.phase in (ROLL, OVER):
            self._seal_choices()
        self.opened, self.opened_at = number, at
        self.pending = {}
        self.withdrawn.clear()
        self.hinted.clear()
        self.legal = {seat: self.game.moves(state, seat) for seat in self.game.to_act(state)}


# The same few, again and again.
named = lru_cache(maxsize=1 << 12)(Effects.to_json)


def effects_of(
    game: Game[Any], state: Any, choices: Mapping[int, str]
) -> dict[str, m.Effects] | None:
    """What the choices of one action do, by seat, for when they are no longer sealed;
    None if none did any."""
    found = {str(seat): named(game.effects(state, seat, choices[seat])) for seat in sorted(choices)}
    return {seat: effects for seat, effects in found.items() if effects} or None
