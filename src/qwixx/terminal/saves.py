"""Where games are kept: one record a game, written whole after every event,
so that nothing can be lost."""

import os
import secrets
import time
from pathlib import Path

import click

from qwixx import games
from qwixx.core.errors import BadRecord, QwixxError
from qwixx.core.parsing import parse_json
from qwixx.core.record import Record

LONGEST_RECORD = 8 << 20


def folder() -> Path:
    """The user's own place for games; QWIXX_DATA names another."""
    chosen = os.environ.get("QWIXX_DATA")
    return Path(chosen) if chosen else Path(click.get_app_dir("qwixx")) / "games"


def database() -> Path:
    """The user's own place for tables: the folder that QWIXX_DATA names, or beside the games."""
    chosen = os.environ.get("QWIXX_DATA")
    return (Path(chosen) if chosen else Path(click.get_app_dir("qwixx"))) / "tables.db"


def left_behind() -> Path | None:
    """Tables that an earlier version put beside the named folder, if nothing is in the folder yet."""
    old = folder().parent / "tables.db"
    return old if old != database() and old.is_file() and not database().exists() else None


def new_path(game: str) -> Path:
    return folder() / f"{time.strftime('%Y-%m-%d-%H%M%S')}-{game}-{secrets.token_hex(2)}.json"


def write(path: Path, record: Record) -> None:
    """Put the record on disk. The old one stays until the new one is whole."""
    draft = path.with_name(path.name + ".new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("w", encoding="utf-8") as file:
            file.write(record.dumps())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise QwixxError(
            f"the game cannot be saved as {path}: {error.strerror}; name another place with --save"
        ) from None


def read_json(path: Path) -> object:
    """The JSON value in a record file."""
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST_RECORD + 1)
    except OSError as error:
        raise BadRecord(f"{path} cannot be read: {error.strerror}") from None
    try:
        value: object = parse_json(text, LONGEST_RECORD)
    except QwixxError as error:
        raise BadRecord(f"{path} is no record: {error.message}") from None
    return value


def latest_unfinished() -> Path:
    """The last game here that was left before its end."""
    found = [path for path in folder().glob("*.json") if path.is_file()]
    for path in sorted(found, key=lambda path: path.stat().st_mtime, reverse=True):
        try:
            game, _, state = games.read_record(read_json(path))
        except BadRecord:
            continue
        if not game.result(state).over:
            return path
    raise QwixxError(f"there is no unfinished game in {folder()}")
