"""What the choices of an action did is told with them:
never before they are revealed, and as the law says."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from client import Client, Server, play_on, run, secret

from qwixx import games
from qwixx.core.events import apply
from qwixx.core.game import OVER, ROLL
from qwixx.core.record import Record
from qwixx.server import story
from qwixx.server.panels import panels

GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("*.json"))


@pytest.mark.parametrize("game", games.ids())
def test_every_revealed_choice_comes_with_what_it_did(server: Server, game: str) -> None:
    """As the law tells it of the position before; a choice that is still sealed tells nothing."""
    mine = secret()
    table = server.create(
        game, [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "random"}], mine, pause=0
    )

    async def watch() -> list[str]:
        client = Client(server.url(table), mine)
        await client.come()
        await client.ready()
        await play_on(client, Random(5))
        return client.frames

    law, state, choices = games.game(game), None, dict[int, str]()
    told = 0
    frames = run(watch())
    events: Iterator[Any] = iter(Record.from_json(server.record(table)[1]).events)
    for frame in map(json.loads, frames):
        if frame["type"] != "event":
            continue
        if frame["kind"] == "started":
            state = law.start(2, frame["table"]["first"])
        elif frame["kind"] == "rolled":
            state = law.roll(state, next(events))
        elif frame["kind"] == "chose":
            choice = next(events)
            choices[choice.seat] = choice.move
            if "revealed" not in frame:
                assert "effects" not in frame
            else:
                found = {
                    str(seat): law.effects(state, seat, move).to_json()
                    for seat, move in choices.items()
                }
                assert frame.get("effects", {}) == {
                    seat: effects for seat, effects in found.items() if effects
                }
                told += any("failed" in effects for effects in found.values())
                choices = {}
            state = law.choose(state, choice.seat, choice.move)
            if frame.get("play"):
                assert frame["play"]["in_play"] == law.dice_in_play(state)
                assert frame["play"]["panels"] == msgspec.to_builtins(
                    panels(games.guide(game), state)
                )
    assert told > 0


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_a_story_tells_what_every_choice_did_and_which_dice_are_left(path: Path) -> None:
    record = Record.from_json(json.loads(path.read_text()))
    law, guide = games.game(record.game), games.guide(record.game)
    steps, states = story.tell(record, 1).steps, _moments(record)
    assert len(steps) == len(states)
    for step, state, after in zip(steps[1:], states, states[1:], strict=False):
        assert step.in_play == law.dice_in_play(after)
        assert step.active == after.active
        assert step.panels == panels(guide, after)
        if step.choices is None:
            assert state.phase == ROLL
            assert step.effects is None
            continue
        found = {
            seat: law.effects(state, int(seat), move).to_json()
            for seat, move in step.choices.items()
        }
        assert (step.effects or {}) == {seat: effects for seat, effects in found.items() if effects}
    assert states[-1].phase == OVER


def _moments(record: Record) -> list[Any]:
    """The states of a game in which nothing is sealed: after every throw and every action."""
    law = games.game(record.game)
    states = [law.start(len(record.seats), record.first)]
    for event in record.events:
        state = apply(law, states[-1], event)
        if state.phase == states[-1].phase:
            states.pop()  # somebody else is still choosing
        states.append(state)
    return states
