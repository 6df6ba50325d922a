"""The page's types, made from the message types:
`python -m qwixx.server.typescript > web/src/messages.ts`."""

from typing import Any, Final

from qwixx.server import messages as m
from qwixx.server.schemas import schemas_of

_ROOTS: Final = (
    *(m.Request, m.Message, m.NewTable, m.Made, m.Offer, m.Lobby, m.RoundLog, m.Story, m.Problem),
    *(m.MomentWanted, m.Moment, m.TablesWanted, m.MyTables),
    *(m.PositionWanted, m.ValuesWanted, m.Explored, m.ReviewProgress),
)
_NAMED: Final = {"Request": m.Request, "Message": m.Message}
_PLAIN: Final = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}
_HEAD: Final = (
    "// Made from the server's message types by `python -m qwixx.server.typescript`. Do not edit.\n"
)


def _type(schema: dict[str, Any]) -> str:
    """A JSON Schema as a TypeScript type."""
    if "$ref" in schema:
        return str(schema["$ref"]).rsplit("/", 1)[1]
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(_type(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join("null" if one is None else f'"{one}"' for one in schema["enum"])
    if "const" in schema:
        return f'"{schema["const"]}"'
    kind = schema.get("type")
    if kind == "array" and "items" in schema:
        inner = _type(schema["items"])
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return (
            f"Record<string, {_type(values)}>"
            if isinstance(values, dict) and values
            else "Record<string, unknown>"
        )
    return _PLAIN[str(kind)] if kind else "unknown"


def _interface(name: str, schema: dict[str, Any]) -> str:
    needed = set(schema.get("required", ()))
    words = f"/** {schema['description']} */\n" if schema.get("description") else ""
    lines = []
    for key, value in schema["properties"].items():
        if value.get("description"):
            lines.append(f"  /** {value['description']} */")
        lines.append(f"  {key}{'' if key in needed else '?'}: {_type(value)};")
    return f"{words}export interface {name} {{\n" + "\n".join(lines) + "\n}\n"


def document() -> str:
    """All types, in the order of their names."""
    components = schemas_of(_ROOTS, "#/$defs")
    parts = [_interface(name, schema) for name, schema in sorted(components.items())]
    for name, union in _NAMED.items():
        members = " | ".join(member.__name__ for member in union.__args__)
        parts.append(f"export type {name} = {members};\n")
    return _HEAD + "\n" + "\n".join(parts)


if __name__ == "__main__":
    print(document(), end="")
