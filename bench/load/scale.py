"""Both stores, two servers, failover, thinking and memory (docs/scale.md). A real PostgreSQL and HAProxy
are started for it; each part takes a minute or two.

    python bench/load/scale.py [stores] [servers] [failover] [thinking] [memory]
"""

import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

from run import Load, fastest_bare, fastest_ours, new_table, our_server, percentile, sit_down
from wire import pin

sys.path.append(str(Path(__file__).parents[2] / "tests"))
sys.path.append(str(Path(__file__).parents[2] / "tests" / "server"))

from client import GENEROUS, LOST, Client, Server, secret
from database import own_postgres
from many import Many

ROUNDS = 3
SECONDS = 8.0


async def stores() -> None:
    """Events a second on one core: the bare server, SQLite, PostgreSQL, in turns."""
    with tempfile.TemporaryDirectory() as folder, own_postgres() as postgres:
        pin(1)  # the load; the server is on the other core, and the database on both
        shares: dict[str, list[float]] = {"sqlite": [], "postgres": []}
        for _ in range(ROUNDS):
            bare = await fastest_bare(250, 2, SECONDS / 2, folder)
            for name, found in shares.items():
                db = postgres.new_database() if name == "postgres" else None
                speed = await fastest_ours(250, 2, SECONDS / 2, folder, db)
                found.append(speed / bare)
                print(
                    f"{name}: {speed:.0f} events/s, bare {bare:.0f}, {speed / bare:.0%}", flush=True
                )
        for name, found in shares.items():
            print(f"{name}: median share of bare {statistics.median(found):.0%}", flush=True)
        for name in shares:
            db = postgres.new_database() if name == "postgres" else None
            print(name, json.dumps(await at_a_rate(folder, db, 500)), flush=True)


async def at_a_rate(folder: str, db: str | None, rate: float) -> dict[str, float]:
    """The wait of a move, at a steady rate."""
    process = our_server(folder, db)
    try:
        load = Load(rate)
        players = await sit_down(load, process.port, 100, 2)
        pace = asyncio.create_task(load.pace())
        await asyncio.sleep(2)
        load.counting, cpu, start = True, process.cpu(), time.perf_counter()
        await asyncio.sleep(SECONDS)
        load.counting, used = False, (process.cpu() - cpu) / (time.perf_counter() - start)
        pace.cancel()
        for player in players:
            player.line.transport.abort()
        return {
            "rate": rate,
            "p50_ms": round(percentile(load.latencies, 0.5), 2),
            "p99_ms": round(percentile(load.latencies, 0.99), 2),
            "core": round(used, 2),
        }
    finally:
        await asyncio.to_thread(process.stop)


async def servers() -> None:
    """One server, and two, on one PostgreSQL: the processor's time of an event in each."""
    with tempfile.TemporaryDirectory() as folder, own_postgres() as postgres:
        pin(1)
        for count in (1, 2, 1, 2):
            db = postgres.new_database()
            processes = [our_server(folder, db) for _ in range(count)]
            for number, process in enumerate(processes):
                os.sched_setaffinity(process.process.pid, {number})
            loads = [Load(None) for _ in processes]
            for load, process in zip(loads, processes, strict=True):
                await sit_down(load, process.port, 250 // count, 2)
            await asyncio.sleep(1)
            before, cpu = sum(one.moves for one in loads), [one.cpu() for one in processes]
            await asyncio.sleep(SECONDS)
            moves = sum(one.moves for one in loads) - before
            used = [one.cpu() - then for one, then in zip(processes, cpu, strict=True)]
            told = ", ".join(f"{1e6 * one / max(1, moves):.0f}" for one in used)
            print(
                f"{count} servers: {moves / SECONDS:.0f} events/s; "
                f"{1e6 * sum(used) / max(1, moves):.0f} µs of a server's core an event ({told})",
                flush=True,
            )
            for process in processes:
                process.process.kill()
                process.process.communicate()


async def failover() -> None:
    """Until everybody is welcomed again after kill -9 of their server, through HAProxy."""
    with tempfile.TemporaryDirectory() as folder, own_postgres() as postgres:
        many = Many(Path(folder), postgres)
        try:
            seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "greedy"}]
            clients = []
            for _ in range(30):
                mine = secret()
                table = await asyncio.to_thread(many.create, "duel", seats, mine, pause=0.2)
                client = Client(many.url(table), mine)
                await client.come()
                await client.ready()
                clients.append(client)
            took: list[float] = []
            for number in range(10):
                server = many.servers[number % 2]
                waiting = [asyncio.create_task(again(client)) for client in clients]
                await asyncio.sleep(1)
                start = time.perf_counter()
                server.kill()
                found = await asyncio.gather(*waiting)
                took += [at - start for at in found if at is not None]
                await asyncio.to_thread(server.start)
                await asyncio.sleep(2)
            print(
                f"{len(took)} clients welcomed again: median {statistics.median(took):.2f} s, "
                f"p99 {sorted(took)[int(0.99 * len(took))]:.2f} s, at most {max(took):.2f} s",
                flush=True,
            )
        finally:
            many.end()


async def again(client: Client) -> float | None:
    """When this client was welcomed again; None if its line did not break."""
    deadline = time.monotonic() + 8
    broken = False
    while time.monotonic() < deadline:
        try:
            if client.line is None:
                await client.come()
                if broken:
                    return time.perf_counter()
            await client.hear(deadline - time.monotonic())
        except TimeoutError:
            break
        except LOST:
            client.line, broken = None, True
            await asyncio.sleep(0.05)
    return None


async def thinking() -> None:
    """A person's moves, and a greedy bot's answers, beside twenty tables of masters and beside none."""
    for tables in (0, 20, 0, 20):
        with tempfile.TemporaryDirectory() as folder:
            server = Server(Path(folder), *GENEROUS)
            try:
                for _ in range(tables):
                    mine, masters = secret(), [{"kind": "bot", "level": "master"}] * 2
                    table = await asyncio.to_thread(server.create, "duel", masters, mine, pause=0)
                    client = Client(server.url(table), mine)
                    await client.come()
                    await client.ask(do="start")
                    await client.go()
                took = [time_of for seed in range(3) for time_of in await moves(server, seed)]
                print(
                    f"{tables} tables of masters: p50 {percentile(took, 0.5):.1f} ms, "
                    f"p99 {percentile(took, 0.99):.1f} ms of {len(took)} moves",
                    flush=True,
                )
            finally:
                server.kill()


async def moves(server: Server, seed: int) -> list[float]:
    """How long each command of a person takes, in a game against greedy."""
    seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "greedy"}]
    mine, rng, took = secret(), Random(seed), list[float]()
    table = await asyncio.to_thread(server.create, "duel", seats, mine, pause=0)
    ana = Client(server.url(table), mine)
    await ana.come()
    await ana.ready()
    while ana.table["status"] != "over":
        wish = ana.wish(rng)
        if wish is None:
            await ana.hear()
            continue
        start = time.perf_counter()
        await ana.ask(**wish)
        took.append(time.perf_counter() - start)
    return took


async def memory() -> None:
    """Of tables that are in memory with nobody at them."""
    with tempfile.TemporaryDirectory() as folder:
        process = our_server(folder)
        try:
            before, tables = process.memory(), 10_000
            for _ in range(tables):
                await asyncio.to_thread(new_table, process.port, 2, [secret(), secret()])
            grown = process.memory() - before
            print(
                f"{tables} idle tables: {grown / 1e6:.0f} MB, {grown / tables / 1000:.1f} kB each; "
                f"a server without any {before / 1e6:.0f} MB"
            )
        finally:
            await asyncio.to_thread(process.stop)


PARTS: dict[str, Callable[[], Awaitable[None]]] = {
    "stores": stores,
    "servers": servers,
    "failover": failover,
    "thinking": thinking,
    "memory": memory,
}


async def main() -> None:
    for name in sys.argv[1:] or PARTS:
        print(f"{name} (load {os.getloadavg()[0]:.1f})", flush=True)
        await PARTS[name]()


if __name__ == "__main__":
    asyncio.run(main())
