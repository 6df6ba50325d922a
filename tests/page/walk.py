"""Every screen of the page, and how to come to it:
for the eye, for the reader of accessibility, for the ruler."""

import json
from base64 import urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from client import Client, Json, Server, secret
from playing import CHOICE, CONFIRM, HINT, PICKED, ROLL
from playwright.sync_api import Browser, Page, Request
from stage import (
    Moment,
    Plan,
    about_to_fail,
    choosing,
    idle,
    judged,
    over,
    phase,
    reckless,
    stage,
    staged,
    to_throw,
)
from visits import PATIENCE, reached_at

from tables import classic_position, duel_position, sheet

GAMES = Path(__file__).parent.parent.parent / "web" / "src" / "games"
LANGUAGES = ("en", "pt", "es", "pl", "de")
ASKED_MOST = 20  # times that one screen asks the server the same


@dataclass
class Walk:
    """One visitor with a secret, whose tables are staged once and looked at many times."""

    server: Server
    mine: str = field(default_factory=secret)
    tables: dict[str, str] = field(default_factory=dict)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    def table(self, name: str, game: str, people: int, moment: Moment) -> str:
        if name not in self.tables:
            self.tables[name] = stage(self.server, self.mine, game, people, moment)
        return self.tables[name]

    @contextmanager
    def visit(
        self,
        browser: Browser,
        lang: str,
        scheme: str = "light",
        width: int = 360,
        height: int = 740,
    ) -> Iterator[Page]:
        mobile = width < 800
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if scheme == "dark" else "light",
            locale=lang,
            has_touch=mobile,
            is_mobile=mobile,
            reduced_motion="reduce",
            service_workers="block",
        )
        context.add_init_script(f"localStorage.setItem('qwixx.secret', '{self.mine}')")
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        complaints: list[str] = []
        asked: Counter[str] = Counter()  # until another address is opened

        def note(request: Request) -> None:
            what = f"{request.method} {request.url}"
            asked[what] += 1
            if asked[what] == ASKED_MOST:
                complaints.append(f"asks again and again: {what}")

        page.on("request", note)
        page.on("framenavigated", lambda _: asked.clear())
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console", lambda said: complaints.append(said.text) if said.type == "error" else None
        )
        try:
            yield page
        except Exception:
            print(
                f"at {page.url}, which said {complaints}, stood:\n{page.inner_text('body', timeout=10_000)}"
            )
            raise
        finally:
            context.close()
        # A table that is gone is answered with 404, which the browser notes by itself.
        assert not [one for one in complaints if "404" not in one], complaints

    def open(self, page: Page, lang: str, path: str, ready: str) -> None:
        page.goto(f"{self.base}/{lang}{path}")
        page.wait_for_selector(ready)


Screen = Callable[[Walk, Page, str], None]
_WHITE = choosing("white", 2, 30)
_COLOUR = choosing("colour", 3, 30)


def _their_throw(client: Client) -> bool:
    """Somebody else has thrown, and seat 0 may cross the white sum."""
    return _WHITE(client) and client.play is not None and client.play["active"] != 0


def _they_choose(client: Client) -> bool:
    """Somebody else is to choose a colour; seat 0 waits."""
    return phase(client) == "colour" and client.play is not None and client.play["active"] != 0


def _home(walk: Walk, page: Page, lang: str) -> None:
    mine = [
        {"id": walk.table(name, "classic", people, moment), "game": "classic", "at": 1}
        for name, people, moment in (("white", 5, _WHITE), ("end-five", 5, over), ("end", 3, over))
    ]
    page.add_init_script(f"localStorage.setItem('qwixx.tables', {json.dumps(json.dumps(mine))})")
    if "listed" not in walk.tables:
        seats = [{"kind": "me", "name": "Laura"}, {"kind": "open"}]
        walk.tables["listed"] = walk.server.create("duel", seats, secret(), listed=True)
    walk.open(page, lang, "", "main .list li a")


def _new(path: str) -> Screen:
    def show(walk: Walk, page: Page, lang: str) -> None:
        walk.open(page, lang, path, "form")
        page.locator(".seat.nobody").first.click()
        page.locator("form details > summary").click()
        page.wait_for_selector("[data-option=chances]")
        page.locator(".level").nth(3).click()

    return show


def _gathering(walk: Walk, page: Page, lang: str) -> None:
    if "gathering" not in walk.tables:
        seats = [
            {"kind": "me", "name": "Ana"},
            {"kind": "bot", "level": "greedy"},
            {"kind": "open"},
        ]
        walk.tables["gathering"] = walk.server.create("classic", seats, walk.mine, chances=True)
    reached_at(page, "http://192.168.178.20:8737/")
    walk.open(page, lang, f"/table/{walk.tables['gathering']}", ".gather .invite")
    page.wait_for_selector(".gather > .small")


def _invited(walk: Walk, page: Page, lang: str) -> None:
    if "invited" not in walk.tables:
        walk.tables["invited"] = walk.server.create(
            "duel", [{"kind": "me", "name": "Laura"}, {"kind": "open"}], secret()
        )
    walk.open(page, lang, f"/table/{walk.tables['invited']}", ".gather form")


def _table(name: str, game: str, people: int, moment: Moment, ready: str = ".tray") -> Screen:
    def show(walk: Walk, page: Page, lang: str) -> None:
        walk.open(page, lang, f"/table/{walk.table(name, game, people, moment)}", ready)

    return show


def _selected(name: str, game: str, people: int, moment: Moment) -> Screen:
    def show(walk: Walk, page: Page, lang: str) -> None:
        _table(name, game, people, moment, CHOICE)(walk, page, lang)
        page.locator(CHOICE).last.click()
        page.wait_for_selector(PICKED)

    return show


def _sealed(walk: Walk, page: Page, lang: str) -> None:
    """One's own choice is made, and can be taken back while the others think."""
    if "sealed" not in walk.tables:
        walk.tables["sealed"] = stage(walk.server, walk.mine, "classic", 4, _their_throw)
    walk.open(page, lang, f"/table/{walk.tables['sealed']}", ".tray")
    if page.locator(CHOICE).count():
        page.locator(CHOICE).first.click()
        page.locator(CONFIRM).click()
    page.wait_for_selector("[data-do=withdraw]")


def _timed(walk: Walk, page: Page, lang: str) -> None:
    """Ten minutes for every decision: nobody looks that long."""
    if "timed" not in walk.tables:
        walk.tables["timed"] = staged(walk.server, walk.mine, Plan("classic", 2, _WHITE, clock=600))
    walk.open(page, lang, f"/table/{walk.tables['timed']}", ".clock")


# What is told stays, to be looked at.
_FOR_EVER = """() => {
  const later = window.setTimeout;
  window.setTimeout = (work, time, ...more) => (time > 1000 ? 0 : later(work, time, ...more));
}"""


def _failed(walk: Walk, page: Page, lang: str) -> None:
    """Nothing fitted. A table of its own for each visit: it is told once."""
    plan = Plan("classic", 1, about_to_fail(walk.server, 1), reckless)
    table = staged(walk.server, walk.mine, plan)
    walk.open(page, lang, f"/table/{table}", ".tray")
    page.evaluate(_FOR_EVER)
    page.locator(ROLL).click()
    page.wait_for_selector("[data-telling] .tray .notice")


def _dressing(walk: Walk, page: Page, lang: str) -> None:
    _home(walk, page, lang)
    page.locator("header .self").click()
    page.wait_for_selector("dialog .me")


def _keys(walk: Walk, page: Page, lang: str) -> None:
    _dialog("header .menu")(walk, page, lang)
    page.wait_for_selector("dialog [data-manners]")
    for more in page.locator("dialog details > summary").all():
        more.click()


def _explained(walk: Walk, page: Page, lang: str) -> None:
    _table("white", "classic", 5, _WHITE)(walk, page, lang)
    page.locator(".sheet .failed").click()
    page.wait_for_selector("dialog .words")


def _lesson(game: str, until: str) -> Screen:
    """A lesson at some step, by doing what is asked for."""
    steps = json.loads((GAMES / game / "lesson.json").read_text())["steps"]

    def show(walk: Walk, page: Page, lang: str) -> None:
        walk.open(page, lang, f"/learn/{game}", ROLL)
        for number, step in enumerate(steps):
            page.wait_for_selector(f"[data-step='{number}']")
            if step["text"] == until != "end":
                break
            page.wait_for_timeout(400)  # a second tap on the same key at once is taken for a slip
            if "dice" in step:
                page.locator(ROLL).click()
            elif "good" in step:
                page.locator(f"[data-move='{step['good'][0]}']").click()
                page.locator(CONFIRM).click()
            else:
                page.locator("[data-do=next]").click()

    return show


def _hinted(name: str, game: str, people: int, moment: Moment) -> Screen:
    def show(walk: Walk, page: Page, lang: str) -> None:
        _table(name, game, people, moment, CHOICE)(walk, page, lang)
        page.locator(HINT).click()
        page.wait_for_selector(".say .hint")
        page.wait_for_selector(".judged.best")

    return show


def _dialog(opener: str) -> Screen:
    def show(walk: Walk, page: Page, lang: str) -> None:
        _table("white", "classic", 5, _WHITE)(walk, page, lang)
        page.locator(opener).first.click()
        page.wait_for_selector("dialog[open]")

    return show


def _cover(walk: Walk, page: Page, lang: str) -> None:
    """A table of its own for each visit:
    whoever comes back to one holds the device already, and needs no cover."""
    seats = [{"kind": "me", "name": "Ana"}, {"kind": "me", "name": "Żaneta"}]
    table = walk.server.create("classic", seats, walk.mine)
    secretly = [{"id": table, "game": "classic", "at": 1, "open": False}]
    page.add_init_script(
        f"localStorage.setItem('qwixx.tables', {json.dumps(json.dumps(secretly))})"
    )
    walk.open(page, lang, f"/table/{table}", ".tray")
    page.locator(ROLL).click()
    page.locator(CHOICE).first.click()
    page.locator(CONFIRM).click()
    page.wait_for_selector(".cover")


def _end(walk: Walk, page: Page, lang: str) -> None:
    _table("end", "classic", 3, over, ".end")(walk, page, lang)
    page.locator(".fair > summary").click()
    page.locator(".fair .buttons .button").first.click()
    page.wait_for_selector(".verdict.good, .verdict.problem")
    page.locator(".replay .bar .button").first.click()


def _shared(walk: Walk, page: Page, lang: str) -> None:
    """A finished round by its link, and the ways to show its result to others."""
    walk.open(page, lang, f"/table/{walk.table('end', 'classic', 3, over)}/1", ".end")
    page.locator(".hero .share").click()
    page.wait_for_selector("[data-do=picture][aria-disabled=false]")


def _judged(walk: Walk, game: str, people: int) -> str:
    """A finished round that is judged: a short one, since nobody takes anything."""
    name = f"judged {game} {people}"
    if name not in walk.tables:
        table = staged(walk.server, walk.mine, Plan(game, people, over, idle))
        judged(walk.server, table)
        walk.tables[name] = table
    return walk.tables[name]


def _review(game: str, people: int) -> Screen:
    def show(walk: Walk, page: Page, lang: str) -> None:
        walk.open(page, lang, f"/table/{_judged(walk, game, people)}/1/review", ".skill")
        for more in page.locator("summary").all():
            more.click()

    return show


def _mistake(tried: bool) -> Screen:
    """A mistake of one's own as it is asked, or once something was tried."""

    def show(walk: Walk, page: Page, lang: str) -> None:
        walk.open(page, lang, f"/mistakes/{_judged(walk, 'classic', 2)}/1", ".choice")
        if tried:
            page.locator(".choice").last.click()
            page.wait_for_selector(".verdict")

    return show


def _log(walk: Walk, page: Page, lang: str) -> None:
    _table("white", "classic", 5, _WHITE)(walk, page, lang)
    page.keyboard.press("l")
    page.wait_for_selector("dialog .log li")


def _watching(walk: Walk, page: Page, lang: str) -> None:
    if "watched" not in walk.tables:
        walk.tables["watched"] = stage(walk.server, secret(), "duel", 2, choosing("white", 1, 12))
    walk.open(page, lang, f"/table/{walk.tables['watched']}", "[data-chances]")


def _watching_five(walk: Walk, page: Page, lang: str) -> None:
    if "watched-five" not in walk.tables:
        plan = (secret(), "classic", 5, _WHITE)
        walk.tables["watched-five"] = stage(walk.server, *plan)
    walk.open(page, lang, f"/table/{walk.tables['watched-five']}", "[data-chances]")


def _explored(position: Json) -> Screen:
    """Any table in the explorer, judged."""
    packed = urlsafe_b64encode(json.dumps(position).encode()).decode().rstrip("=")

    def show(walk: Walk, page: Page, lang: str) -> None:
        path = f"/explore/{position['game']}/{packed}"
        walk.open(page, lang, path, ".explore[data-judged]")

    return show


def _path(path: str, ready: str) -> Screen:
    return lambda walk, page, lang: walk.open(page, lang, path, ready)


SCREENS: dict[str, Screen] = {
    "home": _home,
    "me": _dressing,
    "new": _new("/new/classic"),
    "new-device": _new("/new/classic/device"),
    "gathering": _gathering,
    "invited": _invited,
    "classic-throw": _table("throw", "classic", 2, to_throw),
    "classic-white": _selected("white", "classic", 5, _WHITE),
    "classic-colour": _selected("colour", "classic", 3, _COLOUR),
    "duel-white": _selected("duel-white", "duel", 2, choosing("white", 2, 20)),
    "duel-colour": _selected("duel-colour", "duel", 2, choosing("colour", 3, 20)),
    "classic-white-hint": _hinted("white", "classic", 5, _WHITE),
    "classic-colour-hint": _hinted("colour", "classic", 3, _COLOUR),
    "duel-colour-hint": _hinted("duel-colour", "duel", 2, choosing("colour", 3, 20)),
    "mixed-a-white": _selected("mixed-a-white", "mixed-a", 3, _WHITE),
    "mixed-a-colour": _selected("mixed-a-colour", "mixed-a", 2, _COLOUR),
    "mixed-b-white": _selected("mixed-b-white", "mixed-b", 2, _WHITE),
    "mixed-b-colour": _selected("mixed-b-colour", "mixed-b", 3, _COLOUR),
    "classic-passive": _table("passive", "classic", 3, _their_throw, CHOICE),
    "classic-waiting": _table("waiting", "classic", 2, _they_choose),
    "classic-sealed": _sealed,
    "classic-clock": _timed,
    "classic-failed": _failed,
    "watching": _watching,
    "watching-five": _watching_five,
    "enlarged": _dialog(".players .seat"),
    "menu": _dialog("header .menu"),
    "settings": _keys,
    "explained": _explained,
    "cover": _cover,
    "classic-end": _end,
    "duel-end": _table("duel-end", "duel", 2, over, ".end"),
    "mixed-a-end": _table("mixed-a-end", "mixed-a", 2, over, ".end"),
    "shared-end": _shared,
    "review": _review("classic", 2),
    "review-duel": _review("duel", 2),
    "review-practice": _review("classic", 1),
    "mistake": _mistake(False),
    "mistake-tried": _mistake(True),
    "log": _log,
    "practice-end": _table("practice-end", "classic", 1, over, "[data-practice=judged]"),
    "rules-classic": _path("/rules/classic", "figure"),
    "rules-duel": _path("/rules/duel", "figure"),
    "rules-mixed-a": _path("/rules/mixed-a", "figure"),
    "rules-mixed-b": _path("/rules/mixed-b", "figure"),
    "learn-classic": _path("/learn/classic", "[data-do='roll']"),
    "learn-duel": _path("/learn/duel", "[data-do='roll']"),
    "learn-classic-end": _lesson("classic", "end"),
    "explore-classic": _explored(
        classic_position("R2 R3 R5 Y4 Y6 G12", sheet("R4 Y2 Y3 G11 B12 B10", 1), "", "", "")
    ),
    "explore-duel": _explored(
        duel_position("R3g R5b R7bb Y4b G9b B8ggg", phase="white", dice="34 2561")
    ),
    "explore-practice": _explored(classic_position("R2", phase="white", dice="34 2561")),
    "gone": _path("/table/aaaaaaaaaaaaaaaaaaaa", ".message .button"),
    "nowhere": _path("/somewhere/else", ".message"),
}
# Only to be looked at: what scrolls under the way back seems to lie on it, and a lesson takes its time.
PICTURED: dict[str, Screen] = {
    **SCREENS,
    "help": _dialog("[data-do=help]"),
    "learn-classic-lock": _lesson("classic", "lock"),
}
