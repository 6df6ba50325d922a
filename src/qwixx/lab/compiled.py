"""Which bots the kernels can play, and how: a style of deciding, and the weights it decides with."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from qwixx.bots.plain import WORTH
from qwixx.games.kernel import EFFECTS, GREEDY, RANDOM, Weights, Words


class Style(NamedTuple):
    """How a kernel decides for a bot: see `decide` in the kernels."""

    code: int
    weights: tuple[float, ...] = ()


# A level that is not here plays through the law. Each is proved to choose as its plain self does.
STYLES: Final[dict[str, Style]] = {
    "random": Style(RANDOM),
    "greedy": Style(GREEDY, tuple(WORTH[effect] for effect in EFFECTS)),
}


def is_compiled(bots: Sequence[str]) -> bool:
    return all(bot in STYLES for bot in bots)


def tables(bots: Sequence[str]) -> tuple[Words, Weights]:
    """The styles of these bots and their weights, a row each; a bot that is not compiled is never asked."""
    styles = [STYLES.get(bot, Style(RANDOM)) for bot in bots]
    weights = np.zeros((len(bots), max(len(EFFECTS), *(len(style.weights) for style in styles))), np.float32)
    for row, style in zip(weights, styles, strict=True):
        row[: len(style.weights)] = style.weights
    return np.array([style.code for style in styles], np.int64), weights
