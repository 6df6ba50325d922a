"""The page in Firefox: whole games, every size, a newcomer's first minute, study."""

import json
from collections.abc import Iterator
from random import Random

import pytest
from client import Server, secret
from driven import DrivenPage
from firefox import Firefox
from firefox import firefox as started
from playing import How, Person, check_score
from ruler import out_of_sight, text_problems
from studying import explore, look_back
from test_learning import GAMES
from visits import LARGE, SMALL, address, with_bot
from witness import Eavesdropper

pytestmark = pytest.mark.browsers
UPRIGHT = [(320, 568), (360, 640), (390, 844), (768, 1024), (800, 1280), (900, 1440), (1080, 1920)]
SIZES = [*UPRIGHT, *[(height, width) for width, height in UPRIGHT]]
AGAIN = '[data-do="again"]'
FOLLOW_LINK = """(path) => {
  const link = document.body.appendChild(document.createElement('a'));
  link.href = path;
  link.click();
  link.remove();
}"""


@pytest.fixture(scope="module")
def firefox() -> Iterator[Firefox]:
    with started() as firefox:
        yield firefox


def sit_down(page: DrivenPage, server: Server, game: str) -> tuple[str, Eavesdropper]:
    """At a table with a quick bot."""
    mine = secret()
    page.goto(address(server))
    page.locator(".game .big").first.wait_for()
    page.evaluate("(mine) => localStorage.setItem('qwixx.secret', mine)", mine)
    table = with_bot(server, mine, game)
    witness = Eavesdropper(page)
    page.evaluate(FOLLOW_LINK, f"/en/table/{table}")
    page.wait_for_selector(".tray")
    return table, witness


@pytest.mark.parametrize(("how", "size"), [("touch", SMALL), ("click", LARGE), ("keyboard", LARGE)])
@pytest.mark.parametrize("game", ["classic", "duel"])
def test_two_rounds_in_a_row(
    server: Server, firefox: Firefox, game: str, how: How, size: tuple[int, int]
) -> None:
    """After every choice, board, score and dice are those of the server, in each round."""
    with firefox.visitor(*size) as page:
        table, witness = sit_down(page, server, game)
        person = Person(page, how, Random(f"firefox {game}{how}"))
        for number in (1, 2):
            page.wait_for_selector(".tray")
            witness.watch(person, passing=0.7)
            assert witness.checked > 5
            assert witness.marks > 0, f"no own marks seen in round {number}"
            check_score(page, server.record(table, number=number)[1])
            if number == 1:
                person.press(page.locator(AGAIN))


@pytest.mark.parametrize("game", ["classic", "duel"])
def test_a_few_turns_at_every_size(server: Server, firefox: Firefox, game: str) -> None:
    """On phones, tablets and desks, upright and on the side,
    nothing is out of sight, cut off or covered."""
    with firefox.visitor() as page:
        _, witness = sit_down(page, server, game)
        person = Person(page, "touch", Random(game), passing=0.3)
        problems: dict[str, tuple[int, int]] = {}
        for size in SIZES:
            page.resize(*size)
            person.how = "touch" if min(size) < 768 else "click"
            until = person.seen + 12
            while person.seen < until:
                if person.act():
                    person.press(page.locator(AGAIN))
                    page.wait_for_selector(".tray")
                    person.seen, until = -1, 12
                    continue
                witness.check()
                found = [*out_of_sight(page), *text_problems(page)]
                fresh = [one for one in found if one not in problems]
                problems |= dict.fromkeys(fresh, size)
        assert not problems


@pytest.mark.parametrize("game", ["classic", "duel"])
def test_the_first_minute_of_a_newcomer(server: Server, firefox: Firefox, game: str) -> None:
    """From an empty browser through the guided game to the first table, by touch."""
    steps = json.loads((GAMES / game / "lesson.json").read_text())["steps"]
    with firefox.visitor(*SMALL) as page:
        newcomer = Person(page, "touch", Random(1))
        page.goto(address(server))
        page.wait_for_selector("[data-play]")
        assert page.evaluate("localStorage.getItem('qwixx.tables')") is None, "nobody has been here"
        if page.locator(chosen := f'li:has([data-play="{game}"]) .pick').count():
            newcomer.press(page.locator(chosen))
        newcomer.press(page.locator(f'a.learn[href$="/{game}"]'))
        for number, step in enumerate(steps):
            page.wait_for_selector(f'.learn[data-step="{number}"]')
            newcomer.follow(step)
        newcomer.press(page.locator('[data-do="play"]'))
        page.wait_for_selector(".tray")
        while not page.locator('[data-owner="0"]').count():
            newcomer.act()


def test_a_review_its_mistakes_and_the_explorer(server: Server, firefox: Firefox) -> None:
    with firefox.visitor(*SMALL) as page:
        reader = Person(page, "touch", Random(1))
        look_back(reader, server)
        explore(reader, server)
