"""Nobody chooses the dice, nobody foresees them, the host with the database open included, and nothing
of a game can be changed afterwards."""

import asyncio
import json
import secrets
import stat
import time
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from chain import Chains
from client import GENEROUS, Client, Json, Server, play_on, run, secret
from hypothesis import given, settings
from hypothesis import strategies as st

import qwixx
from qwixx import games
from qwixx.core import proof
from qwixx.core.errors import BadRecord, QwixxError
from qwixx.core.game import ROLL
from qwixx.core.record import Record
from qwixx.core.sealing import SealedDice, follows
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.asking import Asking
from qwixx.server.chains import Chance
from qwixx.server.creating import hashed, planned
from qwixx.server.refusals import Refusal
from qwixx.server.signing import Signer, signed_by
from qwixx.server.sqlite import SqliteStore
from qwixx.server.table import Table, commit
from sweeps import sweep

FAST = {"pause": 0, "away": 0}


class Desk:
    """A table without a server: people with a page each, and a host who runs it."""

    def __init__(self, game: str, people: int, bots: int = 0, rng: Random | None = None) -> None:
        self.rng = rng or Random(1)
        self.table, self.log, self.clock = Table("t" * 20), list[log.Entry](), 1_800_000_000_000
        self.secrets = [secrets.token_urlsafe(16) for _ in range(people)]
        self.pages = {hashed(one): Chains() for one in self.secrets}
        self.deaf = set[int]()  # people whose pages do not answer
        self.links = list[dict[int, str]]()
        seats = [m.SeatPlan("me", name="P0"), *[m.SeatPlan("open")] * (people - 1)]
        seats += [m.SeatPlan("bot", "random")] * bots
        self.happen(planned(m.NewTable("created-1", self.secrets[0], game, seats)))
        for person in range(1, people):
            self.ask(person, m.Sit("x" * 8, f"P{person}", person))

    def view(self) -> Json:
        table = self.table
        return {
            "id": table.id,
            "round": table.round,
            "commitment": proof.commitment(table.key),
        }

    def end(self, person: int) -> str:
        return self.pages[hashed(self.secrets[person])].end(self.view())

    def ready(self, *people: int) -> None:
        for person in people or range(len(self.secrets)):
            self.ask(person, m.Ready("x" * 8, person, self.end(person)))

    def ask(self, person: int, command: m.Command) -> None:
        self.happen(self.table.decide(command, hashed(self.secrets[person]), lambda _: (True, 0.0)))

    def happen(self, event: log.AnyEvent | Chance | None) -> None:
        while event is not None:
            if isinstance(event, Chance):
                event = self.table.settled(event, self.gathered(event))
            self.clock += self.rng.randrange(1, 5000)
            number = self.table.number + 1
            self.log.append(log.Entry(self.table.id, number, self.clock, None, event))
            self.table.apply(self.log[-1])
            event = self.table.next_event()

    def gathered(self, chance: Chance) -> dict[int, str]:
        asking = Asking(chance, self.table.round, None)
        away = {hashed(self.secrets[person]) for person in self.deaf}
        for keeper, asked in asking.questions():
            link = self.pages[keeper].next(self.view(), asked.digest, asked.last)
            if link is not None and keeper not in away:
                assert asking.bring(keeper, link)
        self.links.append(asking.links)
        return asking.links

    def turn(self) -> None:
        """A throw, and what is chosen with it."""
        playing = self.table.playing
        assert playing
        self.happen(self.table.rolled(playing.state.active))
        while self.table.status == "playing" and playing.state.phase != ROLL:
            seat = self.rng.choice(playing.waited_for())
            self.happen(self.table.chose(seat, self.rng.choice(playing.legal[seat])))

    def play(self) -> Record:
        while self.table.status == "playing":
            self.turn()
        return self.table.rounds[self.table.round]

    def played(self) -> Record:
        self.ready()
        return self.play()


def judged(record: Record) -> proof.Judgement:
    found = proof.judge(record, games.game(record.game).layout.faces)
    assert found
    return found


@pytest.mark.parametrize("game", games.ids())
def test_every_throw_is_made_by_all_pages_and_proved(game: str) -> None:
    desk = Desk(game, 2, bots=0 if game == "duel" else 1)
    record = Record.from_json(json.loads(desk.played().dumps()))
    found = judged(record)
    assert found.draw is not None
    for thrown in (found.draw, *found.throws):
        assert (thrown.brought, thrown.missing) == ((0, 1), ())
    again = Table(desk.table.id)
    for entry in desk.log:
        again.apply(msgspec.structs.replace(entry, event=log.decode(encoded(entry.event))))
    assert again.rounds[1] == desk.table.rounds[1]  # as after a restart


def encoded(event: log.AnyEvent) -> str:
    return msgspec.json.encode(event).decode()


def test_who_was_left_out_is_told_throw_by_throw_and_goes_on_later() -> None:
    desk = Desk("classic", 3)
    desk.ready()
    for deaf in ({1}, {1, 2}, {0, 1, 2}, set[int](), {2}):
        desk.deaf = deaf
        desk.turn()
        assert desk.table.playing
    desk.deaf = set()
    found = judged(desk.play())
    assert [thrown.missing for thrown in found.throws[:5]] == [(1,), (1, 2), (0, 1, 2), (), (2,)]
    assert [thrown.brought for thrown in found.throws[:3]] == [(0, 2), (0,), ()]
    assert all(thrown.brought == (0, 1, 2) for thrown in found.throws[5:])


def test_a_page_without_the_chain_commits_to_another_that_counts_from_the_next_throw_on() -> None:
    desk = Desk("classic", 2)
    desk.ready()
    desk.turn()
    old, new = hashed(desk.secrets[1]), secret()
    desk.pages[hashed(new)] = Chains()
    desk.happen(log.Moved(old, hashed(new)))
    desk.secrets[1] = new
    desk.turn()  # nobody has its chain
    desk.ask(1, m.CommitChain("x" * 8, desk.end(1)))  # before a throw: for the one after it
    with pytest.raises(Refusal):
        desk.ask(1, m.CommitChain("x" * 8, desk.end(1)))
    desk.turn()
    record = desk.play()
    found = judged(record)
    assert [thrown.missing for thrown in found.throws[:4]] == [(), (1,), (1,), ()]
    assert [chain["since"] for chain in record.more["proof"]["chains"]] == [0, 0, 3]


def test_nobody_takes_part_with_the_chain_of_another() -> None:
    desk = Desk("classic", 2)
    desk.ready(0)
    with pytest.raises(Refusal, match="somebody else's"):
        desk.ask(1, m.Ready("x" * 8, 1, desk.end(0)))


def test_links_that_do_not_follow_are_not_taken() -> None:
    desk = Desk("duel", 2)
    desk.ready()
    playing = desk.table.playing
    assert playing
    assert playing.sealed
    chance = desk.table.rolled(playing.state.active)
    assert isinstance(chance, Chance)
    asking = Asking(chance, 1, None)
    keeper = hashed(desk.secrets[0])
    chain = desk.pages[keeper].of(desk.view())
    used = desk.links[0][0]
    for wrong in ("00" * 32, used, chain[0], chain[chain.index(used) + 70]):
        assert not asking.bring(keeper, wrong)
    assert not asking.bring(hashed(desk.secrets[1]), chain[5])
    assert asking.bring(keeper, chain[5])  # some were left out between
    assert follows(chain[5], used)


# --- the host ---


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and chains drawn the same on every run: what is likely here must not fail by lot."""
    monkeypatch.setattr(secrets, "token_bytes", Random(7).randbytes)


def wished(dice: str) -> bool:
    """What somebody would like to throw: one in six."""
    return dice[0] == dice[1]


def guesses(desk: Desk) -> list[str]:
    """Everything in the database that could be a link of another's page, and what it hashes to."""
    found = set[str]()
    for entry in desk.log:
        text = encoded(entry.event)
        found |= {word for word in text.split('"') if len(word) == 64}
    return sorted(found)


@pytest.mark.usefixtures("drawn")
def test_the_host_foresees_nothing_while_another_page_takes_part() -> None:
    """With the key, all that is written down, and the whole chain of their own:
    no guess at the other's link gives the throw more often than chance does."""
    hits = tries = 0
    for seed in range(3):
        desk = Desk("classic", 2, rng=Random(seed))
        desk.ready()
        while desk.table.status == "playing" and desk.table.playing is not None:
            playing = desk.table.playing
            sealed = playing.sealed
            assert sealed
            own = desk.pages[hashed(desk.secrets[0])].of(desk.view())
            mine = own[own.index(sealed.last[0]) + 1]
            in_play = playing.game.dice_in_play(playing.state)
            foreseen = [sealed.throw(in_play, {0: mine})]
            foreseen += [sealed.throw(in_play, {0: mine, 1: guess}) for guess in guesses(desk)]
            bens = desk.pages[hashed(desk.secrets[1])].of(desk.view())
            link = bens[bens.index(sealed.last[1]) + 1]
            thrown = sealed.throw(in_play, {0: mine, 1: link})  # which only Ben's page knows
            before = len(playing.events)
            desk.turn()
            assert thrown == playing.events[before]
            hits += sum(str(dice) == str(playing.events[before]) for dice in foreseen)
            tries += len(foreseen)
    assert tries > 500
    assert hits <= 3, (hits, tries)  # of 46,656 throws each is one


@pytest.mark.usefixtures("drawn")
def test_the_host_chooses_nothing_by_trying_chains_of_their_own() -> None:
    """The host, who brings the last chain, tries a thousand: each as likely to make the first throws
    suit as any other, since it is the other's links that decide."""
    got = 0
    for seed in range(40):
        desk = Desk("duel", 2, rng=Random(seed))
        desk.ready(1)
        host = hashed(desk.secrets[0])

        def suits(chains: Chains, desk: Desk = desk) -> int:
            """How many of the first throws would suit, as far as the host can compute them."""
            chain = chains.of(desk.view())
            trial = SealedDice(desk.table.key, desk.table.id, 1, 6)
            trial.open("duel", ["P0", "P1"], None, [])
            trial.links = [{}]
            found = 0
            for number in range(3):
                found += wished(str(trial.throw("RYGB", {0: chain[2 + number]})))
                trial.links.append({})
            return found

        best = max((Chains() for _ in range(20)), key=suits)
        assert suits(best) > 0
        desk.pages[host] = best
        desk.ready(0)
        for _ in range(3):
            if desk.table.status == "playing":
                desk.turn()
        assert desk.table.playing
        dice = [str(one) for one in desk.table.playing.events if ":" not in str(one)][:3]
        got += sum(map(wished, dice))
    assert 5 <= got <= 38  # of 120 about 20, as without trying


@pytest.mark.usefixtures("drawn")
def test_the_same_host_could_choose_and_foresee_dice_of_the_older_kind() -> None:
    """What these tests would find, shown where it can be found."""
    key, bens = secrets.token_bytes(32), "ab" * 16
    for tries in range(2000):
        source = proof.OpenDice(key, "t", 1, {0: f"{tries:032x}", 1: bens}, 6)
        throws = [str(source.throw(number, "RYGB")) for number in range(3)]
        if source.first(2) == 0 and all(map(wished, throws)):
            return
    raise AssertionError("the attack is not one")


def test_a_host_who_asks_for_another_game_gets_no_second_link() -> None:
    """A page gives one link for one throw, for the one game that it was told of."""
    chains, table = Chains(), {"id": "t" * 20, "round": 1, "commitment": "c"}
    link = chains.next(table, "digest of one game")
    assert chains.next(table, "digest of one game") == link
    assert chains.next(table, "digest of another") != link


# --- nothing is changed afterwards ---


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to everything in a record that is no list or object."""
    if isinstance(value, dict):
        return [place for key in value for place in places(value[key], (*path, key))]
    if isinstance(value, list):
        return [place for number, one in enumerate(value) for place in places(one, (*path, number))]
    return [path]


def changed(record: Json, path: tuple[Any, ...], rng: Random) -> Json:
    other = deepcopy(record)
    inside: Any = other
    for step in path[:-1]:
        inside = inside[step]
    value = inside[path[-1]]
    if isinstance(value, str):
        place = rng.randrange(len(value))
        letter = rng.choice([one for one in "0123456789abcdefRY:- " if one != value[place]])
        inside[path[-1]] = value[:place] + letter + value[place + 1 :]
    elif isinstance(value, bool) or value is None:
        inside[path[-1]] = 1
    else:
        inside[path[-1]] = value + rng.choice((-1, 1))
    return other


def whole(desk: Desk) -> Json:
    """A record as the server gives it, with a hint taken."""
    found: Json = json.loads(Signer(bytes(32)).signed(desk.played()).dumps())
    return found


def examine(record: Json) -> None:
    game, read, _ = qwixx.read_record(record)
    found = proof.judge(read, game.layout.faces)
    assert found, "no proof"
    assert found.digest
    assert signed_by(read, found.digest) == Signer(bytes(32)).public


RECORD = whole(Desk("classic", 2, rng=Random(7)))
PLACES = places(RECORD)


@given(st.sampled_from(PLACES), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_whatever_is_changed_in_a_record_is_found(path: tuple[Any, ...], rng: Random) -> None:
    examine(RECORD)
    other = changed(RECORD, path, rng)
    with pytest.raises((QwixxError, AssertionError)):
        examine(other)


def test_what_is_changed_is_found_at_the_next_throw_or_in_the_end() -> None:
    throws = [n for n, event in enumerate(RECORD["events"], start=1) if ":" not in event]
    for at in range(len(RECORD["times"])):
        other = deepcopy(RECORD)
        other["times"][at] += 1
        with pytest.raises(BadRecord) as raised:
            proof.judge(Record.from_json(other), 6)
        later = [number for number in throws if number > at + 1]
        assert raised.value.event == (later[0] if later else None)
    shorter = deepcopy(RECORD)
    last = throws[-1] - 1
    shorter["events"], shorter["times"] = shorter["events"][:last], shorter["times"][:last]
    shorter["proof"]["links"].pop()
    del shorter["result"]
    with pytest.raises(BadRecord, match="cut"):
        proof.judge(Record.from_json(shorter), 6)


def test_a_name_or_the_position_it_began_from_is_found_at_the_first_throw() -> None:
    for other in (
        {**RECORD, "seats": ["Eve", "P1"]},
        {**RECORD, "game": "mixed-a"},
        {**RECORD, "proof": {**RECORD["proof"], "round": 2}},
    ):
        with pytest.raises(BadRecord) as raised:
            proof.judge(Record.from_json(other), 6)
        assert raised.value.event in (None, 1)  # or who begins


def test_the_position_a_game_goes_on_from_is_sealed() -> None:
    game = games.game("classic")
    position = game.to_position(game.start(2, 1))
    mine = secret()
    plans = [m.SeatPlan("me", name="Ana"), m.SeatPlan("bot", "random")]
    desk = Desk("classic", 1)
    desk.table, desk.log = Table("t" * 20), []
    desk.secrets, desk.pages = [mine], {hashed(mine): Chains()}
    desk.happen(planned(m.NewTable("created-1", mine, "classic", plans, position=position)))
    record = desk.played()
    found = judged(record)
    assert (found.draw, record.first) == (None, 1)
    assert record.start
    sheets = deepcopy(record.start["sheets"])
    sheets[0]["R"] = [2]
    with pytest.raises(BadRecord) as raised:
        proof.judge(replace(record, start={**record.start, "sheets": sheets}), 6)
    assert raised.value.event == 1


def test_a_signature_is_of_one_server() -> None:
    record = Record.from_json(RECORD)
    digest = RECORD["proof"]["digest"]
    assert signed_by(record, digest) == Signer(bytes(32)).public
    mine = Signer().signed(record)
    assert signed_by(mine, digest) != Signer(bytes(32)).public
    for wrong in ({"by": "00", "value": "00"}, {"by": "zz" * 32, "value": "00" * 64}):
        other = replace(record, more={"proof": {**RECORD["proof"], "signature": wrong}})
        with pytest.raises(BadRecord, match="signature"):
            signed_by(other, digest)


# --- fairness ---


def throws_of(count: int) -> Counter[str]:
    """Throws as a table makes them: each with links of its own, and what was before it sealed."""
    rng, found = Random(3), Counter[str]()
    source = SealedDice(rng.randbytes(32), "t" * 20, 1, 6)
    source.open("classic", ["Ana", "Ben"], None, [])
    source.links = [{}]
    for _ in range(count):
        source.digest = rng.randbytes(32).hex()
        dice = source.throw("RYGB", {0: rng.randbytes(32).hex(), 1: rng.randbytes(32).hex()})
        found.update(f"{die}{face}" for die, face in enumerate([*dice.whites, *dice.coloured]))
        found[f"sum {sum(dice.whites)}"] += 1
    return found


@pytest.mark.parametrize("count", sweep([20_000, 10_000_000]))
def test_every_face_of_every_die_is_as_likely_as_the_next(count: int) -> None:
    found = throws_of(count)
    for die in range(6):
        chi = sum((found[f"{die}{face}"] - count / 6) ** 2 / (count / 6) for face in range(1, 7))
        assert chi < 30  # one in 70,000 with five degrees of freedom
    expected = {total: count * (6 - abs(total - 7)) / 36 for total in range(2, 13)}
    chi = sum((found[f"sum {total}"] - mean) ** 2 / mean for total, mean in expected.items())
    assert chi < 43  # one in 200,000 with ten


# --- over real lines ---


async def table_of(server: Server, game: str, people: int, bots: int = 0) -> list[Client]:
    seats = [
        *[{"kind": "open"}] * people,
        *[{"kind": "bot", "level": "random"}] * bots,
    ]
    table = await asyncio.to_thread(server.create, game, seats, secret(), **FAST)
    clients = [Client(server.url(table), secret()) for _ in range(people)]
    for number, client in enumerate(clients):
        await client.come()
        await client.ask(do="sit", name=f"P{number}", seat=number)
        client.yours = [number]
    return clients


def checked(server: Server, table: str, number: int | None = None) -> proof.Judgement:
    status, record = server.record(table, None, number)
    assert status == 200
    game, read, _ = qwixx.read_record(record)
    found = proof.judge(read, game.layout.faces)
    assert found
    assert found.digest
    assert signed_by(read, found.digest)
    return found


def test_broken_lines_two_tabs_a_rematch_and_a_moved_seat_prove_every_throw(server: Server) -> None:
    async def rounds() -> str:
        ana, ben = await table_of(server, "duel", 2)
        tab = Client(ben.url, ben.secret)
        await tab.come()
        for number in range(2):
            await asyncio.gather(ana.ready(), ben.ready())
            players = [
                play_on(ana, Random(number), breaks=0.1, repeats=2),
                play_on(ben, Random(number + 5), breaks=0.1),
                listen(tab),
            ]
            await asyncio.gather(*players)
            if not number:
                await ana.ask(do="rematch")
                for client in (ben, tab):
                    while client.table["status"] != "gathering":
                        await client.hear()
        return str(ana.table["id"])

    table = run(rounds())
    for number in (1, 2):
        found = checked(server, table, number)
        assert any(thrown.brought == (0, 1) for thrown in found.throws)


async def listen(client: Client) -> None:
    while client.table["status"] != "over":
        await client.hear()


def test_a_seat_that_moves_in_a_game_takes_part_again(server: Server) -> None:
    async def move() -> str:
        ana, ben = await table_of(server, "duel", 2)
        await asyncio.gather(ana.ready(), ben.ready())
        await asyncio.gather(ana.begun(), ben.begun())
        code = (await ben.ask(do="code"))["code"]
        phone = Client(ben.url, secret())
        await phone.come(code=code)
        assert (await phone.commit())["kind"] == "chained"
        await asyncio.gather(play_on(ana, Random(1)), play_on(phone, Random(2)))
        return str(ana.table["id"])

    table = run(move())
    found = checked(server, table)
    assert found.draw
    assert found.throws[-1].brought == (0, 1)
    _, record = server.record(table)
    assert [chain["seats"] for chain in record["proof"]["chains"]][-1] == [1]


def test_a_page_that_does_not_answer_is_left_out_and_play_goes_on(server: Server) -> None:
    async def play() -> Client:
        ana, ben = await table_of(server, "duel", 2)
        await asyncio.gather(ana.ready(), ben.ready())
        await asyncio.gather(ana.begun(), ben.begun())
        ben.answers_asks = False
        await asyncio.gather(play_on(ana, Random(1)), play_on(ben, Random(2)))
        return ana

    ana = run(play())
    events = [json.loads(frame) for frame in ana.frames]
    rolled = [event for event in events if event.get("kind") == "rolled"]
    assert rolled[0].get("without") == [1] or rolled[1].get("without") == [1]
    found = checked(server, str(ana.table["id"]))
    assert found.draw
    assert found.draw.brought == (0, 1)
    for told, thrown in zip(rolled, found.throws, strict=True):
        assert tuple(told.get("without") or ()) == thrown.missing


def test_kill_9_between_asking_and_throwing(tmp_path: Path) -> None:
    """The pages are asked again, for the same throw, and give the same links."""
    server = Server(tmp_path, *GENEROUS, "--limit", "links_seconds=100")

    async def play() -> str:
        ana, ben = await table_of(server, "duel", 2)
        await asyncio.gather(ana.ready(), ben.ready())
        await asyncio.gather(ana.begun(), ben.begun())
        assert ana.play
        active, other = (ana, ben) if ana.play["active"] == 0 else (ben, ana)
        other.answers_asks = False
        sent = active.command(**active.throw(active.yours[0]))
        await active.say(sent)
        await asked(other)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        other.answers_asks = True
        for client in (active, other):
            client.line = None
            await client.come()
        await active.say(sent)
        await asyncio.gather(active.answer(sent), heard_throw(other))
        await asyncio.gather(play_on(ana, Random(1)), play_on(ben, Random(2)))
        return str(ana.table["id"])

    table = run(play())
    found = checked(server, table)
    assert found.throws[0].brought == (0, 1)
    key = server.db.with_name(f"{server.db.name}.key")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    server.stop()


async def asked(client: Client) -> None:
    while not any(ask["throw"] == 0 for ask in client.asks):
        await asyncio.sleep(0.01)


async def heard_throw(client: Client) -> None:
    while not any('"kind":"rolled"' in frame for frame in client.frames):
        await client.hear()


def test_a_round_of_the_older_kind_goes_on_as_it_began(tmp_path: Path) -> None:
    """A table of an older server, in the middle of a round: its dice are what they were,
    and the next round is sealed."""
    people, table = [secret(), secret()], "t" * 20
    seats = [m.SeatPlan("me", name="Ana"), m.SeatPlan("open")]
    created = planned(m.NewTable("created-1", people[0], "duel", seats, m.Options(pause=0)))
    events: list[log.AnyEvent] = [
        created,
        msgspec.structs.replace(commit(), scheme=proof.OPEN_SCHEME),
        log.Sat(1, "Ben", hashed(people[1])),
        log.Readied(0, "ab" * 16),
    ]
    store = SqliteStore(tmp_path / "tables.db")
    now = time.time_ns() // 1_000_000
    store.write(
        [log.Entry(table, number, now, None, event) for number, event in enumerate(events, 1)]
    )
    store.close()
    server = Server(tmp_path, *GENEROUS)

    async def go_on() -> None:
        ana, ben = (Client(server.url(table), one) for one in people)
        for client in (ana, ben):
            await client.come()
        for number in range(2):
            await asyncio.gather(*(one.ready() for one in ((ana, ben) if number else (ben,))))
            await asyncio.gather(play_on(ana, Random(1)), play_on(ben, Random(2)))
            await ana.ask(do="rematch")
            while ben.table["status"] != "gathering":
                await ben.hear()

    run(go_on())
    old, new = (server.record(table, None, number)[1]["proof"] for number in (1, 2))
    assert (old["scheme"], new["scheme"]) == (proof.OPEN_SCHEME, proof.SCHEME)
    assert "digest" not in old
    for number in (1, 2):
        assert proof.check(qwixx.read_record(server.record(table, None, number)[1])[1], 6)
    server.stop()


def test_commit_is_of_the_newest_kind() -> None:
    assert commit().scheme == proof.SCHEME
