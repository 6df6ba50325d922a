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
from client import (
    GENEROUS,
    PATIENCE,
    Client,
    Json,
    Server,
    play_on,
    run,
    secret,
    thinks,
    until,
    workers,
)

from qwixx import bots, games, study
from qwixx.core.game import Game
from qwixx.server import thinking
from qwixx.server.judging import WorkerDied
from qwixx.server.limits import Limits
from qwixx.server.metrics import Metrics
from qwixx.server.thinking import Crew, Thinkers
from qwixx.study import Hint


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


class Thinking:
    """Answers whatever it is asked once it is let."""

    let: threading.Event
    asked: list[str]
    compiled = False

    def __init__(self, nice: int, *, compiles: bool) -> None:
        assert nice > 0
        assert not compiles
        self._thinks = threading.Lock()

    def judge(self, question: Any, seconds: float) -> Any:
        assert seconds > 0
        assert self._thinks.acquire(blocking=False), "asked while it thinks"
        self.asked.append(question[0])
        self.let.wait(PATIENCE)
        self._thinks.release()
        return question[0]

    def start(self) -> None: ...

    def kill(self) -> None: ...


@pytest.fixture
def thinking_workers(monkeypatch: pytest.MonkeyPatch) -> type[Thinking]:
    monkeypatch.setattr(thinking, "Worker", Thinking)
    monkeypatch.setattr(Thinking, "let", threading.Event(), raising=False)
    monkeypatch.setattr(Thinking, "asked", [], raising=False)
    return Thinking


async def _asked(workers: type[Thinking], number: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while len(workers.asked) < number:
            await asyncio.sleep(0.001)


def _rolled() -> tuple[Game[Any], Any, int]:
    """A table of the duel where somebody has a choice."""
    game = games.game("duel")
    state = game.start(2)
    state = game.roll(state, game.throws(state)[0].dice)
    return game, state, min(game.to_act(state))


def test_hints_are_found_while_bots_rest_and_one_after_the_other(
    thinking_workers: type[Thinking],
) -> None:
    """Away from the server: a hint that takes long keeps neither the loop waiting nor a bot for whom
    somebody is free; what nobody wants any more is not begun."""
    game = games.game("duel")

    async def ask() -> None:
        thinkers = Thinkers(Limits(thinkers=2), Metrics())
        first = asyncio.create_task(thinkers.hint(game, None, 0, lambda: True))
        gone = asyncio.create_task(thinkers.hint(game, None, 0, lambda: False))
        last = asyncio.create_task(thinkers.hint(game, None, 1, lambda: True))
        await _asked(thinking_workers, 1)
        bot = asyncio.create_task(thinkers.decide("master", game, None, 0))
        await _asked(thinking_workers, 2)
        assert thinking_workers.asked == ["hint", "move"]
        assert not first.done()
        thinking_workers.let.set()
        await asyncio.gather(first, last, bot)
        assert await gone is None
        assert thinking_workers.asked == ["hint", "move", "hint"]
        thinkers.close()

    run(ask())


def test_bots_come_before_hints(
    thinking_workers: type[Thinking], monkeypatch: pytest.MonkeyPatch
) -> None:
    """But not for ever: who has waited long enough for a hint waits in turn with the bots."""
    game = games.game("duel")

    async def ask() -> None:
        thinkers = Thinkers(Limits(thinkers=1), Metrics())
        bots_first = [asyncio.create_task(thinkers.decide("master", game, None, 0))]
        await _asked(thinking_workers, 1)
        hint = asyncio.create_task(thinkers.hint(game, None, 0, lambda: True))
        await asyncio.sleep(0)
        bots_first += [
            asyncio.create_task(thinkers.decide("master", game, None, 0)) for _ in range(3)
        ]
        await asyncio.sleep(0)
        thinking_workers.let.set()
        await asyncio.gather(hint, *bots_first)
        assert thinking_workers.asked == ["move"] * 4 + ["hint"]
        thinkers.close()

    monkeypatch.setattr(thinking, "LONGEST_WAIT", PATIENCE)
    run(ask())


@pytest.mark.parametrize("workers", [1, 2])
def test_who_thinks_for_nobody_is_asked_nothing_else_before_the_end(
    thinking_workers: type[Thinking], workers: int
) -> None:
    """Whoever asked may go, while somebody thinks for them or while they wait for somebody."""
    game = games.game("duel")

    async def ask() -> None:
        crew = Crew(workers)

        def asking() -> asyncio.Task[Any]:
            return asyncio.create_task(crew.decide("master", game, None, 0, people=True))

        gone = [asking() for _ in range(workers)]
        await _asked(thinking_workers, workers)
        waiting = [asking() for _ in range(4)]
        await asyncio.sleep(0)
        for one in (*gone, waiting[0]):
            one.cancel()
        await asyncio.gather(*gone, waiting[0], return_exceptions=True)
        assert crew.busy
        assert len(thinking_workers.asked) == workers
        thinking_workers.let.set()
        assert await asyncio.gather(*waiting[1:]) == ["move"] * 3
        async with asyncio.timeout(PATIENCE):
            while len(crew._free) < workers:
                await asyncio.sleep(0.001)
        # Given to somebody who goes at this very moment: it is free for the next.
        thinking_workers.let.clear()
        before = len(thinking_workers.asked)
        busy = [asking() for _ in range(workers)]
        await _asked(thinking_workers, before + workers)
        last = asking()
        await asyncio.sleep(0)
        crew._give_back(crew._all[0])
        last.cancel()
        await asyncio.gather(last, return_exceptions=True)
        assert crew._free == [crew._all[0]]
        thinking_workers.let.set()
        await asyncio.gather(*busy)
        crew.close()

    run(ask())


def test_the_server_itself_finds_no_hint(monkeypatch: pytest.MonkeyPatch) -> None:
    game, state, seat = _rolled()

    def found_here(*_: Any) -> None:
        raise AssertionError("found in the process that moves people's pieces")

    async def ask() -> Hint | None:
        thinkers = Thinkers(Limits(thinkers=1), Metrics())
        try:
            return await thinkers.hint(game, state, seat, lambda: True)
        finally:
            thinkers.close()

    monkeypatch.setattr(study.Adviser, "hint", found_here)
    hint = run(ask())
    assert hint is not None
    assert set(hint.choices.values) == set(game.moves(state, seat))


def test_a_worker_that_dies_is_told_and_the_next_one_decides() -> None:
    game, state, seat = _rolled()

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
        found = workers(server)
        assert 1 <= len(found) <= 2
        server.kill()
        until(lambda: not any(map(thinks, found)), "they outlive the server")
    finally:
        server.kill()


def test_bots_think_by_compiled_code_as_soon_as_they_can(tmp_path: Path) -> None:
    """A server says so, and its bots play before they are compiled."""
    server = Server(tmp_path, *GENEROUS, "--limit", "thinkers=1")

    def told() -> str:
        return server.get("/metrics")[1].decode()

    async def start(level: str) -> None:
        creator = secret()
        seats = [{"kind": "bot", "level": level}] * 2
        table = await asyncio.to_thread(server.create, "duel", seats, creator, pause=1)
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
