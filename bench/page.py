"""Measures the page in a real browser: the weight of the first load, how soon a choice is drawn
and confirmed, what shifts, how dice roll on a slow processor, and how many taps and seconds a game takes.

`python bench/page.py [load] [game] [dice] [taps]`; without words all of it.
Server and browser share the machine, and the browser draws without a graphics card: times are of
one noisy machine, so medians are given, and for the dice also the processor time of the page's own
thread, which hardly depends on what else is running.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import fmean, median, quantiles
from typing import Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("", "page", "server")]

from chromium import chromium  # noqa: E402 - a script finds its neighbours only now
from client import GENEROUS, Server  # noqa: E402
from playwright.sync_api import Browser, Page  # noqa: E402
from visits import SMALL, against_bot, visitor  # noqa: E402
from walk import LANGUAGES  # noqa: E402
from weight import Visit, first_visits, loaded  # noqa: E402

from surroundings import settle  # noqa: E402

WATCH = (ROOT / "bench" / "page.js").read_text()
SLOWER = 4
GAMES = 3
MINUTES = 5
VISIBLE = 0.0005  # a hundredth of the page by a twentieth of its height
MOVING = {"reduced_motion": "no-preference"}
# What the page's thread does in a frame, as traces name it.
WORK = {
    "script": {
        "FunctionCall",
        "TimerFire",
        "FireAnimationFrame",
        "EventDispatch",
        "RunMicrotasks",
    },
    "style": {"UpdateLayoutTree"},
    "layout": {"Layout"},
    "paint": {"PrePaint", "Paint", "Layerize", "Commit"},
}
TRACED = ["devtools.timeline", "blink.user_timing", "toplevel", "__metadata"]
# How somebody plays who decides at once: by the ways the page offers to go faster.
MANNERS: dict[str, dict[str, Any]] = {
    "as it is": {"pause": 0.8},
    "hurried by taps": {"pause": 0.8, "hurry": True, "skip": True},
    "fast bots": {"pause": 0.2},
    "fast bots, dice throw themselves": {"pause": 0.2, "auto": True},
}


def table(title: str, head: list[str], rows: list[list[str]]) -> None:
    """A plain table, as the documents have it."""
    print(f"\n{title}\n")
    for row in [head, ["---"] * len(head), *rows]:
        print(f"| {' | '.join(row)} |")
    sys.stdout.flush()


def kilo(size: float) -> str:
    return f"{size / 1000:.1f}"


# --- the first load ---


def load(browser: Browser, server: Server) -> None:
    visits = [
        (f"{name} ({lang})", lang, visit)
        for name, visit in first_visits(server).items()
        for lang in LANGUAGES
    ]
    visits.append(("rules of the duel (en)", "en", Visit("/rules/duel", "figure")))
    rows = []
    for name, lang, visit in visits:
        found = loaded(browser, server, lang, visit)
        rows.append([name, *map(kilo, (found.whole, found.letters, found.heads))])
    head = ["packed, in kB", "until the line is quiet", "of it letters", "headers on top"]
    table("The first load", head, rows)


# --- a game ---


def game(browser: Browser, server: Server) -> None:
    rows = []
    for name in ("classic", "duel"):
        with visitor(browser, SMALL, **MOVING) as page:
            found = whole_game(page, server, name, {"pause": 0, "skip": True})
        shown, confirmed, shifts = found["shown"], found["confirmed"], found["shifts"]
        rows.append(
            [
                name,
                f"{sum(drawn for drawn, _ in shown)} of {len(shown)}",
                f"{median(ms for _, ms in shown):.0f} ms",
                f"{median(confirmed):.0f} ms, {quantiles(confirmed, n=20)[-1]:.0f} ms",
                f"{sum(value for value, *_ in shifts):.4f}",
                f"{max((value for value, *_ in shifts), default=0):.4f}",
            ]
        )
        for value, phase, what in shifts:
            if value > VISIBLE:
                print(f"  {name}: shift of {value:.4f} in {phase}: {what}")
    head = ["a whole game", "choice drawn in the next frame", "two frames after the tap"]
    table(
        "Choices and shifts",
        [*head, "confirmed: median, 95 % within", "layout shift", "largest"],
        rows,
    )


def whole_game(page: Page, server: Server, name: str, manner: dict[str, Any]) -> dict[str, Any]:
    """Play to the end as somebody who decides at once; what the page wrote down about itself."""
    page.add_init_script(f"({WATCH})()")
    likes = json.dumps({"auto": manner.get("auto", False)})
    page.add_init_script(f"localStorage.setItem('qwixx.settings', {json.dumps(likes)})")
    against_bot(page, server, name, pause=manner["pause"])
    page.wait_for_selector("[data-phase] .tray")
    page.evaluate("(manner) => playOn(manner)", manner)
    page.wait_for_function("() => measured.finished", timeout=MINUTES * 60_000, polling=300)
    page.wait_for_timeout(300)
    found: dict[str, Any] = page.evaluate("() => measured")
    return found


def taps(browser: Browser, server: Server) -> None:
    rows = []
    for words, manner in MANNERS.items():
        for name in ("classic", "duel"):
            played = []
            for _ in range(GAMES):
                with visitor(browser, SMALL, **MOVING) as page:
                    found = whole_game(page, server, name, manner)
                played.append((found["finished"], found["tumbles"]))
            count = fmean(one["taps"] for one, _ in played)
            seconds = fmean(one["seconds"] for one, _ in played)
            throws = fmean(tumbles for _, tumbles in played)
            rows.append([words, name, f"{count:.0f}", f"{seconds:.0f} s", f"{throws:.0f}"])
    table(
        f"A whole game against the Magpie, mean of {GAMES}",
        ["", "", "taps", "seconds", "throws"],
        rows,
    )


# --- dice on a slow processor ---


def dice(browser: Browser, server: Server) -> None:
    rows = []
    for name in ("classic", "duel"):
        for slower in (1, SLOWER):
            with visitor(browser, SMALL, **MOVING) as page:
                rows.append(
                    [
                        f"{name}, processor {slower}× slower",
                        *rolling(browser, page, server, name, slower),
                    ]
                )
    head = ["while dice roll", "frames a second", "frames over 25 ms", "long tasks"]
    work = ["thread, ms a frame", *(f"{kind}" for kind in WORK)]
    table("Dice", [*head, *work], rows)


def rolling(browser: Browser, page: Page, server: Server, name: str, slower: int) -> list[str]:
    """A game with slow bots, traced while its dice roll."""
    page.add_init_script(f"({WATCH})()")
    likes = json.dumps({"auto": True})
    page.add_init_script(f"localStorage.setItem('qwixx.settings', {json.dumps(likes)})")
    against_bot(page, server, name, pause=0.8)
    page.wait_for_selector("[data-phase] .tray")
    page.wait_for_timeout(500)
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    browser.start_tracing(page=page, categories=TRACED)
    page.evaluate("() => playOn({})")
    page.wait_for_function(
        "() => measured.tumbles > 12 || measured.finished", timeout=MINUTES * 60_000, polling=300
    )
    trace = json.loads(browser.stop_tracing())["traceEvents"]
    found = page.evaluate("() => measured")
    frames = found["frames"]
    busy = work(trace)
    return [
        f"{1000 / fmean(frames):.0f}",
        f"{sum(ms > 25 for ms in frames) / len(frames):.0%}",
        str(len(found["long"])),
        *(f"{ms / len(frames):.1f}" for ms in busy),
    ]


def work(trace: list[dict[str, Any]]) -> list[float]:
    """Processor time of the page's thread between the marks, in milliseconds: all of it, then by kind."""
    marks = [event for event in trace if event["cat"].startswith("blink.user_timing")]
    begun = [event for event in marks if event["name"].startswith("tumble ")]
    thread = (begun[0]["pid"], begun[0]["tid"])
    rests = {event["name"][5:]: event["ts"] for event in marks if event["name"].startswith("rest ")}
    spans = [(event["ts"], rests.get(event["name"][7:])) for event in begun]
    mine = [
        event
        for event in trace
        if event["ph"] == "X" and (event["pid"], event["tid"]) == thread and "dur" in event
    ]
    inside = [
        event
        for event in mine
        if any(begin <= event["ts"] < end for begin, end in spans if end is not None)
    ]

    def spent(belongs: Callable[[str], bool]) -> float:
        """Without what lies within another of the same kind."""
        total, until = 0.0, 0.0
        for event in sorted(inside, key=lambda event: event["ts"]):
            if belongs(event["name"]) and event["ts"] >= until:
                total += event.get("tdur", event["dur"])
                until = event["ts"] + event["dur"]
        return total / 1000

    return [
        spent(lambda name: name.endswith("RunTask")),
        *(spent(names.__contains__) for names in WORK.values()),
    ]


PARTS = {"load": load, "game": game, "dice": dice, "taps": taps}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; else all")
    wanted = parser.parse_args().parts
    if unknown := {*wanted} - {*PARTS}:
        parser.error(f"there is no part {', '.join(unknown)}: the parts are {', '.join(PARTS)}")
    settle()
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        server = Server(Path(folder), *GENEROUS)
        for name in wanted or PARTS:
            PARTS[name](browser, server)
        server.stop()


if __name__ == "__main__":
    main()
