"""What comes to the door: whatever it is, it gets an answer,
and nobody who only knocks can wear the server out."""

import contextlib
import json
import os
import re
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import websockets
from client import GENEROUS, Server, run, secret
from stage import over, stage
from websockets.asyncio.client import connect

from qwixx.server import door, hosts, limits
from qwixx.server.cache import PackedCache
from qwixx.server.limits import Addresses, counted_as

HANDSHAKE = (
    b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
)
SOCKET = b"/api/tables/" + b"a" * 20 + b"/socket"
MANY = b"".join(b"X-%d: y\r\n" % number for number in range(300))
LONG = b"X-Long: " + b"y" * 20_000 + b"\r\n"


def ask(server: Server, request: bytes) -> tuple[int, str]:
    """Send bytes to the server as they are; the status and the text of the answer."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        line.sendall(request)
        answer = b""
        with contextlib.suppress(ConnectionResetError):
            while data := line.recv(65536):
                answer += data
                if not _waited_for(answer):
                    break
    match = re.match(rb"HTTP/1.1 (\d+) ", answer)
    assert match, (request[:80], answer[:80])
    return int(match[1]), answer.partition(b"\r\n\r\n")[2].decode("utf-8", "replace")


def _waited_for(answer: bytes) -> int:
    """How many bytes are still to come."""
    head, _, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    return int(length[1]) - len(body) if length else not body and b" 101 " not in head


def head(path: bytes, *more: bytes, method: bytes = b"GET") -> bytes:
    return method + b" " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"".join(more) + b"\r\n"


@pytest.mark.parametrize("path", [SOCKET, b"/api/games", b"/"], ids=["socket", "api", "page"])
@pytest.mark.parametrize(
    "more", [MANY, LONG, b"X: " + b"y" * 7000 + b"\r\n" + b"Z: z\r\n" * 90 + LONG]
)
def test_a_head_that_is_too_large_is_refused_in_words(
    server: Server, path: bytes, more: bytes
) -> None:
    handshake = HANDSHAKE if path == SOCKET else b""
    status, text = ask(server, head(path, handshake, more))
    assert status == 431
    assert json.loads(text)["code"] == "too_large"
    assert "100 headers" in json.loads(text)["message"]


def test_an_address_that_is_too_long_is_refused_in_words(server: Server) -> None:
    for more in (b"", HANDSHAKE):
        assert ask(server, head(b"/" + b"a" * 20_000, more))[0] == 431


def test_a_head_without_end_is_not_read_for_ever(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
        line.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: ")
        sent, answer = 0, b""
        line.setblocking(False)
        with contextlib.suppress(ConnectionError):
            while not answer and sent < 50_000_000:
                with contextlib.suppress(BlockingIOError):
                    sent += line.send(b"y" * 1000)
                with contextlib.suppress(BlockingIOError):
                    answer = line.recv(1000)
        assert sent < 50_000_000
        # The line may break before the answer is read.
        assert answer.startswith(b"HTTP/1.1 431 ") or not answer


STRANGE = [
    b"http://[", b"http://]", b"//", b"http://[::1", b"http://[v1.x]", b"null", b"", b"\xff\xfe", b"http://a:b:c",
    b"http://\xe2\x84\x80",
    b"http://here.evil", b"x" * 5000,
]  # fmt: skip
HEADERS = [
    b"Origin", b"Host", b"Authorization", b"Accept-Encoding", b"If-None-Match", b"Content-Length",
    b"Transfer-Encoding", b"Cookie", b"Sec-WebSocket-Key", b"Sec-WebSocket-Version",
    b"Sec-WebSocket-Protocol",
    b"Sec-WebSocket-Extensions", b"X-Forwarded-For", b"X-Forwarded-Proto", b"Upgrade", b"Connection",
    b"Expect",
    b"Content-Type",
]  # fmt: skip
PATHS = [
    b"*", b"/%", b"/%ff%fe", b"/\xff", b"//", b"/api/games?%", b"/api/tables/%00", b"http://[/", b"http://else/api/games",
    b"/api/tables/" + b"a" * 20 + b"/record?round=%ff",
    b"/api/tables/" + b"a" * 20 + b"/story?round=1&round=x;",
]  # fmt: skip


@pytest.fixture(scope="module")
def behind_a_proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that believes what it hears about addresses."""
    server = Server(tmp_path_factory.mktemp("proxy"), *GENEROUS, "--proxy", "127.0.0.1")
    yield server
    server.kill()


def test_every_header_and_address_gets_an_answer(behind_a_proxy: Server) -> None:
    """Nothing that is read from a request can be a fault of the server."""
    server, statuses = behind_a_proxy, set()
    for strange in STRANGE:
        for name in HEADERS:
            header = name + b": " + strange + b"\r\n"
            body = (
                b""
                if name in (b"Content-Length", b"Transfer-Encoding")
                else b"Content-Length: 0\r\n"
            )
            for path, more, method in (
                (SOCKET, HANDSHAKE, b"GET"),
                (b"/api/games", b"Connection: close\r\n", b"GET"),
                (b"/api/tables", b"Connection: close\r\n" + body, b"POST"),
                (b"/api/tables/" + b"a" * 20 + b"/record", b"Connection: close\r\n", b"GET"),
            ):
                statuses.add(ask(server, head(path, header, more, method=method))[0])
    for path in PATHS:
        for more, method in (
            (HANDSHAKE, b"GET"),
            (b"", b"GET"),
            (b"", b"HEAD"),
            (b"", b"CONNECT"),
            (b"", b"BREW"),
        ):
            statuses.add(ask(server, head(path, more, b"Connection: close\r\n", method=method))[0])
    assert not {status for status in statuses if status >= 500}, statuses
    server.stop()
    said = server.errors.read_text()
    assert not [
        line for line in said.splitlines() if json.loads(line)["level"] not in ("info", "warning")
    ]


@pytest.mark.parametrize("origin", ["http://[", "http://evil.example", "null", "http://"])
def test_a_page_from_elsewhere_is_refused_in_words(server: Server, origin: str) -> None:
    for request in (
        head(SOCKET, HANDSHAKE, f"Origin: {origin}\r\n".encode()),
        head(
            b"/api/tables",
            f"Origin: {origin}\r\n".encode(),
            b"Content-Length: 0\r\n",
            method=b"POST",
        ),
    ):
        status, text = ask(server, request)
        assert status == 403
        assert json.loads(text) == {
            "code": "foreign",
            "message": "this page comes from another site",
            "rule": None,
        }


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:8737", True),
        ("203.0.113.9", True),  # as it is known outside, behind a router or in a container
        ("[::1]:8737", True),
        ("[2001:db8::7]", True),
        ("localhost:8737", True),
        ("LocalHost.", True),
        ("play.localhost", True),
        ("attic", True),
        ("attic.local:8737", True),
        ("play.example.org", True),
        ("play.example.org:8443", True),
        ("attic.example.org", False),
        ("rebound.example", False),
        ("127.0.0.1.rebound.example", False),
        ("localhost.rebound.example", False),
        ("local", False),
        ("", False),
        ("127.0.0.1:8737@rebound.example", False),
        ("[::1", False),
        ("0x7f000001", False),
        ("\xff", False),
    ],
)
def test_a_server_answers_to_names_that_nobody_else_can_have(host: str, known: bool) -> None:
    assert hosts.answered(host, hosts.names_of(["https://play.example.org"], "Attic")) is known


def test_a_name_that_a_stranger_may_have_is_refused_with_what_to_do(tmp_path: Path) -> None:
    """A page whose name was made to lead here has the same name as its origin."""
    server = Server(tmp_path, *GENEROUS, "--origin", "https://play.example.org")
    rebound = b"Host: rebound.example:8737\r\nOrigin: http://rebound.example:8737\r\n"
    for line, more in (
        (b"GET /api/games", b""),
        (b"POST /api/tables", b"Content-Length: 0\r\n"),
        (b"GET " + SOCKET, HANDSHAKE),
        (b"GET /openapi.json", b""),
    ):
        request = line + b" HTTP/1.1\r\n" + rebound + more + b"\r\n"
        status, text = ask(server, request)
        assert (status, "--origin http://rebound.example:8737" in text) == (403, True)
    status, text = ask(server, b"GET / HTTP/1.1\r\nHost: attic.example\r\n\r\n")
    assert status == 403
    assert text.startswith('this server does not answer to the name "attic.example": ')
    assert ask(server, b"GET /healthz HTTP/1.1\r\nHost: balancer\r\n\r\n")[0] == 200
    twice = b"GET /api/games HTTP/1.1\r\nHost: localhost\r\nHost: rebound.example\r\n\r\n"
    assert ask(server, twice)[0] in (400, 403)
    proxied = b"Host: play.example.org\r\nOrigin: https://play.example.org\r\n"
    socket_request = b"GET " + SOCKET + b" HTTP/1.1\r\n" + proxied + HANDSHAKE + b"\r\n"
    assert ask(server, socket_request)[0] == 101
    assert 'reason="unknown_host"} 6' in server.get("/metrics")[1].decode()
    server.stop()


def test_who_connects_too_often_is_refused_in_words_and_counted(tmp_path: Path) -> None:
    server = Server(tmp_path, "--limit", "connects_burst=5", "--limit", "connects_a_second=0")
    table = server.create("duel", [{"kind": "open"}] * 2, secret())

    async def knock() -> None:
        for _ in range(5):
            async with connect(server.url(table)) as line:
                await line.send('{"do": "hello"}')
                assert json.loads(await line.recv())["type"] == "welcome"
        with pytest.raises(websockets.InvalidStatus) as refused:
            await connect(server.url(table))
        assert refused.value.response.status_code == 429
        assert (
            json.loads(refused.value.response.body)["message"]
            == "too many connections from here: wait a moment"
        )

    run(knock())
    assert 'qwixx_turned_away_total{reason="too_fast"} 1' in server.get("/metrics")[1].decode()
    server.stop()


def test_addresses_that_are_idle_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr(limits, "monotonic", lambda: now)
    addresses = Addresses(rate=1, burst=2)
    for number in range(100_000):
        now += 0.001  # so that a bucket is full again after a thousand others
        assert addresses.take(str(number))
        assert len(addresses) <= 2 * limits.FEW_ADDRESSES + 1
    assert addresses.take("busy")
    assert addresses.take("busy")
    for number in range(5000):
        now += 0.0001
        addresses.take(f"other {number}")
    assert not addresses.take("busy"), "who is busy is not forgotten"


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("::ffff:c000:207", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_an_address_counts_as_its_home(address: str, counted: str) -> None:
    assert counted_as(address) == counted


def test_one_home_with_many_addresses_is_one(tmp_path: Path) -> None:
    """Through a proxy, which names the visitor:
    the second table is one too many for the home, not for others."""
    server = Server(tmp_path, "--proxy", "127.0.0.1", "--limit", "tables_an_hour=1")

    def create(address: str) -> int:
        body = {"id": secret(), "secret": secret(), "game": "duel", "seats": [{"kind": "open"}] * 2}
        forwarded = {"X-Forwarded-For": address}
        return server.request("POST", "/api/tables", json.dumps(body).encode(), **forwarded)[0]

    visitors = [
        "2001:db8::1",
        "2001:db8::2",
        "2001:db8:0:1::1",
        "192.0.2.1",
        "::ffff:192.0.2.1",
        "192.0.2.2",
    ]
    assert [create(one) for one in visitors] == [201, 429, 201, 201, 429, 201]
    server.stop()


def test_packed_answers_stay_within_their_bound() -> None:
    cache, made = PackedCache(3000), []

    def make(number: int) -> bytes:
        made.append(number)
        return number.to_bytes(4, "big") + bytes(range(256)) * 2

    for number in [*range(30), 29, 28, 29]:
        cache.get(number, lambda number=number: make(number))  # type: ignore[misc] # a default binds it here and now
        assert cache.bytes <= 3000
    assert made == list(range(30))
    cache.get(0, lambda: make(0))
    assert made[-1] == 0, "what was asked for longest ago is made again"
    assert cache.get("huge", lambda: os.urandom(9000))
    assert cache.bytes <= 3000


def test_a_story_is_told_once(server: Server) -> None:
    table = stage(server, secret(), "duel", 2, over)
    told = [server.get(f"/api/tables/{table}/story?round=1") for _ in range(3)]
    before = _stories(server)
    told += [server.get(f"/api/tables/{table}/story") for _ in range(3)]
    assert _stories(server) == before
    assert {status for status, _ in told} == {200}
    assert len({body for _, body in told}) == 1


def _stories(server: Server) -> float:
    match = re.search(
        r"^qwixx_stories_total (\S+)$", server.get("/metrics")[1].decode(), re.MULTILINE
    )
    assert match
    return float(match[1])


def test_what_follows_a_body_is_bounded_too(server: Server) -> None:
    """Trailers, whole ones or one without end."""
    for trailer in (b"x-more: and more\r\n" * 1000, b"x-long: " + b"a" * 100_000):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
            head = b"POST /api/tables HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
            with contextlib.suppress(OSError):  # it may be closed before all is said
                line.sendall(head + b"1\r\n{\r\n0\r\n")
                for _ in range(1000):
                    line.sendall(trailer)
                raise AssertionError("it listens for ever")


def test_lines_that_come_to_nothing_leave_nothing_behind(tmp_path: Path) -> None:
    server = Server(tmp_path, *GENEROUS)

    def knock(times: int) -> int:
        bad = (
            b"GET /api/tables/x/socket HTTP/1.1\r\nHost: localhost\r\n"
            b"Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n"
        )
        for _ in range(times):
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
                line.sendall(bad)
                line.recv(1000)
        status = Path(f"/proc/{server.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1])  # type: ignore[index] # Linux tells it

    try:
        before = knock(1000)
        assert knock(2500) < before + 30_000  # without a collection, 23 kB each: 57,000 more
    finally:
        server.kill()


def test_requests_that_pile_up_on_one_line_end_it_and_are_counted(tmp_path: Path) -> None:
    """Nobody waits for so many answers at once, and each of them takes memory until it is given."""
    server = Server(tmp_path, *GENEROUS)
    try:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
            heard = b""
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                line.sendall(head(b"/api/games") * 500)
                while data := line.recv(65536):
                    heard += data
        assert heard.count(b"HTTP/1.1 200") <= 20
        said = server.get("/metrics")[1].decode()
        assert 'qwixx_turned_away_total{reason="crowded"} 1' in said
        few = head(b"/healthz") * 4 + head(b"/healthz", b"Connection: close\r\n")
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as line:
            line.sendall(few)
            heard = b""
            while data := line.recv(65536):
                heard += data
        assert heard.count(b"HTTP/1.1 200") == 5
        assert '"error"' not in server.errors.read_text()
    finally:
        server.stop()


def test_a_transport_that_is_closed_takes_what_is_still_said() -> None:
    """uvloop raises there; what is under way for a line that has ended is no fault of ours."""

    class Closed:
        def is_closing(self) -> bool:
            return True

        def abort(self) -> str:
            return "aborted"

    transport = door._lenient(Closed())  # type: ignore[arg-type] # all that is asked of one that is closed
    transport.write(b"late")
    transport.pause_reading()
    transport.resume_reading()
    assert transport.abort() == "aborted"  # type: ignore[func-returns-value] # goes through
    assert door._lenient(transport) is transport
