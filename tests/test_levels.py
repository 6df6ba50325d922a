"""What a game lacks is asked, not assumed:
levels that think with a net are there for games that have one."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

import qwixx
from qwixx import bots
from qwixx.bots import stock
from qwixx.core.errors import BadRequest, QwixxError
from qwixx.engine import Engine
from qwixx.lab import matches
from qwixx.server import messages as m
from qwixx.server.creating import planned
from qwixx.terminal.paint import Paint
from qwixx.terminal.play import Table, new_game

PLAIN = ("random", "novice", "greedy")
NETS = ("club", "expert", "master")
EVERY_GAME = pytest.mark.parametrize("game_id", qwixx.ids())
EVERY_NET = pytest.mark.parametrize("level", NETS)


@pytest.fixture
def no_nets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for nets with none in it."""
    monkeypatch.setattr(stock, "FOLDER", tmp_path)
    return tmp_path


def thrown(game: qwixx.Game[Any]) -> Any:
    """A table for two after its first throw, whatever dice it has."""
    start = game.start(2)
    return game.roll(start, game.throws(start)[-1].dice)


def names_what_there_is(error: QwixxError) -> bool:
    return "random, novice, greedy" in error.message and "greedy, club" not in error.message


def test_all_levels_are_there_for_the_games_that_have_nets() -> None:
    assert bots.levels("classic") == bots.levels("duel") == (*PLAIN, *NETS) == tuple(bots.LEVELS)


@EVERY_GAME
def test_a_game_without_a_net_has_the_levels_that_need_none(no_nets: Path, game_id: str) -> None:
    assert bots.levels(game_id) == PLAIN
    for level in (*PLAIN, "formula", "exec:true"):
        bots.player(level, game_id).close()


def test_a_net_that_comes_brings_its_levels_along(no_nets: Path) -> None:
    (no_nets / "mixed-a-small.npz").touch()
    assert bots.levels("mixed-a") == (*PLAIN, "club", "expert")
    (no_nets / "mixed-a.npz").touch()
    assert bots.levels("mixed-a") == (*PLAIN, *NETS)
    assert bots.levels("mixed-b") == bots.levels("mixed-a", 1) == PLAIN
    (no_nets / "mixed-a-1.npz").touch()
    assert bots.levels("mixed-a", 1) == (*PLAIN, *NETS)


@EVERY_GAME
def test_every_level_that_is_offered_has_what_it_thinks_with(game_id: str) -> None:
    game = qwixx.game(game_id)
    state = thrown(game)
    for level in bots.levels(game_id):
        move = bots.decide(bots.player(level, game_id), game, state, state.active, Random(1)).move
        assert move in game.moves(state, state.active)


@EVERY_GAME
@EVERY_NET
def test_whoever_asks_for_a_level_that_is_not_there_is_told_which_are(
    no_nets: Path, tmp_path: Path, game_id: str, level: str
) -> None:
    """At the engine, in the terminal, in the arena, and in a saved game that somebody goes on with."""
    record = qwixx.Record(game_id, ("You", f"bot:{level}"))
    asked: list[Callable[[], object]] = [
        lambda: bots.player(level, game_id),
        lambda: new_game(game_id, ["You"], [level], None),
        lambda: Table(record, tmp_path / "saved.json", Paint()),
        lambda: matches.contest(game_id, ["greedy", level], None, 1),
    ]
    for ask in asked:
        with pytest.raises(BadRequest) as raised:
            ask()
        assert names_what_there_is(raised.value), raised.value
        assert level in raised.value.message
        assert game_id in raised.value.message


@EVERY_GAME
@EVERY_NET
def test_the_engine_refuses_a_level_that_is_not_there_and_goes_on(
    no_nets: Path, game_id: str, level: str
) -> None:
    game, engine = qwixx.game(game_id), Engine()
    position = game.to_position(thrown(game))

    def ask(level: str) -> dict[str, Any]:
        request = {"cmd": "bot", "position": position, "seat": 0, "level": level, "seed": 1}
        answer = engine.answer(json.dumps(request).encode())
        assert answer is not None
        return answer

    error = ask(level)["error"]
    assert error["code"] == "bad_request"
    assert names_what_there_is(BadRequest(error["message"]))
    assert ask("greedy")["move"] in game.moves(game.from_position(position), 0)
    stock.place_of(game_id, 2, level != "master").touch()
    assert ask(level).get("error", {}).get("code") != "bad_request"  # asked anew each time


@EVERY_GAME
@pytest.mark.parametrize("where", ["seat", "stand_in"])
def test_a_table_is_made_with_levels_of_its_game_alone(
    no_nets: Path, game_id: str, where: str
) -> None:
    def request(level: str) -> m.NewTable:
        seats = [
            m.SeatPlan("me", name="Ana"),
            m.SeatPlan("bot", level if where == "seat" else "greedy"),
        ]
        options = m.Options(stand_in=level if where == "stand_in" else "greedy")
        return m.NewTable("x" * 8, "x" * 22, game_id, seats, options)

    for level in PLAIN:
        planned(request(level))
    for level in (*NETS, "formula", "grandmaster", "exec:true"):
        with pytest.raises(QwixxError) as raised:
            planned(request(level))
        assert raised.value.code == "bad_table"
        assert names_what_there_is(raised.value)
