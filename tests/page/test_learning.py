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
# Where everything lies, to the pixel; and no row is lower than pieces need to be told from each other.
PLACES = """() => {
  const boxes = (which) => [...document.querySelectorAll(which)].map((one) => one.getBoundingClientRect());
  const rows = boxes('.board .row');
  if (rows.some((row) => row.height < 44)) return 'too low';
  const all = [...boxes('.bubble, .sheet, .tray'), ...rows];
  return all.map(({ x, y, width, height }) => [x, y, width, height].map(Math.round)).join(' ');
}"""


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
        page.wait_for_selector(".board .cell")
        places = set[str]()
        for number, step in enumerate(steps):
            expect(page.locator(".learn")).to_have_attribute("data-step", str(number))
            # What happened in the step before is not told beside this one.
            if "happens" not in step:
                assert page.locator(".tray .notice").count() == 0, step["text"]
            assert text_problems(page) == [], step["text"]
            expect(page.locator("[data-do=hurry]:visible")).to_have_count(0)
            places.add(page.evaluate(PLACES))
            place = page.locator(".tray").bounding_box()
            assert place
            assert place["y"] + place["height"] <= 640
            if "happens" in step:  # whose throw it was, whose dice lie there
                thrower = step["events"][-1].partition(":")[0]
                expect(page.locator(".tray .who")).to_have_attribute("data-turn", thrower)
                expect(page.locator(".sums .none").first).to_have_text(re.compile(r"\d"))
            mine = page.locator(".tray.mine").count()
            expect(page.locator(".sheet.mine")).to_have_count(mine)
            if number == len(steps) - 1:  # what was closed is seen for as long as one likes
                expect(page.locator(".board .closed")).to_have_count(1)
            person.follow(step)
        page.wait_for_selector("[data-do=play]")
        places.add(page.evaluate(PLACES))
        assert len(places) == 1, places
        assert places != {"too low"}
        for other in TAUGHT:
            expect(page.locator(f"[data-lesson={other}]")).to_have_count(int(other != game))
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
