"""What a page takes over the line, for somebody who has never been there."""

from typing import Any, NamedTuple

from client import NAMED, Server, secret
from playwright.sync_api import Browser
from stage import choosing, stage
from visits import SMALL, visitor


class Load(NamedTuple):
    """Bytes over the line until it is quiet, as they are packed: by file, and those of all headers."""

    files: dict[str, int]
    heads: int

    @property
    def whole(self) -> int:
        return sum(self.files.values())

    @property
    def letters(self) -> int:
        return sum(size for name, size in self.files.items() if name.endswith("woff2"))


class Visit(NamedTuple):
    """Where somebody comes, and what is seen there once it is drawn."""

    path: str
    ready: str


def first_visits(server: Server) -> dict[str, Visit]:
    """The ways to come for the first time: by oneself, by an invitation, to watch friends who play."""
    invited = server.create("duel", [{"kind": "me", "name": "Ana"}, {"kind": "open"}], secret())
    running = stage(server, secret(), "classic", 2, choosing("white", 2, 10))
    return {
        "home": Visit("", ".game .big"),
        "a table one is invited to": Visit(f"/table/{invited}", ".gather form"),
        "a table one watches": Visit(f"/table/{running}", ".tray [data-chances]"),
    }


def loaded(browser: Browser, server: Server, lang: str, visit: Visit) -> Load:
    """Also what comes behind the first picture. The worker that keeps files for later is not asked to."""
    with visitor(browser, SMALL, lang, service_workers="block") as page:
        line = page.context.new_cdp_session(page)
        line.send("Network.enable")
        names: dict[str, str] = {}
        heads: dict[str, int] = {}
        files: dict[str, int] = {}

        def came(event: dict[str, Any]) -> None:
            names[event["requestId"]] = event["response"]["url"].split("/", 3)[3]
            heads[event["requestId"]] = round(event["response"]["encodedDataLength"])

        def done(event: dict[str, Any]) -> None:
            name = names.get(event["requestId"])
            if name is not None:
                body = round(event["encodedDataLength"]) - heads[event["requestId"]]
                files[name] = files.get(name, 0) + body

        line.on("Network.responseReceived", came)
        line.on("Network.loadingFinished", done)
        page.goto(f"http://{NAMED}:{server.port}/{lang}{visit.path}")
        page.wait_for_selector(visit.ready)
        page.wait_for_load_state("networkidle")
        return Load(files, sum(heads.values()))
