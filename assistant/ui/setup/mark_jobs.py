"""The work that marking leaves to a thread: fitting marks to outlines, finding bases inside a line or anywhere."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.scene.values import Point
from assistant.session.marking import Brush, Marks, snapped_among, with_lasso
from assistant.session.proposing import proposed
from calibration.arrays import ByteImage
from calibration.view import TableView


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """The newest picture of a measured table."""

    bgr: ByteImage
    view: TableView


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Marks to be fitted; a preview may be replaced by a newer one."""

    shot: Shot
    marks: Marks
    names: frozenset[str]
    preview: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """Bases to be found inside a line."""

    shot: Shot
    brush: Brush
    outline: tuple[Point, ...]
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Propose:
    """Bases and stands of these sizes to be found anywhere, without marks and aids."""

    shot: Shot
    circles_mm: tuple[float, ...]
    rects_mm: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """Marks as they were and as their outlines lie, in one order."""

    before: Marks
    after: Marks
    preview: bool


@dataclass(frozen=True, slots=True, eq=False)
class FoundInside:
    """Bases that were found inside a line."""

    marks: Marks


@dataclass(frozen=True, slots=True, eq=False)
class Proposed:
    """Bases that a person may confirm."""

    marks: Marks


Job = Fit | Search | Propose


def work(job: Job) -> Fitted | FoundInside | Proposed:
    """Does one job."""
    if isinstance(job, Propose):
        return Proposed(proposed(job.shot.bgr, job.shot.view, job.circles_mm, job.rects_mm))
    if isinstance(job, Search):
        return FoundInside(with_lasso((), job.brush, job.outline, job.count, job.shot.bgr, job.shot.view))
    before = tuple(piece for piece in job.marks if piece.id in job.names)
    return Fitted(before, snapped_among(job.marks, job.names, job.shot.bgr, job.shot.view), job.preview)
