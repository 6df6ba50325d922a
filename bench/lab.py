"""The lab beside straightforward C (bench/peers), in turns within one run, in processor time.

Random two-player games a second, the exact practice game, and the time to a first result with
nothing compiled yet and with the machine code kept from before. The C is built twice: as usual, and
as fast as the compiler can for this processor. `python bench/lab.py` (a C compiler is needed; a few
minutes)
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
from qwixx.lab import bench
from qwixx.lab.practice import solve

PEERS = Path(__file__).parent / "peers"
FLAGS = ["-O2", "-O3 -march=native"]  # how the peers are built

Programs = dict[str, Path]  # one of the peers, by its flags


def build(name: str, folder: Path) -> Programs:
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        sys.exit("a C compiler is needed")
    programs = {flags: folder / f"{name}{number}" for number, flags in enumerate(FLAGS)}
    for flags, program in programs.items():
        command = [compiler, *flags.split(), "-o", str(program), str(PEERS / f"{name}.c")]
        subprocess.run(command, check=True)
    return programs


def numbers(program: Path, *words: str) -> list[float]:
    done = subprocess.run([program, *words], capture_output=True, text=True, check=True)
    return [float(word) for word in done.stdout.split()]


def ratios(ours: list[float], peers: list[float]) -> dict[str, Any]:
    """Ours to theirs, in every round."""
    found = [own / peer for own, peer in zip(ours, peers, strict=True)]
    return {
        "each": [round(ratio, 2) for ratio in found],
        "median": round(statistics.median(found), 2),
    }


def playouts(programs: Programs, rounds: int) -> dict[str, Any]:
    """Two-player games a second on one core, ours and in C, and our speed to theirs."""
    ours = list[float]()
    peers: dict[str, list[float]] = {flags: [] for flags in programs}
    for number in range(rounds):
        ours.append(bench.playouts(GAME, 2))
        for flags, program in programs.items():
            played, seconds, *_ = numbers(program, "2", "1000000", str(number))
            peers[flags].append(played / seconds)
    found: dict[str, Any] = {"ours": round(max(ours))}
    for flags, theirs in peers.items():
        found[f"C {flags}"] = {"games": round(max(theirs)), "of_c": ratios(ours, theirs)}
    return found


def solving(programs: Programs, rounds: int) -> dict[str, Any]:
    """Processor seconds of the exact practice game, ours on one thread and in C,
    and our time to theirs."""
    sizes = sizes_of(GAME)
    bench.solve_warm()
    ours = list[float]()
    peers: dict[str, list[float]] = {flags: [] for flags in programs}
    for _ in range(rounds):
        solution = solve.compute(sizes, 1, threads=1)
        ours.append(solution.cpu_seconds)
        for flags, program in programs.items():
            value, states, seconds = numbers(program)
            peers[flags].append(seconds)
            assert (round(value, 6), states) == (round(solution.seats[0], 6), solution.states)
    found: dict[str, Any] = {"ours": round(min(ours), 1)}
    for flags, theirs in peers.items():
        found[f"C {flags}"] = {"seconds": round(min(theirs), 1), "times_c": ratios(ours, theirs)}
    return found


def first_results() -> dict[str, dict[str, float]]:
    """Seconds from typing a command to its answer:
    nothing compiled yet, then all of it kept from before."""
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
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        random_games, solver = (build(name, Path(folder)) for name in ("playouts", "solve"))
        print(
            json.dumps(
                {"random two-player games a second": playouts(random_games, options.rounds)}
            ),
            flush=True,
        )
        print(
            json.dumps({"processor seconds of the solution": solving(solver, options.rounds)}),
            flush=True,
        )
    print(json.dumps({"seconds to the first result": first_results()}), flush=True)


if __name__ == "__main__":
    main()
