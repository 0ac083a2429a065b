"""Figures on bases and stands: seen they become a scene, whose units are named by their rings' and cards' colours."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

import numpy as np

from assistant.scene.reading import piece_from_json
from assistant.scene.values import Circle, Piece, Scene, Table
from assistant.session.moment import TableSetting
from assistant.session.translation import calibration_fields
from calibration.view import TableView
from vision.figures.bases import BaseSighting
from vision.figures.mark import Mark
from vision.figures.outline import Oblong, Pose, Round
from vision.figures.stands import StandSighting
from vision.roster.profiles import Profile


def scene_of_figures(seen: Iterable[BaseSighting | StandSighting], view: TableView, setting: TableSetting) -> Scene:
    """The scene that seen bases and stands show.

    A roster's profile with the field `ring` gives all pieces of that colour its owner, its fields and, as their unit,
    its id; without one the colour itself is the unit and the owner is not known. What a person marked keeps all that
    the mark says but where it stands.
    """
    profiles = {profile.values.get("ring"): profile for profile in setting.roster.profiles} if setting.roster else {}
    marks = {piece.id: piece for piece in setting.marks}
    pieces = [
        marked_piece(marks[each.id], each)
        if each.id in marks
        else _base(each, profiles)
        if isinstance(each, BaseSighting)
        else _stand(each, profiles)
        for each in seen
    ]
    return Scene(
        game=setting.game.id,
        table=Table(view.width_mm, view.depth_mm),
        players=setting.players,
        pieces=tuple(pieces),
        terrain=setting.terrain,
        zones=setting.zones,
        objectives=setting.objectives,
        ruler_mm=setting.game.ruler_mm,
        calibration=calibration_fields(view),
    )


def _base(base: BaseSighting, profiles: Mapping[object, Profile]) -> Piece:
    shape: dict[str, object] = {"shape": {"circle_mm": base.diameter_mm}}
    return _piece(base, profiles, shape)


def _stand(stand: StandSighting, profiles: Mapping[object, Profile]) -> Piece:
    shape: dict[str, object] = {
        "shape": {"rect_mm": [stand.width_mm, stand.depth_mm]},
        "facing_deg": round(stand.facing_deg, 2),
        "facing_sigma_deg": round(stand.facing_sigma_deg, 2),
        **({} if stand.facing_known else {"facing_known": False}),
    }
    return _piece(stand, profiles, shape)


def _piece(seen: BaseSighting | StandSighting, profiles: Mapping[object, Profile], shape: dict[str, object]) -> Piece:
    profile = profiles.get(seen.colour)
    data: dict[str, object] = {
        **(profile.values if profile else {}),
        **shape,
        "id": seen.id,
        "x": round(seen.x_mm, 3),
        "y": round(seen.y_mm, 3),
        "sigma_mm": round(seen.sigma_mm, 3),
        "unit": profile.id if profile else seen.colour,
        "owner": profile.owner if profile else None,
        "profile": profile.id if profile else None,
        "ring": seen.colour,
        "visible_fraction": round(max(0.0, min(1.0, seen.seen)), 3),
    }
    return piece_from_json(data, f"roster profile {profile.id}" if profile else f"sighting {seen.id}")


def figures_in(scene: Scene, marked: Collection[str] = ()) -> list[BaseSighting | StandSighting]:
    """The bases and stands of a scene as they were seen, to go on from; `marked` ones have no ring."""
    found: list[BaseSighting | StandSighting] = []
    for piece in scene.on_field():
        ring = (piece.unit or piece.id) if piece.id in marked else piece.extra.get("ring")
        if not isinstance(ring, str):
            continue
        doubt = np.eye(2) * max(piece.sigma_mm, 0.1) ** 2
        if isinstance(piece.shape, Circle):
            found.append(BaseSighting(piece.id, *piece.centre, doubt, piece.shape.diameter_mm, ring, 1.0))
        else:
            size = (piece.shape.width_mm, piece.shape.depth_mm)
            stand = StandSighting(piece.id, *piece.centre, doubt, piece.facing_deg, 0.5, *size, ring, 1.0, 1.0)
            found.append(replace(stand, facing_known=piece.extra.get("facing_known") is not False))
    return found


def marks_of(pieces: Iterable[Piece]) -> tuple[Mark, ...]:
    """Pieces that a person marked, as what is looked for; those off the field are not."""
    found = []
    for piece in pieces:
        if not piece.on_field:
            continue
        height = piece.extra.get("base_height_mm")
        known = float(height) if isinstance(height, int | float) and not isinstance(height, bool) else None
        shape = piece.shape
        footprint = Round(shape.diameter_mm) if isinstance(shape, Circle) else Oblong(shape.width_mm, shape.depth_mm)
        found.append(Mark(piece.id, footprint, Pose(*piece.centre, piece.facing_deg), piece.unit or piece.id, known))
    return tuple(found)


def marked_piece(mark: Piece, seen: BaseSighting | StandSighting) -> Piece:
    """A marked piece where it was seen; `doubtful` where a person should look."""
    extra = {**mark.extra, "visible_fraction": round(max(0.0, min(1.0, seen.seen)), 3)}
    extra.pop("doubtful", None)
    if seen.doubtful:
        extra["doubtful"] = True
    facing = mark.facing_deg
    if isinstance(seen, StandSighting):
        facing = round(seen.facing_deg, 2)
        extra["facing_sigma_deg"] = round(seen.facing_sigma_deg, 2)
    return replace(
        mark,
        x=round(seen.x_mm, 3),
        y=round(seen.y_mm, 3),
        sigma_mm=round(seen.sigma_mm, 3),
        facing_deg=facing,
        visible=True,
        extra=extra,
    )
