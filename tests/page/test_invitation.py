"""The invitation: a link and a picture that others can open, or how to let them in.
Never a link for nobody."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from client import GENEROUS, NAMED, Server
from playwright.sync_api import Browser, Locator, Page, expect
from visits import LARGE, SMALL, address, against_bot, altered, reached_at, secret_of, visitor

from qwixx.server import run
from sweeps import sweep

SIZES = pytest.mark.parametrize("size", sweep([SMALL, LARGE]), ids=["phone", "desktop"])
LANGUAGES = Path(__file__).parent.parent.parent / "web" / "src" / "languages"
NETWORK = "192.0.2.77"  # of a machine that is in no network, for the test


@pytest.fixture(scope="module")
def open_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that listens on all addresses, as `qwixx serve` does."""
    server = Server(tmp_path_factory.mktemp("open"), *GENEROUS, "--host", "0.0.0.0")  # noqa: S104 - as people do
    yield server
    server.stop()


def gathering(page: Page, server: Server, host: str = "127.0.0.1") -> str:
    """A new table that waits for somebody else, opened at this host; the table."""
    seats: list[dict[str, Any]] = [{"kind": "me", "name": "Ana"}, {"kind": "open"}]
    table = server.create("duel", seats, secret_of(page))
    page.goto(f"http://{host}:{server.port}/en/table/{table}")
    page.locator(".gather").wait_for()
    return table


def invited(place: Page | Locator) -> str:
    """The link as it is shown; the picture holds the same."""
    box = place.locator(".invite input")
    expect(box).to_be_visible()
    picture = place.locator(".invite canvas")
    expect(picture).to_be_visible()
    expect(picture).not_to_have_attribute("width", "29")  # drawn
    return box.input_value()


def found_in_a_network(page: Page, server: Server) -> str:
    """The address of this machine in its network. Where there is none, the page is told one."""
    address = json.loads(server.get("/api/games")[1])["address"]
    if address is None:
        address = f"http://{NETWORK}:{server.port}/"
        reached_at(page, address)
    return str(address)


@SIZES
def test_a_server_for_others_opened_at_home_invites_by_its_network(
    open_server: Server, browser: Browser, size: tuple[int, int]
) -> None:
    with visitor(browser, size) as page:
        address = found_in_a_network(page, open_server)
        assert not re.search("127|localhost", address)
        table = gathering(page, open_server)
        assert invited(page) == f"{address}table/{table}"
        expect(page.get_by_text("qwixx serve")).to_have_count(0)
        page.get_by_role("button", name="Menu").click()
        assert invited(page.get_by_role("dialog")) == f"{address}table/{table}"


@SIZES
def test_a_server_for_this_machine_shows_no_link_that_nobody_can_open(
    server: Server, browser: Browser, size: tuple[int, int]
) -> None:
    """How it is to be started is told where others are awaited, and nowhere else."""
    with visitor(browser, size) as page:
        gathering(page, server)
        words = json.loads((LANGUAGES / "invite.en.json").read_text())["invite.local"]
        expect(page.get_by_text(words)).to_be_visible()
        expect(page.locator(".invite, canvas, .gather input")).to_have_count(0)
        page.get_by_role("button", name="Menu").click()
        dialog = page.get_by_role("dialog")
        expect(dialog.get_by_text("on this device alone")).to_be_visible()
        expect(dialog.get_by_text("qwixx serve")).to_have_count(0)
        expect(dialog.locator(".invite, canvas")).to_have_count(0)


def test_nothing_is_promised_where_nobody_else_can_come(server: Server, browser: Browser) -> None:
    """It is said before the table is made; what waits in vain can be filled up; nothing leads to a
    link that does not come."""
    with visitor(browser, SMALL) as page:
        page.goto(address(server, "/new/duel"))
        expect(page.get_by_role("note")).to_contain_text("qwixx serve")
        expect(page.get_by_role("button", name="Seat 2")).to_contain_text("Player 2")
        expect(page.get_by_role("button", name="Seat 1")).to_contain_text("Player 1")
        page.get_by_role("button", name="Seat 2").tap()
        expect(page.get_by_role("button", name="Friend by link")).to_have_count(0)
        expect(page.get_by_text("QR code")).to_have_count(0)
        before = gathering(page, server)
        page.get_by_role("button", name="Menu").click()
        expect(page.get_by_role("dialog").get_by_role("button", name="other device")).to_have_count(
            0
        )
        page.get_by_role("dialog").get_by_role("button", name="Close").click()
        expect(page.get_by_role("link", name="Set up another table")).to_be_visible()
        page.get_by_role("button", name="Fill up with animals").tap()
        page.wait_for_selector(".tray")
        table = page.url.rsplit("/", 1)[1]
        assert table != before
        seats = json.loads(server.get(f"/api/tables/{table}")[1])["seats"]
        assert [(seat["kind"], seat["name"]) for seat in seats] == [
            ("person", "Ana"),
            ("bot", None),
        ]


def test_a_machine_in_no_network_is_told_that_and_nothing_else(
    open_server: Server, browser: Browser
) -> None:
    """It was started for others already: how to start it is no remedy."""
    with visitor(browser, SMALL) as page:
        nowhere: dict[str, Any] = {"address": None, "addresses": []}
        altered(page, "**/api/games", lambda offer: {**offer, **nowhere})
        gathering(page, open_server)
        expect(page.get_by_text("this device is in no network")).to_be_visible()
        expect(page.get_by_text("qwixx serve")).to_have_count(0)


@SIZES
def test_a_page_that_came_by_another_address_invites_by_that(
    server: Server, browser: Browser, size: tuple[int, int]
) -> None:
    """Through a name, as behind a proxy: others have come the same way,
    whatever the server listens at."""
    with visitor(browser, size) as page:
        table = gathering(page, server, NAMED)
        assert invited(page) == f"http://{NAMED}:{server.port}/table/{table}"


def test_a_server_started_again_for_others_is_seen_without_a_reload(
    tmp_path: Path, browser: Browser
) -> None:
    """Who reads how to let others in does that, and comes back to the page."""
    server = Server(tmp_path, *GENEROUS)
    with visitor(browser, LARGE) as page:
        table = gathering(page, server)
        expect(page.get_by_text("qwixx serve")).to_be_visible()
        server.stop()
        server.words = (*server.words, "--host", "0.0.0.0")  # noqa: S104 - as people do
        server.start()
        address = found_in_a_network(page, server)
        expect(page.locator(".line.up")).to_be_attached(timeout=60_000)
        page.evaluate("window.dispatchEvent(new Event('focus'))")
        assert invited(page) == f"{address}table/{table}"
    server.stop()


@pytest.mark.parametrize("language", sweep(["de", "en", "es", "pl", "pt"], 2))
def test_every_language_names_both_ways_to_let_others_in(language: str) -> None:
    words = json.loads((LANGUAGES / f"invite.{language}.json").read_text())["invite.local"]
    assert "qwixx serve" in words
    assert "make play PLAY=serve" in words
    assert "host" in words  # who has started it so, but for this machine alone, reads why


@pytest.mark.parametrize(
    ("listens", "network", "others"),
    [
        ("0.0.0.0", "192.168.1.7", "http://192.168.1.7:8737/"),  # noqa: S104 - nothing is opened
        ("[::]", "192.168.1.7", "http://192.168.1.7:8737/"),
        ("0.0.0.0", None, None),  # noqa: S104 - nothing is opened
        ("127.0.0.1", "192.168.1.7", None),
        ("127.0.1.1", "192.168.1.7", None),
        ("localhost", "192.168.1.7", None),
        ("[::1]", "192.168.1.7", None),
        ("192.168.1.9", "192.168.1.7", "http://192.168.1.9:8737/"),
        ("my-machine", None, "http://my-machine:8737/"),
    ],
)
def test_where_others_reach_a_server(
    monkeypatch: pytest.MonkeyPatch, listens: str, network: str | None, others: str | None
) -> None:
    monkeypatch.setattr(run, "own_addresses", lambda: [network] if network else [])
    assert run.for_others(f"http://{listens}:8737/") == ([others] if others else [])


def test_what_is_known_is_shown_at_once_and_moves_nothing(server: Server, browser: Browser) -> None:
    """The server is asked again each time, but nobody aims at what moves when it answers."""
    with visitor(browser) as page:
        reached_at(page, f"http://{NETWORK}:{server.port}/")
        against_bot(page, server, "classic")
        page.wait_for_selector(".tray")
        page.route("**/api/games", lambda _: None)  # no answer
        page.get_by_role("button", name="Menu").click()
        assert NETWORK in page.get_by_label("Link to this table").input_value()
