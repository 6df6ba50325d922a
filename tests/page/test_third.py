"""A game that is only a folder is offered, drawn, played and proved on the page:
Qwixx on an odd sheet, with other dice, and a game with a law of its own."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from client import GENEROUS, Server
from other_games.third import GAMES
from playing import Person, check_score
from playwright.sync_api import Browser, expect
from visits import LARGE, SMALL, address, secret_of, visitor
from witness import Witness

from sweeps import sweep_of_several
from third.stairs import GAMES as STAIRS

HERE = Path(__file__).parent
FOLDERS = [str(HERE / "other_games"), str(HERE.parent / "third")]
PROGRAM = (
    f"from qwixx import games; games.__path__ += {FOLDERS!r}; from qwixx.cli import main; main()"
)
MOMENTS = 3000  # in which any such game ends
Size = tuple[int, int]


@pytest.fixture(scope="module")
def third(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("third"), *GENEROUS, program=("-c", PROGRAM))
    yield server
    server.stop()


@pytest.mark.parametrize(
    ("game", "bots", "size"),
    sweep_of_several(
        [("third", 1, SMALL), ("stairs", 2, LARGE), ("third", 1, LARGE), ("stairs", 2, SMALL)]
    ),
)
def test_it_is_drawn_and_played(
    third: Server, browser: Browser, game: str, bots: int, size: Size
) -> None:
    printed = (GAMES | STAIRS)[game].printed
    with visitor(browser, size) as page:
        witness = Witness(page, printed=printed)
        seats = [{"kind": "me", "name": "Ana"}, *[{"kind": "bot", "level": "greedy"}] * bots]
        table = third.create(game, seats, secret_of(page), pause=0)
        page.goto(address(third, f"/table/{table}"))
        person = Person(
            page, "touch" if size == SMALL else "click", Random(f"{game} {size}"), passing=0.3
        )
        page.wait_for_selector(".tray")
        cells = page.locator(".sheet .row").evaluate_all(
            "(rows) => rows.map((row) => [...row.querySelectorAll('.cell:not(.lock)')].map("
            "(cell) => cell.className.match(/\\b[RYGB]\\b/)[0] + cell.querySelector('b').textContent))"
        )
        assert cells == [list(row.fields) for row in printed.rows]
        expect(page.locator(".sheet .failed i")).to_have_count(printed.failed)
        expect(page.locator(".sheet .worth td")).to_have_count(2 * len(printed.points))
        for _ in range(MOMENTS):
            if person.act():
                break
            witness.check()
        assert witness.checked > 0  # such a game may be short
        check_score(page, third.record(table)[1])
        page.locator(".fair > summary").click()
        page.get_by_role("button", name="Check the dice").click()
        expect(page.locator(".verdict.good")).to_be_visible()


def test_it_is_offered_with_what_can_play_it(third: Server, browser: Browser) -> None:
    with visitor(browser, SMALL) as page:
        page.goto(address(third))
        page.locator(".hero").get_by_role("button", name="Dragon").tap()
        page.get_by_role("button", name=re.compile("^Third")).first.tap()
        # No net has learned it.
        expect(page.locator('.hero [data-play="third"]')).to_have_text("Play with the Magpie")
        page.get_by_role("link", name="With friends").tap()
        expect(page.get_by_role("link", name="Third")).to_have_attribute("aria-current", "page")
        levels = page.get_by_role("group", name="Bots").get_by_role("button").all_text_contents()
        assert [level.split()[0] for level in levels] == ["Butterfly", "Puppy", "Magpie"]
        expect(page.get_by_role("button", name="Seat")).to_have_count(3)  # three at most
