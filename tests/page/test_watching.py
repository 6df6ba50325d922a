"""Those who watch see everybody's chances, where the table allows it; who plays sees none."""

import re

from client import Server, secret
from playwright.sync_api import Browser, expect
from stage import choosing, stage
from visits import LARGE, SMALL, address, hold, visitor

CHANCES = "[data-chances]"


def test_chances_are_for_those_who_watch(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "duel", 2, choosing("white", 1, 4))
    with visitor(browser, SMALL) as page:
        page.goto(address(server, f"/table/{table}"))
        said = page.locator(f"{CHANCES} .unseen")
        expect(said).to_have_text(
            re.compile(r"^Chances to win before this throw: Ana \d+% and Mafalda \d+%$")
        )
        shown = [int(one) for one in re.findall(r"(\d+)%", said.inner_text())]
        assert 99 <= sum(shown) <= 101
        assert page.locator(f"{CHANCES} li").all_inner_texts() == [f"{one}%" for one in shown]
    with visitor(browser, LARGE) as page:
        hold(page, mine)
        page.goto(address(server, f"/table/{table}"))
        page.wait_for_selector("[data-do=confirm]")
        assert page.locator(CHANCES).count() == 0
