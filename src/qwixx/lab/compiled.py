"""Which bots the kernels can play, and how: a style of deciding, and the weights it decides with."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from qwixx import games
from qwixx.bots.expert import kept
from qwixx.bots.net import numbers_of
from qwixx.bots.plain import FORMULA, WORTH
from qwixx.bots.plain import NOVICE as NOVICE_WORTH
from qwixx.bots.plain import Weights as Opinion
from qwixx.core import cache as folders
from qwixx.core.errors import QwixxError
from qwixx.games.kernel import CLUB, EFFECTS, EXPERT, GREEDY, MASTER, NOVICE, RANDOM, Weights, Words
from qwixx.games.net_kernel import size


class Style(NamedTuple):
    """How a kernel decides for a bot (see `decide` in the kernels), and what it thinks of effects, if it does."""

    code: int
    worth: Opinion | None = None

    @property
    def has_net(self) -> bool:
        return self.code >= EXPERT

    @property
    def small(self) -> bool:
        return self.code != MASTER


# A level that is not here plays through the law. Each is proved to choose as its plain self does.
STYLES: Final[dict[str, Style]] = {
    "random": Style(RANDOM),
    "novice": Style(NOVICE, NOVICE_WORTH),
    "greedy": Style(GREEDY, WORTH),
    "formula": Style(GREEDY, FORMULA),
    "club": Style(CLUB),
    "expert": Style(EXPERT),
    "master": Style(MASTER),
}


def is_compiled(game_id: str, bots: Sequence[str]) -> bool:
    """Whether the kernels can play these bots; in practice those with a net may have the exact table instead."""
    if not all(bot in STYLES for bot in bots):
        return False
    return len(bots) > 1 or not STYLES[bots[0]].has_net or not _is_solved(game_id, str(folders.folder()))


@cache
def _is_solved(game_id: str, _folder: str) -> bool:
    """Whether the exact table of the practice game lies in this folder."""
    return kept(games.game(game_id)) is not None


def tables(game_id: str, players: int, bots: Sequence[str]) -> tuple[Words, Weights]:
    """The styles of these bots and their weights, a row each; a bot that is not compiled is never asked."""
    styles = [STYLES.get(bot, Style(RANDOM)) for bot in bots]
    rows = [_weights(game_id, players, style) for style in styles]
    weights = np.zeros((len(bots), max(map(len, rows))), np.float32)
    for row, numbers in zip(weights, rows, strict=True):
        row[: len(numbers)] = numbers
    return np.array([style.code for style in styles], np.int64), weights


def _weights(game_id: str, players: int, style: Style) -> Weights:
    if style.has_net:
        numbers, expert = numbers_of(game_id, players, style.small), games.kernel_of(game_id, "expert_kernel")
        if len(numbers) != size(expert.PRACTICE_SHAPE if players == 1 else expert.SHAPE):
            raise QwixxError(f"the net of {game_id} has another shape than the kernels: train it again")
        return numbers
    return np.array([getattr(style.worth, effect, 0.0) for effect in EFFECTS], np.float32)
