"""People who come to the page, each with a browser of their own."""

import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from client import Server, secret
from playwright.sync_api import Browser, Error, Page, Route, WebSocket, expect

SMALL, LARGE = (360, 740), (1280, 800)
# Milliseconds for what comes at once where nobody else is at work: a busy machine is no fault.
PATIENCE = 180_000

expect.set_options(timeout=PATIENCE)


@contextmanager
def visitor(
    browser: Browser, size: tuple[int, int] = LARGE, lang: str = "en-GB", **more: Any
) -> Iterator[Page]:
    """Somebody who has just come. The page must not stumble while they are there."""
    # Dice that tumble cost a machine without graphics most of its time.
    calm = {"reduced_motion": "reduce"}
    # And so does a worker that keeps the whole page for later: it is there where it matters.
    alone = {"service_workers": "block"}
    view = {
        "viewport": {"width": size[0], "height": size[1]},
        "has_touch": True,
        "is_mobile": size == SMALL,
    }
    context = browser.new_context(**{**view, **calm, **alone, "locale": lang, **more})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "console",
        lambda said: complaints.append(said.text) if "svelte.dev/e/" in said.text else None,
    )
    said = overheard(page)
    try:
        yield page
    except BaseException:
        print(f"\nthe last of the line of the visitor in {lang}, at {page.url}:", *said, sep="\n  ")
        raise
    finally:
        context.close()
    assert not complaints, complaints


def overheard(page: Page) -> deque[str]:
    """The last frames of a page's lines, for whoever wants to know why a test failed."""
    said: deque[str] = deque(maxlen=80)
    began = time.monotonic()

    def note(way: str, text: object = "") -> None:
        said.append(f"{time.monotonic() - began:8.3f} {way} {str(text)[:400]}")

    def listen(line: WebSocket) -> None:
        note("opened", line.url)
        line.on("framesent", lambda frame: note("->", frame))
        line.on("framereceived", lambda frame: note("<-", frame))
        line.on("close", lambda _: note("closed"))

    page.on("websocket", listen)
    return said


def address(server: Server, path: str = "", host: str = "127.0.0.1", lang: str = "en") -> str:
    return f"http://{host}:{server.port}/{lang}{path}"


def altered(page: Page, where: str | re.Pattern[str], change: Callable[[Any], Any]) -> None:
    """The page finds what the server answers there otherwise."""

    def answer(route: Route) -> None:
        # A page that was closed meanwhile wants no answer, and the next visitor would hear of it. A server
        # ends lines that were silent for long, maybe just as one is used again: then it is asked anew.
        with suppress(Error):
            told = route.fetch(timeout=PATIENCE, max_retries=3)
            route.fulfill(json=change(told.json()))

    page.route(where, answer)


def resize(page: Page, width: int, height: int) -> None:
    """Another size of the window, and the page drawn at it. Not where its time stands still."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )


def reached_at(page: Page, address: str) -> None:
    """The page hears that other devices reach its server there,
    as where this machine is in a network."""
    found = {"address": address, "addresses": [address]}
    altered(page, "**/api/games", lambda offer: {**offer, **found})


def stand_still(page: Page) -> None:
    """From now on the page's own time stands still, however busy the machine is:
    it goes on by `run_for` alone. What the server says comes in its own time."""
    page.wait_for_load_state("networkidle")
    page.clock.install()
    page.clock.pause_at(page.evaluate("() => Date.now() + 10_000"))


def run_until(page: Page, there: str) -> None:
    """The page's time goes on, frame by frame, until that is so, and then stands still again."""
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(there):
        assert time.monotonic() < end, there
        page.clock.run_for(16)


def dismissed(page: Page) -> None:
    """What lies over the page is closed by its key, and gone: until then the page below takes no key."""
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)


def hold(page: Page, mine: str) -> None:
    """From its next address on this browser holds its seats with this secret."""
    kept = f"localStorage.setItem('qwixx.secret', '{mine}')"
    page.add_init_script(f"if (location.protocol === 'http:') {kept}")  # a blank page keeps nothing


def secret_of(page: Page) -> str:
    """The secret with which this browser holds its seats, from its next address on."""
    mine = secret()
    hold(page, mine)
    return mine


def open_as(page: Page, server: Server, mine: str, table: str, lang: str = "en") -> None:
    """The table, as whoever has the secret."""
    hold(page, mine)
    page.goto(address(server, f"/table/{table}", lang=lang))


def with_bot(server: Server, mine: str, game: str, **options: Any) -> str:
    """A table with whoever has the secret, and a quick bot."""
    seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "greedy"}]
    return server.create(game, seats, mine, **{"pause": 0, **options})


def against_bot(page: Page, server: Server, game: str, **options: Any) -> str:
    """A table with this visitor and a quick bot, opened."""
    table = with_bot(server, secret_of(page), game, **options)
    page.goto(address(server, f"/table/{table}"))
    return table
