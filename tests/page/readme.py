"""The pictures of the README, drawn anew: `python tests/page/readme.py [turn] [classic] [phone] [duel]`.

Needs Pillow (`pip install pillow`), which nothing else here does. The film is taken frame by frame:
the page's clock stands still, and its animations are set to the time of each frame,
so that it is as smooth on a slow machine as on a fast one.
"""

import contextlib
import importlib
import io
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "server")]

from chromium import chromium  # noqa: E402 - a script finds its neighbours only now
from client import GENEROUS, Client, Server, secret  # noqa: E402
from playing import CHOICE, CONFIRM, ROLL  # noqa: E402
from playwright.sync_api import Browser, Page  # noqa: E402
from stage import aside, crosses, next_throw, phase, sensible, to_throw  # noqa: E402

from qwixx import games  # noqa: E402

PICTURES = HERE.parent.parent / "docs" / "pictures"
FRAME = 50  # milliseconds
QUALITY = 75
PAUSE = 10  # seconds in which a bot does not disturb the film
TRIES = 20
ME = {"kind": "me", "name": "Ana", "face": "plum"}
# So many points each has a table when its picture is taken.
POINTS = 22

# Every animation goes to the time of the frame; those that have just begun start there.
TO_FRAME = """(step) => {
  for (const animation of document.getAnimations()) {
    if (animation.playState === 'finished') continue;
    const seen = animation.playState === 'paused';
    animation.pause();
    animation.currentTime = seen ? animation.currentTime + step : 0;
    if (animation.currentTime >= animation.effect.getComputedTiming().endTime) animation.finish();
  }
}"""
# Where a finger is.
FINGER = """([x, y, shown]) => {
  const dot = document.querySelector('#finger') ?? document.body.appendChild(document.createElement('i'));
  dot.id = 'finger';
  Object.assign(dot.style, {position: 'fixed', zIndex: 99, width: '34px', height: '34px', borderRadius: '50%',
    left: `${x - 17}px`, top: `${y - 17}px`, background: '#fff9', boxShadow: '0 0 0 3px #2c1a3688',
    pointerEvents: 'none', display: shown ? 'block' : 'none'});
}"""
FEWEST_SKIPPED = (
    """(chips) => chips.map((chip) => Number(/skips (\\d+)/.exec(chip.textContent)?.[1] ?? 0))"""
)


# --- tables to take pictures of ---


async def _play(url: str, mine: str, moment: Callable[[Client], bool]) -> bool:
    """Play against bots until that moment; whether it came."""
    me, rng = Client(url, mine), Random(2)
    await me.come()
    await me.ready()
    while me.table["status"] != "over":
        if not me.more and moment(me):
            return True
        wish = me.wish(rng)
        if wish is None:
            await me.ask(do="hurry")
            with contextlib.suppress(TimeoutError):
                await me.hear(0.3)
            continue
        if wish["do"] == "choose":
            assert me.play
            wish["move"] = sensible(me.play["moves"][str(wish["seat"])], rng)
        await me.ask(**wish)
    return False


def table(
    server: Server, mine: str, game: str, bots: list[str], moment: Callable[[Client], bool]
) -> str:
    seats = [ME, *({"kind": "bot", "level": level} for level in bots)]
    for _ in range(TRIES):
        made = server.create(game, seats, mine, pause=PAUSE)
        if aside(_play(server.url(made), mine, moment)):
            return made
    raise SystemExit("that moment never came: try again")


def opened(browser: Browser, server: Server, mine: str, path: str, **view: Any) -> Page:
    context = browser.new_context(locale="en", service_workers="block", **view)
    context.add_init_script(f"localStorage.setItem('qwixx.secret', '{mine}')")
    tips = '["roll","white","colour","sealed","failed","lock"]'
    context.add_init_script(f"localStorage.setItem('qwixx.coached', '{tips}')")
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{server.port}/en{path}")
    return page


# --- pictures ---


def picture(
    browser: Browser, server: Server, name: str, game: str, bots: list[str], **view: Any
) -> None:
    """One's own turn in the middle of a game, a choice picked."""
    mine = secret()

    def choosing(client: Client) -> bool:
        if phase(client) != "colour" or client.play is None or client.play["active"] != 0:
            return False
        moves = [move for move in client.play["moves"]["0"] if move["move"] != "-"]
        few = [move for move in moves if move["effects"].get("skips", 0) < 2]
        return crosses(client) >= POINTS * (len(bots) + 1) and len(moves) > 2 and bool(few)

    made = table(server, mine, game, bots, choosing)
    page = opened(browser, server, mine, f"/table/{made}", reduced_motion="reduce", **view)
    page.wait_for_selector(CHOICE)
    chip = least(page)
    chip.click()
    page.wait_for_timeout(600)
    page.screenshot(path=PICTURES / f"{name}.png")
    page.context.close()


def least(page: Page) -> Any:
    """The choice that skips fewest."""
    chips = page.locator(CHOICE)
    skips = chips.evaluate_all(FEWEST_SKIPPED)
    return chips.nth(skips.index(min(skips)))


# --- the film ---


@dataclass
class Film:
    page: Page
    shots: list[bytes] = field(default_factory=list)

    def run(self, milliseconds: int) -> None:
        for _ in range(milliseconds // FRAME):
            self.page.clock.run_for(FRAME)
            self.page.evaluate(TO_FRAME, FRAME)
            self.shots.append(self.page.screenshot(animations="allow"))

    def tap(self, target: Any) -> None:
        """A finger comes, taps, and goes."""
        box = target.bounding_box()
        middle = [box["x"] + box["width"] / 2, box["y"] + box["height"] * 0.62]
        self.page.evaluate(FINGER, [*middle, True])
        self.run(250)
        target.evaluate("(key) => key.click()")
        self.run(100)
        self.page.evaluate(FINGER, [*middle, False])

    def hear(self, ready: str) -> None:
        """The server's word comes in real time, while the page's own stands still."""
        for _ in range(50 * 2 * PAUSE):
            self.page.wait_for_timeout(20)
            self.page.clock.run_for(1)
            if self.page.locator(ready).count():
                return
        raise SystemExit("the table does not go on: try again")

    def save(self, path: Path) -> None:
        image = importlib.import_module("PIL.Image")  # unknown to those who only run tests
        frames = [image.open(io.BytesIO(shot)).convert("RGB") for shot in self.shots]
        kept, times = [frames[0]], [FRAME]
        for frame in frames[1:]:
            if frame.tobytes() == kept[-1].tobytes():
                times[-1] += FRAME
            else:
                kept.append(frame)
                times.append(FRAME)
        kept[0].save(
            path,
            save_all=True,
            append_images=kept[1:],
            duration=times,
            loop=0,
            quality=QUALITY,
            method=6,
            minimize_size=True,
        )
        print(f"{path.name}: {len(kept)} frames, {path.stat().st_size / 1000:.0f} kB")


def about_to_shine(server: Server) -> Callable[[Client], bool]:
    """Seat 0 is to throw, and both actions will offer something that skips little."""

    def moment(client: Client) -> bool:
        if not to_throw(client) or not 12 < crosses(client) < 40:
            return False
        game, _, before = games.read_record(server.record(client.table["id"], client.secret)[1])
        state = game.roll(before, next_throw(server, client))

        def good(state: Any) -> list[str]:
            moves = [move for move in game.moves(state, 0) if move != "-"]
            return [
                move for move in moves if game.effects(state, 0, move).to_json().get("skips", 0) < 2
            ]

        for move in good(state)[:1]:
            after = game.choose(game.choose(state, 0, move), 1, "-")
            return after.phase == "colour" and bool(good(after))
        return False

    return moment


def turn(browser: Browser, server: Server) -> None:
    """A throw, the white sum, a colour: one turn of one's own."""
    mine = secret()
    made = table(
        server,
        mine,
        "classic",
        ["club"],
        about_to_shine(server),
    )
    page = opened(
        browser,
        server,
        mine,
        f"/table/{made}",
        viewport={"width": 360, "height": 660},
        reduced_motion="no-preference",
    )
    page.wait_for_selector(ROLL)
    page.wait_for_timeout(800)
    page.clock.install()
    page.clock.pause_at(page.evaluate("() => Date.now() + 1000"))
    film = Film(page)
    film.run(700)
    film.tap(page.locator(ROLL))
    film.hear(".tumbling")
    film.run(1500)
    # The white choices are open once the bot has made its own; then the turn goes on, or is over.
    for after in (
        '[data-phase="colour"][data-acting], [data-phase="roll"]',
        '[data-phase="roll"], [data-phase="white"]',
    ):
        film.run(600)
        if page.locator(CHOICE).count() == 0:
            break
        film.tap(least(page))
        film.run(900)
        film.tap(page.locator(CONFIRM))
        film.hear(after)
        film.run(500)
    film.run(1200)
    film.save(PICTURES / "turn.webp")
    page.context.close()


PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 1.5}
DESK = {"viewport": {"width": 1280, "height": 800}}
WANTED: dict[str, Callable[[Browser, Server], None]] = {
    "turn": turn,
    "classic": lambda browser, server: picture(
        browser, server, "classic", "classic", ["novice", "club", "expert"], **DESK
    ),
    "phone": lambda browser, server: picture(
        browser, server, "phone", "classic", ["greedy"], **PHONE
    ),
    "duel": lambda browser, server: picture(
        browser, server, "duel", "duel", ["club"], color_scheme="dark", **PHONE
    ),
}


def main(wanted: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        server = Server(Path(place), *GENEROUS)
        for name in wanted or WANTED:
            WANTED[name](browser, server)
        server.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
