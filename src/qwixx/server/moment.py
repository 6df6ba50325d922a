"""Any moment of any game: what a table would show after these events. Nothing of it is kept."""

from collections.abc import Sequence
from typing import Any

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.errors import BadPosition, BadRecord, QwixxError
from qwixx.core.events import Event, parse_event
from qwixx.server import log
from qwixx.server import messages as m
from qwixx.server.editing import edited
from qwixx.server.round import Round
from qwixx.server.showing import shown


def look(wanted: m.MomentWanted) -> m.Moment:
    """The game after these events; the first that breaks a rule is named with it."""
    game = games.game(wanted.game)
    playing = Round(game, None, wanted.first, game.start(wanted.players, wanted.first), 0, 0)
    return _shown_after(playing, wanted.events)


def look_at(wanted: m.PositionWanted) -> m.Moment:
    """The game in a position, changed, and after these events. What is sealed in it is not known here."""
    game, state = edited(wanted.position, wanted.edits)
    if game.view(state, None) != state:
        raise BadPosition("choices that are sealed cannot be shown: leave them out of the position")
    playing = Round(game, None, 0, state, 0, 0)
    playing.legal = {seat: game.moves(state, seat) for seat in game.to_act(state)}
    return _shown_after(playing, wanted.events)


def _shown_after(playing: Round, events: Sequence[str]) -> m.Moment:
    last: dict[str, Any] = {}
    for number, text in enumerate(events, start=1):
        try:
            last = playing.apply(_logged(parse_event(text)), number, 0)
        except QwixxError as error:
            raise BadRecord(
                f"event {number} ({text}): {error.message}", error.rule, number
            ) from None
    return m.Moment(
        **shown(playing),
        deadline=None,
        opened=0,
        digest=None,
        chosen=sorted(playing.pending),
        revealed=last.get("revealed"),
        effects=last.get("effects"),
        position=None if playing.pending else playing.game.to_position(playing.state),
    )


def _logged(event: Event) -> log.PlayEvent:
    return log.Rolled(str(event)) if isinstance(event, Dice) else log.Chose(event.seat, event.move)
