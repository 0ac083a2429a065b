"""What was seen becomes a scene, a scene becomes rulings."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from assistant.rules.game import complete, house_rules
from assistant.rules.ruling import Ruling
from assistant.rules.wording import ranked
from assistant.scene.reading import piece_from_json
from assistant.scene.values import JsonValue, OrderCertainty, Piece, Scene, Table, Terrain
from assistant.session.doubts import with_doubts
from assistant.session.moment import TableSetting
from calibration.view import TableView
from vision.roster.profiles import Profile
from vision.types.sighting import DiskSighting, TableSighting

_LEAST_SLOPE = 1e-4  # of a face that a scene calls tilted


def scene_of(
    sighting: TableSighting,
    view: TableView,
    setting: TableSetting,
    hidden: Collection[str] = (),
    laid_in_sight: Collection[str] = (),
) -> Scene:
    """The scene that a sighting shows, with what certainty covers besides sigma.

    `hidden` are the pieces known to lie under others, `laid_in_sight` those that were seen being laid where they lie.
    """
    plain = plain_scene(sighting, view, setting, hidden)
    sizes_mm, told = _sizes_mm(setting), bool(setting.terrain)
    return complete(setting.game, with_doubts(plain, view, sizes_mm, sighting.orders, laid_in_sight, told))


def plain_scene(sighting: TableSighting, view: TableView, setting: TableSetting, hidden: Collection[str] = ()) -> Scene:
    """The scene with the detector's own sigmas, confidences and orders."""
    profiles = setting.roster.by_id() if setting.roster else {}
    keywords = {piece.id: piece.keywords for piece in setting.roster.terrain} if setting.roster else {}
    seen_terrain = tuple(
        Terrain(
            id=terrain.id,
            outline=tuple((round(float(x), 2), round(float(y), 2)) for x, y in terrain.outline_mm),
            keywords=keywords.get(terrain.kind or "", ()),
            extra={"kind": terrain.kind} if terrain.kind else {"unknown": True},
        )
        for terrain in sighting.terrain
    )
    return Scene(
        game=setting.game.id,
        table=Table(view.width_mm, view.depth_mm),
        players=setting.players,
        pieces=tuple(_piece(disk, profiles, disk.id not in hidden) for disk in sighting.disks),
        above=tuple(sorted((order.top, order.bottom) for order in sighting.orders)),
        above_certainty=tuple(
            OrderCertainty(order.top, order.bottom, order.probability)
            for order in sorted(sighting.orders, key=lambda order: (order.top, order.bottom))
        ),
        terrain=setting.terrain or seen_terrain,
        zones=setting.zones,
        objectives=setting.objectives,
        ruler_mm=setting.game.ruler_mm,
        calibration=calibration_fields(view),
    )


def _sizes_mm(setting: TableSetting) -> tuple[float, ...]:
    """The diameters that disks of a table can have."""
    return setting.roster.sizes_mm() if setting.roster and setting.roster.profiles else setting.game.circles_mm


def calibration_fields(view: TableView) -> dict[str, JsonValue]:
    """What a scene says of how its table was measured."""
    measured = view.calibration
    middle = view.px_per_mm(np.array([[view.width_mm / 2, view.depth_mm / 2]]))
    fields: dict[str, JsonValue] = {
        "tokens": list(measured.tokens),
        "rms_px": round(measured.rms_px, 4),
        "scale_source": measured.scale_source,
        "scale_sigma": round(measured.scale_sigma, 6),
        "px_per_mm": round(float(middle[0]), 4),
        "camera_height_mm": round(view.camera_height_mm, 1),
    }
    if measured.notes:
        fields["notes"] = list(measured.notes)
    return fields


def rulings_of(scene: Scene, setting: TableSetting) -> tuple[Ruling, ...]:
    """All that the game's rules say of a scene without being asked, the most important first."""
    return ranked(setting.game.rulings(scene, house_rules(setting.game, setting.house)))


def _piece(disk: DiskSighting, profiles: Mapping[str, Profile], visible: bool) -> Piece:
    profile = profiles.get(disk.face.profile or "")
    extra: dict[str, JsonValue] = {
        "visible_fraction": round(disk.visible_fraction, 3),
        "confidence": round(disk.confidence, 4),
        "face_height_mm": round(disk.face_height_mm, 2),
    }
    if np.abs(disk.face_normal[:2]).max() > _LEAST_SLOPE:
        extra["face_normal"] = [round(float(part), 5) for part in disk.face_normal]
    if disk.face.side != "unknown":
        extra["face"] = disk.face.side
    if profile:
        extra["rotation_deg"] = round(disk.face.rotation_deg, 1)
        extra["profile_confidence"] = round(disk.face.confidence, 4)
    data: dict[str, object] = {
        **(profile.values if profile else {}),
        **extra,
        "id": disk.id,
        "shape": {"circle_mm": round(disk.diameter_mm, 2)},
        "x": round(disk.x_mm, 3),
        "y": round(disk.y_mm, 3),
        "owner": disk.owner or (profile.owner if profile else None),
        "sigma_mm": round(disk.sigma_mm, 3),
        "profile": profile.id if profile else None,
        "tokens": dict(disk.tokens),
        "visible": visible,
    }
    return piece_from_json(data, f"roster profile {profile.id}" if profile else f"sighting {disk.id}")
