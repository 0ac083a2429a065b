"""Marks in progress: what is marked, selected, proposed and previewed, with undo; a thread fits the outlines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from enum import Enum

from PyQt6.QtCore import QObject, pyqtSignal

from assistant.scene.values import Circle, Piece, Point, Rect, Shape
from assistant.session.marking import (
    Brush,
    Marks,
    WantedUnit,
    doubtful,
    moved_mark,
    nearest,
    units_in,
    with_base,
    with_block,
    without,
)
from assistant.session.proposing import confirmed
from assistant.ui.overlays.standing import narrowest_of
from assistant.ui.setup.mark_jobs import Fit, Fitted, FoundInside, Job, Propose, Proposed, Search, Shot, work
from assistant.ui.worker import Failed, LatestWorker

MOST_STEPS_BACK = 200


class Tool(Enum):
    """What the pointer does on the table."""

    CLICK = "click"
    LASSO = "lasso"
    BLOCK = "block"


class MarkingModel(QObject):
    """The marks of a table. Every step of a person can be taken back; what the fit makes of it belongs to the step."""

    changed = pyqtSignal()  # marks, selection, proposals or the preview
    brush_changed = pyqtSignal()
    searched = pyqtSignal(int, int)  # a line was searched: how many were found, of how many
    proposed = pyqtSignal(object)  # the table was searched: the marks that may be confirmed
    failed = pyqtSignal(str)

    def __init__(
        self,
        marks: Marks,
        proposals: Marks,
        brush: Brush,
        shot: Callable[[], Shot | None],
        synchronous: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.marks = marks
        self.proposals = proposals
        self.units: tuple[WantedUnit, ...] = units_in(marks or proposals)
        self.brush = brush
        self.tool = Tool.CLICK
        self.count = 5  # models inside a lasso
        self.ranks = 2
        self.stands = 0  # of a block; 0: every rank is full
        self.selected: str | None = None
        self.preview: Marks = ()
        self.trail: tuple[Point, ...] = ()  # the line that is being drawn
        self._shot = shot
        self._undo: list[Marks] = []
        self._redo: list[Marks] = []
        self._held: str | None = None
        self._previews = False  # whether the outline of the next click is wanted
        self._worker: LatestWorker[Job] = LatestWorker(
            work, "marking", synchronous, self, lambda job: isinstance(job, Fit) and job.preview
        )
        self._worker.done.connect(self._done)

    def stop(self) -> None:
        """Ends the thread."""
        self._worker.stop()

    # --- what is marked next

    def choose_brush(self, brush: Brush) -> None:
        """Another unit, size or owner; the tool follows the shape."""
        self.brush = brush
        round_base = isinstance(brush.shape, Circle)
        if self.tool is (Tool.BLOCK if round_base else Tool.LASSO):
            self.tool = Tool.CLICK
        self.preview = ()
        self.brush_changed.emit()
        self.changed.emit()

    def choose_tool(self, tool: Tool) -> None:
        """Another use of the pointer."""
        self.tool, self.trail, self.preview = tool, (), ()
        self.brush_changed.emit()
        self.changed.emit()

    def want(self, units: Sequence[WantedUnit]) -> None:
        """The units of an army list, in its order; the first is marked next."""
        known = {unit.brush.unit: unit for unit in self.units}
        self.units = tuple((known | {unit.brush.unit: unit for unit in units}).values())
        if units:
            self.choose_brush(units[0].brush)

    def marked_of(self, unit: str) -> int:
        """How many of a unit are marked."""
        return sum(1 for piece in self.marks if piece.unit == unit)

    def wanted_of(self, unit: str) -> int:
        """How many a unit should have; 0 where that is not known."""
        return next((each.models for each in self.units if each.brush.unit == unit), 0)

    def begin_again(self, brush: Brush) -> None:
        """Another game: nothing is marked, nothing can be taken back."""
        self.marks = self.proposals = self.preview = ()
        self.units, self.selected, self._undo, self._redo = (), None, [], []
        self.choose_brush(brush)

    def change_unit(self, shape: Shape | None = None, owner: str | None = None, unit: str | None = None) -> None:
        """Another size, owner or name of the unit that is being marked, also of what is marked of it."""
        before = self.brush
        brush = replace(before, shape=shape or before.shape, owner=owner or before.owner, unit=unit or before.unit)
        members = [piece for piece in self.marks if piece.unit == before.unit]
        self.units = tuple(
            replace(each, brush=brush) if each.brush.unit == before.unit else each for each in self.units
        )
        if members:
            marks = without(self.marks, *(piece.id for piece in members))
            for piece in members:
                marks = with_base(marks, brush, piece.centre, piece.facing_deg)
            self._step(marks, None)
            if shape is not None:
                self._fit(marks[-len(members) :])
        self.choose_brush(brush)

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to take back."""
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is a step that was taken back."""
        return bool(self._redo)

    # --- steps of a person

    def add_at(self, place: Point, facing_deg: float = 0.0) -> None:
        """A base or stand where a person clicked."""
        added = with_base(self.marks, self.brush, place, facing_deg)
        self._step(added, added[-1].id)
        self._fit(added[-1:])
        self._next_unit()

    def add_block(self, start: Point, end: Point) -> None:
        """A block whose front rank goes from its left end to its right end, as it faces."""
        added = self.block_between(start, end)[len(self.marks) :]
        if added:
            self._step((*self.marks, *added), None)
            self._fit(added)
            self._next_unit()

    def add_inside(self, outline: Sequence[Point]) -> None:
        """The bases of a unit inside a line."""
        shot = self._shot()
        if shot is not None and len(outline) > 2:
            self._worker.submit(Search(shot, self.brush, tuple(outline), self.count))

    def confirm_proposals(self) -> None:
        """All that is proposed becomes marks, in one step."""
        self._confirm(self.proposals)

    def confirm_at(self, place: Point) -> bool:
        """The proposal under the pointer becomes a mark; whether there is one."""
        under = self._proposal_at(place)
        if under is not None:
            self._confirm((under,))
            self.select(under.id)
        return under is not None

    def dismiss_proposals(self) -> None:
        """None of what is proposed is right."""
        self.proposals = ()
        self.changed.emit()

    def look_for_proposals(self, circles_mm: Sequence[float], rects_mm: Sequence[tuple[float, float]]) -> None:
        """Looks for bases and stands anywhere on the table, without marks and aids."""
        shot = self._shot()
        if shot is not None and (circles_mm or rects_mm):
            self._worker.submit(Propose(shot, tuple(circles_mm), tuple(rects_mm)))

    def _confirm(self, chosen: Sequence[Piece]) -> None:
        taken = {piece.id for piece in self.marks}
        fresh = tuple(confirmed(piece) for piece in chosen if piece.id not in taken)
        self.proposals = tuple(piece for piece in self.proposals if piece not in chosen)
        self.units = (
            *self.units,
            *(u for u in units_in(fresh) if u.brush.unit not in {k.brush.unit for k in self.units}),
        )
        self._step((*self.marks, *fresh), None)
        self._fit(fresh)

    def propose(self, pieces: Marks) -> None:
        """Pieces that a person may confirm; those where a mark is already are left out."""
        self.proposals = tuple(
            piece for piece in pieces if nearest(self.marks, piece.centre, narrowest_of(piece)) is None
        )
        self.changed.emit()

    def accept_doubtful(self) -> None:
        """A person has looked: what is marked is right."""
        self._step(tuple(moved_mark(piece, piece.centre) for piece in self.marks), self.selected)

    def delete(self, *names: str) -> None:
        """Takes marks away; without names the selected one."""
        gone = names or ((self.selected,) if self.selected is not None else ())
        if gone:
            self._step(without(self.marks, *gone), None)

    def delete_all(self) -> None:
        """Begins again."""
        self.delete(*(piece.id for piece in self.marks))

    def nudge(self, dx_mm: float, dy_mm: float) -> None:
        """Moves the selected mark by hand: it stays where it is put."""
        piece = self._piece(self.selected)
        if piece is not None:
            x, y = piece.centre
            self._step(self._with(moved_mark(piece, (x + dx_mm, y + dy_mm))), piece.id)

    def turn(self, by_deg: float) -> None:
        """Turns the selected stand, or with none selected the last block as one: its front is on another side."""
        unit = self._last_unit()
        if not unit:
            return
        if self.selected is not None:
            turned = {unit[0].id: moved_mark(unit[0], unit[0].centre, unit[0].facing_deg + by_deg)}
        else:
            turned = {piece.id: moved_mark(piece, piece.centre, piece.facing_deg + by_deg) for piece in unit}
        self._step(tuple(turned.get(piece.id, piece) for piece in self.marks), self.selected)
        self._fit(tuple(turned.values()))

    def undo(self) -> bool:
        """One step back."""
        return self._back(self._undo, self._redo)

    def redo(self) -> bool:
        """One step forward again."""
        return self._back(self._redo, self._undo)

    # --- selecting and dragging

    def select(self, name: str | None) -> None:
        """The mark that keys and buttons speak of."""
        self.selected = name
        self.changed.emit()

    def select_next(self, only_doubtful: bool = False) -> None:
        """The next mark, or the next that a person should look at."""
        names = list(doubtful(self.marks)) if only_doubtful else [piece.id for piece in self.marks]
        if names:
            at = names.index(self.selected) + 1 if self.selected in names else 0
            self.select(names[at % len(names)])

    def mark_at(self, place: Point) -> str | None:
        """The mark under the pointer."""
        name = nearest(self.marks, place)
        piece = self._piece(name)
        return name if piece is not None and nearest((piece,), place, narrowest_of(piece)) else None

    def hold(self, place: Point) -> bool:
        """Takes a mark with the pointer, to drag it."""
        self._held = self.mark_at(place)
        if self._held is not None:
            self._remember()
            self.select(self._held)
        return self._held is not None

    def drag_to(self, start: Point, end: Point) -> None:
        """Drags the mark that is held by its own place under the pointer."""
        piece = self._piece(self._held)
        if piece is not None and self._undo:
            was = next((each for each in self._undo[-1] if each.id == piece.id), piece)
            x, y = was.centre
            self.marks = self._with(moved_mark(piece, (x + end[0] - start[0], y + end[1] - start[1])))
            self.changed.emit()

    def let_go(self) -> None:
        """The mark snaps to the outline that is near."""
        piece, self._held = self._piece(self._held), None
        if piece is not None:
            self._fit((piece,))

    @property
    def holding(self) -> bool:
        """Whether a mark is being dragged."""
        return self._held is not None

    # --- previews

    def preview_at(self, place: Point | None) -> None:
        """The outline that a click would take, before it is clicked; None: the pointer is elsewhere."""
        shot = self._shot()
        there = place is not None and (self.mark_at(place) is not None or self._proposal_at(place) is not None)
        if place is None or shot is None or self.tool is not Tool.CLICK or there:
            self._previews = False
            if self.preview:
                self.preview = ()
                self.changed.emit()
            return
        self._previews = True
        tried = with_base(self.marks, self.brush, place, self.facing_here())
        self._worker.submit(Fit(shot, tried, frozenset({tried[-1].id}), preview=True))

    def block_between(self, start: Point, end: Point) -> Marks:
        """The marks with the block that a drag makes: as many files as fit the front."""
        shape = self.brush.shape
        if not isinstance(shape, Rect):
            return self.marks
        length = ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5
        files = max(1, round(length / shape.width_mm))
        return with_block(self.marks, self.brush, (start, end), self.ranks, files, self.stands)

    def show_block(self, start: Point, end: Point) -> None:
        """The block while it is dragged."""
        self.preview = self.block_between(start, end)[len(self.marks) :]
        self.changed.emit()

    def draw(self, trail: Sequence[Point]) -> None:
        """The line while it is drawn."""
        self.trail = tuple(trail)
        self.changed.emit()

    def facing_here(self) -> float:
        """A new stand faces as the last of its unit does."""
        last = [piece for piece in self.marks if piece.unit == self.brush.unit]
        return last[-1].facing_deg if last else 0.0

    # --- inside

    def _piece(self, name: str | None) -> Piece | None:
        return next((piece for piece in self.marks if piece.id == name), None)

    def _proposal_at(self, place: Point) -> Piece | None:
        return next((each for each in self.proposals if nearest((each,), place, narrowest_of(each))), None)

    def _with(self, changed: Piece) -> Marks:
        return tuple(changed if piece.id == changed.id else piece for piece in self.marks)

    def _last_unit(self) -> Marks:
        chosen = self._piece(self.selected) or (self.marks[-1] if self.marks else None)
        if chosen is None:
            return ()
        return (chosen, *(p for p in self.marks if p.unit == chosen.unit and p.id != chosen.id))

    def _remember(self) -> None:
        self._undo = [*self._undo, self.marks][-MOST_STEPS_BACK:]
        self._redo = []

    def _step(self, marks: Marks, selected: str | None) -> None:
        self._remember()
        self.marks, self.selected, self.preview, self.trail = marks, selected, (), ()
        self._previews = False
        self.changed.emit()

    def _back(self, source: list[Marks], other: list[Marks]) -> bool:
        if not source:
            return False
        other.append(self.marks)
        self.marks = source.pop()
        if self._piece(self.selected) is None:
            self.selected = None
        self.changed.emit()
        return True

    def _next_unit(self) -> None:
        """With the last model of a unit of the army list the next unit is to be marked."""
        unit = self.brush.unit
        wanted = self.wanted_of(unit)
        if wanted and self.marked_of(unit) >= wanted:
            left = [each for each in self.units if self.marked_of(each.brush.unit) < each.models]
            if left:
                self.choose_brush(left[0].brush)

    def _fit(self, pieces: Collection[Piece]) -> None:
        shot = self._shot()
        if shot is not None and pieces:
            self._worker.submit(Fit(shot, self.marks, frozenset(piece.id for piece in pieces)))

    def _done(self, _identity: int, result: object) -> None:
        if isinstance(result, Fitted) and result.preview:
            if self._previews and self.tool is Tool.CLICK and not self.holding:
                self.preview = result.after
        elif isinstance(result, Fitted):
            fitted = {before.id: (before, after) for before, after in zip(result.before, result.after, strict=True)}
            self.marks = tuple(_as_fitted(piece, fitted.get(piece.id)) for piece in self.marks)
        elif isinstance(result, FoundInside):
            self._found(result.marks)
            return
        elif isinstance(result, Proposed):
            self.proposed.emit(result.marks)
            return
        elif isinstance(result, Failed):
            self.failed.emit(str(result.error))
        self.changed.emit()

    def _found(self, fresh: Marks) -> None:
        marks = self.marks
        for piece in fresh:
            if nearest(self.marks, piece.centre, narrowest_of(piece)) is None:
                marks = with_base(marks, self.brush, piece.centre)
        added = marks[len(self.marks) :]
        if added:
            self._step(marks, None)
            self._fit(added)
        else:
            self.trail = ()
            self.changed.emit()
        self.searched.emit(len(added), self.count)
        self._next_unit()


def _as_fitted(piece: Piece, fitted: tuple[Piece, Piece] | None) -> Piece:
    """The mark as it was fitted, unless it was put elsewhere since."""
    return fitted[1] if fitted is not None and fitted[0] == piece else piece


def owned(marks: Marks, owners: dict[str, str]) -> Marks:
    """The marks with other names for their owners."""
    return tuple(replace(piece, owner=owners.get(piece.owner or "", piece.owner)) for piece in marks)
