"""A real browser for the page."""

from collections.abc import Iterator

import pytest
from chromium import chromium
from client import Server
from playwright.sync_api import Browser
from walk import Walk


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def walk(server: Server) -> Walk:
    return Walk(server)
