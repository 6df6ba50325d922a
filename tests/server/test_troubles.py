"""Trouble that comes by itself: clocks that jump, damaged logs, a second server, bots that fail,
a kill between two events that belong together."""

import asyncio
import json
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Coroutine, Iterator
from contextlib import closing, suppress
from http.client import HTTPException
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
import websockets
from client import GENEROUS, LOST, PATIENCE, Client, Json, Server, play_on, run, secret, until
from test_games import check_table, table_of

import qwixx
from qwixx import bots
from qwixx.core import proof
from sweeps import sweep, sweep_of_several

NO_TABLE = 4404  # how a line to a table that is not there is closed
BOTS = [{"kind": "bot", "level": "random"}, {"kind": "bot", "level": "greedy"}]
START = "from qwixx.cli import main; main()"

# The wall clock of this server goes back an hour when it is told to; the steady one does not.
CLOCK = f"""
import signal, time
true, behind = time.time_ns, [0]
time.time_ns = lambda: true() - behind[0]
signal.signal(signal.SIGUSR1, lambda *_: behind.__setitem__(0, 3600 * 10**9))
{START}
"""

# This server forgets tables at once, and takes its time to.
FORGETFUL = f"""
import time
from qwixx.server import rooms, sqlite
rooms.SWEEP_SECONDS, rooms.FORGOTTEN_AT_ONCE, forget = 0.1, 1, sqlite.SqliteStore.forget
def slowly(*words):
    time.sleep(0.05)
    forget(*words)
sqlite.SqliteStore.forget = slowly
{START}
"""

# This server commits as little at a time as it may.
SMALL_COMMITS = f"from qwixx.server import writer; writer.MOST_AT_ONCE = 1; {START}"

# At this server no net is there any more, say,
# and other bots want what is not legal or give no answer at all.
FAILING = f"""
from qwixx import bots
class Fails(bots.Bot):
    def decide(self, *_): raise OSError("no weights")
class Cheats(bots.Bot):
    def decide(self, *_): return bots.Decision("R99", {{}})
class Dreams(bots.Bot):
    def decide(self, *_): return None
bots.LEVELS.update(master=Fails, expert=Dreams, club=Cheats, greedy=Fails, novice=Cheats)
{START}
"""


# At this server something goes wrong once or twice that nobody foresaw, far enough from each other
# for the log to be read in between.
FAULTY = f"""
import sys
from qwixx.server.table import Table
name, often, always = sys.argv.pop(1), int(sys.argv.pop(1)), "always" in sys.argv
sys.argv = [word for word in sys.argv if word != "always"]
true, asked = getattr(Table, name), [0]
def fails(*words, **more):
    asked[0] += 1
    if asked[0] in (often, 4 * often) or always and asked[0] > often:
        raise RuntimeError("nobody foresaw this")
    return true(*words, **more)
setattr(Table, name, fails)
{START}
"""


def bots_at_a_table(server: Server, **options: float) -> str:
    """A running game of two bots that nobody watches."""
    table, start = bots_to_start(server, **options)
    run(start)
    return table


def bots_to_start(server: Server, **options: float) -> tuple[str, Coroutine[None, None, None]]:
    creator = secret()
    table = server.create("duel", BOTS, creator, **options)

    async def start() -> None:
        client = Client(server.url(table), creator)
        await client.come()
        assert (await client.ask(do="start"))["kind"] == "started"

    return table, start()


def goes_on(server: Server, table: str) -> None:
    """Wait until more has happened at a table."""
    before = _length(server, table)
    until(lambda: _length(server, table) > before + 5, "nothing happens there")


def said(server: Server) -> list[Json]:
    return [json.loads(line) for line in server.errors.read_text().splitlines()]


def edit(server: Server, *statements: str) -> None:
    """Another hand in the database of a server that is not running."""
    with closing(sqlite3.connect(server.db)) as db, db:
        for statement in statements:
            db.execute(statement)


def test_bots_clocks_and_waiting_go_on_when_the_clock_goes_back(tmp_path: Path) -> None:
    server = Server(tmp_path, *GENEROUS, program=("-c", CLOCK))

    async def play() -> None:
        ana, ben = await table_of(server, "duel", 2, away=1)
        await ana.ready()
        await ben.ready()
        for client in (ana, ben):
            while client.play is None:
                await client.hear()
        assert ana.play
        waiting, gone = (ben, ana) if ana.play["active"] == 0 else (ana, ben)
        server.process.send_signal(signal.SIGUSR1)
        await gone.go()
        seat = gone.yours[0]
        for _ in range(600):  # a second's wait, and not an hour's
            answer = await waiting.ask(do="replace", seat=seat)
            if answer["type"] == "event":
                break
            await asyncio.sleep(0.1)
        assert answer.get("kind") == "replaced", answer
        while not (waiting.play and waiting.play["active"] == waiting.yours[0]):
            await waiting.hear(60)

    async def clock() -> None:
        (alone,) = await table_of(server, "classic", 1, clock=0.2)
        await alone.ready()
        while alone.table["status"] != "over":
            await alone.hear(60)

    try:
        table = bots_at_a_table(server, pause=0.05)
        run(play())
        goes_on(server, table)
        run(clock())
        server.kill()  # and a start with the right time again, before all that is written down
        server.start()
        until(lambda: server.record(table)[0] == 200, "the bots do not go on after a restart")
    finally:
        server.kill()


def test_a_log_from_the_future_does_not_stop_its_bots(own_server: Server) -> None:
    table = bots_at_a_table(own_server, pause=0.2)
    own_server.kill()
    edit(own_server, "UPDATE events SET at = at + 3600000, checksum = NULL")
    own_server.start()
    goes_on(own_server, table)


DAMAGE = {
    "a flipped bit": "UPDATE events SET event = replace(event, 'rolled', 'rollee')",
    "another throw": """UPDATE events SET event = '{"kind":"rolled","dice":"11 1111"}'""",
    "no JSON": "UPDATE events SET event = x'00'",
    "a lost event": "DELETE FROM events",
    "an older event against the rules": """
        UPDATE events SET event = '{"kind":"left","seat":9}', checksum = NULL""",
}


def test_tables_that_cannot_be_read_are_set_aside_and_the_others_go_on(own_server: Server) -> None:
    tables = sorted(bots_at_a_table(own_server, pause=0.3) for _ in range(2 + len(DAMAGE)))
    until(lambda: all(len(own_server.log(table)) > 5 for table in tables), "the bots do not play")
    own_server.kill()
    bad = tables[: len(DAMAGE)]  # which are read before the others
    places = [f"""WHERE "table" = '{table}' AND number = 4""" for table in bad]
    edit(
        own_server,
        *(f"{damage} {place}" for damage, place in zip(DAMAGE.values(), places, strict=True)),
    )
    before = {table: _length(own_server, table) for table in tables}
    own_server.start()
    for table in tables[len(DAMAGE) :]:
        goes_on(own_server, table)
    for table in bad:
        status, problem = own_server.get(f"/api/tables/{table}")
        assert (status, json.loads(problem)["code"]) == (500, "unreadable")
        assert "nothing of it was deleted" in json.loads(problem)["message"]
        assert run(_closed(own_server.url(table))) == 4500
        assert _length(own_server, table) == before[table]
        lines = [
            line
            for line in said(own_server)
            if line.get("table") == table and "set aside" in line["what"]
        ]
        assert lines
        assert all(line["why"] for line in lines)


async def _closed(url: str) -> int:
    with pytest.raises(websockets.ConnectionClosed) as closed:
        await Client(url, secret()).come()
    assert closed.value.rcvd
    return closed.value.rcvd.code


def _length(server: Server, table: str) -> int:
    with closing(sqlite3.connect(f"file:{server.db}?mode=ro", uri=True)) as db:
        return int(
            db.execute('SELECT count(*) FROM events WHERE "table" LIKE ?', (table,)).fetchone()[0]
        )


@pytest.mark.parametrize(
    ("what", "often"),
    sweep_of_several(
        [
            ("due", 50),
            ("apply", 8),
            ("rolled", 5),
            ("chose", 8),
            ("next_event", 8),
            ("with_changes", 8),
        ],
        2,
    ),
)
def test_a_table_goes_on_after_a_fault_that_nobody_foresaw(
    tmp_path: Path, what: str, often: int
) -> None:
    server = Server(tmp_path, *GENEROUS, program=("-c", FAULTY, what, str(often)))
    table, start = bots_to_start(server, pause=0)
    with suppress(*LOST):  # the fault may come before the answer
        run(start)
    until(lambda: server.record(table)[0] == 200, "the game does not end", PATIENCE)
    faults = [json.loads(line) for line in server.faults()]
    assert {(one["table"], one["why"]) for one in faults} == {
        (table, "RuntimeError('nobody foresaw this')")
    }
    assert all("fails" in one["where"] for one in faults)
    with pytest.raises(AssertionError, match="nobody foresaw"):
        server.kill()
    numbers = [number for number, _ in server.log(table)]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("what", sweep(["due", "next_event"]))
def test_a_fault_that_comes_again_and_again_hurts_nobody_else(tmp_path: Path, what: str) -> None:
    """Everything is answered, the log is not flooded, and the table goes on at a server without it."""
    server = Server(tmp_path, *GENEROUS, program=("-c", FAULTY, what, "30", "always"))
    table, start = bots_to_start(server, pause=0)
    with suppress(*LOST):
        run(start)
    until(lambda: len(server.faults()) > 2, "nothing went wrong", PATIENCE)
    before, since = len(server.faults()), time.monotonic()
    wanted = json.dumps({"secret": secret(), "tables": [table]}).encode()
    for _ in range(5):
        assert server.get(f"/api/tables/{table}")[0] in (200, 409, 503)
        assert server.request("POST", "/api/mine", wanted)[0] == 200
        assert server.record(table)[0] in (403, 404, 409, 503)
    # Each question may find it out once more; by itself the server asks less and less often.
    assert len(server.faults()) <= before + 20 + time.monotonic() - since
    with pytest.raises(AssertionError, match="nobody foresaw"):
        server.kill()
    server.errors.unlink()
    server.program = ("-m", "qwixx")
    server.start()
    until(lambda: server.record(table)[0] == 200, "it does not go on", PATIENCE)
    server.kill()


@pytest.mark.parametrize("what", sweep(["settled", "apply", "next_event"]))
def test_people_play_on_after_a_fault_that_nobody_foresaw(tmp_path: Path, what: str) -> None:
    """They are sent away, come again, and what they had done is either there or done again."""
    server = Server(tmp_path, *GENEROUS, program=("-c", FAULTY, what, "8"))

    async def play() -> None:
        clients = await table_of(server, "classic", 2)
        for client in clients:
            await client.ready()
        await asyncio.gather(*(play_on(client, Random(1), repeats=2) for client in clients))
        check_table(server, clients)

    run(play())
    assert server.faults()
    with pytest.raises(AssertionError, match="nobody foresaw"):
        server.kill()


def test_a_second_server_on_the_same_file_is_refused_and_hurts_nobody(own_server: Server) -> None:
    table = bots_at_a_table(own_server, pause=0.05)
    words = ["serve", "--host", "127.0.0.1", "--port", "0", "--db", str(own_server.db)]
    second = subprocess.run(
        [sys.executable, "-m", "qwixx", *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (second.returncode, second.stdout) == (1, "")
    assert "in use by another qwixx server" in second.stderr
    assert len(second.stderr.splitlines()) == 1
    until(lambda: own_server.record(table)[0] == 200, "the first server does not go on")


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("failing"), *GENEROUS, program=("-c", FAILING))
    yield server
    server.kill()


@pytest.mark.parametrize("game", qwixx.ids())
def test_a_bot_that_fails_is_told_and_a_simpler_one_plays_on(failing: Server, game: str) -> None:
    """Every level of every game: it is shown at the table and in the log who fails,
    down to one that does not."""
    for level in bots.levels(game):
        _play_beside(failing, game, level)


def _play_beside(server: Server, game: str, level: str) -> None:
    async def play() -> Client:
        creator = secret()
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": level}]
        table = await asyncio.to_thread(server.create, game, seats, creator, pause=0)
        ana = Client(server.url(table), creator)
        await ana.come()
        await ana.ready()
        await play_on(ana, Random(1))
        return ana

    chain = {"random": [], "novice": ["random"], "greedy": ["random"]}.get(
        level, ["greedy", "random"]
    )
    ana = run(play())
    events = [json.loads(frame) for frame in ana.frames]
    weakened = [event for event in events if event.get("kind") == "weakened"]
    assert [event["seat"] for event in weakened] == [1] * len(chain)
    assert [event["table"]["seats"][1]["level"] for event in weakened] == chain
    lines = [
        line
        for line in said(server)
        if line["what"] == "a bot failed" and line["table"] == ana.table["id"]
    ]
    assert [(line["bot"], line["stand_in"]) for line in lines] == list(pairwise([level, *chain]))
    record = server.record(ana.table["id"])[1]
    assert record["seats"] == ["Ana", "bot:random"]
    # It does not merely pass.
    assert [event for event in record["events"] if event[:2] == "1:" and event != "1:-"]


def test_a_table_that_was_cut_off_before_its_commitment_gets_one(own_server: Server) -> None:
    creator = secret()
    seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "random"}]
    table = own_server.create("duel", seats, creator, pause=0)
    own_server.kill()
    edit(own_server, "DELETE FROM events WHERE number > 1", "UPDATE events SET awake = NULL")
    own_server.start()

    async def play() -> None:
        ana = Client(own_server.url(table), creator)
        assert (await ana.come())["table"]["commitment"]
        await ana.ready()
        await play_on(ana, Random(1))

    run(play())
    record = own_server.record(table)[1]
    assert len(record["proof"]["key"]) == 64
    assert proof.check(qwixx.read_record(record)[1], 6)


def test_a_game_that_began_without_a_commitment_is_set_aside(own_server: Server) -> None:
    table = own_server.create("duel", BOTS, secret())
    own_server.kill()
    started = """UPDATE events SET event = '{"kind":"started","first":0,"seats":[0,1]}', checksum = NULL"""
    edit(own_server, f"{started} WHERE number = 2")
    own_server.start()
    assert own_server.get(f"/api/tables/{table}")[0] == 500


def test_what_belongs_together_is_on_disk_together(tmp_path: Path) -> None:
    """Killed while tables are being made, on several lines at once:
    no table is there without its commitment."""
    server = Server(tmp_path, *GENEROUS, program=("-c", SMALL_COMMITS))

    def make() -> None:
        for _ in range(2000):
            try:
                server.create("duel", BOTS, secret())
            except (OSError, HTTPException, AssertionError):
                return

    for _ in range(5):
        makers = [threading.Thread(target=make) for _ in range(4)]
        for maker in makers:
            maker.start()
        for _ in range(3):
            goes_on(server, "%")
        server.kill()
        for maker in makers:
            maker.join()
        with closing(sqlite3.connect(server.db)) as db:
            kinds = db.execute(
                "SELECT group_concat(json_extract(event, '$.kind')) FROM events GROUP BY \"table\""
            )
            assert {row for (row,) in kinds} == {"created,committed"}
        server.start()
    server.kill()


def test_a_start_loads_what_goes_on_by_itself_and_nothing_else(own_server: Server) -> None:
    """Finished games and those that wait for a person sleep on disk until somebody comes;
    the list is kept."""
    over = bots_at_a_table(own_server, pause=0)
    until(lambda: own_server.record(over)[0] == 200, "the bots do not end")
    running = bots_at_a_table(own_server, pause=10)
    own_server.create("duel", [{"kind": "open"}] * 2, secret())
    listed = own_server.create(
        "duel", [{"kind": "me", "name": "Ana"}, {"kind": "open"}], secret(), listed=True
    )

    async def play() -> str:
        (ana,) = await table_of(own_server, "classic", 1)  # a game that waits for her to throw
        await ana.ready()
        return str(ana.table["id"])

    waiting = run(play())
    own_server.kill()
    own_server.start()
    until(lambda: len(_resumed(own_server)) == 2, "nothing is resumed")
    assert _resumed(own_server)[-1]["tables"] == 2
    assert b"qwixx_tables 2.0\n" in own_server.get("/metrics")[1]
    lobby = json.loads(own_server.get("/api/tables")[1])["tables"]
    assert [one["table"] for one in lobby] == [listed]
    for table in (over, running, waiting):
        assert own_server.get(f"/api/tables/{table}")[0] == 200


def _resumed(server: Server) -> list[Json]:
    return [line for line in said(server) if line["what"] == "resumed"]


def test_tables_are_forgotten_beside_people_who_play_and_make_the_same_again(
    tmp_path: Path,
) -> None:
    """A table can be asked for, or made again, in the moment in which it is forgotten;
    the server goes on."""
    server = Server(tmp_path, *GENEROUS, "--keep-days", "0", program=("-c", FORGETFUL))
    body = {"secret": secret(), "game": "duel", "seats": [{"kind": "open"}] * 2}
    requests = [json.dumps({**body, "id": f"again-{number:04d}"}).encode() for number in range(20)]

    async def sit_down() -> list[Client]:
        while True:
            try:
                return await table_of(server, "duel", 2)
            except websockets.ConnectionClosedError as end:
                if (
                    end.rcvd is None or end.rcvd.code != NO_TABLE
                ):  # else it was forgotten before anybody came
                    raise

    async def play() -> None:
        clients = await sit_down()
        for client in clients:
            await client.ready()
        await asyncio.gather(*(play_on(client, Random(1)) for client in clients))

    def make() -> None:
        while not done.is_set():
            for request in requests:
                status, answer = server.request("POST", "/api/tables", request)
                made = json.loads(answer)
                assert status == 201 or made["code"] == "not_now", made
                if status == 201:
                    assert server.get(f"/api/tables/{made['table']}")[0] in (200, 404)

    done, failed = threading.Event(), list[BaseException]()
    threading.excepthook, usual = (
        lambda hook: failed.append(hook.exc_value or OSError()),
        threading.excepthook,
    )
    maker = threading.Thread(target=make)
    try:
        maker.start()
        run(play())
        until(
            lambda: any(line["what"] == "pruned" for line in said(server)), "nothing is forgotten"
        )
    finally:
        done.set()
        maker.join()
        threading.excepthook = usual
        server.kill()
    assert not failed
    assert {line["level"] for line in said(server)} == {"info"}


def test_others_are_served_while_a_long_log_is_read(own_server: Server) -> None:
    table = own_server.create("duel", [{"kind": "open"}] * 2, secret())
    own_server.kill()
    pair = ('{"kind":"sat","seat":0,"name":"Ana","holder":"ab"}', '{"kind":"left","seat":0}')
    with closing(sqlite3.connect(own_server.db)) as db, db:
        db.executemany(
            'INSERT INTO events ("table", number, at, event) VALUES (?, ?, 1, ?)',
            [(table, number, pair[(number + 1) % 2]) for number in range(3, 100_001)],
        )
    own_server.start()
    done = threading.Event()

    def come() -> None:
        assert own_server.get(f"/api/tables/{table}")[0] == 200
        done.set()

    visitor = threading.Thread(target=come)
    visitor.start()
    answered = [time.monotonic()]
    while not done.is_set():
        assert own_server.get("/healthz")[0] == 200
        answered.append(time.monotonic())
    visitor.join()
    longest = max(after - before for before, after in pairwise(answered))
    assert longest < (answered[-1] - answered[0]) / 4


def test_coming_and_going_has_a_bound(tmp_path: Path) -> None:
    server = Server(tmp_path, *GENEROUS, "--limit", "seatings_a_minute=8")

    async def come_and_go() -> None:
        table = await asyncio.to_thread(server.create, "duel", [{"kind": "open"}] * 2, secret())
        eve = Client(server.url(table), secret())
        await eve.come()
        answers = []
        for _ in range(20):
            answers += [
                await eve.ask(do="sit", name="Eve", seat=0),
                await eve.ask(do="leave", seat=0),
            ]
        refused = [one["code"] for one in answers if one["type"] == "refused"]
        assert "too_fast" in refused
        assert len(server.log(table)) < 2 + 24

    async def move() -> None:
        (ana,) = await table_of(server, "classic", 1)
        for _ in range(20):
            code = (await ana.ask(do="code"))["code"]
            phone = Client(ana.url, secret())
            heard = await phone.come(code=code)
            if heard["type"] == "refused":
                assert heard["code"] == "too_fast"
                return
            ana = phone
        raise AssertionError("seats move for ever")

    try:
        run(come_and_go())
        run(move())
    finally:
        server.kill()


@pytest.mark.parametrize(
    "damage",
    [
        'UPDATE events SET "table" = CAST(x\'ff\' || "table" AS TEXT)',
        "UPDATE events SET at = 'now'",
    ],
)
def test_one_damaged_entry_keeps_no_other_table_from_going_on(tmp_path: Path, damage: str) -> None:
    """Not even one whose place in the database is damaged."""
    server = Server(tmp_path, *GENEROUS, "--keep-days", "30")
    try:
        tables = sorted(bots_at_a_table(server, pause=0.3) for _ in range(3))
        server.kill()
        edit(server, f"{damage} WHERE \"table\" = '{tables[0]}'")
        server.start()
        for table in tables[1:]:
            goes_on(server, table)
        assert any(line["what"] == "a damaged entry is left out" for line in said(server))
    finally:
        server.kill()


def test_a_level_that_is_no_more_is_played_by_a_simpler_one(own_server: Server) -> None:
    table = bots_at_a_table(own_server, pause=0.1)
    own_server.kill()
    edit(
        own_server, "UPDATE events SET event = replace(event, 'greedy', 'wizard'), checksum = NULL"
    )
    own_server.start()
    for _ in range(4):
        goes_on(own_server, table)
    assert [line["level"] for line in said(own_server) if line["what"] == "a bot failed"] == [
        "error"
    ]


def test_tables_of_the_first_version_are_loaded_once_and_then_sleep(own_server: Server) -> None:
    tables = [bots_at_a_table(own_server, pause=0) for _ in range(3)]
    until(
        lambda: all(own_server.record(table)[0] == 200 for table in tables), "the bots do not end"
    )
    own_server.kill()
    edit(own_server, "UPDATE events SET awake = NULL, checksum = NULL")
    for start in (2, 3):
        own_server.start()
        until(lambda start=start: len(_resumed(own_server)) == start, "nothing is resumed")  # type: ignore[misc] # of a default
        own_server.stop()
    own_server.start()
    until(lambda: len(_resumed(own_server)) == 4, "nothing is resumed")
    assert b"qwixx_tables 0.0\n" in own_server.get("/metrics")[1]
