"""Strangers by the hundred: what they cost is bounded, and nobody else notices them."""

import asyncio
import contextlib
import json
import re
import resource
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from client import PATIENCE, Client, Server, run, secret
from starlette.requests import Request

from hostile import KINDS, Storm, addresses
from qwixx.server import garbage
from qwixx.server.gate import Gate
from qwixx.server.limits import Limits
from qwixx.server.metrics import Metrics
from qwixx.server.settings import Settings
from qwixx.server.web import App
from sweeps import sweep_of_several

HASTY = [
    word
    for limit in ("head_seconds=2", "body_seconds=3", "unread_seconds=3")
    for word in ("--limit", limit)
]


def files_of(server: Server) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


def turned_away(server: Server) -> dict[str, float]:
    said = server.get("/metrics")[1].decode()
    found = re.findall(r'^qwixx_turned_away_total\{reason="(\w+)"\} (\S+)$', said, re.MULTILINE)
    return {reason: float(count) for reason, count in found}


@pytest.fixture(scope="module")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with little patience."""
    server = Server(tmp_path_factory.mktemp("hasty"), *HASTY)
    yield server
    server.kill()


def test_every_kind_of_hostile_line_comes_to_its_end(hasty: Server) -> None:
    table = hasty.create("duel", [{"kind": "open"}] * 2, secret())
    before = files_of(hasty)

    async def attack() -> None:
        ana = Client(hasty.url(table), secret())
        await ana.come()
        assert len(KINDS) >= 20
        sources = tuple(addresses(len(KINDS)))
        storm = Storm(hasty.port, table, 2 * len(KINDS), len(KINDS), sources=sources)
        found = await storm.blow()
        assert not {name for name, ends in found.items() if ends["let in"] or ends["not ended"]}
        answer = await ana.ask(do="sit", name="Ana", seat=0)
        assert answer["kind"] == "sat", "who was there is still heard"

    run(attack())
    reasons = turned_away(hasty)
    assert {"too_large", "bad_request", "slow_head", "slow_body", "crowded"} <= set(reasons)
    assert {"frames_too_fast", "frames_unreadable", "frames_no_text", "no_pong"} <= set(reasons)
    assert {"foreign", "unknown_host"} <= set(reasons)
    said = hasty.get("/metrics")[1].decode()
    assert {"bad"} <= set(re.findall(r'qwixx_dropped_total{reason="(\w+)"}', said))
    deadline = time.monotonic() + PATIENCE
    while files_of(hasty) > before + 3:
        assert time.monotonic() < deadline, "lines are left behind"
        time.sleep(0.2)
    said = hasty.errors.read_text()
    levels = {json.loads(line)["level"] for line in said.splitlines()}
    assert levels <= {"info", "warning"}, said


def test_everything_is_looked_through_only_when_a_crowd_has_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    collected: list[tuple[int, ...]] = []
    monkeypatch.setattr("gc.collect", lambda *generation: collected.append(generation))
    monkeypatch.setattr(garbage, "_ends", 0)
    monkeypatch.setattr(garbage, "_ends_looked_at", 0)
    for _ in range(3):
        for _ in range(garbage.ENDS_FEW):
            garbage.ended()
        garbage.when_quiet(living=10)
    assert () not in collected, "others of it come and go"
    garbage.when_quiet(living=garbage.LIVING_FEW)
    assert () not in collected, "among so many it takes long"
    garbage.when_quiet(living=10)
    garbage.when_quiet(living=10)
    assert collected == [()], "and then once"


# Nothing is collected but what this counts, at the end.
WITHOUT_COLLECTING = """
import gc, json, pathlib
from collections import Counter
from qwixx.cli import main
from qwixx.server import garbage, run

garbage.ended = lambda: None
garbage.when_quiet = lambda living: None

class Counting(run.Server):
    async def shutdown(self, sockets=None):
        await super().shutdown(sockets)
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        found = Counter(type(one).__name__ for one in gc.garbage)
        pathlib.Path({!r}).write_text(json.dumps(found))

run.Server = Counting
main()
"""


def test_lines_that_end_leave_no_garbage_for_a_collection_to_find(tmp_path: Path) -> None:
    """Fifty objects of each had to be looked for, which kept everybody waiting, and until then kept
    their memory."""
    told = tmp_path / "garbage.json"
    program = WITHOUT_COLLECTING.format(str(told))
    server = Server(tmp_path, *HASTY, program=("-c", program))
    table = server.create("duel", [{"kind": "open"}] * 2, secret())
    sources = tuple(addresses(len(KINDS)))
    run(Storm(server.port, table, 3 * len(KINDS), len(KINDS), sources=sources).blow())
    server.stop()
    found = json.loads(told.read_text())
    lines = ("Http", "WebSocket", "ServerProtocol", "RequestResponseCycle", "Socket", "Refusal")
    assert not {name: found[name] for name in lines if name in found}


@pytest.mark.parametrize("kind", ["pings", "pongs", "empty_fragments", "many_messages"])
def test_a_flood_of_frames_is_read_a_few_at_a_time(hasty: Server, kind: str) -> None:
    """Twelve megabytes of such frames kept everybody waiting for many seconds."""
    table = hasty.create("duel", [{"kind": "open"}] * 2, secret())

    def spent() -> float:
        fields = Path(f"/proc/{hasty.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    before = spent()
    run(Storm(hasty.port, table, 20, 20, (kind,), tuple(addresses(20))).blow())
    assert spent() - before < 20, "of processor, for 20 lines of 100,000 frames each"


FEW_FILES = (
    "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, ({0}, {0})); "
    "from qwixx.cli import main; main()"
)


@pytest.mark.parametrize(("files", "lines"), sweep_of_several([(300, 340), (1024, 1100)]))
def test_idle_lines_lock_nobody_out(tmp_path: Path, files: int, lines: int) -> None:
    """More of them than the server may have files, each from an address of its own."""
    own, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, max(own, lines + 500)), most))
    server = Server(tmp_path, program=("-c", FEW_FILES.format(files)))
    table = server.create("duel", [{"kind": "open"}] * 2, secret())

    async def crowd() -> None:
        ana = Client(server.url(table), secret())
        await ana.come()
        with contextlib.ExitStack() as idle:
            for number, source in enumerate(addresses(lines)):
                line = socket.create_connection(
                    ("127.0.0.1", server.port), PATIENCE, source_address=(source, 0)
                )
                idle.enter_context(line)
                if number % 100 == 99:
                    status, _ = await asyncio.to_thread(server.get, "/healthz")
                    assert status == 200
            assert (await ana.ask(do="sit", name="Ana", seat=0))["kind"] == "sat"
            assert (await asyncio.to_thread(server.get, "/healthz"))[0] == 200

    try:
        run(crowd())
        assert turned_away(server)["crowded_out"] >= lines - files
    finally:
        server.kill()


def test_one_address_has_so_many_lines_and_no_more(tmp_path: Path) -> None:
    server = Server(tmp_path, "--limit", "lines_an_address=10")
    with contextlib.ExitStack() as open_lines:
        for _ in range(10):
            line = socket.create_connection(("127.0.0.1", server.port), PATIENCE, ("127.9.9.9", 0))
            open_lines.enter_context(line)
        line = socket.create_connection(("127.0.0.1", server.port), PATIENCE, ("127.9.9.9", 0))
        open_lines.enter_context(line)
        said = line.recv(4000)
        assert said.startswith(b"HTTP/1.1 429 ")
        assert b"too many connections from here" in said
        assert server.get("/healthz")[0] == 200, "others come in"
    assert turned_away(server) == {"too_many": 1}
    server.stop()
    told = [json.loads(line) for line in server.errors.read_text().splitlines()]
    assert [one["last"] for one in told if one["what"] == "lines were turned away"] == ["127.9.9.9"]


class FakeLine:
    def __init__(self, *, idle: bool) -> None:
        self.peer = ""
        self.until = 1e9
        self.idle = idle
        self.ended = ""

    def end(self, reason: str) -> None:
        self.ended = reason

    def linger(self, now: float) -> None:
        if now >= self.until:
            self.end("late")


def test_when_all_places_are_taken_the_idle_go_first_and_then_those_of_whoever_has_most() -> None:
    gate = Gate(Limits(lines=10), Metrics())
    home, greedy = FakeLine(idle=False), [FakeLine(idle=False) for _ in range(8)]
    waiting = FakeLine(idle=True)
    assert gate.enter(home, "192.0.2.1") is None
    assert [gate.enter(line, "192.0.2.2") for line in greedy] == [None] * 8
    assert gate.enter(waiting, "192.0.2.3") is None
    assert gate.enter(FakeLine(idle=False), "192.0.2.4") is None
    assert waiting.ended == "crowded_out"
    assert gate.enter(FakeLine(idle=False), "192.0.2.5") is None
    assert (greedy[0].ended, home.ended) == ("crowded_out", "")
    assert gate.enter(FakeLine(idle=False), "192.0.2.2") == "full", "it has most itself"
    assert len(gate.lines) == sum(gate.by_address.values()) == 10


def test_lines_that_come_by_a_proxy_are_not_counted_as_one_visitor() -> None:
    gate = Gate(Limits(lines_an_address=2), Metrics(), "10.0.0.0/8, 192.0.2.9")
    for host in ("10.1.2.3", "192.0.2.9"):
        assert [gate.enter(FakeLine(idle=False), host) for _ in range(5)] == [None] * 5
    assert [gate.enter(FakeLine(idle=False), "192.0.2.8") for _ in range(3)][-1] == "too_many"


def test_thousands_of_lines_are_each_looked_at_in_turn() -> None:
    gate = Gate(Limits(), Metrics())
    lines = [FakeLine(idle=False) for _ in range(3000)]
    for number, line in enumerate(lines):
        line.until = 5
        gate.enter(line, f"192.0.{number // 200}.{number % 200}")
    for _ in range(4):
        gate.sweep(now=6)
    assert {line.ended for line in lines} == {"late"}


def test_where_others_find_the_server_is_looked_up_once_for_all_who_ask_at_once() -> None:
    """Each had a thread of its own, for which everybody waited."""
    looked: list[str] = []

    def look() -> list[str]:
        looked.append("")
        return ["http://192.0.2.7:8737/"]

    async def ask() -> list[bytes]:
        app = App(Settings(), look, only_here=False)
        scope = {
            "type": "http",
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 8737),
            "scheme": "http",
            "path": "/api/games",
            "query_string": b"",
            "headers": [(b"host", b"127.0.0.1:8737")],
        }
        answers = await asyncio.gather(*(app.offer(Request(scope)) for _ in range(50)))
        return [bytes(answer.body) for answer in answers]

    assert all(b"192.0.2.7" in body for body in asyncio.run(ask()))
    assert len(looked) == 1
