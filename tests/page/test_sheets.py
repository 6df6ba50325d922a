"""The other sheets of a game: chosen at home, drawn in their own colours, told to those who listen."""

import re

from client import Server
from playwright.sync_api import Browser, Page, expect
from stage import choosing, stage
from visits import LARGE, SMALL, address, secret_of, visitor

from qwixx import bots, games

COLOURS = {"R": "red", "Y": "yellow", "G": "green", "B": "blue"}
LEVELS = {"greedy": "Magpie", "club": "Fox", "expert": "Owl", "master": "Dragon"}


def test_a_sheet_is_chosen_at_home_and_kept(server: Server, browser: Browser) -> None:
    """Each is offered with the strongest bot that can play it;
    the one brought to the table is the next one too."""
    with visitor(browser, SMALL) as page:
        page.goto(address(server))
        page.locator(".hero").get_by_role("button", name="Dragon").tap()
        for name, words in (("mixed-a", "mixed colours"), ("mixed-b", "mixed numbers")):
            page.get_by_role("button", name=re.compile(f"^Qwixx · {words} Qwixx")).tap()
            play = page.locator(f'.hero [data-play="{name}"]')
            expect(play).to_have_text(f"Play with the {LEVELS[bots.levels(name)[-1]]}")
            expect(page.get_by_role("link", name="How to play")).to_have_attribute(
                "href", f"/en/rules/{name}"
            )
        for name in games.ids():
            expect(page.locator(f'[data-play="{name}"]')).to_have_count(1)
        page.reload()
        page.locator('.hero [data-play="mixed-b"]').tap()
        page.wait_for_selector(".tray")
        expect(page.get_by_role("heading", level=1)).to_have_text("Qwixx · mixed numbers")


def test_every_field_has_its_own_colour_and_every_row_that_of_its_lock(
    server: Server, browser: Browser
) -> None:
    with visitor(browser, LARGE) as page:
        _open(page, server)
        layout = games.game("mixed-a").layout
        rows = page.locator(".sheet .row")
        drawn = rows.evaluate_all(
            "(rows) => rows.map((row) => [...row.querySelectorAll('.tinted')].map("
            "(cell) => cell.className.match(/\\b[RYGB]\\b/)[0] + cell.querySelector('b').textContent))"
        )
        assert drawn == [list(fields) for fields in layout.fields]
        frames = rows.evaluate_all(
            "(rows) => rows.map((row) => getComputedStyle(row).getPropertyValue('--c'))"
        )
        locks = rows.locator(".lock").evaluate_all(
            "(all) => all.map((one) => getComputedStyle(one).getPropertyValue('--c'))"
        )
        assert frames == locks
        assert len(set(frames)) == 4
        symbols = rows.locator(".tinted .tint svg").count()
        assert symbols == sum(len(fields) for fields in layout.fields), (
            "nobody has to tell colours apart"
        )


def test_who_listens_hears_the_colour_the_number_and_the_row(
    server: Server, browser: Browser
) -> None:
    with visitor(browser, LARGE) as page:
        _open(page, server)
        layout = games.game("mixed-a").layout
        named = {_name(field, layout.colours[row]) for field, (row, _) in layout.places.items()}
        heard = page.locator("button[data-field]").evaluate_all(
            "(all) => all.map((one) => one.getAttribute('aria-label'))"
        )
        assert len(heard) > 2
        for words in heard:
            assert any(words == name or words.startswith(f"{name}, ") for name in named), words
        chips = page.locator("[data-move]").all_text_contents()
        assert len(chips) == len(heard)
        for words in chips:  # what is seen is said first, and the row last
            assert (
                found := re.match(r"\s*([a-z]+)\s*(\d+)\s.*?(, \w+ row)?\s*$", words, re.DOTALL)
            ), words
            assert f"{found[1]} {found[2]}{found[3] or ''}" in named, words
        row = page.get_by_role("group", name=re.compile("^Red row: "))
        expect(row).to_have_count(1)


def _name(field: str, row: str) -> str:
    """As it is said: `green 8, Red row`, and of a field in a row of its own colour just `red 12`."""
    name = f"{COLOURS[field[0]]} {field[1:]}"
    return name if row == field[0] else f"{name}, {COLOURS[row].capitalize()} row"


def _open(page: Page, server: Server) -> None:
    """In the middle of a game with mixed colours, with several fields to choose from."""
    table = stage(server, secret_of(page), "mixed-a", 2, choosing("colour", 3, 30))
    page.goto(address(server, f"/table/{table}"))
    page.wait_for_selector("[data-move]")
