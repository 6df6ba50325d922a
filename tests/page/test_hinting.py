"""A hint on the page: one tap or one key marks the best choice, says why and what each is worth,
moves nothing, and is gone with the decision."""

import json
from random import Random
from typing import Any

import pytest
from client import NAMED, Server, secret
from playing import CHOICE, CONFIRM, HINT, PASS, Person
from playwright.sync_api import Browser, Page, Request, expect
from stage import choosing, over, stage, to_throw
from visits import LARGE, SMALL, address, against_bot, hold, visitor

from sweeps import sweep_of_several

SHOWN = ".judged.best"
# Where everything on the table is, to the pixel; what a hint draws takes no room.
PLACES = """() => [...document.querySelectorAll(
    '.tray button:not(.coach), .tray .chip, .tray .steps, [data-field], [data-die], .sheet')].map((el) => {
  const r = el.getBoundingClientRect();
  const name = el.dataset.move ?? el.dataset.do ?? el.className.replace(' arriving', '');
  return [name, r.x, r.y, r.width, r.height].join(' ');
})"""


STILL = """() => Promise.allSettled(document.getAnimations()
  .filter((one) => one instanceof CSSTransition).map((one) => one.finished))"""


def listen(page: Page) -> list[dict[str, Any]]:
    """The hints that the page is told, as they come."""
    hints: list[dict[str, Any]] = []

    def note(frame: str | bytes) -> None:
        told = json.loads(frame)
        if told["type"] == "hint":
            hints.append(told)

    page.on("websocket", lambda line: line.on("framereceived", note))
    return hints


def choose_next(page: Page, person: Person) -> bool:
    """Play on until there is something to choose; False if the game is over."""
    while True:
        now = person.look()
        if now["over"]:
            return False
        if now["acting"] and now["phase"] in ("white", "colour") and not now["throwing"]:
            return True
        person.act()


@pytest.mark.parametrize(
    ("game", "how"),
    sweep_of_several([("classic", "tap"), ("duel", "key"), ("classic", "key"), ("duel", "tap")], 2),
)
def test_one_tap_or_one_key_shows_what_is_best(
    server: Server, browser: Browser, game: str, how: str
) -> None:
    with visitor(browser, SMALL if how == "tap" else LARGE) as page:
        hints = listen(page)
        against_bot(page, server, game)
        person = Person(page, "touch" if how == "tap" else "keyboard", Random(f"{game}{how}"))
        page.wait_for_selector(".tray")
        for taken in range(1, 5):
            assert choose_next(page, person)
            # A key that was pressed a moment ago is still on its way up.
            expect(page.locator("button:active")).to_have_count(0)
            page.evaluate(STILL)
            before = page.evaluate(PLACES)
            if how == "tap":
                page.locator(HINT).tap()
            else:
                page.keyboard.press("h")
            expect(page.locator(SHOWN)).to_have_count(1)
            assert page.evaluate(PLACES) == before
            hint = hints[-1]
            best = PASS if hint["best"] == "-" else f'[data-move="{hint["best"]}"]'
            expect(page.locator(f"{best} {SHOWN}")).to_have_count(1)
            expect(page.locator(".judged .bars")).to_have_count(len(hint["values"]))
            share = f"{hint['values'][hint['best']]['win']:.0%}"
            expect(page.locator(f"{best} .bars")).to_contain_text(share)
            expect(page.locator(".say .hint")).to_be_visible()
            spoken = page.locator(".doing > [aria-live]")
            expect(spoken).to_contain_text("Hint: ")
            expect(spoken).to_contain_text(f"{share} to win")
            # The best is made in two taps as ever, and the hint is gone with it.
            page.locator(best).tap()
            if hint["best"] != "-":
                page.locator(CONFIRM).tap()
            elif page.locator(f'{PASS}[aria-pressed="true"]').count():
                page.locator(PASS).tap()
            expect(page.locator(".say .hint")).to_have_count(0)
            expect(page.locator(".judged")).to_have_count(0)
            assert len(hints) == taken


def test_a_second_tap_puts_it_away(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 2, choosing("white", 2, 10))
    with visitor(browser, SMALL) as page:
        hints = listen(page)
        hold(page, mine)
        page.goto(address(server, f"/table/{table}"))
        page.wait_for_selector(CHOICE)
        for shown in (1, 0, 1):
            page.locator(HINT).tap()
            expect(page.locator(SHOWN)).to_have_count(shown)
        assert len(hints) == 2
        assert hints[0]["values"] == hints[1]["values"]
        # What one picks is told in its place, and the bars stay.
        page.locator(CHOICE).first.tap()
        expect(page.locator(".say .hint")).to_have_count(0)
        expect(page.locator(SHOWN)).to_have_count(1)


def test_there_is_no_hint_where_there_is_no_choice(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "duel", 2, to_throw)
    with visitor(browser) as page:
        hints = listen(page)
        hold(page, mine)
        page.goto(address(server, f"/table/{table}"))
        expect(page.locator(HINT)).to_have_attribute("aria-disabled", "true")
        page.locator(HINT).click(force=True)
        page.keyboard.press("h")
        expect(page.locator(".toast")).to_have_count(0)
        assert not hints


def test_a_table_without_hints_shows_none(server: Server, browser: Browser) -> None:
    with visitor(browser) as page:
        hints = listen(page)
        against_bot(page, server, "duel", hints=False)
        person = Person(page, "keyboard", Random(1))
        page.wait_for_selector(".tray")
        assert choose_next(page, person)
        page.keyboard.press("h")
        expect(page.locator(HINT)).to_have_count(0)
        assert choose_next(page, person)
        assert not hints
        expect(page.locator(".toast")).to_have_count(0)


def test_hints_taken_are_told_at_the_end_and_to_whoever_has_the_link(
    server: Server, browser: Browser
) -> None:
    with visitor(browser) as page:
        table = against_bot(page, server, "classic")
        person = Person(page, "click", Random(5), passing=0.9)
        page.wait_for_selector(".tray")
        for _ in range(2):
            assert choose_next(page, person)
            page.locator(HINT).click()
            expect(page.locator(SHOWN)).to_have_count(1)
            number = person.look()["number"]
            while person.look()["number"] == number:
                person.act()
        person.play()
        expect(page.locator("[data-hints]")).to_have_text("Hints taken: You 2")
        page.goto(address(server, f"/table/{table}/1"))
        expect(page.locator("[data-hints]")).to_have_text("Hints taken: Ana 2")
    table = stage(server, secret(), "duel", 2, over)
    with visitor(browser) as page:
        page.goto(address(server, f"/table/{table}"))
        page.wait_for_selector(".end")
        expect(page.locator("[data-hints]")).to_have_count(0)


def test_whoever_makes_a_table_says_whether_there_are_hints(
    server: Server, browser: Browser
) -> None:
    """On with bots, off among people, and as one likes; those who come see it."""
    with visitor(browser, SMALL) as page:
        made: list[dict[str, Any]] = []

        def note(sent: Request) -> None:
            if sent.method == "POST":
                made.append(sent.post_data_json or {})

        page.on("request", note)
        page.goto(address(server, "/new/classic", NAMED))
        page.locator("form details > summary").tap()
        tick = page.locator('[data-option="hints"]')
        expect(tick).not_to_be_checked()  # a friend comes by link
        page.locator(".seat").nth(1).tap()
        page.locator(".level").first.tap()
        expect(tick).to_be_checked()
        page.get_by_role("button", name="Friend by link").tap()
        expect(tick).not_to_be_checked()
        tick.tap()
        page.locator(".make").tap()
        page.get_by_label("Your name", exact=True).fill("Ana")
        page.locator(".make").tap()
        page.wait_for_selector(".gather")
        expect(page.get_by_text("✓ Hints")).to_be_visible()
        assert [one["options"]["hints"] for one in made if "options" in one] == [True]
