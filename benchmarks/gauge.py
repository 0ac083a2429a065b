"""Gauge test, as goal-line systems are certified: disks moved in small steps through every limit a ruling has.

    .venv/bin/python -m benchmarks.gauge [--step 0.25] [--reach 3] [--tilts 5 25 45] [--plot docs/gauge.png]

On drawn tables a disk moves through contact and through the short and medium band limits, and a blocker through a line
of sight. For every step and camera tilt: the share of calls that were right, wrong although stated as certain, and
abstained ("too close to call"). A good referee is right far from the limit, abstains near it, and is never wrong.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assistant.cli.inputs import game_of
from assistant.games.diskwars.field import Field
from assistant.rules.game import ask, house_rules
from assistant.rules.ruling import CLOSE_CALL
from assistant.scene.values import Player, Scene, Terrain
from assistant.session import TableSetting, scene_of
from calibration.failure import Failure
from calibration.table_solve import solve_table
from tests.drawing.disks import Table, art, camera, disk
from vision.look.pieces import Pieces
from vision.look.pipeline import look
from vision.types.frame import Frame
from vision.types.sighting import DiskSighting

DIAMETER_MM = 50.8
LIMITS_MM = {"contact": 0.0, "short": 76.2, "medium": 152.4}
ANCHORS = ((130.0, 150.0), (140.0, 420.0), (150.0, 700.0))  # west ends of three pairs a picture
WALL_MM = 60.0  # side of the blocker
Outcome = tuple[str, float, float, str]  # limit, tilt, offset, "right" | "wrong" | "abstained"


def outcomes(tilt_deg: float, offset_mm: float, seed: int) -> Iterator[Outcome]:
    """The calls of one picture per limit: every pair is that far beyond its limit (below 0: within it)."""
    for name, limit_mm in LIMITS_MM.items():
        laid = _pairs(limit_mm + offset_mm, seed)
        scene = _detected(tilt_deg, laid, seed)
        if scene is None:
            continue
        found = Field(scene, house_rules(game_of("diskwars"), {}))
        for west, east in zip(laid[::2], laid[1::2], strict=True):
            names = _nearest(scene, west), _nearest(scene, east)
            if None in names or names[0] == names[1]:
                yield name, tilt_deg, offset_mm, "abstained"
                continue
            a, b = str(names[0]), str(names[1])
            if name == "contact":
                truth = offset_mm < 0
                answer = (a, b) in found.overlap_set or (b, a) in found.overlap_set
                certainty = found.overlap_certainty(a, b)
            else:
                ruling = ask(game_of("diskwars"), scene, f"range {a} {b}")
                truth, answer, certainty = offset_mm <= 0, ruling.answer["band"] == name, ruling.certainty
            yield name, tilt_deg, offset_mm, _outcome(answer == truth, certainty)


def sight_outcomes(tilt_deg: float, offset_mm: float, seed: int) -> Iterator[Outcome]:
    """A wall between two disks that leaves a free strip so wide (below 0: it covers all lines by so much)."""
    laid = _pairs(300.0, seed)
    scene = _detected(tilt_deg, laid, seed)
    if scene is None:
        return
    for west, east in zip(laid[::2], laid[1::2], strict=True):
        top = west.y_mm - DIAMETER_MM / 2 + offset_mm  # lines may run anywhere between the two disks' edges
        middle = (west.x_mm + east.x_mm) / 2
        outline = (
            (middle - WALL_MM / 2, top),
            (middle + WALL_MM / 2, top),
            (middle + WALL_MM / 2, top + DIAMETER_MM + WALL_MM),
            (middle - WALL_MM / 2, top + DIAMETER_MM + WALL_MM),
        )
        names = _nearest(scene, west), _nearest(scene, east)
        if None in names:
            yield "sight", tilt_deg, offset_mm, "abstained"
            continue
        walled = Scene(
            scene.game,
            scene.table,
            scene.players,
            scene.pieces,
            terrain=(Terrain("wall", outline, ("blocks sight",)),),
            calibration=scene.calibration,
        )
        ruling = ask(game_of("diskwars"), walled, f"los {names[0]} {names[1]}")
        right = ruling.answer["visible"] == (offset_mm > 0)
        yield "sight", tilt_deg, offset_mm, _outcome(right, ruling.certainty)


def _pairs(gap_mm: float, seed: int) -> list[DiskSighting]:
    """Three pairs of disks at this gap, on lines running east; a fraction of a millimetre off the pixel grid."""
    rng = np.random.default_rng(seed)
    laid = []
    for number, (x, y) in enumerate(ANCHORS):
        x, y = x + rng.uniform(-2, 2), y + rng.uniform(-2, 2)
        apart = DIAMETER_MM + gap_mm
        laid.append(disk(f"w{number}", x, y, DIAMETER_MM))
        laid.append(disk(f"e{number}", x + apart, y, DIAMETER_MM, 3.0 if gap_mm < 0 else 2.0))
    return laid


def _detected(tilt_deg: float, laid: list[DiskSighting], seed: int) -> Scene | None:
    drawn = camera(tilt_deg)
    table = Table(drawn)
    for number, piece in enumerate(laid):
        table.lay(piece, art(seed * 31 + number), turn_deg=37.0 * number)
    picture = table.take(seed=seed)
    view = solve_table(picture, drawn.width_mm, drawn.depth_mm, drawn.lens)
    if isinstance(view, Failure):
        return None
    players = (Player("red"), Player("blue"))
    seen = look(Frame(picture, 0, 0.0), view, Pieces((38.1, DIAMETER_MM, 76.2)))
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
            for limit, _, _, outcome in (*outcomes(tilt, offset, seed), *sight_outcomes(tilt, offset, seed)):
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
