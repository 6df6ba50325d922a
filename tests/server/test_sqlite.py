"""What only the SQLite store can get wrong: damage, old files,
others who read the file, room given back.

The file is touched by apsw alone: two SQLite libraries in one process undo each other's locks.
"""

import json
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import apsw
import msgspec
import pytest
from client import GENEROUS, Server, until
from test_store import EVENTS, entries

import qwixx
from qwixx.core import proof
from qwixx.core.errors import QwixxError
from qwixx.server import log, sqlite
from qwixx.server.log import Entry
from qwixx.server.sqlite import SqliteStore
from qwixx.server.store import Unreadable


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "tables.db"


@pytest.fixture
def store(file: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(file)
    yield store
    store.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE events SET event = replace(event, 'R5', 'R6')",
        "UPDATE events SET event = substr(event, 1, 12)",
        "UPDATE events SET event = x'ff00ff'",
        "UPDATE events SET event = 7",
        "UPDATE events SET at = at + 1024",
        "UPDATE events SET command = 'cmd-2'",
        "UPDATE events SET checksum = checksum + 1",
        "UPDATE events SET number = 70",
    ],
)
def test_damage_to_one_event_is_found_and_hurts_no_other_table(
    file: Path, store: SqliteStore, damage: str
) -> None:
    store.write([*entries("one"), *entries("two")])
    with closing(apsw.Connection(str(file))) as db:
        db.execute(f'{damage} WHERE "table" = ? AND number = 7', ("one",))
    with pytest.raises(Unreadable):
        store.read("one")
    assert store.read("two") == entries("two")


def test_a_file_of_the_first_version_goes_on(file: Path) -> None:
    with closing(apsw.Connection(str(file))) as db:
        db.execute("""
            PRAGMA journal_mode = WAL;
            CREATE TABLE events ("table" TEXT NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL,
                command TEXT, event TEXT NOT NULL, PRIMARY KEY ("table", number)) WITHOUT ROWID;
            PRAGMA user_version = 1;
        """).fetchall()
        rows = [
            (e.table, e.number, e.at, e.command, msgspec.json.encode(e.event).decode())
            for e in entries("old")
        ]
        db.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?)", rows)
    for _ in range(2):
        store = SqliteStore(file)
        assert [entry.event for entry in store.read("old")] == EVENTS
        assert store.awake(0) == ["old"]  # nobody wrote down whether it sleeps
        store.close()
    store = SqliteStore(file)
    store.write([Entry("old", 1 + len(EVENTS), 5000, None, log.Left(0))])
    assert store.awake(0) == []
    assert len(store.read("old")) == 1 + len(EVENTS)
    store.close()


KEPT = Path(__file__).parent / "kept"


def test_a_file_of_the_last_release_goes_on(tmp_path: Path) -> None:
    """As it was written: a game that is over, one that two bots play, one that waits in the list."""
    kept = json.loads((KEPT / "version-2.json").read_text())
    (tmp_path / "tables.db").write_bytes((KEPT / "version-2.db").read_bytes())
    server = Server(tmp_path, *GENEROUS)
    try:
        status, record = server.record(kept["finished"])
        assert status == 200
        for one in (record, kept["record"]):
            one["proof"].pop("signature")  # by the key of this server, which is a new one
        assert record == kept["record"]
        game, read, _ = qwixx.read_record(record)
        assert proof.check(read, game.layout.faces)
        assert server.get(f"/api/tables/{kept['listed']}")[0] == 200
        (listed,) = json.loads(server.get("/api/tables")[1])["tables"]
        assert listed["table"] == kept["listed"]
        before = len(server.log(kept["running"]))
        assert server.get(f"/api/tables/{kept['running']}")[0] == 200  # which brings it to memory
        until(lambda: len(server.log(kept["running"])) > before, "the bots do not play on")
    finally:
        server.kill()


def test_a_file_of_a_later_version_is_refused(file: Path) -> None:
    SqliteStore(file).close()
    with closing(apsw.Connection(str(file))) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(QwixxError, match="version 99"):
        SqliteStore(file)


def test_the_file_of_another_program_is_left_alone(file: Path) -> None:
    with closing(apsw.Connection(str(file))) as db:
        db.execute("CREATE TABLE recipes (name TEXT)")
    before = file.read_bytes()
    with pytest.raises(QwixxError, match="of another program"):
        SqliteStore(file)
    assert file.read_bytes() == before


def test_the_file_gives_back_the_room_of_what_is_forgotten(file: Path, store: SqliteStore) -> None:
    names = [f"table-{number}" for number in range(200)]
    store.write([entry for name in names for entry in entries(name)])
    store.write(
        [entry for name in names for start in range(50, 800, 50) for entry in entries(name, start)]
    )
    store.close()
    full = file.stat().st_size
    again = SqliteStore(file)
    again.forget(names[1:])
    assert len(again.read(names[0])) > len(EVENTS)
    again.close()
    assert file.stat().st_size < full / 10


def test_nobody_waits_for_readers_of_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """Backups, say, that read for long:
    writing goes on, and the log starts again once they have ended."""
    monkeypatch.setattr(sqlite, "TIDY_SECONDS", 0.01)
    monkeypatch.setattr(sqlite, "WAL_PAGES", 50)
    # A tidier that waits for readers holds the lock longer.
    monkeypatch.setattr(sqlite, "BUSY_MILLISECONDS", 1500)
    store = SqliteStore(file)
    request.addfinalizer(store.close)
    wal = file.with_name(file.name + "-wal")

    def write(table: str) -> None:
        for number in range(1, 21):
            store.write([Entry(table, number, 1, None, log.Left(0))])

    for number in range(50):
        write(f"before-{number}")
    with ExitStack() as readers:
        enough = time.monotonic() + 2  # so that the tidier has met them
        beside = 0
        while beside < 50 or time.monotonic() < enough:
            if beside % 10 == 0 and beside < 50:
                reader = readers.enter_context(closing(apsw.Connection(str(file))))
                reader.execute("BEGIN; SELECT count(*) FROM events").fetchall()
            write(f"beside-{beside}")
            beside += 1
        grown = wal.stat().st_size
        assert grown > 100 * 4096
    deadline = time.monotonic() + 60
    for number in range(100_000):
        write(f"after-{number}")
        if wal.stat().st_size == grown:
            break  # written from its beginning again
        grown = wal.stat().st_size
        assert time.monotonic() < deadline, "the log grows for ever"
    assert all(len(store.read(f"beside-{number}")) == 20 for number in range(beside))
