"""What the people's part in the dice costs: how long a throw takes, and how many bytes it is.

A throw is timed from the active page's sending it to hearing how it fell, with two and five people,
over loopback and through a proxy that holds back every byte; with chains, and without them (the
creator starts before anybody has committed to one).

    python bench/dice.py
"""

import asyncio
import hashlib
import json
import os
import secrets
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import Any

from websockets import ConnectionClosed
from websockets.asyncio.client import ClientConnection, connect

DELAY = 0.05  # each way: a round trip of 100 ms


class Page:
    """A person's page: it brings its links by itself."""

    def __init__(self, line: ClientConnection, secret: str) -> None:
        self.line, self.secret = line, secret
        links = [os.urandom(32)]
        for _ in range(300):
            links.append(hashlib.sha256(links[-1]).digest())
        self.links = [link.hex() for link in reversed(links)]
        self.number, self.place = 0, 0
        self.seat = 0
        self.table: dict[str, Any] = {}
        self.play: dict[str, Any] | None = None
        self.changed = asyncio.Event()
        self.thrown: list[float] = []

    async def say(self, **command: Any) -> None:
        await self.line.send(json.dumps({"id": secrets.token_hex(8), **command}))

    async def listen(self) -> None:
        while True:
            try:
                text = await self.line.recv()
            except ConnectionClosed:
                return
            heard = json.loads(text)
            if heard["type"] == "ask":
                self.place = self.links.index(heard["last"]) + 1
                link = {"do": "link", "throw": heard["throw"], "link": self.links[self.place]}
                await self.line.send(json.dumps(link))
                continue
            if heard["type"] in ("welcome", "event"):
                self.number = heard["number"]
                self.table = heard.get("table") or self.table
                self.play = heard.get("play") or self.play
                if heard.get("kind") == "rolled":
                    self.thrown.append(time.perf_counter())
            self.changed.set()

    async def until(self, done: Any) -> None:
        while not done():
            self.changed.clear()
            await self.changed.wait()


async def delayed(port: int) -> asyncio.Server:
    """A door to the server that holds back every byte for a while, both ways."""

    async def carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        while data := await reader.read(65536):
            loop.call_later(DELAY, writer.write, data)
        writer.close()

    async def let_in(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ours, theirs = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(carry(reader, theirs), carry(ours, writer), return_exceptions=True)

    return await asyncio.start_server(let_in, "127.0.0.1", 0)


async def table(port: int, door: int, people: int) -> list[Page]:
    own = [secrets.token_urlsafe(16) for _ in range(people)]
    seats = [{"kind": "me", "name": "A"}, *[{"kind": "open"}] * (people - 1)]
    body = {"id": own[0], "secret": own[0], "game": "classic", "seats": seats}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/tables", json.dumps(body).encode()
    )
    with urllib.request.urlopen(request) as answer:  # noqa: S310 - our own server
        name = json.load(answer)["table"]
    pages = []
    for seat, secret in enumerate(own):
        page = Page(await connect(f"ws://127.0.0.1:{door}/api/tables/{name}/socket"), secret)
        page.seat = seat
        page.reading = asyncio.create_task(page.listen())  # type: ignore[attr-defined] # kept alive
        await page.line.send(json.dumps({"do": "hello", "secret": secret}))
        await page.until(lambda page=page: page.table)
        if seat:
            await page.say(do="sit", name=f"P{seat}", seat=seat)
        pages.append(page)
    for page in pages:
        await page.until(
            lambda page=page: all(one["kind"] == "person" for one in page.table["seats"])
        )
    return pages


async def play(pages: list[Page], chains: bool) -> list[float]:
    """The times of the throws of one game, everybody passing; as many as it has."""
    if chains:
        for page in pages:
            await page.say(do="ready", seat=page.seat, chain=page.links[0])
            page.place = 0
    else:
        await pages[0].say(do="start")
    for page in pages:
        await page.until(lambda page=page: page.table["status"] == "playing" and page.play)
    found: list[float] = []
    while pages[0].table["status"] == "playing":
        state = pages[0].play
        assert state
        if state["phase"] == "roll":
            active = pages[state["active"]]
            await active.until(lambda active=active, seen=pages[0].number: active.number >= seen)
            count, before = len(active.thrown), time.perf_counter()
            link = active.links[active.place + 1] if chains else None
            active.place += bool(link)
            await active.say(do="roll", seat=active.seat, seen=active.number, link=link)
            await active.until(lambda active=active, count=count: len(active.thrown) > count)
            found.append(active.thrown[-1] - before)
            await pages[0].until(lambda state=state: pages[0].play is not state)
        else:
            for seat in state["to_act"]:
                if len(state["moves"][str(seat)]) > 1:
                    page = pages[seat]
                    await page.until(lambda page=page, seen=pages[0].number: page.number >= seen)
                    move = state["moves"][str(seat)][1]["move"]
                    await page.say(do="choose", seat=seat, move=move, seen=page.number)
            await pages[0].until(lambda state=state: pages[0].play is not state)
    return found


async def measure(port: int) -> None:
    proxy = await delayed(port)
    slow = proxy.sockets[0].getsockname()[1]
    print("people  line      chains  throws  median ms  p95 ms   record bytes a throw")
    for people in (2, 5):
        for line, door in (("loopback", port), ("100 ms", slow)):
            for chains in (False, True):
                pages = await table(port, door, people)
                found = [seconds * 1000 for seconds in await play(pages, chains)]
                name = pages[0].table["id"]
                size = await asyncio.to_thread(proof_bytes, port, name)
                for page in pages:
                    page.line.transport.abort()
                p95 = sorted(found)[int(len(found) * 0.95)]
                told = f"{statistics.median(found):9.1f} {p95:7.1f} {size / len(found):10.0f}"
                print(f"{people:6}  {line:8}  {chains!s:6} {len(found):7}  {told}", flush=True)


def proof_bytes(port: int, table: str) -> int:
    """Of the links in the record of a finished game."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/tables/{table}/record") as answer:
        return len(json.dumps(json.load(answer)["proof"]["links"]))


def main() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        words = ["serve", "--host", "127.0.0.1", "--port", str(port), "--db", f"{folder}/t.db"]
        server = subprocess.Popen(
            [sys.executable, "-m", "qwixx", *words], stderr=subprocess.DEVNULL
        )
        try:
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.05)
            asyncio.run(measure(port))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
