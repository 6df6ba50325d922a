"""The worked examples of the rules, word by word,
and every settled contradiction of the printed sheets."""

import pytest

from qwixx.core.errors import BadPosition, IllegalMove
from tables import (
    ALL_FIELDS,
    CLASSIC,
    DUEL,
    classic,
    crossed,
    duel,
    enterable,
    pieces,
    play_on,
    refused,
    sheet,
)

BLUE = "B8g B5gg B12b B11bbb B9b"  # grey's stack of two is foremost; black's rightmost is 9, five pieces


def test_red_5_and_7_crossed_2_3_4_6_are_gone_for_good() -> None:
    assert {2, 3, 4, 6}.isdisjoint(enterable(CLASSIC, classic("R5 R7", ""), 0, "R"))


def test_whites_4_and_1_everybody_may_cross_a_5() -> None:
    state = play_on(CLASSIC, CLASSIC.start(5), "41 3626")
    for seat in range(5):
        assert CLASSIC.moves(state, seat) == ("-", "R5", "Y5", "G5", "B5")


def test_whites_4_and_1_with_blue_6_the_active_player_may_cross_blue_10_or_7() -> None:
    state = play_on(CLASSIC, CLASSIC.start(2), "41 3626", "0:-", "1:-")
    assert {move for move in CLASSIC.moves(state, 0) if move[0] == "B"} == {"B10", "B7"}


def test_rows_of_4_3_7_and_8_crosses_and_two_failed_throws_make_70() -> None:
    rows = "R2 R3 R4 R5 Y2 Y3 Y4 G12 G11 G10 G9 G8 G7 G6 B12 B11 B10 B9 B8 B7 B6 B5"
    result = CLASSIC.result(classic(sheet(rows, failed=2), ""))
    assert result.rows[0] == (10, 6, 28, 36)
    assert result.totals[0] == 10 + 6 + 28 + 36 - 10 == 70


def test_whites_6_and_6_two_players_close_two_rows_and_the_game_is_over() -> None:
    state = classic("R2 R3 R4 R5 R6", "Y2 Y3 Y4 Y5 Y6", phase="white", dice="66 1234")
    over = play_on(CLASSIC, state, "0:R12", "1:Y12")
    assert over.phase == "over"
    assert CLASSIC.to_act(over) == ()
    assert CLASSIC.result(over).reason == "rows"


def test_duel_red_black_on_5_and_7_grey_on_3() -> None:
    state = duel("R5b R7b R3g")
    assert enterable(DUEL, state, 1, "R") == {4, 6, 7, 8, 9, 10, 11}
    assert enterable(DUEL, state, 0, "R") == {7, 8, 9, 10, 11}
    captured = play_on(DUEL, duel("R5b R7b R3g", active=1), "34 1111", "1:R7")
    assert pieces(captured) == {"R3g", "R5b", "R7g"}


def test_duel_blue_grey_stack_on_5_and_black_on_9_with_five_pieces() -> None:
    assert enterable(DUEL, duel(BLUE), 0, "B") == {7, 6, 4, 3, 2}
    assert enterable(DUEL, duel(BLUE), 1, "B") == {5, 4, 3}


def test_duel_green_grey_with_five_pieces_enters_2_and_takes_the_lock() -> None:
    state = play_on(DUEL, duel("G12g G11g G10g G9g G8g", active=1), "11 1111", "1:G2")
    assert {"G2g", "G*g"} <= pieces(state)
    assert str(state.dice) == "11 11.1"


def test_settled_duel_black_continues_to_the_right_of_7() -> None:
    assert min(enterable(DUEL, duel("R5b R7b R3g"), 0, "R")) == 7


def test_settled_duel_only_the_player_with_five_pieces_may_enter_blue_2() -> None:
    assert 2 in enterable(DUEL, duel(BLUE), 0, "B")
    rolled = play_on(DUEL, duel(BLUE, active=1), "11 1111")
    refused("D9", IllegalMove, DUEL.choose, rolled, 1, "B2")


@pytest.mark.parametrize(("colour", "last"), [("R", 12), ("Y", 12), ("G", 2), ("B", 2)])
def test_settled_duel_all_four_rows_have_a_rightmost_number_with_a_lock(
    colour: str, last: int
) -> None:
    first = "2" if last == 12 else "12"
    dice = "66 1111" if last == 12 else "11 1111"
    state = DUEL.choose(
        duel(f"{colour}{first}bbbbb", phase="white", dice=dice), 0, f"{colour}{last}"
    )
    assert f"{colour}*b" in pieces(state)


def test_settled_duel_the_lock_piece_is_placed_not_offered() -> None:
    state = duel("R2bbbbb", phase="white", dice="66 1111")
    assert [move for move in DUEL.moves(state, 0) if move.startswith("R")] == ["R12"]
    after = DUEL.choose(state, 0, "R12")
    assert DUEL.supply(state, 0) - DUEL.supply(after, 0) == 2


@pytest.mark.parametrize("number", range(2, 12))
def test_settled_duel_no_piece_but_the_foremost_can_be_captured(number: int) -> None:
    board = " ".join(f"R{black}b" for black in range(2, 12))
    assert (number in enterable(DUEL, duel(board), 1, "R")) == (number == 11)


def test_settled_duel_the_last_piece_on_the_failed_throws_ends_the_game() -> None:
    board = "R2bbbbb Y2bbbbb G12bbbbb B12bbbbb G11b"
    over = DUEL.choose(duel(board, phase="colour", dice="34 1111", white="-"), 0, "-")
    assert (over.phase, DUEL.supply(over, 0), DUEL.result(over).reason) == ("over", 0, "pieces")


def test_settled_classic_no_failed_throw_when_the_white_action_ends_the_game() -> None:
    state = classic("", "R2 R3 R4 R5 R6", "Y2 Y3 Y4 Y5 Y6", phase="white", dice="66 1234")
    over = play_on(CLASSIC, state, "0:-", "1:R12", "2:Y12")
    assert CLASSIC.result(over).totals[0] == 0


def test_settled_classic_white_action_is_simultaneous_and_sealed() -> None:
    state = classic("R2 R3 R4 R5 R6", "R2 R3 R4 R5 R6", phase="white", dice="66 1234")
    sealed = CLASSIC.choose(state, 0, "R12")
    assert "R12" in CLASSIC.moves(sealed, 1)
    assert CLASSIC.to_position(CLASSIC.view(sealed, 1))["chosen"] == {"0": None}


def test_settled_ties_are_shared() -> None:
    tie = classic(
        sheet("R2", failed=0), sheet("Y2", failed=0), sheet("", failed=4), phase="over", active=2
    )
    assert CLASSIC.result(tie).winners == (0, 1)
    board = "R3b Y3g R2bbbbb Y2ggggg G9g G8g B9b B8b"
    assert DUEL.result(duel(board, failed=[2, 2], phase="over")).winners == (0, 1)


def test_settled_one_player_is_practice_and_every_turn_is_active() -> None:
    state = CLASSIC.start(1)
    for _ in range(3):
        assert (state.active, state.phase) == (0, "roll")
        state = play_on(CLASSIC, state, "34 1111", "0:-", "0:-")
    assert state.sheets[0].failed == 3
    over = play_on(CLASSIC, state, "34 1111", "0:-", "0:-")
    assert CLASSIC.result(over).reason == "failed"
    assert crossed(over) == set()


def test_a_cross_left_of_the_rightmost_is_no_position() -> None:
    assert len(ALL_FIELDS) == 44
    with pytest.raises(BadPosition):
        CLASSIC.from_position({"game": "classic"})
