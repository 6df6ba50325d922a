"""Runs the server: one process, logs as JSON lines, a clean end on SIGTERM."""

import gc
import json
import logging
import os
import re
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import uvicorn

from qwixx.core.errors import QwixxError
from qwixx.server.sqlite import SqliteStore
from qwixx.server.web import App, Settings

PING_SECONDS: Final = 4.5  # twice this and a little is how long a dead line goes unnoticed
GRACE_SECONDS: Final = 3
EVERYWHERE: Final = re.compile(r"//(?:0\.0\.0\.0|\[::\]):")  # a server that listens on all of a machine's addresses
_STANDARD: Final = frozenset(vars(logging.makeLogRecord({})))


class JsonLines(logging.Formatter):
    """One JSON object a line. Only what a log call names is in it; tracebacks stay out."""

    def format(self, record: logging.LogRecord) -> str:
        extra = {key: value for key, value in vars(record).items() if key not in _STANDARD}
        line: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname.lower(),
            "from": record.name,
            "what": record.getMessage(),
            **extra,
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["why"] = repr(record.exc_info[1])[:200]
        return json.dumps(line, default=str)


class Server(uvicorn.Server):
    """Says when it listens, and keeps the garbage collector out of the way."""

    ready: Callable[[str], None] | None = None

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        # Thousands of sockets are a great many objects that live on, and looking for garbage among them stalls
        # everybody for tens of milliseconds. Moves leave none of that kind; the hub collects after what does.
        gc.collect()
        gc.freeze()
        gc.disable()
        if self.started and self.ready is not None:
            port = self.servers[0].sockets[0].getsockname()[1]
            host = self.config.host if ":" not in self.config.host else f"[{self.config.host}]"
            self.ready(f"http://{host}:{port}/")


@dataclass(frozen=True)
class Place:
    """Where the server listens and keeps its logs."""

    host: str
    port: int
    db: Path
    proxy: str | None = None  # addresses of proxies whose word on the visitor's address is taken


def serve(place: Place, settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve until told to stop. `ready` hears the address once people can come."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    app = App(lambda: SqliteStore(place.db), settings)
    SqliteStore(place.db).close()  # so that a database that cannot be used is a plain error at once
    config = uvicorn.Config(
        app.asgi(),
        host=place.host,
        ws="websockets-sansio",
        ws_max_size=settings.limits.frame_bytes,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        proxy_headers=place.proxy is not None,
        forwarded_allow_ips=place.proxy,
    )
    server = Server(config)
    server.ready = ready
    with _listening(place) as door:
        server.run(sockets=[door])


def here(address: str) -> str:
    """An address that leads there from this machine."""
    return EVERYWHERE.sub("//127.0.0.1:", address)


def told(address: str) -> list[str]:
    """What to say about where the server is: also how others in the same network find it."""
    lines = [f"qwixx is at {here(address)}  (stop it with Ctrl-C)"]
    network = _own_address()
    if EVERYWHERE.search(address) and network is not None:
        lines.append(f"others in your network find it at {EVERYWHERE.sub(f'//{network}:', address)}")
    return lines


def _own_address() -> str | None:
    """The address of this machine in its network, if it is in one. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return None
        address: str = probe.getsockname()[0]
        return address


def _listening(place: Place) -> socket.socket:
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        return socket.create_server((place.host, place.port), family=family, backlog=4096)
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise QwixxError(
            f"nobody can be let in at {place.host} port {place.port}: {why}; try another --port"
        ) from None
