"""One connection: frames go out through a bounded queue, so that a slow reader hurts only itself."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Generator, MutableMapping
from contextlib import suppress
from typing import Any, TypeAlias

import msgspec

from qwixx.server import messages as m
from qwixx.server.limits import Bucket, Limits

Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]

_encoder = msgspec.json.Encoder()


def frame(message: m.Message) -> str:
    """A message as it goes over the line."""
    return _encoder.encode(message).decode()


class Socket:
    """A page's line to its table. `holder` is the hash of its secret, if it has one."""

    def __init__(self, send: Send, address: str, limits: Limits) -> None:
        self.address = address
        self.holder: str | None = None
        self.bucket = Bucket(limits.messages_a_second, limits.messages_burst)
        self.bad = 0
        self.dropped: str | None = None
        self.ended = False
        self._send = send
        self._limit = limits.queue_frames
        self._frames: deque[str] = deque()
        self._busy = False  # a frame is under way
        self._pump: asyncio.Task[None] | None = None
        self._task = asyncio.current_task()

    def push(self, text: str) -> None:
        """Send this now if the line takes it, else when its turn comes;
        one with too much waiting is dropped."""
        if self.ended:
            return
        if self._busy:
            if len(self._frames) >= self._limit:
                self.drop("slow")
            else:
                self._frames.append(text)
            return
        sending = self._send({"type": "websocket.send", "text": text}).__await__()
        try:
            waits_for = next(sending)  # a line that is not full takes the frame without waiting
        except StopIteration:
            return
        except Exception:  # noqa: BLE001 - the line is gone; its own task will find out
            return
        self._busy = True
        self._pump = asyncio.create_task(self._send_on(sending, waits_for))

    def drop(self, reason: str) -> None:
        """End the connection at once, whatever it is doing."""
        if self.dropped is None and not self.ended and self._task is not None:
            self.dropped = reason
            self._task.cancel()

    async def _send_on(self, sending: Generator[Any, None, None], waits_for: Any) -> None:
        """Finish a frame that had to wait, and then send those that have come meanwhile."""
        with suppress(Exception):  # the line is gone; its own task will find out
            await _Rest(sending, waits_for)
            while self._frames:
                await self._send({"type": "websocket.send", "text": self._frames.popleft()})
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


class _Rest:
    """The rest of something that was begun and had to wait."""

    def __init__(self, begun: Generator[Any, None, None], waits_for: Any) -> None:
        self._begun = begun
        self._waits_for = waits_for

    def __await__(self) -> Generator[Any, None, None]:
        yield self._waits_for
        yield from self._begun
