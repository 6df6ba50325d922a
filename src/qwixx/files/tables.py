"""Tables of numbers on disk: a file each in the user's cache, versioned,
checksummed, memory-mapped, never trusted.

A file is a head of 4096 bytes and the numbers. The head: a line with the format, a line with the
SHA-256 of everything behind that line, a line of JSON that says what the numbers are, then blanks.
"""

import hashlib
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from qwixx.core.errors import QwixxError
from qwixx.files import cache

Values = NDArray[np.float64]

FORMAT: Final = b"qwixx-table/1\n"
HEAD: Final = 4096
_DIGEST: Final = 64  # letters
_TYPE: Final = np.dtype("<f8")


def path(name: str) -> Path:
    return cache.folder() / "tables" / name


def _head(about: Mapping[str, Any], values: Values) -> bytes:
    """Everything between the checksum and the numbers."""
    text = json.dumps({**about, "shape": values.shape, "type": _TYPE.str}).encode()
    room = HEAD - len(FORMAT) - _DIGEST - 1
    assert len(text) < room
    return text.ljust(room - 1) + b"\n"


def write(name: str, about: Mapping[str, Any], values: Values) -> None:
    """Keep a table. What was there stays until the new one is whole."""
    numbers = np.ascontiguousarray(values, _TYPE)
    head = _head(about, numbers)
    digest = hashlib.sha256(head)
    digest.update(numbers.data)
    place = path(name)
    draft = place.with_name(f"{name}.{secrets.token_hex(4)}.new")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as file:
            file.write(FORMAT + digest.hexdigest().encode() + b"\n" + head)
            numbers.tofile(file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(place)
    except OSError as error:
        raise QwixxError(
            f"the table cannot be kept as {place}: {error.strerror}; QWIXX_CACHE names another place"
        ) from None
    finally:
        with suppress(OSError):
            draft.unlink()


def read(
    name: str, expected: Mapping[str, Any], shape: tuple[int, ...]
) -> tuple[Values, dict[str, Any]] | None:
    """A table that was kept, if it is whole and of this kind; None otherwise, whatever lies there."""
    place = path(name)
    size = HEAD + int(np.prod(shape)) * _TYPE.itemsize
    try:
        with place.open("rb") as file:
            head = file.read(HEAD)
            if os.fstat(file.fileno()).st_size != size or not head.startswith(FORMAT):
                return None
        values = np.memmap(place, _TYPE, "r", HEAD, shape)
    except (OSError, ValueError):
        return None
    digest, rest = head[len(FORMAT) : len(FORMAT) + _DIGEST], head[len(FORMAT) + _DIGEST + 1 :]
    found = hashlib.sha256(rest)
    found.update(values.data)
    if found.hexdigest().encode() != digest:
        return None
    about: dict[str, Any] = json.loads(rest)
    wanted = {**expected, "shape": list(shape), "type": _TYPE.str}
    return (
        (values, about) if all(about.get(key) == value for key, value in wanted.items()) else None
    )
