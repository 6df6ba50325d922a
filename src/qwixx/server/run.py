"""Runs the server: one process, a log for whoever reads it, a clean end on SIGTERM."""

import asyncio
import errno
import gc
import http.client
import json
import logging
import re
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

import msgspec
import uvicorn

from qwixx.core.errors import QwixxError
from qwixx.server import door, stores
from qwixx.server import messages as m
from qwixx.server.admin import Admin, socket_path
from qwixx.server.gate import Gate
from qwixx.server.network import own_addresses
from qwixx.server.settings import Settings
from qwixx.server.web import App

PING_SECONDS: Final = 4.5  # twice this and a little is how long a dead line goes unnoticed
GRACE_SECONDS: Final = 3
PORT: Final = 8737
HERE: Final = "127.0.0.1"
# A server that listens on all of a machine's addresses.
EVERYWHERE: Final = re.compile(r"//(?:0\.0\.0\.0|\[::\]):")
ONLY_HERE: Final = re.compile(r"//(?:localhost|127\.[0-9.]+|\[::1\]):")
_STANDARD: Final = frozenset(vars(logging.makeLogRecord({}))) | {"color_message"}


class PortTaken(QwixxError):
    """Somebody else listens there."""


def _named(record: logging.LogRecord) -> dict[str, Any]:
    """What a log call names besides its message. Tracebacks stay out."""
    named = {key: value for key, value in vars(record).items() if key not in _STANDARD}
    if record.exc_info and record.exc_info[1] is not None:
        named["why"] = repr(record.exc_info[1])[:200]
    return named


class JsonLines(logging.Formatter):
    """One JSON object a line, for programs that read the log."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "from": record.name,
            "what": record.getMessage(),
            **_named(record),
        }
        return json.dumps(line, default=str)


class Sentences(logging.Formatter):
    """One plain line, for people who sit at a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        named = ", ".join(f"{key}: {value}" for key, value in _named(record).items())
        line = f"qwixx: {record.getMessage()}" + (f" ({named})" if named else "")
        return " ".join(line.split())


class Server(uvicorn.Server):
    """Opens its tables, says when it listens, and keeps the garbage collector out of the way."""

    def __init__(
        self,
        config: uvicorn.Config,
        app: App,
        db: str,
        ready: Callable[[str], None],
        drain: float,
    ) -> None:
        super().__init__(config)
        self._app = app
        self._db = db
        self._admin: Admin | None = None
        self._drain = drain
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        self._loop = asyncio.get_running_loop()
        store = stores.open_store(self._db)
        try:
            self._app.open(store, stores.signer(self._db, store))
        except QwixxError:
            raise
        except Exception as error:  # noqa: BLE001 - a disk or a database can fail in many ways, and each is told
            raise QwixxError(
                f"the database {stores.shown(self._db)} cannot be used: {error or repr(error)}"
            ) from None
        await super().startup(sockets)
        self._app.gate.open()
        port = self.servers[0].sockets[0].getsockname()[1]
        self._admin = Admin(self._app, socket_path(self._db, port))
        await self._admin.open()
        # Thousands of sockets are a great many objects that live on, and looking for garbage among
        # them stalls everybody for tens of milliseconds. Moves leave none of that kind; the hub
        # collects after what does.
        gc.collect()
        gc.freeze()
        gc.disable()
        self._ready(_address(self.config.host, port))

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first SIGTERM may ask for a while in which nobody new is sent here; another ends it."""
        if sig != signal.SIGTERM or not self._drain or self._app.draining:
            super().handle_exit(sig, frame)
            return
        self._app.draining = True
        self._loop.call_soon_threadsafe(
            self._loop.call_later, self._drain, super().handle_exit, sig, frame
        )

    async def shutdown(self, sockets: Any = None) -> None:
        await super().shutdown(sockets)
        self._app.gate.close()
        if self._admin is not None:
            await self._admin.close()
        if not self.force_exit:
            await self._app.close()


@dataclass(frozen=True)
class Place:
    """Where the server listens and keeps its logs."""

    host: str
    port: int
    db: str  # a file, or postgresql://…
    drain: float = 0  # seconds between SIGTERM and the end, in which nobody new is sent here
    proxy: str | None = None  # addresses of proxies whose word on the visitor's address is taken


def serve(
    place: Place, settings: Settings, ready: Callable[[str], None], *, for_people: bool = False
) -> None:
    """Serve until told to stop. `ready` hears the address once people can come."""
    _log(for_people=for_people)
    with _listening(place) as entrance:
        address = _address(place.host, entrance.getsockname()[1])
        only_here = ONLY_HERE.search(address) is not None
        app = App(settings, lambda: for_others(address), only_here=only_here)
        app.gate = Gate(settings.limits, app.metrics, place.proxy)
        http_protocol, socket_protocol = door.guarded(app.gate)
        config = uvicorn.Config(
            app.asgi(),
            host=place.host,
            http=http_protocol,
            ws=socket_protocol,
            ws_max_size=settings.limits.frame_bytes,
            ws_ping_interval=PING_SECONDS,
            ws_ping_timeout=PING_SECONDS,
            ws_per_message_deflate=False,
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            proxy_headers=place.proxy is not None,
            forwarded_allow_ips=place.proxy,
        )
        Server(config, app, place.db, ready, place.drain).run(sockets=[entrance])


def _log(*, for_people: bool) -> None:
    """To standard error: everything for programs, and only what went wrong for people."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(Sentences() if for_people else JsonLines())
    level = logging.WARNING if for_people else logging.INFO
    logging.basicConfig(level=level, handlers=[handler], force=True)
    # Its warnings are a line for whatever a stranger sends.
    logging.getLogger("uvicorn").setLevel(logging.ERROR)


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def here(address: str) -> str:
    """An address that leads there from this machine."""
    return EVERYWHERE.sub(f"//{HERE}:", address)


def for_others(address: str) -> list[str]:
    """Addresses that lead there from other devices, the likeliest first."""
    if ONLY_HERE.search(address):
        return []
    if not EVERYWHERE.search(address):
        return [address]
    return [EVERYWHERE.sub(f"//{own}:", address) for own in own_addresses()]


def greeting(address: str) -> list[str]:
    """What to say about where the server is: also how others in the same network find it."""
    lines = [f"qwixx is at {here(address)}  (stop it with Ctrl-C)"]
    others = [one for one in for_others(address) if one != here(address)]
    if others:
        lines.append(f"others in your network find it at {' or '.join(others)}")
    return lines


def running_here(port: int) -> str | None:
    """The address of another qwixx that this machine runs already,
    if it is one that listens at the port."""
    line = http.client.HTTPConnection(HERE, port, timeout=3)
    try:
        line.request("GET", "/api/games")
        msgspec.json.decode(line.getresponse().read(100_000), type=m.Offer)
    except (OSError, http.client.HTTPException, msgspec.MsgspecError):
        return None
    finally:
        line.close()
    return _address(HERE, port)


def _listening(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    both = place.host == "::" and socket.has_dualstack_ipv6()
    try:
        return socket.create_server(
            (place.host, place.port), family=family, backlog=4096, dualstack_ipv6=both
        )
    except OSError as error:
        taken = error.errno == errno.EADDRINUSE
        raise (PortTaken if taken else QwixxError)(
            f"nobody can be let in at {place.host} port {place.port}: {error.strerror or error}; "
            f"try another {'--port' if taken else '--host or --port'}"
        ) from None
