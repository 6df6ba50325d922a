"""How strong the levels are, and how true their chances: the tables of docs/opponents.md.

Every level of a game plays the one below, `greedy` and the formula, one against the others, at
every table. `python bench/ladder.py` plays all of it (hours on two cores); `--only calibration` and
the like a part of it.
"""

import argparse
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from qwixx import bots, games
from qwixx.bots import minds
from qwixx.bots.net import stored
from qwixx.compiled.chance import dealt
from qwixx.compiled.contract import acting, choose, closed, phase, roll, start
from qwixx.compiled.judging import final
from qwixx.compiled.net import new_mind
from qwixx.compiled.playing import TRAINED
from qwixx.compiled.printed import MOVES, OVER, ROLL
from qwixx.compiled.thinking import ponder
from qwixx.core.values import POINT, WIN
from qwixx.lab import arena, matches

Table = tuple[str, int]  # a game and how many sit down to it

TABLES = [
    (game_id, seats)
    for game_id in games.ids()
    for seats in games.game(game_id).players
    if seats > 1
]
ALONE = [game_id for game_id in games.ids() if 1 in games.game(game_id).players]
# Whose chances are compared with what came of them: the nets, by a level that has them.
NETS = {"small net": "expert", "large net": "master"}
BINS = 10


def pairs(levels: tuple[str, ...]) -> list[tuple[str, str]]:
    """Who plays whom: each level the one below, `greedy` if that is weaker still, and the formula."""
    found = dict[tuple[str, str], None]()
    for below, level in pairwise(levels):
        weaker = levels[: levels.index(level)]
        for other in (below, *(one for one in weaker if one == "greedy"), "formula"):
            found[level, other] = None
    return list(found)


def contest(
    game_id: str, seats: int, names: list[str], number: int, seed: int = 2026
) -> dict[str, Any]:
    """One contest as the arena plays it:
    the first bot's share of the wins with its interval, and its points."""
    asked = matches.contest(game_id, names, seats, seed)
    report, _ = arena.run(asked, arena.deals_for(asked, number), arena.Workplace())
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


def ladder(tables: list[Table], number: int, by_master: int) -> list[dict[str, Any]]:
    found = []
    for game_id, seats in tables:
        for level, other in pairs(bots.levels(game_id)):
            found.append(
                contest(game_id, seats, [level, other], by_master if level == "master" else number)
            )
            print(json.dumps(found[-1]), flush=True)
    return found


def practice(number: int) -> list[dict[str, Any]]:
    """The practice game; with the exact table in the cache, the trained levels follow it."""
    found = []
    for game_id in ALONE:
        for level in bots.levels(game_id):
            found.append(
                contest(game_id, 1, [level], number if level != "master" else number // 10)
            )
            print(json.dumps(found[-1]), flush=True)
    return found


def calibration(name: str, game_id: str, seats: int, number: int) -> dict[str, Any]:
    """In games of a net with itself:
    of the choices that were given some chance to win, how many were won."""
    kernel, small = games.kernel_of(game_id), minds.STYLES[NETS[name]].small
    assert kernel is not None
    board, style = kernel.board(games.game(game_id)), minds.Style(TRAINED, small=small)
    rows, nets, sizes = minds.of_styles(game_id, seats, [style], [stored(game_id, seats, small)])
    mind = new_mind(rows[0], nets[0], sizes[0], sizes[1])
    wins, points = np.zeros(MOVES, np.int64), np.zeros(MOVES, np.int64)
    judged, came = list[tuple[float, float]](), list[tuple[float, float]]()
    for game in range(number):
        table, turns, asked = np.zeros(kernel.words(seats), np.int64), 0, list[int]()
        start(board, table, game % seats)
        while phase(board, table) != OVER:
            if phase(board, table) == ROLL:
                roll(
                    board,
                    table,
                    dealt(7, game, turns, board.faces, board.rows, closed(board, table)),
                )
                turns += 1
            acts = acting(board, table)
            for seat in (seat for seat in range(seats) if acts >> seat & 1):
                best = ponder(board, table, seat, mind, wins, points, 0)
                judged.append((wins[best] / WIN, points[best] / POINT))
                asked.append(seat)
                choose(board, table, seat, best)
        ended = [final(board, table, seat) for seat in range(seats)]
        came += [(ended[seat][0] / WIN, ended[seat][1] / POINT) for seat in asked]
    said, expected = np.array(judged).T
    happened, scored = np.array(came).T
    which = np.minimum((said * BINS).astype(int), BINS - 1)
    bins = [
        {
            "from": place / BINS,
            "choices": int((which == place).sum()),
            "told": round(float(said[which == place].mean()), 3),
            "came": round(float(happened[which == place].mean()), 3),
        }
        for place in range(BINS)
        if (which == place).any()
    ]
    off = float(
        np.sum([row["choices"] * abs(row["told"] - row["came"]) for row in bins]) / len(said)
    )
    bias = float(np.mean(expected - scored))
    found = {"games": number, "off": round(off, 4), "points_bias": round(bias, 2), "bins": bins}
    print(json.dumps({"net": name, "game": game_id, "seats": seats} | found), flush=True)
    return found


def as_tables(found: dict[str, Any]) -> str:
    """What was found as the tables of docs/opponents.md:
    those of the games, then those of their other sheets."""
    own = [table for table in TABLES if games.family_of(table[0]) == table[0]]
    parts = [_practice(found.get("practice", []))]
    for tables in (own, [table for table in TABLES if table not in own]):
        parts.append(_strength(tables, found.get("ladder", [])))
        parts += [_calibrated(name, tables, found.get("calibration", {})) for name in NETS]
    return "\n\n".join("\n".join(part) for part in parts if len(part) > 2)


def _practice(found: list[dict[str, Any]]) -> list[str]:
    rows = [
        f"| {one['game']}, `{one['bots'][0]}` | {one['points']:.1f} ({one['games']:,} games) |"
        for one in found
    ]
    return ["| | points |", "|---|---|", *rows]


def _strength(tables: list[Table], found: list[dict[str, Any]]) -> list[str]:
    lines = _heading("", tables)
    for level, other in pairs(tuple(bots.LEVELS)):
        played = {
            (one["game"], one["seats"]): one for one in found if one["bots"] == [level, other]
        }
        if played.keys() & set(tables):
            cells = [_cell(played.get(table)) for table in tables]
            lines.append(f"| `{level}` against `{other}` | " + " | ".join(cells) + " |")
    return lines


def _calibrated(name: str, tables: list[Table], found: dict[str, Any]) -> list[str]:
    lines = _heading(f"{name}: told", tables)
    measured = [found.get(f"{name} {game_id} {seats}") for game_id, seats in tables]
    if not any(measured):
        return lines
    for place in range(BINS):
        cells = []
        for one in measured:
            row = [entry for entry in one["bins"] if entry["from"] == place / BINS] if one else []
            cells.append(f"{100 * row[0]['told']:.1f} → {100 * row[0]['came']:.1f}" if row else "–")
        lines.append(f"| {10 * place} to {10 * place + 10} % | " + " | ".join(cells) + " |")
    for title, cells in (
        ("mean distance", [f"{100 * one['off']:.1f}" if one else "–" for one in measured]),
        (
            "points told too high by",
            [f"{one['points_bias']:.1f}" if one else "–" for one in measured],
        ),
        ("games", [f"{one['games']:,}" if one else "–" for one in measured]),
    ):
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def _cell(entry: dict[str, Any] | None) -> str:
    return f"{100 * entry['win']:.1f} ± {50 * (entry['high'] - entry['low']):.1f}" if entry else "–"


def _heading(first: str, tables: list[Table]) -> list[str]:
    titles = [
        game_id if len(games.game(game_id).players) == 1 else f"{game_id}, {seats} seats"
        for game_id, seats in tables
    ]
    return [" | ".join([f"| {first}".rstrip(), *titles]) + " |", "|---" * (len(tables) + 1) + "|"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument(
        "--by-master", type=int, default=2_000, help="games of the master, which thinks long"
    )
    parser.add_argument(
        "--table",
        choices=[f"{game_id}{seats}" for game_id, seats in TABLES],
        help="only this table",
    )
    parser.add_argument("--only", choices=["ladder", "practice", "calibration"])
    parser.add_argument("--json", type=Path, help="keep what was found here, beside what is there")
    asked = parser.parse_args()
    found: dict[str, Any] = {}
    if asked.json and asked.json.exists():
        found = json.loads(asked.json.read_text(encoding="utf-8"))
    tables = [table for table in TABLES if asked.table in (None, f"{table[0]}{table[1]}")]
    if asked.only in (None, "ladder"):
        others = [
            entry
            for entry in found.get("ladder", [])
            if (entry["game"], entry["seats"]) not in tables
        ]
        found["ladder"] = others + ladder(tables, asked.games, asked.by_master)
    if asked.only in (None, "practice"):
        found["practice"] = practice(asked.games)
    if asked.only in (None, "calibration"):
        found["calibration"] = found.get("calibration", {}) | {
            f"{name} {game_id} {seats}": calibration(name, game_id, seats, asked.games // 5)
            for name, level in NETS.items()
            for game_id, seats in tables
            if level in bots.levels(game_id)
        }
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(as_tables(found))


if __name__ == "__main__":
    main()
