"""What a table between two turns, or at the end, is worth to a seat, compiled;
and what a seat would choose by that if it chose alone."""

from typing import Any, Final

from qwixx.compiled.contract import (
    acting,
    active,
    dice,
    features,
    forget,
    legal,
    phase,
    seats,
    together,
    total,
    turn_over,
)
from qwixx.compiled.jit import compiled, inlined
from qwixx.compiled.net import Mind, chance, forward
from qwixx.compiled.printed import COLOUR, OVER
from qwixx.compiled.words import Words, lowest
from qwixx.core.values import POINT, WIN

NEVER: Final = -(1 << 60)
WHITES: Final = 63  # the bits of the white dice


@compiled
def judge(board: Any, table: Words, seat: int, mind: Mind) -> tuple[int, int]:
    """The chance to win of a seat and the points it will have,
    in units, before a throw or at the end."""
    if phase(board, table) == OVER:
        return final(board, table, seat)
    odds, points = forward(mind, features(board, table, seat, mind.lists))
    return WIN if seats(board, table) == 1 else chance(odds), points


@compiled
def final(board: Any, table: Words, seat: int) -> tuple[int, int]:
    """The share of the win of a seat and its points, in units."""
    mine, best, sharing = total(board, table, seat), total(board, table, seat), 1
    for other in range(seats(board, table)):
        if other != seat:
            found = total(board, table, other)
            sharing += int(found == mine)
            best = max(best, found)
    return WIN // sharing if best == mine else 0, mine * POINT


@compiled
def best_colour(
    board: Any, table: Words, after: Words, choices: Words, mind: Mind
) -> tuple[int, int]:
    """The best colour action of the active seat: the move and its worth."""
    turner, best, found = active(board, table), NEVER, 0
    moves = legal(board, table, turner)
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        after[:] = table
        choices[turner] = move
        together(board, after, choices)
        win, points = judge(board, after, turner, mind)
        if win + points > best:
            best, found = win + points, move
    return found, best


@compiled
def of_two(own: int, other: int) -> int:
    """The chance of one of two seats, given what both seem to have: together they have a win."""
    return own * WIN // (own + other) if own + other else WIN // 2


@inlined
def blind(board: Any, table: Words) -> bool:
    """Whether only the white dice are seen, as thought of a throw to come has it."""
    return dice(board, table) <= WHITES


@compiled
def suppose(board: Any, table: Words, seat: int, mind: Mind, choices: Words, work: Words) -> int:
    """What every seat but this one will choose, as if it chose alone;
    the colour action of the active one comes back."""
    turner, colour, players = active(board, table), 0, seats(board, table)
    before, after, later, alone = work[0], work[1], work[2], work[3]
    before[:] = table
    forget(board, before)
    choices[:] = 0
    alone[:] = 0
    for other in range(players):
        if other == seat or not acting(board, before) >> other & 1:
            continue
        moves, best = legal(board, before, other), NEVER
        while moves:
            move = lowest(moves)
            moves &= moves - 1
            alone[other] = move
            after[:] = before
            together(board, after, alone)
            then = 0
            if phase(board, after) == COLOUR and other == turner and not blind(board, before):
                then, worth = best_colour(board, after, later, alone, mind)
            else:
                if phase(board, after) == COLOUR:
                    turn_over(board, after)
                win, points = judge(board, after, other, mind)
                worth = win + points
            if worth > best:
                best, choices[other] = worth, move
                if other == turner:
                    colour = then
        alone[other] = 0
    return colour
