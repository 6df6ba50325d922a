"""What came of a contest: shares of wins, scores, intervals, ratings; in words, and as JSON.

The games of one deal share their dice, so deals, not games, are what intervals are made of.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qwixx.compiled.printed import REASONS
from qwixx.lab.adjusting import POINTS, WIN
from qwixx.lab.matches import Contest, Played

Values = NDArray[np.float64]

_Z: Final = 1.96  # 95 %
_Z_SETTLED: Final = 3.0  # looking again and again must not make chance look like a difference
_ELO: Final = 400 / np.log(10)
_MEAN_RATING: Final = 1500


@dataclass(frozen=True)
class Interval:
    """A mean and the 95 % interval around it."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class BotReport:
    """What a bot has done. `win` is its share of the wins for every seat it took."""

    name: str
    way: str
    games: int
    win: Interval
    score: Interval
    spread: float
    scores: NDArray[np.int32] = field(repr=False)
    rating: float | None = None
    adjusted: "Adjusted | None" = None


@dataclass(frozen=True)
class Adjusted:
    """What a bot has done without its luck, and by what factor the variance is smaller so."""

    win: Interval
    score: Interval
    win_factor: float
    score_factor: float


@dataclass(frozen=True)
class PairReport:
    """How often the first of two bots ends before the second at the same table (a tie is half)."""

    first: str
    second: str
    ahead: Interval
    games: int
    settled: bool


@dataclass(frozen=True)
class Report:
    """The whole contest."""

    contest: Contest
    games: int
    deals: int
    turns: float
    endings: dict[str, int]
    bots: list[BotReport]
    pairs: list[PairReport]

    @property
    def settled(self) -> bool:
        """Whether every two bots that met are told apart."""
        return bool(self.pairs) and all(pair.settled for pair in self.pairs)

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.contest.game,
            "seats": self.contest.seats,
            "games": self.games,
            "deals": self.deals,
            "seed": self.contest.seed,
            "turns": round(self.turns, 3),
            "endings": self.endings,
            "settled": self.settled,
            "bots": [_bot_json(bot) for bot in self.bots],
            "pairs": [_pair_json(pair) for pair in self.pairs],
        }

    def to_text(self) -> str:
        endings = ", ".join(
            f"{count / self.games:.1%} by {name}" for name, count in self.endings.items()
        )
        contest = (
            f"{self.contest.game}, {_count(self.contest.seats, 'seat')}, seed {self.contest.seed}"
        )
        lines = [
            f"{contest}: {_count(self.games, 'game')}, {_count(self.deals, 'deal')}",
            f"{self.turns:.1f} turns a game; {endings or 'no games'}",
            "",
            f"{'bot':<24} {'win':>7} {'95 %':>15} {'score':>7} {'95 %':>15} {'spread':>7}"
            + (f" {'rating':>7}" if self.pairs else "")
            + "  played",
        ]
        lines += [_bot_line(bot) for bot in self.bots]
        if any(bot.adjusted for bot in self.bots):
            lines += [
                "",
                "without the luck of the dice, and by what factor the variance is smaller",
            ]
            lines += [_adjusted_line(bot.name, bot.adjusted) for bot in self.bots if bot.adjusted]
        if len(self.pairs) > 1:
            lines += ["", *(_pair_line(pair) for pair in self.pairs)]
        return "\n".join(lines)


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _bot_json(bot: BotReport) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": bot.name, "way": bot.way, "games": bot.games}
    entry |= {
        "win": round(bot.win.mean, 6),
        "low": round(bot.win.low, 6),
        "high": round(bot.win.high, 6),
    }
    entry |= {"mean": round(bot.score.mean, 4), "mean_low": round(bot.score.low, 4)}
    entry |= {"mean_high": round(bot.score.high, 4), "spread": round(bot.spread, 4)}
    entry["quartiles"] = (
        [float(value) for value in np.quantile(bot.scores, [0.25, 0.5, 0.75])] if bot.games else []
    )
    if bot.rating is not None:
        entry["rating"] = round(bot.rating, 1)
    if bot.adjusted is not None:
        entry["adjusted"] = _adjusted_json(bot.adjusted)
    return entry


def _adjusted_json(found: Adjusted) -> dict[str, float]:
    return {
        "win": round(found.win.mean, 6),
        "low": round(found.win.low, 6),
        "high": round(found.win.high, 6),
        "mean": round(found.score.mean, 4),
        "mean_low": round(found.score.low, 4),
        "mean_high": round(found.score.high, 4),
        "win_factor": round(found.win_factor, 3),
        "score_factor": round(found.score_factor, 3),
    }


def _adjusted_line(name: str, found: Adjusted) -> str:
    win, score = found.win, found.score
    line = f"{name:<24.24} {win.mean:7.2%} {f'{win.low:.2%}-{win.high:.2%}':>15}"
    line += f" {score.mean:7.2f} {f'{score.low:.2f}-{score.high:.2f}':>15}"
    return f"{line}  {found.win_factor:.1f} (wins), {found.score_factor:.1f} (scores)"


def _pair_json(pair: PairReport) -> dict[str, Any]:
    ahead = pair.ahead
    return {
        "bots": [pair.first, pair.second],
        "ahead": round(ahead.mean, 6),
        "low": round(ahead.low, 6),
        "high": round(ahead.high, 6),
        "games": pair.games,
        "settled": pair.settled,
    }


def _bot_line(bot: BotReport) -> str:
    win, score = bot.win, bot.score
    line = f"{bot.name:<24.24} {win.mean:7.2%} {f'{win.low:.2%}-{win.high:.2%}':>15}"
    line += f" {score.mean:7.2f} {f'{score.low:.2f}-{score.high:.2f}':>15} {bot.spread:7.2f}"
    if bot.rating is not None:
        line += f" {bot.rating:7.0f}"
    return f"{line}  {bot.way}"


def _pair_line(pair: PairReport) -> str:
    ahead = pair.ahead
    return (
        f"{pair.first:.24} before {pair.second:.24}: {ahead.mean:.2%} ({ahead.low:.2%}-{ahead.high:.2%})"
        f"{'' if pair.settled else ', not settled'}"
    )


def report(contest: Contest, played: Played) -> Report:
    """The report of whole deals."""
    games, deals = len(played.turns), len(played.turns) // contest.games_a_deal
    shares = _shares(played.totals)
    pairs = _pairs(contest, played, deals)
    ratings = _ratings(contest, played) if pairs else {}
    bots = [
        _bot(contest, played, shares, number, ratings.get(number))
        for number in range(len(contest.bots))
    ]
    reasons = np.bincount(played.reasons, minlength=len(REASONS)).tolist()
    endings: dict[str, int] = {
        name: count for name, count in zip(REASONS, reasons, strict=True) if count
    }
    turns = float(played.turns.mean()) if games else 0.0
    return Report(contest, games, deals, turns, endings, bots, pairs)


def _shares(totals: NDArray[np.int32]) -> Values:
    """S8: equal totals share the win."""
    winners = totals == totals.max(axis=1, keepdims=True)
    return np.asarray(winners / winners.sum(axis=1, keepdims=True), np.float64)


def _bot(
    contest: Contest, played: Played, shares: Values, number: int, rating: float | None
) -> BotReport:
    here, deals = played.sitting == number, len(played.turns) // contest.games_a_deal
    ways = {contest.is_compiled(lineup) for lineup in contest.lineups if number in lineup}
    way = "both ways" if len(ways) > 1 else "compiled" if True in ways else "through the law"
    scores = played.totals[here]
    return BotReport(
        contest.bots[number],
        way,
        int(here.sum()),
        proportion(_by_deal(shares, here, deals)),
        mean(_by_deal(played.totals.astype(np.float64), here, deals)),
        float(scores.std(ddof=1)) if len(scores) > 1 else 0.0,
        scores,
        rating,
        _adjusted(played, shares, here, deals),
    )


def _adjusted(
    played: Played, shares: Values, here: NDArray[np.bool_], deals: int
) -> Adjusted | None:
    """Results less the luck that they had, deal by deal."""
    if played.luck is None:
        return None
    intervals, factors = [], []
    for results, luck in (
        (shares, played.luck[:, :, WIN]),
        (played.totals, played.luck[:, :, POINTS]),
    ):
        plain = _by_deal(np.asarray(results, np.float64), here, deals)
        without = _by_deal(results - luck, here, deals)
        intervals.append(mean(without))
        spread = float(without.var(ddof=1)) if len(without) > 1 else 0.0
        factors.append(float(plain.var(ddof=1)) / spread if spread > 0 else 1.0)
    return Adjusted(intervals[0], intervals[1], factors[0], factors[1])


def _by_deal(values: Values, here: NDArray[np.bool_], deals: int) -> Values:
    """The mean of the values that count, deal by deal."""
    if not deals:
        return np.zeros(0)
    counts = here.reshape(deals, -1).sum(axis=1)
    return np.asarray(
        np.where(here, values, 0.0).reshape(deals, -1).sum(axis=1) / counts, np.float64
    )


def mean(values: Values, z: float = _Z) -> Interval:
    """The mean of independent values and its interval."""
    if not len(values):
        return Interval(0.0, 0.0, 0.0)
    centre = float(values.mean())
    half = z * float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else float("inf")
    return Interval(centre, centre - half, centre + half)


def proportion(values: Values, z: float = _Z) -> Interval:
    """The mean of values between 0 and 1, and an interval that stays honest at the ends.

    A 0 and a 1 are added to what was seen, so that a few wins in a row do not look like certainty.
    """
    if not len(values):
        return Interval(0.0, 0.0, 1.0)
    centre = float(values.mean())
    careful = mean(np.concatenate([values, [0.0, 1.0]]), z)
    return Interval(centre, max(0.0, min(centre, careful.low)), min(1.0, max(centre, careful.high)))


def _pairs(contest: Contest, played: Played, deals: int) -> list[PairReport]:
    found = []
    for first, second in combinations(range(len(contest.bots)), 2):
        ahead, counts = _ahead(played, first, second)
        by_deal = counts.reshape(deals, -1).sum(axis=1) if deals else np.zeros(0)
        if not by_deal.any():
            continue
        values = ahead.reshape(deals, -1).sum(axis=1) / by_deal
        careful = _careful(contest, played, first, values)
        settled = careful.low > 0.5 or careful.high < 0.5
        names = contest.bots[first], contest.bots[second]
        found.append(PairReport(*names, proportion(values), int((counts > 0).sum()), settled))
    return found


def _careful(contest: Contest, played: Played, first: int, values: Values) -> Interval:
    """The interval by which a pair is told apart: of two who meet alone without their luck, if that
    is known."""
    if played.luck is None or contest.seats != 2 or len(contest.lineups) > 1:
        return proportion(values, _Z_SETTLED)
    here = played.sitting == first
    without = _by_deal(_shares(played.totals) - played.luck[:, :, WIN], here, len(values))
    return mean(without, _Z_SETTLED)


def _ahead(played: Played, first: int, second: int) -> tuple[Values, Values]:
    """For each game: how often a seat of the first bot is before one of the second,
    of how many that meet."""
    ahead, counts = np.zeros(len(played.turns)), np.zeros(len(played.turns))
    seats: Sequence[int] = range(played.totals.shape[1])
    for one in seats:
        for other in seats:
            meet = (played.sitting[:, one] == first) & (played.sitting[:, other] == second)
            difference = played.totals[:, one] - played.totals[:, other]
            ahead += meet * (0.5 + 0.5 * np.sign(difference))
            counts += meet
    return ahead, counts


def _ratings(contest: Contest, played: Played) -> dict[int, float]:
    """Ratings on the scale of chess that make the pairs' results likeliest (Bradley and Terry),
    1500 in the mean.

    A drawn game is added to every pair that met, so that who always wins is not infinitely strong.
    """
    bots = len(contest.bots)
    won = np.zeros((bots, bots))
    for first, second in combinations(range(bots), 2):
        ahead, counts = _ahead(played, first, second)
        if counts.any():
            won[first, second] += ahead.sum() + 0.5
            won[second, first] += counts.sum() - ahead.sum() + 0.5
    met = won + won.T
    strength = np.ones(bots)
    for _ in range(1000):
        together = np.add.outer(strength, strength)
        renewed = won.sum(axis=1) / (met / together).sum(axis=1)
        renewed /= np.exp(np.log(renewed).mean())
        if np.allclose(renewed, strength, rtol=1e-10):
            break
        strength = renewed
    ratings = _ELO * np.log(strength) + _MEAN_RATING
    return {bot: float(rating) for bot, rating in enumerate(ratings)}
