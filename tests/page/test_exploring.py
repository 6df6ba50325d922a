"""The explorer, as somebody uses it who wonders what would have been: from the replay of a finished
game, by finger and by key, and back into a game."""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from random import Random
from typing import Any

from client import Server, secret
from playing import Person
from playwright.sync_api import Browser, Page, expect
from stage import Plan, idle, over, staged
from visits import LARGE, SMALL, address, dismissed, hold, visitor

from tables import classic_position, sheet

JUDGED = ".explore[data-judged]"


def position(page: Page) -> dict[str, Any]:
    """What stands in the address."""
    return position_in(page.url)


def position_in(link: str) -> dict[str, Any]:
    code = re.split(r"[/?#]", link.split("/explore/")[1])[1]
    found: dict[str, Any] = json.loads(urlsafe_b64decode(code + "=" * (-len(code) % 4)))
    return found


def test_from_a_replay_into_the_explorer_and_on_into_a_game(
    server: Server, browser: Browser
) -> None:
    mine = secret()
    table = staged(server, mine, Plan("classic", 2, over, idle))
    with visitor(browser, SMALL) as page:
        hold(page, mine)
        page.goto(address(server, f"/table/{table}/1"))
        page.wait_for_selector(".replay input:not([max='0'])")  # its story has come
        before_the_end = page.locator("[data-do=explore]").get_attribute("href") or ""
        assert position_in(before_the_end)["phase"] == "colour"
        page.get_by_role("slider").press("Home")
        page.get_by_role("slider").press("ArrowRight")
        page.locator("[data-do=explore]").tap()
        check_way_back(page)
        page.locator("[data-do=explore]").tap()
        page.wait_for_selector(JUDGED)
        assert position(page)["sheets"] == [position(page)["sheets"][0]] * 2
        # Fields by finger, large and small: what cannot be is told with its rule.
        page.locator("[data-key=R5]").tap()
        expect(page.locator("[data-field=R5]")).to_have_attribute("aria-pressed", "true")
        page.locator("[data-field=Y3]").tap()
        expect(page.locator("[data-field=Y3]")).to_have_attribute("aria-pressed", "true")
        page.locator("[data-key=Y12]").tap()
        expect(page.locator(".said")).to_contain_text("at least five crosses")
        assert position(page)["sheets"][0]["Y"] == [3]
        page.locator(".turn button").last.tap()  # whoever was drawn to begin
        expect(page.locator(".turn [data-turn]")).to_have_attribute("data-turn", "1")
        page.locator("[data-fail='0 1']").tap()
        expect(page.locator("[data-fail='0 1']")).to_have_attribute("aria-pressed", "true")
        expect(page.locator(".said .problem")).to_have_count(0)
        # The luck of every throw, before there is one; then the choices with it.
        expect(page.locator("tbody tr")).to_have_count(11)
        page.locator("[data-set='0']").tap()
        page.wait_for_selector(f"{JUDGED}[data-phase=white]")
        laid, dice = page.url, position(page)["dice"]
        page.locator("[data-set='2']").press("ArrowUp")
        page.wait_for_function("(before) => location.href !== before", arg=laid)
        assert position(page)["dice"] != dice
        page.wait_for_selector(JUDGED)
        best = page.locator(".choice.best")
        expect(best).to_contain_text("%")
        choices = page.locator(".choice").count()
        # All of it is in the address.
        known = position(page)
        page.reload()
        page.wait_for_selector(JUDGED)
        assert position(page) == known
        assert page.locator(".choice").count() == choices
        # On with a choice, and back.
        page.locator(".choice.best").tap()
        page.wait_for_selector(f"{JUDGED}[data-phase=colour]")
        expect(page.locator("[data-chance='1']")).to_contain_text("%")
        page.go_back()
        page.wait_for_selector(".explore[data-phase=white]")
        assert position(page) == known
        check_playing_on(page)


def check_way_back(page: Page) -> None:
    """Who played is known in the explorer, and the way back leads to where one was."""
    expect(page.locator("[data-hand='0']")).to_contain_text("You")
    expect(page.locator("[data-chance='1']")).to_contain_text("Mafalda")
    page.wait_for_selector(JUDGED)
    page.get_by_role("link", name="Back to the game").tap()
    expect(page.get_by_role("slider")).to_have_value("1")
    page.get_by_role("slider").press("Home")


def check_playing_on(page: Page) -> None:
    """A game from here on, in one's own seat whoever's turn it is: which is told."""
    expect(page.locator("[data-me='0']")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("First to throw: Mafalda")).to_be_visible()
    page.locator("[data-level=random]").tap()
    page.locator("[data-do=play-on]").tap()
    page.wait_for_selector(".tray")
    expect(page.locator("[data-field=R5]")).to_have_attribute("data-owner", "0")
    told = page.locator("[role=log]")
    expect(told).to_contain_text("The game goes on: Butterfly’s turn")
    expect(page.get_by_text("drawn by lot")).to_have_count(0)
    page.keyboard.press("l")
    expect(page.locator("[data-continued]")).to_be_visible()
    dismissed(page)
    page.go_back()
    page.wait_for_selector(JUDGED)


def test_a_game_from_a_position_and_what_was_wrong_in_it(server: Server, browser: Browser) -> None:
    """Whoever passes with three failed throws and behind ends the game: a mistake to learn from, at
    the table as it was. All of it twice, and back by the browser's own key."""
    behind = classic_position(sheet("", 3), "R2")  # whatever falls, passing loses a lot
    packed = urlsafe_b64encode(json.dumps(behind).encode()).decode().rstrip("=")
    with visitor(browser, SMALL) as page:
        page.goto(address(server, f"/explore/classic/{packed}"))
        for _ in range(2):
            page.wait_for_selector(JUDGED)
            page.locator("[data-level=random]").tap()
            page.locator("[data-do=play-on]").tap()
            page.wait_for_selector(".tray")
            Person(page, "touch", Random(16), passing=1).play()
            page.locator(".end [data-do=review]").tap()
            page.locator("[data-do=learn]").tap()
            for _ in range(2):  # what was missed comes once more
                wrong = page.locator(".choice[data-move='-']")
                expect(wrong).to_be_visible()
                expect(page.locator(".seats .seat").first).to_contain_text("−15")
                wrong.tap()
                expect(page.locator(".mistakes")).to_have_attribute("data-right", "false")
                page.locator("[data-do=next]").tap()
                expect(page.locator("[data-do=next]")).to_have_count(0)
            page.go_back()
            expect(page.locator(".skill")).to_be_visible()
            page.locator(".moment [data-do=explore]").tap()
            page.wait_for_selector(JUDGED)
            assert position(page)["sheets"][0]["failed"] == 3
            page.go_back()
            expect(page.locator(".skill")).to_be_visible()
            page.go_back()
            expect(page.locator(".end")).to_be_visible()
            page.go_back()


def test_a_server_with_too_much_to_judge_says_so_and_is_asked_again(
    server: Server, browser: Browser
) -> None:
    with visitor(browser, SMALL) as page:
        busy = {"code": "busy", "message": "too much is being judged just now", "rule": None}
        page.route("**/api/values", lambda route: route.fulfill(status=503, json=busy))
        page.goto(address(server, "/explore/duel"))
        expect(page.get_by_role("alert")).to_contain_text("Too much is being judged")
        page.unroute("**/api/values")
        page.locator("[data-do=retry]").tap()
        page.wait_for_selector(JUDGED)
        expect(page.get_by_role("alert")).to_have_count(0)


def test_pieces_by_key_and_a_link_that_leads_nowhere(server: Server, browser: Browser) -> None:
    with visitor(browser, LARGE) as page:
        page.goto(address(server, "/explore/duel/nonsense"))
        page.get_by_role("alert").get_by_role("button").click()
        page.wait_for_selector(JUDGED)
        field = page.locator("[data-field=R2]")
        field.focus()
        for key in ("ArrowRight", "ArrowRight", "ArrowDown", "Enter", "Enter"):
            page.keyboard.press(key)
        stack = page.locator("[data-field=Y4]")
        expect(stack).to_have_attribute("data-height", "2")
        expect(stack).to_be_focused()
        page.locator("[data-hand='1']").press("Enter")
        stack.press("Enter")
        expect(stack).to_have_attribute("data-owner", "1")
        page.locator("[data-hand=none]").press("Enter")
        stack.press("Enter")
        expect(stack).not_to_have_attribute("data-height", "1")
        page.wait_for_selector(JUDGED)
        assert position(page)["rows"]["Y"] == {}
        # Another game, with as many seats as one likes.
        page.get_by_label("Game").select_option("mixed-a")
        page.wait_for_selector(f"{JUDGED} [data-field=Y2]")
        page.get_by_label("Players").select_option("3")
        expect(page.locator("[data-chance]")).to_have_count(3)
        page.wait_for_selector(JUDGED)
        assert len(position(page)["sheets"]) == 3
