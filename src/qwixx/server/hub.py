"""All tables of this server: commands become events, events go to disk,
and only then does anybody hear of them."""

import asyncio
import contextlib
import functools
import logging
import os
import time
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from qwixx.core.errors import QwixxError
from qwixx.core.fields import PASS
from qwixx.core.game import ROLL
from qwixx.core.record import Record
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.bounds import Bounds
from qwixx.server.chains import Chance
from qwixx.server.creating import hashed, planned, table_id
from qwixx.server.hints import Hints
from qwixx.server.limits import Addresses, Limits
from qwixx.server.manners import may_watch
from qwixx.server.metrics import Metrics
from qwixx.server.refusals import Refusal
from qwixx.server.reviews import Reviews
from qwixx.server.room import Gone, Room
from qwixx.server.signing import Signer
from qwixx.server.sockets import Socket, frame
from qwixx.server.store import Store, Unreadable
from qwixx.server.studies import Studies
from qwixx.server.table import Table
from qwixx.server.thinking import Thinkers, simpler
from qwixx.server.throws import Throws, begins_now
from qwixx.server.watching import Watching
from qwixx.server.writer import Writer

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

SEATING: Final = (
    log.Sat,
    log.Left,
    log.Moved,
    log.Removed,
)  # events after which a seat has another player


def now_ms() -> int:
    return time.time_ns() // 1_000_000


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
        self._bounds = Bounds(limits)
        self._throws = Throws(limits, self._happen, self._arm)
        self._loading: dict[str, asyncio.Task[Room | None]] = {}
        self._forgetting: set[str] = set()
        self._set_aside: set[str] = set()
        self.orders = store.orders()
        self.closed = {name for kind, name in self.orders if kind == "close"}
        self._thinkers = Thinkers(limits.hints_waiting)
        self.studies = Studies(limits, metrics, self._thinkers.rest)
        self._watching = Watching(self.studies)
        self._hints = Hints(limits, self._thinkers, self._happen, self.refuse)
        self._loop = asyncio.get_running_loop()
        if keep_days is not None:
            store.forget(store.quiet(self._oldest()))
        self._writer = Writer(store, self._written, self._writer_died)
        self._reviews = Reviews(limits, self.studies, store, self._writer)
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
        self._hints.close()
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
        """The review of a finished round: packed, if it is done, else as far as it is."""
        record = await self.record(table, round_, None)
        return await self._reviews.of(table, record, seen, address)

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
            self._bounds.check_seatings(socket, room)
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
        return None if may_watch(table, holder) else "no_table"

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
        room.tell_all(frame(room.presence()))

    def command(self, socket: Socket, room: Room, command: m.Command | m.Bring) -> None:
        """Carry out a command once, or say why not."""
        if isinstance(command, m.Bring):
            self._throws.brought(socket, room, command)
            return
        table = room.table
        own_id = f"{(socket.holder or '')[:16]}/{command.id}"  # ids are each sender's own
        if own_id in table.commands:
            text = frame(m.Accepted(command.id, table.commands[own_id]))
            room.when_durable(lambda: socket.push(text))
            return
        try:
            if isinstance(command, m.AskCode):
                self._bounds.give_code(socket, room, command)
            elif isinstance(command, m.React):
                self._bounds.react(socket, room, command)
            elif isinstance(command, m.Hurry):
                self._hurry(socket, room, command)
            elif isinstance(command, m.Report):
                self._bounds.report(socket, room, command)
            elif isinstance(command, m.AskHint):
                self._hints.ask(socket, room, command, own_id)
            else:
                self._carry_out(socket, room, command, own_id)
        except QwixxError as error:
            self.refuse(socket, room, command.id, error)

    def _carry_out(self, socket: Socket, room: Room, command: m.Command, own_id: str) -> None:
        """A command becomes an event, or the chance that decides it."""
        if room.asking is not None and begins_now(room.asking, command, own_id):
            return
        event = room.table.decide(
            command, socket.holder, lambda seat: room.waited(seat, self._loop.time())
        )
        self._bounds.check(socket, room, command, event, self._loop.time())
        if isinstance(event, Chance):
            link = command.link if isinstance(command, m.Roll) else None
            self._throws.ask(room, event, own_id, socket.holder, link)
        else:
            self._happen(room, event, own_id)

    def _hurry(self, socket: Socket, room: Room, command: m.Hurry) -> None:
        """The pause that bots make just now is over. Where none makes one, nothing is to be done."""
        room.table.check_hurry(socket.holder)
        room.hurried = room.table.opened
        self._arm(room)
        accepted = frame(m.Accepted(command.id, room.table.number))
        room.when_durable(lambda: socket.push(accepted))

    def refuse(self, socket: Socket, room: Room, command: str | None, error: QwixxError) -> None:
        self.metrics.add("qwixx_refused_total", label=f'{{code="{error.code}"}}')
        refused = frame(
            m.Refused(command, error.code, error.message, error.rule, room.table.number)
        )
        room.when_durable(lambda: socket.push(refused))

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
            self._throws.ask(room, event)

    def _see_out(self, room: Room) -> None:
        """Who had to leave, or may no longer watch, hears of it and is let go."""
        table = room.table
        for socket in tuple(room.sockets):
            gone = socket.holder in table.removed and not table.held_by(socket.holder)
            if gone and socket.holder in room.seated:
                room.when_durable(functools.partial(socket.drop, "removed"))
            elif not may_watch(table, socket.holder):
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
