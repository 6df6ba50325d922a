"""Several servers on one PostgreSQL: whichever dies, hangs or loses its line, nothing that anybody heard
of is lost, doubled or different, and the games go on. Real PostgreSQL, real HAProxy, real clients."""

import asyncio
import contextlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from random import Random

import psycopg
import pytest
from client import LOST, PATIENCE, Client, Json, play_on, run, secret, until
from database import Postgres, own_postgres
from many import Many
from network import Cut, network_to
from test_games import FAST, check_table, table_of
from test_promises import closing

import qwixx
from qwixx.core import proof

SERVICE_RESTART = 1012
Hurt = Callable[[Many, Random], Awaitable[None]]
BOTS = [{"kind": "bot", "level": "random"}, {"kind": "bot", "level": "greedy"}]


@pytest.fixture
def many(tmp_path: Path, postgres: Postgres) -> Iterator[Many]:
    many = Many(tmp_path, postgres)
    yield many
    many.end()


@pytest.fixture
def many_of_our_own(tmp_path: Path) -> Iterator[Many]:
    """With a PostgreSQL that may be hurt."""
    with own_postgres() as postgres:
        many = Many(tmp_path, postgres)
        yield many
        many.end()


class Watch:
    """What clients have heard, against what is in the database."""

    def __init__(self, many: Many, clients: list[Client]) -> None:
        self.many = many
        self.clients = clients
        self.seen: dict[str, list[tuple[int, Json]]] = {}

    async def look(self) -> None:
        """Nothing heard of is missing; what was there is there, and the same."""
        heard: dict[str, int] = {}
        for client in self.clients:
            answers = [one for one in client.answers.values() if one["type"] != "refused"]
            numbers = [client.number, *(one.get("number", 0) for one in answers)]
            table = client.table["id"]
            heard[table] = max(heard.get(table, 0), *numbers)
        for table, number in heard.items():
            log = await asyncio.to_thread(self.many.log, table)
            assert [one for one, _ in log] == list(range(1, len(log) + 1))
            assert len(log) >= number, f"event {number} was heard of but is not there"
            before = self.seen.get(table, [])
            assert log[: len(before)] == before, "what was written has changed"
            self.seen[table] = log


async def everybody_ready(table: list[Client]) -> bool:
    """Whether everybody is there and plays a round, the first or another."""
    for client in table:
        if client.line is None:
            await client.come()
    over = table[0].table["status"] == "over"
    if over and (await table[0].ask(do="rematch"))["type"] == "refused":
        return False
    for client in table:
        while client.table["status"] == "over":
            await client.hear()
        if client.table["status"] == "gathering":
            await client.ready()
    seats = table[-1].table["seats"]
    return table[-1].table["status"] == "playing" or all(seat["ready"] for seat in seats)


async def under_fire(many: Many, hurt: Hurt, times: int, tables: int) -> None:
    """Games at several tables, while something is hurt again and again."""
    rng = Random(times)
    shapes = [("classic", 2), ("duel", 2), ("classic", 3)]
    games = [await table_of(many, *shapes[number % 3]) for number in range(tables)]
    watch = Watch(many, [client for table in games for client in table])
    stop = asyncio.Event()

    async def keep_playing(table: list[Client]) -> None:
        begun = False
        while not (begun and stop.is_set()):
            try:
                if not await everybody_ready(table):
                    await asyncio.sleep(0.1)  # refused, as nothing can be written
                    continue
            except (*LOST, AssertionError, KeyError):  # hurt meanwhile: come back and look again
                await asyncio.sleep(0.1)
                for client in table:
                    client.line = None
                continue
            begun = True
            await asyncio.gather(
                *(play_on(client, Random(rng.random()), repeats=3) for client in table)
            )

    playing = [asyncio.create_task(keep_playing(table)) for table in games]
    for _ in range(times):
        await asyncio.sleep(rng.uniform(0.2, 1.0))
        await hurt(many, rng)
        await watch.look()
    stop.set()
    await asyncio.gather(*playing)
    await watch.look()
    for table in games:
        record = await found(many, table[0].table["id"])
        game, read, _ = qwixx.read_record(record)
        assert proof.check(read, game.layout.faces)


async def found(many: Many, table: str) -> Json:
    """The record of a finished round, from whoever has the table by now."""
    deadline = time.monotonic() + 60
    while True:
        status, record = await asyncio.to_thread(many.record, table)
        if status == 200:
            return record
        assert time.monotonic() < deadline, record
        await asyncio.sleep(0.1)


async def kill_one(many: Many, rng: Random) -> None:
    """kill -9, and started again a little later."""
    server = rng.choice(many.servers)
    server.kill()
    await asyncio.sleep(rng.uniform(0, 1))
    await asyncio.to_thread(server.start)


async def stop_one(many: Many, rng: Random) -> None:
    """A process that hangs for longer than anybody waits."""
    server = rng.choice(many.servers)
    server.process.send_signal(signal.SIGSTOP)
    await asyncio.sleep(6)
    server.process.send_signal(signal.SIGCONT)


async def restart_postgres(many: Many, rng: Random) -> None:
    await asyncio.to_thread(many.postgres.stop, rng.choice([signal.SIGINT, signal.SIGQUIT]))
    await asyncio.sleep(rng.uniform(0, 2))
    await asyncio.to_thread(many.postgres.start)


async def cut_lines(many: Many, rng: Random) -> None:
    """Every line between the servers and the database ends."""

    def cut() -> None:
        with psycopg.connect(many.postgres.url("postgres"), autocommit=True) as line:
            line.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname LIKE 'tables%%' AND random() < %s",
                (rng.random(),),
            )

    await asyncio.to_thread(cut)


async def cut_silently(many: Many, rng: Random) -> None:
    """Between one server and the database nothing comes through any more, one way or both, and nobody
    is told; for a moment, or until the table is another's."""
    network = rng.choice(many.networks)
    network.set(rng.choice([Cut.TO_DATABASE, Cut.FROM_DATABASE, Cut.BOTH]))
    await asyncio.sleep(rng.choice([0.5, 4, 14]))
    network.set(Cut.NONE)


def test_a_game_goes_on_when_its_server_is_killed(many: Many) -> None:
    """The short one: whoever owns a table dies, twice, and the other takes over."""

    async def play() -> None:
        ana, ben = await table_of(many, "duel", 2, pause=0)
        creator = secret()
        bots = await asyncio.to_thread(many.create, "duel", BOTS, creator, pause=0.05)
        starter = Client(many.url(bots), creator)
        await starter.come()
        await starter.ask(do="start")
        await starter.go()
        await asyncio.gather(ana.ready(), ben.ready())
        playing = [
            asyncio.create_task(play_on(client, Random(1), repeats=3)) for client in (ana, ben)
        ]
        watch = Watch(many, [ana, ben, starter])
        for server in many.servers:
            await asyncio.sleep(0.3)
            server.kill()
            await watch.look()
            await asyncio.to_thread(server.start)
        await asyncio.gather(*playing)
        await watch.look()
        await found(many, ana.table["id"])
        check_table(many, [ana, ben])
        await found(many, bots)  # nobody came to them: they went on by themselves

    run(play())


def test_a_database_that_goes_away_comes_back(many_of_our_own: Many) -> None:
    """So long moves are refused with a reason and nothing is acknowledged; nobody's line ends."""
    many = many_of_our_own

    async def play() -> None:
        ana, ben = await table_of(many, "duel", 2)
        await ana.ready()
        await ben.ready()
        await ana.begun()
        await ben.begun()
        before = len(many.log(ana.table["id"]))
        await asyncio.to_thread(many.postgres.stop)
        assert ana.play
        active = ana if ana.play["active"] == 0 else ben
        sent = active.command(**active.throw(active.yours[0]))
        await active.say(sent)  # it waits, unless it is known by now that nothing can be written
        other = ben if active is ana else ana
        while not all("nothing can be" in one.errors.read_text() for one in many.servers):
            await asyncio.sleep(0.05)
        refused = await other.ask(do="start")
        assert (refused["type"], refused["code"]) == ("refused", "unavailable")
        status, problem = await asyncio.to_thread(many.get, f"/api/tables/{'a' * 20}")
        assert (status, json.loads(problem)["code"]) == (503, "unavailable")
        assert active.answers.get(sent["id"], refused)["type"] == "refused"
        await asyncio.to_thread(many.postgres.start)
        while (await active.answer(sent))["type"] == "refused":
            sent = active.command(**active.throw(active.yours[0]))
            await active.say(sent)
        assert len(many.log(ana.table["id"])) > before
        await asyncio.gather(play_on(ana, Random(1)), play_on(ben, Random(2)))
        await found(many, ana.table["id"])

    run(play())
    assert "nothing can be written just now" in many.everywhere()
    assert "it can be written again" in many.everywhere()


def test_tables_codes_and_lists_are_found_at_every_server(many: Many) -> None:
    async def look() -> None:
        one, other = many.servers
        ana = secret()
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "open"}]
        table = await asyncio.to_thread(one.create, "duel", seats, ana, listed=True, **FAST)
        for server in many.servers:
            status, lobby = await asyncio.to_thread(server.get, "/api/tables")
            assert status == 200
            assert [one["table"] for one in json.loads(lobby)["tables"]] == [table]
            body = json.dumps({"secret": ana, "tables": [table, "b" * 20]}).encode()
            status, mine = await asyncio.to_thread(server.request, "POST", "/api/mine", body)
            assert json.loads(mine)["gone"] == ["b" * 20]
            assert [one["table"] for one in json.loads(mine)["tables"]] == [table]
        first = Client(one.url(table), ana)
        await first.come()
        code = (await first.ask(do="code"))["code"]
        # Whoever comes to the other server gets the table there, and everybody comes after.
        second = Client(other.url(table), secret())
        moved = await second.come(code=code)
        assert moved["yours"] == [0]
        assert await closing(first) == SERVICE_RESTART
        assert "elsewhere" in one.errors.read_text()

    run(look())


def test_a_table_that_is_made_again_is_taken_from_nobody(many: Many) -> None:
    """The same request may come to another server than those who are at the table."""
    ana = secret()
    seats = [{"kind": "me", "name": "Ana"}, {"kind": "open"}]
    body = json.dumps({"id": "made-twice", "secret": ana, "game": "duel", "seats": seats}).encode()

    def make() -> set[str]:
        answers = [one.request("POST", "/api/tables", body) for one in many.servers]
        assert {status for status, _ in answers} == {201}
        return {json.loads(answer)["table"] for _, answer in answers}

    async def sit() -> None:
        (table,) = await asyncio.to_thread(make)
        client = Client(many.url(table), ana)
        await client.come()
        assert await asyncio.to_thread(make) == {table}
        assert (await client.ask(do="code"))["code"]  # on a line that never broke
        assert len(await asyncio.to_thread(many.log, table)) == client.number

    run(sit())
    assert "elsewhere" not in many.everywhere()


def admin(many: Many, server: int, *words: str) -> Json:
    """What `qwixx admin` answers for one of the servers."""
    place = ["--db", many.place, "--port", str(many.servers[server].port)]
    command = [sys.executable, "-m", "qwixx", "admin", *words, *place]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    found: Json = json.loads(done.stdout)
    return found


def test_a_table_is_deleted_by_whichever_server_is_asked(many: Many) -> None:
    """Also while those who are at it come again and again to another."""

    async def look_after() -> None:
        ana, ben = await table_of(many, "duel", 2)
        table, stop = ana.table["id"], asyncio.Event()
        listed = [await asyncio.to_thread(admin, many, server, "tables") for server in (0, 1)]
        assert [one["of"] for one in listed] in ([0, 1], [1, 0])  # each tells its own
        assert f"port {many.servers[1].port}" in listed[1]["only"]
        owner = listed[1]["of"]

        async def insist(client: Client) -> None:
            client.url = many.servers[owner].url(table)
            while not stop.is_set():
                with contextlib.suppress(*LOST, AssertionError):
                    await client.come()
                    while not stop.is_set():
                        await client.hear(0.5)

        insisting = [asyncio.create_task(insist(client)) for client in (ana, ben)]
        await asyncio.to_thread(admin, many, 1 - owner, "delete", table)
        assert await asyncio.to_thread(many.log, table) == []
        stop.set()
        await asyncio.gather(*insisting)
        assert (await asyncio.to_thread(admin, many, 1 - owner, "closed"))["closed"] == []

    run(look_after())


@pytest.mark.long
def test_how_many_tables_one_makes_is_counted_together(tmp_path: Path, postgres: Postgres) -> None:
    many = Many(tmp_path, postgres, "--limit", "tables_an_hour=6")
    try:
        body = {"id": "x", "game": "duel", "seats": BOTS, "options": {}}
        codes = []
        for number in range(8):
            told = json.dumps({**body, "id": f"request-{number}", "secret": secret()}).encode()
            codes.append(many.servers[number % 2].request("POST", "/api/tables", told)[0])
        assert codes == [201] * 6 + [429] * 2
    finally:
        many.end()


@pytest.mark.long
def test_a_server_drains_before_it_stops(tmp_path: Path, postgres: Postgres) -> None:
    """Nobody new is sent to it, its tables go to the other, and it ends in order."""
    many = Many(tmp_path, postgres, "--drain", "3")

    async def drain() -> None:
        clients = [(await table_of(many, "duel", 1, 1))[0] for _ in range(6)]
        await asyncio.gather(*(client.ready() for client in clients))
        playing = [asyncio.create_task(play_on(client, Random(1))) for client in clients]
        leaving, staying = many.servers
        leaving.process.send_signal(signal.SIGTERM)
        status, why = await asyncio.to_thread(leaving.get, "/readyz")
        assert (status, why) == (503, b"this server is about to stop\n")
        assert (await asyncio.to_thread(leaving.get, "/healthz"))[0] == 200
        assert await asyncio.to_thread(leaving.process.wait, 60) == -signal.SIGTERM
        await asyncio.gather(*playing)
        for client in clients:
            await found(many, client.table["id"])
        assert (await asyncio.to_thread(staying.get, "/readyz"))[0] == 200

    try:
        run(drain())
    finally:
        many.end()


@pytest.mark.long
def test_twenty_kills_at_random_moments(many: Many) -> None:
    run(under_fire(many, kill_one, 20, 40))


@pytest.mark.long
def test_a_process_that_hangs(many: Many) -> None:
    run(under_fire(many, stop_one, 3, 12))


@pytest.mark.long
def test_a_network_that_is_cut_without_a_sign(tmp_path: Path, postgres: Postgres) -> None:
    with network_to(postgres.port) as one, network_to(postgres.port) as other:
        many = Many(tmp_path, postgres, networks=(one, other))
        try:
            run(under_fire(many, cut_silently, 8, 12))
            for server in many.servers:
                until(lambda server=server: server.get("/readyz")[0] == 200, "it is not back")  # type: ignore[misc] # of a default
        finally:
            many.end()
        assert "nothing can be written just now" in many.everywhere()
        assert "it can be written again" in many.everywhere()


@pytest.mark.long
def test_a_server_that_is_cut_off_for_good_is_left(tmp_path: Path, postgres: Postgres) -> None:
    """Its tables go on at the other, and those who wait there are sent to it."""
    with network_to(postgres.port) as one, network_to(postgres.port) as other:
        many = Many(tmp_path, postgres, networks=(one, other))

        async def play() -> None:
            tables = [await table_of(many, "duel", 2) for _ in range(6)]
            clients = [client for table in tables for client in table]
            for client in clients:
                await client.ready()
            watch = Watch(many, clients)
            one.set(Cut.BOTH)
            await asyncio.gather(*(play_on(client, Random(1), repeats=3) for client in clients))
            await watch.look()
            for table in tables:
                await found(many, table[0].table["id"])
            status, why = await asyncio.to_thread(many.servers[0].get, "/readyz")
            assert (status, why) == (503, b"nothing can be written\n")
            one.set(Cut.NONE)
            until(lambda: many.servers[0].get("/readyz")[0] == 200, "it is not back")

        try:
            run(play())
        finally:
            many.end()


@pytest.mark.long
@pytest.mark.parametrize("hurt", [restart_postgres, cut_lines])
def test_a_database_that_fails_again_and_again(many_of_our_own: Many, hurt: Hurt) -> None:
    run(under_fire(many_of_our_own, hurt, 8, 12))
