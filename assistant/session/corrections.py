"""Corrections that people make of a scene: plain values, read by the session that follows the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from assistant.scene.reading import piece_from_json
from assistant.scene.values import Circle, JsonValue, Piece, Point, Scene
from assistant.scene.writing import scene_to_json
from vision.roster.profiles import Profile

MOVED_MM = 4.0
WINDS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


@dataclass(frozen=True, slots=True)
class Correction:
    """One thing a person says: `changes` are fields of a piece to be put right.

    `anchors` are the pieces it speaks of with where they lay; once one has moved, what was said no longer holds.
    """

    why: str
    anchors: tuple[tuple[str, Point], ...]
    changes: Mapping[str, JsonValue] = field(default_factory=dict)
    not_a_piece: bool = False
    missing: Piece | None = None
    above: tuple[str, str] | None = None


def applied(scene: Scene, corrections: Sequence[Correction]) -> tuple[Scene, tuple[Correction, ...]]:
    """The corrected scene, and the corrections that still hold; the very same scene where there are none."""
    standing = tuple(correction for correction in corrections if holds(correction, scene))
    for correction in standing:
        scene = _apply(scene, correction)
    return scene, standing


def holds(correction: Correction, scene: Scene) -> bool:
    """Whether the pieces that were spoken of still lie where they lay."""
    places = {piece.id: piece.centre for piece in scene.on_field()}
    if correction.missing is not None:
        return not any(_near(place, correction.missing.centre) for place in places.values())
    return all(identity in places and _near(places[identity], anchor) for identity, anchor in correction.anchors)


def alternatives(
    scene: Scene, identity: str, profiles: Sequence[Profile], names: Mapping[str, str]
) -> list[Correction]:
    """The nearest plausible things that a wrongly read piece can be, likeliest first."""
    piece = scene.piece(identity)
    here = ((identity, piece.centre),)
    name = names.get(identity, identity)
    found = _facings(piece, name)
    for top, bottom in scene.above:
        if identity in (top, bottom):
            other = bottom if top == identity else top
            anchors = (*here, (other, scene.piece(other).centre))
            why = f"{names.get(bottom, bottom)} lies on {names.get(top, top)}"
            found.append(Correction(why, anchors, above=(bottom, top)))
    for profile in sorted(profiles, key=lambda profile: _unlikeness(profile, piece)):
        if profile.id != piece.profile and _size_mm(piece) == profile.circle_mm:
            why = f"{name} is {profile.name}"
            found.append(Correction(why, here, _profile_fields(profile, piece)))
    for player in scene.players:
        if player.id != piece.owner:
            found.append(Correction(f"{name} belongs to {player.id}", here, {"owner": player.id}))
    for token in sorted(piece.tokens):
        count = piece.tokens[token]
        less = {**piece.tokens, token: count - 1}
        found.append(Correction(f"{name} has {count - 1} {token}", here, {"tokens": _tokens(less)}))
    found.append(Correction(f"{name} is not a disk", here, not_a_piece=True))
    return found


def _facings(piece: Piece, name: str) -> list[Correction]:
    """The ways that a stand whose front is hidden may face, as its sides lie."""
    if piece.extra.get("facing_known") is not False or isinstance(piece.shape, Circle):
        return []
    square = piece.shape.width_mm == piece.shape.depth_mm
    here = ((piece.id, piece.centre),)
    found = []
    for quarter in (0, 1, 2, 3) if square else (0, 2):
        facing = round((piece.facing_deg + 90.0 * quarter) % 360.0, 2)
        changes: dict[str, JsonValue] = {"facing_deg": facing, "facing_known": True}
        found.append(Correction(f"{name} faces {WINDS[round(facing / 45.0) % 8]}", here, changes))
    return found


def token_correction(scene: Scene, identity: str, token: str, count: int, names: Mapping[str, str]) -> Correction:
    """A piece has so many tokens of a kind."""
    piece = scene.piece(identity)
    tokens = _tokens({**piece.tokens, token: max(0, count)})
    why = f"{names.get(identity, identity)} has {max(0, count)} {token}"
    return Correction(why, ((identity, piece.centre),), {"tokens": tokens})


def missing_pieces(
    scene: Scene, place: Point, profiles: Sequence[Profile], sizes_mm: Sequence[float]
) -> list[Correction]:
    """What may lie unseen at a place: profiles that are not on the table, then plain disks of each size and owner."""
    lying = {piece.profile for piece in scene.on_field()}
    identity = _free_id(scene)
    found = []
    for profile in profiles:
        if profile.id not in lying:
            shape: dict[str, object] = {"id": identity, "shape": {"circle_mm": profile.circle_mm}}
            data = {**profile.values, **shape, "x": place[0], "y": place[1], "owner": profile.owner}
            piece = piece_from_json({**data, "profile": profile.id, "sigma_mm": 2.0}, f"roster profile {profile.id}")
            found.append(Correction(f"{profile.name} lies here", (), missing=piece))
    for size_mm in sizes_mm:
        for player in scene.players:
            piece = Piece(identity, Circle(size_mm), place[0], place[1], player.id, 2.0)
            found.append(Correction(f"a {size_mm:g} mm disk of {player.id} lies here", (), missing=piece))
    return found


def _apply(scene: Scene, correction: Correction) -> Scene:
    if correction.missing is not None:
        return replace(scene, pieces=(*scene.pieces, correction.missing))
    if correction.above is not None:
        wrong = (correction.above[1], correction.above[0])
        pairs = {correction.above if pair == wrong else pair for pair in scene.above}
        sure = tuple(order for order in scene.above_certainty if {order.top, order.bottom} != set(wrong))
        return replace(scene, above=tuple(sorted(pairs)), above_certainty=sure)
    identity = correction.anchors[0][0]
    if correction.not_a_piece:
        return replace(
            scene,
            pieces=tuple(piece for piece in scene.pieces if piece.id != identity),
            above=tuple(pair for pair in scene.above if identity not in pair),
            above_certainty=tuple(
                order for order in scene.above_certainty if identity not in (order.top, order.bottom)
            ),
        )
    pieces = tuple(_changed(scene, piece, correction) if piece.id == identity else piece for piece in scene.pieces)
    return replace(scene, pieces=pieces)


def _changed(scene: Scene, piece: Piece, correction: Correction) -> Piece:
    written = scene_to_json(replace(scene, pieces=(piece,), above=(), above_certainty=()))["pieces"]
    fields = written[0] if isinstance(written, list) else None
    if not isinstance(fields, dict):
        raise TypeError("expected a written piece to be an object")
    return piece_from_json({**fields, **correction.changes}, f"correction of {piece.id}")


def _profile_fields(profile: Profile, piece: Piece) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {**profile.values, "profile": profile.id}
    fields["owner"] = profile.owner or piece.owner
    return fields


def _unlikeness(profile: Profile, piece: Piece) -> tuple[bool, str]:
    return (profile.owner != piece.owner, profile.name)


def _size_mm(piece: Piece) -> float | None:
    return piece.shape.diameter_mm if isinstance(piece.shape, Circle) else None


def _tokens(tokens: Mapping[str, int]) -> JsonValue:
    counts: dict[str, JsonValue] = {name: count for name, count in tokens.items() if count > 0}
    return counts


def _free_id(scene: Scene) -> str:
    taken = {piece.id for piece in scene.pieces}
    return next(name for name in (f"by-hand-{number}" for number in range(1, 10_000)) if name not in taken)


def _near(a: Point, b: Point) -> bool:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 <= MOVED_MM**2
