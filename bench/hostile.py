"""Fifty thousand hostile connections of all kinds to a server, while others play on it.

    python bench/hostile.py [--count 50000] [--a-second 400]

Everything is on this machine: the server, those who play, and the hostile lines from a thousand of
its own addresses. Told: the time from a visitor's question to its answer in quiet, while the same
attack goes to another server (for the machine is then as busy), and while it goes to this one; how
long the server waited for a processor that others had; its memory and open files
before and after, and what was counted as refused.
"""

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/server"))

from client import Client, Server, secret

from hostile import KINDS

VISITORS = 20
PAUSE = 0.1
QUIET_SECONDS = 10
SETTLE_SECONDS = 30


def memory(server: Server) -> float:
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0]) / 1000


def files(server: Server) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


def spent(server: Server) -> float:
    """Seconds of processor."""
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def queued(server: Server) -> float:
    """Seconds that its loop was ready to go on, and others had the processors."""
    pid = server.process.pid
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[1]) / 1e9


def refused(server: Server) -> dict[str, int]:
    said = server.get("/metrics")[1].decode()
    found = re.findall(
        r'^qwixx_(?:turned_away|dropped|refused)_total\{\w+="(\w+)"\} (\S+)$', said, re.MULTILINE
    )
    return {reason: int(float(count)) for reason, count in found}


async def visit(server: Server, table: str, until: asyncio.Event) -> list[float]:
    """Ask and wait, again and again; how long each answer took, in milliseconds."""
    client, took = Client(server.url(table), secret()), []
    await client.come()
    while not until.is_set():
        start = time.perf_counter()
        await client.say({"do": "ping"})
        while (await client.hear())["type"] != "pong":
            pass
        took.append(1000 * (time.perf_counter() - start))
        await asyncio.sleep(PAUSE)
    return took


async def visits(server: Server, table: str, until: asyncio.Event) -> list[float]:
    found = await asyncio.gather(*(visit(server, table, until) for _ in range(VISITORS)))
    for line in Client.lines:
        line.transport.abort()
    Client.lines.clear()
    return [one for took in found for one in took]


def told(took: list[float]) -> str:
    cuts = statistics.quantiles(took, n=1000)
    return f"p50 {cuts[499]:.1f}, p99 {cuts[989]:.1f}, most {max(took):.0f} ms of {len(took)}"


async def storm(server: Server, table: str, count: int, a_second: float) -> bytes:
    """From a process of its own; how its lines ended."""
    program = Path(__file__).parents[1] / "tests/server/hostile.py"
    words = ["--table", table, "--count", str(count), "--a-second", str(a_second)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(program),
        str(server.port),
        *words,
        "--at-once",
        "5000",
        stdout=subprocess.PIPE,
    )
    return (await process.communicate())[0]


async def measure(server: Server, other: Server, count: int, a_second: float) -> None:
    tables = [one.create("classic", [{"kind": "open"}] * 5, secret()) for one in (server, other)]
    until = asyncio.Event()
    quiet = asyncio.create_task(visits(server, tables[0], until))
    await asyncio.sleep(QUIET_SECONDS)
    until.set()
    print("in quiet:         ", told(await quiet), flush=True)
    if not count:
        return
    until = asyncio.Event()
    beside = asyncio.create_task(visits(server, tables[0], until))
    await storm(other, tables[1], count // 4, a_second)
    until.set()
    print("attack elsewhere: ", told(await beside), flush=True)
    memory_before, files_before = memory(server), files(server)
    spent_before, queued_before = spent(server), queued(server)
    until = asyncio.Event()
    busy = asyncio.create_task(visits(server, tables[0], until))
    most, started = 0.0, time.monotonic()
    attack = asyncio.create_task(storm(server, tables[0], count, a_second))
    while not attack.done():
        await asyncio.sleep(1)
        most = max(most, memory(server))
    until.set()
    print("attack here:      ", told(await busy), flush=True)
    print(
        f"{count} lines of {len(KINDS)} kinds in {time.monotonic() - started:.0f} s, "
        f"{spent(server) - spent_before:.1f} s of processor and "
        f"{queued(server) - queued_before:.1f} s of waiting for one; at most {most:.0f} MB",
        flush=True,
    )
    await asyncio.sleep(SETTLE_SECONDS)
    print(f"memory: {memory_before:.0f} MB before, {memory(server):.0f} after", end="; ")
    print(f"open files: {files_before} before, {files(server)} after")
    counts = await asyncio.to_thread(refused, server)
    print(f"refused: {sum(counts.values())}: {json.dumps(counts)}")
    print(attack.result().decode())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50_000)
    parser.add_argument("--a-second", type=float, default=400)
    parser.add_argument("--quiet-only", action="store_true", help="how long answers take in quiet")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        elsewhere = Path(folder) / "elsewhere"
        elsewhere.mkdir()
        server, other = Server(Path(folder)), Server(elsewhere)
        try:
            asyncio.run(
                measure(server, other, 0 if given.quiet_only else given.count, given.a_second)
            )
            assert server.process.poll() is None, "it is alive"
            said = server.errors.read_text()
            levels = [json.loads(line)["level"] for line in said.splitlines()]
            print("tracebacks:", said.count("Traceback"), "; errors:", levels.count("error"))
        finally:
            server.stop()
            other.stop()


if __name__ == "__main__":
    main()
