"""A small net, compiled: sums of table rows, one for each feature that is there, then two thin layers.

Its numbers lie in one row of weights. What a position is to a seat is a list of features of its own, and one list
for each other seat; every pair of the own list and another's is read together, and what comes out is added up, so
one net serves any number of players.

Positions that are judged one after the other are much alike, so the sums of the last one are kept and only what has
changed is added. Places are unsigned, since the compiler can then be sure that none counts from the end.
"""

from typing import Final

import numpy as np

from qwixx.games.kernel import Weights, Words, compiled_fast
from qwixx.games.net import HEADS, Shape

WIDEST: Final = 128  # units of a layer
_NOUGHT: Final = np.float32(0.0)


def size(shape: Shape) -> int:
    """How many numbers a net has."""
    return at_end(shape)


@compiled_fast
def at_other(shape: Shape) -> int:
    return (shape.own + 1) * (shape.alone + shape.pair)  # the row after the last feature is the bias


@compiled_fast
def at_hidden(shape: Shape) -> int:
    return at_other(shape) + shape.other * shape.pair


@compiled_fast
def at_heads(shape: Shape) -> int:
    return at_hidden(shape) + (shape.alone + shape.pair + 1) * shape.hidden


@compiled_fast
def at_end(shape: Shape) -> int:
    return at_heads(shape) + HEADS * (shape.hidden + 1)


# Rows of the space that a net works in: its heads, the hidden layer, what the units give, their sums, and the sums
# of the lists of others, a row each.
_HEADS, _LAYER, _OUTPUTS, _SUMS, _OTHERS = range(5)


@compiled_fast
def new_lists(others: int, listed: int) -> Words:
    """Room for the lists of a position, the own one first, and below them for those of the last one."""
    return np.full((2 * (1 + others), listed), -1, np.int64)


@compiled_fast
def new_space(others: int) -> Weights:
    """Room for a net to work in; space[0] holds its heads."""
    return np.empty((_OTHERS + others, WIDEST), np.float32)


@compiled_fast
def _copy(net: Weights, at: int, units: int, sums: Weights) -> None:
    start = np.uint64(at)
    for unit in range(np.uint64(units)):
        sums[unit] = net[start + unit]


@compiled_fast
def _add(net: Weights, at: int, units: int, sums: Weights) -> None:
    start = np.uint64(at)
    for unit in range(np.uint64(units)):
        sums[unit] += net[start + unit]


@compiled_fast
def _swap(net: Weights, old: int, new: int, units: int, sums: Weights) -> None:
    first, second = np.uint64(old), np.uint64(new)
    for unit in range(np.uint64(units)):
        sums[unit] += net[second + unit] - net[first + unit]


@compiled_fast
def _bring_up(net: Weights, table: int, units: int, features: Words, last: Words, sums: Weights) -> None:
    """Make sums of the last features those of these ones."""
    if last[0] < 0:
        for feature in features:
            _add(net, table + feature * units, units, sums)
    else:
        for place in range(len(features)):
            if features[place] != last[place]:
                _swap(net, table + last[place] * units, table + features[place] * units, units, sums)
    last[:] = features


@compiled_fast
def forward(net: Weights, shape: Shape, lists: Words, seats: int, space: Weights) -> None:
    """The heads of a position, in space[0]."""
    width, alone, pair, deep = shape.alone + shape.pair, shape.alone, shape.pair, shape.hidden
    room = len(lists) // 2
    sums, outputs, layer = space[_SUMS], space[_OUTPUTS], space[_LAYER]
    if lists[room, 0] < 0:
        _copy(net, shape.own * width, width, sums)
    _bring_up(net, 0, width, lists[0], lists[room], sums)
    for unit in range(np.uint64(width)):
        outputs[unit] = max(sums[unit], _NOUGHT)
    if pair:
        start = np.uint64(alone)
        for unit in range(np.uint64(pair)):
            outputs[start + unit] = _NOUGHT
        for seat in range(seats):
            his = space[_OTHERS + seat]
            if lists[room + 1 + seat, 0] < 0:
                his[:pair] = _NOUGHT
            _bring_up(net, at_other(shape), pair, lists[1 + seat], lists[room + 1 + seat], his)
            for unit in range(np.uint64(pair)):
                outputs[start + unit] += max(sums[start + unit] + his[unit], _NOUGHT)
    at = at_hidden(shape)
    _copy(net, at + width * deep, deep, layer)
    step = np.uint64(deep)
    for source in range(0, width, 4):
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
            found += max(layer[unit], _NOUGHT) * net[start + unit]
        space[_HEADS, head] = found


@compiled_fast
def _add_times(times: np.float32, more: Weights, units: int, slopes: Weights, at: int) -> None:
    start = np.uint64(at)
    for unit in range(np.uint64(units)):
        slopes[start + unit] += times * more[unit]


@compiled_fast
def backward(
    net: Weights,
    shape: Shape,
    lists: Words,
    seats: int,
    space: Weights,
    errors: Weights,
    back: Weights,
    slopes: Weights,
) -> None:
    """Add the slopes of a position after `forward`; `errors` are those of its heads, `back` is room to work in."""
    width, alone, pair, deep = shape.alone + shape.pair, shape.alone, shape.pair, shape.hidden
    sums, outputs, layer = space[_SUMS], space[_OUTPUTS], space[_LAYER]
    by_layer, by_units, by_sums, by_pair = back[0], back[1], back[2], back[3]
    at = at_heads(shape)
    by_layer[:deep] = _NOUGHT
    for unit in range(np.uint64(deep)):
        by_pair[unit] = max(layer[unit], _NOUGHT)  # lent for a moment
    for head in range(HEADS):
        slopes[at + deep * HEADS + head] += errors[head]
        _add_times(errors[head], by_pair, deep, slopes, at + head * deep)
        start = np.uint64(at + head * deep)
        for unit in range(np.uint64(deep)):
            by_layer[unit] += errors[head] * net[start + unit]
    for unit in range(np.uint64(deep)):
        by_layer[unit] = by_layer[unit] if layer[unit] > _NOUGHT else _NOUGHT
    at = at_hidden(shape)
    one = np.float32(1.0)
    _add_times(one, by_layer, deep, slopes, at + width * deep)
    for source in range(width):
        value, found = outputs[source], _NOUGHT
        if value != _NOUGHT:
            _add_times(value, by_layer, deep, slopes, at + source * deep)
            start = np.uint64(at + source * deep)
            for unit in range(np.uint64(deep)):
                found += by_layer[unit] * net[start + unit]
        by_units[source] = found  # nought where the unit gave nothing
    for unit in range(np.uint64(width)):
        by_sums[unit] = by_units[unit] if unit < np.uint64(alone) else _NOUGHT
    for seat in range(seats):
        his, start = space[_OTHERS + seat], np.uint64(alone)
        for unit in range(np.uint64(pair)):
            reads = sums[start + unit] + his[unit] > _NOUGHT
            by_pair[unit] = by_units[start + unit] if reads else _NOUGHT
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
