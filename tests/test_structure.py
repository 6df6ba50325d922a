"""The house: imports point one way, names are what they say, and light things stay light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import qwixx

ROOT = Path(qwixx.__file__).parent
LEVELS = [
    ("core",),
    ("files",),
    ("compiled",),
    ("games",),
    ("bots",),
    ("study",),
    ("lab", "rl", "server", "terminal", "engine"),
    ("cli",),
    ("__main__",),
]
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}
MODULES = sorted(ROOT.rglob("*.py"))
FOLDERS = {folder.parent.name for folder in (ROOT / "games").glob("*/__init__.py")}
# The exact solver and the commands around it are about one game, and say so.
SOLVER = ("lab/bench.py", "lab/commands.py", "lab/practice/")
HEAVY = {
    "numpy",
    "numba",
    "llvmlite",
    "distributed",
    "gymnasium",
    "pettingzoo",
    "pyspiel",
    "pyarrow",
    "dask",
    "starlette",
    "uvicorn",
    "msgspec",
    "apsw",
    "asyncio",
    "textual",
    "rich",
}


def imported(module: Path) -> set[str]:
    """The qwixx modules that a module names in its imports, wherever they stand."""
    found = names_in(module, ["qwixx", *module.relative_to(ROOT).parts[:-1]])
    return {name for name in found if name.split(".")[0] == "qwixx"}


def names_in(module: Path, package: list[str]) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            found |= {f"{start}.{alias.name}" for alias in node.names}
    return found


def part(name: str) -> str:
    """`qwixx.games.classic.rules` belongs to `games`;
    names of the package itself come from core and games."""
    pieces = name.split(".")
    return pieces[1] if len(pieces) > 1 and pieces[1] in LEVEL else "games"


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(ROOT)))
def test_imports_point_one_way(module: Path) -> None:
    inside = module.relative_to(ROOT)
    own = inside.parts[0].removesuffix(".py")
    if own == "__init__":
        assert {part(name) for name in imported(module)} <= {"core", "games"}
        return
    for name in imported(module):
        other = part(name)
        assert other == own or LEVEL[other] < LEVEL[own], f"{inside} imports {name}"


def folders_of_games(module: Path) -> set[str]:
    """The folders of games that a module imports from."""
    named = {name.split(".")[2] for name in imported(module) if name.startswith("qwixx.games.")}
    return named & FOLDERS


def test_a_folder_of_games_imports_no_other() -> None:
    assert {"classic", "duel"} <= FOLDERS
    for folder in FOLDERS:
        for module in (ROOT / "games" / folder).rglob("*.py"):
            assert folders_of_games(module) <= {folder}, module


def test_generic_code_imports_no_game() -> None:
    """A game is asked for by its id; what stands in its folder is nobody else's to know."""
    for module in MODULES:
        inside = module.relative_to(ROOT)
        if inside.parts[0] == "games" and inside.parts[1] in FOLDERS:
            continue
        if not str(inside).startswith(SOLVER):
            assert not folders_of_games(module), inside


def test_imports_are_seen_however_they_are_written(tmp_path: Path) -> None:
    """The tests above hold what they promise only if they find every import."""
    for line in (
        "import qwixx.games.duel",
        "import qwixx.games.duel.rules as rules",
        "from qwixx.games import duel",
        "from qwixx.games.duel import GAME",
        "from qwixx.games.duel.rules import Duel",
        "def late():\n    from qwixx.games.duel import rules",
    ):
        module = tmp_path / "module.py"
        module.write_text(line)
        assert {
            name for name in names_in(module, ["qwixx"]) if name.startswith("qwixx.games.duel")
        }, line
    for line in ("from .duel import rules", "from . import duel", "from .duel.rules import Duel"):
        module.write_text(line)
        assert {
            name
            for name in names_in(module, ["qwixx", "games"])
            if name.startswith("qwixx.games.duel")
        }, line


def test_the_games_are_found_by_looking() -> None:
    assert qwixx.ids() == ("classic", "duel", "mixed-a", "mixed-b")
    assert [qwixx.game(name).id for name in qwixx.ids()] == list(qwixx.ids())


def test_the_public_names_are_what_all_says() -> None:
    assert all(hasattr(qwixx, name) for name in qwixx.__all__)
    parts = {name for names in LEVELS for name in names}
    public = {name for name in vars(qwixx) if not name.startswith("_")} - parts
    assert public == set(qwixx.__all__)


def test_the_core_needs_no_numbers_and_no_disk() -> None:
    for module in (ROOT / "core").glob("*.py"):
        named = {name.split(".")[0] for name in names_in(module, ["qwixx", "core"])}
        assert not named & {"numpy", "pathlib", "os", "shutil", "tempfile"}, module


def test_the_contract_stays_small() -> None:
    assert len(qwixx.Game.__abstractmethods__) <= 13


@pytest.mark.parametrize(
    "code",
    [
        "import qwixx",
        "import qwixx.cli",
        "import qwixx.engine, io; qwixx.engine.serve(io.BytesIO(), io.BytesIO())",
    ],
)
def test_light_things_stay_light(code: str) -> None:
    program = f"{code}; import sys; print(*(name.split('.')[0] for name in sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not HEAVY & set(done.stdout.split())
