"""Where bots think: away from the loop, so that nobody's move waits for them."""

import asyncio
import os
import random
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from qwixx import bots
from qwixx.core.game import Game

# Stand in for a bot that fails: they need nothing but the rules.
PLAIN_LEVELS: Final = (
    "greedy",
    "random",
)


def simpler(level: str) -> str | None:
    """The level that takes over where this one fails; None after the last."""
    weaker = (
        list(bots.LEVELS)[: list(bots.LEVELS).index(level)]
        if level in bots.LEVELS
        else PLAIN_LEVELS
    )
    return next((plain for plain in PLAIN_LEVELS if plain in weaker), None)


class Thinkers:
    """Every level, and the thread in which they decide."""

    def __init__(self) -> None:
        self._bots = {level: bots.resolve(level) for level in bots.LEVELS}
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="bots")

    async def decide(self, level: str, game: Game[Any], state: Any, seat: int) -> bots.Decision:
        """The choice of a bot for a seat. Whatever goes wrong in it is raised here."""
        bot, rng = self._bots[level], random.Random(os.urandom(16))
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, bots.decide, bot, game, state, seat, rng)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
