"""A running game: dice that lie before anything follows from them,
whose turn it is, what a choice will do."""

import json
import re
from itertools import product
from pathlib import Path
from random import Random

import pytest
from client import Client, Server, secret
from playing import CHOICE, CONFIRM, PASS, PICKED, ROLL, Person
from playwright.sync_api import Browser, FloatRect, Page, expect
from ruler import out_of_sight
from stage import Plan, choosing, idle, over, stage, staged, to_throw
from visits import (
    LARGE,
    SMALL,
    address,
    against_bot,
    dismissed,
    open_as,
    resize,
    run_until,
    secret_of,
    stand_still,
    visitor,
    with_bot,
)

from sweeps import sweep, sweep_of_several

LANGUAGES = Path(__file__).parent.parent.parent / "web" / "src" / "languages"
SIDE = (740, 360)
GAMES_AND_SIZES = [
    ("classic", (360, 640)),
    ("duel", SIDE),
    ("classic", SIDE),
    ("duel", (360, 640)),
    *product(("classic", "duel"), ((320, 568), LARGE)),
]


@pytest.mark.parametrize(
    ("game", "size"),
    sweep_of_several(GAMES_AND_SIZES),
    ids=lambda one: one if isinstance(one, str) else str(one[0]),
)
def test_turn_and_totals_are_in_sight_at_all_times(
    server: Server, browser: Browser, game: str, size: tuple[int, int]
) -> None:
    """In a whole game nothing scrolls away, and nothing covers the board."""
    with visitor(browser, size) as page:
        against_bot(page, server, game)
        page.wait_for_selector(".tray")
        person = Person(page, "click", Random(f"{game}{size}"), passing=0.7)
        while not person.act():
            assert out_of_sight(page) == []


# What has changed its place by itself since the game began, as the browser sees it.
SHIFTS = """() => {
  window.shifts = [];
  const named = (node) => (node?.parentElement ?? node)?.outerHTML.slice(0, 120);
  const box = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
  new PerformanceObserver((list) => list.getEntries().forEach(({ value, sources, hadRecentInput }) => {
    if (hadRecentInput || document.querySelector('[data-over]')) return;
    const places = (one) => `${box(one.previousRect)}, ${box(one.currentRect)}`;
    const moved = sources.map((one) => `${places(one)}: ${named(one.node)}`);
    shifts.push(`${value.toFixed(5)} ${moved.join('; ')}`);
  })).observe({ type: 'layout-shift' });
}"""


@pytest.mark.parametrize(
    ("game", "size"),
    sweep_of_several(
        [("classic", SMALL), ("duel", SMALL), *product(("classic", "duel"), (LARGE, SIDE))]
    ),
    ids=lambda one: one if isinstance(one, str) else str(one[0]),
)
def test_nothing_shifts_in_a_whole_game(
    server: Server, browser: Browser, game: str, size: tuple[int, int]
) -> None:
    """By the browser's own measure, for a newcomer with all the words of advice."""
    with visitor(browser, size) as page:
        against_bot(page, server, game)
        page.wait_for_selector(".tray")
        page.wait_for_load_state("networkidle")  # the letters and the log are there
        page.evaluate(SHIFTS)
        Person(page, "click", Random(f"{game}{size}"), passing=0.4).play()
        shifts = page.evaluate("window.shifts")
        assert not shifts, "\n".join(shifts)


def test_five_at_a_phone_are_all_in_sight(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 5, choosing("white", 1, 10))
    for size in ((360, 640), (320, 568), SIDE):
        with visitor(browser, size) as page:
            open_as(page, server, mine, table)
            page.wait_for_selector(CHOICE)
            assert out_of_sight(page) == [], size
            for seat in range(1, 5):
                card = page.locator(f'.players [data-player="{seat}"]')
                expect(card).to_be_in_viewport(ratio=0.99)
                expect(card.locator(f'[data-total][data-seat="{seat}"]')).to_be_in_viewport(
                    ratio=0.99
                )
                expect(card.locator(".boxes i")).to_have_count(4)


# What the others did, as far as it is seen: all of it, large enough, and nothing of it cut off.
DEEDS = """() => Object.fromEntries([...document.querySelectorAll('.players [data-player]')].map((card) => {
  const now = card.querySelector('.now'), place = now.getBoundingClientRect();
  const whole = (one) => {
    const { left, right, width, bottom } = one.getBoundingClientRect();
    return width > 0 && left >= place.left - 0.5 && right <= place.right + 0.5 && bottom <= innerHeight
      && one.checkVisibility({ opacityProperty: true }) && parseFloat(getComputedStyle(one).fontSize) >= 11;
  };
  const seen = [...now.querySelectorAll('.deed .field, .deed .failing')].filter(whole);
  const colour = (one) => one.className.match(/[RYGB](?= |$)/)[0];
  const named = (one) => one.matches('.failing') ? '-' : colour(one) + one.lastElementChild.textContent;
  return [card.dataset.player, seen.map(named)];
}))"""


def last_deeds(server: Server, mine: str, table: str) -> dict[str, list[str]]:
    """What every seat did in the last turn in which it acted, as the server tells it: nothing, if it
    passed."""
    log = json.loads(server.get(f"/api/tables/{table}/log", authorization=f"Bearer {mine}")[1])
    last: dict[str, list[str]] = {}
    turn: dict[str, list[str]] = {}
    for event in log["events"]:
        turn = {} if event.get("dice") else turn
        for seat, move in (event.get("revealed") or {}).items():
            failed = (event.get("effects") or {}).get(seat, {}).get("failed")
            did = [move] if move != "-" or failed else []
            last[seat] = turn[seat] = [*turn.get(seat, []), *did]
    return last


@pytest.mark.parametrize("people", sweep([5, 3], 1))
def test_what_the_others_did_last_is_in_sight_on_every_phone(
    server: Server, browser: Browser, people: int
) -> None:
    """Also when the next throw lies, and for somebody who comes back."""
    mine = secret()
    table = stage(server, mine, "classic", people, choosing("white", 1, 14))
    last = last_deeds(server, mine, table)
    assert last
    with visitor(browser, (320, 568)) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(".players .earlier")
        for width, height in ((320, 568), (360, 640), (390, 844), (430, 932), SIDE):
            resize(page, width, height)
            seen = page.evaluate(DEEDS)
            assert seen == {str(seat): last.get(str(seat), []) for seat in range(1, people)}, width
            assert out_of_sight(page) == []


def test_what_somebody_did_stays_until_they_do_something_else(
    server: Server, browser: Browser
) -> None:
    """Throw after throw, without a shift."""
    with visitor(browser, (320, 568)) as page:
        me, bot = {"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "greedy"}
        table = server.create("classic", [me, *[bot] * 4], secret_of(page), pause=0)
        page.goto(address(server, f"/table/{table}"))
        page.wait_for_selector(".tray")
        page.wait_for_load_state("networkidle")
        page.evaluate(SHIFTS)
        person = Person(page, "click", Random(3), passing=0.5)
        known: set[str] = set()
        for _ in range(25):
            if person.act():
                break
            cards = page.locator(".players [data-player]").evaluate_all("""(cards) => cards.map((card) => {
              const deed = card.querySelector('.deed');
              const did = deed.querySelector('.field, .failing') !== null;
              return [card.dataset.player, deed.innerText.trim() !== '', did];
            })""")
            if not cards:
                break  # the game is over
            # In a turn in which somebody passes, that is told; nobody is without a word any more.
            assert known <= {seat for seat, told, _ in cards if told}
            known |= {seat for seat, _, did in cards if did}
        assert known == set("1234")
        assert page.evaluate("window.shifts") == []


def catalogues() -> list[dict[str, str]]:
    """The words of the page, language by language."""
    return [
        json.loads((LANGUAGES / f"{one}.json").read_text())
        | json.loads((LANGUAGES / f"own.{one}.json").read_text())
        for one in ("en", "de", "es", "pl", "pt")
    ]


def test_what_four_others_did_is_whole_on_a_phone_on_its_side(
    server: Server, browser: Browser
) -> None:
    """Two fields with the widest numbers, and that somebody passes, in every language."""
    with visitor(browser, SIDE) as page:
        me, bot = {"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "greedy"}
        table = server.create("classic", [me, *[bot] * 4], secret_of(page), pause=0)
        page.goto(address(server, f"/table/{table}"))
        page.wait_for_selector(".tray")
        person = Person(page, "click", Random(1), passing=0)
        while not page.evaluate(SEE_MOVED):
            assert not person.act(), "nobody crossed anything"
        told = [None, *(words["seat.passed"] for words in catalogues())]
        for width, height in (SIDE, (844, 390), (640, 360), (568, 320)):
            resize(page, width, height)
            for words in told:
                cut = page.evaluate(CUT_SHORT, words)
                assert not cut, (width, words, cut)
            assert out_of_sight(page) == []


# Kept as soon as it is seen: the table goes on.
SEE_MOVED = """() => {
  window.moved ??= document.querySelector('.players .moved')?.cloneNode(true);
  return window.moved !== undefined;
}"""
# What does not fit where it is told what somebody did: these words, or two fields.
CUT_SHORT = """(words) => {
  const moved = window.moved;
  moved.querySelector('.field > span:last-child').textContent = '12';
  return [...document.querySelectorAll('.players .now')].map((now) => {
    now.replaceChildren(...(words ? [words] : [moved.cloneNode(true), moved.cloneNode(true)]));
    return now.scrollWidth - now.clientWidth;
  }).filter((more) => more > 0);
}"""


# Other words in the place of the advice: what has happened, the advice, how one puts it away.
SAY = """(el, [said, tip, dismiss]) => {
  const notice = document.createElement('strong');
  notice.className = el.className.replace('coach', 'notice');
  notice.textContent = said;
  const [place, key] = el.children;
  place.replaceChildren(document.createElement('span'));
  place.firstChild.append(...(said ? [notice] : []), tip);
  key.textContent = dismiss;
}"""


@pytest.mark.parametrize(
    "size", sweep([(320, 568), SIDE, (360, 640)], 2), ids=lambda size: str(size[0])
)
def test_a_word_of_advice_covers_nothing_and_nothing_moves_when_it_goes(
    server: Server, browser: Browser, size: tuple[int, int]
) -> None:
    """Also the longest of each language, alone and together with who begins or has left."""
    mine = secret()
    table = stage(server, mine, "classic", 5, choosing("white", 1, 10))
    places = """() => ['.sheet .board', '[data-move]', '[data-do=pass]'].map((one) => {
      const { top, bottom } = document.querySelector(one).getBoundingClientRect();
      return [top, bottom];
    })"""
    with visitor(browser, size) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(CHOICE)
        coach = page.locator(".coach")
        coach.wait_for()
        now = {}
        for words in catalogues():
            news = [words[f"notice.{one}"] for one in ("begins", "began", "left", "returned")]
            named = [f"{one.replace('{name}', words['level.random'])}. " for one in news]
            for said in ("", *named):
                tip = said + words["coach.white"]
                coach.evaluate(SAY, [said, words["coach.white"], words["coach.dismiss"]])
                now[tip] = page.evaluate(places)
                box = coach.bounding_box()
                assert box
                assert now[tip][1][1] <= box["y"] + 0.5, tip
                assert box["y"] + box["height"] <= now[tip][2][0] + 0.5, tip
        coach.tap()
        expect(coach).to_have_count(0)
        after = page.evaluate(places)
        for tip, before in now.items():
            assert before == after, tip


def test_nothing_is_told_before_the_dice_lie(server: Server, browser: Browser) -> None:
    """While they tumble there is no face, no sum, no choice; a tap ends it and chooses nothing."""
    mine = secret()
    table = stage(server, mine, "classic", 2, to_throw)
    with visitor(browser, SMALL, reduced_motion="no-preference") as page:
        open_as(page, server, mine, table)
        page.evaluate(  # at once, however busy the machine is
            """() => new MutationObserver((_, all) => {
                if (!document.querySelector('.tumbling')) return;
                all.disconnect();
                const many = (what) => document.querySelectorAll(what).length;
                window.early = [
                  many('.tumbling[data-face]'),
                  many('[data-move], .sum b.sum, button[data-field]'),
                  document.querySelector('[data-phase]').dataset.phase,
                ];
                document.querySelector('.felt').click();
            }).observe(document.body, { subtree: true, childList: true, attributes: true })"""
        )
        page.locator(ROLL).tap()
        page.wait_for_function("() => window.early")
        early = page.evaluate("window.early")
        assert early[1:] == [0, "roll"]
        assert early[0] < 6
        expect(page.locator("[data-phase]")).to_have_attribute(
            "data-phase", re.compile("white|colour|roll")
        )
        expect(page.locator(".tumbling")).to_have_count(0)
        expect(page.locator(PICKED)).to_have_count(0)
        faces = page.locator(".tray [data-die][data-face]")
        assert faces.count() == page.locator(".tray [data-die]").count()


def throw_and_hold(page: Page) -> None:
    """The dice are in the air, and the page's time stands still."""
    page.wait_for_selector(ROLL)
    stand_still(page)
    page.locator(ROLL).evaluate("(key) => key.click()")
    run_until(page, "document.querySelector('.tumbling') !== null")


@pytest.mark.parametrize("what", ["header .menu", ".players button", "[data-do=help]"])
def test_menu_sheets_and_rules_open_while_dice_fly(
    server: Server, browser: Browser, what: str
) -> None:
    """They choose nothing, so nobody has to tap twice; and what is open then can be used."""
    mine = secret()
    table = stage(server, mine, "classic", 2, to_throw)
    with visitor(browser, SMALL, reduced_motion="no-preference") as page:
        open_as(page, server, mine, table)
        throw_and_hold(page)
        page.locator(what).tap()
        run_until(page, "document.querySelector('dialog[open]') !== null")
        expect(page.locator(".tumbling").first).to_be_attached()
        page.locator("dialog").get_by_role("button", name="Close").tap()
        expect(page.locator("dialog[open]")).to_have_count(0)


# The dice in the air as they are at a time of their flight, thrown from there.
IN_FLIGHT = """([from, at]) => {
  for (const die of document.querySelectorAll('.tumbling')) {
    die.classList.remove('above', 'below');
    die.classList.add(from);
  }
  for (const one of document.getAnimations()) {
    one.pause();
    if (one.animationName?.endsWith('tumble')) one.currentTime = at;
    else one.finish();
  }
}"""
WITHOUT_DICE = (
    """(dice, none) => dice.forEach((die) => (die.style.visibility = none ? 'hidden' : ''))"""
)


@pytest.mark.parametrize(
    ("game", "size"),
    sweep_of_several(
        [
            ("classic", (390, 844)),
            ("duel", LARGE),
            *product(("classic", "duel"), ((320, 568), SIDE)),
        ]
    ),
    ids=lambda one: one if isinstance(one, str) else str(one[0]),
)
def test_dice_in_the_air_cover_nothing_beside_the_tray(
    server: Server, browser: Browser, game: str, size: tuple[int, int]
) -> None:
    """Frame by frame, thrown from below and from above: beside the tray all looks as if there were none."""
    mine = secret()
    table = stage(server, mine, game, 2, to_throw)
    with visitor(browser, size, reduced_motion="no-preference") as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(ROLL)
        stand_still(page)
        page.locator(ROLL).evaluate("(key) => key.click()")
        # The server's word comes in real time, while the page's own stands still.
        page.wait_for_function("() => (document.querySelector('.tumbling'))")
        while page.locator(".tumbling.held").count():
            page.clock.run_for(16)
        tray = page.locator(".tray").bounding_box()
        assert tray
        right, bottom = tray["x"] + tray["width"], tray["y"] + tray["height"]
        beside: list[FloatRect] = [
            {"x": 0, "y": 0, "width": size[0], "height": tray["y"]},
            {"x": 0, "y": bottom, "width": size[0], "height": size[1] - bottom},
            {"x": 0, "y": 0, "width": tray["x"], "height": size[1]},
            {"x": right, "y": 0, "width": size[0] - right, "height": size[1]},
        ]
        for start, at in product(("below", "above"), range(0, 900, 300)):
            page.evaluate(IN_FLIGHT, [start, at])
            seen = []
            for none in (False, True):
                page.locator(".tray .die").evaluate_all(WITHOUT_DICE, none)
                seen.append([page.screenshot(clip=one) for one in beside])
            page.locator(".tray .die").evaluate_all(WITHOUT_DICE, False)
            covered = [
                one for one, with_dice, none in zip(beside, *seen, strict=True) if with_dice != none
            ]
            assert not covered, (start, at)


# How long the animations of whatever has come take, by their style: they may be over when one asks.
MOVES_FOR = """() => {
  const times = (text) => text.split(',').map((one) => parseFloat(one) * (/ms$/.test(one) ? 1 : 1000));
  const comes = (style) => {
    if (style.animationName === 'none' || style.animationIterationCount.includes('infinite')) return [];
    const delays = times(style.animationDelay);
    return times(style.animationDuration).map((takes, i) => takes + delays[i % delays.length]);
  };
  const parts = (one) => [null, '::before', '::after'].flatMap((part) => comes(getComputedStyle(one, part)));
  return Math.max(...[...document.querySelectorAll('[data-phase] *')].flatMap(parts));
}"""


@pytest.mark.parametrize("game", ["classic", "duel"])
def test_within_a_second_of_a_throw_all_that_fits_is_shown(
    server: Server, browser: Browser, game: str
) -> None:
    """By the page's own time: dice that fly, lie, and then sum, fields and chips that come to rest."""
    mine = secret()
    table = stage(server, mine, game, 2, to_throw)
    with visitor(browser, LARGE, reduced_motion="no-preference") as page:
        open_as(page, server, mine, table)
        throw_and_hold(page)
        began = page.evaluate("performance.now()")
        run_until(page, "document.querySelector('.tumbling') === null")
        lie = page.evaluate("performance.now()") - began
        expect(page.locator(".sums .sum")).to_be_visible()
        assert page.locator("[data-move]").count()
        comes = page.evaluate(MOVES_FOR)
        assert lie > 300
        assert comes > 0
        assert lie + comes <= 1000, (lie, comes)


@pytest.mark.parametrize(
    ("game", "phase"), [("classic", "colour"), ("mixed-a", "colour"), ("classic", "white")]
)
def test_chips_name_their_dice(server: Server, browser: Browser, game: str, phase: str) -> None:
    """Each says which dice make it, and picking it lights them."""
    mine = secret()
    table = stage(server, mine, game, 2, choosing(phase, 2, 10))
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(CHOICE)
        thrown: dict[str, list[int]] = {}
        for die in page.locator(".tray [data-die]").all():
            thrown.setdefault(str(die.get_attribute("data-die")), []).append(
                int(die.get_attribute("data-face") or 0)
            )
        for chip in page.locator(CHOICE).all():
            move = str(chip.get_attribute("data-move"))
            first, second = (
                int(one) for one in (chip.locator(".made").text_content() or "").split(" + ")
            )
            assert first + second == int(move[1:])
            assert first in thrown["W"]
            assert second in thrown["W" if phase == "white" else move[0]]
            chip.tap()
            lit = page.locator(".tray [data-die].lit")
            expect(lit).to_have_count(0 if phase == "white" else 2)
            expect(page.locator(CONFIRM)).to_contain_text(move[1:])


def ends(client: Client) -> bool:
    moves = client.play["moves"].get("0", ()) if client.play and not over(client) else ()
    return any(move.get("ends") for move in moves)


def test_a_move_that_ends_the_game_says_so_before_it_is_made(
    server: Server, browser: Browser
) -> None:
    """Here the fourth failed throw: it takes a second tap, and the totals are told before it."""
    mine = secret()
    table = staged(server, mine, Plan("classic", 1, ends, idle))
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        page.locator(PASS).tap()
        expect(page.locator(".tray .ending")).to_have_text("Ends the game: you −20")
        page.locator(CONFIRM).tap()
        expect(page.locator("[data-over]")).to_be_attached()


def test_a_sealed_choice_can_be_taken_back(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 2, choosing("white", 1, 0))
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        page.locator(CHOICE).first.tap()
        page.locator(CONFIRM).tap()
        page.locator('[data-do="withdraw"]').tap()
        expect(page.locator("[data-phase]")).to_have_attribute("data-acting", "0")
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        expect(page.locator('[data-do="withdraw"]')).to_be_visible()
        page.keyboard.press("u")
        expect(page.locator("[data-phase]")).to_have_attribute("data-acting", "0")


@pytest.mark.parametrize("lang", sweep(["es", "en", "pt", "pl", "de"]))
def test_nothing_moves_when_a_choice_is_sealed(server: Server, browser: Browser, lang: str) -> None:
    """Beside a bot that thinks there are two keys, and the board stays where it was."""
    with visitor(browser, (360, 640), is_mobile=True) as page:
        table = with_bot(server, secret_of(page), "classic", pause=10)
        page.goto(address(server, f"/table/{table}", lang=lang))
        before, after = seal_beside_a_bot(page)
        assert after["y"] == before["y"]
        assert abs(after["height"] - before["height"]) < 2


def seal_beside_a_bot(page: Page) -> tuple[FloatRect, FloatRect]:
    """Where the board is before and after a choice is sealed while a bot still thinks.
    On a busy machine the bot may have been quicker: then in the next turn."""
    two_keys, board = "[data-do=withdraw] ~ [data-do=hurry]", page.locator(".sheet .board")
    while True:
        while not page.locator(CHOICE).count():
            # Never a choice: one that has just come would be picked here and taken below.
            page.locator(f"{ROLL}, {PASS}, [data-do=hurry]").first.tap()
            page.wait_for_selector(f"{ROLL}, {PASS}, [data-do=hurry], {CHOICE}")
        in_white = page.locator("[data-phase]").get_attribute("data-phase") == "white"
        page.locator(CHOICE).first.tap()
        before = board.bounding_box()
        page.locator(CONFIRM).tap()
        if in_white:
            page.wait_for_function(
                "keys => document.querySelector(keys) || !document.querySelector('[data-phase=white]')",
                arg=two_keys,
            )
        after = board.bounding_box()
        if page.locator(two_keys).count():
            assert before
            assert after
            return before, after


def test_a_piece_that_one_captures_is_seen_to_leave(server: Server, browser: Browser) -> None:
    captures = list[str]()

    def can_capture(client: Client) -> bool:
        if choosing("white", 1, 0)(client) and client.play:
            moves = client.play["moves"]["0"]
            captures[:] = [move["move"] for move in moves if move["effects"].get("captures")]
        return bool(captures)

    mine = secret()
    table = stage(server, mine, "duel", 2, can_capture)
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        page.locator(f'[data-move="{captures[0]}"]:enabled').tap()
        expect(page.locator(".piece.loser")).to_have_count(1)
        expect(page.locator(".piece.leaving")).to_have_count(0)
        stand_still(page)  # it leaves as time goes on
        page.locator(CONFIRM).tap()
        expect(page.locator(".piece.leaving.p1")).to_have_count(1)
        # And is gone then: a field that lights up is drawn anew, with what lies on it now.
        run_until(page, "() => document.querySelector('.leaving, .arriving') === null")


def test_nobody_is_told_to_wait_by_a_key(server: Server, browser: Browser) -> None:
    """Who has nothing to do has no key that does nothing; with bots alone, one that hurries them."""
    with visitor(browser, SMALL) as page:
        against_bot(page, server, "classic", pause=10)
        page.wait_for_selector(".tray")
        for _ in range(40):
            if page.locator('[data-do="hurry"]').count():
                break
            Person(page, "touch", Random(1), passing=1).act()
        expect(page.locator(f"{ROLL}, {CONFIRM}, {PASS}")).to_have_count(0)
        number = page.locator("[data-phase]").get_attribute("data-number") or ""
        page.locator('[data-do="hurry"]').tap()
        expect(page.locator("[data-phase]")).not_to_have_attribute(
            "data-number", number, timeout=10_000
        )


def test_the_dice_can_throw_themselves(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 2, to_throw)
    with visitor(browser, LARGE) as page:
        open_as(page, server, mine, table)
        page.locator(ROLL).wait_for()
        page.keyboard.press("m")
        page.get_by_label("Throw automatically").check()
        page.get_by_role("button", name="Close").click()
        expect(page.locator("[data-phase]")).to_have_attribute(
            "data-phase", re.compile("white|colour")
        )


def test_people_react_without_words(server: Server, browser: Browser) -> None:
    with visitor(browser) as ana, visitor(browser, SMALL) as ben:
        mine = secret()
        table = server.create("duel", [{"kind": "me", "name": "Ana"}, {"kind": "open"}], mine)
        open_as(ana, server, mine, table)
        ben.goto(address(server, f"/table/{table}"))
        ben.locator(".gather form input[type=text]").fill("Ben")
        ben.locator(".gather form button").tap()
        for page in (ana, ben):
            page.wait_for_selector(".tray")
        ana.get_by_role("button", name="React").click()
        ana.locator('[data-react="bravo"]').click()
        expect(ben.locator('.players [data-player="0"] [data-emote="bravo"]')).to_be_visible()
        expect(ana.locator('[data-react="bravo"]')).to_have_count(0)


@pytest.mark.parametrize("where", sweep([".sheet .board", ".people", ".felt .sums"]))
def test_a_tap_anywhere_hurries_the_bots(server: Server, browser: Browser, where: str) -> None:
    """Beside what can be pressed; a tap that does so chooses nothing, and the key says how."""
    with visitor(browser, SMALL) as page:
        against_bot(page, server, "duel", pause=10)
        page.wait_for_selector(".tray")
        for _ in range(60):
            if page.locator('[data-do="hurry"]').count():
                break
            Person(page, "touch", Random(1), passing=1).act()
        expect(page.locator('[data-do="hurry"]')).to_contain_text("tap anywhere")
        number = page.locator("[data-phase]").get_attribute("data-number") or ""
        page.locator(where).tap(position={"x": 3, "y": 3})
        expect(page.locator("[data-phase]")).not_to_have_attribute(
            "data-number", number, timeout=9_000
        )
        expect(page.locator("dialog")).to_have_count(0)


def test_during_a_throw_it_is_said_that_a_tap_ends_it(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 2, to_throw)
    with visitor(browser, SMALL, reduced_motion="no-preference") as page:
        open_as(page, server, mine, table)
        page.locator(ROLL).wait_for()
        page.evaluate("""() => {
            window.told = false;
            const look = () => (window.told ||= document.body.textContent.includes('Tap to skip'));
            new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
        }""")
        before = page.locator(".tray").bounding_box()
        page.locator(ROLL).tap()
        expect(page.locator("[data-phase]")).to_have_attribute(
            "data-phase", re.compile("white|colour")
        )
        assert page.evaluate("window.told")
        assert page.locator(".tray").bounding_box() == before


@pytest.mark.parametrize("size", sweep([SMALL, LARGE]), ids=["phone", "desk"])
def test_what_is_printed_explains_itself_also_by_keyboard(
    server: Server, browser: Browser, size: tuple[int, int]
) -> None:
    """Locks, failed throws and points, also where there is no room for their table;
    after that one is where one was."""
    mine = secret()
    table = stage(server, mine, "classic", 2, choosing("white", 1, 10))
    with visitor(browser, size) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(CHOICE)
        found = {
            "Green row: The lock": "The lock",
            "of 4": "Failed throws",
            "The points": "The points",
        }
        for name, title in found.items():
            asked = page.get_by_role("button", name=name)
            asked.focus()
            page.keyboard.press("Enter")
            expect(page.get_by_role("dialog", name=title)).to_be_visible()
            dismissed(page)
            expect(asked).to_be_focused()
            asked.tap()
            expect(page.get_by_role("dialog", name=title)).to_be_visible()
            dismissed(page)
        expect(page.locator("[data-phase]")).to_have_attribute("data-acting", "0")
