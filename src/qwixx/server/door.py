"""Answers to requests that the protocols of uvicorn would leave without one,
or would read without end."""

import asyncio
from http import HTTPStatus
from typing import Any, Final

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from qwixx.server import garbage
from qwixx.server import messages as m

HEADERS_MOST: Final = 100
LINE_BYTES: Final = 8000  # a header, or the address that is asked for
HEAD_BYTES: Final = 32_000  # all of them together
TOO_LARGE: Final = m.Problem(
    "too_large",
    f"the head of a request has at most {HEADERS_MOST} headers of {LINE_BYTES} bytes, "
    f"{HEAD_BYTES} bytes together",
)
UNREADABLE: Final = m.Problem("bad_request", "this is no request of HTTP that can be read here")


class Http(HttpToolsProtocol):
    """HTTP with bounds on the head of a request, and on what may follow its body."""

    _too_large = False
    _head_bytes = 0  # of whole headers
    _got_on = False  # something has come to its end: the head, a piece of the body, the request
    _unended = 0  # bytes since then

    def data_received(self, data: bytes) -> None:
        self._got_on = False
        super().data_received(data)
        self._unended = 0 if self._got_on else self._unended + len(data)
        if self._unended > HEAD_BYTES:
            _answer(self.transport, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, TOO_LARGE)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        garbage.ended()

    def on_message_begin(self) -> None:
        self._head_bytes = 0
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        super().on_header(name, value)
        line = len(name) + len(value)
        self._head_bytes += line
        self._check(
            line <= LINE_BYTES
            and self._head_bytes <= HEAD_BYTES
            and len(self.headers) <= HEADERS_MOST
        )

    def on_headers_complete(self) -> None:
        self._got_on = True
        self._check(len(self.url) <= LINE_BYTES)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._got_on = True
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._got_on = True
        super().on_message_complete()

    def _check(self, bounded: bool) -> None:
        if not bounded:
            self._too_large = True
            raise ValueError("too large")  # the parser stops, and `send_400_response` is called

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - ours says more
        if self._too_large:
            _answer(self.transport, HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, TOO_LARGE)
        else:
            _answer(self.transport, HTTPStatus.BAD_REQUEST, UNREADABLE)


class WebSocket(WebSocketsSansIOProtocol):
    """Sockets whose handshake is answered also if nothing can be made of it."""

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.handshake_exc is not None and not self.handshake_initiated:
            self.handshake_complete = self.close_sent = True
            _answer(self.transport, HTTPStatus.BAD_REQUEST, UNREADABLE)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        garbage.ended()

    async def send(self, message: Any) -> None:
        await super().send(message)
        if message["type"] == "websocket.http.response.body":
            # Else uvicorn takes a refusal for no answer, and logs an error.
            self.handshake_complete = True


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
