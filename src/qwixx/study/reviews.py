"""A game in review: the luck of every throw, the skill of every choice, and what came of both.

For every seat, in wins and in points: result = start + luck − loss + others + rest.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from qwixx import games
from qwixx.core.errors import BadRecord
from qwixx.core.game import Game
from qwixx.core.record import Record, final_state
from qwixx.study.grading import LABELS, Label, label_of, plays_like
from qwixx.study.judging import Judgement, Worth, check_judged, judgement
from qwixx.study.kinds import Kind
from qwixx.study.reasons import Reason
from qwixx.study.turns import Decision, JudgedTurn, Turn, judged, turns
from qwixx.study.words import sentence

FORMAT: Final = "qwixx-review/1"
_DIGITS: Final = 9  # of what is written: finer than any unit of the judgement


class Errors(NamedTuple):
    """How often a seat made errors of a kind, and what they cost it."""

    times: int = 0
    loss: Worth = Worth()


class PlayerReview(NamedTuple):
    """A seat's game in all."""

    start: Worth
    luck: Worth
    loss: Worth
    others: Worth
    rest: Worth
    result: Worth
    decisions: int  # with something to choose
    labels: dict[Label, int]
    errors: dict[Kind, Errors]
    plays_like: str | None  # the level whose rate of errors comes nearest

    @property
    def rate(self) -> Worth:
        """What a choice lost in the mean."""
        number = max(1, self.decisions)
        return Worth(self.loss.win / number, self.loss.points / number)


class Review(NamedTuple):
    """A finished game, judged."""

    record: Record
    turns: tuple[JudgedTurn, ...]
    players: tuple[PlayerReview, ...]

    def to_json(self) -> dict[str, Any]:
        return review_json(self.record, self.turns, self.players)


def review(
    record: Record,
    judge: Judgement | None = None,
    tell: Callable[[int, int], None] = lambda _done, _of: None,
) -> Review:
    """The review of a finished game. `tell` hears how many turns are done, and of how many."""
    game, found = reviewable(record)
    judge = judge or judgement(game, len(record.seats))
    done: list[JudgedTurn] = []
    for turn in found:
        done.append(judged(judge, turn))
        tell(len(done), len(found))
    return assembled(record, done)


def reviewable(record: Record) -> tuple[Game[Any], list[Turn]]:
    """The game of a record and its turns; one that breaks a rule or is not over raises."""
    game = games.game(record.game)
    if not game.result(final_state(game, record)).over:
        raise BadRecord("only a finished game can be reviewed, and this one is not over")
    check_judged(game, len(record.seats))
    return game, turns(game, record)


def assembled(record: Record, done: Sequence[JudgedTurn]) -> Review:
    """The review of a game whose turns are all judged."""
    seats = range(len(record.seats))
    return Review(record, tuple(done), tuple(_player(record, done, seat) for seat in seats))


def _player(record: Record, done: Sequence[JudgedTurn], seat: int) -> PlayerReview:
    alone = len(record.seats) == 1
    made = [one for turn in done for one in turn.decisions if one.seat == seat]
    loss = _sum(one.loss for one in made)
    chosen = [one for one in made if one.chosen]
    labels = dict.fromkeys(LABELS, 0)
    errors: dict[Kind, Errors] = {}
    for one in chosen:
        labels[label_of(one, alone)] += 1
        if one.kind is not None:
            before = errors.get(one.kind, Errors())
            errors[one.kind] = Errors(before.times + 1, before.loss + one.loss)
    found = PlayerReview(
        start=done[0].before[seat],
        luck=_sum(turn.luck[seat] for turn in done),
        loss=loss,
        others=_sum(turn.others[seat] for turn in done),
        rest=_sum(turn.rest[seat] for turn in done),
        result=done[-1].after[seat],
        decisions=len(chosen),
        labels=labels,
        errors=errors,
        plays_like=None,
    )
    like = plays_like(record.game, len(record.seats), found.rate) if chosen else None
    return found._replace(plays_like=like)


def _sum(worths: Iterable[Worth]) -> Worth:
    whole = Worth()
    for worth in worths:
        whole += worth
    return whole


def review_json(
    record: Record,
    done: Sequence[JudgedTurn],
    players: Sequence[PlayerReview] | None,
    seen: int = 0,
) -> dict[str, Any]:
    """A review as far as it goes, without turns that were seen; without players, it is not done."""
    alone, news = len(record.seats) == 1, done[seen:]
    return {
        "format": FORMAT,
        "game": record.game,
        "seats": list(record.seats),
        "start": all_json(done[0].before) if done else None,
        "throws": [throw_json(turn) for turn in news],
        "decisions": [decision_json(one, alone) for turn in news for one in turn.decisions],
        "players": None if players is None else [player_json(player) for player in players],
    }


def throw_json(turn: JudgedTurn) -> dict[str, Any]:
    """A throw: its luck, what the turn's choices of others did, and what was held before and after."""
    return {
        "event": turn.event,
        "luck": all_json(turn.luck),
        "others": all_json(turn.others),
        "rest": all_json(turn.rest),
        "before": all_json(turn.before),
        "after": all_json(turn.after),
    }


def decision_json(decision: Decision, alone: bool) -> dict[str, Any]:
    """A choice. `reason` is a sentence in English, `why` the same for whoever has other words."""
    return {
        "event": decision.event,
        "seat": decision.seat,
        "move": decision.move,
        "best": decision.best,
        "then": decision.then,
        "loss": worth_json(decision.loss),
        "label": label_of(decision, alone),
        "kind": decision.kind,
        "reason": sentence(decision.reason),
        "why": why_json(decision.reason),
        "values": {move: worth_json(worth) for move, worth in decision.values.items()},
    }


def why_json(reason: Reason) -> dict[str, Any]:
    return {"key": reason.key, "n": reason.n, "other": reason.other}


def player_json(player: PlayerReview) -> dict[str, Any]:
    return {
        "luck": worth_json(player.luck),
        "loss": worth_json(player.loss),
        "others": worth_json(player.others),
        "rest": worth_json(player.rest),
        "result": worth_json(player.result),
        "decisions": player.decisions,
        "rate": worth_json(player.rate),
        "labels": player.labels,
        "errors": {
            kind: {"count": found.times, "loss": worth_json(found.loss)}
            for kind, found in player.errors.items()
        },
        "plays_like": player.plays_like,
    }


def worth_json(worth: Worth) -> dict[str, float]:
    return {"win": round(worth.win, _DIGITS), "points": round(worth.points, _DIGITS)}


def all_json(worths: Sequence[Worth]) -> dict[str, list[float]]:
    """What something is worth to all seats."""
    return {
        "win": [round(worth.win, _DIGITS) for worth in worths],
        "points": [round(worth.points, _DIGITS) for worth in worths],
    }
