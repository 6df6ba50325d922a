"""Where games are played: in this process, in others on this machine,
or on a cluster, behind one interface."""

import multiprocessing
import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from threading import Thread
from typing import Any, TypeVar

from qwixx.core.errors import QwixxError
from qwixx.core.extras import need
from qwixx.lab.interrupts import held_back, ignore_interrupts, unheard

T = TypeVar("T")
Work = TypeVar("Work")


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Processes(ProcessPoolExecutor):
    """Any work may be what starts a process, as long as not all of them are there."""

    def submit(self, *work: Any, **named: Any) -> "Future[Any]":
        # A mask is a thread's own, and numpy has threads that may hear Ctrl-C in our stead:
        # who starts half a process leaves one behind that complains.
        with held_back(), unheard():
            return super().submit(*work, **named)


def _belong() -> None:
    """A worker leaves Ctrl-C to who started it, and ends when that is gone, even if it was killed:
    its queue would never tell."""
    ignore_interrupts()
    Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


@contextmanager
def local(jobs: int) -> Iterator[Executor]:
    """Processes on this machine."""
    pool = _Processes(jobs, multiprocessing.get_context("spawn"), _belong)
    try:
        for _ in range(jobs):
            pool.submit(int)  # which starts a process
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """The workers of a dask.distributed cluster, through the same interface, and how many they are."""
    need("cluster")
    from distributed import Client  # noqa: PLC0415 - only a cluster needs it

    try:
        client = Client(address, timeout=5, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise QwixxError(f"no cluster answers at {address}: {type(error).__name__}") from None
    with client:
        workers = sum(client.ncores().values())
        if not workers:
            raise QwixxError(f"the cluster at {address} has no workers")
        executor: Executor = client.get_executor(pure=False)
        try:
            yield executor, workers
        finally:
            executor.shutdown(wait=False)


def in_order(
    executor: Executor | None,
    ahead: int,
    function: Callable[..., T],
    fixed: Any,
    works: Sequence[Work],
) -> Generator[T]:
    """The results of all works in their order, so many at most under way;
    without an executor, right here."""
    if executor is None:
        for work in works:
            yield function(fixed, work)
        return
    running: deque[Future[T]] = deque()
    left = iter(works)
    try:
        for work in left:
            running.append(executor.submit(function, fixed, work))
            if len(running) >= ahead:
                yield _result(running.popleft())
        while running:
            yield _result(running.popleft())
    finally:
        for future in running:
            future.cancel()


def _result(future: "Future[T]") -> T:
    try:
        return future.result()
    except BrokenExecutor:
        raise QwixxError("a worker process died; try again with --jobs 1") from None
    except QwixxError:
        raise
    except Exception as error:
        if type(error).__module__.startswith("distributed"):
            raise QwixxError(f"the cluster gave up: {type(error).__name__}: {error}") from None
        raise
