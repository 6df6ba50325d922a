"""What people want to know of games: reviews of finished rounds, and what positions are worth.

All of it is judged in a process of its own (judging.py), bit by bit: one turn of a review at a
time, in turn for every address and for each of what it asks. Bots come first. What nobody waits
for any more is left, and goes on where it was if somebody asks again. Nobody waits for ever: who
has waited long enough is asked to come back, and what was found by then is kept for them.
"""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections import OrderedDict, deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.record import Record
from qwixx.server.judging import Question, ToldTurn, Worker, WorkerDied, packed_record
from qwixx.server.limits import Limits
from qwixx.server.metrics import Metrics
from qwixx.server.refusals import Refusal
from qwixx.study.judging import check_judged
from qwixx.study.reviews import FORMAT

logger: Final = logging.getLogger("qwixx.server")

# Who asks for a review hears of it when there is news, and at the latest after so many seconds;
# a review goes on for so many after its asker has heard.
NEWS_SECONDS: Final = 10.0
PATIENCE_SECONDS: Final = 15.0
UNFINISHED_MOST: Final = 64  # reviews that are kept as far as they are done
UNHEARD_MOST: Final = 64  # positions that somebody may ask for again

Json: TypeAlias = dict[str, Any]


class Progress(NamedTuple):
    """A review as far as it is done."""

    done: int  # turns
    of: int
    review: Json  # of the turns that the asker has not seen
    whole: bytes | None = None  # all there is to tell, packed, if it is done


class Wanted(NamedTuple):
    """A position that somebody wants to know the worth of."""

    game_id: str
    state: Any
    seat: int | None = None
    throws: bool = False


class _Work(ABC):
    """Something that is judged bit by bit."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.failed = False
        self.waiting = 0
        self.asked = 0.0

    def wanted(self) -> bool:
        now = asyncio.get_running_loop().time()
        return self.waiting > 0 or now < self.asked + PATIENCE_SECONDS

    @abstractmethod
    def question(self) -> Question | None:
        """What is to be judged next; None if all is."""

    @abstractmethod
    def take(self, answer: Any) -> None: ...

    @abstractmethod
    def fail(self) -> None: ...


class _Position(_Work):
    def __init__(self, address: str, wanted: Wanted) -> None:
        super().__init__(address)
        self.found: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._wanted = wanted

    def question(self) -> Question | None:
        return None if self.found.done() else ("position", tuple(self._wanted))

    def take(self, answer: Json) -> None:
        if not self.found.done():
            self.found.set_result(answer)

    def fail(self) -> None:
        self.failed = True
        if not self.found.done():
            self.found.set_exception(_not_now())
            self.found.exception()  # whoever asked may have gone


class _Review(_Work):
    def __init__(self, address: str, record: Record) -> None:
        super().__init__(address)
        check_judged(games.game(record.game), len(record.seats))
        self._record, self._packed = record, packed_record(record)
        self._turns: list[ToldTurn] = []
        self._whole: bytes | None = None
        self.of = sum(isinstance(event, Dice) for event in record.events)
        self.news = asyncio.Event()

    def question(self) -> Question | None:
        """Turn by turn; with the last one all of it is put together."""
        if self.finished:
            return None
        if len(self._turns) + 1 < self.of:
            return "turn", (self._packed, len(self._turns))
        return "whole", (self._packed, [one.judged for one in self._turns])

    @property
    def finished(self) -> bool:
        return self._whole is not None

    @property
    def done(self) -> int:
        return self.of if self.finished else len(self._turns)

    def take(self, answer: ToldTurn | bytes) -> None:
        if isinstance(answer, bytes):
            self._whole = answer
        else:
            self._turns.append(answer)
        self._tell()

    def fail(self) -> None:
        self.failed = True
        self._tell()

    def _tell(self) -> None:
        self.news.set()
        self.news = asyncio.Event()

    def progress(self, seen: int) -> Progress:
        """Told as a whole once it is, whoever has seen what."""
        news = [] if self.finished else self._turns[seen:]
        review = {
            "format": FORMAT,
            "game": self._record.game,
            "seats": self._record.seats,
            "start": msgspec.Raw(self._turns[0].start) if self._turns else None,
            "throws": [msgspec.Raw(one.throw) for one in news],
            "decisions": [msgspec.Raw(told) for one in news for told in one.decisions],
            "players": None,
        }
        return Progress(self.done, self.of, review, self._whole)


class Studies:
    """Everything that is being judged. Only the event loop's thread touches it."""

    def __init__(
        self, limits: Limits, metrics: Metrics, bots_rest: Callable[[], Awaitable[None]]
    ) -> None:
        self._limits = limits
        self._metrics = metrics
        self._bots_rest = bots_rest
        self._worker, self._compiled = Worker(), False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="judging")
        self._queue: OrderedDict[str, deque[_Work]] = OrderedDict()  # by address
        self._judging: _Work | None = None  # taken out of the queue
        self._reviews: OrderedDict[str, _Review] = OrderedDict()  # not kept by anybody else yet
        self._positions: OrderedDict[Wanted, _Position] = OrderedDict()
        self._working: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """What is to be judged, besides what is being."""
        return sum(map(len, self._queue.values()))

    async def values(self, address: str, wanted: Wanted, seconds: float | None = None) -> Json:
        """What a position is worth; refused if that takes more seconds. It is judged for a while
        longer then, and whoever asks again finds it."""
        work = self._positions.get(wanted)
        if work is None or work.failed:
            work = _Position(address, wanted)
            self._enter(work)
            self._positions[wanted] = work
        elif not work.found.done() and not self._queued(work):
            self._enter(work)
        _only_the_last(self._positions, UNHEARD_MOST)
        work.waiting += 1
        try:
            async with asyncio.timeout(seconds):
                found = await asyncio.shield(work.found)
        except TimeoutError:
            work.asked = asyncio.get_running_loop().time()
            raise _busy() from None
        finally:
            work.waiting -= 1
        self._positions.pop(wanted, None)
        return found

    async def review(self, address: str, key: str, record: Record, seen: int | None) -> Progress:
        """The review of a finished round: as far as it is done, or once there is more than what was
        seen."""
        found = self._reviews.get(key)
        if found is None or found.failed:
            found = _Review(address, record)
            self._enter(found)
            self._reviews[key] = found
        elif not found.finished and not self._queued(found):
            self._enter(found)
        self._reviews.move_to_end(key)
        _only_the_last(self._reviews, UNFINISHED_MOST)
        await self._wait_for_news(found, seen)
        if found.failed:
            raise _not_now()
        return found.progress(min(seen or 0, found.done))

    def knows(self, key: str) -> bool:
        """Whether this review is being made, or was and is not kept elsewhere yet."""
        return key in self._reviews

    def forget(self, key: str) -> None:
        """A review is kept elsewhere now."""
        self._reviews.pop(key, None)

    async def _wait_for_news(self, found: _Review, seen: int | None) -> None:
        loop = asyncio.get_running_loop()
        found.asked = loop.time()
        if seen is None:
            return
        latest = loop.time() + NEWS_SECONDS
        found.waiting += 1
        try:
            while found.done <= seen and not found.finished and not found.failed:
                async with asyncio.timeout_at(latest):
                    await found.news.wait()
        except TimeoutError:
            pass  # no news, which is told too
        finally:
            found.waiting -= 1
            found.asked = loop.time()

    def _queued(self, work: _Work) -> bool:
        return work is self._judging or work in self._queue.get(work.address, ())

    def _enter(self, work: _Work) -> None:
        """Work is taken up, if there is not too much of it already."""
        waiting = self._queue.get(work.address, ())
        lane = deque(one for one in waiting if one.wanted())
        if len(lane) >= self._limits.studies_an_address:
            raise Refusal("busy", "too much is being judged for you: wait for some of it")
        if self.waiting >= self._limits.studies_waiting:
            raise _busy()
        lane.append(work)
        self._queue[work.address] = lane
        if self._working is None or self._working.done():
            self._working = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        """Judge a bit of everything in turn, until there is nothing left."""
        loop = asyncio.get_running_loop()
        while (work := self._next()) is not None:
            self._judging = work
            question = work.question()
            await self._bots_rest()
            try:
                if question is not None and work.wanted():
                    answer = await loop.run_in_executor(self._thread, self._worker.judge, question)
                    self._count()
                    work.take(answer)
                    question = work.question()
            except WorkerDied as error:
                logger.error("nothing was judged", extra={"why": str(error)})
                work.fail()
                question = None
            self._judging = None
            if question is not None and work.wanted():
                self._queue.setdefault(work.address, deque()).append(work)

    def _count(self) -> None:
        compiled = self._worker.compiled
        if compiled and not self._compiled:
            logger.info("judged by compiled code from now on")
        self._compiled = compiled
        self._metrics.add("qwixx_judged_total")
        self._metrics.put("qwixx_judged_compiled", int(compiled))

    def _next(self) -> _Work | None:
        """The next address in turn, and of what it asks the next in turn."""
        if not self._queue:
            return None
        address, lane = self._queue.popitem(last=False)
        work = lane.popleft()
        if lane:
            self._queue[address] = lane
        return work

    def close(self) -> None:
        if self._working is not None:
            self._working.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._worker.kill()


def _only_the_last(kept: OrderedDict[Any, Any], most: int) -> None:
    while len(kept) > most:
        kept.popitem(last=False)


def _busy() -> Refusal:
    return Refusal("busy", "too much is being judged just now: ask again in a moment")


def _not_now() -> Refusal:
    return Refusal("not_now", "this cannot be judged just now: ask again in a moment")
