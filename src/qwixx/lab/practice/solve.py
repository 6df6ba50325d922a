"""Solving the practice game:
every sheet's value from those of the sheets that can follow it, last ones first."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import numpy as np

from qwixx.games import family
from qwixx.games.classic.sheets import Sheets, Sizes
from qwixx.games.classic.solution import Solution
from qwixx.lab.interrupts import held_back
from qwixx.lab.practice.solver import solve_sheets
from qwixx.lab.progress import Advance
from qwixx.lab.workers import cores

_CHUNK: Final = 2048  # sheets a thread solves at a time


def compute(
    sizes: Sizes, players: int, advance: Advance = lambda _: None, threads: int | None = None
) -> Solution:
    """Solve every sheet, last ones first.
    Sheets of one layer cannot follow each other, so threads share them."""
    began, cpu_began = time.perf_counter(), time.process_time()
    sheets = Sheets(sizes)
    table = np.zeros((players, sheets.slots, sizes.most_failed))
    rest = (
        sheets.pairs,
        sheets.follow,
        sheets.gains,
        float(family.FAILED_COST),
        sizes.faces,
        table,
    )
    layers = sheets.layers()
    with held_back():
        solve_sheets(layers[0][:0], *rest)  # compiled, or fetched, before the threads begin
    pool = ThreadPoolExecutor(threads or cores())
    try:
        for layer in layers:
            chunks = [layer[at : at + _CHUNK] for at in range(0, len(layer), _CHUNK)]
            for chunk, done in zip(
                chunks, [pool.submit(solve_sheets, chunk, *rest) for chunk in chunks], strict=True
            ):
                done.result()
                advance(len(chunk) * sizes.most_failed)
    finally:
        pool.shutdown(cancel_futures=True)
    return Solution(
        sheets, players, table, time.perf_counter() - began, time.process_time() - cpu_began
    )
