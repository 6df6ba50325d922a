"""Every screen, in every language, light and dark: accessible, readable, reachable, translated."""

import re
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from client import Client, Json
from playing import CONFIRM
from playwright.sync_api import Browser, Page
from ruler import axe_problems, small_targets, text_problems
from stage import Plan, staged
from visits import altered, resize
from walk import LANGUAGES, SCREENS, Walk

from sweeps import sweep_of_several

AXE = (
    Path(__file__).parent.parent.parent / "web" / "node_modules" / "axe-core" / "axe.min.js"
).read_text()
WORDS = (Path(__file__).parent / "words.js").read_text()
NAMES = re.compile(
    r"\b(Ana|Mafalda|Fred|Zoë|Żaneta|Laura|Qwixx|Duel|English|Português|Español|Polski|Deutsch|and|und)\b"
)
# Every text of the catalogues is put between these, which take no room: no word may stand outside of them.
OPEN, CLOSE = "\u2063", "\u2064"
BETWEEN = re.compile(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")
CATALOGUES = re.compile(r"/assets/([a-z]+\.)?[a-z]{2}-[^/]*\.json")
# How long ago something was is said by the browser, which knows the words of every language.
AGO = f"""() => {{
  const said = Intl.RelativeTimeFormat.prototype.format;
  Intl.RelativeTimeFormat.prototype.format = function (...when) {{
    return `{OPEN}${{said.apply(this, when)}}{CLOSE}`;
  }};
}}"""
# Much like another one, which is looked at on every run.
ALIKE = {
    "new-device",
    "duel-white",
    "classic-colour-hint",
    "duel-colour-hint",
    "mixed-a-colour",
    "mixed-b-white",
    "mixed-b-colour",
    "classic-waiting",
    "watching-five",
    "mixed-a-end",
    "review-duel",
    "review-practice",
    "mistake-tried",
    "rules-mixed-a",
    "rules-mixed-b",
    "learn-duel",
    "explore-practice",
}
# The walk in so many pieces, so that several can be gone at a time; the last are those alike.
PIECES = 4

# What other colours and another width can break; the rest was looked at in the light.
IN_THE_DARK = ("color-contrast", "link-in-text-block", "scrollable-region-focusable")

Found = dict[str, list[str]]


def report(found: Found) -> None:
    """Fail with everything that was found, screen by screen."""
    lines = [f"{name}: {problem}" for name, problems in found.items() for problem in problems]
    assert not lines, "\n" + "\n".join(lines)


def enclosed(value: Any, key: str = "") -> Any:
    """A catalogue with its texts enclosed."""
    if isinstance(value, dict):
        return {name: enclosed(one, name) for name, one in value.items()}
    if isinstance(value, list):
        return [enclosed(one, key) for one in value]
    return f"{OPEN}{value}{CLOSE}" if key not in ("id", "board", "game") else value


def enclose(page: Page) -> None:
    """From now on the page finds its catalogues enclosed."""
    page.add_init_script(f"({AGO})()")
    altered(page, CATALOGUES, enclosed)


def untranslated(page: Page) -> list[str]:
    """Words that stand outside of every text of the catalogues."""
    said = page.evaluate(WORDS)
    assert OPEN in said
    while said != (shorter := BETWEEN.sub("", said)):
        said = shorter
    said = NAMES.sub("", re.sub(r"[0-9a-f]{16}…|http\S+", "", said))
    found = re.search(r"[^\W\d_]{2,}", said)
    return [f"untranslated: {' '.join(said.split())}"] if found else []


def piece_of(piece: int) -> list[str]:
    """Screens beside each other, which often show the same table."""
    if piece == PIECES - 1:
        return [name for name in SCREENS if name in ALIKE]
    others = [name for name in SCREENS if name not in ALIKE]
    first, last = (number * len(others) // (PIECES - 1) for number in (piece, piece + 1))
    return others[first:last]


@pytest.mark.parametrize(
    ("lang", "piece"),
    sweep_of_several(product(["de", *sorted({*LANGUAGES} - {"de"})], range(PIECES))),
)
def test_every_screen_is_whole_accessible_and_translated(
    walk: Walk, browser: Browser, lang: str, piece: int
) -> None:
    """No text cut off or covered, narrow and wide; nothing too small for a thumb; axe, in the light
    and in the dark; no word that is not in a catalogue. German, whose words are the longest, always.

    Fields of the board are smaller than a thumb, and have their chips for that.
    """
    found: Found = {}
    with walk.visit(browser, lang, "light", 320, 640) as page:
        enclose(page)
        for name in piece_of(piece):
            resize(page, 320, 640)
            page.emulate_media(color_scheme="light")
            SCREENS[name](walk, page, lang)
            found[f"{name} in words"] = untranslated(page)
            found[f"{name} narrow"] = [*text_problems(page), *axe_problems(page, AXE)]
            resize(page, 360, 640)
            found[f"{name} for a thumb"] = [*text_problems(page), *small_targets(page)]
            resize(page, 1280, 800)
            page.emulate_media(color_scheme="dark")
            found[f"{name} wide and dark"] = [
                *text_problems(page),
                *axe_problems(page, AXE, *IN_THE_DARK),
            ]
    report(found)


def test_a_stack_that_can_grow_is_called_as_it_is_shown(walk: Walk, browser: Browser) -> None:
    """Its height is drawn on it, and told in words of its own."""

    def tall(client: Client) -> bool:
        moves = client.play["moves"].get("0", ()) if client.play else ()
        return any(move["effects"].get("raises", 0) > 2 for move in moves)

    def raising(moves: list[Json], rng: Random) -> str:
        return str(
            max(moves[1:], key=lambda move: (move["effects"].get("raises", 0), rng.random()))[
                "move"
            ]
        )

    table = staged(walk.server, walk.mine, Plan("duel", 2, tall, raising))
    with walk.visit(browser, "de") as page:
        walk.open(page, "de", f"/table/{table}", "button[data-field] .stack")
        report({"a stack": axe_problems(page, AXE)})


def test_a_phone_on_its_side(walk: Walk, browser: Browser) -> None:
    problems: Found = {}
    with walk.visit(browser, "en", "light", 740, 360) as page:
        for name in ("home", "classic-white", "classic-colour", "duel-colour", "classic-end"):
            SCREENS[name](walk, page, "en")
            for width, height in ((740, 360), (900, 420), (640, 360)):
                resize(page, width, height)
                problems[f"{name} {width}"] = text_problems(page)
                box = (
                    page.locator(CONFIRM).bounding_box() if page.locator(".tray").count() else None
                )
                assert not box or box["y"] + box["height"] <= height, (
                    f"{name}: the button is below the edge"
                )
    report(problems)


def test_large_letters(walk: Walk, browser: Browser) -> None:
    """With letters of twice the size (200 %) nothing is lost."""
    problems: Found = {}
    for name in ("home", "gathering", "classic-white", "duel-colour", "classic-end", "rules-duel"):
        with walk.visit(browser, "pl", "light", 1280, 800) as page:
            SCREENS[name](walk, page, "pl")
            resize(page, 640, 400)  # what zooming to 200 % leaves
            problems[name] = text_problems(page)
    report(problems)


def test_who_wants_no_motion_gets_none(walk: Walk, browser: Browser) -> None:
    with walk.visit(browser, "en") as page:  # visitors of the walk want none
        SCREENS["classic-white"](walk, page, "en")
        moving = page.evaluate("document.getAnimations().length")
        assert moving == 0
        assert (
            page.locator("[data-die]").first.evaluate(
                "(die) => getComputedStyle(die).transitionDuration"
            )
            == "0s"
        )


def test_zoomed_to_four_times_the_board_can_still_be_seen(walk: Walk, browser: Browser) -> None:
    with walk.visit(browser, "en", "light", 320, 256) as page:
        SCREENS["classic-white"](walk, page, "en")
        rows = page.locator(".sheet .row")
        for number in range(4):
            rows.nth(number).scroll_into_view_if_needed()
            box = rows.nth(number).bounding_box()
            assert box
            hit = page.evaluate(
                "([x, y]) => document.elementFromPoint(x, y)?.closest('.row') !== null",
                [160, box["y"] + 20],
            )
            assert hit, f"row {number} is covered"


def test_in_forced_colours_the_board_can_be_read(walk: Walk, browser: Browser) -> None:
    """What is drawn with backgrounds and shadows is still there when
    the system forces its own colours."""
    with walk.visit(browser, "en", "light", 1280, 800) as page:
        page.emulate_media(forced_colors="active")
        SCREENS["duel-colour"](walk, page, "en")
        colours = page.locator(".piece").evaluate_all(
            "(all) => all.map((one) => getComputedStyle(one).backgroundColor)"
        )
        assert len(set(colours)) == 2, colours
        outline = page.locator("button[data-field]").first.evaluate(
            "(cell) => getComputedStyle(cell).outlineStyle"
        )
        assert outline != "none"
