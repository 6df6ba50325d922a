"""A level against the same level of another version of this project, in whole games.

The other version is a checkout of its own (`git worktree add ../before v1`), and runs as a program
of its own; its kernels must pack tables as these do. One of this version sits down with the other
in all other seats, every deal of dice from every seat.
`python bench/versions.py ../before --level master --seats 2 --games 2000`
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np

from qwixx import games
from qwixx.bots.net import stored
from qwixx.compiled.chance import dealt, luck
from qwixx.compiled.contract import acting, closed, phase, roll, start, together, total
from qwixx.compiled.playing import TRAINED, decide, new_room
from qwixx.compiled.printed import COLOUR, OVER, ROLL
from qwixx.compiled.words import Words, lowest
from qwixx.lab import minds

# The levels, and the large net without a look, which is quick.
STYLES: Final = {
    "expert": minds.Style(TRAINED),
    "master": minds.STYLES["master"],
    "large": minds.Style(TRAINED, small=False),
}


class Level:
    """A level of this version."""

    def __init__(self, game_id: str, seats: int, level: str) -> None:
        kernel, style = games.kernel_of(game_id), STYLES[level]
        assert kernel is not None
        self.seats, self.board = seats, kernel.board(games.game(game_id))
        self.minds = minds.of_styles(game_id, seats, [style], [stored(game_id, seats, style.small)])
        self.width = kernel.words(seats)
        self.room = new_room(self.width)

    def __call__(self, table: Words, seat: int, fraction: int) -> int:
        return int(decide(self.board, table, seat, *self.minds, 0, fraction, self.room))


class Other:
    """The level of the other version, in a process of its own."""

    def __init__(self, folder: Path, game_id: str, seats: int, level: str) -> None:
        command = [sys.executable, __file__, str(folder), "--answer"]
        command += ["--game", game_id, "--seats", str(seats), "--level", level]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(folder / "src")},
        )

    def __call__(self, table: Words, seat: int, fraction: int) -> int:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{seat} {fraction} {' '.join(map(str, table))}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())


def answer(level: Level) -> None:
    for line in sys.stdin:
        seat, fraction, *words = map(int, line.split())
        print(level(np.array(words, np.int64), seat, fraction), flush=True)


def play(level: Level, other: Other, seed: int, deal: int, own: int) -> float:
    """The share of the win of this version in one game."""
    board, seats, table = level.board, level.seats, np.zeros(level.width, np.int64)
    choices, turns, number = np.zeros(seats, np.int64), 0, deal * seats + own
    start(board, table, deal % seats)
    while phase(board, table) != OVER:
        if phase(board, table) == ROLL:
            shut = closed(board, table)
            roll(board, table, dealt(seed, deal, turns, board.faces, board.rows, shut))
            turns += 1
        left = acting(board, table)
        while left:
            seat = lowest(left)
            left &= left - 1
            fraction = luck(seed, number, seat, 2 * turns + (phase(board, table) == COLOUR))
            choices[seat] = (level if seat == own else other)(table, seat, fraction)
        together(board, table, choices)
    totals = [total(board, table, seat) for seat in range(seats)]
    best = max(totals)
    return totals.count(best) ** -1 if totals[own] == best else 0.0


def measure(asked: argparse.Namespace) -> dict[str, Any]:
    level = Level(asked.game, asked.seats, asked.level)
    other = Other(asked.other, asked.game, asked.seats, asked.level)
    deals = np.array(
        [
            np.mean([play(level, other, asked.seed, deal, own) for own in range(asked.seats)])
            for deal in range(-(-asked.games // asked.seats))
        ]
    )
    other.process.kill()
    return {
        "game": asked.game,
        "seats": asked.seats,
        "level": asked.level,
        "games": len(deals) * asked.seats,
        "win": round(float(deals.mean()), 4),
        "interval": round(float(1.96 * deals.std() / len(deals) ** 0.5), 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="the checkout of the other version")
    parser.add_argument("--game", default="classic")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--level", choices=list(STYLES), default="master")
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.answer:
        answer(Level(asked.game, asked.seats, asked.level))
    else:
        print(json.dumps(measure(asked)))


if __name__ == "__main__":
    main()
