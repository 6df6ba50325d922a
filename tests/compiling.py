"""Compiles what the tests need and keeps it, each thing once:
`python tests/compiling.py classic` (or duel).

Without this,
several processes of a first test run would compile the same kernels beside each other.
"""

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random

from surroundings import settle

settle()


import qwixx  # noqa: E402
from qwixx import study  # noqa: E402
from qwixx.games.classic import solution  # noqa: E402
from qwixx.lab import matches  # noqa: E402
from qwixx.lab.practice import solve  # noqa: E402
from qwixx.lab.training import train  # noqa: E402
from qwixx.rl import gymnasium as rl  # noqa: E402
from test_kernels import Pair, eager_events  # noqa: E402
from test_solve import SMALL  # noqa: E402
from test_train import PLAN, quiet  # noqa: E402


def play(game_id: str) -> None:
    """Whole games of every bot, and the law's steps beside the kernel's."""
    game = qwixx.game(game_id)
    for players in game.players:
        matches.play(matches.contest(game_id, ["greedy"], players, 1), range(1))
        pair = Pair(game, players)
        for before, event, after in eager_events(game, players, Random(1)):
            table = pair.kernel.pack(game, before)
            pair.happen(table, event)
            pair.check(after, table, pair.seats)
            pair.check_all(after, table)
        pair.check_scores(after, table)


def step(game_id: str) -> None:
    """Environments with every seat ours."""
    many = rl.vector(game_id, 2, [], players=2)
    many.reset(seed=1)
    many.step(many.any_actions())


def main(game_id: str) -> None:
    play(game_id)
    study.warm_up(game_id)
    step(game_id)
    if game_id == PLAN.game:
        with tempfile.TemporaryDirectory() as folder:
            train.train(replace(PLAN, seats={2: 20}, generations=1), Path(folder), quiet, quiet)
    if game_id == SMALL.id:
        solve.compute(solution.sizes_of(SMALL), 1)


if __name__ == "__main__":
    main(sys.argv[1])
