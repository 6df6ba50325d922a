"""The first minute of a newcomer: a guided game by touch and by keyboard,
to the table of the first game."""

import json
import re
from pathlib import Path
from random import Random

import pytest
from client import Server
from playing import How, Person
from playwright.sync_api import Browser, expect
from ruler import text_problems
from visits import SMALL, address, against_bot, visitor

from sweeps import sweep

GAMES = Path(__file__).parent.parent.parent / "web" / "src" / "games"
TAUGHT = sorted(path.parent.name for path in GAMES.glob("*/lesson.json"))


@pytest.mark.parametrize("how", sweep(["touch", "keyboard"]))
@pytest.mark.parametrize("game", TAUGHT)
def test_a_guided_game_leads_to_the_first_table(
    server: Server, browser: Browser, game: str, how: How
) -> None:
    """On the smallest phone all of it is in sight at every step, nothing moves from one to the next,
    and there is no key that does nothing."""
    steps = json.loads((GAMES / game / "lesson.json").read_text())["steps"]
    with visitor(browser, (360, 640)) as page:
        person = Person(page, how, Random(1))
        page.goto(address(server, f"/learn/{game}"))
        heads = set[float]()
        for number, step in enumerate(steps[:-1]):
            expect(page.locator(".learn")).to_have_attribute("data-step", str(number))
            # What happened in the step before is not told beside this one.
            if "happens" not in step:
                assert page.locator(".tray .notice").count() == 0, step["text"]
            assert text_problems(page) == [], step["text"]
            expect(page.locator("[data-do=hurry]:visible")).to_have_count(0)
            place = page.locator(".tray").bounding_box()
            assert place
            assert place["y"] + place["height"] <= 640
            heads.add(place["y"])
            person.follow(step)
        assert len(heads) == 1, heads
        person.press(page.get_by_role("button", name="Play against the Puppy"))
        expect(page).to_have_url(re.compile("/table/"))
        expect(page.locator("[data-phase]")).to_be_visible()


def test_another_choice_is_answered_and_can_be_tried_again(
    server: Server, browser: Browser
) -> None:
    with visitor(browser, SMALL) as page:
        page.goto(address(server, "/learn/classic"))
        page.locator("[data-do='roll']").tap()
        page.locator("[data-move='Y4']").first.tap()
        page.locator("[data-do='confirm']").tap()
        expect(page.get_by_role("status").filter(has_text="Not now")).to_be_visible()
        expect(page.locator(".learn")).to_have_attribute("data-step", "1")
        page.locator("[data-move='R4']").first.tap()
        page.locator("[data-do='confirm']").tap()
        expect(page.locator(".learn")).to_have_attribute("data-step", "2")
        expect(page.locator("[data-field='R4']").first).to_have_attribute("data-owner", "0")
        page.get_by_role("button", name="One step back").tap()
        expect(page.locator(".learn")).to_have_attribute("data-step", "1")
        expect(page.locator("[data-field='R4'][data-owner]")).to_have_count(0)


def test_the_rules_lie_over_the_game(server: Server, browser: Browser) -> None:
    """The summary first, no numbers of rules in it, and back at the table with one tap."""
    with visitor(browser, SMALL) as page:
        against_bot(page, server, "classic", pause=5)
        page.locator("[data-do='help']").tap()
        sheet = page.get_by_role("dialog")
        expect(sheet).to_contain_text("Left to right.")
        expect(sheet).not_to_contain_text("(C1)")
        sheet.get_by_role("button", name="Show the numbers of the rules").tap()
        expect(sheet).to_contain_text("(C1)")
        sheet.get_by_role("button", name="Back to the game").tap()
        expect(sheet).to_have_count(0)
        page.locator("[data-lock='R']").first.tap()
        expect(page.get_by_role("dialog", name="The lock")).to_contain_text("at least five crosses")
