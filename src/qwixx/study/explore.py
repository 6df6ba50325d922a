"""What any position is worth, for whoever wants to try things out."""

from collections.abc import Sequence
from typing import Any

from qwixx.core.errors import BadRequest, NotToAct
from qwixx.core.fields import Move
from qwixx.core.game import OVER, ROLL, WHITE, Game
from qwixx.study.judging import Judgement, Worth, check_judged, shared
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


def explored(
    judge: Judgement, state: Any, seat: int | None, throws: bool = False
) -> dict[str, Any]:
    """Before a throw: chance and points of every seat, the mean over all throws, and if asked for
    the luck of every throw that may come; at the end as counted. After it: what every choice of a
    seat is worth, and why the best one is; if asked for also the table as it was before, or in the
    colour action, with no throw to come, as the best choice leaves it."""
    check(judge.game, state, seat)
    if state.phase in (ROLL, OVER) or seat is None:
        return _table(judge, state, throws)
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
    } | (_around(judge, state, seat, found.best) if throws else {})


def _around(judge: Judgement, state: Any, seat: int, best: Move) -> dict[str, Any]:
    """Chances and points of every seat, before the throw that lies there with the luck of every
    throw; or after it, once nobody else has anything to choose."""
    if state.phase == WHITE:
        return _table(judge, _before(judge.game, state), throws=True)
    return _table(judge, judge.game.choose(state, seat, best), throws=False)


def _table(judge: Judgement, table: Any, throws: bool) -> dict[str, Any]:
    before = judge.before(table)
    return all_json(shared(before)) | ({"throws": _throws(judge, table, before)} if throws else {})


def _throws(judge: Judgement, table: Any, before: Sequence[Worth]) -> list[dict[str, Any]]:
    """The luck of the throws with each white sum to every seat: in the mean, and how far it goes
    down and up with the coloured dice."""

    def luck(worths: Sequence[Worth]) -> dict[str, list[float]]:
        return all_json([one - mean for one, mean in zip(worths, before, strict=True)])

    return [
        {
            "sum": one.white_sum,
            "ways": one.ways,
            "luck": luck(one.mean),
            "low": luck(one.low),
            "high": luck(one.high),
        }
        for one in judge.throws(table)
    ]


def _luck(judge: Judgement, state: Any) -> dict[str, list[float]] | None:
    """The luck of the throw that lies on the table, while nobody has chosen; None after that."""
    if state.phase != WHITE:
        return None
    table = _before(judge.game, state)
    luck = zip(judge.after(table, state.dice), judge.before(table), strict=True)
    return all_json([after - mean for after, mean in luck])


def _before(game: Game[Any], state: Any) -> Any:
    """The table before the throw that lies on it."""
    before = {**game.to_position(state), "phase": ROLL, "dice": None}
    if "chosen" in before:
        before["chosen"] = {}
    return game.from_position(before)
