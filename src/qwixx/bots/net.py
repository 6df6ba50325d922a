"""The nets that came with the package, read once, and asked with numpy about many positions at a time."""

import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from qwixx import games
from qwixx.core.errors import BotFailed
from qwixx.games.net import HEADS, POINTS, Shape

Numbers = NDArray[np.float32]
Places = NDArray[np.intp]
Lists = tuple[Sequence[int], Sequence[Sequence[int]]]  # a seat's own features, and those of each other

FOLDER: Final = Path(__file__).parent / "weights"
SMALL: Final = "-small"  # the name of a net of few units goes on so
_BATCH: Final = 128  # positions at once: few enough that numpy does not call its other threads, which costs more


class Net(NamedTuple):
    """The layers of a net. Tables have a row for each feature; the last row is the bias, but for other's."""

    shape: Shape
    own: Numbers
    other: Numbers
    hidden: Numbers
    heads: Numbers

    def judge(self, positions: Sequence[Lists]) -> tuple[list[float], list[float]]:
        """The chance to win and the final points of each position. All have the same number of others."""
        wins: list[float] = []
        points: list[float] = []
        for first in range(0, len(positions), _BATCH):
            batch = positions[first : first + _BATCH]
            own = np.array([own for own, _ in batch], np.intp)
            others = np.array([others for _, others in batch], np.intp)
            heads = self._heads(own, others).astype(np.float64)
            wins += (1.0 / (1.0 + np.exp(-heads[:, 0]))).tolist()
            points += (heads[:, 1] * POINTS).tolist()
        return wins, points

    def _heads(self, own: Places, others: Places) -> Numbers:
        """The first layer is a sum of table rows; the pair units see the own list beside each other's in turn."""
        alone = self.shape.alone
        units = _sums(self.own, own) + self.own[-1]
        if self.shape.pair and others.size:
            pairs = units[:, None, alone:] + _sums(self.other, others)
            units[:, alone:] = np.maximum(pairs, 0.0).sum(axis=1)
        else:
            units[:, alone:] = 0.0
        np.maximum(units, 0.0, out=units)
        hidden = np.maximum(units @ self.hidden[:-1] + self.hidden[-1], 0.0)
        heads: Numbers = hidden @ self.heads[:-1] + self.heads[-1]
        return heads


def _sums(table: Numbers, lists: Places) -> Numbers:
    """The sum of the rows that each list names."""
    sums: Numbers = table.take(lists[..., 0], axis=0)
    for number in range(1, lists.shape[-1]):
        sums += table.take(lists[..., number], axis=0)
    return sums


def net_of(game_id: str, players: int, small: bool) -> Net:
    """A net of a game: one for so many players, if there is one, else for all, the large or the small one."""
    told = games.features_of(game_id)
    return _read(_place(game_id, players, small), told.FEATURES, told.OTHER_FEATURES)


def _place(game_id: str, players: int, small: bool) -> Path:
    own = FOLDER / f"{game_id}-{players}.npz"
    return own if own.exists() else FOLDER / f"{game_id}{SMALL if small else ''}.npz"


def numbers_of(game_id: str, players: int, small: bool) -> Numbers:
    """The flat row of a net's numbers, as the kernels read it."""
    net_of(game_id, players, small)  # which looks whether it is whole
    place = _place(game_id, players, small)
    with np.load(place, allow_pickle=False) as file:
        return np.asarray(file["net"], np.float32)


@cache
def _read(place: Path, own: int, other: int) -> Net:
    try:
        with place.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            shape, numbers = Shape(*file["shape"].tolist()), file["net"].astype(np.float32)
        return _layers(shape, numbers, own, other)
    except FileNotFoundError:
        raise BotFailed(f"there is no {place}, which this bot thinks with: install qwixx again") from None
    except (OSError, EOFError, KeyError, TypeError, ValueError, BadZipFile, zlib.error) as error:
        raise BotFailed(f"{place} is damaged: install qwixx again ({error!r:.100})") from None


def _layers(shape: Shape, numbers: Numbers, own_features: int, other_features: int) -> Net:
    """The flat row of weights as layers; one that does not fit raises ValueError."""
    if (
        shape.own != own_features
        or shape.other not in (0, other_features)
        or min(shape) < 0
        or not np.isfinite(numbers).all()
    ):
        raise ValueError("its sizes or numbers cannot be")
    sizes = (
        (shape.own + 1, shape.units),
        (shape.other, shape.pair),
        (shape.units + 1, shape.hidden),
        (1, HEADS * (shape.hidden + 1)),
    )
    ends = np.cumsum([rows * columns for rows, columns in sizes])
    if numbers.shape != (ends[-1],):
        raise ValueError(f"it has {numbers.size} numbers, not {ends[-1]}")
    own, other, hidden, heads = (
        part.reshape(size) for part, size in zip(np.split(numbers, ends[:-1]), sizes, strict=True)
    )
    by_head, bias = heads[0, :-HEADS].reshape(HEADS, shape.hidden), heads[:, -HEADS:]
    return Net(shape, own, other, hidden, np.vstack([by_head.T, bias]))
