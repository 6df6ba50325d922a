"""A server in a process of its own, and clients that play on it over real sockets."""

import asyncio
import atexit
import itertools
import json
import os
import secrets
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Coroutine, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from random import Random
from typing import Any, ClassVar, TypeVar

import websockets
from chain import Chains
from websockets.asyncio.client import ClientConnection, connect

from qwixx.server.faults import FAULT

# Seconds for what comes in milliseconds where nobody else is at work: a busy machine is no fault.
PATIENCE = 120.0
METRICS_TOKEN = "numbers-for-tests"
Json = dict[str, Any]
T = TypeVar("T")

# Leads to this machine in the browsers of the tests.
NAMED = "qwixx.test"
# A name to come by, and limits that no test runs into by accident.
GENEROUS = ["--origin", f"http://{NAMED}"] + [
    word
    for limit in (
        "requests_a_second=100000",
        "requests_burst=100000",
        "messages_a_second=100000",
        "messages_burst=100000",
        "pages_a_second=100000",
        "pages_burst=100000",
        "lines_a_second=100000",
        "lines_burst=100000",
        "lines_an_address=100000",
        "connects_a_second=100000",
        "connects_burst=100000",
        "sockets_an_address=100000",
        "tables_an_hour=1000000",
        "seatings_a_minute=1000000",
        "hints_a_minute=1000000",
        "hints_burst=1000000",
        "values_a_minute=1000000",
        "values_seconds=600",
        "values_burst=1000000",
    )
    for word in ("--limit", limit)
]


def free_port() -> int:
    """A port that nobody listens on, and that nobody else is given as long as this process lives:
    another test's server would answer there. Not one that the system may give to any line."""
    for port in secrets.SystemRandom().sample(range(12_000, 32_000), 1000):
        with ExitStack() as unless_free:
            held = unless_free.enter_context(socket.socket())
            with suppress(OSError):
                held.bind(("0.0.0.0", port))  # noqa: S104 - nobody is let in
                # Whoever wants to listen there and says the same, as servers do, may.
                held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                _HELD.push(unless_free.pop_all())
                return port
    raise AssertionError("no port is free")


_HELD = ExitStack()
atexit.register(_HELD.close)


def _is_fault(line: str) -> bool:
    try:
        said = json.loads(line)
    except ValueError:  # half a line of one that was killed, or a plain sentence
        return False
    expected = said["from"] == "qwixx.server" and not said["what"].startswith(FAULT)
    return said["level"] in ("error", "critical") and not expected


class Server:
    """`qwixx serve` on a port of its own. It can be killed and started again on the same database.

    `program` is what Python runs: qwixx itself, or something that changes its world first.
    """

    def __init__(
        self,
        folder: Path,
        *words: str,
        program: Sequence[str] = ("-m", "qwixx"),
        url: str | None = None,
    ) -> None:
        self.db = folder / "tables.db"
        self.place = url or str(
            self.db
        )  # of the tables: a database of others, or a file of its own
        self.port = free_port()
        self.errors = folder / (f"errors-{self.port}.log" if url else "errors.log")
        self.words = words
        self.program = program
        self.start()

    def start(self) -> None:
        command = [
            sys.executable,
            *self.program,
            "serve",
            "--host",
            "127.0.0.1",
            "--port",
            str(self.port),
        ]
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                [*command, "--db", self.place, *self.words],
                stdout=subprocess.DEVNULL,
                stderr=errors,
                env={**os.environ, "QWIXX_METRICS_TOKEN": METRICS_TOKEN},
            )
        self.wait()

    def wait(self) -> None:
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                status, _ = self.get("/healthz")
            except OSError:
                assert self.process.poll() is None, self.errors.read_text()
                time.sleep(0.05)
            else:
                assert status == 200
                return
        raise AssertionError("the server does not answer")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.check()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=PATIENCE)
        self.check()
        return status

    def faults(self) -> list[str]:
        """What went wrong in it that it had not foreseen: such errors end in its log, not with its
        clients, and never as a traceback."""
        lines = self.errors.read_text().splitlines()
        return [line for line in lines if "Traceback" in line or _is_fault(line)]

    def check(self) -> None:
        assert not self.faults(), self.faults()

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        return self.request("GET", path, None, **headers)

    def request(
        self, method: str, path: str, body: bytes | None, **headers: str
    ) -> tuple[int, bytes]:
        if path == "/metrics":
            headers = {"Authorization": f"Bearer {METRICS_TOKEN}", **headers}
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", body, headers=headers, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - our own server
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def create(self, game: str, seats: list[Json], secret: str, **options: Any) -> str:
        """A table; among the options there may be a position to go on from."""
        body = {
            "id": secrets.token_hex(8),
            "secret": secret,
            "game": game,
            "seats": seats,
            "position": options.pop("position", None),
            "options": options,
        }
        status, answer = self.request("POST", "/api/tables", json.dumps(body).encode())
        assert status == 201, answer
        return str(json.loads(answer)["table"])

    def record(
        self, table: str, secret: str | None = None, number: int | None = None
    ) -> tuple[int, Json]:
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        query = f"?round={number}" if number else ""
        status, answer = self.get(f"/api/tables/{table}/record{query}", **headers)
        return status, json.loads(answer)

    def log(self, table: str) -> list[tuple[int, Json]]:
        """What is on disk, read past the server."""
        with closing(sqlite3.connect(f"file:{self.db}?mode=ro", uri=True)) as db:
            query = 'SELECT number, event FROM events WHERE "table" = ? ORDER BY number'
            return [(number, json.loads(event)) for number, event in db.execute(query, (table,))]

    def url(self, table: str) -> str:
        return f"ws://127.0.0.1:{self.port}/api/tables/{table}/socket"


def until(seen: Callable[[], bool], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def workers(server: Server) -> list[int]:
    """The processes of a server in which somebody thinks."""
    threads = Path(f"/proc/{server.process.pid}/task").glob("*/children")
    found = [int(pid) for thread in threads for pid in thread.read_text().split()]
    return [pid for pid in found if thinks(pid)]


def thinks(pid: int) -> bool:
    """Whether this is such a process, and there."""
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def secret() -> str:
    return secrets.token_urlsafe(16)


NO_PONG = 1011  # a line is closed with this if its pings were not answered


class Client:
    """A person at a table: keeps what it has seen, comes back when the line breaks,
    and notes every frame."""

    ids = itertools.count()
    lines: ClassVar[list[ClientConnection]] = []
    # A secret is a browser's, and so are its chains.
    browsers: ClassVar[dict[str | None, Chains]] = {}

    def __init__(self, url: str, secret: str | None) -> None:
        self.url = url
        self.secret = secret
        self.line: ClientConnection | None = None
        self.number = 0
        self.frames: list[str] = []
        self.numbers: list[int] = []
        self.table: Json = {}
        self.play: Json | None = None
        self.chosen: list[int] = []
        self.mine: dict[str, str] = {}
        self.yours: list[int] = []
        self.answers: dict[str, Json] = {}
        self.more = False
        self.chains = self.browsers.setdefault(secret, Chains())
        self.dice_of: Json = {}  # the table as its last message told
        self.asks: list[Json] = []
        self.answers_asks = True
        self.inbox: asyncio.Queue[str | Exception] = asyncio.Queue()

    async def come(self, **more: Any) -> Json:
        """Open the line and say hello; the welcome."""
        line = await connect(self.url, max_size=None, open_timeout=PATIENCE, ping_interval=None)
        self.take(line)
        self.lines.append(line)
        hello = {"do": "hello", "secret": self.secret, "version": self.number or None, **more}
        await line.send(json.dumps(hello))
        while True:
            heard = await self.hear()
            if heard["type"] in ("welcome", "refused"):
                return heard

    def take(self, line: ClientConnection) -> None:
        """What comes over this line is heard from now on."""
        self.line, self.inbox = line, asyncio.Queue()
        self.reading = asyncio.create_task(self.read(line, self.inbox))

    async def go(self) -> None:
        """Break the line without a word."""
        assert self.line
        self.line.transport.abort()
        self.line = None

    async def hear(self, seconds: float = PATIENCE) -> Json:
        """The next message, but for those that a page answers by itself."""
        assert self.line
        text = await asyncio.wait_for(self.inbox.get(), seconds)
        if isinstance(text, Exception):
            raise text
        self.frames.append(text)
        heard: Json = json.loads(text)
        self.note(heard)
        return heard

    async def read(self, line: ClientConnection, inbox: asyncio.Queue[str | Exception]) -> None:
        """As a page does, whether the person looks or not: what comes is kept, and links that are asked
        for are brought at once."""
        try:
            while True:
                text = await line.recv()
                assert isinstance(text, str)
                heard = json.loads(text)
                self.dice_of = heard.get("table") or self.dice_of
                if heard["type"] != "ask":
                    inbox.put_nowait(text)
                    continue
                self.asks.append(heard)
                link = self.chains.next(self.dice_of, heard["digest"], heard["last"])
                if self.answers_asks and link is not None:
                    await line.send(
                        json.dumps({"do": "link", "throw": heard["throw"], "link": link})
                    )
        except Exception as error:  # noqa: BLE001 - whoever hears is told
            inbox.put_nowait(error)

    def note(self, heard: Json) -> None:
        match heard["type"]:
            case "welcome":
                if heard["missed"] is not None and self.number:
                    missed = [one["number"] for one in heard["missed"]]
                    assert missed == list(range(self.number + 1, heard["number"] + 1)), (
                        "a gap in what was missed"
                    )
                self.numbers.append(heard["number"])
                self.number, self.more = heard["number"], False
                self.table, self.play, self.chosen = heard["table"], heard["play"], heard["chosen"]
                self.yours, self.mine = heard["yours"], heard["mine"]
            case "event":
                assert heard["number"] == self.number + 1, "a gap or a double"
                self.number = heard["number"]
                self.numbers.append(self.number)
                self.table = heard.get("table") or self.table
                self.play = heard.get("play") or self.play
                self.chosen = heard.get("chosen", self.chosen)
                self.more = heard.get("more", False)
                if heard.get("id"):
                    self.answers[heard["id"]] = heard
            case "accepted" | "refused" | "code":
                if heard["id"]:
                    self.answers[heard["id"]] = heard

    def command(self, **command: Any) -> Json:
        return {"id": f"test-{next(self.ids):010d}", **command}

    async def say(self, command: Json) -> None:
        assert self.line
        await self.line.send(json.dumps(command))

    async def ask(self, **command: Any) -> Json:
        """Send a command and wait for what becomes of it;
        again, if this machine was too busy to answer pings."""
        sent = self.command(**command)
        while True:
            try:
                await self.say(sent)
                return await self.answer(sent)
            except websockets.ConnectionClosedError as error:
                if error.rcvd is None or error.rcvd.code != NO_PONG:
                    raise
                await self.come()

    async def answer(self, sent: Json) -> Json:
        while sent["id"] not in self.answers:
            await self.hear()
        return self.answers[sent["id"]]

    async def ready(self, *seats: int) -> None:
        """Whoever is the last waits until the game runs."""
        for seat in seats or self.yours:
            await self.ask(do="ready", seat=seat, chain=self.chains.end(self.table))
        if all(seat["ready"] or seat["stand_in"] for seat in self.table["seats"]):
            await self.begun()

    async def begun(self) -> None:
        """Hear until the game runs: everybody's page takes part in drawing who begins."""
        while self.table["status"] != "playing" or self.more:
            await self.hear()

    async def commit(self) -> Json:
        """Commit to this browser's chain, where the seats came without it."""
        return await self.ask(do="chain", chain=self.chains.end(self.table))

    def throw(self, seat: int) -> Json:
        """To throw the dice, with this page's own link."""
        assert self.play
        digest = self.play["digest"]
        link = self.chains.next(self.table, digest) if digest else None
        return {"do": "roll", "seat": seat, "seen": self.number, "link": link}

    def wish(self, rng: Random) -> Json | None:
        """What this person would do now, if anything."""
        if self.table.get("status") != "playing" or self.play is None or self.more:
            return None
        for seat in self.yours:
            if self.play["phase"] == "roll":
                if self.play["active"] == seat:
                    return self.throw(seat)
            elif seat in self.play["to_act"] and seat not in self.chosen:
                moves = [move["move"] for move in self.play["moves"][str(seat)]]
                if len(moves) > 1:  # else the server passes for us
                    return {
                        "do": "choose",
                        "seat": seat,
                        "move": rng.choice(moves),
                        "seen": self.number,
                    }
        return None


def run(work: Coroutine[Any, Any, T]) -> T:
    """Like asyncio.run, and every line is broken off in the end."""

    async def main() -> T:
        Client.lines.clear()  # those of a loop that has ended are gone
        try:
            return await work
        finally:
            for line in Client.lines:
                line.transport.abort()
            Client.lines.clear()
            await asyncio.sleep(0.05)

    return asyncio.run(main())


LOST = (
    OSError,
    websockets.ConnectionClosed,
    asyncio.TimeoutError,
    websockets.InvalidHandshake,
    TimeoutError,
)


async def play_on(
    client: Client, rng: Random, breaks: float = 0.0, repeats: int = 1, until: float = 1e9
) -> None:
    """Play to the end of the round through whatever happens to the line,
    sending commands up to `repeats` times."""
    pending: Json | None = None
    deadline = time.monotonic() + min(until, 4 * PATIENCE)
    while time.monotonic() < deadline:
        try:
            if client.line is None:
                await client.come()
            if client.table["status"] == "over":
                return
            if pending is not None and pending["id"] in client.answers:
                pending = None
            if pending is None and (wish := client.wish(rng)):
                pending = client.command(**wish)
            if pending is not None:
                for _ in range(rng.randint(1, repeats)):
                    await client.say(pending)
            if rng.random() < breaks:
                await client.go()
                continue
            await client.hear(20)
            while (
                pending is not None
                and pending["id"] not in client.answers
                and client.line is not None
            ):
                await client.hear(20)
        except LOST:
            if client.line is not None:
                client.line.transport.abort()
            client.line = None
            await asyncio.sleep(0.05)
    raise AssertionError(f"not over in time: {client.number}")
