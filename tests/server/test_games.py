"""Whole games by several clients at once, through broken lines and a killed server."""

import asyncio
import json
from collections.abc import Coroutine
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from client import GENEROUS, Client, Json, Server, play_on, run, secret

import qwixx
from qwixx import games
from qwixx.core import proof
from qwixx.server.panels import left, panels
from sweeps import sweep

FAST: dict[str, float] = {"pause": 0, "away": 3600}


async def table_of(
    server: Server, game: str, people: int, bots: int = 0, **options: float
) -> list[Client]:
    """A table with everybody seated, not yet ready."""
    creator = secret()
    seats: list[dict[str, Any]] = [{"kind": "me", "name": "P0"}, *[{"kind": "open"}] * (people - 1)]
    seats += [{"kind": "bot", "level": "random"}] * bots
    table = await asyncio.to_thread(server.create, game, seats, creator, **FAST | options)
    clients = [Client(server.url(table), creator)]
    await clients[0].come()
    for number in range(1, people):
        client = Client(server.url(table), secret())
        await client.come()
        await client.ask(do="sit", name=f"P{number}")
        client.yours = [number]
        clients.append(client)
    return clients


async def everybody(clients: list[Client], rng: Random, **how: Any) -> None:
    await asyncio.gather(*(client.ready() for client in clients))
    await asyncio.gather(*(play_on(client, Random(rng.random()), **how) for client in clients))


def told(name: str, state: Any) -> Json:
    """What everybody is told of what lies on the table in this state."""
    guide = games.guide(name)
    dice = None if state.dice is None else str(state.dice)
    drawn = {"panels": panels(guide, state), "left": left(guide, state)}
    return {
        "active": state.active,
        "phase": state.phase,
        "dice": dice,
        **msgspec.to_builtins(drawn),
    }


def check_table(server: Server, clients: list[Client]) -> None:
    """Every client ended with the same state, which is the fold of the stored log;
    the dice are proved."""
    table = clients[0].table["id"]
    last = {client.number for client in clients}
    plays = {json.dumps(client.play, sort_keys=True) for client in clients}
    assert len(plays) == 1
    log = server.log(table)
    assert [number for number, _ in log] == list(range(1, len(log) + 1))
    assert last == {len(log)}
    status, record = server.record(table)
    assert status == 200
    game, read, state = qwixx.read_record(record)
    assert proof.check(read, game.layout.faces)
    assert clients[0].play is not None
    assert told(game.id, state) == {key: clients[0].play[key] for key in told(game.id, state)}
    stored = [
        event["dice"] if event["kind"] == "rolled" else f"{event['seat']}:{event['move']}"
        for _, event in log
        if event["kind"] in ("rolled", "chose")
    ]
    assert stored == record["events"]


async def some_games(server: Server, seed: int, **how: Any) -> None:
    rng = Random(seed)
    shapes = [
        ("duel", 2, 0),
        ("classic", 2, 0),
        ("classic", 3, 1),
        ("classic", 5, 0),
        ("classic", 1, 0),
        ("duel", 1, 1),
    ]
    jobs: list[Coroutine[Any, Any, list[Client]]] = []

    async def one(game: str, people: int, bots: int, seed: float) -> list[Client]:
        clients = await table_of(server, game, people, bots)
        await everybody(clients, Random(seed), **how)
        return clients

    for _ in range(8):
        jobs += [one(*shape, rng.random()) for shape in shapes]
    for clients in await asyncio.gather(*jobs):
        check_table(server, clients)
        for client in clients:
            if client.line is not None:
                await client.line.close()


@pytest.mark.parametrize("seed", sweep(range(5)))
def test_hundreds_of_games_through_broken_lines(server: Server, seed: int) -> None:
    run(some_games(server, seed, breaks=0.08, repeats=1 if seed % 2 else 5))


@pytest.mark.parametrize("kills", sweep([5, 30]))
def test_kill_9_at_random_moments_under_load(tmp_path: Path, kills: int) -> None:
    server = Server(tmp_path, *GENEROUS)
    rng = Random(9)
    try:
        run(_under_fire(server, rng, kills))
    finally:
        server.kill()


async def _begin(table: list[Client]) -> None:
    """Everybody is there and ready for a round, the first or another,
    whatever was reached before a kill."""
    for client in table:
        if client.line is None:
            await client.come()
    if table[0].table["status"] == "over":
        await table[0].ask(do="rematch")
    for client in table:
        while client.table["status"] == "over":
            await client.hear()
        await client.ready()


async def _under_fire(server: Server, rng: Random, kills: int) -> None:
    tables = [
        await table_of(server, *shape)
        for shape in [("classic", 2), ("duel", 2), ("classic", 3)] * 6
    ]
    clients = [client for table in tables for client in table]
    seen: dict[str, int] = {}
    stop = asyncio.Event()

    async def watch() -> None:
        """Again and again: kill, look at the disk, start again."""
        for _ in range(kills):
            await asyncio.sleep(rng.uniform(0.1, 0.5))
            server.kill()
            for client in clients:
                table = client.table["id"]
                heard = max(
                    (
                        client.number,
                        *(
                            answer.get("number", 0)
                            for answer in client.answers.values()
                            if answer["type"] != "refused"
                        ),
                    )
                )
                log = await asyncio.to_thread(server.log, table)
                assert len(log) >= heard, f"event {heard} was heard of but is not on disk"
                assert [number for number, _ in log] == list(range(1, len(log) + 1))
                assert len(log) >= seen.get(table, 0), "the log has shrunk"
                seen[table] = len(log)
            await asyncio.to_thread(server.start)
        stop.set()

    async def keep_playing(table: list[Client]) -> None:
        begun = False
        while not (begun and stop.is_set()):
            try:
                await _begin(table)
            except Exception:  # noqa: BLE001 - the server was killed under us; come back and look again
                await asyncio.sleep(0.1)
                for client in table:
                    client.line = None
                continue
            begun = True
            await asyncio.gather(
                *(play_on(client, Random(rng.random()), repeats=3) for client in table)
            )

    games = [asyncio.create_task(keep_playing(table)) for table in tables]
    await watch()
    await asyncio.gather(*games)
    for table in tables:
        status, record = await asyncio.to_thread(server.record, table[0].table["id"])
        assert status == 200
        game, read, _ = qwixx.read_record(record)
        assert proof.check(read, game.layout.faces)


def test_interleavings_of_white_choices_are_some_serial_order(server: Server) -> None:
    """Three seats choose at the same instant, many times:
    the outcome does not depend on who was first."""

    async def once(seed: int) -> None:
        clients = await table_of(server, "classic", 3)
        for client in clients:
            await client.ready()
        for client in clients:
            await client.begun()
        play = clients[0].play
        assert play
        active = play["active"]
        await clients[active].ask(do="roll", seat=active, seen=clients[active].number)
        for client in clients:
            while client.play and client.play["phase"] != "white":
                await client.hear()
        rng = Random(seed)
        wishes = [client.command(**(client.wish(rng) or {})) for client in clients]
        await asyncio.gather(
            *(client.say(wish) for client, wish in zip(clients, wishes, strict=True))
        )
        for client, wish in zip(clients, wishes, strict=True):
            await client.answer(wish)
            while client.play and client.play["phase"] == "white":
                await client.hear()
        game = qwixx.game("classic")
        state = game.start(3, active)
        assert clients[0].play
        state = game.roll(state, qwixx.Dice.parse(clients[0].play["dice"] or "11 1111"))
        for wish in wishes:
            state = game.choose(state, wish["seat"], wish["move"])
        assert told("classic", state)["panels"] == clients[0].play["panels"]

    async def many() -> None:
        await asyncio.gather(*(once(seed) for seed in range(20)))

    run(many())
