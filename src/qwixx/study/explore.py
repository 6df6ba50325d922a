"""What any position is worth, for whoever wants to try things out."""

from typing import Any

from qwixx.core.errors import BadRequest, NotToAct
from qwixx.core.game import OVER, ROLL, WHITE, Game
from qwixx.study.judging import Judgement, check_judged
from qwixx.study.reasons import reason_for
from qwixx.study.reviews import all_json, why_json, worth_json
from qwixx.study.words import sentence


def check(game: Game[Any], state: Any, seat: int | None) -> None:
    """What cannot be judged is refused, before anybody begins to."""
    players = game.seats(state)
    check_judged(game, players)
    if seat is not None and seat >= players:
        raise BadRequest(f"there is no seat {seat}: the seats of this table are 0 to {players - 1}")
    if state.phase in (ROLL, OVER):
        return
    if seat is None:
        raise BadRequest('"seat" is missing: dice lie on the table, so whose choice is it?')
    if seat not in game.to_act(state):
        raise NotToAct(f"seat {seat} has no choice to make now")


def explored(judge: Judgement, state: Any, seat: int | None) -> dict[str, Any]:
    """Before a throw: chance and points of every seat, the mean over all throws; at the end as
    counted. After it: what every choice of a seat is worth, and why the best one is."""
    check(judge.game, state, seat)
    if state.phase in (ROLL, OVER) or seat is None:
        return all_json(judge.before(state))
    found = judge.choices(state, seat)
    values = {move: worth.units() for move, worth in found.values.items()}
    reason = reason_for(judge.game, judge.game.view(state, seat), seat, found.best, values)
    return {
        "values": {move: worth_json(worth) for move, worth in found.values.items()},
        "best": found.best,
        "then": found.then,
        "reason": sentence(reason),
        "why": why_json(reason),
        "luck": _luck(judge, state),
    }


def _luck(judge: Judgement, state: Any) -> dict[str, list[float]] | None:
    """The luck of the throw that lies on the table, while nobody has chosen; None after that."""
    game = judge.game
    if state.phase != WHITE:
        return None
    before = {**game.to_position(state), "phase": ROLL, "dice": None}
    if "chosen" in before:
        before["chosen"] = {}
    table = game.from_position(before)
    luck = zip(judge.after(table, state.dice), judge.before(table), strict=True)
    return all_json([after - mean for after, mean in luck])
