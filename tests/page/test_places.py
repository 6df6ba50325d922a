"""Around the game: watching, coming too late, other devices,
the end, the dice, languages, settings."""

import asyncio
import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from client import NAMED, Client, Server, play_on, run, secret
from playing import CHOICE, CONFIRM, PASS, ROLL, Person, check_score
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect
from stage import Passing, aside, choosing, over, stage
from visits import (
    LARGE,
    SMALL,
    address,
    against_bot,
    hold,
    reached_at,
    run_until,
    secret_of,
    stand_still,
    visitor,
)

from sweeps import sweep

# What is written in letters of fewer pixels, and seen.
SMALLER = """(least) => [...document.querySelectorAll('.playing *')].filter((one) =>
  [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
  && !one.closest('.unseen') && one.checkVisibility() && one.getBoundingClientRect().width > 1
  && parseFloat(getComputedStyle(one).fontSize) < least).map((one) => one.outerHTML)"""


# The page has come to rest where it was scrolled to.
STILL_SCROLL = """() => new Promise((done) => {
  const from = scrollY;
  setTimeout(() => done(scrollY === from), 150);
})"""


def test_watching_by_link(server: Server, browser: Browser) -> None:
    """A watcher sees everything that happens, can do nothing, and looks at any sheet."""
    with visitor(browser) as player, visitor(browser, SMALL) as watcher:
        table = against_bot(player, server, "classic")
        player.wait_for_selector(".tray")
        watcher.goto(address(server, f"/table/{table}"))
        expect(watcher.get_by_text("watching")).to_be_visible()
        for seat, name in ((1, "Magpie"), (0, "Ana")):
            watcher.locator(f'[data-player="{seat}"] button').tap()
            expect(watcher.locator(".sheet h2")).to_have_text(name)
        person = Person(player, "click", Random(8), passing=0.8)
        while not person.act():
            assert (
                watcher.locator("[data-move]:enabled, [data-do=pass], button[data-field]").count()
                == 0
            )
        expect(watcher.locator(".end")).to_be_visible()
        check_score(watcher, server.record(table)[1])
        expect(watcher.locator('[data-do="again"]')).to_have_count(0)
        magpie = watcher.get_by_role("group", name="Whose sheet").get_by_role(
            "button", name="Magpie"
        )
        magpie.tap()
        expect(magpie).to_have_attribute("aria-pressed", "true")


def test_a_table_that_is_gone_and_one_that_is_full(server: Server, browser: Browser) -> None:
    with visitor(browser, SMALL) as page:
        page.goto(address(server, "/table/" + "a" * 20))
        expect(page.get_by_role("heading", level=2)).to_have_text("There is no such table")
        page.get_by_role("link", name="Home").last.tap()
        expect(page.locator(".game").first).to_be_visible()
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "me", "name": "Ben"}]
        full = server.create("duel", seats, secret())
        page.goto(address(server, f"/table/{full}"))
        expect(page.get_by_text("Every seat is taken. You can watch.")).to_be_visible()


def test_the_opponent_chosen_last_is_the_next_one(server: Server, browser: Browser) -> None:
    """A newcomer begins with the magpie; whoever chooses another, here or for a table
    without friends, finds it again."""
    with visitor(browser, SMALL) as page:
        page.goto(address(server))
        company = page.get_by_role("group", name="Who joins you?")
        expect(company.get_by_role("button", pressed=True)).to_have_accessible_name(
            "Magpie Level 3 of 6"
        )
        butterfly = company.get_by_role("button", name="Butterfly Level 1 of 6")
        butterfly.focus()
        page.keyboard.press("Space")
        play = page.locator('[data-play="classic"]')
        expect(play).to_have_text("Play with the Butterfly")
        expect(page.get_by_text("Flutters wherever it likes")).to_be_visible()
        page.reload()
        expect(butterfly).to_have_attribute("aria-pressed", "true")
        page.goto(address(server, "/new/classic"))
        page.get_by_role("button", name="Seat 3: Empty").tap()  # taken at once by who came last
        expect(page.get_by_role("button", name="Seat 3: Butterfly Level 1 of 6")).to_be_visible()
        page.get_by_role("group", name="Bots").get_by_role("button", name="Magpie").tap()
        page.get_by_role("link", name="Home").click()
        expect(play).to_have_text("Play with the Butterfly")
        page.goto(address(server, "/new/classic"))
        page.get_by_role("button", name="Seat 2").tap()
        page.get_by_role("group", name="Bots").get_by_role("button", name="Magpie").tap()
        page.get_by_role("button", name="Let’s play").tap()
        page.wait_for_selector(".tray")
        page.goto(address(server))
        expect(play).to_have_text("Play with the Magpie")


def test_one_to_four_opponents_are_one_tap(server: Server, browser: Browser) -> None:
    """With the neighbours of the one chosen;
    how many and who is remembered, also where fewer can play."""
    with visitor(browser, SMALL) as page:
        page.goto(address(server))
        count = page.get_by_role("group", name="Number of opponents")
        company = page.get_by_role("group", name="Who joins you?").get_by_role(
            "button", pressed=True
        )
        for number in (1, 2, 3, 4):
            count.get_by_text(str(number)).tap()
            expect(company).to_have_count(number)
        page.locator(".faces").get_by_role(
            "button", name="Dragon"
        ).tap()  # instead of the one chosen longest ago
        expect(company).to_have_count(4)
        count.get_by_text("2").tap()
        play = page.locator('[data-play="classic"]')
        expect(play).to_have_text("Play with the Owl and the Dragon")
        page.reload()
        expect(play).to_have_text("Play with the Owl and the Dragon")
        expect(page.locator('[data-play="duel"]')).to_have_accessible_name(
            "Qwixx Duel: Play with the Dragon"
        )
        count.get_by_text("4").tap()
        play.tap()
        page.wait_for_selector(".tray")
        seats = json.loads(server.get(f"/api/tables/{page.url.rsplit('/', 1)[1]}")[1])["seats"]
        assert {seat["level"] for seat in seats[1:]} == {"master", "expert", "club", "greedy"}


def test_a_name_and_a_face_are_chosen_once_and_offered_everywhere(
    server: Server, browser: Browser
) -> None:
    with visitor(browser, SMALL) as page:
        page.goto(address(server))
        page.get_by_role("button", name="Your name and face").tap()
        page.get_by_label("Your name", exact=True).fill("Fred")
        page.get_by_text("Moss green, with a feather").locator("..").tap()
        page.get_by_role("button", name="Close").tap()
        expect(page.locator("header [data-face]")).to_have_attribute("data-face", "moss")
        page.locator('[data-play="duel"]').tap()
        page.wait_for_selector(".tray")
        seat = json.loads(server.get(f"/api/tables/{page.url.rsplit('/', 1)[1]}")[1])["seats"][0]
        assert (seat["name"], seat["face"]) == ("Fred", "moss")
        page.goto(address(server, "/new/classic"))
        expect(page.get_by_role("button", name="Seat 1: Fred")).to_be_visible()
        invited = server.create(
            "duel", [{"kind": "me", "name": "Laura"}, {"kind": "open"}], secret()
        )
        page.goto(address(server, f"/table/{invited}"))
        expect(page.get_by_label("Your name", exact=True)).to_have_value("Fred")
        page.get_by_role("button", name="Join the game").tap()
        expect(page.locator(".gather .seat", has_text="Fred")).to_contain_text("ready")
        seat = json.loads(server.get(f"/api/tables/{invited}")[1])["seats"][1]
        assert (seat["name"], seat["face"]) == ("Fred", "moss")


def test_a_seat_that_is_tapped_can_be_filled_at_once(server: Server, browser: Browser) -> None:
    """On a small phone what one can choose for it comes into sight, and no key lies over it."""
    with visitor(browser, (360, 640)) as page:
        page.goto(address(server, "/new/classic"))
        page.get_by_role("button", name="Seat 3: Empty").tap()
        make = page.get_by_role("button", name="Let’s play")
        level = page.get_by_role("group", name="Bots").get_by_role("button", name="Owl")
        nobody = page.get_by_role("button", name="Nobody")
        page.wait_for_function(STILL_SCROLL)
        places = [one.bounding_box() for one in (level, nobody, make)]
        assert all(places)
        tops = [place["y"] + place["height"] for place in places[:2] if place]
        assert places[2] is not None
        assert max(tops) <= places[2]["y"] + 1


def test_whoever_invites_is_asked_for_a_name(server: Server, browser: Browser) -> None:
    """Those who are invited have to say theirs, too. With bots alone nobody needs one."""
    with visitor(browser, SMALL) as page:
        page.goto(address(server, "/new/duel", NAMED))
        make = page.get_by_role("button", name="Let’s play")
        make.tap()
        name = page.get_by_label("Your name", exact=True)
        expect(name).to_be_focused()
        expect(page).to_have_url(re.compile("/new/duel"))
        name.fill("  ")
        make.tap()
        expect(name).to_be_focused()
        expect(page).to_have_url(re.compile("/new/duel"))
        name.fill("Ana")
        make.tap()
        page.wait_for_selector(".gather .invite")
        seats = json.loads(server.get(f"/api/tables/{page.url.rsplit('/', 1)[1]}")[1])["seats"]
        assert [seat["name"] for seat in seats] == ["Ana", None]


@pytest.mark.parametrize("lang", sweep(["de", "en", "es", "pl", "pt"]))
def test_a_phones_menu_begins_with_what_one_comes_for(
    server: Server, browser: Browser, lang: str
) -> None:
    """What happened so far, the rules and the ways out are in sight without scrolling."""
    with visitor(browser, (320, 568)) as page:
        table = against_bot(page, server, "classic")
        page.goto(address(server, f"/table/{table}", lang=lang))
        page.locator("header .menu").tap()
        ways = page.locator("dialog .links > .button")
        expect(ways).to_have_count(4)
        for way in ways.all():
            expect(way).to_be_in_viewport(ratio=1)


def test_four_bots_sit_down_in_four_taps(server: Server, browser: Browser) -> None:
    with visitor(browser, SMALL) as page:
        page.goto(address(server, "/new/classic"))
        page.get_by_role("group", name="Bots").get_by_role("button", name="Owl").tap()
        for number in (3, 4, 5):
            page.get_by_role("button", name=f"Seat {number}: Empty").tap()
        page.get_by_role("button", name="Let’s play").tap()
        page.wait_for_selector(".tray")
        seats = json.loads(server.get(f"/api/tables/{page.url.rsplit('/', 1)[1]}")[1])["seats"]
        assert len({seat["level"] for seat in seats[1:]}) == 4


@pytest.mark.parametrize("height", sweep([568, 640]))
def test_the_start_is_above_the_fold(server: Server, browser: Browser, height: int) -> None:
    with visitor(browser, (320, height)) as page:
        page.goto(address(server))
        for part in (".counts", ".hero .faces", "[data-play=classic]"):
            box = page.locator(part).bounding_box()
            assert box, part
            assert box["y"] >= 0, part
            assert box["y"] + box["height"] <= height, part


def test_a_turn_elsewhere_is_told(server: Server, browser: Browser) -> None:
    """In the title of whatever one looks at, and by the browser once that was asked for."""
    with visitor(browser, service_workers="allow") as page, visitor(browser) as ben:
        page.add_init_script(  # a browser without windows can be granted none
            "Object.defineProperty(Notification, 'permission', { get: () => 'granted' });"
            "window.told = []; ServiceWorkerRegistration.prototype.showNotification ="
            " async (title, options) => { window.told.push([title, options.data]); };"
        )
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "open"}]
        table = server.create("classic", seats, secret_of(page))
        page.goto(address(server, f"/table/{table}"))
        expect(page.get_by_text("You will be told when it is your turn.")).to_be_visible()
        ben.goto(address(server, f"/table/{table}"))
        ben.get_by_label("Your name", exact=True).fill("Ben")
        ben.get_by_role("button", name="Join the game").click()
        page.wait_for_selector(".tray")
        chooses = json.loads(server.get(f"/api/tables/{table}")[1])["first"] == 1
        if chooses:
            ben.locator('[data-do="roll"]').click()  # now all choose
        expect(page).to_have_title(re.compile("Your turn"))
        page.goto(address(server))
        expect(page).to_have_title("● Your turn · Qwixx and Qwixx Duel")
        page.wait_for_function("() => window.told.length > 0")
        assert page.evaluate("window.told") == [["Your turn!", f"/en/table/{table}"]]
        first = page.get_by_role("region", name="Your tables").locator("li")
        expect(first).to_contain_text("You choose" if chooses else "Your turn!")


def test_an_open_table_is_found_and_joined_from_home(server: Server, browser: Browser) -> None:
    with visitor(browser) as ana, visitor(browser, SMALL) as ben:
        ana.goto(address(server, "/new/duel", NAMED))
        ana.get_by_role("button", name="Seat 1").click()
        ana.get_by_label("Your name", exact=True).fill("Listed Ana")
        ana.get_by_text("Settings").click()
        ana.get_by_label("Anybody may join").check()
        ana.get_by_role("button", name="Let’s play").click()
        expect(ana.locator(".gather")).to_be_visible()
        ben.goto(address(server))
        ben.get_by_role("link", name="Listed Ana").tap()
        ben.get_by_label("Your name", exact=True).fill("Ben")
        ben.get_by_role("button", name="Join the game").tap()
        for page in (ana, ben):
            expect(page.locator(".tray")).to_be_visible()
        ana.get_by_role("link", name="Home").click()
        expect(ana.get_by_role("region", name="Your tables")).to_contain_text("Ben")


def test_a_seat_moves_to_another_device(server: Server, browser: Browser) -> None:
    with visitor(browser) as old, visitor(browser, SMALL) as new:
        old.goto(address(server, "", NAMED))
        old.locator(".game .big").first.click()
        old.wait_for_selector(".tray")
        old.get_by_role("button", name="Menu").click()
        old.get_by_role("button", name="Get a link for the other device").click()
        link = old.get_by_label("Link for your other device")
        expect(link).to_have_value(re.compile("#move="))
        new.goto(link.input_value())
        new.wait_for_selector(".tray")
        assert "#" not in new.url
        expect(
            old.get_by_role("heading", name="Your seat is on another device now")
        ).to_be_visible()
        person = Person(new, "touch", Random(9))
        while new.locator(".players .moved, [data-owner]").count() == 0:
            person.act()


def stand_in(server: Server, table: str) -> bool:
    return bool(json.loads(server.get(f"/api/tables/{table}")[1])["seats"][0]["stand_in"])


def leave(page: Page, words: str) -> None:
    page.get_by_role("button", name="Menu").click()
    page.get_by_role("button", name=words).click()
    page.get_by_role("button", name="Really leave?").click()
    expect(page.locator(".game").first).to_be_visible()


def test_leaving_and_coming_back(server: Server, browser: Browser) -> None:
    """Whoever leaves a running game is elsewhere, and a bot goes on;
    coming back takes the seat again."""
    with visitor(browser) as page:
        table = against_bot(page, server, "classic", pause=5)
        page.wait_for_selector(".tray")
        leave(page, "Leave: a bot plays on for you")
        assert stand_in(server, table)
        mine = page.get_by_role("region", name="Your tables")
        expect(mine.locator("li")).to_contain_text("left")
        mine.get_by_role("link").first.click()
        page.wait_for_selector(".tray")
        assert not stand_in(server, table)
        page.get_by_role("link", name="Home").click()
        expect(mine.locator("li")).to_contain_text(re.compile("Has the turn: Magpie|Your turn!"))


def test_a_refused_leave_can_be_tried_again(server: Server, browser: Browser) -> None:
    refused: list[str] = []

    def refuse_once(wire: WebSocketRoute) -> None:
        beyond = wire.connect_to_server()

        def pass_on(text: str | bytes) -> None:
            wish = json.loads(text)
            if wish["do"] == "leave" and not refused:
                refused.append(wish["id"])
                why = {"code": "too_many", "message": "", "rule": None, "number": 0}
                wire.send(json.dumps({"type": "refused", "id": wish["id"], **why}))
            else:
                beyond.send(text)

        wire.on_message(pass_on)

    with visitor(browser) as page:
        page.route_web_socket("**/socket", refuse_once)
        against_bot(page, server, "classic", pause=5)
        page.wait_for_selector(".tray")
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("button", name="Leave: a bot plays on for you").click()
        really = page.get_by_role("button", name="Really leave?")
        really.click()
        expect(page.locator(".toast")).to_be_visible()
        expect(really).to_have_attribute("aria-busy", "false")
        really.click()
        expect(page.locator(".game").first).to_be_visible()
        assert refused


def test_a_table_taken_off_ones_list_does_not_come_back(server: Server, browser: Browser) -> None:
    """Also if the list is being fetched at that moment. Turning away takes the first tap back."""
    with visitor(browser) as page:
        page.clock.install()
        against_bot(page, server, "classic", pause=5)
        page.wait_for_selector(".tray")
        page.goto(address(server))
        mine = page.get_by_role("region", name="Your tables")
        remove = mine.get_by_role("button")
        remove.click()
        expect(remove).to_have_accessible_name(
            "Remove? Remove from this list: Qwixx, You and Magpie"
        )
        page.get_by_role("link", name="How to play").first.focus()
        expect(remove).to_have_accessible_name("Remove from this list: Qwixx, You and Magpie")
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/api/tables", hold)
        with page.expect_request("**/api/tables"):
            page.clock.fast_forward(10_000)
        remove.click()
        remove.click()
        expect(mine).to_have_count(0)
        with page.expect_response("**/api/tables"):
            held[0].continue_()
        page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        expect(mine).to_have_count(0)


def test_a_table_can_be_taken_off_ones_list(server: Server, browser: Browser) -> None:
    """A second tap confirms it; a table left before the start is not listed at all."""
    with visitor(browser, SMALL) as page:
        against_bot(page, server, "classic", pause=5)
        page.wait_for_selector(".tray")
        table = server.create(
            "duel", [{"kind": "me", "name": "Ana"}, {"kind": "open"}], secret_of(page)
        )
        page.goto(address(server, f"/table/{table}"))
        expect(page.locator(".gather .seat").first).to_contain_text("ready")
        leave(page, "Leave the table")
        mine = page.get_by_role("region", name="Your tables")
        expect(mine.locator("li")).to_have_count(1)
        remove = mine.get_by_role("button", name="Remove from this list: Qwixx, Ana and Magpie")
        remove.tap()
        expect(remove).to_have_text("Remove?")
        remove.tap()
        expect(mine).to_have_count(0)
        page.reload()
        page.locator(".game .big").first.wait_for()
        expect(mine).to_have_count(0)


def test_rules_opened_from_a_game_lead_back_to_it(server: Server, browser: Browser) -> None:
    with visitor(browser, SMALL) as page:
        table = against_bot(page, server, "classic", pause=5)
        page.wait_for_selector(".tray")
        page.get_by_role("button", name="Menu").click()
        page.get_by_role("link", name="How to play").click()
        page.wait_for_selector("figure")
        page.get_by_role("link", name="Qwixx Duel").click()
        page.locator("select").first.select_option("de")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        page.reload()
        page.get_by_role("link", name="Zurück zur Partie").click()
        page.wait_for_selector(".tray")
        assert page.url.endswith(f"/de/table/{table}")


def test_leaving_before_the_start_and_sitting_down_again(server: Server, browser: Browser) -> None:
    """The table is not stuck, and the dice are proved with what the one who came back has brought."""
    seats = [{"kind": "me", "name": "Ana"}, {"kind": "open"}, {"kind": "open"}]
    ana = secret()
    table = server.create("classic", seats, ana)

    async def ana_is_ready() -> None:
        client = Client(server.url(table), ana)
        await client.come()
        await client.ready()

    async def cleo_comes_and_both_play() -> None:
        clients = Client(server.url(table), ana), Client(server.url(table), secret())
        for client in clients:
            await client.come()
        clients[1].yours.append((await clients[1].ask(do="sit", name="Cleo"))["seat"])
        await clients[1].ready()
        await asyncio.gather(*(play_on(client, Passing()) for client in clients))

    aside(ana_is_ready())
    with visitor(browser) as ben, ThreadPoolExecutor(1) as others:
        for time in ("first", "second"):
            ben.goto(address(server, f"/table/{table}"))
            ben.get_by_label("Your name", exact=True).fill("Ben")
            ben.get_by_role("button", name="Join the game").click()
            expect(ben.locator(".gather .seat", has_text="Ben")).to_contain_text("ready")
            if time == "first":
                leave(ben, "Leave the table")
        playing = others.submit(run, cleo_comes_and_both_play())
        ben.wait_for_selector(".tray")
        person = Person(ben, "click", Random(20), passing=1)
        while not person.act():
            pass
        playing.result()
        ben.locator(".fair > summary").click()
        ben.get_by_role("button", name="Check the dice").click()
        expect(ben.locator(".verdict")).to_contain_text("What this browser brought is in them.")


def test_the_end_stays_until_one_is_ready_again(server: Server, browser: Browser) -> None:
    """Somebody else wants to play again:
    the score and the whole game stay in sight, and one may say yes."""
    with visitor(browser) as ana, visitor(browser, SMALL) as ben:
        mine = secret_of(ana)
        table = server.create("duel", [{"kind": "me", "name": "Ana"}, {"kind": "open"}], mine)
        ana.goto(address(server, f"/table/{table}"))
        ben.goto(address(server, f"/table/{table}"))
        ben.get_by_label("Your name", exact=True).fill("Ben")
        ben.get_by_role("button", name="Join the game").click()
        people = [Person(page, "click", Random(22), passing=1, waiting=20) for page in (ana, ben)]
        for person in people:
            person.page.wait_for_selector(".tray")
        while not min([person.act() for person in people]):
            pass
        ben.wait_for_selector(".replay input:not([max='0'])")
        ben.evaluate("scrollTo(0, 900)")
        ana.get_by_role("button", name="Play again").click()
        # Who asks is told wherever one is on the page, and in its title; nobody is drawn into a game.
        expect(ben.locator(".asked")).to_contain_text("Another round? ✓ Ana")
        expect(ben).to_have_title(re.compile("Another round"))
        expect(ana.locator(".gather .seat", has_text="Ben")).to_contain_text("not ready")
        expect(ana.get_by_role("button", name="Start now")).to_have_count(0)
        ben.evaluate("scrollTo(0, 0)")
        expect(ben.locator(".asked")).to_have_count(0)
        expect(ben.locator(".note")).to_have_text("Another round? ✓ Ana")
        check_score(ben, server.record(table, number=1)[1])
        ben.get_by_role("slider").focus()
        ben.keyboard.press("Home")
        ben.locator("[data-do=again]").click()
        for page in (ana, ben):
            expect(page.locator(".tray")).to_be_visible()
            expect(page.locator(".say", has_text="Round 2 · ")).to_be_visible()
        # The first round is still found at home.
        ana.goto(address(server))
        expect(ana.locator(f"a[href$='/table/{table}']")).to_be_visible()
        ana.locator(f"a[href$='/table/{table}/1']").click()
        expect(ana.locator("#end-title")).to_be_visible()


@pytest.mark.parametrize("size", sweep([SMALL, LARGE]), ids=["360", "1280"])
def test_the_button_stays_where_it_is_when_somebody_else_wants_to_play_again(
    server: Server, browser: Browser, size: tuple[int, int]
) -> None:
    """Two people tap at once, and one is first: the other's tap must not fall beside the button."""
    mine = secret()
    table = stage(server, mine, "duel", 2, over)
    with visitor(browser, size) as page:
        open_end(page, server, (mine, table))
        here = page.get_by_role("button", name="Play again").bounding_box()
        assert here
        aside(ask_for_another_round(Client(server.url(table), mine)))
        expect(page.locator(".note", has_text="Another round?")).to_be_visible()
        now = page.get_by_role("button", name="I am ready").bounding_box()
        assert now
        assert (now["x"], now["y"]) == pytest.approx((here["x"], here["y"]), abs=1)
        page.mouse.click(here["x"] + here["width"] / 2, here["y"] + here["height"] / 2)
        expect(page.locator(".gather .seat", has_text="You")).to_contain_text("ready")


async def ask_for_another_round(client: Client) -> None:
    await client.come()
    assert (await client.ask(do="rematch"))["kind"] == "committed"


def test_a_double_tap_does_not_decide_twice(server: Server, browser: Browser) -> None:
    """Passing with a double click passes for one person, not for the next one too."""
    with visitor(browser) as page:
        mine = secret_of(page)
        seats = [{"kind": "me", "name": name} for name in ("Ana", "Ben", "Cleo")]
        table = server.create("classic", seats, mine)
        known = json.dumps([{"id": table, "game": "classic", "at": 1, "open": True}])
        page.add_init_script(f"localStorage.setItem('qwixx.tables', '{known}')")
        page.goto(address(server, f"/table/{table}"))
        table_here = page.locator("[data-phase]")
        page.locator(ROLL).click()
        page.wait_for_selector(CHOICE)
        first = table_here.get_attribute("data-acting")
        page.locator(CHOICE).first.dblclick()
        expect(table_here).not_to_have_attribute("data-acting", first or "")
        page.wait_for_timeout(500)
        page.locator(PASS).dblclick()
        page.wait_for_timeout(500)
        assert table_here.get_attribute("data-phase") == "white"
        assert table_here.get_attribute("data-acting") is not None


def test_a_move_link_in_a_tab_that_watches(server: Server, browser: Browser) -> None:
    with visitor(browser) as old, visitor(browser) as new:
        reached_at(old, address(server))
        table = against_bot(old, server, "classic", pause=2)
        old.wait_for_selector(".tray")
        new.goto(address(server, f"/table/{table}"))
        expect(new.get_by_text("watching")).to_be_visible()
        old.get_by_role("button", name="Menu").click()
        old.get_by_role("button", name="Get a link for the other device").click()
        link = old.get_by_label("Link for your other device").input_value()
        new.evaluate("(hash) => { location.hash = hash }", link.split("#")[1])
        expect(new.get_by_text("watching")).to_have_count(0)
        assert "#" not in new.url


def test_somebody_away_can_be_replaced_also_after_a_reload(
    server: Server, browser: Browser
) -> None:
    with visitor(browser) as ana, visitor(browser) as ben:
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "open"}]
        table = server.create("classic", seats, secret_of(ana), away=1)
        for page in (ana, ben):
            page.goto(address(server, f"/table/{table}"))
        ben.get_by_label("Your name", exact=True).fill("Ben")
        ben.get_by_role("button", name="Join the game").click()
        for page in (ana, ben):
            page.wait_for_selector(".tray")
        while (
            ana.locator("[data-phase]").get_attribute("data-phase") == "roll"
        ):  # to where all must choose
            Person(ana, "click", Random(1)).act()
            if ben.locator("[data-phase]").get_attribute("data-phase") == "roll":
                Person(ben, "click", Random(1)).act()
        ben.goto("about:blank")
        ana.reload()
        ana.wait_for_selector(".tray")
        while ana.locator("[data-acting]").count():
            Person(ana, "click", Random(1)).act()
        ana.get_by_role("button", name="Let a bot play for Ben").click()
        expect(ana.locator(".players .tag")).to_have_text("bot")
        expect(ana.locator(".tray .say")).to_have_text("A bot plays on for Ben")


@pytest.fixture(scope="session")
def ended(server: Server) -> tuple[str, str]:
    mine = secret()
    return mine, stage(server, mine, "classic", 3, over)


def open_end(page: Page, server: Server, ended: tuple[str, str]) -> dict[str, object]:
    hold(page, ended[0])
    page.goto(address(server, f"/table/{ended[1]}"))
    expect(page.locator(".end")).to_be_visible()
    return server.record(ended[1])[1]


def test_log_menu_and_help_are_a_key_away_at_the_end_too(
    server: Server, browser: Browser, ended: tuple[str, str]
) -> None:
    with visitor(browser, LARGE) as page:
        open_end(page, server, ended)
        for key, title in (("l", "What happened so far"), ("m", "Menu"), ("?", "In short")):
            page.keyboard.press(key)
            expect(page.get_by_role("dialog").get_by_role("heading", name=title)).to_be_visible()
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_whole_game_again(server: Server, browser: Browser, ended: tuple[str, str]) -> None:
    """Forwards and backwards, by keyboard and slider; the sheets follow."""
    with visitor(browser) as page:
        record = open_end(page, server, ended)
        check_score(page, record)
        crossed = page.locator(".replay .crossed")
        slider = page.get_by_role("slider")
        expect(slider).to_be_enabled()  # the story has come
        at_the_end = crossed.count()
        slider.focus()
        page.keyboard.press("Home")
        expect(crossed).to_have_count(0)
        page.keyboard.press("ArrowRight")
        expect(page.locator(".replay")).to_contain_text(re.compile("throws? the dice"))
        steps = int(slider.get_attribute("max") or 0)
        assert steps > 20
        page.keyboard.press("End")
        expect(crossed).to_have_count(at_the_end)
        page.get_by_role("button", name="One step back").click()
        expect(page.locator(".replay")).to_contain_text(f"{steps - 1} of {steps}")
        slider.fill("0")
        expect(crossed).to_have_count(0)


def test_the_record_downloads_and_is_whole(
    server: Server, browser: Browser, ended: tuple[str, str], tmp_path: Path
) -> None:
    with visitor(browser) as page:
        record = open_end(page, server, ended)
        with page.expect_download() as download:
            page.locator(".fair > summary").click()
            page.get_by_role("link", name="Download the record").click()
        path = tmp_path / "record.json"
        download.value.save_as(path)
        assert json.loads(path.read_text()) == record


def test_the_dice_are_checked_in_the_browser(
    server: Server, browser: Browser, ended: tuple[str, str]
) -> None:
    """A true record is proved; one whose dice were changed on the way is not."""
    with visitor(browser, SMALL) as page:
        record = open_end(page, server, ended)
        page.locator(".fair > summary").tap()
        check = page.get_by_role("button", name="Check the dice")
        check.tap()
        expect(page.locator(".verdict")).to_contain_text("they are what was sealed")
        events = record["events"]
        assert isinstance(events, list)
        last = max(number for number, event in enumerate(events) if ":" not in event)
        changed = [*events]
        changed[last] = ("22" if events[last][:2] == "11" else "11") + events[last][2:]

        def lie(route: Route) -> None:
            route.fulfill(json={**record, "events": changed})

        page.route("**/record?round=1", lie)
        check.tap()
        expect(page.locator(".verdict")).to_contain_text("These dice are not proved: throw")


def test_what_a_player_brought_is_in_the_dice(server: Server, browser: Browser) -> None:
    with visitor(browser) as page:
        page.goto(address(server, "/new/classic"))
        page.get_by_role("group", name="Bots").get_by_role("button", name="Magpie").click()
        page.get_by_text("Settings").click()
        page.get_by_label("Speed of the bots").select_option("0.2")
        page.get_by_role("button", name="Let’s play").click()
        page.wait_for_selector(".tray")
        Person(page, "click", Random(10), passing=1).play()
        page.locator(".fair > summary").click()
        page.get_by_role("button", name="Check the dice").click()
        expect(page.locator(".verdict")).to_contain_text("What this browser brought is in them.")


def test_the_language_comes_from_the_browser_and_stays_in_the_address(
    server: Server, browser: Browser
) -> None:
    with visitor(browser, lang="pl-PL") as page:
        page.goto(f"http://127.0.0.1:{server.port}/")
        expect(page.locator("html")).to_have_attribute("lang", "pl")
        page.locator("select").first.select_option("de")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        assert page.url.endswith("/de")
        page.reload()
        expect(page.locator("html")).to_have_attribute("lang", "de")
        # Remembered, though the browser speaks Polish.
        page.goto(f"http://127.0.0.1:{server.port}/")
        expect(page.locator("html")).to_have_attribute("lang", "de")
        page.goto(f"http://127.0.0.1:{server.port}/es/rules/duel")
        expect(page.locator("html")).to_have_attribute("lang", "es")
    with visitor(browser, lang="fr-FR") as page:
        page.goto(f"http://127.0.0.1:{server.port}/")
        expect(page.locator("html")).to_have_attribute("lang", "en")


COUNT_SOUNDS = """
window.sounds = 0;
window.AudioContext = class extends window.AudioContext {
  constructor() { super(); window.sounds++; }
};"""


def test_sounds_are_off_until_they_are_turned_on(server: Server, browser: Browser) -> None:
    with visitor(browser) as page:
        page.add_init_script(COUNT_SOUNDS)
        against_bot(page, server, "classic")
        page.wait_for_selector(".tray")
        person = Person(page, "click", Random(11))
        for _ in range(6):
            person.act()
        assert page.evaluate("window.sounds") == 0
        page.get_by_role("button", name="Sound off").click()  # one tap
        expect(page.get_by_role("button", name="Sound on")).to_be_visible()
        assert page.evaluate("window.sounds") == 1


def test_what_happens_is_said_aloud(server: Server, browser: Browser) -> None:
    """Dice, choices, turns and the end reach the live region."""
    with visitor(browser) as page:
        against_bot(page, server, "classic")
        page.wait_for_selector(".tray")
        page.evaluate(
            """() => {
                window.said = new Set();
                window.added = window.times = 0;
                const log = document.querySelector('[role=log]');
                new MutationObserver((changes) => {
                    window.times++;
                    for (const change of changes) window.added += change.addedNodes.length;
                    log.querySelectorAll('p').forEach((p) => window.said.add(p.textContent));
                })
                    .observe(log, { childList: true, subtree: true, characterData: true });
            }"""
        )
        person = Person(page, "click", Random(12))
        while not person.act():
            pass
        # Eight lines are kept; whoever says them all again adds eight each time.
        assert page.evaluate("window.added") <= page.evaluate("window.times") * 5, (
            "said again and again"
        )
        said = "\n".join(page.evaluate("[...window.said]"))
        for words in (
            "threw white",
            "Magpie: ",
            "You threw white",
            "You: ",
            "Your turn: throw the dice",
            " in any row",
            "The game is over",
        ):
            assert words in said, (words, said)


def test_a_clock_runs_and_passes(server: Server, browser: Browser) -> None:
    with visitor(browser) as page:
        against_bot(page, server, "classic", clock=2)
        expect(page.get_by_role("timer")).to_be_visible()
        number = page.locator("[data-phase]").get_attribute("data-number")
        expect(page.locator("[data-phase]")).not_to_have_attribute("data-number", number or "")


# What lies over a field, a lock or a number of the board, in the middle of each of them.
OVER_THE_BOARD = """() => [...document.querySelectorAll('.sheet .board .cell')].filter((cell) => {
  const { x, y, width, height } = cell.getBoundingClientRect();
  return [0.25, 0.5, 0.75].some((part) => {
    const found = document.elementFromPoint(x + part * width, y + height / 2);
    return !cell.contains(found);
  });
}).map((cell) => cell.outerHTML.slice(0, 80))"""


# How much of the words at a row lies on its fields, out of the row, or over its lock; and how large they are.
AT_THE_ROW = """() => {
  const words = document.querySelector('.row.closing .told span');
  const range = document.createRange();
  range.selectNodeContents(words);
  const [text, row] = [range.getBoundingClientRect(), words.closest('.row').getBoundingClientRect()];
  const letters = text.top + 0.16 * text.height; // above the letters a line is empty
  const low = (cell) => cell.getBoundingClientRect().bottom;
  const fields = [...words.closest('.row').querySelectorAll('.cell:not(.lock)')];
  const lock = words.closest('.row').querySelector('.lock').getBoundingClientRect();
  return {
    on: Math.max(...fields.map(low)) - letters,
    out: Math.max(
      text.bottom - 0.16 * text.height - row.bottom, row.left - text.left, text.right - lock.left,
    ),
    letters: parseFloat(getComputedStyle(words).fontSize),
  };
}"""
SIDEWAYS = (568, 320)


@pytest.mark.parametrize(
    "size", sweep([SMALL, LARGE, (320, 568), SIDEWAYS], 2), ids=lambda size: str(size[0])
)
def test_a_closed_row_is_announced(server: Server, browser: Browser, size: tuple[int, int]) -> None:
    """Who closed it is told at the row and in the tray, and said aloud; nothing of it lies over the board."""
    with visitor(browser, size) as page:
        mine = secret_of(page)

        def nearly(client: object) -> bool:
            play = getattr(client, "play", None)
            moves = (play or {}).get("moves", {}).get("0", ())
            return any(move["effects"].get("closes") for move in moves) and 0 not in getattr(
                client, "chosen", ()
            )

        table = stage(server, mine, "classic", 1, nearly)
        page.goto(address(server, f"/table/{table}"))
        chip = page.locator(CHOICE, has_text="closes the row").first
        chip.click()
        stand_still(page)  # it is told until time goes on
        page.locator(CONFIRM).click()
        page.wait_for_selector("[data-telling]")
        page.clock.run_for(400)
        assert page.evaluate(OVER_THE_BOARD) == []
        closed = re.compile("You closed (red|yellow|green|blue)")
        expect(page.locator(".tray .say")).to_contain_text(closed)
        expect(page.locator(".row.closing .told")).to_have_text(closed)
        told = page.evaluate(AT_THE_ROW)
        assert told["on"] <= 1
        assert told["out"] <= 0
        assert told["letters"] >= 11
        expect(page.locator(".row.closed")).to_have_count(1)
        expect(page.locator("[role=log]")).to_contain_text("You closed")
        page.clock.run_for(1090)
        expect(page.locator("[data-telling]")).to_have_count(1)
        run_until(page, "() => document.querySelector('[data-telling]') === null")
        expect(page.locator(".tray .say")).not_to_contain_text("closed")
        run_until(page, "() => document.querySelector('.told') === null")
        assert page.evaluate(OVER_THE_BOARD) == []


# How far to each side of its middle a tap still meets a lock.
REACH = """(lock) => {
  const { x, y, width, height } = lock.getBoundingClientRect();
  const at = (far, sign) => document.elementFromPoint(x + width / 2 + sign * far, y + height / 2);
  const meets = (far, sign) => lock.contains(at(far, sign));
  const most = (sign) => [...Array(40).keys()].findLast((far) => meets(far, sign));
  return most(-1) + most(1);
}"""


@pytest.mark.parametrize("width", sweep([360, 320]))
def test_a_thumb_finds_a_lock(server: Server, browser: Browser, width: int) -> None:
    with visitor(browser, (width, 740)) as page:
        against_bot(page, server, "classic")
        expect(page.locator("button[data-lock]")).to_have_count(4)
        for lock in page.locator("button[data-lock]").all():
            assert lock.evaluate(REACH) >= 43
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_page_can_be_installed(server: Server) -> None:
    manifest = json.loads(server.get("/manifest.webmanifest")[1])
    assert {"192x192", "512x512"} <= {icon["sizes"] for icon in manifest["icons"]}
    for icon in manifest["icons"]:
        assert server.get(icon["src"])[0] == 200


def test_large_screens_use_their_room(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 2, choosing("white", 1, 10))
    with visitor(browser, (1920, 1080)) as page:
        hold(page, mine)
        page.goto(address(server, f"/table/{table}"))
        page.wait_for_selector(CHOICE)
        sheet = page.locator(".sheet").bounding_box()
        assert sheet
        assert sheet["width"] > 1200
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        # From three metres, on a screen of 55 inches, these are letters of 8 mm.
        assert not page.evaluate(SMALLER, 19)


def test_a_visitor_without_a_name_is_told(server: Server, browser: Browser) -> None:
    invited = server.create("duel", [{"kind": "me", "name": "Laura"}, {"kind": "open"}], secret())
    with visitor(browser, LARGE) as page:
        page.goto(address(server, f"/table/{invited}"))
        page.get_by_label("Your name", exact=True).fill("   ")
        page.get_by_role("button", name="Join the game").click()
        expect(page.get_by_role("button", name="Join the game")).to_be_visible()
        page.get_by_label("Your name", exact=True).fill("\u202e\u202e")
        page.get_by_role("button", name="Join the game").click()
        expect(page.get_by_role("alert")).to_contain_text("That name cannot be used")


def test_who_spoils_it_can_be_removed_and_reported_and_watching_be_turned_off(
    server: Server, browser: Browser
) -> None:
    with visitor(browser, SMALL) as ana:
        reached_at(ana, address(server))
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "open"}]
        table = server.create("classic", seats, secret_of(ana))

        async def mallory_sits() -> None:
            client = Client(server.url(table), secret())
            await client.come()
            await client.ask(do="sit", name="Mallory")

        aside(mallory_sits())
        ana.goto(address(server, f"/table/{table}"))
        seat = ana.locator(".gather .seat", has_text="Mallory")
        expect(seat).to_be_visible()
        ana.get_by_role("button", name="Menu").click()
        ana.get_by_text("Trouble with somebody?").click()
        ana.get_by_role("button", name="Report the name").click()
        expect(ana.get_by_role("button", name="Reported")).to_be_disabled()
        ana.get_by_label("People without a seat may watch").click()
        ana.get_by_role("button", name="Remove").click()
        expect(seat).to_have_count(0)
        expect(ana.get_by_label("People without a seat may watch")).not_to_be_checked()
    assert not json.loads(server.get(f"/api/tables/{table}")[1])["options"]["watchers"]
