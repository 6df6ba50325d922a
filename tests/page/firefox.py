"""Debian's Firefox, or whichever is installed, by its own remote agent (WebDriver BiDi)."""

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from driven import DrivenPage, Json
from websockets.sync.client import ClientConnection, connect

NAMES = ("firefox-esr", "firefox")
PREFERENCES: dict[str, bool | int | str] = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.w3c_touch_events.enabled": 1,  # as on a phone
    "intl.accept_languages": "en-GB",
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
    "ui.prefersReducedMotion": 1,
    "ui.useOverlayScrollbars": 1,  # as on a phone
}


@dataclass
class Firefox:
    """One line to the browser, on which commands are answered and mishaps are told."""

    line: ClientConnection
    asked: int = 0
    mishaps: list[str] = field(default_factory=list)

    def ask(self, method: str, **parameters: Any) -> Json:
        self.asked += 1
        self.line.send(json.dumps({"id": self.asked, "method": method, "params": parameters}))
        while True:
            heard: Json = json.loads(self.line.recv(timeout=60))
            if heard["type"] == "event":
                if heard["params"]["level"] == "error":
                    self.mishaps.append(heard["params"]["text"])
            elif heard["id"] == self.asked:
                assert heard["type"] == "success", (method, heard)
                result: Json = heard["result"]
                return result

    @contextmanager
    def visitor(self, width: int = 1280, height: int = 800) -> Iterator[DrivenPage]:
        """Somebody who has just come, with an empty browser. The page must not stumble meanwhile."""
        user = self.ask("browser.createUserContext")["userContext"]
        tab = Tab(self, self.ask("browsingContext.create", type="tab", userContext=user)["context"])
        tab.resize(width, height)
        self.mishaps.clear()
        yield DrivenPage(tab)
        self.ask("browser.removeUserContext", userContext=user)
        assert not self.mishaps, self.mishaps


@dataclass
class Tab:
    browser: Firefox
    context: str

    def goto(self, url: str) -> None:
        self.browser.ask("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def call(self, function: str, argument: str) -> str:
        answer = self.browser.ask(
            "script.callFunction",
            functionDeclaration=function,
            arguments=[{"type": "string", "value": argument}],
            target={"context": self.context},
            awaitPromise=True,
        )
        assert answer["type"] == "success", answer["exceptionDetails"]["text"]
        return str(answer["result"]["value"])

    def perform(self, actions: list[Json]) -> None:
        self.browser.ask("input.performActions", context=self.context, actions=actions)

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self.browser.ask("browsingContext.setViewport", context=self.context, viewport=size)


@contextmanager
def firefox() -> Iterator[Firefox]:
    """A browser, for as long as it is needed."""
    binary = next(filter(None, map(shutil.which, NAMES)), None)
    if binary is None:
        raise SystemExit("Firefox is needed: `make test-browsers` installs Debian's where it may")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        profile = Path(folder)
        wishes = (
            f"user_pref({json.dumps(name)}, {json.dumps(value)});"
            for name, value in PREFERENCES.items()
        )
        (profile / "user.js").write_text("\n".join(wishes))
        command = [binary, "--headless", "--no-remote", "--profile", folder]
        with subprocess.Popen(
            [*command, "--remote-debugging-port", "0"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                with connect(_address(profile, process), max_size=None) as line:
                    browser = Firefox(line)
                    browser.ask("session.new", capabilities={})
                    browser.ask("session.subscribe", events=["log.entryAdded"])
                    yield browser
            finally:
                process.terminate()


def _address(profile: Path, process: subprocess.Popen[bytes]) -> str:
    """Where the browser listens, which it writes down once it does."""
    note = profile / "WebDriverBiDiServer.json"
    for _ in range(1200):
        if note.exists() and (text := note.read_text()):
            return f"ws://127.0.0.1:{json.loads(text)['ws_port']}/session"
        assert process.poll() is None, "Firefox ended before it listened"
        time.sleep(0.05)
    raise AssertionError("Firefox does not listen")
