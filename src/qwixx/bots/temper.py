"""How the levels differ in temper: what a bot overlooks, how hasty it is, how far it looks."""

from typing import Final

from qwixx.core.values import POINT, WIN

OVERLOOKED: Final = 4  # a novice overlooks one in so many white actions

# How much worse a move may be that a bot in a hurry still likes;
# and alone, where only points count.
HASTE: Final = WIN * 12 // 1000
HASTE_ALONE: Final = 3 * POINT

# What is looked at one throw further: the best ends of a turn,
# none of which is that much less likely to win.
CANDIDATES: Final = 6
FEWEST: Final = 2
MARGIN: Final = WIN // 20
