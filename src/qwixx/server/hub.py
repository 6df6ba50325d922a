"""All tables of this server: commands become events, events go to disk,
and only then does anybody hear of them."""

import asyncio
import contextlib
import functools
import logging
import os
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from qwixx.core.errors import QwixxError
from qwixx.core.fields import PASS
from qwixx.core.game import ROLL
from qwixx.core.record import Record
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.asking import Asking
from qwixx.server.cache import PackedCache, packed
from qwixx.server.creating import hashed, planned, table_id
from qwixx.server.limits import Addresses, Limits
from qwixx.server.metrics import Metrics
from qwixx.server.refusals import Refusal
from qwixx.server.room import Gone, Room
from qwixx.server.showing import hint_view
from qwixx.server.signing import Signer
from qwixx.server.sockets import Socket
from qwixx.server.store import Store, Unreadable
from qwixx.server.studies import Studies
from qwixx.server.table import Chance, Table
from qwixx.server.thinking import Thinkers, simpler
from qwixx.server.watching import Watching
from qwixx.server.writer import Writer
from qwixx.study import Hint

logger: Final = logging.getLogger("qwixx.server")
MISSED_MOST: Final = 300  # events; more are not told one by one
DAY: Final = 86_400_000  # in milliseconds
RESUMED_DAYS: Final = 30
LISTED_DAYS: Final = 1
CLOSING_SECONDS: Final = 10  # for all lines of a table to end
FOLDED_AT_ONCE: Final = 50  # events, of a log that is read
YIELD_SECONDS: Final = 0.0005
SWEEP_SECONDS: Final = 60
FORGOTTEN_AT_ONCE: Final = 100  # tables; between them others' moves are written
UNREADABLE: Final = (
    "what was kept of this table is damaged, so it cannot go on: nothing of it was deleted, "
    "and whoever runs this server finds it in the server's log"
)

FEW_SEATINGS: Final = 6  # of one address, however much coming and going there has been
# Commands that are counted.
SEATINGS: Final = (m.Sit, m.Leave, m.Replace, m.AllowWatchers, m.CommitChain)
SEATING: Final = (
    log.Sat,
    log.Left,
    log.Moved,
    log.Removed,
)  # events after which a seat has another player

_encoder = msgspec.json.Encoder()


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def frame(message: m.Message) -> str:
    return _encoder.encode(message).decode()


class _Asked(NamedTuple):
    """A hint that somebody waits for, as it stood when it was asked for."""

    command: m.AskHint
    own_id: str
    finding: asyncio.Task[Hint | None]
    opened: int  # when the decision was that it is about
    wanted: Callable[[], bool]  # it is still open, and whoever asked still there


class Hub:
    """Everything that runs. Only the event loop's thread touches it; the writer has its own."""

    def __init__(
        self,
        store: Store,
        limits: Limits,
        metrics: Metrics,
        signer: Signer,
        keep_days: float | None = None,
    ) -> None:
        self.limits = limits
        self.metrics = metrics
        self.rooms: dict[str, Room] = {}
        self.sockets_by_address: dict[str, int] = {}
        self._store = store
        self._signer = signer
        self._keep_days = keep_days
        self._new_tables = Addresses(limits.tables_an_hour / 3600, limits.tables_an_hour)
        self._seatings = Addresses(limits.seatings_a_minute / 60, limits.seatings_a_minute)
        self._reactions = Addresses(limits.reactions_a_minute / 60, limits.reactions_burst)
        self._reports = Addresses(limits.reports_an_hour / 3600, limits.reports_an_hour)
        self._hints = Addresses(limits.hints_a_minute / 60, limits.hints_burst)
        self._loading: dict[str, asyncio.Task[Room | None]] = {}
        self._forgetting: set[str] = set()
        self._set_aside: set[str] = set()
        self.orders = store.orders()
        self.closed = {name for kind, name in self.orders if kind == "close"}
        self._thinkers = Thinkers(limits.hints_waiting)
        self.studies = Studies(limits, metrics, self._thinkers.rest)
        self._watching = Watching(self.studies)
        self._reviews = PackedCache(1000 * limits.review_kilobytes)
        self._loop = asyncio.get_running_loop()
        if keep_days is not None:
            store.forget(store.quiet(self._oldest()))
        self._writer = Writer(store, self._written, self._writer_died)
        self._tasks = {
            self._loop.create_task(self._resume()),
            self._loop.create_task(self._sweep()),
        }

    async def close(self) -> None:
        """Put everything on disk and stop."""
        for task in (*self._tasks, *self._loading.values()):
            task.cancel()
        for room in self.rooms.values():
            if room.timer:
                room.timer.cancel()
            if room.asking:
                room.asking.end()
        self._watching.close()
        await asyncio.to_thread(self._writer.close)
        self._thinkers.close()
        self.studies.close()
        self._store.close()

    # --- tables ---

    async def room(self, name: str) -> Room | None:
        """A table in memory, read from its log if it is not there yet; None if there is none."""
        if (name in self.rooms and name not in self.closed) or name in self._forgetting:
            return self.rooms.get(name)
        if name in self._set_aside:
            raise Refusal("unreadable", UNREADABLE)
        if name in self.closed:
            raise Refusal("closed", "whoever runs this server has closed this table")
        if name not in self._loading:
            self._loading[name] = task = self._loop.create_task(self._load(name))
            task.add_done_callback(lambda _: self._loading.pop(name))
        return await asyncio.shield(self._loading[name])

    async def _load(self, name: str) -> Room | None:
        """Away from the loop, since a log may be long.
        One that is damaged is set aside; the others go on."""
        try:
            table = await asyncio.to_thread(self._fold, name)
        except Unreadable as error:
            self._set_aside.add(name)
            logger.error(
                "a table is set aside: its log cannot be read",
                extra={"table": name, "why": str(error)},
            )
            raise Refusal("unreadable", UNREADABLE) from None
        except Exception:
            logger.exception("a table cannot be read now", extra={"table": name})
            raise Refusal(
                "not_now", "this table cannot be read just now: try again in a moment"
            ) from None
        if not table.number or name in self.rooms:  # or made meanwhile
            return self.rooms.get(name)
        room = Room(table, durable=table.number)
        gone = Gone(now_ms(), self._loop.time())
        room.gone = {seat.holder: gone for seat in table.seats if seat.holder}
        room.opened = gone.steady - max(0, gone.wall - table.opened_at) / 1000
        self.rooms[name] = room
        self._happen(room, self._next(room))
        return room

    def _fold(self, name: str) -> Table:
        table = Table(name)
        entries = self._store.read(name)
        try:
            for number, entry in enumerate(entries):
                table.apply(entry)
                if number % FOLDED_AT_ONCE == FOLDED_AT_ONCE - 1:
                    time.sleep(YIELD_SECONDS)  # on a thread of its own: others are at work
        except Exception as error:  # noqa: BLE001 - a log that cannot be folded is damaged, however it shows
            raise Unreadable(f"event {table.number}: {error!r}"[:200]) from None
        return table

    async def create(self, request: m.NewTable, address: str) -> str:
        """Make a table; the same request again finds the same one."""
        name = table_id(request)
        await self.room(name)
        if name in self._forgetting:
            raise Refusal("not_now", "this table is just being forgotten: ask again in a moment")
        if (
            name not in self.rooms
        ):  # asked after the wait: the same request may have come twice at once
            event = planned(request)
            if not self._new_tables.take(address):
                raise Refusal(
                    "too_many",
                    "too many new tables from here: wait a while, or play on at one of them",
                )
            self.rooms[name] = Room(Table(name))
            self._happen(self.rooms[name], event)
        await self.settled(self.rooms[name])
        return name

    async def settled(self, room: Room) -> None:
        """Wait until all that has happened at a table is on disk."""
        on_disk = asyncio.Event()
        room.when_durable(on_disk.set)
        await on_disk.wait()

    def lobby(self) -> m.Lobby:
        """Tables that anybody may join."""
        found = []
        for room in self.rooms.values():
            table = room.table
            if table.listed:
                free = sum(seat.kind == "open" for seat in table.seats)
                names = [seat.name for seat in table.seats if seat.name]
                found.append(m.LobbyTable(table.id, table.game_id, names, free))
        return m.Lobby(found[-100:])

    async def mine(self, wanted: m.TablesWanted) -> m.MyTables:
        """Tables that somebody knows, and the names of those that are gone;
        what cannot be read is left out."""
        found, gone, holder = list[m.MyTable](), list[str](), hashed(wanted.secret)
        for name in dict.fromkeys(wanted.tables):
            try:
                room = await self.room(name)
            except Refusal:
                continue
            if room is None:
                gone.append(name)
                continue
            await self.settled(room)
            found.append(room.table.as_listed(holder))
        return m.MyTables(found, gone)

    async def record(self, table: str, round_: int | None, secret: str | None) -> Record:
        """A finished round for anybody, a running one for its players."""
        room = await self.room(table)
        if room is None:
            raise Refusal("no_table", "there is no such table")
        await self.settled(room)
        number = round_ if round_ is not None else max(room.table.rounds, default=room.table.round)
        if number in room.table.rounds:
            return self._signer.signed(room.table.rounds[number])
        if room.table.status != "playing" or number != room.table.round:
            raise Refusal("no_table", "this table has no such round")
        if secret is None or not room.table.held_by(hashed(secret)):
            raise Refusal("not_yours", "a game that is not over yet is for its players to read")
        return room.table.record()

    async def review(
        self, table: str, round_: int | None, seen: int | None, address: str
    ) -> m.ReviewProgress | bytes:
        """The review of a finished round: packed, if it is done, else as far as it is.
        It is made once, and kept."""
        record = await self.record(table, round_, None)
        proof = record.more["proof"]
        # A finished round never changes, and no other has its commitment.
        key, number = proof["commitment"], proof["round"]
        kept = self._reviews.kept(key)
        if kept is None:
            kept = await asyncio.to_thread(self._store.kept_review, table, number)
        if kept is not None:
            self._reviews.keep(key, kept)
            return kept
        done, of, found = await self.studies.review(address, key, record, seen)
        progress = m.ReviewProgress(number, done, of, msgspec.convert(found, m.ReviewView))
        if done < of:
            return progress
        kept = packed(_encoder.encode(progress))
        self._reviews.keep(key, kept)
        self._writer.between(functools.partial(self._keep_review, table, number, kept))
        self.studies.forget(key)
        return kept

    def _keep_review(self, table: str, number: int, packed_review: bytes) -> None:
        """On the writer's thread. One that is not kept can be made again: no reason to end."""
        try:
            self._store.keep_review(table, number, packed_review)
        except Exception:
            logger.exception("a review was not kept", extra={"table": table})

    # --- whoever runs the server ---

    async def keep_order(self, kind: str, name: str, *, kept: bool = True) -> None:
        """On disk when this returns."""
        on_disk = asyncio.Event()

        def keep() -> None:
            self._store.keep_order(kind, name, kept=kept)
            self._loop.call_soon_threadsafe(on_disk.set)

        self._writer.between(keep)
        await on_disk.wait()

    async def close_table(self, name: str) -> None:
        """Nobody gets in any more, and what it does by itself stops."""
        if name not in self.closed and await self.room(name) is None:
            raise Refusal("no_table", "there is no such table")
        self.closed.add(name)
        await self.keep_order("close", name)
        room = self.rooms.get(name)
        if room is None:
            return
        self._arm(room)
        for socket in tuple(room.sockets):
            socket.drop("closed")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_SECONDS):
                while not room.idle:
                    await asyncio.sleep(0.02)
                del self.rooms[name]

    async def reopen_table(self, name: str) -> None:
        if name not in self.closed:
            raise Refusal("no_table", "no such table is closed")
        self.closed.discard(name)
        await self.keep_order("close", name, kept=False)
        if name in self.rooms:
            self._arm(self.rooms[name])

    async def delete_table(self, name: str) -> None:
        """Close it, and forget all of it."""
        await self.close_table(name)
        if name in self.rooms:
            raise Refusal("not_now", "it is closed, but still at work: try again in a moment")
        self._forgetting.add(name)
        self._writer.between(functools.partial(self._forget, [name]))
        await self.reopen_table(name)

    # --- people ---

    async def hello(self, socket: Socket, room: Room, hello: m.Hello) -> None:
        """Somebody has come (back): they get the table as it is, and what they missed."""
        holder = hashed(hello.secret) if hello.secret else None
        if hello.code is not None:
            if holder is None:
                raise Refusal("bad_code", "a code needs a secret of your own to move the seats to")
            self._check_seatings(socket, room)
            now, tries = time.monotonic(), self.limits.code_tries
            moved = room.redeem(hello.code, now, socket.address, tries)
            self._happen(room, log.Moved(moved, holder))
            for other in tuple(room.sockets):
                if other.holder == moved:
                    other.drop("moved")
        unwelcome = self._unwelcome(room, holder)
        if unwelcome is not None:
            socket.drop(unwelcome)
            return
        yours = room.table.held_by(holder)
        socket.holder = holder
        for seat in yours:
            if room.table.seats[seat].stand_in:
                self._happen(room, log.Returned(seat))
        if holder is not None and room.come(holder) and yours:
            self._tell_presence(room)
        welcome = frame(self._welcome(room, holder, hello.version))
        room.when_durable(lambda: self._join(room, socket, welcome))

    def _unwelcome(self, room: Room, holder: str | None) -> str | None:
        """Why somebody is not let in, if so."""
        table = room.table
        if table.held_by(holder) or (holder is not None and holder == table.creator):
            return None
        if holder in table.removed:
            return "removed"
        if len(room.sockets) >= self.limits.watchers:
            return "too_many"
        return None if table.may_watch(holder) else "no_table"

    def _join(self, room: Room, socket: Socket, welcome: str) -> None:
        if not socket.ended:
            socket.push(welcome)
            room.sockets.add(socket)
            self._watching.welcome(room, socket)
            room.late.discard(socket.holder or "")
            if room.asking is not None and socket.holder is not None:
                for _, question in room.asking.questions(socket.holder):
                    socket.push(frame(question))

    def _welcome(self, room: Room, holder: str | None, version: int | None) -> m.Welcome:
        table = room.table
        yours = table.held_by(holder)
        known = (
            version is not None
            and table.happened
            and table.happened[0].number <= version + 1 <= table.number + 1
        )
        missed = [one for one in table.happened if one.number > (version or 0)] if known else None
        return m.Welcome(
            number=table.number,
            now=now_ms(),
            table=table.view(),
            play=table.play(),
            chosen=sorted(table.pending),
            yours=yours,
            creator=holder is not None and holder == table.creator,
            mine={str(seat): table.pending[seat] for seat in yours if seat in table.pending},
            here=room.here(),
            since=room.presence().since,
            missed=missed if missed is None or len(missed) <= MISSED_MOST else None,
        )

    def leave(self, socket: Socket, room: Room) -> None:
        """A connection is gone."""
        socket.end()
        room.sockets.discard(socket)
        self._watching.follow(room)
        if socket.holder is None:
            return
        away = room.go(socket.holder, Gone(now_ms(), self._loop.time()))
        if away and room.table.held_by(socket.holder):  # of others nobody wants to know
            self._tell_presence(room)

    def _tell_presence(self, room: Room) -> None:
        self._tell_all(room, room.presence())

    def _tell_all(self, room: Room, message: m.Message) -> None:
        """Something that is not written down, after all that has happened so far."""
        text = frame(message)

        def tell() -> None:
            for socket in tuple(room.sockets):
                socket.push(text)

        room.when_durable(tell)

    def command(self, socket: Socket, room: Room, command: m.Command | m.Bring) -> None:
        """Carry out a command once, or say why not."""
        if isinstance(command, m.Bring):
            self._brought(socket, room, command)
            return
        table = room.table
        own_id = f"{(socket.holder or '')[:16]}/{command.id}"  # ids are each sender's own
        if own_id in table.commands:
            text = frame(m.Accepted(command.id, table.commands[own_id]))
            room.when_durable(lambda: socket.push(text))
            return
        try:
            if isinstance(command, m.AskCode):
                self._give_code(socket, room, command)
            elif isinstance(command, m.React):
                self._react(socket, room, command)
            elif isinstance(command, m.Hurry):
                self._hurry(socket, room, command)
            elif isinstance(command, m.Report):
                self._report(socket, room, command)
            elif isinstance(command, m.AskHint):
                self._ask_hint(socket, room, command, own_id)
            else:
                self._carry_out(socket, room, command, own_id)
        except QwixxError as error:
            self.refuse(socket, room, command.id, error)

    def _carry_out(self, socket: Socket, room: Room, command: m.Command, own_id: str) -> None:
        """A command becomes an event, or the chance that decides it."""
        if room.asking is not None and self._begins_now(room.asking, command, own_id):
            return
        event = room.table.decide(
            command, socket.holder, lambda seat: room.waited(seat, self._loop.time())
        )
        self._check_bounds(room, command)
        # Who gathers may always get up again: it takes as many to sit down.
        if isinstance(command, SEATINGS) and not isinstance(event, log.Left):
            self._check_seatings(socket, room)
        if isinstance(event, Chance):
            link = command.link if isinstance(command, m.Roll) else None
            self._ask(room, event, own_id, socket.holder, link)
        else:
            self._happen(room, event, own_id)

    # --- chance ---

    def _begins_now(self, asking: Asking, command: m.Command, own_id: str) -> bool:
        """Whether this command is the one that waits for its links. While they come in, nothing
        happens that they would not be for."""
        if own_id == asking.command:
            return True
        if isinstance(command, m.Roll):
            raise Refusal("stale", "the dice are being thrown")
        if asking.chance.throw is None and not isinstance(command, m.Withdraw | m.Choose):
            raise Refusal("not_now", "the game is just beginning: a moment")
        return False

    def _ask(
        self,
        room: Room,
        chance: Chance,
        command: str | None = None,
        holder: str | None = None,
        link: str | None = None,
    ) -> None:
        """The pages that take part bring their links, each by itself; then the dice are thrown."""
        if room.asking is not None:
            return
        asking = room.asking = Asking(chance, room.table.round, command)
        if link is not None:
            asking.bring(holder, link)
        for keeper, question in asking.questions():
            self._tell_holder(room, keeper, frame(question))
        if not asking.waits(room.late):
            self._draw(room, asking)
            return
        bound = asking.bound(
            lambda keeper: room.holders[keeper] > 0,
            self.limits.links_seconds,
            self.limits.links_alone_seconds,
        )
        asking.timer = self._loop.call_later(bound, self._draw, room, asking)
        self._arm(room)

    def _tell_holder(self, room: Room, holder: str, text: str) -> None:
        def tell() -> None:
            for socket in tuple(room.sockets):
                if socket.holder == holder:
                    socket.push(text)

        room.when_durable(tell)

    def _brought(self, socket: Socket, room: Room, brought: m.Bring) -> None:
        """A page answers. Too late, it is left out; the next time it is waited for again."""
        room.late.discard(socket.holder or "")
        asking = room.asking
        if asking is None or asking.chance.throw != brought.throw:
            return
        if asking.bring(socket.holder, brought.link) and not asking.waits(room.late):
            self._draw(room, asking)

    def _draw(self, room: Room, asking: Asking) -> None:
        """Everybody's link is in, or the bound has passed: those that are missing are left out."""
        if room.asking is not asking:
            return
        asking.end()
        room.asking = None
        room.late.update(asking.missing().values())
        self._happen(room, room.table.settled(asking.chance, asking.links), asking.command)

    def _check_seatings(self, socket: Socket, room: Room) -> None:
        """Whoever sits down, gets up, moves or is replaced is written down for ever, so there is
        a bound to it: for each address, so that nobody uses up what others need."""
        come_and_gone = room.seatings[socket.address]
        crowded = len(room.table.happened) >= self.limits.events_a_round
        if come_and_gone >= (FEW_SEATINGS if crowded else self.limits.seatings_at_a_table):
            raise Refusal("too_many", "there has been too much coming and going from here")
        if not self._seatings.take(socket.address):
            raise Refusal("too_fast", "too much coming and going from here: wait a minute")
        room.seatings[socket.address] += 1

    def _check_bounds(self, room: Room, command: m.Command) -> None:
        """What a table itself cannot see: how much is written down for ever, and how late it is."""
        table = room.table
        if isinstance(command, m.Rematch) and table.round >= self.limits.rounds:
            raise Refusal("too_many", "this table has seen enough rounds: make a new one")
        if not isinstance(command, m.Withdraw) or table.playing is None:
            return
        if table.playing.withdrawn[command.seat] >= self.limits.withdrawals:
            raise Refusal("too_many", "you have taken this back often enough: now it stands")
        if table.options.clock and self._loop.time() >= room.opened + table.options.clock:
            raise Refusal("not_now", "your time is up, so your choice stands")

    def _react(self, socket: Socket, room: Room, command: m.React) -> None:
        room.table.check_reaction(command.seat, socket.holder)
        if not self._reactions.take(f"{room.table.id}/{socket.holder}"):
            raise Refusal("too_fast", "the others have seen it: wait a moment")
        self._tell_all(room, m.Reaction(command.id, command.seat, command.emote))

    def _report(self, socket: Socket, room: Room, command: m.Report) -> None:
        """A name goes to the log, for whoever runs the server to see."""
        seats = room.table.seats
        if command.seat >= len(seats) or seats[command.seat].kind != "person":
            raise Refusal("no_seat", "nobody sits there")
        if not self._reports.take(socket.address):
            raise Refusal("too_fast", "that is known: wait a while")
        told = {"table": room.table.id, "seat": command.seat, "called": seats[command.seat].name}
        logger.warning("a name is reported", extra={**told, "reporter": socket.address})
        accepted = frame(m.Accepted(command.id, room.table.number))
        room.when_durable(lambda: socket.push(accepted))

    def _hurry(self, socket: Socket, room: Room, command: m.Hurry) -> None:
        """The pause that bots make just now is over. Where none makes one, nothing is to be done."""
        room.table.check_hurry(socket.holder)
        room.hurried = room.table.opened
        self._arm(room)
        accepted = frame(m.Accepted(command.id, room.table.number))
        room.when_durable(lambda: socket.push(accepted))

    def _ask_hint(self, socket: Socket, room: Room, command: m.AskHint, own_id: str) -> None:
        """A hint is about the decision that is open now, whatever happens before it is found."""
        table, seat = room.table, command.seat
        table.check_hint(command, socket.holder)
        if not self._hints.take(socket.address):
            raise Refusal("too_fast", "too many hints from here: wait a moment")
        playing = table.playing
        assert playing is not None  # who asked has something to decide
        key = (playing.opened, seat)

        def open_still() -> bool:
            return table.opened == key[0] and table.can_take_hint(seat)

        if key not in room.hints:
            room.hints = {known: one for known, one in room.hints.items() if known[0] == key[0]}
            found = self._thinkers.hint(table.game, playing.decision, seat, open_still)
            room.hints[key] = self._loop.create_task(found)

        def wanted() -> bool:
            return open_still() and seat in table.held_by(socket.holder) and not socket.ended

        asked = _Asked(command, own_id, room.hints[key], playing.opened_at, wanted)
        self._keep(self._advise(socket, room, asked))

    async def _advise(self, socket: Socket, room: Room, asked: _Asked) -> None:
        """Wait for a hint, found away from the loop, count it, and tell it to whoever asked.

        It is found for the decision as it was opened: what others have sealed is not in it. All who
        ask in the same decision hear the same.
        """
        table, command = room.table, asked.command
        try:
            hint = await asyncio.shield(asked.finding)
            if hint is None or not asked.wanted():
                raise Refusal("stale", "the moment for this hint has passed")
        except QwixxError as error:
            room.forget_hints_not_found()
            self.refuse(socket, room, command.id, error)
            return
        except Exception:
            room.forget_hints_not_found()
            logger.exception("no hint was found", extra={"table": table.id})
            failed = Refusal("not_now", "no hint can be found just now")
            self.refuse(socket, room, command.id, failed)
            return
        if table.playing is not None and command.seat not in table.playing.hinted:
            self._happen(room, log.Hinted(command.seat), asked.own_id)
        answer = frame(hint_view(command.id, command.seat, asked.opened, hint))
        room.when_durable(lambda: socket.push(answer))

    def refuse(self, socket: Socket, room: Room, command: str | None, error: QwixxError) -> None:
        self.metrics.add("qwixx_refused_total", label=f'{{code="{error.code}"}}')
        refused = frame(
            m.Refused(command, error.code, error.message, error.rule, room.table.number)
        )
        room.when_durable(lambda: socket.push(refused))

    def _give_code(self, socket: Socket, room: Room, command: m.AskCode) -> None:
        if socket.holder is None or not room.table.held_by(socket.holder):
            raise Refusal("not_yours", "you hold no seat that could be moved")
        seconds = self.limits.code_seconds
        code = room.new_code(socket.holder, time.monotonic(), seconds)
        socket.push(frame(m.MoveCode(command.id, code, seconds)))

    # --- what happens ---

    def _happen(
        self, room: Room, event: log.AnyEvent | Chance | None, command: str | None = None
    ) -> None:
        """Something happens, and with it whatever follows by itself."""
        table, seating, seats, opened = room.table, False, len(room.table.seats), room.table.opened
        entries: list[log.Entry] = []
        happened: list[m.Happened] = []
        while event is not None and not isinstance(event, Chance):
            entry = log.Entry(table.id, table.number + 1, max(now_ms(), table.at), command, event)
            happened.append(table.apply(entry))
            seating = seating or isinstance(event, SEATING) or len(table.seats) != seats
            event, command = self._next(room), None
            entries.append(replace(entry, awake=event is not None or table.awake))
        if entries:
            room.outbox.extend((one.number, frame(one)) for one in table.with_changes(happened))
            self._writer.write(entries)
        if table.opened != opened:
            room.opened = self._loop.time()
        if seating and room.sockets:
            self._tell_presence(room)
        self._see_out(room)
        self._watching.follow(room)
        self._arm(room)
        if isinstance(event, Chance):
            self._ask(room, event)

    def _see_out(self, room: Room) -> None:
        """Who had to leave, or may no longer watch, hears of it and is let go."""
        table = room.table
        for socket in tuple(room.sockets):
            gone = socket.holder in table.removed and not table.held_by(socket.holder)
            if gone and socket.holder in room.seated:
                room.when_durable(functools.partial(socket.drop, "removed"))
            elif not table.may_watch(socket.holder):
                room.when_durable(functools.partial(socket.drop, "unwatched"))
        room.seated = {seat.holder for seat in table.seats if seat.holder}

    def _next(self, room: Room) -> log.AnyEvent | Chance | None:
        try:
            return room.table.next_event()
        except Refusal as error:  # such as a start with too few players: the table waits on
            logger.info("waiting", extra={"table": room.table.id, "why": error.code})
            return None

    def _arm(self, room: Room) -> None:
        """Set the table's alarm to the next thing it does by itself."""
        if room.timer is not None:
            room.timer.cancel()
            room.timer = None
        due = None if room.table.id in self.closed else room.due()
        if due is not None and not room.thinking and room.asking is None:
            room.timer = self._loop.call_at(room.opened + due.after, self._ring, room)

    def _ring(self, room: Room) -> None:
        room.timer = None
        due, table = room.due(), room.table
        if due is None or self._loop.time() < room.opened + due.after:
            self._arm(room)
        elif table.playing is not None and table.playing.state.phase == ROLL:
            self._happen(room, table.rolled(due.seat))
        elif due.what == "clock":
            self._happen(room, table.chose(due.seat, PASS, "clock"))
        else:
            room.thinking = True
            self._keep(self._think(room, due.seat))

    async def _think(self, room: Room, seat: int) -> None:
        """A bot decides, away from the loop;
        if the moment has passed meanwhile, its choice is dropped."""
        table, playing = room.table, room.table.playing
        assert playing is not None  # a bot has something to decide
        opened, level = playing.opened, table.seats[seat].bot_level or table.options.stand_in
        move, failure = PASS, ""
        try:
            move = (await self._thinkers.decide(level, table.game, playing.state, seat)).move
        except Exception as error:  # noqa: BLE001 - whatever it was, it is logged and told below
            failure = repr(error)
        room.thinking = False
        if not (
            table.opened == opened
            and table.waits_for(seat)
            and table.seats[seat].bot_level == level
        ):
            self._arm(room)
        elif not failure and move in playing.legal[seat]:
            self._happen(room, table.chose(seat, move, "bot"))
        else:
            self._happen(
                room, self._stand_in(table, seat, level, failure or f"{move} is not legal")
            )

    def _stand_in(self, table: Table, seat: int, level: str, why: str) -> log.AnyEvent:
        """A bot that fails is told to the log and to the table, and a simpler one plays on."""
        stand_in = simpler(level)
        logger.error(
            "a bot failed",
            extra={"table": table.id, "bot": level, "stand_in": stand_in, "why": why[:200]},
        )
        return table.chose(seat, PASS, "bot") if stand_in is None else log.Weakened(seat, stand_in)

    def _keep(self, work: "asyncio._CoroutineLike[None]") -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- the disk ---

    def _written(self, entries: Sequence[log.Entry], seconds: float) -> None:
        """On the writer's thread: a batch is on disk."""
        self._loop.call_soon_threadsafe(self._tell, entries, seconds)

    def _tell(self, entries: Sequence[log.Entry], seconds: float) -> None:
        self.metrics.add("qwixx_events_total", len(entries))
        self.metrics.add("qwixx_commits_total")
        self.metrics.add("qwixx_commit_seconds_total", seconds)
        for entry in entries:
            if entry.table in self.rooms:
                self.rooms[entry.table].on_disk(entry.number)

    def _writer_died(self, error: BaseException) -> None:
        """What is in memory is ahead of the disk, so nothing here can be trusted any more."""
        logger.critical("the writer died, so the server ends", extra={"why": repr(error)})
        os._exit(1)

    async def _resume(self) -> None:
        """After a start: tables where something is due go on, bots and clocks included."""
        resumed, failed = 0, 0
        try:
            names = await asyncio.to_thread(self._store.awake, now_ms() - RESUMED_DAYS * DAY)
        except Exception:
            logger.exception("no table was resumed: each goes on when somebody comes to it")
            return
        for name in names:
            if name in self.closed:
                continue
            try:
                room = await self.room(name)
            except Refusal:
                failed += 1
                continue
            if (
                room is not None and not room.table.awake
            ):  # written by a version that did not note who sleeps
                room.unused = True
                self._writer.between(functools.partial(self._store.lull, name))
            else:
                resumed += 1
        logger.info("resumed", extra={"tables": resumed, "failed": failed})

    async def _sweep(self) -> None:
        """Now and then: forget what is idle, and prune what is old."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            listed_since = now_ms() - LISTED_DAYS * DAY
            for name, room in tuple(self.rooms.items()):
                if (
                    room.idle
                    and room.unused
                    and not (room.table.listed and room.table.at > listed_since)
                ):
                    del self.rooms[name]
                room.unused = room.idle
            try:
                await self._prune()
            except Exception:
                logger.exception("old tables were not forgotten")

    def _oldest(self) -> int:
        """Tables where nothing has happened since then are forgotten."""
        return 0 if self._keep_days is None else now_ms() - round(self._keep_days * DAY)

    async def _prune(self) -> None:
        """Forget old tables, but none that is in use."""
        if self._keep_days is None:
            return
        old = await asyncio.to_thread(self._store.quiet, self._oldest())
        unused = [name for name in old if name not in self._loading and self._let_go(name)]
        self._forgetting.update(unused)
        for start in range(0, len(unused), FORGOTTEN_AT_ONCE):
            self._writer.between(
                functools.partial(self._forget, unused[start : start + FORGOTTEN_AT_ONCE])
            )
        if unused:
            logger.info("pruned", extra={"tables": len(unused)})

    def _let_go(self, name: str) -> bool:
        """Whether a table is not in memory; one that nobody has used for a while is let go."""
        if name in self.rooms and self.rooms[name].idle and self.rooms[name].unused:
            del self.rooms[name]
        return name not in self.rooms

    def _forget(self, names: Sequence[str]) -> None:
        """On the writer's thread."""
        self._store.forget(names)
        self._loop.call_soon_threadsafe(self._forgetting.difference_update, names)
