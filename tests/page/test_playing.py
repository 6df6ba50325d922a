"""Whole games on the page, in a real browser, against a real server."""

import json
from random import Random

import pytest
from client import NAMED, Server
from playing import CHOICE, PASS, ROLL, How, Person, check_score, shown_score
from playwright.sync_api import Browser, Route, expect
from visits import LARGE, SMALL, address, against_bot, secret_of, visitor
from witness import Witness

from sweeps import sweep

Way = tuple[How, tuple[int, int]]
WAYS: list[Way] = [("keyboard", LARGE), ("keyboard", SMALL), ("click", SMALL), ("touch", LARGE)]
GAMES = [
    ("classic", SMALL),
    ("duel", LARGE),
    ("mixed-a", SMALL),
    ("mixed-b", LARGE),
    ("mixed-a", LARGE),
    ("mixed-b", SMALL),
    ("classic", LARGE),
    ("duel", SMALL),
]


@pytest.mark.parametrize("way", sweep(WAYS), ids=lambda way: f"{way[0]}-{way[1][0]}")
@pytest.mark.parametrize("game", sweep(["classic", "duel"]))
def test_a_whole_game_against_a_bot(server: Server, browser: Browser, game: str, way: Way) -> None:
    """Fingers on a phone and the mouse on a large screen play whole games below, twice in a row."""
    how, size = way
    with visitor(browser, size) as page:
        table = against_bot(page, server, game)
        Person(page, how, Random(f"{game}{how}{size}")).play()
        check_score(page, server.record(table)[1])


@pytest.mark.parametrize("kind", sweep(GAMES), ids=lambda kind: f"{kind[0]}-{kind[1][0]}")
def test_the_page_shows_what_the_server_says_round_after_round(
    server: Server, browser: Browser, kind: tuple[str, tuple[int, int]]
) -> None:
    """Whoever plays again sees the new game: after every choice, board,
    score and dice are those of the server."""
    game, size = kind
    with visitor(browser, size, service_workers="allow") as page:
        witness = Witness(page)
        table = against_bot(page, server, game)
        person = Person(
            page, "touch" if size == SMALL else "click", Random(f"again {game}{size}"), passing=0.85
        )
        for number in (1, 2):
            page.wait_for_selector(".tray")
            witness.watch(person, passing=0.85)
            assert witness.checked > 5
            assert witness.marks > 0, f"no own marks seen in round {number}"
            check_score(page, server.record(table, number=number)[1])
            if number == 1:
                if size == SMALL:  # on the large one before the story of the game has come
                    page.wait_for_selector(".replay input:not([max='0'])")
                person.press(page.get_by_role("button", name="Play again"))


def test_one_tap_from_home_to_a_game(server: Server, browser: Browser) -> None:
    for game in ("classic", "duel"):
        moving = {"reduced_motion": "no-preference", "service_workers": "allow"}
        with visitor(browser, SMALL, **moving) as page:
            page.goto(f"http://127.0.0.1:{server.port}/")
            page.locator(f'[data-play="{game}"]').tap()
            page.wait_for_selector(".tray")
            person = Person(page, "touch", Random(game))
            while page.locator("[data-owner]").count() == 0:
                person.act()


@pytest.mark.parametrize("game", sweep(["duel", "classic"]))
def test_two_browsers_at_one_table(server: Server, browser: Browser, game: str) -> None:
    """One makes the table, the other comes by its link;
    both end with the same score; then they play again."""
    with visitor(browser, LARGE) as ana, visitor(browser, SMALL, "pl-PL") as ben:
        ana.goto(address(server, f"/new/{game}", NAMED))
        ana.get_by_role("button", name="Seat 1").click()
        ana.get_by_label("Your name", exact=True).fill("Ana")
        ana.get_by_role("button", name="Let’s play").click()
        link = ana.get_by_label("Link to this table").input_value()
        ben.goto(link)
        expect(ben.locator("html")).to_have_attribute("lang", "pl")
        ben.locator(".gather form input[type=text]").fill("Ben")
        ben.locator(".gather form button").tap()
        people = [
            Person(ana, "click", Random(1), waiting=20),
            Person(ben, "touch", Random(2), waiting=20),
        ]
        for page in (ana, ben):
            page.wait_for_selector(".tray")
        over = False
        while not over:
            over = people[0].act() & people[1].act()
        record = server.record(link.rsplit("/", 1)[1])[1]
        assert record["seats"] == ["Ana", "Ben"]
        for page in (ana, ben):
            check_score(page, record)
        assert shown_score(ana) == shown_score(ben)
        ana.get_by_role("button", name="Play again").click()
        ben.locator(".end .button.main").tap()
        for person in people:
            person.page.wait_for_selector(".tray")
            person.seen = -1
        while not all(page.locator("[data-owner]").count() for page in (ana, ben)):
            for person in people:
                person.act()


def test_practice_alone(server: Server, browser: Browser) -> None:
    with visitor(browser, SMALL) as page:
        page.goto(address(server))
        page.get_by_role("button", name="Practise alone").tap()
        page.wait_for_selector(".tray")
        Person(page, "touch", Random(3)).play()
        total = shown_score(page)[0][-1]
        heading = page.locator("#end-title").text_content() or ""
        assert heading.startswith(str(total).replace("-", "−"))


# Whom the tray names, where it is not who is to choose.
MISNAMED = """() => {
  const seat = document.querySelector('[data-acting]')?.dataset.acting;
  const title = document.querySelector('.tray .head .title')?.textContent;
  return seat === undefined || title === undefined || title === ['Ana', 'Ben'][seat] ? null : title;
}"""


# Whoever has the turn is framed once: on the sheet, if it is theirs, or among the others.
FRAMES = """() => document.querySelector('.tray') === null ? 1
  : document.querySelectorAll('.sheet.mine, .players .turn').length"""


@pytest.mark.parametrize("sealed", sweep([True, False]), ids=["sealed", "open"])
def test_several_people_at_one_device(server: Server, browser: Browser, sealed: bool) -> None:
    with visitor(browser, SMALL) as page:
        page.goto(address(server, "/new/classic/device"))
        page.get_by_label("Name", exact=True).fill("Ben")
        page.get_by_role("button", name="Seat 1").tap()
        page.get_by_label("Your name", exact=True).fill("Ana")
        if sealed:  # open play is the usual way
            page.get_by_text("Settings").tap()
            page.get_by_label("Choose in secret").check()
        page.get_by_role("button", name="Let’s play").tap()
        page.wait_for_selector(".tray")
        person, covers = Person(page, "touch", Random(4), passing=0.85), 0
        while not page.locator(".end").count():
            if page.locator(".cover").count():
                covers += 1
                # Nothing of what the other chose is to be seen, nor anywhere in the page.
                assert page.locator("[data-move], .cell.picked").count() == 0
                assert page.locator('[data-phase="white"] .players .moved').count() == 0
                expect(page.locator(".cover")).to_contain_text("Hand the device to")
            assert page.evaluate(MISNAMED) is None
            assert page.evaluate(FRAMES) == 1
            assert page.get_by_role("button", name="React").count() == 0  # all of them sit here
            person.act()
        assert (covers > 3) == sealed
        check_score(page, server.record(page.url.rsplit("/", 1)[1])[1])


def test_a_cover_stays_over_a_reload(server: Server, browser: Browser) -> None:
    """Whoever has the device then need not be whose choice it is."""
    with visitor(browser, SMALL) as page:
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "me", "name": "Ben"}]
        table = server.create("classic", seats, secret_of(page))
        kept = json.dumps([{"id": table, "game": "classic", "at": 1, "open": False}])
        page.add_init_script(f"localStorage.setItem('qwixx.tables', {json.dumps(kept)})")
        page.goto(address(server, f"/table/{table}"))
        expect(page.locator(ROLL)).to_be_visible()  # nothing is secret yet
        expect(page.locator(".cover")).to_have_count(0)
        page.locator(ROLL).tap()
        page.wait_for_selector("[data-phase=white][data-acting]")
        late: list[Route] = []

        def hold_back(route: Route) -> None:
            late.append(route)

        page.route("**/api/games", hold_back)  # the table may be known before its game is
        page.reload(wait_until="commit")
        page.wait_for_selector("[data-phase=white]", state="attached")
        for route in late:
            route.continue_()
        page.unroute("**/api/games", hold_back)
        expect(page.locator(".cover")).to_contain_text("Hand the device to")
        assert page.locator("[data-move]").count() == 0
        page.locator("[data-do=uncover]").tap()
        expect(page.locator(CHOICE).first).to_be_visible()


@pytest.mark.parametrize("how", sweep(["button", "key"]))
def test_at_one_device_a_choice_is_taken_back_until_the_last_one(
    server: Server, browser: Browser, how: str
) -> None:
    with visitor(browser, SMALL) as page:
        seats = [{"kind": "me", "name": name} for name in ("Ana", "Ben", "Cleo")]
        table = server.create("classic", seats, secret_of(page))
        page.goto(address(server, f"/table/{table}"))
        page.locator(ROLL).tap()
        acting = page.locator("[data-phase=white]")
        first = page.locator("[data-phase=white][data-acting]").get_attribute("data-acting")
        expect(page.locator("[data-do=withdraw]")).to_have_count(0)
        for _ in range(2):
            page.locator(PASS).tap()
            expect(acting).not_to_have_attribute("data-acting", str(first))
            if how == "button":
                page.locator("[data-do=withdraw]").tap()
            else:
                page.keyboard.press("u")
            expect(acting).to_have_attribute("data-acting", str(first))
        for _ in range(3):
            page.locator(PASS).tap()
            page.wait_for_timeout(400)  # a second tap on the same key at once is taken for a slip
        expect(page.locator("[data-phase=colour]")).to_be_visible()
        expect(page.locator("[data-do=withdraw]")).to_have_count(0)


def test_in_secret_nobody_takes_back_what_another_chose(server: Server, browser: Browser) -> None:
    """Whoever chose still has the device when the cover comes, and may think again; the next one may not."""
    with visitor(browser, SMALL) as page:
        names = ["Ana", "Ben", "Cleo"]
        seats = [{"kind": "me", "name": name} for name in names]
        table = server.create("classic", seats, secret_of(page))
        kept = json.dumps([{"id": table, "game": "classic", "at": 1, "open": False}])
        page.add_init_script(f"localStorage.setItem('qwixx.tables', {json.dumps(kept)})")
        page.goto(address(server, f"/table/{table}"))
        page.locator(ROLL).tap()
        page.wait_for_selector("[data-phase=white][data-acting]")
        seat = page.locator("[data-phase=white]").get_attribute("data-acting") or ""
        first = names[int(seat)]
        page.locator(PASS).tap()
        expect(page.locator(".cover")).to_contain_text("Hand the device to")
        page.locator(".cover").get_by_role("button", name="Take back").tap()
        expect(page.locator(".cover")).to_have_count(0)
        expect(page.locator("[data-phase=white]")).to_have_attribute("data-acting", seat)
        page.locator(PASS).tap()
        page.locator("[data-do=uncover]").tap()
        expect(page.locator(CHOICE).first).to_be_visible()
        expect(page.locator("[data-phase=white]")).not_to_have_attribute("data-acting", seat)
        expect(page.locator("[data-do=withdraw]")).to_have_count(0)
        # Had it taken anything back, the first would be asked again before the third.
        page.keyboard.press("u")
        page.wait_for_timeout(400)  # a second tap on the same key at once is taken for a slip
        page.locator(PASS).tap()
        third = names[(names.index(first) + 2) % 3]
        expect(page.locator(".cover")).to_contain_text(f"Hand the device to {third}")
