"""Tables played to a certain moment, so that a page can be opened there."""

import json
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any, NamedTuple, TypeVar

from client import Client, Json, Server, run, secret

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.sealing import SealedDice

T = TypeVar("T")
Moment = Callable[[Client], bool]
TRIES = 30
NAMES = ("Mafalda", "Fred", "Zoë", "Żaneta")
FACES = ("rose", "moss", "sky", "rust")


def aside(work: Coroutine[Any, Any, T]) -> T:
    """Run beside the browser, whose own loop has this thread."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(run, work).result()


def stage(server: Server, mine: str, game: str, people: int, moment: Moment) -> str:
    """A table where this secret has seat 0 and the others are people who wait,
    at the first such moment."""
    return staged(server, mine, Plan(game, people, moment))


def staged(server: Server, mine: str, plan: "Plan") -> str:
    """The dice are the server's, so a game may end before the moment; then another is played."""
    me = {"kind": "me", "name": "Ana", "face": "plum"}
    seats = [me, *[{"kind": "open"}] * (plan.people - 1)]
    for _ in range(TRIES):
        table = server.create(
            plan.game, seats, mine, pause=0, away=3600, hints=True, chances=True, clock=plan.clock
        )
        if aside(_play(server.url(table), mine, plan)):
            return table
    raise AssertionError("that moment never came")


def judged(server: Server, table: str) -> Json:
    """The whole review of a finished first round. A page that asks for it after that gets it at once."""
    found: Json = {"done": 0, "of": 1}
    while found["done"] < found["of"]:
        status, body = server.get(f"/api/tables/{table}/review?round=1&seen={found['done']}")
        found = json.loads(body)
        assert status == 200, found
    return found


async def _play(url: str, mine: str, plan: "Plan") -> bool:
    me, others, rng = Client(url, mine), Client(url, plan.theirs or secret()), Random(1)
    await me.come()
    await others.come()
    for name, face in list(zip(NAMES, FACES, strict=True))[: plan.people - 1]:
        seat = await others.ask(do="sit", name=name, face=face)
        others.yours.append(seat["seat"])
    await others.ready()
    await me.ready()
    while me.table["status"] == "gathering":
        await me.hear()
    for _ in range(2000):
        for client in (me, others):
            while client.more or client.number < max(me.number, others.number):
                await client.hear()
        if plan.moment(me):
            return True
        if over(me):
            return False
        for client in (others, me):
            wish = client.wish(rng)
            if wish:
                if wish["do"] == "choose":
                    assert client.play
                    wish["move"] = plan.manner(client.play["moves"][str(wish["seat"])], rng)
                await client.ask(**wish)
                break
    return False


# --- manners ---


def sensible(moves: list[Json], rng: Random) -> str:
    """Moves that make a table look like one: little is skipped."""
    by_skips = sorted(moves[1:], key=lambda move: move["effects"].get("skips", 0))
    passing = (
        moves[0]["effects"].get("failed", 0) == 0 and by_skips[0]["effects"].get("skips", 0) > 1
    )
    return "-" if passing and rng.random() < 0.9 else str(by_skips[0]["move"])


def reckless(moves: list[Json], rng: Random) -> str:
    """As much as can be is skipped, so that soon nothing fits."""
    return str(max(moves[1:], key=lambda move: move["effects"].get("skips", 0))["move"])


def idle(moves: list[Json], rng: Random) -> str:
    """Whatever it costs, nothing is done."""
    return str(moves[0]["move"])


class Passing(Random):
    """The luck of somebody who always passes."""

    def choice(self, seq: Any) -> Any:
        return seq[0]


class Plan(NamedTuple):
    """What is played, by how many, up to when, and how."""

    game: str
    people: int
    moment: Moment
    manner: Callable[[list[Json], Random], str] = sensible
    theirs: str | None = None  # the secret of the others
    clock: float = 0


# --- moments ---


def phase(client: Client) -> str:
    return (
        str(client.play["phase"])
        if client.play and client.table["status"] != "gathering"
        else "none"
    )


def crosses(client: Client) -> int:
    assert client.play
    return int(sum(map(sum, client.play["result"]["rows"])))


def to_throw(client: Client) -> bool:
    """Seat 0 is to throw, in the middle of a game."""
    return phase(client) == "roll" and client.play is not None and client.play["active"] == 0


def choosing(wanted: str, moves: int, marks: int) -> Moment:
    """Seat 0 has so many choices in an action, with so much on the table."""

    def moment(client: Client) -> bool:
        if phase(client) != wanted or client.play is None or 0 in client.chosen:
            return False
        return crosses(client) >= marks and len(client.play["moves"].get("0", ())) > moves

    return moment


def over(client: Client) -> bool:
    return client.table.get("status") == "over"


# --- what the dice will be ---


def next_throw(server: Server, client: Client) -> Dice:
    """The throw that comes next at a table if no page takes part in it. That is so once these clients
    are gone: the page that sits down in their place has a chain of its own, which counts after that."""
    table, key, round_number = client.url.rsplit("/", 2)[1], "", 0
    for _, event in server.log(table):
        if event["kind"] == "committed":
            key, round_number = event["key"], round_number + 1
    rolls = sum('"kind":"rolled"' in frame for frame in client.frames)
    assert client.play
    faces = games.game(client.table["game"]).layout.faces
    source = SealedDice(bytes.fromhex(key), table, round_number, faces)
    source.links = [{}] * (1 + rolls)
    return source.throw(client.play["in_play"], {})


def about_to_throw(server: Server, left: Callable[[str], bool]) -> Moment:
    """Seat 0 is to throw, and such is the phase of its turn in which somebody can choose first."""

    def moment(client: Client) -> bool:
        if not to_throw(client):
            return False
        assert client.play
        game, _, before = games.read_record(server.record(client.table["id"], client.secret)[1])
        state = game.roll(before, next_throw(server, client))
        while state.phase in ("white", "colour"):
            seat = game.to_act(state)[0]
            if game.moves(state, seat) != ("-",):
                break
            state = game.choose(state, seat, "-")
        return left(state.phase)

    return moment


def about_to_fail(server: Server, failed: int) -> Moment:
    """Seat 0 is to throw, nothing will fit anybody,
    and this will be its failed throw of that number.

    Only the fourth ends the game: in the duel others may have marked some before.
    """
    then = "over" if failed == 4 else "roll"
    nothing = about_to_throw(server, lambda phase: phase == then)

    def moment(client: Client) -> bool:
        if client.play is None:
            return False
        before = client.play["result"]
        return sum(before["rows"][0]) - before["totals"][0] == 5 * (failed - 1) and nothing(client)

    return moment
