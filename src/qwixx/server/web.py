"""The web application: HTTP for making and finding tables, a socket for playing at one."""

import asyncio
import functools
import hmac
import logging
import math
import re
from collections.abc import Awaitable, Callable, Coroutine, MutableMapping
from ipaddress import ip_address, ip_network
from time import monotonic
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from qwixx import bots, games
from qwixx.core.errors import QwixxError
from qwixx.server import garbage, hosts, moment, openapi, story
from qwixx.server import messages as m
from qwixx.server.cache import PackedCache, packed
from qwixx.server.creating import hashed, offered
from qwixx.server.faults import FAULT, traced
from qwixx.server.gate import Gate
from qwixx.server.hub import Hub
from qwixx.server.limits import Addresses, counted_as
from qwixx.server.manners import may_watch
from qwixx.server.metrics import Metrics
from qwixx.server.page import Page, unpacked_if_needed
from qwixx.server.refusals import Refusal
from qwixx.server.room import Room
from qwixx.server.settings import Settings
from qwixx.server.signing import Signer
from qwixx.server.sockets import Line, Socket, frame
from qwixx.server.store import Store
from qwixx.server.studies import Wanted
from qwixx.study.explore import check

logger: Final = logging.getLogger("qwixx.server")

HELLO_SECONDS: Final = 10
REACHED_SECONDS: Final = 3  # before it is looked again where others find this server
AWAY_SECONDS: Final = 10  # without its database, after which nobody is sent to a server
HEALTH: Final = ("/healthz", "/readyz")
SOCKET_PATH: Final = re.compile("/api/tables/([a-z2-7]{20})/socket")
STATUS: Final = {
    "no_table": 404,
    "not_yours": 403,
    "not_now": 409,
    "too_many": 429,
    "too_fast": 429,
    "busy": 503,
    "too_large": 413,
    "foreign": 403,
    "unknown_host": 403,
    "closed": 403,
    "blocked": 403,
    "unreadable": 500,
    "elsewhere": 503,
    "unavailable": 503,
}
ENDING: Final = ("too_fast", "too_large")  # what is still to come on such a line is not read
# Close codes of our own; 1012 (restart, also somewhere else), 1013 (come again later),
# 1009 (frame too large) and 1011 (no answer to pings) are the protocol's.
CLOSE: Final = {
    "bad": 4400,
    "unwatched": 4403,
    "no_table": 4404,
    "closed": 4404,
    "blocked": 4404,
    "too_many": 4429,
    "slow": 4413,
    "too_fast": 4429,
    "moved": 4409,
    "removed": 4410,
    "unreadable": 4500,
    "elsewhere": 1012,
    "unavailable": 1013,
}
CLOSE_NO_HELLO: Final = 4408

CONTENT_POLICY: Final = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    b"connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'"
)
HEADERS: Final = [
    (b"content-security-policy", CONTENT_POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
]

NO_STORE: Final = (b"cache-control", b"no-store")

_new_table = msgspec.json.Decoder(m.NewTable)
_tables_wanted = msgspec.json.Decoder(m.TablesWanted)
_moment_wanted = msgspec.json.Decoder(m.MomentWanted)
_position_wanted = msgspec.json.Decoder(m.PositionWanted)
_values_wanted = msgspec.json.Decoder(m.ValuesWanted)
_request: msgspec.json.Decoder[m.Request] = msgspec.json.Decoder(m.Request)

PONG: Final = frame(m.Pong())

T = TypeVar("T")
Endpoint: TypeAlias = Callable[[Request], Awaitable[Response]]


class App:
    """Routes and sockets over one hub, which lives as long as the server runs."""

    def __init__(
        self, settings: Settings, reached_at: Callable[[], list[str]], *, only_here: bool
    ) -> None:
        limits = settings.limits
        self.settings = settings
        self.metrics = Metrics()
        self.gate = Gate(limits, self.metrics)
        # Asked again and again: a laptop may have come into another network.
        self._reached_at = reached_at
        self._reached: asyncio.Task[list[str]] | None = None
        self._reached_until = -math.inf
        self._only_here = only_here
        self._names = hosts.names_of(settings.origins)
        self._hub: Hub | None = None
        self.draining = False
        self._requests = Addresses(limits.requests_a_second, limits.requests_burst)
        self._pages = Addresses(limits.pages_a_second, limits.pages_burst)
        self._connects = Addresses(limits.connects_a_second, limits.connects_burst)
        self._values = Addresses(limits.values_a_minute / 60, limits.values_burst)
        self._stories = PackedCache(1000 * limits.story_kilobytes)

    @property
    def hub(self) -> Hub:
        assert self._hub is not None
        return self._hub

    def asgi(self) -> ASGIApp:
        routes = [
            Route("/api/games", self._guarded(self.offer)),
            Route("/api/tables", self._guarded(self.lobby), methods=["GET"]),
            Route("/api/tables", self._guarded(self.new_table), methods=["POST"]),
            Route("/api/mine", self._guarded(self.mine), methods=["POST"]),
            Route("/api/moment", self._guarded(self.moment), methods=["POST"]),
            Route("/api/position", self._guarded(self.position), methods=["POST"]),
            Route("/api/values", self._guarded(self.values), methods=["POST"]),
            Route("/api/tables/{table}", self._guarded(self.table)),
            Route("/api/tables/{table}/log", self._guarded(self.log)),
            Route("/api/tables/{table}/record", self._guarded(self.record)),
            Route("/api/tables/{table}/story", self._guarded(self.story)),
            Route("/api/tables/{table}/review", self._guarded(self.review)),
            Route("/api/{path:path}", self._guarded(self.nothing)),
            Route("/openapi.json", self._guarded(self.openapi)),
            Route("/healthz", self.health),
            Route("/readyz", self.readiness),
            Route("/metrics", self.numbers),
            Route("/{path:path}", Page().answer),
        ]
        handlers: Any = {HTTPException: _http_problem, Exception: _fault}
        app = Starlette(routes=routes, exception_handlers=handlers)
        return _Entrance(app, self)

    def open(self, store: Store, signer: Signer) -> None:
        """Begin with the tables of this store."""
        self._hub = Hub(store, self.settings, self.metrics, signer)
        self._hub.rooms.heard_orders = self._take_orders
        self._take_orders()

    def _take_orders(self) -> None:
        orders = self.hub.rooms.orders
        self.gate.blocked = {ip_network(name) for kind, name in orders if kind == "block"}
        self.let_go_of_blocked()

    async def close(self) -> None:
        """Put everything on disk and stop."""
        await self.hub.close()

    # --- HTTP ---

    def _guarded(self, endpoint: Endpoint) -> Endpoint:
        """An endpoint with the bounds that all share, and refusals as answers."""

        async def guarded(request: Request) -> Response:
            try:
                self._check_rate(request)
                if request.method != "GET":
                    self._check_origin(request.scope)
                response = await endpoint(request)
            except QwixxError as error:
                response = _problem(error)
            garbage.ended()
            self.metrics.add("qwixx_requests_total", label=str(response.status_code))
            return response

        return guarded

    def check_request(self, scope: Scope) -> None:
        """Whether a request of any kind is looked at."""
        self.gate.use(_address(scope), "requests")
        if self._blocked(scope):
            raise Refusal("blocked", "whoever runs this server lets nobody in from there")
        if not self._pages.take(_address(scope)):
            raise Refusal("too_fast", "too many requests from here: wait a moment")
        if scope["path"] not in HEALTH:
            self._check_name(scope)
        _check_spelling(scope)

    def _blocked(self, scope: Scope) -> bool:
        """Also through a proxy, of whom the gate knows nothing else."""
        client = scope.get("client")
        return client is not None and self.gate.is_blocked(client[0])

    def let_go_of_blocked(self) -> None:
        """Those who are in already."""
        for room in self.hub.rooms.here.values():
            for socket in tuple(room.sockets):
                if self.gate.is_blocked(socket.address.partition("/")[0]):
                    socket.drop("blocked")

    def _check_name(self, scope: Scope) -> None:
        """A request may not call the server by a name which may be a stranger's."""
        for host in Headers(scope=scope).getlist("host"):
            if not hosts.answered(host, self._names):
                self.gate.count("unknown_host", _address(scope))
                raise Refusal("unknown_host", hosts.refusal(host, scope["scheme"]))

    def _check_rate(self, request: Request) -> None:
        if not self._requests.take(_address(request.scope)):
            raise Refusal("too_fast", "too many requests from here: wait a moment")

    async def offer(self, request: Request) -> Response:
        """The games and levels that this server offers;
        to a page on this machine also where others find it."""
        addresses = await self._addresses() if _from_here(request) else []
        found = _offer(self.settings.levels, tuple(addresses), self._only_here)
        return unpacked_if_needed(request, found, "application/json")

    async def _addresses(self) -> list[str]:
        """Where others find this server. A thread looks for it: one for all who ask meanwhile, for
        a crowd of threads keeps everybody waiting."""
        now = monotonic()
        if self._reached is None or now >= self._reached_until:
            self._reached_until = now + REACHED_SECONDS
            self._reached = asyncio.create_task(asyncio.to_thread(self._reached_at))
        return await asyncio.shield(self._reached)

    async def lobby(self, _: Request) -> Response:
        """Tables that anybody may join."""
        return _json(await self.hub.lobby())

    async def new_table(self, request: Request) -> Response:
        """Make a table."""
        wanted = await self._wanted(request, _new_table)
        return _json(m.Made(await self.hub.create(wanted, _address(request.scope))), 201)

    async def mine(self, request: Request) -> Response:
        """The tables that a page knows, as its secret finds them."""
        wanted = await self._wanted(request, _tables_wanted)
        for _ in wanted.tables[1:]:  # each may have to be read from the disk
            self._check_rate(request)
        return _json(await self.hub.mine(wanted))

    async def moment(self, request: Request) -> Response:
        """What a table would show after some events."""
        wanted = await self._wanted(request, _moment_wanted)
        return _json(await asyncio.to_thread(moment.look, wanted))

    async def position(self, request: Request) -> Response:
        """What a table in any position would show, after some events."""
        wanted = await self._wanted(request, _position_wanted)
        return _json(await asyncio.to_thread(moment.look_at, wanted))

    async def values(self, request: Request) -> Response:
        """What any position is worth."""
        wanted = await self._wanted(request, _values_wanted)
        if not self._values.take(_address(request.scope)):
            raise Refusal("too_fast", "too many positions from here: wait a moment")
        game, state = games.read_position(wanted.position)
        check(game, state, wanted.seat)
        asked = Wanted(game.id, state, wanted.seat, wanted.throws)
        seconds = self.settings.limits.values_seconds
        found = await while_waited_for(
            request, self.hub.studies.values(_address(request.scope), asked, seconds)
        )
        return _json(msgspec.convert(found, m.Explored))

    async def table(self, request: Request) -> Response:
        """A table as everybody sees it."""
        room = await self._room(request.path_params["table"])
        await self.hub.rooms.settled(room)
        return _json(room.table.view())

    async def log(self, request: Request) -> Response:
        """What has happened in the present round, without what is still sealed."""
        room = await self._room(request.path_params["table"])
        await self.hub.rooms.settled(room)
        bearer = _bearer(request)
        if not may_watch(room.table, None if bearer is None else hashed(bearer)):
            raise Refusal("not_yours", "nobody watches this table but its players")
        found = packed(msgspec.json.encode(room.table.round_log()))
        return unpacked_if_needed(request, found, "application/json")

    async def record(self, request: Request) -> Response:
        """A round as a record: a finished one for anybody, a running one for its players."""
        room = await self._room(request.path_params["table"])
        found = await self.hub.record(room.table.id, _round(request), _bearer(request))
        return Response(msgspec.json.encode(found.to_json()), media_type="application/json")

    async def story(self, request: Request) -> Response:
        """A finished round, moment by moment."""
        room = await self._room(request.path_params["table"])
        found = await self.hub.record(room.table.id, _round(request), None)
        proof = found.more["proof"]

        def make() -> bytes:
            return packed(msgspec.json.encode(story.tell(found, proof["round"])))

        # A finished round never changes, and no other has its commitment.
        key = proof["commitment"]
        kept = self._stories.kept(key)
        if kept is None:
            self.metrics.add("qwixx_stories_total")
            kept = await asyncio.to_thread(make)  # many moments: others need not wait for them
            self._stories.keep(key, kept)
        return unpacked_if_needed(request, kept, "application/json")

    async def review(self, request: Request) -> Response:
        """A finished round, judged: as far as that is done."""
        room = await self._room(request.path_params["table"])
        seen = _number(request, "seen", 0)
        address = _address(request.scope)
        found, whole = await self.hub.review(room.table.id, _round(request), seen, address)
        if whole:
            return unpacked_if_needed(request, found, "application/json")
        return Response(found, media_type="application/json")

    async def nothing(self, _: Request) -> Response:
        raise HTTPException(404, "there is nothing at this address")

    async def openapi(self, _: Request) -> Response:
        return Response(_described(), media_type="application/json")

    async def health(self, _: Request) -> Response:
        """Whether the process lives: one that does not is to be started again."""
        return Response("ok\n", media_type="text/plain")

    async def readiness(self, _: Request) -> Response:
        """Whether people are to be sent here."""
        why = self._not_ready()
        return Response(f"{why or 'ready'}\n", 503 if why else 200, media_type="text/plain")

    def _not_ready(self) -> str | None:
        if self.draining:
            return "this server is about to stop"
        if self.hub.rooms.writer.away_seconds > AWAY_SECONDS:
            return "nothing can be written"
        return None

    async def numbers(self, request: Request) -> Response:
        """For whoever has the token, and to nobody where there is none."""
        token, said = self.settings.metrics_token, _bearer(request) or ""
        if token is None or not hmac.compare_digest(said.encode(), token.encode()):
            return await self._guarded(self.nothing)(request)
        return Response(self.numbers_text(), media_type="text/plain; version=0.0.4")

    def numbers_text(self) -> str:
        self.metrics.put("qwixx_tables", len(self.hub.rooms.here))
        self.metrics.put("qwixx_lines", len(self.gate.lines))
        self.metrics.put("qwixx_writes_waiting", self.hub.rooms.writer.waiting)
        self.metrics.put("qwixx_database_away_seconds", self.hub.rooms.writer.away_seconds)
        self.metrics.put("qwixx_decisions_waiting", self.hub.thinkers.waiting)
        self.metrics.put("qwixx_studies_waiting", self.hub.studies.waiting)
        self.metrics.put("qwixx_sockets", sum(self.hub.sockets_by_address.values()))
        return self.metrics.text()

    async def _room(self, table: str) -> Room:
        room = await self.hub.rooms.get(table) if _is_table(table) else None
        if room is None:
            raise Refusal("no_table", "there is no such table")
        return room

    async def _wanted(self, request: Request, decoder: msgspec.json.Decoder[T]) -> T:
        body = await self._body(request)
        try:
            return decoder.decode(body)
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            raise Refusal("bad_message", _said(error)) from None

    async def _body(self, request: Request) -> bytes:
        body = b""
        try:
            async for chunk in request.stream():
                body += chunk
                if len(body) > self.settings.limits.body_bytes:
                    raise Refusal(
                        "too_large",
                        f"a request holds at most {self.settings.limits.body_bytes} bytes",
                    )
        except ClientDisconnect:  # nobody hears this, and it is no fault of ours
            raise Refusal("bad_message", "the request broke off") from None
        return body

    def _check_origin(self, scope: Scope) -> None:
        """Pages from elsewhere may not act here; programs, which name no origin, may."""
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is None or origin in self.settings.origins:
            return
        site = _site(origin)
        if not site or site != headers.get("host"):
            raise Refusal("foreign", "this page comes from another site")

    # --- the socket ---

    def _check_visitor(self, scope: Scope, address: str) -> None:
        if self._blocked(scope):
            raise Refusal("blocked", "whoever runs this server lets nobody in from there")
        if not self._connects.take(address):
            raise Refusal("too_fast", "too many connections from here: wait a moment")
        self._check_name(scope)
        self._check_origin(scope)

    async def socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A page's line to one table, from its first word to its last."""
        await receive()
        address = _address(scope)
        try:
            self._check_visitor(scope, address)
        except Refusal as error:
            if error.code != "unknown_host":  # which is counted
                self.gate.count(error.code, address)
            await _turn_away(send, error)
            return
        await send({"type": "websocket.accept"})
        if self.hub.sockets_by_address.get(address, 0) >= self.settings.limits.sockets_an_address:
            await self._close(send, "too_many")
            return
        match = SOCKET_PATH.fullmatch(scope["path"])
        try:
            _check_spelling(scope)
            room = await self._room(match[1] if match else "")
        except Refusal as error:
            await self._close(send, error.code)
            return
        self.hub.sockets_by_address[address] = self.hub.sockets_by_address.get(address, 0) + 1
        line = scope["state"]["line"]
        socket = Socket(line, send, address, self.settings.limits)
        room.guests.add(socket)
        if room.lost:  # while it was waited for
            socket.drop("elsewhere")
        try:
            await self._talk(socket, room, receive, line)
        except asyncio.CancelledError:
            if socket.dropped is None:
                raise
        finally:
            room.guests.discard(socket)
            self.hub.leave(socket, room)
            self._count_down(address)
        if socket.dropped is not None:
            self._count_dropped(socket.dropped)
            slow = socket.dropped == "slow"
            await socket.close(CLOSE[socket.dropped], socket.dropped, 0.2 if slow else 2)
        socket.end()

    async def _close(self, send: Send, reason: str) -> None:
        self._count_dropped(reason)
        await send({"type": "websocket.close", "code": CLOSE[reason], "reason": reason})

    def _count_dropped(self, reason: str) -> None:
        self.metrics.add("qwixx_dropped_total", label=reason)

    def _count_down(self, address: str) -> None:
        self.hub.sockets_by_address[address] -= 1
        if not self.hub.sockets_by_address[address]:
            del self.hub.sockets_by_address[address]

    async def _talk(self, socket: Socket, room: Room, receive: Receive, line: Line) -> None:
        """Hello first, then commands, until the line ends."""
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                greeted = await self._greet(socket, room, receive)
        except TimeoutError:
            self._count_dropped("no_hello")
            await socket.close(CLOSE_NO_HELLO, "no hello", 2)
            return
        if greeted is None:
            return
        if not greeted:
            self._count_dropped("bad")
            await socket.close(CLOSE["bad"], "too many bad messages", 2)
            return
        line.hear = functools.partial(self._hear, socket, room)
        while True:  # what had come before that, and the end
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return
            self._hear(socket, room, message.get("text"))
            if socket.dropped is not None:
                await asyncio.sleep(0)  # where the end of this line arrives

    def _hear(self, socket: Socket, room: Room, text: str | None) -> None:
        """A message of a page that has said hello."""
        if socket.dropped is not None or socket.ended:
            return
        try:
            request = self._read(socket, text)
            if isinstance(request, m.Ping):
                socket.push(PONG)
                return
            if isinstance(request, m.Hello):
                raise Refusal("bad_message", "hello is said once on a line")
            self.hub.command(socket, room, request)
        except Refusal as error:
            socket.bad += 1
            self.hub.refuse(socket, room, None, error)
            if socket.bad > self.settings.limits.bad_messages:
                socket.drop("bad")

    async def _greet(self, socket: Socket, room: Room, receive: Receive) -> bool | None:
        """Wait for a proper hello; False if there were too many other messages,
        None if the line has ended."""
        while socket.bad <= self.settings.limits.bad_messages:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return None
            try:
                request = self._read(socket, message.get("text"))
                if not isinstance(request, m.Hello):
                    raise Refusal("bad_message", "say hello first")
                await self.hub.hello(socket, room, request)
            except Refusal as error:
                socket.bad += 1
                self.hub.refuse(socket, room, None, error)
            else:
                return True
        return False

    def _read(self, socket: Socket, text: str | None) -> m.Request:
        self.gate.use(socket.address, "messages")
        if not socket.bucket.take():
            socket.drop("too_fast")
            raise Refusal("too_fast", "too many messages")
        if text is None:
            raise Refusal("bad_message", "messages are text")
        try:
            return _request.decode(text)
        except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
            raise Refusal("bad_message", _said(error)) from None


class _Entrance:
    """Puts the security headers on every answer,
    and takes sockets past the framework straight to their table."""

    def __init__(self, app: ASGIApp, tables: App) -> None:
        self._app = app
        self._tables = tables

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                own = message.get("headers", [])
                cached = any(name == b"cache-control" for name, _ in own)
                message["headers"] = [*own, *HEADERS, *([] if cached else [NO_STORE])]
            await send(message)

        if scope["type"] == "websocket":
            await self._tables.socket(scope, receive, send)
            return
        answer = self._app
        try:
            self._tables.check_request(scope)
        except Refusal as error:
            api = scope["path"].startswith("/api/")
            answer = _problem(error) if api else _sentence(error)
        await answer(scope, receive, with_headers)


@functools.cache
def _described() -> bytes:
    return msgspec.json.encode(openapi.document())


@functools.lru_cache(maxsize=8)
def _offer(levels: tuple[str, ...], addresses: tuple[str, ...], only_here: bool) -> bytes:
    """What a server offers, packed: every page asks for it, and it seldom changes."""
    views = [game_view(name, levels) for name in games.ids()]
    address = next(iter(addresses), None)
    return packed(
        msgspec.json.encode(m.Offer(views, list(levels), address, list(addresses), only_here))
    )


def game_view(name: str, levels: tuple[str, ...] = tuple(bots.LEVELS)) -> m.GameView:
    guide, players = games.guide(name), games.game(name).players
    printed = guide.printed
    return m.GameView(
        id=name,
        title=guide.title,
        fewest=players[0],
        most=players[-1],
        family=games.family_of(name),
        rows=[m.RowView(row.colour, list(row.fields)) for row in printed.rows],
        faces=printed.faces,
        points=printed.points,
        failed=printed.failed,
        cost=printed.cost,
        to_lock=printed.to_lock,
        pieces=printed.pieces,
        sealed=printed.sealed,
        levels=offered(name, levels),
    )


async def while_waited_for(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Work on a request whose body was read, left when whoever asked has gone."""
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(request.receive())  # all that can still come
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Refusal("busy", "nobody waits for this any more")
        return await working
    finally:
        working.cancel()
        gone.cancel()


def _bearer(request: Request) -> str | None:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret if scheme.lower() == "bearer" else None


def _round(request: Request) -> int | None:
    return _number(request, "round", 1)


def _number(request: Request, name: str, least: int) -> int | None:
    text = request.query_params.get(name)
    if text is not None and not (
        text.isascii() and text.isdigit() and 1 <= len(text) <= 6 and int(text) >= least
    ):
        raise Refusal("bad_message", f'"{name}" must be a whole number from {least}')
    return None if text is None else int(text)


def _is_table(name: str) -> bool:
    return len(name) == 20 and name.isascii() and name.isalnum() and name == name.lower()


def _check_spelling(scope: Scope) -> None:
    """A balancer finds a table's server by its name, as it stands in the path: spelt in another way, it
    would lead to another server, which would take the table from all who are at it."""
    if scope["path"].startswith("/api/tables/") and b"%" in scope["raw_path"]:
        raise Refusal("no_table", "there is no such table")


def _address(scope: Scope) -> str:
    client = scope.get("client")
    return counted_as(client[0]) if client else "unknown"


def _from_here(request: Request) -> bool:
    """Whether a page on this machine asks, and not one behind a proxy that runs here."""
    client = request.client.host if request.client else ""
    return all(_is_loopback(host) for host in (client, request.url.hostname or ""))


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _site(origin: str) -> str:
    try:
        return urlsplit(origin).netloc
    except ValueError:  # such as http://[
        return ""


def _said(error: BaseException) -> str:
    """What is wrong with a message, without its text: that may hold a secret."""
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)[:200]


async def _turn_away(send: Send, error: Refusal) -> None:
    """Answer a handshake in HTTP: no, and why."""
    response = _problem(error)
    start: dict[str, Any] = {
        "type": "websocket.http.response.start",
        "status": response.status_code,
    }
    await send(start | {"headers": [*response.raw_headers, *HEADERS, NO_STORE]})
    await send({"type": "websocket.http.response.body", "body": response.body})


def _json(value: msgspec.Struct, status: int = 200) -> Response:
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def _problem(error: QwixxError) -> Response:
    problem = m.Problem(error.code, error.message, error.rule)
    response = _json(problem, STATUS.get(error.code, 400))
    if error.code in ENDING:
        response.headers["connection"] = "close"
    return response


def _sentence(error: Refusal) -> Response:
    """For somebody who sees it in a browser."""
    response = _problem(error)
    return Response(f"{error.message}\n", response.status_code, media_type="text/plain")


async def _http_problem(_: Request, error: HTTPException) -> Response:
    response = _json(m.Problem("bad_request", error.detail), error.status_code)
    response.headers.update(error.headers or {})
    return response


async def _fault(_: Request, error: Exception) -> Response:
    logger.error(FAULT, extra=traced(error))
    return _json(m.Problem("fault", "something went wrong here; nothing was lost"), 500)
