"""What a referee does from a phone: read from JSON, checked, handed to the game, with who did it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from assistant.scene.errors import GameError
from assistant.scene.reading import piece_from_json
from assistant.scene.values import JsonValue, Piece, Point, Scene, Table
from assistant.scene.writing import scene_to_json
from assistant.session.corrections import Correction, alternatives, applied, missing_pieces, token_correction
from assistant.session.referee import Referee, Stage
from assistant.web.table import ServedTable

Body = Mapping[str, JsonValue]

_FIELDS = ("owner", "profile", "tokens", "unit", "state", "stats", "keywords", "x", "y", "facing_deg", "shape")
_TEXT_LETTERS = 200
_ROUNDS = 99
_ACCEPT, _OVERRULE = ("accept", "accepted"), ("overrule", "overruled")


class ActionError(Exception):
    """What was asked cannot be done, with the status to answer."""

    def __init__(self, why: str, status: int = 400) -> None:
        super().__init__(why)
        self.status = status


class Actions:
    """Puts what people say into a running game."""

    def __init__(self, table: ServedTable) -> None:
        self._table = table
        self._feed = table.feed
        self._wake = table.wake

    def correct(self, body: Body) -> None:
        """A correction of what was seen."""
        referee, who = self._running(), _who(body)
        correction = self._correction(body)
        try:
            applied(self._feed.scene, (correction,))
        except GameError as error:
            raise ActionError(str(error)) from None
        referee.correct(correction, who)
        self._wake()

    def stage(self, body: Body) -> None:
        """Another round or phase."""
        referee, who = self._running(), _who(body)
        if referee.course is not None:
            raise ActionError("the game's course is followed: tell what comes next", 409)
        scene, phases = self._feed.scene, self._feed.setting.game.phases
        number = body.get("round", scene.round if scene.round is not None else 1)
        if isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= _ROUNDS:
            raise ActionError(f"wrong round: expected a whole number from 1 to {_ROUNDS}")
        phase = body.get("phase", "")
        if phase is None:
            phase = ""
        if not isinstance(phase, str) or (phase and phases and phase not in phases):
            raise ActionError(f"wrong phase: this game has {', '.join(phases) or 'none'}")
        referee.set_stage(Stage(number, _short(phase)), who)
        self._wake()

    def tell(self, body: Body) -> None:
        """What a person tells of the game's course: start, advance, back, or a word of the game."""
        try:
            self._running().tell(_text(body, "text"), _who(body))
        except GameError as error:
            raise ActionError(str(error)) from None
        self._wake()

    def verdict(self, body: Body) -> None:
        """Accepts or overrules a violation, or settles a close call with a hand measurement."""
        referee, who = self._running(), _who(body)
        if "question" in body:
            self._measured(referee, body, who)
        else:
            self._violation(referee, body, who)
        self._wake()

    def undo(self, body: Body) -> None:
        """Takes the last correction back."""
        if not self._running().undo(_who(body)):
            raise ActionError("there is no correction to take back", 409)
        self._wake()

    def call(self, body: Body) -> None:
        """A watcher calls the referee to the table."""
        text = _text(body, "text")
        self._running().note(
            "the referee is called" + (f": {text}" if text else ""), {"by": _who(body, "a watcher"), "call": True}
        )
        self._wake()

    def alternatives(self, identity: str | None, place: Point | None) -> list[JsonValue]:
        """What a piece may be instead, or what may lie unseen at a place; each with the body that says so."""
        self._running()
        scene, names, setting = self._feed.scene, self._feed.names, self._feed.setting
        profiles = setting.roster.profiles if setting.roster else ()
        if identity is None:
            if place is None:
                raise ActionError("expected a piece, or x and y")
            found = missing_pieces(scene, place, profiles, setting.game.circles_mm)
        else:
            try:
                counts = scene.piece(identity).tokens
            except GameError as error:
                raise ActionError(str(error)) from None
            found = alternatives(scene, identity, profiles, names)
            found[-1:-1] = [
                token_correction(scene, identity, kind, counts.get(kind, 0) + 1, names)
                for kind in setting.game.token_kinds
            ]
        return [_body(correction) for correction in found]

    def _running(self) -> Referee:
        if self._table.referee is None:
            raise ActionError("this game is finished: it can be looked at, not changed", 409)
        return self._table.referee

    def _correction(self, body: Body) -> Correction:
        """A correction from its JSON; see the OpenAPI document."""
        scene, why = self._feed.scene, _text(body, "why")
        if "missing" in body:
            piece = _piece(body["missing"])
            if any(known.id == piece.id for known in scene.pieces):
                raise ActionError(f"piece {piece.id!r} is there already")
            return Correction(why or f"{piece.id} lies here", (), missing=piece)
        if "above" in body:
            top, bottom = _pair(body["above"])
            anchors = (self._anchor(top), self._anchor(bottom))
            if (bottom, top) not in scene.above and (top, bottom) not in scene.above:
                raise ActionError(f"{top} and {bottom} do not overlap")
            return Correction(why or f"{self._name(top)} lies on {self._name(bottom)}", anchors, above=(top, bottom))
        identity = body.get("piece")
        if not isinstance(identity, str):
            raise ActionError("expected piece, above or missing")
        anchor = self._anchor(identity)
        if body.get("not_a_piece") is True:
            return Correction(why or f"{self._name(identity)} is not a piece", (anchor,), not_a_piece=True)
        changes = body.get("changes")
        if not isinstance(changes, dict) or not changes:
            raise ActionError('expected changes, such as {"owner": "order"}, or not_a_piece')
        unknown = sorted(set(changes) - set(_FIELDS))
        if unknown:
            raise ActionError(f"{unknown[0]!r} cannot be corrected; expected {', '.join(_FIELDS)}")
        told = why or f"{self._name(identity)}: {', '.join(sorted(changes))} corrected"
        return Correction(told, (anchor,), {**self._profile_values(changes), **changes})

    def _profile_values(self, changes: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        """Another profile brings its own values and owner."""
        roster = self._feed.setting.roster
        profile = roster.by_id().get(str(changes.get("profile"))) if roster else None
        if profile is None:
            return {}
        return {**profile.values, **({"owner": profile.owner} if profile.owner else {})}

    def _anchor(self, identity: str) -> tuple[str, Point]:
        try:
            return (identity, self._feed.scene.piece(identity).centre)
        except GameError as error:
            raise ActionError(str(error)) from None

    def _name(self, identity: str) -> str:
        return self._feed.names.get(identity, identity)

    def _violation(self, referee: Referee, body: Body, who: str) -> None:
        seq = body.get("seq")
        told = self._feed.event(seq) if isinstance(seq, int) and not isinstance(seq, bool) else None
        if told is None:
            raise ActionError("expected seq, the number of a violation", 400 if seq is None else 404)
        if told.event.type != "violation":
            raise ActionError(f"event {seq} is no violation but {told.event.type}")
        verdict, why = body.get("verdict"), _text(body, "why")
        reason = f" ({why})" if why else ""
        fields: dict[str, JsonValue] = {"by": who, "of": told.event.to_json()}
        if verdict in _ACCEPT:
            referee.note(f"accepted: {told.text}{reason}", {**fields, "verdict": "accepted"})
        elif verdict in _OVERRULE:
            referee.overrule(f"overruled: {told.text}{reason}", {**fields, "verdict": "overruled"})
        else:
            raise ActionError("wrong verdict: expected accept or overrule")

    def _measured(self, referee: Referee, body: Body, who: str) -> None:
        question, answer, measured = _text(body, "question"), body.get("verdict"), body.get("measured_mm")
        if answer not in ("yes", "no"):
            raise ActionError("wrong verdict: expected yes or no")
        fields: dict[str, JsonValue] = {"by": who, "question": question, "verdict": answer}
        told = f"settled by hand: {question}: {answer}"
        if measured is not None:
            if isinstance(measured, bool) or not isinstance(measured, int | float) or not 0 <= measured < 1e5:
                raise ActionError("wrong measured_mm: expected millimetres")
            fields["measured_mm"] = round(float(measured), 2)
            told += f", measured {measured / 25.4:.2f} in"
        why = _text(body, "why")
        referee.overrule(told + (f" ({why})" if why else ""), fields)


def _body(correction: Correction) -> JsonValue:
    """The JSON that `Actions.correct` reads back."""
    told: dict[str, JsonValue] = {"why": correction.why}
    if correction.missing is not None:
        scene = Scene("", Table(1.0, 1.0), pieces=(correction.missing,))
        written = scene_to_json(scene)["pieces"]
        return {**told, "missing": written[0] if isinstance(written, list) else None}
    if correction.above is not None:
        return {**told, "above": list(correction.above)}
    identity = correction.anchors[0][0]
    if correction.not_a_piece:
        return {**told, "piece": identity, "not_a_piece": True}
    changes: dict[str, JsonValue] = {name: correction.changes[name] for name in _FIELDS if name in correction.changes}
    return {**told, "piece": identity, "changes": changes}


def _piece(data: JsonValue) -> Piece:
    try:
        piece = piece_from_json(data, "missing")
    except GameError as error:
        raise ActionError(str(error)) from None
    if not piece.on_field or not all(math.isfinite(value) for value in piece.centre):
        raise ActionError("missing: expected x and y")
    return piece


def _pair(value: JsonValue) -> tuple[str, str]:
    if isinstance(value, list) and len(value) == 2 and isinstance(value[0], str) and isinstance(value[1], str):
        return (value[0], value[1])
    raise ActionError("above: expected [upper, lower]")


def _who(body: Body, default: str = "referee") -> str:
    return _text(body, "by") or default


def _text(body: Body, name: str) -> str:
    value = body.get(name, "")
    if not isinstance(value, str):
        raise ActionError(f"{name}: expected a text")
    return _short(value)


def _short(text: str) -> str:
    """One line of bounded length, without control characters."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())[:_TEXT_LETTERS]
