"""Rules S1 to S8, in both games."""

from typing import Any

import pytest

from qwixx import Dice
from qwixx.core.errors import BadDice, BadRequest, IllegalMove, NotToAct
from tables import CLASSIC, DUEL, classic, crossed, duel, pieces, play_on, refused, sheet

BOTH = pytest.mark.parametrize(
    ("game", "start"), [(CLASSIC, CLASSIC.start(2)), (DUEL, DUEL.start(2))]
)
SIX_REDS = "R2 R3 R4 R5 R6"


@BOTH
def test_S1_dice_are_rolled_before_any_decision(game: Any, start: Any) -> None:
    assert game.to_act(start) == ()
    assert game.moves(start, 0) == ()
    refused("S1", NotToAct, game.choose, start, 0, "-")
    rolled = game.roll(start, Dice.parse("41 3625"))
    assert rolled.dice == Dice((4, 1), (3, 6, 2, 5))
    refused("S1", BadRequest, game.roll, rolled, Dice.parse("41 3625"))


@BOTH
@pytest.mark.parametrize("dice", ["41 362.", "71 3625", "41 3627", "41 362", "41 36251", "99 9999"])
def test_S1_every_die_in_play_is_rolled(game: Any, start: Any, dice: str) -> None:
    refused("S1", BadDice, game.roll, start, Dice.parse(dice))


@BOTH
def test_S1_every_throw_is_told_with_its_weight(game: Any, start: Any) -> None:
    throws = dict(game.throws(start))
    assert len(throws) == 21 * 6**4
    assert sum(throws.values()) == 6**6
    assert throws[Dice.parse("11 3625")] == 1
    assert throws[Dice.parse("14 3625")] == 2
    assert Dice.parse("41 3625") not in throws
    assert game.throws(game.roll(start, Dice.parse("41 3625"))) == ()


@BOTH
def test_S2_white_action_then_colour_action_each_optional(game: Any, start: Any) -> None:
    white = game.roll(start, Dice.parse("41 3625"))
    assert white.phase == "white"
    assert game.moves(white, 0) == ("-", "R5", "Y5", "G5", "B5")
    refused("S2", IllegalMove, game.choose, white, 0, "R6")
    colour = play_on(game, white, "0:-") if game is DUEL else play_on(game, white, "0:-", "1:-")
    assert colour.phase == "colour"
    after = game.choose(colour, 0, "-")
    assert (after.phase, after.active) == ("roll", 1)


@BOTH
def test_S3_one_white_and_one_coloured_die(game: Any, start: Any) -> None:
    choices = ("0:-",) if game is DUEL else ("0:-", "1:-")
    colour = play_on(game, start, "41 3625", *choices)
    assert game.moves(colour, 0) == ("-", "R4", "R7", "Y7", "Y10", "G6", "G3", "B9", "B6")
    refused("S3", IllegalMove, game.choose, colour, 0, "R5")
    double = play_on(game, start, "44 3625", *choices)
    assert game.moves(double, 0) == ("-", "R7", "Y10", "G6", "B9")


def test_S4_closed_row_takes_nothing_more_and_its_die_leaves_at_once() -> None:
    state = classic(SIX_REDS, "", phase="white", dice="66 1111")
    closed = play_on(CLASSIC, state, "0:R12", "1:-")
    assert str(closed.dice) == "66 .111"
    assert not any(move.startswith("R") for move in CLASSIC.moves(closed, 0))
    later = play_on(CLASSIC, closed, "0:-")
    assert CLASSIC.dice_in_play(later) == ".YGB"
    refused("S4", BadDice, CLASSIC.roll, later, Dice.parse("11 1111"))
    rolled = CLASSIC.roll(later, Dice.parse("34 .111"))
    refused("S4", IllegalMove, CLASSIC.choose, rolled, 1, "R7")


def test_S4_in_the_duel() -> None:
    state = duel("R2b R3b R4b R5b R6b", phase="white", dice="66 6111")
    closed = DUEL.choose(state, 0, "R12")
    assert str(closed.dice) == "66 .111"
    later = DUEL.choose(closed, 0, "-")
    refused("S4", BadDice, DUEL.roll, later, Dice.parse("11 1111"))
    rolled = DUEL.roll(later, Dice.parse("34 .111"))
    refused("S4", IllegalMove, DUEL.choose, rolled, 1, "R7")


@pytest.mark.parametrize(
    ("count", "points"), list(enumerate([0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 66]))
)
def test_S5_triangular_points(count: int, points: int) -> None:
    greens = " ".join(f"G{number}" for number in list(range(12, 2, -1))[:count])
    if (
        count == 11
    ):  # ten numbers, the last one and the lock make 12; 11 come from leaving out one number
        greens = " ".join(f"G{number}" for number in range(11, 1, -1))
    assert CLASSIC.result(classic(greens, "")).rows[0][2] == points


def test_S5_twelve_crosses_are_worth_78() -> None:
    everything = " ".join(f"G{number}" for number in range(2, 13))
    assert CLASSIC.result(classic(everything, "")).rows[0] == (0, 0, 78, 0)


def test_S6_failed_throw_costs_five() -> None:
    assert CLASSIC.result(classic(sheet("R2", failed=3), "")).totals == (1 - 15, 0)
    assert DUEL.result(duel("R2g", failed=[1, 2])).totals == (-5, 1 - 10)


@pytest.mark.parametrize("players", [1, 2, 3, 4, 5])
def test_S7_turns_pass_in_seat_order_from_the_starter(players: int) -> None:
    for first in range(players):
        state = CLASSIC.start(players, first)
        for turn in range(2 * players):
            assert state.active == (first + turn) % players
            passes = [f"{seat}:-" for seat in range(players)]
            active = state.active
            dice = "34 1234"
            state = play_on(
                CLASSIC, state, dice, *passes[:active], *passes[active + 1 :], f"{active}:-"
            )
            moves = CLASSIC.moves(state, active)
            state = CLASSIC.choose(state, active, moves[1] if len(moves) > 1 else "-")
    assert [DUEL.start(2, first).active for first in (0, 1)] == [0, 1]
    refused("S7", BadRequest, CLASSIC.start, players, players)


def test_S8_equal_totals_share_the_win() -> None:
    over: Any = {"phase": "over", "active": 0}
    tie = CLASSIC.result(
        classic(sheet("", failed=4), sheet("", failed=3), sheet("R2", failed=3), **over)
    )
    assert tie.winners == (2,)
    both = CLASSIC.result(classic(sheet("R2 R3 R4 R5 R6", failed=4), sheet("", failed=1), **over))
    assert (both.totals, both.winners) == ((-5, -5), (0, 1))
    grey = DUEL.result(duel("R2g R3b Y2b", phase="over", active=0, failed=[3, 1]))
    assert (grey.totals, grey.winners) == ((-13, -4), (1,))


def test_crosses_land_where_they_should() -> None:
    white = play_on(CLASSIC, CLASSIC.start(2), "41 3625", "1:Y5", "0:R5")
    assert (crossed(white, 0), crossed(white, 1)) == ({"R5"}, {"Y5"})
    assert pieces(play_on(DUEL, DUEL.start(2), "41 3625", "0:R5", "0:B9")) == {"R5b", "B9b"}
