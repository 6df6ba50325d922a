"""The house: imports point one way, names are what they say, and light things stay light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import qwixx

ROOT = Path(qwixx.__file__).parent
LEVELS = [("core",), ("games",), ("bots",), ("lab", "server", "terminal", "engine"), ("cli",), ("__main__",)]
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}
MODULES = sorted(ROOT.rglob("*.py"))
HEAVY = {
    "numpy",
    "numba",
    "llvmlite",
    "distributed",
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
    package = ["qwixx", *module.relative_to(ROOT).parts[:-1]]
    found: set[str] = set()
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            found |= {f"{start}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] == "qwixx"}


def part(name: str) -> str:
    """`qwixx.games.classic.rules` belongs to `games`; names of the package itself come from core and games."""
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


def test_the_games_do_not_import_each_other() -> None:
    for game in qwixx.ids():
        others = {f"qwixx.games.{other}" for other in qwixx.ids() if other != game}
        for module in (ROOT / "games" / game).rglob("*.py"):
            assert not any(name.startswith(tuple(others)) for name in imported(module)), module


def test_generic_code_names_no_game() -> None:
    for module in MODULES:
        inside = module.relative_to(ROOT)
        if inside.parts[0] == "games" and len(inside.parts) > 2:
            continue
        strings = [node.value for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Constant)]
        assert not {"classic", "duel"} & {text for text in strings if isinstance(text, str)}, inside


def test_the_games_are_found_by_looking() -> None:
    assert qwixx.ids() == ("classic", "duel", "mixed-a", "mixed-b")
    assert [qwixx.game(name).id for name in qwixx.ids()] == list(qwixx.ids())


def test_a_third_game_needs_no_central_list(tmp_path: Path) -> None:
    third = tmp_path / "third"
    third.mkdir()
    (third / "__init__.py").write_text(
        "from qwixx.games.classic.guide import ClassicGuide\n"
        "from qwixx.games.classic.rules import Classic\n"
        "GAMES = {'third': ClassicGuide(Classic(name='third'), 'Third', '')}\n"
    )
    code = (
        f"import qwixx.games as games; games.__path__.append({str(tmp_path)!r}); "
        "print(games.ids(), games.game('third').start(2).phase)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == f"{(*qwixx.ids(), 'third')} roll\n"


def test_the_public_names_are_what_all_says() -> None:
    assert all(hasattr(qwixx, name) for name in qwixx.__all__)
    parts = {name for names in LEVELS for name in names}
    public = {name for name in vars(qwixx) if not name.startswith("_")} - parts
    assert public == set(qwixx.__all__)


def test_the_contract_stays_small() -> None:
    assert len(qwixx.Game.__abstractmethods__) <= 13


@pytest.mark.parametrize(
    "code",
    ["import qwixx", "import qwixx.cli", "import qwixx.engine, io; qwixx.engine.serve(io.BytesIO(), io.BytesIO())"],
)
def test_light_things_stay_light(code: str) -> None:
    program = f"{code}; import sys; print(*(name.split('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not HEAVY & set(done.stdout.split())
