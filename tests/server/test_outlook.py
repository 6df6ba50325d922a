"""A move says what it gains; one that ends the game says so, with the score that it gives."""

from collections.abc import Iterator
from random import Random
from typing import Any

import msgspec
import pytest

from qwixx import games
from qwixx.core.fields import PASS
from qwixx.core.game import OVER, ROLL
from qwixx.server import messages as m
from qwixx.server.outlook import outlook


def ending(game: Any, state: Any, seat: int, move: str) -> tuple[int, ...] | None:
    return outlook(game, state, seat, [move])[move].ends


def locked(number: int, locks: str = "") -> dict[str, Any]:
    """A sheet on which the first rows can be closed or are."""
    row = {"R": [2, 3, 4, 5, 6], "Y": [2, 3, 4, 5, 6], "G": [], "B": []}
    for colour in locks:
        row[colour] = [*row[colour], 12]
    return {**row, "locks": locks, "failed": number}


def position(
    phase: str, dice: str, white: str | None, sheets: list[dict[str, Any]]
) -> dict[str, Any]:
    turn = {
        "game": "classic",
        "active": 0,
        "phase": phase,
        "dice": dice,
        "white": white,
        "chosen": {},
    }
    return turn | {"sheets": sheets}


def test_closing_the_second_row_in_the_white_action_ends_it() -> None:
    game = games.game("classic")
    state = game.from_position(position("white", "66 .111", None, [locked(0, "R"), locked(0)]))
    # R2-6 and 12 with the lock are 28 points; a sixth cross and the lock in yellow give 28 more.
    assert ending(game, state, 0, "Y12") == (28 + 28, 15 + 15)
    assert ending(game, state, 1, "Y12") == (28 + 15, 15 + 28)
    assert ending(game, state, 0, PASS) is None
    # Whatever another has chosen has no part in it: it is asked of the decision as it was opened.
    assert ending(game, state, 1, PASS) is None


def test_closing_the_second_row_in_the_colour_action_ends_it() -> None:
    game = games.game("classic")
    state = game.from_position(position("colour", "61 .611", PASS, [locked(0, "R"), locked(0)]))
    assert ending(game, state, 0, "Y12") == (56, 30)
    assert ending(game, state, 0, PASS) is None  # a failed throw, but not the fourth


def test_the_fourth_failed_throw_by_passing_ends_it() -> None:
    game = games.game("classic")
    state = game.from_position(position("colour", "61 6111", PASS, [locked(3), locked(0)]))
    assert ending(game, state, 0, PASS) == (30 - 20, 30)
    assert ending(game, state, 0, "R12") is None


def test_passing_where_nothing_else_will_fit_is_the_fourth_failed_throw() -> None:
    """In the white action too, where the colour action leaves nothing but passing;
    but only of the player's own."""
    game = games.game("classic")
    full = {"R": [12], "Y": [12], "G": [2], "B": [11, 2], "locks": "", "failed": 3}
    full = full | {"R": [7, 11], "Y": [7, 11], "G": [7, 3], "B": [7, 3]}
    state = game.from_position(
        position("white", "11 1111", None, [full, locked(0) | {"R": [], "Y": []}])
    )
    assert game.moves(state, 0) == (PASS,)
    assert ending(game, state, 0, PASS) == (4 * 3 - 20, 0)
    assert {ending(game, state, 1, move) for move in game.moves(state, 1)} == {None}


@pytest.mark.parametrize("game_id", games.ids())
@pytest.mark.parametrize("seed", range(4))
def test_ends_is_what_the_law_says_of_whole_games(game_id: str, seed: int) -> None:
    """Where a single seat chooses, a move has `ends` exactly if it ends the game,
    then or by a forced pass."""
    game, ended = games.game(game_id), 0
    for state, seat, move, told in _decisions(game, seed):
        after = game.choose(state, seat, move)
        while game.to_act(after) and all(
            game.moves(after, one) == (PASS,) for one in game.to_act(after)
        ):
            after = game.choose(after, game.to_act(after)[0], PASS)
        assert (told is not None) == (after.phase == OVER)
        if told is not None:
            assert told == game.result(after).totals
            ended += 1
    assert ended > 0


@pytest.mark.parametrize("game_id", games.ids())
def test_gains_is_the_difference_that_a_move_makes_to_its_maker(game_id: str) -> None:
    """Whatever the others choose at the same time: told before it is known, and true after it."""
    game, rng, found = games.game(game_id), Random(7), set[int]()
    for _ in range(3):
        state = game.start(2)
        while state.phase != OVER:
            if state.phase == ROLL:
                state = game.roll(state, rng.choice(game.throws(state)).dice)
                continue
            opened, told = state, {}
            for seat in game.to_act(opened):
                outlooks = outlook(game, opened, seat, game.moves(opened, seat))
                move = rng.choice(list(outlooks))
                state, told[seat] = game.choose(state, seat, move), outlooks[move].gains
            before, after = game.result(opened).totals, game.result(state).totals
            for seat, gains in told.items():
                assert after[seat] - before[seat] == gains
            found |= set(told.values())
    assert -5 in found  # a failed throw
    assert max(found) > 2


def _decisions(game: Any, seed: int) -> Iterator[tuple[Any, int, str, tuple[int, ...] | None]]:
    """Every move that a single seat could make in some games of chance."""
    rng = Random(seed)
    for _ in range(4):
        state, opened = game.start(2), None
        while state.phase != OVER:
            if state.phase == ROLL:
                state = game.roll(state, rng.choice(game.throws(state)).dice)
                continue
            seat, *others = game.to_act(state)
            moves = game.moves(state, seat)
            # Else others have chosen already.
            alone, opened = (
                not others and opened != state.phase,
                state.phase,
            )
            if alone:
                for move in moves:
                    yield state, seat, move, ending(game, state, seat, move)
            taken = [move for move in moves if move != PASS]
            state = game.choose(
                state, seat, rng.choice(taken) if taken and rng.random() < 0.8 else PASS
            )


def test_the_last_piece_ends_a_duel() -> None:
    """Found in games of chance in which nobody locks: a supply of 22 runs out."""
    game, found = games.game("duel"), 0
    for seed in range(200):
        rng, state = Random(seed), game.start(2)
        while state.phase != OVER:
            if state.phase == ROLL:
                state = game.roll(state, rng.choice(game.throws(state)).dice)
                continue
            seat = state.active
            kept = [
                move
                for move in game.moves(state, seat)
                if not game.effects(state, seat, move).closes
            ]
            fields = [move for move in kept if move != PASS]
            low = sorted(fields, key=lambda move: game.effects(state, seat, move).skips)
            move = low[0] if low else PASS
            told, after = ending(game, state, seat, move), game.choose(state, seat, move)
            if game.result(after).reason == "pieces":
                assert told == game.result(after).totals
                found += 1
            state = after
        if found:
            return
    raise AssertionError("no supply ever ran out")


def test_what_a_move_does_not_do_costs_no_bytes() -> None:
    assert msgspec.json.encode(m.MoveView("R5", {})) == b'{"move":"R5","effects":{}}'
    assert msgspec.json.encode(m.MoveView("R12", {"closes": 1}, (72, 95), 13)).endswith(
        b',"ends":[72,95],"gains":13}'
    )
