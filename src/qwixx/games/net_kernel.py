"""A small net, compiled: sums of table rows, one for each feature that is there, then two thin layers.

Its numbers lie in one row of weights. What a position is to a seat is a list of features of its own, and one list
for each other seat; every pair of the own list and another's is read together, and what comes out is added up, so
one net serves any number of players.
"""

import numpy as np

from qwixx.games.kernel import Weights, Words, compiled_fast
from qwixx.games.net import HEADS, Shape


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
    return at_heads(shape) + (shape.hidden + 1) * HEADS


@compiled_fast
def forward(
    net: Weights, shape: Shape, own: Words, others: Words, seats: int, units: Weights, hidden: Weights, heads: Weights
) -> None:
    """The heads of a position; `units` is one row of sums and one of outputs, which learning needs too."""
    width, alone, pair = shape.alone + shape.pair, shape.alone, shape.pair
    first = shape.own * width
    for unit in range(width):
        units[0, unit] = net[first + unit]
    for feature in own:
        first = feature * width
        for unit in range(width):
            units[0, unit] += net[first + unit]
    for unit in range(alone):
        units[1, unit] = max(units[0, unit], np.float32(0.0))
    for unit in range(alone, width):
        units[1, unit] = np.float32(0.0)
    table = at_other(shape)
    for seat in range(seats):
        row = units[2 + seat]
        for unit in range(pair):
            row[unit] = units[0, alone + unit]
        for feature in others[seat]:
            first = table + feature * pair
            for unit in range(pair):
                row[unit] += net[first + unit]
        for unit in range(pair):
            units[1, alone + unit] += max(row[unit], np.float32(0.0))
    first = at_hidden(shape)
    last = first + width * shape.hidden
    for unit in range(shape.hidden):
        hidden[unit] = net[last + unit]
    for source in range(width):
        value = units[1, source]
        if value != np.float32(0.0):
            row_at = first + source * shape.hidden
            for unit in range(shape.hidden):
                hidden[unit] += value * net[row_at + unit]
    first = at_heads(shape)
    for head in range(HEADS):
        found = net[first + shape.hidden * HEADS + head]
        for unit in range(shape.hidden):
            found += max(hidden[unit], np.float32(0.0)) * net[first + unit * HEADS + head]
        heads[head] = found


@compiled_fast
def backward(
    net: Weights,
    shape: Shape,
    own: Words,
    others: Words,
    seats: int,
    units: Weights,
    hidden: Weights,
    errors: Weights,
    back: Weights,
    slopes: Weights,
) -> None:
    """Add the slopes of one position; `errors` are those of its heads, after `forward`. `back` is scratch."""
    width, alone, pair = shape.alone + shape.pair, shape.alone, shape.pair
    first = at_heads(shape)
    for unit in range(shape.hidden):
        back[0, unit] = np.float32(0.0)
    for head in range(HEADS):
        error = errors[head]
        slopes[first + shape.hidden * HEADS + head] += error
        for unit in range(shape.hidden):
            slopes[first + unit * HEADS + head] += error * max(hidden[unit], np.float32(0.0))
            back[0, unit] += error * net[first + unit * HEADS + head]
    first = at_hidden(shape)
    for unit in range(shape.hidden):
        if hidden[unit] <= np.float32(0.0):
            back[0, unit] = np.float32(0.0)
        slopes[first + width * shape.hidden + unit] += back[0, unit]
    for source in range(width):
        value, row_at, found = units[1, source], first + source * shape.hidden, np.float32(0.0)
        if value != np.float32(0.0):
            for unit in range(shape.hidden):
                slopes[row_at + unit] += value * back[0, unit]
                found += back[0, unit] * net[row_at + unit]
        back[1, source] = found
    # back[1] now holds what each unit is to change, nought where it gave nothing
    for unit in range(alone, width):
        back[2, unit] = np.float32(0.0)
    for unit in range(alone):
        back[2, unit] = back[1, unit]
    table = at_other(shape)
    for seat in range(seats):
        for unit in range(pair):
            back[3, unit] = back[1, alone + unit] if units[2 + seat, unit] > np.float32(0.0) else np.float32(0.0)
            back[2, alone + unit] += back[3, unit]
        for feature in others[seat]:
            row_at = table + feature * pair
            for unit in range(pair):
                slopes[row_at + unit] += back[3, unit]
    row_at = shape.own * width
    for unit in range(width):
        slopes[row_at + unit] += back[2, unit]
    for feature in own:
        row_at = feature * width
        for unit in range(width):
            slopes[row_at + unit] += back[2, unit]


@compiled_fast
def chance(head: float) -> float:
    """Log-odds as a chance."""
    return 1.0 / (1.0 + np.exp(-head))
