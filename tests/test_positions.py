"""Positions: what is written, what is read back, and what cannot be."""

import json
from random import Random
from typing import Any

import pytest

import qwixx
from qwixx.core.errors import BadPosition
from sweeps import sweep
from tables import (
    CLASSIC,
    DUEL,
    USUAL_TABLES,
    classic,
    classic_position,
    duel,
    duel_position,
    random_events,
    sheet,
)

CLASSIC_EXAMPLE = """
{"game": "classic", "active": 0, "phase": "colour", "dice": "41 3625", "white": "R5", "chosen": {},
 "sheets": [{"R": [5], "Y": [], "G": [12, 9], "B": [], "locks": "", "failed": 0},
            {"R": [], "Y": [5], "G": [], "B": [], "locks": "", "failed": 1}]}"""
DUEL_EXAMPLE = """
{"game": "duel", "active": 1, "phase": "white", "dice": "41 3625", "white": null,
 "rows": {"R": {"3": "g", "5": "b", "7": "b"}, "Y": {}, "G": {}, "B": {"8": "g", "5": "gg"}},
 "locks": {"R": null, "Y": null, "G": null, "B": null}, "failed": [0, 1]}"""


@pytest.mark.parametrize("text", [CLASSIC_EXAMPLE, DUEL_EXAMPLE])
def test_documented_positions_round_trip_to_the_letter(text: str) -> None:
    position = json.loads(text)
    game, state = qwixx.read_position(position)
    assert json.dumps(game.to_position(state)) == json.dumps(position)


@pytest.mark.parametrize("seeds", sweep([range(5), range(5, 40)]), ids=["few", "many"])
@pytest.mark.parametrize(("game_id", "players"), USUAL_TABLES)
def test_every_position_of_random_games_round_trips(
    game_id: str, players: int, seeds: range
) -> None:
    game = qwixx.game(game_id)
    for seed in seeds:
        for _, _, state in random_events(game, players, Random(seed)):
            position = json.loads(json.dumps(game.to_position(state)))
            assert game.from_position(position) == state
            for seat in (*range(players), None):
                view = game.view(state, seat)
                assert game.from_position(game.to_position(view)) == view


FIVE = "R2 R3 R4 R5 R6 "
LOCKED = sheet(FIVE + "R12")

BAD_CLASSIC: list[tuple[str, str | None, dict[str, Any]]] = [
    ("no sheets", None, classic_position()),
    ("six sheets", None, classic_position(*[""] * 6)),
    ("unknown phase", None, classic_position("", phase="later")),
    ("active out of range", None, classic_position("", "", active=2)),
    ("active is a truth value", None, classic_position("", "", active=True)),
    ("a number no row has", None, classic_position({**sheet(), "R": [13]})),
    ("a number as text", None, classic_position({**sheet(), "R": ["5"]})),
    ("out of order", "C1", classic_position({**sheet(), "R": [7, 5]})),
    ("green listed upwards", "C1", classic_position({**sheet(), "G": [9, 12]})),
    ("twice the same", "C1", classic_position({**sheet(), "R": [5, 5]})),
    ("last number without its lock", "C7", classic_position({**sheet(FIVE + "R12"), "locks": ""})),
    ("lock without the last number", "C7", classic_position({**sheet(FIVE), "locks": "R"})),
    ("lock without six numbers", "C6", classic_position(sheet("R2 R3 R4 R5 R12"))),
    ("last number beside another's lock", "C7", classic_position(LOCKED, {**LOCKED, "locks": ""})),
    ("last number beside another's lock, too few", "C6", classic_position(LOCKED, sheet("R5 R12"))),
    ("locks out of order", None, classic_position({**sheet(), "locks": "YR"})),
    ("locks of no colour", None, classic_position({**sheet(), "locks": "W"})),
    ("five failed throws", None, classic_position(sheet(failed=5))),
    ("failed throws below none", None, classic_position(sheet(failed=-1))),
    ("two rows closed and not over", None, classic_position(LOCKED, "Y2 Y3 Y4 Y5 Y6 Y12")),
    ("four failed throws and not over", None, classic_position(sheet(failed=4))),
    ("over for no reason", None, classic_position("", phase="over")),
    (
        "two seats with four failed",
        "C10",
        classic_position(sheet(failed=4), sheet(failed=4), phase="over"),
    ),
    (
        "another seat's fourth failed",
        "C5",
        classic_position(sheet(failed=4), "", active=1, phase="over"),
    ),
    (
        "over by rows and by failed throws",
        "C10",
        classic_position(sheet(FIVE + "R12", failed=4), "Y2 Y3 Y4 Y5 Y6 Y12", phase="over"),
    ),
    ("dice before the roll", None, classic_position("", dice="41 3625")),
    ("no dice after the roll", None, classic_position("", phase="white")),
    ("die of a closed row", "S4", classic_position(LOCKED, phase="white", dice="41 3625")),
    ("die of an open row gone", "S1", classic_position("", phase="white", dice="41 36.5")),
    ("a seven", "S1", classic_position("", phase="white", dice="41 3627")),
    ("white in phase white", None, classic_position("", phase="white", dice="41 3625", white="-")),
    ("no white in phase colour", "S2", classic_position("", phase="colour", dice="41 3625")),
    ("white not the sum", "S2", classic_position("R6", phase="colour", dice="41 3625", white="R6")),
    ("white not crossed", "C1", classic_position("", phase="colour", dice="41 3625", white="R5")),
    (
        "white not rightmost",
        "C1",
        classic_position("R5 R6", phase="colour", dice="41 3625", white="R5"),
    ),
    ("white is no text", "S2", classic_position("", phase="colour", dice="41 3625", white=["R5"])),
    (
        "white in a row that was closed before",
        "S4",
        classic_position("R5", LOCKED, phase="colour", dice="41 .625", white="R5"),
    ),
    ("chosen outside phase white", None, classic_position("", "", chosen={"0": "-"})),
    (
        "all have chosen",
        "C3",
        classic_position("", phase="white", dice="41 3625", chosen={"0": "-"}),
    ),
    (
        "chosen by nobody here",
        None,
        classic_position("", "", phase="white", dice="41 3625", chosen={"2": "-"}),
    ),
    (
        "chosen illegal",
        "C1",
        classic_position("R7", "", phase="white", dice="41 3625", chosen={"0": "R5"}),
    ),
    (
        "chosen not the sum",
        "S2",
        classic_position("", "", phase="white", dice="41 3625", chosen={"0": "R6"}),
    ),
    (
        "chosen is a number",
        "S2",
        classic_position("", "", phase="white", dice="41 3625", chosen={"0": 5}),
    ),
    (
        "four rows closed",
        "C11",
        classic_position(
            sheet("R2 R3 R4 R5 R6 R12 G12 G11 G10 G9 G8 G2"),
            sheet("Y2 Y3 Y4 Y5 Y6 Y12"),
            sheet("B12 B11 B10 B9 B8 B2"),
            phase="over",
        ),
    ),
    (
        "three rows closed, two of one sum by one seat",
        "C11",
        classic_position(
            sheet("R2 R3 R4 R5 R6 R12 Y2 Y3 Y4 Y5 Y6 Y12"),
            sheet("G12 G11 G10 G9 G8 G2"),
            phase="over",
        ),
    ),
]


@pytest.mark.parametrize(
    ("name", "rule", "position"), BAD_CLASSIC, ids=[name for name, _, _ in BAD_CLASSIC]
)
def test_classic_positions_that_cannot_be(
    name: str, rule: str | None, position: dict[str, Any]
) -> None:
    with pytest.raises(BadPosition) as raised:
        CLASSIC.from_position(position)
    assert raised.value.rule == rule, raised.value


def test_three_rows_can_be_closed_if_two_fell_together() -> None:
    both = [sheet("R2 R3 R4 R5 R6 R12 G12 G11 G10 G9 G8 G2"), sheet("Y2 Y3 Y4 Y5 Y6 Y12")]
    assert CLASSIC.result(classic(*both, phase="over")).reason == "rows"


def test_two_seats_may_hold_the_same_lock() -> None:
    assert classic(LOCKED, LOCKED).closed == (True, False, False, False)


FIVE_BLACK = "R2b R3b R4b R5b R6b "
TWO_LOCKS = "R12b R*b Y2bbbbb Y12b Y*b"
TWENTY = "R2bbbbb Y2bbbbb G12bbbbb B12bbbbb "

BAD_DUEL: list[tuple[str, str | None, dict[str, Any]]] = [
    ("two owners on one field", "D3", duel_position("R5bg")),
    (
        "an empty field written",
        None,
        {**duel_position(), "rows": {"R": {"5": ""}, "Y": {}, "G": {}, "B": {}}},
    ),
    (
        "a letter of nobody",
        "D3",
        {**duel_position(), "rows": {"R": {"5": "x"}, "Y": {}, "G": {}, "B": {}}},
    ),
    ("a number no row has", None, duel_position("R13b")),
    ("a row missing", None, {**duel_position(), "rows": {"R": {}, "Y": {}, "G": {}}}),
    ("a lock missing", None, {**duel_position(), "locks": {"R": None}}),
    ("a lock of nobody", None, duel_position(locks={"R": "x", "Y": None, "G": None, "B": None})),
    ("more than 22 pieces", "D12", duel_position(TWENTY + "R4bbb", phase="over")),
    (
        "both out of pieces",
        "D12",
        duel_position(TWENTY + "G11bb R4gggggggggggg Y4gggggggggg", phase="over"),
    ),
    ("last number without its lock", "D10", duel_position(FIVE_BLACK + "R12b")),
    ("lock without the last number", "D10", duel_position(FIVE_BLACK + "R*b")),
    ("another's lock", "D10", duel_position(FIVE_BLACK + "R12b R*g")),
    ("last number with too few", "D9", duel_position("R2b R12b R*b")),
    ("a stack on the last number", "D10", duel_position(FIVE_BLACK + "R12bb R*b")),
    (
        "three rows closed",
        "D12",
        duel_position(FIVE_BLACK + "R12b R*b Y2bbbbb Y12b Y*b G9ggggg G2g G*g", phase="over"),
    ),
    ("two rows closed and not over", None, duel_position(FIVE_BLACK + TWO_LOCKS)),
    (
        "rows closed by the other",
        "D1",
        duel_position(FIVE_BLACK + TWO_LOCKS, active=1, phase="over"),
    ),
    ("five failed throws", "D12", duel_position(failed=[3, 2])),
    ("one failed count", "D12", duel_position(failed=[1])),
    ("failed of no number", "D12", duel_position(failed=[True, 0])),
    ("four failed and not over", None, duel_position(failed=[2, 2])),
    ("the other's failed throw", "D8", duel_position(failed=[4, 0], active=1, phase="over")),
    ("the other's last piece", "D1", duel_position(TWENTY + "G11bb", active=1, phase="over")),
    ("over for no reason", None, duel_position(phase="over")),
    ("ended twice", "D12", duel_position(FIVE_BLACK + TWO_LOCKS, failed=[2, 2], phase="over")),
    (
        "die of a closed row",
        "S4",
        duel_position(FIVE_BLACK + "R12b R*b", phase="white", dice="41 3625"),
    ),
    (
        "no piece can have been the last",
        "D5",
        duel_position("R3bbbbbb R4g Y3bbbbbb Y4g G10bbbbb G9g B10bbbbb B9g", phase="over"),
    ),
    (
        "white in a row that was closed before",
        "S4",
        duel_position("R2ggggg R12g R*g R7b", phase="colour", dice="34 .222", white="R7"),
    ),
    (
        "a colour of no row",
        None,
        {**duel_position(), "rows": {**duel_position()["rows"], "X": {"1": "b"}}},
    ),
    ("white not placed", "D2", duel_position(phase="colour", dice="41 3625", white="R5")),
    ("white of the other", "D2", duel_position("R5g", phase="colour", dice="41 3625", white="R5")),
    (
        "white not rightmost",
        "D2",
        duel_position("R5b R6b", phase="colour", dice="41 3625", white="R5"),
    ),
    (
        "white on an overtaken stack",
        "D6",
        duel_position("R5bb R6g", phase="colour", dice="41 3625", white="R5"),
    ),
]


@pytest.mark.parametrize(
    ("name", "rule", "position"), BAD_DUEL, ids=[name for name, _, _ in BAD_DUEL]
)
def test_duel_positions_that_cannot_be(
    name: str, rule: str | None, position: dict[str, Any]
) -> None:
    with pytest.raises(BadPosition) as raised:
        DUEL.from_position(position)
    assert raised.value.rule == rule, raised.value


def test_last_piece_on_the_last_number_needs_no_lock() -> None:
    over = duel(TWENTY + "G11b R12b", phase="over")
    assert DUEL.result(over).reason == "pieces"


@pytest.mark.parametrize(
    "value", [None, 3, "x", [], {}, {"game": "chess"}, {"game": ["duel"]}, {"game": None}]
)
def test_no_position_at_all(value: Any) -> None:
    with pytest.raises(BadPosition):
        qwixx.read_position(value)


@pytest.mark.parametrize("key", ["active", "phase", "dice", "white", "chosen", "sheets"])
def test_every_key_is_needed(key: str) -> None:
    position = classic_position("", "")
    del position[key]
    with pytest.raises(BadPosition, match=key):
        CLASSIC.from_position(position)
