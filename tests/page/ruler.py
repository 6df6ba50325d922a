"""Measures a screen as it is drawn: what is cut off, covered or out of sight,
things too small for a thumb."""

from pathlib import Path
from typing import Any

from playing import AnyPage
from playwright.sync_api import Page

HERE = Path(__file__).parent
TEXT = (HERE / "text.js").read_text()
APART = (HERE / "apart.js").read_text()
THUMBS = (HERE / "thumbs.js").read_text()
SIGHT = (HERE / "sight.js").read_text()


def text_problems(page: AnyPage) -> list[str]:
    found: list[str] = [*page.evaluate(TEXT), *page.evaluate(APART)]
    return found


def out_of_sight(page: AnyPage) -> list[str]:
    found: list[str] = page.evaluate(SIGHT)
    return found


def small_targets(page: AnyPage) -> list[str]:
    found: list[str] = page.evaluate(THUMBS)
    return found


def axe_problems(page: Page, axe: str, *rules: str) -> list[str]:
    """What axe finds against WCAG 2.2 AA and its best practices, or against certain rules."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(axe)
    options = {"resultTypes": ["violations"], **({"runOnly": list(rules)} if rules else {})}
    result: dict[str, Any] = page.evaluate("(options) => axe.run(document, options)", options)
    return [
        f"{violation['id']}: {node['html'][:160]} | {node['failureSummary'][:300]}"
        for violation in result["violations"]
        for node in violation["nodes"]
    ]
