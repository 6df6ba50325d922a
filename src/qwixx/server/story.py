"""A finished round as a story: what the table looked like after every throw and every action."""

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.events import apply
from qwixx.core.record import Record
from qwixx.server import messages as m


def tell(record: Record, number: int) -> m.Story:
    """Every moment of the record. Choices of one action, made at the same time, are one moment."""
    game = games.game(record.game)
    state = game.start(len(record.seats), record.first)
    steps = [m.Step(None, None, game.to_position(state), m.ResultView(*game.result(state)))]
    choices: dict[str, str] = {}
    for event in record.events:
        before, state = state, apply(game, state, event)
        if not isinstance(event, Dice):
            choices[str(event.seat)] = event.move
            if state.phase == before.phase:
                continue
        dice = str(event) if isinstance(event, Dice) else None
        shown = m.ResultView(*game.result(state))
        steps.append(m.Step(dice, choices or None, game.to_position(state), shown))
        choices = {}
    return m.Story(record.game, list(record.seats), record.first, number, steps)
