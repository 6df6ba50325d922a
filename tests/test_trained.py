"""The trained opponents: they think as the kernels do,
know no more than they may, and say what they lack."""

import hashlib
import json
import math
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import qwixx
from qwixx import bots, games
from qwixx.bots import expert, master, minds, net, plain, stock
from qwixx.bots.luck import Luck
from qwixx.bots.sealed import Sealed
from qwixx.bots.temper import HASTE
from qwixx.compiled import chance as chances
from qwixx.compiled import contract, thinking
from qwixx.compiled.net import Mind, Weights, chance, new_mind
from qwixx.compiled.printed import pack_move
from qwixx.core.errors import BadRequest, BotFailed
from qwixx.core.fields import Layout
from qwixx.core.nets import Shape
from qwixx.core.values import FADE_ONE, FADE_STEPS, FADES, ODDS_BITS, POINT, WIN, Value
from qwixx.engine import Engine
from qwixx.games.classic import solution
from qwixx.games.classic.rules import Classic
from qwixx.games.classic.sheets import Sheets
from qwixx.games.duel.rules import Duel
from qwixx.lab import matches
from sweeps import sweep
from tables import CLASSIC, DUEL, classic, classic_position, duel, play_on, random_events
from test_kernels import SEATS, eager_events, kernel_of
from test_tiny import throws

TRAINED = ["club", "expert", "master"]


LEARNT = [table for table in SEATS if "master" in bots.levels(*table)]
EXPERTS = [table for table in SEATS if "expert" in bots.levels(*table)]
SHORT = [("classic", 2), ("duel", 2)]  # where the master, who thinks long, is followed on every run
LONGER = [table for table in LEARNT if table[1] <= 3 and table not in SHORT]
MASTER_AT_A_TIE = (
    "21 4456, 0:Y3, 1:Y3, 0:B7, 14 6254, 0:-, 1:B5, 1:R10, 15 5241, 0:-, 1:B6, 0:G9, 34 5653, 0:-, 1:B7, "
    "1:R9, 64 5362, 0:G10, 1:B10, 0:G12, 23 5514, 0:G5, 1:-, 1:R8, 22 3454, 0:-, 1:G4, 0:G7, 53 2546, 0:B8, "
    "1:G8, 1:G9, 36 5546, 0:B9, 1:Y9, 0:R11, 56 1655, 0:G11, 1:-, 1:G10, 65 4361, 0:Y11, 1:R11, 0:R10, "
    "41 5312"
)
# Of twenty deals each against the novice, events and all.
DIGESTS = {
    "random": {"classic": "c2eed70dc4bb81d0", "duel": "3f15e6a9e0821b68"},
    "novice": {"classic": "3e712ad35364f7f5", "duel": "45172874bdd5d83b"},
    "greedy": {"classic": "40ba8fb842487ad8", "duel": "c6124864bfdd0bd6"},
    "club": {"classic": "6f768c56a5d4e8f8", "duel": "8b3202e5f75c169b"},
    "expert": {"classic": "2d3cfdfeb25f4e3d", "duel": "db3f4b6c3ce703d4"},
    "master": {"classic": "90510ca30ef9bc3f", "duel": "0523967f5c310c23"},
    "formula": {"classic": "4df9f9b0e68808a3", "duel": "53082866ecb90f3b"},
}


def expert_events(
    game: qwixx.Game[Any], players: int, rng: Random
) -> Iterator[tuple[Any, Any, Any]]:
    """A game of experts, in which the seats of a white action choose in any order."""
    bot, state = expert.ExpertBot(), game.start(players, rng.randrange(players))
    while state.phase != "over":
        event: qwixx.Event
        if seats := game.to_act(state):
            seat = rng.choice(seats)
            event = qwixx.Choice(seat, bots.decide(bot, game, state, seat, rng).move)
        else:
            event = qwixx.throw(rng, game.dice_in_play(state), game.layout.faces)
        before, state = state, qwixx.apply(game, state, event)
        yield before, event, state


@pytest.mark.parametrize(("game_id", "players"), SEATS)
def test_features_are_the_kernels(game_id: str, players: int) -> None:
    game, kernel, features = qwixx.game(game_id), kernel_of(game_id), games.features_of(game_id)
    assert features is not None
    board, sizes = kernel.board(game), kernel.FEATURES
    lists = np.zeros((1 + sizes.others, sizes.listed), np.int64)
    for number in range(10):
        for state, _, _ in (random_events, eager_events)[number % 2](game, players, Random(number)):
            if state.phase == "roll":
                for seat in range(players):
                    count = contract.features(board, kernel.pack(game, state), seat, lists)
                    own, *others = lists[: 1 + count].tolist()
                    assert features.listed(state, seat) == (own, others)


@pytest.mark.parametrize(("game_id", "players"), SEATS)
def test_a_turn_that_thought_ends_is_one_in_which_nothing_failed(
    game_id: str, players: int
) -> None:
    game, features, compared = qwixx.game(game_id), games.features_of(game_id), 0
    assert features is not None
    for state, _, _ in eager_events(game, players, Random(players)):
        if state.phase == "colour" and state.white != "-":
            assert features.turn_over(state) == game.choose(state, state.active, "-")
            compared += 1
    assert compared


def mind_of(game_id: str, players: int, level: str) -> Mind:
    numbers, nets, sizes = minds.of_levels(game_id, players, [level])
    return new_mind(numbers[0], nets[0], *sizes.tolist())


@pytest.mark.parametrize(("game_id", "players"), EXPERTS)
def test_the_plain_expert_thinks_as_the_compiled_one(game_id: str, players: int) -> None:
    game, kernel = qwixx.game(game_id), kernel_of(game_id)
    board, bot, rng = kernel.board(game), expert.ExpertBot(), Random(players)
    wins, points = np.zeros(64, np.int64), np.zeros(64, np.int64)
    luck, decided = Luck(1, players), 0
    for events in (random_events, eager_events, expert_events):
        for state, event, _ in events(game, players, rng):
            if isinstance(event, qwixx.Dice):
                continue
            found = bot.values(game, game.view(state, event.seat), event.seat)
            mind = mind_of(game_id, players, "expert")
            decided += 1
            luck.decide(event.seat, decided)
            fraction = chances.luck(1, players, event.seat, decided)
            table = kernel.pack(game, state)
            best = thinking.ponder(board, table, event.seat, mind, wins, points, fraction)
            assert tuple(found) == game.moves(state, event.seat)
            codes = {move: pack_move(game.layout, move) for move in found}
            assert {move: (wins[code], points[code]) for move, code in codes.items()} == found
            assert codes[bots.decide(bot, game, state, event.seat, luck).move] == best


@pytest.mark.parametrize(("game_id", "players"), LEARNT)
def test_the_plain_master_looks_as_far_as_the_compiled_one(game_id: str, players: int) -> None:
    game, kernel, judge = (
        qwixx.game(game_id),
        kernel_of(game_id),
        expert.Judge(qwixx.game(game_id), players),
    )
    board, mind = kernel.board(game), mind_of(game_id, players, "master")
    tables = [
        state
        for state, _, _ in eager_events(game, players, Random(players))
        if state.phase == "roll"
    ]
    for state in tables[3::8]:
        for seat in {0, players - 1}:
            found = thinking.look(board, kernel.pack(game, state), seat, mind)
            assert found == master.next_throw(judge, state, seat)


def test_of_two_ways_to_the_same_table_both_masters_take_the_same() -> None:
    """Crossing G5 with the white sum and then nothing, or passing and crossing it with the green
    die: another way to go on after G5 looked better than either until the next throw was
    weighed."""
    game, kernel = qwixx.game("mixed-a"), kernel_of("mixed-a")
    state = play_on(game, game.start(2), *MASTER_AT_A_TIE.split(", "))
    wins, points = np.zeros(64, np.int64), np.zeros(64, np.int64)
    mind = mind_of("mixed-a", 2, "master")
    best = thinking.ponder(kernel.board(game), kernel.pack(game, state), 1, mind, wins, points, 0)
    found = bots.decide(master.MasterBot(1000), game, state, 1, Random())
    values = dict(found.values)
    assert values.pop("-") == values.pop("G5")
    assert set(values) == {"R5", "Y5"}
    assert pack_move(game.layout, found.move) == best


@pytest.mark.parametrize("deals", sweep([2, 4]))
@pytest.mark.parametrize(
    ("game_id", "players", "level"),
    [(*table, level) for table in EXPERTS for level in ("novice", "formula", "club", "expert")]
    + [(*table, "master") for table in SHORT]
    + [pytest.param(*table, "master", marks=pytest.mark.long) for table in LONGER],
)
def test_compiled_games_are_the_games_of_the_law(
    game_id: str, players: int, level: str, deals: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QWIXX_MASTER_SECONDS", "1000")
    some = range(deals // 2 if level == "master" else deals)
    contest = matches.contest(game_id, [level, "novice"][:players], players, 5, keep_events=True)
    played, by_law = (
        matches.play(contest, some),
        matches.play(replace(contest, through_law=True), some),
    )
    assert played.events == by_law.events
    assert np.array_equal(played.totals, by_law.totals)
    assert np.array_equal(played.turns, by_law.turns)
    assert np.array_equal(played.reasons, by_law.reasons)


@pytest.mark.parametrize("level", [*bots.LEVELS, *bots.YARDSTICKS])
def test_games_are_the_same_on_every_machine(level: str) -> None:
    """If a level is meant to play otherwise from now on, so is this;
    if not, some number is no longer exact."""
    digests = {}
    for game_id in ("classic", "duel"):
        contest = matches.contest(game_id, [level, "novice"], None, 11, keep_events=True)
        played = matches.play(contest, range(4 if level == "master" else 20))
        digests[game_id] = hashlib.sha256(json.dumps(played.events).encode()).hexdigest()[:16]
    assert digests == DIGESTS[level]


def test_the_fading_of_chances_is_data() -> None:
    assert hashlib.sha256(json.dumps(FADES).encode()).hexdigest()[:16] == "fcccbf798a968f20"
    for place, fade in enumerate(FADES):
        assert fade == pytest.approx(FADE_ONE * math.exp(-place / FADE_STEPS), abs=0.6)
    net_chances = net._chances(np.arange(-90_000, 90_000, 7))
    for odds, found in zip(range(-90_000, 90_000, 7), net_chances.tolist(), strict=True):
        assert found == chance(odds)
        if abs(odds) < 16 << ODDS_BITS:
            assert found / WIN == pytest.approx(1 / (1 + math.exp(-odds / 2**ODDS_BITS)), abs=8e-6)


@pytest.mark.parametrize("level", ["novice", "club", "expert", "master", "formula"])
def test_sealed_choices_are_not_read(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QWIXX_MASTER_SECONDS", "100")
    bot = bots.resolve(level)
    for active in (0, 1):
        state = classic("R2 R3", "G12 Y5", "B12", active=active, phase="white", dice="34 1234")
        answers = set()
        for events in ((), ("1:-",), ("1:R7", "2:-"), ("2:Y7", "1:G7")):
            sealed = play_on(CLASSIC, state, *events)
            found = bots.decide(bot, CLASSIC, sealed, 0, Random(3))
            answers.add((found.move, *found.values.items()))
        assert len(answers) == 1


def test_practice_takes_the_exact_table_where_it_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("QWIXX_CACHE", str(tmp_path))
    state = play_on(CLASSIC, CLASSIC.start(1), "34 1234")
    guessed = bots.decide(expert.ExpertBot(), CLASSIC, state, 0, Random()).values
    sheets = Sheets(solution.sizes_of(CLASSIC))
    values = np.random.default_rng(1).random((1, sheets.slots, 4)) * 100
    made = solution.Solution(sheets, 1, values, 0.0, 0.0)
    solution.keep(CLASSIC, made)
    exact = {
        move: Value(WIN, round(POINT * choice.value))
        for move, choice in made.choices(CLASSIC, state, 0).items()
    }
    for level in TRAINED:
        decision = bots.decide(bots.resolve(level), CLASSIC, state, 0, Random(1))
        assert decision.values == exact != guessed
        assert level == "club" or exact[decision.move] == max(exact.values())
    assert {value.win for value in guessed.values() if value} == {WIN}


# --- the master ---


def mean_of_all_throws(judge: expert.Judge, state: Any, seat: int) -> Value:
    """What every throw brings a seat, one by one, if the roller chooses what is best for it and
    the others what they are supposed to."""
    game, roller, found = judge.game, state.active, list[Value]()
    actions = master.white_actions(judge, state, master.white_pairs(game))
    for dice in throws(game, state):
        action = actions[dice.white_sum]
        if isinstance(action, Sealed):
            found.append(action.mean(seat))
            continue
        thrown, ends = game.roll(state, dice), list[Any]()
        for move in game.moves(thrown, roller):
            after = expert.together(game, thrown, {**action, roller: move})
            then = game.moves(after, roller) if after.phase == "colour" else ()
            ends += [game.choose(after, roller, one) for one in then] or [after]
        values = judge((end, who) for end in ends for who in {seat, roller})
        best = max(ends, key=lambda end: values[end, roller].worth)
        found.append(values[best, seat])
    return Value(
        sum(win for win, _ in found) // len(found), sum(points for _, points in found) // len(found)
    )


SMALL = Layout("RYB", ((2, 3, 4, 5, 6), (2, 3, 4, 5, 6), (6, 5, 4, 3, 2)), faces=3)
SMALL_TABLES = [(Classic(SMALL, 2, 2), 1), (Classic(SMALL, 2, 2), 2), (Classic(SMALL, 2, 2), 4)]


@pytest.mark.parametrize(("game", "players"), [*SMALL_TABLES, (Duel(SMALL, 6, 2, 3), 2)])
def test_the_next_throw_is_weighed_exactly_on_small_tables(
    game: qwixx.Game[Any], players: int
) -> None:
    judge, rng, looked = expert.Judge(game, players), Random(players), 0
    while looked < 4:
        for state, _, _ in eager_events(game, players, rng):
            if state.phase == "roll" and rng.random() < 0.25:
                seat, looked = rng.randrange(players), looked + 1
                found = master.next_throw(judge, state, seat)
                assert found == mean_of_all_throws(judge, state, seat)


ONE_CLOSED = classic(
    "R2 R3 R4 R5 R6 R7 R8 R12 Y3 Y5 Y6 Y8 Y9 Y11",
    "Y2 Y4 Y5 Y7 Y8 G12 G11 G9 G8 G5 G3 B10 B4",
    active=1,
)


REAL_TABLES = [
    (DUEL, duel("R2b R3b R4b R6b R8b R12b R*b Y5g Y7gg Y8b Y9g G9b G8b G4bb B3g")),
    (CLASSIC, ONE_CLOSED),
]


@pytest.mark.parametrize("real", sweep(REAL_TABLES), ids=["duel", "classic"])
def test_the_next_throw_is_weighed_exactly_on_real_tables(
    real: tuple[qwixx.Game[Any], Any],
) -> None:
    game, state = real
    judge = expert.Judge(game, 2)
    assert master.next_throw(judge, state, 0) == mean_of_all_throws(judge, state, 0)


@pytest.mark.parametrize(("game_id", "players"), [("classic", 1), ("classic", 3), ("duel", 2)])
def test_a_master_without_time_takes_what_its_net_likes_best(game_id: str, players: int) -> None:
    game, rng, bot = qwixx.game(game_id), Random(1), master.MasterBot(0.0)
    judge = expert.Judge(game, players)
    for state, event, _ in eager_events(game, players, rng):
        if isinstance(event, qwixx.Choice):
            thought = expert.think(judge, game.view(state, event.seat), event.seat)
            values = thought.values
            decision = bots.decide(bot, game, state, event.seat, rng)
            assert decision.values == values
            best = max(values, key=lambda move: values[move].worth)
            assert decision.move in (thought.shares(event.seat) or {best})


def test_a_master_looks_at_the_best_lines_and_takes_the_best_of_them() -> None:
    bot, judge = master.MasterBot(100.0), expert.Judge(CLASSIC, 2)
    state = classic("R2 R3 Y4", "G12 Y5", active=1, phase="white", dice="34 1234")
    decision = bots.decide(bot, CLASSIC, state, 0, Random())
    near = master.candidates(expert.lines(judge, CLASSIC.view(state, 0), 0))
    assert 2 <= len(near) <= 6
    deep = {line.move: master.next_throw(judge, line.end, 0) for line in near}
    assert {move: decision.values[move] for move in deep} == deep
    assert decision.move == max(deep, key=lambda move: deep[move].worth)


def test_candidates_are_the_best_few() -> None:
    def line(win: float) -> expert.Line:
        return expert.Line("-", None, Value(round(win * WIN), 0))

    def wins(*given: float) -> list[float]:
        return [found.value.win / WIN for found in master.candidates([line(win) for win in given])]

    assert wins(0.2, 0.5, 0.46, 0.44) == [0.5, 0.46]
    assert wins(0.2, 0.5, 0.1) == [0.5, 0.2]
    assert wins(0.5) == [0.5]
    assert len(wins(*[0.5] * 9)) == 6


def test_a_master_keeps_to_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    state = play_on(CLASSIC, CLASSIC.start(5), "34 1234")
    bot = master.MasterBot(0.01)
    bots.decide(bot, CLASSIC, state, 0, Random())  # the net is read
    began = time.process_time()
    bots.decide(bot, CLASSIC, state, 0, Random())
    assert time.process_time() - began < 1  # without a limit it thinks much longer
    monkeypatch.setenv("QWIXX_MASTER_SECONDS", "0.25")
    assert vars(bots.resolve("master"))["seconds"] == 0.25
    for text in ("soon", "-1", "nan", "inf"):
        monkeypatch.setenv("QWIXX_MASTER_SECONDS", text)
        with pytest.raises(BadRequest, match="QWIXX_MASTER_SECONDS"):
            bots.resolve("master")


# --- club and novice ---


def test_club_takes_better_moves_more_often() -> None:
    state = classic("R2 R3 Y4 R7", "G12 Y5", active=0, phase="colour", dice="34 1234", white="R7")
    values = bots.decide(bots.resolve("expert"), CLASSIC, state, 0, Random()).values
    worths = {move: value.worth for move, value in values.items() if value}
    weighed = {
        move: math.exp((worth - max(worths.values())) / HASTE) for move, worth in worths.items()
    }
    for seed in range(200):
        drawn, share, expected = Random(seed).random(), 0.0, ""
        for move in CLASSIC.moves(state, 0):
            share += weighed[move] / sum(weighed.values())
            if share > drawn:
                expected = move
                break
        assert bots.decide(bots.resolve("club"), CLASSIC, state, 0, Random(seed)) == (
            expected,
            values,
        )


@pytest.mark.parametrize(("game_id", "players"), [("classic", 3), ("duel", 2)])
def test_a_novice_errs_as_beginners_do(game_id: str, players: int) -> None:
    game, bot, rng, overlooked = qwixx.game(game_id), plain.NoviceBot(), Random(1), 0
    worth = {"skips": -0.25, "closes": 3.0, "captures": 1.0, "failed": -0.5}
    for number, (state, event, _) in enumerate(eager_events(game, players, rng)):
        if isinstance(event, qwixx.Dice):
            continue
        seat, drawn, moves = event.seat, Random(number).random() * 4, game.moves(state, event.seat)
        worths = [
            (move != "-")
            + sum(
                worth.get(effect, 0) * size
                for effect, size in game.effects(state, seat, move).to_json().items()
            )
            for move in moves
        ]
        ties = [move for move, found in zip(moves, worths, strict=True) if found == max(worths)]
        expected = ties[int(drawn % 1 * len(ties))]
        if state.phase == "white" and drawn < 1:
            expected, overlooked = "-", overlooked + 1
        assert bots.decide(bot, game, state, seat, Random(number)).move == expected
    assert overlooked


def test_the_formula_is_a_yardstick_and_no_level() -> None:
    assert list(bots.LEVELS) == ["random", "novice", "greedy", "club", "expert", "master"]
    state = classic("R2 R3 Y2", "", active=1, phase="white", dice="23 1234")

    def chosen(**turn: Any) -> str:
        return bots.decide(
            bots.resolve("formula"), CLASSIC, state._replace(**turn), 0, Random()
        ).move

    assert chosen() == "R5"  # one skipped: no more than even, and so crossed
    assert chosen(dice=qwixx.Dice.parse("33 1234")) == "-"
    assert chosen(dice=qwixx.Dice.parse("11 1234")) == "-"


# --- what they answer, and what they lack ---


@pytest.mark.parametrize("level", TRAINED)
def test_the_engine_answers_with_numbers(level: str) -> None:
    position = classic_position("R2", "G12", "", phase="white", dice="41 3625", chosen={"1": "Y5"})
    request = {"cmd": "bot", "position": position, "seat": 0, "level": level, "seed": 1}
    answer = json.loads(json.dumps(Engine().answer(json.dumps(request).encode()), allow_nan=False))
    assert answer["move"] in answer["values"]
    assert list(answer["values"]) == ["-", "R5", "Y5", "G5", "B5"]
    for value in answer["values"].values():
        assert 0 <= value["win"] <= 1
        assert isinstance(value["points"], float)


def test_numpy_comes_with_the_first_decision() -> None:
    code = "from qwixx import bots; import sys; made = [bots.resolve(level) for level in bots.LEVELS]; "
    code += "assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_numpy_one_line_says_so() -> None:
    request = {
        "cmd": "bot",
        "position": classic_position("", "", phase="white", dice="41 3625"),
        "seat": 0,
    }
    code = "import sys; sys.modules['numpy'] = None\nfrom qwixx import engine; engine.main()"
    lines = "".join(
        json.dumps({**request, "level": level}) + "\n" for level in [*TRAINED, "greedy"]
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=lines, capture_output=True, text=True, check=True
    )
    *failed, greedy = map(json.loads, done.stdout.splitlines())
    assert done.stderr == ""
    assert [answer["error"]["code"] for answer in failed] == ["bot_failed"] * 3
    assert "pip install numpy" in failed[0]["error"]["message"]
    assert "move" in greedy


def _keep(place: Path, shape: Shape, weights: Weights) -> None:
    biases = np.zeros(shape.hidden + 2, np.int64)
    np.savez(place, shape=np.array(shape), weights=weights, shift=np.array(34), biases=biases)


def _damaged(kind: str, whole: bytes, place: Path) -> None:
    if kind == "cut":
        place.write_bytes(whole[: len(whole) // 2])
    elif kind == "flipped":
        place.write_bytes(whole[:5000] + bytes([whole[5000] ^ 255]) + whole[5001:])
    elif kind == "other":
        place.write_bytes(b"not a net")
    elif kind == "short":
        _keep(place, Shape(1382, 1382, 64, 64, 32), np.zeros(9, np.int16))
    elif kind == "heavy":
        shape = Shape(1382, 0, 96, 0, 32)
        _keep(place, shape, np.full(shape.weights, 9999, np.int16))
    elif kind == "nameless":
        np.savez(place, numbers=np.zeros(9))


@pytest.mark.parametrize("kind", ["gone", "cut", "flipped", "other", "short", "heavy", "nameless"])
def test_damaged_weights_are_named(
    kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = (stock.FOLDER / "classic.npz").read_bytes()
    monkeypatch.setattr(stock, "FOLDER", tmp_path)
    state = play_on(CLASSIC, CLASSIC.start(2), "34 1234")
    for level, name in (("expert", "classic-small.npz"), ("master", "classic.npz")):
        _damaged(kind, whole, tmp_path / name)
        with pytest.raises(BotFailed, match=name):
            bots.decide(bots.resolve(level), CLASSIC, state, 0, Random())
