"""Faces, reactions, hurrying bots, the list of one's tables, and any moment of a game."""

import asyncio
import json
import time
from pathlib import Path
from random import Random

import pytest
from client import Client, Json, Server, play_on, run, secret
from test_games import table_of, told
from test_promises import two_at_a_table

import qwixx
from qwixx import games
from qwixx.core.record import Record, final_state
from qwixx.server import network

GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("*.json"))
EMOTES = ("hello", "bravo", "wow", "ouch", "think", "thanks")


def post(server: Server, path: str, body: Json) -> tuple[int, Json]:
    status, answer = server.request("POST", path, json.dumps(body).encode())
    return status, json.loads(answer)


def test_a_face_stays_with_its_seat_also_after_kill_9(own_server: Server) -> None:
    mine = secret()
    seats = [
        {"kind": "me", "name": "Ana", "face": "plum"},
        {"kind": "open"},
        {"kind": "bot", "level": "random"},
    ]
    table = own_server.create("classic", seats, mine)

    async def sit() -> Json:
        ben = Client(own_server.url(table), secret())
        await ben.come()
        for face in ("X", "a", "teal<", "a" * 13):
            await ben.say(ben.command(do="sit", name="Ben", face=face))
            while (heard := await ben.hear())["type"] != "refused":
                pass
            assert heard["code"] == "bad_message"
        return await ben.ask(do="sit", name="Ben", face="teal")

    view = run(sit())["table"]
    assert [seat["face"] for seat in view["seats"]] == ["plum", "teal", None]
    own_server.kill()
    own_server.start()
    again = json.loads(own_server.get(f"/api/tables/{table}")[1])
    assert again["seats"] == view["seats"]


def test_everybody_sees_a_reaction_and_nothing_is_written_down(server: Server) -> None:
    async def react() -> None:
        ana, ben, watcher = await two_at_a_table(server)
        before = len(server.log(ana.table["id"]))
        for emote in EMOTES[:5]:
            await ana.say(ana.command(do="react", seat=0, emote=emote))
        for client in (ana, ben, watcher):
            seen: list[str] = []
            while len(seen) < 5:
                heard = await client.hear()
                if heard["type"] == "reaction":
                    assert heard["seat"] == 0
                    seen.append(heard["emote"])
            assert tuple(seen) == EMOTES[:5]
        assert (await ana.ask(do="react", seat=0, emote="wow"))["code"] == "too_fast"
        for enemy in (ben, watcher):
            assert (await enemy.ask(do="react", seat=0, emote="wow"))["code"] == "not_yours"
        await ben.say(ben.command(do="react", seat=1, emote="any words"))
        while (heard := await ben.hear())["type"] != "refused":
            pass
        assert heard["code"] == "bad_message"
        assert len(server.log(ana.table["id"])) == before

    run(react())


def test_nobody_reacts_to_bots(server: Server) -> None:
    async def react() -> None:
        (ana,) = await table_of(server, "classic", 1, bots=1)
        assert (await ana.ask(do="react", seat=0, emote="wow"))["code"] == "not_now"

    run(react())


def test_bots_that_pause_are_hurried_by_one_who_plays_alone(server: Server) -> None:
    async def hurry() -> None:
        (ana,) = await table_of(server, "duel", 1, bots=1, pause=10)
        watcher = Client(ana.url, secret())
        await watcher.come()
        assert (await ana.ask(do="hurry"))["code"] == "not_now"  # not begun
        await ana.ready()
        await ana.begun()
        start, rng, hurried = time.monotonic(), Random(1), 0
        while hurried < 8 and ana.table["status"] != "over":
            wish = ana.wish(rng)
            if wish:
                await ana.ask(**wish)
                continue
            number = ana.number
            answer = await ana.ask(do="hurry")
            assert answer["type"] == "accepted"
            hurried += 1
            while ana.number == number:
                await ana.hear()
        assert time.monotonic() - start < 10 * hurried
        assert (await watcher.ask(do="hurry"))["code"] == "not_yours"

    run(hurry())


def test_nobody_hurries_bots_where_others_play(server: Server) -> None:
    async def hurry() -> None:
        ana, ben = await table_of(server, "classic", 2, bots=1, pause=5)
        await ana.ready()
        await ben.ready()
        await ana.begun()
        assert (await ana.ask(do="hurry"))["code"] == "not_now"

    run(hurry())


def test_my_tables_say_where_i_am_waited_for(server: Server) -> None:
    async def look() -> None:
        ana, ben, _ = await two_at_a_table(server)
        (solo,) = await table_of(server, "duel", 1, bots=1)
        await solo.ready()
        await play_on(solo, Random(3))
        assert ana.play
        tables, nowhere = [ana.table["id"], solo.table["id"]], "a" * 20
        wanted = {"secret": ana.secret, "tables": [*tables, nowhere, tables[0]]}
        status, found = await asyncio.to_thread(post, server, "/api/mine", wanted)
        assert status == 200
        assert found["gone"] == [nowhere]
        running, over = found["tables"]
        assert (running["table"], running["status"], running["yours"]) == (
            tables[0],
            "playing",
            [0],
        )
        assert running["active"] == ana.play["active"]
        assert running["acting"] == (ana.play["active"] == 0)
        assert running["seats"] == ana.table["seats"]
        assert abs(running["at"] / 1000 - time.time()) < 600
        assert running["result"] is None
        assert (over["status"], over["yours"], over["acting"], over["active"]) == (
            "over",
            [],
            False,
            None,
        )
        assert solo.play
        assert over["result"] == solo.play["result"]
        wanted["secret"] = ben.secret
        _, bens = await asyncio.to_thread(post, server, "/api/mine", wanted)
        assert bens["tables"][0]["acting"] == (ana.play["active"] == 1)

    run(look())
    assert post(server, "/api/mine", {"secret": secret(), "tables": ["a" * 20] * 25})[0] == 400
    assert post(server, "/api/mine", {"secret": "short", "tables": []})[0] == 400


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_moment_is_what_a_table_shows_then(server: Server, path: Path) -> None:
    record = Record.from_json(json.loads(path.read_text()))
    law = games.game(record.game)
    wanted: Json = {"game": record.game, "players": len(record.seats), "first": record.first}
    events = [str(event) for event in record.events]
    for length in {0, 1, 2, 3, len(events) // 2, len(events)}:
        if length > 400:
            continue
        status, found = post(server, "/api/moment", {**wanted, "events": events[:length]})
        assert status == 200, found
        part = Record(record.game, record.seats, record.first, record.events[:length])
        state = final_state(law, part)
        if not found["chosen"]:
            shown = told(record.game, state)
            assert shown == {key: found[key] for key in shown}
        assert found["to_act"] == list(law.to_act(state))
        for seat in found["to_act"]:
            assert [one["move"] for one in found["moves"][str(seat)]] == list(
                law.moves(state, seat)
            )


def test_a_moment_that_cannot_be_is_refused_with_event_and_rule(server: Server) -> None:
    wanted: Json = {"game": "classic", "players": 2, "first": 0}
    status, found = post(server, "/api/moment", {**wanted, "events": ["41 3625", "0:R5", "1:R6"]})
    assert (status, found["rule"]) == (400, "S2")
    assert "event 3 (1:R6)" in found["message"]
    for wrong in (
        {**wanted, "events": ["41 3625"] * 401},
        {**wanted, "events": ["nonsense"]},
        {**wanted, "game": "chess", "events": []},
        {**wanted, "players": 9, "events": []},
        {**wanted, "first": 3, "events": []},
        {**wanted, "events": [7]},
    ):
        status, found = post(server, "/api/moment", wrong)
        assert status == 400, found
        assert found["message"]


def test_what_the_last_event_did_comes_with_the_moment(server: Server) -> None:
    events = ["41 3625", "0:-", "1:R5"]
    status, found = post(
        server, "/api/moment", {"game": "classic", "players": 2, "first": 0, "events": events}
    )
    assert status == 200
    game = qwixx.game("classic")
    state = game.roll(game.start(2, 0), qwixx.Dice.parse("41 3625"))
    assert found["revealed"] == {"0": "-", "1": "R5"}
    assert found["effects"] == {"1": game.effects(state, 1, "R5").to_json()}
    assert found["phase"] == "colour"


def test_only_addresses_that_others_can_reach() -> None:
    found = ["192.168.1.7", "127.0.0.1", "10.0.0.3", "192.168.1.7", "169.254.3.4", "0.0.0.0"]  # noqa: S104 - not bound
    assert network.reachable(found) == ["192.168.1.7", "10.0.0.3"]
    assert network.reachable(network.own_addresses()) == network.own_addresses()
