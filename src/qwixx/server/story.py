"""A finished round as a story: what the table looked like after every throw and every action."""

from typing import Any

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.events import apply
from qwixx.core.record import Record, beginning
from qwixx.server import messages as m
from qwixx.server.panels import left, panels
from qwixx.server.round import effects_of


def tell(record: Record, number: int) -> m.Story:
    """Every moment of the record. Choices of one action, made at the same time, are one moment."""
    guide = games.guide(record.game)
    game = guide.game

    def step(
        state: Any, dice: Dice | None, choices: dict[int, str], effects: dict[str, m.Effects] | None
    ) -> m.Step:
        return m.Step(
            dice=None if dice is None else str(dice),
            choices={str(seat): move for seat, move in choices.items()} or None,
            effects=effects,
            active=state.active,
            panels=panels(guide, state),
            left=left(guide, state),
            in_play=game.dice_in_play(state),
            result=m.ResultView(*game.result(state)),
            position=game.to_position(state),
        )

    state = beginning(game, record)
    steps, choices = [step(state, None, {}, None)], dict[int, str]()
    for event in record.events:
        before, state = state, apply(game, state, event)
        if isinstance(event, Dice):
            steps.append(step(state, event, {}, None))
            continue
        choices[event.seat] = event.move
        if state.phase != before.phase:
            steps.append(step(state, None, choices, effects_of(game, before, choices)))
            choices = {}
    hints = record.more.get("hints", [])
    return m.Story(record.game, list(record.seats), record.first, number, steps, hints)
