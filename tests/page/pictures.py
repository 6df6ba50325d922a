"""What the page's own tests are compared with: the law's pictures, and a record with the proof of its dice.

`python tests/page/pictures.py` writes them into web/tests; a test keeps them current.
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
from qwixx.core.game import OVER, ROLL
from qwixx.core.record import Record
from qwixx.server.web import game_view

ROOT = Path(__file__).parent.parent.parent
PICTURES = ROOT / "web" / "tests" / "pictures.json"
PROVED = ROOT / "web" / "tests" / "proved.json"
EACH = 6  # positions of one golden game


def pictures() -> str:
    views = [msgspec.to_builtins(game_view(name)) for name in games.ids()]
    positions = [drawn for path in sorted((ROOT / "tests" / "golden").glob("*.json")) for drawn in _drawn(path)]
    return json.dumps({"games": views, "positions": positions}, separators=(",", ":")) + "\n"


def _drawn(path: Path) -> list[dict[str, Any]]:
    record = Record.from_json(json.loads(path.read_text()))
    game, guide = games.game(record.game), games.guide(record.game)
    states = [game.start(len(record.seats), record.first)]
    for event in record.events:
        states.append(apply(game, states[-1], event))
    chosen = states[:: max(1, len(states) // EACH)] + states[-1:]
    return [
        {
            "position": game.to_position(state),
            "panels": [_panel(panel) for panel in guide.panels(state)],
            "seats": [_seat(game, state, seat) for seat in range(len(record.seats))],
        }
        for state in chosen
    ]


def _panel(panel: Any) -> dict[str, Any]:
    strips = [strip._asdict() | {"cells": [cell._asdict() for cell in strip.cells]} for strip in panel.strips]
    return {"seat": panel.seat, "strips": strips}


def _seat(game: Any, state: Any, seat: int) -> dict[str, Any]:
    failed = state.failed[seat] if hasattr(state, "failed") else state.sheets[seat].failed
    return {"failed": failed, "left": game.supply(state, seat) if hasattr(game, "supply") else None}


def proved() -> str:
    """A game of two bots with dice as the server throws them."""
    game, rng = games.game("classic"), Random(1)
    brought = {0: "00112233445566778899aabbccddeeff", 1: "ffeeddccbbaa99887766554433221100"}
    source = proof.DiceSource(bytes(range(32)), "q" * 20, 1, brought)
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
    record = Record(
        "classic", ("Ana", "bot:greedy"), first, tuple(events), more={"proof": source.to_json(reveal=True)}
    )
    return record.ended(game.result(state)).dumps()


if __name__ == "__main__":
    PICTURES.write_text(pictures())
    PROVED.write_text(proved())
