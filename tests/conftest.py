"""One server for the tests that do not hurt it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from client import GENEROUS, Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("server"), *GENEROUS)
    yield server
    assert server.process.poll() is None, server.errors.read_text()
    server.stop()
    assert "Traceback" not in server.errors.read_text()


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    """A server that a test may kill."""
    server = Server(tmp_path, *GENEROUS)
    yield server
    server.kill()
