"""The compiled heart of the exact solver:
the value of a sheet from the values of all sheets that can follow it.

A row of a sheet is told by a number, its kind: so many crosses, the rightmost of them there. Rows
of one direction are alike, and turning every number round (n for 14 - n) swaps the directions, so a
sheet is an unordered pair of unordered pairs of kinds. A value is what the rest of the game still
brings, so closed rows need no count.
"""

import numpy as np
from numpy.typing import NDArray

from qwixx.compiled.jit import compiled
from qwixx.compiled.words import Words
from qwixx.games.classic import sheets

Values = NDArray[np.float64]


slot = compiled(sheets.slot)


@compiled
def _after(kinds: Words, pairs: Words, one: int, one_kind: int, other: int, other_kind: int) -> int:
    """The slot of a sheet on which two of its rows (or one, named twice) have changed."""
    first, second, third, fourth = kinds[0], kinds[1], kinds[2], kinds[3]
    for row, kind in ((one, one_kind), (other, other_kind)):
        if row == 0:
            first = kind
        elif row == 1:
            second = kind
        elif row == 2:
            third = kind
        else:
            fourth = kind
    return slot(pairs[first, second], pairs[third, fourth])


@compiled
def _place(row: int, index: int, numbers: int) -> int:
    """Where the number with this index (from the lowest sum) lies: rows 0 and 1 rise, 2 and 3 fall."""
    return index if row < 2 else numbers - 1 - index


@compiled
def _fill(
    kinds: Words,
    pairs: Words,
    follow: Words,
    gains: Values,
    after: Values,
    closed: int,
    singles: Values,
    doubles: Values,
) -> None:
    """What crossing one field brings,
    and what a white sum and then a field of the colour action bring at best.

    `singles` is by failed throws, row, number; `doubles` by failed throws, white sum, row, number,
    and has the case in which nothing is crossed in the white action in it.
    """
    numbers, fails = follow.shape[1], singles.shape[0]
    singles[:] = -np.inf
    for row in range(4):
        for index in range(numbers):
            kind = follow[kinds[row], _place(row, index, numbers)]
            if kind < 0:
                continue
            gain = gains[kinds[row], _place(row, index, numbers)]
            over = closed and kind == len(follow) - 1
            place = 0 if over else _after(kinds, pairs, row, kind, row, kind)
            for failed in range(fails):
                singles[failed, row, index] = gain + (0.0 if over else after[place, failed])
    for failed in range(fails):
        for index in range(numbers):
            doubles[failed, index] = singles[failed]
    for white in range(4):
        for white_index in range(numbers):
            white_kind = follow[kinds[white], _place(white, white_index, numbers)]
            if white_kind < 0 or (closed and white_kind == len(follow) - 1):  # C12
                continue
            white_gain = gains[kinds[white], _place(white, white_index, numbers)]
            shut = closed or white_kind == len(follow) - 1
            for row in range(4):
                before = white_kind if row == white else kinds[row]
                for index in range(numbers):
                    kind = follow[before, _place(row, index, numbers)]
                    if kind < 0:
                        continue
                    gain = white_gain + gains[before, _place(row, index, numbers)]
                    over = shut and kind == len(follow) - 1
                    place = 0 if over else _after(kinds, pairs, white, white_kind, row, kind)
                    for failed in range(fails):
                        value = gain + (0.0 if over else after[place, failed])
                        best = doubles[failed, white_index, row, index]
                        doubles[failed, white_index, row, index] = max(best, value)


@compiled
def _best_of_dice(
    doubles: Values, least: float, first: int, second: int, faces: int, values: Values, rows: Words
) -> float:
    """The expected best of a turn whose whites are known:
    at least `least`, and each coloured die may offer more.

    The coloured dice are independent: going down the sorted values,
    the chance that none before came up is the product of what is left of each die.
    """
    listed = 0
    for row in range(4):
        for face in range(faces):
            value = max(doubles[row, first + face], doubles[row, second + face])
            if value > least:
                at = listed
                while at > 0 and values[at - 1] < value:
                    values[at] = values[at - 1]
                    rows[at] = rows[at - 1]
                    at -= 1
                values[at] = value
                rows[at] = row
                listed += 1
    left0 = left1 = left2 = left3 = faces
    ways, found = faces**4, 0.0
    for at in range(listed):
        row = rows[at]
        if row == 0:
            now = left1 * left2 * left3
            left0 -= 1
        elif row == 1:
            now = left0 * left2 * left3
            left1 -= 1
        elif row == 2:
            now = left0 * left1 * left3
            left2 -= 1
        else:
            now = left0 * left1 * left2
            left3 -= 1
        found += values[at] * now
        ways -= now
        if ways == 0:
            break
    return (found + least * ways) / faces**4 if ways else found / faces**4


@compiled
def solve_sheets(
    solved: Words,
    pairs: Words,
    follow: Words,
    gains: Values,
    cost: float,
    faces: int,
    table: Values,
) -> None:
    """The values of these sheets, none of which can follow another.

    The table is by turns to wait, slot and failed throws. Nought turns to wait is the own turn;
    after it come as many turns of others as there are other players.
    """
    waits, _, fails = table.shape
    numbers, shut = follow.shape[1], len(follow) - 1
    singles = np.empty((fails, 4, numbers))
    doubles = np.empty((fails, numbers, 4, numbers))
    values, rows = np.empty(4 * faces), np.empty(4 * faces, np.int64)
    later = table[waits - 1]
    for sheet in range(len(solved)):
        kinds = solved[sheet]
        closed = 0
        for row in range(4):
            closed |= kinds[row] == shut
        own = slot(pairs[kinds[0], kinds[1]], pairs[kinds[2], kinds[3]])
        _fill(kinds, pairs, follow, gains, later, closed, singles, doubles)
        for failed in range(fails - 1, -1, -1):
            nothing = (later[own, failed + 1] if failed + 1 < fails else 0.0) - cost
            mean = 0.0
            for first in range(faces):
                for second in range(first, faces):
                    least = nothing
                    for row in range(4):
                        least = max(least, singles[failed, row, first + second])
                    best = _best_of_dice(
                        doubles[failed, first + second], least, first, second, faces, values, rows
                    )
                    mean += best if first == second else 2.0 * best
            table[0, own, failed] = mean / faces**2
            for wait in range(1, waits):
                table[wait, own, failed] = _waiting(
                    kinds, pairs, follow, gains, closed, faces, table[wait - 1], own, failed
                )


@compiled
def _waiting(
    kinds: Words,
    pairs: Words,
    follow: Words,
    gains: Values,
    closed: int,
    faces: int,
    after: Values,
    own: int,
    failed: int,
) -> float:
    """The value before a turn of somebody else:
    the white sum may be crossed, and passing is free (C2, C5)."""
    numbers, shut = follow.shape[1], len(follow) - 1
    mean = 0.0
    for index in range(numbers):
        best = after[own, failed]
        for row in range(4):
            kind = follow[kinds[row], _place(row, index, numbers)]
            if kind >= 0:
                value = gains[kinds[row], _place(row, index, numbers)]
                if not (closed and kind == shut):
                    value += after[_after(kinds, pairs, row, kind, row, kind), failed]
                best = max(best, value)
        mean += best * (faces - abs(index + 1 - faces))
    return mean / faces**2
