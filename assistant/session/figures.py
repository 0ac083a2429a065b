"""Figures on bases and stands become a scene: their ring's or card's colour names the unit."""

from __future__ import annotations

from collections.abc import Mapping

from assistant.scene.reading import piece_from_json
from assistant.scene.values import Piece, Scene, Table
from assistant.session.moment import TableSetting
from assistant.session.translation import calibration_fields
from calibration.view import TableView
from vision.bases import BaseSighting
from vision.roster import Profile
from vision.stands import StandSighting


def scene_of_figures(
    bases: tuple[BaseSighting, ...], stands: tuple[StandSighting, ...], view: TableView, setting: TableSetting
) -> Scene:
    """The scene that seen bases and stands show.

    A roster's profile with the field `ring` gives all pieces of that colour its owner, its fields and, as their unit,
    its id; without one the colour itself is the unit and the owner is not known.
    """
    profiles = {profile.values.get("ring"): profile for profile in setting.roster.profiles} if setting.roster else {}
    pieces = [*(_base(base, profiles) for base in bases), *(_stand(stand, profiles) for stand in stands)]
    return Scene(
        game=setting.game.id,
        table=Table(view.width_mm, view.depth_mm),
        players=setting.players,
        pieces=tuple(pieces),
        terrain=setting.terrain,
        zones=setting.zones,
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
