"""The arena: fair, repeatable wherever it runs, the same compiled and through the law,
honest in its numbers."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import qwixx
from qwixx import cli, games
from qwixx.bots import minds, plain
from qwixx.bots.luck import Luck, thrown
from qwixx.compiled import playing, printed
from qwixx.compiled.chance import dealt, dice_draw
from qwixx.core.errors import BadRequest, BotFailed
from qwixx.core.fields import Layout
from qwixx.games import classic
from qwixx.games.classic.guide import ClassicGuide
from qwixx.games.classic.rules import Classic
from qwixx.lab import arena, matches, plot, report
from sweeps import sweep
from test_kernels import SEATS, eager_events, kernel_of

FIRST_BOT = f"exec:{sys.executable} {Path(__file__).parent.parent / 'examples' / 'first_bot.py'}"


def run(contest: matches.Contest, deals: int, jobs: int = 1, **how: Any) -> dict[str, Any]:
    found, _ = arena.run(contest, deals, arena.Workplace(jobs), **how)
    return found.to_json()


def command(*words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "qwixx", "arena", *words],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **env},
        check=False,
    )


@pytest.mark.parametrize("number", sweep([4, 12]))
@pytest.mark.parametrize(("game_id", "players"), SEATS)
def test_compiled_greedy_chooses_as_plain_greedy_does(
    game_id: str, players: int, number: int
) -> None:
    game, kernel = qwixx.game(game_id), kernel_of(game_id)
    board, numbers = kernel.board(game), minds.of_levels(game_id, players, ["greedy"]).numbers
    room, rng = playing.new_room(kernel.words(players)), Random(players)
    for _ in range(number):
        for state, event, _after in eager_events(game, players, rng):
            if isinstance(event, qwixx.Dice):
                continue
            worths = {
                move: plain._worth_of_turn(game, game.view(state, event.seat), event.seat, move)
                for move in game.moves(state, event.seat)
            }
            best = [move for move, worth in worths.items() if worth == max(worths.values())]
            found = playing.greediest(
                board, kernel.pack(game, state), event.seat, numbers, 0, True, room
            )
            assert found == printed.pack_moves(game.layout, best), (state, event.seat)


@pytest.mark.parametrize(("game_id", "players"), SEATS)
def test_games_are_the_same_compiled_and_through_the_law(game_id: str, players: int) -> None:
    both = []
    for law in (False, True):
        contest = matches.contest(
            game_id, ["greedy", "random"][:players], players, 5, through_law=law, keep_events=True
        )
        both.append(matches.play(contest, range(12)))
    for one, other in zip(*both, strict=True):
        assert np.array_equal(one, other) if isinstance(one, np.ndarray) else one == other


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_every_deal_is_played_from_every_rotation(seats: int) -> None:
    contest = matches.contest("classic", ["greedy", "random"], seats, 3, keep_events=True)
    played = matches.play(contest, range(6))
    for deal in range(6):
        here = slice(deal * seats, (deal + 1) * seats)
        sitting, firsts = played.sitting[here], played.firsts[here]
        assert {tuple(np.roll(sitting[0], -turned)) for turned in range(seats)} == set(
            map(tuple, sitting.tolist())
        )
        assert len(set(firsts.tolist())) == 1
        rolls = [[event for event in events if ":" not in event] for events in played.events[here]]
        for turn in range(min(map(len, rolls))):
            faces = {tuple(die if die != "." else None for die in rolled[turn]) for rolled in rolls}
            assert len({tuple(pair[:2]) for pair in faces}) == 1  # the same whites for all
    assert len(set(played.firsts.tolist())) > 1
    neighbours = {tuple(row) for row in played.sitting.tolist()}
    assert len(neighbours) >= seats


def test_lineups() -> None:
    def lineups(named: list[str], seats: int | None) -> tuple[tuple[int, ...], ...]:
        return matches.contest("classic", named, seats, 1).lineups

    assert lineups(["greedy", "random"], None) == ((0, 1),)
    assert lineups(["greedy", "random", "random"], None) == ((0, 1, 1),)
    assert lineups(["greedy", "random"], 4) == ((0, 1, 1, 1),)
    assert lineups(["greedy"], 1) == ((0,),)
    assert lineups(["greedy", "random", FIRST_BOT], 2) == ((0, 1), (0, 2), (1, 2))
    with pytest.raises(BadRequest):
        lineups(["greedy", "random", "random"], 6)
    with pytest.raises(BadRequest):
        matches.contest("duel", ["greedy"], 3, 1)
    with pytest.raises(BadRequest):
        matches.contest("classic", ["grandmaster", "greedy"], None, 1)


@pytest.mark.long
def test_one_core_or_many_the_result_is_the_same() -> None:
    contest = matches.contest("classic", ["greedy", "random"], 3, 11, through_law=True)
    alone = run(contest, 40)
    assert alone == run(contest, 40, jobs=2)
    assert alone["games"] == 120
    bigger = matches.contest("duel", ["greedy", "random"], None, 11)
    assert run(bigger, 11_000) == run(bigger, 11_000, jobs=2)
    assert alone != run(
        matches.contest("classic", ["greedy", "random"], 3, 12, through_law=True), 40
    )


# More faces and fields than a kernel holds.
LONG = Layout(
    numbers=(tuple(range(2, 17)),) * 2 + (tuple(range(16, 1, -1)),) * 2, faces=8, counted=16
)
# As many dice and faces as can be written.
MANY = Layout(colours="RYGBOPVW", numbers=(tuple(range(2, 19)),) * 8, faces=9, counted=18)


@pytest.mark.parametrize("layout", [LONG, MANY])
def test_a_sheet_that_no_kernel_holds_is_played_through_the_law(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = ClassicGuide(Classic(layout, name="large"), "Large", "")
    monkeypatch.setitem(classic.GAMES, "large", guide)
    _look_again()
    try:
        contest = matches.contest("large", ["greedy", "random"], None, 3, keep_events=True)
        found, played = arena.run(contest, 6, arena.Workplace(1))
        assert {bot.way for bot in found.bots} == {"through the law"}
        assert found.bots[0].win.mean > found.bots[1].win.mean
        rolls = [
            event
            for events in played.events
            for event in map(qwixx.parse_event, events)
            if isinstance(event, qwixx.Dice)
        ]
        shown = {face for roll in rolls for face in (*roll.whites, *roll.coloured)}
        assert set(range(1, layout.faces + 1)) <= shown <= set(range(layout.faces + 1))
        assert {len(roll.coloured) for roll in rolls} == {len(layout.colours)}
        assert all(record.result for record in matches.records(contest, played))
    finally:
        monkeypatch.undo()
        _look_again()


def _look_again() -> None:
    games.ids.cache_clear()
    games._folders.cache_clear()
    minds.can_play.cache_clear()


@pytest.mark.parametrize(("colours", "faces"), [("RYGB", 6), ("RYGB", 7), ("RY", 2), ("RYB", 3)])
def test_dice_fall_alike_compiled_and_through_the_law(colours: str, faces: int) -> None:
    layout = Layout(colours, (tuple(range(2, 2 * faces + 1)),) * len(colours), faces)
    for deal in range(30):
        for closed in range(1 << len(colours)):
            left = "".join(
                "." if closed >> row & 1 else colour for row, colour in enumerate(colours)
            )
            packed = dealt(4, deal, closed, faces, len(colours), closed)
            assert thrown(dice_draw(4, deal, closed), faces, left) == printed.unpack_dice(
                layout, packed
            )


def test_stopping_early_does_not_depend_on_who_plays() -> None:
    contest = matches.contest("classic", ["greedy", "random"], None, 2, through_law=True)
    stopped = run(contest, 500, stop_early=True)
    assert stopped["deals"] == 50
    assert stopped["pairs"][0]["settled"]
    assert stopped == run(contest, 500, jobs=2, stop_early=True) == run(contest, 50)
    alike = matches.contest("classic", ["random", "random"], None, 2)
    assert run(alike, 200, stop_early=True)["deals"] == 200


def played_by(
    contest: matches.Contest, sitting: list[list[int]], totals: list[list[int]]
) -> matches.Played:
    games_played = len(totals)
    return matches.Played(
        np.array(sitting, np.int16),
        np.array(totals, np.int32),
        np.full(games_played, 20, np.int32),
        np.zeros(games_played, np.int8),
        np.zeros(games_played, np.int8),
        [],
    )


def test_shares_scores_and_ties() -> None:
    contest = matches.contest("classic", ["greedy", "random"], None, 1)
    sitting = [[0, 1], [1, 0]] * 2
    found = report.report(
        contest, played_by(contest, sitting, [[10, 20], [30, 30], [50, 0], [0, 50]])
    )
    greedy, other = found.bots
    assert (greedy.win.mean, other.win.mean) == (0.625, 0.375)
    assert greedy.score.mean == (10 + 30 + 50 + 50) / 4
    assert sorted(greedy.scores.tolist()) == [10, 30, 50, 50]
    assert greedy.spread == pytest.approx(np.std([10, 30, 50, 50], ddof=1))
    assert found.pairs[0].ahead.mean == 0.625
    assert found.endings == {"rows": 4}
    assert greedy.rating is not None
    assert other.rating is not None
    assert greedy.rating > other.rating
    assert greedy.rating + other.rating == pytest.approx(3000)


def test_one_against_the_others_counts_each_seat() -> None:
    contest = matches.contest("classic", ["greedy", "random"], 3, 1)
    found = report.report(
        contest,
        played_by(contest, [[0, 1, 1], [1, 1, 0], [1, 0, 1]], [[9, 5, 5], [5, 9, 5], [0, 9, 9]]),
    )
    greedy, other = found.bots
    assert greedy.win.mean == pytest.approx((1 + 0 + 0.5) / 3)
    assert greedy.win.mean + 2 * other.win.mean == pytest.approx(1)
    assert found.pairs[0].ahead.mean == pytest.approx((2 + 0.5 + 1.5) / 6)


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    rng = np.random.default_rng(1)
    for chance, size in ((0.5, 100), (0.9, 60), (0.98, 80)):
        held = 0
        for _ in range(400):
            found = report.proportion(rng.binomial(1, chance, size).astype(float))
            held += found.low <= chance <= found.high
        assert held >= 400 * 0.92, chance
    sure = report.proportion(np.ones(20))
    assert sure.low < 0.9
    assert sure.high == 1.0
    assert sure.mean == 1.0
    values = rng.normal(50, 10, (400, 50))
    assert sum(found.low <= 50 <= found.high for found in map(report.mean, values)) >= 400 * 0.91


def test_ratings_of_three_rank_as_they_beat_each_other() -> None:
    contest = matches.contest("classic", ["greedy", "random", FIRST_BOT], 2, 4)
    found, _ = arena.run(contest, 10, arena.Workplace(1))
    ratings = {bot.name: bot.rating for bot in found.bots}
    assert ratings["greedy"] > ratings["random"]  # type: ignore[operator] # all are rated
    assert len(found.pairs) == 3
    assert {bot.way for bot in found.bots} == {"both ways", "through the law"}


def test_the_practice_game_has_scores_and_nobody_to_beat() -> None:
    found = run(matches.contest("classic", ["greedy", "random"], 1, 1), 50)
    assert found["pairs"] == []
    assert [bot["win"] for bot in found["bots"]] == [1, 1]
    assert found["bots"][0]["mean"] > found["bots"][1]["mean"]
    assert "rating" not in found["bots"][0]


def test_luck_is_an_ordinary_source_of_chance() -> None:
    def numbers(seat: int) -> list[Any]:
        luck = Luck(1, 2)
        luck.decide(seat, 3)
        return [
            luck.random(),
            luck.randrange(10**12),
            luck.getrandbits(70),
            luck.choice("abc"),
            luck.gauss(),
        ]

    assert numbers(0) == numbers(0)
    assert numbers(0) != numbers(1)
    luck = Luck(1, 2)
    draws = [luck.random() for _ in range(2000)]
    assert abs(np.mean(draws) - 0.5) < 0.03
    assert 0 <= min(draws) < max(draws) < 1
    assert len({luck.randrange(6) for _ in range(100)}) == 6


def test_records_of_an_arena_are_games_of_the_law(tmp_path: Path) -> None:
    picture = tmp_path / "scores.svg"
    words = (
        "duel",
        "greedy",
        "random",
        "--games",
        "4",
        "--seed",
        "9",
        "--json",
        "--plot",
        str(picture),
    )
    done = command(*words, "--records", str(tmp_path / "games"))
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["games"] == 4
    files = sorted((tmp_path / "games").iterdir())
    totals: dict[str, list[int]] = {"bot:greedy": [], "bot:random": []}
    assert len(files) == 4
    for file in files:
        _, record, state = qwixx.read_record(json.loads(file.read_text()))
        assert record.result is not None
        for name, total in zip(record.seats, qwixx.game("duel").result(state).totals, strict=True):
            totals[name].append(total)
    assert np.mean(totals["bot:greedy"]) == found["bots"][0]["mean"]
    drawn = ElementTree.fromstring(picture.read_text())  # noqa: S314 - our own text
    assert "greedy: mean" in "".join(drawn.itertext())


def test_long_games_are_kept_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    contest = matches.contest("classic", ["greedy", "greedy"], None, 9, keep_events=True)
    whole = matches.play(contest, range(3))
    monkeypatch.setattr(matches, "_LOG", 5)
    assert matches.play(contest, range(3)).events == whole.events


def test_the_picture_of_odd_names_and_one_score() -> None:
    one = report.Interval(7.0, 7.0, 7.0)
    bot = report.BotReport("<exec:&>", "compiled", 1, one, one, 0.0, np.array([7], np.int32))
    ElementTree.fromstring(plot.scores("a < b & c", [bot]))  # noqa: S314 - our own text


def test_the_report_reads_well() -> None:
    done = command("classic", "greedy", "random", "--games", "100", "--seed", "1")
    lines = done.stdout.splitlines()
    assert lines[0] == "classic, 2 seats, seed 1: 100 games, 50 deals"
    assert lines[3].split()[:2] == ["bot", "win"]
    assert lines[4].startswith("greedy")
    assert lines[4].endswith("compiled")
    assert all(len(line) <= 110 for line in lines)


WRONG = [
    (("classic", "greedy", "grandmaster"), 1, "there is no level"),
    (("chess", "greedy"), 2, "chess"),
    (("duel", "greedy", "random", "random"), 1, "takes 2 players"),
    (("classic", "greedy", "random", "--games", "0"), 2, "--games"),
    (("classic", "greedy", "exec:/no/such/program", "--games", "2"), 1, "cannot be started"),
    (
        ("classic", "greedy", "exec:false", "--games", "200", "--jobs", "2"),
        1,
        "exec:false ended without an answer",
    ),
    (
        ("classic", "greedy", "random", "--games", "2", "--plot", "/no/such/place.svg"),
        1,
        "cannot be written",
    ),
    (("classic", "greedy", "random", "--games", "2", "--records", "/proc/no"), 1, "cannot be made"),
    (
        ("classic", "greedy", "random", "--games", "2", "--cluster", "tcp://127.0.0.1:9"),
        1,
        "no cluster answers",
    ),
]


@pytest.mark.parametrize(("words", "status", "message"), WRONG)
def test_errors_are_one_plain_line(
    words: tuple[str, ...],
    status: int,
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", ["qwixx", "arena", *words])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (status, ""), said.err
    assert said.err.startswith("qwixx: ")
    assert said.err.count("\n") == 1
    assert message in said.err


def test_a_bot_that_fails_in_another_process_is_named() -> None:
    contest = matches.contest("classic", ["greedy", "exec:false"], None, 1)
    with pytest.raises(BotFailed, match="exec:false"):
        arena.run(contest, 100, arena.Workplace(2))


@pytest.mark.parametrize("seconds", sweep([0.0, 3.0]))
def test_interrupted_it_leaves_no_process_behind(seconds: float) -> None:
    words = ["arena", "classic", "greedy", "random", "--law", "--games", "100000", "--jobs", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "qwixx", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        _wait(lambda: _group(process.pid) > 1, 120)
        time.sleep(seconds)  # the workers start, or play
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out, err.strip()) == (130, "", "qwixx: stopped")
        _wait(lambda: _group(process.pid) == 0, 60)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _group(number: int) -> int:
    """How many processes of a group live."""
    found = 0
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, group = file.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        found += int(group) == number and state != "Z"
    return found


def _wait(until: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def programs() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    started: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen([sys.executable, "-m", *words], stderr=subprocess.DEVNULL))
        return started[-1]

    yield start
    for program in reversed(started):
        program.kill()
        program.wait()


@pytest.mark.long  # it starts four programs; the same interface is tried with processes on every run
def test_a_cluster_that_loses_a_worker_half_way(
    tmp_path: Path, programs: Callable[..., subprocess.Popen[bytes]]
) -> None:
    file = tmp_path / "scheduler.json"
    quiet = ("--scheduler-file", str(file), "--no-dashboard")
    programs("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0", *quiet)
    _wait(lambda: file.exists() and file.read_text().strip().endswith("}"), 120)
    workers = [
        programs("distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny", *quiet)
        for _ in range(2)
    ]
    contest = matches.contest("classic", ["greedy", "random"], 3, 21, through_law=True)
    deals, done = 120, 0

    def kill_half_way(games_played: int) -> None:
        nonlocal done
        done += games_played
        if done >= deals * 3 // 2 and workers[0].poll() is None:
            workers[0].kill()

    address = json.loads(file.read_text())["address"]
    _wait_for_workers(address, 2)
    found, _ = arena.run(contest, deals, arena.Workplace(cluster=address), advance=kill_half_way)
    assert workers[0].wait(timeout=120) == -signal.SIGKILL
    assert found.to_json() == run(contest, deals)
    words = ["arena", "classic", "greedy", "random", "--games", "60", "--seed", "21", "--json"]
    on_cluster, on_one_core = (
        subprocess.run(
            [sys.executable, "-m", "qwixx", *words, *place],
            capture_output=True,
            text=True,
            check=True,
        )
        for place in (["--cluster", address], ["--jobs", "1"])
    )
    assert json.loads(on_cluster.stdout) == json.loads(on_one_core.stdout)


def _wait_for_workers(address: str, number: int) -> None:
    from distributed import Client  # noqa: PLC0415 - heavy, and only here

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(number, timeout=120)
