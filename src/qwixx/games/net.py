"""A small net as plain facts, for all that compute one: its sizes, and what its numbers mean."""

from typing import Final, NamedTuple

HEADS: Final = 2  # the chance to win, as log-odds, and the final points, in these
POINTS: Final = 32.0
BY_POINTS: Final = 2e-4  # of a win, for a point: what decides where the chances are alike

# How much worse a move may be that a bot in a hurry still likes: in wins; and alone, where only points count.
HASTE: Final = 0.012
HASTE_ALONE: Final = 3.0 * BY_POINTS

# What is looked at one throw further: the best ends of a turn, none of which is that much less likely to win.
CANDIDATES, FEWEST = 6, 2
MARGIN: Final = 0.05


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
