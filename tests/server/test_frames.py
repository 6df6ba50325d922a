"""Plain frames, made and read without a library: as the library would."""

import asyncio
import json
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest
from client import Client, Server, run, secret
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.streams import StreamReader

from qwixx.server.frames import framed, whole_frame
from qwixx.server.limits import Limits
from qwixx.server.room import Room
from qwixx.server.sockets import Socket
from qwixx.server.table import Table

MOST = 4096
PLAIN = (Opcode.TEXT, Opcode.PING, Opcode.PONG)


def as_the_library_reads(data: bytes, *, mask: bool) -> Frame:
    reader = StreamReader()
    reader.feed_data(data)
    parsing = Frame.parse(reader.read_exact, mask=mask)
    try:
        next(parsing)
    except StopIteration as ended:
        found: Frame = ended.value
        return found
    raise AssertionError("more bytes are waited for")


@pytest.mark.parametrize("length", [0, 1, 125, 126, 127, 65_535, 65_536, 70_000])
def test_a_text_is_framed_as_the_library_reads_it(length: int) -> None:
    text = ("ä" * (length // 2)).ljust(length - length // 2, "x")
    frame = as_the_library_reads(framed(text.encode()), mask=False)
    assert (frame.opcode, bytes(frame.data).decode(), frame.fin) == (Opcode.TEXT, text, True)


@given(
    st.sampled_from(Opcode),
    st.binary(max_size=300) | st.binary(min_size=MOST - 2, max_size=MOST + 2),
    st.tuples(st.booleans(), st.booleans()),
    st.binary(max_size=10),
    st.integers(0, 12),
)
def test_whole_plain_frames_are_read_as_the_library_does_and_others_left_to_it(
    opcode: Opcode, data: bytes, flags: tuple[bool, bool], rest: bytes, cut: int
) -> None:
    fin, mask = flags
    if opcode in (Opcode.PING, Opcode.PONG, Opcode.CLOSE):
        data, fin = data[:125], True
    sent = Frame(opcode, data, fin).serialize(mask=mask)
    end, said = whole_frame(b"before" + sent + rest, 6, MOST)
    if opcode in PLAIN and fin and mask and len(data) <= MOST:
        assert end == 6 + len(sent)
        assert said == (data if opcode is Opcode.TEXT else None)
    else:
        assert (end, said) == (0, None)
    if cut:  # not all of it has come
        assert whole_frame(sent[:-cut], 0, MOST) == (0, None)


class Full:
    """A line that takes so many frames, and the others when it is drained."""

    def __init__(self, room: int) -> None:
        self.hear: Callable[[str], None] | None = None
        self.room = room
        self.heard: list[bytes] = []

    def write(self, frames: bytes) -> bool:
        if not self.room:
            return False
        self.room -= 1
        self.heard.append(frames)
        return True

    async def drain(self) -> None:
        await asyncio.sleep(0)
        self.room = 1

    async def send(self, message: Any) -> None:
        raise AssertionError(f"only the end is said so: {message}")


def test_what_a_line_does_not_take_at_once_comes_in_its_order() -> None:
    async def work() -> list[bytes]:
        line = Full(2)
        page = Socket(line, line.send, "here", Limits())
        for number in range(9):
            page.push(b"%d" % number)
        while len(line.heard) < 9:
            await asyncio.sleep(0)
        page.push(b"9")
        while len(line.heard) < 10:
            await asyncio.sleep(0)
        return line.heard

    assert run(work()) == [b"%d" % number for number in range(10)]


def test_events_that_come_to_disk_together_are_told_together_and_in_their_order() -> None:
    told: list[bytes] = []

    class Told:
        holder = None

        def push(self, frames: bytes) -> None:
            told.append(frames)

    room = Room(Table("t", number=4), durable=0)
    room.sockets = {Told()}  # type: ignore[arg-type] # all that is asked of a socket here
    room.outbox = deque((number, b"event %d, " % number) for number in (1, 2, 3, 4))
    room.after = deque([(2, lambda: told.append(b"asked after 2"))])
    room.on_disk(4)
    assert told == [b"event 1, event 2, ", b"asked after 2", b"event 3, event 4, "]
    assert room.durable == 4


def test_frames_in_pieces_and_several_in_one_are_heard_alike(server: Server) -> None:
    """However the bytes of a page come: each message is answered, in its order."""

    async def work(cuts: list[int]) -> list[str]:
        table = await asyncio.to_thread(
            server.create, "classic", [{"kind": "me", "name": "A"}], mine := secret()
        )
        client = Client(server.url(table), mine)
        await client.come()
        assert client.line
        said = b"".join(
            Frame(Opcode.TEXT, json.dumps({"do": "start", "id": f"one-{n:08}"}).encode()).serialize(
                mask=True
            )
            for n in range(6)
        )
        for start, end in zip([0, *cuts], [*cuts, len(said)], strict=True):
            client.line.transport.write(said[start:end])
            await asyncio.sleep(0.02)
        found: list[str] = []
        while len(found) < 6:
            heard = await client.hear()
            if heard.get("id"):
                found.append(heard["id"])
        return found

    in_order = [f"one-{n:08}" for n in range(6)]
    for cuts in ([], [1], [60], [7, 61, 130, 131], list(range(1, 40))):
        assert run(work(cuts)) == in_order
