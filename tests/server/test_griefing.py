"""People who come to spoil it: what they can take from others is bounded, and the others can act."""

import asyncio
import json
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

import pytest
import websockets
from client import GENEROUS, PATIENCE, Client, Server, run, secret
from websockets.asyncio.client import connect


async def comes(server: Server, table: str, address: str, own: str | None = None) -> Client:
    """Somebody at a table, from an address of their own."""
    client = Client(server.url(table), own or secret())
    line = await connect(
        client.url, local_addr=(address, 0), ping_interval=None, open_timeout=PATIENCE
    )
    client.take(line)
    client.lines.append(line)
    await line.send(json.dumps({"do": "hello", "secret": client.secret, "version": None}))
    while not client.table:
        await client.hear()
    return client


async def turned_away(coming: Awaitable[Any]) -> int:
    """The code with which somebody's line is ended."""
    with pytest.raises(websockets.ConnectionClosed) as closed:
        await coming
    assert closed.value.rcvd
    return closed.value.rcvd.code


def test_coming_and_going_uses_up_nothing_of_others(tmp_path: Path) -> None:
    server = Server(tmp_path, *GENEROUS, "--limit", "events_a_round=30")
    table = server.create("duel", [{"kind": "open"}] * 2, secret())

    async def fidget() -> None:
        mallory = await comes(server, table, "127.6.6.6")
        for _ in range(40):
            sat = await mallory.ask(do="sit", name="Mallory", seat=0)
            if sat["type"] == "refused":
                break
            assert (await mallory.ask(do="leave", seat=0))["kind"] == "left", "always possible"
        assert sat["code"] == "too_many"
        assert len(server.log(table)) >= 30
        ana = await comes(server, table, "127.7.7.7")
        assert (await ana.ask(do="sit", name="Ana", seat=0))["kind"] == "sat"
        assert (await ana.ask(do="leave", seat=0))["kind"] == "left"
        assert (await ana.ask(do="sit", name="Ana", seat=1))["kind"] == "sat"

    run(fidget())
    server.kill()


def test_wrong_guesses_void_nobodys_code(tmp_path: Path) -> None:
    server = Server(tmp_path, *GENEROUS)
    table = server.create("duel", [{"kind": "open"}] * 2, secret())

    async def guess() -> None:
        ana = await comes(server, table, "127.7.7.7")
        await ana.ask(do="sit", name="Ana", seat=0)
        code = (await ana.ask(do="code"))["code"]
        mallory = await connect(ana.url, local_addr=("127.6.6.6", 0), open_timeout=PATIENCE)
        Client.lines.append(mallory)
        for number in range(15):
            hello = {"do": "hello", "secret": secret(), "code": f"wrong{number}"}
            await mallory.send(json.dumps(hello))
            assert json.loads(await mallory.recv())["code"] == "bad_code"
        await mallory.send(json.dumps({"do": "hello", "secret": secret(), "code": code}))
        assert json.loads(await mallory.recv())["code"] == "bad_code", "no longer listened to"
        phone = Client(ana.url, secret())
        assert (await phone.come(code=code))["yours"] == [0]

    run(guess())
    server.kill()


async def people(server: Server, count: int, *, ready: bool = True, **options: Any) -> list[Client]:
    """A table of people, each at a device of their own; the first has made it."""
    own = secret()
    table = server.create("classic", [{"kind": "open"}] * count, own, **options)
    found = []
    for number in range(count):
        client = Client(server.url(table), own if number == 0 else secret())
        await client.come()
        client.yours = [(await client.ask(do="sit", name=f"P{number}", seat=number))["seat"]]
        found.append(client)
    for client in found if ready else ():
        await client.ready()
    for client in found if ready else ():
        await client.begun()
    return found


async def until(client: Client, kind: str) -> dict[str, Any]:
    while True:
        heard = await client.hear()
        if heard.get("kind") == kind:
            return heard


async def catch_up(client: Client) -> None:
    """Hear everything that has been said by now."""
    await client.say({"do": "ping"})
    while (await client.hear())["type"] != "pong":
        pass


def test_who_is_here_and_does_nothing_can_be_replaced_after_a_while(server: Server) -> None:
    async def wait() -> None:
        ana, ben = await people(server, 2, idle=1)
        active, other = (ana, ben) if ana.play["active"] in ana.yours else (ben, ana)  # type: ignore[index] # it runs
        seat = active.yours[0]
        early = Client(other.url, other.secret)
        await early.come()
        deadline = time.monotonic() + PATIENCE
        while (answer := await other.ask(do="replace", seat=seat))["type"] == "refused":
            assert answer["code"] == "not_now"
            assert time.monotonic() < deadline
            await asyncio.sleep(0.2)
        assert answer["kind"] == "replaced"
        again = Client(active.url, active.secret)
        assert (await again.come())["table"]["seats"][seat]["stand_in"] is False, "who comes back"

    run(wait())


@pytest.mark.parametrize("idle", [120, 0])
def test_nobody_who_is_here_is_replaced_before_that(server: Server, idle: int) -> None:
    async def hurry() -> None:
        ana, ben = await people(server, 2, idle=idle)
        active, other = (ana, ben) if ana.play["active"] in ana.yours else (ben, ana)  # type: ignore[index] # it runs
        answer = await other.ask(do="replace", seat=active.yours[0])
        assert answer["code"] == "not_now"

    run(hurry())


def test_whoever_made_the_table_can_have_somebody_leave_before_the_game(server: Server) -> None:
    async def ask() -> None:
        ana, ben = await people(server, 2, ready=False)
        assert (await ben.ask(do="remove", seat=0))["code"] == "not_yours"
        assert (await ana.ask(do="remove", seat=0))["code"] == "not_now", "oneself"
        assert (await ana.ask(do="remove", seat=4))["code"] == "no_seat"
        gone = await ana.ask(do="remove", seat=1)
        assert (gone["kind"], gone["table"]["seats"][1]["kind"]) == ("removed", "open")
        assert await turned_away(catch_up(ben)) == 4410
        assert await turned_away(ben.come()) == 4410, "also when he comes back"
        cara = Client(ana.url, secret())
        await cara.come()
        assert (await cara.ask(do="sit", name="Cara", seat=1))["kind"] == "sat"

    run(ask())


def test_from_a_game_all_others_together_can(own_server: Server) -> None:
    async def agree() -> None:
        ana, ben, mallory = await people(own_server, 3)
        for client in (ana, ben, mallory):
            await catch_up(client)
        stranger = Client(ana.url, secret())
        await stranger.come()
        assert (await stranger.ask(do="remove", seat=2))["code"] == "not_yours"
        first = await ana.ask(do="remove", seat=2)
        assert (first["kind"], first["table"]["seats"][2]["unwanted"]) == ("agreed", 1)
        assert (await ana.ask(do="remove", seat=2))["code"] == "not_now", "once is enough"
        assert ana.secret
        own_server.kill()
        own_server.start()
        for client in (ana, ben):
            await client.come()
        assert ben.table["seats"][2]["unwanted"] == 1, "also after a restart"
        await ben.ask(do="remove", seat=2)
        gone = await until(ben, "removed")
        assert gone["table"]["seats"][2]["stand_in"] is True
        assert await turned_away(mallory.come()) == 4410

    run(agree())


def test_one_player_alone_has_nobody_removed_from_a_game(server: Server) -> None:
    async def ask() -> None:
        ana, ben = await people(server, 2)
        await catch_up(ana)
        assert (await ana.ask(do="remove", seat=1))["code"] == "not_now"
        assert (await ben.ask(do="remove", seat=0))["code"] == "not_now"

    run(ask())


def test_watchers_can_be_turned_off_and_on(server: Server) -> None:
    async def turn() -> None:
        ana, ben = await people(server, 2)
        watcher = Client(ana.url, None)
        assert (await watcher.come())["yours"] == []
        assert (await ben.ask(do="watchers", allowed=False))["code"] == "not_yours"
        assert (await ana.ask(do="watchers", allowed=False))["kind"] == "allowed"
        assert await turned_away(catch_up(watcher)) == 4403, "who knows that it is there"
        assert await turned_away(Client(ana.url, secret()).come()) == 4404, "who need not"
        table = ana.table["id"]
        path = f"/api/tables/{table}/log"
        assert (await asyncio.to_thread(server.get, path))[0] == 403
        own = {"Authorization": f"Bearer {ben.secret}"}
        status, _ = await asyncio.to_thread(lambda: server.get(path, **own))
        assert status == 200
        assert (await ben.come())["yours"] == [1], "players come back"
        assert (await ana.ask(do="watchers", allowed=True))["table"]["options"]["watchers"] is True
        assert (await Client(ana.url, None).come())["type"] == "welcome"

    run(turn())


def test_a_name_can_be_reported_to_whoever_runs_the_server(tmp_path: Path) -> None:
    server = Server(tmp_path, *GENEROUS, "--limit", "reports_an_hour=2")

    async def report() -> None:
        ana, mallory = await people(server, 2, ready=False)
        assert (await ana.ask(do="report", seat=1))["type"] == "accepted"
        assert (await ana.ask(do="report", seat=3))["code"] == "no_seat"
        await mallory.ask(do="report", seat=0)
        assert (await mallory.ask(do="report", seat=0))["code"] == "too_fast"

    run(report())
    server.stop()
    told = [json.loads(line) for line in server.errors.read_text().splitlines()]
    reported = [one for one in told if one["what"] == "a name is reported"]
    assert [(one["seat"], one["called"]) for one in reported] == [(1, "P1"), (0, "P0")]
    assert reported[0]["reporter"] == "127.0.0.1"


def test_who_only_looks_in_is_told_to_nobody(server: Server) -> None:
    """Else a stranger who comes and goes would have the server speak to everybody each time."""

    async def look_in() -> None:
        ana, _ = await people(server, 2, ready=False)
        await catch_up(ana)
        heard = len(ana.frames)
        for _ in range(20):
            stranger = Client(ana.url, secret())
            await stranger.come()
            await stranger.go()
        await catch_up(ana)
        assert [json.loads(text)["type"] for text in ana.frames[heard:]] == ["pong"]

    run(look_in())
