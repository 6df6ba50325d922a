"""The lab beside straightforward C (bench/peers), in turns within one run, in processor time.

Random two-player games a second, the exact practice game, and the time to a first result with nothing compiled yet
and with the machine code kept from before. `python bench/lab.py` (a C compiler is needed; a few minutes)
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from qwixx.games.classic import GAME
from qwixx.games.classic.solution import sizes_of
from qwixx.lab import bench, solve

PEERS = Path(__file__).parent / "peers"


def build(name: str, folder: Path, flags: list[str]) -> Path:
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        sys.exit("a C compiler is needed")
    program = folder / name
    subprocess.run([compiler, *flags, "-o", str(program), str(PEERS / f"{name}.c")], check=True)
    return program


def numbers(program: Path, *words: str) -> list[float]:
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def playouts(program: Path, rounds: int) -> dict[str, Any]:
    """Two-player games a second on one core, ours and in C, and the ratio in every round."""
    ours, peers = [], []
    for number in range(rounds):
        ours.append(bench.playouts(GAME, 2))
        played, seconds, *_ = numbers(program, "2", "1000000", str(number))
        peers.append(played / seconds)
    ratios = [own / peer for own, peer in zip(ours, peers, strict=True)]
    return {"ours": round(max(ours)), "c": round(max(peers)), "of_c": [round(ratio, 2) for ratio in ratios]}


def solving(program: Path, rounds: int) -> dict[str, Any]:
    """Processor seconds of the exact practice game, ours on one thread and in C."""
    sizes = sizes_of(GAME)
    bench.solve_warm()
    ours, peers = [], []
    for _ in range(rounds):
        solution = solve.compute(sizes, 1, threads=1)
        ours.append(solution.cpu_seconds)
        value, states, seconds = numbers(program)
        peers.append(seconds)
        assert (round(value, 6), states) == (round(solution.seats[0], 6), solution.states)
    ratios = [own / peer for own, peer in zip(ours, peers, strict=True)]
    best = {"ours": round(min(ours), 1), "c": round(min(peers), 1)}
    return best | {"times_c": [round(ratio, 2) for ratio in ratios], "median": round(statistics.median(ratios), 2)}


def first_results() -> dict[str, dict[str, float]]:
    """Seconds from typing a command to its answer: nothing compiled yet, then all of it kept from before."""
    commands = {
        "arena, 2 games": ["arena", "classic", "random", "random", "--games", "2"],
        "arena, 2 duels": ["arena", "duel", "random", "random", "--games", "2"],
        "solve": ["solve", "--fresh"],
        "solve, kept table": ["solve"],
    }
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "QWIXX_CACHE": folder, "NUMBA_CACHE_DIR": f"{folder}/compiled"}
        for name, words in commands.items():
            clocks = {}
            for state in ("cold", "warm"):
                began, cpu = time.perf_counter(), _children()
                command = [sys.executable, "-m", "qwixx", *words]
                subprocess.run(command, env=environment, capture_output=True, check=True)
                clocks[state] = round(time.perf_counter() - began, 1)
                clocks[f"{state}_cpu"] = round(_children() - cpu, 1)
            found[name] = clocks
    return found


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--flags", default="-O2", help="how the peers are compiled")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        flags = options.flags.split()
        random_games, solver = (build(name, Path(folder), flags) for name in ("playouts", "solve"))
        print(json.dumps({"random two-player games a second": playouts(random_games, options.rounds)}), flush=True)
        print(json.dumps({"processor seconds of the solution": solving(solver, options.rounds)}), flush=True)
    print(json.dumps({"seconds to the first result": first_results()}), flush=True)


if __name__ == "__main__":
    main()
