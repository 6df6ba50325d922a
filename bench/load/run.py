"""Load on the real server over loopback,
beside a bare echo-and-commit server of the same libraries.

Every socket sits at a table and plays random legal moves. First as fast as it goes, in turns with
the bare server; then thousands of sockets at a steady rate, with the time from a move's sending to
its being heard, on disk. The server runs on one core, the load on another. It is bounded in
sockets, moves and time.

    python bench/load/run.py
"""

import argparse
import asyncio
import gc
import hashlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import deque
from pathlib import Path
from typing import Any

import msgspec
from wire import Line, connect, pin

HERE = Path(__file__).parent
LIMITS = {
    "messages_a_second": 100000,
    "messages_burst": 100000,
    "requests_a_second": 100000,
    "requests_burst": 100000,
    "pages_a_second": 100000,
    "pages_burst": 100000,
    "lines_a_second": 100000,
    "lines_burst": 100000,
    "lines_an_address": 100000,
    "connects_a_second": 100000,
    "connects_burst": 100000,
    "sockets_an_address": 100000,
    "tables_an_hour": 1000000,
    "seatings_a_minute": 1000000,
}


class Move(msgspec.Struct):
    move: str


class Play(msgspec.Struct):
    phase: str
    active: int
    to_act: list[int]
    moves: dict[str, list[Move]]


class Heard(msgspec.Struct):
    """What the load needs to know of a frame."""

    type: str
    number: int = 0
    id: str | None = None
    kind: str = ""
    play: Play | None = None
    code: str = ""
    throw: int | None = None


_heard = msgspec.json.Decoder(Heard)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Process:
    """A server in a process of its own, on the first core."""

    def __init__(self, *words: str, port: int) -> None:
        cores = sorted(os.sched_getaffinity(0))
        self.port = port
        self.process = subprocess.Popen(
            [sys.executable, *words],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            preexec_fn=(lambda: os.sched_setaffinity(0, cores[:1])) if len(cores) > 1 else None,  # noqa: PLW1509
        )

    def wait(self) -> None:
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise RuntimeError("the server did not start")

    def memory(self) -> int:
        """Resident bytes."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE")

    def cpu(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=20)


def chain() -> list[str]:
    """A hash chain, its end last."""
    links = [os.urandom(32)]
    for _ in range(300):
        links.append(hashlib.sha256(links[-1]).digest())
    return [link.hex() for link in links]


class Player:
    """One socket at a table, playing its own seat at random."""

    def __init__(self, load: "Load", line: Line, seat: int, secret: str) -> None:
        self.load = load
        self.line = line
        self.seat = seat
        self.secret = secret
        self.number = 0
        self.sent = 0
        self.whole = chain()
        self.chain: list[str] = []  # what is left of it, the next link last
        self.pending: tuple[str, float] | None = None
        self.table = ""
        line.heard = self.hear

    def hello(self) -> None:
        self.line.send(msgspec.json.encode({"do": "hello", "secret": self.secret}))

    def hear(self, text: bytes) -> None:
        heard = _heard.decode(text)
        if heard.type == "welcome":
            self.load.welcomed += 1
            return
        if heard.type == "refused":
            self.load.refused[heard.code] = self.load.refused.get(heard.code, 0) + 1
            return
        if heard.type == "ask":
            link = {"do": "link", "throw": heard.throw, "link": self.chain.pop()}
            self.line.send(msgspec.json.encode(link))
        if heard.type == "event":
            self.happened(heard)

    def happened(self, heard: Heard) -> None:
        self.number = heard.number
        if self.seat == 0:
            self.load.moves += 1
        if self.pending and heard.id == self.pending[0]:
            self.load.heard(time.perf_counter() - self.pending[1])
            self.pending = None
        if heard.kind == "chose" and heard.play and heard.play.phase == "over":
            if self.seat == 0:
                self.say({"do": "rematch"})
        elif heard.kind == "committed":
            self.begin()
        elif heard.play:
            self.act(heard.play)

    def begin(self) -> None:
        self.chain = self.whole.copy()  # the same in every round, to be quick
        self.say({"do": "ready", "seat": self.seat, "chain": self.chain.pop()})

    def act(self, play: Play) -> None:
        if play.phase == "roll":
            if play.active == self.seat:
                self.load.want(self, {"do": "roll", "seat": self.seat, "link": self.chain.pop()})
        elif self.seat in play.to_act:
            moves = play.moves[str(self.seat)]
            if len(moves) > 1:
                move = random.choice(moves[1:]).move
                self.load.want(self, {"do": "choose", "seat": self.seat, "move": move})

    def say(self, command: dict[str, Any]) -> str:
        self.sent += 1
        command["id"] = f"{self.seat}-{self.secret[:6]}-{self.sent:06d}"
        self.line.send(msgspec.json.encode(command))
        return str(command["id"])

    def move(self, command: dict[str, Any]) -> None:
        before = time.perf_counter()
        self.pending = (self.say({**command, "seen": self.number}), before)


class Load:
    """Players at their tables. With no rate everybody moves as soon as they can."""

    def __init__(self, rate: float | None) -> None:
        self.rate = rate
        self.ready: deque[tuple[Player, dict[str, Any]]] = deque()
        self.latencies: list[float] = []
        self.counting = False
        self.moves = 0
        self.welcomed = 0
        self.refused: dict[str, int] = {}

    def want(self, player: Player, command: dict[str, Any]) -> None:
        if self.rate is None:
            player.move(command)
        else:
            self.ready.append((player, command))

    def heard(self, seconds: float) -> None:
        if self.counting:
            self.latencies.append(seconds)

    async def pace(self) -> None:
        """Let waiting players move at the given rate, evenly."""
        assert self.rate
        start, done = time.perf_counter(), 0
        while True:
            due = int((time.perf_counter() - start) * self.rate)
            while done < due:
                done += 1
                if self.ready:
                    player, command = self.ready.popleft()
                    player.move(command)
            await asyncio.sleep(0.001)


def new_table(port: int, seats: int, secrets: list[str]) -> str:
    plans = [{"kind": "me", "name": "A"}, *[{"kind": "open"}] * (seats - 1)]
    body = {
        "id": secrets[0],
        "secret": secrets[0],
        "game": "classic",
        "seats": plans,
        "options": {"pause": 0},
    }
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/tables", json.dumps(body).encode()
    )
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - our own server
        return str(json.load(answer)["table"])


async def sit_down(load: Load, port: int, tables: int, seats: int) -> list[Player]:
    players: list[Player] = []
    for number in range(tables):
        secrets = [random.randbytes(16).hex() for _ in range(seats)]
        table = await asyncio.to_thread(new_table, port, seats, secrets)
        for seat in range(seats):
            line = await connect("127.0.0.1", port, f"/api/tables/{table}/socket")
            player = Player(load, line, seat, secrets[seat])
            player.table = table
            players.append(player)
            if seat == 0:
                player.hello()
            else:
                await take_seat(player)
        if number % 200 == 199:
            print(f"  {len(players)} sockets", file=sys.stderr, flush=True)
    while load.welcomed < len(players):
        await asyncio.sleep(0.05)
    gc.collect()
    gc.disable()  # a pause of the load's own would look like one of the server's
    for player in players:
        player.begin()
    return players


async def take_seat(player: Player) -> None:
    """Sit down in an open seat before saying ready."""
    seated = asyncio.get_running_loop().create_future()

    def wait(text: bytes) -> None:
        heard = _heard.decode(text)
        if heard.type == "welcome":
            player.say({"do": "sit", "name": "B", "seat": player.seat})
        elif heard.type == "event" and heard.kind == "sat" and not seated.done():
            seated.set_result(None)

    player.line.heard = wait
    player.hello()
    await seated
    player.line.heard = player.hear
    player.load.welcomed += 1


def our_server(folder: str, db: str | None = None) -> Process:
    port = free_port()
    limits = [word for name, bound in LIMITS.items() for word in ("--limit", f"{name}={bound}")]
    words = [
        "-m",
        "qwixx",
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--db",
        db or f"{folder}/ours-{port}.db",
    ]
    process = Process(*words, *limits, port=port)
    process.wait()
    return process


async def fastest_ours(
    tables: int, seats: int, seconds: float, folder: str, db: str | None = None
) -> float:
    process = our_server(folder, db)
    try:
        load = Load(None)
        players = await sit_down(load, process.port, tables, seats)
        await asyncio.sleep(1)
        before, start = load.moves, time.perf_counter()
        await asyncio.sleep(seconds)
        speed = (load.moves - before) / (time.perf_counter() - start)
        for player in players:
            player.line.transport.abort()
        if load.refused:
            print(f"  refused: {load.refused}", file=sys.stderr)
        return speed
    finally:
        await asyncio.to_thread(process.stop)


async def fastest_bare(groups: int, size: int, seconds: float, folder: str) -> float:
    port = free_port()
    process = Process(str(HERE / "bare.py"), str(port), f"{folder}/bare-{port}.db", port=port)
    process.wait()
    echoed, lines = 0, []

    def talk(line: Line, name: bytes) -> None:
        def hear(text: bytes) -> None:
            nonlocal echoed
            if name in text:
                echoed += 1
                line.send(text)

        line.heard = hear
        line.send(
            msgspec.json.encode(
                {"do": "choose", "id": name.decode(), "seat": 0, "move": "R7", "seen": 123}
            )
        )

    try:
        for group in range(groups):
            for member in range(size):
                line = await connect("127.0.0.1", port, f"/{group}")
                lines.append(line)
                talk(line, f"name-{group:05d}-{member}".encode())
        await asyncio.sleep(1)
        before, start = echoed, time.perf_counter()
        await asyncio.sleep(seconds)
        speed = (echoed - before) / (time.perf_counter() - start)
        for line in lines:
            line.transport.abort()
        return speed
    finally:
        await asyncio.to_thread(process.stop)


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] * 1000


async def steady(
    sockets: int, seats: int, rate: float, seconds: float, folder: str
) -> dict[str, Any]:
    process = our_server(folder)
    try:
        empty = process.memory()
        load = Load(rate)
        players = await sit_down(load, process.port, sockets // seats, seats)
        pace = asyncio.create_task(load.pace())
        await asyncio.sleep(5)
        load.counting, before, start, cpu = True, load.moves, time.perf_counter(), process.cpu()
        await asyncio.sleep(seconds)
        load.counting, took, used = False, time.perf_counter() - start, process.cpu() - cpu
        moves, full = load.moves - before, process.memory()
        pace.cancel()
        dropped = sum(player.line.closed for player in players)
        for player in players:
            player.line.transport.abort()
        return {
            "sockets": len(players),
            "moves_per_second": round(moves / took),
            "p50_ms": round(percentile(load.latencies, 0.5), 2),
            "p99_ms": round(percentile(load.latencies, 0.99), 2),
            "max_ms": round(max(load.latencies) * 1000, 2),
            "server_core": round(used / took, 2),
            "bytes_per_socket": round((full - empty) / len(players)),
            "dropped": dropped,
            "refused": load.refused,
        }
    finally:
        await asyncio.to_thread(process.stop)


async def beside_stopped(tables: int, rate: float, seconds: float, folder: str) -> dict[str, Any]:
    """The others' wait without and with a stopped reader at every table, in one run."""
    process = our_server(folder)
    reader = None
    try:
        load = Load(rate)
        players = await sit_down(load, process.port, tables, 2)
        pace = asyncio.create_task(load.pace())
        found: dict[str, Any] = {"tables": tables}
        for name in ("alone", "beside"):
            if name == "beside":
                names = [player.table for player in players if player.seat == 0]
                words = [sys.executable, str(HERE / "reader.py"), str(process.port), *names]
                reader = subprocess.Popen(words, stdout=subprocess.PIPE)
                assert reader.stdout
                await asyncio.to_thread(reader.stdout.readline)
                reader.send_signal(signal.SIGSTOP)
            load.latencies.clear()
            load.counting = True
            await asyncio.sleep(seconds)
            load.counting = False
            found[f"p50_ms_{name}"] = round(percentile(load.latencies, 0.5), 2)
            found[f"p99_ms_{name}"] = round(percentile(load.latencies, 0.99), 2)
        pace.cancel()
        for player in players:
            player.line.transport.abort()
        return found
    finally:
        if reader is not None:
            reader.kill()
            reader.communicate()
        await asyncio.to_thread(process.stop)


async def measure(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        for seats in (1, 2) if options.rounds else ():
            shares = []
            for _ in range(options.rounds):
                tables = options.race_sockets // seats
                bare = await fastest_bare(tables, seats, options.seconds / 2, folder)
                ours = await fastest_ours(tables, seats, options.seconds / 2, folder)
                shares.append(ours / bare)
                print(
                    f"{seats} a table: {ours:.0f} events/s, bare {bare:.0f}, {ours / bare:.0%}",
                    flush=True,
                )
            print(
                f"{seats} a table: median share {sorted(shares)[len(shares) // 2]:.0%}", flush=True
            )
        found = await steady(options.sockets, 2, options.rate, options.seconds, folder)
        print(json.dumps(found), flush=True)
        print(json.dumps(await beside_stopped(100, 500, options.seconds, folder)), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sockets", type=int, default=5000)
    parser.add_argument("--rate", type=float, default=1000, help="moves a second")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument(
        "--race-sockets", type=int, default=2000, help="in the race with the bare server"
    )
    parser.add_argument("--rounds", type=int, default=3, help="of the race; 0 leaves it out")
    parser.add_argument("--folder", help="where the databases are made")
    options = parser.parse_args()
    pin(1)
    try:
        import uvloop  # noqa: PLC0415 - not to be had everywhere
    except ImportError:
        asyncio.run(measure(options))
    else:
        uvloop.run(measure(options))


if __name__ == "__main__":
    main()
