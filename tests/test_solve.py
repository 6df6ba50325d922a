"""The exact practice game: brute force on miniatures, symmetry,
the policy played by the law, the kept table."""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

import pytest

import qwixx
from qwixx.core.errors import NotToAct
from qwixx.core.fields import Layout
from qwixx.files import tables as store
from qwixx.games.classic import solution as solve
from qwixx.games.classic.rules import Classic
from qwixx.games.classic.state import ClassicState
from qwixx.lab.practice.solve import compute
from sweeps import sweep
from tables import CLASSIC, classic, classic_position, play_on, sheet
from test_tiny import throws

MINI = Classic(Layout("RB", ((2, 3, 4), (4, 3, 2)), faces=2), to_lock=2, most_failed=2)
RISING, FALLING = tuple(range(2, 7)), tuple(range(6, 1, -1))
SMALL = Classic(
    Layout("RYGB", (RISING, RISING, FALLING, FALLING), faces=3), to_lock=2, most_failed=3
)


@cache
def solved(game: Classic, players: int = 1) -> solve.Solution:
    return compute(solve.sizes_of(game), players)


def own_turn(
    game: Classic, state: ClassicState, dice: qwixx.Dice, after: Callable[[ClassicState], float]
) -> float:
    """The best of a turn, all dice known, by trying everything."""
    state = game.roll(state, dice)
    values = []
    for move in game.moves(state, 0):
        then = game.choose(state, 0, move)
        ends = (
            [then]
            if then.phase == "over"
            else [game.choose(then, 0, last) for last in game.moves(then, 0)]
        )
        values += [after(end) for end in ends]
    return max(values)


def waiting(
    game: Classic, state: ClassicState, dice: qwixx.Dice, after: Callable[[ClassicState], float]
) -> float:
    """The best of somebody else's turn: the white action, and no failed throw."""
    state = game.roll(state, dice)
    values = []
    for move in game.moves(state, 0):
        then = game.choose(state, 0, move)
        values.append(
            after(
                then if then.phase == "over" else then._replace(phase="roll", dice=None, white=None)
            )
        )
    return max(values)


def brute(game: Classic, players: int) -> float:
    """The value of the game to the seat that begins, over all dice and all choices,
    with no symmetry used."""

    @cache
    def value(state: ClassicState, wait: int) -> float:
        if state.phase == "over":
            return game.result(state).totals[0]
        turn, left = (waiting, wait - 1) if wait else (own_turn, players - 1)
        return fmean(
            turn(game, state, dice, lambda end: value(end, left)) for dice in throws(game, state)
        )

    return value(game.start(1), 0)


@pytest.mark.parametrize("players", [1, 2, 3])
def test_a_two_row_miniature_agrees_with_brute_force(players: int) -> None:
    assert solved(MINI, players).value(MINI, MINI.start(players), 0) == pytest.approx(
        brute(MINI, players), abs=1e-9
    )


def test_a_turn_agrees_with_every_roll_of_all_dice() -> None:
    """One step of a four-row table,
    worked out again over every roll by the law and the values of what follows."""
    found = solved(SMALL)
    start = SMALL.start(1)

    def after(state: ClassicState) -> float:
        return found.value(SMALL, state, 0)

    over_all = fmean(own_turn(SMALL, start, dice, after) for dice in throws(SMALL, start))
    assert found.seats[0] == pytest.approx(over_all, abs=1e-9)


def mirrored(position: dict[str, Any], dice: str) -> tuple[dict[str, Any], str]:
    """Every number turned round, so that rising rows fall: red is green, yellow is blue."""
    turned = {"R": "G", "Y": "B", "G": "R", "B": "Y"}
    (own,) = position["sheets"]
    rows = {turned[colour]: [14 - number for number in own[colour]] for colour in "RYGB"}
    locks = "".join(colour for colour in "RYGB" if turned[colour] in own["locks"])
    whites, coloured = (
        "".join("." if die == "." else str(7 - int(die)) for die in part) for part in dice.split()
    )
    return {**position, "sheets": [{**rows, "locks": locks, "failed": own["failed"]}]}, (
        f"{whites} {coloured[2:]}{coloured[:2]}"
    )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own for tables."""
    monkeypatch.setenv("QWIXX_CACHE", str(tmp_path))
    return tmp_path


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "qwixx", "solve", *words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def best(solution: solve.Solution, game: Classic, state: ClassicState) -> str:
    choices = solution.choices(game, state, 0)
    return max(choices, key=lambda move: choices[move].value)


def play(solution: solve.Solution, game: Classic, rng: Random) -> int:
    """A game of the optimal policy by the law alone; its score."""
    state = game.start(1)
    while state.phase != "over":
        if state.phase == "roll":
            state = game.roll(state, qwixx.throw(rng, game.dice_in_play(state), game.layout.faces))
        state = game.choose(state, 0, best(solution, game, state))
    return game.result(state).totals[0]


def check_simulation(solution: solve.Solution, game: Classic, games: int) -> None:
    rng = Random(1)
    scores = [play(solution, game, rng) for _ in range(games)]
    error = stdev(scores) / games**0.5
    assert abs(fmean(scores) - solution.seats[0]) < 4 * error


@pytest.mark.parametrize("games", sweep([200, 3000]))
def test_the_optimal_policy_of_a_small_game_played_through_the_law(games: int) -> None:
    check_simulation(solved(SMALL), SMALL, games)


@pytest.mark.long
def test_the_real_game_from_nothing_to_advice(place: Path) -> None:
    done = run("--json")
    assert done.stderr == ""
    answer = json.loads(done.stdout)
    assert answer["states"] == 5_455_128
    assert answer["value"] == 115.483126
    assert not answer["cached"]
    again = json.loads(run("--json").stdout)
    assert (again["value"], again["cached"]) == (answer["value"], True)
    assert run().stdout.startswith("value   115.483126\nstates  5,455,128")

    solution = solve.kept(CLASSIC, 1)
    assert solution is not None
    check_simulation(solution, CLASSIC, 100)
    check_symmetry(solution)

    position = json.dumps(classic_position("R2 R3 Y2", phase="roll"))
    advice = json.loads(run("--position", position, "--dice", "22 1625", "--json").stdout)
    state = play_on(CLASSIC, classic("R2 R3 Y2"), "22 1625")
    assert list(advice["values"]) == list(CLASSIC.moves(state, 0))
    assert (
        advice["best"]
        == best(solution, CLASSIC, state)
        == max(advice["values"], key=advice["values"].get)
    )
    assert advice["value"] == max(advice["values"].values())
    shown = run("--position", position, "--dice", "22 1625").stdout.splitlines()
    assert shown[0].split()[:2] == ["best", advice["best"]]
    assert len(shown) == 1 + len(advice["values"])
    value = json.loads(run("--position", position, "--json").stdout)["value"]
    assert value == pytest.approx(solution.value(CLASSIC, classic("R2 R3 Y2"), 0), abs=1e-6)


@pytest.mark.long
def test_a_damaged_table_of_the_real_game_is_made_again(place: Path) -> None:
    answer = json.loads(run("--json").stdout)
    (table,) = (place / "tables").iterdir()
    whole = table.read_bytes()
    table.write_bytes(whole[:9000] + bytes([whole[9000] ^ 1]) + whole[9001:])
    rebuilt = json.loads(run("--json").stdout)
    assert (rebuilt["value"], rebuilt["cached"]) == (answer["value"], False)
    assert table.read_bytes()[4096:] == whole[4096:]
    solution = solve.kept(CLASSIC, 1)
    assert solution is not None
    check_simulation(solution, CLASSIC, 500)


def check_symmetry(solution: solve.Solution) -> None:
    positions = [
        ("R2 R5 Y3 G12 G10 B9", "41 3625"),
        ("R2 R3 R4 R5 R6 G11", "66 6615"),
        ("R2 R3 R4 R5 R6 R12 Y4", "21 .125"),
    ]
    for fields, dice in positions:
        position = classic_position(sheet(fields, failed=1))
        other, other_dice = mirrored(position, dice)
        found = [
            solution.choices(CLASSIC, play_on(CLASSIC, CLASSIC.from_position(one), two), 0)
            for one, two in ((position, dice), (other, other_dice))
        ]
        values = [sorted(choice.value for choice in choices.values()) for choices in found]
        assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_the_friendly_game_is_worth_more_with_every_seat(place: Path) -> None:
    """More throws of others to use, and nobody to fear:
    the value rises with the players and with waiting."""
    values = [solved(SMALL, players).seats for players in range(1, 6)]
    assert [len(seats) for seats in values] == [1, 2, 3, 4, 5]
    assert all(seats == sorted(seats) for seats in values)
    begins = [seats[0] for seats in values]
    assert begins == sorted(begins)
    assert begins[0] < begins[1]


def test_advice_to_every_seat_of_the_friendly_game() -> None:
    solution = solved(SMALL, 3)
    state = play_on(SMALL, SMALL.start(3, 1), "12 1231")
    for seat in range(3):
        choices = solution.choices(SMALL, state, seat)
        assert list(choices) == list(SMALL.moves(state, seat))
        assert all((choice.then is not None) == (seat == 1) for choice in choices.values())
    waits = [solution.choices(SMALL, state, seat)["-"].value for seat in (2, 0)]
    # Seat 2 is next, then seat 0.
    assert waits == [pytest.approx(value) for value in solution.seats[:2]]
    with pytest.raises(NotToAct):
        solution.choices(SMALL, play_on(SMALL, state, "2:-"), 2)


def test_the_dice_are_seen_before_the_white_action() -> None:
    """The value of a white choice has the best colour action in it."""
    solution = solved(SMALL)
    for whites, coloured in product(("11", "13", "33"), ("1111", "3213")):
        state = play_on(SMALL, SMALL.start(1), f"{whites} {coloured}")
        for move, choice in solution.choices(SMALL, state, 0).items():
            after = SMALL.choose(state, 0, move)
            assert after.phase == "over" or choice.value == max(
                then.value for then in solution.choices(SMALL, after, 0).values()
            )


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "a flipped bit": lambda whole: whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:],
    "a flipped bit of the head": lambda whole: whole.replace(b'"players": 1', b'"players": 2'),
    "cut short": lambda whole: whole[:-8],
    "too long": lambda whole: whole + b"12345678",
    "an older format": lambda whole: whole.replace(b"qwixx-table/1", b"qwixx-table/0"),
    "nothing": lambda whole: whole[:0],
    "only a head": lambda whole: whole[:4096],
    "something else": lambda whole: b"\xff" * len(whole),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_or_old_table_is_never_trusted(place: Path, damage: str) -> None:
    made = solved(SMALL)
    solve.keep(SMALL, made)
    (path,) = (place / "tables").iterdir()
    found = solve.kept(SMALL, 1)
    assert found is not None
    assert found.seats == made.seats
    assert (found.seconds, found.states) == (made.seconds, made.states)
    assert not found.values.flags.writeable
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    assert solve.kept(SMALL, 1) is None
    solve.keep(SMALL, made)
    assert solve.kept(SMALL, 1) is not None


def test_a_table_of_other_rules_or_players_is_another_table(place: Path) -> None:
    solve.keep(SMALL, solved(SMALL))
    assert solve.kept(SMALL, 2) is None
    path = store.path("classic-1.table")
    path.rename(store.path("classic-2.table"))
    assert solve.kept(SMALL, 2) is None
    store.path("classic-2.table").rename(path)
    assert solve.kept(Classic(SMALL.layout, to_lock=3, most_failed=3), 1) is None


def test_where_no_table_can_be_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "a file").write_text("")
    monkeypatch.setenv("QWIXX_CACHE", str(place / "a file"))
    with pytest.raises(qwixx.QwixxError, match="QWIXX_CACHE"):
        solve.keep(SMALL, solved(SMALL))


COLOUR_ACTION = classic_position("R5", "", phase="colour", dice="41 3625", white="R5")
WRONG = [
    (("--position", "{"), 1, "not JSON"),
    (("--position", "/no/such/file"), 1, "neither a JSON object nor a file"),
    (("--position", '{"game": "duel"}'), 1, '"the position" lacks'),
    (("--dice", "41"), 1, "dice are not written"),
    (("--dice", "41 362."), 1, "still in play"),
    (("--players", "6"), 2, "--players"),
    (("--seat", "1"), 2, "--seat"),
    (("--players", "2", "--dice", "41 3625", "--seat", "2"), 2, "--seat"),
    (("--position", json.dumps(COLOUR_ACTION), "--seat", "1"), 1, "no choice to make"),
    (("--position", json.dumps(COLOUR_ACTION), "--dice", "41 3625"), 1, "the dice lie already"),
    (("--players", "2", "--position", json.dumps(classic_position(""))), 2, "1 sheets"),
    (
        (
            "--position",
            json.dumps(classic_position(sheet(failed=4), phase="over")),
            "--dice",
            "41 3625",
        ),
        1,
        "over",
    ),
]


@pytest.mark.parametrize(("words", "status", "message"), WRONG)
def test_errors_are_one_plain_line(
    place: Path, words: tuple[str, ...], status: int, message: str
) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (status, "")
    assert done.stderr.startswith("qwixx: ")
    assert done.stderr.count("\n") == 1
    assert message.replace('"the position"', "the position") in done.stderr
