"""How long a hint takes, in plain Python and numpy, on one core.

The positions are those of games between greedy bots. `python bench/study.py`
"""

import argparse
import json
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import qwixx
from qwixx import bots
from qwixx.study import Adviser

TABLES = [
    *((game_id, players) for game_id in ("classic", "mixed-b") for players in (1, 2, 3, 5)),
    ("duel", 2),
]


def positions(
    game: qwixx.Game[Any], players: int, share: float, rng: Random
) -> Iterator[tuple[Any, int]]:
    """Tables with a seat that has a choice: about this share of all that come up, without end."""
    bot = bots.resolve("greedy")
    while True:
        state = game.start(players, rng.randrange(players))
        while state.phase != "over":
            if state.phase == "roll":
                state = game.roll(
                    state, qwixx.throw(rng, game.dice_in_play(state), game.layout.faces)
                )
            for seat in game.to_act(state):
                if rng.random() < share and len(game.moves(state, seat)) > 1:
                    yield state, seat
                state = game.choose(state, seat, bots.decide(bot, game, state, seat, rng).move)


def measure(adviser: Adviser, game_id: str, players: int, hints: int) -> dict[str, Any]:
    game, rng, seconds, cpu = qwixx.game(game_id), Random(players), [], []
    asked = positions(game, players, 0.2, rng)
    adviser.hint(game, *next(asked))  # numpy and the net are loaded
    for _ in range(hints):
        state, seat = next(asked)
        began, worked = time.perf_counter(), time.process_time()
        adviser.hint(game, state, seat)
        seconds.append(time.perf_counter() - began)
        cpu.append(time.process_time() - worked)
    return {
        "table": f"{game_id}{players}",
        "p50_ms": round(sorted(seconds)[hints // 2] * 1e3, 1),
        "most_ms": round(max(seconds) * 1e3, 1),
        "most_cpu_ms": round(max(cpu) * 1e3, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hints", type=int, default=200, help="at each table")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    adviser = Adviser()
    for game_id, players in TABLES:
        found = measure(adviser, game_id, players, options.hints)
        if options.json:
            print(json.dumps(found), flush=True)
            continue
        times = f"{found['p50_ms']:>7.1f} ms, at most {found['most_ms']:>7.1f} ms"
        print(f"{found['table']:<9} {times} ({found['most_cpu_ms']:.0f} ms of work)", flush=True)


if __name__ == "__main__":
    main()
