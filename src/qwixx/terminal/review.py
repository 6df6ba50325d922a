"""A review in words, for the terminal."""

from collections.abc import Iterator
from typing import Any, Final

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.game import Game
from qwixx.study.grading import label_of
from qwixx.study.judging import Worth
from qwixx.study.reviews import PlayerReview, Review
from qwixx.study.turns import Decision
from qwixx.study.words import named, sentence
from qwixx.terminal.draw import Drawing
from qwixx.terminal.paint import STRONG, Paint

TURNING_POINTS: Final = 8
_ERRORS: Final = {
    "failed": "failed throws",
    "closes": "closing rows",
    "lock": "locks",
    "captures": "captures",
    "action": "white against colour",
    "passes": "passing",
    "crosses": "crossing",
    "skips": "skipping",
    "row": "the wrong row",
}
_HEADS: Final = ("start", "luck", "errors", "others", "rest", "result")


def in_lines(game: Game[Any], review: Review, paint: Paint) -> list[str]:
    """Where every seat's result came from, how well it played, and the turning points."""
    drawing = Drawing(paint, game, games.guide(game.id), review.record.seats)
    alone = len(review.players) == 1
    lines = [paint.ink(f"{drawing.guide.title}: a review", STRONG), ""]
    if not alone:
        lines += [*_table("Wins, in percent", drawing, review, win=True), ""]
    lines += [*_table("Points", drawing, review, win=False), ""]
    for seat, player in enumerate(review.players):
        lines += [*_played(drawing.name(seat), player, alone), ""]
    lines.append(paint.ink("Turning points", STRONG))
    return [*lines, *_turning_points(drawing, review, alone)]


def _table(title: str, drawing: Drawing, review: Review, win: bool) -> Iterator[str]:
    yield drawing.paint.ink(title, STRONG)
    yield " " * 18 + "".join(f"{head:>9}" for head in _HEADS)
    for seat, player in enumerate(review.players):
        parts = (player.start, player.luck, player.loss, player.others, player.rest, player.result)
        shown = [100 * part.win if win else part.points for part in parts]
        shown[2] = -shown[2]
        signs = ["{:>9.1f}", *["{:>+9.1f}"] * 4, "{:>9.1f}"]
        yield f"  {drawing.name(seat):<16}" + "".join(
            sign.format(number + 0.0) for sign, number in zip(signs, shown, strict=True)
        )


def _played(name: str, player: PlayerReview, alone: bool) -> Iterator[str]:
    labels = ", ".join(f"{count} {label}" for label, count in player.labels.items() if count)
    like = f"; played like {player.plays_like}" if player.plays_like else ""
    yield f"{name}: {player.decisions} choices: {labels}{like}"
    worst = sorted(player.errors.items(), key=lambda item: -_size(item[1].loss, alone))
    for kind, errors in worst:
        yield f"  {_ERRORS[kind]}: {errors.times}, {_lost(errors.loss, alone)}"


def _turning_points(drawing: Drawing, review: Review, alone: bool) -> list[str]:
    made = [one for turn in review.turns for one in turn.decisions if one.kind is not None]
    worst = sorted(made, key=lambda one: -_size(one.loss, alone))[:TURNING_POINTS]
    if not worst:
        return ["  none: every choice was the best"]
    return [_point(drawing, review, one, alone) for one in sorted(worst, key=lambda one: one.event)]


def _point(drawing: Drawing, review: Review, one: Decision, alone: bool) -> str:
    events = review.record.events
    rolls = [event for event in events[: one.event] if isinstance(event, Dice)]
    then = "" if one.then in (None, "-") else f" and then {one.then}"
    return (
        f"  turn {len(rolls)}, {rolls[-1]}: {drawing.name(one.seat)} chose {named(one.move)}, "
        f"better {named(one.best)}{then}: {sentence(one.reason)} "
        f"({label_of(one, alone)}, {_lost(one.loss, alone)})"
    )


def _size(loss: Worth, alone: bool) -> float:
    return loss.points if alone else loss.win


def _lost(loss: Worth, alone: bool) -> str:
    points = f"{loss.points:.1f} points lost"
    return points if alone else f"{loss.win:.1%} of a win and {points}"
