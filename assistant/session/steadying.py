"""Holds a live camera still once its table is measured: what it changes by itself would look like a change there."""

from __future__ import annotations

from assistant.session.referee import Update
from vision.camera.live import LiveSource, SourceItem
from vision.camera.source import FrameSource


class Steadying:
    """Listens to the referee of one source; `automatic` leaves focus, exposure and white balance to the camera.

    The camera is held when the table has first come to rest: it is sharp and bright enough then to be measured. After
    the camera was lost it is held again by the source itself.
    """

    def __init__(self, source: FrameSource, automatic: bool = False) -> None:
        self._source = source if isinstance(source, LiveSource) else None
        self._automatic = automatic
        self._held = False

    @property
    def automatic(self) -> bool:
        """Whether everything is left to the camera."""
        return self._automatic

    def __call__(self, _item: SourceItem | None, update: Update) -> None:
        """Holds the camera at the first settled state: a listener of the referee."""
        moment = update.moment
        if self._source is None or self._automatic or self._held:
            return
        if moment.settled and moment.view is not None and moment.state_frame >= 0:
            self._held = True
            self._source.hold_still(True)

    def leave_to_camera(self, automatic: bool) -> None:
        """Somebody pressed the button: leaves everything to the camera, or holds it from the next settled state on."""
        self._automatic = automatic
        self._held = False
        if self._source is not None and automatic:
            self._source.hold_still(False)
