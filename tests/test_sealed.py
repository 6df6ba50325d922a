"""Where several choose at once and it matters, they choose as in equilibrium:
nobody gains by choosing otherwise."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from random import Random
from typing import Any

import numpy as np
import pytest

from qwixx import bots
from qwixx.bots import expert, master
from qwixx.bots.judging import Judge, fair, options_of, together
from qwixx.bots.luck import Luck
from qwixx.bots.sealed import Sealed
from qwixx.compiled import chance, thinking
from qwixx.compiled.equilibrium import equilibrium as compiled_equilibrium
from qwixx.compiled.printed import pack_move
from qwixx.core.equilibrium import MIX_ONE, TOLERANCE, equilibrium
from qwixx.core.values import WIN, Value
from sweeps import sweep
from tables import CLASSIC, classic, play_on, sheet
from test_kernels import kernel_of
from test_trained import mind_of

# Two can close different rows at once, which ends the game: the leader wants that, the other not.
BOTH_CLOSE: dict[str, tuple[str, str | dict[str, Any], str | dict[str, Any]]] = {
    "level": (
        "66 3453",
        "R4 R5 R6 R7 R9 Y3 Y6 Y7 Y8 Y9 Y10 G9 G8 G7 G6 B11 B8 B7",
        "R4 R5 R6 R7 R9 Y3 Y4 Y6 Y8 Y9 G9 G8 G7 G6 G5 B10 B9 B8 B7",
    ),
    "far behind": (
        "11 4222",
        "R4 R5 R6 R7 R8 Y4 Y5 G11 G9 G8 G7 G6 B10 B8 B7 B5 B3",
        "R4 Y4 Y6 Y7 Y9 Y11 G12 G10 G8 G7 G6 B11 B10 B8 B7 B6 B5 B4 B3",
    ),
    "late": (
        "66 2233",
        sheet(
            "R2 R4 R5 R6 R7 R9 Y2 Y4 Y5 Y7 Y8 Y10 G9 G8 G7 G5 G4 B11 B9 B8 B7 B6 B5 B4 B3",
            failed=1,
        ),
        "R4 R5 R7 R8 R9 Y2 Y4 Y5 Y6 Y8 Y10 Y11 G10 G9 G8 G7 G6 G4 G3 B9 B8 B7 B6 B5 B4",
    ),
}
# The active seat goes on with a colour action that only the look finds: both must know of it.
BOTH_CLOSE_AND_GO_ON: list[tuple[str, int, str | dict[str, Any], str]] = [
    ("11 5466", 0, "R3 G10 G8 G7 G6 G5 B11 B10 B9", "R3 Y3 Y4 G10 B10 B8 B7 B6 B5"),
    (
        "66 2436",
        1,
        sheet(
            "R2 R3 R5 R7 R9 R10 Y4 Y7 Y8 Y9 Y10 G11 G10 G9 G8 G7 B11 B8 B7 B6",
            failed=1,
        ),
        "R4 R5 R7 R9 R10 R11 Y2 Y5 Y6 Y7 G12 G11 G9 G8 G7 G5 B11 B9 B7 B6 B5",
    ),
    (
        "11 3655",
        0,
        "R3 R6 R7 Y3 Y5 G11 G10 G8 G6 G5 G4 B12 B11",
        "R4 R6 R7 R8 Y3 Y5 G12 G10 G8 B11 B10 B8 B7 B3",
    ),
    (
        "66 5211",
        0,
        "R4 R5 R7 R8 Y3 Y5 Y6 Y7 Y8 Y9 G11 B11 B10 B8 B7 B5 B4",
        "R3 R5 R7 R8 R10 Y5 Y7 Y8 Y9 Y10 G9 G7 B11 B9 B8 B7 B5",
    ),
]
Matrix = list[list[Fraction]]


def both_close(name: str) -> Any:
    dice, *sheets = BOTH_CLOSE[name]
    return classic(*sheets, active=1, phase="white", dice=dice)


def late_table(players: int, rng: Random) -> Any:
    """Full sheets, and dice that often close a row."""
    sheets = []
    for _ in range(players):
        crossed: list[str] = []
        for colour, numbers in (("R", range(2, 12)), ("Y", range(2, 12)), ("G", range(3, 13))):
            some = rng.sample(list(numbers), rng.choice([0, 3, 5, 6, 8]))
            crossed += [f"{colour}{number}" for number in some]
        sheets.append(" ".join(crossed))
    dice = rng.choice(["66", "11", "65", "34"])
    coloured = "".join(str(rng.randint(1, 6)) for _ in range(4))
    return classic(*sheets, active=rng.randrange(players), phase="white", dice=f"{dice} {coloured}")


# --- by brute force ---


def solved(rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> list[Fraction] | None:
    """The solution of as many equations as there are unknowns, if there is one alone."""
    size = len(rows)
    table = [[*row, value] for row, value in zip(rows, right, strict=True)]
    for column in range(size):
        pivot = next((line for line in range(column, size) if table[line][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [entry / table[column][column] for entry in table[column]]
        for line in range(size):
            if line != column:
                times = table[line][column]
                table[line] = [
                    entry - times * above
                    for entry, above in zip(table[line], table[column], strict=True)
                ]
    return [line[-1] for line in table]


def exact_value(matrix: Matrix) -> Fraction:
    """The value of a game to who chooses the row, what one gains the other losing:
    every choice of rows and columns is tried, until nobody gains by another."""
    down, across = len(matrix), len(matrix[0])
    for size in range(1, min(down, across) + 1):
        for rows, columns in product(
            combinations(range(down), size), combinations(range(across), size)
        ):
            one, zero = Fraction(1), Fraction(0)
            sums = [one] * size + [zero]
            mine = solved(
                [*[[matrix[i][j] for i in rows] + [-one] for j in columns], sums],
                [zero] * size + [one],
            )
            his = solved(
                [*[[matrix[i][j] for j in columns] + [-one] for i in rows], sums],
                [zero] * size + [one],
            )
            if mine is None or his is None or min(*mine[:-1], *his[:-1]) < 0:
                continue
            best = max(
                sum((his[k] * matrix[i][j] for k, j in enumerate(columns)), zero)
                for i in range(down)
            )
            worst = min(
                sum((mine[k] * matrix[i][j] for k, i in enumerate(rows)), zero)
                for j in range(across)
            )
            if best <= mine[-1] <= worst:
                return mine[-1]
    raise AssertionError("every such game has a value")


def all_outcomes(
    judge: Judge, state: Any, further: bool
) -> dict[tuple[str, str], dict[int, Value]]:
    """Every pair of choices of two seats, the active one going on as it likes best; what that is
    worth to both."""
    game, options = judge.game, options_of(judge.game, state)
    found = {}
    for moves in product(options[0], options[1]):
        end = together(game, state, dict(enumerate(moves)))
        if end.phase == "colour":
            ends = [game.choose(end, end.active, then) for then in game.moves(end, end.active)]
            values = judge((one, state.active) for one in ends)
            end = max(ends, key=lambda one: values[one, state.active].worth)
        told = {
            seat: master.next_throw(judge, end, seat)
            if further and end.phase != "over"
            else judge([(end, seat)])[end, seat]
            for seat in range(2)
        }
        found[moves] = {seat: fair(told, seat) for seat in range(2)}
    return found


def matrix_of(values: Mapping[tuple[str, str], Mapping[int, Value]]) -> Matrix:
    """What the first seat has more than the other in every outcome."""
    rows = dict.fromkeys(one for one, _ in values)
    columns = dict.fromkeys(other for _, other in values)
    return [
        [Fraction(values[i, j][0].worth - values[i, j][1].worth) for j in columns] for i in rows
    ]


def gap(matrix: Matrix, one: Sequence[int], other: Sequence[int]) -> Fraction:
    """What both could gain together by choosing otherwise."""
    best = max(_times(row, other) for row in matrix)
    worst = min(_times(column, one) for column in zip(*matrix, strict=True))
    return (best - worst) / MIX_ONE


def _times(some: Sequence[Fraction], shares: Sequence[int]) -> Fraction:
    return sum((a * b for a, b in zip(some, shares, strict=True)), Fraction())


# --- the equilibrium ---


def test_an_equilibrium_is_the_one_of_brute_force_to_its_gap() -> None:
    rng = Random(1)
    for number in range(40):
        sizes = (rng.randint(1, 3), rng.randint(1, 3)) if number % 4 else (2, 2)
        matrix = [
            [Fraction(rng.randrange(-WIN, WIN)) for _ in range(sizes[1])] for _ in range(sizes[0])
        ]
        payoffs = [(int(matrix[i][j]), -int(matrix[i][j])) for i, j in product(*map(range, sizes))]
        mix = equilibrium(sizes, payoffs)
        assert [sum(shares) for shares in mix] == [MIX_ONE, MIX_ONE]
        lost = gap(matrix, *mix)
        # Two of two are mixed exactly, but for the fineness of the shares.
        assert lost <= (WIN // 5000 if sizes == (2, 2) else WIN // 250) + 2 * TOLERANCE
        value = exact_value(matrix)
        got = _times([_times(row, mix[1]) for row in matrix], mix[0]) / MIX_ONE**2
        assert abs(got - value) <= lost


def test_the_compiled_equilibrium_is_the_plain_one() -> None:
    rng = Random(2)
    for _ in range(25):
        sizes = [rng.randint(1, 3) for _ in range(rng.randint(2, 4))]
        payoffs = [
            [rng.randrange(2 * WIN) - WIN for _ in sizes] for _ in range(int(np.prod(sizes)))
        ]
        mix = np.zeros((len(sizes), 3), np.int64)
        compiled_equilibrium(np.array(sizes), np.array(payoffs), mix)
        found = [row[:size] for row, size in zip(mix.tolist(), sizes, strict=True)]
        assert found == equilibrium(sizes, payoffs)


def game_of(state: Any, judge: Judge) -> Sealed:
    thought = expert.think(judge, state, 0)
    assert thought.game is not None
    return thought.game


@pytest.mark.parametrize("name", BOTH_CLOSE)
@pytest.mark.parametrize("small", [True, False])
def test_two_who_can_close_are_in_equilibrium(name: str, small: bool) -> None:
    state, judge = both_close(name), Judge(CLASSIC, 2, small)
    matrix, game = matrix_of(all_outcomes(judge, state, False)), game_of(state, judge)
    shares = [
        [mix.get(move, 0) for move in moves]
        for mix, moves in zip(game.mix, game.options, strict=True)
    ]
    lost = gap(matrix, *shares)
    assert lost <= 4 * TOLERANCE  # 0.2 % of a win, of twice what both have
    told = game.mean(0).worth - game.mean(1).worth
    # Shares of outcomes are rounded down.
    assert abs(told - exact_value(matrix)) <= lost + 8 * WIN // MIX_ONE


@pytest.mark.parametrize("name", BOTH_CLOSE)
def test_the_master_is_in_equilibrium_a_throw_further(name: str) -> None:
    state, bot, judge = both_close(name), master.MasterBot(1000.0), Judge(CLASSIC, 2)
    value = exact_value(matrix_of(all_outcomes(judge, state, True)))
    told = []
    for seat in range(2):
        decision = bots.decide(bot, CLASSIC, state, seat, Random(1))
        chosen = decision.values[decision.move]
        assert chosen is not None
        best = max(found.win for found in decision.values.values() if found)
        assert chosen.win >= best - WIN // 500  # those that are mixed are alike
        told.append(chosen)
    assert abs(told[0].win + told[1].win - WIN) <= WIN // 100
    assert abs(told[0].worth - told[1].worth - value) <= WIN // 100


def told_by_master(state: Any, seat: int) -> int:
    """The chance that the compiled master tells of its choice."""
    kernel, wins, points = kernel_of("classic"), np.zeros(64, np.int64), np.zeros(64, np.int64)
    mind = mind_of("classic", 2, "master")
    board, table = kernel.board(CLASSIC), kernel.pack(CLASSIC, state)
    return int(wins[thinking.ponder(board, table, seat, mind, wins, points, 0)])


def can_close(state: Any, seat: int) -> set[str]:
    return {"R12", "Y12", "G2", "B2"} & set(CLASSIC.moves(state, seat))


@pytest.mark.parametrize("number", sweep([150, 3000]))
def test_the_chances_of_two_who_can_close_add_up_to_one(number: int) -> None:
    rng = Random(number)
    states = [
        classic(*sheets, active=active, phase="white", dice=dice)
        for dice, active, *sheets in BOTH_CLOSE_AND_GO_ON
    ]
    tables = [late_table(2, rng) for _ in range(number)]
    states += [
        table
        for table in tables
        if can_close(table, 0) and can_close(table, 1) and not any(table.closed)
    ]
    assert len(states) > len(BOTH_CLOSE_AND_GO_ON)
    for state in states:
        assert abs(told_by_master(state, 0) + told_by_master(state, 1) - WIN) <= WIN // 100, state


def test_what_is_mixed_hangs_on_luck_alone() -> None:
    state, bot = both_close("late"), expert.ExpertBot()
    mix = game_of(state, Judge(CLASSIC, 2, small=True)).mix[0]
    assert set(mix) == {"R12", "Y12"}
    drawn = [bots.decide(bot, CLASSIC, state, 0, Random(seed)).move for seed in range(120)]
    fractions = [int(Random(seed).random() * MIX_ONE) for seed in range(120)]
    assert drawn == ["R12" if fraction < mix["R12"] else "Y12" for fraction in fractions]
    assert len(set(drawn)) == 2


def test_where_nobody_can_close_a_row_nothing_is_solved() -> None:
    state = play_on(CLASSIC, CLASSIC.start(4), "34 1234")
    thought = expert.think(Judge(CLASSIC, 4, small=True), state, 0)
    assert thought.game is None
    assert thought.lines


def test_who_can_end_the_game_knows_that_others_take_what_they_still_can() -> None:
    """With one row closed the green die can end it; the other will not let its blue 6 go then."""
    state = classic(
        "R2 R3 R4 R5 R6 R7 R12 G12 G11 G10 G9 G8 G7",
        "Y2 Y3 Y4 Y5 Y6 Y7 Y8 B12 B11 B10 B9 B8 B7",
        active=0,
        phase="white",
        dice="15 .416",
    )
    thought = expert.think(Judge(CLASSIC, 2, small=True), state, 0)
    assert thought.game is not None
    ended = [line for line in thought.lines if line.end.phase == "over"]
    assert ended
    for line in ended:
        assert line.value == Judge(CLASSIC, 2).final(line.end, 0)
        assert line.end.sheets[1] != state.sheets[1]


# --- plain and compiled ---


def same(state: Any, seat: int, level: str, seed: int) -> None:
    """Both choose the same, and say the same of every choice."""
    game, kernel, players = CLASSIC, kernel_of("classic"), len(state.sheets)
    wins, points = np.zeros(64, np.int64), np.zeros(64, np.int64)
    luck = Luck(seed, 1)
    luck.decide(seat, 3)
    bot = expert.ExpertBot() if level == "expert" else master.MasterBot(1000.0)
    found = bots.decide(bot, game, state, seat, luck)
    move = thinking.ponder(
        kernel.board(game),
        kernel.pack(game, state),
        seat,
        mind_of("classic", players, level),
        wins,
        points,
        chance.luck(seed, 1, seat, 3),
    )
    codes = {move: pack_move(game.layout, move) for move in found.values}
    assert codes[found.move] == move
    assert found.values[found.move] == (wins[move], points[move])
    if level == "expert":
        assert {move: (wins[code], points[code]) for move, code in codes.items()} == found.values


@pytest.mark.parametrize("number", sweep([40, 600]))
def test_plain_and_compiled_mix_alike(number: int) -> None:
    rng = Random(number)
    for name, seat, seed in product(BOTH_CLOSE, range(2), range(3)):
        same(both_close(name), seat, "expert", seed)
    for place in range(number):
        players = 2 + place % 4
        same(late_table(players, rng), rng.randrange(players), "expert", place)


@pytest.mark.parametrize("number", sweep([4, 60]))
def test_plain_and_compiled_masters_mix_alike(number: int) -> None:
    rng = Random(number)
    for name in BOTH_CLOSE:
        same(both_close(name), 0, "master", 1)
    for dice, active, *sheets in BOTH_CLOSE_AND_GO_ON:
        same(classic(*sheets, active=active, phase="white", dice=dice), 1 - active, "master", 1)
    for place in range(number):
        players = 2 + place % 2
        same(late_table(players, rng), rng.randrange(players), "master", place)


@pytest.mark.parametrize("name", BOTH_CLOSE)
def test_a_throw_that_is_mixed_weighs_the_same_in_both(name: str) -> None:
    """Before such a throw the master looks at it among all others, and knows how likely it is."""
    game, kernel, judge = CLASSIC, kernel_of("classic"), Judge(CLASSIC, 2)
    state = both_close(name)._replace(phase="roll", dice=None)
    actions = master.white_actions(judge, state, master.white_pairs(game))
    assert any(isinstance(action, Sealed) for action in actions.values())
    mind, table = mind_of("classic", 2, "master"), kernel.pack(game, state)
    for seat in range(2):
        found = thinking.look(kernel.board(game), table, seat, mind)
        assert found == master.next_throw(judge, state, seat)
