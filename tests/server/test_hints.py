"""Hints at a table: for one's own seat alone, when it has a choice to make, where the table allows it;
counted for all to see, and without a word about what others have sealed."""

import json
import os
import signal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from client import GENEROUS, Client, Json, Server, play_on, run, secret, until, workers
from test_games import table_of
from test_promises import rolled
from test_withdrawing import caught_up, first_choice

from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.refusals import Refusal
from qwixx.server.table import Table, commit
from qwixx.study import REASONS

BOT = {"kind": "bot", "level": "random"}
ME = {"kind": "me", "name": "Ana"}


async def hint(client: Client, seat: int | None = None, **more: Any) -> Json:
    """Ask for a hint: the answer, which is the hint or a refusal."""
    wanted = client.yours[0] if seat is None else seat
    sent = client.command(**{"do": "hint", "seat": wanted, "seen": client.number, **more})
    await client.say(sent)
    return await answer(client, sent)


async def answer(client: Client, sent: Json) -> Json:
    while True:
        heard = await client.hear()
        if heard.get("id") == sent["id"] and heard["type"] != "event":
            return heard


async def choosing(client: Client, rng: Random) -> list[str]:
    """Play on until this person, alone among bots, has a choice to make; the legal moves."""
    while client.table["status"] == "playing":
        wish = None if client.more else client.wish(rng)
        if wish and wish["do"] == "choose" and client.play:
            return [one["move"] for one in client.play["moves"][str(wish["seat"])]]
        if wish:
            await client.ask(**wish)
        else:
            await client.hear()
    return []


async def thrown(server: Server) -> tuple[Client, Client]:
    """Two people with the first throw before them, the active one first; both have a choice."""
    ana, ben = await table_of(server, "classic", 2, hints=True)
    for one in (ana, ben):
        await one.ready()
    for one in (ana, ben):
        await one.begun()
    return await rolled(ana, ben)


async def alone(server: Server, game: str, bots: int, **options: Any) -> Client:
    (client,) = await table_of(server, game, 1, bots, **options)
    await client.ready()
    await client.begun()
    return client


@pytest.mark.parametrize(("game", "bots"), [("classic", 1), ("duel", 1), ("mixed-b", 2)])
def test_a_hint_at_every_decision_of_a_game(server: Server, game: str, bots: int) -> None:
    """Each names a legal choice with its value and is counted once, also when asked for twice."""

    async def play() -> None:
        client, rng, taken = await alone(server, game, bots), Random(7), 0
        while moves := await choosing(client, rng):
            found = await hint(client)
            taken += 1
            assert found["type"] == "hint"
            assert found["best"] in moves
            assert sorted(found["values"]) == sorted(moves)
            assert all(0 <= one["win"] <= 1 for one in found["values"].values())
            assert found["reason"]["key"] in REASONS
            assert client.play
            assert (found["seat"], found["opened"]) == (0, client.play["opened"])
            assert found["level"] == "master"
            again = await hint(client)
            assert {**again, "id": None} == {**found, "id": None}
            assert client.table["seats"][0]["hints"] == taken
            await client.ask(do="choose", seat=0, move=found["best"], seen=client.number)
        events = [event for _, event in server.log(client.table["id"])]
        assert sum(event["kind"] == "hinted" for event in events) == taken > 5
        assert server.record(client.table["id"])[1]["hints"] == [taken, *[0] * bots]
        story = json.loads(server.get(f"/api/tables/{client.table['id']}/story")[1])
        assert story["hints"] == [taken, *[0] * bots]

    run(play())


def test_the_practice_game_has_hints_too(server: Server) -> None:
    async def play() -> None:
        client = await alone(server, "classic", 0)
        moves = await choosing(client, Random(1))
        found = await hint(client)
        assert sorted(found["values"]) == sorted(moves)
        assert {one["win"] for one in found["values"].values()} == {1}

    run(play())


def test_only_ones_own_seat_and_only_when_it_has_a_choice(server: Server) -> None:
    async def attack() -> None:
        ana, ben = await table_of(server, "classic", 2, hints=True)
        await ana.ready()
        await ben.ready()
        for one in (ana, ben):
            await one.begun()
        watcher, stranger = Client(ana.url, None), Client(ana.url, secret())
        await watcher.come()
        await stranger.come()
        assert ana.play
        active = ana if ana.play["active"] == 0 else ben
        assert (await hint(active))["code"] == "not_now"  # the dice are not thrown yet
        active, other = await rolled(ana, ben)
        number = active.number
        await caught_up(active, other, watcher, stranger)
        for enemy in (other, watcher, stranger):
            assert (await hint(enemy, active.yours[0]))["code"] == "not_yours"
        assert (await hint(active, seen=number + 9))["code"] == "stale"
        assert (await hint(active, seen=1))["code"] == "stale"
        assert (await hint(active, 4))["code"] == "not_yours"
        before = len(server.log(ana.table["id"]))
        wish = other.wish(Random(1))
        if wish is not None:  # whoever has chosen has no choice any more
            await other.ask(**wish)
            before += 1
            assert (await hint(other))["code"] == "not_now"
        assert len(server.log(ana.table["id"])) == before
        for one in (other, watcher, stranger):
            assert not any('"hint"' in text for text in one.frames)

    run(attack())


def test_a_table_among_people_has_hints_only_if_they_are_wanted(server: Server) -> None:
    def options(seats: list[Json], **wanted: Any) -> Any:
        table = server.create("classic", seats, secret(), **wanted)
        return json.loads(server.get(f"/api/tables/{table}")[1])["options"]["hints"]

    assert options([ME, BOT, BOT]) is True
    assert options([ME]) is True
    assert options([ME, {"kind": "open"}]) is False
    assert options([ME, {"kind": "me", "name": "Ben"}, BOT]) is False
    assert options([ME, {"kind": "open"}], hints=True) is True
    assert options([ME, BOT], hints=False) is False

    async def refused() -> None:
        _, other, _, _ = await first_choice(server)
        answer = await hint(other)
        assert (answer["code"], answer["message"]) == (
            "no_hints",
            "this table is played without hints",
        )
        without = await alone(server, "duel", 1, hints=False)
        assert await choosing(without, Random(2))
        assert (await hint(without))["code"] == "no_hints"
        assert "hint" not in {event["kind"] for _, event in server.log(without.table["id"])}

    run(refused())


def test_all_hear_of_it_and_nobody_else_hears_what_it_says(server: Server) -> None:
    async def ask() -> None:
        ana, ben = await table_of(server, "classic", 2, hints=True)
        for one in (ana, ben):
            await one.ready()
        watcher = Client(ana.url, None)
        await watcher.come()
        for one in (ana, ben):
            await one.begun()
        active, other = await rolled(ana, ben)
        assert active.wish(Random(1))
        found = await hint(active)
        assert found["type"] == "hint"
        await caught_up(active, other, watcher)
        for one in (other, watcher):
            assert one.table["seats"][active.yours[0]]["hints"] == 1
            assert found["id"] == json.loads(one.frames[-1])["id"]
            assert not any('"values"' in text for text in one.frames)

    run(ask())


def test_the_count_and_what_was_told_survive_kill_9(own_server: Server) -> None:
    async def before() -> tuple[Client, Json]:
        client = await alone(own_server, "duel", 1)
        await choosing(client, Random(3))
        return client, await hint(client)

    async def after(client: Client) -> None:
        client.line = None
        await client.come()
        assert client.table["seats"][0]["hints"] == 1
        found = await hint(client)
        assert (found["type"], found["seat"]) == ("hint", 0)
        assert client.table["seats"][0]["hints"] == 1  # in the same decision it is the same hint
        await client.ask(do="choose", seat=0, move=found["best"], seen=client.number)
        assert await choosing(client, Random(3))
        await hint(client)
        assert client.table["seats"][0]["hints"] == 2

    client, _ = run(before())
    own_server.kill()
    own_server.start()
    run(after(client))


def test_hints_have_a_bound(tmp_path: Any) -> None:
    words = ["--limit", "hints_burst=3", "--limit", "hints_a_minute=1"]
    server = Server(tmp_path, *GENEROUS, *words)

    async def greedy() -> list[str]:
        client = await alone(server, "classic", 1)
        await choosing(client, Random(4))
        return [(await hint(client)).get("code", "given") for _ in range(5)]

    try:
        assert run(greedy()) == ["given"] * 3 + ["too_fast"] * 2
    finally:
        server.kill()


def test_nobody_waits_for_a_hint_but_who_asked(tmp_path: Path) -> None:
    """Whoever finds hints stands still: everything else goes on, at the same table and at others."""
    server = Server(tmp_path, *GENEROUS, "--limit", "thinkers=1")

    def said_to_all(number: int) -> None:
        for pid in workers(server):
            os.kill(pid, number)

    async def play() -> None:
        active, other = await thrown(server)
        until(lambda: bool(workers(server)), "nobody is there who could find hints")
        said_to_all(signal.SIGSTOP)
        asked = active.command(do="hint", seat=active.yours[0], seen=active.number)
        await active.say(asked)
        wish = other.wish(Random(1))
        assert wish
        await other.ask(**wish)  # at the same table
        alone_ = await alone(server, "classic", 1)
        await play_on(alone_, Random(2))
        assert alone_.table["status"] == "over"
        assert asked["id"] not in "".join(active.frames)
        said_to_all(signal.SIGCONT)
        assert (await answer(active, asked))["type"] == "hint"

    try:
        run(play())
    finally:
        server.kill()


def test_a_hint_that_comes_too_late_is_not_counted(server: Server) -> None:
    """The choice is made while the hint is being found: whichever is first, nothing is lost."""

    async def race() -> None:
        client, _ = await thrown(server)
        seat = client.yours[0]
        asked = client.command(do="hint", seat=seat, seen=client.number)
        chosen = client.command(do="choose", seat=seat, move="-", seen=client.number)
        await client.say(asked)
        await client.say(chosen)
        answer_ = await answer(client, asked)
        chose = await client.answer(chosen)
        assert chose["kind"] == "chose"
        taken = client.table["seats"][seat]["hints"]
        assert (answer_["type"], taken) in (("hint", 1), ("refused", 0))
        if not taken:
            assert answer_["code"] == "stale"

    for _ in range(3):
        run(race())


def test_a_table_of_before_hints_goes_on_without_them() -> None:
    """What an old server wrote down has no word of hints; its game runs on."""
    created = (
        '{"kind":"created","game":"classic","seats":[{"kind":"me","name":"Ana"},'
        '{"kind":"bot","level":"random"}],"options":{"pause":0.8,"clock":0,"away":60,'
        '"stand_in":"greedy","listed":false},"holder":"h"}'
    )
    table = Table("a" * 20)
    events: list[log.AnyEvent] = [log.decode(created), commit(), log.Readied(0, "ab" * 16)]
    for event in (*events, log.Started(0, [0, 1])):
        table.apply(log.Entry(table.id, table.number + 1, 1, None, event))
    assert table.playing
    table.apply(log.Entry(table.id, table.number + 1, 1, None, table.playing.throw({})))
    with pytest.raises(Refusal) as refused:
        table.check_hint(m.AskHint("a" * 8, 0, table.number), "h")
    assert refused.value.code == "no_hints"


def test_a_hint_is_about_the_decision_in_which_it_was_asked_for(server: Server) -> None:
    """With the choice right behind it on the line it comes too late, or before that choice."""

    async def play() -> None:
        client, rng, taken = await alone(server, "duel", 1), Random(3), 0
        while moves := await choosing(client, rng):
            assert client.play
            opened, seen = client.play["opened"], client.number
            asked = client.command(do="hint", seat=0, seen=seen)
            await client.say(asked)
            await client.say(client.command(do="choose", seat=0, move=moves[-1], seen=seen))
            heard = await answer(client, asked)
            if heard["type"] == "hint":
                assert heard["opened"] == opened
                taken += 1
            else:
                assert heard["code"] == "stale"
        assert (client.table["seats"][0].get("hints") or 0) == taken

    run(play())


def test_whoever_takes_back_a_choice_can_have_the_hint_that_came_too_late(server: Server) -> None:
    async def play() -> None:
        one, _ = await thrown(server)
        asked = one.command(do="hint", seat=one.yours[0], seen=one.number)
        passed = one.command(do="choose", seat=one.yours[0], move="-", seen=one.number)
        await one.say(asked)
        await one.say(passed)
        assert (await answer(one, asked))["type"] in ("refused", "hint")
        while one.yours[0] not in one.chosen:
            await one.hear()
        await one.ask(do="withdraw", seat=one.yours[0], seen=one.number)
        assert (await hint(one))["type"] == "hint"

    run(play())
