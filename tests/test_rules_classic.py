"""Rules C1 to C13: one test for each, named after it."""

import pytest

from qwixx.core.errors import GameOver, IllegalMove, NotToAct
from tables import ALL_FIELDS, CLASSIC, classic, crossed, enterable, play_on, refused, sheet

FIVE_REDS = "R2 R3 R4 R5 R6"
FIVE_YELLOWS = "Y2 Y3 Y4 Y5 Y6"
FIVE_GREENS = "G12 G11 G10 G9 G8"


def test_C1_left_to_right_in_every_row() -> None:
    state = classic("R5 R7 G9", "")
    assert enterable(CLASSIC, state, 0, "R") == {8, 9, 10, 11}
    assert enterable(CLASSIC, state, 0, "G") == {8, 7, 6, 5, 4, 3}
    assert enterable(CLASSIC, state, 1, "R") == {2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
    rolled = play_on(CLASSIC, state, "33 1111")
    refused("C1", IllegalMove, CLASSIC.choose, rolled, 0, "R6")
    rolled = play_on(CLASSIC, state, "34 1111")
    refused("C1", IllegalMove, CLASSIC.choose, rolled, 0, "R7")


@pytest.mark.parametrize("players", [1, 2, 3, 4, 5])
def test_C2_everybody_may_cross_the_white_sum(players: int) -> None:
    state = play_on(CLASSIC, CLASSIC.start(players), "34 1111")
    assert CLASSIC.to_act(state) == tuple(range(players))
    for seat in range(players):
        assert CLASSIC.moves(state, seat) == ("-", "R7", "Y7", "G7", "B7")
    after = play_on(CLASSIC, state, *[f"{seat}:B7" for seat in range(players)])
    assert all(crossed(after, seat) == {"B7"} for seat in range(players))


def test_C3_choices_are_simultaneous_and_sealed() -> None:
    state = classic(FIVE_REDS, FIVE_REDS, "", phase="white", dice="66 1111")
    first = CLASSIC.choose(state, 0, "R12")
    assert crossed(first, 0) == crossed(state, 0)  # nothing shows before the last choice is in
    assert "R12" in CLASSIC.moves(first, 1)  # resolved from the sheets as they stood
    refused("C3", NotToAct, CLASSIC.choose, first, 0, "-")
    orders = [("0:R12", "1:R12", "2:-"), ("2:-", "1:R12", "0:R12"), ("1:R12", "0:R12", "2:-")]
    assert len({play_on(CLASSIC, state, *order) for order in orders}) == 1


def test_C4_colour_action_is_the_active_players_alone() -> None:
    state = play_on(CLASSIC, CLASSIC.start(3, first=1), "34 1111", "0:-", "1:-", "2:-")
    assert CLASSIC.to_act(state) == (1,)
    assert CLASSIC.moves(state, 0) == ()
    refused("C4", NotToAct, CLASSIC.choose, state, 0, "-")
    assert crossed(CLASSIC.choose(state, 1, "R4"), 1) == {"R4"}


@pytest.mark.parametrize(
    ("white", "colour", "failed"), [("-", "-", 1), ("R7", "-", 0), ("-", "R4", 0), ("Y7", "R4", 0)]
)
def test_C5_failed_throw_for_the_active_player_who_crossed_nothing(
    white: str, colour: str, failed: int
) -> None:
    state = play_on(CLASSIC, CLASSIC.start(2), "34 1111", f"0:{white}", "1:-", f"0:{colour}")
    assert [one.failed for one in state.sheets] == [failed, 0]


def test_C6_rightmost_number_needs_five_crosses() -> None:
    four = classic("R2 R3 R4 R5", "", phase="white", dice="66 1111")
    assert "R12" not in CLASSIC.moves(four, 0)
    refused("C6", IllegalMove, CLASSIC.choose, four, 0, "R12")
    five = classic(FIVE_REDS, "", phase="white", dice="66 1111")
    assert "R12" in CLASSIC.moves(five, 0)
    green = classic(FIVE_GREENS, "", phase="white", dice="11 1111")
    assert "G2" in CLASSIC.moves(green, 0)


def test_C7_the_lock_comes_with_the_rightmost_number() -> None:
    state = play_on(CLASSIC, classic(FIVE_REDS, "", phase="white", dice="66 1111"), "0:R12", "1:-")
    assert crossed(state) == {*FIVE_REDS.split(), "R12", "R*"}
    assert CLASSIC.result(state).rows[0][0] == 28  # seven crosses, the fewest in a completed row
    full = " ".join(f"R{number}" for number in range(2, 12))
    most = play_on(CLASSIC, classic(full, "", phase="white", dice="66 1111"), "0:R12", "1:-")
    assert CLASSIC.result(most).rows[0][0] == 78


def test_C8_row_is_closed_for_all() -> None:
    state = play_on(
        CLASSIC, classic(FIVE_REDS, "R2", phase="white", dice="66 1111"), "0:R12", "1:-", "0:-"
    )
    assert CLASSIC.dice_in_play(state) == ".YGB"
    assert enterable(CLASSIC, state, 0, "R") == enterable(CLASSIC, state, 1, "R") == set()


def test_C8_a_row_closed_in_the_colour_action() -> None:
    state = classic(FIVE_REDS, "", phase="colour", dice="61 6111", white="-")
    after = CLASSIC.choose(state, 0, "R12")
    assert (after.phase, CLASSIC.dice_in_play(after)) == ("roll", ".YGB")


def test_C9_several_close_the_same_row_together() -> None:
    state = classic(FIVE_REDS, FIVE_REDS, "R2", phase="white", dice="66 1111")
    refused("C6", IllegalMove, CLASSIC.choose, state, 2, "R12")
    after = play_on(CLASSIC, state, "0:R12", "1:R12", "2:-")
    assert after.phase == "colour"  # one row is closed, not two
    assert {"R12", "R*"} <= crossed(after, 0)
    assert {"R12", "R*"} <= crossed(after, 1)


def test_C10_fourth_failed_throw_ends_the_game_at_once() -> None:
    state = classic(sheet("", failed=3), "", phase="colour", dice="34 1111", white="-")
    over = CLASSIC.choose(state, 0, "-")
    result = CLASSIC.result(over)
    assert (result.over, result.reason, result.totals) == (True, "failed", (-20, 0))
    assert (CLASSIC.to_act(over), over.dice, over.active) == ((), None, 0)
    for field in ["-", *ALL_FIELDS]:
        with pytest.raises(GameOver):
            CLASSIC.choose(over, 0, field)


@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 1), (1, 0)])
def test_C11_two_closed_rows_end_the_game_whoever_closed_them(first: int, second: int) -> None:
    sheets = ["", ""]
    sheets[first] += f"{FIVE_REDS} R12 "
    sheets[second] += FIVE_YELLOWS
    state = classic(*sheets, phase="white", dice="66 .111")
    over = play_on(CLASSIC, state, f"{1 - second}:-", f"{second}:Y12")
    result = CLASSIC.result(over)
    assert (over.phase, result.over, result.reason) == ("over", True, "rows")


def test_C11_a_third_row_can_close_with_the_second() -> None:
    state = classic(f"{FIVE_GREENS} G2 {FIVE_REDS}", FIVE_YELLOWS, phase="white", dice="66 11.1")
    over = play_on(CLASSIC, state, "0:R12", "1:Y12")
    assert over.closed == (True, True, True, False)
    assert CLASSIC.result(over).rows == ((28, 0, 28, 0), (0, 28, 0, 0))


def test_C12_no_colour_action_and_no_failed_throw_after_the_end() -> None:
    state = classic("", f"{FIVE_REDS} R12 {FIVE_YELLOWS}", active=0, phase="white", dice="66 .111")
    over = play_on(CLASSIC, state, "0:-", "1:Y12")
    assert (over.phase, over.active, over.sheets[0].failed) == ("over", 0, 0)


def test_C13_score_is_the_rows_less_the_failed_throws() -> None:
    result = CLASSIC.result(classic(sheet("R2 R3 Y4 G12 G11 G10", failed=2), "B12"))
    assert result.rows == ((3, 1, 6, 0), (0, 0, 0, 1))
    assert result.totals == (0, 1)
    assert (result.over, result.winners, result.reason) == (False, None, None)
