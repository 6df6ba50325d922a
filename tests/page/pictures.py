"""What the page's own tests are compared with (the law's pictures, a record with the proof of its
dice), and the boards in the rules that people read, drawn from their positions.

`python tests/page/pictures.py` writes them into web/; a test keeps them current.
"""

import json
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from qwixx import bots, games
from qwixx.core import proof
from qwixx.core.dice import Dice
from qwixx.core.events import Choice, Event, apply
from qwixx.core.fields import PASS, Layout
from qwixx.core.game import OVER, ROLL, Game
from qwixx.core.picture import Panel
from qwixx.core.record import Record, result_json
from qwixx.core.sealing import Chain, SealedDice, after
from qwixx.games.classic.rules import Classic
from qwixx.server.panels import left, panels
from qwixx.server.signing import Signer
from qwixx.server.web import game_view

ROOT = Path(__file__).parent.parent.parent
PICTURES = ROOT / "web" / "tests" / "pictures.json"
PROVED = ROOT / "web" / "tests" / "proved.json"
POSITIONS = sorted((ROOT / "web" / "src" / "games").glob("*/positions.json"))
EACH = 6  # positions of one golden game


def pictures() -> str:
    """What the server tells of a moment, and what the law's own guide draws of it."""
    views = [msgspec.to_builtins(game_view(name)) for name in games.ids()]
    moments = [
        drawn
        for path in sorted((ROOT / "tests" / "golden").glob("*.json"))
        for drawn in _drawn(path)
    ]
    return json.dumps({"games": views, "moments": moments}, separators=(",", ":")) + "\n"


def _drawn(path: Path) -> list[dict[str, Any]]:
    record = Record.from_json(json.loads(path.read_text()))
    game, guide = games.game(record.game), games.guide(record.game)
    states = [game.start(len(record.seats), record.first)]
    for event in record.events:
        states.append(apply(game, states[-1], event))
    chosen = states[:: max(1, len(states) // EACH)] + states[-1:]
    return [
        {
            "game": record.game,
            "told": {
                "panels": msgspec.to_builtins(panels(guide, state)),
                "left": left(guide, state),
            },
            "drawn": [_panel(panel) for panel in guide.panels(state)],
            "failed": [
                game.result(state).penalty(seat) // guide.printed.cost
                for seat in range(len(record.seats))
            ],
        }
        for state in chosen
    ]


def _panel(panel: Panel) -> dict[str, Any]:
    strips = [
        {
            "colour": strip.colour,
            "closed": strip.closed,
            "cells": [cell._asdict() for cell in strip.cells],
        }
        for strip in panel.strips
    ]
    return {"seat": panel.seat, "strips": strips, "failed": panel.failed}


def examples(path: Path) -> str:
    """The boards of a game's rules:
    dice, one seat's panel and its legal moves, as the law has them."""
    made = {name: _example(**example) for name, example in json.loads(path.read_text()).items()}
    lines = [f"  {json.dumps(name)}: {json.dumps(example)}" for name, example in made.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _example(position: dict[str, Any], seat: int) -> dict[str, Any]:
    game, state = games.read_position(position)
    drawn = msgspec.to_builtins(panels(games.guide(game.id), state))
    panel = next(one for one in drawn if one.get("seat") in (seat, None))
    moves = [move for move in game.moves(state, seat) if move != PASS]
    return {"dice": position["dice"], "panel": panel, "moves": moves}


OTHER_DICE = Classic(
    Layout("GB", (tuple(range(2, 17)), tuple(range(16, 1, -1))), faces=8), name="other-dice"
)


def proved() -> str:
    """Games of bots with dice as the server throws them:
    the usual six dice, and four of another kind."""
    kinds = (games.game("classic"), OTHER_DICE)
    rounds = [(game, make(game)) for make in (_sealed, _proved) for game in kinds]
    return json.dumps(
        [
            {
                "dice": 2 + len(game.layout.colours),
                "faces": game.layout.faces,
                "record": record.to_json(),
            }
            for game, record in rounds
        ]
    )


SEATS = ("Zoë", "Ana", "bot:greedy")


def _sealed(game: Game[Any]) -> Record:
    """A round with two pages, one of which is left out now and then, and commits to another chain."""
    rng, chains = Random(1), [_chain(number) for number in range(3)]
    seats = SEATS[-min(game.players[-1], len(SEATS)) :]
    source = SealedDice(bytes(range(32)), "q" * 20, 1, game.layout.faces)
    people = [Chain(chains[seat][0], (seat,)) for seat in range(len(seats) - 1)]
    source.open(game.id, seats, None, people)
    links = _links(source, chains, 0)
    first = source.first(len(seats), links)
    source.begin(first, links)
    state, events = game.start(len(seats), first), list[Event]()
    while state.phase != OVER:
        at = TIME + len(events)
        if state.phase == ROLL:
            number = source.throws
            if number == LATE:
                source.commit(Chain(chains[2][0], (0,), number))
            source.before_throw()
            links = _links(source, chains, number)
            events.append(dice := source.throw(game.dice_in_play(state), links))
            source.thrown(dice, at, links)
        else:
            seat = game.to_act(state)[0]
            move = bots.decide(bots.resolve("greedy"), game, state, seat, rng).move
            events.append(choice := Choice(seat, move))
            source.chosen(choice, at)
        state = apply(game, state, events[-1])
    times = [TIME + place for place in range(len(events))]
    result, hints = game.result(state), [1] + [0] * (len(seats) - 1)
    ended = source.end(seats, hints, result_json(result))
    proved = source.to_json() | {"key": source.key.hex(), "digest": ended}
    more = {"times": times, "hints": hints, "proof": proved}
    record = Record(game.id, seats, first, tuple(events), more=more).ended(result)
    return Signer(bytes(range(32))).signed(record)


TIME = 1_800_000_000_000
LATE = 3  # the throw before which a page commits to another chain


def _chain(number: int) -> list[str]:
    """The end first."""
    links = [bytes([number] * 32).hex()]
    for _ in range(300):
        links.append(after(links[-1]))
    return links[::-1]


def _links(source: SealedDice, chains: list[list[str]], number: int) -> dict[int, str]:
    """Every fifth throw goes without links, every third without the first page, which skips one then."""
    live = source.live()
    if number % 5 == 4:
        return {}
    wanted = [one for one in live if not (number % 3 == 2 and one != 1)]
    return {
        one: chains[one][chains[one].index(source.last[one]) + 1 + number % 2] for one in wanted
    }


def _proved(game: Game[Any]) -> Record:
    rng, brought = (
        Random(1),
        {0: "00112233445566778899aabbccddeeff", 1: "ffeeddccbbaa99887766554433221100"},
    )
    source = proof.OpenDice(bytes(range(32)), "q" * 20, 1, brought, game.layout.faces)
    first = source.first(2)
    state, events = game.start(2, first), list[Event]()
    while state.phase != OVER:
        if state.phase == ROLL:
            rolls = sum(isinstance(event, Dice) for event in events)
            events.append(source.throw(rolls, game.dice_in_play(state)))
        else:
            seat = game.to_act(state)[0]
            move = bots.decide(bots.resolve("greedy"), game, state, seat, rng).move
            events.append(Choice(seat, move))
        state = apply(game, state, events[-1])
    more = {"proof": source.to_json() | {"key": source.key.hex()}}
    return Record(game.id, ("Ana", "bot:greedy"), first, tuple(events), more=more).ended(
        game.result(state)
    )


def write(path: Path, text: str) -> None:
    """Write what is new; a file that is touched would have the page built again."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


if __name__ == "__main__":
    write(PICTURES, pictures())
    for source in POSITIONS:
        write(source.with_name("examples.json"), examples(source))
    write(PROVED, proved())
