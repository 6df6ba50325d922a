"""The mixed sheets: the rules of Qwixx where a row has fields of several colours,
or numbers in no order."""

from typing import Any

import pytest

import qwixx
from qwixx.core.errors import BadPosition, BadRequest, IllegalMove
from qwixx.core.fields import Layout
from tables import (
    CLASSIC,
    MIXED_A,
    MIXED_B,
    classic,
    classic_position,
    crossed,
    play_on,
    refused,
    sheet,
)

MIXED = pytest.mark.parametrize("game", [MIXED_A, MIXED_B], ids=lambda game: game.id)

PRINTED_A = {
    "R": "Y2 Y3 Y4 B5 B6 B7 G8 G9 G10 R11 R12",
    "Y": "R2 R3 G4 G5 G6 G7 B8 B9 Y10 Y11 Y12",
    "G": "B12 B11 B10 Y9 Y8 Y7 R6 R5 R4 G3 G2",
    "B": "G12 G11 R10 R9 R8 R7 Y6 Y5 B4 B3 B2",
}
PRINTED_B = {
    "R": "10 6 2 8 3 4 12 5 9 7 11",
    "Y": "9 12 4 6 7 2 5 8 11 3 10",
    "G": "8 2 10 12 6 9 7 4 5 11 3",
    "B": "5 7 11 9 12 3 8 10 2 6 4",
}
FIVE_IN_RED = "Y2 Y3 Y4 B5 B6"
FIVE_IN_YELLOW = "R2 R3 G4 G5 G6"


def test_the_sheets_are_printed_so() -> None:
    assert [" ".join(row) for row in MIXED_A.layout.fields] == list(PRINTED_A.values())
    written = [[f"{colour}{number}" for number in row.split()] for colour, row in PRINTED_B.items()]
    assert [list(row) for row in MIXED_B.layout.fields] == written


@MIXED
def test_every_colour_and_number_is_one_field(game: Any) -> None:
    assert set(game.layout.places) == set(CLASSIC.layout.places)
    assert all(sorted(row) == list(range(2, 13)) for row in game.layout.numbers)


@MIXED
@pytest.mark.parametrize(
    "whites", [(first, second) for first in range(1, 7) for second in range(first, 7)]
)
def test_S2_the_white_sum_names_one_field_in_each_row(game: Any, whites: tuple[int, int]) -> None:
    state = game.roll(game.start(3), qwixx.Dice(whites, (1, 1, 1, 1)))
    # C6
    open_now = {f"{colour}{sum(whites)}" for colour in "RYGB"} - {
        row[-1] for row in game.layout.fields
    }
    for seat in range(3):
        moves = game.moves(state, seat)
        assert set(moves) == {"-"} | open_now
        rows = [game.layout.places[move][0] for move in moves[1:]]
        assert rows == sorted(set(rows))


def test_S3_the_colour_action_is_the_field_of_that_colour_wherever_it_lies() -> None:
    colour = play_on(MIXED_A, MIXED_A.start(2), "41 3625", "0:-", "1:-")
    # Row by row: red 4 and 7, yellow 7 and 10, green 6 and 3, blue 9 and 6.
    assert MIXED_A.moves(colour, 0) == ("-", "B6", "G6", "B9", "Y10", "Y7", "R4", "G3", "R7")
    refused("S3", IllegalMove, MIXED_A.choose, colour, 0, "B5")
    after = MIXED_A.choose(colour, 0, "R7")
    assert MIXED_A.to_position(after)["sheets"][0]["B"] == [7]  # in the row of the blue lock
    assert MIXED_A.result(after).rows[0] == (0, 0, 0, 1)


def test_C1_goes_by_row_not_by_colour() -> None:
    state = play_on(MIXED_A, classic("B7", "", game=MIXED_A), "23 1111")
    # Left of B7 in the row of the red lock.
    refused("C1", IllegalMove, MIXED_A.choose, state, 0, "B5")
    assert MIXED_A.moves(state, 0) == ("-", "G5", "R5", "Y5")
    later = play_on(MIXED_A, classic("B7", "", game=MIXED_A), "44 1111")
    # In the row of the yellow lock, where nothing is crossed.
    assert "B8" in MIXED_A.moves(later, 0)
    assert "G8" in MIXED_A.moves(later, 0)


def test_C6_five_crosses_of_any_colour_in_the_row() -> None:
    four = classic("Y2 Y3 Y4 B5", "", game=MIXED_A, phase="white", dice="66 1111")
    refused("C6", IllegalMove, MIXED_A.choose, four, 0, "R12")
    reds_elsewhere = classic("R2 R3 R6 R5 R4 R10", "", game=MIXED_A, phase="white", dice="66 1111")
    refused("C6", IllegalMove, MIXED_A.choose, reds_elsewhere, 0, "R12")
    assert "R12" in MIXED_A.moves(
        classic(FIVE_IN_RED, "", game=MIXED_A, phase="white", dice="66 1111"), 0
    )


def closed_red() -> Any:
    """The row of the red lock has five crosses, then red 12 is crossed in the white action."""
    state = classic(FIVE_IN_RED, "", game=MIXED_A, phase="white", dice="66 1111")
    return play_on(MIXED_A, state, "0:R12", "1:-")


def test_S4_the_die_of_the_lock_is_gone_at_once() -> None:
    closed = closed_red()
    assert crossed(closed, game=MIXED_A) == {*FIVE_IN_RED.split(), "R12", "R*"}
    assert MIXED_A.result(closed).rows[0] == (28, 0, 0, 0)
    assert str(closed.dice) == "66 .111"
    refused("S4", IllegalMove, MIXED_A.choose, closed, 0, "R7")
    later = MIXED_A.choose(closed, 0, "-")
    assert MIXED_A.dice_in_play(later) == ".YGB"


def test_S4_fields_of_the_lost_die_stay_open_to_the_white_sum() -> None:
    later = MIXED_A.choose(closed_red(), 0, "-")
    white = play_on(MIXED_A, later, "34 .111")
    for seat in (0, 1):
        assert MIXED_A.moves(white, seat) == ("-", "G7", "Y7", "R7")
    colour = play_on(MIXED_A, white, "0:R7", "1:-")
    assert "R7" in crossed(colour, 0, MIXED_A)
    assert not any(move.startswith("R") for move in MIXED_A.moves(colour, 1))


@pytest.mark.parametrize(
    "field", ["B5", "B6", "B7", "G8", "G9", "G10", "Y2", "Y3", "Y4", "R11", "R12"]
)
def test_S4_the_fields_of_a_closed_row_are_lost_to_all(field: str) -> None:
    later = MIXED_A.choose(closed_red(), 0, "-")
    number = MIXED_A.layout.number(field)
    first = max(1, number - 6)
    white = play_on(MIXED_A, later, f"{first}{number - first} .111")
    for seat in (0, 1):
        refused("S4", IllegalMove, MIXED_A.choose, white, seat, field)
    assert field not in MIXED_A.moves(white, 0)


def test_S4_in_the_colour_action_too() -> None:
    later = MIXED_A.choose(closed_red(), 0, "-")
    colour = play_on(MIXED_A, later, "14 .114", "0:-", "1:-")
    assert str(colour.dice) == "14 .114"
    # The blue die is there, its row is not.
    refused("S4", IllegalMove, MIXED_A.choose, colour, 1, "B5")
    assert "B8" in MIXED_A.moves(colour, 1)


def test_C9_C11_rows_close_together_as_on_the_plain_sheet() -> None:
    state = classic(
        FIVE_IN_RED, FIVE_IN_YELLOW, FIVE_IN_RED, game=MIXED_A, phase="white", dice="66 1111"
    )
    both = play_on(MIXED_A, state, "0:R12", "1:-", "2:R12")
    assert "R*" in crossed(both, 0, MIXED_A) & crossed(both, 2, MIXED_A)
    over = play_on(MIXED_A, state, "0:R12", "1:Y12", "2:-")
    assert (over.phase, MIXED_A.result(over).reason) == ("over", "rows")


def test_C1_place_decides_not_size() -> None:
    state = classic("R6", "", game=MIXED_B)  # R: 10 6 2 8 3 4 12 5 9 7 11
    crossable = {
        number
        for number in range(2, 13)
        if f"R{number}"
        in MIXED_B.moves(
            play_on(MIXED_B, state, f"{max(1, number - 6)}{number - max(1, number - 6)} 1111"), 0
        )
    }
    assert crossable == {2, 8, 3, 4, 12, 5, 9, 7}
    rolled = play_on(MIXED_B, state, "55 1111")
    refused("C1", IllegalMove, MIXED_B.choose, rolled, 0, "R10")


def test_skipped_places_are_counted_in_places() -> None:
    state = play_on(MIXED_B, MIXED_B.start(1), "66 1111")
    skipped = {move: MIXED_B.effects(state, 0, move).skips for move in ("R12", "Y12", "G12", "B12")}
    assert skipped == {"R12": 6, "Y12": 1, "G12": 3, "B12": 4}


LAST_B = {"R": "R11", "Y": "Y10", "G": "G3", "B": "B4"}


@pytest.mark.parametrize("colour", "RYGB")
def test_C6_C7_C8_the_last_place_closes(colour: str) -> None:
    row = MIXED_B.layout.fields["RYGB".index(colour)]
    last, number = row[-1], MIXED_B.layout.number(row[-1])
    assert last == LAST_B[colour]
    whites = f"{max(1, number - 6)}{number - max(1, number - 6)}"
    turn: dict[str, Any] = {"phase": "white", "dice": f"{whites} 1111"}
    four = classic(" ".join(row[:4]), "", game=MIXED_B, **turn)
    refused("C6", IllegalMove, MIXED_B.choose, four, 0, last)
    five = classic(" ".join(row[:5]), " ".join(row[5:10]), game=MIXED_B, **turn)
    closed = play_on(MIXED_B, five, f"0:{last}", f"1:{last}")  # C9
    for seat in (0, 1):
        assert {last, f"{colour}*"} <= crossed(closed, seat, MIXED_B)
        assert MIXED_B.result(closed).rows[seat]["RYGB".index(colour)] == 28
    assert MIXED_B.dice_in_play(closed) == "RYGB".replace(colour, ".")
    assert closed.phase == "colour"


def test_a_12_and_a_2_close_nothing_where_they_are_not_last() -> None:
    for field, whites in (("R12", "66"), ("Y12", "66"), ("G2", "11"), ("B2", "11")):
        state = play_on(MIXED_B, MIXED_B.start(1), f"{whites} 1111", f"0:{field}")
        assert (state.phase, MIXED_B.dice_in_play(state)) == ("colour", "RYGB")
        assert crossed(state, game=MIXED_B) == {field}


EXAMPLES = [
    classic_position(f"{FIVE_IN_RED} R12", "R7 G11", game=MIXED_A),
    classic_position("B5 R3", "", game=MIXED_A, phase="colour", dice="41 3625", white="B5"),
    classic_position("R6 R8 B5", "Y9 Y12", game=MIXED_B, active=1),
    classic_position("R10 R6 R2 R8 R3 R11", "", game=MIXED_B, phase="white", dice="41 .625"),
]


@pytest.mark.parametrize("position", EXAMPLES)
def test_positions_carry_their_own_game_and_round_trip(position: dict[str, Any]) -> None:
    game, state = qwixx.read_position(position)
    assert game.id == position["game"]
    assert game.to_position(state) == position
    for other in set(qwixx.ids()) - {game.id}:
        with pytest.raises(BadPosition):
            qwixx.game(other).from_position(position)


def test_a_row_is_written_under_its_lock_in_the_order_of_its_places() -> None:
    assert sheet("R7 G11 B5 R12 Y2 Y3 Y4 B6", game=MIXED_A) == {
        "R": [2, 3, 4, 5, 6, 12],
        "Y": [],
        "G": [],
        "B": [11, 7],
        "locks": "R",
        "failed": 0,
    }
    assert sheet("R9 R10 R2", game=MIXED_B)["R"] == [10, 2, 9]


SIX = "R10 R6 R2 R8 R3 R11"
BAD: list[tuple[str, str | None, dict[str, Any]]] = [
    (
        "by size, not by place",
        "C1",
        classic_position({**sheet(game=MIXED_B), "R": [2, 10]}, game=MIXED_B),
    ),
    (
        "the last place without its lock",
        "C7",
        classic_position({**sheet(SIX), "R": [11], "locks": ""}, game=MIXED_B),
    ),
    (
        "a lock on 12",
        "C7",
        classic_position({**sheet(game=MIXED_B), "R": [2, 12], "locks": "R"}, game=MIXED_B),
    ),
    ("a lock with too few", "C6", classic_position(sheet("R10 R11", game=MIXED_B), game=MIXED_B)),
    (
        "the die of the lock still there",
        "S4",
        classic_position(f"{FIVE_IN_RED} R12", game=MIXED_A, phase="white", dice="41 3625"),
    ),
    (
        "three rows closed by three sums",
        "C11",
        classic_position(
            sheet(SIX, game=MIXED_B),
            sheet("Y9 Y12 Y4 Y6 Y7 Y10", game=MIXED_B),
            sheet("G8 G2 G10 G12 G6 G3", game=MIXED_B),
            game=MIXED_B,
            phase="over",
        ),
    ),
    (
        "white left of another cross of its row",
        "C1",
        classic_position("B5 B6", "", game=MIXED_A, phase="colour", dice="41 3625", white="B5"),
    ),
    (
        "chosen in a row that is closed",
        "S4",
        classic_position(
            f"{FIVE_IN_RED} R12",
            "",
            game=MIXED_A,
            phase="white",
            dice="41 .625",
            chosen={"1": "B5"},
        ),
    ),
]


@pytest.mark.parametrize(("name", "rule", "position"), BAD, ids=[name for name, _, _ in BAD])
def test_positions_that_cannot_be(name: str, rule: str | None, position: dict[str, Any]) -> None:
    with pytest.raises(BadPosition) as raised:
        qwixx.read_position(position)
    assert raised.value.rule == rule, raised.value


@MIXED
def test_there_is_no_other_field(game: Any) -> None:
    state = play_on(game, game.start(2), "34 1111")
    for field in ("R13", "R1", "W7", "r7", "R07"):
        with pytest.raises(BadRequest):
            game.choose(state, 0, field)


def test_a_sheet_says_each_field_once_and_in_the_colour_of_a_die() -> None:
    with pytest.raises(ValueError, match="twice"):
        Layout("RY", ((2, 3), (3, 2)), faces=2, tints=("RR", "RY"))
    with pytest.raises(ValueError, match="no die"):
        Layout("RY", ((2, 3), (3, 2)), faces=2, tints=("RR", "YB"))
