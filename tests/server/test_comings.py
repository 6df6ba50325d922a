"""Comings and goings that once went wrong: at the same instant,
under the same id, before a word was said."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

from client import GENEROUS, Client, Server, play_on, run, secret
from test_games import FAST, table_of
from websockets.asyncio.client import connect


def test_the_same_request_many_times_at_once_makes_one_table(own_server: Server) -> None:
    for number in range(5):
        new = {
            "id": f"at-once-{number}",
            "secret": secret(),
            "game": "duel",
            "seats": [{"kind": "open"}] * 2,
        }
        body = json.dumps(new).encode()
        with ThreadPoolExecutor(8) as pool:
            answers = list(
                pool.map(
                    lambda _, body=body: own_server.request("POST", "/api/tables", body), range(8)
                )
            )
        assert {status for status, _ in answers} == {201}
        assert len({answer for _, answer in answers}) == 1
        table = json.loads(answers[0][1])["table"]
        assert [event["kind"] for _, event in own_server.log(table)] == ["created", "committed"]
    assert own_server.process.poll() is None


def test_lines_that_end_at_once_leave_nothing_behind(tmp_path: Path) -> None:
    """Hello and gone, while events are under way: nobody is counted as still there."""
    own_server = Server(tmp_path, *GENEROUS, "--limit", "watchers=20")

    async def come_and_go() -> None:
        creator = secret()
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "open"}]
        table = await asyncio.to_thread(own_server.create, "duel", seats, creator)
        ana = Client(own_server.url(table), creator)
        await ana.come()

        async def busy() -> None:
            ben = Client(ana.url, secret())
            await ben.come()
            for _ in range(150):
                await ben.ask(do="sit", name="Ben")
                await ben.ask(do="leave", seat=1)

        async def ghost() -> None:
            line = await connect(ana.url)
            await line.send('{"do": "hello"}')
            line.transport.abort()

        async def ghosts() -> None:
            for _ in range(40):
                await asyncio.gather(*(ghost() for _ in range(5)))

        await asyncio.gather(busy(), ghosts())
        silent = await connect(ana.url)  # goes without a word
        silent.transport.abort()
        await asyncio.sleep(0.5)
        for _ in range(10):
            assert (await Client(ana.url, None).come())["type"] == "welcome"

    run(come_and_go())
    own_server.stop()
    errors = own_server.errors.read_text()
    assert "Exception" not in errors
    assert all(json.loads(line)["level"] == "info" for line in errors.splitlines())


def test_ids_are_each_senders_own(server: Server) -> None:
    async def same_id() -> None:
        ana, ben = await table_of(server, "duel", 2)
        for seat, client in enumerate((ana, ben)):
            client.answers.clear()
            chain = client.chains.end(client.table)
            sent = {"do": "ready", "id": "cmd-00001", "seat": seat, "chain": chain}
            await client.say(sent)
            while True:
                heard = await client.hear()
                if heard.get("id") == "cmd-00001" and heard.get("seat") == seat:
                    break
            assert heard["kind"] == "readied"

    run(same_id())


def test_who_is_here_is_told_when_seats_change(server: Server) -> None:
    async def sit() -> None:
        creator = secret()
        seats = [{"kind": "open"}, {"kind": "me", "name": "Ana"}, {"kind": "open"}]
        table = await asyncio.to_thread(server.create, "classic", seats, creator, **FAST)
        ana, ben = Client(server.url(table), creator), Client(server.url(table), secret())
        await ana.come()
        await ben.come()
        await ben.ask(do="sit", name="Ben", seat=2)

        async def here() -> Any:
            while (heard := await ana.hear())["type"] != "here":
                pass
            return heard["seats"]

        while await here() != [False, True, True]:
            pass
        await ana.ask(do="start")
        while await here() != [True, True]:
            pass

    run(sit())


def test_who_left_and_says_ready_again_plays_again(server: Server) -> None:
    async def again() -> None:
        ana, ben = await table_of(server, "duel", 2)
        for client in (ana, ben):
            await client.ready()
        await ben.begun()
        assert (await ben.ask(do="leave", seat=1))["kind"] == "replaced"
        assert (await ben.ask(do="leave", seat=1))["code"] == "not_now"
        await play_on(ana, Random(1))
        await ana.ask(do="rematch")
        await ben.ask(do="ready", seat=1, chain="cd" * 32)
        await ana.ready()
        await ana.begun()
        assert [seat["stand_in"] for seat in ana.table["seats"]] == [False, False]

    run(again())
