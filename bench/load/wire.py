"""A WebSocket client with next to no cost of its own, so that what is measured is the server."""

import asyncio
import os
from collections.abc import Callable
from typing import cast

_MASK = b"\0\0\0\0"  # a mask of zeros is a mask, and costs nothing


class Line(asyncio.Protocol):
    """One connection. `heard` gets every text frame."""

    def __init__(self, host: str, path: str) -> None:
        self.heard: Callable[[bytes], None] = lambda _: None
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.closed = False
        self._request = (
            f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.Transport", transport)
        self.transport.write(self._request.encode())

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        self.closed = True
        if not self.opened.done():
            self.opened.set_exception(ConnectionError("closed before it was open"))

    def data_received(self, data: bytes) -> None:
        self._buffer = self._buffer + data if self._buffer else data
        if not self.opened.done():
            head, found, rest = self._buffer.partition(b"\r\n\r\n")
            if not found:
                return
            if b" 101 " not in head.split(b"\r\n")[0]:
                self.opened.set_exception(ConnectionError(head.decode()))
                return
            self._buffer = rest
            self.opened.set_result(None)
        self._frames()

    def _frames(self) -> None:
        buffer, at = self._buffer, 0
        while len(buffer) - at >= 2:
            opcode, length = buffer[at] & 15, buffer[at + 1] & 127
            start = at + 2
            if length == 126:
                length, start = int.from_bytes(buffer[at + 2 : at + 4], "big"), at + 4
            elif length == 127:
                length, start = int.from_bytes(buffer[at + 2 : at + 10], "big"), at + 10
            if len(buffer) < start + length:
                break
            at = start + length
            self._frame(opcode, buffer[start:at])
        self._buffer = buffer[at:]

    def _frame(self, opcode: int, payload: bytes) -> None:
        if opcode == 1:
            self.heard(payload)
        elif opcode == 9:
            self._write(10, payload)

    def send(self, text: bytes) -> None:
        self._write(1, text)

    def _write(self, opcode: int, payload: bytes) -> None:
        length = len(payload)
        head = (
            bytes((128 | opcode, 128 | length))
            if length < 126
            else bytes((128 | opcode, 254)) + length.to_bytes(2, "big")
        )
        self.transport.write(head + _MASK + payload)


async def connect(host: str, port: int, path: str) -> Line:
    loop = asyncio.get_running_loop()
    _, line = await loop.create_connection(lambda: Line(f"{host}:{port}", path), host, port)
    await line.opened
    return line


def pin(core: int) -> None:
    """Keep this process on one core, if there is more than one."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) > 1:
        os.sched_setaffinity(0, {cores[core % len(cores)]})
