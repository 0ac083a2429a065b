"""How well a face, as seen, is explained by each template: at any turn, a little off, in any ordinary light."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.arrays import FloatArray
from vision.arrays import FloatImage, IntArray
from vision.face_polar import ANGLES, PHI, RADII, STEP_RAD, PolarFace
from vision.tone import Tone

_OUTLIER = (
    0.3  # squared misfit, in units of the face's own colour variance, from which a sample counts as not explained
)
_EXCUSE = 0.95  # how much of a misfit is forgiven where a token may lie
_PASSES = 2
_INDEPENDENT = 0.15  # neighbouring samples are blurred together: this share of them counts as independent
_TURN_SIGMA_RAD, _SCALE_SIGMA = 0.05, 0.02


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


def turn_scores(face: PolarFace, templates: TemplateSet) -> FloatImage:
    """(P, ANGLES): the share of the face's colour variance that each template explains at each turn."""
    weights, seen = face.weights, face.colours
    total = float(weights.sum())

    def correlate(of_face: NDArray[np.complex128], of_templates: NDArray[np.complex64]) -> FloatImage:
        product = of_templates @ np.conj(of_face).astype(np.complex64)[..., None]
        spectrum = np.conj(product[..., 0]).transpose(0, 2, 1)
        return np.asarray(np.fft.irfft(spectrum, n=ANGLES, axis=-1), dtype=np.float32)

    face_spectrum = np.fft.rfft(weights * seen, axis=-1).transpose(0, 2, 1)
    weight_spectrum = np.fft.rfft(weights, axis=-1).T[None]
    cross = correlate(face_spectrum, templates.spectrum)
    mean = correlate(weight_spectrum, templates.spectrum) / total
    square = correlate(weight_spectrum, templates.square_spectrum)
    seen_sum = (weights * seen).sum(axis=(1, 2))
    seen_variance = float((weights * seen * seen).sum() - (seen_sum**2).sum() / total)
    covariance = cross - seen_sum[:, None, None] * mean
    variance = square - total * mean * mean
    explained = np.maximum(covariance, 0) ** 2 / (variance + 1e-3 * total)
    return np.asarray(explained.sum(axis=0) / (seen_variance + 1e-4 * total), dtype=np.float32)


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


def candidates_for(face: PolarFace, templates: TemplateSet, keep: int) -> tuple[IntArray, IntArray]:
    """The candidates worth fitting: those that the whole face suggests, and those suggested without its tokens."""
    chosen = best_turns(turn_scores(face, templates), keep)
    covered = float((face.weights * face.token_like).sum())
    if covered < 0.05 * float(face.weights.sum()):
        return chosen
    bare = PolarFace(face.colours, _sure(face), face.token_like, face.level)
    more = best_turns(turn_scores(bare, templates), keep)
    both = sorted(
        {*zip(*(part.tolist() for part in chosen), strict=True), *zip(*(part.tolist() for part in more), strict=True)}
    )
    return np.array([pair[0] for pair in both], dtype=np.intp), np.array([pair[1] for pair in both], dtype=np.intp)


def fit(
    face: PolarFace,
    templates: TemplateSet,
    candidates: tuple[IntArray, IntArray],
    shift_sigma: float,
    tone: Tone,
) -> Fits:
    """Lays each candidate on the face, letting it slide, turn and stretch a little, and scores what it explains.

    Tokens, glare and other things lying on the face are samples that no candidate explains; they cost every
    candidate the same and do not bend the fit. `shift_sigma` is how unsure the centre is, in face radii.
    """
    which, steps = candidates
    start = np.stack([np.roll(templates.colours[p], s, axis=-1) for p, s in zip(which, steps, strict=True)])
    slopes = _slopes(start)
    count = len(which)
    weights = _sure(face)
    spread = _spread(face, weights)
    prior = np.array([shift_sigma, shift_sigma, _TURN_SIGMA_RAD, _SCALE_SIGMA]) ** -2.0
    offset = np.zeros((count, 4))
    adjusted = start
    trust = np.broadcast_to(weights, (count, *weights.shape))
    for _ in range(_PASSES):
        gain, base = _light(face.colours, adjusted, trust, tone)
        misfit = _misfit(face.colours, adjusted, gain, base)
        trust = weights / (1 + _squares(misfit, spread) ** 2)
        lever = slopes * gain[:, None, :, None, None]
        weighted = (lever * trust[:, None, None]).reshape(count, 4, -1)
        lever = lever.reshape(count, 4, -1)
        scale = _INDEPENDENT / spread
        normal = scale * (weighted @ lever.transpose(0, 2, 1)) + np.diag(prior)
        pull = scale * (weighted @ misfit.reshape(count, -1, 1))[..., 0] - offset * prior
        offset = offset + np.linalg.solve(normal, pull[..., None])[..., 0]
        moved = offset.astype(np.float32)[:, None, :] @ slopes.reshape(count, 4, -1)
        adjusted = start + moved.reshape(start.shape)
    turns = steps * STEP_RAD - offset[:, 2]
    return rate(
        face,
        Fits(which, turns, np.zeros(count), np.zeros(count), np.ones((count, 3)), np.zeros((count, 3)), adjusted),
        tone,
    )


def rate(face: PolarFace, fits: Fits, tone: Tone) -> Fits:
    """The same candidates where they lie, scored again in the light of a tone."""
    weights = _sure(face)
    spread = _spread(face, weights)
    trust = np.broadcast_to(weights, (len(fits.templates), *weights.shape))
    gain, base = _light(face.colours, fits.adjusted, trust, tone)
    for _ in range(2):
        square = _squares(_misfit(face.colours, fits.adjusted, gain, base), spread)
        gain, base = _light(face.colours, fits.adjusted, weights / (1 + square**2), tone)
    missed = np.minimum(_squares(_misfit(face.colours, fits.adjusted, gain, base), spread), 1)
    explained = (face.weights * (1 - missed)).sum(axis=(1, 2))
    expected = (face.weights * (1 - _EXCUSE * face.token_like * missed)).sum(axis=(1, 2))
    scores = explained / np.maximum(expected, 1e-6)
    return Fits(
        fits.templates,
        fits.turns_rad,
        scores.astype(np.float64),
        expected.astype(np.float64),
        gain.astype(np.float64),
        base.astype(np.float64),
        fits.adjusted,
    )


def _sure(face: PolarFace) -> FloatImage:
    """The weights for fitting: what may be a token hardly counts."""
    return np.asarray(face.weights * (1 - np.float32(0.9) * face.token_like), dtype=np.float32)


def _spread(face: PolarFace, weights: FloatImage) -> float:
    """The variance of the face's colours, which is the yardstick of a misfit."""
    total = float(weights.sum()) + 1e-6
    mean = (weights * face.colours).sum(axis=(1, 2)) / total
    return float((weights * (face.colours - mean[:, None, None]) ** 2).sum()) / total / 3 + 4e-5


def _slopes(colours: FloatImage) -> FloatImage:
    """(K, 4, 3, RINGS, ANGLES): change of a template moved east, south, turned back, and shrunk."""
    around = (np.roll(colours, -1, axis=-1) - np.roll(colours, 1, axis=-1)) / np.float32(2 * STEP_RAD)
    outward = np.gradient(colours, RADII, axis=2).astype(np.float32)
    sine, cosine, radius = np.sin(PHI), np.cos(PHI), RADII[:, None]
    sideways = around / radius
    east = outward * sine + sideways * cosine
    south = sideways * sine - outward * cosine
    return np.stack([east, south, around, outward * radius], axis=1)


def _misfit(seen: FloatImage, template: FloatImage, gain: FloatImage, base: FloatImage) -> FloatImage:
    printed = np.minimum(gain[:, :, None, None] * template + base[:, :, None, None], np.float32(1))
    return np.asarray(seen - printed, dtype=np.float32)


def _squares(misfit: FloatImage, spread: float) -> FloatImage:
    """The squared misfit of each sample; from 1 on it counts as not explained."""
    return np.asarray(np.einsum("kcij,kcij->kij", misfit, misfit) / np.float32(3 * spread * _OUTLIER), dtype=np.float32)


def _light(seen: FloatImage, template: FloatImage, trust: FloatImage, tone: Tone) -> tuple[FloatImage, FloatImage]:
    """Gain and offset per candidate and channel that bring the template nearest to what is seen, within the tone."""
    count = len(template)
    flat = template.reshape(count, 3, -1)
    weights = trust.reshape(count, -1, 1)
    total = np.maximum(weights.sum(axis=1), 1e-6)
    mean = (flat @ weights)[..., 0] / total
    seen_flat = seen.reshape(3, -1)
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
