"""Rules D1 to D14: one test for each, named after it."""

import pytest

from qwixx.core.dice import Dice
from qwixx.core.errors import GameOver, IllegalMove, NotToAct
from qwixx.core.fields import Layout
from qwixx.core.game import Effects
from qwixx.games.duel.rules import Duel
from qwixx.games.duel.state import Row
from tables import DUEL, duel, enterable, pieces, play_on, refused

FIVE_BLACK = "R2b R3b R4b R5b R6b"


def test_D1_only_the_active_player_acts() -> None:
    white = play_on(DUEL, DUEL.start(2, first=1), "34 1111")
    assert DUEL.to_act(white) == (1,)
    assert DUEL.moves(white, 0) == ()
    refused("D1", NotToAct, DUEL.choose, white, 0, "R7")
    colour = DUEL.choose(white, 1, "R7")
    assert DUEL.to_act(colour) == (1,)
    refused("D1", NotToAct, DUEL.choose, colour, 0, "-")


def test_D2_to_the_right_of_the_own_rightmost_piece() -> None:
    state = duel("R5b R9g")
    assert enterable(DUEL, state, 0, "R") == {6, 7, 8, 9, 10, 11}  # 9 by capture
    assert enterable(DUEL, state, 1, "R") == {9, 10, 11}  # 9 by stacking
    rolled = play_on(DUEL, state, "31 1111")
    refused("D2", IllegalMove, DUEL.choose, rolled, 0, "R4")


def test_D2_after_losing_a_piece_the_others_count() -> None:
    taken = play_on(DUEL, duel("R5g R9g"), "54 1111", "0:R9", "0:-")
    assert pieces(taken) == {"R5g", "R9b"}
    assert enterable(DUEL, taken, 1, "R") == {6, 7, 8, 9, 10, 11}


def test_D3_an_occupied_field_cannot_be_entered() -> None:
    state = duel("R3g R5b R7b")
    rolled = play_on(DUEL, state, "41 1111", "0:-", "0:-", "41 1111")
    assert "R5" not in DUEL.moves(rolled, 1)
    refused("D3", IllegalMove, DUEL.choose, rolled, 1, "R5")


def test_D4_the_foremost_piece_alone_can_be_captured() -> None:
    state = duel("R3g R5b R7b", active=1, phase="white", dice="34 1111")
    after = DUEL.choose(state, 1, "R7")
    assert pieces(after) == {"R3g", "R5b", "R7g"}
    assert DUEL.supply(after, 0) == DUEL.supply(state, 0) + 1  # back in its owner's supply
    assert DUEL.effects(state, 1, "R7") == Effects(captures=1, skips=2)


def test_D5_the_owner_of_the_foremost_field_may_stack() -> None:
    state = duel("R3g R7b")
    for height in (2, 3, 4):
        state = play_on(
            DUEL,
            state,
            "34 1111",
            "0:R7",
            "0:-",
            "11 1111",
            "1:-",
            "1:Y2" if height == 2 else "1:-",
        )
        assert f"R7{'b' * height}" in pieces(state)
    overtaken = duel("R7bb R9g", phase="white", dice="34 1111")
    refused("D5", IllegalMove, DUEL.choose, overtaken, 0, "R7")


def test_D6_a_stack_is_never_captured_only_overtaken() -> None:
    state = duel("R7bb", active=1, phase="white", dice="34 1111")
    refused("D6", IllegalMove, DUEL.choose, state, 1, "R7")
    overtaken = play_on(DUEL, duel("R7bb", active=1), "44 1111", "1:R8", "1:-")
    assert enterable(DUEL, overtaken, 0, "R") == {8, 9, 10, 11}


def test_D7_two_different_fields_in_one_turn() -> None:
    state = play_on(DUEL, DUEL.start(2), "34 4111", "0:R7")
    assert "R7" not in DUEL.moves(state, 0)
    refused("D7", IllegalMove, DUEL.choose, state, 0, "R7")
    assert "R8" in DUEL.moves(state, 0)
    raised = play_on(DUEL, duel("R7b"), "34 4111", "0:R7")
    refused("D7", IllegalMove, DUEL.choose, raised, 0, "R7")
    assert "R7" in DUEL.moves(play_on(DUEL, duel("R7b"), "34 4111", "0:Y7"), 0)


@pytest.mark.parametrize(
    ("white", "colour", "failed"), [("-", "-", 1), ("R7", "-", 0), ("-", "R4", 0)]
)
def test_D8_placing_nothing_puts_a_piece_on_the_failed_throws(
    white: str, colour: str, failed: int
) -> None:
    state = play_on(DUEL, DUEL.start(2, first=1), "34 1111", f"1:{white}", f"1:{colour}")
    assert DUEL.to_position(state)["failed"] == [0, failed]
    assert DUEL.supply(state, 1) == 21


def test_D9_rightmost_number_needs_five_own_pieces_there() -> None:
    four = duel("R2b R3b R4b R5b R6g", phase="white", dice="66 1111")
    refused("D9", IllegalMove, DUEL.choose, four, 0, "R12")
    assert "R12" in DUEL.moves(duel(FIVE_BLACK, phase="white", dice="66 1111"), 0)
    stacked = duel("R2b R3bbbb", phase="white", dice="66 1111")
    assert "R12" in DUEL.moves(stacked, 0)
    assert "B2" in DUEL.moves(duel("B9ggggg", active=1, phase="white", dice="11 1111"), 1)


def test_D10_the_lock_takes_one_more_piece_and_closes_the_row() -> None:
    state = DUEL.choose(duel(FIVE_BLACK, phase="white", dice="66 1111"), 0, "R12")
    assert {"R12b", "R*b"} <= pieces(state)
    assert DUEL.result(state).rows[0][0] == 28
    assert (state.phase, str(state.dice)) == ("colour", "66 .111")
    later = DUEL.choose(state, 0, "-")
    assert enterable(DUEL, later, 1, "R") == set()


ALMOST = "R2bbbbb Y2bbbbb G12bbbbb B12bbbbb "  # twenty black pieces


def test_D11_last_piece_on_the_rightmost_number_places_no_lock() -> None:
    over = DUEL.choose(duel(ALMOST + "G11b", phase="white", dice="66 1111"), 0, "R12")
    assert "R12b" in pieces(over)
    assert not any("*" in piece for piece in pieces(over))
    result = DUEL.result(over)
    assert (result.over, result.reason, result.rows[0]) == (True, "pieces", (21, 15, 21, 15))


@pytest.mark.parametrize(
    ("board", "turn", "move", "reason"),
    [
        (ALMOST + "G11b", {"phase": "white", "dice": "34 1111"}, "R7", "pieces"),
        (ALMOST, {"phase": "white", "dice": "66 1111"}, "R12", "pieces"),
        (ALMOST + "G11b", {"phase": "colour", "dice": "34 1111", "white": "-"}, "-", "pieces"),
        (
            "R2b",
            {"phase": "colour", "dice": "34 1111", "white": "-", "failed": [1, 2]},
            "-",
            "failed",
        ),
        (FIVE_BLACK + " R12b R*b Y2ggggg Y12g Y*g", {}, "", "rows"),
        (FIVE_BLACK + " G9g G8gggg G2g G*g", {"phase": "white", "dice": "66 11.1"}, "R12", "rows"),
        (
            FIVE_BLACK + " G9g G8gggg G2g G*g",
            {"phase": "colour", "dice": "61 61.1", "white": "-"},
            "R12",
            "rows",
        ),
    ],
    ids=[
        "row",
        "lock",
        "failed throws",
        "fourth failed",
        "position",
        "rows in white",
        "rows in colour",
    ],
)
def test_D12_the_game_ends_at_once(
    board: str, turn: dict[str, object], move: str, reason: str
) -> None:
    over = (
        DUEL.choose(duel(board, **turn), 0, move) if move else duel(board, phase="over", active=1)
    )
    assert (over.phase, over.dice, over.active) == ("over", None, 0 if move else 1)
    assert DUEL.result(over).reason == reason
    with pytest.raises(GameOver):
        DUEL.choose(over, over.active, "-")


def test_D13_at_most_twelve_pieces_count_in_a_row() -> None:
    assert DUEL.result(duel("R2bbbbbbbbbbbb")).rows[0][0] == 78
    assert DUEL.result(duel("R2bbbbbbbbbbbbb", failed=[1, 0])).totals == (73, 0)


def test_D14_a_captured_field_is_never_empty() -> None:
    state = duel("R5b R7b", active=1)
    after = play_on(DUEL, state, "34 1111", "1:R7", "1:-")
    assert pieces(after) == {"R5b", "R7g"}
    back = play_on(DUEL, after, "34 1111", "0:R7", "0:-")
    assert pieces(back) == {"R5b", "R7b"}


def test_D5_D9_a_lock_is_called_forgone_only_when_no_stack_can_bring_it_back() -> None:
    """Every way a short row can go on, whatever the dice:
    `forgoes` is told exactly where the lock is lost."""
    game = Duel(Layout("R", ((2, 3, 4, 5, 6),), faces=3), pieces=1000, to_lock=3)
    start = game.start(2)

    def entering(row: Row, seat: int) -> dict[str, Row]:
        """What can be entered, and the row after it. Stacks of three are as good as higher ones."""
        found = {}
        for field, number in zip(game.layout.fields[0], game.layout.numbers[0], strict=True):
            dice = Dice((number // 2, number - number // 2), (1,))
            state = start._replace(rows=(row,), phase="white", active=seat, dice=dice)
            if field in game.moves(state, seat):
                (after,) = game.choose(state, seat, field).rows
                found[field] = tuple(max(-3, min(3, pieces)) for pieces in after)
        return found

    ways: dict[Row, set[Row]] = {}
    unread = [start.rows[0]]
    while unread:
        row = unread.pop()
        if row not in ways:
            ways[row] = {
                after for seat in (0, 1) for after in entering(row, seat).values() if not row[-1]
            }
            unread.extend(ways[row])
    for seat, sign in ((0, 1), (1, -1)):
        lockable = {row for row in ways if row[-1] * sign > 0}
        while more := {
            row for row, after in ways.items() if row not in lockable and after & lockable
        }:
            lockable |= more
        forgone = 0
        for row in ways:
            for field, after in entering(row, seat).items() if not row[-1] else ():
                effects = game.effects(start._replace(rows=(row,), active=seat), seat, field)
                lost = row in lockable and after not in lockable
                assert bool(effects.forgoes) == lost, (row, field)
                forgone += lost
        assert forgone > 0


def test_D9_five_pieces_on_one_field_are_enough_for_the_lock() -> None:
    """Far to the right with one piece, the lock is not forgone:
    the piece can become a stack of five."""
    state = duel("R2b", active=0, phase="white", dice="55 1111")
    assert not DUEL.effects(state, 0, "R10").forgoes
    assert "R12" in DUEL.moves(duel("R10bbbbb", active=0, phase="white", dice="66 1111"), 0)
