"""A small net in whole numbers, compiled: sums of table rows,
one for each feature that is there, then two layers.

What a position is to a seat is a list of features of its own, and one list for each other seat;
every pair of the own list and another's is read together, and what comes out is added up, so one
net serves any number of players.

Positions that are judged one after the other are much alike, so the sums of the last one are kept
and only what has changed is added. Places are unsigned, since the compiler can then be sure that
none counts from the end.
"""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qwixx.compiled.jit import compiled
from qwixx.compiled.words import Words
from qwixx.core.nets import CEILING, POINTS, POINTS_BITS
from qwixx.core.values import FADE_ONE, FADE_STEPS, FADES, ODDS_BITS, POINT, WIN

Weights = NDArray[np.int16]

# Where things lie in the numbers of a mind (see playing.py for the first ones).
# The biases: hidden units, then heads.
OWN, OTHER, ALONE, PAIR, HIDDEN, SHIFT, BIASES = range(16, 23)

_FADES: Final = np.array(FADES, np.int64)
_NONE: Final = np.int32(0)
_FINE: Final = ODDS_BITS - FADE_STEPS.bit_length() + 1
_LAST: Final = len(FADES) - 2


class Mind(NamedTuple):
    """A net with room to think in."""

    numbers: Words
    net: Weights
    lists: Words  # the features of a position, the own list first, and below them those of the last one
    sums: NDArray[np.int32]  # of the own list, and of each other
    units: NDArray[np.int32]
    acts: Weights


@compiled
def new_mind(numbers: Words, net: Weights, others: int, listed: int) -> Mind:
    width = numbers[ALONE] + numbers[PAIR]
    return Mind(
        numbers,
        net,
        np.full((2 * (1 + others), listed), -1, np.int64),
        np.empty((1 + others, width), np.int32),
        np.empty(width, np.int32),
        np.empty(width, np.int16),
    )


@compiled
def _bring_up(
    net: Weights, at: int, units: int, features: Words, last: Words, sums: NDArray[np.int32]
) -> None:
    """Make sums of the last features those of these ones."""
    if last[0] < 0:
        for place in range(len(features)):
            new = np.uint64(at + features[place] * units)
            for unit in range(np.uint64(units)):
                sums[unit] += net[new + unit]
            last[place] = features[place]
        return
    for place in range(len(features)):
        if features[place] != last[place]:
            old, new = np.uint64(at + last[place] * units), np.uint64(at + features[place] * units)
            for unit in range(np.uint64(units)):
                sums[unit] += net[new + unit] - net[old + unit]
            last[place] = features[place]


@compiled
def forward(mind: Mind, others: int) -> tuple[int, int]:
    """What the heads say of the position in the lists: log-odds, and points in units."""
    numbers, net, lists, units, acts = mind.numbers, mind.net, mind.lists, mind.units, mind.acts
    alone, pair, deep = numbers[ALONE], numbers[PAIR], numbers[HIDDEN]
    width, room, sums = alone + pair, len(lists) // 2, mind.sums[0]
    if lists[room, 0] < 0:
        bias = np.uint64(numbers[OWN] * width)
        for unit in range(np.uint64(width)):
            sums[unit] = net[bias + unit]
    _bring_up(net, 0, width, lists[0], lists[room], sums)
    for unit in range(np.uint64(alone)):
        units[unit] = max(sums[unit], _NONE)
    at = (numbers[OWN] + 1) * width
    if pair:
        first = np.uint64(alone)
        for unit in range(np.uint64(pair)):
            units[first + unit] = _NONE
        for other in range(others):
            his = mind.sums[1 + other]
            if lists[room + 1 + other, 0] < 0:
                his[:] = _NONE
            _bring_up(net, at, pair, lists[1 + other], lists[room + 1 + other], his)
            for unit in range(np.uint64(pair)):
                units[first + unit] += max(np.int32(sums[first + unit] + his[unit]), _NONE)
    for unit in range(np.uint64(width)):
        acts[unit] = np.int16(min(units[unit], np.int32(CEILING)))
    at += numbers[OTHER] * pair
    heads = at + deep * width
    odds, points = int(numbers[BIASES + deep]), int(numbers[BIASES + deep + 1])
    for unit in range(deep):
        row, summed = np.uint64(at + unit * width), _NONE
        for source in range(np.uint64(width)):
            summed = np.int32(summed + np.int32(acts[source]) * np.int32(net[row + source]))
        # Not in the loop, which would no longer take many at a time.
        found = numbers[BIASES + unit] + summed
        if found > 0:
            odds += found * net[heads + unit]
            points += found * net[heads + deep + unit]
    shift = numbers[SHIFT]
    points = (points >> (shift - POINTS_BITS)) * (POINTS * POINT) >> POINTS_BITS
    return odds >> (shift - ODDS_BITS), points


@compiled
def faded(below: int) -> int:
    """As in core/values.py."""
    place = min(below >> _FINE, _LAST)
    part = below & (1 << _FINE) - 1 if place < _LAST else 0
    return int(_FADES[place]) + ((int(_FADES[place + 1]) - int(_FADES[place])) * part >> _FINE)


@compiled
def chance(odds: int) -> int:
    """Log-odds as a chance, in units."""
    left = faded(abs(odds))
    return WIN * (FADE_ONE if odds >= 0 else left) // (FADE_ONE + left)
