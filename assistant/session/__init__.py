"""The one translator: frames become sightings, sightings a scene, scenes events and rulings. No Qt, no cv2."""

from assistant.session.following import Session
from assistant.session.moment import Moment, TableSetting
from assistant.session.starting import session_for
from assistant.session.translation import calibration_fields, rulings_of, scene_of

__all__ = [
    "Moment",
    "Session",
    "TableSetting",
    "calibration_fields",
    "rulings_of",
    "scene_of",
    "session_for",
]
