"""What must be installed besides for the lab, and how to get it."""

from importlib.util import find_spec
from typing import Final

from qwixx.core.errors import QwixxError

EXTRAS: Final = {"lab": ("numba", "numpy"), "cluster": ("distributed",)}


class MissingExtra(QwixxError):
    """Something that a command needs is not installed."""

    code = "missing_extra"


def need(*extras: str) -> None:
    """Raise, with the line that helps, if an extra is not installed."""
    for extra in extras:
        missing = [module for module in EXTRAS[extra] if find_spec(module) is None]
        if missing:
            raise MissingExtra(f"this needs {' and '.join(missing)}: pip install 'qwixx[{extra}]'")
