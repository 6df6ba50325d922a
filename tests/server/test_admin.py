"""Whoever runs a server looks after it, and nobody else: over a socket of their own."""

import asyncio
import functools
import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import websockets
from client import GENEROUS, METRICS_TOKEN, PATIENCE, Client, Server, run, secret
from test_griefing import comes, people

from qwixx.server.sqlite import SqliteStore


def admin(server: Server, *words: str) -> Any:
    """What `qwixx admin` answers."""
    command = [sys.executable, "-m", "qwixx", "admin", *words, "--db", str(server.db)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout if words[0] == "metrics" else json.loads(done.stdout)


async def hear_all(client: Client) -> None:
    while True:
        await client.hear()


def test_tables_are_listed_closed_reopened_and_deleted(own_server: Server) -> None:
    server = own_server

    async def look_after() -> None:
        ana, ben = await people(server, 2)
        table = ana.table["id"]
        listed = await asyncio.to_thread(admin, server, "tables")
        assert [(one["table"], one["names"], one["lines"]) for one in listed["tables"]] == [
            (table, ["P0", "P1"], 2)
        ]
        await asyncio.to_thread(admin, server, "close", table)
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await hear_all(ana)
        assert closed.value.rcvd
        assert closed.value.rcvd.code == 4404
        assert (await asyncio.to_thread(server.get, f"/api/tables/{table}"))[0] == 403
        server.kill()
        server.start()
        assert (await asyncio.to_thread(admin, server, "closed"))["closed"] == [table]
        assert (await asyncio.to_thread(server.get, f"/api/tables/{table}"))[0] == 403
        await asyncio.to_thread(admin, server, "reopen", table)
        assert (await ben.come())["table"]["status"] == "playing"
        await asyncio.to_thread(admin, server, "delete", table)
        assert (await asyncio.to_thread(server.get, f"/api/tables/{table}"))[0] == 404
        with pytest.raises(AssertionError, match="no such table"):
            await asyncio.to_thread(admin, server, "close", table)

    run(look_after())
    server.check()


def test_a_table_that_is_closed_while_bots_play_stays_whole(own_server: Server) -> None:
    server, own = own_server, secret()
    seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "greedy"}]
    table = server.create("duel", seats, own, pause=0)

    async def play() -> None:
        ana = Client(server.url(table), own)
        await ana.come()
        await ana.ready()
        for _ in range(5):
            await asyncio.to_thread(admin, server, "close", table)
            await asyncio.to_thread(admin, server, "reopen", table)
        assert (await ana.come())["type"] == "welcome"

    run(play())
    assert server.process.poll() is None
    assert [number for number, _ in server.log(table)] == list(range(1, len(server.log(table)) + 1))


def test_addresses_are_blocked_and_what_they_use_is_told(own_server: Server) -> None:
    server = own_server
    table = server.create("duel", [{"kind": "open"}] * 2, secret())

    async def block() -> None:
        mallory = await comes(server, table, "127.6.6.6")
        usage = await asyncio.to_thread(admin, server, "usage")
        (used,) = [one for one in usage["usage"] if one["address"] == "127.6.6.6"]
        assert (used["lines_now"], used["messages"]) == (1, 1)
        await asyncio.to_thread(admin, server, "block", "127.6.6.0/24")
        with pytest.raises(websockets.ConnectionClosed):
            await hear_all(mallory)
        server.kill()
        server.start()
        assert (await asyncio.to_thread(admin, server, "blocked"))["blocked"] == ["127.6.6.0/24"]
        with socket.create_connection(
            ("127.0.0.1", server.port), PATIENCE, ("127.6.6.7", 0)
        ) as line:
            assert line.recv(4000).startswith(b"HTTP/1.1 429 ")
        await asyncio.to_thread(admin, server, "unblock", "127.6.6.0/24")
        assert (await comes(server, table, "127.6.6.6")).table["id"] == table

    run(block())
    with pytest.raises(AssertionError, match="no address or network"):
        admin(server, "block", "somebody")
    with pytest.raises(AssertionError, match="block takes ADDRESS"):
        admin(server, "block")
    with pytest.raises(AssertionError, match="WHAT is one of"):
        admin(server, "dance")


def test_nobody_else_can_read_the_database_or_ask(tmp_path: Path) -> None:
    umask = os.umask(0o022)
    try:
        server = Server(tmp_path, *GENEROUS)
        server.create("duel", [{"kind": "open"}] * 2, secret())
        beside = sorted(tmp_path.glob("tables.db*"))
        assert {one.name for one in beside} >= {"tables.db", "tables.db-wal", "tables.db.admin"}
        assert {one.name: stat.S_IMODE(one.stat().st_mode) & 0o077 for one in beside} == {
            one.name: 0 for one in beside
        }
        server.stop()
        with pytest.raises(AssertionError, match="no server of yours runs"):
            admin(server, "tables")
        server.db.chmod(0o644)  # as older versions made it
        SqliteStore(server.db).close()
        assert stat.S_IMODE(server.db.stat().st_mode) == 0o600
    finally:
        os.umask(umask)


def test_the_key_of_a_running_round_is_in_nothing_that_is_given_out(server: Server) -> None:
    async def look() -> None:
        ana, _ = await people(server, 2)
        table = ana.table["id"]
        keys = [event["key"] for _, event in server.log(table) if event["kind"] == "committed"]
        own = {"Authorization": f"Bearer {ana.secret}"}
        for path in ("", "/log", "/record", "/record?round=1", "/story", "/review"):
            get = functools.partial(server.get, f"/api/tables/{table}{path}", **own)
            _, body = await asyncio.to_thread(get)
            assert not [key for key in keys if key.encode() in body], path
        for what in ("tables", "usage", "metrics"):
            said = json.dumps(await asyncio.to_thread(admin, server, what))
            assert not [key for key in keys if key in said]
        assert not [key for key in keys if any(key in text for text in ana.frames)]

    run(look())


def test_numbers_are_for_whoever_has_the_token(server: Server) -> None:
    for said in ("Bearer wrong", "", METRICS_TOKEN, "Bearer"):
        assert server.get("/metrics", Authorization=said)[0] == 404
    assert server.get("/metrics", Authorization=f"Bearer {METRICS_TOKEN}")[0] == 200
    assert "qwixx_lines" in admin(server, "metrics")
