"""Somebody who hears what the server says to a page, and holds it against what the page shows."""

import json
import re
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import Any

from playwright.sync_api import Page, WebSocket

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.fields import COLOUR_NAMES
from qwixx.core.game import OVER
from qwixx.core.picture import Printed

Json = dict[str, Any]

# The board (what is only pencilled in is null), the dice and the score, as they are drawn at this moment.
SHOWN = """() => {
  const tray = document.querySelector('.tray');
  if (!tray) return null;
  const colour = (el) => [...el.classList].find((one) => /^[RYGBW]$/.test(one));
  const cell = (el) => {
    if (el.classList.contains('picked')) return null;
    const piece = el.querySelector('.piece');
    if (piece) return [piece.classList.contains('p0') ? 0 : 1, Number(piece.dataset.height ?? 1)];
    return el.classList.contains('crossed') ? 1 : 0;
  };
  return {
    number: Number(tray.dataset.number),
    rows: [...document.querySelectorAll('.sheet .row')].map((row) => [...row.querySelectorAll('.cell')].map(cell)),
    total: document.querySelector('.sheet .sum strong').textContent,
    dice: [...tray.querySelectorAll('.die')].filter((die) => getComputedStyle(die).visibility !== 'hidden')
      .map(colour),
    words: tray.querySelector('.dice').getAttribute('aria-label'),
  };
}"""


@dataclass
class Witness:
    """Listens from before the page is opened."""

    page: Page
    seat: int = 0
    printed: Printed | None = None  # of a game that is not among ours
    told: dict[int, Json] = field(default_factory=dict)  # the game at each event
    game: str = ""
    checked: int = 0
    marks: int = 0  # the most of the own marks that were seen on the page

    def __post_init__(self) -> None:
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
        shown = self.page.evaluate(SHOWN)
        if shown is None:
            return
        for _ in range(200):
            if shown["number"] in self.told:
                break
            self.page.wait_for_timeout(20)  # the page may hear it before we do
        self._compare(shown, self.told[shown["number"]])

    def _compare(self, shown: Json, play: Json) -> None:
        if play["phase"] == OVER:
            return  # the tray is on its way out
        rows = (self.printed or games.guide(self.game).printed).rows
        panel = next(panel for panel in play["panels"] if panel.get("seat") in (self.seat, None))
        mine = 0
        for row, letters, (_, fields) in zip(shown["rows"], panel["rows"], rows, strict=True):
            for cell, letter, place in zip(row, letters, [*fields, "lock"], strict=True):
                owner, height = _mark(panel, letter, place)
                drawn = height if panel.get("seat") is not None or not height else [owner, height]
                assert cell is None or cell == drawn, (place, letter, cell)
                mine += height if owner == self.seat else 0
        assert shown["total"] == str(play["result"]["totals"][self.seat]).replace("-", "−")
        left = [one for one in play["in_play"] if one != "."]
        assert shown["dice"] == ["W", "W", *left], (shown["dice"], left)
        if play["dice"] is not None:
            dice = Dice.parse(play["dice"])
            whites = "white {} and {}".format(*dice.whites)
            coloured = zip([row.colour for row in rows], dice.coloured, strict=True)
            words = [whites, *[f"{COLOUR_NAMES[colour]} {die}" for colour, die in coloured if die]]
            assert shown["words"] == ", ".join(words)
        else:
            named = re.findall(r"red|yellow|green|blue", shown["words"])
            assert set(named) <= {COLOUR_NAMES[one] for one in left}, shown["words"]
        self.checked += 1
        self.marks = max(self.marks, mine)


def _mark(panel: Json, letter: str, field: str) -> tuple[int | None, int]:
    """Whose marks lie on a cell, and how many."""
    if letter in ".-":
        return None, 0
    return ascii_lowercase.index(letter.lower()), panel.get("stacks", {}).get(field, 1)
