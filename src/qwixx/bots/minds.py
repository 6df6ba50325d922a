"""Which bots play compiled, and how: each is a row of numbers and a row of its net's weights."""

from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

import numpy as np

from qwixx import games
from qwixx.bots.expert import kept
from qwixx.bots.net import Stored, stored
from qwixx.bots.plain import FORMULA, WORTH, Opinion
from qwixx.bots.plain import NOVICE as NOVICE_WORTH
from qwixx.bots.temper import CANDIDATES, FEWEST, HASTE, HASTE_ALONE, MARGIN, OVERLOOKED
from qwixx.compiled import net, thinking
from qwixx.compiled.playing import CROSS, GREEDY, NOVICE, RANDOM, TRAINED
from qwixx.compiled.words import Words
from qwixx.core.errors import BadRequest
from qwixx.files import cache as folders


class Style(NamedTuple):
    """How a compiled bot decides, and what it thinks of effects, if it does."""

    code: int
    opinion: Opinion = Opinion()
    small: bool = True  # which net, if it has one
    hasty: bool = False
    looks: bool = False  # one throw further

    @property
    def has_net(self) -> bool:
        return self.code == TRAINED


# A level that is not here plays through the law. Each is proved to choose as its plain self does.
STYLES: Final[dict[str, Style]] = {
    "random": Style(RANDOM),
    "novice": Style(NOVICE, NOVICE_WORTH),
    "greedy": Style(GREEDY, WORTH),
    "formula": Style(GREEDY, FORMULA),
    "club": Style(TRAINED, hasty=True),
    "expert": Style(TRAINED),
    "master": Style(TRAINED, small=False, looks=True),
}


class Minds(NamedTuple):
    """Bots as `compiled.playing` takes them: numbers, weights of nets,
    and the sizes of the lists of features."""

    numbers: Words
    nets: net.Weights
    sizes: Words


def is_compiled(game_id: str, bots: Sequence[str]) -> bool:
    """Whether these bots play compiled;
    in practice those with a net may have the exact table instead."""
    if not can_play(game_id) or not all(bot in STYLES for bot in bots):
        return False
    return (
        len(bots) > 1
        or not STYLES[bots[0]].has_net
        or not _is_solved(game_id, str(folders.folder()))
    )


@cache
def can_play(game_id: str) -> bool:
    """Whether a game has a kernel, and one that can hold its sheet."""
    kernel = games.kernel_of(game_id)
    try:
        return kernel is not None and kernel.board(games.game(game_id)) is not None
    except BadRequest:
        return False


@cache
def _is_solved(game_id: str, _folder: str) -> bool:
    """Whether the exact table of the practice game lies in this folder."""
    return kept(games.game(game_id)) is not None


def of_levels(game_id: str, players: int, levels: Sequence[str]) -> Minds:
    """The minds of some levels; one that is not compiled is never asked, and takes up a row."""
    styles = [STYLES.get(level, Style(RANDOM)) for level in levels]
    nets = [stored(game_id, players, style.small) if style.has_net else None for style in styles]
    return of_styles(game_id, players, styles, nets)


def of_styles(
    game_id: str, players: int, styles: Sequence[Style], nets: Sequence[Stored | None]
) -> Minds:
    kernel = games.kernel_of(game_id)
    assert kernel is not None
    rows = [_numbers(players, style, found) for style, found in zip(styles, nets, strict=True)]
    numbers = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for row, one in zip(numbers, rows, strict=True):
        row[: len(one)] = one
    weights = np.zeros(
        (len(rows), max(len(found.weights) if found else 1 for found in nets)), np.int16
    )
    for weight, found in zip(weights, nets, strict=True):
        if found:
            weight[: len(found.weights)] = found.weights
    return Minds(numbers, weights, np.array([kernel.FEATURES.others, kernel.FEATURES.listed]))


def _numbers(players: int, style: Style, found: Stored | None) -> list[int]:
    numbers = [0] * net.BIASES
    numbers[thinking.STYLE], numbers[thinking.OVERLOOKED] = style.code, OVERLOOKED
    numbers[thinking.HASTE] = style.hasty * (HASTE if players > 1 else HASTE_ALONE)
    numbers[thinking.CANDIDATES] = style.looks * CANDIDATES
    numbers[thinking.FEWEST], numbers[thinking.MARGIN] = FEWEST, MARGIN
    for place, worth in enumerate(style.opinion):
        assert worth * CROSS == int(worth * CROSS), (
            "what an effect is worth must be a whole number of parts"
        )
        numbers[thinking.WORTHS + place] = int(worth * CROSS)
    if found:
        numbers[net.OWN : net.SHIFT] = found.shape
        numbers[net.SHIFT] = found.shift
        numbers += found.biases.tolist()
    return numbers
