"""What a live table raises over its picture: violations, bumps, a full disk, advice on the picture, the film's end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QFileDialog

from assistant.log.errors import LogError
from assistant.log.writer import Health
from assistant.session import Moment
from assistant.session.history import Happening
from assistant.ui.catalogue import say, tell
from assistant.ui.history import put_back_marks
from assistant.ui.panels.alert_bar import Alert, AlertButton, Gravity
from assistant.ui.violations import put_back_event, violation_key, violation_marks, violation_sentence

if TYPE_CHECKING:
    from assistant.ui.live_window import LiveWindow


class LiveAlerts:
    """Raises alerts of a live window and does what their buttons say."""

    def __init__(self, window: LiveWindow) -> None:
        self._window = window
        self._put_back: Happening | None = None

    def show_advice(self, moment: Moment) -> None:
        """What is wrong with the picture, and what to do about it."""
        if moment.advice is None:
            self._window.alerts.settle("advice")
        else:
            self._window.alerts.raise_alert(Alert("advice", Gravity.NOTE, tell(moment.advice.text)))

    def show_health(self, health: Health) -> None:
        """A game that is not on the disk is the gravest alert there is."""
        if health.safe:
            self._window.alerts.settle("disk")
            return
        self._window.alerts.raise_alert(
            Alert(
                "disk",
                Gravity.DISK,
                say(
                    "NOT SAVED: {n} moments are not on the disk ({why}). They are kept: free some space.",
                    n=health.waiting,
                    why=health.why,
                ),
                (AlertButton(say("Save elsewhere…"), "content-save-move-outline", self._save_elsewhere),),
            )
        )

    def _save_elsewhere(self) -> None:
        """The game goes on in another file, with everything that waits."""
        chosen, _ = QFileDialog.getSaveFileName(self._window, say("Save the game elsewhere"), "", "(*.pinpoint)")
        if not chosen:
            return
        try:
            health = self._window.referee.save_elsewhere(Path(chosen))
        except LogError as error:
            self._window.toast.say(tell(str(error)))
            return
        self._window.recording = Path(chosen)
        self._window.show_recording()
        self.show_health(health)

    def show_end(self, words: str) -> None:
        """The film is over: what can be done with the game."""
        buttons = [AlertButton(say("Close"), "close", self._window.close)]
        if self._window.recording is not None:
            buttons.insert(0, AlertButton(say("Review this game"), "movie-open-outline", self._window.ask_review))
        self._window.alerts.raise_alert(Alert("ended", Gravity.ENDED, words, tuple(buttons)))

    # --- violations and bumps

    def raise_violation(self, happening: Happening) -> None:
        """A move against the rules: its way and limit on the table, and three answers."""
        key = violation_key(happening.event)
        text = tell(violation_sentence(happening, self._window.model.known_names))
        back = put_back_event(happening)
        buttons = [AlertButton(say("Accept"), "check", lambda: self._accept(key, text))]
        if back is not None:
            again = Happening(back, happening.before, happening.after)
            buttons.append(AlertButton(say("Put back"), "undo-variant", lambda: self._ask_put_back(key, text, again)))
        buttons.append(AlertButton(say("Overrule"), "gavel", lambda: self._overrule(key, text, happening)))
        self._window.model.show_extra(violation_marks(happening, self._window.model.game, self._window.model.house))
        self._window.alerts.raise_alert(Alert(key, Gravity.VIOLATION, text, tuple(buttons)))
        self._window.voice.chime()
        self._window.voice.speak(text)

    def _accept(self, key: str, text: str) -> None:
        self._window.referee.note(say("accepted: {what}", what=text), {"violation": text, "answer": "accepted"})
        self._answered(key, say("Accepted: {what}", what=text))

    def _ask_put_back(self, key: str, text: str, happening: Happening) -> None:
        moment, self._put_back = self._window.model.moment, happening
        self._window.referee.note(say("to be put back: {what}", what=text), {"violation": text, "answer": "put back"})
        self._answered(key, say("The arrows stay until it is back."))
        if moment is not None:
            self.show_put_back(moment)

    def _overrule(self, key: str, text: str, happening: Happening) -> None:
        self._window.referee.overrule(
            say("overruled: {what}", what=text),
            {"rule": happening.event.fields.get("rule"), "pieces": list(happening.event.pieces())},
        )
        self._answered(key, say("Overruled; the log says so: {what}", what=text))

    def _answered(self, key: str, words: str) -> None:
        self._window.alerts.settle(key)
        self._window.model.show_extra(())
        self._window.toast.say(words)
        self._window.judge_again()

    def raise_bump(self, happening: Happening) -> None:
        """Pieces were shifted: arrows show where each was."""
        if self._put_back is None:  # else it is the first that is put right
            self._put_back = happening

    def put_back_to(self, happening: Happening) -> None:
        """Arrows to where pieces were before an earlier bump."""
        self._put_back = happening

    def show_put_back(self, moment: Moment) -> None:
        """Arrows to where each piece was, until it is back."""
        if self._put_back is None:
            return
        marks = put_back_marks(self._put_back.event, moment.scene)
        self._window.model.show_extra(marks)
        self._put_back = self._put_back if marks else None

    def forget_bump(self) -> None:
        """The pieces are back, or are left as they lie."""
        self._put_back = None
        self._window.model.show_extra(())
