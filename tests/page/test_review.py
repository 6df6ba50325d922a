"""A finished game, judged: its curve by touch and by keys, the choices beside what was better,
a link to a moment of it, and one's own mistakes as puzzles."""

import json
import re
from random import Random

from client import Json, Server
from playing import Person
from playwright.sync_api import Browser, Page, Route, expect
from stage import judged
from studying import costly
from visits import LARGE, SMALL, address, against_bot, visitor

# Where everything is that must not move while a review comes in.
PLACES = """() => [...document.querySelectorAll('[data-curve], .steps button, .seats button, .sheet, .felt')]
  .map((el) => { const r = el.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].join(' '); })"""


def at(page: Page) -> str:
    return str(page.locator("[data-curve]").get_attribute("aria-valuenow"))


def test_a_game_its_review_and_a_puzzle(server: Server, browser: Browser) -> None:
    """Whoever always passes is soon at the end, and has made mistakes."""
    with visitor(browser, SMALL) as page, visitor(browser, LARGE) as friend:
        table = against_bot(page, server, "classic")
        page.wait_for_selector(".tray")
        Person(page, "touch", Random(16), passing=1).play()
        page.locator(".end [data-do=review]").tap()
        page.wait_for_selector("[data-review='1']")
        whole = judged(server, table)
        review = whole["review"]
        expect(page.locator(".skill")).to_be_visible()
        worst = costly(review, 0)
        # Back to the end as it was left, with another round one tap away.
        expect(page.locator("[data-review] .back")).to_have_attribute("href", f"/en/table/{table}")

        check_reading(page, review, worst)
        check_link(friend, server, page.url, whole, worst)
        check_puzzles(page, worst)


def check_reading(page: Page, review: Json, worst: Json) -> None:
    """It opens where it tells most; one moves by touch and by keys, and by its list."""
    root = page.locator("[data-review]")
    expect(root).to_have_attribute("data-event", str(worst["event"]))
    for move, worth in worst["values"].items():
        expect(page.locator(f"[data-value='{move}'] .worth")).to_have_text(
            f"{round(100 * worth['win'])}%"
        )
    expect(page.locator("[data-made]")).to_have_attribute("data-value", worst["move"])
    expect(page.locator("[data-best]")).to_have_attribute("data-value", worst["best"])
    expect(page.locator(".verdict")).to_have_attribute("data-label", worst["label"])
    for seat, player in enumerate(review["players"]):
        counts = page.locator(f".skill [data-player='{seat}'] .labels b")
        expect(counts).to_have_text([str(player["labels"][label]) for label in player["labels"]])

    curve = page.locator("[data-curve]")
    curve.scroll_into_view_if_needed()
    box = curve.bounding_box()
    assert box
    page.touchscreen.tap(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    touched = int(at(page))
    assert touched > len(review["throws"])
    curve.focus()
    for key, then in (("Home", "0"), ("ArrowRight", "1"), ("ArrowRight", "2"), ("ArrowLeft", "1")):
        page.keyboard.press(key)
        expect(curve).to_have_attribute("aria-valuenow", then)
    expect(curve).to_have_attribute(
        "aria-valuetext", re.compile(r"^Throw 1: You \d+%, Magpie \d+%$")
    )
    told = re.findall(r"\d+", str(curve.get_attribute("aria-valuetext")))
    assert abs(sum(map(int, told[1:])) - 100) <= 1  # shares of one win
    page.keyboard.press("End")
    expect(page.locator("[data-do=on]")).to_have_attribute("aria-disabled", "true")

    page.locator("details summary").last.tap()
    rows = page.get_by_role("table").last.get_by_role("row")
    expect(rows).to_have_count(1 + len(review["throws"]))

    page.locator(f"[data-turning='{worst['event']}']").tap()
    expect(root).to_have_attribute("data-event", str(worst["event"]))
    expect(page.locator(".moment h2").first).to_be_in_viewport()
    expect(page.locator(".moment .sheet")).to_be_in_viewport(ratio=1)
    # The curve tells what came of all choices, the bars what could be known.
    expect(page.locator(".game .told")).to_contain_text("after all choices with this throw")
    expect(page.get_by_text("As it looked to whoever chose")).to_have_count(
        1 if worst["white"] else 0
    )
    page.wait_for_url(re.compile(rf"/review/{worst['event']}$"))
    # What else could have been, and back to the same moment.
    page.locator(".moment [data-do=explore]").tap()
    expect(page.locator("[data-chance='1']")).to_contain_text("Magpie")
    page.get_by_role("link", name="Back to the game").tap()
    expect(root).to_have_attribute("data-event", str(worst["event"]))
    expect(page.locator(".skill")).to_be_visible()


def check_link(page: Page, server: Server, link: str, whole: Json, worst: Json) -> None:
    """A friend without the game comes to the same moment. What fails is told, and goes on when asked;
    nothing moves while it comes in."""
    part = {"throws": whole["review"]["throws"][:1], "decisions": [], "players": None}
    held: list[Route] = []

    def answer(route: Route) -> None:
        if not held:
            route.abort()
        elif len(held) == 1:
            route.fulfill(json={**whole, "done": 1, "review": {**whole["review"], **part}})
        held.append(route)

    page.route(re.compile(r"/api/.*/review\?"), answer)
    page.goto(link.replace("/en/", "/"))
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("[data-review]")).to_have_attribute("data-done", "1")
    while len(held) < 3:  # which asks for the rest
        page.wait_for_timeout(20)
    before = page.evaluate(PLACES)
    held[2].fulfill(json=whole)
    expect(page.locator(".skill")).to_be_visible()
    assert page.evaluate(PLACES) == before
    expect(page.locator("[data-review]")).to_have_attribute("data-event", str(worst["event"]))
    expect(page.locator("[data-made]")).to_have_attribute("data-value", worst["move"])
    expect(page.get_by_role("group", name="Whose sheet").get_by_role("button").first).to_have_text(
        re.compile("Ana")
    )
    expect(page.locator("[data-do=learn]")).to_have_count(0)  # somebody else's mistakes
    page.goto(address(server))
    page.wait_for_selector("[data-play]")
    expect(page.locator("[data-do=mistakes]")).to_have_count(0)


def check_puzzles(page: Page, worst: Json) -> None:
    """What is best is right, what one did then is not, and comes again; home leads there too."""
    page.locator("[data-do=learn]").tap()
    puzzle = page.locator(".mistakes")
    for _ in range(100):
        page.wait_for_selector(".choice")
        if puzzle.get_attribute("data-mistake") == str(worst["event"]):
            break
        page.locator(".choice").first.tap()
        page.locator("[data-do=next]").tap()
    choices = page.locator(".choice").evaluate_all("(all) => all.map((one) => one.dataset.move)")
    assert sorted(choices) == sorted(worst["values"])
    wrong = min(worst["values"], key=lambda move: float(worst["values"][move]["win"]))
    page.locator(f".choice[data-move='{wrong}']").tap()
    expect(puzzle).to_have_attribute("data-right", "false")
    expect(page.locator("[data-best]")).to_have_attribute("data-value", worst["best"])
    for _ in range(100):
        page.locator("[data-do=next]").tap()
        page.wait_for_selector(".choice")
        if puzzle.get_attribute("data-mistake") == str(worst["event"]):
            break
        page.locator(".choice").first.tap()
    page.keyboard.press(str(1 + choices.index(worst["best"])))
    expect(puzzle).to_have_attribute("data-right", "true")
    kept = json.loads(page.evaluate("localStorage.getItem('qwixx.mistakes')"))
    again = next(one for one in kept["all"] if one["event"] == worst["event"])
    assert again["due"] > 0
    assert again["found"] == 0  # the first try counts
    page.goto(re.sub(r"/mistakes.*", "", page.url))
    page.locator("[data-do=mistakes]").tap()
    expect(page.locator(".choice, [data-finished]").first).to_be_visible()
