"""The lab as people meet it: what it needs, what it says,
what it shows while it works, how it stops."""

import ast
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import qwixx
from qwixx.files import cache
from qwixx.lab import bench, commands
from test_solve import SMALL
from test_terminal import Screen

ROOT = Path(qwixx.__file__).parent


def python(code: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "missing", "extra"),
    [
        (["solve"], ["numba", "numpy"], "lab"),
        (["arena", "classic", "greedy", "random"], ["numba"], "lab"),
        (["bench", "--json"], ["numpy"], "lab"),
        (
            ["arena", "classic", "greedy", "random", "--cluster", "tcp://127.0.0.1:9"],
            ["distributed"],
            "cluster",
        ),
    ],
)
def test_without_the_extra_one_line_says_how_to_get_it(
    words: list[str], missing: list[str], extra: str
) -> None:
    code = f"import sys; sys.modules.update(dict.fromkeys({missing!r})); sys.argv[1:] = {words!r}; "
    done = python(code + "from qwixx.cli import main; main()")
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr == f"qwixx: this needs {' and '.join(missing)}: pip install 'qwixx[{extra}]'\n"
    )


def test_numba_is_named_only_where_it_is_used() -> None:
    for module in ROOT.rglob("*.py"):
        names = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(module.read_text()))
            for name in (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
        }
        assert not names & {"numba", "llvmlite"} or module.parent.name == "compiled", module


def test_importing_a_kernel_compiles_nothing() -> None:
    code = (
        "import sys; from qwixx import games; import qwixx.lab.practice.solver, qwixx.lab.training.learning\n"
        "kernels = [games.kernel_of(game) for game in games.ids()]\n"
        "modules = [module for name, module in sys.modules.items() if name.startswith('qwixx')]\n"
        "every = [thing for module in modules for thing in vars(module).values()]\n"
        "things = [thing for thing in every if hasattr(thing, 'signatures')]\n"
        "print(len(things) > 50, sum(len(thing.signatures) for thing in things))"
    )
    assert python(code).stdout == "True 0\n"


@pytest.mark.long
def test_compiled_code_is_kept_for_the_next_process(tmp_path: Path) -> None:
    code = (
        "from qwixx.compiled import chance; chance.order(1, 2, 3, 4); stats = chance.order.stats; "
        "print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))"
    )
    assert [python(code, NUMBA_CACHE_DIR=str(tmp_path)).stdout for _ in range(2)] == [
        "0 1\n",
        "1 0\n",
    ]


@pytest.mark.long
def test_bench_has_the_shape_that_is_promised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "GAME", SMALL)  # the real one is solved in test_solve.py
    monkeypatch.setattr(bench, "_SECONDS", 0.02)
    done = CliRunner().invoke(commands.bench, ["--json"])
    found = json.loads(done.stdout)
    assert set(found) == {"playouts", "solve_seconds", "law"}
    assert set(found["playouts"]) >= {"classic2", "classic5", "duel", "mixed-a2", "mixed-b5"}
    assert set(found["law"]) >= {"classic2", "duel"}
    assert min(found["solve_seconds"], *found["playouts"].values(), *found["law"].values()) > 0
    lines = CliRunner().invoke(commands.bench).stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*found["playouts"], "solve"]


def test_the_cache_is_where_the_user_wants_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("QWIXX_CACHE", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.folder() == tmp_path / "qwixx"
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    assert cache.folder() == Path.home() / ".cache" / "qwixx"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache.folder() == Path.home() / "Library" / "Caches" / "qwixx"
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert cache.folder() == tmp_path / "qwixx" / "Cache"
    monkeypatch.setenv("QWIXX_CACHE", str(tmp_path / "own"))
    assert cache.folder() == tmp_path / "own"


def test_progress_is_shown_on_a_terminal_and_ctrl_c_stops_it(tmp_path: Path) -> None:
    screen = Screen(tmp_path, "solve", QWIXX_CACHE=str(tmp_path))
    try:
        screen.until("solving [", 240)
        screen.until("s left", 240)
        os.killpg(screen.process.pid, signal.SIGINT)
        screen.until("qwixx: stopped", 120)
        assert screen.end() == 130
    finally:
        screen.process.kill()
    assert not (tmp_path / "tables").exists()


def test_a_long_arena_shows_its_progress(tmp_path: Path) -> None:
    words = ("arena", "classic", "greedy", "random", "--law", "--games", "4000", "--jobs", "1")
    screen = Screen(tmp_path, *words)
    try:
        screen.until("playing [", 240)
        time.sleep(0.2)
        os.killpg(screen.process.pid, signal.SIGINT)
        screen.until("qwixx: stopped", 120)
        assert screen.end() == 130
    finally:
        screen.process.kill()
