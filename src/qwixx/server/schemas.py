"""The message types as JSON Schema, for the documents that are made from them."""

from typing import Any

import msgspec


def schemas_of(types: tuple[Any, ...], place: str) -> dict[str, dict[str, Any]]:
    """The schema of every type by its name. What a type says of itself becomes one line:
    how its lines are indented depends on the version of Python."""
    _, schemas = msgspec.json.schema_components(types, ref_template=f"{place}/{{name}}")
    for schema in schemas.values():
        if words := schema.get("description"):
            schema["description"] = " ".join(words.split())
    return schemas
