"""Models, terrain and objectives as the one thing they are to the rules: elements with a base and a size (WK-1)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from assistant.rules.bodies import Body
from assistant.rules.game import QuestionError
from assistant.rules.judged import Judged, contact, terrain_body
from assistant.rules.keywords import has_keyword, keyword_value
from assistant.rules.shapes import Footprint, area_of, footprint, marker
from assistant.scene.values import Objective, Piece, Scene, Terrain

NO_BLOCK = "does not block line of sight"


class Kind(Enum):
    """What an element is; objectives are terrain with a round base (WK-24)."""

    MODEL = "model"
    TERRAIN = "terrain"
    OBJECTIVE = "objective"


@dataclass(frozen=True, slots=True)
class Element:
    """Something on the table that models act with."""

    id: str
    kind: Kind
    shape: Footprint
    size: float | None
    keywords: tuple[str, ...]
    sigma_mm: float
    owner: str | None = None

    @property
    def body(self) -> Body:
        """The element as a thing to measure from."""
        return Body(self.id, (self.shape,), (self.sigma_mm,))


def model(scene: Scene, identity: str) -> Piece:
    """A model on the table; an unknown one or one off the table is an error."""
    piece = scene.piece(identity)
    if not piece.on_field:
        raise QuestionError(f"{identity} is off the field ({', '.join(piece.state)}) and has no position")
    return piece


def of_model(piece: Piece) -> Element:
    """A model as an element."""
    return Element(piece.id, Kind.MODEL, footprint(piece), piece.size, piece.keywords, piece.sigma_mm, piece.owner)


def of_terrain(terrain: Terrain) -> Element:
    """A terrain piece as an element; an elevated piece without a size is as large as it is high (WK-12)."""
    size = terrain.size if terrain.size is not None else keyword_value(terrain.keywords, "elevated")
    return Element(terrain.id, Kind.TERRAIN, area_of(terrain), size, terrain.keywords, 0.0)


def of_objective(objective: Objective) -> Element:
    """An objective as an element (WK-24)."""
    return Element(objective.id, Kind.OBJECTIVE, marker(objective), objective.size, objective.keywords, 0.0)


def elements(scene: Scene) -> list[Element]:
    """Everything with a base on the table."""
    return [
        *(of_model(piece) for piece in scene.on_field()),
        *(of_terrain(terrain) for terrain in scene.terrain),
        *(of_objective(objective) for objective in scene.objectives),
    ]


def element(scene: Scene, identity: str) -> Element:
    """The element of that id."""
    known = elements(scene)
    for candidate in known:
        if candidate.id == identity:
            return candidate
    if any(piece.id == identity for piece in scene.pieces):
        raise QuestionError(f"{identity} is off the field and has no position")
    names = ", ".join(sorted(candidate.id for candidate in known)[:12]) or "none"
    raise QuestionError(f"unknown element {identity!r}; this scene has {names}")


def scenery(scene: Scene) -> list[Element]:
    """Terrain and objectives: what a model moves onto, around or not at all."""
    return [candidate for candidate in elements(scene) if candidate.kind is not Kind.MODEL]


def blocks_by_keyword(candidate: Element) -> bool:
    """Whether its keywords let it block sight at all (WK-11)."""
    return not has_keyword(candidate.keywords, NO_BLOCK)


def standing_on(candidate: Element, scene: Scene) -> list[tuple[Terrain, Judged]]:
    """The terrain an element touches or overlaps, and how sure that is (WK-5)."""
    return [
        (terrain, judged)
        for terrain in scene.terrain
        if (judged := contact(candidate.body, terrain_body(terrain))).yes and terrain.id != candidate.id
    ]


def is_leader(piece: Piece) -> bool:
    """Whether a model leads others: by its type, as commander, or by having a leadership value."""
    return has_keyword(piece.types, "leader") or is_commander(piece) or "leadership" in piece.stats


def is_commander(piece: Piece) -> bool:
    """Whether a model commands the army."""
    return has_keyword(piece.keywords, "commander")


def rank_of(piece: Piece) -> int:
    """A model's rank, from its stats or its rank field; 1 where none is given."""
    rank = piece.stats.get("rank", piece.rank)
    if isinstance(rank, str):
        return int(rank) if rank.isdigit() else 1
    return 1 if rank is None else int(rank)
