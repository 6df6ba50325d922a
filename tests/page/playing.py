"""Playing on the page as people do: with the mouse, with a finger, with the keyboard alone."""

import json
import time
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, Protocol

How = Literal["click", "touch", "keyboard"]

LOOK = """() => {
  const table = document.querySelector('[data-phase]');
  return {
    over: document.querySelector('[data-over]') !== null && document.querySelector('.end') !== null,
    cover: document.querySelector('[data-do="uncover"]') !== null,
    number: Number(table?.dataset.number ?? -1),
    phase: table?.dataset.phase ?? null,
    acting: table?.dataset.acting !== undefined,
    telling: table?.dataset.telling !== undefined,
    throwing: document.querySelector('[data-do="roll"]')?.getAttribute('aria-busy') === 'true',
    chips: document.querySelectorAll('[data-move]:enabled').length,
    pass: document.querySelector('[data-do="pass"]') !== null,
    fields: document.querySelectorAll('button[data-field]').length,
  };
}"""


# What there is to see once there is something to do, or once the table has gone on; the page itself
# tells when, since looking again and again would keep the processor from what is waited for.
AWAIT = """async ([since, most]) => {
  const look = LOOK;
  const enough = (now) => now.over || now.cover || now.telling
    || (since === null ? now.acting && !now.throwing : now.phase === null || now.number > since);
  if (!enough(look())) await new Promise((later) => {
    const watch = new MutationObserver(() => enough(look()) && done());
    const done = () => { watch.disconnect(); later(); };
    watch.observe(document, { subtree: true, childList: true, attributes: true });
    setTimeout(done, most);
  });
  return look();
}""".replace("LOOK", LOOK)

ROLL, PASS, CONFIRM = '[data-do="roll"]', '[data-do="pass"]', '[data-do="confirm"]'
HINT = '[data-do="hint"]'
CHOICE = "[data-move]:enabled"
PICKED = '[data-move][aria-pressed="true"]'


class AnyPage(Protocol):
    """What people need of a page, of whichever browser: Playwright's has it, and more."""

    @property
    def keyboard(self) -> Any: ...

    def goto(self, url: str) -> Any: ...

    def evaluate(self, expression: str, arg: Any = None) -> Any: ...

    def locator(self, selector: str) -> Any: ...

    def wait_for_selector(self, selector: str) -> Any: ...

    def wait_for_function(
        self, expression: str, *, arg: Any = None, timeout: float = ...
    ) -> Any: ...

    def wait_for_timeout(self, timeout: float) -> None: ...


@dataclass
class Person:
    """Somebody at the page, who plays whatever comes to mind."""

    page: AnyPage
    how: How
    rng: Random
    seen: int = -1
    passing: float = 0.7  # how often; whoever always passes is soon at the end
    waiting: int = 500  # milliseconds at most for something to do, less where others have to act
    patient: bool = False  # reads what is told, instead of going on at once

    def look(self, since: int | None = None, most: int = 0) -> dict[str, Any]:
        """The page now, or once there is something to do there, or once it has gone on."""
        found: dict[str, Any] = self.page.evaluate(AWAIT, [since, most])
        return found

    def act(self) -> bool:
        """Do what can be done now; True once the game is over."""
        now = self.look(None, self.waiting)
        if now["over"]:
            return True
        if now["cover"]:
            self.press(self.page.locator('[data-do="uncover"]'))
        elif now["telling"]:
            self.read()
        elif now["acting"] and not now["throwing"]:
            if now["phase"] == "roll":
                self.throw()
            else:
                self.choose(now)
            self.seen = now["number"]
            self.look(now["number"], 400)  # a tap too soon after the last is not taken
        return False

    def read(self) -> None:
        """Until what is told is gone, by itself or since one goes on."""
        if not self.patient:
            self.page.keyboard.press("Escape")
        self.page.wait_for_function("() => !document.querySelector('[data-telling]')")

    def play(self, seconds: float = 300) -> None:
        """To the end."""
        late = time.monotonic() + seconds
        while not self.act():
            assert time.monotonic() < late, "the game does not end"

    def press(self, target: Any) -> None:
        if self.how == "touch":
            target.tap()
        elif self.how == "click":
            target.click()
        else:
            target.focus()
            self.page.keyboard.press("Enter")

    def throw(self) -> None:
        if self.how == "keyboard":
            self.page.keyboard.press("Space")
        else:
            self.press(self.page.locator(ROLL))

    def choose(self, now: dict[str, Any]) -> None:
        """One of the choices, in one of the ways to make it."""
        passing = self.rng.random() < self.passing or not now["chips"]
        which = self.rng.randrange(now["chips"]) if now["chips"] else 0
        if self.how == "keyboard":
            self.type(which, passing)
        elif passing:
            target = self.page.locator(PASS)
            self.press(target)
            if self.page.locator(f'{PASS}[aria-pressed="true"]').count():
                self.press(target)
        elif self.how == "click" and now["fields"] and self.rng.random() < 0.5:
            field = self.page.locator("button[data-field]").nth(which % now["fields"])
            field.click()
            field.click()
        else:
            self.press(self.page.locator(CHOICE).nth(which))
            self.press(self.page.locator(CONFIRM))

    def type(self, which: int, passing: bool) -> None:
        """With the keyboard alone, without having reached anything before."""
        keyboard = self.page.keyboard
        if passing:
            keyboard.press("p")
            if self.page.locator(f'{PASS}[aria-pressed="true"]').count():
                keyboard.press("Enter")
        elif self.rng.random() < 0.5:
            keyboard.press(str(which + 1))
            keyboard.press("Enter")
        else:
            for _ in range(1 + which):
                keyboard.press("ArrowRight")
            keyboard.press("Enter")

    def follow(self, step: dict[str, Any]) -> None:
        """Do what a step of a guided game asks for,
        not so soon after the last that it is taken for the second tap of a double one."""
        self.page.wait_for_timeout(450)
        target = '[data-do="next"]'
        if "dice" in step:
            target = ROLL
        elif step.get("good", ["-"])[0] != "-":
            self.press(self.page.locator(f'[data-move="{step["good"][0]}"]').first)
            target = CONFIRM
        elif "good" in step:
            target = PASS
        self.press(self.page.locator(target).first)


def shown_score(page: AnyPage) -> dict[int, list[int]]:
    """The score table of the end: for each seat its rows, failed throws and total."""
    page.wait_for_selector(".end")
    rows: dict[str, list[str]] = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.end tbody tr')].map(
            (row) => [row.dataset.seat, [...row.querySelectorAll('td')].map((cell) => cell.textContent)]))"""
    )
    return {
        int(seat): [int(text.replace("−", "-")) for text in cells] for seat, cells in rows.items()
    }


def check_score(page: AnyPage, record: dict[str, Any]) -> None:
    """What the page shows is what the record says."""
    shown = shown_score(page)
    totals = record["result"]["totals"]
    assert len(shown) == len(totals), json.dumps(shown)
    for seat, cells in shown.items():
        assert cells[-1] == totals[seat]
        assert sum(cells[:-1]) == totals[seat]
    winners = page.evaluate(
        "[...document.querySelectorAll('.end tr.winner')].map((row) => Number(row.dataset.seat))"
    )
    assert sorted(winners) == record["result"]["winners"]
