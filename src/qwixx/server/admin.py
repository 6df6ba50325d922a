"""For whoever runs the server: a socket beside the database that only its owner can open.

One JSON object a line is asked, and one is answered: `qwixx admin` speaks it.
"""

import asyncio
import contextlib
import logging
import os
import socket
from collections.abc import Awaitable, Callable
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from qwixx.core.errors import QwixxError
from qwixx.files import cache
from qwixx.server.refusals import Refusal
from qwixx.server.stores import is_shared, shown

if TYPE_CHECKING:
    from qwixx.server.web import App

logger: Final = logging.getLogger("qwixx.server")

LINE_BYTES: Final = 10_000
SHOWN_MOST: Final = 200  # tables and addresses, the busiest first
SECONDS: Final = 30
WHAT: Final = {
    "tables": "the tables in memory, with those who play and watch",
    "usage": "who uses how much: lines, requests and messages by address",
    "metrics": "the numbers for Prometheus",
    "close": "TABLE: nobody gets in any more; nothing of it is deleted",
    "reopen": "TABLE: people get in again",
    "closed": "the tables that are closed",
    "delete": "TABLE: close it, and delete all that was kept of it",
    "block": "ADDRESS: nobody from there gets in; also networks, as 192.0.2.0/24",
    "unblock": "ADDRESS",
    "blocked": "the addresses that are blocked",
}
OF_ONE: Final = ("tables", "usage")  # what each of several servers knows of itself alone
Json = dict[str, Any]


class Asked(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    do: str
    name: str = ""


def socket_path(db: str, port: int) -> Path:
    """Beside a file; for a database of several processes in the user's cache, one for each port."""
    if not is_shared(db):
        return Path(f"{db}.admin")
    return cache.folder() / f"server-{port}.admin"


class Admin:
    """Answers on the socket as long as the server runs."""

    def __init__(self, app: "App", path: Path) -> None:
        self._app = app
        self._path = path
        self._server: asyncio.Server | None = None
        self._can: dict[str, Callable[[str], Awaitable[Json]]] = {
            what: getattr(self, f"do_{what}") for what in WHAT
        }

    async def open(self) -> None:
        """The database is locked by this process, or else its port is its own: a socket that is there
        is a dead one's."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.unlink(missing_ok=True)
            listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            before = os.umask(0o177)
            try:
                listening.bind(str(self._path))
            finally:
                os.umask(before)
            self._server = await asyncio.start_unix_server(
                self._serve, sock=listening, limit=LINE_BYTES
            )
        except (OSError, AttributeError) as error:  # a path that is too long; a system without them
            logger.warning("qwixx admin cannot be used", extra={"why": str(error)})

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, TimeoutError):
            async with asyncio.timeout(SECONDS):
                writer.write(msgspec.json.encode(await self._answer(await reader.readline())))
                await writer.drain()
        writer.close()

    async def _answer(self, line: bytes) -> Json:
        try:
            asked = msgspec.json.decode(line, type=Asked)
            if asked.do not in self._can:
                raise Refusal("bad_message", f"this can be asked: {', '.join(WHAT)}")
            return await self._can[asked.do](asked.name)
        except (QwixxError, msgspec.MsgspecError) as error:
            return {"error": str(error)}

    async def do_tables(self, _: str) -> Json:
        rooms = sorted(self._app.hub.rooms.here.values(), key=lambda room: -len(room.guests))
        return {
            "tables": [
                {
                    "table": room.table.id,
                    "game": room.table.game_id,
                    "status": room.table.status,
                    "round": room.table.round,
                    "events": room.table.number,
                    "lines": len(room.guests),
                    "names": [seat.name for seat in room.table.seats if seat.name],
                }
                for room in rooms[:SHOWN_MOST]
            ],
            "of": len(rooms),
        }

    async def do_usage(self, _: str) -> Json:
        gate = self._app.gate
        busiest = sorted(gate.used.items(), key=lambda one: -one[1].total())
        rows = [
            {"address": address, "lines_now": gate.by_address[address], **used}
            for address, used in busiest[:SHOWN_MOST]
        ]
        return {"usage": rows, "of": len(busiest)}

    async def do_metrics(self, _: str) -> Json:
        return {"metrics": self._app.numbers_text()}

    async def do_close(self, name: str) -> Json:
        await self._app.hub.close_table(name)
        logger.warning("a table is closed", extra={"table": name})
        return {"closed": name}

    async def do_reopen(self, name: str) -> Json:
        await self._app.hub.reopen_table(name)
        return {"reopened": name}

    async def do_closed(self, _: str) -> Json:
        return {"closed": sorted(self._app.hub.rooms.closed)}

    async def do_delete(self, name: str) -> Json:
        await self._app.hub.delete_table(name)
        logger.warning("a table is deleted", extra={"table": name})
        return {"deleted": name}

    async def do_block(self, name: str) -> Json:
        network = _network(name)
        self._app.gate.blocked.add(network)
        await self._app.hub.rooms.keep_order("block", str(network))
        self._app.let_go_of_blocked()
        logger.warning("an address is blocked", extra={"address": str(network)})
        return {"blocked": str(network)}

    async def do_unblock(self, name: str) -> Json:
        network = _network(name)
        self._app.gate.blocked.discard(network)
        await self._app.hub.rooms.keep_order("block", str(network), kept=False)
        return {"unblocked": str(network)}

    async def do_blocked(self, _: str) -> Json:
        return {"blocked": sorted(map(str, self._app.gate.blocked))}


def _network(text: str) -> Any:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        raise Refusal("bad_message", f"{text!r} is no address or network") from None


def ask(db: str, port: int, what: str, name: str) -> Json:
    """Ask the server that runs on this database."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(SECONDS)
        try:
            line.connect(str(socket_path(db, port)))
            line.sendall(msgspec.json.encode(Asked(what, name)) + b"\n")
            answer = b"".join(iter(lambda: line.recv(65536), b""))
        except OSError as error:
            raise QwixxError(
                f"no server of yours runs on the database {shown(db)}: {error.strerror or error}; "
                f"name another with --db{' and --port' if is_shared(db) else ''}"
            ) from None
    found: Json = msgspec.json.decode(answer)
    if "error" in found:
        raise QwixxError(found["error"])
    if is_shared(db) and what in OF_ONE:
        found["only"] = f"of the server at port {port}: ask the others by their --port"
    return found
