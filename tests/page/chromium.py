"""Debian's Chromium, or whichever is installed, for tests, pictures and measurements."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

# The first is the same browser without windows, which takes a third of the processor.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP *.test 127.0.0.1",  # names for the same server, as a proxy would give it
]


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser, for as long as it is needed."""
    binary = next(filter(None, map(shutil.which, NAMES)), None)
    if binary is None:
        raise SystemExit("Chromium is needed: `make test` installs Debian's where it may")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=binary, args=ARGUMENTS)
        yield browser
        browser.close()
