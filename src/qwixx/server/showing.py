"""A running game as everybody may see it:
drawn from the decision as it was opened, so nothing sealed is in it."""

from typing import Any

from qwixx import games
from qwixx.server import messages as m
from qwixx.server.outlook import outlook
from qwixx.server.panels import left, panels
from qwixx.server.round import Round, named
from qwixx.study import Hint


def shown(playing: Round) -> dict[str, Any]:
    """What of a `Play` follows from the game alone."""
    game, state = playing.game, playing.decision
    guide = games.guide(game.id)
    return {
        "active": state.active,
        "phase": state.phase,
        "dice": None if state.dice is None else str(state.dice),
        "in_play": game.dice_in_play(state),
        "panels": panels(guide, state),
        "left": left(guide, state),
        "thrown": playing.rolls,
        "to_act": [seat for seat in playing.legal if seat not in playing.pending],
        "moves": {
            str(seat): _moves(playing, seat, moves)
            for seat, moves in playing.legal.items()
            if seat not in playing.pending or playing.can_withdraw(seat)
        },
        "result": m.ResultView(*game.result(state)),
    }


def _moves(playing: Round, seat: int, moves: tuple[str, ...]) -> list[m.MoveView]:
    game, state = playing.game, playing.decision
    return [
        m.MoveView(move, named(game.effects(state, seat, move)), ends, gains)
        for move, (ends, gains) in outlook(game, state, seat, moves).items()
    ]


def hint_view(asked: str, seat: int, opened: int, hint: Hint) -> m.HintView:
    """A hint as its seat hears it."""
    level, best, values = hint.choices
    worths = {
        move: None if value is None else m.Worth(**value.to_json())
        for move, value in values.items()
    }
    reason = m.ReasonView(hint.reason.key, hint.reason.n, hint.reason.other)
    return m.HintView(asked, seat, opened, level, best, reason, worths)
