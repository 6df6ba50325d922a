"""What choices of each level lose in the mean, and how errors are spread: the data of study/grades.json.

Every level plays every other with all numbers of seats, and every choice is reviewed.
`python bench/grades.py --games 100 --write` measures all and writes the rates.
"""

import argparse
import json
from collections import defaultdict
from typing import Any

import numpy as np

from qwixx import bots, games, study
from qwixx.lab import matches
from qwixx.study.grading import GRADES, bounds
from qwixx.study.turns import judged, turns

SEED = 16


def losses(game_id: str, players: int, number: int) -> tuple[dict[str, list[float]], list[float]]:
    """What every choice lost, by level, in wins or alone in points; and the rests of all games."""
    levels = bots.levels(game_id, players)
    contest = matches.contest(game_id, levels, players, SEED, keep_events=True)
    deals = max(1, -(-number // contest.games_a_deal))
    game = games.game(game_id)
    judge = study.judgement(game, players, "compiled")
    found: dict[str, list[float]] = defaultdict(list)
    rests: list[float] = []
    for record in matches.records(contest, matches.play(contest, range(deals))):
        names = [name.removeprefix("bot:") for name in record.seats]
        rest = np.zeros(players)
        for turn in turns(game, record):
            one = judged(judge, turn)
            rest += [worth.points if players == 1 else worth.win for worth in one.rest]
            for choice in one.decisions:
                if choice.chosen:
                    lost = choice.loss.points if players == 1 else choice.loss.win
                    found[names[choice.seat]].append(lost)
        rests += rest.tolist()
    return found, rests


def told(game_id: str, players: int, found: dict[str, list[float]], rests: list[float]) -> None:
    """The rates with their intervals, and how many choices bear each label."""
    print(f"{game_id}{players}: rest {np.mean(rests):+.4f}, spread {np.std(rests):.4f}")
    for level in bots.levels(game_id, players):
        lost = np.array(found[level])
        half = 1.96 * lost.std() / max(1, len(lost)) ** 0.5
        shares = {
            label: round(float((lost >= bound).mean()), 4)
            for label, bound in bounds(players == 1).items()
        }
        wrong = lost[lost > 0]
        quantiles = np.quantile(wrong, [0.25, 0.5, 0.75, 0.9, 0.97]) if len(wrong) else []
        print(
            f"  {level:<7} {lost.mean():.5f} ± {half:.5f} in {len(lost)} choices; not best "
            f"{(lost > 0).mean():.3f}; at least {shares}; quantiles of errors "
            f"{[round(float(one), 4) for one in quantiles]}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=100, help="at each table, at least")
    parser.add_argument("--table", action="append", help="such as classic2; all by default")
    parser.add_argument("--write", action="store_true", help="put the rates into grades.json")
    options = parser.parse_args()
    for game_id in games.ids():
        for players in games.game(game_id).players:
            if options.table and f"{game_id}{players}" not in options.table:
                continue
            found, rests = losses(game_id, players, options.games)
            told(game_id, players, found, rests)
            if options.write:
                grades: dict[str, Any] = json.loads(GRADES.read_text(encoding="utf-8"))
                rates = grades["rates"].setdefault(game_id, {})
                rates[str(players)] = {
                    level: round(float(np.mean(found[level])), 6)
                    for level in bots.levels(game_id, players)
                }
                GRADES.write_text(json.dumps(grades, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
