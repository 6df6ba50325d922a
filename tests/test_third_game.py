"""A third game is one folder: put beside the others, it is played everywhere,
and no other file knows of it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import pytest
from client import GENEROUS, Server, run
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test
from test_games import everybody, table_of

import qwixx
from conformance import conforms
from qwixx import bots, games
from qwixx.core import proof
from qwixx.engine import Engine
from qwixx.lab import bench
from qwixx.rl import gymnasium as rl
from qwixx.rl import openspiel
from qwixx.rl import pettingzoo as zoo
from qwixx.terminal.draw import Drawing, visible
from qwixx.terminal.paint import Paint
from sweeps import sweep
from tables import random_events

FOLDER = Path(__file__).parent / "third"
KNOWN = qwixx.ids()
# A program in which the game is there: as if its folder lay in qwixx/games.
PROGRAM = (
    f"from qwixx import games; games.__path__.append({str(FOLDER)!r}); "
    "from qwixx.cli import main; main()"
)


@pytest.fixture
def third(monkeypatch: pytest.MonkeyPatch) -> Iterator[qwixx.Game[Any]]:
    """The game, while it is there."""
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(FOLDER)])
    _look_again()
    yield qwixx.game("stairs")
    monkeypatch.undo()
    _look_again()


def _look_again() -> None:
    games.ids.cache_clear()
    games._folders.cache_clear()


def command(*words: str, typed: str = "", **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        input=typed,
        capture_output=True,
        text=True,
        env=os.environ | env,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def test_it_is_there_beside_the_others(third: qwixx.Game[Any]) -> None:
    assert set(qwixx.ids()) == {*KNOWN, third.id}
    assert bots.levels(third.id) == ("random", "novice", "greedy")


@pytest.mark.parametrize("seed", sweep(range(20), short=4))
@pytest.mark.parametrize("players", [3, 4])
def test_it_keeps_the_contract(third: qwixx.Game[Any], players: int, seed: int) -> None:
    conforms(third, players, seed)


def test_the_engine_plays_it(third: qwixx.Game[Any]) -> None:
    engine = Engine()

    def ask(**request: Any) -> dict[str, Any]:
        answer = engine.answer(json.dumps(request).encode())
        assert answer is not None
        assert "error" not in answer, answer
        found: dict[str, Any] = json.loads(json.dumps(answer))
        return found

    assert ask(cmd="start", game="stairs") == {"position": third.to_position(third.start(3))}
    for before, event, after in random_events(third, 4, Random(2)):
        position = third.to_position(before)
        if isinstance(event, qwixx.Dice):
            answer = ask(cmd="roll", position=position, dice=str(event))
        else:
            assert tuple(
                ask(cmd="legal", position=position, seat=event.seat)["moves"]
            ) == third.moves(before, event.seat)
            for level in bots.levels(third.id):
                answer = ask(cmd="bot", position=position, seat=event.seat, level=level, seed=1)
                assert answer["move"] in third.moves(before, event.seat)
            answer = ask(cmd="choose", position=position, seat=event.seat, move=event.move)
        assert answer == {"position": third.to_position(after)}
    assert ask(cmd="score", position=third.to_position(after))["over"] is True


def test_the_terminal_draws_it(third: qwixx.Game[Any]) -> None:
    drawing = Drawing(Paint(), third, qwixx.guide("stairs"), ["Ana", "Ben", "Cleo"])
    for _, _, state in random_events(third, 3, Random(1)):
        lines = drawing.table(state, 0, third.moves(state, 0)) + drawing.scores(third.result(state))
        lines += drawing.dice(state.dice) if state.dice else []
        assert max(map(visible, lines)) <= 80


def test_it_is_played_kept_and_checked_in_the_terminal(tmp_path: Path) -> None:
    kept = tmp_path / "game.json"
    words = (
        "play",
        "stairs",
        "--with",
        "greedy",
        "--with",
        "novice",
        "--seed",
        "3",
        "--save",
        str(kept),
    )
    assert "won" in command(*words, typed="1\n" * 100)
    assert command("verify", str(kept)).startswith("OK: stairs")
    assert "Stairs" in command("replay", str(kept))


def test_the_arena_plays_it_through_the_law(tmp_path: Path) -> None:
    words = (
        "arena",
        "stairs",
        "greedy",
        "random",
        "novice",
        "--games",
        "12",
        "--seed",
        "5",
        "--jobs",
        "1",
    )
    answer = json.loads(command(*words, "--json", "--records", str(tmp_path)))
    assert answer["games"] >= 12
    for kept in tmp_path.glob("*.json"):
        assert command("verify", str(kept)).startswith("OK: stairs")
        break


def test_its_speed_is_measured_with_its_own_dice(
    third: qwixx.Game[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "_SECONDS", 0.01)
    assert [name for name, game, _ in bench.tables() if game is third] == ["stairs3", "stairs4"]
    assert bench.by_law(third, 3) > 0


def test_people_and_bots_play_it_at_a_table(tmp_path: Path, third: qwixx.Game[Any]) -> None:
    server = Server(tmp_path, *GENEROUS, program=("-c", PROGRAM))

    async def play() -> str:
        clients = await table_of(server, "stairs", people=2, bots=1)
        await everybody(clients, Random(1))
        return str(clients[0].table["id"])

    try:
        table = run(play())
        found = server.record(table)[1]
        game, record, state = qwixx.read_record(found)
        assert game is third
        assert game.result(state).over
        assert proof.check(record, game.layout.faces)
        offered = {one["id"]: one for one in json.loads(server.get("/api/games")[1])["games"]}
        assert offered["stairs"]["faces"] == 4
        assert offered["stairs"]["levels"] == ["random", "novice", "greedy"]
        story = json.loads(server.get(f"/api/tables/{table}/story")[1])
        assert len(story["steps"]) == 1 + len(record.events)
    finally:
        server.kill()


@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
def test_it_is_an_environment(third: qwixx.Game[Any]) -> None:
    """Found by its id, and played through the law, since it has no kernel."""
    gymnasium.registry.pop("qwixx/Stairs-v0", None)
    rl.register()
    check_env(gymnasium.make("qwixx/Stairs-v0", render_mode="ansi").unwrapped)
    for players in third.players:
        api_test(zoo.env("stairs", players), num_cycles=50)
        parallel_api_test(zoo.parallel_env("stairs", players), num_cycles=50)
    with pytest.raises(qwixx.QwixxError, match="stairs has no kernel"):
        rl.vector("stairs", 1)
    options = {"players": 3, "first": -1}
    game = openspiel.QwixxGame("stairs", games.guide("stairs"), together=False, params=options)
    state, rng = game.new_initial_state(), Random(1)
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    assert sum(state.returns()) == pytest.approx(1)
    gymnasium.registry.pop("qwixx/Stairs-v0")
