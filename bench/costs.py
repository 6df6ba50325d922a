"""What single requests cost the server's loop: its own processor time for each route of HTTP and each
command of the socket, the first time and after it.

What goes to a thread or to another process is not in it, as nobody waits for that. More than 5 ms
is told at the end. `python bench/costs.py`
"""

import asyncio
import functools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests/server")]

from client import GENEROUS, Client, Server, play_on, run, secret  # noqa: E402

MOST_MS = 5.0
TIMES = 7
PEOPLE = 5  # the most that a table has


class Costs:
    """A table of what was asked and what it cost."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.found: dict[str, list[float]] = {}

    def spent(self) -> float:
        """Milliseconds of processor of the thread in which the loop runs."""
        pid = self.server.process.pid
        return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[0]) / 1e6

    def note(self, name: str, spent: float) -> None:
        self.found.setdefault(name, []).append(spent)

    def call(self, name: str, ask: Callable[[], object]) -> None:
        for _ in range(TIMES):
            before = self.spent()
            ask()
            time.sleep(0.02)  # what follows by itself belongs to it
            self.note(name, self.spent() - before)

    async def say(self, what: str, client: Client, /, **command: Any) -> None:
        before, sent = self.spent(), client.command(**command)
        await client.say(sent)
        while (await client.hear()).get("id") != sent["id"]:
            pass
        await asyncio.sleep(0.02)
        self.note(what, self.spent() - before)

    def tell(self) -> None:
        print(f"{'what':34} {'first ms':>9} {'median':>8} {'most after':>11}")
        for name, times in self.found.items():
            first, *later = times
            most = max(later, default=first)
            print(f"{name:34} {first:9.2f} {statistics.median(times):8.2f} {most:11.2f}")
        over = [name for name, times in self.found.items() if statistics.median(times) > MOST_MS]
        print(f"more than {MOST_MS:g} ms again and again: {over or 'none'}")


async def seated(
    server: Server, game: str, people: int, bots: int = 0, **options: float
) -> tuple[str, list[Client]]:
    own = [secret() for _ in range(people)]
    plans = [{"kind": "me", "name": "A"}, *[{"kind": "open"}] * (people - 1)]
    plans += [{"kind": "bot", "level": "random"}] * bots
    table = await asyncio.to_thread(server.create, game, plans, own[0], hints=True, **options)
    clients = [Client(server.url(table), one) for one in own]
    for seat, client in enumerate(clients):
        await client.come()
        if seat:
            await client.ask(do="sit", name=f"P{seat}", seat=seat)
            await client.go()
            await client.come()
    return table, clients


async def commands(costs: Costs) -> str:
    """Every command at tables of five; the last of them is played to its end."""
    server, rng = costs.server, Random(1)
    for _ in range(3):
        own = secret()
        plans = [{"kind": "me", "name": "A"}, {"kind": "open"}]
        table = await asyncio.to_thread(server.create, "classic", plans, own)
        host, guest = Client(server.url(table), own), Client(server.url(table), secret())
        before = costs.spent()
        await host.come()
        costs.note("hello", costs.spent() - before)
        await guest.come()
        await costs.say("sit", guest, do="sit", name="B", seat=1)
        await costs.say("watchers", host, do="watchers", allowed=False)
        await costs.say("report", host, do="report", seat=1)
        await costs.say("code", host, do="code")
        await costs.say("leave", guest, do="leave", seat=1)
        await guest.ask(do="sit", name="B", seat=1)
        await costs.say("remove", host, do="remove", seat=1)
        await costs.say("refused", host, do="start")
    table, clients = await seated(server, "classic", PEOPLE)
    for client in clients:
        chain = client.chains.end(client.table)
        await costs.say("ready", client, do="ready", seat=client.yours[0], chain=chain)
    await asyncio.gather(*(client.begun() for client in clients))
    for number in range(12):
        for client in clients:
            while client.number < max(one.number for one in clients):
                await client.hear()
        client = next(one for one in clients if one.wish(rng))
        wish = client.wish(rng)
        assert wish
        if wish["do"] == "choose" and number < 8:
            await costs.say("hint", client, do="hint", seat=wish["seat"], seen=wish["seen"])
            await costs.say("react", client, do="react", seat=wish["seat"], emote="wow")
            wish["seen"] = client.number
        await costs.say(wish["do"], client, **wish)
    await asyncio.gather(*(play_on(client, rng) for client in clients))
    return table


async def among_few(costs: Costs) -> None:
    """What a table of two comes to besides: a start, bots that are hurried, choices taken back,
    somebody who does nothing, a seat that moves to another device, another round."""
    server, rng = costs.server, Random(2)
    for _ in range(3):
        _, (alone,) = await seated(server, "classic", 1, bots=1, pause=10)
        await costs.say("start", alone, do="start")
        await alone.begun()
        while wish := alone.wish(rng):
            await alone.ask(**wish)
        await costs.say("hurry", alone, do="hurry")

        _, (ana, ben) = await seated(server, "classic", 2, idle=1)
        await ana.ready()
        await ben.ready()
        await asyncio.gather(ana.begun(), ben.begun())
        active, other = (ana, ben) if ana.wish(rng) else (ben, ana)
        await asyncio.sleep(2)  # one second of doing nothing is enough at this table
        await costs.say("replace", other, do="replace", seat=active.yours[0])
        phone, code = Client(other.url, secret()), (await other.ask(do="code"))["code"]
        before = costs.spent()
        await phone.come(code=code)
        costs.note("hello with a code", costs.spent() - before)
        await costs.say("chain", phone, do="chain", chain=phone.chains.end(phone.table))

        _, (ana, ben) = await seated(server, "classic", 2)
        await ana.ready()
        await ben.ready()
        await asyncio.gather(ana.begun(), ben.begun())
        active, other = (ana, ben) if ana.wish(rng) else (ben, ana)
        await active.ask(**active.throw(active.yours[0]))
        while not other.wish(rng):
            await other.hear()
        await other.ask(**(other.wish(rng) or {}))
        seat = other.yours[0]
        await costs.say("withdraw", other, do="withdraw", seat=seat, seen=other.number)
        await asyncio.gather(play_on(ana, rng), play_on(ben, rng))
        await costs.say("rematch", ana, do="rematch")


def requests(costs: Costs, table: str) -> None:
    """Every route, with what there is of a finished game of five."""
    server = costs.server
    record = server.record(table)[1]
    events = record["events"]
    story = json.loads(server.get(f"/api/tables/{table}/story")[1])
    position = story["steps"][len(story["steps"]) // 2]["position"]
    mine = secret()
    tables = [server.create("classic", [{"kind": "me", "name": "A"}], mine) for _ in range(20)]

    def post(path: str, **body: Any) -> Callable[[], object]:
        return lambda: server.request("POST", path, json.dumps(body).encode())

    moment = {"game": "classic", "players": PEOPLE, "first": record["first"], "events": events}
    for path in (
        "/",
        "/api/games",
        "/api/tables",
        "/openapi.json",
        "/healthz",
        "/metrics",
        "/none",
    ):
        costs.call(f"GET {path}", functools.partial(server.get, path))
    for what in ("", "/log", "/record", "/story", "/review"):
        costs.call(
            f"GET /api/tables/T{what}", functools.partial(server.get, f"/api/tables/{table}{what}")
        )
    plans = [{"kind": "me", "name": "A"}, *[{"kind": "open"}] * (PEOPLE - 1)]
    costs.call("POST /api/tables", lambda: server.create("classic", plans, secret()))
    costs.call("POST /api/mine, 20 tables", post("/api/mine", secret=mine, tables=tables))
    costs.call("POST /api/moment, a whole game", post("/api/moment", **moment))
    costs.call("POST /api/position", post("/api/position", position=position, edits=[], events=[]))
    costs.call("POST /api/values", post("/api/values", position=position))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), *GENEROUS)
        costs = Costs(server)
        try:
            table = run(commands(costs))
            run(among_few(costs))
            requests(costs, table)
            costs.tell()
        finally:
            server.stop()


if __name__ == "__main__":
    main()
