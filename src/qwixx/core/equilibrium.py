"""The equilibrium of a small game in which all choose at once, in whole numbers.

Nobody can gain by choosing otherwise while the others keep to it, but for a gap that can be
computed. Where no choice is safe from being foreseen, several are mixed: of each the share is told
in parts of MIX_ONE. What an outcome is worth to a seat must be less than 2 ** 30.
"""

from collections.abc import Sequence
from itertools import product
from typing import Final

from qwixx.core.values import WIN

MIX_BITS: Final = 15
MIX_ONE: Final = 1 << MIX_BITS
# Who could gain no more than this does not choose otherwise.
TOLERANCE: Final = WIN // 2000
MOST_OUTCOMES: Final = 64  # that are thought of
MOST_LOOKED_AT: Final = 9  # a throw further, all of them
STEPS: Final = 512  # of regret matching
LEAST: Final = MIX_ONE // 128  # what is chosen more seldom is not chosen

Mix = list[list[int]]  # of each seat the share of each option


def shares(weights: Sequence[int]) -> list[int]:
    """Weights as parts of MIX_ONE; all alike if there are none."""
    whole = sum(weights)
    if whole <= 0:
        weights, whole = [1] * len(weights), len(weights)
    found = [weight * MIX_ONE // whole for weight in weights]
    found[weights.index(max(weights))] += MIX_ONE - sum(found)
    return found


def equilibrium(sizes: Sequence[int], payoffs: Sequence[Sequence[int]]) -> Mix:
    """The mix of every seat. Of each outcome (the options of the first seat change last) what it
    is worth to every seat."""
    outcomes = list(product(*map(range, sizes)))
    steps = [1] * len(sizes)
    for seat in range(len(sizes) - 2, -1, -1):
        steps[seat] = steps[seat + 1] * sizes[seat + 1]
    for place, outcome in enumerate(outcomes):
        if all(
            payoffs[place + (other - option) * steps[seat]][seat]
            <= payoffs[place][seat] + TOLERANCE
            for seat, option in enumerate(outcome)
            for other in range(sizes[seat])
        ):
            return [
                [MIX_ONE * (option == other) for other in range(size)]
                for option, size in zip(outcome, sizes, strict=True)
            ]
    seats = [seat for seat, size in enumerate(sizes) if size > 1]
    if len(outcomes) == 4 and len(seats) == 2:
        return _indifferent(sizes, payoffs, seats)
    return _matched(sizes, payoffs, outcomes, seats)


def _indifferent(
    sizes: Sequence[int], payoffs: Sequence[Sequence[int]], seats: Sequence[int]
) -> Mix:
    """Two with two options each, of which none is safe: exactly the mix that makes it all one to
    the other."""
    mix = [[MIX_ONE] * size for size in sizes]
    first, second = seats
    mix[first] = shares(
        [abs(payoffs[2][second] - payoffs[3][second]), abs(payoffs[0][second] - payoffs[1][second])]
    )
    mix[second] = shares(
        [abs(payoffs[1][first] - payoffs[3][first]), abs(payoffs[0][first] - payoffs[2][first])]
    )
    return mix


def _matched(
    sizes: Sequence[int],
    payoffs: Sequence[Sequence[int]],
    outcomes: Sequence[tuple[int, ...]],
    seats: Sequence[int],
) -> Mix:
    """Regret matching: every seat in turn chooses by how much it regrets not to have chosen
    otherwise, regrets below nought are forgotten, and later steps count for more."""
    regrets, mix = [[0] * size for size in sizes], [shares([0] * size) for size in sizes]
    summed = [[0] * size for size in sizes]
    for number in range(1, STEPS + 1):
        for seat in seats:
            worths = [0] * sizes[seat]
            for payoff, outcome in zip(payoffs, outcomes, strict=True):
                weight = MIX_ONE
                for other in seats:
                    if other != seat:
                        weight = weight * mix[other][outcome[other]] >> MIX_BITS
                worths[outcome[seat]] += weight * payoff[seat]
            worths = [worth >> MIX_BITS for worth in worths]
            mean = sum(map(int.__mul__, mix[seat], worths)) >> MIX_BITS
            regrets[seat] = [
                max(0, regret + worth - mean)
                for regret, worth in zip(regrets[seat], worths, strict=True)
            ]
            mix[seat] = shares(regrets[seat])
            summed[seat] = [
                before + number * share
                for before, share in zip(summed[seat], mix[seat], strict=True)
            ]
    return [_without_seldom(shares(weights)) for weights in summed]


def _without_seldom(mix: Sequence[int]) -> list[int]:
    return shares([share if share >= LEAST else 0 for share in mix])
