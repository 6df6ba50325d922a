"""What every store must do: the same tests for SQLite and for PostgreSQL."""

import functools
import operator
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest
from client import until
from database import Postgres

from qwixx.core.errors import QwixxError
from qwixx.server import log
from qwixx.server.log import Entry
from qwixx.server.messages import Options, SeatPlan
from qwixx.server.sqlite import SqliteStore
from qwixx.server.store import Code, Conflict, Elsewhere, Store, Unavailable
from qwixx.server.stores import open_store, signer
from qwixx.server.writer import Callbacks, Writer

Again = Callable[[], Store]  # opens the same storage as another process would

CREATED = log.Created(
    "duel", [SeatPlan("me", name="Zoë"), SeatPlan("bot", "greedy")], Options(pause=0.5), "ab" * 32
)
EVENTS: list[log.AnyEvent] = [
    CREATED,
    log.Committed("cd" * 32, "ef" * 32),
    log.Sat(1, "李 'quoted' \"twice\" \\", "01" * 32),
    log.Readied(0, "ab" * 16),
    log.Started(1, [0, 1]),
    log.Rolled("41 36.5"),
    log.Chose(1, "R5"),
    log.Chose(1, "-", "clock"),
    log.Replaced(0),
    log.Returned(0),
    log.Left(1),
    log.Weakened(1, "random"),
    log.Moved("01" * 32, "02" * 32),
]


def entries(table: str, start: int = 1, at: int = 1000) -> list[Entry]:
    return [
        Entry(table, start + n, at + n, f"cmd-{n}" if n % 2 else None, event)
        for n, event in enumerate(EVENTS)
    ]


@pytest.fixture(params=["sqlite", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Again, Store]]:
    """A new store, and how to open it again."""
    if request.param == "sqlite":
        place = str(tmp_path / "deep" / "tables.db")
    else:
        place = request.getfixturevalue("postgres").new_database()

    def again() -> Store:
        return open_store(place)

    store = again()
    yield again, store
    store.close()


def own(store: Store, *tables: str) -> None:
    for table in tables:
        store.own(table)


def test_what_is_written_is_read_again(opened: tuple[Again, Store]) -> None:
    again, store = opened
    own(store, "one", "two")
    store.write([*entries("one"), *entries("two")])
    assert store.read("one") == entries("one")
    assert store.read("three") == []
    assert store.tables() == ["one", "two"]
    assert store.last(["two", "three"]) == {"two": len(EVENTS)}
    assert list(store.everything()) == [*entries("one"), *entries("two")]
    stats = store.stats()
    assert (stats.tables, stats.events, stats.reviews) == (2, 2 * len(EVENTS), 0)
    assert (stats.first, stats.last) == (1000, 1000 + len(EVENTS) - 1)
    assert stats.bytes > 0
    store.close()
    other = again()
    assert other.read("two") == entries("two")
    other.close()


def test_a_number_is_taken_once_and_a_batch_is_all_or_nothing(opened: tuple[Again, Store]) -> None:
    _, store = opened
    own(store, "one", "two")
    store.write(entries("one"))
    with pytest.raises(Conflict) as conflict:
        store.write([*entries("two"), Entry("one", 3, 5, None, log.Left(0))])
    assert conflict.value.tables == {"one"}
    assert store.read("two") == []
    assert store.read("one") == entries("one")
    store.write(entries("two"))
    with pytest.raises(Conflict):
        store.write(
            [Entry("two", 50, 5, None, log.Left(0)), Entry("two", 50, 5, None, log.Left(1))]
        )


def test_who_is_awake_and_who_is_quiet(opened: tuple[Again, Store]) -> None:
    again, store = opened
    own(store, "old", "new", "awake", "listed")
    more = len(EVENTS) + 1
    store.write([*entries("old", at=1000), *entries("new", at=5000)])
    store.write(
        [
            *entries("new", start=more, at=9000),
            Entry("awake", 1, 9000, None, CREATED, log.DUE),
            Entry("listed", 1, 9000, None, CREATED, log.LISTED),
            Entry("old", more, 1500, None, CREATED, log.DUE),
        ]
    )
    store.close()
    store = again()
    assert {"awake", "old"} <= set(store.awake(0)) <= {"awake", "old", "listed"}
    assert set(store.awake(2000)) - {"listed"} == {"awake"}
    if store.shared:
        assert store.listed(0) == ["listed"]
    own(store, "awake", "listed")
    store.write([Entry("awake", 2, 9000, None, log.Left(0))])
    store.write([Entry("listed", 2, 9000, None, log.Left(0))])
    store.disown("awake")
    assert store.awake(2000) == store.listed(0) == []
    own(store, "old")
    store.lull("old")
    store.disown("old")
    assert store.awake(0) == []
    assert store.quiet(2000) == ["old"]
    assert sorted(store.quiet(100_000)) == ["awake", "listed", "new", "old"]
    store.close()


def test_what_is_forgotten_is_gone(opened: tuple[Again, Store]) -> None:
    _, store = opened
    own(store, "one", "two", "three")
    store.write([*entries("one"), *entries("two"), *entries("three")])
    store.forget(["one", "two"])
    assert [store.read(table) for table in ("one", "two", "three")] == [[], [], entries("three")]
    store.forget([])
    own(store, "one")
    store.write(entries("one"))
    assert store.read("one") == entries("one")


def test_a_table_has_one_owner_at_a_time(opened: tuple[Again, Store]) -> None:
    """A store that is not shared has one process at a time."""
    again, store = opened
    assert store.own("one") == 0
    if not store.shared:
        with pytest.raises(QwixxError, match="in use by another qwixx server"):
            again()
    else:
        other = again()
        with pytest.raises(Elsewhere):
            other.own("one")
        with pytest.raises(Conflict):
            other.write(entries("one"))
        store.write(entries("one"))
        other.ask_for("one")
        assert store.beat().wanted == {"one"}
        assert other.beat().wanted == set()
        store.disown("one")
        assert other.own("one") == len(EVENTS)
        with pytest.raises(Conflict):
            store.write([Entry("one", len(EVENTS) + 1, 1, None, log.Left(0))])
        other.close()
    store.close()
    again().close()


def test_several_processes_may_open_a_new_database_at_once(postgres: Postgres) -> None:
    place = postgres.new_database()
    with ThreadPoolExecutor(4) as several:
        stores = list(several.map(lambda _: open_store(place), range(4)))
    seeds = {signer(place, store).seed for store in stores}
    assert len(seeds) == 1  # they sign with one key
    for store in stores:
        store.close()


def test_the_writer_commits_in_order_and_together(
    opened: tuple[Again, Store],
) -> None:
    _, store = opened
    own(store, "t")
    done: list[Entry] = []
    batches: list[int] = []

    def written(batch: object, seconds: float) -> None:
        assert isinstance(batch, list)
        assert seconds >= 0
        done.extend(batch)
        batches.append(len(batch))

    writer = Writer(store, Callbacks(written))
    everything = [Entry("t", number, number, None, log.Left(0)) for number in range(1, 501)]
    for start in range(0, 500, 5):
        writer.write(everything[start : start + 5])
    writer.close()
    assert done == everything == store.read("t")
    assert len(batches) < 100
    # What was handed in together was committed together.
    assert all(size % 5 == 0 for size in batches)


class Breaks(SqliteStore):
    """Fails so many times; what it was to do is done all the same, or not."""

    troubles = 0
    does = False

    def write(self, entries: Sequence[Entry]) -> None:
        if self.troubles:
            self.troubles -= 1
            if self.does:
                super().write(entries)
            raise Unavailable("the disk is full")
        super().write(entries)


@pytest.mark.parametrize("does", [False, True])
def test_what_cannot_be_written_now_is_written_later_and_once(tmp_path: Path, does: bool) -> None:
    store = Breaks(tmp_path / "tables.db")
    store.troubles, store.does = 3, does
    done: list[Entry] = []
    writer = Writer(store, Callbacks(lambda batch, _: done.extend(batch)))
    writer.write(entries("one"))
    until(lambda: writer.trouble is not None, "nobody hears of the trouble")
    assert done == []
    writer.close()
    assert done == entries("one") == store.read("one")
    assert writer.trouble is None
    store.close()


def test_whoever_asks_is_not_disturbed_by_work_that_ends_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loop asks at every command and before every bot, while the writer's own thread works: an error
    there would leave a table standing still."""
    store = SqliteStore(tmp_path / "tables.db")
    writer = Writer(store, Callbacks())
    writer.close()

    def ends() -> float:
        writer._since = None
        return time.monotonic()

    writer._since = time.monotonic()
    with monkeypatch.context() as patch:
        patch.setattr("qwixx.server.writer.time", SimpleNamespace(monotonic=ends))
        assert writer.trouble is None
        writer._since = time.monotonic()
        assert writer.away_seconds >= 0
    store.close()


def test_a_conflict_takes_its_table_only_and_what_follows_of_it(
    opened: tuple[Again, Store],
) -> None:
    _, store = opened
    own(store, "one", "two")
    store.write(entries("one"))
    done: list[Entry] = []
    lost: list[str] = []
    writer = Writer(store, Callbacks(lambda batch, _: done.extend(batch), lost=lost.extend))
    writer.write([Entry("one", 1, 1, None, log.Left(0))])
    writer.write(entries("two"))
    writer.write([Entry("one", 2, 1, None, log.Left(0))])
    writer.close()
    assert lost == ["one"]
    assert done == entries("two")
    assert store.read("one") == entries("one")


def test_a_fault_of_ours_is_told(opened: tuple[Again, Store]) -> None:
    _, store = opened
    told = threading.Event()
    writer = Writer(store, Callbacks(failed=lambda _: told.set()))
    writer.between(functools.partial(operator.truediv, 1, 0))
    assert told.wait(60)


def test_a_database_that_cannot_be_used_is_a_plain_error(tmp_path: Path) -> None:
    (tmp_path / "file.db").write_bytes(b"this is no database at all" * 100)
    for path in (tmp_path / "file.db", tmp_path, Path("/proc/nowhere/x.db")):
        with pytest.raises(QwixxError, match="cannot be used"):
            SqliteStore(path)


def test_reviews_are_kept_and_go_with_their_table(
    opened: tuple[Again, Store],
) -> None:
    again, store = opened
    own(store, "one", "two")
    store.write([*entries("one"), *entries("two")])
    for round_, packed in ((1, b"first"), (2, b"\0\xff"), (1, b"again")):
        store.keep_review("one", round_, packed)
    store.keep_review("two", 1, b"other")
    store.close()
    other = again()
    assert other.kept_review("one", 1) == b"again"
    assert other.kept_review("one", 2) == b"\0\xff"
    assert other.kept_review("one", 3) is None
    other.forget(["one"])
    assert other.kept_review("one", 1) is None
    assert other.kept_review("two", 1) == b"other"
    other.close()


def test_orders_and_codes_are_kept(opened: tuple[Again, Store]) -> None:
    again, store = opened
    store.keep_order("close", "one", kept=True)
    store.keep_order("close", "one", kept=True)
    store.keep_order("block", "192.0.2.0/24", kept=True)
    store.keep_order("close", "two", kept=True)
    store.keep_order("close", "two", kept=False)
    codes = [Code("ab" * 32, "01" * 32, 5000), Code("cd" * 32, "02" * 32, 6000)]
    own(store, "one", "two")
    store.keep_codes("one", codes)
    store.keep_codes("one", codes[1:])
    store.keep_codes("two", codes[:1])
    store.close()
    other = again()
    assert sorted(other.orders()) == [("block", "192.0.2.0/24"), ("close", "one")]
    assert other.codes("one") == codes[1:]
    own(other, "two")
    other.forget(["two"])
    assert other.codes("two") == []
    other.close()
