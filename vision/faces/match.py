"""How well faces, as seen, are explained by templates: at any turn, a little off, in any ordinary light."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from vision.faces.options import FACES
from vision.faces.polar import PHI, RADII, STEP_RAD, PolarFace
from vision.types.arrays import FloatImage, IntArray
from vision.types.poses import ANGLES
from vision.types.tone import Tone
from vision.types.workers import CHUNK


@dataclass(frozen=True, slots=True, eq=False)
class TemplateSet:
    """Templates of one blur level: colours (P, 3, RINGS, ANGLES) and their spectra along the angle."""

    colours: FloatImage
    spectrum: NDArray[np.complex64]  # (3, frequencies, P, RINGS)
    square_spectrum: NDArray[np.complex64]

    @staticmethod
    def of(colours: FloatImage) -> TemplateSet:
        """Prepares templates for matching."""

        def spectrum(values: FloatImage) -> NDArray[np.complex64]:
            turned = np.fft.rfft(values, axis=-1).astype(np.complex64)
            return np.ascontiguousarray(turned.transpose(1, 3, 0, 2))

        return TemplateSet(np.ascontiguousarray(colours), spectrum(colours), spectrum(colours * colours))


@dataclass(frozen=True, slots=True, eq=False)
class Laying:
    """A face and the candidates to be laid on it: templates (K,), each turned clockwise by angle steps (K,)."""

    face: PolarFace
    templates: TemplateSet
    which: IntArray
    steps: IntArray
    shift_sigma: float  # how unsure the face's centre is, in face radii


@dataclass(frozen=True, slots=True, eq=False)
class Fits:
    """Candidates for one face, each a template at a turn, with how well it explains what is seen.

    `scores`: the share of the seen area that is explained, 0 to 1. `adjusted` holds the templates as finally laid on.
    """

    templates: IntArray  # (K,)
    turns_rad: FloatArray  # (K,) clockwise
    scores: FloatArray  # (K,)
    evidence: FloatArray  # (K,) the weight of the samples that had to be explained
    gains: FloatArray  # (K, 3)
    offsets: FloatArray  # (K, 3)
    adjusted: FloatImage  # (K, 3, RINGS, ANGLES)
    shifts: FloatArray  # (K, 2) how far each slid east and south, in face radii
    missed: FloatImage  # (K, RINGS, ANGLES): 0 where what is seen is explained, up to 1 where it is not


def turn_scores(faces: Sequence[PolarFace], templates: TemplateSet) -> FloatImage:
    """(N, P, ANGLES): the share of each face's colour variance that each template explains at each turn."""
    weights = np.stack([face.weights for face in faces])
    seen = np.stack([face.colours for face in faces], axis=1)  # (3, N, RINGS, ANGLES)
    total = weights.sum(axis=(1, 2), dtype=np.float64).astype(np.float32)

    def correlate(of_faces: NDArray[np.complex128], of_templates: NDArray[np.complex64]) -> FloatImage:
        # (colours, frequencies, P, RINGS) @ (colours, frequencies, RINGS, N)
        product = of_templates @ np.conj(of_faces).astype(np.complex64).transpose(0, 3, 2, 1)
        spectrum = np.conj(product).transpose(0, 3, 2, 1)
        return np.asarray(np.fft.irfft(spectrum, n=ANGLES, axis=-1), dtype=np.float32)

    weighted = weights * seen
    weight_spectrum = np.fft.rfft(weights, axis=-1)[None]
    cross = correlate(np.fft.rfft(weighted, axis=-1), templates.spectrum)
    mean = correlate(weight_spectrum, templates.spectrum) / total[:, None, None]
    square = correlate(weight_spectrum, templates.square_spectrum)
    seen_sum = weighted.sum(axis=(2, 3))
    seen_variance = (weighted * seen).sum(axis=(0, 2, 3)) - (seen_sum**2).sum(axis=0) / total
    covariance = cross - seen_sum[:, :, None, None] * mean
    variance = square - total[:, None, None] * mean * mean
    explained = np.maximum(covariance, 0) ** 2 / (variance + np.float32(1e-3) * total[:, None, None])
    return np.asarray(explained.sum(axis=0) / (seen_variance + 1e-4 * total)[:, None, None], dtype=np.float32)


def best_turns(scores: FloatImage, keep: int) -> tuple[IntArray, IntArray]:
    """The best candidates (template, angle step), at most two turns of each template."""
    count = len(scores)
    first = scores.argmax(axis=1)
    rest = scores.copy()
    near = (first[:, None] + np.arange(-8, 9)) % ANGLES
    rest[np.arange(count)[:, None], near] = -1
    second = rest.argmax(axis=1)
    template = np.concatenate([np.arange(count), np.arange(count)])
    turn = np.concatenate([first, second])
    score = scores[template, turn]
    order = np.argsort(-score, kind="stable")[:keep]
    worth = max(3, int((score[order] > 0.65 * score[order[0]]).sum()))  # three hold at least two templates
    return template[order[:worth]], turn[order[:worth]]


def candidates_for(
    faces: Sequence[PolarFace], templates: Sequence[TemplateSet], keep: int
) -> list[tuple[IntArray, IntArray]]:
    """The candidates worth fitting to each face: those that all of it suggests, and those suggested without its tokens.

    `templates` holds for each face those that it may be.
    """
    chosen = [best_turns(scores, keep) for scores in scores_of(faces, templates)]
    covered = [i for i, face in enumerate(faces) if (face.weights * face.token_like).sum() >= 0.05 * face.weights.sum()]
    bare = [replace(faces[i], weights=_sure(faces[i])) for i in covered]
    for i, scores in zip(covered, scores_of(bare, [templates[i] for i in covered]), strict=True):
        pairs = np.concatenate([np.column_stack(chosen[i]), np.column_stack(best_turns(scores, keep))])
        both = np.unique(pairs, axis=0)
        chosen[i] = both[:, 0], both[:, 1]
    return chosen


def scores_of(faces: Sequence[PolarFace], templates: Sequence[TemplateSet]) -> list[FloatImage]:
    """`turn_scores` of each face with its own templates."""
    result: dict[int, FloatImage] = {}
    for shared in dict.fromkeys(templates):
        mine = [i for i, own in enumerate(templates) if own is shared]
        result |= zip(mine, turn_scores([faces[i] for i in mine], shared), strict=True)
    return [result[i] for i in range(len(faces))]


def fit(layings: Sequence[Laying], tone: Tone) -> list[Fits]:
    """Lays candidates on faces, letting them slide, turn and stretch a little, and scores what each explains.

    Tokens, glare and other things lying on a face are samples that no candidate explains; they cost every
    candidate the same and do not bend the fit.
    """

    def lay(part: Sequence[Laying]) -> list[Fits]:
        faces, counts = [laying.face for laying in part], [len(laying.which) for laying in part]
        return _rated(faces, counts, _laid(part, tone), tone)

    return [fits for part in map(lay, _chunks(layings)) for fits in part]


def rate(faces: Sequence[PolarFace], fits: Sequence[Fits], tone: Tone) -> list[Fits]:
    """The same candidates where they lie, scored again in the light of a tone."""
    if not faces:
        return []
    laid = _Laid(
        np.concatenate([one.templates for one in fits]),
        np.concatenate([one.turns_rad for one in fits]),
        np.concatenate([one.shifts for one in fits]),
        np.concatenate([one.adjusted for one in fits]),
    )
    return _rated(faces, [len(one.templates) for one in fits], laid, tone)


def _chunks(layings: Sequence[Laying]) -> list[list[Laying]]:
    chunks: list[list[Laying]] = [[]]
    for laying in layings:
        if sum(len(other.which) for other in chunks[-1]) + len(laying.which) > CHUNK:
            chunks.append([])
        chunks[-1].append(laying)
    return [chunk for chunk in chunks if chunk]


@dataclass(frozen=True, slots=True, eq=False)
class _Laid:
    """Candidates of several faces as they lie best; fields as those of Fits."""

    which: IntArray
    turns_rad: FloatArray
    shifts: FloatArray
    adjusted: FloatImage


def _laid(layings: Sequence[Laying], tone: Tone) -> _Laid:
    """All candidates of these faces, laid on."""
    start = np.concatenate([_turned(laying) for laying in layings])
    slopes = _slopes(start)
    count = len(start)
    of = np.repeat(np.arange(len(layings)), [len(laying.which) for laying in layings])
    faces = [laying.face for laying in layings]
    sure = [_sure(face) for face in faces]
    weights, spread = np.stack(sure)[of, :, :: FACES.thin], _spreads(faces, sure)[of]
    colours = np.stack([face.colours for face in faces])[of, :, :, :: FACES.thin]
    first, tilts = np.ascontiguousarray(start[..., :: FACES.thin]), np.ascontiguousarray(slopes[..., :: FACES.thin])
    prior = np.zeros((count, 4))
    prior[:, :2] = (np.array([laying.shift_sigma for laying in layings])[of] ** -2.0)[:, None]
    prior[:, 2:] = FACES.turn_sigma_rad**-2.0, FACES.scale_sigma**-2.0
    scale = (FACES.thin * FACES.match_independent / spread)[:, None]
    offset = np.zeros((count, 4))
    adjusted, trust = first, weights
    for _ in range(FACES.fit_rounds):
        gain, base = _light(colours, adjusted, trust, tone)
        misfit = _misfit(colours, adjusted, gain, base)
        trust = weights / (1 + _squares(misfit, spread) ** 2)
        root = np.sqrt(trust)[:, None]
        lever = (tilts * (gain[:, :, None, None] * root)[:, None]).reshape(count, 4, -1)
        normal = scale[:, :, None] * (lever @ lever.transpose(0, 2, 1)) + prior[:, :, None] * np.eye(4)
        pull = scale * (lever @ (misfit * root).reshape(count, -1, 1))[..., 0] - offset * prior
        offset = offset + np.linalg.solve(normal, pull[..., None])[..., 0]
        adjusted = _moved(first, tilts, offset)
    steps = np.concatenate([laying.steps for laying in layings])
    which = np.concatenate([laying.which for laying in layings])
    # The slopes are those of what is seen at a place: seen further east means that the art lies further west.
    return _Laid(which, steps * STEP_RAD - offset[:, 2], -offset[:, :2], _moved(start, slopes, offset))


def _moved(start: FloatImage, slopes: FloatImage, offset: FloatArray) -> FloatImage:
    """Templates (K, ...) moved along their slopes (K, 4, ...)."""
    change = offset.astype(np.float32)[:, None, :] @ slopes.reshape(len(start), 4, -1)
    return np.asarray(start + change.reshape(start.shape), dtype=np.float32)


def _turned(laying: Laying) -> FloatImage:
    """The candidates' templates (K, 3, RINGS, ANGLES) at their turns."""
    turned = np.empty((len(laying.which), *laying.templates.colours.shape[1:]), dtype=np.float32)
    for out, which, step in zip(turned, laying.which.tolist(), laying.steps.tolist(), strict=True):
        template = laying.templates.colours[which]
        out[..., step:], out[..., :step] = template[..., : ANGLES - step], template[..., ANGLES - step :]
    return turned


def _rated(faces: Sequence[PolarFace], counts: Sequence[int], laid: _Laid, tone: Tone) -> list[Fits]:
    """The scores of candidates, so many in a row for each face."""
    adjusted = laid.adjusted
    of = np.repeat(np.arange(len(faces)), counts)
    sure = [_sure(face) for face in faces]
    weights, spread = np.stack(sure)[of, :, :: FACES.thin], _spreads(faces, sure)[of]
    colours = np.stack([face.colours for face in faces])[of]
    some, laid_some = (np.ascontiguousarray(array[..., :: FACES.thin]) for array in (colours, adjusted))
    gain, base = _light(some, laid_some, weights, tone)
    for _ in range(2):
        square = _squares(_misfit(some, laid_some, gain, base), spread)
        gain, base = _light(some, laid_some, weights / (1 + square**2), tone)
    missed = np.minimum(_squares(_misfit(colours, adjusted, gain, base), spread), 1)
    whole = np.stack([face.weights for face in faces])[of]
    tokens = np.stack([face.token_like for face in faces])[of]
    explained = (whole * (1 - missed)).sum(axis=(1, 2)).astype(np.float64)
    expected = (whole * (1 - tokens * missed)).sum(axis=(1, 2)).astype(np.float64)
    scores = explained / np.maximum(expected, 1e-6)
    ends = np.cumsum(counts)
    parts = [slice(end - count, end) for end, count in zip(ends.tolist(), counts, strict=True)]
    lights = gain.astype(np.float64), base.astype(np.float64)
    return [
        Fits(
            laid.which[part],
            laid.turns_rad[part],
            scores[part],
            expected[part],
            lights[0][part],
            lights[1][part],
            adjusted[part],
            laid.shifts[part],
            missed[part],
        )
        for part in parts
    ]


def _sure(face: PolarFace) -> FloatImage:
    """The weights for fitting: what may be a token hardly counts."""
    return np.asarray(face.weights * (1 - np.float32(0.9) * face.token_like), dtype=np.float32)


def _spreads(faces: Sequence[PolarFace], sure: Sequence[FloatImage]) -> FloatArray:
    """The variance of each face's colours (N,), which is the yardstick of a misfit."""
    weights = np.stack(sure)[:, None]
    colours = np.stack([face.colours for face in faces])
    total = weights.sum(axis=(1, 2, 3)).astype(np.float64) + 1e-6
    mean = (weights * colours).sum(axis=(2, 3)) / total[:, None].astype(np.float32)
    squares = (weights * (colours - mean[:, :, None, None]) ** 2).sum(axis=(1, 2, 3))
    return np.asarray(squares / total / 3 + 4e-5, dtype=np.float64)


def _slopes(colours: FloatImage) -> FloatImage:
    """(K, 4, 3, RINGS, ANGLES): change of a template moved east, south, turned back, and shrunk."""
    slopes = np.empty((len(colours), 4, *colours.shape[1:]), dtype=np.float32)
    east, south, around, stretched = (slopes[:, k] for k in range(4))
    around[..., 1:-1] = colours[..., 2:] - colours[..., :-2]
    around[..., 0], around[..., -1] = colours[..., 1] - colours[..., -1], colours[..., 0] - colours[..., -2]
    around *= np.float32(1 / (2 * STEP_RAD))
    ring = RADII[1] - RADII[0]
    outward = np.empty_like(colours)
    outward[:, :, 1:-1] = (colours[:, :, 2:] - colours[:, :, :-2]) / (2 * ring)
    outward[:, :, 0] = (colours[:, :, 1] - colours[:, :, 0]) / ring
    outward[:, :, -1] = (colours[:, :, -1] - colours[:, :, -2]) / ring
    sine, cosine, radius = np.sin(PHI), np.cos(PHI), RADII[:, None]
    sideways = around / radius
    np.add(outward * sine, sideways * cosine, out=east)
    np.subtract(sideways * sine, outward * cosine, out=south)
    np.multiply(outward, radius, out=stretched)
    return slopes


def _misfit(seen: FloatImage, template: FloatImage, gain: FloatImage, base: FloatImage) -> FloatImage:
    printed = np.minimum(gain[:, :, None, None] * template + base[:, :, None, None], np.float32(1))
    return np.asarray(seen - printed, dtype=np.float32)


def _squares(misfit: FloatImage, spread: FloatArray) -> FloatImage:
    """The squared misfit of each sample; from 1 on it counts as not explained."""
    square = misfit[:, 0] ** 2 + misfit[:, 1] ** 2 + misfit[:, 2] ** 2
    return np.asarray(square / (3 * FACES.outlier * spread).astype(np.float32)[:, None, None], dtype=np.float32)


def _light(seen: FloatImage, template: FloatImage, trust: FloatImage, tone: Tone) -> tuple[FloatImage, FloatImage]:
    """Gain and offset per candidate and channel that bring the template nearest to what is seen, within the tone."""
    count = len(template)
    flat, seen_flat = template.reshape(count, 3, -1), seen.reshape(count, 3, -1)
    weights = trust.reshape(count, -1, 1)
    total = np.maximum(weights.sum(axis=1), 1e-6)
    mean = (flat @ weights)[..., 0] / total
    seen_mean = (seen_flat @ weights)[..., 0] / total
    variance = ((flat * flat) @ weights)[..., 0] / total - mean**2
    covariance = ((flat * seen_flat) @ weights)[..., 0] / total - mean * seen_mean
    gain = np.maximum(covariance, 1e-4) / (variance + 1e-3)
    strength = np.maximum(variance, 1e-6)
    stray = np.log(gain / tone.gain)
    common = np.clip((stray * strength).sum(axis=1) / strength.sum(axis=1), *tone.gain_range)[:, None]
    gain = tone.gain * np.exp(common + np.clip(stray - common, -tone.gain_slack, tone.gain_slack))
    lift = seen_mean - gain * mean - tone.offset
    common = np.clip(lift.mean(axis=1), *tone.offset_range)[:, None]
    base = tone.offset + common + np.clip(lift - common, -tone.offset_slack, tone.offset_slack)
    return gain.astype(np.float32), base.astype(np.float32)
