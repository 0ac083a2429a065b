"""Fits what certainty covers besides the detector's own sigma: `assistant/session/data/certainty.json`.

    .venv/bin/python -m benchmarks.fit_certainty DIR [--icons icons.json] [--write]

One command for everything: tables are drawn into DIR where they are not there yet, detected where they were not
detected by the present detector yet, the parameters are fitted on `fit-*` and printed, and on `test-*`, which nothing
is fitted on, the stated chances are compared with what happened. A second run takes a minute. With `--write` the
parameters are written, with their origin.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from assistant.session.certainty_model import CertaintyModel, Logistic
from benchmarks.certainty_samples import CHANCES, PlaceSample, Samples, collect
from benchmarks.rendered_tables import render
from benchmarks.training.world import make_world

SETS = {  # first seed, the world whose art and tops are used with the light of rooms, and how many tables
    "fit-lamps": (970001, None, 20),
    "fit-rooms": (971001, 205, 20),
    "fit-worlds": (973001, 209, 10),
    "test-lamps": (985001, None, 9),
    "test-rooms": (986001, 207, 9),
    "test-late-lamps": (987001, None, 10),
    "test-late-rooms": (988001, 208, 14),
}
DETECTOR = Path(__file__).parents[1] / "vision"
TARGET = Path(__file__).parents[1] / "assistant" / "session" / "data" / "certainty.json"
GROSS_MM = 4.0  # sigma of a gross error: two cards too high or too low at 45 degrees
RULE_OF_THREE = 3.0  # gross errors that as many disks may have without one being among them; 95 % bound
PLACE_START = (math.log(0.7), math.log(1.6), math.log(1.0), -3.0, 0.5, 0.5, 0.5, 0.5)
BLOCKING_KINDS = 0.25  # of the kinds of terrain one in four blocks sight
PRIOR_PIECES = 100.0  # what that weighs, in pieces of terrain
STIFFNESS = 0.02  # per sample: keeps weights of features with few cases small
Floats = NDArray[np.float64]


def fit(samples: Samples) -> CertaintyModel:
    """The model that fits the samples best."""
    rate = samples.blocked_lines / max(samples.free_lines_m, 1.0)
    turns = (samples.turned + PRIOR_PIECES * BLOCKING_KINDS) / (samples.turning + PRIOR_PIECES)
    fields: dict[str, Any] = {**_fit_place(samples), **{name: _fit_chance(samples, name) for name in CHANCES}}
    return CertaintyModel(**fields, blocked_per_m=round(rate, 4), turns=round(turns, 3))


def _fit_chance(samples: Samples, name: str) -> Logistic:
    rows = samples.rows[name]
    names = list(rows[0][0])
    values = np.array([[features[each] for each in names] for features, _ in rows])
    happened = np.array([yes for _, yes in rows])
    if happened.all() or not happened.any():
        share = (happened.sum() + 0.5) / (len(happened) + 1.0)  # never happened, or always: no feature can be fitted
        return Logistic({"one": round(math.log(share / (1 - share)), 3), **dict.fromkeys(names, 0.0)})
    fitted = LogisticRegression(C=10.0, max_iter=1000).fit(values, happened)
    weights = {each: round(float(weight), 3) for each, weight in zip(names, fitted.coef_[0], strict=True)}
    return Logistic({"one": round(float(fitted.intercept_[0]), 3), **weights})


def _fit_place(samples: Samples) -> dict[str, float | Logistic]:
    """Shares and sigmas of usual, rare and gross errors of places, by maximum likelihood of the distances."""
    names = list(samples.places[0].features)
    features = np.array([[place.features[each] for each in names] for place in samples.places])
    error, sigma, slope = (
        np.array([getattr(place, name) for place in samples.places]) for name in ("error_mm", "sigma_mm", "slope")
    )

    gross = RULE_OF_THREE / len(error)

    def loss(values: Floats) -> float:
        core, wide_by, height = np.exp(values[:3])
        rare = 1.0 / (1.0 + np.exp(-np.clip(values[3] + features @ values[4:], -30, 30)))
        usual = core * sigma
        wide = np.hypot(wide_by * sigma, height * slope)
        inner = (1 - rare) * _rayleigh(error, usual) + rare * _rayleigh(error, wide)
        density = (1 - gross) * inner + gross * _rayleigh(error, np.hypot(wide_by * sigma, GROSS_MM))
        return float(-np.log(np.maximum(density, 1e-12)).mean() + STIFFNESS * (values[4:] ** 2).mean())

    best = minimize(loss, np.array(PLACE_START), method="Nelder-Mead", options={"maxiter": 9000, "maxfev": 9000}).x
    core, wide_by, height = (round(float(value), 3) for value in np.exp(best[:3]))
    weights = {each: round(float(weight), 3) for each, weight in zip(names, best[4:], strict=True)}
    return {
        "core": core,
        "wide": wide_by,
        "height_mm": height,
        "gross": round(gross, 4),
        "gross_mm": GROSS_MM,
        "tail": Logistic({"one": round(float(best[3]), 3), **weights}),
    }


def _rayleigh(distance: Floats, sigma: Floats) -> Floats:
    return np.asarray(distance / sigma**2 * np.exp(-((distance / sigma) ** 2) / 2), dtype=np.float64)


def report(model: CertaintyModel, samples: Samples) -> None:
    """Prints stated chances beside what happened."""
    for name in CHANCES:
        rows = samples.rows[name]
        stated = np.array([getattr(model, name).chance(features) for features, _ in rows])
        happened = np.array([float(yes) for _, yes in rows])
        print(f"  {name:8} {len(rows):5d} cases, {stated.mean():.4f} stated, {happened.mean():.4f} happened")
    lines = model.blocked_per_m * samples.free_lines_m
    print(f"  lines that seem free: {lines:.1f} blocked by undetected terrain stated, {samples.blocked_lines} happened")
    print(f"  unknown terrain: {model.turns:.3f} stated, {samples.turned:.1f} of {samples.turning} pieces block")
    outside = [_outside(model, place.error_mm, place) for place in samples.places]
    shares = ", ".join(f"{level:.2f}: {np.mean(np.array(outside) < level):.3f}" for level in (0.01, 0.05, 0.2, 0.5))
    print(f"  places: share of errors with a smaller stated chance of a larger error than {shares}")


def _outside(model: CertaintyModel, distance: float, place: PlaceSample) -> float:
    """The stated chance of an error larger than that."""
    rare = model.tail.chance(place.features)
    usual = model.core * place.sigma_mm
    wide = math.hypot(model.wide * place.sigma_mm, model.height_mm * place.slope)
    shares = ((1 - model.gross) * (1 - rare), (1 - model.gross) * rare, model.gross)
    sigmas = (usual, wide, math.hypot(model.wide * place.sigma_mm, model.gross_mm))
    return sum(share * math.exp(-((distance / sigma) ** 2) / 2) for share, sigma in zip(shares, sigmas, strict=True))


def model_to_json(model: CertaintyModel, origin: str) -> dict[str, Any]:
    """The model as its file has it."""
    fields = asdict(model)
    plain = {name: value["weights"] if isinstance(value, dict) else value for name, value in fields.items()}
    return {"origin": origin, **plain}


def make_tables(folder: Path, icons: Path | None) -> None:
    """Draws the tables that are not there yet."""
    for name, (first, number, count) in SETS.items():
        names = {seed: f"table-{seed:03d}" for seed in range(first, first + count)}
        missing = [seed for seed in names if not (folder / name / f"{names[seed]}.truth.json").exists()]
        world = make_world("held-out", number, icons) if missing and number is not None else None
        for seed in missing:
            render(seed, folder / name, names[seed], rooms=number is not None, world=world)


def detections(folder: Path) -> Path:
    """Where the present detector's detections are kept: a folder for each state of `vision`."""
    files = sorted(path for path in DETECTOR.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    return folder / f"detections-{digest[:12]}"


def main() -> None:
    """Prints the parameters and how they do on both sets; writes them if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, help="where tables and detections are kept")
    parser.add_argument("--icons", type=Path, help="icons.json of an Iconify collection, for the art of new tables")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    make_tables(args.folder, args.icons)
    kept = detections(args.folder)
    samples = collect([args.folder / name for name in SETS if name.startswith("fit")], kept)
    model = fit(samples)
    seeds = ", ".join(f"seeds {first} on ({count})" for name, (first, _, count) in SETS.items() if name[:3] == "fit")
    origin = f"benchmarks.fit_certainty on {samples.pictures} drawn tables ({seeds}), {len(samples.places)} disks"
    text = json.dumps(model_to_json(model, origin), indent=1)
    print(text)
    print("fitted on:")
    report(model, samples)
    print("not fitted on:")
    report(model, collect([args.folder / name for name in SETS if name.startswith("test")], kept))
    print(f"detections are in {kept}: pinpoint evaluate {args.folder}/test-lamps --calls --scenes {kept}/test-lamps")
    if args.write:
        TARGET.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
