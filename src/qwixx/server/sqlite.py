"""Logs in SQLite: write-ahead log, every commit synced to disk, one process, one writer."""

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final

import apsw
import msgspec

from qwixx.core.errors import QwixxError
from qwixx.server import log, rows
from qwixx.server.log import Entry
from qwixx.server.store import Code, Conflict, Stats, Store, Unavailable, Unreadable

logger: Final = logging.getLogger("qwixx.server")

TIDY_SECONDS: Final = 0.5
WAL_PAGES: Final = 16_000  # past this the log is to start from its beginning again
BUSY_MILLISECONDS: Final = 5000  # how long a connection waits for another one's lock
LOCK_MILLISECONDS: Final = 1000  # how long a server that is just ending is waited for
# What makes a database of one version one of the next; the first makes a new one.
MIGRATIONS: Final = (
    """
CREATE TABLE events (
    "table" TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, command TEXT, event TEXT NOT NULL,
    PRIMARY KEY ("table", number)) WITHOUT ROWID;
""",
    # What was written before has neither: it is taken as it is, and any of its tables may be awake.
    """
ALTER TABLE events ADD COLUMN checksum INTEGER;
ALTER TABLE events ADD COLUMN awake INTEGER;
""",
    # Some of version 2 have the first two already.
    """
CREATE TABLE IF NOT EXISTS reviews (
    "table" TEXT NOT NULL, round INTEGER NOT NULL, packed BLOB NOT NULL,
    PRIMARY KEY ("table", round)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS orders (kind TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, name))
    WITHOUT ROWID;
CREATE TABLE codes (
    "table" TEXT NOT NULL, digest TEXT NOT NULL, holder TEXT NOT NULL, expires INTEGER NOT NULL,
    PRIMARY KEY ("table", digest)) WITHOUT ROWID;
""",
)
VERSION: Final = len(MIGRATIONS)
INCREMENTAL: Final = 2  # how SQLite names a database that can give room back bit by bit
_COLUMNS: Final = '"table", number, at, command, event, checksum, awake'
PASSING: Final = (
    apsw.FullError,
    apsw.IOError,
    apsw.BusyError,
    apsw.LockedError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
)
_WRITE: Final = """
INSERT INTO events ("table", number, at, command, event, checksum, awake)
SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
FROM json_each(?)
"""
# The last entry of every table, by one leap through the key for each.
_LAST: Final = """
WITH RECURSIVE ids (id) AS (
    SELECT min("table") FROM events
    UNION ALL SELECT (SELECT min("table") FROM events WHERE "table" > id) FROM ids WHERE id IS NOT NULL)
SELECT CAST(id AS BLOB), at, awake FROM ids JOIN events
    ON "table" = id AND number = (SELECT max(number) FROM events WHERE "table" = id)
"""


class SqliteReader:
    """A database file that others may be writing to."""

    def __init__(self, path: Path) -> None:
        self._path = path
        if not path.is_file():
            raise QwixxError(f"there is no database {path}: name another file with --db")
        try:
            self._reader = self._open()
            version = self._checked(self._reader)
        except apsw.Error as error:
            raise QwixxError(f"the database {path} cannot be used: {error}") from None
        if version < VERSION:
            raise QwixxError(
                f"the database {path} is of the older version {version}: "
                "a server that is started on it brings it up to date, and so does qwixx db migrate"
            )
        self._reading = Lock()

    def _open(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._path))
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        connection.execute("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0")
        return connection

    def _checked(self, connection: apsw.Connection) -> int:
        """The version of a database that is ours, and not newer than this program."""
        version: Any = connection.pragma("user_version")
        if version > VERSION:
            raise QwixxError(
                f"the database {self._path} is of version {version}; "
                f"this program knows {VERSION}: use a newer one"
            )
        if version == 0 and connection.execute("SELECT name FROM sqlite_master").fetchall():
            raise QwixxError(
                f"{self._path} is the database of another program: name another file with --db"
            )
        return int(version)

    def read(self, table: str) -> list[Entry]:
        query = f'SELECT {_COLUMNS} FROM events WHERE "table" = ? ORDER BY number'  # noqa: S608 - names of ours
        try:
            return [rows.entry(row) for row in self._asked(query, (table,))]
        except apsw.CorruptError as error:
            raise Unreadable(str(error)) from None

    def last(self, tables: Collection[str]) -> dict[str, int]:
        query = 'SELECT max(number) FROM events WHERE "table" = ?'
        found = {table: self._asked(query, (table,))[0][0] for table in tables}
        return {table: number for table, number in found.items() if number is not None}

    def everything(self) -> Iterator[Entry]:
        # On a connection of its own: for all of its time it sees one moment.
        connection = self._open()
        try:
            query = f'SELECT {_COLUMNS} FROM events ORDER BY "table", number'  # noqa: S608 - as above
            for row in connection.execute(query):
                yield rows.entry(row)
        finally:
            connection.close()

    def tables(self) -> list[str]:
        return [table for table, _, _ in self._last()]

    def stats(self) -> Stats:
        asked = 'SELECT count(DISTINCT "table"), count(*), min(at), max(at) FROM events'
        tables, events, first, last = self._asked(asked)[0]
        reviews = self._asked("SELECT count(*) FROM reviews")[0][0]
        return Stats(VERSION, tables, events, reviews, self._path.stat().st_size, first, last)

    def kept_review(self, table: str, round_: int) -> bytes | None:
        query = 'SELECT packed FROM reviews WHERE "table" = ? AND round = ?'
        try:
            found = self._asked(query, (table, round_))
        except apsw.Error as error:  # it can be made again
            logger.warning("a review cannot be read", extra={"why": str(error)})
            return None
        return bytes(found[0][0]) if found else None

    def orders(self) -> list[tuple[str, str]]:
        return [(kind, name) for kind, name in self._asked("SELECT kind, name FROM orders")]

    def codes(self, table: str) -> list[Code]:
        query = 'SELECT digest, holder, expires FROM codes WHERE "table" = ?'
        return [Code(*found) for found in self._asked(query, (table,))]

    def _asked(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        with self._reading:
            return self._reader.execute(query, values).fetchall()

    def _last(self) -> Iterator[tuple[str, int, int | None]]:
        """Name, time and wakefulness at the last entry of every table;
        damage hides no more than it must."""
        # On a connection of its own: with many tables this takes a while,
        # and nobody is to wait for it.
        connection = self._open()
        try:
            for name, at, awake in connection.execute(_LAST):
                if isinstance(at, int) and name.isascii():
                    yield name.decode(), at, awake
                else:
                    logger.error(
                        "a damaged entry is left out", extra={"table": repr(name), "at": repr(at)}
                    )
        except apsw.Error as error:
            logger.error(
                "some tables cannot be found: the database is damaged", extra={"why": str(error)}
            )
        finally:
            connection.close()

    def backup(self, to: Path) -> None:
        """Copy the database, as it is at one moment, into a new file."""
        _make_private(to, lock=False)
        copy = apsw.Connection(str(to))
        try:
            with copy.backup("main", self._reader, "main") as copying:
                copying.step(-1)
        finally:
            copy.close()

    def close(self) -> None:
        with self._reading:
            self._reader.close()


class SqliteStore(SqliteReader, Store):
    """One database file, locked for this process as long as the store is open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _make_private(path)
            self._lock = _locked(path)
            self._writer = self._open()
            self._prepare(self._writer)
            self._reader = self._open()
            tidying = self._open()
        except (OSError, apsw.Error) as error:
            raise QwixxError(f"the database {path} cannot be used: {error}") from None
        self._reading = Lock()
        self._closing = Event()
        self._tidier = Thread(target=self._tidy, args=(tidying,), name="tidier", daemon=True)
        self._tidier.start()

    def _prepare(self, connection: apsw.Connection) -> None:
        """Make the database what this version writes."""
        version = self._checked(connection)
        connection.pragma("auto_vacuum", INCREMENTAL)
        connection.pragma("journal_mode", "WAL")
        if version < VERSION:
            with connection:
                for migration in MIGRATIONS[version:]:
                    connection.execute(migration).fetchall()
                connection.pragma("user_version", VERSION)
        if connection.pragma("auto_vacuum") != INCREMENTAL:
            # Of an older version: it is made anew once.
            try:
                connection.execute("VACUUM")
            except apsw.Error as error:
                # It needs as much room again: the next start tries again.
                logger.warning("the database gives back no room yet", extra={"why": str(error)})

    def write(self, entries: Sequence[Entry]) -> None:
        # One statement is one transaction,
        # and one turn outside Python's lock however many entries there are.
        packed = [rows.row(entry) for entry in entries]
        try:
            with _troubles():
                self._writer.execute(_WRITE, (msgspec.json.encode(packed).decode(),))
        except apsw.ConstraintError:
            self.write(self._not_there(entries))

    def _not_there(self, entries: Sequence[Entry]) -> list[Entry]:
        """What is still to be written, of a batch that is there in part: its first try, perhaps, whose
        end nobody heard of."""
        query = f'SELECT {_COLUMNS} FROM events WHERE "table" = ? AND number = ?'  # noqa: S608 - names of ours
        missing, taken = list[Entry](), set[str]()
        for entry in entries:
            found = self._writer.execute(query, (entry.table, entry.number)).fetchall()
            if not found:
                missing.append(entry)
            elif found != [rows.row(entry)]:
                taken.add(entry.table)
        if taken or len(missing) == len(entries):  # or twice in one batch
            raise Conflict(taken or {entry.table for entry in entries})
        return missing

    def awake(self, since: int) -> list[str]:
        return [table for table, at, awake in self._last() if at >= since and awake != log.ASLEEP]

    def quiet(self, before: int) -> list[str]:
        return [table for table, at, _ in self._last() if at < before]

    def lull(self, table: str) -> None:
        with _troubles():
            self._writer.execute('UPDATE events SET awake = 0 WHERE "table" = ?', (table,))

    def forget(self, tables: Collection[str]) -> None:
        with _troubles():
            with self._writer:
                for kept in ("events", "reviews", "codes"):
                    self._writer.executemany(
                        f'DELETE FROM {kept} WHERE "table" = ?',  # noqa: S608 - names of ours
                        [(table,) for table in tables],
                    )
            self._writer.execute("PRAGMA incremental_vacuum").fetchall()

    def keep_review(self, table: str, round_: int, packed: bytes) -> None:
        # It can be made again: the next commit of moves brings it to the disk, and none waits for it.
        with _troubles():
            self._writer.execute("PRAGMA synchronous = NORMAL")
            try:
                self._writer.execute(
                    'INSERT OR REPLACE INTO reviews ("table", round, packed) VALUES (?, ?, ?)',
                    (table, round_, packed),
                )
            finally:
                self._writer.execute("PRAGMA synchronous = FULL")

    def keep_order(self, kind: str, name: str, *, kept: bool) -> None:
        change = (
            "INSERT OR REPLACE INTO orders (kind, name) VALUES (?, ?)"
            if kept
            else "DELETE FROM orders WHERE kind = ? AND name = ?"
        )
        with _troubles():
            self._writer.execute(change, (kind, name))

    def keep_codes(self, table: str, codes: Sequence[Code]) -> None:
        with _troubles(), self._writer:
            self._writer.execute('DELETE FROM codes WHERE "table" = ?', (table,))
            self._writer.executemany(
                'INSERT INTO codes ("table", digest, holder, expires) VALUES (?, ?, ?, ?)',
                [(table, code.digest, code.holder, code.expires) for code in codes],
            )

    def _tidy(self, connection: apsw.Connection) -> None:
        """Move the write-ahead log into the database beside the writer,
        whom it would stall if done by a commit."""
        # To start the log again, it holds the writer's lock:
        # a reader who is in the way then is not waited for.
        connection.set_busy_timeout(0)
        pages: Any = 0
        trouble = ""
        while not self._closing.wait(TIDY_SECONDS):
            mode = "RESTART" if pages > WAL_PAGES else "PASSIVE"
            try:
                _, pages, _ = connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()[0]
                trouble = ""
            except apsw.Error as error:
                if str(error) != trouble:  # told once
                    trouble = str(error)
                    logger.warning("the database cannot be tidied", extra={"why": trouble})
        connection.close()

    def close(self) -> None:
        self._closing.set()
        self._tidier.join()
        super().close()
        self._writer.close()
        self._lock.close()


@contextmanager
def _troubles() -> Iterator[None]:
    """What may pass is no reason to end: a full disk, a file that cannot be written just now."""
    try:
        yield
    except PASSING as error:
        raise Unavailable(f"the database cannot be written: {error}") from None


def _make_private(path: Path, *, lock: bool = True) -> None:
    """For its owner's eyes only: it has the keys of running rounds. What SQLite puts beside it
    is as private as the database."""
    real = path.resolve()
    beside = [real.with_name(real.name + ending) for ending in ("", ".lock", "-wal", "-shm")]
    for made in beside[: 2 if lock else 1]:
        made.touch(mode=0o600)
    for one in beside:
        if one.exists() and one.stat().st_mode & 0o077:
            one.chmod(0o600)


def _locked(path: Path) -> apsw.Connection:
    """A lock that ends with this process, however it ends:
    SQLite's own, on an empty file beside the database."""
    lock = apsw.Connection(f"{path.resolve()}.lock")
    lock.set_busy_timeout(LOCK_MILLISECONDS)
    try:
        lock.pragma("journal_mode", "MEMORY")  # nothing is written, so no journal is left behind
        lock.execute("BEGIN EXCLUSIVE")
    except apsw.BusyError:
        lock.close()
        raise QwixxError(
            f"the database {path} is in use by another qwixx server: "
            "stop that one, or name another file with --db"
        ) from None
    return lock
