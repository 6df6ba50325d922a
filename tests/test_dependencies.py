"""What the program is made of, by its own metadata: pinned, as pinned, and nothing besides.

This is what can be known without a network. Whether a release has become known as unsafe since, a
service that knows must be asked (`pip-audit -r constraints.txt`).
"""

import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name

ROOT = Path(__file__).parent.parent
PINNED = {
    canonicalize_name(name): pinned
    for name, pinned in re.findall(
        r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE
    )
}


def needed(requirements: list[str]) -> set[NormalizedName]:
    """What these need, and what that needs in turn, on this system."""
    found, waiting = set[NormalizedName](), [Requirement(text) for text in requirements]
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        if name in found or (one.marker is not None and not one.marker.evaluate({"extra": ""})):
            continue
        found.add(name)
        more = distribution(name).requires or []
        wanted = [Requirement(text) for text in more]
        for extra in one.extras or {""}:
            waiting += [
                Requirement(str(each).partition(";")[0])
                for each in wanted
                if each.marker is None or each.marker.evaluate({"extra": extra})
            ]
    return found


def test_everything_that_runs_is_pinned_and_is_what_was_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    running = needed(project["dependencies"])
    assert {"uvicorn", "httptools", "websockets", "starlette", "apsw"} <= running
    assert running <= set(PINNED), "not pinned"
    assert {name: version(name) for name in running} == {name: PINNED[name] for name in running}


def test_what_is_installed_is_what_is_pinned() -> None:
    for name, pinned in PINNED.items():
        try:
            assert version(name) == pinned, name
        except PackageNotFoundError:  # for another system, or an extra that is not installed
            continue


def test_the_page_pins_what_it_is_built_with_by_digest() -> None:
    """Every package, but those that other systems have instead."""
    packages = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    unsealed = [
        name
        for name, one in packages.items()
        if name and not one.get("optional") and not one.get("integrity", "").startswith("sha512-")
    ]
    assert unsealed == []
