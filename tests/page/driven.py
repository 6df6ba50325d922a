"""A page in a browser that is driven as the W3C lays down:
as much of Playwright's page as a person needs."""

import json
import time
from dataclasses import dataclass
from typing import Any, Protocol

from playwright.sync_api import TimeoutError as TooLate
from visits import PATIENCE

Json = dict[str, Any]
KEYS = {
    "Enter": "\ue007",
    "Escape": "\ue00c",
    "ArrowRight": "\ue014",
    "Home": "\ue011",
    "Space": " ",
}

# A value or what a function says to an argument, as text: the standards have many ways to pass values.
EVALUATE = """async (argument) => {
  const found = (
%s
  );
  return JSON.stringify(await (typeof found === 'function' ? found(JSON.parse(argument)) : found)) ?? 'null';
}"""

# Where to aim at the n-th of what is meant, or why it cannot be hit:
# it must be there, lie still, and be what lies on top.
AIM = """async ([selector, n]) => {
  const target = [...document.querySelectorAll(selector)].at(n);
  if (!target) return 'is not there';
  target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const middle = () => {
    const box = target.getBoundingClientRect();
    return [box.left + box.width / 2, box.top + box.height / 2];
  };
  const [x, y] = middle();
  await new Promise((later) => setTimeout(later, 20));
  if (String(middle()) !== String([x, y])) return 'moves';
  const top = document.elementFromPoint(x, y);
  return target.contains(top) ? [x, y] : `is covered by ${top?.outerHTML.slice(0, 200)}`;
}"""
FOCUS = "([selector, n]) => [...document.querySelectorAll(selector)].at(n)?.focus()"
COUNT = "(selector) => document.querySelectorAll(selector).length"


class Driver(Protocol):
    """What the standards have in common."""

    def goto(self, url: str) -> None: ...

    def call(self, function: str, argument: str) -> str:
        """What a function of the page says to a text."""

    def perform(self, actions: list[Json]) -> None:
        """The hands: one after the other, as both standards write them."""

    def resize(self, width: int, height: int) -> None: ...


@dataclass
class Keyboard:
    driver: Driver

    def press(self, key: str) -> None:
        value = KEYS.get(key, key)
        strokes = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.driver.perform([{"type": "key", "id": "keys", "actions": strokes}])


@dataclass
class Located:
    """The n-th of what a selector finds, from the end if n is negative."""

    page: "DrivenPage"
    selector: str
    n: int = 0

    @property
    def first(self) -> "Located":
        return self.nth(0)

    @property
    def last(self) -> "Located":
        return self.nth(-1)

    def nth(self, n: int) -> "Located":
        return Located(self.page, self.selector, n)

    def count(self) -> int:
        return int(self.page.evaluate(COUNT, self.selector))

    def wait_for(self) -> None:
        self.page.wait_for_selector(self.selector)

    def focus(self) -> None:
        self.wait_for()
        self.page.evaluate(FOCUS, [self.selector, self.n])

    def click(self) -> None:
        self._press("mouse")

    def tap(self) -> None:
        self._press("touch")

    def _press(self, pointer: str) -> None:
        x, y = self._aim()
        press = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        kind = {"pointerType": pointer}
        self.page.driver.perform(
            [{"type": "pointer", "id": pointer, "parameters": kind, "actions": press}]
        )

    def _aim(self) -> tuple[float, float]:
        late = time.monotonic() + PATIENCE / 1000
        while isinstance(found := self.page.evaluate(AIM, [self.selector, self.n]), str):
            if time.monotonic() > late:
                raise TooLate(f"{self.selector} {found}")
        return found[0], found[1]


@dataclass
class DrivenPage:
    """The names are Playwright's."""

    driver: Driver

    @property
    def keyboard(self) -> Keyboard:
        return Keyboard(self.driver)

    def goto(self, url: str) -> None:
        self.driver.goto(url)

    def resize(self, width: int, height: int) -> None:
        self.driver.resize(width, height)

    def evaluate(self, expression: str, arg: Any = None) -> Any:
        return json.loads(self.driver.call(EVALUATE % expression, json.dumps(arg)))

    def locator(self, selector: str) -> Located:
        return Located(self, selector)

    def wait_for_selector(self, selector: str) -> None:
        self.wait_for_function(COUNT, arg=selector)

    def wait_for_function(
        self, expression: str, *, arg: Any = None, timeout: float = PATIENCE
    ) -> None:
        late = time.monotonic() + timeout / 1000
        while not self.evaluate(expression, arg):
            if time.monotonic() > late:
                raise TooLate(f"{expression} of {arg!r} never came")
            self.wait_for_timeout(20)

    def wait_for_timeout(self, timeout: float) -> None:
        time.sleep(timeout / 1000)
