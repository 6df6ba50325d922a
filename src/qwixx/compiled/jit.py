"""How functions are compiled, and where their machine code is kept."""

import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba
from llvmlite.binding import get_host_cpu_name

from qwixx.files import cache

F = TypeVar("F", bound=Callable[..., Any])

# Free of Python's lock; no check for division by nought.
OPTIONS: Final = {
    "nogil": True,
    "error_model": "numpy",
}


def _cache_folder() -> Path:
    """A place for the machine code of each state of the sources, of which numba looks only at the file
    of a function; and of what else it depends on, so that what is there is known to fit."""
    package = Path(__file__).parents[1]
    sources = sorted(
        source
        for room in ("compiled", "core", "games", "lab/practice", "lab/training")
        for source in (package / room).rglob("*.py")
    )
    made_for = (package, sys.implementation.cache_tag, numba.__version__, get_host_cpu_name())
    digest = hashlib.sha256(repr(made_for).encode())
    for source in sources:
        digest.update(source.read_bytes())
    base = Path(numba.config.CACHE_DIR) if numba.config.CACHE_DIR else cache.folder() / "compiled"
    return base / digest.hexdigest()[:16]


_CACHE: Final = str(_cache_folder())


def kept_in() -> Path:
    """Where the machine code of these sources is kept; there once something was compiled."""
    return Path(_CACHE)


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Of several processes that would compile the same, one does; the others wait, and load it."""
    kept_in().mkdir(parents=True, exist_ok=True)
    with (kept_in() / "compiling.lock").open("w") as file:
        with suppress(ImportError):  # where there is no such lock, each compiles for itself
            import fcntl  # noqa: PLC0415 - as it says

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def compiled(function: F) -> F:
    """Compile at the first call, and keep the machine code for the next process."""
    return _compiled(function)


def inlined(function: F) -> F:
    """The same for a few instructions, which become part of whatever calls them."""
    return _compiled(function, forceinline=True)


def merged(function: F) -> F:
    """The same for what is called in one place only, from compiled code: it is compiled as a part of
    its caller. By itself, all that it calls would be put together and optimised once more."""
    return _compiled(function, inline="always")


def compiled_fast(function: F) -> F:
    """The same for sums of floats whose order does not matter: for learning, never for judging."""
    return _compiled(function, fastmath=True)


def _compiled(function: F, **options: bool | str) -> F:
    chosen, numba.config.CACHE_DIR = numba.config.CACHE_DIR, _CACHE
    try:
        return cast("F", numba.njit(cache=True, **OPTIONS, **options)(function))
    finally:
        numba.config.CACHE_DIR = chosen
