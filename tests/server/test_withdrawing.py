"""Taking back a sealed choice: until the last one is in, by nobody else,
and without a trace in the record."""

import asyncio
import json
from random import Random

import pytest
from client import Client, Json, Server, play_on, run, secret
from test_games import table_of
from test_promises import rolled, two_at_a_table

from qwixx import games
from qwixx.core import proof
from qwixx.core.game import ROLL
from qwixx.core.record import Record, final_state
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.chains import Chance
from qwixx.server.creating import hashed, planned
from qwixx.server.table import Table

SECRET = "a" * 32


async def first_choice(server: Server) -> tuple[Client, Client, Client, Json]:
    """A game in which one of two has made a choice and the other has not:
    both, a watcher, the choice."""
    for seed in range(30):
        ana, ben, watcher = await two_at_a_table(server)
        active, other = await rolled(ana, ben)
        wish = other.wish(Random(seed))
        if wish is not None and active.wish(Random(seed)) is not None:
            assert (await other.ask(**wish))["type"] == "event"
            await caught_up(other, active, watcher)
            return other, active, watcher, wish
    raise AssertionError("nobody ever had a choice")


async def caught_up(ahead: Client, *others: Client) -> None:
    for client in others:
        while client.number < ahead.number:
            await client.hear()


def withdraw(client: Client, **more: int) -> Json:
    return {"do": "withdraw", "seat": client.yours[0], "seen": client.number, **more}


def test_a_choice_is_taken_back_and_made_anew(server: Server) -> None:
    async def change() -> None:
        one, other, watcher, wish = await first_choice(server)
        seat, before = one.yours[0], len(watcher.frames)
        event = await one.ask(**withdraw(one))
        assert (event["kind"], event["seat"], event["chosen"]) == ("withdrew", seat, [])
        assert event["play"]["to_act"] == [0, 1]
        await caught_up(one, watcher, other)
        assert watcher.chosen == []
        told = [json.loads(text) for text in watcher.frames[before:]]
        assert [{**one, "play": None} for one in told if one["type"] == "event"] == [
            {**event, "play": None}
        ]
        back = Client(one.url, one.secret)
        welcome = await back.come()
        assert (welcome["mine"], welcome["chosen"]) == ({}, [])
        moves = [move["move"] for move in welcome["play"]["moves"][str(seat)]]
        anew = next(move for move in moves if move != wish["move"])
        assert (await one.ask(**{**wish, "move": anew, "seen": one.number}))["kind"] == "chose"
        await caught_up(one, other)
        last = other.wish(Random(1))
        assert last
        revealed = (await other.ask(**last))["revealed"]
        assert revealed == {str(seat): anew, str(other.yours[0]): last["move"]}
        record = (await asyncio.to_thread(server.record, one.table["id"], one.secret))[1]
        assert record["events"][1:3] == [f"{seat}:{anew}", f"{other.yours[0]}:{last['move']}"]
        assert len(record["times"]) == len(record["events"])

    run(change())


def test_once_all_have_chosen_nothing_is_taken_back(server: Server) -> None:
    """The withdrawal and the last choice are under way at once:
    whichever is first, nothing is lost."""

    async def race(seed: int) -> str:
        one, other, _, _ = await first_choice(server)
        back, last = one.command(**withdraw(one)), other.command(**(other.wish(Random(seed)) or {}))
        says = [one.say(back), other.say(last)]
        await asyncio.gather(*(says if seed % 2 else reversed(says)))
        withdrawn, chose = await one.answer(back), await other.answer(last)
        assert chose["kind"] == "chose"
        if withdrawn["type"] == "refused":
            assert withdrawn["code"] == "not_now"
            assert len(chose["revealed"]) == 2
        else:
            assert withdrawn["kind"] == "withdrew"
            assert "revealed" not in chose
            assert chose["chosen"] == [other.yours[0]]
        return str(withdrawn["type"])

    async def late() -> None:
        one, other, _, _ = await first_choice(server)
        before = one.number
        await other.ask(**(other.wish(Random(1)) or {}))
        assert (await one.ask(**withdraw(one, seen=before)))["code"] == "not_now"
        await caught_up(other, one)
        assert (await one.ask(**withdraw(one)))["code"] == "not_now"

    for seed in range(6):
        assert run(race(seed)) in ("event", "refused")
    run(late())


def test_who_may_not_take_it_back(server: Server) -> None:
    async def attack() -> None:
        one, other, watcher, _ = await first_choice(server)
        number = one.number
        for enemy in (other, watcher):
            answer = await enemy.ask(do="withdraw", seat=one.yours[0], seen=number)
            assert answer["code"] == "not_yours"
        assert (await other.ask(**withdraw(other)))["code"] == "not_now"  # has not chosen
        assert (await one.ask(**withdraw(one, seen=number + 9)))["code"] == "stale"
        assert len(server.log(one.table["id"])) == number
        sent = one.command(**withdraw(one))
        for _ in range(3):
            await one.say(sent)
        assert (await one.answer(sent))["kind"] == "withdrew"
        assert (await one.ask(**withdraw(one)))["code"] == "not_now"
        assert len(server.log(one.table["id"])) == number + 1

    run(attack())


def test_taking_back_has_a_bound(server: Server) -> None:
    async def dither() -> None:
        one, _, _, wish = await first_choice(server)
        for _ in range(20):
            assert (await one.ask(**withdraw(one)))["type"] == "event"
            assert (await one.ask(**{**wish, "seen": one.number}))["type"] == "event"
        assert (await one.ask(**withdraw(one)))["code"] == "too_many"

    run(dither())


def test_a_withdrawal_survives_kill_9(own_server: Server) -> None:
    async def before() -> tuple[Client, Client, Json]:
        one, other, _, _ = await first_choice(own_server)
        sent = one.command(**withdraw(one))
        await one.say(sent)
        await one.answer(sent)
        await caught_up(one, other)
        return one, other, sent

    async def after(one: Client, other: Client, sent: Json) -> None:
        one.answers.clear()
        known = one.play
        for client in (one, other):
            welcome = await client.come()
            assert (welcome["chosen"], welcome["mine"]) == ([], {})
            assert welcome["play"] == known
        await one.say(sent)
        assert (await one.answer(sent))["type"] == "accepted"
        seed = Random(3)
        for client in (one, other):
            await client.ask(**(client.wish(seed) or {}))
            await caught_up(client, one, other)
        assert one.play
        assert one.play["phase"] in ("colour", "roll")

    found = run(before())
    own_server.kill()
    own_server.start()
    run(after(*found))


def test_a_forced_pass_is_not_taken_back_and_the_clock_goes_on(server: Server) -> None:
    """Somebody who takes back a choice and then sleeps is passed for when the time is up."""

    async def sleep() -> None:
        for _ in range(10):
            ana, ben = await table_of(server, "classic", 2, clock=3)
            for client in (ana, ben):
                await client.ready()
            for client in (ana, ben):
                await client.begun()
            active, other = await rolled(ana, ben)
            wish = other.wish(Random(1))
            if wish is None:
                continue
            if (await other.ask(**wish))["type"] == "event":
                answer = await other.ask(**withdraw(other))
                assert answer["type"] == "event" or answer["code"] == "not_now"
            while True:
                heard = await active.hear()
                if heard.get("revealed"):
                    assert heard["why"] == "clock"
                    assert heard["revealed"][str(active.yours[0])] == "-"
                    return

    run(sleep())


# --- the same, by the table itself, for many games ---


class Desk:
    """A table without a server: commands become entries of a log."""

    def __init__(self, game: str, people: int) -> None:
        self.table, self.log = Table("t" * 20), list[log.Entry]()
        seats = [m.SeatPlan("me", name=f"P{seat}") for seat in range(people)]
        self.happen(planned(m.NewTable("created-1", SECRET, game, seats)))
        for seat in range(people):
            self.ask(m.Ready("x" * 8, seat, "ab" * 32))

    def ask(self, command: m.Command) -> None:
        self.happen(self.table.decide(command, hashed(SECRET), lambda _: (True, 0.0)))

    def happen(self, event: log.AnyEvent | Chance | None) -> None:
        while event is not None:
            if isinstance(event, Chance):  # no page brings a link
                event = self.table.settled(event, {})
            self.log.append(
                log.Entry(self.table.id, self.table.number + 1, self.table.number, None, event)
            )
            self.table.apply(self.log[-1])
            event = self.table.next_event()

    def withdrawable(self) -> list[int]:
        playing = self.table.playing
        return [seat for seat in playing.pending if playing.can_withdraw(seat)] if playing else []


@pytest.mark.parametrize("game", games.ids())
@pytest.mark.parametrize("seed", range(3))
def test_a_game_with_withdrawals_is_the_game_without_them(game: str, seed: int) -> None:
    """Its record holds the choices that stood, its log folds to the same table,
    and the dice are proved."""
    rng = Random(seed)
    people = 2 + seed if games.game(game).players[-1] > 2 else 2
    desk, taken_back = Desk(game, people), 0
    table = desk.table
    while table.status == "playing":
        playing = table.playing
        assert playing
        back = desk.withdrawable()
        if playing.state.phase == ROLL:
            desk.ask(m.Roll("x" * 8, playing.state.active, table.number))
        elif back and rng.random() < 0.4:
            desk.ask(m.Withdraw("x" * 8, rng.choice(back), table.number))
            taken_back += 1
        else:
            seat = rng.choice(playing.waited_for())
            desk.ask(m.Choose("x" * 8, seat, rng.choice(playing.legal[seat]), table.number))
    assert bool(taken_back) == games.guide(game).printed.sealed
    record = table.rounds[1]
    law = games.game(game)
    assert table.playing
    assert final_state(law, Record.from_json(record.to_json())) == table.playing.state
    assert proof.check(record, law.layout.faces)
    plain, again = _without_withdrawals(desk.log), Table(table.id)
    for entry in desk.log:
        again.apply(entry)
    assert again == table
    assert [str(event) for event in plain.rounds[1].events] == [
        str(event) for event in record.events
    ]
    assert plain.rounds[1].result == record.result
    assert _panels(plain) == _panels(table)


def _panels(table: Table) -> list[m.PanelView]:
    play = table.play()
    assert play
    return play.panels


def _without_withdrawals(entries: list[log.Entry]) -> Table:
    """The same log, with every choice that was taken back left out, and its withdrawal too."""
    kept: list[log.AnyEvent] = []
    for entry in entries:
        event = entry.event
        if isinstance(event, log.Withdrew):
            made = [
                place
                for place, one in enumerate(kept)
                if isinstance(one, log.Chose) and one.seat == event.seat
            ]
            del kept[made[-1]]
        else:
            kept.append(event)
    table = Table(entries[0].table)
    for number, event in enumerate(kept, start=1):
        table.apply(log.Entry(table.id, number, number, None, event))
    return table


@pytest.mark.parametrize("game", [name for name in games.ids() if games.guide(name).printed.sealed])
def test_what_everybody_sees_does_not_depend_on_what_is_sealed(game: str) -> None:
    """Games alike but for a sealed choice look the same until it is open,
    also after choices were taken back."""
    for seed in range(10):
        desk = Desk(game, 3)
        table, rng = desk.table, Random(seed)
        assert table.playing
        desk.ask(m.Roll("x" * 8, table.playing.state.active, table.number))
        choosing = [seat for seat, moves in table.playing.legal.items() if len(moves) > 1]
        if len(choosing) < 2:
            continue
        seen, other = [], rng.choice(choosing[1:])
        for move in table.playing.legal[choosing[0]]:
            again = Table(table.id)
            for entry in desk.log:
                again.apply(entry)
            frames = []
            for event in (
                log.Chose(choosing[0], move),
                log.Chose(other, "-"),
                log.Withdrew(other),
                log.Withdrew(choosing[0]),
            ):
                happened = again.apply(log.Entry(table.id, again.number + 1, 0, None, event))
                frames.append((again.with_changes([happened]), again.play()))
            seen.append(frames)
        assert all(frames == seen[0] for frames in seen)


def test_one_device_with_several_people_takes_back_one_of_them(server: Server) -> None:
    async def alone() -> None:
        for _ in range(10):
            creator = secret()
            seats = [{"kind": "me", "name": name} for name in ("Ana", "Ben")]
            table = await asyncio.to_thread(server.create, "classic", seats, creator, pause=0)
            client = Client(server.url(table), creator)
            await client.come()
            await client.ready()
            await client.begun()
            assert client.play
            await client.ask(do="roll", seat=client.play["active"], seen=client.number)
            if len(client.play["moves"]) < 2 or client.chosen:
                continue
            await client.ask(do="choose", seat=0, move="-", seen=client.number)
            assert (await client.ask(do="withdraw", seat=1, seen=client.number))[
                "code"
            ] == "not_now"
            assert (await client.ask(do="withdraw", seat=0, seen=client.number))["chosen"] == []
            return

    run(alone())


class Waverer(Client):
    """Takes back many a choice, as long as it seems possible, and takes its time over everything."""

    async def say(self, command: Json) -> None:
        await asyncio.sleep(Random(str(command)).uniform(0, 0.05))
        await super().say(command)

    def wish(self, rng: Random) -> Json | None:
        wanted = super().wish(rng)
        if (
            wanted is not None
            or self.table.get("status") != "playing"
            or self.more
            or rng.random() > 0.5
        ):
            return wanted
        mine = [seat for seat in self.yours if seat in self.chosen]
        return {"do": "withdraw", "seat": rng.choice(mine), "seen": self.number} if mine else None


def test_whole_games_with_withdrawals_and_bots_through_broken_lines(server: Server) -> None:
    """Everybody ends with the same table, the record holds what stood,
    and no frame what was sealed."""

    async def play(seed: int) -> list[Client]:
        clients = [_wavering(client) for client in await table_of(server, "classic", 2, bots=1)]
        for client in clients:
            await client.come()
            await client.ready()
        await asyncio.gather(
            *(
                play_on(client, Random(seed + number), breaks=0.05)
                for number, client in enumerate(clients)
            )
        )
        return clients

    withdrawn = 0
    for seed in range(20):
        if (
            seed >= 2 and withdrawn
        ):  # whether one comes before the last choice is in hangs on who is quick
            break
        clients = run(play(seed))
        table = clients[0].table["id"]
        stored: list[str] = []
        for _, event in server.log(table):
            if event["kind"] == "rolled":
                stored.append(event["dice"])
            elif event["kind"] == "chose":
                stored.append(f"{event['seat']}:{event['move']}")
            elif event["kind"] == "withdrew":
                made = [
                    place
                    for place, text in enumerate(stored)
                    if text.startswith(f"{event['seat']}:")
                ]
                del stored[made[-1]]
                withdrawn += 1
        status, record = server.record(table)
        assert (status, record["events"]) == (200, stored)
        read = Record.from_json(record)
        assert proof.check(read, 6)
        assert final_state(games.game("classic"), read).phase == "over"
        assert clients[0].play == clients[1].play
        for client in clients:
            for frame in map(json.loads, client.frames):
                assert "move" not in frame
        assert server.get(f"/api/tables/{table}/story")[0] == 200
    assert withdrawn > 0


def _wavering(client: Client) -> Client:
    other = Waverer(client.url, client.secret)
    other.yours = client.yours
    return other
