"""Evidence that settles a dispute: move cards, gap zooms, clips. cv2, no Qt.

From a log, by an event (`logged_event(log, number)` finds it):

- `event_card(log, logged)` → `MoveCard | None`: `.measure` (figures and words), `.picture` (BGR).
- `event_zooms(log, logged)` → `tuple[GapZoom, ...]`, the most contested first: `.measure()`, `.px_per_mm`, `.picture`.
- `event_clip(log, logged)` → `Clip | None`: `.state` ("whole", "missing", "changed"), `.path`, `.why`.
- `event_clip(log, logged, ".jpg")`: the same for its strip of ten frames.

From a live game or a review, which have `Happening` and `Snapshot` values:

- `move_card(happening, roster, house)` → `MoveCard | None`, `move_measure(…)` for the figures alone.
- `gap_zoom(snapshot, ruling, names)` → `GapZoom | None`, for any ruling: unasked ones and answers to questions.
- `track_of(log, piece)` → `Track`: a piece's stops; `track_picture(log, track)` draws them.

`png_of(picture)` makes any of the pictures a PNG. Everything returns None, or an empty tuple, where there is nothing to
show; a damaged log raises `LogError`.
"""

from assistant.evidence.drawing import png_of
from assistant.evidence.gap_zoom import GapZoom, gap_zoom
from assistant.evidence.move_card import MoveCard, MoveMeasure, move_card, move_measure
from assistant.evidence.of_event import event_card, event_clip, event_zooms
from assistant.evidence.snapshots import happening_of, logged_event, rulings_of_state
from assistant.evidence.track import Stop, Track, track_of, track_picture

__all__ = [
    "GapZoom",
    "MoveCard",
    "MoveMeasure",
    "Stop",
    "Track",
    "event_card",
    "event_clip",
    "event_zooms",
    "gap_zoom",
    "happening_of",
    "logged_event",
    "move_card",
    "move_measure",
    "png_of",
    "rulings_of_state",
    "track_of",
    "track_picture",
]
