"""What a judgement is measured in: whole numbers, so that it is the same on every machine.

A win and a point are so many units, chosen so that one number says what to choose by: chances
decide, and where they are alike the points do. A shared win counts its share, which is a whole
number of units for up to six.
"""

from typing import Final, NamedTuple

POINT: Final = 48_000
WIN: Final = 5_000 * POINT  # so a point is worth as much as a 5,000th of a win

# How fast chances fade: FADES[k] is e to the power of -k / FADE_STEPS, as a fraction of FADE_ONE.
FADE_STEPS: Final = 64
FADE_BITS: Final = 30
FADE_ONE: Final = 1 << FADE_BITS
_LONGEST: Final = 20 * FADE_STEPS
_DIGITS: Final = 160  # bits that are computed with


class Value(NamedTuple):
    """What a table is worth to a seat: its chance to win and its final points, in units."""

    win: int
    points: int

    @property
    def worth(self) -> int:
        """What to choose by."""
        return self.win + self.points

    def to_json(self) -> dict[str, float]:
        """As people read it: a chance from 0 to 1, and points."""
        return {"win": self.win / WIN, "points": self.points / POINT}


def _fades() -> tuple[int, ...]:
    """By whole numbers alone: the series of e to the power of -1 / FADE_STEPS, and its powers."""
    step, term, number = 0, 1 << _DIGITS, 0
    while term:
        step += -term if number % 2 else term
        number += 1
        term //= FADE_STEPS * number
    found, power = [], 1 << _DIGITS
    for _ in range(_LONGEST + 2):
        found.append((power >> (_DIGITS - FADE_BITS - 1)) + 1 >> 1)
        power = power * step >> _DIGITS
    return tuple(found)


FADES: Final = _fades()
ODDS_BITS: Final = 12  # log-odds are told in parts of 2 ** ODDS_BITS
_FINE: Final = ODDS_BITS - FADE_STEPS.bit_length() + 1


def faded(below: int) -> int:
    """e to the power of minus this (in the parts of log-odds,
    not negative), as a fraction of FADE_ONE."""
    place = min(below >> _FINE, _LONGEST)
    part = below & (1 << _FINE) - 1 if place < _LONGEST else 0
    return FADES[place] + ((FADES[place + 1] - FADES[place]) * part >> _FINE)


def likelihood(worse: int, haste: int) -> int:
    """How likely a bot in a hurry is to take a move that is so much worse, beside the best one."""
    return faded((worse << ODDS_BITS) // haste)
