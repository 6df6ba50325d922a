"""Looking after what a server keeps: checking, copying, moving between databases, while servers use it.

A backup is a database file of its own, whatever it was made of, which a server can be started on. An
export is text: one JSON object a line, the first says what it is.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from itertools import groupby, islice
from pathlib import Path
from typing import Any, Final, TextIO

import msgspec

from qwixx.core.errors import QwixxError
from qwixx.server.log import AnyEvent, Entry
from qwixx.server.signing import Signer
from qwixx.server.sqlite import SqliteReader
from qwixx.server.store import Elsewhere, Store, Unreadable
from qwixx.server.stores import is_shared, open_reader, open_store, shown, signer
from qwixx.server.table import Table

FORMAT: Final = {"qwixx": "tables", "version": 1}
WRITTEN_AT_ONCE: Final = 500
Json = dict[str, Any]
Progress = Callable[[int], None]  # so many tables more


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of an export."""

    table: str
    number: int
    at: int
    command: str | None
    event: AnyEvent
    awake: int


@contextlib.contextmanager
def reading(db: str) -> Iterator[SqliteReader | Store]:
    found = open_reader(db)
    try:
        yield found
    finally:
        found.close()


@contextlib.contextmanager
def writing(db: str) -> Iterator[Store]:
    found = open_store(db)
    try:
        yield found
    finally:
        found.close()


def check(db: str) -> Json:
    """Read every table, and play all of it by the rules: which are damaged, and why."""
    damaged: dict[str, str] = {}
    events = 0
    with reading(db) as store:
        names = store.tables()
        for name in names:
            try:
                entries = store.read(name)
                _fold(name, entries)
                events += len(entries)
            except Unreadable as error:
                damaged[name] = str(error)
    return {"tables": len(names), "events": events, "damaged": damaged}


def _fold(name: str, entries: Iterable[Entry]) -> Table:
    table = Table(name)
    try:
        for entry in entries:
            table.apply(entry)
    except Exception as error:  # noqa: BLE001 - a log that cannot be folded is damaged, however it shows
        raise Unreadable(f"event {table.number + 1}: {error!r}"[:200]) from None
    return table


def stats(db: str) -> Json:
    with reading(db) as store:
        return asdict(store.stats())


def migrate(db: str) -> Json:
    """What opening does by itself; a server of the new version does it too."""
    with writing(db) as store:
        return {"version": store.stats().version}


def backup(db: str, file: Path) -> Json:
    """Copy all tables, as they are at one moment, into a new database file."""
    _check_new(file)
    draft = file.with_name(f"{file.name}.part")
    draft.unlink(missing_ok=True)
    with reading(db) as source:
        if isinstance(source, SqliteReader):
            source.backup(draft)
            key = Signer.beside(Path(db)).seed
        else:
            with writing(str(draft)) as copy:
                _copy(source.everything(), copy)
                for kind, name in source.orders():
                    copy.keep_order(kind, name, kept=True)
            Path(f"{draft}.lock").unlink(missing_ok=True)
            key = signer(db, source).seed
    with reading(str(draft)) as done:
        found = done.stats()
    _write_private(file.with_name(f"{file.name}.key"), f"{key.hex()}\n")
    draft.replace(file)
    return {"tables": found.tables, "events": found.events, "file": str(file)}


def restore(file: Path, db: str) -> Json:
    """Put the tables of a backup into a database that has none, and the server's key with them."""
    with reading(str(file)) as source, writing(db) as target:
        if target.tables():
            raise QwixxError(f"{shown(db)} has tables already: restore into an empty database")
        events, tables = _copy(source.everything(), target)
        for kind, name in source.orders():
            target.keep_order(kind, name, kept=True)
        _restore_key(file.with_name(f"{file.name}.key"), db, target)
    return {"tables": tables, "events": events}


def _restore_key(kept: Path, db: str, target: Store) -> None:
    """A backup without its key is good for playing on; pages will say that the key has changed."""
    if not kept.exists():
        return
    text = kept.read_text(encoding="ascii")
    if is_shared(db):
        signer(db, target, bytes.fromhex(text.strip()))
    else:
        _write_private(Path(f"{db}.key"), text)


def export(db: str, to: TextIO) -> int:
    """Write every entry as a line; how many tables there were."""
    tables = 0
    with reading(db) as store:
        to.write(f"{msgspec.json.encode(FORMAT).decode()}\n")
        for _, entries in groupby(store.everything(), key=lambda entry: entry.table):
            tables += 1
            to.writelines(f"{msgspec.json.encode(entry).decode()}\n" for entry in entries)
    return tables


def import_(source: TextIO, db: str) -> Json:
    """Read what `export` wrote into a database. A table that is there already must be the same as far
    as it goes; one that a server has just now is refused."""
    with writing(db) as store:
        events, tables = _copy(_read(source), store)
    return {"tables": tables, "events": events}


def _read(source: TextIO) -> Iterator[Entry]:
    try:
        if msgspec.json.decode(source.readline()) != FORMAT:
            raise QwixxError("this is no export of qwixx tables, or one of a newer version")
        decoder = msgspec.json.Decoder(_Line)
        for line in source:
            one = decoder.decode(line)
            yield Entry(one.table, one.number, one.at, one.command, one.event, one.awake)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise QwixxError(f"this is no export of qwixx tables: {error}") from None


def _copy(entries: Iterable[Entry], store: Store) -> tuple[int, int]:
    """Table by table, in batches: how many entries and tables were written."""
    events = tables = 0
    for name, of_table in groupby(entries, key=lambda entry: entry.table):
        try:
            there = store.own(name)
        except Elsewhere:
            raise QwixxError(f"a server has the table {name} just now: stop it first") from None
        known = store.read(name) if there else []
        new = _new_ones(name, known, of_table)
        written = 0
        while batch := list(islice(new, WRITTEN_AT_ONCE)):
            store.write(batch)
            written += len(batch)
        store.disown(name)
        events += written
        tables += written > 0
    return events, tables


def _new_ones(name: str, known: list[Entry], entries: Iterable[Entry]) -> Iterator[Entry]:
    for place, entry in enumerate(entries):
        if place >= len(known):
            yield entry
        elif (known[place].number, known[place].event) != (entry.number, entry.event):
            raise QwixxError(
                f"the table {name} is there already, and is another: nothing of it was taken"
            )


def _check_new(file: Path) -> None:
    if file.exists():
        raise QwixxError(f"{file} is there already: name a new file")


def _write_private(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
