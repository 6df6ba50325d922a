"""One connection: frames go out through a bounded queue, so that a slow reader hurts only itself."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import Any, Protocol, TypeAlias

import msgspec

from qwixx.server import messages as m
from qwixx.server.frames import framed
from qwixx.server.limits import Bucket, Limits

Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]

_encoder = msgspec.json.Encoder()


def frame(message: m.Message) -> bytes:
    """A message as it goes over the line, to however many."""
    return framed(_encoder.encode(message))


class Line(Protocol):
    """What a page is connected by."""

    # Hears every message, once there is one who listens.
    hear: Callable[[str], None] | None

    def write(self, frames: bytes) -> bool:
        """Send these now; False if the line takes no more just now."""

    async def drain(self) -> None:
        """Wait until it takes more, or has ended."""


class Socket:
    """A page's line to its table. `holder` is the hash of its secret, if it has one."""

    def __init__(self, line: Line, send: Send, address: str, limits: Limits) -> None:
        self.address = address
        self.holder: str | None = None
        self.bucket = Bucket(limits.messages_a_second, limits.messages_burst)
        self.bad = 0
        self.dropped: str | None = None
        self.ended = False
        self._line = line
        self._send = send
        self._limit = limits.queue_frames
        self._frames: deque[bytes] = deque()
        self._busy = False  # frames wait for the line
        self._pump: asyncio.Task[None] | None = None
        self._task = asyncio.current_task()

    def push(self, frames: bytes) -> None:
        """Send these now if the line takes them, else when their turn comes;
        one with too much waiting is dropped."""
        if self.ended or (not self._busy and self._line.write(frames)):
            return
        if len(self._frames) >= self._limit:
            self.drop("slow")
            return
        self._frames.append(frames)
        if not self._busy:
            self._busy = True
            self._pump = asyncio.create_task(self._send_on())

    def drop(self, reason: str) -> None:
        """End the connection at once, whatever it is doing."""
        if self.dropped is None and not self.ended and self._task is not None:
            self.dropped = reason
            self._task.cancel()

    async def _send_on(self) -> None:
        """Send what the line did not take at once, and what has come meanwhile."""
        with suppress(Exception):  # the line is gone; its own task will find out
            while self._frames:
                await self._line.drain()
                self._line.write(self._frames.popleft())
        self._busy = False

    async def close(self, code: int, reason: str, seconds: float) -> None:
        """Say why the line ends, if the other side still listens; then nothing more is sent."""
        with suppress(Exception):
            async with asyncio.timeout(seconds):
                if self._pump is not None:
                    await self._pump
                await self._send({"type": "websocket.close", "code": code, "reason": reason})
        self.end()

    def end(self) -> None:
        """Nothing more is sent."""
        self.ended = True
        if self._pump is not None:
            self._pump.cancel()
