"""What a screen reader speaks while a turn is played by ear: a virtual one, inside the live page."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from client import Json, Server
from playwright.sync_api import Browser, Page
from visits import SMALL, against_bot, visitor
from witness import dice_words

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.fields import COLOUR_NAMES

WEB = Path(__file__).parent.parent.parent / "web"
READER = WEB / "node_modules/@guidepup/virtual-screen-reader/lib/esm/index.browser.js"
BEGIN = """async () => {
  window.reader = (await import('/reader.js')).virtual;
  await reader.start({ container: document.body });
}"""
# On to the next thing that is called so, around the whole page if need be: what was spoken on the way.
FIND = """async (wanted) => {
  await reader.clearSpokenPhraseLog();
  for (let steps = 0; steps < 600; steps++) {
    await reader.next();
    if ((await reader.lastSpokenPhrase()).startsWith(wanted)) return await reader.spokenPhraseLog();
  }
  throw new Error(`nothing is called ${wanted}`);
}"""
HEARD = "async (wanted) => (await reader.spokenPhraseLog()).some((one) => one.startsWith(wanted))"


@dataclass
class Listener:
    """Somebody who plays by ear."""

    page: Page

    def begin(self) -> None:
        """The page loads no code from elsewhere, so the reader comes from its own server."""
        self.page.route("**/reader.js", lambda route: route.fulfill(path=READER))
        self.page.evaluate(BEGIN)

    def find(self, wanted: str) -> list[str]:
        spoken: list[str] = self.page.evaluate(FIND, wanted)
        return spoken

    def press(self, button: str) -> None:
        self.find(f"button, {button}")
        self.page.evaluate("reader.act()")

    def hear(self, news: str) -> None:
        """It is said without being looked for."""
        self.page.wait_for_function(HEARD, arg=f"polite: {news}")


def sit_down(page: Page, server: Server, game: str) -> str:
    """At a table with a quick bot, as the one who is to throw."""
    for _ in range(30):
        table = against_bot(page, server, game)
        page.wait_for_selector("[data-acting]")
        if page.locator('[data-phase="roll"]').count():
            return table
    raise AssertionError("the bot always begins")


def written(server: Server, table: str, page: Page) -> Json:
    """The game so far, as its record has it."""
    mine = str(page.evaluate("localStorage.getItem('qwixx.secret')"))
    return server.record(table, mine)[1]


def called(move: str) -> str:
    return f"{COLOUR_NAMES[move[0]]} {move[1:]}"


@pytest.mark.parametrize(("name", "do"), [("classic", "Cross"), ("duel", "Place on")])
def test_a_turn_by_ear(server: Server, browser: Browser, name: str, do: str) -> None:
    """Whose turn it is, the throw, the choices by their names, and what everybody did."""
    with visitor(browser, SMALL) as page:
        table, listener = sit_down(page, server, name), Listener(page)
        listener.begin()
        assert "Your turn: throw the dice" in listener.find("end of document")
        listener.press("Throw the dice")
        page.wait_for_selector("[data-move]")

        game, _, state = games.read_record(written(server, table, page))
        colours = "".join(row.colour for row in games.guide(name).printed.rows)
        assert state.dice
        listener.hear(f"You threw {dice_words(state.dice, colours)}")
        listener.hear(f"{do} {sum(state.dice.whites)} in any row, or pass")

        listener.find("region, Dice and choices")
        offered = listener.find("end of region, Dice and choices")
        _, *moves = game.moves(state, 0)
        for move in moves:
            assert [one for one in offered if one.startswith(f"button, {called(move)} ")], move
        assert "button, Pass" in offered

        # Where the bot lies already, one captures, and that key has another name.
        bare = [one for one in moves if "captures" not in game.effects(state, 0, one).to_json()]
        choice = called(bare[0])
        listener.press(choice)
        listener.hear(choice)
        listener.press(f"{do} {choice}")
        listener.hear(f"You: {choice}")
        listener.hear("One white + one coloured die")
        before = len(written(server, table, page)["events"])
        listener.press("Pass")
        listener.hear("You: pass")
        listener.hear("Magpie threw")

        for event in written(server, table, page)["events"][before + 1 :]:
            seat, _, move = event.rpartition(":")
            if not seat:
                listener.hear(f"Magpie threw {dice_words(Dice.parse(event), colours)}")
            elif move != "-":  # who cannot but pass is told of in other words
                listener.hear(f"Magpie: {called(move)}")
