"""The nets that came with the package, read once,
and asked with numpy about many positions at a time.

All is whole numbers. Sums and products are of floats that hold whole numbers, below 2 ** 24 in the
first layer and 2 ** 53 behind it: that is exact whatever the machine, and quick.
"""

import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from qwixx import games
from qwixx.bots.stock import place_of
from qwixx.core.errors import BotFailed
from qwixx.core.nets import CEILING, HEADS, POINTS, POINTS_BITS, Shape
from qwixx.core.values import FADE_ONE, FADE_STEPS, FADES, ODDS_BITS, POINT, WIN

Numbers = NDArray[np.int64]
Floats = NDArray[np.float32]
Places = NDArray[np.intp]
# A seat's own features, and those of each other.
Lists = tuple[Sequence[int], Sequence[Sequence[int]]]

# Positions at once: few enough that numpy does not call its other threads, which costs more.
_BATCH: Final = 64
_FADES: Final = np.array(FADES, np.int64)
_FINE: Final = ODDS_BITS - FADE_STEPS.bit_length() + 1


class Stored(NamedTuple):
    """A net as it ships and as the kernels read it: all weights in a row,
    and the biases behind the two layers."""

    shape: Shape
    weights: NDArray[np.int16]
    shift: int  # the heads are so many bits finer than 1.0
    biases: Numbers


class Net(NamedTuple):
    """The layers of a net. Tables have a row for each feature;
    the last row of the own one is the bias."""

    shape: Shape
    own: Floats
    other: Floats
    hidden: NDArray[np.float64]
    heads: NDArray[np.float64]
    hidden_biases: NDArray[np.float64]
    head_biases: NDArray[np.float64]
    shift: int

    def judge(self, positions: Sequence[Lists]) -> tuple[list[int], list[int]]:
        """The chance to win and the final points of each position, in units.
        All have the same number of others."""
        wins: list[int] = []
        points: list[int] = []
        for first in range(0, len(positions), _BATCH):
            batch = positions[first : first + _BATCH]
            own = np.array([own for own, _ in batch], np.intp)
            others = np.array([others for _, others in batch], np.intp)
            heads = self._heads(own, others)
            wins += _chances(heads[:, 0] >> self.shift - ODDS_BITS).tolist()
            fine = (heads[:, 1] >> self.shift - POINTS_BITS) * (POINTS * POINT)
            points += (fine >> POINTS_BITS).tolist()
        return wins, points

    def _heads(self, own: Places, others: Places) -> Numbers:
        """The first layer is a sum of table rows;
        the pair units see the own list beside each other's in turn."""
        alone = self.shape.alone
        units = _sums(self.own, own) + self.own[-1]
        if self.shape.pair and others.size:
            pairs = units[:, None, alone:] + _sums(self.other, others)
            units[:, alone:] = np.maximum(pairs, 0.0).sum(axis=1)
        else:
            units[:, alone:] = 0.0
        np.maximum(units, 0.0, out=units)
        np.minimum(units, CEILING, out=units)
        hidden = np.maximum(units.astype(np.float64) @ self.hidden + self.hidden_biases, 0.0)
        heads = hidden @ self.heads + self.head_biases
        found: Numbers = heads.astype(np.int64)
        return found


def _chances(odds: Numbers) -> Numbers:
    """Log-odds as chances, in units."""
    below = np.abs(odds)
    place = np.minimum(below >> _FINE, len(FADES) - 2)
    part = np.where(place < len(FADES) - 2, below & (1 << _FINE) - 1, 0)
    left = _FADES[place] + ((_FADES[place + 1] - _FADES[place]) * part >> _FINE)
    chances: Numbers = WIN * np.where(odds >= 0, FADE_ONE, left) // (FADE_ONE + left)
    return chances


def _sums(table: Floats, lists: Places) -> Floats:
    """The sum of the rows that each list names."""
    sums: Floats = table.take(lists[..., 0], axis=0)
    for number in range(1, lists.shape[-1]):
        sums += table.take(lists[..., number], axis=0)
    return sums


def net_of(game_id: str, players: int, small: bool) -> Net:
    """A net of a game: one for so many players, if there is one,
    else for all, the large or the small one."""
    return _net(place_of(game_id, players, small), *_features(game_id))


def stored(game_id: str, players: int, small: bool) -> Stored:
    """The same net as the kernels read it."""
    return read_stored(place_of(game_id, players, small), *_features(game_id))


def _features(game_id: str) -> tuple[int, int]:
    features = games.features_of(game_id)
    if features is None:
        raise BotFailed(f"no net has learned the game {game_id}")
    return features.FEATURES, features.OTHER_FEATURES


@cache
def _net(place: Path, own: int, other: int) -> Net:
    shape, weights, shift, biases = read_stored(place, own, other)
    sizes = (
        (shape.own + 1, shape.units),
        (shape.other, shape.pair),
        (shape.hidden, shape.units),
        (HEADS, shape.hidden),
    )
    ends = np.cumsum([rows * columns for rows, columns in sizes])
    own_table, other_table, hidden, heads = (
        part.reshape(size) for part, size in zip(np.split(weights, ends[:-1]), sizes, strict=True)
    )
    return Net(
        shape,
        own_table.astype(np.float32),
        other_table.astype(np.float32),
        hidden.T.astype(np.float64),
        heads.T.astype(np.float64),
        biases[: shape.hidden].astype(np.float64),
        biases[shape.hidden :].astype(np.float64),
        shift,
    )


@cache
def read_stored(place: Path, own: int, other: int) -> Stored:
    try:
        with place.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            shape = Shape(*file["shape"].tolist())
            found = Stored(
                shape, file["weights"], int(file["shift"]), file["biases"].astype(np.int64)
            )
        _check(found, own, other)
    except FileNotFoundError:
        raise BotFailed(
            f"there is no {place}, which this bot thinks with: install qwixx again"
        ) from None
    except (OSError, EOFError, KeyError, TypeError, ValueError, BadZipFile, zlib.error) as error:
        raise BotFailed(f"{place} is damaged: install qwixx again ({error!r:.100})") from None
    return found


def _check(found: Stored, own: int, other: int) -> None:
    """A net that does not fit, or whose sums could not be held, raises ValueError."""
    shape = found.shape
    if shape.own != own or shape.other not in (0, other) or min(shape) < 0 or not shape.units:
        raise ValueError("its sizes cannot be")
    if found.weights.dtype != np.int16 or found.weights.shape != (shape.weights,):
        raise ValueError(f"it has {found.weights.size} weights, not {shape.weights}")
    if found.biases.shape != (shape.hidden + HEADS,) or not POINTS_BITS <= found.shift < 48:
        raise ValueError("its biases cannot be")
    hidden = found.weights[-(shape.units + HEADS) * shape.hidden : -HEADS * shape.hidden]
    most = np.abs(hidden.reshape(shape.hidden, shape.units).astype(np.int64)).sum(axis=1) * CEILING
    if (most + np.abs(found.biases[: shape.hidden]) >= 1 << 31).any():
        raise ValueError("its sums could not be held")
