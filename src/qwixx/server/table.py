"""One table: a fold of its log, and the rules of sitting, starting, playing and playing again.

Nothing here reads a clock, writes a file or sends a message: `decide` turns a command into an event
or refuses it, `apply` carries an event out and says what everybody may know of it. The rules of the
games are asked, never stated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from msgspec.structs import replace

from qwixx.core import proof
from qwixx.core.fields import PASS
from qwixx.core.sealing import Links, SealedDice
from qwixx.server import chains, log, manners
from qwixx.server import messages as m
from qwixx.server.chains import Chance
from qwixx.server.manners import Waited
from qwixx.server.names import clean_name
from qwixx.server.refusals import Refusal
from qwixx.server.round import Round
from qwixx.server.seen import SeenTable
from qwixx.server.state import Seat

PLAY_KINDS: Final = ("rolled", "chose", "withdrew")


@dataclass(frozen=True)
class Due:
    """Something the table does by itself, so many seconds after the present decision was opened."""

    after: float
    what: Literal["bot", "clock"]
    seat: int


@dataclass
class Table(SeenTable):
    """A table that decides what follows from a command, and carries out what has happened."""

    # --- what people ask for ---

    def decide(
        self, command: m.Command, holder: str | None, waited: Waited
    ) -> log.AnyEvent | Chance:
        """The event that a command leads to, or the chance that decides it;
        one that cannot be carried out raises."""
        match command:
            case m.Choose():
                self.check_fresh(command.seat, holder, command.seen)
                return self.chose(command.seat, command.move)
            case m.Roll():
                self.check_fresh(command.seat, holder, command.seen)
                return self.rolled(command.seat)
            case m.Sit():
                return self._sit(command, holder)
            case m.Leave():
                return self._leave(command.seat, holder)
            case m.Ready() | m.CommitChain():
                return chains.decide(self, command, holder)
            case m.Start():
                return self._start_early(holder)
            case m.Withdraw():
                return self._withdraw(command, holder)
            case m.Replace() | m.Remove() | m.AllowWatchers():
                return manners.decide(self, command, holder, waited)
            case m.Rematch():
                return self._rematch(holder)
        raise Refusal("bad_message", "this command is not carried out at a table")

    def check_reaction(self, seat: int, holder: str | None) -> None:
        """Whoever sits here may show how they feel, if there is anybody else to see it."""
        self.check_holds(seat, holder)
        if not self.others(holder):
            raise Refusal("not_now", "nobody else sits here who could see that")

    def check_hurry(self, holder: str | None) -> None:
        """Whoever plays with bots alone sets their pace."""
        if not self.held_by(holder):
            raise Refusal("not_yours", "a player of this table can ask for that")
        self.check_status("playing")
        if any(not seat.stand_in for seat in self.others(holder)):
            raise Refusal("not_now", "others play here who may want to see what the bots do")

    def check_hint(self, command: m.AskHint, holder: str | None) -> None:
        """Whoever has a choice to make may ask for a hint, where the table allows it."""
        self.check_fresh(command.seat, holder, command.seen)
        if not self.options.hints:
            raise Refusal("no_hints", "this table is played without hints")
        if self.seats[command.seat].stand_in:
            raise Refusal("not_now", "a bot plays for you: come back first")
        if not self.can_take_hint(command.seat):
            raise Refusal("not_now", "you have nothing to choose just now")

    def can_take_hint(self, seat: int) -> bool:
        """Whether this seat has a choice before it."""
        acts = self.waits_for(seat) and not self.seats[seat].stand_in
        return acts and seat in self.running().legal

    def rolled(self, seat: int) -> log.Rolled | Chance:
        """The active seat throws; at once, where no page is to bring a link."""
        playing = self.running()
        playing.check_throw(seat)
        pages = chains.pages(self, playing)
        if playing.sealed is None or not pages:
            return playing.throw({})
        playing.sealed.before_throw()
        return Chance(playing.sealed, pages, playing.rolls)

    def settled(self, chance: Chance, links: Links) -> log.AnyEvent:
        """What these links make of a chance."""
        if chance.throw is not None:
            return self.running().throw(links)
        first = chance.source.first(len(chance.seats), links)
        return log.Started(first, list(chance.seats), dict(links))

    def chose(
        self, seat: int, move: str, why: Literal["only", "clock", "bot"] | None = None
    ) -> log.Chose:
        """A legal choice; the game itself refuses any other."""
        return self.running().choice(seat, move, why)

    def next_event(self) -> log.AnyEvent | Chance | None:
        """What follows at once without anybody's doing: the commitment of a new table,
        the start, and passing where nothing else is legal."""
        if not self.key:
            return commit()
        if self.playing is None:
            people = [seat for seat in self.seats if seat.kind == "person" and not seat.stand_in]
            if people and not any(seat.missing for seat in self.seats):
                return chains.start(self, list(range(len(self.seats))))
        else:
            removal = manners.agreed_removal(self)
            if removal is not None:
                return removal
            for seat, moves in self.playing.legal.items():
                if (
                    moves == (PASS,)
                    and seat not in self.pending
                    and self.seats[seat].bot_level is None
                ):
                    return self.chose(seat, PASS, "only")
        return None

    def due(self, *, hurried: bool = False) -> Due | None:
        """The next thing the table will do by itself if nobody does anything;
        hurried bots do not pause."""
        if self.playing is None or self.playing.over:
            return None
        found = []
        for seat in self.playing.waited_for():
            if self.seats[seat].bot_level is not None:
                found.append(Due(0 if hurried else self.options.pause, "bot", seat))
            elif self.options.clock:
                found.append(Due(self.options.clock, "clock", seat))
        return min(found, key=lambda due: due.after, default=None)

    @property
    def listed(self) -> bool:
        """Whether it is in the list of tables that anybody may join."""
        return (
            self.options.listed
            and self.status == "gathering"
            and any(seat.kind == "open" for seat in self.seats)
        )

    @property
    def awake(self) -> bool:
        """Whether it must be in memory though nobody is there."""
        return self.listed or self.due() is not None

    # --- what has happened ---

    def apply(self, entry: log.Entry) -> m.Happened:
        """Carry out an event of the log; what comes back is for everybody to know."""
        if entry.number != self.number + 1:
            raise ValueError(f"event {entry.number} follows event {self.number}")
        self.number, self.at = entry.number, entry.at
        if entry.command is not None:
            self.commands[entry.command] = entry.number
        event = entry.event
        kind: Any = event.__struct_config__.tag  # the tags of the log are the kinds of the protocol
        said = None if entry.command is None else entry.command.partition("/")[2]
        if isinstance(event, log.PlayEvent):
            seat, changes = self._apply_play(event)
            happened = m.Happened(entry.number, entry.at, kind, said, seat=seat, **changes)
        else:
            if isinstance(event, log.Hinted):
                self.running().take_hint(event.seat)
            else:
                self._apply_seating(event)
            happened = m.Happened(
                entry.number, entry.at, kind, said, seat=getattr(event, "seat", None)
            )
        self.happened.append(happened)
        return happened

    def with_changes(self, happened: Sequence[m.Happened]) -> list[m.Happened]:
        """Events that happened together, just applied:
        the last brings what all of them have changed."""
        *others, last = happened
        new_table = self.status == "over" or any(one.kind not in PLAY_KINDS for one in happened)
        # Who has chosen is all that changes within an action,
        # but whoever came later does not know the moves of one who had chosen by then.
        new_play = any(
            (not one.chosen and one.kind != "hinted") or one.kind == "withdrew" for one in happened
        )
        table, play = self.view() if new_table else None, self.play() if new_play else None
        changed = replace(last, table=table, play=play) if table or play else last
        return [*(replace(one, more=True) for one in others), changed]

    def _apply_play(self, event: log.PlayEvent) -> tuple[int, dict[str, Any]]:
        """Carry out a move of the game: whose it was, and what everybody may know of it."""
        playing = self.running()
        seat = playing.state.active if isinstance(event, log.Rolled) else event.seat
        changes = playing.apply(event, self.number, self.at)
        if playing.over:
            self.rounds[self.round] = self.record()
        return seat, changes

    def _apply_seating(self, event: log.AnyEvent) -> None:
        match event:
            case log.Created():
                self.game_id, self.options, self.creator = event.game, event.options, event.holder
                self.position = event.position
                self.seats = [self._planned(plan) for plan in event.seats]
            case log.Committed():
                self._apply_commitment(event)
            case log.Sat():
                self.seats[event.seat] = self._person(event.name, event.face, event.holder)
            case log.Left():
                self.seats[event.seat] = Seat("open")
            case log.Readied() | log.Chained():
                chains.apply(self, event)
            case log.Started():
                self._apply_start(event)
            case log.Replaced() | log.Returned():
                self.seats[event.seat].stand_in = isinstance(event, log.Replaced)
            case log.Weakened():
                self.seats[event.seat].level = event.level
            case log.Moved() | log.Agreed() | log.Removed() | log.Allowed():
                manners.apply(self, event)

    def _planned(self, plan: m.SeatPlan) -> Seat:
        if plan.kind == "me":
            return self._person(plan.name, plan.face, self.creator)
        return Seat("bot", level=plan.level) if plan.kind == "bot" else Seat("open")

    def _person(self, name: str | None, face: str | None, holder: str) -> Seat:
        return Seat("person", name, face, level=self.options.stand_in, holder=holder)

    def _apply_commitment(self, event: log.Committed) -> None:
        self.key, self.scheme = bytes.fromhex(event.key), event.scheme
        self.round += 1
        self.playing = None
        self.happened.clear()
        self.agreed.clear()
        for number, seat in enumerate(self.seats):
            seat.brought = None
            if seat.kind == "person" and seat.holder is None:  # who had to leave
                self.seats[number] = Seat("open")

    def _apply_start(self, event: log.Started) -> None:
        if not self.key:
            raise ValueError("the game began before its dice were committed to")
        self.seats = [self.seats[seat] for seat in event.seats]
        start = self.start_of_round
        state = (
            self.game.start(len(self.seats), event.first)
            if start is None
            else self.game.from_position(start)
        )
        source: SealedDice | proof.OpenDice
        if self.seals:
            source = chains.sealed_dice(self, self.seats)
            source.begin(event.first, event.links)
            self.keepers = [keeper for keeper, _ in chains.of(self.seats)]
        else:
            source = chains.open_dice(self, self.seats)
        self.playing = Round(self.game, source, event.first, state, self.number, self.at)

    # --- the rules of the table ---

    def _sit(self, command: m.Sit, holder: str | None) -> log.Sat:
        if holder is None:
            raise Refusal("not_yours", "say hello with a secret before you sit down")
        if holder in self.removed:
            raise Refusal("not_yours", "you were asked to leave this table")
        self.check_status("gathering", "over")
        free = [number for number, seat in enumerate(self.seats) if seat.kind == "open"]
        wanted = command.seat if command.seat is not None else next(iter(free), None)
        if wanted not in free:
            raise Refusal(
                "no_seat", "this seat is taken" if free else "every seat is taken; you can watch"
            )
        return log.Sat(wanted, clean_name(command.name), holder, command.face)

    def _leave(self, seat: int, holder: str | None) -> log.Left | log.Replaced:
        self.check_holds(seat, holder)
        if self.status != "playing":
            return log.Left(seat)
        if self.seats[seat].stand_in:
            raise Refusal("not_now", "a bot plays for you already")
        return log.Replaced(seat)

    def _start_early(self, holder: str | None) -> log.Started | Chance:
        self.check_status("gathering")
        self.check_creator(holder)
        return chains.start(
            self, [number for number, seat in enumerate(self.seats) if seat.kind != "open"]
        )

    def _withdraw(self, command: m.Withdraw, holder: str | None) -> log.Withdrew:
        """Until the last choice is in. One that comes too late is not stale:
        there is nothing to take back now."""
        self.check_holds(command.seat, holder)
        playing = self.running()
        if command.seen > self.number:
            raise Refusal(
                "stale", f"this was meant for a later moment: the table is at event {self.number}"
            )
        if command.seen < playing.opened:
            raise Refusal("not_now", "it is too late to take that back: everybody has chosen")
        if self.seats[command.seat].stand_in:
            raise Refusal("not_now", "a bot plays for you: come back first")
        return playing.withdrawal(command.seat)

    def _rematch(self, holder: str | None) -> log.Committed:
        self.check_status("over")
        if not self.held_by(holder) and holder != self.creator:
            raise Refusal("not_yours", "a player of this table can ask for that")
        return commit()


def commit() -> log.Committed:
    """A fresh key for the dice of a round, and the commitment to it."""
    key = proof.new_key()
    return log.Committed(proof.commitment(key), key.hex(), proof.SCHEME)
