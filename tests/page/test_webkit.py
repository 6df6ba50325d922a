"""The page in WebKit: a start, some turns, and study."""

from collections.abc import Iterator
from random import Random

import pytest
from client import Server
from playing import How, Person
from ruler import out_of_sight
from studying import explore, look_back
from visits import LARGE, SMALL, address
from webkit import WebKit
from webkit import webkit as started
from witness import Eavesdropper

pytestmark = pytest.mark.browsers


@pytest.fixture(scope="module")
def webkit() -> Iterator[WebKit]:
    with started() as webkit:
        yield webkit


@pytest.mark.parametrize(
    ("game", "how", "size"),
    [("classic", "click", SMALL), ("duel", "click", LARGE), ("classic", "keyboard", LARGE)],
)
def test_a_start_and_some_turns(
    server: Server, webkit: WebKit, game: str, how: How, size: tuple[int, int]
) -> None:
    """From home: after every choice, board, score and dice are those of the server."""
    with webkit.visitor(*size) as page:
        page.goto(address(server))
        page.wait_for_selector(f'[data-play="{game}"]')
        witness = Eavesdropper(page)
        person = Person(page, how, Random(f"webkit {game}"), passing=0.2)
        person.press(page.locator(f'[data-play="{game}"]'))
        page.wait_for_selector(".tray")
        while witness.marks < 3:
            assert not person.act(), "the game ended before there were three crosses"
            witness.check()
            assert out_of_sight(page) == []


def test_a_review_its_mistakes_and_the_explorer(server: Server, webkit: WebKit) -> None:
    with webkit.visitor(*LARGE) as page:
        reader = Person(page, "click", Random(1))
        look_back(reader, server)
        explore(reader, server)
