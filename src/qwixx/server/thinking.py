"""Where bots think, and hints are found: away from the loop, so that nobody's move waits for them."""

import asyncio
import logging
import os
import random
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Final

from qwixx import bots
from qwixx.core.fields import Move
from qwixx.core.game import Game
from qwixx.server.judging import Question, Worker
from qwixx.server.limits import Limits
from qwixx.server.metrics import Metrics
from qwixx.server.refusals import Refusal
from qwixx.study import Hint

logger: Final = logging.getLogger("qwixx.server")

# Stand in for a bot that fails: they need nothing but the rules.
PLAIN_LEVELS: Final = ("greedy", "random")
# A server whose bots never rest gives hints all the same, but so much later.
LONGEST_WAIT: Final = 2.0
LONGEST_DECISION: Final = 120.0  # of a bot, in seconds; then a simpler one plays on
NICE: Final = 5  # how much whoever thinks gives way to the server
TURN_OF_OTHERS: Final = 4  # every so many decisions a table without people comes first


def simpler(level: str) -> str | None:
    """The level that takes over where this one fails; None after the last."""
    weaker = (
        list(bots.LEVELS)[: list(bots.LEVELS).index(level)]
        if level in bots.LEVELS
        else PLAIN_LEVELS
    )
    return next((plain for plain in PLAIN_LEVELS if plain in weaker), None)


class Crew:
    """Processes in which bots with nets decide and hints are found, as many as there are cores, started
    when they are needed. A table waits with one decision at most, so that first come, first served is
    fair between tables; those with people at them come first, but not always."""

    def __init__(self, most: int) -> None:
        most = most or os.cpu_count() or 1
        self._threads = ThreadPoolExecutor(most, thread_name_prefix="crew")
        self._free = [Worker(NICE, compiles=False) for _ in range(most)]
        self._all = tuple(self._free)
        self._waiting: dict[bool, deque[asyncio.Future[Worker]]] = {True: deque(), False: deque()}
        self._served = 0
        self.compiled = False  # whoever has thought last

    @property
    def busy(self) -> bool:
        """Whether all of them think."""
        return not self._free

    @property
    def waiting(self) -> int:
        return sum(map(len, self._waiting.values()))

    async def expect(self) -> None:
        """Somebody will be needed soon."""
        await asyncio.get_running_loop().run_in_executor(self._threads, self._all[-1].start)

    async def decide(
        self, level: str, game: Game[Any], state: Any, seat: int, *, people: bool
    ) -> Move:
        move: Move = await self.ask(("move", (level, game.id, state, seat)), people=people)
        return move

    async def ask(self, question: Question, *, people: bool) -> Any:
        """The answer of whoever is free next. They are free again once they have answered, also if
        nobody waits for it any more."""
        worker = await self._next(people)
        loop = asyncio.get_running_loop()

        def answered(_: Any) -> None:
            with suppress(RuntimeError):  # the server has ended meanwhile
                loop.call_soon_threadsafe(self._give_back, worker)

        answering = self._threads.submit(worker.judge, question, LONGEST_DECISION)
        answering.add_done_callback(answered)
        return await asyncio.wrap_future(answering)

    async def _next(self, people: bool) -> Worker:
        if self._free:
            return self._free.pop()
        mine: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting[people].append(mine)
        try:
            return await mine
        except asyncio.CancelledError:
            if not mine.cancelled():  # given to whoever has just gone
                self._give_back(mine.result())
            raise

    def _give_back(self, worker: Worker) -> None:
        self._served += 1
        if worker.compiled and not self.compiled:
            logger.info("bots think by compiled code from now on")
        self.compiled = worker.compiled
        first = self._served % TURN_OF_OTHERS != 0
        for people in (first, not first):
            while self._waiting[people]:
                waiting = self._waiting[people].popleft()
                if not waiting.done():
                    waiting.set_result(worker)
                    return
        self._free.append(worker)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for worker in self._all:
            worker.kill()


class Thinkers:
    """Where every level decides: those with nets in processes, the others, who are quick, in a thread.
    Hints are found in the same processes, one after the other, while there is rest."""

    def __init__(self, limits: Limits, metrics: Metrics) -> None:
        self._bots = {level: bots.resolve(level) for level in bots.LEVELS}
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="bots")
        self._crew = Crew(limits.thinkers)
        self._metrics = metrics
        self._deciding = 0
        self._rest = asyncio.Event()  # no bot waits for another
        self._rest.set()
        self._hint_turn = asyncio.Lock()
        self._hints_waiting, self._hints_most = 0, limits.hints_waiting

    @property
    def waiting(self) -> int:
        """Decisions that nobody is free for."""
        return self._crew.waiting

    async def expect(self, levels: Iterable[str], *, hints: bool) -> None:
        """These will decide soon, or hints be asked for: whoever takes a while to begin begins now."""
        if hints or any(map(bots.needs_net, levels)):
            await self._crew.expect()

    async def decide(
        self, level: str, game: Game[Any], state: Any, seat: int, *, people: bool = True
    ) -> Move:
        """The choice of a bot for a seat, at a table with people or without.
        Whatever goes wrong in it is raised here."""
        start = time.perf_counter()
        self._deciding += 1
        self._see()
        try:
            if bots.needs_net(level):
                return await self._crew.decide(level, game, state, seat, people=people)
            bot, rng = self._bots[level], random.Random(os.urandom(16))
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(
                self._threads, bots.decide, bot, game, state, seat, rng
            )
            return found.move
        finally:
            self._deciding -= 1
            self._see()
            self._metrics.put("qwixx_thinking_compiled", int(self._crew.compiled))
            self._metrics.time("qwixx_thinking_seconds", time.perf_counter() - start, level)

    def _see(self) -> None:
        if self._deciding and self._crew.busy:
            self._rest.clear()
        else:
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
                await self._rested(max(0.0, latest - loop.time()))
                if not wanted():
                    return None
                found: Hint = await self._crew.ask(("hint", (game.id, state, seat)), people=True)
                return found
        finally:
            self._hints_waiting -= 1

    async def rest(self) -> None:
        """Wait until somebody is free to think, but not for ever."""
        await self._rested(LONGEST_WAIT)

    async def _rested(self, seconds: float) -> None:
        self._see()  # whoever was free when a bot asked may think for it by now
        with suppress(TimeoutError):
            await asyncio.wait_for(self._rest.wait(), seconds)

    def close(self) -> None:
        self._crew.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
