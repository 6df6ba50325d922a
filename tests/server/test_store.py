"""What every store must do. A second store joins by one more line in STORES."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qwixx.core.errors import QwixxError
from qwixx.server import log
from qwixx.server.log import Entry
from qwixx.server.messages import Options, SeatPlan
from qwixx.server.sqlite import SqliteStore
from qwixx.server.store import Store
from qwixx.server.writer import Writer

STORES: dict[str, Callable[[Path], Store]] = {
    "sqlite": lambda folder: SqliteStore(folder / "deep" / "tables.db")
}

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


@pytest.fixture(params=STORES)
def folder_and_store(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Callable[[], Store], Store]]:
    def again() -> Store:
        return STORES[request.param](tmp_path)

    store = again()
    yield again, store
    store.close()


def test_what_is_written_is_read_again(folder_and_store: tuple[Callable[[], Store], Store]) -> None:
    again, store = folder_and_store
    store.write([*entries("one"), *entries("two")])
    assert store.read("one") == entries("one")
    assert store.read("three") == []
    store.close()
    other = again()
    assert other.read("two") == entries("two")
    other.close()


def test_a_number_is_taken_once_and_a_batch_is_all_or_nothing(
    folder_and_store: tuple[Callable[[], Store], Store],
) -> None:
    _, store = folder_and_store
    store.write(entries("one"))
    with pytest.raises(KeyError):
        store.write([*entries("two"), Entry("one", 3, 5, None, log.Left(0))])
    assert store.read("two") == []
    assert store.read("one") == entries("one")
    store.write(entries("two"))


def test_who_is_awake_and_who_is_quiet(folder_and_store: tuple[Callable[[], Store], Store]) -> None:
    _, store = folder_and_store
    store.write(
        [*entries("old", at=1000), *entries("new", at=5000), *entries("new", start=50, at=9000)]
    )
    store.write(
        [
            Entry("awake", 1, 9000, None, CREATED, awake=True),
            Entry("old", 90, 1500, None, CREATED, awake=True),
        ]
    )
    assert sorted(store.awake(0)) == ["awake", "old"]
    assert store.awake(2000) == ["awake"]
    store.write([Entry("awake", 2, 9000, None, log.Left(0))])
    assert store.awake(2000) == []
    assert store.quiet(2000) == ["old"]
    assert sorted(store.quiet(100_000)) == ["awake", "new", "old"]


def test_what_is_forgotten_is_gone(folder_and_store: tuple[Callable[[], Store], Store]) -> None:
    _, store = folder_and_store
    store.write([*entries("one"), *entries("two"), *entries("three")])
    store.forget(["one", "two"])
    assert [store.read(table) for table in ("one", "two", "three")] == [[], [], entries("three")]
    store.forget([])
    store.write(entries("one"))
    assert store.read("one") == entries("one")


def test_one_process_at_a_time(folder_and_store: tuple[Callable[[], Store], Store]) -> None:
    again, store = folder_and_store
    with pytest.raises(QwixxError, match="in use by another qwixx server"):
        again()
    store.write(entries("one"))
    store.close()
    again().close()


def test_the_writer_commits_in_order_and_together(
    folder_and_store: tuple[Callable[[], Store], Store],
) -> None:
    _, store = folder_and_store
    done: list[Entry] = []
    batches: list[int] = []

    def written(batch: object, seconds: float) -> None:
        assert isinstance(batch, list)
        assert seconds >= 0
        done.extend(batch)
        batches.append(len(batch))

    writer = Writer(store, written, lambda error: pytest.fail(repr(error)))
    everything = [Entry("t", number, number, None, log.Left(0)) for number in range(1, 501)]
    for start in range(0, 500, 5):
        writer.write(everything[start : start + 5])
    writer.close()
    assert done == everything == store.read("t")
    assert len(batches) < 100
    # What was handed in together was committed together.
    assert all(size % 5 == 0 for size in batches)


def test_a_failed_commit_is_told(folder_and_store: tuple[Callable[[], Store], Store]) -> None:
    _, store = folder_and_store
    store.write(entries("one"))
    told = threading.Event()
    writer = Writer(store, lambda *_: None, lambda _: told.set())
    writer.write([Entry("one", 1, 1, None, log.Left(0))])
    assert told.wait(60)


def test_a_database_that_cannot_be_used_is_a_plain_error(tmp_path: Path) -> None:
    (tmp_path / "file.db").write_bytes(b"this is no database at all" * 100)
    for path in (tmp_path / "file.db", tmp_path, Path("/proc/nowhere/x.db")):
        with pytest.raises(QwixxError, match="cannot be used"):
            SqliteStore(path)


def test_reviews_are_kept_and_go_with_their_table(
    folder_and_store: tuple[Callable[[], Store], Store],
) -> None:
    again, store = folder_and_store
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
