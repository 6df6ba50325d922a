"""Tables in memory: read from their logs, owned by this process while they are here, let go of when
nobody needs them or somebody else does. Everything between memory and disk goes through here."""

import asyncio
import contextlib
import functools
import logging
import os
import random
import time
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final

from qwixx.server import log
from qwixx.server.metrics import Metrics
from qwixx.server.refusals import Refusal
from qwixx.server.room import Gone, Room
from qwixx.server.store import Code, Elsewhere, Full, Store, Unavailable, Unreadable
from qwixx.server.table import Table
from qwixx.server.writer import Callbacks, Writer

logger: Final = logging.getLogger("qwixx.server")
DAY: Final = 86_400_000  # in milliseconds
RESUMED_DAYS: Final = 30
RESUME_SECONDS: Final = 1.0  # between two looks for tables that nobody has
ORDERS_EVERY: Final = 5  # of these looks the orders of other processes are read
LISTED_DAYS: Final = 1
FOLDED_AT_ONCE: Final = 50  # events, of a log that is read
YIELD_SECONDS: Final = 0.0005
SWEEP_SECONDS: Final = 60
FORGOTTEN_AT_ONCE: Final = 100  # tables; between them others' moves are written
OWN_SECONDS: Final = 6.0  # for which a table is waited for that another process has
OWN_AGAIN_SECONDS: Final = 0.1
PEEKS_MOST: Final = 1000
UNREADABLE: Final = (
    "what was kept of this table is damaged, so it cannot go on: nothing of it was deleted, "
    "and whoever runs this server finds it in the server's log"
)
AWAY: Final = "the tables cannot be reached just now: try again in a moment"
NO_ROOM: Final = (
    "more tables are played here just now than there is room for: try again when some have ended"
)
FULL_SECONDS: Final = 60  # between two lines in the log about that
ELSEWHERE: Final = "this table goes on at another server: come again"


def now_ms() -> int:
    return time.time_ns() // 1_000_000


class Rooms:
    """Only the event loop's thread touches it; the writer has its own."""

    def __init__(
        self,
        store: Store,
        metrics: Metrics,
        begin: Callable[[Room], None],
        failed: Callable[[Room, Exception], None],
        keep_days: float | None,
    ) -> None:
        self.here: dict[str, Room] = {}
        self.orders = store.orders()
        self.closed = {name for kind, name in self.orders if kind == "close"}
        self.heard_orders: Callable[[], None] = lambda: None  # of other processes
        self._store = store
        self._metrics = metrics
        self._begin = begin
        self._failed = failed
        self._keep_days = keep_days
        self._loading: dict[str, asyncio.Task[Room | None]] = {}
        self._leaving: dict[str, asyncio.Future[None]] = {}
        self._forgetting: set[str] = set()
        self._set_aside: set[str] = set()
        self._told_full = float("-inf")
        self._peeks: dict[str, Table] = {}  # tables as they were read, without being owned
        self._loop = asyncio.get_running_loop()
        if keep_days is not None:
            store.forget(store.quiet(self._oldest()))
        self.writer = Writer(
            store,
            Callbacks(
                done=self._soon(self._tell),
                failed=_died,
                lost=self._soon(functools.partial(self._drop_all, why="lost")),
                wanted=self._soon(functools.partial(self._drop_all, why="wanted")),
            ),
        )
        self._tasks = [
            self._loop.create_task(self._resume()),
            self._loop.create_task(self._sweep()),
        ]

    async def close(self) -> None:
        """Put everything on disk and stop."""
        for task in (*self._tasks, *self._loading.values()):
            task.cancel()
        for room in self.here.values():
            room.stop()
        await asyncio.to_thread(self.writer.close)
        await asyncio.to_thread(self._store.close)

    def _soon(self, call: Callable[..., None]) -> Callable[..., None]:
        """On the loop's thread, whoever calls it."""

        def later(*values: Any) -> None:
            self._loop.call_soon_threadsafe(call, *values)

        return later

    # --- tables ---

    async def get(self, name: str, *, ask: bool = True) -> Room | None:
        """A table, read from its log if it is not here yet; None if there is none. If another process
        has it, it is asked for."""
        if name in self._forgetting:
            return None
        if name in self._set_aside:
            raise Refusal("unreadable", UNREADABLE)
        if name in self.closed:
            raise Refusal("closed", "whoever runs this server has closed this table")
        room = self.here.get(name) or await self._loaded(name, ask=ask, new=False)
        return room if room is not None and room.table.number else None

    async def new(self, name: str) -> Room:
        """A table to be made, owned; it has events if somebody has made it meanwhile."""
        if name in self._forgetting:
            raise Refusal("not_now", "this table is just being forgotten: ask again in a moment")
        room = self.here.get(name) or await self._loaded(name, ask=True, new=True)
        assert room is not None  # as it was to be made
        return room

    async def _loaded(self, name: str, *, ask: bool, new: bool) -> Room | None:
        key = f"{name}+" if new else name
        if key not in self._loading:
            self._loading[key] = task = self._loop.create_task(self._load(name, ask=ask, new=new))
            task.add_done_callback(lambda _: self._loading.pop(key))
        return await asyncio.shield(self._loading[key])

    async def _load(self, name: str, *, ask: bool, new: bool) -> Room | None:
        """Away from the loop, since a log may be long.
        One that is damaged is set aside; the others go on."""
        self._check_reached()
        if name in self._leaving:
            await asyncio.shield(self._leaving[name])
        try:
            await self._own(name, ask=ask)
            table, codes = await asyncio.to_thread(self._read, name)
        except Elsewhere:
            raise Refusal("elsewhere", ELSEWHERE) from None
        except Unreadable as error:
            self._set_aside.add(name)
            logger.error(
                "a table is set aside: its log cannot be read",
                extra={"table": name, "why": str(error)},
            )
            raise Refusal("unreadable", UNREADABLE) from None
        except Full:
            raise Refusal("unavailable", NO_ROOM) from None
        except Unavailable:  # which the writer tells
            raise Refusal("unavailable", AWAY) from None
        except Exception:
            logger.exception("a table cannot be read now", extra={"table": name})
            raise Refusal("unavailable", AWAY) from None
        if name in self.here:  # made meanwhile
            return self.here[name]
        if not table.number and not new:
            await asyncio.to_thread(self._store.disown, name)
            return None
        room = Room(table, durable=table.number, codes={code.digest: code for code in codes})
        gone = Gone(now_ms(), self._loop.time())
        room.gone = {seat.holder: gone for seat in table.seats if seat.holder}
        room.opened = gone.steady - max(0, gone.wall - table.opened_at) / 1000
        self.here[name] = room
        if table.number:
            self._begin(room)
        return room

    async def _own(self, name: str, *, ask: bool) -> None:
        """Before it is read: what is read stays the last word until it is let go of."""
        deadline = self._loop.time() + (OWN_SECONDS if ask else 0)
        while True:
            try:
                await asyncio.to_thread(self._store.own, name)
            except Elsewhere:
                if self._loop.time() >= deadline:
                    raise
                await asyncio.to_thread(self._store.ask_for, name)
                await asyncio.sleep(OWN_AGAIN_SECONDS)
            except Full as error:
                self._make_room(error)
                if self._loop.time() >= deadline:
                    raise
                await asyncio.sleep(OWN_AGAIN_SECONDS)
            else:
                return

    def _make_room(self, why: Full) -> None:
        """Let go of all that nobody is at."""
        if self._loop.time() - self._told_full > FULL_SECONDS:
            self._told_full = self._loop.time()
            logger.error("there is no room for a table", extra={"why": str(why)})
        for name, room in tuple(self.here.items()):
            if room.idle:
                self.let_go(name)

    def _check_reached(self) -> None:
        """Nobody waits in a long row for a database that several have and that does not answer."""
        if self._store.shared and self.writer.trouble is not None:
            raise Refusal("unavailable", AWAY)

    def _read(self, name: str) -> tuple[Table, list[Code]]:
        table = self._fold(name)
        return table, self._store.codes(name) if table.number else []

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

    async def peek(self, names: Collection[str]) -> tuple[dict[str, Table], list[str]]:
        """Tables as they are on disk, and the names of those that are gone: of a shared store without
        becoming their owner. What cannot be read is left out."""
        found: dict[str, Table] = {}
        gone: list[str] = []
        elsewhere: list[str] = []
        for name in names:
            if self._store.shared and name not in self.here:
                elsewhere.append(name)
                continue
            with contextlib.suppress(Refusal):
                room = await self.get(name)
                if room is None:
                    gone.append(name)
                else:
                    await self.settled(room)
                    found[name] = room.table
        if elsewhere:
            self._check_reached()
            try:
                there, missing = await asyncio.to_thread(self._peeked, elsewhere)
            except Unavailable:
                raise Refusal("unavailable", AWAY) from None
            found |= {name: one for name, one in there.items() if name not in self.closed}
            gone += missing
        return found, gone

    def _peeked(self, names: Collection[str]) -> tuple[dict[str, Table], list[str]]:
        """Read again only if something has happened."""
        last = self._store.last(names)
        found: dict[str, Table] = {}
        for name, number in last.items():
            with contextlib.suppress(Unreadable):
                known = self._peeks.pop(name, None)
                table = known if known and known.number == number else self._fold(name)
                self._peeks[name] = found[name] = table
        while len(self._peeks) > PEEKS_MOST:
            self._peeks.pop(next(iter(self._peeks)), None)
        return found, [name for name in names if name not in last]

    async def listed(self) -> list[Table]:
        """Tables that anybody may join, here and at other servers."""
        here = {name: room.table for name, room in self.here.items()}
        if self._store.shared:
            since = now_ms() - LISTED_DAYS * DAY
            self._check_reached()
            try:
                names = await asyncio.to_thread(self._store.listed, since)
            except Unavailable:
                raise Refusal("unavailable", AWAY) from None
            here = (await self.peek(names))[0] | here
        return [table for name, table in here.items() if table.listed and name not in self.closed]

    async def settled(self, room: Room) -> None:
        """Wait until all that has happened at a table is on disk."""
        if not room.lost:
            on_disk = asyncio.Event()
            room.when_durable(on_disk.set)
            room.waited_on.add(on_disk)
            try:
                await on_disk.wait()
            finally:
                room.waited_on.discard(on_disk)
        if room.lost and room.durable < room.table.number:
            raise Refusal("elsewhere", ELSEWHERE)

    # --- letting go ---

    def let_go(self, name: str) -> None:
        """Out of memory; another process may have it once all of it is on disk."""
        room = self.here.pop(name)
        unwritten = bool(room.outbox)
        room.stop()
        room.lose()
        if self._store.shared or unwritten:
            self._leave(name)

    def _leave(self, name: str) -> None:
        """It is not read again before all of it is on disk."""
        self._leaving[name] = left = self._loop.create_future()
        self.writer.after_all(functools.partial(self._disown, name, left))

    def _disown(self, name: str, left: asyncio.Future[None]) -> None:
        """On the writer's thread."""
        self._store.disown(name)
        self._loop.call_soon_threadsafe(self._left, name, left)

    def _left(self, name: str, left: asyncio.Future[None]) -> None:
        self._leaving.pop(name, None)
        left.set_result(None)

    def let_go_of_new(self, name: str) -> None:
        """A table that was just made: whoever made it may come to any server."""
        room = self.here.get(name)
        if self._store.shared and room is not None and room.idle:
            self.let_go(name)

    def _drop_all(self, names: Collection[str], why: str) -> None:
        """Of these this process is no longer the owner, or is not to be: whoever is here comes again,
        to whoever is. What was not written was told to nobody."""
        dropped = [name for name in names if name in self.here]
        for name in dropped:
            self.let_go(name)
        for name in {*names} - {*dropped}:  # owned, but never read, since the database went away
            if name not in self._leaving and name not in self._loading:
                self._leave(name)
        if dropped:
            about = {"tables": len(dropped), "why": why}
            logger.warning("tables go on elsewhere", extra=about)
            self._metrics.add("qwixx_handed_over_total", len(dropped), why)

    def keep_codes(self, room: Room, then: Callable[[], None]) -> None:
        """The codes of a table are on disk when `then` is called."""
        codes = tuple(room.codes.values())

        def keep() -> None:
            self._store.keep_codes(room.table.id, codes)
            self._loop.call_soon_threadsafe(then)

        self.writer.between(keep)

    async def made(self, address: str) -> int:
        """One more new table from there; how many in the last hour, where other processes count."""
        self._check_reached()
        try:
            return await asyncio.to_thread(self._store.made, address, now_ms())
        except Unavailable:
            raise Refusal("unavailable", AWAY) from None

    # --- whoever runs the server ---

    async def keep_order(self, kind: str, name: str, *, kept: bool = True) -> None:
        """On disk when this returns."""
        on_disk = asyncio.Event()

        def keep() -> None:
            self._store.keep_order(kind, name, kept=kept)
            self._loop.call_soon_threadsafe(on_disk.set)

        self.writer.between(keep)
        await on_disk.wait()

    def forget(self, names: Sequence[str]) -> None:
        """Delete tables that are not here."""
        self._forgetting.update(names)
        for start in range(0, len(names), FORGOTTEN_AT_ONCE):
            some = names[start : start + FORGOTTEN_AT_ONCE]
            self.writer.between(functools.partial(self._forget, some))

    async def is_there(self, name: str) -> bool:
        """Whether there is such a table on disk, whoever has it: nobody loses it by this."""
        if name in self._forgetting:
            return False
        if name in self.here:
            room = self.here[name]
            await self.settled(room)
            return room.table.number > 0
        self._check_reached()
        try:
            return bool(await asyncio.to_thread(self._store.last, [name]))
        except Unavailable:
            raise Refusal("unavailable", AWAY) from None

    async def forget_now(self, name: str) -> bool:
        """Delete a table that is not here; whether it is gone, which it is not if another process has
        it."""
        done = asyncio.Event()
        self.forget([name])
        self.writer.between(self._soon(done.set))
        await done.wait()
        return not await self.is_there(name)

    def _forget(self, names: Sequence[str]) -> None:
        """On the writer's thread."""
        self._store.forget(names)
        self._loop.call_soon_threadsafe(self._forgetting.difference_update, names)

    # --- the disk ---

    def _tell(self, entries: Sequence[log.Entry], seconds: float) -> None:
        """A batch is on disk."""
        self._metrics.add("qwixx_events_total", len(entries))
        self._metrics.time("qwixx_commit_seconds", seconds)
        last = {entry.table: entry.number for entry in entries}
        for table, number in last.items():
            if table in self.here:
                self._on_disk(self.here[table], number)

    def _on_disk(self, room: Room, number: int) -> None:
        try:
            room.on_disk(number)
        except Exception as error:  # noqa: BLE001 - the others of the batch must hear of it all the same
            self._failed(room, error)

    # --- by itself ---

    async def _resume(self) -> None:
        """Tables where something is due go on, bots and clocks included: after a start, and where other
        processes may end, again and again those that nobody has."""
        resumed, failed = await self._resume_once(None)
        logger.info("resumed", extra={"tables": resumed, "failed": failed})
        before: set[str] = set()
        looks = 0
        while self._store.shared:
            await asyncio.sleep(RESUME_SECONDS)
            looks += 1
            with contextlib.suppress(Unavailable):  # which the writer tells
                if looks % ORDERS_EVERY == 0:
                    await self._read_orders()
                since = now_ms() - RESUMED_DAYS * DAY
                unowned = set(await asyncio.to_thread(self._store.awake, since))
                # One whose owner has only lost its line for a moment has it again the next time.
                resumed, _ = await self._resume_once(unowned & before)
                before = unowned
                if resumed:
                    logger.info("resumed", extra={"tables": resumed})

    async def _resume_once(self, names: Collection[str] | None) -> tuple[int, int]:
        resumed, failed = 0, 0
        if names is None:
            try:
                since = now_ms() - RESUMED_DAYS * DAY
                names = await asyncio.to_thread(self._store.awake, since)
            except Exception:
                logger.exception("no table was resumed: each goes on when somebody comes to it")
                return 0, 0
        if self._store.shared:  # each process begins with others
            names = random.sample(sorted(names), len(names))
        for name in names:
            if name in self.closed or name in self.here:
                continue
            try:
                room = await self.get(name, ask=False)
            except Refusal:
                failed += 1
                continue
            if room is not None and self._asleep(room):
                room.unused = True
                self.writer.between(functools.partial(self._store.lull, name))
            else:
                resumed += 1
        return resumed, failed

    def _asleep(self, room: Room) -> bool:
        """Whether nothing is due there. In a shared store that is noted late, and by versions before
        the second not at all; those that people may join another process finds by itself."""
        return not (room.table.due() if self._store.shared else room.table.awake)

    async def _read_orders(self) -> None:
        """What was ordered at another process."""
        found = await asyncio.to_thread(self._store.orders)
        if sorted(found) != sorted(self.orders):
            self.orders = found
            self.closed = {name for kind, name in found if kind == "close"}
            self._drop_all(self.closed & set(self.here), "closed")
            self.heard_orders()

    async def _sweep(self) -> None:
        """Now and then: forget what is idle, and prune what is old."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            listed_since = now_ms() - LISTED_DAYS * DAY
            for name, room in tuple(self.here.items()):
                kept = not self._store.shared and room.table.listed
                if room.idle and room.unused and not (kept and room.table.at > listed_since):
                    self.let_go(name)
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
        unused = [name for name in old if name not in self._loading and self._is_gone(name)]
        self.forget(unused)
        if unused:
            logger.info("pruned", extra={"tables": len(unused)})

    def _is_gone(self, name: str) -> bool:
        """Whether a table is not in memory; one that nobody has used for a while is let go."""
        if name in self.here and self.here[name].idle and self.here[name].unused:
            self.let_go(name)
        return name not in self.here


def _died(error: BaseException) -> None:
    """What is in memory is ahead of the disk, so nothing here can be trusted any more."""
    logger.critical("the writer died, so the server ends", extra={"why": repr(error)})
    os._exit(1)
