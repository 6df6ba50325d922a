"""An entry as a store keeps it: its event as JSON, and a checksum over all of it."""

import zlib
from typing import Any

import msgspec

from qwixx.server import log
from qwixx.server.log import Entry
from qwixx.server.store import Unreadable


def row(entry: Entry) -> tuple[Any, ...]:
    event = msgspec.json.encode(entry.event).decode()
    checksum = _checksum(entry.table, entry.number, entry.at, entry.command, event)
    return entry.table, entry.number, entry.at, entry.command, event, checksum, int(entry.awake)


def entry(row: tuple[Any, ...]) -> Entry:
    """What was kept. Damage raises `Unreadable`."""
    table, number, at, command, event, checksum, awake = row
    try:
        if checksum is not None and checksum != _checksum(table, number, at, command, event):
            raise Unreadable(f"event {number} is not what was written")
        # What an older version wrote does not say: it may be due.
        return Entry(
            table, number, at, command, log.decode(event), log.DUE if awake is None else awake
        )
    except (msgspec.MsgspecError, TypeError, UnicodeError) as error:
        raise Unreadable(str(error)) from None


def _checksum(*parts: object) -> int:
    return zlib.crc32("|".join(map(str, parts)).encode())
