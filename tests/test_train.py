"""Learning: the slopes are right, a net learns, the same plan gives the same net,
nothing is lost on the way."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from qwixx import games
from qwixx.bots import minds, stock
from qwixx.bots import net as shipped
from qwixx.bots.plain import Opinion
from qwixx.bots.stock import FOLDER
from qwixx.compiled.net import BIASES, Mind, new_mind
from qwixx.compiled.net import forward as forward_whole
from qwixx.core.errors import QwixxError
from qwixx.core.fields import Layout
from qwixx.core.nets import HEADS, POINTS, Shape
from qwixx.core.values import ODDS_BITS, POINT
from qwixx.games import classic
from qwixx.games.classic.guide import ClassicGuide
from qwixx.games.classic.rules import Classic
from qwixx.lab.commands import train
from qwixx.lab.training import learning
from qwixx.lab.training import train as training
from qwixx.lab.training.floats import WIDEST, Floats, backward, forward, new_space, size
from qwixx.lab.training.rounding import rounded

PLAN = training.TrainingPlan("duel", (32, 96, 32), {2: 300}, 8, rate=3e-3, check=4, check_games=200)


def quiet(_: Any) -> None:
    """Nobody listens."""


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> tuple[training.Learner, Path]:
    folder = tmp_path_factory.mktemp("training")
    return training.train(PLAN, folder, quiet, quiet, threads=1), folder


@pytest.mark.parametrize(("shape", "seats"), [(Shape(9, 0, 8, 0, 4), 0), (Shape(9, 9, 8, 4, 4), 3)])
def test_slopes_are_those_of_the_net(shape: Shape, seats: int) -> None:
    rng = np.random.default_rng(1)
    net, lists = rng.normal(0, 0.5, size(shape)).astype(np.float32), rng.integers(0, 9, (4, 3))
    errors = np.array([0.7, -0.4], np.float32)
    space, slopes = new_space(3), np.zeros(size(shape), np.float32)

    def loss(weights: Floats) -> float:
        forward(weights, shape, lists, seats, space)
        return float(space[0, :HEADS] @ errors)

    loss(net)
    backward(net, shape, lists, seats, space, errors, np.empty((4, WIDEST), np.float32), slopes)
    for place in range(size(shape)):
        moved, step = [net.copy() for _ in range(2)], 2e-3
        moved[0][place] += step
        moved[1][place] -= step
        assert (loss(moved[0]) - loss(moved[1])) / (2 * step) == pytest.approx(
            slopes[place], abs=0.02
        )


def mind_of(shape: Shape, net: Floats, others: int, listed: int) -> Mind:
    stored = rounded(shape, net)
    numbers = np.array([*[0] * (BIASES - 6), *shape, stored.shift, *stored.biases.tolist()])
    return new_mind(numbers, stored.weights, others, listed)


def test_sums_that_are_kept_are_sums_that_are_made_anew() -> None:
    shape, rng = Shape(50, 50, 16, 16, 8), np.random.default_rng(2)
    net = rng.normal(0, 0.5, size(shape)).astype(np.float32)
    kept = mind_of(shape, net, 2, 5)
    kept.lists[:3] = 1
    for _ in range(50):
        kept.lists[rng.integers(0, 3), rng.integers(0, 5)] = rng.integers(0, 50)
        anew = mind_of(shape, net, 2, 5)
        anew.lists[:3] = kept.lists[:3]
        assert forward_whole(kept, 2) == forward_whole(anew, 2)


@pytest.mark.parametrize(
    ("shape", "others"), [(Shape(50, 0, 16, 0, 8), 0), (Shape(50, 50, 16, 16, 8), 3)]
)
def test_a_rounded_net_says_what_the_net_says(shape: Shape, others: int) -> None:
    rng, space = np.random.default_rng(3), new_space(others)
    net = rng.normal(0, 0.2, size(shape)).astype(np.float32)
    for _ in range(50):
        mind, lists = mind_of(shape, net, others, 5), rng.integers(0, 50, (1 + others, 5))
        mind.lists[: 1 + others] = lists
        forward(net, shape, lists, others, space)
        odds, points = forward_whole(mind, others)
        assert odds / 2**ODDS_BITS == pytest.approx(float(space[0, 0]), abs=0.01)
        assert points / POINT == pytest.approx(POINTS * float(space[0, 1]), abs=0.3)


@pytest.mark.parametrize("name", training.plans())
def test_a_net_that_ships_learns_further_from_what_it_is(name: str) -> None:
    path = FOLDER / f"{name}.npz"
    plan = training.further(training.plans()[name], str(path))
    kept, begun = training.read_net(path, plan), training.begun(plan)
    again = rounded(training.shape_of(plan), begun.net)
    assert np.array_equal(again.weights, kept.weights)
    assert np.array_equal(again.biases, kept.biases)
    assert again.shift == kept.shift
    assert plan.rate < training.plans()[name].rate


def test_no_sum_of_a_rounded_net_leaves_its_word() -> None:
    shape, rng = Shape(9, 9, 64, 64, 4), np.random.default_rng(4)
    for spread in (0.1, 3.0, 100.0):
        net = rng.normal(0, spread, size(shape)).astype(np.float32)
        shipped._check(rounded(shape, net), 9, 9)


def test_a_net_learns(learnt: tuple[training.Learner, Path]) -> None:
    learner, _ = learnt
    assert [check.generation for check in learner.checks] == [4, 8]
    assert learner.checks[0].kept  # what comes later is a matter of few games, and of rounding
    assert learner.checks[0].against_last["2"] > 0.6
    assert learner.positions > 10_000
    with ThreadPoolExecutor(1) as pool:
        shape = training.shape_of(PLAN)
        now, before = rounded(shape, learner.net), rounded(shape, training.fresh(PLAN).net)
        minds = training.minds_of(PLAN, 2, now, before, Opinion())
        assert training.match(PLAN, minds, learning.RIVAL, 2, 400, pool).share > 0.65
        assert training.match(PLAN, minds, learning.ANY, 2, 400, pool).share > 0.75


def test_threads_and_interruptions_change_nothing(
    learnt: tuple[training.Learner, Path], tmp_path: Path
) -> None:
    whole, folder = learnt

    def stop(checks: Sequence[training.Check]) -> None:
        if len(checks) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.train(PLAN, tmp_path, stop, quiet, threads=2)
    kept = training.resumed(PLAN, tmp_path)
    assert kept is not None
    assert 0 < kept.generation < PLAN.generations
    again = training.train(PLAN, tmp_path, quiet, quiet, threads=2)
    assert np.array_equal(again.net, whole.net)
    assert np.array_equal(again.best, whole.best)
    assert [check._replace(seconds=0) for check in again.checks] == [
        check._replace(seconds=0) for check in whole.checks
    ]
    assert training.train(PLAN, folder, quiet, quiet).steps == whole.steps  # it was done


def test_what_ships_is_read_back(
    learnt: tuple[training.Learner, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    learner, folder = learnt
    monkeypatch.setattr(stock, "FOLDER", folder)
    found, kept = (
        shipped.stored("duel", 2, small=False),
        rounded(training.shape_of(PLAN), learner.best),
    )
    assert (found.shape, found.shift) == (kept.shape, kept.shift)
    assert np.array_equal(found.weights, kept.weights)
    assert np.array_equal(found.biases, kept.biases)
    assert (folder / "duel.npz").stat().st_size < 2_000_000


def test_a_small_net_is_a_net_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stock, "FOLDER", tmp_path)
    plan = replace(PLAN, generations=3, seats={2: 60}, check_games=40, units=(4, 4, 3), small=True)
    training.train(plan, tmp_path, quiet, quiet)
    assert shipped.net_of("duel", 2, small=True).shape[2:] == (4, 4, 3)
    assert (tmp_path / "duel-small.npz").stat().st_size < 20_000


def test_another_plan_does_not_go_on_with_this_one(
    learnt: tuple[training.Learner, Path], tmp_path: Path
) -> None:
    _, folder = learnt
    with pytest.raises(QwixxError, match="another plan"):
        training.train(replace(PLAN, seed=9), folder, quiet, quiet)
    (tmp_path / "duel.state.npz").write_bytes(b"no net")
    with pytest.raises(QwixxError, match="remove it to begin again"):
        training.train(PLAN, tmp_path, quiet, quiet)


def test_a_learner_can_be_set_on_one_opponent(
    learnt: tuple[training.Learner, Path], tmp_path: Path
) -> None:
    _, folder = learnt
    for against in (str(folder / "duel.npz"), "greedy"):
        plan = replace(PLAN, generations=2, seats={2: 40}, check_games=40, against=against)
        assert training.train(plan, tmp_path / Path(against).stem, quiet, quiet).positions > 0
    for path, message in (
        (tmp_path / "none.npz", "no net that can be read"),
        (stock.FOLDER / "classic.npz", "no net that can be read"),
    ):
        with pytest.raises(QwixxError, match=message):
            training.train(replace(PLAN, against=str(path)), tmp_path / "new", quiet, quiet)


def test_every_net_that_ships_has_a_plan_and_fits_the_kernels() -> None:
    plans = training.plans()
    for file in stock.FOLDER.glob("*.npz"):
        assert training.read_net(file, plans[file.stem]).shape == training.shape_of(
            plans[file.stem]
        )
    assert sum(file.stat().st_size for file in stock.FOLDER.glob("*.npz")) < 4_000_000
    learnable = {one for one in games.ids() if games.features_of(one) and minds.can_play(one)}
    assert {plan.game for plan in plans.values()} == learnable >= {"classic", "duel"}


@pytest.mark.parametrize(
    ("name", "odd"),
    [
        ("two", Classic(Layout("RY", ((2, 3, 4),) * 2), name="two")),  # a net is told of four rows
        ("eight", Classic(Layout(faces=8), name="eight")),  # no kernel has such dice
    ],
)
def test_a_sheet_that_no_net_can_learn_has_no_plan(
    monkeypatch: pytest.MonkeyPatch, name: str, odd: Classic
) -> None:
    monkeypatch.setitem(classic.GAMES, name, ClassicGuide(odd, name, "A sheet."))
    games.ids.cache_clear()
    games._folders.cache_clear()
    try:
        assert name in games.ids()
        assert name not in {plan.game for plan in training.plans().values()}
        found = CliRunner().invoke(train, [name])
        assert (found.exit_code, f"there is no net '{name}'" in found.output) == (2, True)
    finally:
        monkeypatch.undo()
        games.ids.cache_clear()
        games._folders.cache_clear()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["ludo"], "there is no net 'ludo': the nets are"),
        (["--against", "duel"], "--against goes with one net"),
        (["--begin", "duel"], "--begin goes with one net"),
        (["duel", "--generations", "0"], "--generations"),
    ],
)
def test_mistakes_are_told(asked: list[str], message: str) -> None:
    found = CliRunner().invoke(train, asked)
    assert found.exit_code == 2
    assert message in found.output
