"""Answers to requests that the protocols of uvicorn would leave without one,
or would read without end; and an end for lines that come to nothing."""

import asyncio
import math
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final, cast

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.utils import get_remote_addr
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

from qwixx.server import garbage
from qwixx.server import messages as m
from qwixx.server.frames import whole_frame
from qwixx.server.gate import Gate
from qwixx.server.limits import Bucket, counted_as

HEADERS_MOST: Final = 100
LINE_BYTES: Final = 8000  # a header, or the address that is asked for
HEAD_BYTES: Final = 32_000  # all of them together
WAITING_MOST: Final = 10  # requests on one line, before the first of them is answered
SLICE_BYTES: Final = 1024  # of frames, read before they are counted: at most some 170
LINGER_SECONDS: Final = 5  # that a line which is to end may take for it
CLOSE_TOO_FAST: Final = 4429
CLOSE_SLOW: Final = 4413
TOO_LARGE: Final = m.Problem(
    "too_large",
    f"the head of a request has at most {HEADERS_MOST} headers of {LINE_BYTES} bytes, "
    f"{HEAD_BYTES} bytes together",
)
UNREADABLE: Final = m.Problem("bad_request", "this is no request of HTTP that can be read here")
FULL: Final = {
    "too_many": m.Problem("too_many", "too many connections from here: close some of them"),
    "too_fast": m.Problem("too_fast", "too many connections from here: wait a moment"),
    "full": m.Problem("too_many", "this server is full: try again in a moment"),
    "blocked": m.Problem("blocked", "whoever runs this server lets nobody in from here"),
}


class _Transport:
    """A transport that takes no offence at what is asked of it after it was closed. uvloop does, and
    between the end of a line and the end of what is under way for it lies a moment."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self.is_closing = transport.is_closing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        if not self.is_closing():
            self._transport.write(data)

    def pause_reading(self) -> None:
        if not self.is_closing():
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        if not self.is_closing():
            self._transport.resume_reading()


def _lenient(transport: asyncio.BaseTransport) -> asyncio.Transport:
    if not isinstance(transport, _Transport):
        transport = cast("asyncio.BaseTransport", _Transport(cast("asyncio.Transport", transport)))
    return cast("asyncio.Transport", transport)


class _Guarded(asyncio.Protocol):
    """What both kinds of lines owe to the gate."""

    gate: Gate  # one for all lines of a server
    transport: asyncio.Transport
    loop: asyncio.AbstractEventLoop
    peer = "unknown"
    until = math.inf
    _closing_since = math.inf

    def end(self, reason: str) -> None:
        self.gate.count(reason, self.peer)
        self.transport.abort()

    def linger(self, now: float) -> None:
        """A line that is closing waits for its reader: not for ever."""
        if now >= self.until:
            self.end(self.waits_for())
        elif self.transport.is_closing():
            self._closing_since = min(now, self._closing_since)
            if now - self._closing_since >= LINGER_SECONDS:
                self.transport.abort()

    def waits_for(self) -> str:
        return "unread"


class Http(_Guarded, HttpToolsProtocol):
    """HTTP with bounds on the head of a request, on what may follow its body, and on time."""

    _too_large = False
    _crowded = False
    _head_bytes = 0  # of whole headers
    _got_on = False  # something has come to its end: the head, a piece of the body, the request
    _unended = 0  # bytes since then
    _reason = "slow_head"  # to end the line for, once its time is over
    _whole = False  # the request has been read to its end

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        transport = _lenient(transport)
        super().connection_made(transport)
        host = (get_remote_addr(transport) or ("unknown", 0))[0]
        reason = self.gate.enter(self, host)
        if reason is not None:
            _answer(transport, HTTPStatus.TOO_MANY_REQUESTS, FULL[reason])
        self._wait("slow_head", self.gate.limits.head_seconds)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.gate.leave(self)
        # Answers under way know this line: if it knew them for ever, only a collection would find both.
        self.cycle = None  # type: ignore[assignment] # as it was before the first request
        self.pipeline.clear()
        self._unset_keepalive_if_required()
        garbage.ended()

    def data_received(self, data: bytes) -> None:
        self._got_on = False
        super().data_received(data)
        self._unended = 0 if self._got_on else self._unended + len(data)
        if self.idle and self.until == math.inf:  # which ends the wait for another request
            self._wait("slow_head", self.gate.limits.head_seconds)
        if self._unended > HEAD_BYTES:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, TOO_LARGE)

    @property
    def idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self, reason: str, seconds: float) -> None:
        self._reason, self.until = reason, self.loop.time() + seconds

    def waits_for(self) -> str:
        return self._reason

    def on_message_begin(self) -> None:
        if len(self.pipeline) >= WAITING_MOST:
            self._crowded = True
            raise ValueError("too many requests at once")  # the parser stops
        self._head_bytes, self._whole = 0, False
        self._wait("slow_head", self.gate.limits.head_seconds)
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        line = len(name) + len(value)
        self._head_bytes += line
        self._check(
            line <= LINE_BYTES
            and self._head_bytes <= HEAD_BYTES
            and len(self.headers) < HEADERS_MOST
        )
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._got_on = True
        self._check(len(self.url) <= LINE_BYTES)
        self._wait("slow_body", self.gate.limits.body_seconds)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._got_on = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._got_on = self._whole = True
        if not self.flow.write_paused:
            self.until = math.inf
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._wait("unread", self.gate.limits.unread_seconds)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._wait("slow_body", math.inf if self._whole else self.gate.limits.body_seconds)

    def handle_websocket_upgrade(self) -> None:
        """The line goes on as a socket, which the gate counts instead."""
        self.gate.leave(self)
        super().handle_websocket_upgrade()
        # It knows this line, of which nobody else will hear again.
        self.parser = None  # type: ignore[assignment] # as uvicorn does at the end of a line

    def _check(self, bounded: bool) -> None:
        if not bounded:
            self._too_large = True
            raise ValueError("too large")  # the parser stops, and `send_400_response` is called

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - ours says more
        if self._crowded:  # an answer is under way, and another would be taken for a part of it
            self.end("crowded")
        elif self._too_large:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, TOO_LARGE)
        else:
            self._refuse(HTTPStatus.BAD_REQUEST, UNREADABLE)

    def _refuse(self, status: HTTPStatus, problem: m.Problem) -> None:
        if not self.transport.is_closing():
            self.gate.count(problem.code, self.peer)
            _answer(self.transport, status, problem)


class WebSocket(_Guarded, WebSocketsSansIOProtocol):
    """Sockets whose handshake is answered also if nothing can be made of it, and whose frames
    count, whatever they are: a ping or an empty fragment costs as much as a message."""

    idle = False
    hear: Callable[[str], None] | None = None  # without a queue between
    _ended = False
    _plain = True  # all frames have come whole, and were texts, pings and pongs

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(_lenient(transport))
        limits = self.gate.limits
        self._frames_allowed = Bucket(2 * limits.messages_a_second, 2 * limits.messages_burst)
        host = (get_remote_addr(self.transport) or ("unknown", 0))[0]
        self.gate.keep(self, counted_as(host))

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.gate.leave(self)
        # What reads the frames knows itself, and so does where an error was: only a collection
        # would find them.
        self.conn.parser.close()
        for error in (self.conn.parser_exc, self.conn.handshake_exc):
            if error is not None:
                error.__traceback__ = error.__cause__ = error.__context__ = None
        garbage.ended()

    def data_received(self, data: bytes) -> None:
        """Plain frames are read one by one; anything else by the library, in slices, so that a flood
        is noticed after few frames and not after thousands."""
        if not self.handshake_initiated:
            self._shake_hands(data)
            return
        start = 0
        while start < len(data) and not self._ended and not self.transport.is_closing():
            start = self._read_plain(data, start) or self._read_slice(data, start)

    def _read_plain(self, data: bytes, start: int) -> int:
        """Read a frame here; where it ends, or 0. Once something else has come the library has begun to
        read, and only it knows where a frame begins."""
        end, said = whole_frame(data, start, self.config.ws_max_size) if self._plain else (0, None)
        if said is not None and self._allowed():
            self.curr_msg_data_type, self.frames = "text", [said]
            self.send_receive_event_to_app()
        elif end and said is None:
            super().data_received(data[start:end])
        self._plain = end > 0
        return end

    def _read_slice(self, data: bytes, start: int) -> int:
        super().data_received(data[start : start + SLICE_BYTES])
        return start + SLICE_BYTES

    def _shake_hands(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.handshake_complete = self.close_sent = True
            self.gate.count(UNREADABLE.code, self.peer)
            _answer(self.transport, HTTPStatus.BAD_REQUEST, UNREADABLE)

    def handle_cont(self, event: Frame) -> None:
        if self._allowed():
            super().handle_cont(event)

    def handle_text(self, event: Frame) -> None:
        if self._allowed():
            super().handle_text(event)

    def handle_bytes(self, event: Frame) -> None:
        if self._allowed():
            super().handle_bytes(event)

    def handle_ping(self) -> None:
        if self._allowed():
            if self.writable.is_set():
                super().handle_ping()
            else:
                self._fail(CLOSE_SLOW, "slow")

    def handle_pong(self, event: Frame) -> None:
        if self._allowed():
            super().handle_pong(event)

    def send_receive_event_to_app(self) -> None:
        """What is no text ends the line without a word in the log."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                text = b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self._fail(1007, "no_text")
                return
            if self.hear is not None and self.queue.empty():
                self.frames = []
                # Not now: between two reads the writer's thread may run, and would commit each move alone.
                self.loop.call_soon(self.hear, text)
                return
        super().send_receive_event_to_app()

    async def run_asgi(self) -> None:
        self.scope["state"]["line"] = self
        try:
            await super().run_asgi()
        finally:  # each would keep the other until the next collection
            del self.scope["state"]["line"]
            self.hear = None

    def write(self, frames: bytes) -> bool:
        """Send these now, past uvicorn, which would make every frame anew for everybody who hears it;
        False if the line takes no more just now. On a line that ends nobody waits for them."""
        if self.close_sent or self.transport.is_closing():
            return True
        if not self.writable.is_set():
            return False
        self.transport.write(frames)
        return True

    async def drain(self) -> None:
        await self.writable.wait()

    def handle_parser_exception(self) -> None:
        self.gate.count("frames_unreadable", self.peer)
        super().handle_parser_exception()

    def keepalive_timeout(self) -> None:
        self.gate.count("no_pong", self.peer)
        super().keepalive_timeout()

    def _allowed(self) -> bool:
        if not self._ended and not self._frames_allowed.take():
            self._fail(CLOSE_TOO_FAST, "too_fast")
        return not self._ended

    def _fail(self, code: int, reason: str) -> None:
        """The line ends now; who reads may read why."""
        self._ended = True
        self.gate.count(f"frames_{reason}", self.peer)
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code})
        if not self.close_sent:
            self.conn.data_to_send()  # answers that nobody waits for
            self.conn.fail(code, reason)
            self.transport.write(b"".join(self.conn.data_to_send()))
            self.close_sent = True
        self.transport.close()

    async def send(self, message: Any) -> None:
        await super().send(message)
        gone = message["type"] == "websocket.accept" and self.transport.is_closing()
        if gone or message["type"] == "websocket.http.response.body":
            # Else uvicorn takes a refusal, or that nobody is there, for no answer, and logs an error.
            self.handshake_complete = True


def guarded(gate: Gate) -> tuple[type[Http], type[WebSocket]]:
    """Both protocols, behind this gate."""
    return type("Http", (Http,), {"gate": gate}), type("WebSocket", (WebSocket,), {"gate": gate})


def _answer(transport: asyncio.Transport, status: HTTPStatus, problem: m.Problem) -> None:
    """Say no, and why, and close the line."""
    if transport.is_closing():
        return
    body = msgspec.json.encode(problem)
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\ncontent-type: application/json\r\n"
        f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
    )
    transport.write(head.encode() + body)
    transport.close()
