"""Many tables that wait for the choices of whoever learns to play there,
and what is shown to them: environments, compiled.

An environment is a row of words beside its table. The caller plays some seats, bots the others. In
an action the caller's seats are asked one after the other; what they choose lies beside the table
until all have chosen, so nobody can see it. Everything that falls is drawn from the seed and the
episode of the environment alone.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qwixx.compiled.chance import (
    DICE_STREAM,
    LUCK_STREAM,
    any_of,
    draw,
    order,
    stream,
    thrown,
)
from qwixx.compiled.contract import (
    acting,
    active,
    closed,
    dice,
    effects,
    failed,
    legal,
    marks,
    phase,
    roll,
    seats,
    start,
    together,
    total,
)
from qwixx.compiled.jit import compiled, inlined, merged
from qwixx.compiled.net import Weights
from qwixx.compiled.playing import RANDOM, decide, new_room
from qwixx.compiled.printed import COLOUR, LANE, OVER, ROLL, WHITE, face_of
from qwixx.compiled.thinking import STYLE
from qwixx.compiled.words import Bytes, Words, lowest

Floats = NDArray[np.float64]

# The words of an environment: its seed and the number of its game, the throws of this game, the
# caller's seats that are still to be asked in this action, the one that is asked now, all of them,
# the first of them, whether the game is over, and the stream of its dice. Then by the seat: what
# was chosen in this action, and its stream of luck.
SEED, EPISODE, TURNS, LEFT, ASKED, OWN, FIRST_OWN, ENDED, KEY, CHOICES = range(10)
# What all environments of a batch have in common.
PLAYERS, OWN_SEATS, SEAT, FIRST, REWARD, AUTORESET, SETTINGS = range(7)
DRAWN: Final = -1  # a seat that is drawn anew for every game
BY_WIN, BY_POINTS, BY_DIFFERENCE = range(3)
NEXT_STEP, SAME_STEP, DISABLED = range(3)
TRY_STREAM: Final = 3  # of choices that are only tried out
_SEAT_DRAW: Final = 1  # the draw for the caller's seat; the one for who begins is 0


def words(players: int) -> int:
    """How many words an environment takes beside its table."""
    return CHOICES + 2 * players


@inlined
def action_of(board: Any, move: int) -> int:
    """The number of a move among all that there are: a pass is 0, then row by row."""
    return move - (move - 1) // LANE * (LANE - 1 - board.last) if move else 0


@inlined
def move_of(board: Any, action: int) -> int:
    """The move of such a number."""
    return action + (action - 1) // (board.last + 1) * (LANE - 1 - board.last) if action else 0


@compiled
def show(board: Any, table: Words, seat: int, shown: Bytes) -> None:
    """What a seat may know of a table, as docs/rl.md has it, field by field."""
    shown[:] = 0
    players, turner = seats(board, table), active(board, table)
    size, at = board.rows * (board.last + 2), 0
    fails = size * players
    owner = seat
    for _ in range(players):
        marks(board, table, owner, shown, at)
        shown[fails] = failed(board, table, owner)
        at += size
        fails += 1
        owner = owner + 1 if owner + 1 < players else 0
    at += players
    shut, lying, now = closed(board, table), dice(board, table), phase(board, table)
    for row in range(board.rows):
        shown[at + row] = shut >> row & 1
    at += board.rows
    for die in range(2 + board.rows):
        shown[at + die] = face_of(lying, die)
    at += 2 + board.rows
    shown[at] = now == WHITE
    shown[at + 1] = now == COLOUR
    at += 2
    shown[at + (turner - seat if turner >= seat else turner - seat + players)] = 1
    at += players
    if now != OVER:
        shown[at] = effects(board, table, turner, 0)[7]


@inlined
def allow(board: Any, moves: int, mask: NDArray[np.int8]) -> None:
    """The mask of a set of moves."""
    mask[:] = 0
    while moves:
        mask[action_of(board, lowest(moves))] = 1
        moves &= moves - 1


@inlined
def _begin(board: Any, env: Words, table: Words, settings: Words) -> None:
    """A new game."""
    players, seed, number = settings[PLAYERS], env[SEED], env[EPISODE]
    first, own = settings[FIRST], settings[SEAT]
    if first == DRAWN:
        first = order(seed, number, 0, players)
    if own == DRAWN:
        own = order(seed, number, _SEAT_DRAW, players)
    start(board, table, first)
    env[TURNS], env[LEFT], env[ENDED], env[FIRST_OWN] = 0, 0, 0, own
    env[KEY] = np.int64(stream(seed, DICE_STREAM, number, 0))
    # The seats from the first own one on, round the table.
    ahead = ((1 << settings[OWN_SEATS]) - 1) << own
    env[OWN] = (ahead | ahead >> players) & (1 << players) - 1
    if settings[OWN_SEATS] < players:
        for seat in range(players):
            env[CHOICES + players + seat] = np.int64(stream(seed, LUCK_STREAM, number, seat))


@merged
def _answer(
    board: Any,
    env: Words,
    table: Words,
    choices: Words,
    settings: Words,
    minds: Words,
    nets: Weights,
    sizes: Words,
    room: Words,
) -> None:
    """The bots choose."""
    players = settings[PLAYERS]
    left = acting(board, table) & ~env[OWN]
    decision = 2 * env[TURNS] + int(phase(board, table) == COLOUR)
    while left:
        seat = lowest(left)
        left &= left - 1
        bot = (seat - env[FIRST_OWN] + players) % players - settings[OWN_SEATS]
        fraction = draw(np.uint64(env[CHOICES + players + seat]), decision)
        if minds[bot, STYLE] == RANDOM:
            choices[seat] = any_of(legal(board, table, seat), fraction)
        else:
            choices[seat] = decide(board, table, seat, minds, nets, sizes, bot, fraction, room)


@compiled
def _pay(board: Any, table: Words, kind: int, returns: Floats, env: int) -> None:
    """What the end of a game is worth to each seat."""
    players = seats(board, table)
    for seat in range(players):
        mine, best, sharing = total(board, table, seat), -(1 << 30), 1
        for other in range(players):
            if other != seat:
                found = total(board, table, other)
                best = max(best, found)
                sharing += int(found == mine)
        if kind == BY_WIN:
            returns[env, seat] = 1.0 / sharing if mine >= best or players == 1 else 0.0
        elif kind == BY_POINTS or players == 1:
            returns[env, seat] = mine
        else:
            returns[env, seat] = mine - best


@compiled
def run(
    board: Any,
    envs: Words,
    tables: Words,
    actions: Words,
    anew: NDArray[np.bool_],
    settings: Words,
    minds: Words | None,
    nets: Any,  # as the minds: with them, or None
    sizes: Any,
    observations: Bytes,
    masks: NDArray[np.int8],
    rewards: Floats,
    ended: NDArray[np.bool_],
    returns: Floats,
    asked: Words,
    finals: Bytes,
    first: int,
    last: int,
) -> None:
    """One choice in each of some environments, or none if there are no actions; a new game where one
    is to begin anew; then what is shown to the seat that is asked.

    An illegal choice counts as a pass. At the end of a game the returns of all seats are written;
    where the next one begins at once, the last observation is kept. Where all seats are the caller's
    there are no minds: numba leaves all thought out then, which takes long to compile.
    """
    players, mode = settings[PLAYERS], settings[AUTORESET]
    highest = board.rows * (board.last + 1)
    room, choices = new_room(tables.shape[1]), np.zeros(players, np.int64)
    for number in range(first, last):
        env, table = envs[number], tables[number]
        asker, begins, chosen = env[ASKED], anew[number], False
        if len(actions):
            if env[ENDED]:
                begins = mode == NEXT_STEP
                env[EPISODE] += int(begins)
            else:
                action = actions[number]
                move = move_of(board, action) if 0 < action <= highest else 0
                env[CHOICES + asker] = move if legal(board, table, asker) >> move & 1 else 0
                left = env[LEFT] & env[LEFT] - 1
                env[LEFT], chosen = left, left == 0
                if left:
                    env[ASKED] = lowest(left)
                else:
                    for seat in range(players):
                        choices[seat] = env[CHOICES + seat]
        going = begins or chosen
        while going:
            if begins:
                _begin(board, env, table, settings)
                begins = False
            if not chosen:
                if phase(board, table) == ROLL:
                    key, shut = np.uint64(env[KEY]), closed(board, table)
                    roll(board, table, thrown(key, env[TURNS], board.faces, board.rows, shut))
                    env[TURNS] += 1
                left = acting(board, table) & env[OWN]
                if left:
                    env[LEFT], env[ASKED] = left, lowest(left)
                    break
            if minds is not None:
                _answer(board, env, table, choices, settings, minds, nets, sizes, room)
            together(board, table, choices)
            chosen = False
            if phase(board, table) == OVER:
                env[ENDED], ended[number] = 1, True
                _pay(board, table, settings[REWARD], returns, number)
                rewards[number] = returns[number, asker]
                going = begins = mode == SAME_STEP
                if begins:
                    show(board, table, asker, finals[number])
                    env[EPISODE] += 1
        show(board, table, env[ASKED], observations[number])
        allow(board, 1 if env[ENDED] else legal(board, table, env[ASKED]), masks[number])
        asked[number] = env[ASKED]


@compiled
def try_any(board: Any, envs: Words, tables: Words, actions: Words) -> None:
    """Any legal action in each environment, each as likely as the next."""
    for number in range(len(envs)):
        env, table = envs[number], tables[number]
        moves = 1 if env[ENDED] else legal(board, table, env[ASKED])
        key = stream(env[SEED], TRY_STREAM, env[EPISODE], env[ASKED])
        decision = 2 * env[TURNS] + int(phase(board, table) == COLOUR)
        actions[number] = action_of(board, any_of(moves, draw(key, decision)))
