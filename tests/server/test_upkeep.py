"""What whoever runs a server does with its database, from the command line, while it serves."""

import asyncio
import json
import stat
from collections.abc import Iterator
from pathlib import Path
from random import Random

import apsw
import pytest
from click.testing import CliRunner
from client import GENEROUS, Client, Json, Server, play_on, run, secret
from database import Postgres
from test_games import table_of

from qwixx.cli import cli
from qwixx.core.errors import QwixxError
from qwixx.server.log import Entry
from qwixx.server.stores import open_store


def upkeep(*words: str, status: int = 0, text: str = "") -> str:
    """What `qwixx db` says."""
    done = CliRunner().invoke(cli, ["db", *words], input=text, standalone_mode=False)
    if status == 0:
        assert done.exception is None, done.exception
        return done.stdout
    assert isinstance(done.exception, QwixxError)
    return str(done.exception)


def found(*words: str) -> Json:
    value: Json = json.loads(upkeep(*words))
    return value


def entries(place: str) -> list[Entry]:
    store = open_store(place)
    try:
        return list(store.everything())
    finally:
        store.close()


def by_table(place: str) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    for entry in entries(place):
        found.setdefault(entry.table, []).append(entry)
    return found


@pytest.fixture(params=["sqlite", "postgres"])
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    url = None
    if request.param == "postgres":
        url = request.getfixturevalue("postgres").new_database()
    server = Server(tmp_path, *GENEROUS, url=url)
    yield server
    server.kill()


async def games(server: Server, tables: int) -> list[list[Client]]:
    async def one(seed: int) -> list[Client]:
        clients = await table_of(server, "duel", 2)
        await asyncio.gather(*(client.ready() for client in clients))
        await asyncio.gather(*(play_on(client, Random(seed)) for client in clients))
        return clients

    return await asyncio.gather(*(one(seed) for seed in range(tables)))


def test_backup_under_load_plays_on_from_a_moment_of_the_log(
    served: Server, tmp_path: Path
) -> None:
    """What is restored is, of every table, a beginning of what happened; a server plays on with it."""
    copies = [tmp_path / f"copy-{number}.db" for number in range(2)]

    async def play() -> None:
        playing = asyncio.create_task(games(served, 6))
        for copy in copies:
            await asyncio.sleep(0.3)
            await asyncio.to_thread(upkeep, "backup", str(copy), "--db", served.place)
        assert (await asyncio.to_thread(found, "check", "--db", served.place))["damaged"] == {}
        await playing

    run(play())
    assert found("stats", "--db", served.place)["tables"] == 6
    served.stop()
    whole = by_table(served.place)
    restored = tmp_path / "restored"
    restored.mkdir()
    for copy in copies:
        for private in (copy, copy.with_name(f"{copy.name}.key")):
            assert stat.S_IMODE(private.stat().st_mode) == 0o600
        parts = by_table(str(copy))
        for table, part in parts.items():
            assert whole[table][: len(part)] == part
    upkeep("restore", str(copies[-1]), "--db", str(restored / "tables.db"))
    again = Server(restored, *GENEROUS)
    try:
        for table in parts:
            assert again.get(f"/api/tables/{table}")[0] == 200
        assert found("check", "--db", again.place)["damaged"] == {}
        assert "in use by another" in upkeep(
            "restore", str(copies[0]), "--db", again.place, status=1
        )
    finally:
        again.kill()


def test_export_and_import_keep_every_table_between_both(
    tmp_path: Path, postgres: Postgres
) -> None:
    server = Server(tmp_path, *GENEROUS)
    run(games(server, 3))
    exported = upkeep("export", "--db", server.place)
    server.stop()
    url = postgres.new_database()
    assert json.loads(upkeep("import", "--db", url, text=exported))["tables"] == 3
    assert entries(url) == entries(server.place)
    assert json.loads(upkeep("import", "--db", url, text=exported)) == {"tables": 0, "events": 0}
    back = tmp_path / "back.db"
    upkeep("import", "--db", str(back), text=upkeep("export", "--db", url))
    assert entries(str(back)) == entries(server.place)
    moved = Server(tmp_path, *GENEROUS, url=url)
    try:
        table = entries(url)[0].table
        assert moved.record(table)[0] == 200
        assert "a server has the table" in upkeep("import", "--db", url, status=1, text=exported)
    finally:
        moved.kill()
    changed = exported.replace('"seats":', '"seats": ', 1).replace('"duel"', '"classic"', 1)
    assert "is another" in upkeep("import", "--db", url, status=1, text=changed)
    for text in ("", "{}\n", '{"qwixx":"tables","version":1}\n{"table":7}\n'):
        assert "no export of qwixx" in upkeep("import", "--db", str(back), status=1, text=text)


def test_damage_is_found_and_old_or_foreign_files_are_told(tmp_path: Path) -> None:
    server = Server(tmp_path, *GENEROUS)
    tables = [server.create("duel", [{"kind": "open"}] * 2, secret()) for _ in range(2)]
    with apsw.Connection(server.place) as db:
        db.execute('UPDATE events SET at = at + 1 WHERE "table" = ? AND number = 2', (tables[0],))
    server.kill()
    said = upkeep("check", "--db", server.place, status=1)
    assert "1 of 2 tables are damaged" in said
    old = tmp_path / "old.db"
    kept = Path(__file__).parent / "kept" / "version-2.db"
    old.write_bytes(kept.read_bytes())
    assert "qwixx db migrate" in upkeep("check", "--db", str(old), status=1)
    assert found("migrate", "--db", str(old)) == {"version": 3}
    assert found("check", "--db", str(old))["tables"] == 3
    assert "there is no database" in upkeep("stats", "--db", str(tmp_path / "none.db"), status=1)
    assert "is there already" in upkeep("backup", str(old), "--db", server.place, status=1)
    assert "has tables already" in upkeep("restore", str(old), "--db", server.place, status=1)
    away = "postgresql://nobody:secret-word@127.0.0.1:1/none"
    said = upkeep("stats", "--db", away, status=1)
    assert "cannot be reached" in said
    assert "secret-word" not in said
