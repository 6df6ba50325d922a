"""What the server promises: who may do what, what nobody sees, what is bounded, and how it ends."""

import asyncio
import contextlib
import json
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path
from random import Random
from typing import Any

import pytest
import websockets
from client import GENEROUS, PATIENCE, Client, Server, play_on, run, secret
from test_games import FAST, table_of
from websockets.asyncio.client import connect

import qwixx
from qwixx.core import proof
from qwixx.core.errors import BadRecord
from qwixx.core.record import Record


async def two_at_a_table(server: Server, game: str = "classic") -> tuple[Client, Client, Client]:
    """Two players in a running game, and somebody who watches."""
    ana, ben = await table_of(server, game, 2)
    await ana.ready()
    await ben.ready()
    watcher = Client(ana.url, None)
    await watcher.come()
    await ana.begun()
    await ben.begun()
    return ana, ben, watcher


async def closing(client: Client) -> int | None:
    """Read on until the server closes the line; the code it gives."""
    try:
        while True:
            await client.hear()
    except websockets.ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


async def rolled(ana: Client, ben: Client) -> tuple[Client, Client]:
    """The active player rolls until both have a real choice; returns (active, other)."""
    assert ana.play
    active, other = (ana, ben) if ana.play["active"] == 0 else (ben, ana)
    seat = active.yours[0]
    await active.ask(do="roll", seat=seat, seen=active.number)
    while other.number < active.number:
        await other.hear()
    return active, other


def test_a_secret_acts_only_for_its_own_seat(server: Server) -> None:
    async def attack() -> None:
        ana, ben, watcher = await two_at_a_table(server)
        stranger = Client(ana.url, secret())
        await stranger.come()
        active, other = await rolled(ana, ben)
        before = active.number
        for enemy in (other, watcher, stranger):
            acts: tuple[dict[str, Any], ...] = (
                {"do": "choose", "seat": active.yours[0], "move": "-", "seen": before},
                {"do": "roll", "seat": active.yours[0], "seen": before},
                {"do": "leave", "seat": active.yours[0]},
                {"do": "ready", "seat": active.yours[0], "chain": "ab" * 32},
            )
            for command in acts:
                answer = await enemy.ask(**command)
                assert (answer["type"], answer["code"]) == ("refused", "not_yours"), answer
        for enemy in (watcher, stranger):
            for name in ("start", "rematch", "code"):
                answer = await enemy.ask(do=name)
                assert answer["type"] == "refused", answer
        assert (await watcher.ask(do="sit", name="Eve"))["type"] == "refused"
        assert len(server.log(ana.table["id"])) == before

    run(attack())


def test_a_sealed_choice_is_in_no_frame_to_anybody_else(server: Server) -> None:
    async def watch() -> None:
        for seed in range(10):
            ana, ben, watcher = await two_at_a_table(server)
            active, other = await rolled(ana, ben)
            wish = other.wish(Random(seed))
            if wish is None:
                continue
            while watcher.number < other.number:
                await watcher.hear()
            before = {client: len(client.frames) for client in (ana, ben, watcher)}
            assert other.play
            untouched = other.play["panels"]
            answer = await other.ask(**wish)
            assert answer["type"] == "event"
            assert "move" not in answer
            for client in (active, watcher):
                while client.number < other.number:
                    await client.hear()
                back = Client(client.url, client.secret)
                welcome = await back.come()
                assert welcome["mine"] == {}
                assert welcome["chosen"] == [other.yours[0]]
                for text in [
                    *client.frames[before[client] :],
                    json.dumps({**welcome, "play": None}),
                ]:
                    assert f'"{wish["move"]}"' not in text
                assert client.play
                assert welcome["play"]["panels"] == client.play["panels"] == untouched
            # The record of a running game, which its players may read, does not tell either.
            status, record = await asyncio.to_thread(server.record, ana.table["id"], active.secret)
            assert status == 200
            assert record["events"] == record["events"][:1]
            assert "key" not in record["proof"]
            # Its own player finds it again.
            again = Client(other.url, other.secret)
            assert (await again.come())["mine"] == {str(other.yours[0]): wish["move"]}

    run(watch())


def test_no_secret_in_any_log_line_frame_or_url(own_server: Server) -> None:
    async def play() -> list[Client]:
        clients = await table_of(own_server, "duel", 2)
        for client in clients:
            await client.ready()
        await asyncio.gather(*(play_on(client, Random(1)) for client in clients))
        return clients

    clients = run(play())
    own_server.stop()
    texts = own_server.errors.read_text() + "".join(
        text for client in clients for text in client.frames
    )
    disk = b"".join(file.read_bytes() for file in own_server.db.parent.glob("tables.db*"))
    for client in clients:
        assert client.secret
        assert client.secret not in texts
        assert client.secret not in client.url
        assert client.secret.encode() not in disk  # only its hash is kept
    for line in own_server.errors.read_text().splitlines():
        json.loads(line)


def test_every_command_is_applied_once_also_across_a_restart(own_server: Server) -> None:
    async def before() -> tuple[Client, list[dict[str, Any]]]:
        (ana,) = await table_of(own_server, "classic", 1)
        await ana.ready()
        await ana.begun()
        roll = ana.command(do="roll", seat=0, seen=ana.number)
        for _ in range(5):
            await ana.say(roll)
        await ana.answer(roll)
        wish = ana.wish(Random(1))
        assert wish
        choice = ana.command(**wish)
        await ana.say(choice)
        await ana.answer(choice)
        return ana, [roll, choice]

    async def after(ana: Client, sent: list[dict[str, Any]]) -> None:
        heard = {command["id"]: ana.answers.pop(command["id"])["number"] for command in sent}
        ana.answers.clear()
        await ana.come()
        log = own_server.log(ana.table["id"])
        for command in [*sent, *sent]:
            await ana.say(command)
            answer = await ana.answer(command)
            assert (answer["type"], answer["number"]) == ("accepted", heard[command["id"]])
        assert own_server.log(ana.table["id"]) == log
        assert sum(event["kind"] == "rolled" for _, event in log) == 1

    ana, sent = run(before())
    own_server.kill()
    own_server.start()
    run(after(ana, sent))


def test_stale_and_illegal_commands_are_answered_with_the_reason(server: Server) -> None:
    async def ask() -> None:
        ana, ben, _ = await two_at_a_table(server)
        old = ana.number
        active, _ = await rolled(ana, ben)
        seat = active.yours[0]
        stale = await active.ask(do="choose", seat=seat, move="-", seen=old)
        assert (stale["code"], stale["number"]) == ("stale", active.number)
        future = await active.ask(do="choose", seat=seat, move="-", seen=active.number + 5)
        assert future["code"] == "stale"
        twice = await active.ask(do="roll", seat=seat, seen=active.number)
        assert (twice["code"], twice["rule"]) == ("not_now", "S1")
        assert active.play
        total = sum(int(die) for die in active.play["dice"][:2])
        wrong = "R2" if total != 2 else "R3"
        illegal = await active.ask(do="choose", seat=seat, move=wrong, seen=active.number)
        assert (illegal["code"], illegal["rule"]) == ("illegal_move", "S2")

    run(ask())


def test_a_new_table_made_twice_by_the_same_request_is_one(server: Server) -> None:
    body = {
        "id": "made-once",
        "secret": secret(),
        "game": "duel",
        "seats": [{"kind": "open"}, {"kind": "open"}],
    }
    answers = [server.request("POST", "/api/tables", json.dumps(body).encode()) for _ in range(3)]
    assert {status for status, _ in answers} == {201}
    assert len({answer for _, answer in answers}) == 1


def test_a_seat_moves_to_another_device_by_a_code_once(server: Server) -> None:
    async def move() -> None:
        ana, ben, _ = await two_at_a_table(server)
        code = (await ana.ask(do="code"))["code"]
        assert code not in server.url(ana.table["id"])
        phone = Client(ana.url, secret())
        assert (await phone.come(code="wrong"))["code"] == "bad_code"
        phone = Client(ana.url, secret())
        assert (await phone.come(code=code.upper()))["yours"] == [0]
        assert await closing(ana) == 4409
        assert (await Client(ana.url, ana.secret).come())["yours"] == []
        assert (await Client(ana.url, secret()).come(code=code))["code"] == "bad_code"
        active, _ = await rolled(phone, ben)
        assert active.play

    run(move())


def test_the_same_seat_in_two_tabs(server: Server) -> None:
    async def both() -> None:
        ana, ben, _ = await two_at_a_table(server)
        tab = Client(ana.url, ana.secret)
        assert (await tab.come())["yours"] == [0]
        active, _ = await rolled(ana, ben)
        while tab.number < active.number:
            await tab.hear()
        assert tab.play == active.play

    run(both())


def test_one_browser_holds_several_seats(server: Server) -> None:
    async def alone() -> None:
        creator = secret()
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "me", "name": "Ben"}]
        table = await asyncio.to_thread(server.create, "classic", seats, creator, **FAST)
        client = Client(server.url(table), creator)
        assert (await client.come())["yours"] == [0, 1]
        await client.ready()
        await play_on(client, Random(2))
        assert client.play
        assert client.play["result"]["over"]

    run(alone())


def test_a_person_who_is_away_is_replaced_and_takes_the_seat_back(server: Server) -> None:
    async def away() -> None:
        creator = secret()
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "open"}]
        table = await asyncio.to_thread(
            server.create, "duel", seats, creator, pause=0, away=4, stand_in="random"
        )
        ana, ben = Client(server.url(table), creator), Client(server.url(table), secret())
        await ana.come()
        await ben.come()
        await ben.ask(do="sit", name="Ben")
        ben.yours = [1]
        await ana.ready()
        await ben.ready()
        await ana.begun()
        await ben.begun()
        assert ana.play
        waiting, gone = (ben, ana) if ana.play["active"] == 0 else (ana, ben)
        seat = gone.yours[0]
        assert (await waiting.ask(do="replace", seat=seat))["code"] == "not_now"  # still here
        await gone.go()
        while True:
            heard = await waiting.hear()
            if heard["type"] == "here" and not heard["seats"][seat]:
                break
        early = await waiting.ask(do="replace", seat=seat)
        assert early["code"] == "not_now"
        while (late := await waiting.ask(do="replace", seat=seat))["type"] == "refused":
            assert late["code"] == "not_now"
            await asyncio.sleep(0.2)
        assert late["kind"] == "replaced"
        while not (waiting.play and waiting.play["active"] == waiting.yours[0]):
            await waiting.hear()  # the bot has played the turn
        welcome = await gone.come()
        assert [one["kind"] for one in welcome["missed"]][-1] == "returned"
        assert not welcome["table"]["seats"][seat]["stand_in"]

    run(away())


def test_the_clock_passes_and_rolls_for_who_does_nothing(server: Server) -> None:
    async def wait() -> None:
        creator = secret()
        table = await asyncio.to_thread(
            server.create, "classic", [{"kind": "me", "name": "Ana"}], creator, pause=0, clock=0.3
        )
        ana = Client(server.url(table), creator)
        await ana.come()
        await ana.ready()
        while ana.table["status"] != "over":
            await ana.hear()
        assert ana.play
        assert ana.play["result"]["reason"] == "failed"
        whys = [json.loads(text).get("why") for text in ana.frames]
        assert "clock" in whys
        assert ana.play["deadline"] is None

    run(wait())


def test_bots_and_clocks_go_on_after_a_restart(own_server: Server) -> None:
    creator = secret()
    bots = [{"kind": "bot", "level": "random"}, {"kind": "bot", "level": "greedy"}]
    table = own_server.create("duel", bots, creator, pause=0.05)

    async def start() -> None:
        client = Client(own_server.url(table), creator)
        await client.come()
        await client.ask(do="start")
        await client.hear()

    run(start())
    own_server.kill()
    own_server.start()
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and own_server.record(table)[0] != 200:
        time.sleep(0.1)
    status, record = own_server.record(table)
    assert status == 200
    assert proof.check(qwixx.read_record(record)[1], 6)


def test_a_rematch_draws_its_starter_again_and_has_a_new_key(server: Server) -> None:
    """S7, in every round; the draw is part of the proof."""

    async def many() -> None:
        (ana,) = await table_of(server, "classic", 1, bots=1)
        firsts, commitments = [], set()
        rounds = 4
        for _ in range(rounds):
            commitments.add(ana.table["commitment"])
            await ana.ready()
            await ana.begun()
            firsts.append(ana.table["first"])
            await play_on(ana, Random(3))
            await ana.ask(do="rematch")
        assert len(commitments) == rounds
        for number, first in enumerate(firsts, start=1):
            status, record = await asyncio.to_thread(server.record, ana.table["id"], None, number)
            assert (status, record["first"]) == (200, first)
            assert proof.check(qwixx.read_record(record)[1], 6)
            tampered = replace(Record.from_json(record), first=1 - first)
            with pytest.raises(BadRecord, match=r"the dice drew seat"):
                proof.check(tampered, 6)
        assert (await asyncio.to_thread(server.record, ana.table["id"], None, 99))[0] == 404

    run(many())


def test_records_whose_later_rounds_began_with_the_next_seat_are_still_proved() -> None:
    source = proof.OpenDice(bytes(range(32)), "table", 2, {0: "ab" * 16}, 6, proof.OLD_SCHEME)
    record = Record("classic", ("Ana", "Ben"), 1 - source.first(2), (source.throw(0, "RYGB"),))
    key = {"key": source.key.hex()}
    assert proof.check(replace(record, more={"proof": source.to_json() | key}), 6)
    new = replace(source, scheme=proof.OPEN_SCHEME)
    late = replace(record, first=1 - new.first(2), events=(), more={"proof": new.to_json() | key})
    with pytest.raises(BadRecord, match="the dice drew seat"):
        proof.check(late, 6)


def test_a_running_game_is_for_its_players_to_read(server: Server) -> None:
    async def read() -> None:
        ana, ben, _ = await two_at_a_table(server)
        await rolled(ana, ben)
        table = ana.table["id"]
        assert (await asyncio.to_thread(server.record, table))[0] == 403
        assert (await asyncio.to_thread(server.record, table, secret()))[0] == 403
        assert (await asyncio.to_thread(server.record, table, ben.secret))[0] == 200

    run(read())


def test_the_creator_starts_early_and_open_seats_fall_away(server: Server) -> None:
    async def start() -> None:
        creator = secret()
        seats = [
            {"kind": "open"},
            {"kind": "me", "name": "Ana"},
            {"kind": "open"},
            {"kind": "bot", "level": "greedy"},
        ]
        table = await asyncio.to_thread(server.create, "classic", seats, creator, **FAST)
        ana = Client(server.url(table), creator)
        assert (await ana.come())["yours"] == [1]
        await ana.ask(do="ready", seat=1, chain="cd" * 32)
        await ana.ask(do="start")
        assert [seat["kind"] for seat in ana.table["seats"]] == ["person", "bot"]
        ana.yours = [0]
        await play_on(ana, Random(4))

    run(start())


def test_lobby_names_and_sitting(server: Server) -> None:
    async def sit() -> None:
        creator = secret()
        seats = [{"kind": "me", "name": "  Zoë \u00a0 Ñandú  "}, {"kind": "open"}]
        table = await asyncio.to_thread(server.create, "duel", seats, creator, listed=True)
        lobby = json.loads((await asyncio.to_thread(server.get, "/api/tables"))[1])["tables"]
        assert {"table": table, "game": "duel", "names": ["Zoë Ñandú"], "free": 1} in lobby
        ben = Client(server.url(table), secret())
        await ben.come()
        for name in ("", "   ", "x" * 25, "a\u202eb", "a\x00b", "bot:me", "\u200b"):
            answer = await ben.ask(do="sit", name=name or "\u2003")
            assert (answer["type"], answer["code"]) == ("refused", "bad_name"), name
        assert (await ben.ask(do="sit", name="李小龙 👨‍👩‍👧"))["kind"] == "sat"
        late = Client(server.url(table), secret())
        await late.come()
        assert (await late.ask(do="sit", name="Late"))["code"] == "no_seat"
        lobby = json.loads((await asyncio.to_thread(server.get, "/api/tables"))[1])["tables"]
        assert table not in {one["table"] for one in lobby}

    run(sit())


def test_foreign_origins_are_refused(server: Server) -> None:
    body = json.dumps(
        {"id": "abcdefgh", "secret": secret(), "game": "duel", "seats": [{"kind": "open"}] * 2}
    ).encode()
    own = f"http://127.0.0.1:{server.port}"
    assert server.request("POST", "/api/tables", body, Origin="https://evil.example")[0] == 403
    assert server.request("POST", "/api/tables", body, Origin="null")[0] == 403
    status, answer = server.request("POST", "/api/tables", body, Origin=own)
    assert status == 201
    url = server.url(json.loads(answer)["table"])

    async def open_line(origin: str) -> None:
        async with connect(url, additional_headers={"Origin": origin}):
            pass

    run(open_line(own))
    with pytest.raises(websockets.InvalidStatus) as refused:
        run(open_line("https://evil.example"))
    assert refused.value.response.status_code == 403


def test_a_table_is_known_by_one_spelling_of_its_name(server: Server) -> None:
    """Another one would lead through a balancer to another server, which would take it from everybody."""

    async def come() -> None:
        ana, ben, _ = await two_at_a_table(server)
        table = ana.table["id"]
        for spelt in (table.replace(table[3], f"%{ord(table[3]):02x}"), table.upper()):
            assert (await asyncio.to_thread(server.get, f"/api/tables/{spelt}"))[0] == 404
            stranger = Client(server.url(spelt), secret())
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await stranger.come()
            assert closed.value.rcvd
            assert closed.value.rcvd.code == 4404
        active, _ = await rolled(ana, ben)  # on lines that never broke
        assert active.play

    run(come())


def test_security_headers_and_bounds_over_http(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port)) as line:
        line.sendall(b"GET /api/games HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        head = b""
        while chunk := line.recv(65536):
            head += chunk
    text = head.decode().lower()
    for header in (
        "content-security-policy: default-src 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy",
    ):
        assert header in text
    assert "server:" not in text
    assert server.request("POST", "/api/tables", b"x" * 70_000)[0] == 413
    assert server.get("/api/tables/" + "a" * 20)[0] == 404
    assert server.get("/api/tables/..%2f..%2fetc")[0] == 404
    assert server.get("/nowhere")[0] == 404
    assert server.request("DELETE", "/api/tables", None)[0] == 405
    assert server.get("/healthz") == (200, b"ok\n")
    assert b"qwixx_events_total" in server.get("/metrics")[1]


LITTLE = ("tables_an_hour=3", "sockets_an_address=4", "requests_a_second=1")
FEW = [word for limit in LITTLE for word in ("--limit", limit)]


def test_rates_and_numbers_are_bounded(tmp_path: Path) -> None:
    server = Server(tmp_path, *FEW)
    try:

        def make(number: int) -> int:
            body = {
                "id": f"table-{number:04d}",
                "secret": secret(),
                "game": "duel",
                "seats": [{"kind": "open"}] * 2,
            }
            return server.request("POST", "/api/tables", json.dumps(body).encode())[0]

        assert [make(number) for number in range(5)] == [201, 201, 201, 429, 429]
        statuses = [server.get("/api/games")[0] for _ in range(120)]
        assert 429 in statuses
        assert server.get("/healthz")[0] == 200
        time.sleep(1)
        run(_crowd(server))
    finally:
        server.kill()


async def _crowd(server: Server) -> None:
    table = _tables(server)[0]
    lines = [await connect(server.url(table)) for _ in range(4)]
    Client.lines.extend(lines)
    for line in lines:
        await line.send('{"do": "hello"}')
        await line.recv()
    fifth = await connect(server.url(table))
    Client.lines.append(fifth)
    with pytest.raises(websockets.ConnectionClosed) as closed:
        await fifth.recv()
    assert closed.value.rcvd
    assert closed.value.rcvd.code == 4429
    flood = Client(server.url(table), None)
    flood.take(lines[0])
    with contextlib.suppress(websockets.ConnectionClosed):
        for _ in range(2000):
            await lines[0].send('{"do": "start", "id": "abcdefgh"}')
    assert await closing(flood) in (4429, None)
    await lines[1].send('{"do": "start", "id": "abcdefgh"}')
    assert json.loads(await asyncio.wait_for(lines[1].recv(), 10))["type"] == "refused"


def _tables(server: Server) -> list[str]:
    with contextlib.closing(sqlite3.connect(f"file:{server.db}?mode=ro", uri=True)) as db:
        return [row for (row,) in db.execute('SELECT DISTINCT "table" FROM events')]


def test_sigterm_says_1012_and_ends(own_server: Server) -> None:
    async def stop() -> None:
        ana, ben, watcher = await two_at_a_table(own_server)
        own_server.process.send_signal(signal.SIGTERM)
        for client in (ana, ben, watcher):
            assert await closing(client) == 1012
        await asyncio.to_thread(own_server.process.wait, PATIENCE)

    run(stop())
    assert own_server.process.returncode in (0, -signal.SIGTERM)


def test_a_dead_line_is_noticed(server: Server) -> None:
    """Within ten seconds, if the machine has them to give."""

    async def wait() -> None:
        ana, ben, _ = await two_at_a_table(server)
        assert ana.line
        ana.line.transport.pause_reading()  # no more answers to pings from here
        while True:
            heard = await ben.hear()
            if heard["type"] == "here" and not heard["seats"][0]:
                return

    run(wait())


def test_a_table_that_another_hand_has_written_to_is_let_go_and_no_other(
    own_server: Server,
) -> None:
    """Nobody hears of what could not be written; whoever sits there comes again, to what is on disk."""

    async def play() -> None:
        ana, ben, _ = await two_at_a_table(own_server)
        other, _, _ = await two_at_a_table(own_server)
        table, foreign = ana.table["id"], {"kind": "hinted", "seat": 0}
        with contextlib.closing(sqlite3.connect(own_server.db)) as db, db:
            db.execute(
                'INSERT INTO events ("table", number, at, command, event) VALUES (?, ?, ?, ?, ?)',
                (table, ana.number + 1, 0, None, json.dumps(foreign)),
            )
        assert ana.play
        active = ana if ana.play["active"] == 0 else ben
        sent = active.command(**active.throw(active.yours[0]))
        await active.say(sent)
        assert await closing(active) == 1012
        assert sent["id"] not in active.answers
        await active.come()
        assert own_server.log(table)[active.number - 1][1] == foreign
        assert (await other.ask(do="rematch"))["code"] == "not_now"  # on a line that never broke

    run(play())
    assert own_server.process.poll() is None


# The log of this server can no longer be trusted to grow: something of ours is wrong.
FAULTY = """
from qwixx.server import sqlite
from qwixx.cli import main
def write(*_):
    raise ValueError("out of its mind")
sqlite.SqliteStore.write = write
main()
"""


def test_a_dead_writer_ends_the_process(tmp_path: Path) -> None:
    server = Server(tmp_path, program=("-c", FAULTY))
    with contextlib.suppress(OSError, HTTPException):
        server.create("duel", [{"kind": "open"}] * 2, secret())
    assert server.process.wait(PATIENCE) == 1
    assert "the writer died" in server.errors.read_text()


# The disk of this server is full for a while, from its second event on.
FULL = """
import time
from qwixx.server import sqlite
from qwixx.server.store import Unavailable
from qwixx.cli import main
write, until = sqlite.SqliteStore.write, []
def full(store, entries):
    if any(entry.number > 2 for entry in entries):
        until.append(time.monotonic() + 2)
        if time.monotonic() < until[0]:
            raise Unavailable("the disk is full")
    write(store, entries)
sqlite.SqliteStore.write = full
main()
"""


def test_a_full_disk_is_waited_for(tmp_path: Path) -> None:
    """Nothing is acknowledged so long, what is asked besides is refused, and then all goes on."""
    server = Server(tmp_path, *GENEROUS, program=("-c", FULL))

    async def play() -> None:
        creator = secret()
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "random"}]
        table = await asyncio.to_thread(server.create, "duel", seats, creator, **FAST)
        ana = Client(server.url(table), creator)
        await ana.come()
        sent = ana.command(do="ready", seat=0, chain=ana.chains.end(ana.table))
        await ana.say(sent)
        while "nothing can be written" not in server.errors.read_text():
            await asyncio.sleep(0.02)
        refused = await ana.ask(do="hurry")
        assert (refused["type"], refused["code"]) == ("refused", "unavailable")
        assert len(server.log(table)) == 2
        assert (await ana.answer(sent))["type"] == "event"
        await play_on(ana, Random(1))

    try:
        run(play())
        assert server.process.poll() is None
        assert "it can be written again" in server.errors.read_text()
    finally:
        server.kill()


def test_old_tables_are_pruned_by_an_option(tmp_path: Path) -> None:
    server = Server(tmp_path, *GENEROUS)
    table = server.create("duel", [{"kind": "open"}] * 2, secret())
    server.stop()
    server.words = (*GENEROUS, "--keep-days", "0")
    time.sleep(0.01)
    server.start()
    try:
        assert server.get(f"/api/tables/{table}")[0] == 404
    finally:
        server.kill()


READER = """
import asyncio, sys, websockets
async def main():
    async with websockets.connect(sys.argv[1]) as line:
        await line.send('{"do": "hello"}')
        await line.recv()
        print("here", flush=True)
        async for _ in line:
            pass
asyncio.run(main())
"""


def test_stopped_readers_are_dropped_and_nobody_waits_for_them(own_server: Server) -> None:
    """How little the others notice is measured in bench/load;
    here, that they go on and the stopped are let go."""

    async def play() -> None:
        creator = secret()
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "open"}]
        table = await asyncio.to_thread(own_server.create, "duel", seats, creator)
        ana, ben = Client(own_server.url(table), creator), Client(own_server.url(table), secret())
        await ana.come()
        await ben.come()
        stopped = [
            subprocess.Popen([sys.executable, "-c", READER, ana.url], stdout=subprocess.PIPE)
            for _ in range(3)
        ]
        try:
            for reader in stopped:
                assert reader.stdout
                with reader.stdout as said:
                    assert await asyncio.to_thread(said.readline) == b"here\n"
                reader.send_signal(signal.SIGSTOP)
            deadline = time.monotonic() + PATIENCE
            while b"qwixx_sockets 2.0\n" not in await asyncio.to_thread(
                lambda: own_server.get("/metrics")[1]
            ):
                assert time.monotonic() < deadline, "the stopped readers are still there"
                for _ in range(20):
                    await ben.ask(do="sit", name="B" * 24, seat=1)
                    await ben.ask(do="leave", seat=1)
                while ana.number < ben.number:
                    await ana.hear()
        finally:
            for reader in stopped:
                reader.kill()
                reader.wait()

    run(play())


@pytest.mark.parametrize("players", [1, 2, 5])
def test_the_dice_are_fair(players: int) -> None:
    """Chi-square over 60,000 throws: every face of every die as often as the next."""
    counts = [[0] * 6 for _ in range(6)]
    source = proof.OpenDice(
        bytes(range(32)), "table", 1, dict.fromkeys(range(players), "ab" * 16), 6
    )
    throws = 10_000
    for number in range(throws):
        dice = source.throw(number, "RYGB")
        for die, value in enumerate([*dice.whites, *dice.coloured]):
            counts[die][value - 1] += 1
    for faces in counts:
        chi = sum((count - throws / 6) ** 2 / (throws / 6) for count in faces)
        assert chi < 25.7  # one in ten thousand with five degrees of freedom
    rng = Random(players)
    firsts = [proof.OpenDice(rng.randbytes(32), "t", 1, {}, 6).first(5) for _ in range(5000)]
    assert sum((firsts.count(seat) - 1000) ** 2 / 1000 for seat in range(5)) < 25


def test_a_tampered_record_fails_at_the_right_throw(server: Server) -> None:
    async def play() -> dict[str, Any]:
        (ana,) = await table_of(server, "classic", 1)
        await ana.ready()
        await play_on(ana, Random(5))
        return (await asyncio.to_thread(server.record, ana.table["id"]))[1]

    record = run(play())
    assert proof.check(Record.from_json(record), 6)
    rolls = [number for number, event in enumerate(record["events"]) if ":" not in event]
    for nth in (0, len(rolls) // 2, len(rolls) - 1):
        events = list(record["events"])
        dice = events[rolls[nth]]
        events[rolls[nth]] = ("2" if dice[0] == "1" else "1") + dice[1:]
        with pytest.raises(BadRecord, match=f"throw {nth + 1} was {re.escape(dice)}") as raised:
            proof.check(
                Record.from_json({**record, "events": events, "result": record["result"]}), 6
            )
        assert raised.value.event == rolls[nth] + 1
    wrong: list[dict[str, Any]] = [
        {"key": "00" * 32},
        {"chains": []},
        {"links": []},
        {"table": "x"},
        {"round": 2},
    ]
    for changes in wrong:
        with pytest.raises(BadRecord):
            proof.check(Record.from_json({**record, "proof": {**record["proof"], **changes}}), 6)


@pytest.mark.parametrize(
    "words",
    [
        ("--limit", "nonsense=3"),
        ("--limit", "rounds=many"),
        ("--port", "99999"),
        ("--db", "/proc/nowhere/x.db"),
        ("--host", "256.1.1.1"),
    ],
)
def test_a_server_that_cannot_start_says_so_in_one_line(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    command = [
        sys.executable,
        "-m",
        "qwixx",
        "serve",
        "--port",
        "0",
        "--db",
        str(tmp_path / "x.db"),
        *words,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode in (1, 2)
    assert re.fullmatch(r"qwixx: .+\n", done.stderr), done.stderr


def test_a_port_that_is_taken(server: Server, tmp_path: Path) -> None:
    words = [
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
        str(server.port),
        "--db",
        str(tmp_path / "x.db"),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "qwixx", *words],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "try another --port" in done.stderr
