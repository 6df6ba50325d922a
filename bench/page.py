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
from itertools import pairwise
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
SHOWN = "disabled-by-default-display.framedisplayed"
TRACED = ["devtools.timeline", "blink.user_timing", "toplevel", SHOWN, "__metadata"]
LONG = 50_000  # microseconds
STOLEN = 7  # of what Linux counts
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
                played.append((found["finished"], found["throws"]))
            count = fmean(one["taps"] for one, _ in played)
            seconds = fmean(one["seconds"] for one, _ in played)
            throws = fmean(throws for _, throws in played)
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
                before = processors()
                trace = rolling(browser, page, server, name, slower)
                spent = [
                    after - earlier for earlier, after in zip(before, processors(), strict=True)
                ]
            away = f"{spent[STOLEN] / sum(spent):.0%}" if spent else "not known"
            rows.append([f"{name}, processor {slower}× slower", away, *frames(trace)])
    head = [
        "while dice roll",
        "taken by other machines",
        "frames shown a second: of all throws the median",
        "least",
        "longest wait for a frame, median",
        "long tasks",
    ]
    table("Dice", [*head, "thread, ms a frame", *WORK], rows)


def processors() -> list[int]:
    """The time of all processors by what they did, as Linux counts it; also what a host gave to its
    other machines, during which no page shows anything."""
    counted = Path("/proc/stat")
    return [int(ticks) for ticks in counted.read_text().split()[1:9]] if counted.exists() else []


def rolling(
    browser: Browser, page: Page, server: Server, name: str, slower: int
) -> list[dict[str, Any]]:
    """The trace of a game in which the dice throw themselves."""
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
        "() => measured.throws > 24 || measured.finished", timeout=MINUTES * 60_000, polling=300
    )
    events: list[dict[str, Any]] = json.loads(browser.stop_tracing())["traceEvents"]
    return events


def frames(trace: list[dict[str, Any]]) -> list[str]:
    """What was on the screen, and what the page's thread did, while dice were in the air."""
    marks = sorted(
        (
            event
            for event in trace
            if event["cat"].startswith("blink.user_timing")
            and event["name"].startswith(("tumble ", "rest"))
        ),
        key=lambda event: event["ts"],
    )
    shown = sorted(event["ts"] for event in trace if event["name"] == "Display::FrameDisplayed")
    # They fly as long as they would, or until the table goes on.
    spans = [
        (begun["ts"], min(rest["ts"], begun["ts"] + float(begun["name"][7:]) * 1000))
        for begun, rest in pairwise(marks)
        if rest["name"] == "rest"
    ]
    seen = [[at for at in shown if begin <= at < end] for begin, end in spans]
    # The first frame comes when the page has drawn it: that is a wait, and no part of the rate.
    rates = [(len(ats) - 1) * 1e6 / (ats[-1] - ats[0]) if len(ats) > 1 else 0 for ats in seen]
    waits = [
        max(until - since for since, until in pairwise([begin, *ats, end])) / 1000
        for (begin, end), ats in zip(spans, seen, strict=True)
    ]

    def while_rolling(event: dict[str, Any]) -> bool:
        """Without what ends the flight, and draws the table then."""
        since, until = event["ts"], event["ts"] + event["dur"]
        return any(begin <= since and until < end for begin, end in spans)

    page = (marks[0]["pid"], marks[0]["tid"])
    mine = [
        event
        for event in trace
        if event["ph"] == "X" and "dur" in event and (event["pid"], event["tid"]) == page
    ]
    inside = sorted(filter(while_rolling, mine), key=lambda event: event["ts"])

    def spent(belongs: Callable[[str], bool]) -> float:
        """Processor time in milliseconds, without what lies within another of the same kind."""
        total, until = 0.0, 0.0
        for event in inside:
            if belongs(event["name"]) and event["ts"] >= until:
                total += event.get("tdur", event["dur"])
                until = event["ts"] + event["dur"]
        return total / 1000

    sixtieths = sum(end - begin for begin, end in spans) / 1e6 * 60
    tasks = [event for event in inside if is_task(event["name"])]
    kinds: list[Callable[[str], bool]] = [is_task, *(names.__contains__ for names in WORK.values())]
    return [
        f"{median(rates):.0f}",
        f"{min(rates):.0f}",
        f"{median(waits):.0f} ms",
        str(sum(task["dur"] > LONG for task in tasks)),
        *(f"{spent(kind) / sixtieths:.1f}" for kind in kinds),
    ]


def is_task(name: str) -> bool:
    return name.endswith("RunTask")


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
