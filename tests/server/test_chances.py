"""Live chances: for those who watch, where the table allows it, and for nobody who plays."""

import asyncio
import json
from random import Random
from typing import Any

import pytest
from client import Client, Json, Server, run, secret
from test_games import table_of
from test_promises import rolled
from test_withdrawing import caught_up

from qwixx import games, study
from qwixx.server import creating, log
from qwixx.server import messages as m
from qwixx.server.frames import framed
from qwixx.server.refusals import Refusal
from qwixx.server.room import Room
from qwixx.server.table import Table, commit
from qwixx.server.watching import Watching


def chances(client: Client) -> list[Json]:
    heard = [json.loads(frame) for frame in client.frames]
    return [one for one in heard if one["type"] == "chances"]


async def told(watcher: Client, turn: int) -> Json:
    """Wait for the chances of a turn."""
    while not (found := [one for one in chances(watcher) if one["turn"] == turn]):
        await watcher.hear()
    return found[0]


async def until(clients: list[Client], turn: int) -> None:
    """Play on until the dice of a turn are to be thrown."""
    rng = Random(1)
    while True:
        for client in clients:
            while client.more or client.number < max(one.number for one in clients):
                await client.hear()
        thrown = sum('"kind":"rolled"' in frame for frame in clients[0].frames)
        assert clients[0].play
        if thrown == turn and clients[0].play["phase"] == "roll":
            return
        acting = next((one for one in clients if one.wish(rng)), None)
        if acting is None:
            await clients[0].hear()
        else:
            await acting.ask(**acting.wish(rng) or {})


def test_those_who_watch_hear_the_chances_and_players_never_do(server: Server) -> None:
    async def play() -> None:
        ana, ben = await table_of(server, "duel", 2, chances=True)
        watcher, tab = Client(ana.url, None), Client(ana.url, ana.secret)
        for client in (watcher, tab):
            assert (await client.come())["table"]["options"]["chances"] is True
        await asyncio.gather(ana.ready(), ben.ready())
        while not (ana.play and ben.play):
            await (ben if ana.play else ana).hear()
        for turn in range(3):
            await until([ana, ben], turn)
            found = await told(watcher, turn)
            assert found["round"] == 1
            assert sum(found["win"]) == pytest.approx(1)
        # As everywhere else: the table before the first throw.
        game = games.game("duel")
        assert ana.table["first"] is not None
        judge = study.judgement(game, 2)
        before = study.explored(judge, game.start(2, ana.table["first"]), None)
        assert (await told(watcher, 0))["win"] == before["win"]
        # Who comes in the middle of a turn, with or without a secret, hears what was told.
        late = Client(ana.url, secret())
        await late.come()
        assert await told(late, 2) == await told(watcher, 2)
        await caught_up(watcher, ana, ben, tab)
        assert not chances(ana) + chances(ben) + chances(tab)

    run(play())


def test_nothing_sealed_is_in_the_chances(server: Server) -> None:
    """While choices are sealed nothing is told but what was before the throw."""

    async def play() -> None:
        ana, ben = await table_of(server, "classic", 2, chances=True)
        watcher = Client(ana.url, None)
        await watcher.come()
        await asyncio.gather(ana.ready(), ben.ready())
        while not (ana.play and ben.play):
            await (ben if ana.play else ana).hear()
        before = await told(watcher, 0)
        active, other = await rolled(ana, ben)
        for client in (active, other):
            if wish := client.wish(Random(2)):
                await client.ask(**wish)
                break
        late = Client(ana.url, None)
        await late.come()
        assert await told(late, 0) == before
        await caught_up(late, watcher)
        assert chances(watcher) == [before]

    run(play())


# --- what is judged when ---


class Asked:
    """Studies that note what they were asked, and whether somebody still waits; they answer when told to."""

    def __init__(self) -> None:
        self.waiting: list[asyncio.Future[Json]] = []

    async def values(self, *_: object) -> Json:
        self.waiting.append(asyncio.get_running_loop().create_future())
        return await self.waiting[-1]


class Line:
    """A connection that notes what it is sent."""

    address = "somewhere"

    def __init__(self, holder: str | None) -> None:
        self.holder = holder
        self.sent: list[bytes] = []

    def push(self, frame: bytes) -> None:
        self.sent.append(frame)


def happens(room: Room, *events: log.AnyEvent) -> None:
    for event in events:
        table = room.table
        table.apply(log.Entry(table.id, table.number + 1, 1, None, event))


def playing(**options: Any) -> Room:
    seats = [m.SeatPlan("me", name="Ana"), m.SeatPlan("bot", "random")]
    room = Room(Table("a" * 20))
    created = log.Created("duel", seats, m.Options(**options), "h")
    happens(room, created, commit(), log.Readied(0, "ab" * 16), log.Started(0, [0, 1]))
    room.durable = room.table.number
    return room


def turn(room: Room) -> None:
    """A throw that nobody takes anything of."""
    playing = room.table.playing
    assert playing
    seat = playing.state.active
    happens(room, playing.throw({}))
    happens(room, room.table.chose(seat, "-"))
    happens(room, room.table.chose(seat, "-"))
    room.durable = room.table.number


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_only_the_last_turn_is_judged_and_none_if_nobody_watches() -> None:
    async def watch() -> None:
        asked, room = Asked(), playing(chances=True)
        watching = Watching(asked)  # type: ignore[arg-type] # what it asks is all that matters
        player, guest = Line("h"), Line(None)
        room.sockets.add(player)  # type: ignore[arg-type] # so is what is sent
        watching.follow(room)
        await settled()
        assert not asked.waiting
        room.sockets.add(guest)  # type: ignore[arg-type]
        watching.follow(room)
        await settled()
        watching.follow(room)
        await settled()
        assert len(asked.waiting) == 1
        turn(room)
        watching.follow(room)
        await settled()
        first, second = asked.waiting
        assert first.cancelled()
        # What led to this table is not on disk yet, so nobody hears of it.
        room.durable -= 1
        second.set_result({"win": [0.5, 0.5], "points": [1.0, 2.0]})
        await settled()
        assert not guest.sent
        room.outbox.append((room.table.number, b"event"))
        room.on_disk(room.table.number)
        assert [one for one in guest.sent if one != b"event"] == [
            framed(b'{"type":"chances","round":1,"turn":1,"win":[0.5,0.5],"points":[1.0,2.0]}')
        ]
        assert player.sent == [b"event"]
        turn(room)
        watching.follow(room)
        await settled()
        room.sockets.discard(guest)
        watching.follow(room)
        await settled()
        assert asked.waiting[2].cancelled()

    asyncio.run(watch())


def test_a_table_is_judged_for_nobody_unless_it_allows_it() -> None:
    async def watch() -> None:
        asked, room = Asked(), playing()
        assert room.table.view().options.chances is False
        room.sockets.add(Line(None))  # type: ignore[arg-type] # what is sent is all that matters
        Watching(asked).follow(room)  # type: ignore[arg-type]
        await settled()
        assert not asked.waiting

    asyncio.run(watch())


def test_chances_of_a_game_that_nobody_judges_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "can_judge", lambda *_: False)
    wanted = m.NewTable("a" * 8, "b" * 22, "duel", [m.SeatPlan("me", name="Ana")] * 2)
    assert not creating.planned(wanted).options.chances
    options = m.Options(chances=True)
    with pytest.raises(Refusal, match="nobody here judges"):
        creating.planned(m.NewTable(wanted.id, wanted.secret, "duel", wanted.seats, options))
