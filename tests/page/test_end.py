"""The end of a round: what it says is what the law says;
the log, the link and the picture that go with it."""

import re
import struct
from pathlib import Path
from random import Random
from typing import Any

import pytest
from client import Client, Server, play_on, secret
from playing import CHOICE, CONFIRM, Person, check_score
from playwright.sync_api import Browser, Page, expect
from ruler import text_problems
from stage import Passing, Plan, about_to_fail, aside, choosing, over, reckless, stage, staged
from visits import (
    LARGE,
    SMALL,
    address,
    against_bot,
    dismissed,
    hold,
    open_as,
    reached_at,
    run_until,
    stand_still,
    visitor,
)

from qwixx import games
from qwixx.core.fields import COLOUR_NAMES
from sweeps import sweep, sweep_of_several

NAMELESS = "Player"  # as the page writes it down
PNG = b"\x89PNG\r\n\x1a\n"


def signed(points: int) -> str:
    return str(points).replace("-", "−")


def expected(record: dict[str, Any]) -> tuple[str, str, str]:
    """Title, kind word and reason for seat 0, against a Magpie, from the record alone."""
    totals, winners = record["result"]["totals"], record["result"]["winners"]
    gap = totals[0] - totals[1]
    if gap == 0:
        title, kind = "You and Magpie share the win", f"{signed(totals[0])} points? each"
    elif winners == [0]:
        title, kind = "You win!", f"{gap} points? ahead of Magpie"
    else:
        title, kind = "Magpie wins", f"(So close: only|You were) {-gap} behind"
    game, _, state = games.read_record(record)
    reason = record["result"]["reason"]
    if reason == "rows":
        closed = ", ".join(
            f"{COLOUR_NAMES[one]} \\({_closers(record, state, one)}\\)"
            for one in _closed(game.dice_in_play(state))
        )
        return title, kind, f"Closed rows: {closed}\\. The game is over"
    mine = state.active == 0
    if reason == "failed":
        who = "You marked .*failed throw" if mine else "Magpie marked failed throw"
        # Who was forced to has read of the throw above.
        return title, kind, f"({who}|That was) number 4"
    return title, kind, "You placed your last piece" if mine else "Magpie placed the last piece"


def _closed(in_play: str) -> list[str]:
    return [colour for colour, die in zip(COLOUR_NAMES, in_play, strict=True) if die == "."]


def _closers(record: dict[str, Any], state: Any, colour: str) -> str:
    """Who has the lock of a row, as seat 0 reads it."""
    strips = [
        strip for panel in games.guide(record["game"]).panels(state) for strip in panel.strips
    ]
    owners = {strip.cells[-1].owner for strip in strips if strip.colour == colour}
    return " and ".join(name for seat, name in enumerate(("you", "Magpie")) if seat in owners)


@pytest.mark.parametrize(("game", "size"), sweep_of_several([("duel", LARGE), ("classic", SMALL)]))
def test_the_end_of_two_rounds_is_what_the_law_says(
    server: Server, browser: Browser, game: str, size: tuple[int, int]
) -> None:
    with visitor(browser, size) as page:
        table = against_bot(page, server, game)
        for number in (1, 2):
            page.wait_for_selector(".tray")
            Person(
                page,
                "touch" if size == SMALL else "click",
                Random(f"{game} {number}"),
                passing=0.25 if number == 1 else 0.8,
            ).play()
            record = server.record(table, number=number)[1]
            check_score(page, record)
            title, kind, reason = expected(record)
            expect(page.locator("#end-title")).to_have_text(title)
            expect(page.locator(".end .kind")).to_have_text(re.compile(kind))
            expect(page.locator(".end .reason")).to_have_text(re.compile(reason))
            totals = page.locator("[data-over] [data-total]").evaluate_all(
                "(all) => all.map(({ dataset, textContent }) => "
                "[Number(dataset.seat), Number(dataset.total), textContent])"
            )
            said = [
                [seat, total, signed(total)]
                for seat, total in enumerate(record["result"]["totals"])
            ]
            assert sorted(totals) == said
            expect(page.locator(".confetti")).to_have_count(int(0 in record["result"]["winners"]))
            expect(page.locator(".crown")).to_have_count(len(record["result"]["winners"]))
            expect(page.locator(".end .note")).to_have_text(
                re.compile(f"^Round {number + 1}: .* drawn by lot")
            )
            if number == 1:
                page.locator("[data-do=again]").click()
        expect(page.locator(".round")).to_have_text("round 2")


def test_a_forced_failed_throw_ends_the_game_and_the_points_are_counted(
    server: Server, browser: Browser
) -> None:
    """With motion: what stands there is true from the first moment, all is counted in time,
    and there is no confetti where nobody has won."""
    mine = secret()
    table = staged(server, mine, Plan("classic", 2, about_to_fail(server, 4), reckless))
    with visitor(browser, SMALL, reduced_motion="no-preference") as page:
        open_as(page, server, mine, table)
        page.locator("[data-do=roll]").tap()
        end = page.locator("[data-over] .end")
        expect(end).to_have_attribute("aria-busy", "true")
        record = server.record(table)[1]
        check_score(page, record)
        expect(end).to_have_attribute("aria-busy", "false")
        expect(page.locator(".end .notice")).to_have_text("Nothing fits: failed throw −5")
        expect(page.locator(".end .reason")).to_contain_text("That was number 4: the game is over.")
        expect(page.locator(".confetti")).to_have_count(int(0 in record["result"]["winners"]))
        page.reload()
        expect(end).to_have_attribute("aria-busy", "false")
        check_score(page, record)


# How the end comes: what is there when it is told what happened, when, and when the end is there.
COMING = """() => {
  const seen = (window.coming = {});
  new MutationObserver((_, all) => {
    const many = (what) => document.querySelectorAll(what).length;
    const table = document.querySelector('[data-phase]');
    if (table?.dataset.telling !== undefined && !seen.told)
      Object.assign(seen, {
        told: performance.now(),
        over: many('[data-over], .end'),
        phase: table.dataset.phase,
        failed: many('.sheet .failed .x'),
        dice: many('.tray [data-die][data-face]') && !many('.tumbling'),
        closed: many('.sheet .row.closed'),
      });
    const words = document.querySelector('[data-telling] .tray .say')?.innerText.trim();
    if (words) seen.words = words;
    if (!many('[data-over] .end')) return;
    all.disconnect();
    const said = [...document.querySelectorAll('.end .words > *')];
    Object.assign(seen, {
      ended: performance.now(),
      empty: said.every((one) => !one.checkVisibility({ opacityProperty: true })),
    });
  }).observe(document, { subtree: true, childList: true, attributes: true });
}"""


def came(page: Page, tapped: bool = False) -> dict[str, Any]:
    """How the end came, on a page whose own time stands still: by a tap, or by time alone."""
    if not tapped:
        run_until(page, "() => window.coming.told !== undefined")
    page.wait_for_function("() => window.coming.words")  # they may have to be fetched
    if tapped:
        page.locator(".tray .head .title").tap()
        page.wait_for_function("() => window.coming.ended")
    else:
        run_until(page, "() => window.coming.ended !== undefined")
    seen: dict[str, Any] = page.evaluate("window.coming")
    assert seen["over"] == 0, "the end waits"
    assert seen["phase"] in ("white", "colour")
    if not tapped:
        assert seen["ended"] - seen["told"] > 1490
    assert not seen["empty"], "the card says something from the first moment"
    return seen


@pytest.mark.parametrize("motion", sweep(["no-preference", "reduce"]))
def test_the_throw_that_ends_the_game_is_seen_and_told_first(
    server: Server, browser: Browser, motion: str
) -> None:
    """The dice lie, the box is crossed, and it is told for as long as it takes to read,
    also for those who watch; then the end comes."""
    mine = secret()
    table = staged(server, mine, Plan("classic", 2, about_to_fail(server, 4), reckless))
    with (
        visitor(browser, SMALL, reduced_motion=motion) as page,
        visitor(browser, LARGE, reduced_motion=motion) as watcher,
    ):
        open_as(page, server, mine, table)
        watcher.goto(address(server, f"/table/{table}"))
        for one in (page, watcher):
            one.wait_for_selector(".tray")
            stand_still(one)
            one.evaluate(COMING)
        page.locator("[data-do=roll]").tap()
        seen, watched = came(page), came(watcher)
        assert "Nothing fits: failed throw −5" in seen["words"]
        assert watched["words"] == "Ana: failed throw −5"
        for end in (seen, watched):
            assert end["dice"]
            assert end["failed"] == 4
        check_score(page, server.record(table)[1])


def about_to_close(client: Client) -> bool:
    """Seat 0 can close the second row."""
    if client.play is None or over(client) or client.play["in_play"].count(".") != 1:
        return False
    return any(move["effects"].get("closes") for move in client.play["moves"].get("0", ()))


@pytest.mark.parametrize("tapped", sweep([False, True]))
def test_the_last_lock_is_seen_and_told_before_the_end(
    server: Server, browser: Browser, tapped: bool
) -> None:
    """A tap goes on to it at once."""
    mine = secret()
    table = stage(server, mine, "classic", 1, about_to_close)
    with visitor(browser, SMALL) as page:
        open_as(page, server, mine, table)
        chip = page.locator(CHOICE, has_text="closes the row").first
        chip.tap()
        stand_still(page)
        page.evaluate(COMING)
        page.locator(CONFIRM).tap()
        seen = came(page, tapped)
        assert re.match("You closed (red|yellow|green|blue)", seen["words"])
        assert seen["closed"] == 2


@pytest.mark.parametrize(("people", "size"), sweep_of_several([(5, (640, 360)), (2, (568, 320))]))
def test_on_its_side_a_phone_shows_the_points_beside_the_winner(
    server: Server, browser: Browser, people: int, size: tuple[int, int]
) -> None:
    mine = secret()
    table = stage(server, mine, "classic", people, over)
    with visitor(browser, size, "de-DE") as page:
        open_as(page, server, mine, table, "de")
        for seat in range(people):
            expect(page.locator(f"td[data-total][data-seat='{seat}']")).to_be_in_viewport(ratio=1)
        expect(page.locator("[data-do=again]")).to_be_in_viewport(ratio=1)
        assert text_problems(page) == []


def test_a_tap_ends_the_counting(server: Server, browser: Browser) -> None:
    mine = secret()
    table = staged(server, mine, Plan("classic", 1, about_to_fail(server, 4), reckless))
    with visitor(browser, SMALL, reduced_motion="no-preference") as page:
        open_as(page, server, mine, table)
        page.evaluate(  # the first moment at which the end is there
            """() => new MutationObserver((_, all) => {
                const end = document.querySelector('.end[aria-busy=true]');
                if (!end) return;
                all.disconnect();
                dispatchEvent(new PointerEvent('pointerdown'));
                window.tapped = performance.now();
                new MutationObserver(() => { window.counted ??= performance.now(); })
                    .observe(end, { attributes: true });
            }).observe(document.body, { childList: true, subtree: true })"""
        )
        page.locator("[data-do=roll]").tap()
        page.wait_for_function("() => window.counted !== undefined")
        expect(page.locator("[data-over] .end")).to_have_attribute("aria-busy", "false")


def test_a_finished_game_by_its_link(server: Server, browser: Browser) -> None:
    """For anybody, with the whole game again, and also when the table has gone on."""
    mine = secret()
    table = stage(server, mine, "duel", 2, over)
    record = server.record(table)[1]
    with visitor(browser) as page:
        page.goto(address(server, f"/table/{table}"))
        check_score(page, record)
        expect(page.locator("[data-do=again]")).to_have_count(0)

        async def another_round() -> None:
            client = Client(server.url(table), mine)
            await client.come()
            await client.ask(do="rematch")

        aside(another_round())
        page.goto(address(server, f"/table/{table}/1"))
        check_score(page, record)
        page.get_by_role("slider").focus()
        page.wait_for_selector(".replay input:not([max='0'])")
        page.keyboard.press("Home")
        expect(page.locator(".replay .piece")).to_have_count(0)
        page.goto(address(server, f"/table/{table}/2"))
        expect(page.locator(".message")).to_contain_text("There is no such table")


def test_whoever_shares_without_a_name_tells_it_of_themselves(
    server: Server, browser: Browser
) -> None:
    """Not as somebody called Player, whom nobody knows, and not as you, who they are not."""
    mine = secret()
    seats = [{"kind": "me", "name": NAMELESS}, {"kind": "bot", "level": "random"}]
    table = server.create("classic", seats, mine, pause=0)
    with visitor(browser, SMALL) as page:
        hold(page, mine)
        page.goto(address(server, f"/table/{table}"))
        Person(page, "touch", Random(3), passing=1).play()
        page.locator(".hero .share").tap()
        expect(page.locator("[data-do=picture]")).to_have_attribute("aria-disabled", "false")
        text = page.locator("dialog canvas").get_attribute("aria-label") or ""
        assert not re.search(r"\b(Player|You)\b", text), text
        assert re.search(r"^Me ", text, re.MULTILINE), text


def test_a_result_is_shared_as_picture_text_and_link(
    server: Server, browser: Browser, tmp_path: Path
) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 3, over)
    record = server.record(table)[1]
    game, _, state = games.read_record(record)
    result = game.result(state)
    with visitor(browser, SMALL, permissions=["clipboard-read", "clipboard-write"]) as page:
        page.add_init_script(
            "delete Navigator.prototype.share; delete Navigator.prototype.canShare;"
        )
        reached_at(page, "http://192.168.7.7:8737/")
        open_as(page, server, mine, table)
        page.locator(".hero .share").tap()
        save = page.locator("[data-do=picture]")
        expect(save).to_have_text("Save the picture")
        expect(save).to_have_attribute("aria-disabled", "false")
        expect(page.locator("[data-do=link]")).to_be_visible()
        lines = (page.locator("dialog canvas").get_attribute("aria-label") or "").split("\n")
        link = f"http://192.168.7.7:8737/table/{table}/1"
        assert lines[-1] == link
        for seat, name in enumerate(record["seats"]):
            rows = " ".join(
                f"{sign}{points}" for sign, points in zip("▲●■◆", result.rows[seat], strict=True)
            )
            lost = result.totals[seat] - sum(result.rows[seat])
            assert (
                f"{name} {signed(result.totals[seat])}: {rows}{f' {signed(lost)}' if lost else ''}"
                in lines
            )
        assert [name for name in record["seats"] if name in lines[0]] == [
            record["seats"][seat] for seat in record["result"]["winners"]
        ]
        with page.expect_download() as download:
            save.tap()
        path = tmp_path / "result.png"
        download.value.save_as(path)
        picture = path.read_bytes()
        assert picture.startswith(PNG)
        assert struct.unpack(">II", picture[16:24])[0] == 1080
        assert len(picture) > 10_000
        page.locator("[data-do=text]").tap()
        expect(page.locator("[data-do=text]")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == "\n".join(lines)
        page.locator("[data-do=link]").tap()
        expect(page.locator("[data-do=link]")).to_have_text("Copied")
        assert page.evaluate("navigator.clipboard.readText()") == link


LOGGED = """() => [...document.querySelectorAll('dialog .log li')].reverse().map((turn) => [
  Number(turn.dataset.turnOf),
  [...turn.querySelectorAll('.dice i')].map((die) => die.textContent).join(''),
  [...turn.querySelectorAll('.choice')].map((one) => [
    (one.querySelector('.name') ?? turn.querySelector('.who')).textContent,
    one.querySelector('.field')?.className.match(/\\b[RYGB]\\b/)[0] ?? '-',
    one.querySelector('.field > span:last-child')?.textContent ?? '',
  ].join(' ').trim()),
])"""


def test_the_log_of_the_running_game_also_after_a_reload(server: Server, browser: Browser) -> None:
    """L opens it, and so does the menu; it is what the record says,
    without the choices that are still sealed."""
    mine = secret()
    table = stage(server, mine, "classic", 2, choosing("white", 2, 12))
    record = server.record(table, mine)[1]
    with visitor(browser) as page:
        open_as(page, server, mine, table)
        page.wait_for_selector(".tray")
        page.keyboard.press("l")
        page.wait_for_selector("dialog .log li")
        shown = page.evaluate(LOGGED)
        throws = [one for one in record["events"] if ":" not in one]
        assert [turn[1] for turn in shown] == [re.sub("[ .]", "", one) for one in throws]
        assert [turn[0] for turn in shown] == [
            (record["first"] + n) % 2 for n in range(len(throws))
        ]
        names = dict(enumerate(["You", *record["seats"][1:]]))
        made = sorted(
            f"{names[int(seat)]} {move if move == '-' else f'{move[0]} {move[1:]}'}"
            for seat, move in (one.split(":") for one in record["events"] if ":" in one)
        )
        assert sorted(choice for turn in shown for choice in turn[2]) == made
        dismissed(page)
        page.get_by_role("button", name="Menu").click()
        page.locator("[data-do=log]").click()
        expect(page.locator("dialog .log li")).to_have_count(len(throws))


def test_the_numbers_of_the_proof_are_shown_when_asked_for(
    server: Server, browser: Browser
) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 1, over)
    record = server.record(table)[1]
    with visitor(browser) as page:
        open_as(page, server, mine, table)
        check_score(page, record)
        assert not re.search("[0-9a-f]{32}", page.locator("body").inner_text())
        page.get_by_text("Why the dice are fair").click()
        expect(page.locator(".fair > p").first).to_contain_text(
            "as long as somebody else’s page takes part"
        )
        page.get_by_role("button", name="Check the dice").click()
        expect(page.locator(".verdict.good")).to_contain_text("Chosen by nobody")
        expect(page.locator(".verdict.good")).to_contain_text("Signed by the server")
        assert not re.search("[0-9a-f]{32}", page.locator("body").inner_text())
        page.get_by_text("Show the numbers").click()
        expect(page.locator(".fair dd").first).to_have_text(record["proof"]["commitment"])


def test_who_took_part_is_told_in_the_readers_language_and_the_verdict_is_in_sight(
    server: Server, browser: Browser
) -> None:
    """Of somebody without a name too, on a small phone."""
    mine = secret()
    table = server.create("classic", [{"kind": "me", "name": NAMELESS}], mine)

    async def alone() -> None:
        client = Client(server.url(table), mine)
        await client.come()
        await client.ready()
        await play_on(client, Passing())

    aside(alone())
    with visitor(browser, (360, 640), "de-DE") as page:
        open_as(page, server, mine, table, "de")
        page.locator(".fair > summary").tap()
        page.get_by_role("button", name="Würfel prüfen").tap()
        expect(page.locator(".verdict.good")).to_be_in_viewport(ratio=1)
        page.get_by_text("Wer bei jedem Wurf mitgemacht hat").tap()
        said = page.locator(".fair .throw dd")
        expect(said).to_have_count(
            1 + len([one for one in server.record(table)[1]["events"] if ":" not in one])
        )
        expect(said.first).to_have_text("Spieler")


def test_a_page_takes_part_in_the_dice_by_itself(server: Server, browser: Browser) -> None:
    """Also after a reload: with the same chain, and no link twice. A page on a busy machine may be late."""
    mine = secret()
    seats = [{"kind": "me", "name": "Ana"}, {"kind": "bot", "level": "random"}]
    table = server.create("classic", seats, mine, pause=0, clock=0.3)

    def brought() -> list[str]:
        return [event["links"]["0"] for _, event in server.log(table) if event.get("links")]

    with visitor(browser) as page:
        open_as(page, server, mine, table)
        for links in (2, 4):
            while len(brought()) < links:
                page.wait_for_timeout(50)
            page.reload()
        assert len(set(brought())) == len(brought())
        assert not [event for _, event in server.log(table) if event["kind"] == "chained"]
