"""Lines that break, servers that die: the page goes on without a reload."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from random import Random

import pytest
from client import GENEROUS, Server, free_port
from playing import CHOICE, CONFIRM, Person, check_score
from playwright.sync_api import Browser, Page, expect
from visits import LARGE, SMALL, against_bot, visitor

from sweeps import sweep

MARK = "window.stillTheSamePage = true"


def still_the_same(page: Page) -> bool:
    return bool(page.evaluate("window.stillTheSamePage === true"))


class Cable:
    """A cable between browser and server that can be pulled out, or go dead without a word."""

    def __init__(self, to: int) -> None:
        self.to, self.port = to, free_port()
        self.dead = threading.Event()
        self.pulled = threading.Event()
        self.ends: list[socket.socket] = []
        self.door = socket.create_server(("127.0.0.1", self.port))
        self.threads = [threading.Thread(target=self._let_in)]
        self.threads[0].start()

    def _let_in(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.door.accept()
                self.ends.append(near)
                if self.pulled.is_set():
                    _hang_up(near)
                    continue
                far = socket.create_connection(("127.0.0.1", self.to))
                self.ends.append(far)
                for pair in ((near, far), (far, near)):
                    self.threads.append(threading.Thread(target=self._carry, args=pair))
                    self.threads[-1].start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                if not self.dead.is_set():
                    other.sendall(data)
        _hang_up(one)
        _hang_up(other)

    def pull(self) -> None:
        self.pulled.set()
        for end in self.ends:
            _hang_up(end)

    def plug_in(self) -> None:
        self.pulled.clear()
        self.dead.clear()

    def put_away(self) -> None:
        self.pull()
        _hang_up(self.door)
        for thread in self.threads:
            thread.join()
        for end in [*self.ends, self.door]:
            end.close()


def _hang_up(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def cable(server: Server) -> Iterator[Cable]:
    cable = Cable(server.port)
    yield cable
    cable.put_away()


def through(cable: Cable, page: Page) -> None:
    """Come to the same table by the cable, with the same secret."""
    secret = page.evaluate("localStorage.getItem('qwixx.secret')")
    path = page.evaluate("location.pathname")
    page.context.add_init_script(f"localStorage.setItem('qwixx.secret', '{secret}')")
    page.goto(f"http://127.0.0.1:{cable.port}{path}")
    page.wait_for_selector(".tray")
    page.evaluate(MARK)


@pytest.mark.parametrize("game", sweep(["classic", "duel"]))
def test_a_line_cut_in_mid_turn(server: Server, browser: Browser, cable: Cable, game: str) -> None:
    with visitor(browser, SMALL, service_workers="allow") as page:
        table = against_bot(page, server, game)
        through(cable, page)
        person, cuts = Person(page, "touch", Random(5)), 0
        while not person.act():
            if cuts < 3 and person.look()["chips"] and person.seen > 8 * (cuts + 1):
                cuts += 1
                page.locator(CHOICE).first.tap()
                cable.pull()
                expect(page.locator(".line.down, .line.connecting")).to_be_visible()
                page.locator(CONFIRM).tap()  # chosen while there is no line: kept, and sent once
                cable.plug_in()
                expect(page.locator(".line.up")).to_be_attached()
                expect(page.locator(".cell.picked")).to_have_count(0)
        assert cuts == 3
        assert still_the_same(page)
        check_score(page, server.record(table)[1])


def test_a_line_that_goes_dead_without_a_word(
    server: Server, browser: Browser, cable: Cable
) -> None:
    """Nothing says so, but a choice stays unanswered:
    the page opens another line and sends it again."""
    with visitor(browser, LARGE, service_workers="allow") as page:
        table = against_bot(page, server, "classic", pause=0.2)
        through(cable, page)
        person = Person(page, "click", Random(6))
        while not (page.locator(CHOICE).count() and person.seen > 6):
            person.act()
        cable.dead.set()
        page.locator(CHOICE).first.click()
        page.locator(CONFIRM).click()
        expect(page.locator(".line.connecting, .line.down")).to_be_visible()
        cable.plug_in()
        expect(page.locator(".line.up")).to_be_attached()
        person.seen = -1
        person.play()
        assert still_the_same(page)
        check_score(page, server.record(table)[1])


@pytest.mark.parametrize("game", sweep(["duel", "classic"]))
def test_a_server_killed_in_mid_game(own_server: Server, browser: Browser, game: str) -> None:
    with visitor(browser, LARGE, service_workers="allow") as page:
        table = against_bot(page, own_server, game)
        page.wait_for_selector(".tray")
        page.evaluate(MARK)
        person, deaths = Person(page, "click", Random(7)), 0
        while not person.act():
            if deaths < 2 and person.seen > 10 * (deaths + 1):
                deaths += 1
                own_server.kill()
                expect(page.locator(".line.down, .line.connecting")).to_be_visible()
                own_server.start()
                expect(page.locator(".line.up")).to_be_attached()
                person.seen = -1
        assert deaths == 2
        assert still_the_same(page)
        check_score(page, own_server.record(table)[1])


def test_without_a_line_there_is_still_a_page(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser
) -> None:
    """The service worker keeps the page and the rules that were read."""
    server = Server(tmp_path_factory.mktemp("offline"), *GENEROUS)
    with visitor(browser, SMALL, service_workers="allow") as page:
        page.goto(f"http://127.0.0.1:{server.port}/en/rules/duel")
        page.wait_for_selector("figure")
        page.wait_for_function("() => navigator.serviceWorker.controller !== null")
        page.reload()  # now through the worker, which keeps what it sees
        page.wait_for_selector("figure")
        server.kill()
        page.reload()
        page.wait_for_selector("figure")
        page.get_by_role("link", name="Home").tap()
        expect(page.get_by_role("alert")).to_contain_text("No connection")
        server.start()
        expect(page.locator(".game .big").first).to_be_visible()
    server.kill()
