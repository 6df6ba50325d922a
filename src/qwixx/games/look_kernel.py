"""Looking one throw further, compiled: the mean over all dice of what the best of the offered fields brings."""

from typing import Final

import numpy as np

from qwixx.games.kernel import MOVES, Board, Weights, Words, compiled, lowest, unit
from qwixx.games.net import BY_POINTS, CANDIDATES, FEWEST, HASTE, HASTE_ALONE, MARGIN

NEVER: Final = -1e9
MOST_ENDS: Final = 64  # ways to end a turn: five in the white action, nine in the colour action


@compiled
def over_colours(board: Board, first: int, second: int, worths: Weights, chances: Weights) -> None:
    """Add the chance that each field is taken, over all throws of the coloured dice with these white ones.

    Tables are by row and number; the row after the last is for crossing nothing in the colour action. Worth is what
    the active seat chooses by.
    """
    rows, faces = board.rows, board.faces
    none = rows, 0
    order = np.empty(rows * faces, np.int64)
    listed = 0
    for row in range(rows):
        for face in range(1, faces + 1):
            number = first + face if worths[row, first + face] >= worths[row, second + face] else second + face
            if worths[row, number] > worths[none]:
                place = listed
                while place > 0 and worths[row, number] > worths[order[place - 1] >> 8, order[place - 1] & 255]:
                    order[place] = order[place - 1]
                    place -= 1
                order[place] = row << 8 | number
                listed += 1
    left = np.full(rows, faces, np.int64)
    whole = float(faces**rows) * faces * faces / (1.0 if first == second else 2.0)
    ways = float(faces**rows)
    for place in range(listed):
        row, number = order[place] >> 8, order[place] & 255
        now = 1.0
        for other in range(rows):
            if other != row:
                now *= left[other]
        left[row] -= 1
        ways -= now
        chances[row, number] += now / whole
        if ways <= 0.0:
            return
    chances[none] += ways / whole


@compiled
def candidates(values: Weights) -> Words:
    """The ends of a turn that are worth a further look, best first, given worth, chance and points of each."""
    order = np.argsort(-values[:, 0])
    near = order[values[:, 1][order] >= values[order[0], 1] - MARGIN]
    return near[:CANDIDATES] if len(near) >= FEWEST else order[:FEWEST]


@compiled
def read_off(moves: Words, values: Weights, wins: Weights, points: Weights) -> int:
    """The best of some moves, given worth, chance and points; the last two of each at its best, by the move."""
    best, found, shown = NEVER, 0, np.full(MOVES, NEVER)
    for place in range(len(moves)):
        move, worth = moves[place], values[place, 0]
        if worth > shown[move]:
            shown[move], wins[move], points[move] = worth, values[place, 1], values[place, 2]
        if worth > best:
            best, found = worth, move
    return found


@compiled
def nearly_best(players: int, moves: int, wins: Weights, points: Weights, fraction: int) -> int:
    """A move of a bot in a hurry: the better, the likelier."""
    best, whole, left = NEVER, 0.0, moves
    haste = HASTE if players > 1 else HASTE_ALONE
    while left:
        move = lowest(left)
        left &= left - 1
        best = max(best, wins[move] + BY_POINTS * points[move])
    left = moves
    while left:
        move = lowest(left)
        left &= left - 1
        whole += np.exp((wins[move] + BY_POINTS * points[move] - best) / haste)
    drawn, move = unit(fraction) * whole, 0
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        drawn -= np.exp((wins[move] + BY_POINTS * points[move] - best) / haste)
        if drawn < 0.0:
            return move
    return move
