"""A small net as plain facts, for all that compute one:
its sizes, what its numbers mean, and how fine they are.

Everything is whole numbers. The first layer is a sum of table rows, one for each feature that is
there; its units go up to CEILING. A hidden layer reads them, and two heads read that.
"""

from typing import Final, NamedTuple

HEADS: Final = 2  # the chance to win, as log-odds, and the final points, in these
POINTS: Final = 32

UNIT_BITS: Final = 11  # 1.0 in the tables is 2 ** UNIT_BITS
HIDDEN_BITS: Final = 11  # the same in the hidden layer, or less if its sums could not be held
HEAD_BITS: Final = 12
CEILING: Final = (1 << 15) - 1
POINTS_BITS: Final = 20  # how fine the head of points is


class Shape(NamedTuple):
    """The sizes of a net."""

    own: int  # features of the own list
    other: int  # features of another's list; 0 if there are none
    alone: int  # units that read the own list alone
    pair: int  # units that read the own list and another's together
    hidden: int

    @property
    def units(self) -> int:
        return self.alone + self.pair

    @property
    def weights(self) -> int:
        """How many numbers the tables and layers have:
        own table with its bias, others', hidden layer, heads."""
        own, other = (self.own + 1) * self.units, self.other * self.pair
        return own + other + (self.units + HEADS) * self.hidden
