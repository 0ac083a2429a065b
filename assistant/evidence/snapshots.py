"""An event with the table before and after it: from a log, as the live window has it from the referee."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import cv2
import numpy as np

from assistant.games import GAMES
from assistant.log.entry import LoggedEvent, State
from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.rules.game import GameSystem
from assistant.rules.record import ruling_from_json
from assistant.rules.ruling import Ruling
from assistant.scene.names import display_names
from assistant.scene.values import JsonValue, Piece, Scene
from assistant.session.history import Happening, Snapshot
from assistant.session.view_json import view_from_json
from calibration.arrays import ByteImage

_CORRECTIONS = 12  # in a row that are looked through for a picture


def logged_event(log: GameLog, event_id: int) -> LoggedEvent:
    """The event of that number; LogError where the log has none."""
    logged = log.event(event_id)
    if logged is None:
        raise LogError(
            f"no event {event_id}", log.path, "events are numbered from 1, in the order of export --format jsonl"
        )
    return logged


def happening_of(log: GameLog, logged: LoggedEvent) -> Happening | None:
    """The event with the table before and after; None where no table was known yet."""
    after = None if logged.state_id is None else log.state(logged.state_id)
    if after is None:
        return None
    before = log.state_before(after.id)
    return Happening(logged.event, None if before is None else snapshot_of(log, before), snapshot_of(log, after))


def rulings_of_state(log: GameLog, state_id: int | None) -> tuple[Ruling, ...]:
    """What the rules said of a state unasked, and what people asked of it."""
    rows = () if state_id is None else log.rulings(state_id)
    unasked = [row.records for row in rows if not any("question" in record for record in row.records)]
    asked = [record for row in rows for record in row.records if "question" in record]
    return tuple(ruling_from_json(_known(record)) for record in [*(unasked[-1] if unasked else ()), *asked])


def game_of_scene(scene: Scene) -> GameSystem | None:
    """The game a scene is of; None for a game this Pinpoint does not know."""
    return next((game for game in GAMES if game.id == scene.game), None)


def names_in(scene: Scene, roster: JsonValue) -> Mapping[str, str]:
    """What the pieces of a scene are called, by the roster of the log."""
    listed = roster.get("profiles") if isinstance(roster, dict) else None
    named = {
        str(profile["id"]): str(profile["name"])
        for profile in (listed if isinstance(listed, list) else ())
        if isinstance(profile, dict) and "id" in profile and "name" in profile
    }
    return display_names(scene, named)


def piece_of(scene: Scene, identity: JsonValue) -> Piece | None:
    """The piece of that id, where it is on the table."""
    return next((piece for piece in scene.on_field() if piece.id == identity), None)


def picture_of(snapshot: Snapshot) -> ByteImage | None:
    """The picture a table was read from; None where none was kept or it cannot be read."""
    jpeg = snapshot.read_jpeg()
    if not jpeg:
        return None
    try:
        picture = cv2.imdecode(np.frombuffer(jpeg, dtype=np.uint8), cv2.IMREAD_COLOR)
    except cv2.error:
        return None
    return None if picture is None else np.asarray(picture, dtype=np.uint8)


def snapshot_of(log: GameLog, state: State) -> Snapshot:
    """A state with its view and the picture it was read from."""
    view = view_from_json(log.settings_at(state.t_s).calibration)
    return Snapshot(state.scene, view, _reader(log, _picture_id(log, state)), state.t_s)


def _picture_id(log: GameLog, state: State) -> int | None:
    """The picture of a state; a state that a correction made has that of the one before, where nothing moved."""
    pictures = {picture.state_id: picture.id for picture in reversed(tuple(log.pictures()))}
    earlier: State | None = state
    for _ in range(_CORRECTIONS):
        if earlier is None or not _lies_as(earlier.scene, state.scene):
            return None
        if earlier.id in pictures:
            return pictures[earlier.id]
        earlier = log.state_before(earlier.id)
    return None


def _lies_as(one: Scene, other: Scene) -> bool:
    places = {piece.id: piece.centre for piece in one.on_field()}
    return all(places.get(piece.id, piece.centre) == piece.centre for piece in other.on_field())


def _reader(log: GameLog, picture_id: int | None) -> Callable[[], bytes]:
    return (lambda: b"") if picture_id is None else (lambda: log.jpeg(picture_id))


def _known(record: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {key: value for key, value in record.items() if key != "question"}
