"""The OpenAPI document of the server."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from assistant.scene.values import JsonValue

Json = dict[str, JsonValue]

_SECONDS: Json = {"type": "number", "description": "seconds of the game"}
_TEXT: Json = {"type": "string"}
_WHOLE: Json = {"type": "integer"}
_BY: Json = {"type": "string", "description": "who does it, for the log", "maxLength": 200}
_WHY: Json = {"type": "string", "description": "the reason, for the log", "maxLength": 200}


@cache
def document() -> Json:
    """OpenAPI 3.1 of every address that answers data."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Pinpoint",
            "version": "1",
            "description": "One table of a camera referee: what lies there, what the rules say, what happens. "
            "Lengths in millimetres, times in seconds of the game. On loopback watching needs no key; beyond it every "
            "request does.",
        },
        "servers": [{"url": "/"}],
        "security": [{}, {"bearer": []}, {"link": []}, {"cookie": []}],
        "paths": _paths(),
        "components": {
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "link": {"type": "apiKey", "in": "query", "name": "key"},
                "cookie": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": "pinpoint-PORT",
                    "description": "set when a link with ?key= is opened",
                },
            },
            "schemas": _schemas(),
            "responses": {
                "Unauthorized": _answer("the key is wrong or missing", _ref("Error")),
                "Forbidden": _answer("only the referee may do this", _ref("Error")),
                "BadRequest": _answer("the request does not fit", _ref("Error")),
                "NotFound": _answer("there is none", _ref("Error")),
                "Finished": _answer("the game is finished, or there is nothing to take back", _ref("Error")),
                "Busy": _answer("too often, or too much at a time", _ref("Error")),
            },
        },
    }


def _paths() -> Json:
    v1 = "/api/v1"
    moment = _query("at", _SECONDS, "the moment; without it, now")
    picture = [
        _query("width", {"type": "integer", "minimum": 16, "maximum": 3840}, "at most so many pixels wide"),
        _query("overlay", {"type": "string", "enum": ["0", "1"]}, "1 draws what was read over it"),
    ]
    return {
        f"{v1}/state": _get("The table now", _ref("State")),
        f"{v1}/about": _get("The game, and what this client may do", _ref("About")),
        f"{v1}/events": _get(
            "Events behind a number, oldest first",
            _ref("Events"),
            [
                _query("after", _WHOLE, "only events with a higher number"),
                _query("limit", {"type": "integer", "minimum": 1, "maximum": 1000}, "at most so many"),
            ],
            bad=True,
        ),
        f"{v1}/moments": _get(
            "When the table came to rest",
            _object({"moments": {"type": "array", "items": _SECONDS}}),
        ),
        f"{v1}/scenes": _get("The scene at a moment", _ref("Scene"), [moment], bad=True, missing=True),
        f"{v1}/ask": {
            "post": _operation(
                "One question, answered as `pinpoint ask` answers it",
                _answer("the answer", _ref("Answer")),
                [_query("full", {"type": "string", "enum": ["1"]}, "the whole ruling, with sentence and evidence")],
                body=_object({"question": {**_TEXT, "maxLength": 500}, "at": _SECONDS}, ["question"]),
                bad=True,
            )
        },
        f"{v1}/between": _get(
            "All that the rules say of two pieces",
            _object({"rulings": {"type": "array", "items": _ref("Ruling")}}),
            [_query("first", _TEXT, "a piece", True), _query("second", _TEXT, "another", True), moment],
            bad=True,
        ),
        f"{v1}/frame.jpg": _get(
            "The picture", {"type": "string"}, [*picture, moment], kind="image/jpeg", bad=True, missing=True
        ),
        f"{v1}/frame.mjpeg": _get(
            "The picture again and again",
            {"type": "string"},
            [*picture, _query("fps", {"type": "number", "minimum": 0.2, "maximum": 15, "default": 5}, "a second")],
            kind="multipart/x-mixed-replace",
            bad=True,
            missing=True,
        ),
        f"{v1}/evidence/{{seq}}/{{name}}": _get(
            "Evidence of an event",
            {"type": "string"},
            [
                _in_path("seq", _WHOLE, "the event's number"),
                _in_path("name", {"type": "string", "enum": ["card.png", "gap.png", "clip.mp4"]}, "which"),
            ],
            kind="application/octet-stream",
            missing=True,
        ),
        f"{v1}/alternatives": _get(
            "What a piece may be instead, or what may lie unseen at a place (referee)",
            _object({"alternatives": {"type": "array", "items": _ref("Correction")}}),
            [
                _query("piece", _TEXT, "a piece"),
                _query("x", {"type": "number"}, "mm"),
                _query("y", {"type": "number"}, "mm"),
            ],
            bad=True,
            referee=True,
        ),
        f"{v1}/correct": _action("A correction (referee)", _ref("Correction")),
        f"{v1}/stage": _action(
            "Round and phase (referee)",
            _object({"round": {"type": "integer", "minimum": 1, "maximum": 99}, "phase": _TEXT, "by": _BY}),
        ),
        f"{v1}/tell": _action(
            "What a person tells of the game's course: start, advance, back, or a word of the game (referee)",
            _object({"text": {**_TEXT, "maxLength": 200}, "by": _BY}, ["text"]),
        ),
        f"{v1}/verdict": _action(
            "Accept or overrule a violation, or settle a close call by hand (referee)", _ref("Verdict"), missing=True
        ),
        f"{v1}/undo": _action("Take the last correction back (referee)", _object({"by": _BY})),
        f"{v1}/call": _action(
            "Call the referee to the table", _object({"text": {**_TEXT, "maxLength": 200}, "by": _BY}), referee=False
        ),
        f"{v1}/live": {
            "get": {
                "summary": "The feed, as a WebSocket",
                "description": "Messages as in the schema Message; their numbers rise by one. Without `after` a "
                "snapshot comes first; with it what was missed, or a snapshot where that is no longer known. A client "
                "that does not keep up is closed with 1013.",
                "parameters": [
                    _query("after", _WHOLE, "the last number received"),
                    _query("session", _TEXT, "the state's session the number belongs to"),
                ],
                "responses": {
                    "101": {"description": "the feed"},
                    "401": {"$ref": "#/components/responses/Unauthorized"},
                    "403": {"description": "the page belongs to another site"},
                },
                "x-message": _ref("Message"),
            }
        },
        "/openapi.json": _get("This document", {"type": "object"}),
    }


def _schemas() -> Json:
    event: Json = {
        "type": "object",
        "description": "one thing that happened; further fields by its type",
        "properties": {"seq": _WHOLE, "t": _SECONDS, "frame": _WHOLE, "type": _TEXT},
        "required": ["seq", "t", "frame", "type"],
        "additionalProperties": True,
    }
    status = _object(
        {
            "camera": {"type": "string", "enum": ["live", "lost", "ended"]},
            "table": {"type": "string", "enum": ["resting", "moving", "held"]},
            "recording": {"type": "boolean"},
        },
        ["camera", "table", "recording"],
    )
    texts: Json = {"type": "object", "additionalProperties": _TEXT}
    return {
        "Error": _object({"error": _TEXT}, ["error"]),
        "Scene": {
            "type": "object",
            "description": "pinpoint.scene/1: table, pieces, terrain in millimetres",
            "properties": {"schema": {"const": "pinpoint.scene/1"}},
        },
        "Answer": {"type": "object", "description": "fields by question", "additionalProperties": True},
        "Ruling": {
            "type": "object",
            "description": "kind, verdict, sentence, rule, pieces, evidence, margin_mm, certainty, close_call, answer",
            "additionalProperties": True,
        },
        "Event": event,
        "Events": _object(
            {"events": {"type": "array", "items": _ref("Event")}, "texts": texts, "last": _WHOLE}, ["events", "last"]
        ),
        "Status": status,
        "State": _object(
            {
                "schema": {"const": "pinpoint.state/1"},
                "session": {"type": "string", "description": "the run that the numbers belong to"},
                "seq": _WHOLE,
                "t": _SECONDS,
                "game": _TEXT,
                "status": _ref("Status"),
                "round": {"type": ["integer", "null"]},
                "phase": {"type": ["string", "null"]},
                "scene": _ref("Scene"),
                "rulings": {"type": "array", "items": _ref("Ruling")},
                "events": {"type": "array", "items": _ref("Event")},
                "texts": {**texts, "description": "the events as sentences, by number"},
                "names": {**texts, "description": "what the pieces are called"},
                "course": {
                    "type": ["object", "null"],
                    "description": "where the game stands: round, phase, players with their scores, what is needed",
                },
            },
            ["schema", "seq", "t", "game", "status", "round", "phase", "scene", "rulings", "events"],
        ),
        "About": {"type": "object", "additionalProperties": True},
        "Message": _object(
            {
                "seq": _WHOLE,
                "type": {"type": "string", "enum": ["snapshot", "scene", "event", "rulings", "status"]},
                "data": {"description": "a State, a Scene, an Event, a list of Rulings or a Status"},
            },
            ["seq", "type", "data"],
        ),
        "Correction": {
            "type": "object",
            "description": "one of: piece with changes or not_a_piece; above; missing",
            "properties": {
                "piece": _TEXT,
                "changes": {"type": "object", "description": "owner, profile, tokens, unit, state, x, y, …"},
                "not_a_piece": {"type": "boolean"},
                "above": {"type": "array", "items": _TEXT, "description": "[upper, lower]"},
                "missing": {"type": "object", "description": "a piece of the scene format"},
                "why": _WHY,
                "by": _BY,
            },
        },
        "Verdict": {
            "type": "object",
            "properties": {
                "seq": {"type": "integer", "description": "the violation's number"},
                "question": {"type": "string", "description": "or the close call, as a question"},
                "verdict": {"type": "string", "enum": ["accept", "overrule", "yes", "no"]},
                "measured_mm": {"type": "number", "description": "measured by hand"},
                "why": _WHY,
                "by": _BY,
            },
            "required": ["verdict"],
        },
        "Done": _object({"seq": {"type": ["integer", "null"]}, "text": _TEXT}, ["seq", "text"]),
    }


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _object(properties: Mapping[str, JsonValue], required: list[JsonValue] | None = None) -> Json:
    return {"type": "object", "properties": dict(properties), **({"required": required} if required else {})}


def _answer(description: str, schema: Json, kind: str = "application/json") -> Json:
    return {"description": description, "content": {kind: {"schema": schema}}}


def _query(name: str, schema: Json, description: str, required: bool = False) -> Json:
    return {"name": name, "in": "query", "required": required, "schema": schema, "description": description}


def _in_path(name: str, schema: Json, description: str) -> Json:
    return {"name": name, "in": "path", "required": True, "schema": schema, "description": description}


def _get(
    summary: str,
    schema: Json,
    parameters: list[Json] | None = None,
    kind: str = "application/json",
    bad: bool = False,
    missing: bool = False,
    referee: bool = False,
) -> Json:
    answer = _answer(summary, schema, kind)
    return {"get": _operation(summary, answer, parameters, bad=bad, missing=missing, referee=referee)}


def _action(summary: str, body: Json, missing: bool = False, referee: bool = True) -> Json:
    operation = _operation(
        summary, _answer("it is in the game", _ref("Done")), body=body, bad=True, missing=missing, referee=referee
    )
    answers = operation["responses"]
    if isinstance(answers, dict):
        answers["202"] = _answer("it will be in the game with the next picture", _ref("Done"))
        answers["409"] = {"$ref": "#/components/responses/Finished"}
    return {"post": operation}


def _operation(
    summary: str,
    answer: Json,
    parameters: list[Json] | None = None,
    body: Json | None = None,
    bad: bool = False,
    missing: bool = False,
    referee: bool = False,
) -> Json:
    named = {"401": "Unauthorized", "429": "Busy"}
    if bad:
        named["400"] = "BadRequest"
    if referee:
        named["403"] = "Forbidden"
    if missing:
        named["404"] = "NotFound"
    responses: Json = {"200": answer}
    responses |= {status: {"$ref": f"#/components/responses/{name}"} for status, name in named.items()}
    operation: Json = {"summary": summary, "responses": responses}
    if parameters:
        operation["parameters"] = [*parameters]
    if body is not None:
        operation["requestBody"] = {"content": {"application/json": {"schema": body}}}
    return operation
