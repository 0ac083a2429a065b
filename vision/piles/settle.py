"""How all that is seen lies: heights and leans from what is below each card, from its shadow and its art's own lean.

A face shows how its card leans, and a card leans as what is below it makes it lean. So a measured lean tells of cards
that nobody sees, and which of two cards is the lower one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from shapely import Polygon, contains_xy, make_valid
from shapely.ops import unary_union

from calibration.arrays import FloatArray
from calibration.view import TableView
from vision.faces.art_pose import ArtPose
from vision.piles.options import PILES
from vision.piles.placing import BY_ART, BY_RIM, height_covariances, height_variances, overlapping
from vision.piles.resting import Ground, Heights, Laid, Leans, flat_table, rest_leaning
from vision.rims.options import RIMS
from vision.terrain.options import TERRAIN
from vision.types.arrays import BoolArray, IntArray
from vision.types.poses import Poses, poses_of
from vision.types.sighting import CARD_THICKNESS_MM, DiskSighting, TableSighting, TerrainSighting


def lie_down(
    view: TableView,
    seen: TableSighting,
    by_art: Mapping[str, ArtPose],
    kept: Collection[str] = (),
    by_appearance: bool = False,
) -> TableSighting:
    """The disks where they then are, and their orders; `by_art` are the disks whose art shows how they lean.

    The `kept` ones stay as they are. With `by_appearance` a disk that appears higher than what is seen below it is
    raised: a single picture knows no better, a followed game does.
    """
    if not seen.disks:
        return seen
    was = _by_heights(view, seen)
    seen = _placed_by_print(seen, by_art, was)
    table = _Table.of(view, seen, by_art, kept, by_appearance)
    above, sure, agreement = _above(seen)
    above, sure = _turned(table, above, sure)
    if by_appearance:
        above = _without_seeming(table, above)
    for _ in range(PILES.rounds):
        laid = table.laid(above)
        table = table.at_heights(laid.poses)
    sigmas = BY_RIM, BY_ART
    layers = table.poses.heights_mm / CARD_THICKNESS_MM - 1
    by_appearance_mm2 = laid.height_variances + PILES.height_sigma_mm**2 + (PILES.layer_sigma_mm * layers) ** 2
    variances = [by_appearance_mm2 if by_appearance else height_variances(table.poses, kind) for kind in sigmas]
    by_height, by_height_and_art = (height_covariances(table.poses, view, variance) for variance in variances)
    disks = tuple(
        disk
        if disk.id in kept
        else table.disk(i, disk.covariance - was[i] + (by_height_and_art if disk.id in by_art else by_height)[i], disk)
        for i, disk in enumerate(seen.disks)
    )
    return replace(seen, disks=disks, orders=overlapping(disks, above, sure, agreement, view))


def _by_heights(view: TableView, seen: TableSighting) -> FloatArray:
    """The part (N, 2, 2) of the covariances of detected disks that is due to their heights and to the calibration."""
    poses = poses_of(seen.disks)
    return height_covariances(poses, view, height_variances(poses, BY_RIM))


def _placed_by_print(seen: TableSighting, by_art: Mapping[str, ArtPose], by_heights: FloatArray) -> TableSighting:
    """The disks between where their rims and where their prints are, as far as either is sure.

    A print is measured finely, but cards are cut off its centre.
    """
    printed = PILES.print_sigma_mm**2 * np.eye(2)
    disks = list(seen.disks)
    for i, disk in enumerate(seen.disks):
        if disk.id not in by_art:
            continue
        art = by_art[disk.id].disk
        rim, own = np.array([disk.x_mm, disk.y_mm]), _positive(disk.covariance - by_heights[i])
        apart = np.array([art.x_mm, art.y_mm]) - rim
        strain = float(apart @ np.linalg.solve(own + printed, apart))
        own = own * max(1.0, strain / PILES.rim_strain)
        gain = own @ np.linalg.inv(own + printed)
        x_mm, y_mm = (rim + gain @ apart).tolist()
        disks[i] = replace(disk, x_mm=x_mm, y_mm=y_mm, covariance=own - gain @ own + by_heights[i])
    return replace(seen, disks=tuple(disks))


def _positive(covariance: FloatArray) -> FloatArray:
    """The nearest covariance (2, 2) that no direction knows better than a face can be measured."""
    values, ways = np.linalg.eigh(covariance)
    return np.asarray(ways * np.maximum(values, RIMS.strip_floor_mm**2) @ ways.T)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Cards that are seen at certain pixels, at heights still to be found."""

    view: TableView
    pixels: FloatArray
    poses: Poses
    leans: Leans
    ground: Ground
    fixed: BoolArray
    apparent: Heights | None

    @staticmethod
    def of(
        view: TableView,
        seen: TableSighting,
        by_art: Mapping[str, ArtPose],
        kept: Collection[str],
        by_appearance: bool,
    ) -> _Table:
        poses = poses_of(seen.disks)
        fixed = np.array([disk.id in kept for disk in seen.disks])
        pixels = view.board_to_image(poses.centres_mm, poses.heights_mm)
        apparent = None
        if by_appearance:
            heights = np.array([disk.apparent_height_mm for disk in seen.disks])
            apparent = Heights(heights, np.array([disk.apparent_height_sigma_mm for disk in seen.disks]))
        return _Table(view, pixels, poses, _leans(seen, by_art), _ground(seen.terrain), fixed, apparent)

    def laid(self, above: BoolArray) -> Laid:
        """The cards at rest in this order, where they are now."""
        poses = self.poses
        return rest_leaning(
            poses.centres_mm,
            poses.radii_mm,
            above,
            CARD_THICKNESS_MM,
            self.leans,
            self.ground,
            poses,
            self.fixed,
            self.apparent,
        )

    def at_heights(self, laid: Poses) -> _Table:
        """The same cards at these heights and leans, where their pixels then show them to be."""
        centres = self.view.image_to_board(self.pixels, laid.heights_mm)
        return replace(self, poses=Poses(centres, laid.heights_mm, laid.slopes, laid.radii_mm))

    def strain(self, above: BoolArray) -> float:
        """How far all measured leans and heights are from what lies below, in squared sigmas."""
        return float(self.at_heights(self.laid(above).poses).laid(above).strains.sum())

    def pick(self, which: IntArray) -> _Table:
        """Some of the cards."""
        leans = Leans(self.leans.slopes[which], self.leans.precisions[which])
        apparent = self.apparent and Heights(self.apparent.apparent_mm[which], self.apparent.sigma_mm[which])
        return replace(
            self,
            pixels=self.pixels[which],
            poses=self.poses.pick(which),
            leans=leans,
            fixed=self.fixed[which],
            apparent=apparent,
        )

    def disk(self, i: int, covariance: FloatArray, seen: DiskSighting) -> DiskSighting:
        """A disk as it lies here."""
        one = self.poses.pick(np.array([i]))
        x_mm, y_mm = one.body_centres_mm(CARD_THICKNESS_MM)[0].tolist()
        return replace(
            seen,
            x_mm=x_mm,
            y_mm=y_mm,
            covariance=covariance,
            face_height_mm=float(one.heights_mm[0]),
            face_normal=one.normals()[0],
        )


def _without_seeming(table: _Table, above: BoolArray) -> BoolArray:
    """Who lies above whom, without the cards that only seemed to lie on a raised one.

    A card that lies higher is nearer to the camera than it seemed, and may lie beside what seemed to lie on it.
    """
    above = above.copy()
    lifts = table.laid(above).lifts_mm
    for pile in _piles(above):
        own = np.ix_(pile, pile)
        for lower in np.flatnonzero(lifts[pile] > 0).tolist():
            for upper in np.flatnonzero(above[own][:, lower]).tolist():
                other = above[own]
                other[upper, lower] = False
                part = table.pick(pile)
                poses = part.at_heights(part.laid(other).poses).poses
                apart = float(np.linalg.norm(poses.centres_mm[upper] - poses.centres_mm[lower]))
                if apart > poses.radii_mm[upper] + poses.radii_mm[lower]:
                    above[own] = other
    return above


def _leans(seen: TableSighting, by_art: Mapping[str, ArtPose]) -> Leans:
    """The measured leans, and how sure they are.

    Cards that lie alone lie flat as a rule: what they seem to lean together is the lens's or the print's doing, and how
    they scatter tells how far leans can be trusted in this picture.
    """
    count = len(seen.disks)
    slopes, covariances = np.zeros((count, 2)), np.zeros((count, 2, 2))
    measured = [i for i, disk in enumerate(seen.disks) if disk.id in by_art]
    for i in measured:
        slopes[i] = by_art[seen.disks[i].id].slope
        covariances[i] = by_art[seen.disks[i].id].slope_covariance
    piled = {name for order in seen.orders for name in (order.top, order.bottom)}
    alone = [i for i in measured if seen.disks[i].id not in piled]
    common, scatter = np.zeros(2), 0.0
    if len(alone) >= PILES.least_alone:
        common = np.median(slopes[alone], axis=0)
        own = np.median(np.sqrt(covariances[alone].trace(axis1=1, axis2=2) / 2))
        scatter = np.sqrt(max(0.0, (1.48 * float(np.median(np.abs(slopes[alone] - common)))) ** 2 - float(own) ** 2))
    precisions = np.zeros((count, 2, 2))
    precisions[measured] = np.linalg.inv(covariances[measured] + (PILES.lean_sigma**2 + scatter**2) * np.eye(2))
    return Leans(slopes - common, precisions)


def _ground(terrain: Sequence[TerrainSighting]) -> Ground:
    """How high the ground is at points (N, 2)."""
    outlines = [Polygon(piece.outline_mm) for piece in terrain]
    shape = unary_union([make_valid(outline) for outline in outlines])

    if shape.is_empty:
        return flat_table

    def height(points_mm: FloatArray) -> FloatArray:
        return np.asarray(TERRAIN.height_mm * contains_xy(shape, points_mm[:, 0], points_mm[:, 1]))

    return height


def _above(seen: TableSighting) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Who lies above whom (N, N), how sure that is, and how far the evidence agrees on it."""
    count = len(seen.disks)
    place = {disk.id: i for i, disk in enumerate(seen.disks)}
    above, sure, agreement = np.zeros((count, count), dtype=bool), np.zeros((count, count)), np.zeros((count, count))
    for order in seen.orders:
        top, bottom = place[order.top], place[order.bottom]
        above[top, bottom] = True
        sure[top, bottom] = order.probability
        agreement[top, bottom] = order.agreement or 0.0
    return above, sure, agreement - agreement.T


def _turned(table: _Table, above: BoolArray, sure: FloatArray) -> tuple[BoolArray, FloatArray]:
    """The orders, with those turned that the leans and heights of the cards speak against."""
    above, sure = above.copy(), sure.copy()
    measured = np.abs(table.leans.precisions).sum(axis=(1, 2)) > 0
    if table.apparent is not None:
        measured |= np.isfinite(table.apparent.sigma_mm)
    for pile in _piles(above):
        if not measured[pile].any() or not (above & (sure < PILES.doubted))[np.ix_(pile, pile)].any():
            continue
        own = np.ix_(pile, pile)
        above[own], sure[own] = _turned_in_pile(table.pick(pile), above[own], sure[own], measured[pile])
    return above, sure


def _turned_in_pile(
    pile: _Table, above: BoolArray, sure: FloatArray, measured: BoolArray
) -> tuple[BoolArray, FloatArray]:
    strain = float(pile.laid(above).strains.sum())
    while strain >= PILES.turned_from:  # each turn lowers it by as much
        tries = []
        for top, bottom in np.argwhere(above & (sure < PILES.doubted)).tolist():
            other = above.copy()
            other[top, bottom], other[bottom, top] = False, True
            if (measured[top] or measured[bottom]) and not _circular(other):
                left = float(pile.laid(other).strains.sum())
                odds = 2 * float(np.log(sure[top, bottom] / (1 - sure[top, bottom])))
                tries.append((strain - left - odds, left, top, bottom))
        gain, left, top, bottom = max(tries, default=(0.0, 0.0, 0, 0))
        if gain < PILES.turned_from:
            break
        above[top, bottom], above[bottom, top] = False, True
        sure[top, bottom], sure[bottom, top] = 0.0, min(PILES.surest_turned, 1 / (1 + float(np.exp(-gain / 2))))
        strain = left
    return above, sure


def _piles(above: BoolArray) -> list[IntArray]:
    """The cards of each pile of two or more."""
    near = above | above.T | np.eye(len(above), dtype=bool)
    waiting, piles = set(range(len(above))), []
    while waiting:
        pile = {waiting.pop()}
        grown = set(np.flatnonzero(near[list(pile)].any(axis=0)).tolist())
        while grown != pile:
            pile, grown = grown, set(np.flatnonzero(near[list(grown)].any(axis=0)).tolist())
        waiting -= pile
        if len(pile) > 1:
            piles.append(np.array(sorted(pile)))
    return piles


def _circular(above: BoolArray) -> bool:
    """Whether some card lies above itself by way of others."""
    reach = above.astype(np.int64)
    for _ in range(max(1, int(np.ceil(np.log2(len(above)))))):
        reach = np.minimum(reach + reach @ reach, 1)
    return bool(reach.diagonal().any())
