"""Move cards and gap zooms at the size of a battle report."""

from __future__ import annotations

import cv2

from assistant.evidence.of_event import event_card, event_zooms
from assistant.log.entry import LoggedEvent
from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from calibration.arrays import ByteImage

MOST_EVENTS = 60  # about 8 MB: what a phone still opens
_WIDEST_PX = 900
_QUALITY = 74
_FIRST = ("violation", "moved", "pinned", "engagement", "bumped")


def evidence_pictures(log: GameLog) -> dict[int, list[tuple[str, bytes]]]:
    """Captions and JPEGs by event: cards of all moves and the first zoom of what was judged, violations first."""
    events = [logged for logged in log.events() if logged.event.type in _FIRST]
    chosen = sorted(events, key=lambda logged: (_FIRST.index(logged.event.type), logged.id))[:MOST_EVENTS]
    shown = {logged.id: list(_pictures(log, logged)) for logged in chosen}
    return {identity: pictures for identity, pictures in shown.items() if pictures}


def _pictures(log: GameLog, logged: LoggedEvent) -> list[tuple[str, bytes]]:
    try:
        card = event_card(log, logged)
        zooms = event_zooms(log, logged, most=1)
    except LogError:  # a damaged picture: the report goes without it
        return []
    found = [] if card is None else [(f"{card.measure.headline()}: {card.measure.ruling()}", _jpeg(card.picture))]
    return found + [(zoom.measure(), _jpeg(zoom.picture)) for zoom in zooms]


def _jpeg(bgr: ByteImage) -> bytes:
    scale = min(1.0, _WIDEST_PX / bgr.shape[1])
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else bgr
    return bytes(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])[1].tobytes())
