"""Debian's WebKit by its own driver (WebDriver), on a screen that nobody sees."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from driven import DrivenPage, Json

DRIVER, SCREEN = "WebKitWebDriver", "Xvfb"
FRAME = 100  # how much larger than the page the window may be


@dataclass
class Window:
    """A session of the driver, which is a browser of its own."""

    line: httpx.Client
    session: str

    def ask(self, command: str, **parameters: Any) -> Any:
        answer = self.line.post(f"/session/{self.session}/{command}", json=parameters)
        assert answer.is_success, (command, answer.text)
        return answer.json()["value"]

    def goto(self, url: str) -> None:
        self.ask("url", url=url)

    def call(self, function: str, argument: str) -> str:
        script = f"return ({function})(arguments[0])"
        return str(self.ask("execute/sync", script=script, args=[argument]))

    def perform(self, actions: list[Json]) -> None:
        self.ask("actions", actions=actions)

    def resize(self, width: int, height: int) -> None:
        """The window has bars of its own, and is not made narrower than they are."""
        self.ask("window/rect", width=width, height=height + FRAME)


@dataclass
class WebKit:
    line: httpx.Client

    @contextmanager
    def visitor(self, width: int = 1280, height: int = 800) -> Iterator[DrivenPage]:
        """Somebody who has just come, with an empty browser."""
        answer = self.line.post("/session", json={"capabilities": {}})
        assert answer.is_success, answer.text
        window = Window(self.line, answer.json()["value"]["sessionId"])
        try:
            window.resize(width, height)
            yield DrivenPage(window)
        finally:
            self.line.delete(f"/session/{window.session}")


@contextmanager
def webkit() -> Iterator[WebKit]:
    """A driver, for as long as it is needed."""
    if not (shutil.which(DRIVER) and shutil.which(SCREEN)):
        raise SystemExit("WebKit is needed: `make test-browsers` installs Debian's where it may")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (
        _screen() as display,
        subprocess.Popen(
            [DRIVER, f"--port={port}"], env={**os.environ, "DISPLAY": display, "LANG": "C.UTF-8"}
        ) as driver,
    ):
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as line:
                _wait(line)
                yield WebKit(line)
        finally:
            driver.terminate()


@contextmanager
def _screen() -> Iterator[str]:
    """A screen in memory, by the name that it chose for itself."""
    command = [SCREEN, "-displayfd", "1", "-screen", "0", "1920x1200x24", "-nolisten", "tcp"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as screen:
        try:
            assert screen.stdout
            yield f":{screen.stdout.readline().strip()}"
        finally:
            screen.terminate()


def _wait(line: httpx.Client) -> None:
    for _ in range(600):
        try:
            if line.get("/status").json()["value"]["ready"]:
                return
        except httpx.ConnectError:
            time.sleep(0.1)
    raise AssertionError("the driver of WebKit does not listen")
