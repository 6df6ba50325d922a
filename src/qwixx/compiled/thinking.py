"""How bots with a net think, compiled: what every choice of a seat is worth.

All thought is about tables between two turns; the active seat chooses both its actions together.
Where several choose at once and somebody can close a row or end the game, they are supposed to
choose as in equilibrium; else each as if nobody else crossed anything. The plain bots think the
same, through the law.
"""

from typing import Any, Final

import numpy as np

from qwixx.compiled.chance import unit
from qwixx.compiled.contract import (
    active,
    closed,
    legal,
    open_fields,
    phase,
    roll,
    seats,
    together,
)
from qwixx.compiled.jit import compiled, merged
from qwixx.compiled.judging import NEVER, final, judge, of_two, suppose
from qwixx.compiled.net import Mind
from qwixx.compiled.printed import COLOUR, MOVES, OVER, WHITE, named, white_dice
from qwixx.compiled.sealed import (
    Sealed,
    interacts,
    mixed,
    nth_outcome,
    option_of,
    settle,
    share_of_two,
    solved,
    take,
    thought_of,
    value_of,
    weight_of,
)
from qwixx.compiled.words import Words, count, lowest
from qwixx.core.equilibrium import MIX_BITS, MIX_ONE, MOST_LOOKED_AT

# What a mind is like, in its numbers.
STYLE, OVERLOOKED, HASTE, CANDIDATES, FEWEST, MARGIN, WORTHS = range(7)

MOST_ENDS: Final = 64  # ways to end a turn: five in the white action, nine in the colour action


@compiled
def list_ends(board: Any, table: Words, seat: int, mind: Mind, ends: Words) -> int:
    """Every way in which this turn can end for a seat's choices:
    the choice to make now, then the table."""
    turner, players, listed = active(board, table), seats(board, table), 0
    moves, in_white, colour = legal(board, table, seat), phase(board, table) == WHITE, 0
    work = np.empty((4, len(table)), np.int64)
    after, choices, follow = work[1], np.zeros(players, np.int64), np.zeros(players, np.int64)
    if in_white:
        colour = suppose(board, table, seat, mind, choices, work)
    while moves:
        move = lowest(moves)
        moves &= moves - 1
        choices[seat] = move
        after[:] = table
        together(board, after, choices)
        then, goes_on = 1, in_white and phase(board, after) == COLOUR
        if goes_on:
            then = legal(board, after, turner)
            if turner != seat:
                then = 1 << colour if then >> colour & 1 else 1
        while then:
            ends[listed, 0] = move
            ends[listed, 1:] = after
            if goes_on:
                follow[turner] = lowest(then)
                together(board, ends[listed, 1:], follow)
            then &= then - 1
            listed += 1
    return listed


@compiled
def candidates(mind: Mind, values: Words) -> Words:
    """The ends of a turn that are worth a further look, best first,
    given chance and points of each."""
    order = np.empty(len(values), np.int64)
    for end in range(len(values)):
        place, worth = end, values[end, 0] + values[end, 1]
        while place > 0 and worth > values[order[place - 1], 0] + values[order[place - 1], 1]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = end
    near = order[values[:, 0][order] >= values[order[0], 0] - mind.numbers[MARGIN]]
    return (
        near[: mind.numbers[CANDIDATES]]
        if len(near) >= mind.numbers[FEWEST]
        else order[: mind.numbers[FEWEST]]
    )


@compiled
def read_off(moves: Words, values: Words, wins: Words, points: Words) -> int:
    """The best of some moves, given chance and points; both of each move at its best, by the move."""
    best, found, shown = NEVER, 0, np.full(MOVES, NEVER)
    for place in range(len(moves)):
        move, worth = moves[place], values[place, 0] + values[place, 1]
        if worth > shown[move]:
            shown[move], wins[move], points[move] = worth, values[place, 0], values[place, 1]
        if worth > best:
            best, found = worth, move
    return found


@compiled
def ponder(
    board: Any, table: Words, seat: int, mind: Mind, wins: Words, points: Words, fraction: int
) -> int:
    """The chance and the points of every legal choice of a seat, by the move; the best move,
    or where several are mixed, the one that luck says."""
    ends, values = (
        np.empty((MOST_ENDS, 1 + len(table)), np.int64),
        np.empty((MOST_ENDS, 2), np.int64),
    )
    at_once = phase(board, table) == WHITE and interacts(board, table)
    fair = at_once and seats(board, table) == 2
    if at_once:
        game = solved(board, table, mind)
        if mind.numbers[CANDIDATES] and 1 < thought_of(game) <= MOST_LOOKED_AT:
            _look_into_all(board, game, mind)
        if active(board, table) != seat or _others_mix(game, seat):
            return _against_others(board, game, seat, mind, wins, points, fraction)
        listed = _list_answers(board, game, seat, ends)
    else:
        listed = list_ends(board, table, seat, mind, ends)
    for end in range(listed):
        values[end, 0], values[end, 1] = judge(board, ends[end, 1:], seat, mind)
        if fair:
            his = judge(board, ends[end, 1:], 1 - seat, mind)
            values[end, 0] = of_two(values[end, 0], his[0])
    found = read_off(ends[:listed, 0], values[:listed], wins, points)
    if not mind.numbers[CANDIDATES] or listed == 1:
        return found
    chosen = candidates(mind, values[:listed])
    for end in chosen:
        values[end, 0], values[end, 1] = _looked(board, ends[end, 1:], seat, mind, fair)
    return read_off(ends[:, 0][chosen], values[chosen], wins, points)


@compiled
def _looked(board: Any, table: Words, seat: int, mind: Mind, fair: bool) -> tuple[int, int]:
    """What a table is worth to a seat, looking a throw further; if it is to be fair to two,
    their chances together are one."""
    win, points = look(board, table, seat, mind)
    if fair:
        win = of_two(win, look(board, table, 1 - seat, mind)[0])
    return win, points


@compiled
def _others_mix(game: Sealed, seat: int) -> bool:
    found = False
    for other in range(len(game.options)):
        found = found or (other != seat and mixed(game, other))
    return found


@compiled
def _list_answers(board: Any, game: Sealed, seat: int, ends: Words) -> int:
    """Every way in which this turn can end for the active seat's choices, given those of the
    others."""
    players, listed = len(game.options), 0
    choices, after = np.zeros(players, np.int64), np.empty_like(game.table)
    take(game, choices)
    for option in range(game.options[seat]):
        choices[seat] = game.moves[seat, option]
        after[:] = game.table
        together(board, after, choices)
        then = legal(board, after, seat) if phase(board, after) == COLOUR else 0
        if not then:
            ends[listed, 0] = game.moves[seat, option]
            ends[listed, 1:] = after
            listed += 1
        while then:
            ends[listed, 0] = game.moves[seat, option]
            ends[listed, 1:] = after
            choices[seat] = lowest(then)
            then &= then - 1
            together(board, ends[listed, 1:], choices)
            listed += 1
    return listed


@compiled
def _end_further(board: Any, game: Sealed, place: int, mind: Mind) -> Words:
    """The table that an outcome leaves, the active seat choosing its colour action by the look, as
    it will."""
    players, turner, listed = len(game.options), active(board, game.table), 0
    after, choices = game.table.copy(), np.empty(players, np.int64)
    for seat in range(players):
        choices[seat] = game.moves[seat, option_of(game, place, seat)]
    together(board, after, choices)
    if phase(board, after) != COLOUR:
        return after
    moves = legal(board, after, turner)
    ends = np.empty((count(moves), len(after)), np.int64)
    values = np.empty((len(ends), 2), np.int64)
    while moves:
        choices[turner] = lowest(moves)
        moves &= moves - 1
        ends[listed] = after
        together(board, ends[listed], choices)
        values[listed, 0], values[listed, 1] = judge(board, ends[listed], turner, mind)
        listed += 1
    best, found = NEVER, after
    for end in candidates(mind, values) if listed > 1 else np.zeros(1, np.int64):
        win, points = _looked(board, ends[end], turner, mind, players == 2)
        if win + points > best:
            best, found = win + points, ends[end]
    return found


@merged
def _against_others(
    board: Any, game: Sealed, seat: int, mind: Mind, wins: Words, points: Words, fraction: int
) -> int:
    """The choice of a seat that does not know what others choose or what the active one makes of
    it."""
    options = game.options[seat]
    moves, values = game.moves[seat, :options], np.zeros((options, 2), np.int64)
    for option in range(options):
        for place in range(len(game.known)):
            weight = weight_of(game, place, seat)
            if weight and option_of(game, place, seat) == option:
                win, scored = value_of(board, game, place, seat, mind)
                values[option, 0] += weight * win
                values[option, 1] += weight * scored
    values >>= MIX_BITS
    found = read_off(moves, values, wins, points)
    if mind.numbers[CANDIDATES] and options > 1:
        chosen = candidates(mind, values)
        for option in chosen:
            values[option] = 0
            for place in range(len(game.known)):
                weight = weight_of(game, place, seat)
                if weight and option_of(game, place, seat) == option:
                    end = _end_further(board, game, place, mind)
                    win, scored = _looked(board, end, seat, mind, len(game.options) == 2)
                    values[option, 0] += weight * win
                    values[option, 1] += weight * scored
            values[option] >>= MIX_BITS
        found = read_off(moves[chosen], values[chosen], wins, points)
    if mixed(game, seat) and _others_mix(game, seat):
        left = int(unit(fraction) * MIX_ONE)
        for option in range(options):
            left -= game.mix[seat, option]
            if left < 0:
                return int(moves[option])
    return found


@merged
def _look_into_all(board: Any, game: Sealed, mind: Mind) -> None:
    """Find the equilibrium anew, each outcome that is thought of looked at a throw further."""
    players = len(game.options)
    known, values = np.zeros_like(game.known), np.empty_like(game.values)
    deeper = Sealed(
        game.table,
        game.options,
        game.moves,
        game.steps,
        game.sizes,
        game.kept,
        game.mix,
        known,
        game.ends,
        values,
    )
    for number in range(thought_of(game)):
        place = nth_outcome(game, number)
        end = _end_further(board, game, place, mind)
        for seat in range(players):
            values[place, seat, 0], values[place, seat, 1] = look(board, end, seat, mind)
        if players == 2:
            share_of_two(values[place])
        known[place] = -1
    settle(board, deeper, mind)


@compiled
def look(board: Any, table: Words, seat: int, mind: Mind) -> tuple[int, int]:
    """The chance and the points of a seat after the next throw, the mean over all dice;
    exact at the end.

    The white action depends on the white sum alone (S2). In the colour action each coloured die
    speaks for itself (S3), so what the roller would take is sorted, and going down the list the
    ways in which nothing before it came up are the product of what is left of each die. Where the
    white action is mixed, there is none.
    """
    if phase(board, table) == OVER:
        return final(board, table, seat)
    faces, rows, roller, players = (
        board.faces,
        board.rows,
        active(board, table),
        seats(board, table),
    )
    work, thrown, after, end = (
        np.empty((4, len(table)), np.int64),
        table.copy(),
        table.copy(),
        table.copy(),
    )
    choices, follow = np.empty(players, np.int64), np.zeros(players, np.int64)
    # By die and number what the roller takes with it at best;
    # in the row after the last, what it takes with none.
    favourites = np.empty((rows + 1, 2 * faces + 1, 4), np.int64)  # worth, order, chance and points
    ends = np.empty((rows + 1, 2 * faces + 1, len(table)), np.int64)  # and the table that it leaves
    sum_win, sum_points, mean = 0, 0, np.empty(2, np.int64)
    for whites in range(2, 2 * faces + 1):
        first = max(1, whites - faces)
        thrown[:] = table
        roll(board, thrown, white_dice(first, whites - first))
        if interacts(board, thrown):
            game = solved(board, thrown, mind)
            if mixes(game):
                mean_of(board, game, seat, mind, mean)
                ways = (faces - abs(faces + 1 - whites)) * faces**rows
                sum_win, sum_points = sum_win + ways * mean[0], sum_points + ways * mean[1]
                continue
            take(game, choices)
        else:
            suppose(board, thrown, roller, mind, choices, work)
        favourites[:, :, _WORTH] = NEVER
        moves, number_of_move = legal(board, thrown, roller), 0
        while moves:
            choices[roller] = lowest(moves)
            moves &= moves - 1
            after[:] = thrown
            together(board, after, choices)
            goes_on = phase(board, after) == COLOUR
            fields = open_fields(board, after, roller) if goes_on else 0
            gone = closed(board, after)
            for die in range(rows + 1):
                # the faces of one coloured die with the white ones of this sum name these numbers
                least, most = (first + 1, min(faces, whites - 1) + faces) if die < rows else (0, 0)
                for number in range(least, most + 1):
                    may, face = 1, max(1, number - faces)
                    if die < rows:
                        may = (
                            0
                            if gone >> die & 1
                            else (fields & named(board, die, face, number - face)) << 1
                        )
                    while may:
                        move = lowest(may)
                        may &= may - 1
                        end[:] = after
                        if goes_on:
                            follow[roller] = move
                            together(board, end, follow)
                        win, points = judge(board, end, roller, mind)
                        favourite = favourites[die, number]
                        if win + points > favourite[_WORTH]:
                            favourite[_WORTH], favourite[_ORDER] = (
                                win + points,
                                number_of_move * 64 + move,
                            )
                            favourite[_WIN], favourite[_POINTS] = win, points
                            ends[die, number] = end
            number_of_move += 1
        if roller != seat:
            _see_as(board, seat, mind, favourites, ends)
        for one in range(first, whites // 2 + 1):
            win, points = _over_colours(board, one, whites - one, favourites)
            ways = 1 if 2 * one == whites else 2
            sum_win, sum_points = sum_win + ways * win, sum_points + ways * points
    every = faces ** (rows + 2)
    return sum_win // every, sum_points // every


_WORTH, _ORDER, _WIN, _POINTS = range(4)


@compiled
def mixes(game: Sealed) -> bool:
    """Whether somebody chooses now this, now that."""
    found = False
    for seat in range(len(game.options)):
        found = found or mixed(game, seat)
    return found


@compiled
def mean_of(board: Any, game: Sealed, seat: int, mind: Mind, mean: Words) -> None:
    """What an action comes to for a seat."""
    mean[:] = 0
    for place in range(len(game.known)):
        weight = weight_of(game, place, len(game.options))
        if weight:
            win, points = value_of(board, game, place, seat, mind)
            mean[0] += weight * win
            mean[1] += weight * points
    mean >>= MIX_BITS


@compiled
def _see_as(board: Any, seat: int, mind: Mind, favourites: Words, ends: Words) -> None:
    """What the roller may take, as another seat sees it:
    only what it likes at least as well as none of it."""
    none = favourites[board.rows, 0, _WORTH]
    for die in range(favourites.shape[0]):
        for number in range(favourites.shape[1]):
            favourite = favourites[die, number]
            if favourite[_WORTH] >= none:
                favourite[_WIN], favourite[_POINTS] = judge(board, ends[die, number], seat, mind)


@compiled
def _liked(one: Words, other: Words) -> bool:
    """Whether the roller likes the first of two favourites better:
    the one that comes first, if they are alike."""
    return bool(
        one[_WORTH] > other[_WORTH]
        or (one[_WORTH] == other[_WORTH] and one[_ORDER] < other[_ORDER])
    )


@compiled
def _over_colours(board: Any, first: int, second: int, favourites: Words) -> tuple[int, int]:
    """Chance and points after a throw with these whites,
    added up over all throws of the coloured dice."""
    rows, faces = board.rows, board.faces
    none = favourites[rows, 0]
    order = np.empty((rows * faces, 2), np.int64)
    listed = 0
    for die in range(rows):
        for face in range(1, faces + 1):
            number = first + face
            if _liked(favourites[die, second + face], favourites[die, number]):
                number = second + face
            if _liked(favourites[die, number], none):
                place = listed
                while place > 0:
                    before = favourites[order[place - 1, 0], order[place - 1, 1]]
                    if not _liked(favourites[die, number], before):
                        break
                    order[place] = order[place - 1]
                    place -= 1
                order[place, 0], order[place, 1] = die, number
                listed += 1
    left = np.full(rows, faces)
    ways, win, points = faces**rows, 0, 0
    for place in range(listed):
        if ways <= 0:
            break
        die, number = order[place, 0], order[place, 1]
        now = ways // left[die]
        left[die] -= 1
        ways -= now
        win += now * favourites[die, number, _WIN]
        points += now * favourites[die, number, _POINTS]
    return win + ways * none[_WIN], points + ways * none[_POINTS]
