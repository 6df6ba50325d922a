"""Lines to a PostgreSQL that is far away, silent or full: nothing is written twice, nothing is lost, and
nobody waits for ever."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from client import GENEROUS, PATIENCE, Client, Server, run, secret, until
from database import Postgres, own_postgres
from network import Cut, Network, network_to
from test_store import EVENTS, entries
from test_troubles import BOTS, said

from qwixx.server import postgres as module
from qwixx.server.log import Entry
from qwixx.server.postgres import PostgresStore
from qwixx.server.store import Conflict, Elsewhere, Full, Unavailable

SILENT_SECONDS, ANSWER_SECONDS = 0.5, 2.0  # so that nobody waits for long here


@pytest.fixture
def network(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> Iterator[Network]:
    hurried = module._WRITING.replace(
        f"'{module.SILENT_SECONDS}s'", f"'{round(1000 * SILENT_SECONDS)}ms'"
    )
    assert hurried != module._WRITING
    monkeypatch.setattr(module, "_WRITING", hurried)
    monkeypatch.setattr(module, "ANSWER_SECONDS", ANSWER_SECONDS)
    with network_to(postgres.port) as network:
        yield network


def owned(store: PostgresStore, table: str) -> int:
    """As soon as nobody else has it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return store.own(table)
        except (Elsewhere, Unavailable):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def write_on(store: PostgresStore, some: list[Entry]) -> None:
    """As a server does: again, until it is known what is there."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            store.write(some)
        except Unavailable:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        except Conflict:  # on a busy machine the session may live on for a while
            there = owned(store, some[0].table)
            some = [entry for entry in some if entry.number > there]
        else:
            return


@pytest.mark.parametrize("cut", [Cut.TO_DATABASE, Cut.FROM_DATABASE, Cut.BOTH])
def test_a_line_that_is_dead_without_a_sign_is_given_up(
    postgres: Postgres, network: Network, cut: Cut
) -> None:
    """Whether what was sent arrived or not, it is there once in the end."""
    place = postgres.new_database()
    store = PostgresStore(network.way_to(place))
    store.own("one")
    store.write(entries("one")[:5])
    network.set(cut)
    with pytest.raises(Unavailable, match="cannot be reached"):
        store.write(entries("one")[5:])
    with pytest.raises(Unavailable, match="cannot be reached"):
        store.read("one")
    network.set(Cut.NONE)
    write_on(store, entries("one")[5:])
    assert store.read("one") == entries("one")
    store.close()


def test_a_session_that_is_silent_loses_its_tables_and_can_write_nothing_more(
    postgres: Postgres, network: Network
) -> None:
    """Also if what it had sent arrives late."""
    place = postgres.new_database()
    near, far = PostgresStore(place), PostgresStore(network.way_to(place))
    until(lambda: _is_here(far), "silent by itself, on a busy machine")
    far.write(entries("one")[:5])
    network.set(Cut.BOTH)
    with pytest.raises(Unavailable):
        far.write(entries("one")[5:])
    assert owned(near, "one") == 5
    near.write(entries("one", start=6)[:3])
    network.set(Cut.NONE)
    until(lambda: _beats(far), "it is not reached again")
    with pytest.raises(Conflict):
        far.write(entries("one")[5:])
    with pytest.raises(Elsewhere):
        far.own("one")
    assert near.read("one") == [*entries("one")[:5], *entries("one", start=6)[:3]]
    for store in (far, near):
        store.close()


def _is_here(store: PostgresStore) -> bool:
    try:
        store.own("one")
    except Unavailable:
        return False
    return True


def _beats(store: PostgresStore) -> bool:
    try:
        return "one" in store.beat().lost
    except Unavailable:
        return False


def test_an_order_that_comes_late_changes_nothing_at_a_table_of_somebody_else(
    postgres: Postgres,
) -> None:
    """What a process wanted to note before it lost a table."""
    place = postgres.new_database()
    one, other = PostgresStore(place), PostgresStore(place)
    other.own("one")
    other.write([Entry("one", 1, 5000, None, EVENTS[0], 1)])
    one.lull("one")
    one.keep_codes("one", [])
    other.close()
    assert one.awake(0) == ["one"]
    one.close()


def test_whoever_comes_late_leaves_no_line_behind(postgres: Postgres) -> None:
    """A thread that reads or writes on while the server ends."""
    place = postgres.new_database()
    store = PostgresStore(place)
    assert store.read("one") == []
    store.close()
    for late in (store.read, store.own):
        with pytest.raises(Unavailable, match="was closed here"):
            late("one")

    def lines() -> int:
        with psycopg.connect(place) as line:
            query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            ((found,),) = line.execute(query).fetchall()
        return int(found)

    until(lambda: lines() == 1, "besides the one that asks there is another")


# --- more tables than can be locked ---

ROOM = round(20 * 10 * module.LOCKED_SHARE)


@pytest.fixture(scope="module")
def small() -> Iterator[Postgres]:
    with own_postgres("max_connections=20", "max_locks_per_transaction=10") as postgres:
        yield postgres


@contextmanager
def all_locked(place: str, but: int = 0) -> Iterator[None]:
    """Somebody locks whatever there is to lock, but so many."""
    with psycopg.connect(place, autocommit=True) as line:
        ((taken,),) = line.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'"
        ).fetchall()
        line.execute(
            "SELECT pg_advisory_lock(number) FROM generate_series(1, %s) AS number",
            (ROOM - but - taken,),
        )
        yield


def test_where_no_more_can_be_locked_the_others_go_on(small: Postgres) -> None:
    """Nor is the database locked out of its own work: servers can still come."""
    place = small.new_database()
    store = PostgresStore(place)
    store.own("one")
    with all_locked(place):
        another = PostgresStore(place)
        for one in (store, another):
            one._counted_at = 0
            with pytest.raises(Full, match="raise its max_locks_per_transaction"):
                one.own("two")
        store.write(entries("one"))
        store.forget(["two"])  # which it does not own, so that it stays
        another.close()
    until(lambda: _owns(store, "two"), "there is no room again")
    store.close()


def _owns(store: PostgresStore, table: str) -> bool:
    try:
        return store.own(table) == 0
    except Full:
        return False


def test_a_server_says_when_there_is_no_room_for_a_table(small: Postgres, tmp_path: Path) -> None:
    """Those that are played go on, and those that nobody is at make room."""
    place = small.new_database()
    server = Server(tmp_path, *GENEROUS, url=place)

    def make() -> tuple[int, str]:
        body = {"id": secret(), "secret": secret(), "game": "duel", "seats": BOTS}
        status, answer = server.request("POST", "/api/tables", json.dumps(body).encode())
        return status, json.loads(answer).get("message", "")

    async def start() -> None:
        client = Client(server.url(playing), creator)
        await client.come()
        await client.ask(do="start")

    try:
        creator = secret()
        playing = server.create("duel", BOTS, creator, pause=0.1)
        tables = [server.create("duel", BOTS, secret()) for _ in range(8)]
        run(start())
        with all_locked(place):
            while (made := make())[0] == 201:  # how much room there is it looks at now and then
                pass
            assert made[0] == 503
            assert "more tables are played here just now than there is room for" in made[1]
            assert "max_locks_per_transaction" in server.errors.read_text()
        with all_locked(place, but=8):  # the server's own lines have some of these
            for table in tables * 2:
                assert server.get(f"/api/tables/{table}")[0] == 200
        until(lambda: make()[0] == 201, "there is no room again")
        until(lambda: server.record(playing)[0] == 200, "the bots do not play on")
        full = [line for line in said(server) if line["what"] == "there is no room for a table"]
        assert len(full) == 1
    finally:
        server.kill()
