"""The OpenAPI document of the HTTP part, made from the message types.

`python -m qwixx.server.openapi > docs/openapi.json`
"""

import json
from typing import Any, Final

from qwixx import __version__
from qwixx.server import messages as m
from qwixx.server.schemas import schemas_of

_BODIES: Final = (
    *(m.NewTable, m.Made, m.Offer, m.Lobby, m.TableView, m.RoundLog, m.Story, m.Problem),
    *(m.MomentWanted, m.Moment, m.TablesWanted, m.MyTables),
    *(m.PositionWanted, m.ValuesWanted, m.Explored, m.ReviewProgress),
)
_TABLE: Final = {
    "name": "table",
    "in": "path",
    "required": True,
    "description": "The table, as its link names it.",
    "schema": {"type": "string", "pattern": "^[a-z2-7]{20}$"},
}
_ROUND: Final = {
    "name": "round",
    "in": "query",
    "required": False,
    "description": "Which round; by default the last one that ended, or the one that runs.",
    "schema": {"type": "integer", "minimum": 1, "maximum": 999999},
}

_SEEN: Final = {
    "name": "seen",
    "in": "query",
    "required": False,
    "description": "How many turns the asker has: only later ones are told, once there are some.",
    "schema": {"type": "integer", "minimum": 0, "maximum": 999999},
}


def _content(schema: dict[str, Any], words: str, media: str = "application/json") -> dict[str, Any]:
    return {"description": words, "content": {media: {"schema": schema}}}


def _of(body: type) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{body.__name__}"}


def _body(body: type) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": _of(body)}}}


def _operation(name: str, words: str, answers: dict[str, Any], **more: Any) -> dict[str, Any]:
    problems = {"429": _content(_of(m.Problem), "Too many requests.")}
    return {"operationId": name, "summary": words, "responses": answers | problems, **more}


def document() -> dict[str, Any]:
    """The whole document."""
    components = schemas_of(_BODIES, "#/components/schemas")
    bad, missing = (
        _content(_of(m.Problem), "It cannot be done like that."),
        _content(_of(m.Problem), "There is none."),
    )
    made = _content(_of(m.Made), "The table is made, or was made by the same request before.")
    not_taken = {
        "400": bad,
        "403": _content(_of(m.Problem), "The page comes from another site."),
        "413": _content(_of(m.Problem), "The request is too large."),
    }
    not_judged, busy = (
        _content(_of(m.Problem), "Nothing can be judged just now."),
        _content(_of(m.Problem), "Too much is being judged: ask again in a moment."),
    )
    text = {"type": "string"}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "qwixx",
            "version": __version__,
            "description": "Tables for Qwixx and Qwixx Duel. Playing happens over the socket of a table.",
        },
        "paths": {
            "/": {
                "get": _operation(
                    "page", "The page", {"200": _content(text, "The page.", "text/html")}
                )
            },
            "/api/games": {
                "get": _operation(
                    "games", "Games and levels", {"200": _content(_of(m.Offer), "What there is.")}
                )
            },
            "/api/tables": {
                "get": _operation(
                    "lobby", "Tables anybody may join", {"200": _content(_of(m.Lobby), "The list.")}
                ),
                "post": _operation(
                    "newTable",
                    "Make a table",
                    {"201": made, **not_taken},
                    requestBody=_body(m.NewTable),
                ),
            },
            "/api/mine": {
                "post": _operation(
                    "myTables",
                    "Tables that a page knows, as its secret finds them",
                    {"200": _content(_of(m.MyTables), "The list."), **not_taken},
                    requestBody=_body(m.TablesWanted),
                )
            },
            "/api/moment": {
                "post": _operation(
                    "moment",
                    "What a table would show after some events",
                    {"200": _content(_of(m.Moment), "The moment."), **not_taken},
                    requestBody=_body(m.MomentWanted),
                )
            },
            "/api/position": {
                "post": _operation(
                    "position",
                    "What a table in any position would show",
                    {"200": _content(_of(m.Moment), "The moment."), **not_taken},
                    requestBody=_body(m.PositionWanted),
                )
            },
            "/api/values": {
                "post": _operation(
                    "values",
                    "What any position is worth, and every choice in it",
                    {
                        "200": _content(_of(m.Explored), "The values."),
                        **not_taken,
                        "409": not_judged,
                        "503": busy,
                    },
                    requestBody=_body(m.ValuesWanted),
                )
            },
            "/api/tables/{table}": {
                "get": _operation(
                    "table",
                    "A table as everybody sees it",
                    {"200": _content(_of(m.TableView), "The table."), "404": missing},
                    parameters=[_TABLE],
                )
            },
            "/api/tables/{table}/log": {
                "get": _operation(
                    "log",
                    "The throws and revealed choices of the present round",
                    {
                        "200": _content(_of(m.RoundLog), "The log."),
                        "403": _content(_of(m.Problem), "Nobody watches this table."),
                        "404": missing,
                    },
                    parameters=[_TABLE],
                )
            },
            "/api/tables/{table}/record": {
                "get": _operation(
                    "record",
                    "A round as a record",
                    {
                        "200": _content({"type": "object"}, "The record."),
                        "400": bad,
                        "403": _content(
                            _of(m.Problem),
                            "The round is not over and the asker does not play in it.",
                        ),
                        "404": missing,
                    },
                    parameters=[_TABLE, _ROUND],
                    security=[{}, {"seat": []}],
                )
            },
            "/api/tables/{table}/story": {
                "get": _operation(
                    "story",
                    "A finished round, moment by moment",
                    {
                        "200": _content(_of(m.Story), "The story."),
                        "400": bad,
                        "403": _content(_of(m.Problem), "The round is not over."),
                        "404": missing,
                    },
                    parameters=[_TABLE, _ROUND],
                )
            },
            "/api/tables/{table}/review": {
                "get": _operation(
                    "review",
                    "A finished round, judged: as far as that is done",
                    {
                        "200": _content(_of(m.ReviewProgress), "The review."),
                        "400": bad,
                        "403": _content(_of(m.Problem), "The round is not over."),
                        "404": missing,
                        "409": not_judged,
                        "503": busy,
                    },
                    parameters=[_TABLE, _ROUND, _SEEN],
                )
            },
            "/healthz": {
                "get": _operation(
                    "health", "Whether it runs", {"200": _content(text, "ok", "text/plain")}
                )
            },
            "/metrics": {
                "get": _operation(
                    "metrics",
                    "Numbers for Prometheus",
                    {
                        "200": _content(text, "Text.", "text/plain"),
                        "404": _content(_of(m.Problem), "There is no such token."),
                    },
                )
            },
        },
        "components": {
            "schemas": components,
            "securitySchemes": {
                "seat": {"type": "http", "scheme": "bearer", "description": "A seat's secret."}
            },
        },
    }


if __name__ == "__main__":
    print(json.dumps(document(), indent=1))
