"""An action in which several choose at once, compiled: what they choose in equilibrium.

Every seat begins with what it would choose alone. As long as somebody has a better answer to what
the others choose, that is added, and the equilibrium of what was added so far is found. The plain
bots do the same, through the law.
"""

from typing import Any, NamedTuple

import numpy as np

from qwixx.compiled.contract import (
    acting,
    active,
    closed,
    forget,
    legal,
    phase,
    seats,
    together,
    turn_over,
)
from qwixx.compiled.equilibrium import equilibrium
from qwixx.compiled.jit import compiled
from qwixx.compiled.judging import NEVER, best_colour, blind, judge, of_two, suppose
from qwixx.compiled.net import Mind
from qwixx.compiled.printed import COLOUR, OVER
from qwixx.compiled.words import Words, count, lowest
from qwixx.core.equilibrium import MIX_BITS, MIX_ONE, MOST_OUTCOMES, TOLERANCE

_ENDED = 1  # what is known of an outcome: its end, and above it what that is worth to each seat


class Sealed(NamedTuple):
    """A game of one action. An outcome is a number, to which every seat's option adds its steps."""

    table: Words  # before it, nothing sealed
    options: Words  # how many each seat has
    moves: Words  # and which
    steps: Words
    sizes: Words  # how many of them are thought of so far
    kept: Words  # and which
    mix: Words  # how often each option is chosen, in parts of MIX_ONE
    known: Words
    ends: Words  # the table that an outcome leaves
    values: Words  # chance and points that it gives each seat


@compiled
def interacts(board: Any, table: Words) -> bool:
    """Whether several choose at once, and some choice closes a row or ends the game:
    only then does it matter to the others."""
    before, after, end = table.copy(), table.copy(), table.copy()
    forget(board, before)
    who, turner, shut = acting(board, before), active(board, before), closed(board, before)
    if who & who - 1 == 0:
        return False
    choices = np.zeros(seats(board, table), np.int64)
    while who:
        seat = lowest(who)
        who &= who - 1
        moves = legal(board, before, seat)
        while moves:
            choices[seat] = lowest(moves)
            moves &= moves - 1
            after[:] = before
            together(board, after, choices)
            if phase(board, after) == OVER or closed(board, after) != shut:
                return True
            if blind(board, before) or seat != turner or phase(board, after) != COLOUR:
                continue
            then = legal(board, after, turner)
            while then:
                choices[turner] = lowest(then)
                then &= then - 1
                end[:] = after
                together(board, end, choices)
                if phase(board, end) == OVER or closed(board, end) != shut:
                    return True
        choices[seat] = 0
    return False


@compiled
def lay_out(board: Any, table: Words, mind: Mind) -> Sealed:
    """The game of an action, every seat choosing as if it were alone."""
    players, width = seats(board, table), len(table)
    before, work = table.copy(), np.empty((4, width), np.int64)
    forget(board, before)
    who, alone = acting(board, before), np.zeros(players, np.int64)
    suppose(board, before, players, mind, alone, work)
    options, most = np.ones(players, np.int64), 1
    for seat in range(players):
        if who >> seat & 1:
            options[seat] = count(legal(board, before, seat))
            most = max(most, options[seat])
    steps, outcomes = np.ones(players, np.int64), 1
    for seat in range(players - 1, -1, -1):
        steps[seat] = outcomes
        outcomes *= options[seat]
    moves, kept = np.zeros((players, most), np.int64), np.zeros((players, most), np.int64)
    mix = np.zeros((players, most), np.int64)
    for seat in range(players):
        left = legal(board, before, seat) if who >> seat & 1 else 1
        for option in range(options[seat]):
            moves[seat, option] = lowest(left)
            left &= left - 1
            if moves[seat, option] == alone[seat]:
                kept[seat, 0], mix[seat, option] = option, MIX_ONE
    return Sealed(
        before,
        options,
        moves,
        steps,
        np.ones(players, np.int64),
        kept,
        mix,
        np.zeros(outcomes, np.int64),
        np.empty((outcomes, width), np.int64),
        np.empty((outcomes, players, 2), np.int64),
    )


@compiled
def option_of(game: Sealed, place: int, seat: int) -> int:
    """What a seat chooses in an outcome."""
    return int(place // game.steps[seat] % game.options[seat])


@compiled
def end_of(board: Any, game: Sealed, place: int, mind: Mind) -> Words:
    """The table that an outcome leaves, with the colour action that the active seat likes best."""
    end: Words = game.ends[place]
    if game.known[place] & _ENDED:
        return end
    game.known[place] |= _ENDED
    players, turner = len(game.options), active(board, game.table)
    choices = np.empty(players, np.int64)
    for seat in range(players):
        choices[seat] = game.moves[seat, option_of(game, place, seat)]
    end[:] = game.table
    together(board, end, choices)
    if phase(board, end) == COLOUR:
        if blind(board, game.table):
            turn_over(board, end)
        else:
            choices[turner] = best_colour(board, end, np.empty_like(end), choices, mind)[0]
            together(board, end, choices)
    return end


@compiled
def value_of(board: Any, game: Sealed, place: int, seat: int, mind: Mind) -> tuple[int, int]:
    """The chance and the points that an outcome gives a seat."""
    values = game.values[place]
    if not game.known[place] >> 1 + seat & 1:
        end = end_of(board, game, place, mind)
        values[seat, 0], values[seat, 1] = judge(board, end, seat, mind)
        game.known[place] |= 2 << seat
        if len(game.options) == 2:
            other = 1 - seat
            values[other, 0], values[other, 1] = judge(board, end, other, mind)
            game.known[place] |= 2 << other
            share_of_two(values)
    return int(values[seat, 0]), int(values[seat, 1])


@compiled
def share_of_two(values: Words) -> None:
    """Chances of two seats that together are one."""
    own, other = values[0, 0], values[1, 0]
    values[0, 0], values[1, 0] = of_two(own, other), of_two(other, own)


@compiled
def payoff(board: Any, game: Sealed, place: int, seat: int, mind: Mind) -> int:
    """What a seat chooses by: its worth; of two seats, how much more than the other's it is,
    so that one gains what the other loses."""
    win, points = value_of(board, game, place, seat, mind)
    if len(game.options) == 2:
        his = value_of(board, game, place, 1 - seat, mind)
        return win + points - his[0] - his[1]
    return win + points


@compiled
def weight_of(game: Sealed, place: int, seat: int) -> int:
    """How often all but this seat choose as in this outcome, in parts of MIX_ONE."""
    weight = MIX_ONE
    for other in range(len(game.options)):
        if other != seat:
            weight = weight * game.mix[other, option_of(game, place, other)] >> MIX_BITS
    return int(weight)


@compiled
def against(board: Any, game: Sealed, seat: int, option: int, mind: Mind) -> int:
    """The payoff of an option against what the others choose."""
    found = 0
    for place in range(len(game.known)):
        if option_of(game, place, seat) == option:
            weight = weight_of(game, place, seat)
            if weight:
                found += weight * payoff(board, game, place, seat, mind)
    return found >> MIX_BITS


@compiled
def _answer(board: Any, game: Sealed, seat: int, mind: Mind) -> int:
    """A better answer of a seat to what the others choose, that was not thought of yet; or -1."""
    best, found, now = NEVER, 0, 0
    for option in range(game.options[seat]):
        worth = against(board, game, seat, option, mind)
        now += game.mix[seat, option] * worth
        if worth > best:
            best, found = worth, option
    if best <= (now >> MIX_BITS) + TOLERANCE:
        return -1
    for place in range(game.sizes[seat]):
        if game.kept[seat, place] == found:
            return -1
    return found


@compiled
def thought_of(game: Sealed) -> int:
    """How many outcomes there are of all that is thought of."""
    found = 1
    for size in game.sizes:
        found *= size
    return int(found)


@compiled
def nth_outcome(game: Sealed, number: int) -> int:
    """An outcome of what is thought of; the options of the first seat change last."""
    place = 0
    for seat in range(len(game.options) - 1, -1, -1):
        number, option = number // game.sizes[seat], number % game.sizes[seat]
        place += game.kept[seat, option] * game.steps[seat]
    return int(place)


@compiled
def settle(board: Any, game: Sealed, mind: Mind) -> None:
    """The equilibrium of what is thought of."""
    players, outcomes = len(game.options), thought_of(game)
    payoffs, mix = np.empty((outcomes, players), np.int64), np.empty_like(game.mix)
    for number in range(outcomes):
        place = nth_outcome(game, number)
        for seat in range(players):
            payoffs[number, seat] = payoff(board, game, place, seat, mind)
    equilibrium(game.sizes, payoffs, mix)
    game.mix[:] = 0
    for seat in range(players):
        for option in range(game.sizes[seat]):
            game.mix[seat, game.kept[seat, option]] = mix[seat, option]


@compiled
def solved(board: Any, table: Words, mind: Mind) -> Sealed:
    """The game of an action in equilibrium."""
    game = lay_out(board, table, mind)
    grown = True
    while grown:
        grown = False
        for seat in range(len(game.options)):
            answer = _answer(board, game, seat, mind)
            more = thought_of(game) // game.sizes[seat] * (game.sizes[seat] + 1)
            if answer >= 0 and more <= MOST_OUTCOMES:
                game.kept[seat, game.sizes[seat]] = answer
                game.sizes[seat] += 1
                grown = True
        if grown:
            settle(board, game, mind)
    return game


@compiled
def take(game: Sealed, choices: Words) -> None:
    """What every seat chooses, where none mixes."""
    for seat in range(len(game.options)):
        for option in range(game.options[seat]):
            if game.mix[seat, option]:
                choices[seat] = game.moves[seat, option]


@compiled
def mixed(game: Sealed, seat: int) -> bool:
    """Whether a seat chooses now this, now that."""
    for option in range(game.options[seat]):
        if game.mix[seat, option]:
            return bool(game.mix[seat, option] != MIX_ONE)
    return False
