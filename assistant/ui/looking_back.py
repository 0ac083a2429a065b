"""Looking back at a move while the game goes on: the table as it was, its evidence, before and after."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QMessageBox

from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.log.telling import sentence
from assistant.session import Moment
from assistant.session.history import Happening
from assistant.ui.catalogue import say, tell
from assistant.ui.compare import CompareDialog
from assistant.ui.evidence_dialog import EvidenceDialog, logged_as
from assistant.ui.history import event_traces
from assistant.ui.panels.alert_bar import Alert, AlertButton, Gravity
from assistant.ui.panels.move_list import decoded
from calibration.arrays import ByteImage

if TYPE_CHECKING:
    from assistant.ui.live_window import LiveWindow


class LookingBack:
    """What a live window shows instead of the newest moment; the newest is kept until it returns."""

    def __init__(self, window: LiveWindow) -> None:
        self._window = window
        self._live: tuple[Moment, ByteImage | None] | None = None  # kept while an earlier moment is looked at
        self._looking_back: Happening | None = None

    @property
    def on(self) -> bool:
        """Whether an earlier moment is shown."""
        return self._looking_back is not None

    @property
    def newest(self) -> Moment | None:
        """The newest moment, while an earlier one is shown."""
        return self._live[0] if self._live is not None else None

    def keep_moment(self, moment: Moment) -> None:
        """A newer moment, to be shown on return."""
        self._live = (moment, self._live[1] if self._live else None)

    def keep_picture(self, picture: ByteImage | None) -> None:
        """A newer picture, to be shown on return."""
        if self._live is not None:
            self._live = (self._live[0], picture)

    def look_back(self, happening: Happening) -> None:
        """The table as it was after a move, with its way; frames go on being followed behind it."""
        if happening.event.type == "bumped" and self._window.model.moment is not None:
            self._window.happened.put_back_to(happening)
        if self._looking_back is None and self._window.model.moment is not None:
            self._live = (self._window.model.moment, self._window.model.picture)
        self._looking_back = happening
        if happening.after.view is not None and happening.after.read_jpeg():
            self._window.model.set_picture(decoded(happening.after))
        if self._live is not None:
            shown = happening.after
            self._window.model.set_moment(
                replace(
                    self._live[0],
                    scene=shown.scene,
                    view=shown.view,
                    time_s=shown.time_s,
                    rulings=(),
                    settled=True,
                    held=(),
                    notice="",
                )
            )
        self._window.model.show_extra(event_traces(happening.event, happening.after.scene))
        row = self._window.feed.row_of(happening)
        self._window.side.moves.highlight(row)
        words = say("Looking back: {what}", what=tell(sentence(happening.event, self._window.model.known_names)))
        buttons = (
            AlertButton(say("Back to live"), "access-point", self.back_to_live),
            AlertButton(say("Before and after"), "compare", self.compare),
            AlertButton(say("Evidence"), "image-search-outline", self.show_evidence),
        )
        self._window.alerts.raise_alert(Alert("back", Gravity.ENDED, words, buttons))

    def back_to_live(self) -> None:
        """The table as it is now."""
        live, self._live = self._live, None
        if self._looking_back is None:
            return
        self._looking_back = None
        self._window.alerts.settle("back")
        self._window.model.show_extra(())
        if live is not None:
            if live[1] is not None:
                self._window.model.set_picture(live[1])
            self._window.show_moment(live[0])
            self._window.happened.show_put_back(live[0])
        self._window.side.moves.highlight(None)

    def _chosen_move(self) -> Happening | None:
        if self._looking_back is not None:
            return self._looking_back
        index = self._window.side.moves.currentIndex()
        return self._window.feed.happening(index.row()) if index.isValid() else None

    def show_evidence(self) -> EvidenceDialog | None:
        """What proves the chosen move, as the log has it: card, zooms, clip; None where no log is written."""
        happening = self._chosen_move()
        if happening is None or self._window.recording is None:
            return None
        try:
            with GameLog(self._window.recording) as log:
                logged = logged_as(log, happening.event)
                if logged is None:
                    return None
                dialog = EvidenceDialog(log, logged, dict(self._window.model.known_names), self._window)
        except LogError as error:
            QMessageBox.warning(self._window, say("No evidence"), str(error))
            return None
        dialog.show()
        return dialog

    def compare(self) -> None:
        """The chosen move: before and after side by side."""
        happening = self._chosen_move()
        if happening is None:
            return
        traces = event_traces(happening.event, happening.after.scene)
        title = tell(sentence(happening.event, self._window.model.known_names))
        CompareDialog(
            title, happening.before, happening.after, traces, self._window.model.roster_names, self._window
        ).show()
