"""Reviews and values over HTTP: a finished round is judged once and kept, a running one for nobody;
bounded, away from the moves of others, and whole after whatever went wrong."""

import asyncio
import json
import os
import signal
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from client import GENEROUS, Json, Server, secret, thinks, until, workers
from stage import Plan, choosing, idle, over, stage, staged
from starlette.requests import Request

from qwixx import games, study
from qwixx.core.record import Record
from qwixx.server import studies as module
from qwixx.server.judging import NICEST, ToldTurn, Worker, packed_record
from qwixx.server.limits import Limits
from qwixx.server.metrics import Metrics
from qwixx.server.refusals import Refusal
from qwixx.server.studies import Studies, Wanted
from qwixx.server.web import while_waited_for
from tables import classic_position, duel_position

LABELS = {"best", "good", "inaccuracy", "mistake", "blunder"}


def finished(server: Server, game: str = "duel", people: int = 2) -> str:
    """A table whose round is over soon, since nobody ever takes anything."""
    return staged(server, secret(), Plan(game, people, over, idle))


def review(server: Server, table: str, path: str = "") -> tuple[int, Json]:
    status, body = server.get(f"/api/tables/{table}/review{path}")
    return status, json.loads(body)


def reviewed(server: Server, table: str) -> tuple[Json, list[Json]]:
    """The whole review, asked for as a page does, and all that was heard on the way."""
    heard: list[Json] = []
    while not heard or heard[-1]["done"] < heard[-1]["of"]:
        seen = sum(len(one["review"]["throws"]) for one in heard)
        status, found = review(server, table, f"?round=1&seen={seen}")
        assert status == 200, found
        heard.append(found)
    return heard[-1], heard[:-1]


def values(server: Server, position: Any, seat: int | None = None) -> tuple[int, Json]:
    body = json.dumps({"position": position, "seat": seat}).encode()
    status, answer = server.request("POST", "/api/values", body)
    return status, json.loads(answer)


def test_a_finished_round_is_reviewed_bit_by_bit_once_and_kept(own_server: Server) -> None:
    server = own_server
    table = finished(server)
    whole, parts = reviewed(server, table)
    assert whole["review"]["players"]
    told = [one for part in parts for one in part["review"]["throws"]]
    assert told == whole["review"]["throws"][: len(told)]
    assert all(part["review"]["players"] is None for part in parts)
    # The same as everywhere else.
    _, record = server.record(table)
    _, read, _ = games.read_record(record)
    here = study.review(read).to_json()
    assert whole["review"]["throws"] == here["throws"]
    assert whole["review"]["players"] == here["players"]
    assert [one["values"] for one in whole["review"]["decisions"]] == [
        one["values"] for one in here["decisions"]
    ]
    assert {one["label"] for one in whole["review"]["decisions"]} <= LABELS
    # Kept: after a restart nothing is judged again, so it is there at the first word.
    server.stop()
    server.start()
    assert review(server, table) == (200, whole)
    assert review(server, table, "?round=1&seen=3") == (200, whole)


def test_a_running_game_is_reviewed_for_nobody(server: Server) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 2, choosing("white", 1, 0))
    for path in ("", "?round=1", "?round=1&seen=0"):
        assert review(server, table, path)[0] == 403
    bearer = {"Authorization": f"Bearer {mine}"}
    assert server.get(f"/api/tables/{table}/review", **bearer)[0] == 403
    assert review(server, table, "?round=2")[0] == 404
    assert review(server, "a" * 20)[0] == 404
    for query in ("?seen=-1", "?seen=x", "?round=0", "?seen=1e9"):
        assert review(server, table, query)[0] == 400


def test_what_a_position_is_worth(server: Server) -> None:
    start = games.game("duel").to_position(games.game("duel").start(2, 0))
    status, before = values(server, start)
    assert status == 200
    assert set(before) == {"win", "points"}
    assert sum(before["win"]) == pytest.approx(1)
    thrown = duel_position(phase="white", dice="34 1625")
    status, found = values(server, thrown, 0)
    assert status == 200
    assert set(found["values"]) == {"-", "R7", "Y7", "G7", "B7"}
    best = max(found["values"], key=lambda move: found["values"][move]["win"])
    assert found["values"][found["best"]]["win"] >= found["values"][best]["win"] - 0.01
    assert found["why"]["key"] in study.REASONS
    assert len(found["luck"]["win"]) == 2
    # As the engine and Python say it.
    judge = study.judgement(games.game("duel"), 2)
    here = study.explored(judge, games.read_position(thrown)[1], 0)
    assert {move: here["values"][move] for move in here["values"]} == found["values"]


def test_positions_that_cannot_be_and_seats_that_have_nothing_to_choose(server: Server) -> None:
    thrown = classic_position("", "", phase="colour", dice="41 3625", white="-")
    for position, seat, code in (
        ({"game": "chess"}, None, "bad_position"),
        ({}, None, "bad_position"),
        (classic_position("R12", ""), None, "bad_position"),
        (thrown, None, "bad_request"),
        (thrown, 1, "not_to_act"),
        (thrown, 2, "bad_request"),
    ):
        status, found = values(server, position, seat)
        assert (status, found["code"]) == (400, code), found
    assert values(server, [], 0)[0] == 400
    assert values(server, thrown, 7)[1]["code"] == "bad_message"


def test_what_another_has_sealed_is_in_no_value(server: Server) -> None:
    found = [
        values(server, classic_position("", "", phase="white", dice="34 1625", chosen=chosen), 0)
        for chosen in ({}, {"1": "R7"}, {"1": "-"}, {"1": None})
    ]
    assert all(status == 200 for status, _ in found)
    assert all(one["values"] == found[0][1]["values"] for _, one in found)


def test_a_table_in_any_position(server: Server) -> None:
    position = classic_position("R5 R7", "B8", active=1)
    body = {"position": position, "events": ["34 1625", "0:G7", "1:-"]}
    status, answer = server.request("POST", "/api/position", json.dumps(body).encode())
    found = json.loads(answer)
    assert status == 200, found
    assert (found["phase"], found["active"], found["to_act"]) == ("colour", 1, [1])
    assert found["revealed"] == {"0": "G7", "1": "-"}
    rules, state = games.read_position(found["position"])
    assert rules.to_position(state) == found["position"]
    bad = {"position": position, "events": ["34 1625", "0:R7"]}
    status, answer = server.request("POST", "/api/position", json.dumps(bad).encode())
    assert (status, json.loads(answer)["rule"]) == (400, "C1")


def test_nobody_may_have_too_much_judged(tmp_path: Path) -> None:
    few = [*GENEROUS, "--limit", "studies_an_address=0"]
    server = Server(tmp_path, *few)
    try:
        table = finished(server)
        status, found = review(server, table)
        assert (status, found["code"]) == (503, "busy")
        status, found = values(server, duel_position())
        assert (status, found["code"]) == (503, "busy")
    finally:
        server.stop()


def test_whoever_judges_may_die(own_server: Server) -> None:
    server = own_server
    assert values(server, duel_position())[0] == 200
    (worker,) = workers(server)
    os.kill(worker, signal.SIGKILL)
    status, found = values(server, duel_position())
    assert (status, found.get("code")) in ((409, "not_now"), (200, None))
    assert values(server, duel_position())[0] == 200
    (other,) = workers(server)
    assert other != worker
    # And it ends with the server, however that ends.
    server.kill()
    until(lambda: not thinks(other), "it outlives the server")
    server.start()


@pytest.mark.skipif(not hasattr(os, "SCHED_IDLE"), reason="there is no such thing here")
@pytest.mark.parametrize("nice", [0, 5, NICEST])
def test_whoever_judges_gives_way(nice: int) -> None:
    """As much as told to; most of all by having nothing but what nobody else wants."""
    worker, game = Worker(nice, compiles=False), games.game("classic")
    start = game.start(2, 0)
    thrown = game.roll(start, game.throws(start)[0].dice)
    try:
        worker.judge(("move", ("random", "classic", thrown, 0)))  # which takes next to nothing
        pid = worker._process.pid
        assert os.getpriority(os.PRIO_PROCESS, pid) == os.getpriority(os.PRIO_PROCESS, 0) + nice
        idle = os.sched_getscheduler(pid) == os.SCHED_IDLE
        assert idle == (nice == NICEST)
    finally:
        worker.kill()


# --- who is served when ---


class Slow:
    """Somebody who judges nothing, but notes what was asked, and answers when told to."""

    def __init__(self, studies: Studies) -> None:
        self.asked: list[str] = []
        self.compiled = False
        studies._worker = self  # type: ignore[assignment] # what is judged does not matter here

    def judge(self, question: Any) -> Any:
        kind, arguments = question
        if kind == "position":
            self.asked.append(f"position of {arguments[0]}")
            return {"win": [1.0], "points": [0.0]}
        record, number = arguments
        number = len(number) if kind == "whole" else number
        name = next(name for name in "abcd" if packed_record(_record(name)) == record)
        self.asked.append(f"{name}{number}")
        return b"all of it" if kind == "whole" else ToldTurn(b"", b"{}", b"{}", ())

    def kill(self) -> None:
        pass


@cache
def _record(name: str) -> Record:
    """A short game of somebody."""
    file = Path(__file__).parents[1] / "golden" / "duel-failed.json"
    _, record, _ = games.read_record(json.loads(file.read_text()))
    return replace(record, seats=(name, "other"))


async def _nobody_thinks() -> None:
    await asyncio.sleep(0)


async def _to_the_end(studies: Studies, address: str, name: str) -> int:
    done, of = 0, 1
    while done < of:
        done, of, _, whole = await studies.review(address, name, _record(name), done)
    assert whole == b"all of it"
    return of


def test_every_address_is_served_in_turn() -> None:
    """Who asks for three reviews gets no more than who asks for one."""

    async def ask() -> None:
        studies = Studies(Limits(), Metrics(), _nobody_thinks)
        slow = Slow(studies)
        greedy = [_to_the_end(studies, "one", name) for name in ("a", "b", "c")]
        others = [_to_the_end(studies, "two", "d"), studies.values("three", Wanted("x", None))]
        found = await asyncio.gather(*greedy, *others)
        studies.close()
        of = found[0]
        own = [number for number, what in enumerate(slow.asked) if what[0] == "d"]
        assert len(own) == of
        assert own[-1] <= 2 * of + 2, slow.asked
        assert slow.asked.index("position of x") <= 3
        assert [what for what in slow.asked if what[0] == "a"] == [f"a{n}" for n in range(of)]

    asyncio.run(ask())


def test_what_nobody_waits_for_is_left_and_goes_on_when_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.0)

    async def ask() -> None:
        studies = Studies(Limits(), Metrics(), _nobody_thinks)
        slow = Slow(studies)
        first = await studies.review("one", "a", _record("a"), 0)
        assert 0 < first.done < first.of
        while studies._working is not None and not studies._working.done():
            await asyncio.sleep(0)
        left = len(slow.asked)
        assert left < first.of
        assert await _to_the_end(studies, "one", "a") == first.of
        assert slow.asked == [f"a{number}" for number in range(first.of)]
        studies.close()

    asyncio.run(ask())


def test_bots_come_first() -> None:
    async def ask() -> None:
        rest = asyncio.Event()

        async def bots_rest() -> None:
            await rest.wait()

        studies = Studies(Limits(), Metrics(), bots_rest)
        slow = Slow(studies)
        asked = asyncio.create_task(studies.values("one", Wanted("x", None)))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not slow.asked
        rest.set()
        assert (await asked)["win"] == [1.0]
        studies.close()

    asyncio.run(ask())


def test_nobody_waits_for_ever_and_who_asks_again_finds_it() -> None:
    async def ask() -> None:
        rest = asyncio.Event()

        async def bots_rest() -> None:
            await rest.wait()

        studies = Studies(Limits(), Metrics(), bots_rest)
        slow = Slow(studies)
        for _ in range(3):
            with pytest.raises(Refusal, match="ask again") as refused:
                await studies.values("one", Wanted("x", None), seconds=0)
            assert refused.value.code == "busy"
        rest.set()
        assert (await studies.values("one", Wanted("x", None), seconds=600))["win"] == [1.0]
        assert slow.asked == ["position of x"]
        studies.close()

    asyncio.run(ask())


def test_nothing_is_judged_for_somebody_who_has_gone() -> None:
    async def ask() -> None:
        rest = asyncio.Event()

        async def bots_rest() -> None:
            await rest.wait()

        async def goes() -> dict[str, str]:
            await asyncio.sleep(0)
            return {"type": "http.disconnect"}

        studies = Studies(Limits(), Metrics(), bots_rest)
        slow = Slow(studies)
        gone = Request({"type": "http"}, goes)
        with pytest.raises(Refusal):
            await while_waited_for(gone, studies.values("one", Wanted("x", None), seconds=600))
        rest.set()
        assert (await studies.values("one", Wanted("y", None)))["win"] == [1.0]
        assert slow.asked == ["position of y"]
        studies.close()

    asyncio.run(ask())
