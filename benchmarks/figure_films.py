"""Films of figures without aids, and how well what happens in them is told.

    .venv/bin/python -m benchmarks.figure_films skirmish --seed 5
    .venv/bin/python -m benchmarks.figure_films regiments --seed 5

A skirmish of ten models a side, or four regiments, is marked some millimetres off and then followed through ten
happenings with hands over the table between them: moves of models and units, wheels, a charge into contact, casualties,
a knock against the camera, a hand that changes nothing. Prints each happening with the events that were told, and how
many were right, missed and false.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np
from shapely.affinity import rotate, translate
from shapely.geometry import Point, box

from assistant.games.conquest.system import CONQUEST
from assistant.games.firefight.system import FIREFIGHT
from assistant.log.event import Event
from assistant.scene.values import Circle, Piece, Rect
from assistant.session import Session, TableSetting, session_for
from benchmarks.drawn_camera import make_view
from benchmarks.figure_tables import TABLE_MM, Base, Stand, shot
from calibration.arrays import ByteImage
from calibration.view import TableView
from vision.look.pieces import Pieces
from vision.types.frame import Frame

FPS = 10
STILL, ARM = 13, 7  # frames at rest, and of an arm over the table
OFF_MM, OFF_DEG = 3.5, 3.0
SIZE = (1600, 900)  # smaller, the corner tokens of a slanted table are hardly read
MOST_MM2 = 40.0  # of two pieces that touch may seem to overlap: stands are set some tenths of a millimetre off
Thing = Base | Stand
Table = Mapping[str, Thing]


@dataclass(frozen=True, slots=True)
class Happening:
    """What is done to a table, what stands there afterwards, and which events tell it: (type, unit or piece)."""

    text: str
    table: Table
    events: tuple[tuple[str, str], ...]
    knock: bool = False


def unit_of(name: str) -> str:
    """The unit of a piece: a-3 belongs to a."""
    return name.rpartition("-")[0]


def moved(table: Table, names: Sequence[str], dx: float, dy: float, turn_deg: float = 0.0) -> Table:
    """The table with some pieces shifted and turned about their middle as one."""
    things = [table[name] for name in names]
    middle = np.mean([[thing.x, thing.y] for thing in things], axis=0)
    return turned_about(table, names, (float(middle[0]), float(middle[1])), turn_deg, (dx, dy))


def turned_about(
    table: Table, names: Sequence[str], pivot: tuple[float, float], turn_deg: float, by: tuple[float, float] = (0, 0)
) -> Table:
    """The table with some pieces turned clockwise about a place, then shifted."""
    angle = math.radians(turn_deg)
    matrix = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    after = dict(table)
    for name in names:
        thing = table[name]
        x, y = matrix @ (np.array([thing.x, thing.y]) - pivot) + pivot + by
        if isinstance(thing, Stand):
            after[name] = replace(thing, x=float(x), y=float(y), facing_deg=(thing.facing_deg + turn_deg) % 360)
        else:
            after[name] = replace(thing, x=float(x), y=float(y))
    return after


def without(table: Table, *names: str) -> Table:
    """The table without some pieces."""
    return {name: thing for name, thing in table.items() if name not in names}


def front_corner(table: Table, names: Sequence[str], side: int) -> tuple[float, float]:
    """A regiment's outermost front corner, -1 on the left, 1 on the right."""
    best, far = (0.0, 0.0), -math.inf
    for name in names:
        stand = table[name]
        assert isinstance(stand, Stand)
        angle = math.radians(stand.facing_deg)
        right, forward = np.array([math.cos(angle), math.sin(angle)]), np.array([math.sin(angle), -math.cos(angle)])
        corner = np.array([stand.x, stand.y]) + forward * stand.depth_mm / 2 + side * right * stand.width_mm / 2
        value = float(corner @ forward) + side * float(corner @ right)
        if value > far:
            best, far = (float(corner[0]), float(corner[1])), value
    return best


def skirmish(seed: int) -> list[Happening]:
    """Ten models a side on round bases: two units of four and two leaders each side."""
    rng = np.random.default_rng(seed)
    table: dict[str, Thing] = {}
    for side, (letters, y) in enumerate((("abc", 640.0), ("xyz", 260.0))):
        for unit, (letter, x) in enumerate(zip(letters, (250.0, 480.0, 700.0), strict=True)):
            for number in range(4 if unit < 2 else 2):
                size = (25.0, 32.0, 40.0)[unit]
                spot = (x + (number % 2) * 52 + rng.normal(0, 4), y + (number // 2) * 55 + rng.normal(0, 4))
                figure = float(rng.uniform(20, 34)) + side * 0.01
                table[f"{letter}-{number + 1}"] = Base(float(spot[0]), float(spot[1]), size, "red", figure)
    done = [Happening("the table is set", table, ())]

    def then(text: str, after: Table, *events: tuple[str, str], knock: bool = False) -> None:
        done.append(Happening(text, after, events, knock))

    def now() -> Table:
        return done[-1].table

    then("a model walks", moved(now(), ["a-1"], -70, -90), ("moved", "a-1"))
    then("a leader walks", moved(now(), ["c-1"], 40, -120), ("moved", "c-1"))
    band = [f"b-{k}" for k in range(1, 5)]
    then("a whole unit advances", moved(now(), band, 20, -110), ("moved", "b"))
    then("a model is removed", without(now(), "x-2"), ("removed", "x-2"))
    then("a hand changes nothing", now())
    target, striker = now()["y-3"], now()["b-1"]
    way = np.array([target.x - striker.x, target.y - striker.y])
    apart = (32.0 + 32.0) / 2 + 0.2
    spot = np.array([target.x, target.y]) - way / np.linalg.norm(way) * apart
    then(
        "a model charges into contact",
        moved(now(), ["b-1"], float(spot[0] - striker.x), float(spot[1] - striker.y)),
        ("moved", "b-1"),
    )
    then("the camera is knocked", now(), ("camera_moved", ""), knock=True)
    then(
        "two models of two units walk",
        moved(moved(now(), ["a-2"], 60, -130), ["z-1"], -60, 70),
        ("moved", "a-2"),
        ("moved", "z-1"),
    )
    then("a model and an enemy fall", without(now(), "a-3", "y-3"), ("removed", "a-3"), ("removed", "y-3"))
    then("a model walks far", moved(now(), ["x-1"], 330, 60), ("moved", "x-1"))
    return done


def regiments(seed: int) -> list[Happening]:
    """Four regiments of three to six stands."""
    rng = np.random.default_rng(seed)
    table: dict[str, Thing] = {}
    plan = (
        ("a", 250.0, 650.0, 0.0, 3, 6),
        ("b", 640.0, 650.0, 0.0, 2, 4),
        ("x", 250.0, 240.0, 180.0, 3, 5),
        ("y", 640.0, 240.0, 180.0, 2, 3),
    )
    for letter, x, y, facing, files, count in plan:
        angle = math.radians(facing)
        right, forward = np.array([math.cos(angle), math.sin(angle)]), np.array([math.sin(angle), -math.cos(angle)])
        for number in range(count):
            rank, file = divmod(number, files)
            spot = np.array([x, y]) + right * 60.3 * (file - (files - 1) / 2) - forward * 60.3 * rank
            spot = spot + rng.normal(0, 0.15, 2)
            figure = float(rng.uniform(20, 32))
            table[f"{letter}-{number + 1}"] = Stand(float(spot[0]), float(spot[1]), 60.0, 60.0, facing, "red", figure)
    done = [Happening("the table is set", table, ())]

    def then(text: str, after: Table, *events: tuple[str, str], knock: bool = False) -> None:
        done.append(Happening(text, after, events, knock))

    def now() -> Table:
        return done[-1].table

    def stands(letter: str) -> list[str]:
        return [name for name in now() if unit_of(name) == letter]

    then("a regiment marches", moved(now(), stands("a"), 0, -90), ("moved", "a"))
    then(
        "a regiment wheels", turned_about(now(), stands("b"), front_corner(now(), stands("b"), -1), -25), ("moved", "b")
    )
    then("the rear stand falls", without(now(), "x-5"), ("removed", "x-5"))
    then("a hand changes nothing", now())
    then("the enemy marches", moved(now(), stands("y"), -30, 60), ("moved", "y"))
    front = front_corner(now(), stands("a"), -1)[1] - front_corner(now(), stands("x"), 1)[1]
    then("a charge ends in contact", moved(now(), stands("a"), 0, -front + 0.3), ("moved", "a"))
    then("the camera is knocked", now(), ("camera_moved", ""), knock=True)
    then("two stands fall", without(now(), "a-6", "x-4"), ("removed", "a-6"), ("removed", "x-4"))
    then("a regiment marches far", moved(now(), stands("b"), 60, -120), ("moved", "b"))
    then(
        "a regiment wheels about its right",
        turned_about(now(), stands("y"), front_corner(now(), stands("y"), 1), 30),
        ("moved", "y"),
    )
    return done


def overlapping(table: Table) -> list[tuple[str, str]]:
    """Pieces that stand in each other, which no table shows."""
    areas = {
        name: Point(thing.x, thing.y).buffer(thing.diameter_mm / 2, 32)
        if isinstance(thing, Base)
        else rotate(
            box(-thing.width_mm / 2, -thing.depth_mm / 2, thing.width_mm / 2, thing.depth_mm / 2),
            thing.facing_deg,
            origin=(0, 0),
        )
        for name, thing in table.items()
    }
    placed = {
        name: area if isinstance(table[name], Base) else translate(area, table[name].x, table[name].y)
        for name, area in areas.items()
    }
    names = sorted(placed)
    return [
        (a, b) for k, a in enumerate(names) for b in names[k + 1 :] if placed[a].intersection(placed[b]).area > MOST_MM2
    ]


def frames(happenings: Sequence[Happening], view: TableView, seed: int) -> Iterator[tuple[int, ByteImage]]:
    """The frames of a film, each with the number of its happening; an arm reaches in before every one."""
    dice = np.random.default_rng(seed)
    before: ByteImage | None = None
    eye = view
    for number, happening in enumerate(happenings):
        if happening.knock:
            turn, _ = cv2.Rodrigues(np.array([0.004, -0.006, 0.008]))
            eye = replace(eye, rotation=turn @ eye.rotation, translation=turn @ eye.translation)
        bases = tuple(thing for thing in happening.table.values() if isinstance(thing, Base))
        stands = tuple(thing for thing in happening.table.values() if isinstance(thing, Stand))
        picture = shot(np.random.default_rng(seed), eye, seed, bases, stands, aided=False, ground="mat")
        for step in range(ARM if before is not None and not happening.knock else 0):
            assert before is not None
            shown = before if step < ARM / 2 else picture
            yield number, _noisy(_under_an_arm(shown, 1 - abs(2 * step / (ARM - 1) - 1), number), dice)
        for _ in range(STILL * (2 if any(kind == "removed" for kind, _ in happening.events) else 1)):
            yield number, _noisy(picture, dice)
        before = picture


def _noisy(picture: ByteImage, rng: np.random.Generator) -> ByteImage:
    noise = np.empty(picture.shape, np.int16)
    cv2.setRNGSeed(int(rng.integers(2**31)))
    cv2.randn(noise, np.zeros(3), np.full(3, 1.5))
    return np.asarray(cv2.add(picture, noise, dtype=cv2.CV_8U))


def _under_an_arm(picture: ByteImage, reach: float, number: int) -> ByteImage:
    """An arm that comes in from below or from one side, with a soft shadow."""
    height, width = picture.shape[:2]
    armed = picture.copy()
    tip = np.array([width * (0.35 + 0.1 * (number % 4)), height * (1 - 0.75 * reach)])
    root = np.array([width * (0.3 + 0.15 * (number % 3)), height * 1.1])
    for colour, shift, wide in ((None, (18, 10), 70), ((120, 150, 200), (0, 0), 55)):
        line = np.zeros((height, width), np.uint8)
        start, end = (tuple(int(v) for v in point + shift) for point in (root, tip))
        cv2.line(line, start, end, 255, wide)
        if colour is None:
            dark = 1 - 0.35 * cv2.GaussianBlur(line, (0, 0), 12)[..., None] / 255.0
            armed = np.asarray(armed * dark, dtype=np.uint8)
        else:
            armed[line > 0] = colour
    return armed


def marks(table: Table, seed: int) -> tuple[Piece, ...]:
    """The table as a person marks it, some millimetres and degrees off."""
    rng = np.random.default_rng([seed, 1])
    found = []
    for name, thing in table.items():
        dx, dy = np.clip(rng.normal(0, OFF_MM, 2), -2 * OFF_MM, 2 * OFF_MM)
        shape = Circle(thing.diameter_mm) if isinstance(thing, Base) else Rect(thing.width_mm, thing.depth_mm)
        facing = 0.0 if isinstance(thing, Base) else (thing.facing_deg + float(rng.normal(0, OFF_DEG))) % 360
        owner = "south" if name[0] in "abc" else "north"
        found.append(
            Piece(name, shape, thing.x + float(dx), thing.y + float(dy), owner, 0.0, facing, unit=unit_of(name))
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Followed:
    """What was told of a film: for each happening its events, and how far off the pieces were at the end of it."""

    events: tuple[tuple[Event, ...], ...]
    errors_mm: tuple[tuple[float, ...], ...]


def follow(happenings: Sequence[Happening], view: TableView, seed: int) -> Followed:
    """Follows a film from marks."""
    game = CONQUEST if any(isinstance(thing, Stand) for thing in happenings[0].table.values()) else FIREFIGHT
    setting = TableSetting(game, marks=marks(happenings[0].table, seed))
    session: Session = session_for(setting, Pieces(game.circles_mm), view.lens, (TABLE_MM, TABLE_MM))
    events: list[list[Event]] = [[] for _ in happenings]
    errors: list[tuple[float, ...]] = [() for _ in happenings]
    for index, (number, bgr) in enumerate(frames(happenings, view, seed)):
        moment = session.update(Frame(bgr, index, index / FPS))
        events[number] += moment.events
        table = happenings[number].table
        errors[number] = tuple(
            math.hypot(piece.centre[0] - table[piece.id].x, piece.centre[1] - table[piece.id].y)
            for piece in moment.scene.on_field()
            if piece.id in table
        )
    return Followed(tuple(tuple(each) for each in events), tuple(errors))


def told(event: Event) -> tuple[str, str]:
    """What an event says: its type, and the unit or the piece."""
    who = event.fields.get("unit") or event.fields.get("piece") or ""
    return (event.type, str(who))


def view_of(seed: int, tilt_deg: float) -> TableView:
    """A camera over the film's table."""
    return make_view(np.random.default_rng([seed, 2]), *SIZE, tilt_deg)


def main() -> None:
    parser = argparse.ArgumentParser(description="Films of figures without aids.")
    parser.add_argument("kind", choices=("skirmish", "regiments"))
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--tilt", type=float, default=20.0)
    args = parser.parse_args()
    happenings = skirmish(args.seed) if args.kind == "skirmish" else regiments(args.seed)
    for happening in happenings:
        if clashes := overlapping(happening.table):
            raise SystemExit(f"the film cannot be: after '{happening.text}' these overlap: {clashes}; use another seed")
    followed = follow(happenings, view_of(args.seed, args.tilt), args.seed)
    right = missed = false = 0
    for happening, events, errors in zip(happenings, followed.events, followed.errors_mm, strict=True):
        said = sorted(told(event) for event in events if event.type != "note")
        wanted = sorted(happening.events)
        good = [each for each in wanted if each in said]
        wrong = [each for each in said if each not in wanted]
        right, missed, false = right + len(good), missed + len(wanted) - len(good), false + len(wrong)
        off = f"error median {np.median(errors):.2f} max {max(errors):.2f} mm" if errors else "nothing known"
        print(f"{happening.text}: told {said}{'' if said == wanted else f', wanted {wanted}'}; {off}", flush=True)
    print(f"{right} right, {missed} missed, {false} false")


if __name__ == "__main__":
    main()
