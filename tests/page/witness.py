"""Somebody who hears what the server says to a page, and holds it against what the page shows."""

import json
import re
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Page, WebSocket

from qwixx import games
from qwixx.core.fields import COLOUR_NAMES
from qwixx.core.game import OVER

Json = dict[str, Any]

# The board (what is only pencilled in is null), the dice and the score, as they are drawn at this moment.
SHOWN = """() => {
  const tray = document.querySelector('.tray');
  if (!tray) return null;
  const colour = (el) => [...el.classList].find((one) => /^[RYGBW]$/.test(one));
  const cell = (el) => {
    if (el.classList.contains('picked')) return null;
    const piece = el.querySelector('.piece');
    if (piece) return [piece.classList.contains('p0') ? 0 : 1, Number(piece.textContent.trim() || 1)];
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
        game = games.game(self.game)
        state = game.from_position(play["position"])
        if state.phase == OVER:
            return  # the tray is on its way out
        panels = games.guide(self.game).panels(state)
        panel = next(panel for panel in panels if panel.seat in (self.seat, None))
        for row, strip in zip(shown["rows"], panel.strips, strict=True):
            for cell, true in zip(row, strip.cells, strict=True):
                drawn = true.height if panel.seat is not None else [true.owner, true.height] if true.height else 0
                assert cell is None or cell == drawn, (strip.colour, true, cell)
        assert shown["total"] == str(play["result"]["totals"][self.seat]).replace("-", "−")
        left = [one for one in game.dice_in_play(state) if one != "."]
        assert shown["dice"] == ["W", "W", *left], (shown["dice"], left)
        if state.dice is not None:
            whites = "white {} and {}".format(*state.dice.whites)
            coloured = zip(game.layout.colours, state.dice.coloured, strict=True)
            words = [whites, *[f"{COLOUR_NAMES[colour]} {die}" for colour, die in coloured if die]]
            assert shown["words"] == ", ".join(words)
        else:
            named = re.findall(r"red|yellow|green|blue", shown["words"])
            assert set(named) <= {COLOUR_NAMES[one] for one in left}, shown["words"]
        self.checked += 1
        mine = [cell for strip in panel.strips for cell in strip.cells if cell.owner == self.seat]
        self.marks = max(self.marks, sum(cell.height for cell in mine))
