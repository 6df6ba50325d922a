"""How strong the levels are, and how true their chances: the tables of docs/opponents.md.

Every level plays the one below and the formula, one against the others, at every table. `python bench/ladder.py`
plays all of it (an hour or so on two cores); `--only calibration` and the like a part of it.
"""

import argparse
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from qwixx.games.kernel import MOVES, OVER, ROLL, dealt

import qwixx
from qwixx import bots, games
from qwixx.bots.net import numbers_of
from qwixx.lab import arena, matches

TABLES = [("classic", 2), ("classic", 3), ("classic", 4), ("classic", 5), ("duel", 2)]
LEVELS = list(bots.LEVELS)
NETS = {"small net": True, "large net": False}  # whose chances are compared with what came of them
BINS = 10


def contest(game_id: str, seats: int, names: list[str], number: int, seed: int = 2026) -> dict[str, Any]:
    """One contest as the arena plays it: the first bot's share of the wins with its interval, and its points."""
    asked = matches.contest(game_id, names, seats, seed)
    report, _ = arena.run(asked, arena.deals_for(asked, number), arena.Place())
    first = report.bots[0]
    return {
        "game": game_id,
        "seats": seats,
        "bots": names,
        "games": report.games,
        "win": round(first.win.mean, 4),
        "low": round(first.win.low, 4),
        "high": round(first.win.high, 4),
        "points": round(first.score.mean, 2),
        "turns": round(report.turns, 1),
    }


def ladder(tables: list[tuple[str, int]], number: int, by_master: int) -> list[dict[str, Any]]:
    found = []
    for game_id, seats in tables:
        for below, level in pairwise(LEVELS):
            for other in (below, "formula"):
                found.append(contest(game_id, seats, [level, other], by_master if level == "master" else number))
                print(json.dumps(found[-1]), flush=True)
    return found


def practice(number: int) -> list[dict[str, Any]]:
    """The practice game; with the exact table in the cache, the trained levels follow it."""
    found = []
    for level in LEVELS:
        found.append(contest("classic", 1, [level], number if level != "master" else number // 10))
        print(json.dumps(found[-1]), flush=True)
    return found


def calibration(name: str, game_id: str, seats: int, number: int) -> dict[str, Any]:
    """In games of a net with itself: of the choices that were given some chance to win, how many were won."""
    kernel, expert = games.kernel_of(game_id), games.kernel_of(game_id, "expert_kernel")
    board, net = kernel.board(qwixx.game(game_id)), numbers_of(game_id, seats, NETS[name])
    wins, points = np.zeros(MOVES, np.float32), np.zeros(MOVES, np.float32)
    told, came, expected, ended = list[float](), list[float](), list[float](), list[int]()
    for game in range(number):
        table, turns, asked = np.zeros(kernel.words(seats), np.int64), 0, list[int]()
        kernel.start(table, game % seats)
        while kernel.phase(table) != OVER:
            if kernel.phase(table) == ROLL:
                kernel.roll(table, dealt(7, game, turns, board.faces, board.rows, kernel.closed_rows(table)))
                turns += 1
            for seat in range(seats):
                if kernel.to_act(table, seat):
                    best = expert.weigh(board, table, seat, net, False, wins, points)
                    told.append(float(wins[best]))
                    expected.append(float(points[best]))
                    asked.append(seat)
                    kernel.choose(board, table, seat, best)
        totals = [kernel.total(board, table, seat) for seat in range(seats)]
        came += [(totals[seat] == max(totals)) / totals.count(max(totals)) for seat in asked]
        ended += [totals[seat] for seat in asked]
    said, happened = np.array(told), np.array(came)
    which = np.minimum((said * BINS).astype(int), BINS - 1)
    rows = [
        {
            "from": place / BINS,
            "choices": int((which == place).sum()),
            "told": round(float(said[which == place].mean()), 3),
            "came": round(float(happened[which == place].mean()), 3),
        }
        for place in range(BINS)
        if (which == place).any()
    ]
    off = float(np.sum([row["choices"] * abs(row["told"] - row["came"]) for row in rows]) / len(said))
    bias = float(np.mean(np.array(expected) - np.array(ended)))
    found = {"games": number, "off": round(off, 4), "points_bias": round(bias, 2), "bins": rows}
    print(json.dumps({"net": name, "game": game_id, "seats": seats} | found), flush=True)
    return found


def as_tables(found: dict[str, Any]) -> str:
    """What was found as the tables of docs/opponents.md."""
    lines = ["| | " + " | ".join(_title(*table) for table in TABLES) + " |", "|---" * (len(TABLES) + 1) + "|"]
    for below, level in pairwise(LEVELS):
        for other in (below, "formula"):
            played = {
                (entry["game"], entry["seats"]): entry
                for entry in found.get("ladder", [])
                if entry["bots"] == [level, other]
            }
            cells = [_cell(played.get(table)) for table in TABLES]
            lines.append(f"| `{level}` against `{other}` | " + " | ".join(cells) + " |")
    lines += ["", "| | points |", "|---|---|"]
    for entry in found.get("practice", []):
        lines.append(f"| `{entry['bots'][0]}` | {entry['points']:.1f} ({entry['games']:,} games) |")
    for name in NETS:
        lines += ["", *_calibrated(name, found.get("calibration", {}))]
    return "\n".join(lines)


def _calibrated(name: str, found: dict[str, Any]) -> list[str]:
    titles = [_title(game_id, seats) for game_id, seats in TABLES]
    lines = [f"| {name}: told | " + " | ".join(titles) + " |", "|---" * (len(TABLES) + 1) + "|"]
    measured = [found.get(f"{name} {game_id} {seats}") for game_id, seats in TABLES]
    for place in range(BINS):
        cells = []
        for one in measured:
            row = [entry for entry in one["bins"] if entry["from"] == place / BINS] if one else []
            cells.append(f"{100 * row[0]['told']:.1f} → {100 * row[0]['came']:.1f}" if row else "–")
        lines.append(f"| {10 * place} to {10 * place + 10} % | " + " | ".join(cells) + " |")
    for title, cells in (
        ("mean distance", [f"{100 * one['off']:.1f}" if one else "–" for one in measured]),
        ("points told too high by", [f"{one['points_bias']:.1f}" if one else "–" for one in measured]),
        ("games", [f"{one['games']:,}" if one else "–" for one in measured]),
    ):
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def _cell(entry: dict[str, Any] | None) -> str:
    return f"{100 * entry['win']:.1f} ± {50 * (entry['high'] - entry['low']):.1f}" if entry else "–"


def _title(game_id: str, seats: int) -> str:
    return game_id if len(qwixx.game(game_id).players) == 1 else f"{game_id}, {seats} seats"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--by-master", type=int, default=2_000, help="games of the master, which thinks long")
    parser.add_argument(
        "--table", choices=[f"{game_id}{seats}" for game_id, seats in TABLES], help="only this table"
    )
    parser.add_argument("--only", choices=["ladder", "practice", "calibration"])
    parser.add_argument("--json", type=Path, help="keep what was found here, beside what is there")
    asked = parser.parse_args()
    found: dict[str, Any] = {}
    if asked.json and asked.json.exists():
        found = json.loads(asked.json.read_text(encoding="utf-8"))
    tables = [table for table in TABLES if asked.table in (None, f"{table[0]}{table[1]}")]
    if asked.only in (None, "ladder"):
        others = [entry for entry in found.get("ladder", []) if (entry["game"], entry["seats"]) not in tables]
        found["ladder"] = others + ladder(tables, asked.games, asked.by_master)
    if asked.only in (None, "practice"):
        found["practice"] = practice(asked.games)
    if asked.only in (None, "calibration"):
        found["calibration"] = found.get("calibration", {}) | {
            f"{name} {game_id} {seats}": calibration(name, game_id, seats, asked.games // 5)
            for name in NETS
            for game_id, seats in tables
        }
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(as_tables(found))


if __name__ == "__main__":
    main()
