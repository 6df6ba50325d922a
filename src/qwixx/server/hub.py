"""All tables of this server: commands become events, events go to disk, and only then does anybody hear of them."""

import asyncio
import base64
import gc
import hashlib
import logging
import os
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import msgspec

from qwixx import bots, games
from qwixx.core.errors import QwixxError
from qwixx.core.fields import PASS
from qwixx.core.game import ROLL
from qwixx.core.record import Record
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.limits import Addresses, Limits
from qwixx.server.metrics import Metrics
from qwixx.server.names import clean_name
from qwixx.server.refusals import Refusal
from qwixx.server.room import Room
from qwixx.server.sockets import Socket
from qwixx.server.store import Store
from qwixx.server.table import Table, commit
from qwixx.server.writer import Writer

logger: Final = logging.getLogger("qwixx.server")
MISSED_MOST: Final = 300  # events; more are not told one by one
DAY: Final = 86_400_000  # in milliseconds
RESUMED_DAYS: Final = 30
LITTER_MOST: Final = 5000  # connections and requests whose garbage may wait to be collected
LISTED_DAYS: Final = 1

SEATING: Final = (log.Sat, log.Left, log.Moved)  # events after which a seat has another player

_encoder = msgspec.json.Encoder()


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def hashed(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def frame(message: m.Message) -> str:
    return _encoder.encode(message).decode()


def table_id(request: m.NewTable) -> str:
    """The same request makes the same table, and nobody without its secret can guess which."""
    digest = hashlib.sha256(f"table|{request.id}|{request.secret}".encode()).digest()
    return base64.b32encode(digest).decode().lower()[:20]


class Hub:
    """Everything that runs. Only the event loop's thread touches it; the writer has its own."""

    def __init__(self, store: Store, limits: Limits, metrics: Metrics, keep_days: float | None = None) -> None:
        self.limits = limits
        self.metrics = metrics
        self.rooms: dict[str, Room] = {}
        self.sockets_by_address: dict[str, int] = {}
        self._store = store
        self._keep_days = keep_days
        self._litter = 0
        self._new_tables = Addresses(limits.tables_an_hour / 3600, limits.tables_an_hour)
        self._loading: dict[str, asyncio.Future[Room | None]] = {}
        self._bots = {level: bots.resolve(level) for level in bots.LEVELS}
        self._thinkers = ThreadPoolExecutor(1, thread_name_prefix="bots")
        self._loop = asyncio.get_running_loop()
        if keep_days is not None:
            store.prune(self._oldest())
        self._writer = Writer(store, self._written, self._writer_died)
        self._tasks = {self._loop.create_task(self._resume()), self._loop.create_task(self._sweep())}

    async def close(self) -> None:
        """Put everything on disk and stop."""
        for task in self._tasks:
            task.cancel()
        for room in self.rooms.values():
            if room.timer:
                room.timer.cancel()
        await asyncio.to_thread(self._writer.close)
        self._thinkers.shutdown(wait=False, cancel_futures=True)
        self._store.close()

    # --- tables ---

    async def room(self, table: str) -> Room | None:
        """A table in memory, read from its log if it is not there yet."""
        if table in self.rooms:
            return self.rooms[table]
        if table not in self._loading:
            self._loading[table] = self._loop.create_future()
            try:
                entries = await asyncio.to_thread(self._store.read, table)
                self._loading[table].set_result(self._load(table, entries))
            finally:
                loading = self._loading.pop(table)
                if not loading.done():
                    loading.cancel()
            return loading.result()
        return await asyncio.shield(self._loading[table])

    def _load(self, table_name: str, entries: Sequence[log.Entry]) -> Room | None:
        if table_name in self.rooms:
            return self.rooms[table_name]
        if not entries:
            return None
        table = Table(table_name)
        try:
            for entry in entries:
                table.apply(entry)
        except Exception:
            logger.exception("a log cannot be read", extra={"table": table_name})
            return None
        room = Room(table, durable=table.number)
        room.gone = {seat.holder: now_ms() for seat in table.seats if seat.holder}
        self.rooms[table_name] = room
        self._happen(room, self._next(room))
        return room

    async def create(self, request: m.NewTable, address: str) -> str:
        """Make a table; the same request again finds the same one."""
        name = table_id(request)
        await self.room(name)
        if name not in self.rooms:  # asked after the wait: the same request may have come twice at once
            event = _planned(request)
            if not self._new_tables.take(address):
                raise Refusal("too_many", "too many new tables from here: wait a while, or play on at one of them")
            self.rooms[name] = Room(Table(name))
            self._happen(self.rooms[name], event)
            self._happen(self.rooms[name], commit())
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
            free = sum(seat.kind == "open" for seat in table.seats)
            if table.options.listed and table.status == "gathering" and free:
                names = [seat.name for seat in table.seats if seat.name]
                found.append(m.LobbyTable(table.id, table.game_id, names, free))
        return m.Lobby(found[-100:])

    async def record(self, table: str, round_: int | None, secret: str | None) -> Record:
        """A finished round for anybody, a running one for its players."""
        room = await self.room(table)
        if room is None:
            raise Refusal("no_table", "there is no such table")
        await self.settled(room)
        number = round_ if round_ is not None else max(room.table.rounds, default=room.table.round)
        if number in room.table.rounds:
            return room.table.rounds[number]
        if room.table.status != "playing" or number != room.table.round:
            raise Refusal("no_table", "this table has no such round")
        if secret is None or not room.table.held_by(hashed(secret)):
            raise Refusal("not_yours", "a game that is not over yet is for its players to read")
        return room.table.record()

    # --- people ---

    async def hello(self, socket: Socket, room: Room, hello: m.Hello) -> None:
        """Somebody has come (back): they get the table as it is, and what they missed."""
        holder = hashed(hello.secret) if hello.secret else None
        if hello.code is not None:
            if holder is None:
                raise Refusal("bad_code", "a code needs a secret of your own to move the seats to")
            moved = room.redeem(hello.code, time.monotonic(), self.limits.code_tries)
            self._happen(room, log.Moved(moved, holder))
            for other in tuple(room.sockets):
                if other.holder == moved:
                    other.drop("moved")
        yours = room.table.held_by(holder)
        if not yours and holder != room.table.creator and len(room.sockets) >= self.limits.watchers:
            socket.drop("too_many")
            return
        socket.holder = holder
        for seat in yours:
            if room.table.seats[seat].stand_in:
                self._happen(room, log.Returned(seat))
        if holder is not None and room.come(holder):
            self._tell_presence(room)
        welcome = frame(self._welcome(room, holder, hello.version))
        room.when_durable(lambda: self._join(room, socket, welcome))

    def _join(self, room: Room, socket: Socket, welcome: str) -> None:
        if not socket.ended:
            socket.push(welcome)
            room.sockets.add(socket)

    def _welcome(self, room: Room, holder: str | None, version: int | None) -> m.Welcome:
        table = room.table
        yours = table.held_by(holder)
        known = version is not None and table.told and table.told[0].number <= version + 1 <= table.number + 1
        missed = [one for one in table.told if one.number > (version or 0)] if known else None
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
        self.litter()
        if socket.holder is not None and room.go(socket.holder, now_ms()):
            self._tell_presence(room)

    def litter(self) -> None:
        """Something has ended that may leave garbage which only a collection finds."""
        self._litter += 1
        if self._litter > LITTER_MOST:
            self._litter = 0
            gc.collect()

    def _tell_presence(self, room: Room) -> None:
        text = frame(room.presence())

        def tell() -> None:
            for socket in tuple(room.sockets):
                socket.push(text)

        room.when_durable(tell)

    def command(self, socket: Socket, room: Room, command: m.Command) -> None:
        """Carry out a command once, or say why not."""
        table = room.table
        own_id = f"{(socket.holder or '')[:16]}/{command.id}"  # ids are each sender's own
        if own_id in table.commands:
            text = frame(m.Accepted(command.id, table.commands[own_id]))
            room.when_durable(lambda: socket.push(text))
            return
        try:
            if isinstance(command, m.AskCode):
                self._give_code(socket, room, command)
            elif isinstance(command, m.Rematch) and table.round >= self.limits.rounds:
                raise Refusal("too_many", "this table has seen enough rounds: make a new one")
            elif isinstance(command, m.Sit | m.Leave) and len(table.told) >= self.limits.events_a_round:
                raise Refusal("too_many", "there has been too much coming and going at this table")
            else:
                event = table.decide(command, socket.holder, room.away, now_ms())
                self._happen(room, event, own_id)
        except QwixxError as error:
            self.refuse(socket, room, command.id, error)

    def refuse(self, socket: Socket, room: Room, command: str | None, error: QwixxError) -> None:
        self.metrics.add("qwixx_refused_total", label=f'{{code="{error.code}"}}')
        refused = frame(m.Refused(command, error.code, error.message, error.rule, room.table.number))
        room.when_durable(lambda: socket.push(refused))

    def _give_code(self, socket: Socket, room: Room, command: m.AskCode) -> None:
        if socket.holder is None or not room.table.held_by(socket.holder):
            raise Refusal("not_yours", "you hold no seat that could be moved")
        seconds = self.limits.code_seconds
        code = room.new_code(socket.holder, time.monotonic(), seconds)
        socket.push(frame(m.MoveCode(command.id, code, seconds)))

    # --- what happens ---

    def _happen(self, room: Room, event: log.AnyEvent | None, command: str | None = None) -> None:
        """Something happens, and with it whatever follows by itself."""
        table, seating, seats = room.table, False, len(room.table.seats)
        while event is not None:
            entry = log.Entry(table.id, table.number + 1, max(now_ms(), table.at), command, event)
            happened = table.apply(entry)
            seating = seating or isinstance(event, SEATING) or len(table.seats) != seats
            event, command = self._next(room), None
            room.outbox.append((entry.number, frame(table.with_changes(happened, more=event is not None))))
            self._writer.write(entry)
        if seating and room.sockets:
            self._tell_presence(room)
        self._arm(room)

    def _next(self, room: Room) -> log.AnyEvent | None:
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
        due = room.table.due()
        if due is not None and not room.thinking:
            delay = max(0, due.at - now_ms()) / 1000
            room.timer = self._loop.call_later(delay, self._ring, room)

    def _ring(self, room: Room) -> None:
        room.timer = None
        due, table = room.table.due(), room.table
        if due is None or due.at > now_ms():
            self._arm(room)
        elif table.state.phase == ROLL:
            self._happen(room, table.rolled(due.seat))
        elif due.what == "clock":
            self._happen(room, table.chose(due.seat, PASS, "clock"))
        else:
            room.thinking = True
            self._keep(self._think(room, due.seat))

    async def _think(self, room: Room, seat: int) -> None:
        """A bot decides, away from the loop; if the moment has passed meanwhile, its choice is dropped."""
        table = room.table
        action, level = table.action, table.seats[seat].bot_level or table.options.stand_in
        bot, rng = self._bots[level], random.Random(os.urandom(16))
        try:
            decision = await self._loop.run_in_executor(
                self._thinkers, bots.decide, bot, table.game, table.state, seat, rng
            )
            move = decision.move
        except Exception:
            logger.exception("a bot failed", extra={"table": table.id, "level": level})
            move = PASS
        finally:
            room.thinking = False
        if table.action == action and table.waits_for(seat) and table.seats[seat].bot_level is not None:
            self._happen(room, table.chose(seat, move if move in table.legal[seat] else PASS, "bot"))
        else:
            self._arm(room)

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
        since = now_ms() - RESUMED_DAYS * DAY
        for name in await asyncio.to_thread(self._store.recent, since):
            await self.room(name)
        logger.info("resumed", extra={"tables": len(self.rooms)})

    async def _sweep(self) -> None:
        """Now and then: forget what is idle, and prune what is old."""
        while True:
            await asyncio.sleep(60)
            listed_since = now_ms() - LISTED_DAYS * DAY
            for name, room in tuple(self.rooms.items()):
                listed = room.table.options.listed and room.table.status == "gathering"
                if room.idle and room.unused and not (listed and room.table.at > listed_since):
                    del self.rooms[name]
                room.unused = room.idle
            self._new_tables.forget_idle()
            self.prune()

    def _oldest(self) -> int:
        """Tables where nothing has happened since then are forgotten."""
        return 0 if self._keep_days is None else now_ms() - round(self._keep_days * DAY)

    def prune(self) -> None:
        """Forget old tables, but none that is in use."""
        before = self._oldest()
        for name, room in tuple(self.rooms.items()):
            if room.table.at < before and room.idle:
                del self.rooms[name]
        spare = frozenset(self.rooms) | frozenset(self._loading)
        if before:
            self._writer.between(lambda: logger.info("pruned", extra={"tables": self._store.prune(before, spare)}))


def _planned(request: m.NewTable) -> log.Created:
    """What a new table is to be, checked."""
    try:
        game = games.game(request.game)
    except QwixxError as error:
        raise Refusal("bad_table", error.message) from None
    if len(request.seats) not in game.players:
        raise Refusal("bad_table", f"this game takes {game.players[0]} to {game.players[-1]} seats")
    levels = {request.options.stand_in, *(plan.level for plan in request.seats if plan.kind == "bot")}
    if not levels <= set(bots.LEVELS):
        raise Refusal("bad_table", f"a bot's level is one of {', '.join(bots.LEVELS)}")
    seats = [
        m.SeatPlan(
            plan.kind,
            plan.level if plan.kind == "bot" else None,
            clean_name(plan.name or "") if plan.kind == "me" else None,
        )
        for plan in request.seats
    ]
    return log.Created(request.game, seats, request.options, hashed(request.secret))
