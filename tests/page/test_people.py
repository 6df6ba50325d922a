"""People who spoil it, leave or stay away: what those who are concerned read, and what they can do."""

import re

import pytest
from client import Client, Json, Server, secret
from playwright.sync_api import Browser, Page, expect
from stage import Plan, aside, choosing, phase, stage, staged, to_throw
from visits import SMALL, address, open_as, reached_at, secret_of, visitor

from sweeps import sweep


def manners(page: Page) -> None:
    """What there is to do about somebody, opened."""
    page.get_by_role("button", name="Menu").click()
    page.get_by_text("Trouble with somebody?").click()
    page.locator("[data-do=report]").first.wait_for()


@pytest.mark.parametrize("alone", [True, False])
def test_nobody_is_troubled_by_bots(server: Server, browser: Browser, alone: bool) -> None:
    """Who may watch is asked by itself, where anybody can come."""
    with visitor(browser, SMALL) as page:
        if not alone:
            reached_at(page, "http://192.168.178.20:8737/")
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "novice"}]
        table = server.create("classic", seats, secret_of(page))
        page.goto(address(server, f"/table/{table}"))
        page.get_by_role("button", name="Menu").click()
        expect(page.get_by_text("on this device alone")).to_have_count(int(alone))
        asked = page.get_by_label("People without a seat may watch")
        expect(asked).to_have_count(int(not alone))
        expect(page.get_by_text("Trouble with somebody?")).to_have_count(0)


async def order(server: Server, table: str, mine: str, *commands: Json) -> None:
    """Whoever has this secret does something, elsewhere."""
    client = Client(server.url(table), mine)
    await client.come()
    for command in commands:
        answer = await client.ask(**command)
        assert answer["type"] != "refused", answer
    await client.go()


def is_wide(page: Page) -> None:
    """The card with the last word has the width of the screen."""
    box, size = page.locator(".message").bounding_box(), page.viewport_size
    assert box
    assert size
    assert box["width"] > min(size["width"] * 0.85, 500)


def test_who_is_removed_reads_so_and_is_not_asked_to_join_again(
    server: Server, browser: Browser
) -> None:
    ana = secret()
    table = server.create("classic", [{"kind": "me", "name": "Ana"}, {"kind": "open"}], ana)
    with visitor(browser, SMALL) as page:
        page.goto(address(server, f"/table/{table}"))
        page.get_by_label("Your name", exact=True).fill("Mallory")
        page.get_by_role("button", name="Join the game").click()
        expect(page.locator(".gather .seat", has_text="Mallory")).to_contain_text("ready")
        aside(order(server, table, ana, {"do": "remove", "seat": 1}))
        told = page.get_by_role("heading", name="You were asked to leave this table")
        expect(told).to_be_visible()
        is_wide(page)
        page.reload()
        expect(told).to_be_visible()
        expect(page.get_by_role("button", name="Join the game")).to_have_count(0)
        page.goto(address(server))
        page.wait_for_selector("[data-play]")
        assert table not in page.evaluate("localStorage.getItem('qwixx.tables') ?? ''")


def test_who_may_no_longer_watch_reads_why(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 2, choosing("white", 1, 6))
    with visitor(browser, SMALL) as page:
        page.goto(address(server, f"/table/{table}"))
        expect(page.get_by_text("watching")).to_be_visible()
        aside(order(server, table, mine, {"do": "watchers", "allowed": False}))
        expect(
            page.get_by_role("heading", name="This table can no longer be watched")
        ).to_be_visible()
        is_wide(page)
        page.reload()
        expect(page.get_by_text("closed to watchers")).to_be_visible()


def test_what_was_said_of_somebody_is_remembered(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 4, choosing("white", 1, 6))
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(".tray")
        manners(page)
        expect(page.get_by_text("Once all other players say so")).to_be_visible()
        page.locator("[data-do=report]").nth(1).click()
        expect(page.get_by_role("button", name="Reported")).to_have_count(1)
        page.reload()
        page.wait_for_selector(".tray")
        manners(page)
        expect(page.locator("[data-do=report]").nth(1)).to_have_text("Reported")
        expect(page.locator("[data-do=report]").nth(1)).to_be_disabled()
        expect(page.get_by_role("button", name="Reported")).to_have_count(1)


def test_with_one_other_person_it_is_said_why_nobody_can_be_removed(
    server: Server, browser: Browser
) -> None:
    mine = secret()
    table = stage(server, mine, "duel", 2, choosing("white", 1, 6))
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(".tray")
        manners(page)
        expect(page.locator("[data-do=remove]")).to_have_count(0)
        expect(page.get_by_text("at least two others must agree")).to_be_visible()


def waits(client: Client) -> bool:
    """All wait for somebody else than seat 0."""
    return phase(client) == "colour" and client.play is not None and client.play["active"] != 0


def test_it_is_told_when_a_bot_may_play_for_somebody_who_is_away(
    server: Server, browser: Browser
) -> None:
    """The others of a staged table are gone, and its hour counts down."""
    mine = secret()
    table = stage(server, mine, "classic", 2, waits)
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        soon = page.locator(".tray .soon")
        expect(soon).to_have_text(re.compile(r"In [56]\d min a bot can play for Mafalda"))
        expect(page.locator("[data-do=replace]")).to_have_count(0)


CUT = """() => [...document.querySelectorAll('.players .now')]
  .filter((now) => now.scrollWidth > now.clientWidth).map((now) => now.textContent)"""


@pytest.mark.parametrize("people", sweep([3, 2]))
def test_what_a_stand_in_has_done_is_whole_on_a_phone(
    server: Server, browser: Browser, people: int
) -> None:
    """The word for a bot and what it did share one short line."""
    mine, theirs = secret(), secret()
    plan = Plan("classic", people, choosing("white", 1, 12), theirs=theirs)
    table = staged(server, mine, plan)
    aside(order(server, table, theirs, *({"do": "leave", "seat": n} for n in range(1, people))))
    with visitor(browser, (360, 640)) as page:
        open_as(page, server, mine, table)
        for lang in ("en", "de", "es", "pl", "pt"):
            page.goto(address(server, f"/table/{table}", lang=lang))
            expect(page.locator(".players .tag")).to_have_count(people - 1)
            expect(page.locator(".players .badge.ok, .players .badge.dice")).to_have_count(
                people - 1
            )
            assert page.evaluate(CUT) == []


def test_who_leaves_and_comes_back_is_told(server: Server, browser: Browser) -> None:
    """To the eye and to the ear: nobody becomes a bot without a word."""
    mine, theirs = secret(), secret()
    table = staged(server, mine, Plan("classic", 2, choosing("white", 1, 12), theirs=theirs))
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(".tray")
        away = {"do": "leave", "seat": 1}
        for commands, words in (([away], "A bot plays on for Mafalda"), ([], "Mafalda is back")):
            aside(order(server, table, theirs, *commands))
            expect(page.locator(".tray .notice")).to_contain_text(words)
            expect(page.locator("[role=log]")).to_contain_text(words)


COUNT_BUZZES = "window.buzzes = 0; navigator.vibrate = () => { window.buzzes++; return true; };"


@pytest.mark.parametrize("motion", sweep(["no-preference", "reduce"]))
def test_a_throw_is_felt_without_sound_unless_less_motion_is_wanted(
    server: Server, browser: Browser, motion: str
) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 2, to_throw)
    with visitor(browser, SMALL, reduced_motion=motion) as page:
        page.add_init_script(COUNT_BUZZES)
        open_as(page, server, mine, table)
        page.locator("[data-do=roll]").tap()
        page.wait_for_selector("[data-phase=white], [data-phase=colour]")
        assert (page.evaluate("window.buzzes") > 0) == (motion == "no-preference")
