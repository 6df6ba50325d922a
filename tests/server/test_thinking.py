"""Bots think beside the server: in so many processes, fairly, and whoever fails is replaced."""

import asyncio
import json
import os
import re
import signal
import threading
from pathlib import Path
from random import Random
from typing import Any

import pytest
from client import GENEROUS, PATIENCE, Client, Json, Server, play_on, run, secret, until

from qwixx import bots, games
from qwixx.server import thinking
from qwixx.server.judging import WorkerDied
from qwixx.server.limits import Limits
from qwixx.server.metrics import Metrics
from qwixx.server.thinking import Crew, Thinkers


class Meeting:
    """Decides when as many as may decide at once do so; who was served is noted."""

    served: list[str]
    together: threading.Barrier
    compiled = False

    def __init__(self, nice: int, *, compiles: bool) -> None:
        assert nice > 0
        assert not compiles

    def judge(self, question: Any, seconds: float) -> str:
        assert seconds > 0
        _, (level, _, _, _) = question
        self.together.wait(PATIENCE)
        self.served.append(level)
        return "-"

    def start(self) -> None: ...

    def kill(self) -> None: ...


def served_by(workers: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """In which order ten tables without people (q) and then ten with some (p), who all ask at
    once, are served."""
    monkeypatch.setattr(thinking, "Worker", Meeting)
    monkeypatch.setattr(Meeting, "served", [], raising=False)
    monkeypatch.setattr(Meeting, "together", threading.Barrier(workers), raising=False)
    game = games.game("duel")

    async def decide() -> None:
        crew = Crew(workers)
        jobs = [
            asyncio.create_task(crew.decide(name, game, None, 0, people=name[0] == "p"))
            for name in [f"{kind}{number}" for kind in "qp" for number in range(10)]
        ]
        await asyncio.sleep(0)
        assert crew.busy
        assert crew.waiting == 20 - workers
        await asyncio.gather(*jobs)
        assert not crew.busy
        crew.close()

    run(decide())
    return Meeting.served


def test_tables_with_people_come_first_but_not_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """In turn within each kind; people before the others, who are not left out for all that."""
    served = served_by(1, monkeypatch)
    for kind in "pq":
        assert [one for one in served if one[0] == kind] == [f"{kind}{n}" for n in range(10)]
    assert served[0] == "q0"
    assert 7 <= sum(one[0] == "p" for one in served[1:13]) <= 10


def test_as_many_decide_at_once_as_there_are_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    served = served_by(2, monkeypatch)
    assert sorted(served) == sorted(f"{kind}{number}" for kind in "pq" for number in range(10))


def test_a_worker_that_dies_is_told_and_the_next_one_decides() -> None:
    game = games.game("duel")
    state = game.start(2)
    state = game.roll(state, game.throws(state)[0].dice)
    seat = min(game.to_act(state))

    async def decide() -> None:
        thinkers = Thinkers(Limits(thinkers=1), Metrics())
        try:
            assert await thinkers.decide("expert", game, state, seat) in game.moves(state, seat)
            (worker,) = thinkers._crew._all
            os.kill(worker._process.pid, signal.SIGKILL)
            with pytest.raises(WorkerDied):
                await thinkers.decide("expert", game, state, seat)
            assert await thinkers.decide("expert", game, state, seat) in game.moves(state, seat)
        finally:
            thinkers.close()

    run(decide())


def test_quick_bots_do_not_wait_for_strong_ones(own_server: Server) -> None:
    """Five tables that nobody looks at, where masters play each other without a pause."""

    async def play() -> None:
        masters = [{"kind": "bot", "level": "master"}] * 2
        for _ in range(5):
            creator = secret()
            table = await asyncio.to_thread(own_server.create, "duel", masters, creator, pause=0)
            client = Client(own_server.url(table), creator)
            await client.come()
            await client.ask(do="start")
            await client.go()
        creator, seats = (
            secret(),
            [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "greedy"}],
        )
        table = await asyncio.to_thread(own_server.create, "duel", seats, creator, pause=0)
        ana = Client(own_server.url(table), creator)
        await ana.come()
        await ana.ready()
        await play_on(ana, Random(1))

    def told() -> str:
        return own_server.get("/metrics")[1].decode()

    def seconds_a_decision(level: str) -> float:
        number = rf'qwixx_thinking_seconds_(?:sum|count){{level="{level}"}} (\S+)'
        count, total = map(float, re.findall(number, metrics))
        return total / count

    run(play())
    until(lambda: 'seconds_count{level="master"}' in told(), "no master decides", PATIENCE)
    metrics = told()
    # It was several times as much: a queue for all of them.
    assert seconds_a_decision("greedy") < seconds_a_decision("master")
    assert 'qwixx_move_seconds_bucket{le="+Inf"}' in metrics
    assert "qwixx_commit_seconds_count" in metrics


def offered(server: Server) -> Json:
    found: Json = json.loads(server.get("/api/games")[1])
    return found


def test_a_server_offers_the_levels_that_it_is_told_to(tmp_path: Path) -> None:
    server = Server(tmp_path, *GENEROUS, "--levels", "greedy, novice")
    try:
        assert offered(server)["levels"] == ["novice", "greedy"]
        assert all(game["levels"] == ["novice", "greedy"] for game in offered(server)["games"])
        for level in bots.LEVELS:
            seats = [{"kind": "open"}, {"kind": "bot", "level": level}]
            body = {"id": f"request-{level}", "secret": secret(), "game": "duel", "seats": seats}
            status, _ = server.request("POST", "/api/tables", json.dumps(body).encode())
            assert status == (201 if level in ("novice", "greedy") else 400), level
    finally:
        server.kill()


def test_strong_bots_think_in_processes_of_their_own(tmp_path: Path) -> None:
    """As many as they are allowed, and gone when the server is."""
    server = Server(tmp_path, *GENEROUS, "--limit", "thinkers=2")

    def processes() -> list[str]:
        threads = Path(f"/proc/{server.process.pid}/task").glob("*/children")
        children = [pid for thread in threads for pid in thread.read_text().split()]
        return [pid for pid in children if "spawn_main" in _command(pid)]

    async def play() -> None:
        seats = [{"kind": "bot", "level": "expert"}] * 2
        for _ in range(4):
            creator = secret()
            table = await asyncio.to_thread(server.create, "duel", seats, creator, pause=0)
            client = Client(server.url(table), creator)
            await client.come()
            await client.ask(do="start")
            while client.table["status"] != "over":
                await client.hear()

    try:
        run(play())
        found = processes()
        assert 1 <= len(found) <= 2
        server.kill()
        until(lambda: not any(map(_command, found)), "they outlive the server")
    finally:
        server.kill()


def test_bots_think_by_compiled_code_as_soon_as_they_can(tmp_path: Path) -> None:
    """A server says so. Its cache is kept with it, and its bots play before they are compiled."""
    server = Server(tmp_path, *GENEROUS, "--limit", "thinkers=1")

    def told() -> str:
        return server.get("/metrics")[1].decode()

    async def start(level: str) -> None:
        creator = secret()
        seats = [{"kind": "bot", "level": level}] * 2
        table = await asyncio.to_thread(server.create, "duel", seats, creator, pause=0.05)
        client = Client(server.url(table), creator)
        await client.come()
        await client.ask(do="start")

    try:
        assert "qwixx_thinking_compiled 0.0" in told()
        for level in ("expert", "club", "master"):
            run(start(level))
        until(lambda: "qwixx_thinking_compiled 1.0" in told(), "they stay plain", PATIENCE)
        lines = [json.loads(line)["what"] for line in server.errors.read_text().splitlines()]
        assert lines.count("bots think by compiled code from now on") == 1
        assert "a bot failed" not in lines
    finally:
        server.kill()


def _command(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
