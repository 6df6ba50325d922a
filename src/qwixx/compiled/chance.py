"""Chance from counters, not from a generator with a memory.

Every draw is a hash of its stream and its number,
so a game is the same whichever thread plays it and whatever is played beside it.
"""

from typing import Final

import numpy as np

from qwixx.compiled.jit import inlined
from qwixx.compiled.words import count, nth_of

# Bits of a draw: times the fifteen moves of a turn it still fits a signed word.
FRACTION: Final = 59
_FRACTION_MASK: Final = (1 << FRACTION) - 1
_ROWS: Final = 4  # at most
DICE_STREAM, LUCK_STREAM, ORDER_STREAM = range(3)

_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_TIMES: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_RIGHT: Final = (np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(64 - FRACTION))


@inlined
def mixed(word: np.uint64) -> np.uint64:
    """A hash of 64 bits in which every bit depends on every other (the finaliser of splitmix64)."""
    word = (word ^ (word >> _RIGHT[0])) * _TIMES[0]
    word = (word ^ (word >> _RIGHT[1])) * _TIMES[1]
    return word ^ (word >> _RIGHT[2])


@inlined
def stream(seed: int, use: int, number: int, part: int) -> np.uint64:
    """The key of an independent stream: for one use, one game, and one part of it (a seat, say)."""
    key = mixed(np.uint64(seed) + _STEP)
    key = mixed(key ^ (np.uint64(number) * _STEP))
    return mixed(key + np.uint64(use * 64 + part + 1) * _TIMES[1])


@inlined
def draw(key: np.uint64, number: int) -> int:
    """One draw of a stream, as a fraction of 2 ** FRACTION."""
    return int(np.int64(mixed(key + np.uint64(number) * _STEP) >> _RIGHT[3]))


@inlined
def luck(seed: int, number: int, seat: int, decision: int) -> int:
    """The draw for a decision of a seat: 2 · turn in the white action,
    2 · turn + 1 in the colour action."""
    return draw(stream(seed, LUCK_STREAM, number, seat), decision)


@inlined
def share(fraction: int, parts: int) -> int:
    """Which of so many equal parts the fraction falls in."""
    return (fraction * parts) >> FRACTION


@inlined
def unit(fraction: int) -> float:
    """A draw as a number from 0 up to 1, as Python's generators give it."""
    return (fraction >> (FRACTION - 53)) * 2.0**-53


@inlined
def any_of(moves: int, fraction: int) -> int:
    """One of a set of moves, each as likely as the next, in the law's order."""
    return nth_of(moves, share(fraction, count(moves)))


@inlined
def thrown(key: np.uint64, turn: int, faces: int, rows: int, closed: int) -> int:
    """The dice of a turn, three bits each, whites first; the die of a closed row shows 0 (S4)."""
    fraction = draw(key, turn)
    dice = 0
    for die in range(2 + _ROWS):
        fraction *= faces
        dice |= ((fraction >> FRACTION) + 1) << 3 * die
        fraction &= _FRACTION_MASK
    if closed:
        for row in range(_ROWS):
            if closed >> row & 1:
                dice &= ~(7 << (6 + 3 * row))
    return dice & (1 << 3 * (2 + rows)) - 1


@inlined
def dice_draw(seed: int, deal: int, turn: int) -> int:
    """The draw that the dice of a turn of a deal are made of."""
    return draw(stream(seed, DICE_STREAM, deal, 0), turn)


@inlined
def dealt(seed: int, deal: int, turn: int, faces: int, rows: int, closed: int) -> int:
    """The dice of a turn, counted from 0, of a deal."""
    return thrown(stream(seed, DICE_STREAM, deal, 0), turn, faces, rows, closed)


@inlined
def order(seed: int, deal: int, number: int, parts: int) -> int:
    """Which of so many parts falls to a deal: who begins, who sits beside whom."""
    return share(draw(stream(seed, ORDER_STREAM, deal, 0), number), parts)
