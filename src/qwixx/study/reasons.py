"""Why a choice is the best: one true sentence, as data. Whoever shows it has the words."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from qwixx.bots.expert import options_of, together
from qwixx.core.fields import PASS, Move
from qwixx.core.game import OVER, Game
from qwixx.core.values import POINT, WIN, Value

# What a difference must be at least to be worth a word.
_TELLING_WIN: Final = WIN // 200
_TELLING_POINTS: Final = POINT // 10

ReasonKey: TypeAlias = Literal[
    "only",
    "ends_ahead",
    "ends_behind",
    "closes",
    "captures",
    "saves",
    "keeps_lock",
    "skips_none",
    "skips_less",
    "leaves_open",
    "wins",
    "points",
    "even",
    "plain",
]
# Every reason, and what it says of the best choice; `other` is the next best one.
REASONS: Final[dict[ReasonKey, str]] = {
    "only": "there is no other",
    "ends_ahead": "it ends the game while this seat leads, by `n` at least, whatever others do",
    "ends_behind": "`other` ends the game while this seat is behind, by `n` at least",
    "closes": "it closes a row",
    "captures": "it captures a piece",
    "saves": "passing would be a failed throw",
    "keeps_lock": "`other` gives up the lock of its row, and it does not",
    "skips_none": "it skips nothing, and `other` skips `n`",
    "skips_less": "it skips `n` fewer than `other`",
    "leaves_open": "passing leaves open the `n` that `other` skips",
    "wins": "it wins `n` in a hundred games more often than `other`",
    "points": "it is worth `n` points more than `other`",
    "even": "`other` is about as good",
    "plain": "whoever judged does not say",
}


class Reason(NamedTuple):
    """One of the reasons, with its number and the choice that it is compared with."""

    key: ReasonKey
    n: float = 0
    other: Move | None = None


def reason_for(
    game: Game[Any], view: Any, seat: int, best: Move, values: Mapping[Move, Value | None]
) -> Reason:
    """The first reason that holds, from the most telling to the least, beside the next best of these
    choices."""
    if len(values) == 1:
        return Reason("only")
    return next(_reasons(game, view, seat, best, values))


def _reasons(
    game: Game[Any], view: Any, seat: int, best: Move, values: Mapping[Move, Value | None]
) -> Iterator[Reason]:
    effects = {move: game.effects(view, seat, move) for move in values}
    own = effects[best]
    ahead = min((least for least, _ in _leads(game, view, seat, best)), default=0)
    other = _next_best(best, values)
    theirs = effects.get(other or "")
    if ahead > 0:
        yield Reason("ends_ahead", ahead)
    if own.closes and not (theirs and theirs.closes):
        yield Reason("closes")
    if own.captures and not (theirs and theirs.captures):
        yield Reason("captures")
    if other is None:
        yield Reason("saves" if best != PASS and effects[PASS].failed else "plain")
        return
    behind = min((most for _, most in _leads(game, view, seat, other)), default=0)
    if behind < 0:
        yield Reason("ends_behind", -behind, other)
    if other == PASS and effects[PASS].failed:
        yield Reason("saves")
    if effects[other].forgoes and not own.forgoes:
        yield Reason("keeps_lock", 0, other)
    more = effects[other].skips - own.skips
    if more > 0:
        fewer = Reason("skips_less" if own.skips else "skips_none", more, other)
        yield Reason("leaves_open", more, other) if best == PASS else fewer
    yield _by_worth(values, best, other)


def _next_best(best: Move, values: Mapping[Move, Value | None]) -> Move | None:
    """The best of the other choices, if it is known what they are worth."""
    worths = {
        move: value.worth for move, value in values.items() if value is not None and move != best
    }
    return max(worths, key=worths.__getitem__, default=None)


def _leads(game: Game[Any], view: Any, seat: int, move: Move) -> list[tuple[int, int]]:
    """If a choice ends the game, the points that the seat will be ahead of each other,
    at least and at most, whatever that other chooses at the same time."""
    found, options = [], options_of(game, view)
    for other in range(game.seats(view)):
        if other == seat:
            continue
        leads = []
        for reply in options.get(other, (PASS,)):
            after = together(game, view, {seat: move, other: reply})
            if after.phase != OVER:
                return []
            totals = game.result(after).totals
            leads.append(totals[seat] - totals[other])
        found.append((min(leads), max(leads)))
    return found


def _by_worth(values: Mapping[Move, Value | None], best: Move, other: Move) -> Reason:
    """What the numbers themselves say; chances decide, and where they are alike the points."""
    mine, theirs = values[best], values[other]
    assert mine is not None
    assert theirs is not None
    if mine.win - theirs.win >= _TELLING_WIN:
        return Reason("wins", round(100 * (mine.win - theirs.win) / WIN, 1), other)
    if mine.points - theirs.points >= _TELLING_POINTS:
        return Reason("points", round((mine.points - theirs.points) / POINT, 1), other)
    return Reason("even", 0, other)
