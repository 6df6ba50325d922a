"""Sets up tables for tests from short texts, through the public position format."""

import re
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import pytest

import qwixx
from qwixx import Game, games
from qwixx.core.errors import QwixxError
from qwixx.core.fields import STANDARD
from qwixx.games.classic.rules import Classic
from qwixx.games.classic.state import ClassicState
from qwixx.games.duel.rules import Duel
from qwixx.games.duel.state import DuelState

CLASSIC = Classic()
DUEL = Duel()
MIXED_A = games.game("mixed-a")
MIXED_B = games.game("mixed-b")

# Every game with every number of players.
TABLES = [(game_id, players) for game_id in games.ids() for players in games.game(game_id).players]
# Alone, two and the most always; the numbers of seats between them in a long run.
USUAL_TABLES = [
    pytest.param(game_id, players, marks=pytest.mark.long)
    if 2 < players < games.game(game_id).players[-1]
    else (game_id, players)
    for game_id, players in TABLES
]


def sheet(fields: str = "", failed: int = 0, game: Game[Any] = CLASSIC) -> dict[str, Any]:
    """A sheet with these fields crossed, as in `R5 R7 G12`; the lock comes with the last number."""
    layout = game.layout
    crossed = set(fields.split())
    assert crossed <= layout.places.keys(), crossed
    rows = {
        colour: [layout.number(field) for field in layout.fields[row] if field in crossed]
        for row, colour in enumerate(layout.colours)
    }
    locks = "".join(
        colour for row, colour in enumerate(layout.colours) if layout.fields[row][-1] in crossed
    )
    return {**rows, "locks": locks, "failed": failed}


def classic_position(
    *sheets: str | dict[str, Any], game: Game[Any] = CLASSIC, **turn: Any
) -> dict[str, Any]:
    """A position of Qwixx on any sheet: the crossed fields as texts, the turn as its keys."""
    position = {
        "game": game.id,
        "active": 0,
        "phase": "roll",
        "dice": None,
        "white": None,
        "chosen": {},
    }
    written = [sheet(one, game=game) if isinstance(one, str) else one for one in sheets]
    return {**position, **turn, "sheets": written}


def classic(*sheets: str | dict[str, Any], game: Game[Any] = CLASSIC, **turn: Any) -> ClassicState:
    state: ClassicState = game.from_position(classic_position(*sheets, game=game, **turn))
    return state


def duel_position(pieces: str = "", **turn: Any) -> dict[str, Any]:
    """A duel position: pieces as `R3g B5gg`, locks as `R*b`, the turn as its keys."""
    rows: dict[str, dict[str, str]] = {colour: {} for colour in "RYGB"}
    locks: dict[str, str | None] = dict.fromkeys("RYGB")
    for piece in pieces.split():
        match = re.fullmatch(r"([RYGB])(\d+|\*)([bg]+)", piece)
        assert match, piece
        if match[2] == "*":
            locks[match[1]] = match[3]
        else:
            rows[match[1]][match[2]] = match[3]
    position = {"game": "duel", "active": 0, "phase": "roll", "dice": None, "white": None}
    return {**position, "rows": rows, "locks": locks, "failed": [0, 0], **turn}


def duel(pieces: str = "", **turn: Any) -> DuelState:
    return DUEL.from_position(duel_position(pieces, **turn))


def crossed(state: Any, seat: int = 0, game: Game[Any] = CLASSIC) -> set[str]:
    """The fields a seat has crossed, the locks as `R*`."""
    found = game.to_position(state)["sheets"][seat]
    rows = zip(game.layout.colours, game.layout.fields, strict=True)
    fields = {
        field for colour, row in rows for field in row if game.layout.number(field) in found[colour]
    }
    return fields | {f"{colour}*" for colour in found["locks"]}


def pieces(state: Any) -> set[str]:
    """The pieces on the board as `R3g`, the locks as `R*g`."""
    found = DUEL.to_position(state)
    fields = {
        f"{colour}{number}{text}"
        for colour in "RYGB"
        for number, text in found["rows"][colour].items()
    }
    return fields | {f"{colour}*{letter}" for colour, letter in found["locks"].items() if letter}


def enterable(game: Any, state: Any, seat: int, colour: str) -> set[int]:
    """Every number of a row that some dice would let this seat enter in the white action."""
    found = set()
    state = game.from_position({**game.to_position(state), "active": seat})
    coloured = "".join("." if die == "." else "1" for die in game.dice_in_play(state))
    for number in range(2, 13):
        first = max(1, number - 6)
        rolled = game.roll(state, qwixx.Dice.parse(f"{first}{number - first} {coloured}"))
        if f"{colour}{number}" in game.moves(rolled, seat):
            found.add(number)
    return found


def refused(rule: str, error: type[QwixxError], action: Callable[..., Any], *arguments: Any) -> str:
    """The action raises this error with this rule; its message is returned."""
    with pytest.raises(error) as raised:
        action(*arguments)
    assert raised.value.rule == rule, raised.value
    return raised.value.message


def play_on(game: Any, state: Any, *events: str) -> Any:
    return qwixx.fold(game, state, map(qwixx.parse_event, events))


def random_events(
    game: Any, players: int, rng: Random, first: int | None = None
) -> Iterable[tuple[Any, qwixx.Event, Any]]:
    """A random game, event by event with the states before and after."""
    state = game.start(players, rng.randrange(players) if first is None else first)
    while state.phase != "over":
        event: qwixx.Event
        if seats := game.to_act(state):
            seat = rng.choice(seats)
            event = qwixx.Choice(seat, rng.choice(game.moves(state, seat)))
        else:
            event = qwixx.throw(rng, game.dice_in_play(state), game.layout.faces)
        before, state = state, qwixx.apply(game, state, event)
        yield before, event, state


ALL_FIELDS = [field for row in STANDARD.fields for field in row]
