"""What must be installed besides for some parts, and how to get it."""

from importlib.util import find_spec
from typing import Final

from qwixx.core.errors import QwixxError

EXTRAS: Final = {
    "lab": ("numba", "numpy"),
    "cluster": ("distributed",),
    "rl": ("gymnasium", "pettingzoo", "numba"),
    "openspiel": ("pyspiel",),
    "parquet": ("pyarrow",),
    "postgres": ("psycopg",),
}


class MissingExtra(QwixxError, ImportError):
    """Something that a command or a module needs is not installed."""

    code = "missing_extra"


def need(*extras: str) -> None:
    """Raise, with the line that helps, if an extra is not installed."""
    for extra in extras:
        missing = [module for module in EXTRAS[extra] if find_spec(module) is None]
        if missing:
            raise MissingExtra(f"this needs {' and '.join(missing)}: pip install 'qwixx[{extra}]'")
