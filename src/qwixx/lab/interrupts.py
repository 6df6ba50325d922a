"""Ctrl-C at moments when it must wait: while a compiler works, while processes start."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from threading import current_thread, main_thread


@contextmanager
def held_back() -> Iterator[None]:
    """Ctrl-C takes effect afterwards:
    a compiler that is interrupted says things that are for nobody."""
    if current_thread() is not main_thread():
        yield
        return
    came: list[int] = []
    heard = signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, heard)
    if came:
        raise KeyboardInterrupt


def ignore_interrupts() -> None:
    """For a process whose end is another's affair."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def unheard() -> Iterator[None]:
    """Processes that are started here never hear of Ctrl-C, not even while they start:
    it is ours to end them.

    For us it only waits. A mask is inherited, and what it holds back is not lost,
    as what is ignored would be.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # which opens the mask again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
