"""Logs in PostgreSQL, for several processes at once.

A table is owned by whoever holds its advisory lock on the one session that writes. The lock ends with
the session, however that ends, and only the session writes: whoever has lost a table cannot write to it.
"""

import hashlib
import logging
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from threading import RLock
from typing import Any, ClassVar, Final

import msgspec
import psycopg
from psycopg.errors import OutOfMemory, UniqueViolation

from qwixx.core.errors import QwixxError
from qwixx.server import log, rows
from qwixx.server.log import Entry
from qwixx.server.patience import Line, Patience
from qwixx.server.store import (
    Beat,
    Code,
    Conflict,
    Elsewhere,
    Full,
    Stats,
    Store,
    Unavailable,
    Unreadable,
)

logger: Final = logging.getLogger("qwixx.server")

# What makes a database of one version one of the next; the first makes a new one. `tables` helps to find
# tables without looking through all events; its times may be older than what has happened since.
MIGRATIONS: Final = (
    """
CREATE TABLE events (
    tab text COLLATE "C" NOT NULL, number integer NOT NULL, at bigint NOT NULL, command text,
    event text NOT NULL, checksum bigint, awake smallint, PRIMARY KEY (tab, number));
CREATE TABLE tables (
    tab text COLLATE "C" PRIMARY KEY, lock bigint NOT NULL, at bigint NOT NULL, awake smallint NOT NULL);
CREATE INDEX tables_at ON tables (at);
CREATE INDEX tables_awake ON tables (awake, at) WHERE awake > 0;
CREATE TABLE reviews (
    tab text COLLATE "C" NOT NULL, round integer NOT NULL, packed bytea NOT NULL, PRIMARY KEY (tab, round));
CREATE TABLE orders (kind text NOT NULL, name text NOT NULL, PRIMARY KEY (kind, name));
CREATE TABLE codes (
    tab text COLLATE "C" NOT NULL, digest text NOT NULL, holder text NOT NULL, expires bigint NOT NULL,
    PRIMARY KEY (tab, digest));
CREATE TABLE made (address text NOT NULL, at bigint NOT NULL);
CREATE INDEX made_at ON made (at);
CREATE INDEX made_address ON made (address);
""",
)
VERSION: Final = len(MIGRATIONS)
SCHEMA: Final = "qwixx"
CHANNEL: Final = "qwixx_wanted"
HOUR: Final = 3_600_000  # in milliseconds
LISTED_MOST: Final = 100
FETCHED_AT_ONCE: Final = 2000
# A process that keeps silent for so long has lost its tables; a living one speaks every second.
SILENT_SECONDS: Final = 3
# How soon a line that is dead is noticed, at either end.
DEAD_MILLISECONDS: Final = 3000
# For how long an answer is waited for. By then the database has ended a session that it has not heard
# of: nothing that was sent over it can be written any more.
ANSWER_SECONDS: Final = 3 * SILENT_SECONDS
_LINE: Final[dict[str, Any]] = {
    "connect_timeout": 3,
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": DEAD_MILLISECONDS,
}
_SESSION: Final = f"""
SET search_path = {SCHEMA};
SET synchronous_commit = on;
SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 3;
SET tcp_user_timeout = {DEAD_MILLISECONDS};
"""
_WRITING: Final = f"""
SET idle_session_timeout = '{SILENT_SECONDS}s';
SET idle_in_transaction_session_timeout = '{SILENT_SECONDS}s';
LISTEN {CHANNEL};
"""
_COLUMNS: Final = "tab, number, at, command, event, checksum, awake"
_INSERT: Final = f"""
INSERT INTO events ({_COLUMNS})
SELECT (e ->> 0), (e ->> 1)::int, (e ->> 2)::bigint, (e ->> 3), (e ->> 4), (e ->> 5)::bigint,
    (e ->> 6)::smallint
FROM json_array_elements(%s::json) AS e
"""  # noqa: S608 - names of ours
_MARK: Final = """
INSERT INTO tables (tab, lock, at, awake)
SELECT (t ->> 0), (t ->> 1)::bigint, (t ->> 2)::bigint, (t ->> 3)::smallint
FROM json_array_elements(%s::json) AS t
ON CONFLICT (tab) DO UPDATE SET at = excluded.at, awake = excluded.awake
"""
# Of many tables at once: the last number, which is read after the locks were taken.
_LOCKED: Final = (
    "SELECT tab, pg_try_advisory_lock(lock) FROM unnest(%s::text[], %s::bigint[]) AS t (tab, lock)"
)
_NUMBERS: Final = """
SELECT tab, (SELECT max(number) FROM events e WHERE e.tab = t.tab) FROM unnest(%s::text[]) AS t (tab)
"""
_UNOWNED: Final = """
SELECT tab FROM tables WHERE awake = %s AND at >= %s AND lock NOT IN (
    SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))
"""
_LOCKS: Final = """
SELECT (SELECT count(*) FROM pg_locks),
    current_setting('max_locks_per_transaction')::int * current_setting('max_connections')::int
"""
COUNT_SECONDS: Final = 1.0  # for which it is known how many locks are taken
LOCKED_SHARE: Final = 0.9  # of all of them, that tables may take
FULL: Final = "the database can lock no more tables: raise its max_locks_per_transaction"


def lock_of(table: str) -> int:
    return int.from_bytes(hashlib.sha256(table.encode()).digest()[:8], "big", signed=True)


class PostgresStore(Store):
    """A database that several processes may use."""

    shared: ClassVar[bool] = True

    def __init__(self, url: str) -> None:
        self._url = url
        self._using = RLock()  # the session that writes, and what is known of it
        self._reading = RLock()
        self._known: dict[str, int] = {}  # the last event of every table that is owned
        self._marked: dict[str, int] = {}  # what `tables` says of them
        self._awake: dict[str, tuple[int, int]] = {}  # what it should say: when, and how awake
        self._unsure: list[Entry] = []  # nobody heard whether they were written
        self._there: set[tuple[str, int]] = set()  # those of them that were
        self._lost: set[str] = set()
        self._wanted: set[str] = set()
        self._locks = self._locks_most = 0  # of everybody, and for everybody
        self._counted_at = float("-inf")
        self._session: Line | None = None
        self._reader: Line | None = None
        self._over = False
        with self._connected() as line:
            prepare(line)
        self._patience = Patience(ANSWER_SECONDS)
        self._reconnect()

    # --- lines ---

    @contextmanager
    def _connected(self) -> Iterator[Line]:
        """A line of its own, for something that takes long."""
        line = self._connect(None)
        try:
            with _troubles():
                yield line
        finally:
            line.close()

    def _connect(self, patience: Patience | None) -> Line:
        if self._over:  # whoever comes late would leave a line behind
            raise Unavailable("the database was closed here")
        with _troubles():
            line = Line.connect(self._url, autocommit=True, prepare_threshold=2, **_LINE)
            line.patience = patience
            try:
                line.execute(_SESSION)
            except BaseException:
                line.close()
                raise
            return line

    def _reconnect(self) -> Line:
        """The session that writes; after one was lost, with the tables that nobody has taken since."""
        if self._session is not None:
            return self._session
        line = self._connect(self._patience)
        try:
            with _troubles():
                line.execute(_WRITING)
                line.add_notify_handler(self._hear)
                self._own_again(line)
        except BaseException:
            line.close()
            raise
        self._session = line
        return line

    def _hear(self, notice: psycopg.Notify) -> None:
        """A table is wanted, by another process."""
        if self._reader is None or notice.pid != self._reader.info.backend_pid:
            self._wanted.add(notice.payload)

    def _own_again(self, line: Line) -> None:
        names = list(self._known)
        locked = line.execute(_LOCKED, (names, [lock_of(name) for name in names])).fetchall()
        ours = [name for name, got in locked if got]
        numbers = {name: number or 0 for name, number in line.execute(_NUMBERS, (ours,))}
        unsure: dict[str, list[Entry]] = {}
        for entry in self._unsure:
            unsure.setdefault(entry.table, []).append(entry)
        for name in names:
            came_through = unsure.get(name, [])[: numbers.get(name, 0) - self._known[name]]
            if name in numbers and self._is_there(line, name, numbers[name], came_through):
                self._there |= {(entry.table, entry.number) for entry in came_through}
                self._known[name] = numbers[name]
            else:
                self._let_go(line, name, locked=name in numbers)
                self._lost.add(name)
        self._unsure = []

    def _is_there(self, line: Line, name: str, number: int, ours: list[Entry]) -> bool:
        """Whether all that has happened at a table since is what this process wanted to write."""
        if number != self._known[name] + len(ours):
            return False
        if not ours:
            return True
        query = f"SELECT {_COLUMNS} FROM events WHERE tab = %s AND number > %s ORDER BY number"  # noqa: S608 - names of ours
        found = line.execute(query, (name, self._known[name])).fetchall()
        return found == [rows.row(entry) for entry in ours]

    def _let_go(self, line: Line, name: str, *, locked: bool = True) -> None:
        self._known.pop(name, None)
        self._marked.pop(name, None)
        self._awake.pop(name, None)
        if locked:
            line.execute("SELECT pg_advisory_unlock(%s)", (lock_of(name),))

    @contextmanager
    def _working(self) -> Iterator[Line]:
        """The session that writes; another, if that is lost."""
        with self._using:
            line = self._reconnect()
            try:
                with _troubles():
                    yield line
            except Unavailable:
                if line.closed:
                    self._session = None
                raise

    def _asked(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Read; if the line was lost meanwhile, over another one."""
        with self._reading:
            for last in (False, True):
                try:
                    if self._reader is None or self._reader.closed:
                        self._reader = self._connect(self._patience)
                    with _troubles():
                        return self._reader.execute(query, values).fetchall()
                except Unavailable:
                    if self._reader is not None:
                        self._reader.close()
                    if last:
                        raise
        raise AssertionError  # one of the two returned or raised

    # --- the log ---

    def write(self, entries: Sequence[Entry]) -> None:
        with self._using:
            self._reconnect()
            new = [entry for entry in entries if (entry.table, entry.number) not in self._there]
            self._check_follow(new)
            self._insert(new)
            self._there.clear()
            for entry in new:
                self._known[entry.table] = entry.number

    def _check_follow(self, entries: Sequence[Entry]) -> None:
        """Nothing is written but what follows upon the last event of a table that is owned."""
        next_one = {name: number + 1 for name, number in self._known.items()}
        foreign = set()
        for entry in entries:
            if next_one.get(entry.table) != entry.number:
                foreign.add(entry.table)
            next_one[entry.table] = entry.number + 1
        if foreign:
            raise Conflict(foreign)

    def _insert(self, entries: Sequence[Entry]) -> None:
        marks = self._new_marks(entries)
        packed = msgspec.json.encode([rows.row(entry) for entry in entries]).decode()
        try:
            with self._working() as line:
                if marks:  # in one statement, so that all of it is there or nothing
                    encoded = msgspec.json.encode(marks).decode()
                    line.execute(f"WITH written AS ({_INSERT}) {_MARK}", (packed, encoded))
                else:
                    line.execute(_INSERT, (packed,))
        except UniqueViolation:
            tables = {entry.table for entry in entries}
            found = {name for name, last in self.last(tables).items() if last > self._known[name]}
            raise Conflict(found or tables) from None
        except Unavailable:
            if self._session is None:  # else it is known that nothing was written
                self._unsure = list(entries)
            raise
        for name, _, at, awake in marks:
            self._marked[name] = awake
            self._awake[name] = at, awake

    def _new_marks(self, entries: Sequence[Entry]) -> list[tuple[str, int, int, int]]:
        """What `tables` must be told with these: new tables, those where something becomes due, and
        those that come into the list or leave it. That nothing is due any more it hears later."""
        marks = []
        for entry in {entry.table: entry for entry in entries}.values():
            before = self._marked.get(entry.table)
            self._awake[entry.table] = entry.at, entry.awake
            if before is None or (entry.awake != before and (entry.awake or before == log.LISTED)):
                marks.append((entry.table, lock_of(entry.table), entry.at, entry.awake))
        return marks

    def read(self, table: str) -> list[Entry]:
        query = f"SELECT {_COLUMNS} FROM events WHERE tab = %s ORDER BY number"  # noqa: S608 - names of ours
        try:
            return [rows.entry(row) for row in self._asked(query, (table,))]
        except psycopg.DataError as error:
            raise Unreadable(str(error)) from None

    def last(self, tables: Collection[str]) -> dict[str, int]:
        found = self._asked(_NUMBERS, (list(tables),))
        return {name: number for name, number in found if number is not None}

    def everything(self) -> Iterator[Entry]:
        query = f"SELECT {_COLUMNS} FROM events ORDER BY tab, number"  # noqa: S608 - as above
        with self._connected() as line, line.transaction():
            line.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            with line.cursor("everything") as cursor:
                cursor.itersize = FETCHED_AT_ONCE
                for row in cursor.execute(query):
                    yield rows.entry(row)

    def tables(self) -> list[str]:
        return [name for (name,) in self._asked("SELECT tab FROM tables ORDER BY tab")]

    def stats(self) -> Stats:
        with self._connected() as line:
            found = line.execute("SELECT count(*), min(at), max(at) FROM events").fetchone()
            assert found is not None
            events, first, last = found
        (tables,) = self._asked("SELECT count(*) FROM tables")[0]
        (reviews,) = self._asked("SELECT count(*) FROM reviews")[0]
        sizes = """SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
            WHERE relkind = 'r' AND relnamespace = %s::regnamespace"""
        (size,) = self._asked(sizes, (SCHEMA,))[0]
        return Stats(VERSION, tables, events, reviews, size, first, last)

    # --- what goes on by itself ---

    def awake(self, since: int) -> list[str]:
        return [name for (name,) in self._asked(_UNOWNED, (log.DUE, since))]

    def listed(self, since: int) -> list[str]:
        query = "SELECT tab FROM tables WHERE awake = %s AND at >= %s ORDER BY at DESC LIMIT %s"
        return [name for (name,) in self._asked(query, (log.LISTED, since, LISTED_MOST))]

    def lull(self, table: str) -> None:
        with self._working() as line:
            if table not in self._known:  # whoever has it by now knows better
                return
            line.execute("UPDATE tables SET awake = 0 WHERE tab = %s", (table,))
            self._marked[table] = log.ASLEEP

    def quiet(self, before: int) -> list[str]:
        """By `tables` first, which may be behind: those that it names are looked at."""
        query = """
            SELECT tab FROM tables t WHERE at < %s
            AND (SELECT at FROM events e WHERE e.tab = t.tab ORDER BY number DESC LIMIT 1) < %s"""
        with self._connected() as line:
            return [name for (name,) in line.execute(query, (before, before))]

    def forget(self, tables: Collection[str]) -> None:
        """Those that another process has just now stay, and those that there is no room to own."""
        for table in tables:
            try:
                self.own(table)
            except (Elsewhere, Full):
                continue
            with self._working() as line:
                with line.transaction():
                    for kept in ("events", "reviews", "codes", "tables"):
                        line.execute(f"DELETE FROM {kept} WHERE tab = %s", (table,))  # noqa: S608 - names of ours
                self._let_go(line, table)

    # --- who owns what ---

    def own(self, table: str) -> int:
        with self._working() as line:
            if table not in self._known:
                self._check_room(line)
                try:
                    ((_, got),) = line.execute(_LOCKED, ([table], [lock_of(table)])).fetchall()
                except OutOfMemory:
                    raise Full(FULL) from None
                if not got:
                    raise Elsewhere
                ((_, number),) = line.execute(_NUMBERS, ([table],)).fetchall()
                self._known[table] = number or 0
                found = line.execute("SELECT awake FROM tables WHERE tab = %s", (table,)).fetchone()
                if found is not None:
                    self._marked[table] = found[0]
            return self._known[table]

    def _check_room(self, line: Line) -> None:
        """Where all locks are taken, nobody can even connect any more: some are left free."""
        if time.monotonic() - self._counted_at > COUNT_SECONDS:
            ((self._locks, self._locks_most),) = line.execute(_LOCKS).fetchall()
            self._counted_at = time.monotonic()
        if self._locks >= self._locks_most * LOCKED_SHARE:
            raise Full(FULL)
        self._locks += 1

    def disown(self, table: str) -> None:
        with self._using:
            if table not in self._known:
                return
            at, awake = self._awake.get(table, (0, self._marked.get(table, log.ASLEEP)))
            with self._working() as line:
                if at:  # what has happened since it was told last
                    encoded = msgspec.json.encode([(table, lock_of(table), at, awake)]).decode()
                    line.execute(_MARK, (encoded,))
                self._let_go(line, table)

    def ask_for(self, table: str) -> None:
        self._asked("SELECT pg_notify(%s, %s)", (CHANNEL, table))

    def beat(self) -> Beat:
        with self._using:
            self._reconnect()
            with self._working() as line:
                line.execute("SELECT 1")
            wanted, self._wanted = self._wanted & set(self._known), set()
            lost, self._lost = self._lost, set()
            return Beat(lost, wanted)

    # --- beside the logs ---

    def keep_review(self, table: str, round_: int, packed: bytes) -> None:
        change = """INSERT INTO reviews (tab, round, packed) VALUES (%s, %s, %s)
            ON CONFLICT (tab, round) DO UPDATE SET packed = excluded.packed"""
        with self._working() as line:
            line.execute(change, (table, round_, packed))

    def kept_review(self, table: str, round_: int) -> bytes | None:
        query = "SELECT packed FROM reviews WHERE tab = %s AND round = %s"
        found = self._asked(query, (table, round_))
        return bytes(found[0][0]) if found else None

    def orders(self) -> list[tuple[str, str]]:
        return [(kind, name) for kind, name in self._asked("SELECT kind, name FROM orders")]

    def keep_order(self, kind: str, name: str, *, kept: bool) -> None:
        change = (
            "INSERT INTO orders (kind, name) VALUES (%s, %s) ON CONFLICT DO NOTHING"
            if kept
            else "DELETE FROM orders WHERE kind = %s AND name = %s"
        )
        with self._working() as line:
            line.execute(change, (kind, name))

    def codes(self, table: str) -> list[Code]:
        query = "SELECT digest, holder, expires FROM codes WHERE tab = %s"
        return [Code(*found) for found in self._asked(query, (table,))]

    def keep_codes(self, table: str, codes: Sequence[Code]) -> None:
        with self._working() as line, line.transaction():
            if table not in self._known:  # whoever has it by now has codes of its own
                return
            line.execute("DELETE FROM codes WHERE tab = %s", (table,))
            for code in codes:
                line.execute(
                    "INSERT INTO codes (tab, digest, holder, expires) VALUES (%s, %s, %s, %s)",
                    (table, code.digest, code.holder, code.expires),
                )

    def made(self, address: str, now: int) -> int:
        who = hashlib.sha256(address.encode()).hexdigest()
        self._asked("DELETE FROM made WHERE at < %s RETURNING 1", (now - HOUR,))
        self._asked("INSERT INTO made (address, at) VALUES (%s, %s) RETURNING 1", (who, now))
        ((count,),) = self._asked("SELECT count(*) FROM made WHERE address = %s", (who,))
        return int(count)

    def secret(self, made: bytes) -> bytes:
        """The seed of the key that all processes sign with: this one, if there is none yet."""
        self._asked(
            "INSERT INTO meta (name, value) VALUES ('key', %s) ON CONFLICT DO NOTHING RETURNING 1",
            (made.hex(),),
        )
        ((found,),) = self._asked("SELECT value FROM meta WHERE name = 'key'")
        return bytes.fromhex(found)

    def close(self) -> None:
        with self._using:
            for table in tuple(self._known):
                with suppress(Unavailable):
                    self.disown(table)
            with self._reading:
                self._over = True
                for line in (self._session, self._reader):
                    if line is not None:
                        line.close()
            self._session = None
            self._patience.close()


def prepare(line: Line) -> int:
    """Make the database what this version writes, by one process at a time; the version it was of."""
    with line.transaction():
        line.execute("SELECT pg_advisory_xact_lock(%s)", (lock_of("the schema"),))
        line.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        line.execute("CREATE TABLE IF NOT EXISTS meta (name text PRIMARY KEY, value text NOT NULL)")
        found = line.execute("SELECT value FROM meta WHERE name = 'version'").fetchone()
        version = int(found[0]) if found else 0
        if version > VERSION:
            raise QwixxError(
                f"the database is of version {version}; "
                f"this program knows {VERSION}: use a newer one"
            )
        for migration in MIGRATIONS[version:]:
            line.execute(migration)
        line.execute(
            """INSERT INTO meta (name, value) VALUES ('version', %s)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value""",
            (str(VERSION),),
        )
    return version


@contextmanager
def _troubles() -> Iterator[None]:
    """What may pass is no reason to end: a database that is away, starts, stops or is full."""
    try:
        yield
    except (psycopg.OperationalError, psycopg.InterfaceError, psycopg.InternalError) as error:
        said = " ".join(str(error).split()) or repr(error)
        raise Unavailable(f"the database cannot be reached: {said[:300]}") from None
