"""Processor time an event of this server and of another version's, in turns within one run.

The other version is a checkout of its own (`git worktree add ../before c13171a`) that runs with the same
libraries. The same players sit at as many tables of both and play as fast as it goes; what is counted
is the server's own processor time, from one event to another, so that a busy machine disturbs little.


    python bench/load/against.py ../before --rounds 5
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import run
import uvloop
from run import HERE, LIMITS, Load, Player, Process, free_port, sit_down
from wire import pin

WINDOWS = 10


class Before(Player):
    """A page from before there were chains."""

    def begin(self) -> None:
        self.say({"do": "ready", "seat": self.seat, "entropy": os.urandom(16).hex()})

    def act(self, play: Any) -> None:
        self.chain = [""]
        super().act(play)

    def move(self, command: dict[str, Any]) -> None:
        command.pop("link", None)
        super().move(command)


def server(folder: Path, kept: str) -> Process:
    """A server of that version, with the bounds that it knows."""
    known = (folder / "src/qwixx/server/limits.py").read_text()
    bounds = [f"{name}={bound}" for name, bound in LIMITS.items() if f" {name}:" in known]
    port = free_port()
    words = ["-m", "qwixx", "serve", "--host", "127.0.0.1", "--port", str(port)]
    words += ["--db", f"{kept}/{port}.db"]
    limits = [word for bound in bounds for word in ("--limit", bound)]
    os.environ["PYTHONPATH"] = str(folder / "src")
    process = Process(*words, *limits, port=port)
    process.wait()
    return process


def spent(process: Process) -> float:
    """Microseconds of processor, of all its threads, to the nanosecond."""
    threads = Path(f"/proc/{process.process.pid}/task").iterdir()
    return sum(int((one / "schedstat").read_text().split()[0]) for one in threads) / 1000


async def an_event(
    folder: Path, player: type[Player], tables: int, seats: int, events: int
) -> list[float]:
    """Microseconds of processor in each of ten windows."""
    with tempfile.TemporaryDirectory() as kept:
        process, load = server(folder, kept), Load(None)
        run.Player = player  # type: ignore[misc] # whoever sits down is of that version
        try:
            players = await sit_down(load, process.port, tables, seats)
            await asyncio.sleep(1)
            found = []
            for _ in range(WINDOWS):
                before, cpu = load.moves, spent(process)
                while load.moves - before < events // WINDOWS:
                    await asyncio.sleep(0.02)
                found.append((spent(process) - cpu) / (load.moves - before))
            for one in players:
                one.line.transport.abort()
            if load.refused:
                print(f"  refused: {load.refused}", file=sys.stderr)
            return found
        finally:
            await asyncio.to_thread(process.stop)


async def measure(options: argparse.Namespace) -> None:
    ours, other = HERE.parents[1], options.folder.resolve()
    shares = []
    for _ in range(options.rounds):
        sizes = (options.tables, options.seats, options.events)
        olds, news = await an_event(other, Before, *sizes), await an_event(ours, Player, *sizes)
        old, new = statistics.median(olds), statistics.median(news)
        shares.append(old / new)
        least = f"least {min(olds):.1f} and {min(news):.1f}, {min(olds) / min(news):.2f}"
        print(
            f"{old:6.1f} µs before, {new:6.1f} now: {old / new:.2f} of the moves; {least}",
            flush=True,
        )
    print(f"median {statistics.median(shares):.2f} of {len(shares)} rounds", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="a checkout of the other version")
    parser.add_argument("--tables", type=int, default=250)
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--events", type=int, default=20_000, help="of each round")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    pin(1)
    uvloop.run(measure(options))


if __name__ == "__main__":
    main()
