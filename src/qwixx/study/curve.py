"""The curve of a game as a picture: the chance to win of every seat after every turn, or alone the
points to come; with marks where choices went wrong."""

from collections.abc import Sequence
from html import escape
from typing import Final

from qwixx.study.grading import label_of
from qwixx.study.judging import Worth
from qwixx.study.reviews import Review
from qwixx.study.turns import Decision

COLOURS: Final = ("#c62828", "#1565c0", "#2e7d32", "#b7791f", "#6a1b9a")
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _LEGEND = 760, 380, 52, 36, 44, 22
_MARKED: Final = {"inaccuracy": 3.5, "mistake": 5.0, "blunder": 6.5}  # and how large


def drawn(review: Review, title: str, names: Sequence[str]) -> str:
    """The curve as SVG that any browser shows."""
    alone = len(names) == 1
    lines = [
        [worths[seat].points if alone else worths[seat].win for worths in _worths(review)]
        for seat in range(len(names))
    ]
    low, high = (0.0, 1.0) if not alone else (min(0.0, *lines[0]), max(*lines[0], 100.0))
    across = (_WIDTH - 2 * _LEFT) / max(1, len(review.turns))
    floor, up = _HEIGHT - _BOTTOM, (_HEIGHT - _TOP - _BOTTOM) / (high - low)
    height = _HEIGHT + _LEGEND * len(names)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
            'style="font: 13px sans-serif; fill: #222">'
        ),
        f"<title>{escape(title)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{_LEFT}" y="22" font-weight="bold">{escape(title)}</text>',
        f'<path d="M{_LEFT},{_TOP}V{floor}H{_WIDTH - _LEFT}" fill="none" stroke="#888"/>',
        (
            f'<text x="{_WIDTH - _LEFT}" y="{floor + 20}" text-anchor="end">'
            f"{len(review.turns)} turns</text>"
        ),
    ]
    for step in range(5):
        value = low + (high - low) * step / 4
        level = floor - (value - low) * up
        label = f"{value:.0f}" if alone else f"{value:.0%}"
        parts.append(f'<path d="M{_LEFT},{level:.1f}H{_WIDTH - _LEFT}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{level + 4:.1f}" text-anchor="end">{label}</text>')
    for seat, values in enumerate(lines):
        colour = COLOURS[seat % len(COLOURS)]
        spots = [
            (_LEFT + turn * across, floor - (value - low) * up) for turn, value in enumerate(values)
        ]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += _marks(review, seat, spots, alone)
        level = _HEIGHT + _LEGEND * seat
        parts.append(f'<rect x="{_LEFT}" y="{level - 11}" width="14" height="14" fill="{colour}"/>')
        parts.append(f'<text x="{_LEFT + 22}" y="{level}">{escape(names[seat])}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _worths(review: Review) -> list[tuple[Worth, ...]]:
    return [review.turns[0].before, *(turn.after for turn in review.turns)]


def _marks(
    review: Review, seat: int, spots: Sequence[tuple[float, float]], alone: bool
) -> list[str]:
    """A dot for every choice that lost something worth a word, the larger the more it lost."""
    found = []
    for number, turn in enumerate(review.turns):
        for one in turn.decisions:
            size = _MARKED.get(label_of(one, alone))
            if one.seat == seat and size is not None:
                x, y = spots[number + 1]
                found.append(
                    f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" '
                    f'fill="{COLOURS[seat % len(COLOURS)]}" stroke="#fff">'
                    f"<title>{escape(_said(one))}</title></circle>"
                )
    return found


def _said(one: Decision) -> str:
    return f"{one.move} instead of {one.best}"
