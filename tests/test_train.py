"""Learning: the slopes are right, a net learns, the same plan gives the same net, nothing is lost on the way."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from qwixx import games
from qwixx.bots import net as shipped
from qwixx.bots.plain import Weights as Opinion
from qwixx.core.errors import QwixxError
from qwixx.games import kernel as shared
from qwixx.games.net import HEADS, Shape
from qwixx.games.net_kernel import WIDEST, backward, forward, new_lists, new_space, size
from qwixx.lab import train as school
from qwixx.lab import train_kernel
from qwixx.lab.commands import train

PLAN = school.Plan("duel", {2: 300}, 8, rate=3e-3, check=4, check_games=200)


def quiet(_: Any) -> None:
    """Nobody listens."""


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> tuple[school.Learner, Path]:
    folder = tmp_path_factory.mktemp("school")
    return school.train(PLAN, folder, quiet, quiet, threads=1), folder


@pytest.mark.parametrize(("shape", "seats"), [(Shape(9, 0, 8, 0, 4), 0), (Shape(9, 9, 8, 4, 4), 3)])
def test_slopes_are_those_of_the_net(shape: Shape, seats: int) -> None:
    rng = np.random.default_rng(1)
    net, lists = rng.normal(0, 0.5, size(shape)).astype(np.float32), new_lists(3, 3)
    features, errors = rng.integers(0, 9, (4, 3)), np.array([0.7, -0.4], np.float32)
    space, slopes = new_space(3), np.zeros(size(shape), np.float32)

    def loss(weights: shared.Weights) -> float:
        lists[:4], lists[4:] = features, -1
        forward(weights, shape, lists, seats, space)
        return float(space[0, :HEADS] @ errors)

    loss(net)
    backward(net, shape, lists, seats, space, errors, np.empty((4, WIDEST), np.float32), slopes)
    for place in range(size(shape)):
        moved, step = [net.copy() for _ in range(2)], 2e-3
        moved[0][place] += step
        moved[1][place] -= step
        assert (loss(moved[0]) - loss(moved[1])) / (2 * step) == pytest.approx(slopes[place], abs=0.02)


def test_sums_that_are_kept_are_sums_that_are_made_anew() -> None:
    shape, rng = Shape(50, 50, 16, 16, 8), np.random.default_rng(2)
    net, kept, space = rng.normal(0, 0.5, size(shape)).astype(np.float32), new_lists(2, 5), new_space(2)
    for _ in range(50):
        kept[rng.integers(0, 3), rng.integers(0, 5)] = rng.integers(0, 50)
        kept[:3] = np.where(kept[:3] < 0, 1, kept[:3])
        forward(net, shape, kept, 2, space)
        anew, other = new_lists(2, 5), new_space(2)
        anew[:3] = kept[:3]
        forward(net, shape, anew, 2, other)
        assert space[0, :HEADS] == pytest.approx(other[0, :HEADS], abs=1e-4)


def test_a_net_learns(learnt: tuple[school.Learner, Path]) -> None:
    learner, _ = learnt
    assert [check.generation for check in learner.checks] == [4, 8]
    assert learner.checks[0].kept  # what comes later is a matter of few games, and of rounding
    assert learner.checks[0].against_last["2"] > 0.6
    assert learner.positions > 10_000
    with ThreadPoolExecutor(1) as pool:
        before = school.weights_with(learner.net, school.fresh(PLAN).net, Opinion())
        assert school.match(PLAN, before, train_kernel.RIVAL, 2, 400, pool).share > 0.65
        assert school.match(PLAN, before, train_kernel.ANY, 2, 400, pool).share > 0.75


def test_threads_and_interruptions_change_nothing(learnt: tuple[school.Learner, Path], tmp_path: Path) -> None:
    whole, folder = learnt

    def stop(checks: Sequence[school.Check]) -> None:
        if len(checks) == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        school.train(PLAN, tmp_path, stop, quiet, threads=2)
    kept = school.resumed(PLAN, tmp_path)
    assert kept is not None
    assert 0 < kept.generation < PLAN.generations
    again = school.train(PLAN, tmp_path, quiet, quiet, threads=2)
    assert np.array_equal(again.net, whole.net)
    assert np.array_equal(again.best, whole.best)
    assert [check._replace(seconds=0) for check in again.checks] == [
        check._replace(seconds=0) for check in whole.checks
    ]
    assert school.train(PLAN, folder, quiet, quiet).steps == whole.steps  # it was done


def test_what_ships_is_read_back(learnt: tuple[school.Learner, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    learner, folder = learnt
    monkeypatch.setattr(shipped, "FOLDER", folder)
    assert np.array_equal(
        shipped.numbers_of("duel", 2, small=False), learner.best.astype(np.float16).astype(np.float32)
    )
    assert (folder / "duel.npz").stat().st_size < 2_000_000


def test_a_small_net_uses_few_units(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    plan = replace(PLAN, generations=3, seats={2: 60}, check_games=40, units=(2, 1, 3))
    school.train(plan, tmp_path, quiet, quiet)
    found = shipped.net_of("duel", 2, small=True)
    used = [0, 1, found.shape.alone]
    assert np.flatnonzero(found.own.any(axis=0)).tolist() == used
    assert np.flatnonzero(found.other.any(axis=0)).tolist() == [0]
    assert np.flatnonzero(found.hidden[:-1].any(axis=1)).tolist() == used
    assert np.flatnonzero(found.hidden.any(axis=0)).tolist() == [0, 1, 2]
    assert (tmp_path / "duel-small.npz").stat().st_size < 20_000


def test_another_plan_does_not_go_on_with_this_one(learnt: tuple[school.Learner, Path], tmp_path: Path) -> None:
    _, folder = learnt
    with pytest.raises(QwixxError, match="another plan"):
        school.train(replace(PLAN, seed=9), folder, quiet, quiet)
    (tmp_path / "duel.state.npz").write_bytes(b"no net")
    with pytest.raises(QwixxError, match="remove it to begin again"):
        school.train(PLAN, tmp_path, quiet, quiet)


def test_a_learner_can_be_set_on_one_opponent(learnt: tuple[school.Learner, Path], tmp_path: Path) -> None:
    _, folder = learnt
    for against in (str(folder / "duel.npz"), "greedy"):
        plan = replace(PLAN, generations=2, seats={2: 40}, check_games=40, against=against)
        assert school.train(plan, tmp_path / Path(against).stem, quiet, quiet).positions > 0
    for path, told in (
        (tmp_path / "none.npz", "no net that can be read"),
        (shipped.FOLDER / "classic.npz", "shape"),
    ):
        with pytest.raises(QwixxError, match=told):
            school.train(replace(PLAN, against=str(path)), tmp_path / "new", quiet, quiet)


def test_every_net_that_ships_has_a_plan_and_fits_the_kernels() -> None:
    for name, plan in school.plans().items():
        assert school.read_net(shipped.FOLDER / f"{name}.npz", plan).size == size(school.shape_of(plan))
    assert sum(file.stat().st_size for file in shipped.FOLDER.glob("*.npz")) < 2_000_000
    assert {file.stem for file in shipped.FOLDER.glob("*.npz")} == set(school.plans())
    assert {plan.game for plan in school.plans().values()} == set(games.ids())


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["ludo"], "there is no net 'ludo': the nets are"),
        (["--against", "duel"], "--against goes with one net"),
        (["duel", "--generations", "0"], "--generations"),
    ],
)
def test_mistakes_are_told(asked: list[str], told: str) -> None:
    found = CliRunner().invoke(train, asked)
    assert found.exit_code == 2
    assert told in found.output
