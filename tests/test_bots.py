"""Opponents: levels, what greedy prefers, and outside programs that behave and that do not."""

import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest

import qwixx
from qwixx import bots
from qwixx.bots.outside import OutsideBot
from qwixx.bots.plain import WORTH, Opinion
from qwixx.core.errors import BadRequest, BotFailed, GameOver, NotToAct
from qwixx.core.game import Effects
from tables import CLASSIC, DUEL, TABLES, classic, duel, play_on, sheet

FIRST_BOT = Path(__file__).parent.parent / "examples" / "first_bot.py"


def choice(level: str, game: Any, state: Any, seat: int = 0, seed: int = 1) -> str:
    return bots.decide(bots.resolve(level), game, state, seat, Random(seed)).move


def play(game: qwixx.Game[Any], players: list[bots.Bot], rng: Random) -> qwixx.Result:
    state = game.start(len(players), rng.randrange(len(players)))
    while state.phase != "over":
        if state.phase == "roll":
            state = game.roll(state, qwixx.throw(rng, game.dice_in_play(state), game.layout.faces))
        for seat in game.to_act(state):
            state = game.choose(
                state, seat, bots.decide(players[seat], game, state, seat, rng).move
            )
    return game.result(state)


@pytest.mark.parametrize(
    ("game_id", "players", "level"),
    [(*table, level) for table in TABLES for level in bots.levels(*table)],
)
def test_every_level_of_a_game_plays_it(
    game_id: str, players: int, level: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("QWIXX_MASTER_SECONDS", "0.003")
    result = play(
        qwixx.game(game_id), [bots.player(level, game_id, players)] * players, Random(players)
    )
    assert result.over


@pytest.mark.parametrize(
    ("game_id", "players"), [*((name, 2) for name in qwixx.ids()), ("classic", 5)]
)
def test_greedy_beats_random_soundly(game_id: str, players: int) -> None:
    rng, won = Random(5), 0
    for seat in range(20):
        seats = [bots.resolve("random") for _ in range(players)]
        seats[seat % players] = bots.resolve("greedy")
        won += seat % players in (play(qwixx.game(game_id), seats, rng).winners or ())
    assert won >= 18


def test_the_same_seed_gives_the_same_move(monkeypatch: pytest.MonkeyPatch) -> None:
    # A clock that stops it anywhere would be no seed.
    monkeypatch.setenv("QWIXX_MASTER_SECONDS", "100")
    state = play_on(CLASSIC, CLASSIC.start(2), "34 1234")
    for level in bots.LEVELS:
        assert len({choice(level, CLASSIC, state, seed=7) for _ in range(3)}) == 1
    assert len({choice("random", CLASSIC, state, seed=seed) for seed in range(50)}) == 5


def test_greedy_skips_as_few_numbers_as_it_can() -> None:
    state = play_on(CLASSIC, classic("R2 R3 Y2", "", active=1), "22 6666")
    assert choice("greedy", CLASSIC, state) == "R4"
    assert choice("greedy", CLASSIC, play_on(CLASSIC, classic("R2", "", active=1), "66 1111")) in (
        "G12",
        "B12",
    )


def test_greedy_looks_at_both_actions_of_its_turn() -> None:
    # White 5 in red would skip 3 now, but red 2 by the colour dice skips nothing:
    # so the 5 goes elsewhere or waits.
    state = play_on(CLASSIC, classic("Y2 Y3 Y4", ""), "41 1111")
    assert choice("greedy", CLASSIC, state) == "Y5"
    after = play_on(CLASSIC, state, "0:Y5", "1:-")
    assert choice("greedy", CLASSIC, after) == "R2"


def test_greedy_rather_fails_than_ruins_a_row() -> None:
    fields = "R2 R3 Y2 Y3 G12 G11 B12 B11"
    state = classic(sheet(fields), "", phase="colour", dice="66 5511", white="-")
    assert CLASSIC.moves(state, 0) == ("-", "R11", "Y11", "G7", "B7")
    ruin = classic(sheet(fields), "", phase="colour", dice="66 5566", white="-")
    assert CLASSIC.moves(ruin, 0) == ("-", "R11", "Y11")
    assert choice("greedy", CLASSIC, ruin) == "-"


def test_greedy_closes_a_row_when_it_can() -> None:
    state = classic("R2 R3 R4 R5 R6", "", active=1, phase="white", dice="66 1111")
    assert choice("greedy", CLASSIC, state) == "R12"


def test_greedy_in_the_duel_captures_and_stacks() -> None:
    captures = duel("R3b R4g Y2b", active=0, phase="white", dice="22 6666")
    assert choice("greedy", DUEL, captures) == "R4"
    stacks = duel("R6b Y4g", active=0, phase="colour", dice="15 5555", white="-")
    assert choice("greedy", DUEL, stacks) == "R6"


def test_greedy_in_the_duel_keeps_five_pieces_in_reach_of_a_lock() -> None:
    state = duel("R2b", active=0, phase="white", dice="55 1111")
    assert DUEL.effects(state, 0, "R10").narrows == 1
    assert not DUEL.effects(state, 0, "G10").narrows
    assert choice("greedy", DUEL, state) in ("G10", "B10")


def test_opinions_are_about_effects_and_nothing_else() -> None:
    assert Opinion._fields == Effects._fields
    assert WORTH.worth(Effects(skips=3, closes=1, failed=2)) == -1.5 + 3 - 5
    assert Opinion().worth(Effects(*range(1, 9))) == 0


def test_a_bot_never_sees_a_sealed_choice() -> None:
    class Nosy(bots.Bot):
        def decide(self, game: Any, view: Any, *_: Any) -> bots.Decision:
            assert game.to_position(view)["chosen"] == {"1": None}
            return bots.Decision("-", {})

    state = play_on(CLASSIC, CLASSIC.start(3), "34 1234", "1:R7")
    bots.decide(Nosy(), CLASSIC, state, 0, Random())


def test_who_is_not_to_act_is_not_asked() -> None:
    with pytest.raises(NotToAct):
        choice("greedy", CLASSIC, CLASSIC.start(2))
    with pytest.raises(GameOver):
        choice("greedy", CLASSIC, classic(sheet(failed=4), phase="over"))


@pytest.mark.parametrize("level", ["grandmaster", "", None, 3, ["greedy"]])
def test_unknown_levels_are_refused(level: Any) -> None:
    with pytest.raises(BadRequest):
        bots.resolve(level)


def outside(code: str, seconds: float = 120.0) -> OutsideBot:
    command = f"{sys.executable} -c '{code}'"
    return OutsideBot(command, seconds)


def ask(bot: bots.Bot) -> str:
    state = play_on(CLASSIC, CLASSIC.start(2), "34 1234")
    try:
        return bots.decide(bot, CLASSIC, state, 0, Random()).move
    finally:
        bot.close()


def test_the_example_bot_plays_whole_games() -> None:
    for game in (CLASSIC, DUEL):
        bot = bots.resolve(f"exec:{sys.executable} {FIRST_BOT}")
        try:
            assert play(game, [bot, bots.resolve("random")], Random(1)).over
        finally:
            bot.close()


def test_an_outside_bot_sees_sealed_choices_as_null() -> None:
    code = 'import json; seen = json.loads(input())["position"]["chosen"]; '
    code += 'print(json.dumps({"move": "-" if seen == {"1": None} else "x"}))'
    state = play_on(CLASSIC, CLASSIC.start(2), "34 1234", "1:R7")
    bot = outside(code)
    assert bots.decide(bot, CLASSIC, state, 0, Random()).move == "-"
    bot.close()


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import time; time.sleep(60)", "no answer within 0.5 seconds"),
        ("import sys; sys.exit(3)", "exit status 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "signal 9"),
        ('input(); print("hello")', "not JSON"),
        ("input(); print(7)", 'no {"move": ...}'),
        ('input(); print("{}")', 'no {"move": ...}'),
        ('input(); print(chr(123) + chr(34) + "move" + chr(34) + ": 7}")', 'no {"move": ...}'),
        ('input(); import json; print(json.dumps({"move": "R2"}))', "legal were - R7 Y7 G7 B7"),
        ('input(); print("x" * 100000)', "more than 65536 bytes"),
        (
            'import sys; sys.stdout.write("{"); sys.stdout.flush(); import time; time.sleep(60)',
            "no answer",
        ),
    ],
    ids=[
        "hangs",
        "dies",
        "killed",
        "no json",
        "a number",
        "no move",
        "wrong type",
        "illegal",
        "endless",
        "half a line",
    ],
)
def test_an_outside_bot_that_misbehaves_is_named(code: str, message: str) -> None:
    bot = outside(code, seconds=0.5 if "sleep" in code else 120.0)
    with pytest.raises(BotFailed, match=r"^exec:") as raised:
        ask(bot)
    assert message in raised.value.message


def test_an_outside_bot_that_says_too_much_is_not_believed() -> None:
    bot = outside(
        'import json, time; print((json.dumps({"move": "-"}) + chr(10)) * 2, flush=True); time.sleep(60)'
    )
    state = play_on(CLASSIC, CLASSIC.start(2), "34 1234")
    assert bots.decide(bot, CLASSIC, state, 0, Random()).move == "-"
    with pytest.raises(BotFailed, match="more than one line"):
        bots.decide(bot, CLASSIC, state, 0, Random())


def test_the_children_of_an_outside_bot_end_with_it(tmp_path: Path) -> None:
    note = tmp_path / "child"
    bot = OutsideBot(f"sh -c 'sleep 77 & echo $! > {note}; wait'", seconds=3.0)
    with pytest.raises(BotFailed, match="no answer"):
        ask(bot)
    child = int(note.read_text())
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and _lives(child):
        time.sleep(0.02)
    assert not _lives(child)


def _lives(process: int) -> bool:
    try:
        return (Path("/proc") / str(process) / "stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    "command", ["exec:", "exec:a\0b", "exec:/no/such/program", "exec:'unclosed"]
)
def test_an_outside_bot_that_cannot_start(command: str) -> None:
    with pytest.raises(BotFailed):
        ask(bots.resolve(command))
