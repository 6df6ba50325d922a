"""Sweeps: a few of many cases on every run, and all of them in `make test-long`."""

from collections.abc import Iterable
from typing import Any

import pytest


def sweep(cases: Iterable[Any], short: int = 1) -> list[Any]:
    """The first cases for every run, and the others for a long one."""
    return [
        case if number < short else pytest.param(case, marks=pytest.mark.long)
        for number, case in enumerate(cases)
    ]


def sweep_of_several(cases: Iterable[tuple[Any, ...]], short: int = 1) -> list[Any]:
    """The same for cases of several values each."""
    return [
        case if number < short else pytest.param(*case, marks=pytest.mark.long)
        for number, case in enumerate(cases)
    ]
