"""Connections of many hostile kinds, each bounded in bytes and time, to a server on this machine
and to none other; from as many of its own addresses as are wanted.

    python tests/server/hostile.py PORT [--count 1000] [--at-once 200] [--kinds pings,silent]
"""

import argparse
import asyncio
import contextlib
import json
import random
import secrets
import socket
import struct
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

SECONDS: Final = 40.0  # that one connection lasts at most
UNREAD_SECONDS: Final = 12.0  # that an answer is left unread
PIECE: Final = 65536
HOST: Final = b"Host: 127.0.0.1\r\n"
UPGRADE: Final = (
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
MASK: Final = b"\x80"  # no bytes follow: masked
TEXT, BINARY, CLOSE, PING, PONG = 0x81, 0x82, 0x88, 0x89, 0x8A


@dataclass
class Line:
    """One connection of somebody who means no good."""

    table: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    sent: int = field(default=0)

    async def say(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.writer.write(piece)
            self.sent += len(piece)
            await self.writer.drain()

    async def request(self, path: bytes, *headers: bytes, method: bytes = b"GET") -> None:
        await self.say(method + b" " + path + b" HTTP/1.1\r\n", HOST, *headers, b"\r\n")

    async def until_closed(self) -> bytes:
        """What is said until the other side ends it; kept only from its beginning."""
        heard = b""
        while data := await self.reader.read(PIECE):
            heard = (heard + data)[:4000]
        return heard

    async def open_socket(self, *headers: bytes) -> bytes:
        await self.request(f"/api/tables/{self.table}/socket".encode(), UPGRADE, *headers)
        return await self.reader.readuntil(b"\r\n\r\n")

    async def greeted(self) -> None:
        """A socket whose owner has said hello."""
        await self.open_socket()
        hello = {"do": "hello", "secret": secrets.token_urlsafe(16), "version": None}
        await self.say(frame(TEXT, json.dumps(hello).encode()))


Attack = Callable[[Line], Awaitable[None]]
KINDS: dict[str, Attack] = {}


def kind(attack: Attack) -> Attack:
    KINDS[getattr(attack, "__name__", "")] = attack
    return attack


def frame(opcode: int, data: bytes = b"") -> bytes:
    """A frame of a client, masked with zeros."""
    length = (
        bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack(">H", len(data))
    )
    return bytes([opcode]) + length + bytes(4) + data


# --- requests ---


@kind
async def silent(line: Line) -> None:
    await line.until_closed()


@kind
async def half_a_head(line: Line) -> None:
    await line.say(b"GET / HTTP/1.1\r\nHost: 127.0")
    await line.until_closed()


@kind
async def slow_head(line: Line) -> None:
    await line.say(b"GET / HTTP/1.1\r\n", HOST)
    while not line.reader.at_eof():
        await line.say(b"X-Slow: y\r\n")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(line.reader.read(1), 0.5)


@kind
async def slow_body(line: Line) -> None:
    await line.request(b"/api/tables", b"Content-Length: 50000\r\n", method=b"POST")
    while not line.reader.at_eof():
        await line.say(b"{")
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(line.reader.read(1), 0.5)


@kind
async def many_headers(line: Line) -> None:
    await line.say(b"GET / HTTP/1.1\r\n", HOST, *[b"A: b\r\n" * 5000] * 50)
    await line.until_closed()


@kind
async def long_header(line: Line) -> None:
    await line.say(b"GET / HTTP/1.1\r\n", HOST, b"A: ", *[b"b" * 30_000] * 50)
    await line.until_closed()


@kind
async def long_address(line: Line) -> None:
    await line.request(b"/" + b"a" * 500_000)
    await line.until_closed()


@kind
async def empty_lines(line: Line) -> None:
    await line.say(*[b"\r\n" * 10_000] * 20)
    await line.until_closed()


@kind
async def noise(line: Line) -> None:
    await line.say(random.randbytes(2000))
    await line.until_closed()


@kind
async def another_protocol(line: Line) -> None:
    await line.say(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + random.randbytes(500))
    await line.until_closed()


@kind
async def body_without_end(line: Line) -> None:
    await line.request(b"/api/tables", b"Transfer-Encoding: chunked\r\n", method=b"POST")
    await line.say(*[b"1;" + b"x" * 2000 + b"\r\n{\r\n"] * 200)
    await line.until_closed()


@kind
async def trailers(line: Line) -> None:
    await line.request(b"/api/tables", b"Transfer-Encoding: chunked\r\n", method=b"POST")
    await line.say(b"1\r\n{\r\n0\r\n", *[b"X-More: more\r\n" * 2000] * 20)
    await line.until_closed()


@kind
async def many_requests(line: Line) -> None:
    await line.say((b"GET / HTTP/1.1\r\n" + HOST + b"\r\n") * 500)
    await line.until_closed()


@kind
async def many_calls(line: Line) -> None:
    await line.say((b"GET /api/games HTTP/1.1\r\n" + HOST + b"\r\n") * 300)
    await line.until_closed()


@kind
async def answers_unread(line: Line) -> None:
    line.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    line.writer.transport.pause_reading()  # type: ignore[attr-defined] # of a transport that reads
    await line.say((b"GET /api/games HTTP/1.1\r\n" + HOST + b"\r\n") * 40)
    await asyncio.sleep(UNREAD_SECONDS)


@kind
async def broken_off(line: Line) -> None:
    await line.request(b"/api/games")
    linger = struct.pack("ii", 1, 0)
    line.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    line.writer.transport.abort()


@kind
async def half_closed(line: Line) -> None:
    await line.say(b"GET /api/games HTTP/1.1\r\n", HOST)
    line.writer.write_eof()
    await line.until_closed()


@kind
async def two_lengths(line: Line) -> None:
    await line.request(
        b"/api/tables",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        method=b"POST",
    )
    await line.say(b"0\r\n\r\nGET /healthz HTTP/1.1\r\n", HOST, b"\r\n")
    await line.until_closed()


@kind
async def rebound_name(line: Line) -> None:
    await line.say(b"GET /api/tables HTTP/1.1\r\nHost: rebound.example:8737\r\n")
    await line.say(b"Connection: close\r\n\r\n")
    assert b" 403 " in (await line.until_closed())[:20]


@kind
async def rebound_socket(line: Line) -> None:
    path = f"GET /api/tables/{line.table}/socket HTTP/1.1\r\n".encode()
    names = b"Host: rebound.example:8737\r\nOrigin: http://rebound.example:8737\r\n"
    await line.say(path, names, UPGRADE, b"\r\n")
    assert b" 403 " in (await line.until_closed())[:20]


@kind
async def foreign_page(line: Line) -> None:
    await line.request(
        f"/api/tables/{line.table}/socket".encode(), UPGRADE, b"Origin: http://evil.example\r\n"
    )
    assert b" 403 " in (await line.until_closed())[:20]


# --- sockets ---


@kind
async def bad_handshake(line: Line) -> None:
    await line.request(
        f"/api/tables/{line.table}/socket".encode(),
        b"Upgrade: websocket\r\nConnection: Upgrade\r\n",
    )
    await line.until_closed()


@kind
async def no_hello(line: Line) -> None:
    await line.open_socket()
    await line.until_closed()


@kind
async def half_a_frame(line: Line) -> None:
    await line.greeted()
    await line.say(frame(TEXT, b"x" * 100)[:20])
    await line.until_closed()


@kind
async def pings(line: Line) -> None:
    await line.greeted()
    await line.say(*[frame(PING) * 5000] * 20)
    await line.until_closed()


@kind
async def pings_unread(line: Line) -> None:
    await line.greeted()
    line.writer.transport.pause_reading()  # type: ignore[attr-defined] # of a transport that reads
    await line.say(*[frame(PING, b"x" * 125) * 100] * 100)
    await asyncio.sleep(UNREAD_SECONDS)


@kind
async def pongs(line: Line) -> None:
    await line.greeted()
    await line.say(*[frame(PONG) * 5000] * 20)
    await line.until_closed()


@kind
async def empty_fragments(line: Line) -> None:
    await line.greeted()
    await line.say(frame(0x01), *[frame(0x00) * 5000] * 20)
    await line.until_closed()


@kind
async def many_messages(line: Line) -> None:
    await line.greeted()
    await line.say(*[frame(TEXT, b'{"do":"ping"}') * 1000] * 20)
    await line.until_closed()


@kind
async def huge_frame(line: Line) -> None:
    await line.greeted()
    await line.say(bytes([BINARY, 0xFF]) + struct.pack(">Q", 1 << 40) + bytes(4), b"x" * 100_000)
    await line.until_closed()


@kind
async def unmasked_frame(line: Line) -> None:
    await line.greeted()
    await line.say(b"\x81\x02{}")
    await line.until_closed()


@kind
async def reserved_bits(line: Line) -> None:
    await line.greeted()
    await line.say(b"\xf3" + MASK + bytes(4))
    await line.until_closed()


@kind
async def no_text(line: Line) -> None:
    await line.greeted()
    await line.say(frame(TEXT, b"\xff\xfe\xfd"))
    await line.until_closed()


@kind
async def closing_first(line: Line) -> None:
    await line.open_socket()
    await line.say(frame(CLOSE, b"\x03\xe8"), *[frame(TEXT, b"{}")] * 50)
    await line.until_closed()


@kind
async def wrong_order(line: Line) -> None:
    await line.open_socket()
    roll = b'{"do":"roll","id":"abcdefgh","seat":0,"seen":1}'
    await line.say(*[frame(TEXT, roll)] * 40)
    await line.until_closed()


@kind
async def guessed_codes(line: Line) -> None:
    await line.open_socket()
    for _ in range(30):
        hello = {"do": "hello", "secret": secrets.token_urlsafe(16), "code": secrets.token_hex(4)}
        await line.say(frame(TEXT, json.dumps(hello).encode()))
    await line.until_closed()


async def connect(port: int, table: str, attack: Attack, source: str) -> str:
    """One connection; how it ended."""
    try:
        async with asyncio.timeout(SECONDS):
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", port, local_addr=(source, 0)
            )
            try:
                await attack(Line(table, reader, writer))
            finally:
                writer.transport.abort()
    except TimeoutError:
        return "not ended"
    except (OSError, asyncio.IncompleteReadError):
        return "broken"
    return "ended"


def addresses(count: int) -> list[str]:
    """So many addresses of this machine to come from: all of 127.0.0.0/8 lead to it."""
    return [f"127.{1 + n // 62500 % 250}.{1 + n // 250 % 250}.{1 + n % 250}" for n in range(count)]


@dataclass(frozen=True)
class Storm:
    """So many connections of these kinds in turn."""

    port: int
    table: str
    count: int
    at_once: int = 200
    kinds: tuple[str, ...] = tuple(KINDS)
    sources: tuple[str, ...] = ("127.0.0.1",)
    a_second: float = 1e9

    async def blow(self) -> dict[str, Counter[str]]:
        """All of them; how they ended, by kind."""
        found: dict[str, Counter[str]] = {name: Counter() for name in self.kinds}
        room, start = asyncio.Semaphore(self.at_once), time.monotonic()

        async def one(number: int) -> None:
            name = self.kinds[number % len(self.kinds)]
            source = self.sources[number % len(self.sources)]
            try:
                found[name][await connect(self.port, self.table, KINDS[name], source)] += 1
            except AssertionError:
                found[name]["let in"] += 1
            finally:
                room.release()

        async with asyncio.TaskGroup() as group:
            for number in range(self.count):
                await room.acquire()
                await asyncio.sleep(max(0.0, start + number / self.a_second - time.monotonic()))
                group.create_task(one(number))
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("--table", default="a" * 20)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=200)
    parser.add_argument("--a-second", type=float, default=1e9)
    parser.add_argument("--addresses", type=int, default=1000)
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    start = time.monotonic()
    storm = Storm(
        given.port,
        given.table,
        given.count,
        given.at_once,
        tuple(given.kinds.split(",")),
        tuple(addresses(given.addresses)),
        given.a_second,
    )
    found = asyncio.run(storm.blow())
    for name, ends in found.items():
        print(f"{name:20} {dict(ends)}")
    print(f"{time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    main()
