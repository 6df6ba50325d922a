"""How long a bot with a net takes for a decision, plain and compiled (extra "lab"):
python bench/deciding.py [GAMES]. Processor time; both decide about the same tables with the same luck.
"""

import sys
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import qwixx
from qwixx import bots
from qwixx.bots import fast
from qwixx.bots.master import MasterBot

TABLES = [("classic", 2), ("duel", 2), ("classic", 5)]
LEVELS = ("expert", "master")


def decisions(game: qwixx.Game[Any], players: int, games: int) -> Iterator[tuple[Any, int]]:
    """All of some games between greedy bots."""
    greedy = bots.resolve("greedy")
    for number in range(games):
        rng, state = Random(number), game.start(players)
        while not game.result(state).over:
            if seats := game.to_act(state):
                yield state, seats[0]
                move = bots.decide(greedy, game, state, seats[0], rng).move
                state = game.choose(state, seats[0], move)
            else:
                dice = qwixx.throw(rng, game.dice_in_play(state), game.layout.faces)
                state = game.roll(state, dice)


def main(games: int) -> None:
    for game_id, players in TABLES:
        game = qwixx.game(game_id)
        fast.warm_up(game_id)
        for level in LEVELS:
            compiled = fast.made(level, game, players)
            assert compiled is not None
            plain = MasterBot(1000) if level == "master" else bots.resolve(level)
            times: dict[str, list[float]] = {"plain": [], "compiled": []}
            for number, (state, seat) in enumerate(decisions(game, players, games)):
                moves = set()
                for way, bot in (("plain", plain), ("compiled", compiled)):
                    start = time.process_time()
                    moves.add(bots.decide(bot, game, state, seat, Random(number)).move)
                    times[way].append(1000 * (time.process_time() - start))
                assert len(moves) == 1, (state, seat)
            said = ", ".join(
                f"{way} {sum(found) / len(found):.2f} ms (at most {max(found):.1f})"
                for way, found in times.items()
            )
            print(f"{game_id} for {players}, {level}, {len(times['plain'])} decisions: {said}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
