"""The set-up during a game: over the same camera, with the game behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from assistant.session import TableSetting
from assistant.session.referee import Referee
from assistant.ui.catalogue import say
from assistant.ui.setup.looking import field_corners
from assistant.ui.setup.page import SetupPage
from assistant.ui.setup.profile import TableProfile, marked_now
from vision.types.frame import Frame

if TYPE_CHECKING:
    from assistant.ui.live_window import LiveWindow

Rebuild = Callable[[TableProfile], tuple[Referee, TableSetting]]


class SetUpDuringPlay:
    """Opens the set-up over a live window and puts what it changed in force."""

    def __init__(self, window: LiveWindow, profile: TableProfile | None, rebuild: Rebuild | None) -> None:
        self._window = window
        self._profile, self._rebuild = profile, rebuild
        self.page: SetupPage | None = None

    def open(self) -> None:
        """The set-up over the same camera; the game goes on behind it and is there again after Esc."""
        if self._profile is None or self._rebuild is None or self.page is not None:
            return
        page = SetupPage(
            self._as_it_is(self._profile), synchronous=self._window.synchronous, playing=True, parent=self._window
        )
        page.accepted.connect(self._accepted)
        page.cancelled.connect(self.leave)
        self.page = page
        self._window.pages.addWidget(page)
        self._window.pages.setCurrentWidget(page)
        self._rest(True)
        picture = self._window.model.picture
        if picture is not None:
            page.model.feed(Frame(picture, 0, 0.0))

    def feed(self, frame: Frame) -> None:
        """A newer picture for the page, where it is open."""
        if self.page is not None:
            self.page.model.feed(frame)

    def leave(self) -> None:
        """Back to the table."""
        page, self.page = self.page, None
        if page is not None:
            page.stop()
            self._window.pages.removeWidget(page)
            page.deleteLater()
            self._window.pages.setCurrentWidget(self._window.table_page)
            self._rest(False)
            self._window.pane.canvas.setFocus()

    def _rest(self, on: bool) -> None:
        """The commands of the table rest while the page is open."""
        for action in self._window.actions_by_name.values():
            action.setEnabled(not on)

    def _as_it_is(self, profile: TableProfile) -> TableProfile:
        """The table as it is now: marked figures where they stand, clicked corners where the camera sees them."""
        moment = self._window.model.moment
        if moment is None or moment.view is None:
            return profile
        corners_px = field_corners(moment.view) if profile.corners_px is not None else None
        return marked_now(replace(profile, corners_px=corners_px), moment.scene)

    def _accepted(self) -> None:
        page, window = self.page, self._window
        if page is None or self._rebuild is None:
            return
        self._profile = page.profile
        self.leave()
        window.referee, window.setting = self._rebuild(self._profile)
        roster = window.setting.roster
        names = {each.id: each.name for each in roster.profiles} if roster else {}
        window.model.set_table(window.setting.game, window.setting.house, names)
        play = window.side.play
        if play.round.value() or play.phase.currentIndex() > 0:
            window.told.set_stage(play.round.value(), str(play.phase.currentData() or ""))
        window.toast.say(say("The table was set up anew; the game goes on."))
