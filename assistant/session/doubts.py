"""What certainty covers besides sigma: the chances that a detected scene states for each piece, order and contact.

Places: the usual error is a share of the detector's sigma; a rare one comes from a wrong height, which shifts a disk
along the viewing direction. Sizes, false and missed disks, orders and hidden disks have chances of their own.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from assistant.scene.values import Circle, JsonValue, OrderCertainty, Piece, Scene
from assistant.session.certainty_model import CertaintyModel, certainty_model, log_odds
from assistant.session.contact import contact_features
from assistant.session.piles import pile_of
from calibration.view import TableView
from vision.types.sighting import Order

SURELY = 0.9999  # nothing lies between a disk that was seen being laid down and what was there before
STILL_CONTACT = 0.94  # a still never knows that nothing lies hidden between two disks: always a close call
LEAST_ORDER = 0.5  # an order is stated as the likelier one


def with_doubts(
    scene: Scene,
    view: TableView,
    sizes_mm: Sequence[float],
    orders: Sequence[Order] = (),
    laid_in_sight: Collection[str] = (),
    terrain_told: bool = False,
    model: CertaintyModel | None = None,
) -> Scene:
    """A detected scene with its chances.

    `orders` are those of the scene with the evidence for them, `laid_in_sight` the disks that were seen being laid
    where they lie; with `terrain_told` people have said where all terrain lies.
    """
    model = model or certainty_model()
    piles = {piece.id: pile_of(scene, piece.id) for piece in scene.on_field()}
    scene = replace(
        scene,
        pieces=tuple(
            _doubted(piece, scene, piles[piece.id], view, sizes_mm, laid_in_sight, model) for piece in scene.pieces
        ),
        above_certainty=tuple(_certainties(scene, orders, laid_in_sight, model)),
        terrain=tuple(
            replace(piece, extra={**piece.extra, "turns": model.turns}) if piece.extra.get("unknown") else piece
            for piece in scene.terrain
        ),
    )
    contacts: list[JsonValue] = []
    for top, bottom in scene.above:
        estimated = min(STILL_CONTACT, model.contact.chance(contact_features(scene, top, bottom)))
        chance = SURELY if top in laid_in_sight else estimated
        contacts.append({"top": top, "bottom": bottom, "certainty": round(chance, 4)})
    told: dict[str, JsonValue] = {"contact_certainty": contacts} if contacts else {}
    if not terrain_told:
        told["missed_terrain"] = {"blocked_per_m": model.blocked_per_m}
    return replace(scene, extra={**scene.extra, **told})


def place_features(scene: Scene, piece: Piece, pile: Collection[str]) -> dict[str, float]:
    """What speaks for a rare error of a place; one whose order is doubted may lie a card higher or lower."""
    orders = [entry.certainty for entry in scene.above_certainty if piece.id in (entry.top, entry.bottom)]
    return {
        "covered": _covered(piece),
        "piled": float(len(pile) > 1),
        "unnamed": float(piece.profile is None),
        "doubted": 1.0 - min(orders, default=1.0),
    }


def size_features(piece: Piece) -> dict[str, float]:
    """What speaks for another size, owner or token."""
    return {"covered": _covered(piece), "unnamed": float(piece.profile is None)}


def false_features(piece: Piece) -> dict[str, float]:
    """What speaks for a false detection."""
    return {"confidence": log_odds(detected(piece, "confidence", 1.0))}


def order_features(scene: Scene, order: Order, agreement: float) -> dict[str, float]:
    """What speaks for an order: how far rims, cells, art and colours agree on it, and that both are disks."""
    pair = (order.top, order.bottom)
    confidence = min(log_odds(detected(scene.piece(name), "confidence", 1.0)) for name in pair)
    return {"agreement": agreement, "confidence": confidence}


def pinned_features(piece: Piece, pile: Collection[str]) -> dict[str, float]:
    """What speaks for an undetected disk on one that seems free."""
    return {"covered": _covered(piece), "piled": float(len(pile) > 1)}


def pile_features(scene: Scene, pile: Collection[str]) -> dict[str, float]:
    """What speaks for an undetected disk in a pile."""
    pieces = [scene.piece(name) for name in pile]
    return {"count": math.log(len(pieces)), "covered": max(_covered(piece) for piece in pieces)}


def viewing_slope(view: TableView, piece: Piece) -> float:
    """By how many mm a millimetre of height shifts a piece along the viewing direction."""
    away = np.array(piece.centre) - view.camera_centre[:2]
    return float(np.hypot(*away)) / max(view.camera_height_mm, 1.0)


def detected(piece: Piece, name: str, default: float) -> float:
    """A number that the detector states for a piece."""
    value = piece.extra.get(name)
    return float(value) if isinstance(value, int | float) else default


def _covered(piece: Piece) -> float:
    return 1.0 - detected(piece, "visible_fraction", 1.0)


def _certainties(
    scene: Scene, orders: Sequence[Order], laid_in_sight: Collection[str], model: CertaintyModel
) -> Iterator[OrderCertainty]:
    """How sure each order is; one that no picture tells, or of a disk seen being laid down, is as it was followed."""
    for order in sorted(orders, key=lambda order: (order.top, order.bottom)):
        chance = followed = order.probability
        if order.agreement is not None:
            chance = model.order.chance(order_features(scene, order, order.agreement))
            followed = order.probability if order.top in laid_in_sight else 0.0
        yield OrderCertainty(order.top, order.bottom, round(max(LEAST_ORDER, chance, followed), 4))


def _doubted(
    piece: Piece,
    scene: Scene,
    pile: Collection[str],
    view: TableView,
    sizes_mm: Sequence[float],
    laid_in_sight: Collection[str],
    model: CertaintyModel,
) -> Piece:
    if not isinstance(piece.shape, Circle) or not piece.on_field:
        return piece
    rare = model.tail.chance(place_features(scene, piece, pile))
    usual_mm = model.core * piece.sigma_mm
    rare_mm = math.hypot(model.wide * piece.sigma_mm, model.height_mm * viewing_slope(view, piece))
    gross, gross_mm = model.gross, math.hypot(model.wide * piece.sigma_mm, model.gross_mm)
    followed = piece.id in laid_in_sight
    doubt: dict[str, JsonValue] = {
        "places": _rounded([((1 - gross) * (1 - rare), usual_mm), ((1 - gross) * rare, rare_mm), (gross, gross_mm)]),
        "sizes": _rounded(_other_sizes(piece.shape.diameter_mm, sizes_mm, model.size.chance(size_features(piece)))),
        "false": round(model.false.chance(false_features(piece)), 4),
        "misread": _misread(piece, followed, model),
        "pinned": 0.0 if followed else round(model.pinned.chance(pinned_features(piece, pile)), 4),
        "pile": 0.0 if followed else round(model.pile.chance(pile_features(scene, pile)), 4),
    }
    return replace(piece, extra={**piece.extra, "doubt": doubt})


def _misread(piece: Piece, followed: bool, model: CertaintyModel) -> float:
    """The chance that the owner or a token is another; certain of a disk without known owner."""
    if piece.owner is None:
        return 1.0
    return 0.0 if followed else round(model.misread.chance(size_features(piece)), 4)


def _other_sizes(diameter_mm: float, sizes_mm: Sequence[float], chance: float) -> list[tuple[float, float]]:
    """The next smaller and the next larger size, at even odds."""
    smaller = [size for size in sizes_mm if size < 0.98 * diameter_mm]
    larger = [size for size in sizes_mm if size > 1.02 * diameter_mm]
    others = ([max(smaller)] if smaller else []) + ([min(larger)] if larger else [])
    return [(chance / len(others), size) for size in others]


def _rounded(rows: Sequence[tuple[float, float]]) -> list[JsonValue]:
    return [[round(share, 4), round(value, 3)] for share, value in rows]
