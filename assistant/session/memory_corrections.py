"""Corrections and resumed games as the tracker's memory takes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from assistant.scene.values import Circle, JsonValue, Piece, Scene
from assistant.session.corrections import Correction
from vision.tracking.corrections import FalsePositive, Identified, MemoryCorrection, Reordered, missed_disk
from vision.tracking.memory import Memory, Track
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting, FaceReading, Order

_BY_HAND_SIGMA_MM = 2.0  # of a disk that a person has placed
TRACKED_FIELDS = frozenset({"profile", "owner", "tokens"})  # of a piece, that the memory keeps


def memory_correction(correction: Correction, memory: Memory) -> MemoryCorrection | None:
    """What a correction changes in the memory; None where it is about nothing the tracker knows."""
    if correction.missing is not None:
        disk = _disk(correction.missing)
        return missed_disk(memory, disk) if disk else None
    if correction.above is not None:
        return Reordered(Order(*correction.above, 1.0))
    identity = correction.anchors[0][0]
    track = memory.by_id().get(identity)
    if track is None:
        return None
    if correction.not_a_piece:
        return FalsePositive(identity)
    return _identified(track, correction.changes) if TRACKED_FIELDS & correction.changes.keys() else None


def memory_of(scenes: Iterable[Scene]) -> Memory:
    """The memory that the last of these scenes was made from; no name that any of them used is given again."""
    scene, named = None, 0
    for scene in scenes:
        named = max(named, *(_number(piece.id) for piece in scene.pieces), 0)
    if scene is None:
        return Memory()
    disks = [(disk, piece.visible) for piece in scene.on_field() if (disk := _disk(piece)) is not None]
    known = {disk.id for disk, _ in disks}
    sure = {(order.top, order.bottom): order.certainty for order in scene.above_certainty}
    return Memory(
        tracks=tuple(Track(disk, visible) for disk, visible in disks),
        orders=tuple(Order(*pair, sure.get(pair, 1.0)) for pair in scene.above if known.issuperset(pair)),
        named=named,
        looked=True,
    )


def _identified(track: Track, changes: Mapping[str, JsonValue]) -> Identified:
    disk = track.disk
    profile, owner, tokens = (changes.get(key) for key in ("profile", "owner", "tokens"))
    face = disk.face
    if isinstance(profile, str):
        face = FaceReading(profile, face.side, face.rotation_deg, 1.0, read=True)
    names_it = isinstance(profile, str) or isinstance(owner, str)
    return Identified(
        track.id,
        face,
        owner if isinstance(owner, str) else disk.owner,
        {kind: count for kind, count in tokens.items() if isinstance(count, int)}
        if isinstance(tokens, dict)
        else disk.tokens,
        track.misread or ((disk.face.profile, disk.owner) if names_it else None),
    )


def _disk(piece: Piece) -> DiskSighting | None:
    """A piece of a scene as the tracker knows it; only disks lie on tables that are followed."""
    if not isinstance(piece.shape, Circle) or piece.x is None or piece.y is None:
        return None
    sigma_mm = piece.sigma_mm or _BY_HAND_SIGMA_MM
    height_mm = piece.extra.get("face_height_mm")
    side, turn_deg, sure = (piece.extra.get(key) for key in ("face", "rotation_deg", "profile_confidence"))
    return DiskSighting(
        piece.id,
        piece.x,
        piece.y,
        sigma_mm**2 * np.eye(2),
        piece.shape.diameter_mm,
        float(height_mm) if isinstance(height_mm, int | float) else CARD_THICKNESS_MM,
        owner=piece.owner,
        face=FaceReading(
            piece.profile,
            "up" if side == "up" else "down" if side == "down" else "unknown",
            float(turn_deg) if isinstance(turn_deg, int | float) else 0.0,
            float(sure) if isinstance(sure, int | float) else float(piece.profile is not None),
            read=piece.profile is not None,
        ),
        tokens=dict(piece.tokens),
    )


def _number(name: str) -> int:
    return int(name[1:]) if name[:1] == "d" and name[1:].isdecimal() else 0
