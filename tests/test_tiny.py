"""Tiny tables, enumerated in full: every state that can be reached,
every ending, counted and pinned."""

from collections import Counter
from itertools import product
from typing import Any

import pytest

from qwixx import Dice, Game
from qwixx.core.fields import Layout
from qwixx.games.classic.rules import Classic
from qwixx.games.duel.rules import Duel

TWO_ROWS = Layout("RB", ((2, 3, 4), (4, 3, 2)), faces=2)
COLOURS_MIXED = Layout("RB", ((2, 3, 4), (4, 3, 2)), faces=2, tints=("BRR", "BBR"))
NUMBERS_MIXED = Layout("RB", ((3, 4, 2), (2, 4, 3)), faces=2)
ONE_WAY = Layout("RY", ((2, 3), (2, 3)), faces=2)


def throws(game: Game[Any], state: Any) -> list[Dice]:
    faces = range(1, game.layout.faces + 1)
    coloured = [(0,) if colour == "." else faces for colour in game.dice_in_play(state)]
    return [Dice(whites, dice) for whites in product(faces, faces) for dice in product(*coloured)]


def check_throws(game: Game[Any], state: Any) -> None:
    """The game's own throws are these, each once, whites in one order,
    weighed by the ways they fall."""
    listed = game.throws(state)
    ways = Counter(
        Dice((min(dice.whites), max(dice.whites)), dice.coloured) for dice in throws(game, state)
    )
    assert dict(listed) == (dict(ways) if state.phase == "roll" else {})
    assert len(listed) == len(dict(listed))


def successors(game: Game[Any], state: Any) -> list[Any]:
    if seats := game.to_act(state):
        return [
            game.choose(state, seat, move) for seat in seats for move in game.moves(state, seat)
        ]
    return [] if state.phase == "over" else [game.roll(state, dice) for dice in throws(game, state)]


def explore(game: Game[Any], start: Any) -> Counter[str]:
    """Every state from here on, by phase and ending, and the number of steps between them."""
    found: Counter[str] = Counter()
    seen, unread = {start}, [start]
    while unread:
        state = unread.pop()
        found[state.phase] += 1
        result = game.result(state)
        if result.over:
            found[f"by {result.reason}"] += 1
        assert game.from_position(game.to_position(state)) == state
        assert game.seats(state) == game.seats(start)
        check_throws(game, state)
        for after in successors(game, state):
            found["steps"] += 1
            if after not in seen:
                seen.add(after)
                unread.append(after)
    return found


TABLES: list[tuple[str, Game[Any], int, dict[str, int]]] = [
    (
        "classic alone",
        Classic(TWO_ROWS, to_lock=1, most_failed=2),
        1,
        {
            "roll": 80,
            "white": 896,
            "colour": 1432,
            "over": 58,
            "by failed": 40,
            "by rows": 18,
            "steps": 5536,
        },
    ),
    (
        "classic for two",
        Classic(ONE_WAY, to_lock=1, most_failed=2),
        2,
        {
            "roll": 312,
            "white": 12924,
            "colour": 4360,
            "over": 339,
            "by failed": 159,
            "by rows": 180,
            "steps": 37012,
        },
    ),
    (
        "colours mixed, alone",
        Classic(COLOURS_MIXED, to_lock=1, most_failed=2),
        1,
        {
            "roll": 80,
            "white": 896,
            "colour": 1432,
            "over": 58,
            "by failed": 40,
            "by rows": 18,
            "steps": 5434,
        },
    ),
    (
        "numbers mixed, alone",
        Classic(NUMBERS_MIXED, to_lock=1, most_failed=2),
        1,
        {
            "roll": 80,
            "white": 896,
            "colour": 1348,
            "over": 58,
            "by failed": 40,
            "by rows": 18,
            "steps": 5314,
        },
    ),
    (
        "duel on two rows",
        Duel(TWO_ROWS, pieces=3, to_lock=1, most_failed=2),
        2,
        {
            "roll": 358,
            "white": 5728,
            "colour": 8224,
            "over": 1008,
            "by failed": 61,
            "by pieces": 947,
            "steps": 44712,
        },
    ),
    (
        "duel with stacks",
        Duel(ONE_WAY, pieces=5, to_lock=1, most_failed=2),
        2,
        {"roll": 376, "white": 4672, "colour": 5956, "over": 521}
        | {"by failed": 163, "by rows": 32, "by pieces": 326, "steps": 23722},
    ),
]


@pytest.mark.parametrize(
    ("name", "game", "players", "counts"), TABLES, ids=[table[0] for table in TABLES]
)
def test_tiny_tables_have_just_these_states(
    name: str, game: Game[Any], players: int, counts: dict[str, int]
) -> None:
    assert explore(game, game.start(players)) == counts


def test_colours_printed_out_change_nothing() -> None:
    """A sheet whose tints are those of its rows is the same game."""
    tinted = Layout("RB", TWO_ROWS.numbers, faces=2, tints=("RRR", "BBB"))
    name, _, players, counts = TABLES[0]
    assert name == "classic alone"
    assert (
        explore(Classic(tinted, to_lock=1, most_failed=2), Classic(tinted).start(players)) == counts
    )
