"""What happened on pictures with truth, as samples for `benchmarks.fit_certainty`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

import numpy as np

from assistant.cli.calls import matched
from assistant.cli.detections import Detection
from assistant.cli.evaluate import detection_of, read_truth, roster_of
from assistant.cli.inputs import game_of
from assistant.games.diskwars.field import Field
from assistant.games.diskwars.sights import look_along
from assistant.games.diskwars.stacks import pins
from assistant.rules.game import complete, house_rules
from assistant.rules.unknown_terrain import as_anything, as_bare_ground, unknown_pieces
from assistant.scene.reading import scene_from_json
from assistant.scene.values import Circle, Piece
from assistant.session import TableSetting
from assistant.session.contact import contact_features
from assistant.session.doubts import (
    false_features,
    order_features,
    pile_features,
    pinned_features,
    place_features,
    size_features,
    viewing_slope,
)
from assistant.session.piles import pile_of
from assistant.session.translation import plain_scene

CHANCES = ("size", "false", "misread", "order", "contact", "pinned", "pile")
SAME_SIZE_MM = 1.0


@dataclass(frozen=True, slots=True)
class PlaceSample:
    """A matched disk of the right size: how far off it is, its sigma and viewing slope, and its features."""

    error_mm: float
    sigma_mm: float
    slope: float
    features: Mapping[str, float]


@dataclass
class Samples:
    """Everything the fit needs."""

    pictures: int = 0
    places: list[PlaceSample] = field(default_factory=list)
    rows: dict[str, list[tuple[Mapping[str, float], bool]]] = field(default_factory=lambda: {n: [] for n in CHANCES})
    free_lines_m: float = 0.0  # total length of lines that seem free
    blocked_lines: int = 0  # of these, blocked by terrain that was not detected
    turning: int = 0  # pieces of terrain of unknown kind that lines turn on
    turned: float = 0.0  # of these, those that block: each counts as the share of its lines that are blocked


def collect(folders: Sequence[Path], scenes: Path) -> Samples:
    """The samples of all pictures of some folders; detections are kept in `scenes`."""
    samples = Samples()
    for folder in folders:
        for path in sorted(folder.glob("*.truth.json")):
            truth = read_truth(path)
            found = detection_of(path, truth, scenes / folder.name)
            true = scene_from_json(truth)
            setting = TableSetting(game_of(truth["game"]), true.players, roster_of(truth, path))
            seen = complete(setting.game, plain_scene(found.sighting, found.view, setting))
            house = house_rules(setting.game, {})
            samples.pictures += 1
            _add(samples, found, Field(seen, house), Field(true, house))
    return samples


def _add(samples: Samples, found: Detection, ours: Field, theirs: Field) -> None:
    seen, true = ours.scene, theirs.scene
    names = matched(seen, true)
    pieces = {piece.id: piece for piece in true.on_field()}
    for piece in seen.on_field():
        pile = pile_of(seen, piece.id)
        match = pieces.get(names.get(piece.id, ""))
        samples.rows["false"].append((false_features(piece), match is None))
        if match is None:
            continue
        other = abs(_size(piece) - _size(match)) > SAME_SIZE_MM
        samples.rows["size"].append((size_features(piece), other))
        if piece.owner is not None:  # a disk of unknown owner is known to be unread
            samples.rows["misread"].append((size_features(piece), _misread(piece, match)))
        if not other:
            error_mm = max(math.dist(piece.centre, match.centre), 0.01)
            place = PlaceSample(
                error_mm, piece.sigma_mm, viewing_slope(found.view, piece), place_features(seen, piece, pile)
            )
            samples.places.append(place)
    for order in found.sighting.orders:
        pair = names.get(order.top, ""), names.get(order.bottom, "")
        if pair in theirs.order or pair[::-1] in theirs.order:
            features = order_features(seen, order, order.agreement or 0.0)
            samples.rows["order"].append((features, pair in theirs.order))
    _add_stacks(samples, ours, theirs, names)
    _add_lines(samples, ours, theirs, names)


def _add_stacks(samples: Samples, ours: Field, theirs: Field, names: Mapping[str, str]) -> None:
    seen = ours.scene
    true_pins = {(pin.top, pin.bottom) for pin in pins(theirs)}
    found = set(names.values())
    told = pins(ours)
    for pin in told:
        pair = names.get(pin.top, ""), names.get(pin.bottom, "")
        if pair in theirs.order:
            samples.rows["contact"].append((contact_features(seen, pin.top, pin.bottom), pair in true_pins))
    pinned = {pin.bottom for pin in told}
    for name, true_name in names.items():
        if name not in pinned:
            unseen = any(bottom == true_name and top not in found for top, bottom in true_pins)
            samples.rows["pinned"].append((pinned_features(seen.piece(name), pile_of(seen, name)), unseen))
    touching = {name for pair in theirs.order for name in pair if set(pair) - found}
    for pile in {pile_of(seen, name) for name in names}:
        holds = any(names.get(name) in touching for name in pile)
        samples.rows["pile"].append((pile_features(seen, pile), holds))


def _add_lines(samples: Samples, ours: Field, theirs: Field, names: Mapping[str, str]) -> None:
    pairs = list(combinations(names, 2))
    if not pairs:
        return
    i, j = np.array([(ours.place(a), ours.place(b)) for a, b in pairs], dtype=np.intp).T
    k, m = np.array([(theirs.place(names[a]), theirs.place(names[b])) for a, b in pairs], dtype=np.intp).T
    unknown = unknown_pieces(ours.scene)
    flat = as_bare_ground(ours.scene, unknown)
    bare = look_along(Field(flat, ours.house), i, j)
    anything = look_along(Field(as_anything(ours.scene, unknown), ours.house), i, j)
    true = look_along(theirs, k, m)
    free = bare & anything
    samples.free_lines_m += float(np.maximum(0.0, ours.gaps[i, j])[free].sum()) / 1000
    samples.blocked_lines += int((free & ~true).sum())
    for piece in unknown:
        decides = bare & ~look_along(Field(as_anything(flat, (piece,)), ours.house), i, j)
        if decides.any():
            samples.turning += 1
            samples.turned += float((~true)[decides].mean())


def _misread(piece: Piece, true: Piece) -> bool:
    activated = [bool(each.tokens.get("activation")) for each in (piece, true)]
    return piece.owner != true.owner or activated[0] != activated[1]


def _size(piece: Piece) -> float:
    return piece.shape.diameter_mm if isinstance(piece.shape, Circle) else 0.0
