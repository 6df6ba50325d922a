"""Bots that think by compiled code choose as their plain selves do, and nobody waits until they can."""

import sys
import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from client import PATIENCE

import qwixx
from qwixx import bots
from qwixx.bots import fast, ready
from qwixx.bots.expert import ClubBot, ExpertBot
from qwixx.bots.fast import CompiledBot
from qwixx.bots.master import MasterBot
from qwixx.bots.ready import ReadyBots
from qwixx.core.fields import HIDDEN
from sweeps import sweep_of_several
from test_kernels import eager_events
from test_trained import LEARNT, SHORT, expert_events

PLAIN = {"club": ClubBot(), "expert": ExpertBot(), "master": MasterBot(1000)}
# Few of the decisions of the master, who thinks long without a compiler.
EVERY = {"club": 4, "expert": 4, "master": 61}


def choices(game_id: str, players: int) -> Iterator[tuple[Any, int]]:
    """Tables at which a seat is to choose; others may have chosen before it."""
    game = qwixx.game(game_id)
    for events in (eager_events, expert_events):
        for state, event, _ in events(game, players, Random(players)):
            if isinstance(event, qwixx.Choice):
                yield state, event.seat


@pytest.mark.parametrize(
    ("game_id", "players"), sweep_of_several(dict.fromkeys([*SHORT, *LEARNT]), len(SHORT))
)
def test_compiled_bots_choose_as_plain_ones(game_id: str, players: int) -> None:
    """With the same luck, and knowing as little of what others have chosen."""
    game, hidden = qwixx.game(game_id), 0
    for level, plain in PLAIN.items():
        found = fast.made(level, game, players)
        assert isinstance(found, CompiledBot)
        for number, (state, seat) in enumerate(choices(game_id, players)):
            if number % EVERY[level]:
                continue
            hidden += HIDDEN in getattr(game.view(state, seat), "sealed", ())
            said, wanted = (
                bots.decide(bot, game, state, seat, Random(number)) for bot in (found, plain)
            )
            assert said.move == wanted.move, (level, number)
            assert list(said.values) == list(wanted.values)
    assert (hidden > 0) == (game_id != "duel")


def test_who_has_no_net_or_no_kernel_stays_plain() -> None:
    classic = qwixx.game("classic")
    assert [level for level in bots.LEVELS if fast.made(level, classic, 2)] == list(PLAIN)
    found = ReadyBots()
    assert type(found.of("greedy", classic, 2)) is bots.LEVELS["greedy"]
    assert not found.compiled


def test_bots_are_plain_until_they_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    done = threading.Event()
    monkeypatch.setattr(fast, "warm_up", lambda _: done.wait(PATIENCE))
    game, found = qwixx.game("duel"), ReadyBots()
    for _ in range(2):
        assert type(found.of("expert", game, 2)) is ExpertBot
        assert not found.compiled
    done.set()
    found._warming[game.id].join(PATIENCE)
    assert isinstance(found.of("expert", game, 2), CompiledBot)
    assert found.compiled
    assert found.of("expert", game, 2) is found.of("expert", game, 2)
    assert len(found._warming) == 1


@pytest.mark.parametrize("trouble", [None, OSError("no room for machine code")])
def test_without_a_compiler_bots_stay_plain(
    trouble: Exception | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What is not installed is no trouble; what fails is told."""

    def fail(_: str) -> bool:
        assert trouble is not None
        raise trouble

    if trouble is None:
        monkeypatch.setitem(sys.modules, "qwixx.bots.fast", None)
    else:
        monkeypatch.setattr(fast, "warm_up", fail)
    game, found = qwixx.game("duel"), ready.ReadyBots()
    assert type(found.of("expert", game, 2)) is ExpertBot
    found._warming[game.id].join(PATIENCE)
    assert type(found.of("expert", game, 2)) is ExpertBot
    assert [record.getMessage() for record in caplog.records] == (
        [f"bots think on without compiled code: {trouble}"] if trouble else []
    )
