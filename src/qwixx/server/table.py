"""One table: a fold of its log, and the rules of sitting, starting, replacing and playing again.

Nothing here reads a clock, writes a file or sends a message: `decide` turns a command into an event
or refuses it, `apply` carries an event out and says what everybody may know of it. The rules of the
games are asked, never stated.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias

from msgspec.structs import replace

from qwixx import games
from qwixx.core import proof
from qwixx.core.fields import PASS
from qwixx.core.game import Game
from qwixx.core.record import Record
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.names import clean_name
from qwixx.server.refusals import Refusal
from qwixx.server.round import Round
from qwixx.server.showing import shown

# Seconds that a seat whose player is away has kept the others.
Waited: TypeAlias = Callable[[int], float | None]
PLAY_KINDS: Final = ("rolled", "chose", "withdrew")
# How much longer bots wait after a throw that failed for want of a choice, to let it be seen.
READING_SECONDS: Final = 2.0
Status: TypeAlias = Literal["gathering", "playing", "over"]


@dataclass
class Seat:
    """A place at the table. A person's seat is held by the hash of a secret."""

    kind: Literal["open", "person", "bot"]
    name: str | None = None
    face: str | None = None
    level: str | None = None
    holder: str | None = None
    entropy: str | None = None
    stand_in: bool = False

    @property
    def bot_level(self) -> str | None:
        """The level that acts for this seat just now, if a bot does."""
        return self.level if self.kind == "bot" or self.stand_in else None

    @property
    def missing(self) -> bool:
        """Whether the table still waits for this seat to be ready."""
        return self.kind == "open" or (
            self.kind == "person" and not self.stand_in and self.entropy is None
        )


@dataclass(frozen=True)
class Due:
    """Something the table does by itself, so many seconds after the present decision was opened."""

    after: float
    what: Literal["bot", "clock"]
    seat: int


@dataclass
class Table:
    """A table in memory. Its log is the truth; this is what the log says."""

    id: str
    number: int = 0  # of the last event
    at: int = 0  # when it happened
    game_id: str = ""
    options: m.Options = field(default_factory=m.Options)
    creator: str = ""
    seats: list[Seat] = field(default_factory=list)
    round: int = 0
    key: bytes = b""  # of this round's dice
    scheme: str = proof.SCHEME
    playing: Round | None = None  # from the start of the round until the next one gathers
    happened: list[m.Happened] = field(default_factory=list)  # this round's events, bare
    rounds: dict[int, Record] = field(default_factory=dict)  # finished ones
    commands: dict[str, int] = field(default_factory=dict)

    @cached_property
    def game(self) -> Game[Any]:
        return games.game(self.game_id)

    @property
    def status(self) -> Status:
        if self.playing is None:
            return "gathering"
        return "over" if self.playing.over else "playing"

    @property
    def opened(self) -> int:
        """The event that opened the present decision; 0 while none is open."""
        return self.playing.opened if self.playing else 0

    @property
    def opened_at(self) -> int:
        return self.playing.opened_at if self.playing else 0

    @property
    def pending(self) -> Mapping[int, str]:
        """The choices of this action, sealed until the last is in."""
        return self.playing.pending if self.playing else {}

    # --- what people ask for ---

    def decide(self, command: m.Command, holder: str | None, waited: Waited) -> log.AnyEvent:
        """The event that a command leads to; one that cannot be carried out raises."""
        match command:
            case m.Sit():
                return self._sit(command, holder)
            case m.Leave():
                return self._leave(command.seat, holder)
            case m.Ready():
                return self._ready(command, holder)
            case m.Start():
                return self._start_early(holder)
            case m.Roll():
                self._check_fresh(command.seat, holder, command.seen)
                return self.rolled(command.seat)
            case m.Choose():
                self._check_fresh(command.seat, holder, command.seen)
                return self.chose(command.seat, command.move)
            case m.Withdraw():
                return self._withdraw(command, holder)
            case m.Replace():
                return self._replace(command.seat, holder, waited)
            case m.Rematch():
                return self._rematch(holder)
        raise Refusal("bad_message", "this command is not carried out at a table")

    def check_reaction(self, seat: int, holder: str | None) -> None:
        """Whoever sits here may show how they feel, if there is anybody else to see it."""
        self._check_holds(seat, holder)
        if not self._others(holder):
            raise Refusal("not_now", "nobody else sits here who could see that")

    def check_hurry(self, holder: str | None) -> None:
        """Whoever plays with bots alone sets their pace."""
        if not self.held_by(holder):
            raise Refusal("not_yours", "a player of this table can ask for that")
        self._check_status("playing")
        if any(not seat.stand_in for seat in self._others(holder)):
            raise Refusal("not_now", "others play here who may want to see what the bots do")

    def check_hint(self, command: m.AskHint, holder: str | None) -> None:
        """Whoever has a choice to make may ask for a hint, where the table allows it."""
        self._check_fresh(command.seat, holder, command.seen)
        if not self.options.hints:
            raise Refusal("no_hints", "this table is played without hints")
        if self.seats[command.seat].stand_in:
            raise Refusal("not_now", "a bot plays for you: come back first")
        if not self.can_take_hint(command.seat):
            raise Refusal("not_now", "you have nothing to choose just now")

    def can_take_hint(self, seat: int) -> bool:
        """Whether this seat has a choice before it."""
        acts = self.waits_for(seat) and not self.seats[seat].stand_in
        return acts and seat in self._running().legal

    def _others(self, holder: str | None) -> list[Seat]:
        """The seats of people at other devices."""
        return [seat for seat in self.seats if seat.kind == "person" and seat.holder != holder]

    def rolled(self, seat: int) -> log.Rolled:
        """The active seat throws."""
        return self._running().throw(seat)

    def chose(
        self, seat: int, move: str, why: Literal["only", "clock", "bot"] | None = None
    ) -> log.Chose:
        """A legal choice; the game itself refuses any other."""
        return self._running().choice(seat, move, why)

    def next_event(self) -> log.AnyEvent | None:
        """What follows at once without anybody's doing: the commitment of a new table,
        the start, and passing where nothing else is legal."""
        if not self.key:
            return commit()
        if self.playing is None:
            people = [seat for seat in self.seats if seat.kind == "person" and not seat.stand_in]
            if people and not any(seat.missing for seat in self.seats):
                return self._started(list(range(len(self.seats))))
        else:
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
                found.append(Due(0 if hurried else self._pause(), "bot", seat))
            elif self.options.clock:
                found.append(Due(self.options.clock, "clock", seat))
        return min(found, key=lambda due: due.after, default=None)

    def _pause(self) -> float:
        """How long a bot waits before it acts; where bots are to be instant, always that."""
        return self.options.pause + (
            READING_SECONDS if self.options.pause and self._forced_failure() else 0
        )

    def _forced_failure(self) -> bool:
        """Whether the last move of the game was made for somebody, and was a failed throw."""
        last = next((one for one in reversed(self.happened) if one.kind in PLAY_KINDS), None)
        if last is None or last.why not in ("only", "clock"):
            return False
        return "failed" in (last.effects or {}).get(str(last.seat), {})

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

    def waits_for(self, seat: int) -> bool:
        """Whether the others wait for this seat."""
        return (
            self.playing is not None and not self.playing.over and seat in self.playing.waited_for()
        )

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
                self._running().take_hint(event.seat)
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
        playing = self._running()
        seat = playing.state.active if isinstance(event, log.Rolled) else event.seat
        changes = playing.apply(event, self.number, self.at)
        if playing.over:
            self.rounds[self.round] = self.record()
        return seat, changes

    def _apply_seating(self, event: log.AnyEvent) -> None:
        match event:
            case log.Created():
                self.game_id, self.options, self.creator = event.game, event.options, event.holder
                self.seats = [self._planned(plan) for plan in event.seats]
            case log.Committed():
                self._apply_commitment(event)
            case log.Sat():
                self.seats[event.seat] = self._person(event.name, event.face, event.holder)
            case log.Left():
                self.seats[event.seat] = Seat("open")
            case log.Readied():
                self.seats[event.seat].entropy = event.entropy
                self.seats[event.seat].stand_in = False
            case log.Started():
                self._apply_start(event)
            case log.Replaced() | log.Returned():
                self.seats[event.seat].stand_in = isinstance(event, log.Replaced)
            case log.Weakened():
                self.seats[event.seat].level = event.level
            case log.Moved():
                self._apply_move(event)

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
        for seat in self.seats:
            seat.entropy = None

    def _apply_start(self, event: log.Started) -> None:
        if not self.key:
            raise ValueError("the game began before its dice were committed to")
        self.seats = [self.seats[seat] for seat in event.seats]
        state = self.game.start(len(self.seats), event.first)
        self.playing = Round(
            self.game, self._dice(self.seats), event.first, state, self.number, self.at
        )

    def _apply_move(self, event: log.Moved) -> None:
        if self.creator == event.holder:
            self.creator = event.to
        for seat in self.seats:
            if seat.holder == event.holder:
                seat.holder = event.to

    # --- what can be seen ---

    def view(self) -> m.TableView:
        playing = self.playing
        return m.TableView(
            id=self.id,
            game=self.game_id,
            status=self.status,
            round=self.round,
            seats=[
                m.SeatView(
                    seat.kind,
                    seat.name,
                    seat.face,
                    seat.bot_level,
                    seat.entropy is not None or seat.kind == "bot",
                    seat.stand_in,
                    playing.hints[number] if playing else 0,
                )
                for number, seat in enumerate(self.seats)
            ],
            options=self.options,
            commitment=proof.commitment(self.key),
            first=playing.first if playing else None,
            proof=playing.source.to_json(reveal=True) if playing and playing.over else None,
        )

    def play(self) -> m.Play | None:
        """The game as a spectator sees it;
        legal moves follow from what everybody sees, so they are for all."""
        if self.playing is None:
            return None
        clock = self.options.clock and not self.playing.over
        deadline = self.opened_at + round(self.options.clock * 1000) if clock else None
        return m.Play(**shown(self.playing), deadline=deadline, opened=self.opened_at)

    def as_listed(self, holder: str) -> m.MyTable:
        """The table in the list of whoever sits here."""
        view, yours, playing = self.view(), self.held_by(holder), self.playing
        return m.MyTable(
            table=self.id,
            game=self.game_id,
            status=view.status,
            round=self.round,
            seats=view.seats,
            yours=yours,
            active=playing.state.active if playing and view.status == "playing" else None,
            acting=any(self.waits_for(seat) and not self.seats[seat].stand_in for seat in yours),
            at=self.at,
            result=m.ResultView(*self.game.result(playing.state))
            if playing and playing.over
            else None,
        )

    def round_log(self) -> m.RoundLog:
        """Every throw and every revealed choice of this round,
        for whoever came later or looked away."""
        public = [
            replace(one, id=None, chosen=None) for one in self.happened if one.dice or one.revealed
        ]
        return m.RoundLog(self.round, self.number, public)

    def held_by(self, holder: str | None) -> list[int]:
        """The seats that a secret's hash holds."""
        return [
            number
            for number, seat in enumerate(self.seats)
            if holder is not None and seat.holder == holder
        ]

    def record(self) -> Record:
        """This round as a record. What is still sealed is left out, and the key before the end."""
        playing = self.playing
        assert playing is not None
        known = len(playing.events) - len(playing.pending)
        names = [seat.name if seat.kind == "person" else f"bot:{seat.level}" for seat in self.seats]
        result = self.game.result(playing.state)
        hints = [playing.hints[seat] for seat in range(len(self.seats))]
        record = Record(
            self.game_id,
            tuple(name or "" for name in names),
            playing.first,
            tuple(playing.events[:known]),
            more={
                "times": playing.times[:known],
                "proof": playing.source.to_json(reveal=result.over),
            }
            | ({"hints": hints} if any(hints) else {}),
        )
        return record.ended(result) if result.over else record

    # --- the rules of the table ---

    def _check_status(self, *wanted: Status) -> None:
        if self.status not in wanted:
            said = {
                "gathering": "the game has not begun",
                "playing": "the game is running",
                "over": "the game is over",
            }
            raise Refusal("not_now", said[self.status])

    def _running(self) -> Round:
        self._check_status("playing")
        assert self.playing is not None
        return self.playing

    def _check_holds(self, seat: int, holder: str | None) -> None:
        if seat not in self.held_by(holder):
            raise Refusal("not_yours", f"seat {seat} is not yours")

    def _check_fresh(self, seat: int, holder: str | None, seen: int) -> None:
        self._check_holds(seat, holder)
        self._check_status("playing")
        if seen < self.opened or seen > self.number:
            raise Refusal(
                "stale",
                f"this was meant for an earlier moment: the table is at event {self.number}",
            )

    def _sit(self, command: m.Sit, holder: str | None) -> log.Sat:
        if holder is None:
            raise Refusal("not_yours", "say hello with a secret before you sit down")
        self._check_status("gathering", "over")
        free = [number for number, seat in enumerate(self.seats) if seat.kind == "open"]
        wanted = command.seat if command.seat is not None else next(iter(free), None)
        if wanted not in free:
            raise Refusal(
                "no_seat", "this seat is taken" if free else "every seat is taken; you can watch"
            )
        return log.Sat(wanted, clean_name(command.name), holder, command.face)

    def _leave(self, seat: int, holder: str | None) -> log.Left | log.Replaced:
        self._check_holds(seat, holder)
        if self.status != "playing":
            return log.Left(seat)
        if self.seats[seat].stand_in:
            raise Refusal("not_now", "a bot plays for you already")
        return log.Replaced(seat)

    def _ready(self, command: m.Ready, holder: str | None) -> log.Readied:
        self._check_holds(command.seat, holder)
        self._check_status("gathering")
        if self.seats[command.seat].entropy is not None:
            raise Refusal("not_now", "you are ready already")
        return log.Readied(command.seat, command.entropy)

    def _start_early(self, holder: str | None) -> log.Started:
        self._check_status("gathering")
        if holder is None or holder != self.creator:
            raise Refusal("not_yours", "whoever made the table starts the game")
        return self._started(
            [number for number, seat in enumerate(self.seats) if seat.kind != "open"]
        )

    def _started(self, playing: list[int]) -> log.Started:
        if len(playing) not in self.game.players:
            fewest, most = self.game.players[0], self.game.players[-1]
            raise Refusal(
                "not_now", f"this game takes {fewest} to {most} players; {len(playing)} are here"
            )
        # S7, in every round
        drawn = self._dice([self.seats[seat] for seat in playing]).first(len(playing))
        return log.Started(drawn, playing)

    def _dice(self, seats: list[Seat]) -> proof.DiceSource:
        brought = {
            number: seat.entropy for number, seat in enumerate(seats) if seat.entropy is not None
        }
        return proof.DiceSource(
            self.key, self.id, self.round, brought, self.game.layout.faces, self.scheme
        )

    def _withdraw(self, command: m.Withdraw, holder: str | None) -> log.Withdrew:
        """Until the last choice is in. One that comes too late is not stale:
        there is nothing to take back now."""
        self._check_holds(command.seat, holder)
        playing = self._running()
        if command.seen > self.number:
            raise Refusal(
                "stale", f"this was meant for a later moment: the table is at event {self.number}"
            )
        if command.seen < playing.opened:
            raise Refusal("not_now", "it is too late to take that back: everybody has chosen")
        if self.seats[command.seat].stand_in:
            raise Refusal("not_now", "a bot plays for you: come back first")
        return playing.withdrawal(command.seat)

    def _replace(self, seat: int, holder: str | None, waited: Waited) -> log.Replaced:
        self._check_status("playing")
        if not self.held_by(holder) or seat in self.held_by(holder):
            raise Refusal("not_yours", "another player of this table can ask for that")
        if seat >= len(self.seats) or self.seats[seat].bot_level is not None:
            raise Refusal("no_seat", "a bot plays there already, or there is no such seat")
        seconds = waited(seat)
        if seconds is None or not self.waits_for(seat):
            raise Refusal("not_now", "nobody waits for that seat, or its player is here")
        if seconds < self.options.away:
            raise Refusal(
                "not_now", f"wait another {self.options.away - seconds:.0f} seconds for them"
            )
        return log.Replaced(seat)

    def _rematch(self, holder: str | None) -> log.Committed:
        self._check_status("over")
        if not self.held_by(holder) and holder != self.creator:
            raise Refusal("not_yours", "a player of this table can ask for that")
        return commit()


def commit() -> log.Committed:
    """A fresh key for the dice of a round, and the commitment to it."""
    key = proof.new_key()
    return log.Committed(proof.commitment(key), key.hex(), proof.SCHEME)
