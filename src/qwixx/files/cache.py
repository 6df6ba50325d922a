"""The user's own place for what can be made again: tables, compiled code."""

import os
import sys
from pathlib import Path


def folder() -> Path:
    """The folder of this program in the user's cache; QWIXX_CACHE names another."""
    if chosen := os.environ.get("QWIXX_CACHE"):
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "qwixx"
    if sys.platform == "win32":
        return (
            Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
            / "qwixx"
            / "Cache"
        )
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "qwixx"
