"""What a turn of a random game spends its time on:
each part is done once more than needed, and clocks compared.

`python bench/parts.py`, or `python bench/parts.py classic`
"""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from qwixx import games
from qwixx.compiled.chance import any_of, dealt, luck
from qwixx.compiled.contract import acting, closed, legal, phase, roll, start, together
from qwixx.compiled.jit import OPTIONS
from qwixx.compiled.printed import COLOUR, OVER, ROLL
from qwixx.compiled.words import lowest

PLAYERS = 2
PARTS = {
    "nothing more": (0, 0, 0, 0),
    "finding the moves": (1, 0, 0, 0),
    "carrying out an action, on a copy": (0, 1, 0, 0),
    "throwing the dice": (0, 0, 1, 0),
    "picking a move": (0, 0, 0, 1),
}


def game_with(finds: int, acts: int, throws: int, picks: int) -> Callable[..., tuple[int, int]]:
    """A batch of random games in which parts are repeated so often."""

    @numba.njit(**OPTIONS)  # type: ignore[untyped-decorator] # numba carries no types
    def play(board: Any, width: int, games: int, nought: int) -> tuple[int, int]:
        table, copy, choices = (
            np.zeros(width, np.int64),
            np.zeros(width, np.int64),
            np.zeros(PLAYERS, np.int64),
        )
        turns, used = 0, 0
        for game in range(games):
            start(board, table, game % PLAYERS)
            turn = 0
            while phase(board, table) != OVER:
                if phase(board, table) == ROLL:
                    for extra in range(throws):
                        used ^= dealt(2 + extra, game, turn, board.faces, board.rows, 0)
                    roll(
                        board,
                        table,
                        dealt(1, game, turn, board.faces, board.rows, closed(board, table)),
                    )
                    turn += 1
                left = acting(board, table)
                while left:
                    seat = lowest(left)
                    left &= left - 1
                    fraction = luck(1, game, seat, 2 * turn + int(phase(board, table) == COLOUR))
                    found = legal(board, table, seat)
                    for _ in range(finds):
                        table[:] += (
                            nought  # so that the compiler cannot know that it finds the same
                        )
                        used ^= legal(board, table, seat)
                    for extra in range(picks):
                        used ^= any_of(found, fraction ^ (extra + 1) << 40)
                    choices[seat] = any_of(found, fraction)
                for _ in range(acts):
                    copy[:] = table
                    together(board, copy, choices)
                    used ^= copy[0]
                together(board, table, choices)
            turns += turn
        return turns, used

    return play  # type: ignore[no-any-return] # as above


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", choices=games.ids(), default="duel")
    game_id = parser.parse_args().game
    kernel, base = games.kernel_of(game_id), 0.0
    assert kernel is not None
    board, width = kernel.board(games.game(game_id)), kernel.words(PLAYERS)
    for name, extra in PARTS.items():
        play = game_with(*extra)
        play(board, width, 10, 0)
        rounds = []
        for _ in range(5):
            began = time.process_time()
            turns, _ = play(board, width, 100_000, 0)
            rounds.append((time.process_time() - began) / turns * 1e9)
        base = base or min(rounds)
        print(f"{name:<34} {min(rounds):6.1f} ns a turn, {min(rounds) - base:+6.1f}", flush=True)


if __name__ == "__main__":
    main()
