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
from qwixx.core.game import ROLL, Game, Position
from qwixx.core.record import Record, result_json
from qwixx.core.sealing import BOT, Chain, Links, SealedDice
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.names import clean_name
from qwixx.server.refusals import Refusal
from qwixx.server.round import Round
from qwixx.server.showing import shown

# Whether the player of a seat is here, and for how many seconds it has kept the others.
Waited: TypeAlias = Callable[[int], tuple[bool, float]]
FEWEST_TO_AGREE: Final = 2  # others, who can have a player removed from a game
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
    brought: str | None = None  # the end of the page's chain; in older rounds its own part
    brought_at: int = 0  # the event it came with
    stand_in: bool = False

    @property
    def told(self) -> str:
        """Who sits here, as records have it."""
        return (self.name or "") if self.kind == "person" else f"{BOT}{self.level}"

    @property
    def bot_level(self) -> str | None:
        """The level that acts for this seat just now, if a bot does."""
        return self.level if self.kind == "bot" or self.stand_in else None

    @property
    def missing(self) -> bool:
        """Whether the table still waits for this seat to be ready."""
        return self.kind == "open" or (
            self.kind == "person" and not self.stand_in and self.brought is None
        )


@dataclass(frozen=True)
class Due:
    """Something the table does by itself, so many seconds after the present decision was opened."""

    after: float
    what: Literal["bot", "clock"]
    seat: int


@dataclass(frozen=True)
class Chance:
    """Who begins, or a throw: it is drawn once the pages that take part have brought their links."""

    source: SealedDice
    pages: Mapping[int, str]  # whose link is asked for, by chain: the hash of a secret
    throw: int | None  # from 0; None: who begins
    seats: tuple[int, ...] = ()  # who play, if they are to begin


@dataclass
class Table:
    """A table in memory. Its log is the truth; this is what the log says."""

    id: str
    number: int = 0  # of the last event
    at: int = 0  # when it happened
    game_id: str = ""
    options: m.Options = field(default_factory=m.Options)
    creator: str = ""
    position: Position | None = None  # that the first round goes on from
    seats: list[Seat] = field(default_factory=list)
    round: int = 0
    key: bytes = b""  # of this round's dice
    scheme: str = proof.SCHEME
    playing: Round | None = None  # from the start of the round until the next one gathers
    keepers: list[str] = field(default_factory=list)  # who made each chain of this round
    happened: list[m.Happened] = field(default_factory=list)  # this round's events, bare
    rounds: dict[int, Record] = field(default_factory=dict)  # finished ones
    commands: dict[str, int] = field(default_factory=dict)
    agreed: dict[int, set[str]] = field(
        default_factory=dict
    )  # who wants a player to leave, by seat
    removed: set[str] = field(default_factory=set)  # holders who had to leave

    @cached_property
    def game(self) -> Game[Any]:
        return games.game(self.game_id)

    @property
    def status(self) -> Status:
        if self.playing is None:
            return "gathering"
        return "over" if self.playing.over else "playing"

    @property
    def start_of_round(self) -> Position | None:
        """The position that this round goes on from; another round begins as any other."""
        return self.position if self.round == 1 else None

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

    def decide(
        self, command: m.Command, holder: str | None, waited: Waited
    ) -> log.AnyEvent | Chance:
        """The event that a command leads to, or the chance that decides it;
        one that cannot be carried out raises."""
        match command:
            case m.Sit():
                return self._sit(command, holder)
            case m.Leave():
                return self._leave(command.seat, holder)
            case m.Ready() | m.CommitChain():
                return self._commit(command, holder)
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
            case m.Replace() | m.Remove() | m.AllowWatchers():
                return self._decide_on_people(command, holder, waited)
            case m.Rematch():
                return self._rematch(holder)
        raise Refusal("bad_message", "this command is not carried out at a table")

    def _decide_on_people(
        self, command: m.Replace | m.Remove | m.AllowWatchers, holder: str | None, waited: Waited
    ) -> log.AnyEvent:
        if isinstance(command, m.Replace):
            return self._replace(command.seat, holder, waited)
        if isinstance(command, m.Remove):
            return self._remove(command.seat, holder)
        self._check_creator(holder)
        return log.Allowed(command.allowed)

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

    def rolled(self, seat: int) -> log.Rolled | Chance:
        """The active seat throws; at once, where no page is to bring a link."""
        playing = self._running()
        playing.check_throw(seat)
        pages = self._pages(playing)
        if playing.sealed is None or not pages:
            return playing.throw({})
        playing.sealed.before_throw()
        return Chance(playing.sealed, pages, playing.rolls)

    def settled(self, chance: Chance, links: Links) -> log.AnyEvent:
        """What these links make of a chance."""
        if chance.throw is not None:
            return self._running().throw(links)
        first = chance.source.first(len(chance.seats), links)
        return log.Started(first, list(chance.seats), dict(links))

    def _pages(self, playing: Round) -> dict[int, str]:
        """The chains that count in the next throw, and who has each:
        as long as they hold one of its seats."""
        live = playing.sealed.live() if playing.sealed else {}
        return {
            number: self.keepers[number]
            for number, seats in live.items()
            if any(self.seats[seat].holder == self.keepers[number] for seat in seats)
        }

    def chose(
        self, seat: int, move: str, why: Literal["only", "clock", "bot"] | None = None
    ) -> log.Chose:
        """A legal choice; the game itself refuses any other."""
        return self._running().choice(seat, move, why)

    def next_event(self) -> log.AnyEvent | Chance | None:
        """What follows at once without anybody's doing: the commitment of a new table,
        the start, and passing where nothing else is legal."""
        if not self.key:
            return commit()
        if self.playing is None:
            people = [seat for seat in self.seats if seat.kind == "person" and not seat.stand_in]
            if people and not any(seat.missing for seat in self.seats):
                return self._started(list(range(len(self.seats))))
        else:
            for seat, wanted in self.agreed.items():
                others = self._who_decide_on(seat)
                if len(others) >= FEWEST_TO_AGREE and others <= wanted:
                    return log.Removed(seat)
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
                self.position = event.position
                self.seats = [self._planned(plan) for plan in event.seats]
            case log.Committed():
                self._apply_commitment(event)
            case log.Sat():
                self.seats[event.seat] = self._person(event.name, event.face, event.holder)
            case log.Left():
                self.seats[event.seat] = Seat("open")
            case log.Readied() | log.Chained():
                self._apply_commit(event)
            case log.Started():
                self._apply_start(event)
            case log.Replaced() | log.Returned():
                self.seats[event.seat].stand_in = isinstance(event, log.Replaced)
            case log.Weakened():
                self.seats[event.seat].level = event.level
            case log.Moved() | log.Agreed() | log.Removed() | log.Allowed():
                self._apply_manners(event)

    def _planned(self, plan: m.SeatPlan) -> Seat:
        if plan.kind == "me":
            return self._person(plan.name, plan.face, self.creator)
        return Seat("bot", level=plan.level) if plan.kind == "bot" else Seat("open")

    def _person(self, name: str | None, face: str | None, holder: str) -> Seat:
        return Seat("person", name, face, level=self.options.stand_in, holder=holder)

    def _apply_manners(self, event: log.Moved | log.Agreed | log.Removed | log.Allowed) -> None:
        if isinstance(event, log.Moved):
            self._apply_move(event)
        elif isinstance(event, log.Agreed):
            self.agreed.setdefault(event.seat, set()).add(event.holder)
        elif isinstance(event, log.Removed):
            self._apply_removal(event.seat)
        else:
            self.options = replace(self.options, watchers=event.watchers)

    def _apply_removal(self, seat: int) -> None:
        self.removed.add(self.seats[seat].holder or "")
        self.agreed.pop(seat, None)
        if self.status == "playing":  # a bot plays on, for good
            self.seats[seat].holder, self.seats[seat].stand_in = None, True
        else:
            self.seats[seat] = Seat("open")

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

    def _bring(self, seat: int, brought: str) -> None:
        self.seats[seat].brought, self.seats[seat].brought_at = brought, self.number

    def _apply_commit(self, event: log.Readied | log.Chained) -> None:
        """Before the game a chain takes the place of the one before; in it, it counts from the next throw
        on that nobody has been asked for yet."""
        if isinstance(event, log.Readied):
            self._bring(event.seat, event.entropy)
            self.seats[event.seat].stand_in = False
            return
        if self.playing is None:
            for seat in event.seats:
                self._bring(seat, event.end)
            return
        playing, between = self.playing, self.playing.state.phase == ROLL
        assert playing.sealed is not None
        since = playing.rolls + (1 if between else 0)
        playing.sealed.commit(Chain(event.end, tuple(event.seats), since))
        self.keepers.append(self.seats[event.seats[0]].holder or "")

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
        if self._seals:
            source = self._sealed_dice(self.seats)
            source.begin(event.first, event.links)
            self.keepers = [keeper for keeper, _ in self._chains(self.seats)]
        else:
            source = self._open_dice(self.seats)
        self.playing = Round(self.game, source, event.first, state, self.number, self.at)

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
                    seat.brought is not None or seat.kind == "bot",
                    seat.stand_in,
                    playing.hints[number] if playing else 0,
                    len(self.agreed.get(number, ())),
                )
                for number, seat in enumerate(self.seats)
            ],
            options=self.options,
            commitment=proof.commitment(self.key),
            first=playing.first if playing else None,
            proof=self._revealed() if playing and playing.over else None,
            continued=self.start_of_round is not None,
            chains=[
                m.ChainView(chain.end, list(chain.seats), chain.since)
                for chain in self._known_chains()
            ],
        )

    def _revealed(self) -> dict[str, Any]:
        """The proof without what is long in it."""
        whole: dict[str, Any] = self.rounds[self.round].more["proof"]
        return {key: whole[key] for key in whole if key not in ("chains", "links")}

    def _known_chains(self) -> list[Chain]:
        if self.playing is not None:
            return self.playing.sealed.chains if self.playing.sealed else []
        return [chain for _, chain in self._chains(self.seats)] if self._seals else []

    @property
    def _seals(self) -> bool:
        return self.scheme == proof.SCHEME

    @property
    def _digest(self) -> str | None:
        """Of everything before the throw that is to come; in the end, of the whole record."""
        playing = self.playing
        if playing is None or playing.sealed is None:
            return None
        if playing.over:
            digest: str = self.rounds[self.round].more["proof"]["digest"]
            return digest
        return playing.sealed.before_throw() if playing.state.phase == ROLL else None

    def play(self) -> m.Play | None:
        """The game as a spectator sees it;
        legal moves follow from what everybody sees, so they are for all."""
        if self.playing is None:
            return None
        clock = self.options.clock and not self.playing.over
        deadline = self.opened_at + round(self.options.clock * 1000) if clock else None
        return m.Play(
            **shown(self.playing), deadline=deadline, opened=self.opened_at, digest=self._digest
        )

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
        assert playing.source is not None
        known = len(playing.events) - len(playing.pending)
        names = [seat.told for seat in self.seats]
        result = self.game.result(playing.state)
        counts = [playing.hints[seat] for seat in range(len(self.seats))]
        hints = counts if any(counts) else None
        proved = playing.source.to_json()
        if result.over:
            proved["key"] = playing.source.key.hex()
        if result.over and playing.sealed is not None:
            proved["digest"] = playing.sealed.end(names, hints, result_json(result))
        record = Record(
            self.game_id,
            tuple(names),
            playing.first,
            tuple(playing.events[:known]),
            more={"times": playing.times[:known], "proof": proved}
            | ({"hints": hints} if hints else {}),
            start=self.start_of_round,
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
        if holder in self.removed:
            raise Refusal("not_yours", "you were asked to leave this table")
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

    def _commit(
        self, command: m.Ready | m.CommitChain, holder: str | None
    ) -> log.Readied | log.Chained:
        self._check_own_chain(command.chain, holder)
        if isinstance(command, m.Ready):
            return self._ready(command, holder)
        return self._chain(command, holder)

    def _ready(self, command: m.Ready, holder: str | None) -> log.Readied:
        self._check_holds(command.seat, holder)
        self._check_status("gathering")
        if self.seats[command.seat].brought is not None:
            raise Refusal("not_now", "you are ready already")
        return log.Readied(command.seat, command.chain)

    def _chain(self, command: m.CommitChain, holder: str | None) -> log.Chained:
        """Somebody's page has not the chain of their seats."""
        self._check_status("gathering", "playing")
        if not self._seals:
            raise Refusal("not_now", "this round is played without chains")
        newest = dict[int, str]()
        for chain in self._known_chains():
            newest.update(dict.fromkeys(chain.seats, chain.end))
        seats = [
            seat
            for seat in self.held_by(holder)
            if newest.get(seat) != command.chain
            and (self.playing is not None or self.seats[seat].brought is not None)
        ]
        if not seats:
            raise Refusal("not_now", "no seat of yours lacks this chain")
        return log.Chained(seats, command.chain)

    def _check_own_chain(self, end: str, holder: str | None) -> None:
        """Nobody takes part with what somebody else has committed to."""
        known = (
            self._chains(self.seats)
            if self.playing is None
            else list(zip(self.keepers, self._known_chains(), strict=True))
        )
        if self._seals and any(chain.end == end and keeper != holder for keeper, chain in known):
            raise Refusal("bad_message", "this chain is somebody else's")

    def _start_early(self, holder: str | None) -> log.Started | Chance:
        self._check_status("gathering")
        self._check_creator(holder)
        return self._started(
            [number for number, seat in enumerate(self.seats) if seat.kind != "open"]
        )

    def _started(self, playing: list[int]) -> log.Started | Chance:
        if len(playing) not in self.game.players:
            fewest, most = self.game.players[0], self.game.players[-1]
            raise Refusal(
                "not_now", f"this game takes {fewest} to {most} players; {len(playing)} are here"
            )
        if self.start_of_round is not None:
            return log.Started(self.start_of_round["active"], playing)
        # S7, in every round
        seats = [self.seats[seat] for seat in playing]
        if not self._seals:
            return log.Started(self._open_dice(seats).first(len(playing)), playing)
        pages = {number: keeper for number, (keeper, _) in enumerate(self._chains(seats)) if keeper}
        chance = Chance(self._sealed_dice(seats), pages, None, tuple(playing))
        return chance if pages else log.Started(chance.source.first(len(playing), {}), playing)

    def _chains(self, seats: Sequence[Seat]) -> list[tuple[str, Chain]]:
        """What the pages of these seats have committed to, in that order, and who made each.
        People at one page share its chain."""
        found = dict[tuple[str, str], list[int]]()
        for number, seat in sorted(enumerate(seats), key=lambda one: one[1].brought_at):
            if seat.kind == "person" and seat.brought is not None:
                found.setdefault((seat.holder or "", seat.brought), []).append(number)
        return [
            (keeper, Chain(end, tuple(sorted(whose)))) for (keeper, end), whose in found.items()
        ]

    def _sealed_dice(self, seats: Sequence[Seat]) -> SealedDice:
        """The dice of this round before it begins, if these play."""
        source = SealedDice(self.key, self.id, self.round, self.game.layout.faces)
        chains = [chain for _, chain in self._chains(seats)]
        source.open(self.game_id, [seat.told for seat in seats], self.start_of_round, chains)
        return source

    def _open_dice(self, seats: Sequence[Seat]) -> proof.OpenDice:
        brought = {
            number: seat.brought for number, seat in enumerate(seats) if seat.brought is not None
        }
        return proof.OpenDice(
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
        here, seconds = waited(seat)
        if not self.waits_for(seat) or (here and not self.options.idle):
            raise Refusal("not_now", "nobody waits for that seat, or its player is here")
        left = (self.options.idle if here else self.options.away) - seconds
        if left > 0:
            raise Refusal("not_now", f"wait another {left:.0f} seconds for them")
        return log.Replaced(seat)

    def _check_creator(self, holder: str | None) -> None:
        if holder is None or holder != self.creator:
            raise Refusal("not_yours", "whoever made the table can do that")

    def _remove(self, seat: int, holder: str | None) -> log.Removed | log.Agreed:
        """Before a game whoever made the table decides who stays; in it all others together."""
        if seat >= len(self.seats) or self.seats[seat].holder is None:
            raise Refusal("no_seat", "nobody sits there who could be asked to leave")
        if seat in self.held_by(holder):
            raise Refusal("not_now", "you can get up yourself")
        if self.status != "playing":
            self._check_creator(holder)
            return log.Removed(seat)
        others = self._who_decide_on(seat)
        if holder is None or holder not in others:
            raise Refusal("not_yours", "another player of this table can ask for that")
        if len(others) < FEWEST_TO_AGREE:
            raise Refusal("not_now", "it takes two others at least to have somebody leave a game")
        if holder in self.agreed.get(seat, ()):
            raise Refusal("not_now", "you have said so: the others have not all agreed")
        return log.Agreed(seat, holder)

    def _who_decide_on(self, seat: int) -> set[str]:
        """The other people who play themselves."""
        return {
            one.holder
            for one in self._others(self.seats[seat].holder)
            if one.holder is not None and not one.stand_in
        }

    def may_watch(self, holder: str | None) -> bool:
        """Whether somebody may see the table from within: who sits here, whoever may still sit
        down, and others if it is watched."""
        free = self.status == "gathering" and any(seat.kind == "open" for seat in self.seats)
        own = holder is not None and (holder == self.creator or bool(self.held_by(holder)))
        return self.options.watchers or free or own

    def _rematch(self, holder: str | None) -> log.Committed:
        self._check_status("over")
        if not self.held_by(holder) and holder != self.creator:
            raise Refusal("not_yours", "a player of this table can ask for that")
        return commit()


def commit() -> log.Committed:
    """A fresh key for the dice of a round, and the commitment to it."""
    key = proof.new_key()
    return log.Committed(proof.commitment(key), key.hex(), proof.SCHEME)
