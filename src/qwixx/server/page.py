"""The page: its built files, kept in memory as they go over the line."""

import gzip
import hashlib
import mimetypes
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

FOLDER: Final = Path(__file__).parent.parent / "page"
# The addresses of the page's own screens, in any of its languages; all are the same file.
TABLE: Final = "[a-z2-7]{20}"
ROUND: Final = "[1-9][0-9]{0,5}"
GAME: Final = "[a-z][a-z0-9-]{0,19}"
POSITION: Final = "[A-Za-z0-9_-]{1,2000}"
_WAYS: Final = (
    f"table/{TABLE}(?:/{ROUND}(?:/review(?:/[0-9]{{1,4}})?)?)?|mistakes(?:/{TABLE}/{ROUND})?"
    f"|rules/{GAME}(?:/{TABLE})?|learn/{GAME}|new/{GAME}(?:/device)?"
    f"|explore/{GAME}(?:/{POSITION})?"
)
SCREENS: Final = re.compile(f"(?:[a-z]{{2}}(?:/|$))?(?:{_WAYS})?")
# These carry a hash of what is in them in their name.
FOR_EVER: Final = "public, max-age=31536000, immutable"
ASK_AGAIN: Final = "no-cache"
SMALL: Final = 300  # bytes that are not worth packing

UNBUILT: Final = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>qwixx</title>
<meta name="viewport" content="width=device-width,initial-scale=1">
<h1>The page has not been built</h1><p>This qwixx server is running, and programs can play.
For the page, install it with <code>pip install .</code>, which builds it.</p></html>
"""

mimetypes.add_type("application/manifest+json", ".webmanifest")
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("font/woff2", ".woff2")


@dataclass(frozen=True)
class File:
    """A file as it is sent."""

    body: bytes
    packed: bytes | None
    media: str
    cache: str
    tag: str


class Page:
    """All files of the page. Whatever else is asked for gets the page too,
    which says that there is nothing."""

    def __init__(self, folder: Path = FOLDER) -> None:
        found = sorted(path for path in folder.rglob("*") if path.is_file())
        self.files = {path.relative_to(folder).as_posix(): _read(path, folder) for path in found}
        self.front = self.files.get("index.html") or _file(UNBUILT, "text/html", ASK_AGAIN)

    async def answer(self, request: Request) -> Response:
        path = request.path_params["path"]
        file = self.files.get(path, self.front)
        known = path in self.files or SCREENS.fullmatch(path)
        headers = {"cache-control": file.cache, "etag": file.tag}
        if request.headers.get("if-none-match") == file.tag and known:
            return Response(status_code=304, headers=headers)
        response = _response(request, file.body, file.packed, file.media)
        response.headers.update(headers)
        response.status_code = 200 if known else 404
        return response


def unpacked_if_needed(request: Request, packed: bytes, media: str) -> Response:
    """An answer that is sent packed to those who can unpack it."""
    return _response(request, b"" if _unpacks(request) else gzip.decompress(packed), packed, media)


def _response(request: Request, body: bytes, packed: bytes | None, media: str) -> Response:
    if packed is None or not _unpacks(request):
        return Response(body, media_type=media, headers={"vary": "accept-encoding"})
    return Response(
        packed, media_type=media, headers={"vary": "accept-encoding", "content-encoding": "gzip"}
    )


def _unpacks(request: Request) -> bool:
    return "gzip" in request.headers.get("accept-encoding", "")


def _read(path: Path, folder: Path) -> File:
    media = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    hashed = path.parent != folder
    return _file(path.read_bytes(), media, FOR_EVER if hashed else ASK_AGAIN)


def _file(body: bytes, media: str, cache: str) -> File:
    packed = gzip.compress(body, 9, mtime=0)
    worth_it = len(body) > SMALL and len(packed) < 0.9 * len(body)
    tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    return File(body, packed if worth_it else None, media, cache, tag)
