"""One connection: frames go out through a bounded queue, so that a slow reader hurts only itself."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from qwixx.server.limits import Bucket, Limits

Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]


class Socket:
    """A page's line to its table. `holder` is the hash of its secret, if it has one."""

    def __init__(self, send: Send, address: str, limits: Limits) -> None:
        self.address = address
        self.holder: str | None = None
        self.bucket = Bucket(limits.messages_a_second, limits.messages_burst)
        self.bad = 0
        self.dropped: str | None = None
        self._send = send
        self._limit = limits.queue_frames
        self._frames: deque[str] = deque()
        self._wake = asyncio.Event()
        self._task = asyncio.current_task()

    def push(self, frame: str) -> None:
        """Send this when its turn comes; a reader with too much waiting is dropped."""
        if len(self._frames) >= self._limit:
            self.drop("slow")
            return
        self._frames.append(frame)
        self._wake.set()

    def drop(self, reason: str) -> None:
        """End the connection at once, whatever it is doing."""
        if self.dropped is None and self._task is not None:
            self.dropped = reason
            self._task.cancel()

    async def pump(self) -> None:
        """Send frames as they come, for as long as the connection lasts."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._frames:
                await self._send({"type": "websocket.send", "text": self._frames.popleft()})

    async def flush(self) -> None:
        """Send what waits."""
        while self._frames:
            await self._send({"type": "websocket.send", "text": self._frames.popleft()})
