"""A net that has learned in floats, rounded to the whole numbers that it plays and ships with."""

import numpy as np
from numpy.typing import NDArray

from qwixx.bots.net import Stored
from qwixx.core.nets import CEILING, HEAD_BITS, HEADS, HIDDEN_BITS, UNIT_BITS, Shape
from qwixx.lab.training.floats import Floats, at_heads, at_hidden


def rounded(shape: Shape, net: Floats) -> Stored:
    """The tables and layers in whole numbers; what is too large for its place is cut off."""
    wide = net.astype(np.float64)
    tables = _whole(wide[: at_hidden(shape)], UNIT_BITS)
    layer = wide[at_hidden(shape) : at_heads(shape)].reshape(shape.units + 1, shape.hidden)
    heads = wide[at_heads(shape) :]
    bits = _hidden_bits(layer)
    weights = [tables, _whole(layer[:-1].T.ravel(), bits), _whole(heads[:-HEADS], HEAD_BITS)]
    shift = UNIT_BITS + bits + HEAD_BITS
    biases = [np.rint(layer[-1] * 2.0 ** (UNIT_BITS + bits)), np.rint(heads[-HEADS:] * 2.0**shift)]
    return Stored(shape, np.concatenate(weights), shift, np.concatenate(biases).astype(np.int64))


def unrounded(net: Stored) -> Floats:
    """A net of whole numbers as one that can learn further."""
    shape, bits = net.shape, net.shift - UNIT_BITS - HEAD_BITS
    units, hidden = shape.units, shape.hidden
    whole = net.weights.astype(np.float64)
    tables, layer, heads = np.split(
        whole, np.cumsum([len(whole) - (units + HEADS) * hidden, units * hidden])
    )
    parts = (
        tables * 2.0**-UNIT_BITS,
        layer.reshape(hidden, units).T.ravel() * 2.0**-bits,
        net.biases[:hidden] * 2.0 ** -(UNIT_BITS + bits),
        heads * 2.0**-HEAD_BITS,
        net.biases[hidden:] * 2.0**-net.shift,
    )
    return np.concatenate(parts).astype(np.float32)


def _whole(numbers: NDArray[np.float64], bits: int) -> NDArray[np.int16]:
    return np.clip(np.rint(numbers * 2.0**bits), -CEILING, CEILING).astype(np.int16)


def _hidden_bits(layer: NDArray[np.float64]) -> int:
    """How fine the hidden layer can be, so that no sum of its units leaves a word of 32 bits."""
    most = np.abs(layer[:-1]).sum(axis=0) * CEILING + np.abs(layer[-1]) * 2.0**UNIT_BITS
    bits = HIDDEN_BITS
    while (
        bits and (most * 2.0**bits).max() + CEILING * len(layer) >= 2.0**31
    ):  # each may be rounded up
        bits -= 1
    return bits
