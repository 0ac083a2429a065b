"""Gauge test, as goal-line systems are certified: disks moved in small steps through every limit a ruling has.

    .venv/bin/python -m benchmarks.gauge [--step 0.25] [--reach 3] [--tilts 5 25 45] [--plot docs/gauge.png]

On drawn tables disks move through contact and through the short and medium band limits, and a blocker through a line of
sight. For every step and camera tilt: the share of calls that were right, wrong although stated as certain, and
abstained ("too close to call"). A good referee is right far from the limit, abstains near it, and is never wrong.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from assistant.cli.inputs import game_of
from assistant.games.diskwars.field import Field
from assistant.rules.game import ask, house_rules
from assistant.rules.ruling import CLOSE_CALL
from assistant.scene.values import Player, Scene, Terrain
from assistant.session import TableSetting, scene_of
from tests.drawing.disks import Table, art, camera, disk
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.types.frame import Frame
from vision.types.sighting import DiskSighting

DIAMETER_MM = 50.8
LIMITS_MM = {"contact": 0.0, "short": 76.2, "medium": 152.4}
ROWS_MM = (170.0, 450.0, 730.0)  # y of three rows; each has a pair of disks for every limit
ROW_START_MM = 110.0  # x of the first disk of a row
BETWEEN_MM = 60.0  # gap between two pairs of a row
WALL_MM = 60.0  # width of the blocker
Outcome = tuple[str, str]  # limit, "right" | "wrong" | "abstained"
Pair = tuple[str, DiskSighting, DiskSighting]  # limit, west and east disk


def outcomes(tilt_deg: float, offset_mm: float, seed: int) -> Iterator[Outcome]:
    """The calls of one picture: every pair is that far beyond its limit (below 0: within it).

    Between the disks of the medium pairs a wall leaves a free strip so wide (below 0: it covers all lines by so much).
    """
    pairs = _pairs(offset_mm, seed)
    scene = _detected(tilt_deg, pairs, seed)
    found = Field(scene, house_rules(game_of("diskwars"), {}))
    for limit, west, east in pairs:
        names = _nearest(scene, west), _nearest(scene, east)
        if None in names or names[0] == names[1]:
            yield limit, "abstained"
            continue
        a, b = str(names[0]), str(names[1])
        if limit == "contact":
            truth = offset_mm < 0
            answer = (a, b) in found.overlap_set or (b, a) in found.overlap_set
            certainty = found.overlap_certainty(a, b)
        else:
            ruling = ask(game_of("diskwars"), scene, f"range {a} {b}")
            truth, answer, certainty = offset_mm <= 0, ruling.answer["band"] == limit, ruling.certainty
        yield limit, _outcome(answer == truth, certainty)
        if limit == "medium":
            ruling = ask(game_of("diskwars"), _walled(scene, west, east, offset_mm), f"los {a} {b}")
            yield "sight", _outcome(ruling.answer["visible"] == (offset_mm > 0), ruling.certainty)


def _walled(scene: Scene, west: DiskSighting, east: DiskSighting, offset_mm: float) -> Scene:
    """The scene with a wall between two disks, where people said it lies."""
    top = west.y_mm - DIAMETER_MM / 2 + offset_mm  # lines may run anywhere between the two disks' edges
    middle = (west.x_mm + east.x_mm) / 2
    left, right, bottom = middle - WALL_MM / 2, middle + WALL_MM / 2, top + DIAMETER_MM + WALL_MM
    outline = ((left, top), (right, top), (right, bottom), (left, bottom))
    return replace(scene, terrain=(Terrain("wall", outline, ("blocks sight",)),))


def _pairs(offset_mm: float, seed: int) -> list[Pair]:
    """A pair for every limit in each row, on lines running east; a fraction of a millimetre off the pixel grid."""
    rng = np.random.default_rng(seed)
    found: list[Pair] = []
    for row, y in enumerate(ROWS_MM):
        x, y = ROW_START_MM + rng.uniform(-2, 2), y + rng.uniform(-2, 2)
        for limit, limit_mm in LIMITS_MM.items():
            gap = limit_mm + offset_mm
            west = disk(f"w{row}{limit}", x, y, DIAMETER_MM)
            east = disk(f"e{row}{limit}", x + DIAMETER_MM + gap, y, DIAMETER_MM, 3.0 if gap < 0 else 2.0)
            found.append((limit, west, east))
            x += 2 * DIAMETER_MM + gap + BETWEEN_MM
    return found


def _detected(tilt_deg: float, pairs: list[Pair], seed: int) -> Scene:
    """What is detected; the camera's place is given, for the gauge tests calls and not the calibration."""
    view = camera(tilt_deg)
    table = Table(view)
    for number, piece in enumerate(piece for _, west, east in pairs for piece in (west, east)):
        table.lay(piece, art(seed * 31 + number), turn_deg=37.0 * number)
    players = (Player("red"), Player("blue"))
    seen = look(Frame(table.take(seed=seed), 0, 0.0), view, Pieces((38.1, DIAMETER_MM, 76.2)))
    return scene_of(seen, view, TableSetting(game_of("diskwars"), players))


def _nearest(scene: Scene, piece: DiskSighting) -> str | None:
    apart = {
        other.id: float(np.hypot(other.centre[0] - piece.x_mm, other.centre[1] - piece.y_mm)) for other in scene.pieces
    }
    name = min(apart, key=lambda known: apart[known], default=None)
    return name if name is not None and apart[name] < 12.0 else None


def _outcome(right: bool, certainty: float) -> str:
    if certainty < CLOSE_CALL:
        return "abstained"
    return "right" if right else "wrong"


def main() -> None:
    """Prints a table per limit and tilt, and draws the curves."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--step", type=float, default=0.25)
    parser.add_argument("--reach", type=float, default=3.0)
    parser.add_argument("--tilts", type=float, nargs="+", default=[5.0, 25.0, 45.0])
    parser.add_argument("--plot", type=Path)
    args = parser.parse_args()
    count = round(args.reach / args.step)
    offsets = [step * args.step for step in range(-count, count + 1) if step]
    found: dict[tuple[str, float, float], list[str]] = defaultdict(list)
    for tilt in args.tilts:
        for seed, offset in enumerate(offsets, start=1):
            for limit, outcome in outcomes(tilt, offset, seed):
                found[limit, tilt, offset].append(outcome)
    for limit in (*LIMITS_MM, "sight"):
        for tilt in args.tilts:
            some = [outcome for offset in offsets for outcome in found[limit, tilt, offset]]
            far = [outcome for offset in offsets if abs(offset) > 2 for outcome in found[limit, tilt, offset]]
            wrong, abstained = (some.count(kind) / max(len(some), 1) for kind in ("wrong", "abstained"))
            print(
                f"{limit:8} tilt {tilt:4.0f}: {len(some)} calls, {wrong:.1%} certain and wrong, "
                f"{abstained:.1%} abstained, "
                f"{far.count('abstained') / max(len(far), 1):.1%} abstained more than 2 mm from the limit"
            )
    if args.plot:
        _draw(found, args.tilts, offsets, args.plot)


def _draw(
    found: dict[tuple[str, float, float], list[str]], tilts: list[float], offsets: list[float], target: Path
) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    limits = (*LIMITS_MM, "sight")
    figure, axes = pyplot.subplots(len(tilts), len(limits), figsize=(14, 3 * len(tilts)), sharex=True, sharey=True)
    for row, tilt in enumerate(tilts):
        for column, limit in enumerate(limits):
            axis = axes[row][column]
            for kind, colour in (("right", "#0072b2"), ("abstained", "#999999"), ("wrong", "#d55e00")):
                some = [found[limit, tilt, offset] for offset in offsets]
                axis.plot(offsets, [calls.count(kind) / max(len(calls), 1) for calls in some], color=colour, label=kind)
            axis.set_title(f"{limit}, camera tilt {tilt:g} degrees", fontsize=9)
            axis.axvline(0.0, color="#cccccc", linewidth=0.8)
    axes[0][0].legend(fontsize=8)
    figure.supxlabel("mm beyond the limit")
    figure.supylabel("share of calls")
    figure.tight_layout()
    figure.savefig(target, dpi=80)


if __name__ == "__main__":
    main()
