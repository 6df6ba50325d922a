"""The sheets of the practice game as numbers:
kinds of rows, what follows what, and the order to solve them in."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from qwixx.games import family
from qwixx.games.classic.state import crosses_of, reached

Words = NDArray[np.int64]


class Sizes(NamedTuple):
    """What the practice game depends on. Rows have a place for every sum of two dice."""

    faces: int = 6
    to_lock: int = 5
    most_failed: int = 4


def slot(first: int, second: int) -> int:
    """The place of an unordered pair of pairs in the table."""
    low, high = min(first, second), max(first, second)
    return high * (high + 1) // 2 + low


class Sheets:
    """Every sheet up to symmetry. A kind is (rightmost place, crosses) of an open row;
    the last is a closed row."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.numbers = 2 * sizes.faces - 1
        self.open_kinds = [(-1, 0)]
        self.open_kinds += [
            (place, crosses) for place in range(self.numbers - 1) for crosses in range(1, place + 2)
        ]
        self.closed = len(self.open_kinds)
        self.kind = {kind: number for number, kind in enumerate(self.open_kinds)}

    @cached_property
    def follow(self) -> Words:
        """The kind of a row after a place in it is crossed,
        -1 where that is not allowed (C1, C6, C8)."""
        follow = np.full((self.closed + 1, self.numbers), -1)
        for number, (rightmost, crosses) in enumerate(self.open_kinds):
            for place in range(rightmost + 1, self.numbers - 1):
                follow[number, place] = self.kind[place, crosses + 1]
            if crosses >= self.sizes.to_lock:
                follow[number, -1] = self.closed
        return follow

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """The points that crossing a place brings at once (S5, C7)."""
        gains = np.zeros(self.follow.shape)
        for number, (_, crosses) in enumerate(self.open_kinds):
            gains[number, :] = family.points(crosses + 1) - family.points(crosses)
            gains[number, -1] = family.points(crosses + 2) - family.points(crosses)
        return gains

    @cached_property
    def pairs(self) -> Words:
        """The number of an unordered pair of kinds;
        two closed rows end the game, so they have none."""
        kinds = self.closed + 1
        low, high = np.sort(np.indices((kinds, kinds)), axis=0)
        pairs = high * (high + 1) // 2 + low
        pairs[self.closed, self.closed] = -1
        return np.asarray(pairs, np.int64)

    @property
    def states(self) -> int:
        """The sheets of a game that still runs, up to symmetry, with each number of failed throws."""
        kinds = self.closed  # of open rows; at most one row is closed
        pairs = kinds * (kinds + 1) // 2
        return (pairs * (pairs + 1) // 2 + pairs * kinds) * self.sizes.most_failed

    @property
    def slots(self) -> int:
        """How many unordered pairs of pairs the table has room for."""
        pairs = int(self.pairs.max()) + 1
        return pairs * (pairs + 1) // 2

    def layers(self) -> list[Words]:
        """Every sheet of a game that still runs, once, in layers to be solved one after the other."""
        last = int(self.pairs.max())
        ones, others = np.triu_indices(self.closed + 1)
        ones, others = ones[:-1], others[:-1]  # all but two closed rows
        order = np.argsort(self.pairs[ones, others])
        ones, others = ones[order], others[order]
        first, second = np.triu_indices(last + 1)
        shut = (others == self.closed).astype(np.int8)
        running = shut[first] + shut[second] < family.ROWS_TO_END
        first, second = first[running], second[running]
        reach = np.array([place + 1 for place, _ in self.open_kinds] + [self.numbers])
        advance = reach[ones] + reach[others]
        depth = advance[first] + advance[second]
        sheets = np.stack([ones[first], others[first], ones[second], others[second]], axis=1)
        order = np.argsort(-depth, kind="stable")
        ends = np.flatnonzero(np.diff(depth[order])) + 1
        return [np.ascontiguousarray(layer) for layer in np.split(sheets[order], ends)]

    @property
    def dead(self) -> int:
        """The kind of an open row that can take nothing more, to stand for a row that is not there."""
        return self.kind[self.numbers - 2, 1]

    def kind_of(self, marks: int, closed: bool) -> int:
        """The kind of a row of a sheet as the law has it."""
        return self.closed if closed else self.kind[reached(marks) - 1, crosses_of(marks)]
