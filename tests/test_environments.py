"""Environments for others' libraries: the suites that come with those libraries, unchanged,
and that all of them are the law."""

import itertools
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from random import Random
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pettingzoo.test as suite
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import example_envs
from pettingzoo.utils.conversions import parallel_to_aec
from pettingzoo.utils.wrappers import BaseWrapper

import qwixx
from qwixx import games
from qwixx.core.errors import IllegalMove, QwixxError
from qwixx.rl import gymnasium as single
from qwixx.rl import pettingzoo as zoo
from qwixx.rl import render
from qwixx.study.encoding import Encoding, encoding
from sweeps import sweep
from tables import CLASSIC, TABLES, classic, duel, play_on, random_events

# What the suite says of every environment whose observation is a dictionary with a mask,
# but for PettingZoo's own, which it knows by name.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
]
tables = pytest.mark.parametrize(("game_id", "players"), TABLES)


@tables
def test_pettingzoos_suite_in_turns(game_id: str, players: int) -> None:
    suite.api_test(zoo.env(game_id, players), num_cycles=100)
    suite.seed_test(lambda: zoo.env(game_id, players), num_cycles=40)
    suite.state_test(zoo.env(game_id, players), zoo.parallel_env(game_id, players))


@tables
def test_pettingzoos_suite_all_at_once(game_id: str, players: int) -> None:
    suite.parallel_api_test(zoo.parallel_env(game_id, players), num_cycles=100)
    suite.parallel_seed_test(lambda: zoo.parallel_env(game_id, players), num_cycles=40)
    # The active seat acts twice in a turn, so cycles are counted where all act in each of them.
    together = SimpleNamespace(
        parallel_env=lambda **options: zoo.parallel_env(game_id, players, **options),
        env=lambda **options: parallel_to_aec(zoo.parallel_env(game_id, players, **options)),
    )
    suite.max_cycles_test(together)


@tables
def test_pettingzoos_suite_of_pictures(
    game_id: str, players: int, capsys: pytest.CaptureFixture[str]
) -> None:
    suite.render_test(lambda **options: zoo.env(game_id, players, **options))
    assert games.guide(game_id).title in capsys.readouterr().out


class Old(BaseWrapper[str, Any, Any]):
    """`bombardment_test` was written when `step` returned the next observation, and an observation
    was an array. This answers as was usual then."""

    def step(self, action: Any) -> Any:
        super().step(action)
        return self.observe(self.agent_selection)

    def observe(self, agent: str) -> Any:
        return super().observe(agent)["observation"]

    def observation_space(self, agent: str) -> Any:
        return super().observation_space(agent)["observation"]


@tables
def test_pettingzoos_bombardment(game_id: str, players: int) -> None:
    suite.bombardment_test(Old(zoo.env(game_id, players)), cycles=10)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [found.name for found in iter_modules(example_envs.__path__)])
def test_pettingzoos_own_examples_fail_that_one(name: str) -> None:
    """Once they pass, `Old` can go. Some draw their spaces by lot, and so the error."""
    example = import_module(f"{example_envs.__name__}.{name}")
    with pytest.raises((AssertionError, AttributeError, IndexError)):
        suite.bombardment_test(example.env(), cycles=10)


@tables
def test_pettingzoos_benchmark(
    game_id: str, players: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = itertools.count()  # a clock that does not make anybody wait
    clock = SimpleNamespace(time=lambda: next(seconds))
    monkeypatch.setattr(sys.modules["pettingzoo.test.performance_benchmark"], "time", clock)
    suite.performance_benchmark(zoo.env(game_id, players))
    assert "turns per second" in capsys.readouterr().out


@tables
def test_gymnasiums_checker(game_id: str, players: int) -> None:
    levels = ["greedy", "random", "novice", "formula"][: players - 1]
    env = gymnasium.make(single.env_id(game_id), opponents=levels, render_mode="rgb_array")
    check_env(env.unwrapped)
    env.close()


def test_ids_come_from_the_games() -> None:
    assert [single.env_id(game_id) for game_id in games.ids()] == [
        "qwixx/Classic-v0",
        "qwixx/Duel-v0",
        "qwixx/MixedA-v0",
        "qwixx/MixedB-v0",
    ]
    assert gymnasium.make("qwixx/Duel-v0").unwrapped.table.players == 2  # type: ignore[attr-defined] # of our own


def moments(game_id: str, players: int, seed: int) -> Iterator[Any]:
    for _, _, state in random_events(qwixx.game(game_id), players, Random(seed)):
        yield state


@tables
def test_observations_say_what_lies_there(game_id: str, players: int) -> None:
    """Read back by the documented parts, they are the position."""
    coding, game = encoding(game_id, players), qwixx.game(game_id)
    for state in itertools.islice(moments(game_id, players, players), 0, None, 7):
        for seat in range(players):
            shown = coding.observe(state, seat)
            assert (shown <= coding.highest).all()
            parts = coding.named(shown)
            result = game.result(state)
            for other in range(players):
                owner = (seat + other) % players
                counts = parts["marks"][other].sum(axis=1).tolist()
                worth = [min(n, game.layout.counted) for n in counts]
                assert [n * (n + 1) // 2 for n in worth] == list(result.rows[owner])
                assert parts["failed"][other] * 5 == result.penalty(owner)
            dice = (*state.dice.whites, *state.dice.coloured) if state.dice else (0,) * 6
            assert tuple(parts["dice"]) == dice
            assert parts["active"].tolist().index(1) == (state.active - seat) % players
            allowed = [coding.moves[action] for action in np.flatnonzero(coding.mask(state, seat))]
            assert tuple(allowed) == (game.moves(state, seat) or ("-",))
            if seat == state.active and state.dice:
                assert parts["failing"][0] == game.effects(state, seat, "-").failed


@pytest.mark.parametrize("seed", sweep(range(40), 2))
@pytest.mark.parametrize("game_id", [one for one in games.ids() if games.guide(one).printed.sealed])
def test_what_others_have_sealed_is_nowhere(game_id: str, seed: int) -> None:
    """States that differ only in others' sealed choices look alike, to the last number."""
    players = 2 + seed % 4
    coding, game = encoding(game_id, players), qwixx.game(game_id)
    seen = 0
    for before, event, after in random_events(game, players, Random(seed)):
        if not isinstance(event, qwixx.Choice) or after.phase != "white":
            continue
        seen += 1
        for seat in set(range(players)) - {event.seat}:
            looks = [coding.observe(before, seat)]
            masks = [coding.mask(before, seat)]
            for move in game.moves(before, event.seat):
                other = game.choose(before, event.seat, move)
                looks.append(coding.observe(other, seat))
                masks.append(coding.mask(other, seat))
            assert all((look == looks[0]).all() for look in looks)
            assert all((mask == masks[0]).all() for mask in masks)
    assert seen


def test_nobody_is_told_of_a_choice_before_the_last_is_in() -> None:
    env = zoo.env("classic", 4, first=2)
    env.reset(seed=5)
    for agent in env.possible_agents[:3]:
        shown = {other: env.observe(other)["observation"] for other in env.agents}
        hidden = env.state()
        assert env.agent_selection == agent
        env.step(int(np.flatnonzero(env.observe(agent)["action_mask"])[-1]))
        assert all((env.observe(other)["observation"] == shown[other]).all() for other in shown)
        assert (env.state() != hidden).any()  # which is not for players
    env.step(0)
    assert env.agent_selection == "seat_2"  # the colour action


def test_in_turns_and_all_at_once_are_the_same_games() -> None:
    for game_id, players in TABLES:
        turns, together = zoo.env(game_id, players), zoo.parallel_env(game_id, players)
        turns.reset(seed=3)
        shown, _ = together.reset(seed=3)
        rng = Random(1)
        while together.agents:
            actions = {
                agent: rng.choice(np.flatnonzero(shown[agent]["action_mask"]).tolist())
                for agent in together.agents
            }
            before = together.table.to_act
            shown, rewards, over, _, _ = together.step(actions)
            for seat in before:
                assert turns.agent_selection == f"seat_{seat}"
                turns.step(actions[f"seat_{seat}"])
            for agent, one in shown.items():
                assert (turns.observe(agent)["observation"] == one["observation"]).all()
        assert turns.unwrapped.rewards == rewards
        assert all(over.values())
        assert sum(rewards.values()) == pytest.approx(1.0)


def test_rewards_are_win_points_or_difference() -> None:
    found = {}
    for reward in ("win", "points", "difference"):
        env = zoo.parallel_env("classic", 3, reward=reward)
        env.reset(seed=8)
        while env.agents:
            _, rewards, _, _, _ = env.step(dict.fromkeys(env.agents, 44))
        found[reward] = list(rewards.values())
        points = list(env.table.game.result(env.table.state).totals)
    assert found["points"] == points
    assert found["win"] == [(p == max(points)) / points.count(max(points)) for p in points]
    assert found["difference"][0] == points[0] - max(points[1:])
    with pytest.raises(QwixxError, match="there is no reward 'glory'"):
        zoo.parallel_env(reward="glory")


def test_an_illegal_action_is_a_pass_or_is_refused_with_its_rule() -> None:
    strict, mild = (zoo.env("classic", 2, first=0, illegal=how) for how in ("raise", "pass"))
    for env in (strict, mild):
        env.reset(seed=1)
    illegal = int(np.flatnonzero(1 - strict.observe("seat_0")["action_mask"])[0])
    with pytest.raises(IllegalMove) as refused:
        strict.step(illegal)
    assert refused.value.rule == "S2"
    mild.step(illegal)
    assert mild.unwrapped.table.sealed == {0: 0}
    with pytest.raises(QwixxError, match="0 to 44"):
        strict.step(99)
    together = zoo.parallel_env("duel", illegal="raise", first=0)
    together.reset(seed=1)
    with pytest.raises(QwixxError, match="seat_1 has no choice"):
        together.step({"seat_0": 0, "seat_1": 3})


def test_one_game_follows_the_other() -> None:
    env = single.Seat("classic", ["greedy", "random"], seat=1)
    env.reset(seed=4)
    lengths = []
    for _ in range(2):
        env.reset()
        over, steps = False, 0
        while not over:
            actions = np.flatnonzero(env.table.mask(env.seat))
            _, reward, over, cut, info = env.step(actions[steps % len(actions)])
            assert info["seat"] == 1
            assert not cut
            steps += 1
        lengths.append((steps, env.table.number, reward))
    assert [number for _, number, _ in lengths] == [1, 2]
    env.close()


def test_a_seat_is_drawn_and_so_is_who_begins() -> None:
    env = single.Seat("classic", ["random", "random"])
    seats, firsts = set(), set()
    for seed in range(30):
        _, info = env.reset(seed=seed)
        seats.add(info["seat"])
        firsts.add(env.table.state.active)
    assert seats == firsts == {0, 1, 2}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "chess"}, "there is no game"),
        ({"opponents": "greedy"}, "opponents are a list"),
        ({"opponents": ["nobody"]}, "there is no level"),
        ({"opponents": ["greedy"] * 5}, "this game takes 1 to 5 players"),
        ({"opponents": ["greedy"], "players": 4}, "one seat is yours"),
        ({"opponents": ["greedy"] * 3, "players": 2}, "leave no seat"),
        ({"seat": 2}, "there is no seat 2"),
        ({"first": 2}, "the first seat must be"),
        ({"illegal": "maybe"}, "there is no way with what is illegal 'maybe'"),
    ],
)
def test_wrong_options_are_refused_in_a_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(QwixxError, match=message):
        single.Seat(**{"game": "classic", "opponents": ["greedy"], **options})


def test_pictures_show_marks() -> None:
    guide = games.guide("classic")
    empty = render.picture(guide, CLASSIC.start(2))
    marked = render.picture(guide, classic("R2 R3", ""))
    assert empty.shape == marked.shape
    assert (empty != marked).any()
    rolled = play_on(CLASSIC, CLASSIC.start(2), "41 3625")
    assert "dice 41 3625" in render.text(guide, rolled)
    stacked = render.text(games.guide("duel"), duel("R5b R7gg"))
    assert "  R ...a.B...... R7 x2" in stacked.splitlines()


@pytest.mark.parametrize(
    ("module", "missing", "extra"),
    [
        ("gymnasium", "gymnasium", "rl"),
        ("pettingzoo", "pettingzoo", "rl"),
        ("openspiel", "pyspiel", "openspiel"),
    ],
)
def test_what_is_missing_is_said_in_one_line(module: str, missing: str, extra: str) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None; import qwixx.rl.{module}"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.endswith(f"this needs {missing}: pip install 'qwixx[{extra}]'")


def test_an_encoding_holds_rows_of_any_length() -> None:
    """A game that nobody here knows, with rows of seven and five fields."""
    from third import stairs  # noqa: PLC0415 - it is nobody's but the tests'

    guide = stairs.GAMES["stairs"]
    coding, game = Encoding(guide, 3), guide.game
    state = play_on(game, game.start(3, 0), "11 44", "0:Y2")
    parts = coding.named(coding.observe(state, 1))
    assert parts["marks"].shape == (3, 2, 8)
    assert parts["marks"][2, 0].tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    assert len(coding.moves) == 1 + 7 + 5
