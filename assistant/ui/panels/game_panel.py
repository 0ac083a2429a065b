"""Where the game stands: round, players in their order, who may act, and whether the table is at rest."""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QLabel, QVBoxLayout, QWidget

from assistant.scene.errors import GameError
from assistant.scene.values import Scene
from assistant.ui.asking import Table
from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour
from assistant.ui.overlays.standing import owner_inks
from assistant.ui.panels.wording import chip, muted, said
from assistant.ui.table_model import TableModel


class GamePanel(QWidget):
    """One glance at the game."""

    def __init__(self, model: TableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._shown: tuple[Scene, bool] | None = None
        self.text = QLabel(self)
        self.text.setTextFormat(Qt.TextFormat.RichText)
        self.text.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 6, 10, 2)
        layout.addWidget(self.text)
        model.moment_changed.connect(self.show_game)
        self.show_game()

    def repaint_texts(self) -> None:
        """The same in the colours of now."""
        self._shown = None
        self.show_game()

    def show_game(self) -> None:
        """The game as it is now."""
        moment, table = self._model.moment, self._model.table()
        if moment is None or table is None:
            self.text.setText(f"<b>{escape(self._model.game.name)}</b>")
            return
        if self._shown is not None and self._shown[0] is moment.scene and self._shown[1] == moment.settled:
            return
        self._shown = (moment.scene, moment.settled)
        rest, ink = (self.tr("at rest"), Ink.FREE) if moment.settled else (self.tr("moving"), Ink.CLOSE)
        mark = chip(rest.replace(" ", "\N{NO-BREAK SPACE}"), ink)
        head = f"<b>{escape(self._model.game.name)}</b>"
        if moment.scene.round is not None:
            head += f" · {escape(self.tr('round'))} {moment.scene.round}"
        rows = "".join(player_row(table, identity, muted(self.palette())) for identity in in_order(moment.scene))
        self.text.setText(f"<p style='margin:0 0 4px 0'>{head} &nbsp; {mark}</p><table>{rows}</table>")


def in_order(scene: Scene) -> list[str]:
    """The players by initiative; those without one as they sit."""
    players = sorted(scene.players, key=lambda player: (player.initiative is None, player.initiative or 0))
    return [player.id for player in players]


def player_row(table: Table, identity: str, quiet: str) -> str:
    """A player with the count of pieces that lie and that may act, the counts in a quiet colour."""
    lying = sum(1 for piece in table.scene.on_field() if piece.owner == identity)
    words = [said("{n} on the table").format(n=lying)]
    if table.has("activatable"):
        try:
            able = table.ask("activatable", identity).answer.get("disks")
            words.append(said("{n} may act").format(n=len(able) if isinstance(able, list) else 0))
        except GameError as error:
            words.append(str(error))
    ink = owner_inks(table.scene).get(identity, Ink.NEUTRAL)
    player = next(player for player in table.scene.players if player.id == identity)
    place = f"{player.initiative}." if player.initiative is not None else ""
    edge = f" ({player.edge})" if player.edge else ""
    return (
        f'<tr><td>{place} <span style="color:{colour(ink).name()}">⬤</span> {escape(identity + edge)}&nbsp;&nbsp;</td>'
        f'<td style="color:{quiet}">{escape(", ".join(words))}</td></tr>'
    )
