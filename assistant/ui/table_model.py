"""What the window knows: the newest picture and moment, what is pointed at, and the answer to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import Enum

from PyQt6.QtCore import QObject, QTimer, pyqtSignal

from assistant.rules.game import GameSystem, House
from assistant.rules.ruling import Ruling
from assistant.scene.names import display_names
from assistant.scene.values import Point, Scene
from assistant.session import Moment
from assistant.ui.asking import Call, Card, Table, band_marks, call_for, card_of, quick_call, typed_call
from assistant.ui.overlays.model import Ink, Overlay, PieceMark
from assistant.ui.overlays.projection import PhotoProjection, Projection, TopProjection
from assistant.ui.overlays.standing import Layers, owner_inks, piece_marks, standing_overlays
from assistant.ui.pointing import Pointing, clicked, next_piece, piece_at, still_there
from assistant.ui.steady import Steadier
from assistant.ui.worker import Failed, LatestWorker
from calibration.arrays import ByteImage

_FIRST_ANSWER_MS = 20
_REMEMBERED = 50


class ViewMode(Enum):
    """How the table is shown."""

    PHOTO = "photograph"
    TOP = "from above"
    DRAWN = "drawn board"


_Shown = tuple[Scene, tuple[Ruling, ...], Layers, tuple[str, ...], ViewMode]  # what standing overlays are made from


class TableModel(QObject):
    """Holds one table for all views of it; answers questions beside the window, the latest first."""

    picture_changed = pyqtSignal()
    moment_changed = pyqtSignal()
    overlays_changed = pyqtSignal()
    hover_changed = pyqtSignal()
    call_changed = pyqtSignal()
    mode_changed = pyqtSignal()

    def __init__(
        self,
        game: GameSystem,
        house: House,
        roster_names: Mapping[str, str],
        synchronous: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.game = game
        self.house = house
        self.roster_names = roster_names
        self.picture: ByteImage | None = None
        self.moment: Moment | None = None
        self.names: dict[str, str] = {}
        self.known_names: dict[str, str] = {}  # also of pieces that have left the table
        self.layers = Layers()
        self.mode = ViewMode.PHOTO
        self.pointing = Pointing()
        self.call: Call | None = None
        self.frozen = False
        self.all_bands = False
        self.history: tuple[str, ...] = ()  # typed questions, the newest last
        self.extra: Sequence[Overlay] = ()  # what a panel wants shown: traces of an event, a bump to be put right
        self.blind = False  # no picture: outlines would lie over something else
        self.revealed: int | None = None  # how many pieces of the first detection are shown; None: all
        self._steadier = Steadier()
        self._shown_scene: Scene | None = None
        self._standing: tuple[_Shown, tuple[Overlay, ...]] | None = None
        self._projection: Projection | None = None  # the same one for as long as nothing moves
        self._asker: LatestWorker[tuple[Table, Pointing]] = LatestWorker(
            lambda asked: call_for(*asked), "questions", synchronous, self
        )
        self._asker.done.connect(self._answered)
        self._awaited = 0
        self._synchronous = synchronous
        self._painting = QTimer(self)  # the whole answer waits until what is known at once has been painted
        self._painting.setSingleShot(True)
        self._painting.setInterval(_FIRST_ANSWER_MS)
        self._painting.timeout.connect(self._submit)

    def set_table(self, game: GameSystem, house: House, roster_names: Mapping[str, str]) -> None:
        """The table was set up anew: what is asked from now on is asked of this game and roster."""
        self.game, self.house, self.roster_names = game, house, roster_names

    # --- what comes in

    def set_picture(self, bgr: ByteImage) -> None:
        """A newer picture."""
        self.picture = bgr
        self.picture_changed.emit()

    def set_moment(self, moment: Moment) -> None:
        """A newer moment; questions that are open are answered for it."""
        before = self.moment
        self.moment = moment
        new_scene = before is None or before.scene is not moment.scene
        if new_scene:
            self.names = display_names(moment.scene, self.roster_names, self.known_names)
            self.known_names |= self.names
            self.pointing = still_there(self.pointing, moment.scene)
            self._shown_scene = self._steadier.update(moment.scene)
        self.moment_changed.emit()
        if new_scene:
            self._ask()
        if before is None or new_scene or _shown_otherwise(before, moment):
            self.overlays_changed.emit()

    def set_blind(self, blind: bool) -> None:
        """Whether there is no picture that the outlines belong to."""
        if blind != self.blind:
            self.blind = blind
            self.overlays_changed.emit()

    def reveal(self, count: int | None) -> None:
        """Shows only so many pieces; None shows all."""
        self.revealed = count
        self.overlays_changed.emit()

    # --- pointing

    def hover(self, identity: str | None) -> None:
        """The pointer is over a piece, or over none."""
        if identity != self.pointing.hover:
            self.pointing = replace(self.pointing, hover=identity)
            self.hover_changed.emit()
            self.overlays_changed.emit()  # the name of the piece pointed at, and its bands where they are shown

    def click(self, identity: str | None) -> None:
        """A piece, or the bare table, was clicked."""
        self._point(clicked(self.pointing, identity))

    def step(self, direction: int) -> None:
        """The keyboard goes to the next or previous piece."""
        if self.moment is not None:
            self.hover(next_piece(self.moment.scene, self.pointing.hover, direction))

    def try_move(self, identity: str, place: Point) -> None:
        """A ghost of a piece is held over a place."""
        self._point(Pointing(self.pointing.hover, identity, None, place))

    def nudge(self, dx_mm: float, dy_mm: float) -> None:
        """Moves the ghost of the piece asked about, or of the one pointed at, by some millimetres."""
        identity = self.pointing.first or self.pointing.hover
        if identity is not None and self.moment is not None:
            x, y = self.pointing.ghost or self.moment.scene.piece(identity).centre
            self.try_move(identity, (x + dx_mm, y + dy_mm))

    def clear(self) -> None:
        """Nothing is asked any more; what somebody has to act on (arrows after a bump) stays."""
        self.frozen = False
        self._point(Pointing(self.pointing.hover))

    def ask_typed(self, question: str) -> None:
        """A question in the game's own words."""
        table = self.table()
        if table is not None:
            self._painting.stop()
            self._awaited = -1
            self.call = typed_call(table, question)
            self.history = (*(old for old in self.history if old != question), question)[-_REMEMBERED:]
            self.call_changed.emit()
            self.overlays_changed.emit()

    def freeze(self, frozen: bool) -> None:
        """Keeps the call on the screen as it is, whatever happens on the table."""
        self.frozen = frozen and self.call is not None
        if not self.frozen:
            self._ask()
        self.call_changed.emit()

    # --- what is shown

    def set_layers(self, layers: Layers) -> None:
        """Other things are shown."""
        self.layers = layers
        self.overlays_changed.emit()

    def set_mode(self, mode: ViewMode) -> None:
        """Photograph, from above, or drawn."""
        if mode is not self.mode:
            self.mode = mode
            self.mode_changed.emit()
            self.overlays_changed.emit()

    def show_all_bands(self, shown: bool) -> None:
        """The range bands of the piece pointed at, or of every piece."""
        self.all_bands = shown
        self.overlays_changed.emit()

    def show_extra(self, marks: Sequence[Overlay]) -> None:
        """Further overlays, in place of those shown before."""
        self.extra = tuple(marks)
        self.overlays_changed.emit()

    def table(self) -> Table | None:
        """What questions are put to."""
        if self.moment is None:
            return None
        return Table(self.game, self.house, self.moment.scene, self.names)

    def card(self) -> Card | None:
        """The card of the piece under the pointer, or of the one asked about."""
        identity = self.pointing.hover or self.pointing.first
        table = self.table()
        return card_of(table, identity) if table is not None and identity is not None else None

    def projection(self) -> Projection | None:
        """From the table to the picture in the mode that is shown; None until the table was seen."""
        if self.moment is None:
            return None
        if self.mode is not ViewMode.PHOTO:
            top = TopProjection.of(self.moment.scene.table)
            self._projection = self._projection if self._projection == top else top
        elif self.moment.view is None:
            self._projection = None
        elif not isinstance(self._projection, PhotoProjection) or self._projection.view is not self.moment.view:
            self._projection = PhotoProjection(self.moment.view)
        return self._projection

    def overlays(self) -> tuple[Overlay, ...]:
        """Everything that is drawn now."""
        return (*self.standing(), *self.asked())

    def standing(self) -> tuple[Overlay, ...]:
        """What is drawn anyway; the very same for as long as nothing in it changes."""
        moment, scene = self.moment, self._shown_scene
        if moment is None or scene is None or self.blind:
            return ()
        of = (scene, moment.rulings, self.layers, moment.held, self.mode)
        if self._standing is None or not _same(self._standing[0], of):
            marks = standing_overlays(scene, moment.rulings, self.layers, self.names, moment.held)
            if self.mode is ViewMode.DRAWN:  # there is no picture of the pieces to see through them
                marks = tuple(replace(mark, filled=True) if isinstance(mark, PieceMark) else mark for mark in marks)
            self._standing = (of, marks)
        return self._standing[1] if self.revealed is None else self._partly(self._standing[1], self.revealed)

    def _partly(self, marks: Sequence[Overlay], count: int) -> tuple[Overlay, ...]:
        """Only the first pieces, and nothing that is said of the others."""
        return tuple(mark for mark in marks if isinstance(mark, PieceMark))[:count]

    def asked(self) -> tuple[Overlay, ...]:
        """What is drawn because somebody points, asks or looks something up; it lies over what stands."""
        moment, scene = self.moment, self._shown_scene
        if moment is None or scene is None or self.blind:
            return ()
        chosen, hover = self.pointing.asked, self.pointing.hover
        named = {identity: self.names[identity] for identity in (*chosen, hover) if identity in self.names}
        pieces = (
            [mark for mark in piece_marks(scene, named, moment.held, chosen) if mark.selected or mark.id == hover]
            if named
            else []
        )
        called = self.call.overlays if self.call is not None else ()
        return (*self._bands(), *pieces, *called, *self.extra)

    def piece_under(self, x_px: float, y_px: float) -> str | None:
        """The piece at a picture pixel of the mode that is shown."""
        projection = self.projection()
        if projection is None or self.moment is None:
            return None
        return piece_at(self.moment.scene, projection, x_px, y_px)

    def stop(self) -> None:
        """Ends the thread that answers."""
        self._painting.stop()
        self._asker.stop()

    def _bands(self) -> list[Overlay]:
        table = self.table()
        if not self.all_bands or table is None:
            return []
        chosen = self.pointing.first or self.pointing.hover
        if chosen:
            return band_marks(table, table.scene.piece(chosen), texts=True)
        inks = owner_inks(table.scene)  # of many pieces at once: whose they are says more than how far they reach
        return [
            mark
            for piece in table.scene.on_field()
            for mark in band_marks(table, piece, False, inks.get(piece.owner or "", Ink.BAND))
        ]

    def _point(self, pointing: Pointing) -> None:
        self.pointing = pointing
        self._ask()
        self.overlays_changed.emit()

    def _ask(self) -> None:
        if self.frozen:
            return
        table = self.table()
        if table is None or self.pointing.first is None:
            self._painting.stop()
            self._awaited = -1
            if self.call is not None:
                self.call = None
                self.call_changed.emit()
            return
        if self._synchronous:
            self._submit()
            return
        self.call = quick_call(table, self.pointing)
        self._awaited = -1
        self.call_changed.emit()
        if not self._painting.isActive():  # else a ghost that is dragged on and on would never be judged
            self._painting.start()

    def _submit(self) -> None:
        table = self.table()
        if table is not None:
            self._awaited = 0  # a synchronous answer comes before submit returns
            self._awaited = self._asker.submit((table, self.pointing))

    def _answered(self, identity: int, result: object) -> None:
        if self.frozen or self._awaited not in (0, identity):
            return
        if isinstance(result, Failed):
            result = Call("This cannot be answered", (), (), str(result.error))
        self.call = result if isinstance(result, Call) else None
        self.call_changed.emit()
        self.overlays_changed.emit()


def _shown_otherwise(before: Moment, after: Moment) -> bool:
    return before.rulings is not after.rulings or before.held != after.held or before.view is not after.view


def _same(a: _Shown, b: _Shown) -> bool:
    return a[0] is b[0] and a[1] is b[1] and a[2:] == b[2:]
