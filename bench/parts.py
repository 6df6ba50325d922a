"""What a turn of a random duel spends its time on: each part is done once more than needed, and clocks compared.

`python bench/parts.py`
"""

import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from qwixx.games import kernel as shared
from qwixx.games.duel import GAME, kernel

_moves, _act, _start, _phase = kernel.moves_of_active, kernel.act, kernel.start, kernel.phase
_roll, _dealt, _luck, _any_of = kernel.roll, shared.dealt, shared.luck, shared.any_of
PARTS = {
    "nothing more": (0, 0, 0, 0),
    "finding the moves": (1, 0, 0, 0),
    "carrying out a move, on a copy": (0, 1, 0, 0),
}
PARTS |= {"throwing the dice": (0, 0, 1, 0), "picking a move": (0, 0, 0, 1)}


def game_with(moves: int, acts: int, throws: int, picks: int) -> Callable[..., tuple[int, int]]:
    """A batch of random duels in which parts are repeated so often."""

    @numba.njit(error_model="numpy")  # type: ignore[untyped-decorator] # numba carries no types
    def play(board: Any, games: int) -> tuple[int, int]:
        table, copy = np.zeros(9, np.int64), np.zeros(9, np.int64)
        turns, used = 0, 0
        for game in range(games):
            _start(table, game & 1)
            turn = 0
            while _phase(table) != shared.OVER:
                if _phase(table) == shared.ROLL:
                    for extra in range(throws):
                        used ^= _dealt(2 + extra, game, turn, 6, 4, 0)
                    _roll(table, _dealt(1, game, turn, 6, 4, table[0] >> 3 & 15))
                    turn += 1
                chance = _luck(1, game, table[0] >> 2 & 1, 2 * turn + (_phase(table) == shared.COLOUR))
                found = _moves(board, table)
                for extra in range(moves):
                    table[8] += extra << 60  # nothing, but the compiler cannot know
                    used ^= _moves(board, table)
                for extra in range(picks):
                    used ^= _any_of(found, chance ^ (extra + 1) << 40)
                for _ in range(acts):
                    copy[:] = table
                    _act(board, copy, _any_of(found, chance))
                    used ^= copy[0]
                _act(board, table, _any_of(found, chance))
            turns += turn
        return turns, used

    return play  # type: ignore[no-any-return] # as above


def main() -> None:
    board, base = kernel.board(GAME), 0.0
    for name, extra in PARTS.items():
        play = game_with(*extra)
        play(board, 10)
        rounds = []
        for _ in range(5):
            began = time.process_time()
            turns, _ = play(board, 100_000)
            rounds.append((time.process_time() - began) / turns * 1e9)
        base = base or min(rounds)
        print(f"{name:<32} {min(rounds):6.1f} ns a turn, {min(rounds) - base:+6.1f}", flush=True)


if __name__ == "__main__":
    main()
