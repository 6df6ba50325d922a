"""One server for the tests that do not hurt it, and a real browser for the page."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path

import pytest
from chromium import chromium
from client import GENEROUS, Server
from database import Postgres, own_postgres
from hypothesis import HealthCheck, settings
from many import Many
from playwright.sync_api import Browser
from several import SEVERAL, run_with_both
from walk import Walk

from surroundings import settle

settle()

# A busy machine is slow at everything, and that is no fault.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The page first, and the walks through all its screens before everything: they take longest.
    Every worker begins with its share of them, so that none has a whole game to play at the end."""
    page = [item for item in items if "page" in item.path.parts]
    page.sort(key=lambda item: item.path.name != "test_look.py")
    others = [item for item in items if "page" not in item.path.parts]
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    ends = [worker * len(others) // workers for worker in range(workers + 1)]
    items[:] = [
        item
        for worker, (first, last) in enumerate(pairwise(ends))
        for item in (*page[worker::workers], *others[first:last])
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    run_with_both(metafunc)


@pytest.fixture(scope="session")
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """One process; or several that are one for their clients, where a test is run with both
    (`server/several.py`)."""
    folder = tmp_path_factory.mktemp("server")
    if getattr(request, "param", None) == SEVERAL:
        many = Many(folder, request.getfixturevalue("postgres"))
        yield many
        assert all(one.process.poll() is None for one in many.servers), many.everywhere()
        many.end()
        return
    server = Server(folder, *GENEROUS)
    yield server
    assert server.process.poll() is None, server.errors.read_text()
    server.stop()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """For tests that do not hurt it: each has a database of its own."""
    with own_postgres() as postgres:
        yield postgres


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may kill."""
    server = Server(tmp_path, *GENEROUS)
    yield server
    server.kill()


@pytest.fixture
def browser() -> Browser:
    """One browser for all tests of the page, opened when the first wants it."""
    if not _BROWSERS:
        _BROWSERS.append(_CLOSING.enter_context(chromium()))
    return _BROWSERS[0]


def pytest_runtest_setup(item: pytest.Item) -> None:
    """The browser's loop has the thread, so that it must not outlive the tests of the page."""
    if "page" not in item.path.parts:
        _close_browser()


def pytest_sessionfinish() -> None:
    _close_browser()


def _close_browser() -> None:
    _BROWSERS.clear()
    _CLOSING.close()


_BROWSERS: list[Browser] = []
_CLOSING = ExitStack()


@pytest.fixture(scope="session")
def walk(server: Server) -> Walk:
    """A visitor who goes through every screen."""
    return Walk(server)
