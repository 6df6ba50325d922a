"""How fast this machine plays: compiled, through the law, and how long the exact solution takes."""

import time
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import numpy as np

from qwixx import games
from qwixx.bots import minds
from qwixx.compiled import playing
from qwixx.core.dice import throw
from qwixx.core.game import OVER, ROLL, Game
from qwixx.games.classic import GAME
from qwixx.games.classic.sheets import Sizes
from qwixx.games.classic.solution import sizes_of
from qwixx.lab.interrupts import held_back
from qwixx.lab.practice import solve
from qwixx.lab.progress import Advance

_ROUNDS: Final = 3
_SECONDS: Final = 0.5  # a round, about


def tables() -> Iterator[tuple[str, Game[Any], int]]:
    """Every game with two seats and with as many as it takes, by name:
    the number is told where it varies."""
    for game_id in games.ids():
        game = games.game(game_id)
        for players in sorted({max(2, game.players[0]), game.players[-1]}):
            yield f"{game_id}{players}" if len(game.players) > 1 else game_id, game, players


def playouts(game: Game[Any], players: int) -> float:
    """Games of random choices that one core plays in a second, compiled; the best of some rounds."""
    kernel, random = games.kernel_of(game.id), minds.of_levels(game.id, players, ["random"])
    assert kernel is not None
    board, width = kernel.board(game), kernel.words(players)

    def play(number: int) -> float:
        plan = np.repeat(np.arange(number), 3).reshape(number, 3)
        plan[:, 2] %= players
        lineups, logs = np.zeros((number, players), np.int64), np.zeros((number, 0), np.int64)
        results = np.zeros((number, players + 3), np.int64)
        began = time.process_time()
        playing.play(board, width, 1, plan, lineups, *random, results, logs)
        return time.process_time() - began

    with held_back():
        play(10)
    number = int(10_000 * _SECONDS / max(1e-6, play(10_000)))
    return number / min(play(number) for _ in range(_ROUNDS))


def by_law(game: Game[Any], players: int) -> float:
    """The same through the law, in plain Python."""
    best = 0.0
    for round_number in range(_ROUNDS):
        rng, number, began = Random(round_number), 0, time.process_time()
        while time.process_time() - began < _SECONDS:
            _random_game(game, players, rng)
            number += 1
        best = max(best, number / (time.process_time() - began))
    return best


def _random_game(game: Game[Any], players: int, rng: Random) -> None:
    state = game.start(players, rng.randrange(players))
    while state.phase != OVER:
        if state.phase == ROLL:
            state = game.roll(state, throw(rng, game.dice_in_play(state), game.layout.faces))
        for seat in game.to_act(state):
            state = game.choose(state, seat, rng.choice(game.moves(state, seat)))


def solve_warm() -> None:
    """Have the solver compiled before a clock runs."""
    solve.compute(Sizes(faces=2, to_lock=2, most_failed=1), 1)


def solve_seconds() -> float:
    """The time of a whole exact solution on all cores, the table not kept."""
    solve_warm()
    return solve.compute(sizes_of(GAME), 1).seconds


def measure(advance: Advance) -> dict[str, Any]:
    """Everything, in the shape of `qwixx bench --json`."""
    found: dict[str, Any] = {"playouts": {}, "solve_seconds": 0.0, "law": {}}
    for name, game, players in tables():
        if minds.can_play(game.id):
            found["playouts"][name] = round(playouts(game, players))
        advance(1)
    for name, game, players in tables():
        if players == max(2, game.players[0]):
            found["law"][name] = round(by_law(game, players))
            advance(1)
    found["solve_seconds"] = round(solve_seconds(), 2)
    return found
