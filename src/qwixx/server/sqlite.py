"""Logs in SQLite: write-ahead log, every commit synced to disk, one process, one writer."""

import logging
import zlib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final

import apsw
import msgspec

from qwixx.core.errors import QwixxError
from qwixx.server import log
from qwixx.server.log import Entry
from qwixx.server.store import Store, Unreadable

logger: Final = logging.getLogger("qwixx.server")

VERSION: Final = 2
TIDY_SECONDS: Final = 0.5
WAL_PAGES: Final = 16_000  # past this the log is to start from its beginning again
BUSY_MILLISECONDS: Final = 5000  # how long a connection waits for another one's lock
LOCK_MILLISECONDS: Final = 1000  # how long a server that is just ending is waited for
_NEW: Final = """
CREATE TABLE events (
    "table" TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, command TEXT, event TEXT NOT NULL,
    checksum INTEGER, awake INTEGER,
    PRIMARY KEY ("table", number)) WITHOUT ROWID;
"""
# What was written before has neither: it is taken as it is, and any of its tables may be awake.
_FROM_1: Final = """
ALTER TABLE events ADD COLUMN checksum INTEGER;
ALTER TABLE events ADD COLUMN awake INTEGER;
"""
# What can be made again: no version of the database depends on it.
_REVIEWS: Final = """
CREATE TABLE IF NOT EXISTS reviews (
    "table" TEXT NOT NULL, round INTEGER NOT NULL, packed BLOB NOT NULL,
    PRIMARY KEY ("table", round)) WITHOUT ROWID;
"""
_ORDERS: Final = """
CREATE TABLE IF NOT EXISTS orders (kind TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, name))
WITHOUT ROWID;
"""
INCREMENTAL: Final = 2  # how SQLite names a database that can give room back bit by bit
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


class SqliteStore(Store):
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

    def _open(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._path))
        connection.set_busy_timeout(BUSY_MILLISECONDS)
        connection.execute("PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0")
        return connection

    def _prepare(self, connection: apsw.Connection) -> None:
        """Make the database what this version writes."""
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
        connection.pragma("auto_vacuum", INCREMENTAL)
        connection.pragma("journal_mode", "WAL")
        if version < VERSION:
            with connection:
                connection.execute(_FROM_1 if version == 1 else _NEW).fetchall()
                connection.pragma("user_version", VERSION)
        connection.execute(_REVIEWS)
        connection.execute(_ORDERS)
        if (
            connection.pragma("auto_vacuum") != INCREMENTAL
        ):  # of an older version: it is made anew once
            try:
                connection.execute("VACUUM")
            except (
                apsw.Error
            ) as error:  # which needs as much room again: the next start tries again
                logger.warning("the database gives back no room yet", extra={"why": str(error)})

    def write(self, entries: Sequence[Entry]) -> None:
        # One statement is one transaction,
        # and one turn outside Python's lock however many entries there are.
        rows = msgspec.json.encode([_row(entry) for entry in entries])
        try:
            self._writer.execute(_WRITE, (rows.decode(),))
        except apsw.ConstraintError as error:
            raise KeyError(str(error)) from None

    def read(self, table: str) -> list[Entry]:
        query = """SELECT number, at, command, event, checksum, awake
            FROM events WHERE "table" = ? ORDER BY number"""
        try:
            with self._reading:
                rows: list[Any] = self._reader.execute(query, (table,)).fetchall()
            return [_entry(table, row) for row in rows]
        except (apsw.CorruptError, msgspec.MsgspecError, TypeError, UnicodeError) as error:
            raise Unreadable(str(error)) from None

    def awake(self, since: int) -> list[str]:
        return [table for table, at, awake in self._last() if at >= since and awake != 0]

    def quiet(self, before: int) -> list[str]:
        return [table for table, at, _ in self._last() if at < before]

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

    def lull(self, table: str) -> None:
        self._writer.execute('UPDATE events SET awake = 0 WHERE "table" = ?', (table,))

    def forget(self, tables: Collection[str]) -> None:
        with self._writer:
            for kept in ("events", "reviews"):
                self._writer.executemany(
                    f'DELETE FROM {kept} WHERE "table" = ?',  # noqa: S608 - names of ours
                    [(table,) for table in tables],
                )
        self._writer.execute("PRAGMA incremental_vacuum").fetchall()

    def keep_review(self, table: str, round_: int, packed: bytes) -> None:
        self._writer.execute(
            'INSERT OR REPLACE INTO reviews ("table", round, packed) VALUES (?, ?, ?)',
            (table, round_, packed),
        )

    def kept_review(self, table: str, round_: int) -> bytes | None:
        query = 'SELECT packed FROM reviews WHERE "table" = ? AND round = ?'
        try:
            with self._reading:
                rows: list[Any] = self._reader.execute(query, (table, round_)).fetchall()
        except apsw.Error as error:  # it can be made again
            logger.warning("a review cannot be read", extra={"why": str(error)})
            return None
        return bytes(rows[0][0]) if rows else None

    def orders(self) -> list[tuple[str, str]]:
        with self._reading:
            rows: list[Any] = self._reader.execute("SELECT kind, name FROM orders").fetchall()
        return [(kind, name) for kind, name in rows]

    def keep_order(self, kind: str, name: str, *, kept: bool) -> None:
        change = (
            "INSERT OR REPLACE INTO orders (kind, name) VALUES (?, ?)"
            if kept
            else "DELETE FROM orders WHERE kind = ? AND name = ?"
        )
        self._writer.execute(change, (kind, name))

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
        with self._reading:
            self._reader.close()
        self._writer.close()
        self._lock.close()


def _make_private(path: Path) -> None:
    """For its owner's eyes only: it has the keys of running rounds. What SQLite puts beside it
    is as private as the database."""
    real = path.resolve()
    beside = [real.with_name(real.name + ending) for ending in ("", ".lock", "-wal", "-shm")]
    for made in beside[:2]:
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


def _row(entry: Entry) -> tuple[Any, ...]:
    event = msgspec.json.encode(entry.event).decode()
    checksum = _checksum(entry.table, entry.number, entry.at, entry.command, event)
    return entry.table, entry.number, entry.at, entry.command, event, checksum, int(entry.awake)


def _entry(table: str, row: tuple[Any, ...]) -> Entry:
    number, at, command, event, checksum, awake = row
    if checksum is not None and checksum != _checksum(table, number, at, command, event):
        raise Unreadable(f"event {number} is not what was written")
    return Entry(table, number, at, command, log.decode(event), awake != 0)


def _checksum(*parts: object) -> int:
    return zlib.crc32("|".join(map(str, parts)).encode())
