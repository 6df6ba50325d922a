"""As core/equilibrium.py, compiled: the equilibrium of a small game in which all choose at once."""

import numpy as np

from qwixx.compiled.jit import compiled
from qwixx.compiled.words import Words
from qwixx.core.equilibrium import LEAST, MIX_BITS, MIX_ONE, STEPS, TOLERANCE


@compiled
def share_out(weights: Words, size: int, mix: Words) -> None:
    """Weights as parts of MIX_ONE; all alike if there are none."""
    whole, most, left = 0, 0, MIX_ONE
    for option in range(size):
        whole += weights[option]
        if weights[option] > weights[most]:
            most = option
    for option in range(size):
        mix[option] = weights[option] * MIX_ONE // whole if whole > 0 else MIX_ONE // size
        left -= mix[option]
    mix[most] += left


@compiled
def equilibrium(sizes: Words, payoffs: Words, mix: Words) -> None:
    """The mix of every seat. Of each outcome (the options of the first seat change last) what it
    is worth to every seat."""
    players, several = len(sizes), 0
    steps = np.ones(players, np.int64)
    for seat in range(players - 2, -1, -1):
        steps[seat] = steps[seat + 1] * sizes[seat + 1]
    mix[:] = 0
    for place in range(len(payoffs)):
        if _settled(sizes, steps, payoffs, place):
            for seat in range(players):
                mix[seat, place // steps[seat] % sizes[seat]] = MIX_ONE
            return
    for seat in range(players):
        mix[seat, 0] = MIX_ONE
        several += int(sizes[seat] > 1)
    if len(payoffs) == 4 and several == 2:
        _indifferent(sizes, payoffs, mix)
    else:
        _matched(sizes, steps, payoffs, mix)


@compiled
def _settled(sizes: Words, steps: Words, payoffs: Words, place: int) -> bool:
    """Whether nobody would choose otherwise."""
    for seat in range(len(sizes)):
        first = place - place // steps[seat] % sizes[seat] * steps[seat]
        for other in range(sizes[seat]):
            if payoffs[first + other * steps[seat], seat] > payoffs[place, seat] + TOLERANCE:
                return False
    return True


@compiled
def _indifferent(sizes: Words, payoffs: Words, mix: Words) -> None:
    first, second, weights = -1, -1, np.empty(2, np.int64)
    for seat in range(len(sizes)):
        if sizes[seat] > 1:
            if first < 0:
                first = seat
            else:
                second = seat
    weights[0] = abs(payoffs[2, second] - payoffs[3, second])
    weights[1] = abs(payoffs[0, second] - payoffs[1, second])
    share_out(weights, 2, mix[first])
    weights[0] = abs(payoffs[1, first] - payoffs[3, first])
    weights[1] = abs(payoffs[0, first] - payoffs[2, first])
    share_out(weights, 2, mix[second])


@compiled
def _matched(sizes: Words, steps: Words, payoffs: Words, mix: Words) -> None:
    players = len(sizes)
    regrets, summed = np.zeros_like(mix), np.zeros_like(mix)
    worths = np.empty(mix.shape[1], np.int64)
    for seat in range(players):
        share_out(regrets[seat], sizes[seat], mix[seat])
    for number in range(1, STEPS + 1):
        for seat in range(players):
            size = sizes[seat]
            if size < 2:
                continue
            worths[:] = 0
            for place in range(len(payoffs)):
                weight = MIX_ONE
                for other in range(players):
                    if other != seat and sizes[other] > 1:
                        option = place // steps[other] % sizes[other]
                        weight = weight * mix[other, option] >> MIX_BITS
                worths[place // steps[seat] % size] += weight * payoffs[place, seat]
            mean = 0
            for option in range(size):
                worths[option] >>= MIX_BITS
                mean += mix[seat, option] * worths[option]
            mean >>= MIX_BITS
            for option in range(size):
                regrets[seat, option] = max(0, regrets[seat, option] + worths[option] - mean)
            share_out(regrets[seat], size, mix[seat])
            for option in range(size):
                summed[seat, option] += number * mix[seat, option]
    for seat in range(players):
        if sizes[seat] > 1:
            share_out(summed[seat], sizes[seat], mix[seat])
            for option in range(sizes[seat]):
                summed[seat, option] = mix[seat, option] if mix[seat, option] >= LEAST else 0
            share_out(summed[seat], sizes[seat], mix[seat])
