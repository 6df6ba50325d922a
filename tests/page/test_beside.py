"""A desk: what has happened stands beside the table, the dice at the sheet, and no quarter is empty."""

import pytest
from client import Server, secret
from playing import CHOICE, ROLL
from playwright.sync_api import Browser, expect
from stage import choosing, stage, to_throw
from visits import LARGE, SMALL, open_as, visitor

from sweeps import sweep_of_several

BESIDE = ".people .log li"
# Of a grid over the window, the places where there is nothing but the ground.
BARE = """() => {
  const places = [];
  for (let column = 0; column < 16; column++) for (let row = 0; row < 16; row++) {
    const [x, y] = [(column + 0.5) * innerWidth / 16, (row + 0.5) * innerHeight / 16];
    const there = document.elementFromPoint(x, y);
    if (there?.closest('.players li, .people section, .sheet, .tray, header')) continue;
    places.push([column < 8, row < 8]);
  }
  const quarters = [0, 1, 2, 3].map((q) =>
    places.filter(([left, top]) => left === (q % 2 === 0) && top === (q < 2)).length);
  return Math.max(...quarters) / 64;
}"""


@pytest.mark.parametrize(
    ("game", "people"), sweep_of_several([("classic", 5), ("duel", 2), ("classic", 2)])
)
def test_a_desk_has_no_empty_quarter(
    server: Server, browser: Browser, game: str, people: int
) -> None:
    mine = secret()
    table = stage(server, mine, game, people, choosing("white", 1, 20))
    for size in (LARGE, (1440, 900), (1920, 1080)):
        with visitor(browser, size) as page:
            open_as(page, server, mine, table)
            page.wait_for_selector(CHOICE)
            page.wait_for_selector(BESIDE)
            assert page.evaluate(BARE) < 0.25, size
            sheet = page.locator(".sheet").bounding_box()
            tray = page.locator(".tray").bounding_box()
            assert sheet
            assert tray
            assert 0 <= tray["y"] - sheet["y"] - sheet["height"] < 30  # the dice lie right under it
            assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_what_happened_before_one_came_is_there(server: Server, browser: Browser) -> None:
    """Also after the page was loaded again; on a phone it is asked for by a key."""
    mine = secret()
    table = stage(server, mine, "classic", 2, choosing("white", 1, 20))
    throws = sum(event["kind"] == "rolled" for _, event in server.log(table))
    with visitor(browser) as page:
        open_as(page, server, mine, table)
        expect(page.locator(BESIDE)).to_have_count(throws)
        page.reload()
        expect(page.locator(BESIDE)).to_have_count(throws)
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(CHOICE)
        expect(page.locator(BESIDE)).to_have_count(0)


def test_the_log_keeps_the_dice_until_they_lie(server: Server, browser: Browser) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 2, to_throw)
    throws = sum(event["kind"] == "rolled" for _, event in server.log(table))
    with visitor(browser, reduced_motion="no-preference") as page:
        open_as(page, server, mine, table)
        expect(page.locator(BESIDE)).to_have_count(throws)
        page.evaluate("""() => {
            window.early = 0;
            const count = () => document.querySelectorAll('.people .log li').length;
            const before = count();
            const look = () => {
              if (!document.querySelector('.tumbling')) return;
              window.early = Math.max(window.early, count() - before);
            };
            new MutationObserver(look).observe(document.body, { subtree: true, childList: true });
        }""")
        page.locator(ROLL).click()
        expect(page.locator(BESIDE)).to_have_count(throws + 1)
        assert page.evaluate("window.early") == 0


def test_on_a_television_nothing_is_small(server: Server, browser: Browser) -> None:
    """Three metres away a letter of eighteen pixels is as high as one of this size in a book."""
    mine = secret()
    table = stage(server, mine, "classic", 5, choosing("white", 1, 20))
    with visitor(browser, (1920, 1080)) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(BESIDE)
        small = page.evaluate("""() => {
          const found = [];
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) {
            const el = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
            const size = parseFloat(getComputedStyle(el).fontSize);
            const seen = text && el.checkVisibility() && !el.closest('.unseen, .mini');
            if (seen && size < 17) found.push(`${size} ${text}`);
          }
          return found;
        }""")
        assert small == []
