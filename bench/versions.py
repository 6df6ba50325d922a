"""A level against the same level of another version of this project, in whole games.

The other version is a checkout of its own (`git worktree add ../before v1`), and runs as a program
of its own; its kernels must pack tables as these do. One of this version sits down with the other
in all other seats, every deal of dice from every seat. With `--adjusted` the luck of every throw is
taken from the results, as `qwixx arena` does it.
`python bench/versions.py ../before --level master --seats 2 --games 2000`
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np

from qwixx import games
from qwixx.bots import minds
from qwixx.bots.net import stored
from qwixx.compiled.chance import dealt, luck
from qwixx.compiled.contract import acting, closed, phase, roll, start, together, total
from qwixx.compiled.net import new_mind
from qwixx.compiled.playing import TRAINED, decide, new_room
from qwixx.compiled.printed import COLOUR, OVER, ROLL
from qwixx.compiled.words import Words, lowest
from qwixx.core.values import WIN

# The levels, and the large net without a look, which is quick.
STYLES: Final = {
    "expert": minds.Style(TRAINED),
    "master": minds.STYLES["master"],
    "large": minds.Style(TRAINED, small=False),
}


AT_ONCE: Final = 64  # games beside each other
Question = tuple[Words, int, int]  # a table, who is to choose, and its luck


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

    def __call__(self, asked: Sequence[Question]) -> list[int]:
        """What it chooses at some tables; all are asked at once, since both processes wait for
        each other."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        for table, seat, fraction in asked:
            self.process.stdin.write(f"{seat} {fraction} {' '.join(map(str, table))}\n")
        self.process.stdin.flush()
        return [int(self.process.stdout.readline()) for _ in asked]


def answer(level: Level) -> None:
    for line in sys.stdin:
        seat, fraction, *words = map(int, line.split())
        print(level(np.array(words, np.int64), seat, fraction), flush=True)


Gift = Callable[[Words, int, int], float]  # of a throw at a table to a seat, in wins


def gift_of_master(game_id: str, seats: int) -> Gift:
    """What a throw gives by the master's look; its mean over all throws is nought."""
    # Which an older version may lack.
    from qwixx.compiled.reviewing import after_throw  # noqa: PLC0415
    from qwixx.compiled.thinking import look  # noqa: PLC0415

    level = Level(game_id, seats, "master")
    rows, nets, sizes = level.minds
    mind, found = new_mind(rows[0], nets[0], sizes[0], sizes[1]), np.empty((seats, 2), np.int64)

    def gift(table: Words, dice: int, seat: int) -> float:
        after_throw(level.board, table, dice, mind, found)
        return float(found[seat, 0] - look(level.board, table, seat, mind)[0]) / WIN

    return gift


def play(
    level: Level, gift: Gift | None, seed: int, deal: int, own: int
) -> Generator[Question, int, float]:
    """The share of the win of this version in one game, without the luck that is seen. What the
    other version is asked comes up in between."""
    board, seats, table = level.board, level.seats, np.zeros(level.width, np.int64)
    choices, turns, number = np.zeros(seats, np.int64), 0, deal * seats + own
    given = 0.0
    start(board, table, deal % seats)
    while phase(board, table) != OVER:
        if phase(board, table) == ROLL:
            shut = closed(board, table)
            dice = dealt(seed, deal, turns, board.faces, board.rows, shut)
            given += gift(table, dice, own) if gift else 0.0
            roll(board, table, dice)
            turns += 1
        left = acting(board, table)
        while left:
            seat = lowest(left)
            left &= left - 1
            fraction = luck(seed, number, seat, 2 * turns + (phase(board, table) == COLOUR))
            if seat == own:
                choices[seat] = level(table, seat, fraction)
            else:
                choices[seat] = yield table, seat, fraction
        together(board, table, choices)
    totals = [total(board, table, seat) for seat in range(seats)]
    best = max(totals)
    return (totals.count(best) ** -1 if totals[own] == best else 0.0) - given


def play_all(games: Sequence[Generator[Question, int, float]], other: Other) -> list[float]:
    """What comes of some games that are played beside each other."""
    found = [0.0] * len(games)
    answers: dict[int, Any] = dict.fromkeys(range(len(games)))
    while answers:
        asked = dict[int, Question]()
        for number, answer in answers.items():
            try:
                asked[number] = games[number].send(answer)
            except StopIteration as end:
                found[number] = end.value
        answers = dict(zip(asked, other(list(asked.values())), strict=True))
    return found


def measure(asked: argparse.Namespace) -> dict[str, Any]:
    level = Level(asked.game, asked.seats, asked.level)
    other = Other(asked.other, asked.game, asked.seats, asked.level)
    gift = gift_of_master(asked.game, asked.seats) if asked.adjusted else None
    number, found = -(-asked.games // asked.seats), list[float]()
    planned = list(product(range(number), range(asked.seats)))
    for at in range(0, len(planned), AT_ONCE):
        some = planned[at : at + AT_ONCE]
        found += play_all([play(level, gift, asked.seed, *game) for game in some], other)
    deals = np.array(found).reshape(number, asked.seats).mean(axis=1)
    other.process.kill()
    return {
        "game": asked.game,
        "seats": asked.seats,
        "level": asked.level,
        "games": len(deals) * asked.seats,
        "adjusted": asked.adjusted,
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
    parser.add_argument("--adjusted", action="store_true", help="without the luck of the dice")
    parser.add_argument("--answer", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.answer:
        answer(Level(asked.game, asked.seats, asked.level))
    else:
        print(json.dumps(measure(asked)))


if __name__ == "__main__":
    main()
