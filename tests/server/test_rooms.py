"""Tables of a shared store, in memory of one process and then of another."""

import asyncio
import time
from typing import NoReturn

import pytest
from client import PATIENCE, run
from database import Postgres
from test_store import CREATED

from qwixx.server import log
from qwixx.server.log import Entry
from qwixx.server.metrics import Metrics
from qwixx.server.refusals import Refusal
from qwixx.server.rooms import Rooms
from qwixx.server.store import Elsewhere, Store, Unavailable
from qwixx.server.stores import open_store

NAME = "a" * 20


def made(store: Store) -> None:
    """A table that nobody has."""
    store.own(NAME)
    committed = log.Committed("cd" * 32, "ef" * 32)
    store.write([Entry(NAME, 1, 1000, None, CREATED), Entry(NAME, 2, 1000, None, committed)])
    store.disown(NAME)


async def can_be_had(store: Store) -> None:
    """By asking for it, as another process would."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            await asyncio.to_thread(store.own, NAME)
        except Elsewhere:
            assert time.monotonic() < deadline, "nobody lets go of it"
            await asyncio.to_thread(store.ask_for, NAME)
            await asyncio.sleep(0.1)
        else:
            return


def test_a_table_that_is_wanted_elsewhere_is_let_go(postgres: Postgres) -> None:
    place = postgres.new_database()
    store, other = open_store(place), open_store(place)
    made(other)

    async def want() -> None:
        rooms = Rooms(store, Metrics(), lambda _: None, lambda *_: None, None)
        room = await rooms.get(NAME)
        assert room is not None
        await can_be_had(other)
        assert room.lost
        assert NAME not in rooms.here
        await rooms.close()

    run(want())
    other.close()


def test_a_table_that_could_not_be_read_is_not_kept_from_others(
    postgres: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = postgres.new_database()
    store, other = open_store(place), open_store(place)
    made(other)

    def away(_: str) -> NoReturn:
        raise Unavailable("the database went away when the table was owned, before it was read")

    monkeypatch.setattr(store, "read", away)

    async def want() -> None:
        rooms = Rooms(store, Metrics(), lambda _: None, lambda *_: None, None)
        with pytest.raises(Refusal) as refused:
            await rooms.get(NAME)
        assert refused.value.code == "unavailable"
        await can_be_had(other)
        await rooms.close()

    run(want())
    other.close()


def test_nobody_owns_a_table_that_is_not_there(postgres: Postgres) -> None:
    place = postgres.new_database()
    store, other = open_store(place), open_store(place)

    async def want() -> None:
        rooms = Rooms(store, Metrics(), lambda _: None, lambda *_: None, None)
        assert await rooms.get(NAME) is None
        assert await asyncio.to_thread(other.own, NAME) == 0  # at once
        await rooms.close()

    run(want())
    other.close()
