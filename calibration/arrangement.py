"""Which of the markers seen are one table's tokens, and do they lie as tokens should?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product

import cv2
import numpy as np

from calibration import homography
from calibration.arrays import FloatArray
from calibration.failure import Failure
from calibration.kit import RULER_IDS, TOKEN_IDS, TOKEN_MARKER_MM, TOKEN_NAMES, nominal_token_centres_mm, square_mm
from calibration.markers import Sighting

LEAST_TOKENS = 3
_WORST_MISFIT = 0.35  # of a token's side in the picture
# The table may be of another size than was said; that is found out later, and told better.
_SCALES = (1.0, 0.5, 0.65, 0.8, 1.25, 1.55, 2.0)
_CANDIDATES = 3  # looked at for each token, the largest


@dataclass(frozen=True, slots=True, eq=False)
class Arrangement:
    """One table's tokens and ruler ends, each with its corners in the order that has its top to the north."""

    tokens: tuple[Sighting, ...]
    ruler: tuple[Sighting, ...]
    notes: tuple[str, ...]
    misfit: float


def arrange(sightings: Iterable[Sighting], width_mm: float, depth_mm: float) -> Arrangement | Failure:
    """The table among these markers, or why they are none."""
    sightings = tuple(sightings)
    seen = tuple(sorted(s.marker_id for s in sightings))
    candidates = [_largest(s for s in sightings if s.marker_id == token) for token in TOKEN_IDS]
    count = sum(bool(c) for c in candidates)
    if count < LEAST_TOKENS:
        return Failure(
            f"{count} of the four corner tokens (ids 0 to 3) found, at least three are needed",
            "show them whole, flat and sharp, without glare or hands on them, or give the field's corners by hand",
            seen,
        )
    fitting = sorted(_tables(candidates, width_mm, depth_mm), key=lambda a: (-len(a.tokens), a.misfit))
    if not fitting:
        return _misplaced(candidates, width_mm, depth_mm, seen)
    best = fitting[0]
    for other in fitting[1:]:
        if not _places(other) & _places(best):
            return Failure(
                "two tables are in view: tokens of the same ids lie in two places",
                "turn the camera so that it sees one table's tokens, or cover the other's",
                seen,
            )
    ends = [_largest(s for s in sightings if s.marker_id == end) for end in RULER_IDS]
    ruler = tuple(end[0] for end in ends) if all(len(end) == 1 for end in ends) else ()
    notes = list(best.notes)
    if any(len(end) > 1 for end in ends):
        notes.append("more than one ruler is in view: none is used")
    return Arrangement(best.tokens, ruler, tuple(notes), best.misfit)


def _places(table: Arrangement) -> set[tuple[float, float]]:
    return {(float(x), float(y)) for x, y in (token.centre_px for token in table.tokens)}


def _largest(sightings: Iterable[Sighting]) -> list[Sighting]:
    return sorted(sightings, key=lambda s: -s.side_px)[:_CANDIDATES]


def _tables(candidates: Sequence[list[Sighting]], width_mm: float, depth_mm: float) -> Iterator[Arrangement]:
    """Every choice of one sighting per token that lies as on a table; choices of three where four do not fit."""
    single = all(len(c) <= 1 for c in candidates)
    choices: list[list[Sighting | None]] = [[*c, None] if len(c) != 1 or not single else [*c] for c in candidates]
    for choice in product(*choices):
        tokens = [token for token in choice if token is not None]
        if len(tokens) >= LEAST_TOKENS:
            table = _table(tokens, width_mm, depth_mm)
            if table is not None:
                yield table


def _table(tokens: Sequence[Sighting], width_mm: float, depth_mm: float) -> Arrangement | None:
    """These tokens as a table, if they look like one from some place above it."""
    ids = [token.marker_id for token in tokens]
    centres = np.array([token.centre_px for token in tokens])
    if not _clockwise(centres):
        return None
    nominal = nominal_token_centres_mm(width_mm, depth_mm)[ids]
    if len(ids) == 4:
        to_board = homography.from_corners(centres, nominal)
    else:
        to_board = np.eye(3)
        to_board[:2] = cv2.getAffineTransform(centres.astype(np.float32), nominal.astype(np.float32))
    turned, notes = [], []
    for token in tokens:
        quarter = _quarter_turns(homography.apply(to_board, np.array(token.corners_px)))
        turned.append(Sighting(token.marker_id, np.roll(token.corners_px, quarter, axis=0), token.likeness))
        if quarter:
            notes.append(f"the {TOKEN_NAMES[token.marker_id]} token is turned by {90 * min(quarter, 4 - quarter)}°")
    misfit = min(_misfit(turned, nominal, TOKEN_MARKER_MM * scale) for scale in _SCALES)
    return Arrangement(tuple(turned), (), tuple(notes), misfit) if misfit <= _WORST_MISFIT else None


def _misfit(tokens: Sequence[Sighting], centres_mm: FloatArray, side_mm: float) -> float:
    """How badly squares of this side at these places explain the tokens under any view of a plane, in token sides."""
    world = np.concatenate([square_mm(side_mm) + centre for centre in centres_mm])
    pixels = np.concatenate([token.corners_px for token in tokens])
    plane, _ = cv2.findHomography(world, pixels)
    if plane is None:
        return np.inf
    off = homography.apply(np.asarray(plane, dtype=np.float64), world) - pixels
    sides = np.repeat([token.side_px for token in tokens], 4)
    return float(np.sqrt(np.mean(np.sum(off**2, axis=1) / sides**2)))


def _clockwise(points: FloatArray) -> bool:
    """Whether the points, in this order, run around a convex shape clockwise as seen in a picture."""
    ahead = np.roll(points, -1, axis=0) - points
    after = np.roll(ahead, -1, axis=0)
    return bool((ahead[:, 0] * after[:, 1] - ahead[:, 1] * after[:, 0] > 0).all())


def _quarter_turns(corners_mm: FloatArray) -> int:
    """By how many places to roll the corners so that the first edge runs east."""
    edge = corners_mm[1] - corners_mm[0]
    return round(float(np.degrees(np.arctan2(edge[1], edge[0]))) / 90) % 4


def _misplaced(
    candidates: Sequence[list[Sighting]], width_mm: float, depth_mm: float, seen: tuple[int, ...]
) -> Failure:
    """Says which tokens would have to change places, if that is what is wrong."""
    tokens = [c[0] for c in candidates if c]
    ids = [token.marker_id for token in tokens]
    hint = "lay token 0 north-west, 1 north-east, 2 south-east, 3 south-west, marker tops to the north"
    best: tuple[float, list[tuple[int, int]]] | None = None
    for order in permutations(ids):
        renamed = sorted(
            (Sighting(i, t.corners_px, t.likeness) for i, t in zip(order, tokens, strict=True)), key=_by_id
        )
        table = _table(renamed, width_mm, depth_mm)
        wrong = [(token, place) for token, place in zip(ids, order, strict=True) if token != place]
        turned = len(table.notes) if table is not None else 0
        if table is not None and (best is None or (turned, len(wrong)) < (best[0], len(best[1]))):
            best = (turned, wrong)
    if best is None:
        return Failure("the corner tokens do not lie as on one table", hint, seen)
    moves = ", ".join(f"token {token} lies {TOKEN_NAMES[place]}" for token, place in best[1])
    return Failure(f"the corner tokens are in the wrong places: {moves}", hint, seen)


def _by_id(sighting: Sighting) -> int:
    return sighting.marker_id
