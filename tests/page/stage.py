"""Tables played to a certain moment, so that a page can be opened there."""

from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any, TypeVar

from client import Client, Json, Server, run, secret

T = TypeVar("T")
Moment = Callable[[Client], bool]
TRIES = 30
NAMES = ("Mafalda", "Fred", "Zoë", "Żaneta")


def aside(work: Coroutine[Any, Any, T]) -> T:
    """Run beside the browser, whose own loop has this thread."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(run, work).result()


def stage(server: Server, mine: str, game: str, people: int, moment: Moment) -> str:
    """A table where this secret has seat 0 and the others are people who wait, at the first such moment.

    The dice are the server's, so a game may end before it; then another is played.
    """
    seats = [{"kind": "me", "name": "Ana"}, *[{"kind": "open"}] * (people - 1)]
    for _ in range(TRIES):
        table = server.create(game, seats, mine, pause=0, away=3600)
        if aside(_play(server.url(table), mine, people, moment)):
            return table
    raise AssertionError("that moment never came")


async def _play(url: str, mine: str, people: int, moment: Moment) -> bool:
    me, others, rng = Client(url, mine), Client(url, secret()), Random(1)
    await me.come()
    await others.come()
    for name in NAMES[: people - 1]:
        seat = await others.ask(do="sit", name=name)
        others.yours.append(seat["seat"])
    await others.ready()
    await me.ready()
    for _ in range(2000):
        for client in (me, others):
            while client.more or client.number < max(me.number, others.number):
                await client.hear()
        if moment(me):
            return True
        if over(me):
            return False
        for client in (others, me):
            wish = client.wish(rng)
            if wish:
                await client.ask(**_sensible(client, wish, rng))
                break
    return False


def _sensible(client: Client, wish: Json, rng: Random) -> Json:
    """Moves that make a table look like one: little is skipped."""
    if wish["do"] != "choose":
        return wish
    assert client.play
    moves = client.play["moves"][str(wish["seat"])]
    by_skips = sorted(moves[1:], key=lambda move: move["effects"].get("skips", 0))
    passing = moves[0]["effects"].get("failed", 0) == 0 and by_skips[0]["effects"].get("skips", 0) > 1
    return wish | {"move": "-" if passing and rng.random() < 0.9 else by_skips[0]["move"]}


# --- moments ---


def phase(client: Client) -> str:
    return (
        str(client.play["position"]["phase"]) if client.play and client.table["status"] != "gathering" else "none"
    )


def crosses(client: Client) -> int:
    assert client.play
    return int(sum(map(sum, client.play["result"]["rows"])))


def to_throw(client: Client) -> bool:
    """Seat 0 is to throw, in the middle of a game."""
    return phase(client) == "roll" and client.play is not None and client.play["position"]["active"] == 0


def choosing(wanted: str, moves: int, marks: int) -> Moment:
    """Seat 0 has so many choices in an action, with so much on the table."""

    def moment(client: Client) -> bool:
        if phase(client) != wanted or client.play is None or 0 in client.chosen:
            return False
        return crosses(client) >= marks and len(client.play["moves"].get("0", ())) > moves

    return moment


def over(client: Client) -> bool:
    return client.table.get("status") == "over"
