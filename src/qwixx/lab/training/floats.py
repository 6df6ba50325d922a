"""A net in floats, compiled, for learning alone:
what it says of a position, and the slopes that lead it on.

It has the layers of `compiled/net.py`; when it plays it is rounded to whole numbers first.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from qwixx.compiled.jit import compiled_fast
from qwixx.compiled.words import Words
from qwixx.core.nets import HEADS, Shape

Floats = NDArray[np.float32]

WIDEST: Final = 128  # units of a layer
_ZERO: Final = np.float32(0.0)


def size(shape: Shape) -> int:
    """How many numbers a net has."""
    return int(at_end(shape))


@compiled_fast
def at_other(shape: Shape) -> int:
    # The row after the last feature is the bias.
    return (shape.own + 1) * (shape.alone + shape.pair)


@compiled_fast
def at_hidden(shape: Shape) -> int:
    return at_other(shape) + shape.other * shape.pair


@compiled_fast
def at_heads(shape: Shape) -> int:
    return at_hidden(shape) + (shape.alone + shape.pair + 1) * shape.hidden


@compiled_fast
def at_end(shape: Shape) -> int:
    return at_heads(shape) + HEADS * (shape.hidden + 1)


# Rows of the space that a net works in: its heads, the hidden layer, what the units give,
# their sums, and the sums of the lists of others, a row each.
_HEADS, _LAYER, _OUTPUTS, _SUMS, _OTHERS = range(5)


@compiled_fast
def new_space(others: int) -> Floats:
    """Room for a net to work in; space[0] holds its heads."""
    return np.empty((_OTHERS + others, WIDEST), np.float32)


@compiled_fast
def _copy(net: Floats, at: int, units: int, sums: Floats) -> None:
    start = np.uint64(at)
    for unit in range(np.uint64(units)):
        sums[unit] = net[start + unit]


@compiled_fast
def _add(net: Floats, at: int, units: int, sums: Floats) -> None:
    start = np.uint64(at)
    for unit in range(np.uint64(units)):
        sums[unit] += net[start + unit]


@compiled_fast
def forward(net: Floats, shape: Shape, lists: Words, seats: int, space: Floats) -> None:
    """The heads of a position, in space[0]."""
    width, alone, pair, deep = shape.alone + shape.pair, shape.alone, shape.pair, shape.hidden
    sums, outputs, layer = space[_SUMS], space[_OUTPUTS], space[_LAYER]
    _copy(net, shape.own * width, width, sums)
    for feature in lists[0]:
        _add(net, feature * width, width, sums)
    for unit in range(np.uint64(width)):
        outputs[unit] = max(sums[unit], _ZERO)
    if pair:
        start = np.uint64(alone)
        for unit in range(np.uint64(pair)):
            outputs[start + unit] = _ZERO
        for seat in range(seats):
            his = space[_OTHERS + seat]
            his[:pair] = _ZERO
            for feature in lists[1 + seat]:
                _add(net, at_other(shape) + feature * pair, pair, his)
            for unit in range(np.uint64(pair)):
                outputs[start + unit] += max(sums[start + unit] + his[unit], _ZERO)
    at = at_hidden(shape)
    _copy(net, at + width * deep, deep, layer)
    step = np.uint64(deep)
    for source in range(0, width, 4):  # the units of a net are a multiple of four
        first, row = np.uint64(source), np.uint64(at + source * deep)
        one, two = outputs[first], outputs[first + np.uint64(1)]
        three, four = outputs[first + np.uint64(2)], outputs[first + np.uint64(3)]
        for unit in range(step):
            place = row + unit
            layer[unit] += (
                one * net[place]
                + two * net[place + step]
                + three * net[place + step + step]
                + four * net[place + step + step + step]
            )
    at = at_heads(shape)
    for head in range(HEADS):
        found, start = net[at + deep * HEADS + head], np.uint64(at + head * deep)
        for unit in range(np.uint64(deep)):
            found += max(layer[unit], _ZERO) * net[start + unit]
        space[_HEADS, head] = found


@compiled_fast
def _add_times(times: np.float32, more: Floats, units: int, slopes: Floats, at: int) -> None:
    start = np.uint64(at)
    for unit in range(np.uint64(units)):
        slopes[start + unit] += times * more[unit]


@compiled_fast
def backward(
    net: Floats,
    shape: Shape,
    lists: Words,
    seats: int,
    space: Floats,
    errors: Floats,
    back: Floats,
    slopes: Floats,
) -> None:
    """Add the slopes of a position after `forward`;
    `errors` are those of its heads, `back` is room to work in."""
    width, alone, pair, deep = shape.alone + shape.pair, shape.alone, shape.pair, shape.hidden
    sums, outputs, layer = space[_SUMS], space[_OUTPUTS], space[_LAYER]
    by_layer, by_units, by_sums, by_pair = back[0], back[1], back[2], back[3]
    at = at_heads(shape)
    by_layer[:deep] = _ZERO
    for unit in range(np.uint64(deep)):
        by_pair[unit] = max(layer[unit], _ZERO)  # lent for a moment
    for head in range(HEADS):
        slopes[at + deep * HEADS + head] += errors[head]
        _add_times(errors[head], by_pair, deep, slopes, at + head * deep)
        start = np.uint64(at + head * deep)
        for unit in range(np.uint64(deep)):
            by_layer[unit] += errors[head] * net[start + unit]
    for unit in range(np.uint64(deep)):
        by_layer[unit] = by_layer[unit] if layer[unit] > _ZERO else _ZERO
    at = at_hidden(shape)
    one = np.float32(1.0)
    _add_times(one, by_layer, deep, slopes, at + width * deep)
    for source in range(width):
        value, found = outputs[source], _ZERO
        if value != _ZERO:
            _add_times(value, by_layer, deep, slopes, at + source * deep)
            start = np.uint64(at + source * deep)
            for unit in range(np.uint64(deep)):
                found += by_layer[unit] * net[start + unit]
        by_units[source] = found  # nought where the unit gave nothing
    for unit in range(np.uint64(width)):
        by_sums[unit] = by_units[unit] if unit < np.uint64(alone) else _ZERO
    for seat in range(seats):
        his, start = space[_OTHERS + seat], np.uint64(alone)
        for unit in range(np.uint64(pair)):
            reads = sums[start + unit] + his[unit] > _ZERO
            by_pair[unit] = by_units[start + unit] if reads else _ZERO
            by_sums[start + unit] += by_pair[unit]
        for feature in lists[1 + seat]:
            _add_times(one, by_pair, pair, slopes, at_other(shape) + feature * pair)
    _add_times(one, by_sums, width, slopes, shape.own * width)
    for feature in lists[0]:
        _add_times(one, by_sums, width, slopes, feature * width)


@compiled_fast
def chance(head: float) -> float:
    """Log-odds as a chance."""
    return float(1.0 / (1.0 + np.exp(-head)))
