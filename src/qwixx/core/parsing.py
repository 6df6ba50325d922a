"""Reads foreign JSON, and typed values out of it, with errors that say what was expected."""

import json
from math import isfinite
from typing import Any, Final

from .errors import BadJson, BadRequest, QwixxError, shown

LONGEST: Final = 1 << 20  # bytes of one JSON text


def _no_constant(name: str) -> float:
    raise json.JSONDecodeError(f"{name} is no number of JSON", name, 0)


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text[:20]} is too large")
    return number


def parse_json(text: bytes, longest: int = LONGEST) -> Any:
    """The value of a JSON text from a stranger:
    bounded, finite, never anything but a value or `BadJson`."""
    if len(text) > longest:
        raise BadJson(f"longer than the {longest} bytes allowed")
    try:
        return json.loads(text.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise BadJson(f"not UTF-8: byte {error.start + 1} fits no character") from None
    except RecursionError:
        raise BadJson("nested too deeply") from None
    except json.JSONDecodeError as error:
        raise BadJson(f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except ValueError:
        raise BadJson("not JSON: a number is too large") from None


class JsonObject:
    """A JSON object from a stranger, read key by key;
    what is not of the type asked for raises the given error."""

    def __init__(self, value: Any, what: str, error: type[QwixxError] = BadRequest) -> None:
        self.what = what
        self.error = error
        self.value: dict[str, Any] = value if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            raise error(f"{what} must be an object, not {shown(value)}")

    def any(self, key: str) -> Any:
        if key not in self.value:
            raise self.error(f'{self.what} lacks "{key}"')
        return self.value[key]

    def integer(self, key: str, low: int, high: int, default: int | None = None) -> int:
        value = default if default is not None and key not in self.value else self.any(key)
        if type(value) is not int or not low <= value <= high:
            raise self._wrong(key, f"a whole number from {low} to {high}")
        return value

    def text(self, key: str) -> str:
        value = self.any(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a string")
        return value

    def array(self, key: str) -> list[Any]:
        value = self.any(key)
        if not isinstance(value, list):
            raise self._wrong(key, "an array")
        return value

    def object(self, key: str) -> dict[str, Any]:
        value = self.any(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "an object")
        return value

    def inner(self, key: str) -> "JsonObject":
        return JsonObject(self.any(key), f'"{key}" of {self.what}', self.error)

    def _wrong(self, key: str, wanted: str) -> QwixxError:
        return self.error(
            f'"{key}" of {self.what} must be {wanted}, not {shown(self.value.get(key))}'
        )
