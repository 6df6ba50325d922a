"""What the end of a game is worth to each seat, in the ways there are."""

from typing import Final

from qwixx.core.game import Result

REWARDS: Final = ("win", "points", "difference")


def rewards(result: Result, kind: str) -> list[float]:
    """The share of the win, the points, or the points less those of the best other seat."""
    totals = result.totals
    if kind == "win":
        winners = result.winners or ()
        return [1.0 / len(winners) if seat in winners else 0.0 for seat in range(len(totals))]
    if kind == "points" or len(totals) == 1:
        return [float(points) for points in totals]
    others = [max(totals[:seat] + totals[seat + 1 :]) for seat in range(len(totals))]
    return [float(mine - best) for mine, best in zip(totals, others, strict=True)]
