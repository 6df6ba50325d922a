"""The yardstick:
a server of the same libraries that only commits what it hears and says it again to its group."""

import asyncio
import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.routing import WebSocketRoute
from wire import pin

from qwixx.server import log
from qwixx.server.sqlite import SqliteStore
from qwixx.server.writer import Callbacks, Writer


class Said(msgspec.Struct):
    """A move as it comes over the line."""

    id: str
    seat: int
    move: str
    seen: int


_said = msgspec.json.Decoder(Said)


class Bare:
    """Groups of sockets. A message is on disk before anybody hears it."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.groups: dict[str, list[Any]] = {}
        self.numbers: dict[str, int] = {}
        self.waiting: dict[tuple[str, int], str] = {}

    def start(self) -> None:
        self.loop = asyncio.get_running_loop()
        callbacks = Callbacks(self.written, lambda error: sys.exit(repr(error)))
        self.writer = Writer(SqliteStore(Path(self.path)), callbacks)

    def written(self, entries: Sequence[log.Entry], _: float) -> None:
        self.loop.call_soon_threadsafe(self.tell, entries)

    def tell(self, entries: Sequence[log.Entry]) -> None:
        for entry in entries:
            text = self.waiting.pop((entry.table, entry.number))
            for send in self.groups[entry.table]:
                self.loop.create_task(send({"type": "websocket.send", "text": text}))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        group = scope["path_params"]["group"]
        self.groups.setdefault(group, []).append(send)
        while (message := await receive())["type"] == "websocket.receive":
            number = self.numbers[group] = self.numbers.get(group, 0) + 1
            said = _said.decode(message["text"])
            self.waiting[group, number] = msgspec.json.encode(said).decode()
            self.writer.write(
                [log.Entry(group, number, 0, said.id, log.Chose(said.seat, said.move))]
            )


def main() -> None:
    port, path = int(sys.argv[1]), sys.argv[2]
    pin(0)
    bare = Bare(path)

    async def begin() -> None:
        bare.start()
        gc.collect()
        gc.freeze()
        gc.disable()

    class Life:
        async def __aenter__(self) -> None:
            await begin()

        async def __aexit__(self, *_: object) -> None:
            pass

    app = Starlette(routes=[WebSocketRoute("/{group}", bare)], lifespan=lambda _: Life())
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=port,
        ws="websockets-sansio",
        ws_ping_interval=4.5,
        ws_ping_timeout=4.5,
        ws_per_message_deflate=False,
        log_config=None,
        access_log=False,
        backlog=4096,
        timeout_graceful_shutdown=1,
    )


if __name__ == "__main__":
    main()
