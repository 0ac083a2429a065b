"""What people tell a live table: corrections with their undo, the round and phase, the course of the game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PyQt6.QtCore import QPointF

from assistant.scene.errors import GameError
from assistant.session.corrections import Correction
from assistant.session.referee import Stage
from assistant.ui.catalogue import say, tell
from assistant.ui.correcting import CorrectionDialog
from assistant.ui.overlays.strokes import spot

if TYPE_CHECKING:
    from assistant.ui.live_window import LiveWindow


class LiveCorrections:
    """Hands what people tell to the referee of a live window."""

    def __init__(self, window: LiveWindow) -> None:
        self._window = window

    def ask_correction(self, identity: str | None, x_mm: float, y_mm: float, at: QPointF) -> None:
        """Offers what a piece can be instead."""
        moment = self._window.model.moment
        if moment is None:
            return
        profiles = self._window.setting.roster.profiles if self._window.setting.roster else ()
        dialog = CorrectionDialog(self._window.model, moment.scene, identity, (x_mm, y_mm), profiles, self._window)
        dialog.chosen.connect(self.correct_all)
        dialog.popup(self._window.pane.canvas.mapToGlobal(at.toPoint()))

    def correct_by_key(self) -> None:
        """Corrects the piece that the keyboard points at."""
        moment, projection = self._window.model.moment, self._window.model.projection()
        identity = self._window.model.pointing.hover or self._window.model.pointing.first
        if moment is None or projection is None or identity is None:
            return
        x, y = moment.scene.piece(identity).centre
        at = self._window.pane.canvas.widget_point(*spot((x, y), projection))
        self.ask_correction(identity, x, y, at)

    def correct(self, correction: Correction) -> None:
        """A person overrules what was seen."""
        self.correct_all((correction,))

    def correct_all(self, corrections: Sequence[Correction]) -> None:
        """The same of several pieces at once; one undo takes all of them back."""
        for correction in corrections:
            self._window.referee.correct(correction)
        self._window.judge_again()
        self._window.toast.say(tell(corrections[0].why), lambda: self.undo(len(corrections)))

    def set_stage(self, number: int, phase: str) -> None:
        """Another round or phase, as people say."""
        self._window.referee.set_stage(Stage(number, phase))
        self._window.judge_again()

    def tell_game(self, text: str) -> None:
        """What a person tells of the game's course; what the rules do not allow is said, and changes nothing."""
        try:
            self._window.referee.tell(text)
        except GameError as error:
            self._window.toast.say(tell(str(error)))
            return
        self._window.judge_again()

    def options_of(self, identity: str) -> list[str]:
        """What a piece may do now, by the game's course."""
        course = self._window.referee.course
        if course is None:
            return []
        try:
            return [tell(option.action) for option in course.options(identity) if not option.reasons]
        except GameError:
            return []

    def undo(self, count: int = 1) -> None:
        """Takes the last corrections back."""
        if sum(self._window.referee.undo() for _ in range(count)):
            self._window.judge_again()
            self._window.toast.say(say("The last correction was taken back."))
        else:
            self._window.toast.say(say("There is no correction to take back."))
