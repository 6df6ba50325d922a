"""All tables of this server: commands become events, events go to disk,
and only then does anybody hear of them."""

import asyncio
import contextlib
import functools
import logging
from collections.abc import Coroutine
from typing import Any, Final

from msgspec.structs import replace

from qwixx.core.errors import QwixxError
from qwixx.core.record import Record
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.alarms import Alarms
from qwixx.server.bounds import Bounds
from qwixx.server.chains import Chance
from qwixx.server.creating import hashed, planned, table_id
from qwixx.server.faults import FAULT, traced
from qwixx.server.hints import Hints
from qwixx.server.limits import Addresses
from qwixx.server.manners import may_watch
from qwixx.server.metrics import Metrics
from qwixx.server.refusals import Refusal
from qwixx.server.reviews import Reviews
from qwixx.server.room import Gone, Room
from qwixx.server.rooms import ELSEWHERE, Rooms, now_ms
from qwixx.server.settings import Settings
from qwixx.server.signing import Signer
from qwixx.server.sockets import Socket, frame
from qwixx.server.store import Store
from qwixx.server.studies import Studies
from qwixx.server.table import PLAY_KINDS, Table
from qwixx.server.thinking import Thinkers
from qwixx.server.throws import Throws, begins_now
from qwixx.server.watching import Watching

logger: Final = logging.getLogger("qwixx.server")
MISSED_MOST: Final = 300  # events; more are not told one by one
CLOSING_SECONDS: Final = 10  # for all lines of a table to end
DELETING_SECONDS: Final = 15  # for other servers to hear that a table is closed
# After which a table is read again at which something went wrong, at first and at most.
AGAIN_SECONDS: Final = 1.0
AGAIN_MOST: Final = 60.0
NOT_WRITTEN: Final = (
    "nothing can be written here just now, so this was not done: try again in a moment"
)
SEATING: Final = (
    log.Sat,
    log.Left,
    log.Moved,
    log.Removed,
)  # events after which a seat has another player


class Hub:
    """Everything that runs. Only the event loop's thread touches it; the writer has its own."""

    def __init__(self, store: Store, settings: Settings, metrics: Metrics, signer: Signer) -> None:
        self.limits = limits = settings.limits
        self.metrics = metrics
        self.sockets_by_address: dict[str, int] = {}
        self._signer = signer
        self._levels = settings.levels
        self._new_tables = Addresses(limits.tables_an_hour / 3600, limits.tables_an_hour)
        self._bounds = Bounds(limits)
        self.thinkers = Thinkers(limits, metrics)
        self.studies = Studies(limits, metrics, self.thinkers.rest)
        self._watching = Watching(self.studies)
        self._hints = Hints(limits, self.thinkers, self._happen, self.refuse)
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._read_again: set[str] = set()  # tables at which something went wrong
        self._waits: dict[str, float] = {}  # how long each waits for that, if it does again
        self.rooms = Rooms(store, metrics, self._begin, self._failed, settings.keep_days)
        self._writer = self.rooms.writer
        self._alarms = Alarms(self.rooms, self.thinkers, self._happen, self._failed, self._keep)
        self._throws = Throws(limits, self._happen, self._alarms.set, self._failed)
        self._reviews = Reviews(limits, self.studies, store, self._writer)

    async def close(self) -> None:
        """Put everything on disk and stop."""
        for task in self._tasks:
            task.cancel()
        self._hints.close()
        self._watching.close()
        await self.rooms.close()
        self.thinkers.close()
        self.studies.close()

    # --- tables ---

    def _begin(self, room: Room) -> None:
        """A table was read: what follows by itself happens."""
        try:
            self._happen(room, self._next(room))
            self._expect_thought(room)
        except Exception as error:  # noqa: BLE001 - as in `_happen`
            self._failed(room, error)

    def _expect_thought(self, room: Room) -> None:
        """Whoever thinks for this table is to be there when it begins."""
        levels = [seat.bot_level or "" for seat in room.table.seats]
        self._keep(self.thinkers.expect(levels, hints=bool(room.table.options.hints)))

    async def create(self, request: m.NewTable, address: str) -> str:
        """Make a table; the same request again finds the same one."""
        name = table_id(request)
        if not await self.rooms.is_there(name):
            event = planned(request, self._levels)
            counted = await self.rooms.made(address)
            if not self._new_tables.take(address) or counted > self.limits.tables_an_hour:
                raise Refusal(
                    "too_many",
                    "too many new tables from here: wait a while, or play on at one of them",
                )
            room = await self.rooms.new(name)
            if not room.table.number:  # the same request may have come twice at once
                self._happen(room, event)
            await self.rooms.settled(room)
            if not room.table.number:  # another server has taken the name before anything happened
                raise Refusal("elsewhere", ELSEWHERE)
            self._expect_thought(room)
            self.rooms.let_go_of_new(name)
        return name

    async def lobby(self) -> m.Lobby:
        """Tables that anybody may join."""
        found = []
        for table in await self.rooms.listed():
            free = sum(seat.kind == "open" for seat in table.seats)
            names = [seat.name for seat in table.seats if seat.name]
            found.append(m.LobbyTable(table.id, table.game_id, names, free))
        return m.Lobby(found[-100:])

    async def mine(self, wanted: m.TablesWanted) -> m.MyTables:
        """Tables that somebody knows, and the names of those that are gone;
        what cannot be read is left out."""
        names, holder = list(dict.fromkeys(wanted.tables)), hashed(wanted.secret)
        found, gone = await self.rooms.peek(names)
        return m.MyTables([table.as_listed(holder) for table in found.values()], gone)

    async def record(self, table: str, round_: int | None, secret: str | None) -> Record:
        """A finished round for anybody, a running one for its players."""
        room = await self.rooms.get(table)
        if room is None:
            raise Refusal("no_table", "there is no such table")
        await self.rooms.settled(room)
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
    ) -> tuple[bytes, bool]:
        """The review of a finished round, and whether it is packed, which it is if it is done."""
        record = await self.record(table, round_, None)
        return await self._reviews.of(table, record, seen, address)

    # --- whoever runs the server ---

    async def close_table(self, name: str) -> None:
        """Nobody gets in any more, and what it does by itself stops."""
        rooms = self.rooms
        if name not in rooms.closed and not await rooms.is_there(name):
            raise Refusal("no_table", "there is no such table")
        rooms.closed.add(name)
        await rooms.keep_order("close", name)
        room = rooms.here.get(name)
        if room is None:
            return
        self._alarms.set(room)
        for socket in tuple(room.sockets):
            socket.drop("closed")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSING_SECONDS):
                while not room.idle:
                    await asyncio.sleep(0.02)
                if rooms.here.get(name) is room:
                    rooms.let_go(name)

    async def reopen_table(self, name: str) -> None:
        if name not in self.rooms.closed:
            raise Refusal("no_table", "no such table is closed")
        self.rooms.closed.discard(name)
        await self.rooms.keep_order("close", name, kept=False)
        if name in self.rooms.here:
            self._alarms.set(self.rooms.here[name])

    async def delete_table(self, name: str) -> None:
        """Close it, and forget all of it."""
        await self.close_table(name)
        if name in self.rooms.here:
            raise Refusal("not_now", "it is closed, but still at work: try again in a moment")
        latest = self._loop.time() + DELETING_SECONDS
        while not await self.rooms.forget_now(name):
            if self._loop.time() > latest:
                raise Refusal(
                    "not_now",
                    "it is closed, but another server still has it: try again in a moment",
                )
            await asyncio.sleep(0.2)
        await self.reopen_table(name)

    # --- people ---

    async def hello(self, socket: Socket, room: Room, hello: m.Hello) -> None:
        """Somebody has come (back): they get the table as it is, and what they missed."""
        if room.lost:
            socket.drop("elsewhere")
            return
        holder = hashed(hello.secret) if hello.secret else None
        if hello.code is not None:
            if holder is None:
                raise Refusal("bad_code", "a code needs a secret of your own to move the seats to")
            self._bounds.check_seatings(socket, room)
            moved = room.redeem(hello.code, now_ms(), socket.address, self.limits.code_tries)
            self.rooms.keep_codes(room, lambda: None)
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

    def _join(self, room: Room, socket: Socket, welcome: bytes) -> None:
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
        if room.lost:
            socket.drop("elsewhere")
        elif isinstance(command, m.Bring):
            self._throws.brought(socket, room, command)
        else:
            own_id = f"{(socket.holder or '')[:16]}/{command.id}"  # ids are each sender's own
            if own_id in room.table.commands:
                text = frame(m.Accepted(command.id, room.table.commands[own_id]))
                room.when_durable(lambda: socket.push(text))
            elif self._writer.trouble is not None:
                self._refuse_for_now(socket, room, command.id)
            else:
                self._take(socket, room, command, own_id)

    def _take(self, socket: Socket, room: Room, command: m.Command, own_id: str) -> None:
        try:
            if isinstance(command, m.AskCode):
                keep = functools.partial(self.rooms.keep_codes, room)
                self._bounds.give_code(socket, room, command, keep)
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
            self._time(room)

    def _time(self, room: Room) -> None:
        """How long it takes until everybody hears of what was just done."""
        start = self._loop.time()
        room.when_durable(
            lambda: self.metrics.time("qwixx_move_seconds", self._loop.time() - start)
        )

    def _hurry(self, socket: Socket, room: Room, command: m.Hurry) -> None:
        """The pause that bots make just now is over. Where none makes one, nothing is to be done."""
        room.table.check_hurry(socket.holder)
        room.hurried = room.table.opened
        self._alarms.set(room)
        accepted = frame(m.Accepted(command.id, room.table.number))
        room.when_durable(lambda: socket.push(accepted))

    def refuse(self, socket: Socket, room: Room, command: str | None, error: QwixxError) -> None:
        self.metrics.add("qwixx_refused_total", label=error.code)
        refused = frame(
            m.Refused(command, error.code, error.message, error.rule, room.table.number)
        )
        room.when_durable(lambda: socket.push(refused))

    def _refuse_for_now(self, socket: Socket, room: Room, command: str) -> None:
        """Nothing can be written: at once, though what happened before may not be on disk yet."""
        self.metrics.add("qwixx_refused_total", label="unavailable")
        socket.push(frame(m.Refused(command, "unavailable", NOT_WRITTEN, None, room.durable)))

    # --- what happens ---

    def _failed(self, room: Room, error: Exception) -> None:
        """Something went wrong at a table that nobody foresaw: what is in memory may be ahead of the log,
        so the table is read from it again, and whoever is there comes again."""
        name = room.table.id
        logger.error(f"{FAULT} at a table", extra={"table": name, **traced(error)})
        if self.rooms.here.get(name) is room:
            self.rooms.let_go(name)
            if name not in self._read_again:
                self._read_again.add(name)
                self._keep(self._read(name))

    async def _read(self, name: str) -> None:
        """Until it stays, ever less often as long as nothing happens there but the same again."""
        try:
            while name not in self.rooms.here:
                wait = self._waits.get(name, AGAIN_SECONDS)
                self._waits[name] = min(2 * wait, AGAIN_MOST)
                await asyncio.sleep(wait)
                try:
                    if await self.rooms.get(name, ask=False) is None:
                        return
                except Refusal as refusal:  # which is logged there, or the table is elsewhere
                    if refusal.code != "unavailable":
                        return
        finally:
            self._read_again.discard(name)

    def _happen(
        self, room: Room, event: log.AnyEvent | Chance | None, command: str | None = None
    ) -> None:
        """Something happens, and with it whatever follows by itself."""
        if self.rooms.here.get(room.table.id) is not room:
            return  # it goes on elsewhere
        try:
            self._follow(room, event, command)
        except Exception as error:  # noqa: BLE001 - whatever it was, the table must not stand still
            self._failed(room, error)

    def _follow(self, room: Room, event: log.AnyEvent | Chance | None, command: str | None) -> None:
        table, seating, seats, opened = room.table, False, len(room.table.seats), room.table.opened
        entries: list[log.Entry] = []
        happened: list[m.Happened] = []
        while event is not None and not isinstance(event, Chance):
            entry = log.Entry(table.id, table.number + 1, max(now_ms(), table.at), command, event)
            happened.append(table.apply(entry))
            seating = seating or isinstance(event, SEATING) or len(table.seats) != seats
            event, command = self._next(room), None
            entries.append(replace(entry, awake=_awake(table, event)))
        if entries:
            room.outbox.extend((one.number, frame(one)) for one in table.with_changes(happened))
            self._writer.write(entries)
            self._waits.pop(table.id, None)
        if table.opened != opened:
            room.opened = self._loop.time()
        if seating and room.sockets:
            self._tell_presence(room)
        if any(one.kind not in PLAY_KINDS for one in happened) or not happened:
            self._see_out(room)
        self._watching.follow(room)
        self._alarms.set(room)
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

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Nobody waits for it, so what went wrong is told here."""
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            logger.error(FAULT, extra=traced(error))


def _awake(table: Table, following: log.AnyEvent | Chance | None) -> int:
    """Whether a table needs anybody after what has just happened."""
    if following is not None or table.due() is not None:
        return log.DUE
    return log.LISTED if table.listed else log.ASLEEP
