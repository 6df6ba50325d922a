"""What the page says of what happened: failed throws, who begins,
dice that are gone, scores in sight."""

import re
from random import Random

import pytest
from client import Client, Server, play_on, secret
from playing import CHOICE, ROLL, Person
from playwright.sync_api import Browser, Locator, expect
from stage import (
    Moment,
    Passing,
    Plan,
    about_to_fail,
    about_to_throw,
    aside,
    choosing,
    idle,
    over,
    reckless,
    stage,
    staged,
)
from visits import (
    SMALL,
    address,
    against_bot,
    open_as,
    resize,
    run_until,
    secret_of,
    stand_still,
    visitor,
)

from qwixx.core.fields import COLOUR_NAMES
from sweeps import sweep, sweep_of_several
from tables import classic_position, sheet

NOTHING_FITS = "Nothing fits: failed throw −5"


def one_line(text: Locator) -> bool:
    return bool(
        text.evaluate("""(el) => {
      const range = document.createRange();
      range.selectNodeContents(el.lastChild);
      return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size === 1;
    }""")
    )


@pytest.mark.parametrize(("game", "people"), [("classic", 1), ("duel", 2)])
def test_a_forced_failed_throw_is_told(
    server: Server, browser: Browser, game: str, people: int
) -> None:
    """Nothing fits, so the server passes:
    the player reads and hears it, and so does whoever watches."""
    mine = secret()
    table = staged(server, mine, Plan(game, people, about_to_fail(server, 1), reckless))
    with visitor(browser, SMALL) as page, visitor(browser) as watcher:
        open_as(page, server, mine, table)
        watcher.goto(address(server, f"/table/{table}"))
        watcher.wait_for_selector(".tray")
        number = int(page.locator("[data-phase]").get_attribute("data-number") or 0)
        page.locator(ROLL).tap()
        expect(page.locator(".tray .notice")).to_contain_text(NOTHING_FITS)
        expect(page.locator("[data-phase]")).to_have_attribute("data-number", str(number + 3))
        expect(page.locator("[role=log]")).to_contain_text(NOTHING_FITS)
        expect(watcher.locator("[role=log]")).to_contain_text("Ana: failed throw −5")
        expect(page.locator("[role=log]")).to_contain_text("You threw white")
        expect(watcher.locator("[role=log]")).to_contain_text("Ana threw white")
        if people > 1:
            expect(watcher.locator(".players")).to_contain_text("failed −5")


@pytest.mark.parametrize(("game", "people"), [("classic", 1), ("duel", 2)])
def test_a_forced_pass_is_not_told_above_what_fits(
    server: Server, browser: Browser, game: str, people: int
) -> None:
    """The whites fit nowhere, the colours do: now it is told what doing nothing would cost."""
    mine = secret()
    moment = about_to_throw(server, lambda phase: phase == "colour")
    table = staged(server, mine, Plan(game, people, moment, reckless))
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        page.locator(ROLL).tap()
        expect(page.locator("[data-phase]")).to_have_attribute("data-phase", "colour")
        expect(page.locator(CHOICE).first).to_be_visible()
        page.locator('[data-coach="colour"]').tap()
        expect(page.locator(".tray .say")).to_contain_text(
            "Doing nothing in this turn is a failed throw: −5."
        )
        expect(page.locator(".tray .notice")).to_have_count(0)
        expect(page.locator("[role=log]")).to_contain_text("Nothing fits: you pass")


def test_the_fourth_failed_throw_is_told_at_the_end_and_in_the_replay(
    server: Server, browser: Browser
) -> None:
    mine = secret()
    table = staged(server, mine, Plan("classic", 1, about_to_fail(server, 4), reckless))
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        page.locator('[data-total][data-seat="0"]').wait_for()
        page.locator(ROLL).tap()
        expect(page.locator(".end .notice")).to_have_text(NOTHING_FITS)
        expect(page.locator("[role=log]")).to_contain_text(NOTHING_FITS)
        expect(page.locator(".end")).to_contain_text("That was number 4: the game is over.")
        expect(page.locator(".replay [role=status]")).to_have_text(
            re.compile("You failed throw −5")
        )
        expect(page.locator(".end tbody th")).to_have_text("You")


def in_the_red(client: Client) -> bool:
    return (
        client.play is not None and min(client.play["result"]["totals"]) <= -10 and not over(client)
    )


@pytest.mark.parametrize("width", sweep([320, 1280, 360]))
def test_a_total_far_below_zero_stays_on_one_line(
    server: Server, browser: Browser, width: int
) -> None:
    mine = secret()
    table = staged(server, mine, Plan("classic", 2, in_the_red, idle))
    with visitor(browser, (width, 640)) as page, visitor(browser, (width, 640)) as watcher:
        open_as(page, server, mine, table)
        watcher.goto(address(server, f"/table/{table}"))
        for one in (page, watcher):
            one.wait_for_selector(".tray")
            scores = one.locator("[data-total]").all()
            assert scores
            assert all(one_line(score) for score in scores)
        assert "−" in "".join(watcher.locator("[data-total]").all_text_contents())
        # Where there is no room for signs between the parts, what is lost still has its own.
        failed, total = page.locator(".sheet .sum").inner_text().split("−")[1:]
        assert re.findall(r"\d+", failed) == re.findall(r"\d+", total)


# Points of both sides that are not whole, or lie on others, or beside the sheet.
CROWDED = """() => {
  const foot = document.querySelector('.sheet .foot').getBoundingClientRect();
  const parts = [...document.querySelectorAll('.sheet .pairs .part')];
  for (const points of document.querySelectorAll('.sheet .pairs b')) points.textContent = '45';
  const wrong = parts.filter((part, i) => {
    const { left, right } = part.getBoundingClientRect();
    const inside = part.lastElementChild.getBoundingClientRect().right;
    const before = parts[i - 1]?.getBoundingClientRect().right ?? foot.left;
    return inside > right || right > foot.right || left < before;
  });
  return wrong.map((part) => part.textContent);
}"""


def test_many_points_of_both_sides_have_room(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "duel", 2, choosing("white", 1, 6))
    with visitor(browser, (320, 568)) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(CHOICE)
        for width, height in (
            (320, 568),
            (340, 640),
            (360, 640),
            (390, 844),
            (640, 360),
            (740, 360),
        ):
            resize(page, width, height)
            assert page.evaluate(CROWDED) == [], width


@pytest.mark.parametrize("height", sweep([640, 740]))
@pytest.mark.parametrize("game", sweep(["duel", "classic"]))
def test_the_own_score_is_in_sight_on_a_phone(
    server: Server, browser: Browser, game: str, height: int
) -> None:
    mine = secret()
    table = stage(server, mine, game, 2, choosing("white", 2, 12))
    with visitor(browser, (360, height)) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(CHOICE)
        for language in ("en", "es", "pl"):
            page.goto(f"http://127.0.0.1:{server.port}/{language}/table/{table}")
            page.wait_for_selector(CHOICE)
            score = page.locator('[data-total][data-seat="0"]')
            box = score.bounding_box()
            assert box
            foot = [box["x"] + box["width"] - 8, box["y"] + 0.75 * box["height"]]  # of its digits
            assert score.evaluate(
                "(el, [x, y]) => (el.closest('.tally') ?? el).contains(document.elementFromPoint(x, y))",
                foot,
            ), language
            assert one_line(page.locator(".tray .head .title")), language


def of_seat(active: int) -> Moment:
    choice = choosing("white", 1, 4)
    return lambda client: (
        choice(client) and client.play is not None and client.play["active"] == active
    )


@pytest.mark.parametrize("active", sweep([4, 2]))
def test_whoever_has_the_turn_is_in_sight_among_five(
    server: Server, browser: Browser, active: int
) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 5, of_seat(active))
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        turn = page.locator(".players [data-turn]")
        expect(turn).to_have_attribute("data-turn", str(active))
        expect(turn).to_be_in_viewport(ratio=0.99)


@pytest.mark.parametrize("lang", sweep(["en", "de"]))
def test_who_begins_is_told_in_every_round(server: Server, browser: Browser, lang: str) -> None:
    """To the eye until one does something, and to the ear; the draw is the server's."""
    told = {"en": ("You begin: drawn by lot", "Magpie (begins|began): drawn by lot")}
    told["de"] = ("Ausgelost: Du beginnst", "Ausgelost: Elster (beginnt|hat begonnen)")
    with visitor(browser, SMALL) as page:
        mine = secret_of(page)
        seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "greedy"}]
        table = server.create("classic", seats, mine, pause=0)
        place = address(server, f"/table/{table}", lang=lang)
        for number in (1, 2):
            page.goto(place)
            if number == 2:
                page.locator(".end .button.main").tap()
            page.wait_for_selector(".tray")
            first = server.record(table, mine, number)[1]["first"]
            words = re.compile(told[lang][first])
            expect(page.locator(".tray .notice")).to_contain_text(words)
            expect(page.locator("[role=log]")).to_contain_text(words)
            if number == 1:
                page.goto("about:blank")
                aside(played(server.url(table), mine))


async def played(url: str, mine: str) -> None:
    """A round to its end, soon, since nobody ever takes anything."""
    client = Client(url, mine)
    await client.come()
    await play_on(client, Passing())
    await client.go()


def rows_closed(client: Client) -> bool:
    return over(client) and client.play is not None and client.play["in_play"].count(".") > 0


@pytest.mark.parametrize(("game", "people"), sweep_of_several([("classic", 3), ("duel", 2)]))
def test_the_replay_shows_the_dice_in_play(
    server: Server, browser: Browser, game: str, people: int
) -> None:
    """S4: at every step the dice on the table are those that have not left the game."""
    mine = secret()
    table = stage(server, mine, game, people, rows_closed)
    with visitor(browser) as page:
        answers = []
        page.on("response", lambda one: answers.append(one) if "/story" in one.url else None)
        open_as(page, server, mine, table)
        expect(page.get_by_role("slider")).to_be_enabled()  # the story has come
        page.get_by_role("slider").focus()
        steps = answers[0].json()["steps"]
        page.keyboard.press("Home")
        gone = 0
        for number, step in enumerate(steps):
            expect(page.locator(".replay .head .soft")).to_have_text(
                f"{number} of {len(steps) - 1}"
            )
            shown = page.locator(".replay .dice").evaluate(
                """(dice) => [dice.getAttribute('aria-label'), [...dice.children].map(
                    (die) => die.dataset.die ?? '.').join('')]"""
            )
            assert shown[1] == "WW" + step["in_play"]
            words = {name for name in COLOUR_NAMES.values() if name in shown[0]}
            assert words == (
                {COLOUR_NAMES[one] for one in step["in_play"] if one != "."} if number else set()
            )
            gone += "." in step["in_play"]
            page.keyboard.press("ArrowRight")
        assert gone > 0


# From now on: whatever of the tray, its head and the frames does not tell of one and the same step;
# and for how long something was told, from its first moment to its last.
ONE_STEP = """() => {
  window.wrong = [];
  window.told = [];
  let since = null;
  const look = () => {
    const table = document.querySelector('[data-phase]'), tray = document.querySelector('.tray');
    const telling = table?.dataset.telling !== undefined;
    if (telling && since === null) since = performance.now();
    if (!telling && since !== null) {
      told.push(performance.now() - since);
      since = null;
    }
    if (!table || !tray) return;
    const words = tray.querySelector('.say .notice')?.textContent ?? '';
    const acts = tray.querySelector('[data-do=roll], [data-do=pass], [data-do=confirm], [data-move]:enabled')
      ?? document.querySelector('[data-acting], button[data-field]');
    const own = tray.querySelector('.head .title').textContent === 'Your throw';
    const framed = document.querySelector('.sheet').matches('.mine');
    const others = document.querySelectorAll('.players .turn').length;
    const shared = document.querySelector('.players.shared');
    const faults = {
      'told beside what can be done': /fits|Time|closed/.test(words) && (acts || !telling),
      'nothing is told': telling && !words,
      'can be done while it is told': telling && acts,
      'two frames': own !== framed || (shared ? others !== 1 : framed === others > 0),
      'the end is there': telling && document.querySelector('[data-over], .end'),
    };
    for (const [fault, is] of Object.entries(faults)) if (is) wrong.push(`${fault}: ${words}`);
  };
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  new MutationObserver(look).observe(document, all);
}"""


def test_words_frame_head_and_key_tell_of_one_step_in_a_whole_game(
    server: Server, browser: Browser
) -> None:
    """Whoever skips much soon finds that nothing fits: they read it for as long as it takes,
    and then it is gone."""
    late = classic_position(sheet("R10 Y10 G4 B3", 2), "R8 Y8 G6")
    with visitor(browser, SMALL) as page:
        against_bot(page, server, "classic", position=late)
        page.wait_for_selector(".tray")
        page.evaluate(ONE_STEP)
        Person(page, "touch", Random(2), passing=0, patient=True).play()
        assert page.evaluate("window.wrong") == []
        told = page.evaluate("window.told")
        assert told
        assert min(told) > 1490, told


def test_a_failed_throw_is_held_until_it_is_read(server: Server, browser: Browser) -> None:
    """The bot throws at once, and the clock goes on,
    but what happened to oneself stays until it can have been read."""
    with visitor(browser, SMALL) as page:
        against_bot(page, server, "duel", clock=1)
        page.wait_for_selector(".tray")
        page.evaluate(ONE_STEP)
        expect(page.locator(".tray .notice", has_text="Time is up")).to_be_visible()
        page.wait_for_function("() => window.told.length > 0")
        assert page.evaluate("window.told")[0] > 1490
        assert page.evaluate("window.wrong") == []


# Keys that the page keeps from the browser.
PREVENTED = """(keys) => keys.filter((key) => !document.body.dispatchEvent(
  new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })))"""


@pytest.mark.parametrize("key", sweep(["Enter", "5", "ArrowDown", "p", "Escape"]))
def test_a_key_of_the_table_ends_what_is_told(server: Server, browser: Browser, key: str) -> None:
    mine = secret()
    table = staged(server, mine, Plan("classic", 1, about_to_fail(server, 1), reckless))
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        page.locator(ROLL).wait_for()
        stand_still(page)
        page.locator(ROLL).tap()
        page.wait_for_selector("[data-telling]")
        number = page.locator("[data-phase]").get_attribute("data-number")
        assert page.evaluate(PREVENTED, [key]) == [key]
        expect(page.locator(ROLL)).to_be_visible()
        assert page.locator("[data-phase]").get_attribute("data-number") == number


def test_the_next_throw_waits_until_a_failed_one_is_read(server: Server, browser: Browser) -> None:
    """Also one that comes at once; and a tap goes on, and does nothing else."""
    mine = secret()
    table = staged(server, mine, Plan("classic", 1, about_to_fail(server, 1), reckless))
    with visitor(browser, SMALL, reduced_motion="no-preference") as page:
        open_as(page, server, mine, table)
        page.locator(ROLL).wait_for()
        stand_still(page)  # what is told ends by the tap alone
        page.evaluate(ONE_STEP)
        page.locator(ROLL).tap()
        page.wait_for_selector(".tumbling")
        run_until(page, "() => document.querySelector('[data-telling]') !== null")
        expect(page.locator(".sheet .failed .x").first).to_be_attached()
        number = page.locator("[data-phase]").get_attribute("data-number")
        assert page.evaluate(PREVENTED, ["F5", "PageDown", "Home", "a"]) == []
        expect(page.locator("[data-telling]")).to_have_count(1)
        page.locator(".tray .head .title").tap()
        expect(page.locator(ROLL)).to_be_visible()
        assert page.locator("[data-phase]").get_attribute("data-number") == number
        expect(page.locator(".tray .notice")).to_have_count(0)
        assert page.evaluate("window.told.length") == 1
        assert page.evaluate("window.wrong") == []
