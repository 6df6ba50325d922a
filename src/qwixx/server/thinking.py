"""Where bots think, and hints are found: away from the loop, so that nobody's move waits for them."""

import asyncio
import os
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

from qwixx import bots
from qwixx.core.game import Game
from qwixx.server.refusals import Refusal
from qwixx.study import Adviser, Hint

# Stand in for a bot that fails: they need nothing but the rules.
PLAIN_LEVELS: Final = ("greedy", "random")
# A server whose bots never rest gives hints all the same, but so much later.
LONGEST_WAIT: Final = 2.0


def simpler(level: str) -> str | None:
    """The level that takes over where this one fails; None after the last."""
    weaker = (
        list(bots.LEVELS)[: list(bots.LEVELS).index(level)]
        if level in bots.LEVELS
        else PLAIN_LEVELS
    )
    return next((plain for plain in PLAIN_LEVELS if plain in weaker), None)


class Thinkers:
    """Every level and the thread in which they decide; and one in which hints are found,
    one after the other, while no bot thinks."""

    def __init__(self, hints_waiting: int) -> None:
        self._bots = {level: bots.resolve(level) for level in bots.LEVELS}
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="bots")
        self._deciding = 0
        self._rest = asyncio.Event()  # no bot thinks
        self._rest.set()
        self._adviser = Adviser()
        self._hint_thread = ThreadPoolExecutor(1, thread_name_prefix="hints")
        self._hint_turn = asyncio.Lock()
        self._hints_waiting, self._hints_most = 0, hints_waiting

    async def decide(self, level: str, game: Game[Any], state: Any, seat: int) -> bots.Decision:
        """The choice of a bot for a seat. Whatever goes wrong in it is raised here."""
        bot, rng = self._bots[level], random.Random(os.urandom(16))
        loop = asyncio.get_running_loop()
        self._deciding += 1
        self._rest.clear()
        try:
            return await loop.run_in_executor(
                self._threads, bots.decide, bot, game, state, seat, rng
            )
        finally:
            self._deciding -= 1
            if not self._deciding:
                self._rest.set()

    async def hint(
        self, game: Game[Any], state: Any, seat: int, wanted: Callable[[], bool]
    ) -> Hint | None:
        """What would be best for a seat; None if nobody wants to know any more when it is its turn."""
        if self._hints_waiting >= self._hints_most:
            raise Refusal("too_many", "too many wait for a hint just now: ask again in a moment")
        self._hints_waiting += 1
        loop = asyncio.get_running_loop()
        latest = loop.time() + LONGEST_WAIT
        try:
            async with self._hint_turn:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._rest.wait(), max(0.0, latest - loop.time()))
                if not wanted():
                    return None
                return await loop.run_in_executor(
                    self._hint_thread, self._adviser.hint, game, state, seat
                )
        finally:
            self._hints_waiting -= 1

    async def rest(self) -> None:
        """Wait until no bot thinks, but not for ever."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._rest.wait(), LONGEST_WAIT)

    def close(self) -> None:
        for threads in (self._threads, self._hint_thread):
            threads.shutdown(wait=False, cancel_futures=True)
