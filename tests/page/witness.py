"""Somebody who hears what the server says to a page, and holds it against what the page shows."""

import json
import re
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any

from playing import AnyPage, Person
from playwright.sync_api import Page, WebSocket

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.fields import COLOUR_NAMES
from qwixx.core.game import OVER
from qwixx.core.picture import Printed

Json = dict[str, Any]

# The board, the dice and the score, as they are drawn at this moment;
# nothing of what is only pencilled in.
SHOWN = """(seat) => {
  const table = document.querySelector('[data-phase]');
  if (!table || !table.querySelector('[data-field]')) return null;
  const owner = (el) => el.dataset.owner === undefined ? null : Number(el.dataset.owner);
  const mark = (el) => [owner(el), Number(el.dataset.height ?? 0)];
  return {
    number: Number(table.dataset.number),
    phase: table.dataset.phase,
    telling: table.dataset.telling !== undefined,
    cells: Object.fromEntries([...table.querySelectorAll('[data-field], [data-lock]')].map(
      (el) => [el.dataset.field ?? `lock ${el.dataset.lock}`, mark(el)])),
    total: document.querySelector(`[data-total][data-seat="${seat}"]`)?.lastChild.textContent,
    totals: document.querySelectorAll(`[data-total][data-seat="${seat}"]`).length,
    turn: [...new Set([...document.querySelectorAll('[data-turn]')].map((el) => Number(el.dataset.turn)))],
    dice: [...document.querySelectorAll('.tray [data-die]')].map((el) => el.dataset.die).sort(),
    faces: [...document.querySelectorAll('.tray [data-die]')].map(
      (el) => `${el.dataset.die}${el.dataset.face}`).sort(),
    words: document.querySelector('.tray .dice')?.getAttribute('aria-label'),
  };
}"""

KEEP_HEARD = """() => {
  window.heard = [];
  window.WebSocket = class extends WebSocket {
    constructor(...address) {
      super(...address);
      this.addEventListener('message', ({ data }) => heard.push(data));
    }
  };
}"""


@dataclass
class Witness:
    """Listens from before the page is opened."""

    page: AnyPage
    seat: int = 0
    printed: Printed | None = None  # of a game that is not among ours
    told: dict[int, Json] = field(default_factory=dict)  # the game at each event
    game: str = ""
    checked: int = 0
    marks: int = 0  # the most of the own marks that were seen on the page

    def __post_init__(self) -> None:
        assert isinstance(self.page, Page)
        self.page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda payload: self._hear(json.loads(payload)))

    def _hear(self, heard: Json) -> None:
        if heard["type"] not in ("welcome", "event"):
            return
        if heard.get("table"):
            self.game = heard["table"]["game"]
        before = max(self.told, default=None)
        play = heard.get("play") or (None if before is None else self.told[before])
        if play is not None:
            self.told[heard["number"]] = play

    def check(self) -> None:
        """What stands on the page is what the server said last."""
        shown = self.page.evaluate(SHOWN, self.seat)
        if shown is None:
            return
        for _ in range(200):
            if shown["number"] in self.told:
                break
            self._catch_up()
        self._compare(shown, self.told[shown["number"]])

    def watch(self, person: Person, passing: float) -> None:
        """A whole round, in which a mark of one's own is seen, whatever falls."""
        self.checked = self.marks = 0
        person.passing = 0
        while not person.act():
            self.check()
            person.passing = passing if self.marks else 0

    def _catch_up(self) -> None:
        self.page.wait_for_timeout(20)  # the page may hear it before we do

    def _compare(self, shown: Json, play: Json) -> None:
        if play["phase"] == OVER:
            return  # the tray is on its way out
        rows = (self.printed or games.guide(self.game).printed).rows
        panel = next(panel for panel in play["panels"] if panel.get("seat") in (self.seat, None))
        mine = 0
        for letters, (colour, fields) in zip(panel["rows"], rows, strict=True):
            for letter, place in zip(letters, [*fields, f"lock {colour}"], strict=True):
                owner, height = _mark(panel, letter, place)
                assert shown["cells"][place] == [owner, height], (
                    place,
                    letter,
                    shown["cells"][place],
                )
                mine += height if owner == self.seat else 0
        assert shown["totals"] == 1, "every seat has its total once"
        assert shown["total"] == str(play["result"]["totals"][self.seat]).replace("-", "−")
        if not shown["telling"]:  # of the turn before, which has just ended
            assert shown["turn"] == [play["active"]]
        left = [one for one in play["in_play"] if one != "."]
        assert shown["dice"] == sorted(["W", "W", *left]), (shown["dice"], left)
        if play["dice"] is not None:
            dice = Dice.parse(play["dice"])
            assert shown["words"] == dice_words(dice, "".join(row.colour for row in rows))
            faces = [f"W{die}" for die in dice.whites]
            faces += [
                f"{row.colour}{die}" for row, die in zip(rows, dice.coloured, strict=True) if die
            ]
            assert shown["faces"] == sorted(faces)
        else:
            named = re.findall(r"red|yellow|green|blue", shown["words"])
            assert set(named) <= {COLOUR_NAMES[one] for one in left}, shown["words"]
        self.checked += 1
        self.marks = max(self.marks, mine)


class Eavesdropper(Witness):
    """Where the browser tells nothing of the line, the page itself keeps what it hears on it.
    It must be there already, and go to the table without being loaded anew."""

    def __post_init__(self) -> None:
        self.page.evaluate(KEEP_HEARD)

    def _catch_up(self) -> None:
        for text in self.page.evaluate("heard.splice(0)"):
            self._hear(json.loads(text))


def dice_words(dice: Dice, colours: str) -> str:
    """A throw for those who listen."""
    coloured = zip(colours, dice.coloured, strict=True)
    words = [f"{COLOUR_NAMES[colour]} {die}" for colour, die in coloured if die]
    return ", ".join(["white {} and {}".format(*dice.whites), *words])


def _mark(panel: Json, letter: str, field: str) -> tuple[int | None, int]:
    """Whose marks lie on a cell, and how many."""
    if letter in ".-":
        return None, 0
    return ascii_lowercase.index(letter.lower()), panel.get("stacks", {}).get(field, 1)
