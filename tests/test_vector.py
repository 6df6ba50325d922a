"""Many tables at once are the single environments, and those are the law, step for step."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from qwixx.core.errors import QwixxError
from qwixx.rl import gymnasium as rl
from qwixx.rl.pettingzoo import env as in_turns
from sweeps import sweep
from tables import TABLES

STEPS = 800  # of each table, in every run
MILLION = 1_000_000  # steps of all tables together, in a long one
AGAINST_BOTS = 200_000  # of them; the others are our own
ENVS = 2
BOTS = ("random", "greedy", "novice", "formula")


def beside_singles(game_id: str, levels: tuple[str, ...], steps: int, seed: int = 5) -> None:
    """Observations, masks, seats, rewards and ends, of every step."""
    many = rl.vector(game_id, ENVS, levels)
    singles = [rl.Seat(game_id, levels) for _ in range(ENVS)]
    shown, info = many.reset(seed=seed)
    found: list[Any] = [
        (*one.reset(seed=seed + number), 0.0, False) for number, one in enumerate(singles)
    ]
    rewards, ended = np.zeros(ENVS), np.zeros(ENVS, np.bool_)
    ends = 0
    for _ in range(steps // ENVS):
        for number, (observation, told, reward, over) in enumerate(found):
            assert (shown[number] == observation).all()
            assert (info["action_mask"][number] == told["action_mask"]).all()
            assert info["seat"][number] == told["seat"]
            assert (rewards[number], ended[number]) == (reward, over)
        actions = many.any_actions()
        shown, rewards, ended, _, info = many.step(actions)
        for number, one in enumerate(singles):
            if found[number][3]:
                found[number] = (*one.reset(), 0.0, False)
            else:
                observation, reward, over, _, told = one.step(actions[number])
                found[number] = observation, told, reward, over
        ends += int(ended.sum())
    assert ends or steps < 200


def beside_the_law(game_id: str, players: int, steps: int, seed: int = 9) -> None:
    """All seats ours, beside PettingZoo's turns, which the law plays."""
    many, turns = rl.vector(game_id, 1, [], players=players), in_turns(game_id, players)
    shown, info = many.reset(seed=seed)
    turns.reset(seed=seed)
    for _ in range(steps):
        agent = turns.agent_selection
        if turns.terminations[agent]:
            assert sum(info["returns"][0]) == pytest.approx(1.0)
            assert list(turns.unwrapped.rewards.values()) == info["returns"][0].tolist()
            turns.reset()
            shown, _, _, _, info = many.step(np.zeros(1, np.int64))
            continue
        told = turns.observe(agent)
        assert agent == f"seat_{info['seat'][0]}"
        assert (told["observation"] == shown[0]).all()
        assert (told["action_mask"] == info["action_mask"][0]).all()
        actions = many.any_actions()
        moves = turns.unwrapped.table.game.moves(turns.unwrapped.table.state, info["seat"][0])
        coding = many.coding
        legal = [coding.moves[action] for action in np.flatnonzero(info["action_mask"][0])]
        assert tuple(legal) == moves
        turns.step(int(actions[0]))
        shown, _, _, _, info = many.step(actions)


@pytest.mark.parametrize("steps", sweep([STEPS, (MILLION - AGAINST_BOTS) // len(TABLES)]))
@pytest.mark.parametrize(("game_id", "players"), TABLES)
def test_all_seats_ours_step_for_step_as_the_law(game_id: str, players: int, steps: int) -> None:
    beside_the_law(game_id, players, steps)


# With bots it takes a minute to compile; in every run the test below does it without.
@pytest.mark.long
@pytest.mark.parametrize(("game_id", "players"), TABLES)
def test_many_tables_are_single_ones_step_for_step(game_id: str, players: int) -> None:
    beside_singles(game_id, BOTS[: players - 1], AGAINST_BOTS // len(TABLES))


@pytest.mark.long  # few steps: through the law a thought takes its time
@pytest.mark.parametrize(("level", "steps"), [("club", 60), ("expert", 60), ("master", 12)])
def test_so_they_are_with_bots_that_think(
    level: str, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QWIXX_MASTER_SECONDS", "1000")  # which a busy machine may need
    beside_singles("classic", (level,), steps)


def test_and_without_a_compiler() -> None:
    """The same code, interpreted: with bots, at every table."""
    program = "import test_vector; test_vector.interpreted()"
    environment = {
        **os.environ,
        "NUMBA_DISABLE_JIT": "1",
        "PYTHONWARNINGS": "ignore:overflow encountered:RuntimeWarning",
        "PYTHONPATH": str(Path(__file__).parent),
    }
    done = subprocess.run([sys.executable, "-c", program], env=environment, check=False)
    assert done.returncode == 0


def interpreted() -> None:
    for game_id, players in TABLES:
        beside_singles(game_id, BOTS[: players - 1], 60)
    beside_singles("classic", ("expert",), 6)


def played(envs: int, threads: int, levels: tuple[str, ...] = (), **options: Any) -> list[Any]:
    """What the first two of so many environments are shown and paid."""
    many = rl.vector("classic", envs, levels, players=2, threads=threads, **options)
    shown, _ = many.reset(seed=11)
    found = [shown[:2].copy()]
    for _ in range(150):
        shown, rewards, ended, _, info = many.step(many.any_actions())
        found += [shown[:2].copy(), rewards[:2].copy(), ended[:2].copy(), info["seat"][:2].copy()]
    many.close()
    return found


def test_the_same_games_for_any_number_of_environments_and_threads() -> None:
    first, *others = [played(2, 1), played(2, 2), played(7, 1), played(33, 3)]
    for other in others:
        assert all((one == two).all() for one, two in zip(first, other, strict=True))
    assert any((one != two).any() for one, two in zip(first, played(2, 1, first=0), strict=True))


def test_a_seed_for_each_environment() -> None:
    many = rl.vector("classic", 3, [], players=2)
    shown, _ = many.reset(seed=[4, 9, 4])
    assert (shown[0] == shown[2]).all()
    assert (shown[0] != shown[1]).any()
    alone = rl.vector("classic", 1, [], players=2)
    assert (alone.reset(seed=9)[0][0] == shown[1]).all()
    with pytest.raises(QwixxError, match="2 seeds for 3 environments"):
        many.reset(seed=[1, 2])
    assert (many.reset(seed=1)[0] != many.reset()[0]).any()


def ended_once(mode: AutoresetMode) -> tuple[Any, Any, Any]:
    """Environments just after a first end: which it was, and what the step gave."""
    many = rl.vector("classic", 4, [], players=2, autoreset_mode=mode)
    many.reset(seed=2)
    while True:
        given = many.step(many.any_actions())
        if given[2].any():
            return many, int(np.flatnonzero(given[2])[0]), given


def test_the_next_game_begins_with_the_next_step() -> None:
    many, number, (shown, rewards, _, _, info) = ended_once(AutoresetMode.NEXT_STEP)
    assert many.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert many.coding.named(shown[number])["phase"].sum() == 0  # over
    assert info["action_mask"][number].sum() == info["action_mask"][number][0] == 1
    assert sum(info["returns"][number]) == pytest.approx(1)
    assert rewards[number] in info["returns"][number]
    shown, rewards, ended, _, _ = many.step(many.any_actions())
    assert (rewards[number], ended[number]) == (0, False)
    assert many.coding.named(shown[number])["marks"].sum() == 0


def test_the_next_game_begins_in_the_same_step() -> None:
    many, number, (shown, _, ended, _, info) = ended_once(AutoresetMode.SAME_STEP)
    assert many.coding.named(shown[number])["marks"].sum() == 0
    assert (info["_final_obs"] == ended).all()
    last = many.coding.named(info["final_obs"][number])
    assert last["marks"].sum() > 0
    assert last["phase"].sum() == 0
    assert info["final_obs"][(number + 1) % 4] is None or ended[(number + 1) % 4]
    first, *_ = ended_once(AutoresetMode.NEXT_STEP)
    again = first.step(first.any_actions())[0]
    assert (again[number] == shown[number]).all()  # the same games


def test_games_that_are_over_wait_to_be_begun_anew() -> None:
    many, _, (shown, _, ended, _, _) = ended_once(AutoresetMode.DISABLED)
    with pytest.raises(QwixxError, match="some games are over"):
        many.step(many.any_actions())
    again, _ = many.reset(options={"reset_mask": ended})
    assert (again[~ended] == shown[~ended]).all()
    assert many.coding.named(again[ended])["marks"].sum() == 0
    many.step(many.any_actions())


def test_an_illegal_action_is_a_pass_or_is_refused() -> None:
    mild, strict = (
        rl.vector("classic", 2, [], players=2, illegal=how) for how in ("pass", "raise")
    )
    for many in (mild, strict):
        _, info = many.reset(seed=3)
    illegal = int(np.flatnonzero(info["action_mask"][1] == 0)[0])
    for action in (illegal, -1, 45, 2**40):
        with pytest.raises(QwixxError, match=f"action {action} is illegal in environment 1"):
            strict.step([0, action])
        mild.reset(seed=3)
        passed = mild.step([0, 0])[0]
        mild.reset(seed=3)
        assert (mild.step([0, action])[0] == passed).all()
    with pytest.raises(QwixxError, match="2 environments take an action each"):
        mild.step([0])


def test_points_and_difference() -> None:
    for reward, check in (("points", None), ("difference", 0.0)):
        many = rl.vector("duel", 8, [], players=2, reward=reward)
        many.reset(seed=1)
        paid = np.zeros((8, 2))
        for _ in range(120):
            paid += many.step(many.any_actions())[4]["returns"]
        assert (paid.sum(axis=1) == check).all() if check is not None else (paid != 0).any()


def test_they_are_made_by_their_ids() -> None:
    many = gymnasium.make_vec(
        "qwixx/Classic-v0",
        num_envs=3,
        vectorization_mode="vector_entry_point",
        opponents=[],
        players=2,
    )
    shown, _ = many.reset(seed=1)
    assert shown in many.observation_space
    assert many.unwrapped.bytes_an_environment < 400  # type: ignore[attr-defined] # of our own
    many.close()


def test_what_cannot_be_compiled_is_refused_in_a_line() -> None:
    with pytest.raises(QwixxError, match="bots that are compiled"):
        rl.vector("classic", 1, ["exec:true"])
    with pytest.raises(QwixxError, match="there is no game"):
        rl.vector("chess", 1)


def test_nothing_that_is_given_out_is_used_again() -> None:
    many = rl.vector("classic", 2, [], players=2)
    shown, info = many.reset(seed=1)
    kept, mask = shown.copy(), info["action_mask"].copy()
    many.step(many.any_actions())
    many.reset()
    assert (shown == kept).all()
    assert (info["action_mask"] == mask).all()


def example(*words: str) -> list[str]:
    """What an example prints."""
    folder = Path(__file__).parent.parent / "examples"
    program, *options = words
    command = [sys.executable, str(folder / program), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.long  # as above: it plays against a bot
def test_the_example_that_learns_runs(tmp_path: Path) -> None:
    picture = tmp_path / "learning.svg"
    lines = example("train_ppo.py", "--steps", "1", "--out", str(picture))
    assert all(line.endswith("against greedy") for line in lines)
    assert len(lines) == 2
    assert "<polyline" in picture.read_text()


@pytest.mark.parametrize("words", [("--game", "duel", "--show"), ("--players", "4")])
def test_the_example_in_words_runs(words: tuple[str, ...]) -> None:
    lines = example("text_arena.py", *words)
    assert lines[-1].endswith("of the win")
    assert ("> I take [" in "\n".join(lines)) == ("--show" in words)
