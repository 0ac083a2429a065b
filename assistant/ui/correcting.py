"""Putting a wrong reading right: the likeliest faces as pictures, owners, order, tokens, one click each."""

from __future__ import annotations

from collections.abc import Sequence

from PyQt6.QtCore import QPoint, Qt, pyqtSignal
from PyQt6.QtGui import QIcon
from PyQt6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from assistant.scene.values import Piece, Point, Scene
from assistant.session.corrections import Correction, alternatives, missing_pieces, token_correction
from assistant.ui.catalogue import say, tell
from assistant.ui.design import design, icon, icon_size
from assistant.ui.faces import art_pixmap, face_picture, face_pixmap
from assistant.ui.likeness import likeliest
from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour
from assistant.ui.overlays.standing import owner_inks
from assistant.ui.table_model import TableModel
from calibration.arrays import ByteImage
from calibration.errors import InputError
from vision.roster.profiles import Profile

FACES = 8
_FACE_PX = 72
_COLUMNS = 4


class CorrectionDialog(QDialog):
    """What a piece is instead, or what lies unseen on the bare table; `chosen` gives the corrections of one click."""

    chosen = pyqtSignal(object)

    def __init__(
        self,
        model: TableModel,
        scene: Scene,
        identity: str | None,
        place: Point,
        profiles: Sequence[Profile],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(say("Correct"))
        self._model, self._scene, self._profiles = model, scene, profiles
        self.whole_unit: QCheckBox | None = None
        self.offers: list[tuple[str, Correction]] = []  # what each button says and does
        self._column = QVBoxLayout(self)
        gap = design().scale.gap(1.5)
        self._column.setContentsMargins(gap, gap, gap, gap)
        self._column.setSpacing(design().scale.gap(1))
        if identity is None:
            self._missing(place)
        else:
            self._piece(scene.piece(identity))

    def popup(self, at: QPoint) -> None:
        """Opens beside a place, whole on the screen."""
        self.adjustSize()
        screen = self.screen()
        if screen is not None:
            room = screen.availableGeometry()
            at = QPoint(
                max(room.left(), min(at.x(), room.right() - self.width())),
                max(room.top(), min(at.y(), room.bottom() - self.height())),
            )
        self.move(at)
        self.show()

    # --- a piece that is there

    def _piece(self, piece: Piece) -> None:
        name = self._model.names.get(piece.id, piece.id)
        head = QHBoxLayout()
        moment = self._model.moment
        view = moment.view if moment is not None else None
        picture = face_pixmap(self._model.picture, view, piece, design().scale.px(_FACE_PX))
        if picture is not None:
            seen = QLabel(self)
            seen.setPixmap(picture)
            head.addWidget(seen)
        title = QLabel(say("What is this? Now: {name}", name=name), self)
        title.setProperty("kind", "strong")
        title.setWordWrap(True)
        head.addWidget(title, 1)
        right = self._button(
            say("Correct as it is"),
            Correction(f"{name} is right", ((piece.id, piece.centre),), {"confidence": 1.0, "profile_confidence": 1.0}),
            "check",
        )
        head.addWidget(right)
        self._column.addLayout(head)
        offered = alternatives(self._scene, piece.id, self._profiles, self._model.names)
        self._faces(piece, [each for each in offered if "profile" in each.changes])
        self._owners(piece, [each for each in offered if set(each.changes) == {"owner"}])
        self._tokens(piece)
        rest = QHBoxLayout()
        for each in offered:
            if each.above is not None:
                rest.addWidget(self._button(tell(each.why), each, "layers-outline"))
        for state in piece.state:
            without = Correction(
                f"{name} is no longer {state}",
                ((piece.id, piece.centre),),
                {"state": [word for word in piece.state if word != state]},
            )
            rest.addWidget(self._button(say("no longer {state}", state=tell(state)), without, "close"))
        none = next(each for each in offered if each.not_a_piece)
        rest.addWidget(self._button(say("Not a piece"), none, "close-circle-outline"))
        rest.addStretch(1)
        self._column.addLayout(rest)

    def _faces(self, piece: Piece, offered: Sequence[Correction]) -> None:
        by_profile = {str(each.changes["profile"]): each for each in offered}
        known = [profile for profile in self._profiles if profile.id in by_profile]
        moment = self._model.moment
        face = face_picture(self._model.picture, moment.view if moment else None, piece)
        shown = likeliest(face, known, FACES)
        grid = QGridLayout()
        for index, profile in enumerate(shown):
            button = self._face_button(profile, by_profile[profile.id])
            grid.addWidget(button, index // _COLUMNS, index % _COLUMNS)
        self._column.addLayout(grid)

    def _owners(self, piece: Piece, offered: Sequence[Correction]) -> None:
        if not offered:
            return
        row = QHBoxLayout()
        row.addWidget(QLabel(say("It belongs to"), self))
        inks = owner_inks(self._scene)
        for each in offered:
            owner = str(each.changes["owner"])
            button = self._button(owner, each, "circle", colour(inks.get(owner, Ink.NEUTRAL)).name())
            row.addWidget(button)
        if piece.unit and sum(other.unit == piece.unit for other in self._scene.pieces) > 1:
            self.whole_unit = QCheckBox(say("the whole unit"), self)
            self.whole_unit.setChecked(True)
            row.addWidget(self.whole_unit)
        row.addStretch(1)
        self._column.addLayout(row)

    def _tokens(self, piece: Piece) -> None:
        if not self._model.game.token_kinds:
            return
        grid = QGridLayout()
        for index, kind in enumerate(self._model.game.token_kinds):
            count = piece.tokens.get(kind, 0)
            label = QLabel(f"{tell(kind)}: {count}", self)
            less = token_correction(self._scene, piece.id, kind, count - 1, self._model.names)
            more = token_correction(self._scene, piece.id, kind, count + 1, self._model.names)
            minus = self._button("", less, "minus", words=say("One {token} less", token=tell(kind)))
            minus.setEnabled(count > 0)
            plus = self._button("", more, "plus", words=say("One {token} more", token=tell(kind)))
            row, column = index // 2, 3 * (index % 2)
            grid.addWidget(label, row, column)
            grid.addWidget(minus, row, column + 1)
            grid.addWidget(plus, row, column + 2)
        grid.setColumnStretch(6, 1)
        self._column.addLayout(grid)

    # --- a piece that was not seen

    def _missing(self, place: Point) -> None:
        title = QLabel(say("A piece is missing here"), self)
        title.setProperty("kind", "strong")
        self._column.addWidget(title)
        found = missing_pieces(self._scene, place, self._profiles, self._model.game.circles_mm)
        profiles = {profile.id: profile for profile in self._profiles}
        grid = QGridLayout()
        faces = [each for each in found if each.missing is not None and each.missing.profile in profiles]
        for index, each in enumerate(faces[:FACES]):
            button = self._face_button(profiles[str(each.missing.profile if each.missing else "")], each)
            grid.addWidget(button, index // _COLUMNS, index % _COLUMNS)
        self._column.addLayout(grid)
        plain = QGridLayout()
        unnamed = [each for each in found if each not in faces]
        for index, each in enumerate(unnamed):
            plain.addWidget(self._button(tell(each.why), each, "plus-circle-outline"), index // 2, index % 2)
        self._column.addLayout(plain)

    # --- buttons

    def _face_button(self, profile: Profile, correction: Correction) -> QToolButton:
        button = QToolButton(self)
        button.setText(profile.name)
        button.setAccessibleName(profile.name)
        button.setToolTip(tell(correction.why))
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        side = design().scale.px(_FACE_PX)
        art = _art(profile)
        if art is not None:
            pixmap = art_pixmap(art, side)
            button.setIcon(QIcon(pixmap))
            button.setIconSize(pixmap.size())
        self._joined(button, correction)
        return button

    def _button(
        self, text: str, correction: Correction, sign: str, ink: str | None = None, words: str = ""
    ) -> QPushButton:
        button = QPushButton(text, self)
        button.setIcon(icon(sign, ink))
        button.setIconSize(icon_size())
        button.setAccessibleName(words or text)
        if words:
            button.setToolTip(words)
        self._joined(button, correction)
        return button

    def _joined(self, button: QPushButton | QToolButton, correction: Correction) -> None:
        button.clicked.connect(lambda: self._choose(correction))
        self.offers.append((button.accessibleName(), correction))

    def _choose(self, correction: Correction) -> None:
        several: tuple[Correction, ...] = (correction,)
        if self.whole_unit is not None and self.whole_unit.isChecked() and set(correction.changes) == {"owner"}:
            unit = self._scene.piece(correction.anchors[0][0]).unit
            several = tuple(
                Correction(correction.why, ((piece.id, piece.centre),), correction.changes)
                for piece in self._scene.on_field()
                if piece.unit == unit
            )
        self.close()
        self.chosen.emit(several)


def _art(profile: Profile) -> ByteImage | None:
    try:
        return profile.picture()
    except InputError:
        return None
