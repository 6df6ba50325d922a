"""Measures the page in a real browser: the weight of the first load,
how soon a choice is drawn and confirmed.

`python bench/page.py`. The server runs on the same machine;
times are of one noisy machine, so medians are given.
"""

import sys
import tempfile
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("page", "server")]

from chromium import chromium  # noqa: E402 - a script finds its neighbours only now
from client import GENEROUS, Server, secret  # noqa: E402
from playing import Person  # noqa: E402
from playwright.sync_api import Browser, Page  # noqa: E402
from visits import SMALL, address, against_bot, visitor  # noqa: E402

WATCH = (ROOT / "bench" / "page.js").read_text()


def first_load(
    browser: Browser, server: Server, path: str, ready: str
) -> tuple[dict[str, int], int]:
    """Bytes over the line by file, and those of all headers, for somebody who has never been there."""
    with visitor(browser, SMALL, service_workers="block") as page:
        line = page.context.new_cdp_session(page)
        line.send("Network.enable")
        names: dict[str, str] = {}
        heads: dict[str, int] = {}
        weights: dict[str, int] = {}

        def came(event: dict[str, Any]) -> None:
            names[event["requestId"]] = event["response"]["url"].split("/", 3)[3]
            heads[event["requestId"]] = round(event["response"]["encodedDataLength"])

        def done(event: dict[str, Any]) -> None:
            name = names.get(event["requestId"])
            if name is not None:
                body = round(event["encodedDataLength"]) - heads[event["requestId"]]
                weights[name] = weights.get(name, 0) + body

        line.on("Network.responseReceived", came)
        line.on("Network.loadingFinished", done)
        page.goto(address(server, path))
        page.wait_for_selector(ready)
        page.wait_for_load_state("networkidle")
        return weights, sum(heads.values())


def play(page: Page, server: Server, game: str) -> dict[str, list[Any]]:
    against_bot(page, server, game)
    page.wait_for_selector(".tray")
    page.wait_for_timeout(500)
    page.evaluate(WATCH)
    person = Person(page, "touch", Random(1))
    while page.locator(".end").count() == 0 and person.seen < 120:
        person.act()
    found: dict[str, list[Any]] = page.evaluate("({shown, confirmed, shifts})")
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        server = Server(Path(folder), *GENEROUS)
        invited = server.create("duel", [{"kind": "me", "name": "Ana"}, {"kind": "open"}], secret())
        for path, ready in (
            ("", ".game .big"),
            (f"/table/{invited}", ".gather form"),
            ("/rules/duel", "figure"),
        ):
            weights, heads = first_load(browser, server, path, ready)
            files = ", ".join(
                f"{name or '/'} {size / 1000:.1f}" for name, size in sorted(weights.items())
            )
            body = sum(weights.values())
            print(
                f"first load of /en{path[:8]}: {body / 1000:.1f} kB, headers {heads / 1000:.1f} ({files})"
            )
        for game in ("classic", "duel"):
            with visitor(browser, SMALL, reduced_motion="no-preference") as page:
                found = play(page, server, game)
            shown = [ms for _, ms in found["shown"]]
            frames = sum(changed for changed, _ in found["shown"])
            confirmed = found["confirmed"]
            print(
                f"{game}: a choice is drawn in the next frame {frames} of {len(shown)} times; "
                f"two frames after the tap are over in {median(shown):.0f} ms (median); "
                f"confirmed in {median(confirmed):.0f} ms, "
                f"95 % within {quantiles(confirmed, n=20)[-1]:.0f} ms; "
                f"layout shift {sum(value for value, _, _ in found['shifts']):.4f} in all"
            )
            for value, after_input, what in found["shifts"]:
                print(f"  shift {value:.4f} {'after input ' if after_input else ''}of {what}")
        server.stop()


if __name__ == "__main__":
    main()
