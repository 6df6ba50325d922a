"""The page as it goes over the line, what is not there, and what the page is drawn from."""

import gzip
import json
import re
import urllib.request
from pathlib import Path

import pytest
from client import GENEROUS, Server, secret
from pictures import examples
from playwright.sync_api import Browser
from stage import over, stage
from weight import Visit, first_visits, loaded

from qwixx import bots, games
from qwixx.server.page import Page
from sweeps import sweep

WEB = Path(__file__).parent.parent.parent / "web" / "src"


def fetch(server: Server, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    request = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:  # noqa: S310 - our own server
            return (
                answer.status,
                {key.lower(): value for key, value in answer.headers.items()},
                answer.read(),
            )
    except urllib.error.HTTPError as error:
        with error:
            return (
                error.code,
                {key.lower(): value for key, value in error.headers.items()},
                error.read(),
            )


SCREENS = [
    "/",
    "/pl",
    *(f"/de/{screen}/{game}" for screen in ("rules", "learn", "new") for game in games.ids()),
    f"/rules/duel/{'a' * 20}",
    f"/table/{'a' * 20}",
    f"/table/{'a' * 20}/2",
    f"/table/{'a' * 20}/2/review",
    f"/pt/table/{'a' * 20}/2/review/117",
    "/es/mistakes",
    f"/mistakes/{'a' * 20}/2",
    "/es/new/classic/device",
    "/explore/mixed-a",
    "/pl/explore/duel/eyJhY3RpdmUiOjB9",
]


@pytest.mark.parametrize("path", SCREENS)
def test_every_screen_is_the_page(server: Server, path: str) -> None:
    status, headers, body = fetch(server, path)
    assert status == 200
    assert b'<div id="app">' in body
    assert headers["cache-control"] == "no-cache"
    assert "script-src 'self'" in headers["content-security-policy"]
    status, _, body = fetch(server, path, **{"If-None-Match": headers["etag"]})
    assert (status, body) == (304, b"")


def test_files_with_a_hash_in_their_name_are_kept_for_ever(server: Server) -> None:
    _, _, page = fetch(server, "/")
    names = re.findall(rb'"(/assets/[^"]+)"', page)
    assert names
    for name in names:
        status, headers, body = fetch(server, name.decode(), **{"Accept-Encoding": "gzip"})
        assert status == 200
        assert "immutable" in headers["cache-control"]
        if name.endswith(b".woff2"):  # packed by itself
            assert headers["content-type"] == "font/woff2"
            assert "content-encoding" not in headers
            continue
        assert headers["content-encoding"] == "gzip"
        _, plain, unpacked = fetch(server, name.decode())
        assert "content-encoding" not in plain
        assert gzip.decompress(body) == unpacked


def test_what_is_offered_is_packed_for_those_who_can_unpack_it(server: Server) -> None:
    status, headers, packed = fetch(server, "/api/games", **{"Accept-Encoding": "gzip"})
    assert (status, headers["content-encoding"]) == (200, "gzip")
    _, plain, body = fetch(server, "/api/games")
    assert "content-encoding" not in plain
    assert gzip.decompress(packed) == body
    assert len(packed) < len(body) / 3


# Polish has letters of its own, and the longest words.
@pytest.mark.parametrize("language", sweep(["pl", "en"]))
def test_the_first_visit_is_small(server: Server, browser: Browser, language: str) -> None:
    """All that comes until the line is quiet, with the letters and the server's answers."""
    visits = first_visits(server) | {"rules": Visit("/rules/duel", "figure")}
    for name, visit in visits.items():
        found = loaded(browser, server, language, visit)
        assert any("common" in file for file in found.files), found
        assert any("/api/games" in f"/{file}" for file in found.files), found
        assert found.whole <= 100_000, (name, found.whole, found.files)


@pytest.mark.parametrize(
    "path", ["/nothing/here", "/assets/none.js", "/assets/../index.html/..", "/..%2f..%2fsetup"]
)
def test_what_is_not_there_is_not_found(server: Server, path: str) -> None:
    status, _, body = fetch(server, path)
    assert status == 404
    assert b'<div id="app">' in body  # which says so in the reader's language


def test_programs_that_ask_for_nothing_hear_it_as_json(server: Server) -> None:
    status, headers, body = fetch(server, "/api/nothing")
    assert status == 404
    assert headers["content-type"] == "application/json"
    assert json.loads(body)["code"]


def test_a_package_without_its_page_says_so(tmp_path: Path) -> None:
    assert b"has not been built" in Page(tmp_path).front.body


def test_the_story_of_a_round_is_its_record_moment_by_moment(server: Server) -> None:
    mine = secret()
    table = stage(server, mine, "classic", 3, over)
    status, _, body = fetch(server, f"/api/tables/{table}/story?round=1")
    assert status == 200
    story, record = json.loads(body), server.record(table)[1]
    assert story["seats"] == record["seats"]
    assert [step["dice"] for step in story["steps"] if step["dice"]] == [
        event for event in record["events"] if ":" not in event
    ]
    choices = [
        f"{seat}:{move}"
        for step in story["steps"]
        for seat, move in (step["choices"] or {}).items()
    ]
    assert sorted(choices) == sorted(event for event in record["events"] if ":" in event)
    assert story["steps"][-1]["result"]["over"]
    assert story["steps"][-1]["result"]["totals"] == record["result"]["totals"]


def test_a_running_round_has_no_story_yet(tmp_path: Path) -> None:
    server = Server(tmp_path, *GENEROUS)
    mine = secret()
    table = stage(server, mine, "duel", 2, lambda client: client.number > 12)
    assert fetch(server, f"/api/tables/{table}/story")[0] == 403
    server.stop()


@pytest.mark.parametrize("name", games.ids())
def test_the_examples_of_the_rules_are_the_laws(name: str) -> None:
    """Every drawn board is a position that can be, of this game, and what is lit is what is legal."""
    path = WEB / "games" / name / "positions.json"
    assert {example["position"]["game"] for example in json.loads(path.read_text()).values()} == {
        name
    }
    assert path.with_name("examples.json").read_text() == examples(path), (
        "run: python tests/page/pictures.py"
    )


def test_every_bot_and_every_game_has_its_words() -> None:
    words = json.loads((WEB / "languages" / "en.json").read_text())
    for level in bots.LEVELS:
        assert {f"level.{level}", f"level.{level}.about"} <= set(words)
    for name in games.ids():
        assert f"about.{name}" in words
    for name in games.ids():
        family = [other for other in games.ids() if games.family_of(other) == games.family_of(name)]
        assert (f"variant.{name}" in words) == (len(family) > 1)
        assert (f"title.{name}" in words) == (games.family_of(name) != name)


def test_the_licences_of_what_is_in_the_page_go_with_it() -> None:
    """Beside the page, and so in every wheel.
    What is in it is told from what is built, not from a list."""
    notices = Page().files["licences.md"].body.decode()
    parts = {part.split()[0]: part for part in re.split(r"^## ", notices, flags=re.MULTILINE)[1:]}
    assert {"svelte", "lean-qr", "@fontsource-variable/baloo-2"} <= set(parts)
    assert "SIL OPEN FONT LICENSE" in parts["@fontsource-variable/baloo-2"]
    for name, part in parts.items():
        assert re.search(r"Copyright (\(c\)|20\d\d) ", part), name
        assert "Permission is hereby granted" in part, name
    # The names of packages that their own code leaves in the bundle.
    scripts = b"".join(file.body for path, file in Page().files.items() if path.endswith(".js"))
    for trace, name in ((b"svelte.dev/e/", "svelte"), (b"modulepreload", "vite")):
        assert (trace in scripts) <= (name in parts), name
