"""Enemies: frames and requests of every wrong kind. The server stays up, and still acknowledges."""

import asyncio
import json
import random
from typing import Any

import pytest
import schemathesis
import websockets
from client import Client, Server, run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import positive_data_acceptance
from test_games import table_of
from websockets.asyncio.client import connect

from sweeps import sweep

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=10,
)
COMMANDS = [
    "hello",
    "sit",
    "leave",
    "ready",
    "start",
    "roll",
    "choose",
    "replace",
    "rematch",
    "code",
    "x",
]
FRAMES = st.fixed_dictionaries(
    {"do": st.sampled_from(COMMANDS) | JSON},
    optional={
        "id": st.just("abcdefgh") | JSON,
        "seat": st.integers(-1, 9) | JSON,
        "move": st.sampled_from(["-", "R5", "R99"]) | JSON,
        "seen": st.integers(-1, 99) | JSON,
        "name": JSON,
        "chain": st.just("ab" * 32) | JSON,
        "secret": st.just("a" * 22) | JSON,
        "version": JSON,
        "code": JSON,
    },
)
MAD = [
    b"",
    b"\x00",
    b"\xff\xfe",
    b"{",
    b"null",
    b"[" * 2000,
    b'{"do":' * 600,
    b'{"do": "choose", "id": "abcdefgh", "seat": 99999999999999999999999, "move": "R5", "seen": 1}',
    b'{"do": "choose", "id": "abcdefgh", "seat": -1, "move": "R5", "seen": -5}',
    b'{"do": "roll", "id": "abcdefgh", "seat": 1e999, "seen": 1}',
    b'{"do": "sit", "id": "abcdefgh", "name": "\\ud800"}',
    b'{"do": "hello", "secret": "' + b"a" * 3000 + b'"}',
    b"{'do': 'hello'}",
    b'{"do": "ready", "id": "abcdefgh", "seat": true, "chain": 7}',
]


async def bombard(server: Server, frames: list[str | bytes], greet: bool) -> None:
    """Throw frames at a table on fresh lines; then somebody else must still be heard."""
    (ana,) = await table_of(server, "classic", 1)
    at = 0
    while at < len(frames):
        line = await connect(ana.url, max_size=None)
        try:
            if greet:
                await line.send('{"do": "hello", "secret": "aaaaaaaaaaaaaaaaaaaaaaaaaa"}')
            for frame in frames[at : at + 15]:
                at += 1
                await line.send(frame)
        except websockets.ConnectionClosed:
            pass
        finally:
            line.transport.abort()
    answer = await ana.ask(do="ready", seat=0, chain="ab" * 32)
    assert answer["kind"] == "readied"


@pytest.mark.parametrize("greet", [True, False])
def test_mad_frames(server: Server, greet: bool) -> None:
    rng = random.Random(1)
    frames: list[str | bytes] = []
    for mad in MAD:
        frames += [mad, mad.decode("utf-8", "replace")]
    frames += [rng.randbytes(rng.randrange(200)) for _ in range(100)]
    frames += ["x" * 5000, "y" * 100_000]
    run(bombard(server, frames, greet))
    server.check()
    assert server.process.poll() is None


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(frames=st.lists(FRAMES, min_size=10, max_size=60), greet=st.booleans())
def test_frames_of_wrong_shape_and_order(server: Server, frames: list[Any], greet: bool) -> None:
    run(bombard(server, [json.dumps(frame) for frame in frames], greet))
    server.check()


def test_bad_frames_are_answered_with_the_reason(server: Server) -> None:
    async def ask() -> None:
        (ana,) = await table_of(server, "duel", 1, bots=1)
        assert ana.line
        for frame in ("nonsense", '{"do": "dance"}', '{"do": "roll"}', '{"do": "hello"}', "[]"):
            await ana.line.send(frame)
            heard = await ana.hear()
            assert (heard["type"], heard["code"], heard["number"]) == (
                "refused",
                "bad_message",
                ana.number,
            )
        await ana.line.send(b"binary")
        assert (await ana.hear())["code"] == "bad_message"
        early = await connect(ana.url)
        Client.lines.append(early)
        await early.send('{"do": "start", "id": "abcdefgh"}')
        assert json.loads(await early.recv())["message"] == "say hello first"
        for _ in range(30):
            await ana.line.send("nonsense")
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await asyncio.gather(*(ana.hear() for _ in range(1)), _drain(ana))
        assert closed.value.rcvd
        assert closed.value.rcvd.code == 4400

    run(ask())


async def _drain(client: Client) -> None:
    while True:
        await asyncio.sleep(0.01)
        await client.hear()


def test_too_large_a_frame_closes_the_line(server: Server) -> None:
    async def send() -> None:
        (ana,) = await table_of(server, "duel", 1, bots=1)
        assert ana.line
        await ana.line.send("x" * 5000)
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await _drain(ana)
        assert closed.value.rcvd
        assert closed.value.rcvd.code == 1009

    run(send())


@pytest.mark.parametrize("requests", sweep([15, 60]))
def test_http_by_schemathesis(server: Server, requests: int) -> None:
    """Requests made up from the OpenAPI document, right and wrong:
    no fault, and every answer as documented."""
    schema = schemathesis.openapi.from_url(f"http://127.0.0.1:{server.port}/openapi.json")
    operations = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
    assert len(operations) == 15
    for operation in operations:
        _check(operation, requests)


def _check(operation: Any, requests: int) -> None:
    @settings(max_examples=requests, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy())
    def check(case: Any) -> None:
        # A table can be of the right form and still not be playable (three seats in the duel, say).
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    check()
