"""Steps a second of the environments, beside envpool's fastest toys and a plain Python environment,
in turns within one run, in processor time on one core.

A step is one choice of one seat, with the observation and the mask of the next one written; the
choices themselves are any legal ones, and drawing them is part of the time. envpool is measured if
it is installed (`pip install envpool`), one thread, the same number of environments. The plain Python
environment is ours, through the law: `python bench/rl.py`
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

from qwixx.rl import gymnasium as rl
from qwixx.rl import pettingzoo as zoo

ENVS = 1024
TOYS = ("CartPole-v1", "Taxi-v3")

Measure = Callable[[], float]


def speed(many: Any, steps: int) -> Measure:
    """Steps a second of one of our batches."""
    many.reset(seed=1)
    for _ in range(60):
        many.step(many.any_actions())

    def measure() -> float:
        began = time.process_time()
        for _ in range(steps):
            many.step(many.any_actions())
        return float(steps * many.num_envs / (time.process_time() - began))

    return measure


def plain() -> Measure:
    """Steps a second of PettingZoo's turns, played by the law."""
    env, rng = zoo.AEC("classic", 2), np.random.default_rng(1)
    env.reset(seed=1)

    def measure() -> float:
        began, steps = time.process_time(), 0
        while steps < 3000:
            if not any(env.terminations.values()):
                shown = env.observe(env.agent_selection)
                env.step(int(rng.choice(np.flatnonzero(shown["action_mask"]))))
                steps += 1
            else:
                env.reset()
        return steps / (time.process_time() - began)

    return measure


def toy(name: str) -> Measure:
    """Steps a second of a toy of envpool."""
    import envpool  # noqa: PLC0415 - it may be missing

    many = envpool.make_gymnasium(name, num_envs=ENVS, num_threads=1)
    many.reset()
    actions = np.random.default_rng(1).integers(0, many.action_space.n, ENVS).astype(np.int32)

    def measure() -> float:
        # Its thread is its own, so the clock on the wall: this process does nothing beside.
        began = time.perf_counter(), time.process_time()
        for _ in range(200):
            many.step(actions)
        used = time.process_time() - began[1]
        return 200 * ENVS / min(used, time.perf_counter() - began[0])

    return measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="no bots that think")
    options = parser.parse_args()
    ours = {
        "classic, all seats ours": rl.vector("classic", ENVS, [], players=2),
        "duel, all seats ours": rl.vector("duel", ENVS, [], players=2),
    }
    if not options.quick:
        for level in ("random", "greedy", "expert"):
            ours[f"classic against {level}"] = rl.vector("classic", ENVS, [level])
    measures = {name: speed(many, 4 if "expert" in name else 200) for name, many in ours.items()}
    measures["plain Python, classic"] = plain()
    if find_spec("envpool"):
        measures |= {f"envpool {name}": toy(name) for name in TOYS}
    found: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(options.rounds):
        for name, measure in measures.items():
            found[name].append(measure())
    first = found["classic, all seats ours"]
    print(json.dumps({name: round(max(speeds)) for name, speeds in found.items()}, indent=1))
    for name in list(measures)[1:]:
        ratios = [own / other for own, other in zip(first, found[name], strict=True)]
        print(f"classic, all seats ours : {name} = {statistics.median(ratios):.1f}")
    for name, many in ours.items():
        print(
            f"{name}: {many.bytes_an_environment} bytes an environment, "
            f"{many.coding.size + len(many.coding.moves)} shown of it"
        )


if __name__ == "__main__":
    main()
