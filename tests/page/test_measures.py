"""What is drawn is as long as it is told, and what is written can be read."""

import json
import re
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest
from client import Client, Server
from playing import CHOICE, HINT
from playwright.sync_api import Browser, Page, WebSocketRoute, expect
from ruler import text_problems
from stage import choosing
from visits import address, resize, visitor
from walk import GAMES, LANGUAGES, SCREENS, Walk

from sweeps import sweep, sweep_of_several

# Where bars are: a line of them, the figure in it, and what is drawn for it.
BARS = {
    "explore-duel": [(".chances li", "b", ".bar i"), (".choice .worth", "b", "s")],
    "explore-practice": [(".chances li", "b", ".bar i"), (".choice .worth", "b", "s")],
    "classic-colour-hint": [(".tray .bars > span", "", "b")],
    "mistake-tried": [(".values tbody tr", ".worth", ".bar b")],
    "watching-five": [("[data-chances] li", "span", "i b")],
}
MEASURED = """(lines, [figure, bar]) => lines.filter((line) => line.checkVisibility()).map((line) => {
  const drawn = line.querySelector(bar);
  const told = figure ? line.querySelector(figure) : line;
  const wide = (one) => one.getBoundingClientRect().width;
  return [told.textContent, wide(drawn) / wide(drawn.parentElement)];
})"""


def part_of_all(told: list[str]) -> list[float]:
    """How long bars must be: a chance is its part of the whole, points are theirs of the most."""
    figures = [float(re.sub(r"[^\d.−]", "", one).replace("−", "-")) for one in told]
    most = max((one for one, text in zip(figures, told, strict=True) if "%" not in text), default=1)
    parts = [one / (100 if "%" in text else most) for one, text in zip(figures, told, strict=True)]
    return [max(0.0, part) for part in parts]


@pytest.mark.parametrize("screen", sweep(BARS, 2))
def test_a_bar_is_as_long_as_what_it_tells(walk: Walk, browser: Browser, screen: str) -> None:
    with walk.visit(browser, "en") as page:
        SCREENS[screen](walk, page, "en")
        for lines, figure, bar in BARS[screen]:
            found = page.locator(lines).evaluate_all(MEASURED, [figure, bar])
            assert found, lines
            right = part_of_all([told for told, _ in found])
            assert [drawn for _, drawn in found] == pytest.approx(right, abs=0.012), found


# Letters that people's names have, from Reykjavík to Riga and Istanbul.
LETTERS = "".join(
    chr(one) for one in [*range(0xC0, 0xD7), *range(0xD8, 0xF7), *range(0xF8, 0x17F)]
).translate(dict.fromkeys(map(ord, "ĲĳĸĿŀŉŊŋſ")))  # which nobody writes


def test_names_are_written_in_the_face_of_the_page(server: Server, browser: Browser) -> None:
    with visitor(browser) as page:
        page.goto(address(server))
        page.locator(".game .big").first.wait_for()
        page.evaluate(
            """(letters) => {
              const line = document.body.appendChild(document.createElement('p'));
              line.id = 'letters';
              line.textContent = letters;
              line.getBoundingClientRect();
              return document.fonts.ready.then(() => undefined);
            }""",
            f"{LETTERS}ȘșȚț",
        )
        wire = page.context.new_cdp_session(page)
        wire.send("DOM.enable")
        wire.send("CSS.enable")
        root = wire.send("DOM.getDocument")["root"]["nodeId"]
        node = wire.send("DOM.querySelector", {"nodeId": root, "selector": "#letters"})["nodeId"]
        used = wire.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        assert [font["familyName"] for font in used] == ["Baloo 2"], used


# The most that a chip ever has to tell.
MOST = {"skips": 10, "forgoes": 1}
SIZES = (
    (320, 568),
    (360, 640),
    (360, 740),
    (390, 844),
    (740, 360),
    (768, 1024),
    (1000, 600),
    (1280, 800),
    (1920, 1080),
)
# All that is written on every chip, how large, and how far from the sides.
PRINTED = """(chips) => chips.map((chip) => {
  const place = chip.getBoundingClientRect();
  return Object.fromEntries(['.name', '.made', '.skips', '.gains', '.sign', '.bars > span'].flatMap((part) =>
    [...chip.querySelectorAll(part)]
      .filter((one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      .map((one) => {
        const { left, right } = one.getBoundingClientRect();
        const aside = part === '.sign' ? 0 : Math.min(left - place.left, place.right - right);
        return [part, { text: one.textContent, font: parseFloat(getComputedStyle(one).fontSize), aside }];
      })));
})"""


def with_most(told: Any) -> Any:
    """What the server tells, as if every choice had the most to tell."""
    if isinstance(told, list):
        return [with_most(one) for one in told]
    if not isinstance(told, dict):
        return told
    if told.get("move", "-") != "-" and "effects" in told:
        return {**told, "effects": MOST, "gains": 12}
    return {key: with_most(one) for key, one in told.items()}


# Chips and dice have come to rest: what has begun in the frames after a change is finished.
AT_REST = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const moving = () => document.getAnimations().filter(
    (one) => one.playState === 'running' && one.effect.getComputedTiming().endTime !== Infinity);
  do {
    await Promise.allSettled(moving().map((one) => one.finished));
    await frame();
    await frame();
  } while (moving().length);
}"""


def hears(page: Page, change: Callable[[Any], Any]) -> None:
    """The page hears what the server tells otherwise."""

    def between(line: WebSocketRoute) -> None:
        server = line.connect_to_server()
        server.on_message(lambda frame: line.send(json.dumps(change(json.loads(frame)))))

    page.route_web_socket("**/socket", between)


@pytest.mark.parametrize(
    ("game", "action"),
    sweep_of_several(
        [("classic", "colour"), ("mixed-a", "colour"), ("classic", "white"), ("duel", "colour")]
    ),
)
def test_a_chip_names_its_dice_and_what_it_skips_with_and_without_a_hint(
    walk: Walk, browser: Browser, game: str, action: str
) -> None:
    """Always both, whatever else there is to tell: eleven pixels at least, all of it on its chip, nothing on
    anything else, on every screen."""
    moment = choosing(action, 3, 20)

    def low(client: Client) -> bool:
        """Of two equal white dice a chip is as high as both."""
        dice = (client.play or {}).get("dice") or "11"
        return moment(client) and (action == "white" or dice[0] != dice[1])

    found: list[Any] = []
    table = walk.table(f"chips {game} {action}", game, 2, low)
    with walk.visit(browser, "de", "light", *SIZES[0]) as page:
        hears(page, with_most)
        walk.open(page, "de", f"/table/{table}", CHOICE)
        page.locator(CHOICE).last.click()
        for hinted in (False, True):
            if hinted:
                page.keyboard.press("Escape")  # what was picked
                page.locator(HINT).click()
                page.wait_for_selector(".judged .bars")
            for width, height in SIZES:
                resize(page, width, height)
                page.evaluate(AT_REST)
                where = (width, height, hinted)
                chips = page.locator(".chip").evaluate_all(PRINTED)
                assert chips
                for chip in chips:
                    made = chip.get(".made", {}).get("text", "")
                    if (
                        not re.fullmatch(r"\d ?\+ ?\d", made)
                        or chip.get(".skips", {}).get("text") != "10"
                    ):
                        found.append((where, "does not say what it is", chip))
                    if (".bars > span" in chip) != hinted or ".sign" not in chip:
                        found.append((where, "does not say what it does", chip))
                    if chip[".name"]["aside"] < 2:
                        found.append((where, "touches the edge", chip))
                    found.extend(
                        (where, "cannot be read", one)
                        for one in chip.values()
                        if one["font"] < 11 or one["aside"] < -0.5
                    )
                found.extend((where, problem) for problem in text_problems(page))
    assert not found, "\n".join(map(str, found))


CUT = """(animals) => [...document.querySelectorAll('.players .name')].flatMap((name) =>
  animals.filter((animal) => {
    name.textContent = animal;
    name.style.setProperty('--letters', animal.length);
    name.classList.toggle('long', animal.length > 9);
    const letters = document.createRange();
    letters.selectNodeContents(name);
    return letters.getBoundingClientRect().width > name.getBoundingClientRect().width + 0.01;
  }))"""


@pytest.mark.parametrize("screen", sweep(["classic-white", "duel-white", "classic-throw"]))
def test_no_animal_is_cut_off_in_any_language(walk: Walk, browser: Browser, screen: str) -> None:
    """Of one opponent, of two at one board and of four; four on the smallest phone may be."""
    words = [
        json.loads((GAMES.parent / "languages" / f"{lang}.json").read_text()) for lang in LANGUAGES
    ]
    levels = json.loads(walk.server.get("/api/games")[1])["levels"]
    animals = [said[f"level.{level}"] for said in words for level in levels]
    with walk.visit(browser, "en", "light", *SIZES[0]) as page:
        SCREENS[screen](walk, page, "en")
        for width, height in SIZES:
            resize(page, width, height)
            if screen != "classic-white" or width > 320:
                assert page.evaluate(CUT, animals) == [], (width, height)


def with_points(told: Any, points: int) -> Any:
    """What the server tells, as if everybody had so many points, and all pieces."""
    if isinstance(told, list):
        return [with_points(one, points) for one in told]
    if not isinstance(told, dict):
        return told
    most = {"totals": points, "left": 22}
    return {
        key: [most[key]] * len(one)
        if key in most and isinstance(one, list)
        else with_points(one, points)
        for key, one in told.items()
    }


@pytest.mark.parametrize("points", sweep([148, -15], 2))
@pytest.mark.parametrize("screen", sweep(["duel-colour", "classic-colour", "classic-white"]))
def test_nothing_on_a_card_lies_on_anything_else(
    walk: Walk, browser: Browser, screen: str, points: int
) -> None:
    with walk.visit(browser, "pl", "light", *SIZES[0]) as page:
        hears(page, lambda told: with_points(told, points))
        SCREENS[screen](walk, page, "pl")
        expect(page.locator(".players [data-total]").first).to_contain_text(str(abs(points)))
        for width, height in (*SIZES, (568, 320), (640, 360)):
            resize(page, width, height)
            assert text_problems(page) == [], (width, height)


CONTRASTS = """(numbers) => numbers.map((number) => {
  const canvas = new OffscreenCanvas(1, 1).getContext('2d');
  const light = (colour) => {
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((one) =>
      one / 255 <= 0.04045 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const { color, opacity } = getComputedStyle(number);
  const both = [light(color), light(getComputedStyle(number.closest('.cell')).backgroundColor)];
  return opacity === '1' ? (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05) : 0;
})"""


@pytest.mark.parametrize("scheme", sweep(["light", "dark"]))
@pytest.mark.parametrize("screen", sweep(["mixed-a-white", "classic-white", "mixed-b-white"], 1))
def test_a_crossed_number_can_be_read(
    walk: Walk, browser: Browser, screen: str, scheme: str
) -> None:
    """The cross lies behind it, from corner to corner of its tile."""
    with walk.visit(browser, "en", scheme) as page:
        SCREENS[screen](walk, page, "en")
        numbers = page.locator(".sheet .crossed:not(.lock) b")
        assert min(numbers.evaluate_all(CONTRASTS)) >= 4.5
        above = numbers.evaluate_all("""(all) => all.map((number) => {
          const cross = number.parentElement.querySelector('.cross');
          const wide = (one) => one.getBoundingClientRect().width;
          return wide(cross) > 0.85 * wide(number.parentElement) &&
            Number(getComputedStyle(number).zIndex) > (Number(getComputedStyle(cross).zIndex) || 0);
        })""")
        assert all(above)


@pytest.mark.parametrize(
    ("lang", "width"), sweep_of_several([("de", 320), ("es", 320), ("de", 360), ("pl", 320)])
)
def test_the_chances_of_five_stay_in_one_line_each(
    walk: Walk, browser: Browser, lang: str, width: int
) -> None:
    with walk.visit(browser, lang, "light", width, 640) as page:
        SCREENS["watching-five"](walk, page, lang)
        lines = page.locator("[data-chances] li span")
        # As wide as it can become.
        lines.evaluate_all(
            "(all) => all.forEach((one) => (one.lastChild.textContent = '100\\u00a0%'))"
        )
        places = lines.evaluate_all("""(all) => all.map((one) => {
          const [mine, whole] = [one.getBoundingClientRect(), one.parentElement.getBoundingClientRect()];
          return [mine.top, mine.left - whole.left, whole.right - mine.right];
        })""")
        assert len(places) == 5
        assert len({round(top) for top, _, _ in places}) == 1, places
        assert all(min(before, after) >= -3 for _, before, after in places), places  # the gap is 6
        font = lines.first.evaluate("(one) => parseFloat(getComputedStyle(one).fontSize)")
        assert font >= 11


def overlap(page: Page, one: str, other: str) -> bool:
    """Whether two things lie on each other."""
    boxes = [page.locator(what).first.bounding_box() for what in (one, other)]
    a, b = boxes
    assert a
    assert b
    return (
        min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"]) > 1
        and min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"]) > 1
    )


@pytest.mark.parametrize("size", sweep([(360, 740), (1280, 800), (740, 360), (320, 568)]))
def test_reactions_cover_neither_the_board_nor_the_tip(
    walk: Walk, browser: Browser, size: tuple[int, int]
) -> None:
    with walk.visit(browser, "de", "light", *size) as page:
        SCREENS["classic-colour-hint"](walk, page, "de")
        page.locator(".tray [aria-expanded=false]").first.click()
        expect(page.locator(".emotes button")).to_have_count(6)
        for covered in (".sheet .board", ".say .hint", ".tray .who"):
            assert not overlap(page, ".emotes", covered), covered


@pytest.mark.parametrize("lang", sweep(["de", "pt", "en", "es", "pl"]))
def test_the_key_to_play_is_as_high_whoever_joins(walk: Walk, browser: Browser, lang: str) -> None:
    with walk.visit(browser, lang, "light", 320, 568) as page:
        walk.open(page, lang, "", ".hero .big")
        key, faces = page.locator(".hero .big"), page.locator(".hero .face")
        alone = key.bounding_box()
        page.locator(".hero .counts label").nth(1).click()
        for both in combinations(range(faces.count()), 2):
            for one in both:
                if faces.nth(one).get_attribute("aria-pressed") == "false":
                    faces.nth(one).click()
            expect(page.locator(".hero .face.on")).to_have_count(2)
            with_both = key.bounding_box()
            assert alone
            assert with_both
            assert with_both["height"] == alone["height"], key.inner_text()
            assert text_problems(page) == [], key.inner_text()


@pytest.mark.parametrize("screen", sweep(["settings", "log"]))
def test_the_way_out_of_a_card_stays_in_sight(walk: Walk, browser: Browser, screen: str) -> None:
    with walk.visit(browser, "de", "light", 360, 480) as page:
        SCREENS[screen](walk, page, "de")
        scrolled = page.locator("dialog").evaluate(
            "(card) => (card.scrollTo(0, card.scrollHeight), card.scrollTop)"
        )
        assert scrolled > 0
        close = page.get_by_role("button", name="Schließen")
        expect(close).to_be_in_viewport(ratio=1)
        close.click()
        expect(page.locator("dialog")).to_have_count(0)
