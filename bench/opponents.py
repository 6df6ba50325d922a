"""How long the trained opponents think about one decision, in plain Python and numpy, on one core.

The positions are those of games between experts. The master is given all the time it wants,
so that what it needs is seen, and not where its clock stops it. `python bench/opponents.py`
"""

import argparse
import json
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import qwixx
from qwixx.bots import Bot, decide
from qwixx.bots.expert import ExpertBot
from qwixx.bots.master import MasterBot

TABLES = [("classic", 2), ("classic", 3), ("classic", 4), ("classic", 5), ("duel", 2)]


def positions(
    game: qwixx.Game[Any], players: int, share: float, rng: Random
) -> Iterator[tuple[Any, int]]:
    """Tables with a seat that is to choose:
    about this share of all that come up between experts, without end."""
    bot = ExpertBot()
    while True:
        state = game.start(players, rng.randrange(players))
        while state.phase != "over":
            if state.phase == "roll":
                state = game.roll(
                    state, qwixx.throw(rng, game.dice_in_play(state), game.layout.faces)
                )
            for seat in game.to_act(state):
                if rng.random() < share:
                    yield state, seat
                state = game.choose(state, seat, decide(bot, game, state, seat, rng).move)


def measure(bot: Bot, game_id: str, players: int, decisions: int, share: float) -> dict[str, Any]:
    game, rng, seconds = qwixx.game(game_id), Random(players), []
    asked = positions(game, players, share, rng)
    decide(bot, game, *next(asked), rng)  # numpy and the net are loaded
    for _ in range(decisions):
        state, seat = next(asked)
        began = time.process_time()
        decide(bot, game, state, seat, rng)
        seconds.append(time.process_time() - began)
    seconds.sort()
    middle, late = seconds[decisions // 2], seconds[decisions * 99 // 100]
    return {
        "table": f"{game_id}{players}",
        "p50_ms": round(middle * 1e3, 2),
        "p99_ms": round(late * 1e3, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--decisions", type=int, default=1000, help="of the expert; of the master a tenth"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for level, bot, decisions in (
        ("expert", ExpertBot(), options.decisions),
        ("master", MasterBot(seconds=1000.0), max(1, options.decisions // 10)),
    ):
        for game_id, players in TABLES:
            found = {"level": level} | measure(
                bot, game_id, players, decisions, 1.0 if level == "expert" else 0.2
            )
            if options.json:
                print(json.dumps(found), flush=True)
                continue
            times = f"{found['p50_ms']:>8.2f} ms, one in a hundred over {found['p99_ms']:>8.2f} ms"
            print(f"{level:<7} {found['table']:<9} {times}", flush=True)


if __name__ == "__main__":
    main()
