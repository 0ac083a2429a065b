"""What the window says of the camera: advice on the picture, while it holds, and who keeps focus and exposure."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from assistant.session.moment import Moment
from assistant.session.referee import Referee
from assistant.session.steadying import Steadying
from assistant.ui.live_window import LiveWindow
from tests.assistant.ui import table
from vision.camera.live import SourceItem
from vision.camera.quality import Advice


class Advised(table.TruthSession):
    """A session that has something to say of the picture."""

    advice: Advice | None = None

    def update(self, item: SourceItem) -> Moment:
        return replace(super().update(item), advice=self.advice)


def test_advice_is_an_alert_while_it_holds_and_the_camera_can_be_left_alone(qtbot: QtBot) -> None:
    session, source = Advised(), table.ListSource()
    window = LiveWindow(source, Referee(session, table.setting()), table.setting(), True)
    window.steadying = Steadying(source)
    qtbot.addWidget(window)
    window.show()
    session.advice = Advice("too dark", "the picture is too dark (the brightest parts reach 9 %): switch a lamp on")
    window.feed_item(table.frame(0))
    assert window.alerts.alert is not None
    assert "too dark" in window.alerts.alert.text
    session.advice = None
    window.feed_item(table.frame(0))
    assert not window.alerts.has("advice")
    command = next(each for each in window.commands if "exposure" in each.name)
    command.run(True)
    assert window.steadying.automatic
    command.run(False)
    assert not window.steadying.automatic
    window.close()
