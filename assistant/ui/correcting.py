"""The menu that puts a wrong reading right: the nearest plausible alternatives, one click each."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtWidgets import QMenu, QWidget

from assistant.scene.values import Point, Scene
from assistant.session.corrections import Correction, alternatives, missing_pieces, token_correction
from assistant.ui.table_model import TableModel
from vision.roster.profiles import Profile

_DIRECT = 9  # more than this stand in a menu of their own


def correction_menu(
    model: TableModel,
    scene: Scene,
    identity: str | None,
    place: Point,
    profiles: Sequence[Profile],
    correct: Callable[[Correction], object],
    parent: QWidget,
) -> QMenu:
    """What a piece can be instead; over the bare table, what may lie there unseen."""
    menu = QMenu(parent)
    menu.setAccessibleName(menu.tr("Correct"))
    if identity is None:
        menu.addSection(menu.tr("A disk is missing here"))
        _fill(menu, missing_pieces(scene, place, profiles, model.game.circles_mm), correct)
        return menu
    menu.addSection(model.names.get(identity, identity))
    _fill(menu, alternatives(scene, identity, profiles, model.names), correct)
    if model.game.token_kinds:
        tokens = QMenu(menu.tr("Tokens"), menu)
        menu.addMenu(tokens)
        counts = scene.piece(identity).tokens
        more = [
            token_correction(scene, identity, kind, counts.get(kind, 0) + 1, model.names)
            for kind in model.game.token_kinds
        ]
        _fill(tokens, more, correct)
    return menu


def _fill(menu: QMenu, corrections: Sequence[Correction], correct: Callable[[Correction], object]) -> None:
    direct, rest = corrections[:_DIRECT], corrections[_DIRECT:]
    for correction in direct:
        _add(menu, correction, correct)
    if rest:
        more = QMenu(menu.tr("More"), menu)
        menu.addMenu(more)
        for correction in rest:
            _add(more, correction, correct)


def _add(menu: QMenu, correction: Correction, correct: Callable[[Correction], object]) -> None:
    action = menu.addAction(correction.why)
    if action is not None:
        action.triggered.connect(lambda: correct(correction))
