"""The guided games: every script is legal by the law, and does what it says,
whichever asked-for move is taken."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from qwixx import games
from qwixx.core.events import Choice, apply, parse_event
from qwixx.core.game import Game

WEB = Path(__file__).parent.parent.parent / "web" / "src"
LESSONS = sorted((WEB / "games").glob("*/lesson.json"))
LANGUAGES = [path.stem for path in sorted((WEB / "languages").glob("??.json"))]
Step = dict[str, Any]
REFUSED = {
    "de": "Jetzt nicht",
    "en": "Not now",
    "es": "Ahora no",
    "pl": "Nie teraz",
    "pt": "Agora não",
}
MANY = 4  # numbers that nobody skips gladly


def told(game: Game[Any], state: Any, seat: int, move: str) -> dict[str, int]:
    return dict(game.effects(state, seat, move).to_json())


def agrees(effects: dict[str, int], claimed: dict[str, int]) -> bool:
    return all(effects.get(name, 0) == value for name, value in claimed.items())


def happen(game: Game[Any], state: Any, step: Step) -> Any:
    """What a step begins with; the last choice of it does what is claimed."""
    events = [parse_event(text) for text in step.get("events", ())]
    for number, event in enumerate(events):
        if number == len(events) - 1 and "happens" in step:
            assert isinstance(event, Choice)
            assert agrees(told(game, state, *event), step["happens"]), step["text"]
        state = apply(game, state, event)
    return state


def ways(game: Game[Any], state: Any, seat: int, step: Step) -> Iterator[Any]:
    """The states after a step, one for each move that is asked for."""
    state = happen(game, state, step)
    if "dice" in step:
        assert state.phase == "roll"
        assert state.active == seat, "the learner throws"
        yield apply(game, state, parse_event(step["dice"]))
    elif "good" in step:
        assert seat in game.to_act(state), "the learner chooses"
        if step["good"] == ["-"]:
            others = [
                told(game, state, seat, move) for move in game.moves(state, seat) if move != "-"
            ]
            assert others, "nobody is asked to pass who has no choice"
            assert all(effects.get("skips", 0) >= MANY for effects in others), (
                step["text"],
                others,
            )
        for move in step["good"]:
            assert move in game.moves(state, seat), (step["text"], move)
            assert agrees(told(game, state, seat, move), step["does"]), (step["text"], move)
            after = apply(game, state, Choice(seat, move))
            for other, choice in step.get("others", {}).items():
                after = apply(game, after, Choice(int(other), choice))
            yield after
    else:
        yield state


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.parent.name)
def test_every_way_through_a_lesson_is_legal(path: Path) -> None:
    lesson, game = json.loads(path.read_text()), games.game(path.parent.name)
    states = [game.start(lesson["players"], lesson["first"])]
    for step in lesson["steps"]:
        states = [after for state in states for after in ways(game, state, lesson["seat"], step)]
    assert all(state.phase != "over" for state in states), "it is a lesson, not a whole game"
    assert "good" not in lesson["steps"][-1], "it ends with a word, and the way to a game"
    assert sum(len(step.get("events", ())) + 3 for step in lesson["steps"]) < 400, (
        "as much as the server is asked for"
    )


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.parent.name)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_step_is_told_in_every_language(path: Path, lang: str) -> None:
    steps = json.loads(path.read_text())["steps"]
    words = json.loads(path.with_name(f"lesson.{lang}.json").read_text())["steps"]
    assert list(words) == [step["text"] for step in steps]
    for step in steps:
        text = words[step["text"]]
        assert ("no" in text) == ("good" in step), "what else is legal gets an answer"
        for move in step.get("good", ()):
            if len(step["good"]) == 1 and move != "-":
                assert f"{{{move}}}" in text["say"]
        assert len(text["say"]) < 190, "a bubble holds little"
    refusals = {text["no"].partition(":")[0] for text in words.values() if "no" in text}
    assert refusals == {REFUSED[lang]}, "what is not done is not said to be"
