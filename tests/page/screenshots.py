"""Pictures of every screen: `make screenshots`,
or `python tests/page/screenshots.py FOLDER [LANGUAGE ...]`.

Light and dark, 360 and 1280 pixels wide; by default in every language.
"""

import sys
import tempfile
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "server")]

from chromium import chromium  # noqa: E402 - a script finds its neighbours only now
from client import GENEROUS, Server  # noqa: E402
from walk import LANGUAGES, PICTURED, Walk  # noqa: E402

from surroundings import settle  # noqa: E402

SIZES = ((360, 740), (1280, 800))


def main(folder: Path, languages: tuple[str, ...]) -> None:
    settle()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        server = Server(Path(place), *GENEROUS)
        walk = Walk(server)
        for lang, scheme, (width, height) in product(languages, ("light", "dark"), SIZES):
            for name, show in PICTURED.items():
                with walk.visit(browser, lang, scheme, width, height) as page:
                    show(walk, page, lang)
                    path = folder / f"{name}-{width}-{scheme}-{lang}.png"
                    page.screenshot(
                        path=path, full_page="tray" not in page.content() and "dialog" not in name
                    )
            print(f"{lang} {scheme} {width}: {len(PICTURED)} pictures", flush=True)
        server.stop()


if __name__ == "__main__":
    main(
        Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots"), tuple(sys.argv[2:]) or LANGUAGES
    )
