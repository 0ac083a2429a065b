"""Figures: a player clicks each base, draws a line round a unit, or drags a block; every mark snaps to its outline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QPushButton, QWidget

from assistant.scene.errors import GameError
from assistant.scene.reading import scene_from_json
from assistant.scene.values import Point, Rect, Table
from assistant.scene.writing import json_text, scene_to_json
from assistant.session.army_list import is_army, read_army
from assistant.session.marking import Marks, doubtful, marks_scene, units_in, wanted_units
from assistant.ui.catalogue import say, tell
from assistant.ui.design import design, icon, icon_size
from assistant.ui.overlays.model import Overlay
from assistant.ui.setup.brush_panel import BrushPanel, first_brush
from assistant.ui.setup.checklist import ChecklistItem, State
from assistant.ui.setup.looking import proposals_of
from assistant.ui.setup.mark_jobs import Shot
from assistant.ui.setup.mark_overlays import SEATS, marking_overlays
from assistant.ui.setup.marking import MarkingModel, Tool, owned
from assistant.ui.setup.model import SetupModel
from assistant.ui.setup.player_item import PlayerItem
from calibration.errors import InputError
from calibration.json_file import read_json
from vision.figures.options import FIGURES

_NEAR_MM = 3.0  # between two points of a drawn line


class MarkItem(ChecklistItem):
    """Which figures stand where. What is marked once is followed through the game."""

    title = "Figures"
    step_mm = 1.0
    pointer_height_mm = FIGURES.height_mm

    def __init__(
        self,
        model: SetupModel,
        players: PlayerItem,
        keep_marks: bool = False,
        synchronous: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        """`keep_marks`: the figures stand where they were marked; else the marks of the last game are proposed."""
        super().__init__(model, parent)
        self.setAcceptDrops(True)
        self._players = players
        self._game = model.profile.game
        self._grabbed: Point | None = None
        self._reached: Point = (0.0, 0.0)  # the end of a drag
        self._searched_table = False  # whether bases were looked for without marks and aids
        known = self._with_seats(model.profile.marks)
        kept, proposed = (known, ()) if keep_marks else ((), known)
        brush = units_in(known)[0].brush if known else first_brush(model.profile.system)
        self.marking = MarkingModel(kept, proposed, brush, self._shot, synchronous, self)
        self.brush = BrushPanel(self.marking, players, model.profile.system, self.body)
        self._build()
        self.marking.changed.connect(self._changed)
        self.marking.searched.connect(self._searched)
        self.marking.proposed.connect(self._proposed)
        self.marking.failed.connect(lambda why: self.words.setText(tell(why)))
        model.pieces_changed.connect(self._seen)
        self.opened.connect(self._look_for_proposals)
        model.profile_changed.connect(self._profile_changed)
        design().changed.connect(self._signs)
        self._signs()
        self._changed()

    def _build(self) -> None:
        self.words = QLabel(self.body)
        self.words.setWordWrap(True)
        self.confirm = QPushButton(self.body)
        self.confirm.setProperty("kind", "main")
        self.dismiss = QPushButton(say("None of them"), self.body)
        self.turn = QPushButton(say("Turn the front"), self.body)
        self.turn.setToolTip(say("Turns the last block, or the stand that is chosen, by a quarter"))
        self.check = QPushButton(say("Next doubtful"), self.body)
        self.right = QPushButton(say("All are right"), self.body)
        self.back = QPushButton(say("Undo"), self.body)
        self.forth = QPushButton(say("Redo"), self.body)
        self.remove = QPushButton(say("Delete"), self.body)
        self.army = QPushButton(say("Army list…"), self.body)
        self.save = QPushButton(say("Save marks…"), self.body)
        self.army.setToolTip(say("An army list or saved marks; you can also drop the file here"))
        self.save.setToolTip(say("A file for pinpoint play --marks, or for the next game"))
        self.column.addWidget(self.words)
        offered = QHBoxLayout()
        offered.addWidget(self.confirm, 1)
        offered.addWidget(self.dismiss)
        self.column.addLayout(offered)
        self.column.addWidget(self.brush)
        for row in (
            (self.turn,),
            (self.check, self.right),
            (self.back, self.forth, self.remove),
            (self.army, self.save),
        ):
            line = QHBoxLayout()
            for button in row:
                line.addWidget(button)
            self.column.addLayout(line)
        self.confirm.clicked.connect(self.marking.confirm_proposals)
        self.dismiss.clicked.connect(self.marking.dismiss_proposals)
        self.turn.clicked.connect(lambda: self.marking.turn(90.0))
        self.check.clicked.connect(lambda: self.marking.select_next(only_doubtful=True))
        self.right.clicked.connect(self.marking.accept_doubtful)
        self.back.clicked.connect(self.undo)
        self.forth.clicked.connect(self.redo)
        self.remove.clicked.connect(self.delete)
        self.army.clicked.connect(self._browse)
        self.save.clicked.connect(self._save)

    # --- how it stands

    def refresh(self) -> None:
        """Done with marks, or where rings and cards are seen."""
        self.setVisible(self.model.profile.system.figures)
        marks, unsure = self.marking.marks, doubtful(self.marking.marks)
        ringed = self.model.figures is not None and bool(self.model.figures.figures)
        if unsure:
            self.say(State.PROBLEM, say("{n} marked, {m} doubtful", n=len(marks), m=len(unsure)))
        elif marks:
            self.say(State.DONE, say("{n} marked", n=len(marks)))
        elif self.model.view is None:
            self.say(State.OPEN, say("After the table is measured"))
        elif ringed:
            self.say(State.DONE, say("found by their rings and cards"))
        elif self.marking.proposals:
            self.say(State.OPEN, say("{n} proposed: confirm them", n=len(self.marking.proposals)))
        else:
            self.say(State.OPEN, say("open this and click each base on the picture"))

    @property
    def marked(self) -> bool:
        """Whether anything is marked."""
        return bool(self.marking.marks)

    def store(self) -> None:
        """Keeps the marks in the profile, with the players as their owners."""
        players = self._players.players()
        owners = {seat: player.id for seat, player in zip(SEATS, players, strict=False)}
        self.model.set_profile(replace(self.model.profile, marks=owned(self.marking.marks, owners)))

    def stop(self) -> None:
        """Ends the thread."""
        self.marking.stop()

    def _changed(self) -> None:
        marking = self.marking
        unsure, proposed = doubtful(marking.marks), len(marking.proposals)
        for button in (self.confirm, self.dismiss):
            button.setVisible(proposed > 0)
        self.confirm.setText(say("Confirm all {n}", n=proposed))
        for button in (self.check, self.right):
            button.setVisible(bool(unsure))
        self.back.setEnabled(marking.can_undo)
        self.forth.setEnabled(marking.can_redo)
        self.remove.setEnabled(marking.selected is not None)
        self.save.setEnabled(bool(marking.marks))
        self.turn.setVisible(isinstance(marking.brush.shape, Rect) and bool(marking.marks))
        self.words.setText(self._what_next())
        self.refresh()
        self.marks_changed.emit()

    def _what_next(self) -> str:
        """What to do now, in one line."""
        marking, unit = self.marking, self.marking.brush.unit
        count, wanted = marking.marked_of(unit), marking.wanted_of(unit)
        unsure = len(doubtful(marking.marks))
        if unsure:
            return say(
                "{n} with a question mark are doubtful: drag them onto their bases, or say that all are right.",
                n=unsure,
            )
        if marking.proposals and not marking.marks:
            return say(
                "{n} figures are proposed, dashed on the picture. Confirm them all, or click those that are right.",
                n=len(marking.proposals),
            )
        if marking.tool is Tool.LASSO:
            return say("Draw a line round the {n} models of {unit}.", n=marking.count, unit=unit)
        if marking.tool is Tool.BLOCK:
            return say("Drag along the front of {unit}, from its left end to its right end as it faces.", unit=unit)
        if wanted:
            return say("Click base {n} of {all} of {unit}.", n=min(count + 1, wanted), all=wanted, unit=unit)
        if count == 0:
            return say("Click the first base of unit {unit}. The ring shows what a click takes.", unit=unit)
        return say("Click the next base of {unit}, or press New unit. Drag a ring to move it.", unit=unit)

    def _searched(self, found: int, asked: int) -> None:
        if found < asked:
            self.words.setText(say("{n} of {all} were found in the line; click the others.", n=found, all=asked))

    # --- files

    def use_file(self, path: Path) -> None:
        """An army list, whose units are marked one after another; or saved marks, which are proposed."""
        try:
            data = read_json(path, "unreadable file")
            if is_army(data):
                self._use_army(path)
                return
            scene = scene_from_json(data)
        except (InputError, GameError) as error:
            self.words.setText(tell(str(error)))
            return
        owners = {player.id: seat for player, seat in zip(scene.players, SEATS, strict=False)}
        self.marking.propose(owned(scene.on_field(), owners))
        self.words.setText(self._what_next())

    def _use_army(self, path: Path) -> None:
        game, report, owner = read_army(path)
        if game.id != self.model.profile.game:
            self.words.setText(say("This is an army list of {game}.", game=game.name))
            return
        players = [name.text().strip() for name in self._players.names]
        wanted = {unit.brush.owner for unit in self.marking.units}
        seat = SEATS[players.index(owner)] if owner in players else SEATS[1] if SEATS[0] in wanted else SEATS[0]
        self.brush.keep_seat()
        self.marking.want(wanted_units(report, seat))
        broken = [finding for finding in report.findings if finding.sure]
        if broken:
            self.words.setText(" · ".join(f"{each.where}: {tell(each.text)} ({each.rule})" for each in broken))

    def _browse(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, say("Army list or saved marks"), "", "(*.json)")
        if chosen:
            self.use_file(Path(chosen))

    def _save(self) -> None:
        chosen, _ = QFileDialog.getSaveFileName(self, say("Save marks"), "marks.json", "(*.json)")
        if chosen:
            self.save_to(Path(chosen))

    def save_to(self, path: Path) -> None:
        """Writes the marks as `--marks` reads them."""
        self.store()
        profile = self.model.profile
        scene = marks_scene(profile.marks, profile.game, Table(*profile.field_mm), self._players.players())
        try:
            path.write_text(json_text(scene_to_json(scene)), encoding="utf-8")
        except OSError as error:
            self.words.setText(say("The marks could not be written: {why}", why=error.strerror or str(error)))
            return
        self.words.setText(say("The marks are saved: {file}", file=path.name))

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:
        """Takes files."""
        data = event.mimeData() if event is not None else None
        if event is not None and data is not None and data.hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:
        """Army lists or saved marks."""
        data = event.mimeData() if event is not None else None
        for url in data.urls() if data is not None else ():
            self.use_file(Path(url.toLocalFile()))
        if event is not None:
            event.acceptProposedAction()

    # --- on the picture

    def marks(self) -> Sequence[Overlay]:
        """What is marked; while this is open also what is proposed and tried."""
        profile = self.model.profile
        if not profile.system.figures:
            return ()
        return marking_overlays(self.marking, profile.game, profile.field_mm, self.is_open)

    def point(self, place: Point | None) -> None:
        """The outline that a click would take."""
        self.marking.preview_at(place)

    def click(self, place: Point) -> None:
        """Chooses the mark there, or marks the base."""
        name = self.marking.mark_at(place)
        if name is not None:
            self.marking.select(name)
        elif self.marking.tool is Tool.CLICK and not self.marking.confirm_at(place):
            self.brush.choose_seat_by(place, self.model.profile.field_mm)
            self.marking.add_at(place, self.marking.facing_here())

    def grabs(self, place: Point) -> bool:
        """A mark; with a line or a block every place."""
        self._grabbed = None
        return self.marking.tool is not Tool.CLICK or self.marking.mark_at(place) is not None

    def drag(self, start: Point, end: Point) -> None:
        """Moves a mark, draws a line, or pulls a block."""
        marking = self.marking
        if self._grabbed is None:
            self._grabbed = start
            marking.hold(start)
        self._reached = end
        if marking.holding:
            marking.drag_to(start, end)
        elif marking.tool is Tool.BLOCK:
            marking.show_block(start, end)
        elif marking.tool is Tool.LASSO:
            last = marking.trail[-1] if marking.trail else start
            if not marking.trail or (end[0] - last[0]) ** 2 + (end[1] - last[1]) ** 2 > _NEAR_MM**2:
                marking.draw((*(marking.trail or (start,)), end))

    def drop(self) -> None:
        """Snaps what was dragged."""
        marking, start = self.marking, self._grabbed
        self._grabbed = None
        if marking.holding:
            marking.let_go()
        elif start is not None and marking.tool is Tool.BLOCK and marking.preview:
            self.brush.choose_seat_by(start, self.model.profile.field_mm)
            marking.add_block(start, self._reached)
        elif start is not None and marking.tool is Tool.LASSO:
            self.brush.choose_seat_by(start, self.model.profile.field_mm)
            marking.add_inside(marking.trail)

    def take_next(self) -> None:
        """The next mark."""
        self.marking.select_next()

    def nudge(self, dx_mm: float, dy_mm: float) -> None:
        """Moves the mark that is chosen; it stays where it is put."""
        self.marking.nudge(dx_mm, dy_mm)

    def delete(self) -> None:
        """Takes the mark away that is chosen."""
        self.marking.delete()

    def undo(self) -> None:
        """One step back."""
        self.marking.undo()

    def redo(self) -> None:
        """One step forward."""
        self.marking.redo()

    def give_up(self) -> bool:
        """Ends a line or a block, or chooses nothing."""
        marking = self.marking
        busy = marking.selected is not None or bool(marking.trail)
        marking.draw(())
        marking.select(None)
        return busy

    # --- inside

    def _signs(self) -> None:
        signs = {self.back: "undo", self.forth: "redo", self.remove: "delete-outline", self.turn: "rotate-right"}
        for button, sign in signs.items():
            button.setIcon(icon(sign))
            button.setIconSize(icon_size())

    def _shot(self) -> Shot | None:
        frame, view = self.model.frame, self.model.view
        return Shot(frame.bgr, view) if frame is not None and view is not None else None

    def _with_seats(self, marks: Marks) -> Marks:
        players = self.model.profile.players
        return owned(marks, {player.id: seat for player, seat in zip(players, SEATS, strict=False)})

    def _seen(self) -> None:
        """Rings and cards were looked for: what they show can be confirmed as marks."""
        found = self.model.figures
        if found is not None and found.figures and not self.marking.marks:
            self.marking.propose(proposals_of(found))
        self._look_for_proposals()
        self._changed()

    def _look_for_proposals(self) -> None:
        """Once, where nothing is marked, known from the last game, or shown by rings and cards."""
        found = self.model.figures
        nothing = found is not None and not found.figures and not self.marking.marks and not self.marking.proposals
        if self.is_open and nothing and not self._searched_table:
            self._searched_table = True
            profile = self.model.profile
            self.marking.look_for_proposals(profile.sizes_mm or profile.system.circles_mm, profile.system.rects_mm)

    def _proposed(self, pieces: Marks) -> None:
        """What was found may be confirmed; each unit belongs to the player whose edge is nearer to its first base."""
        first = {piece.unit: piece.centre for piece in reversed(pieces)}
        field_mm = self.model.profile.field_mm
        seats = {unit: self.brush.seat_near(place, field_mm) for unit, place in first.items()}
        self.marking.propose(tuple(replace(piece, owner=seats[piece.unit]) for piece in pieces))

    def _profile_changed(self) -> None:
        """Another game has other figures."""
        if self._game != self.model.profile.game:
            self._game = self.model.profile.game
            self._searched_table = False
            self.marking.begin_again(first_brush(self.model.profile.system))
            self.brush.offer(self.model.profile.system)
