"""Pictures of score distributions and of learning, as SVG that any browser shows."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final, Protocol

import numpy as np

from qwixx.lab.report import BotReport

_WIDTH, _HEIGHT, _MARGIN, _LEGEND = 760, 380, 48, 22
_BIN: Final = 5  # points
_COLOURS: Final = (
    "#c62828",
    "#1565c0",
    "#2e7d32",
    "#f9a825",
    "#6a1b9a",
    "#00838f",
    "#5d4037",
    "#424242",
)
_STYLE: Final = "font: 13px sans-serif; fill: #222"


def scores(title: str, bots: Sequence[BotReport]) -> str:
    """One curve a bot: the share of its games by score, in steps of five points."""
    low = min((int(bot.scores.min()) for bot in bots if bot.games), default=0) // _BIN * _BIN
    high = (
        max((int(bot.scores.max()) for bot in bots if bot.games), default=_BIN) // _BIN * _BIN
        + _BIN
    )
    edges = np.arange(low, high + _BIN, _BIN)
    shares = [np.histogram(bot.scores, edges)[0] / max(1, bot.games) for bot in bots]
    top = max(0.01, *(float(share.max()) for share in shares))
    across = (_WIDTH - 2 * _MARGIN) / (high - low)
    up = (_HEIGHT - 2 * _MARGIN) / top
    height = _HEIGHT + _LEGEND * len(bots)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
            f'role="img" style="{_STYLE}">'
        ),
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{_MARGIN}" y="24" font-weight="bold">{escape(title)}</text>',
        *_axes(low, high, top, across, up),
    ]
    for number, (bot, share) in enumerate(zip(bots, shares, strict=True)):
        colour = _COLOURS[number % len(_COLOURS)]
        points: list[tuple[float, float]] = [(_MARGIN, _HEIGHT - _MARGIN)]
        for edge, value in zip(edges[:-1].tolist(), share.tolist(), strict=True):
            left, level = _MARGIN + (edge - low) * across, _HEIGHT - _MARGIN - value * up
            points += [(left, level), (left + _BIN * across, level)]
        points.append((_WIDTH - _MARGIN, _HEIGHT - _MARGIN))
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(
            f'<polygon points="{line}" fill="{colour}" fill-opacity="0.18" stroke="{colour}"/>'
        )
        level = _HEIGHT + _LEGEND * number
        parts.append(
            f'<rect x="{_MARGIN}" y="{level - 11}" width="14" height="14" fill="{colour}"/>'
        )
        label = (
            f"{bot.name}: mean {bot.score.mean:.1f}, spread {bot.spread:.1f}, {bot.games:,} games"
        )
        parts.append(f'<text x="{_MARGIN + 22}" y="{level}">{escape(label)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _axes(low: int, high: int, top: float, across: float, up: float) -> list[str]:
    floor = _HEIGHT - _MARGIN
    parts = [
        f'<path d="M{_MARGIN},{_MARGIN}V{floor}H{_WIDTH - _MARGIN}" fill="none" stroke="#888"/>'
    ]
    for score in range(-(-low // 20) * 20, high + 1, 20):
        x = _MARGIN + (score - low) * across
        parts.append(f'<path d="M{x:.1f},{floor}v5" stroke="#888"/>')
        parts.append(f'<text x="{x:.1f}" y="{floor + 20}" text-anchor="middle">{score}</text>')
    parts.append(
        f'<text x="{_MARGIN - 6}" y="{floor - top * up + 4:.1f}" text-anchor="end">{top:.0%}</text>'
    )
    return parts


class Point(Protocol):
    """A moment of learning: what was seen until then,
    and the shares of wins against two yardsticks, by seats."""

    @property
    def positions(self) -> int: ...
    @property
    def greedy(self) -> Mapping[str, float]: ...
    @property
    def formula(self) -> Mapping[str, float]: ...
    @property
    def points(self) -> float: ...


def curve(title: str, checks: Sequence[Point]) -> str:
    """How a net became better: a line for each table and opponent,
    or for its points where nobody else plays."""
    lines: dict[str, list[float]] = {}
    for check in checks:
        if set(check.greedy) == {"1"}:
            lines.setdefault("points / 120", []).append(check.points / 120)
            continue
        for name, shares in (("greedy", check.greedy), ("formula", check.formula)):
            for seats, share in shares.items():
                lines.setdefault(f"wins against {name}, {seats} seats", []).append(share)
    most = max((check.positions for check in checks), default=1)
    across, up = (_WIDTH - 2 * _MARGIN) / most, _HEIGHT - 2 * _MARGIN
    floor, height = _HEIGHT - _MARGIN, _HEIGHT + _LEGEND * len(lines)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
            f'role="img" style="{_STYLE}">'
        ),
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{_MARGIN}" y="24" font-weight="bold">{escape(title)}</text>',
        f'<path d="M{_MARGIN},{_MARGIN}V{floor}H{_WIDTH - _MARGIN}" fill="none" stroke="#888"/>',
        (
            f'<text x="{_WIDTH - _MARGIN}" y="{floor + 20}" text-anchor="end">'
            f"{most / 1e6:.0f} M positions</text>"
        ),
    ]
    for share in (0.25, 0.5, 0.75, 1.0):
        level = floor - share * up
        parts.append(f'<path d="M{_MARGIN},{level:.1f}H{_WIDTH - _MARGIN}" stroke="#ddd"/>')
        parts.append(
            f'<text x="{_MARGIN - 6}" y="{level + 4:.1f}" text-anchor="end">{share:.0%}</text>'
        )
    for number, (name, values) in enumerate(lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        spots = [
            f"{_MARGIN + check.positions * across:.1f},{floor - value * up:.1f}"
            for check, value in zip(checks, values, strict=True)
        ]
        parts.append(
            f'<polyline points="{" ".join(spots)}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        level = _HEIGHT + _LEGEND * number
        parts.append(
            f'<rect x="{_MARGIN}" y="{level - 11}" width="14" height="14" fill="{colour}"/>'
        )
        parts.append(
            f'<text x="{_MARGIN + 22}" y="{level}">{escape(name)}: {values[-1]:.1%} at the end</text>'
        )
    return "\n".join([*parts, "</svg>", ""])
