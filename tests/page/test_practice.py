"""The end of a game played alone: where its points went, and the best so far."""

import json
from pathlib import Path

import numpy as np
import pytest
from client import GENEROUS, Server, secret
from playwright.sync_api import Browser, Page, expect
from stage import Plan, idle, over, stage, staged
from visits import SMALL, address, hold, visitor

from qwixx.games.classic import solution
from qwixx.games.classic.sheets import Sheets, slot
from tables import CLASSIC


def shown(page: Page) -> list[int]:
    """The points, those with the best choices, and the mean of the best play."""
    return [int(one.replace("−", "-")) for one in page.locator("dd span").all_inner_texts()]


def test_where_points_were_lost_and_the_best_so_far(server: Server, browser: Browser) -> None:
    mine = secret()
    tables = [stage(server, mine, "classic", 1, over) for _ in range(2)]
    totals = [server.record(table)[1]["result"]["totals"][0] for table in tables]
    with visitor(browser, SMALL) as page:
        hold(page, mine)
        for table, total in zip(tables, totals, strict=True):
            page.goto(address(server, f"/table/{table}"))
            page.wait_for_selector("[data-practice=judged]")
            review = json.loads(server.get(f"/api/tables/{table}/review")[1])["review"]
            losses = sorted((one["loss"]["points"] for one in review["decisions"]), reverse=True)
            points, best, mean = shown(page)
            assert points == total
            assert abs(best - total - sum(losses)) <= 0.5
            assert abs(mean - review["start"]["points"][0]) <= 0.5
            # No table was solved here, so nothing is called exact.
            expect(page.get_by_text("as judged here")).to_be_visible()
            told = page.locator("[data-practice] .cost").all_inner_texts()
            assert told == [f"−{loss:.1f}" for loss in losses[:3] if loss >= 0.1]
        said = page.locator("[data-practice] > p").first
        if totals[1] > totals[0]:
            expect(said).to_have_text("This is your best so far.")
        else:
            expect(said).to_have_text(f"Your best so far: {totals[0]}".replace("-", "−"))
        # Whoever was sent the link sees the same, and nobody's best.
        page.goto(address(server, f"/table/{tables[0]}/1"))
        page.wait_for_selector("[data-practice=judged]")
        assert shown(page)[0] == totals[0]
        assert page.get_by_text("so far").count() == 0


def keep_table(mean: float) -> None:
    """A table of the exact practice game where the server looks for one: it knows the empty sheet."""
    sheets = Sheets(solution.sizes_of(CLASSIC))
    start = sheets.pairs[0, 0]
    values = np.zeros((1, sheets.slots, CLASSIC.most_failed))
    values[0, slot(start, start), 0] = mean
    solution.keep(CLASSIC, solution.Solution(sheets, 1, values, 0, 0))


def test_the_exact_mean_is_told_where_its_table_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Browser
) -> None:
    monkeypatch.setenv("QWIXX_CACHE", str(tmp_path / "cache"))
    keep_table(115.483126)  # which `qwixx solve` finds
    server = Server(tmp_path, *GENEROUS)
    try:
        table = staged(server, secret(), Plan("classic", 1, over, idle))
        with visitor(browser, SMALL) as page:
            for lang, mean, words in (
                ("en", "115.48", "The best play on average, exactly"),
                ("de", "115,48", "genau"),
            ):
                page.goto(address(server, f"/table/{table}/1", lang=lang))
                page.wait_for_selector("[data-practice=judged]")
                expect(page.locator("dd span").last).to_have_text(mean)
                expect(page.locator("dt").last).to_contain_text(words)
    finally:
        server.stop()
