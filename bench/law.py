"""Random games through the law, in plain Python on one core,
beside a bare loop that only rolls six dice.

Every choice is uniform over the legal moves. Both run in turn, several times over,
so that a noisy machine disturbs both alike; the best round of each counts. `python bench/law.py`
"""

import argparse
import json
import time
from random import Random
from typing import Any

import qwixx

TABLES = [
    ("classic", 1),
    ("classic", 2),
    ("classic", 3),
    ("classic", 4),
    ("classic", 5),
    ("duel", 2),
]


def play(game: qwixx.Game[Any], players: int, rng: Random) -> int:
    """One random game; the number of its turns."""
    state, turns = game.start(players, rng.randrange(players)), 0
    while state.phase != "over":
        if state.phase == "roll":
            turns += 1
            state = game.roll(state, qwixx.throw(rng, game.dice_in_play(state), game.layout.faces))
        for seat in game.to_act(state):
            state = game.choose(state, seat, rng.choice(game.moves(state, seat)))
    return turns


def bare(turns: int, rng: Random) -> None:
    for _ in range(turns):
        for _ in range(6):
            rng.randrange(1, 7)


def one_round(
    game: qwixx.Game[Any], players: int, games: int, rng: Random
) -> tuple[float, float, int]:
    """Seconds in the law, seconds for its dice alone, turns played."""
    start = time.process_time()
    turns = sum(play(game, players, rng) for _ in range(games))
    between = time.process_time()
    bare(turns, rng)
    return between - start, time.process_time() - between, turns


def measure(game_id: str, players: int, games: int, rounds: int) -> dict[str, Any]:
    game = qwixx.game(game_id)
    found = [one_round(game, players, games, Random(number)) for number in range(rounds)]
    law = min(law / turns for law, _, turns in found)
    dice = min(dice / turns for _, dice, turns in found)
    turns_a_game = sum(turns for _, _, turns in found) / games / rounds
    return {
        "table": f"{game_id}{players}",
        "games_per_second": round(1 / law / turns_a_game),
        "turns_per_game": round(turns_a_game, 1),
        "times_bare_dice": round(law / dice, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=400, help="games a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    for game_id, players in TABLES:
        found = measure(game_id, players, options.games, options.rounds)
        if options.json:
            print(json.dumps(found), flush=True)
            continue
        speed = f"{found['games_per_second']:>6} games/s  {found['turns_per_game']:>5} turns a game"
        print(
            f"{found['table']:<9} {speed}  {found['times_bare_dice']:>5} times the bare dice",
            flush=True,
        )


if __name__ == "__main__":
    main()
