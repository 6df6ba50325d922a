"""Logs in SQLite: write-ahead log, every commit synced to disk, one writer."""

from collections.abc import Collection, Sequence
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final

import apsw
import msgspec

from qwixx.core.errors import QwixxError
from qwixx.server import log
from qwixx.server.log import Entry
from qwixx.server.store import Store

VERSION: Final = 1
TIDY_SECONDS: Final = 0.5
WAL_PAGES: Final = 16_000  # past this the log starts from its beginning again, for which the writer waits a moment
_SETUP: Final = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA wal_autocheckpoint = 0;
CREATE TABLE IF NOT EXISTS events (
    "table" TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, command TEXT, event TEXT NOT NULL,
    PRIMARY KEY ("table", number)) WITHOUT ROWID;
"""
_WRITE: Final = """
INSERT INTO events SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value -> 4 FROM json_each(?)
"""
# Every table with the time of its last event, by one leap through the key for each.
_LAST: Final = """
WITH RECURSIVE ids (id) AS (
    SELECT min("table") FROM events
    UNION ALL SELECT (SELECT min("table") FROM events WHERE "table" > id) FROM ids WHERE id IS NOT NULL)
SELECT id, (SELECT at FROM events WHERE "table" = id ORDER BY number DESC LIMIT 1) FROM ids WHERE id IS NOT NULL
"""


class SqliteStore(Store):
    """One database file, locked for this process as long as the store is open."""

    def __init__(self, path: Path | str) -> None:
        try:
            if str(path) != ":memory:":
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._writer = self._open(str(path))
            self._reader = self._writer if str(path) == ":memory:" else self._open(str(path))
        except (OSError, apsw.Error) as error:
            raise QwixxError(f"the database {path} cannot be used: {error}") from None
        self._reading = Lock()
        self._closing = Event()
        self._tidier = Thread(target=self._tidy, args=(self._open(str(path)),), name="tidier", daemon=True)
        self._tidier.start()

    def _open(self, path: str) -> apsw.Connection:
        connection = apsw.Connection(path)
        connection.set_busy_timeout(5000)
        connection.execute(_SETUP).fetchall()
        version: Any = connection.pragma("user_version")
        if version not in (0, VERSION):
            raise QwixxError(f"the database {path} is of version {version}; this program writes version {VERSION}")
        connection.pragma("user_version", VERSION)
        return connection

    def write(self, entries: Sequence[Entry]) -> None:
        # One statement is one transaction, and one turn outside Python's lock however many entries there are.
        rows = msgspec.json.encode([(one.table, one.number, one.at, one.command, one.event) for one in entries])
        try:
            self._writer.execute(_WRITE, (rows.decode(),))
        except apsw.ConstraintError as error:
            raise KeyError(str(error)) from None

    def read(self, table: str) -> list[Entry]:
        query = 'SELECT number, at, command, event FROM events WHERE "table" = ? ORDER BY number'
        with self._reading:
            rows: list[Any] = self._reader.execute(query, (table,)).fetchall()
        return [Entry(table, number, at, command, log.decode(event)) for number, at, command, event in rows]

    def recent(self, since: int) -> list[str]:
        with self._reading:
            rows: list[Any] = self._reader.execute(_LAST).fetchall()
        return [table for table, last in rows if last >= since]

    def prune(self, before: int, spare: Collection[str] = ()) -> int:
        self._writer.execute("BEGIN IMMEDIATE")
        rows: list[Any] = self._writer.execute(_LAST).fetchall()
        old = [(table,) for table, last in rows if last < before and table not in spare]
        self._writer.executemany('DELETE FROM events WHERE "table" = ?', old)
        self._writer.execute("COMMIT")
        return len(old)

    def _tidy(self, connection: apsw.Connection) -> None:
        """Move the write-ahead log into the database beside the writer, whom it would stall if done by a commit."""
        pages: Any = 0
        while not self._closing.wait(TIDY_SECONDS):
            mode = "RESTART" if pages > WAL_PAGES else "PASSIVE"
            _, pages, _ = connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()[0]
        connection.close()

    def close(self) -> None:
        self._closing.set()
        self._tidier.join()
        with self._reading:
            self._reader.close()
        self._writer.close()
