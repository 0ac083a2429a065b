"""An event as a sentence for players."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.log.entry import RulingRecord
from assistant.log.event import Event
from assistant.scene.values import JsonValue

_CAMERA = {
    "camera_moved": "the camera moved; the table was measured anew",
    "camera_lost": "the camera gives no picture",
    "camera_back": "the camera is back",
}


def sentence(event: Event, names: Mapping[str, str]) -> str:
    """What happened, with the pieces called by their names.

    >>> sentence(Event(3.0, 90, "moved", {"piece": "a", "flips": 2}), {"a": "Orc Boyz"})
    'Orc Boyz moved, 2 flips'
    >>> sentence(Event(3.0, 90, "violation", {"piece": "a", "rule": "outside zone"}), {})
    'violation by a: outside zone'
    >>> sentence(Event(3.0, 90, "engagement", {"attackers": ["a"], "defenders": ["b"]}), {"a": "Orc Boyz"})
    'Orc Boyz and b are engaged'
    >>> sentence(Event(3.0, 90, "moved", {"piece": "a", "unit": "Guard", "contact": ["Orcs"]}), {})
    'Guard moved, in contact with Orcs'
    """
    fields = event.fields

    def name(key: str) -> str:
        identity = fields.get(key)
        return names.get(identity, identity) if isinstance(identity, str) else "something"

    match event.type:
        case "moved":
            who = name("unit") if "unit" in fields else name("piece")
            return f"{who} moved{_flips(fields.get('flips'))}{_wheel(fields.get('wheel'))}{_contact(fields, names)}"
        case "appeared":
            return f"{name('piece')} came onto the table"
        case "removed":
            return f"{name('piece')} left the table"
        case "pinned":
            return f"{name('top')} lies on {name('bottom')}"
        case "unpinned":
            return f"{name('top')} no longer lies on {name('bottom')}"
        case "token":
            change = fields.get("change")
            return f"{name('piece')}: {fields.get('token')} {change:+d}" if isinstance(change, int) else name("piece")
        case "bumped":
            count = len(event.pieces())
            return f"the table was bumped: {count} piece{_s(count)} shifted"
        case "engagement" if "attackers" in fields and "defenders" in fields:
            return f"{_people(fields['attackers'], names)} and {_people(fields['defenders'], names)} are engaged"
        case "correction":
            return "corrected by hand" + _remark(fields)
        case "note" if "piece" in fields:
            return name("piece") + _remark(fields)
        case "note" if isinstance(fields.get("text"), str):
            return str(fields["text"])
        case _:
            said = _CAMERA.get(event.type, event.type)
            who = ", ".join(names.get(piece, piece) for piece in event.pieces())
            return said + (f" by {who}" if who else "") + _remark(fields)


def _wheel(wheel: JsonValue) -> str:
    if not isinstance(wheel, dict):
        return ""
    return f", wheeled {wheel.get('angle_deg')} degrees about its {wheel.get('about')}"


def _contact(fields: Mapping[str, JsonValue], names: Mapping[str, str]) -> str:
    met = fields.get("contact")
    return f", in contact with {_people(met, names)}" if isinstance(met, list) and met else ""


def ruling_line(record: RulingRecord) -> str:
    """A ruling as one line: what it says, by which rule, how sure."""
    certainty, margin_mm = record.get("certainty"), record.get("margin_mm")
    figures = [str(record["rule"])] if record.get("rule") else []
    figures += [f"certainty {certainty:.0%}"] if isinstance(certainty, int | float) else []
    figures += [f"margin {margin_mm:.1f} mm"] if isinstance(margin_mm, int | float) else []
    figures += ["too close to call"] if record.get("close_call") is True else []
    told = str(record.get("sentence") or record.get("kind") or "")
    return f"{told} ({', '.join(figures)})" if figures else told


def _people(ids: JsonValue, names: Mapping[str, str]) -> str:
    several = ids if isinstance(ids, list) else [ids]
    return ", ".join(names.get(str(identity), str(identity)) for identity in several)


def _s(count: float) -> str:
    return "" if count == 1 else "s"


def _flips(flips: JsonValue) -> str:
    return f", {flips} flip{_s(flips)}" if isinstance(flips, int | float) else ""


def _remark(fields: Mapping[str, JsonValue]) -> str:
    remarks = [fields.get(key) for key in ("rule", "sentence", "text", "why")]
    told = ", ".join(remark for remark in remarks if isinstance(remark, str) and remark)
    return f": {told}" if told else ""
