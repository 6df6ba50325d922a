"""The log of a running round: what everybody may know of it, for whoever came later."""

import gzip
import json
from random import Random

from client import Client, Json, Server, play_on, run, secret


def log_of(server: Server, table: str) -> Json:
    """It is the same packed, as every browser wants it."""
    path = f"/api/tables/{table}/log"
    status, body = server.get(path)
    assert status == 200
    found: Json = json.loads(body)
    assert json.loads(gzip.decompress(server.get(path, **{"Accept-Encoding": "gzip"})[1])) == found
    return found


def flat(events: list[Json]) -> list[str]:
    """The log as a record writes it, the choices of one action in the order of the seats."""
    lines = []
    for event in events:
        lines += [event["dice"]] if event.get("dice") else []
        lines += [f"{seat}:{move}" for seat, move in event.get("revealed", {}).items()]
    return lines


def test_the_log_is_the_record_of_the_round(server: Server) -> None:
    """After a whole game, and again in the next round, where it begins anew."""
    mine = secret()
    seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "greedy"}]
    table = server.create("classic", seats, mine, pause=0)
    assert log_of(server, table) == {"round": 1, "number": 2, "events": []}

    async def two_rounds() -> None:
        client = Client(server.url(table), mine)
        await client.come()
        for number in (1, 2):
            await client.ready()
            await play_on(client, Random(number))
            log, record = log_of(server, table), server.record(table, number=number)[1]
            assert (log["round"], log["number"]) == (number, client.number)
            assert sorted(flat(log["events"])) == sorted(record["events"])
            throws = [event for event in log["events"] if event.get("dice")]
            assert [one["dice"] for one in throws] == [
                one for one in record["events"] if ":" not in one
            ]
            assert [one["seat"] for one in throws] == [
                (record["first"] + n) % 2 for n in range(len(throws))
            ]
            assert not any(
                {"id", "play", "table", "chosen"} & event.keys() for event in log["events"]
            )
            if number == 1:
                await client.ask(do="rematch")
                assert log_of(server, table)["events"] == []

    run(two_rounds())


def test_nothing_sealed_is_in_the_log(server: Server) -> None:
    """Ana has chosen and Ben has not: her choice is nobody's to read,
    and not even that there is one."""

    async def half_chosen() -> None:
        table = server.create(
            "classic", [{"kind": "me", "name": "Ana"}, {"kind": "open"}], mine := secret()
        )
        ana, ben = Client(server.url(table), mine), Client(server.url(table), secret())
        await ana.come()
        await ben.come()
        ben.yours = [(await ben.ask(do="sit", name="Ben"))["seat"]]
        await ana.ready()
        await ben.ready()
        while ana.table["status"] != "playing" or ana.more:
            await ana.hear()
        first = ana.table["first"]
        thrower = (ana, ben)[first]
        while thrower.number < ana.number:
            await thrower.hear()
        await thrower.ask(do="roll", seat=first, seen=thrower.number)
        while not ana.play or ana.play["phase"] != "white":
            await ana.hear()
        await ana.ask(do="choose", seat=0, move="-", seen=ana.number)
        log = log_of(server, table)
        assert [event["kind"] for event in log["events"]] == ["rolled"]
        assert log["number"] == ana.number

    run(half_chosen())


def test_there_is_no_log_without_a_table(server: Server) -> None:
    assert server.get(f"/api/tables/{'a' * 20}/log")[0] == 404
