"""How long study takes on one core, and whether anybody's moves wait for it.

Hints, in plain Python and numpy; reviews of whole games between greedy bots, plain and compiled; and
the moves of a table while twenty reviews, or hints, are found on the same server: `python bench/study.py`
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from http.client import HTTPConnection
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("page", "server")]

from client import GENEROUS, Client, Server, run, secret  # noqa: E402
from stage import over, stage  # noqa: E402

import qwixx  # noqa: E402
from qwixx import bots, study  # noqa: E402
from qwixx.core.record import Record, result_json  # noqa: E402
from qwixx.study import Adviser  # noqa: E402

TABLES = [
    *((game_id, players) for game_id in ("classic", "mixed-b") for players in (1, 2, 3, 5)),
    ("duel", 2),
]
REVIEWED = [("classic", 2), ("classic", 5), ("duel", 2)]
REVIEWS = 20  # at once
HINTED, HINTED_SECONDS = 3, 5.0  # tables where hints are asked for all the time, and how long
BREATH = 0.3  # seconds between two questions of a page


def positions(
    game: qwixx.Game[Any], players: int, share: float, rng: Random
) -> Iterator[tuple[Any, int]]:
    """Tables with a seat that has a choice: about this share of all that come up, without end."""
    bot = bots.resolve("greedy")
    while True:
        state = game.start(players, rng.randrange(players))
        while state.phase != "over":
            if state.phase == "roll":
                state = game.roll(
                    state, qwixx.throw(rng, game.dice_in_play(state), game.layout.faces)
                )
            for seat in game.to_act(state):
                if rng.random() < share and len(game.moves(state, seat)) > 1:
                    yield state, seat
                state = game.choose(state, seat, bots.decide(bot, game, state, seat, rng).move)


def game_of(game: qwixx.Game[Any], players: int, rng: Random) -> Record:
    """A game between greedy bots."""
    bot, state, events = bots.resolve("greedy"), game.start(players, 0), list[qwixx.Event]()
    while state.phase != "over":
        if seats := game.to_act(state):
            move = bots.decide(bot, game, state, seats[0], rng).move
            event: qwixx.Event = qwixx.Choice(seats[0], move)
        else:
            event = qwixx.throw(rng, game.dice_in_play(state), game.layout.faces)
        state = qwixx.apply(game, state, event)
        events.append(event)
    names = ("bot:greedy",) * players
    return Record(game.id, names, 0, tuple(events), result_json(game.result(state)))


def spread(name: str, seconds: list[float], cpu: list[float]) -> dict[str, Any]:
    return {
        "what": name,
        "p50_ms": round(sorted(seconds)[len(seconds) // 2] * 1e3, 1),
        "most_ms": round(max(seconds) * 1e3, 1),
        "p50_cpu_ms": round(sorted(cpu)[len(cpu) // 2] * 1e3, 1),
        "most_cpu_ms": round(max(cpu) * 1e3, 1),
    }


def hints(game_id: str, players: int, number: int) -> dict[str, Any]:
    adviser = Adviser()
    game, rng, seconds, cpu = qwixx.game(game_id), Random(players), [], []
    asked = positions(game, players, 0.2, rng)
    adviser.hint(game, *next(asked))  # numpy and the net are loaded
    for _ in range(number):
        state, seat = next(asked)
        began, worked = time.perf_counter(), time.thread_time()
        adviser.hint(game, state, seat)
        seconds.append(time.perf_counter() - began)
        cpu.append(time.thread_time() - worked)
    return spread(f"hint, {game_id}{players}", seconds, cpu)


def reviews(game_id: str, players: int, number: int, way: Any) -> dict[str, Any]:
    game, rng, seconds, cpu = qwixx.game(game_id), Random(players), [], []
    if way == "compiled":
        study.warm_up(game_id)
    study.judgement(game, players, way).before(game.start(players))  # the net is loaded
    for _ in range(number):
        record = game_of(game, players, rng)
        judge = study.judgement(game, players, way)  # one that remembers nothing
        began, worked = time.perf_counter(), time.thread_time()
        study.review(record, judge)
        seconds.append(time.perf_counter() - began)
        cpu.append(time.thread_time() - worked)
    return spread(f"review, {game_id}{players}, {way}", seconds, cpu)


async def moves(server: Server, go_on: Callable[[int], bool]) -> list[float]:
    """The time from sending a move to hearing of it, at a table of one seat, as long as wanted."""
    mine, rng, taken = secret(), Random(1), list[float]()
    while go_on(len(taken)):
        table = server.create("classic", [{"kind": "me", "name": "Ana"}], mine, pause=0)
        client = Client(server.url(table), mine)
        await client.come()
        await client.ready()
        while client.table["status"] != "over" and go_on(len(taken)):
            wish = client.wish(rng)
            if wish is None:
                await client.hear()
                continue
            began = time.perf_counter()
            await client.ask(**wish)
            taken.append(time.perf_counter() - began)
            await asyncio.sleep(0.01)
        await client.go()
    return taken


def judged(port: int, table: str) -> None:
    """Wait until a finished round is reviewed, asking for it as the page does, on one line."""
    line, done, of = HTTPConnection("127.0.0.1", port), 0, 1
    while done < of:
        line.request("GET", f"/api/tables/{table}/review?seen={done}")
        found = json.loads(line.getresponse().read())
        done, of = found["done"], found["of"]
        time.sleep(BREATH)
    line.close()


def all_judged(port: int, tables: list[str]) -> None:
    """The same of several at once."""
    with ThreadPoolExecutor(len(tables)) as pool:
        list(pool.map(lambda table: judged(port, table), tables))


async def hinted(server: Server, seconds: float) -> list[float]:
    """How long hints take at a table, each asked for as soon as there is a choice, for a while."""
    rng, taken, end = Random(2), list[float](), time.perf_counter() + seconds
    while time.perf_counter() < end:
        mine = secret()
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "random"}]
        table = await asyncio.to_thread(server.create, "classic", seats, mine, pause=0)
        client = Client(server.url(table), mine)
        await client.come()
        await client.ready()
        while client.table["status"] != "over" and time.perf_counter() < end:
            wish = client.wish(rng)
            if wish is None:
                await client.hear()
                continue
            if wish["do"] == "choose":
                asked = client.command(do="hint", seat=wish["seat"], seen=client.number)
                began = time.perf_counter()
                await client.say(asked)
                while (heard := await client.hear()).get("id") != asked["id"] or (
                    heard["type"] not in ("hint", "refused")
                ):
                    pass
                taken.append(time.perf_counter() - began)
                wish |= {"seen": client.number}
            await client.ask(**wish)
        await client.go()
    return taken


def all_hinted(server: Server) -> None:
    """The same of several tables at once."""

    async def several() -> list[list[float]]:
        return await asyncio.gather(*(hinted(server, HINTED_SECONDS) for _ in range(HINTED)))

    tell(f"hints at {HINTED} tables", [one for taken in run(several()) for one in taken])


def is_alive(process: BaseProcess, _: int) -> bool:
    return process.is_alive()


def who_waits_for_reviews(server: Server) -> BaseProcess:
    tables = [stage(server, secret(), "classic", 2, over) for _ in range(REVIEWS)]
    return get_context("fork").Process(target=all_judged, args=(server.port, tables))


def who_waits_for_hints(server: Server) -> BaseProcess:
    return get_context("fork").Process(target=all_hinted, args=(server,))


def beside(
    what: str, waiting_for: Callable[[Server], BaseProcess], number: int, times: int
) -> None:
    """The moves of a table while nothing is thought, while something is, and while the same is thought
    by another server on the same machine, so many times in turn: what differs between the same shows
    how much the rest means, and the other server what the machine alone does to moves. Who waits for
    what is thought is a process of its own, so that only the server can keep moves waiting."""
    bounds = (*GENEROUS, "--limit", "studies_an_address=100")
    with ExitStack() as ending:
        servers = list[Server]()
        for _ in range(2):
            folder = ending.enter_context(tempfile.TemporaryDirectory())
            servers.append(one := Server(Path(folder), *bounds))
            ending.callback(one.stop)
            judged(one.port, stage(one, secret(), "classic", 2, over))  # starts who judges
        here, _ = servers
        names = ["moves", f"moves beside {what}", f"moves beside {what} of another server"]
        found: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(times):
            found[names[0]] += tell(names[0], run(moves(here, lambda taken: taken < number)))
            for name, server in zip(names[1:], servers, strict=True):
                waiting = waiting_for(server)
                waiting.start()
                found[name] += tell(name, run(moves(here, partial(is_alive, waiting))))
        for name, taken in found.items():
            tell(f"{name}, all", taken)


def tell(what: str, seconds: list[float]) -> list[float]:
    """How long half of them took at most, all but one in a hundred, and the slowest."""
    found: dict[str, Any] = {"what": what, "number": len(seconds)}
    for share in (50, 99):
        found[f"p{share}_ms"] = round(sorted(seconds)[len(seconds) * share // 100] * 1e3, 2)
    print(json.dumps(found | {"most_ms": round(max(seconds) * 1e3, 2)}), flush=True)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hints", type=int, default=200, help="at each table")
    parser.add_argument("--reviews", type=int, default=5, help="at each table")
    parser.add_argument("--moves", type=int, default=300, help="of each time without reviews")
    parser.add_argument(
        "--times", type=int, default=4, help="that reviews run here, elsewhere, and not at all"
    )
    parser.add_argument("--only", choices=["hints", "reviews", "moves", "beside-hints"])
    options = parser.parse_args()
    if options.only in (None, "hints"):
        for game_id, players in TABLES:
            print(json.dumps(hints(game_id, players, options.hints)), flush=True)
    if options.only in (None, "reviews"):
        for game_id, players in REVIEWED:
            for way in ("plain", "compiled"):
                print(json.dumps(reviews(game_id, players, options.reviews, way)), flush=True)
    if options.only in (None, "moves"):
        beside("twenty reviews", who_waits_for_reviews, options.moves, options.times)
    if options.only in (None, "beside-hints"):
        beside("hints", who_waits_for_hints, options.moves, options.times)


if __name__ == "__main__":
    main()
