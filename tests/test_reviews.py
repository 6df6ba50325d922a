"""Reviews: luck has no mean, errors are never negative, everything adds up, nothing is known that a
seat could not know; plain, compiled and exact."""

import json
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any, get_args
from xml.etree import ElementTree

import pytest

import qwixx
from qwixx import bots, games, study
from qwixx.compiled.jit import kept_in
from qwixx.core.errors import BadRecord, BadRequest
from qwixx.core.record import Record, result_json
from qwixx.engine import Engine
from qwixx.lab import arena, matches
from qwixx.study import curve, document, grading, kinds, turns
from qwixx.study.judging import ExactJudgement
from sweeps import sweep
from tables import CLASSIC, TABLES, classic, classic_position, random_events, sheet
from test_kernels import eager_events
from test_solve import SMALL, solved
from test_third_game import third

__all__ = ["third"]

GOLDEN = sorted((Path(__file__).parent / "golden").glob("*.json"))
NEAR = 1e-6


def judge_of(game_id: str, players: int) -> study.Judgement:
    return study.judgement(games.game(game_id), players, "compiled")


def played(game: Any, players: int, seed: int, level: str = "greedy") -> Record:
    """A game of bots of one level, as a record."""
    rng, bot = Random(seed), bots.resolve(level)
    state, events = game.start(players, 0), list[qwixx.Event]()
    while state.phase != "over":
        if seats := game.to_act(state):
            event: qwixx.Event = qwixx.Choice(
                seats[0], bots.decide(bot, game, state, seats[0], rng).move
            )
        else:
            event = qwixx.throw(rng, game.dice_in_play(state), game.layout.faces)
        state = qwixx.apply(game, state, event)
        events.append(event)
    names = tuple(f"bot:{level}" for _ in range(players))
    return Record(game.id, names, 0, tuple(events), result_json(game.result(state)))


def tables_of(game: Any, players: int, seed: int) -> list[Any]:
    """The tables before every throw of an eager game."""
    found = eager_events(game, players, Random(seed))
    return [state for state, _, _ in found if state.phase == "roll"]


# --- luck ---


@pytest.mark.parametrize("table", sweep([("duel", 2), ("classic", 2), *TABLES], 2), ids=str)
def test_luck_has_no_mean_over_all_throws(table: tuple[str, int]) -> None:
    game, judge = games.game(table[0]), judge_of(*table)
    tables = [state for seed in range(6) for state in tables_of(game, table[1], seed)]
    for state in tables[:: max(1, len(tables) // 12)]:
        sums = [[0.0, 0.0] for _ in range(table[1])]
        weights = 0
        for dice, weight in game.throws(state):
            weights += weight
            for both, worth in zip(sums, judge.after(state, dice), strict=True):
                both[0] += weight * worth.win
                both[1] += weight * worth.points
        for both, before in zip(sums, judge.before(state), strict=True):
            assert both[0] / weights == pytest.approx(before.win, abs=NEAR)
            assert both[1] / weights == pytest.approx(before.points, abs=1e-4)


def test_others_see_the_dice_with_which_the_roller_can_end_the_game() -> None:
    """Green 2 would end it, and win if nobody else crossed a 3. But they see it coming."""
    state = classic(
        "R3 R6 R7 R9 Y4 Y5 Y7 G10 G9 G8 G7 G6 B11",
        "Y2 Y4 Y5 Y6 G9 G8 G7 G6 B10 B9 B8 B7 B6 B2",
        sheet("R7 R8 R9 Y7 Y10 Y11 G7 G6 B8 B7", failed=3),
    )
    assert CLASSIC.dice_in_play(state) == "RYG."
    dice, judge = qwixx.Dice.parse("21 561."), judge_of("classic", 3)
    thrown = CLASSIC.roll(state, dice)
    for seat, worth in enumerate(judge.after(state, dice)):
        found = judge.choices(thrown, seat)
        assert worth.win == pytest.approx(found.values[found.best].win, abs=0.1)
    assert judge.after(state, dice)[0].win < 0.6
    throws = {one.white_sum: one for one in judge.throws(state)}
    assert throws[3].low[0].win <= judge.after(state, dice)[0].win <= throws[3].high[0].win


@pytest.mark.parametrize(
    "table",
    sweep([("classic", 3), ("classic", 2), ("mixed-b", 4), ("mixed-a", 2), ("classic", 5)]),
    ids=str,
)
def test_late_throws_come_to_the_same_plain_and_compiled(table: tuple[str, int]) -> None:
    """Where rows may be closed, and what others choose matters."""
    game, rng = games.game(table[0]), Random(4)
    plain, fast = study.judgement(game, table[1], "plain"), judge_of(*table)
    for seed in range(3):
        for state in tables_of(game, table[1], seed)[-6:]:
            for dice, _ in rng.sample(game.throws(state), 4):
                assert plain.after(state, dice) == fast.after(state, dice)
        assert plain.throws(state) == fast.throws(state)


# --- reviews ---


def check(review: study.Review, judge: study.Judgement) -> None:
    """All that must hold of every review."""
    record, players = review.record, range(len(review.record.seats))
    choices = {
        number: event
        for number, event in enumerate(record.events)
        if isinstance(event, qwixx.Choice)
    }
    made = [one for turn in review.turns for one in turn.decisions]
    assert {one.event: (one.seat, one.move) for one in made} == choices
    rolls = [number for number, event in enumerate(record.events) if number not in choices]
    assert [turn.event for turn in review.turns] == rolls
    for one in made:
        assert min(one.loss) >= 0
        assert {one.best, one.move} <= set(one.values)
        assert (one.kind is None) == (one.loss == (0, 0))
        if one.move != one.best and one.chosen:
            assert one.reason.other in (one.move, None)
        if one.move == one.best:
            assert one.loss == (0, 0)
    for turn in review.turns:
        for seat in players:
            lost = study.Worth()
            for one in turn.decisions:
                lost += one.loss if one.seat == seat else study.Worth()
            reached = (
                turn.before[seat] + turn.luck[seat] - lost + turn.others[seat] + turn.rest[seat]
            )
            assert reached == pytest.approx(turn.after[seat], abs=NEAR)
        for everybody in (turn.before, turn.after):  # each has a share of one win
            assert sum(worth.win for worth in everybody) == pytest.approx(1)
    result = games.game(record.game).result(turns.turns(judge.game, record)[-1].table)
    assert len(result.totals) == len(players)
    for seat, player in enumerate(review.players):
        whole = player.start + player.luck - player.loss + player.others + player.rest
        assert whole == pytest.approx(player.result, abs=NEAR)
        assert record.result is not None
        winners = record.result["winners"]
        assert player.result.points == record.result["totals"][seat]
        assert player.result.win == pytest.approx(1 / len(winners) if seat in winners else 0)
        assert sum(player.labels.values()) == player.decisions


@pytest.mark.parametrize(
    "file",
    sweep(sorted(GOLDEN, key=lambda file: "failed" not in file.name), 6),
    ids=lambda f: f.stem,
)
def test_everything_adds_up_in_every_golden_game(file: Path) -> None:
    game, record, _ = games.read_record(json.loads(file.read_text()))
    judge = judge_of(game.id, len(record.seats))
    check(study.review(record, judge), judge)


@pytest.mark.parametrize("table", sweep([("duel", 2), ("classic", 2), *TABLES], 2), ids=str)
def test_plain_and_compiled_come_to_the_same_numbers(table: tuple[str, int]) -> None:
    game_id, players = table
    game = games.game(game_id)
    record = played(game, players, 3, "random")
    plain, fast = study.judgement(game, players, "plain"), judge_of(game_id, players)
    assert type(plain) is not type(fast)
    some = turns.turns(game, record)
    for turn in some[1 :: max(1, len(some) // 3)]:
        assert turns.judged(plain, turn) == turns.judged(fast, turn)


@pytest.mark.parametrize(
    "change",
    [
        "numba.__version__ = 'another'",
        "sys.implementation.cache_tag = 'another'",
        "llvmlite.binding.get_host_cpu_name = lambda: 'another'",
    ],
    ids=["numba", "python", "processor"],
)
def test_machine_code_of_another_kind_is_not_taken_for_ready(change: str) -> None:
    """Nor that of the same sources elsewhere: whoever judges would wait a minute for it."""
    script = f"""
import sys, llvmlite.binding, numba
{change}
from qwixx.study import fast
from qwixx.compiled.jit import kept_in
print(fast.is_warm("duel"), kept_in())
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("False ")
    assert str(kept_in()) not in done.stdout


def test_the_exact_table_loses_nothing_on_the_way() -> None:
    """In practice luck and errors are all there is, and an error is the difference of exact values."""
    solution = solved(SMALL)
    judge = ExactJudgement(SMALL, solution)
    for seed in range(3):
        events = [event for _, event, _ in random_events(SMALL, 1, Random(seed), 0)]
        record = Record(SMALL.id, ("Ana",), 0, tuple(events))
        for turn in turns.turns(SMALL, record):
            found = turns.judged(judge, turn)
            assert found.rest[0] == pytest.approx((0, 0), abs=1e-9)
            assert found.others[0] == pytest.approx((0, 0), abs=1e-9)
            state = SMALL.roll(turn.table, turn.dice)
            for one in found.decisions:
                exact = solution.choices(SMALL, state, 0)
                best = max(advice.value for advice in exact.values())
                assert one.loss.points == pytest.approx(best - exact[one.move].value, abs=1e-9)
                state = SMALL.choose(state, 0, one.move)


def test_a_master_makes_next_to_no_errors_and_random_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QWIXX_MASTER_SECONDS", "1000")
    rates = {}
    for level in ("random", "master"):
        contest = matches.contest("duel", [level], 2, 8, keep_events=True)
        record = next(matches.records(contest, matches.play(contest, range(1))))
        judge = judge_of("duel", 2)
        found = study.review(record, judge)
        check(found, judge)
        rates[level] = sum(player.rate.win for player in found.players)
    assert rates["master"] < 0.002
    assert rates["random"] > 0.02


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_the_levels_were_measured_in_their_order(table: tuple[str, int]) -> None:
    """Each level loses more a choice than the next one."""
    measured, levels = grading.rates(*table), bots.levels(*table)
    assert [*measured] == [*levels]
    assert sorted(measured, key=lambda level: -measured[level]) == [*levels]


@pytest.mark.long
@pytest.mark.parametrize("game_id", ["classic", "duel", "mixed-a"])
def test_the_levels_come_out_in_their_order_in_new_games(game_id: str) -> None:
    """As far as so few tell it."""
    levels = bots.levels(game_id, 2)
    contest = matches.contest(game_id, levels, 2, 3, keep_events=True)
    judge, lost = judge_of(game_id, 2), {level: list[float]() for level in levels}
    for record in matches.records(contest, matches.play(contest, range(1))):
        for turn in turns.turns(games.game(game_id), record):
            for one in turns.judged(judge, turn).decisions:
                if one.chosen:
                    lost[record.seats[one.seat].removeprefix("bot:")].append(one.loss.win)
    mean = {level: fmean(lost[level]) for level in levels}
    half = {level: 1.96 * stdev(lost[level]) / len(lost[level]) ** 0.5 for level in levels}
    for weaker, stronger in pairwise(levels):
        assert mean[weaker] + half[weaker] > mean[stronger] - half[stronger]
    for weaker, stronger in zip(levels, levels[2:], strict=False):
        assert mean[weaker] > mean[stronger]


def test_what_another_has_sealed_changes_nothing() -> None:
    judge, looked = judge_of("classic", 2), 0
    for state, event, _ in random_events(CLASSIC, 2, Random(2)):
        if not isinstance(event, qwixx.Choice) or len(CLASSIC.to_act(state)) < 2 or looked > 3:
            continue
        other = 1 - event.seat
        sealed = [CLASSIC.choose(state, other, move) for move in CLASSIC.moves(state, other)]
        looked += len(sealed) > 1
        found = [judge.choices(one, event.seat) for one in (state, *sealed)]
        assert all(one == found[0] for one in found)
    assert looked


def test_both_actions_of_a_turn_are_one_plan() -> None:
    """The white choice is worth what the best colour action after it brings, and that is named."""
    judge = judge_of("classic", 2)
    state = classic("", "", phase="white", dice="11 6116")
    found = judge.choices(state, 0)
    assert found.then is not None
    after = CLASSIC.choose(CLASSIC.choose(state, 0, found.best), 1, "-")
    assert found.then in CLASSIC.moves(after, 0)
    assert judge.choices(state, 1).then is None
    assert judge.choices(after, 0).then is None


def test_only_a_finished_game_with_a_net_is_reviewed(third: Any) -> None:
    record = played(games.game("duel"), 2, 1)
    with pytest.raises(BadRecord, match="not over"):
        study.review(Record("duel", record.seats, 0, record.events[:-1]))
    with pytest.raises(BadRequest, match="no net"):
        study.review(played(third, 3, 1))


# --- grades ---


def test_labels_grow_with_what_was_lost() -> None:
    for alone in (True, False):
        found = list(grading.bounds(alone).values())
        assert found == sorted(found)
        assert list(grading.bounds(alone)) == list(grading.LABELS[2:])
    assert set(kinds.KINDS) == set(get_args(kinds.Kind))


def test_who_plays_like_whom() -> None:
    for game_id, players in TABLES:
        measured = grading.rates(game_id, players)
        for level, rate in measured.items():
            alike = study.Worth(rate, rate)
            near = grading.plays_like(game_id, players, alike)
            assert near is not None
            assert measured[near] == pytest.approx(rate, rel=0.05), level
    assert grading.plays_like("stairs", 2, study.Worth()) is None


# --- without the luck ---


def test_luck_takes_luck_away() -> None:
    """The same mean, a much smaller spread; many more games in docs/study.md."""
    contest = matches.contest("classic", ["expert", "greedy"], 2, 3, adjusted=True)
    found, _ = arena.run(contest, 30, arena.Workplace(jobs=1))
    for bot in found.bots:
        assert bot.adjusted is not None
        assert bot.adjusted.win_factor > 3
        assert bot.adjusted.score_factor > 2
        assert bot.adjusted.win.low < bot.win.high
        assert bot.win.low < bot.adjusted.win.high
    told = found.to_json()["bots"][0]["adjusted"]
    assert told["low"] < told["win"] < told["high"]
    assert "without the luck" in found.to_text()


# --- for people and programs ---


@pytest.fixture(scope="module")
def short() -> tuple[Record, study.Review]:
    """A game that is over soon, with its review."""
    file = Path(__file__).parent / "golden" / "classic-2-failed.json"
    _, record, _ = games.read_record(json.loads(file.read_text()))
    return record, study.review(record, judge_of(record.game, len(record.seats)))


def test_the_engine_values_and_reviews(short: tuple[Record, study.Review]) -> None:
    record, review = short
    engine = Engine()

    def ask(**request: Any) -> dict[str, Any]:
        answer = engine.answer(json.dumps(request).encode())
        assert answer is not None
        return answer

    assert ask(cmd="review", record=record.to_json())["review"] == review.to_json()
    running = {**record.to_json(), "events": record.to_json()["events"][:3]}
    del running["result"]
    assert ask(cmd="review", record=running)["error"]["code"] == "bad_record"
    before = ask(cmd="values", position=classic_position("", ""), seat=0)
    assert before == ask(cmd="values", position=classic_position("", ""))
    every = ask(cmd="values", position=classic_position("", ""), throws=True)
    assert [one["sum"] for one in every.pop("throws")] == list(range(2, 13))
    assert every == before
    assert len(before["win"]) == len(before["points"]) == 2
    five = ask(cmd="values", position=classic_position("", "R2 R3", "", "", "G12"), throws=True)
    assert sum(five["win"]) == pytest.approx(1)
    for seat in range(5):  # luck has no mean all the same
        luck = sum(one["ways"] * one["luck"]["win"][seat] for one in five["throws"])
        assert luck == pytest.approx(0, abs=NEAR)
    thrown = classic_position("", "", phase="white", dice="34 1625")
    found = ask(cmd="values", position=thrown, seat=1)
    assert set(found["values"]) == {"-", "R7", "Y7", "G7", "B7"}
    assert found["best"] in found["values"]
    after = classic_position("", "", phase="colour", dice="34 1625", white="-")
    left = ask(cmd="values", position=after, seat=0, throws=True)
    assert sum(left["win"]) == pytest.approx(1)
    assert left["points"][0] == left["values"][left["best"]]["points"]
    assert "win" not in ask(cmd="values", position=after, seat=0)
    assert ask(cmd="values", position=thrown)["error"]["code"] == "bad_request"
    assert ask(cmd="values", position=thrown, seat=2)["error"]["code"] == "bad_request"
    over = ask(
        cmd="values",
        position={
            **classic_position({"R": [], "Y": [], "G": [], "B": [], "locks": "", "failed": 4}, ""),
            "phase": "over",
        },
    )
    assert over == {"win": [0.0, 1.0], "points": [-20.0, 0.0]}


def test_the_json_of_a_review_adds_up(short: tuple[Record, study.Review]) -> None:
    found = short[1].to_json()
    assert found["format"] == "qwixx-review/1"
    for seat, player in enumerate(found["players"]):
        for unit in ("win", "points"):
            luck = sum(throw["luck"][unit][seat] for throw in found["throws"])
            loss = sum(one["loss"][unit] for one in found["decisions"] if one["seat"] == seat)
            assert luck == pytest.approx(player["luck"][unit], abs=NEAR)
            assert loss == pytest.approx(player["loss"][unit], abs=NEAR)
            whole = found["start"][unit][seat] + luck - loss
            whole += player["others"][unit] + player["rest"][unit]
            assert whole == pytest.approx(player["result"][unit], abs=NEAR)
    for one in found["decisions"]:
        assert one["label"] in grading.LABELS
        assert one["reason"]


class Tags(HTMLParser):
    """Every tag that is opened is closed, and nothing comes from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert not {"src", "href"} & {name for name, _ in attrs}
        assert tag != "script"
        if tag not in ("meta", "rect", "path", "polyline"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_and_the_picture_stand_by_themselves(short: tuple[Record, study.Review]) -> None:
    names = ["<Ana & co>", "Ben"]
    picture = curve.drawn(short[1], "A game", names)
    assert ElementTree.fromstring(picture) is not None  # noqa: S314 - of our own making
    tags = Tags()
    page = document.page(short[1], names)
    tags.feed(page)
    assert not tags.open
    assert "<Ana" not in page


def test_the_command_line_reviews(tmp_path: Path) -> None:
    file = Path(__file__).parent / "golden" / "classic-2-failed.json"
    page, picture = tmp_path / "review.html", tmp_path / "curve.svg"
    words = [str(file), "--json", "--html", str(page), "--svg", str(picture)]
    done = subprocess.run(
        [sys.executable, "-m", "qwixx", "review", *words],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["format"] == "qwixx-review/1"
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert picture.read_text(encoding="utf-8").startswith("<svg")
