"""A whole game in one piece: its states, what led from one to the next, and what was close."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from assistant.log.entry import LoggedEvent, LoggedRulings, RulingRecord, State
from assistant.log.game_log import GameLog
from assistant.log.settings import Settings
from assistant.scene.values import JsonValue

NO_OWNER = "(no owner)"


@dataclass(frozen=True, slots=True)
class CloseCall:
    """A ruling that a person should have measured by hand, when it first came up."""

    t_s: float
    state_id: int | None
    record: RulingRecord


@dataclass(frozen=True, slots=True)
class Story:
    """Everything but the pictures. `names` calls pieces by what they are, `owners` says whose they are."""

    settings: Settings
    end_s: float
    states: tuple[State, ...]
    events: tuple[LoggedEvent, ...]
    close_calls: tuple[CloseCall, ...]
    names: Mapping[str, str]
    owners: Mapping[str, str]

    def state(self, state_id: int | None) -> State | None:
        """The state of that id."""
        return next((state for state in self.states if state.id == state_id), None)

    def players(self) -> tuple[str, ...]:
        """Everyone who played: as the scenes name them, then owners they forget; last, where needed, nobody."""
        listed = (player.id for state in self.states for player in state.scene.players)
        owners = sorted(self.owners.values(), key=lambda owner: owner == NO_OWNER)
        return tuple(dict.fromkeys([*listed, *owners]))


def read_story(log: GameLog) -> Story:
    """Reads a game through."""
    states = tuple(log.states())
    events = tuple(log.events())
    rulings = tuple(log.all_rulings())
    return Story(
        settings=log.settings,
        end_s=log.end()[0],
        states=states,
        events=events,
        close_calls=tuple(close_calls(rulings)),
        names=_names(states, log.settings.roster),
        owners={piece.id: piece.owner or NO_OWNER for state in states for piece in state.scene.pieces},
    )


def close_calls(rulings: Iterable[LoggedRulings]) -> Iterator[CloseCall]:
    """Each close call once, for as long as it lasts without a break."""
    lasting: set[str] = set()
    for row in rulings:
        asked = any("question" in record for record in row.records)
        close = {_about(record): record for record in row.records if record.get("close_call") is True}
        for about, record in close.items():
            if about not in lasting:
                yield CloseCall(row.t_s, row.state_id, record)
        lasting = lasting | close.keys() if asked else set(close)


def record_list(record: RulingRecord, name: str) -> list[JsonValue]:
    """A list in a ruling's record; empty where there is none."""
    value = record.get(name)
    return value if isinstance(value, list) else []


def _about(record: RulingRecord) -> str:
    return f"{record.get('kind')} {record.get('pieces')} {record.get('question')}"


def profile_names(roster: JsonValue) -> dict[str, str]:
    """What a roster calls its profiles, by their ids."""
    listed = roster.get("profiles") if isinstance(roster, dict) else None
    return {
        str(profile["id"]): str(profile["name"])
        for profile in (listed if isinstance(listed, list) else ())
        if isinstance(profile, dict) and "id" in profile and "name" in profile
    }


def _names(states: tuple[State, ...], roster: JsonValue) -> dict[str, str]:
    """What each piece is called: the roster's name, with the id after it where several would be called the same."""
    profiles = profile_names(roster)
    plain = {piece.id: profiles.get(piece.profile or "", piece.id) for state in states for piece in state.scene.pieces}
    shared = Counter(plain.values())
    return {identity: f"{name} ({identity})" if shared[name] > 1 else name for identity, name in plain.items()}
