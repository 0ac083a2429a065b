"""Films games of its own, with exact truth, so that following is measured on films nobody tuned it to.

    .venv/bin/python -m benchmarks.filmed_games OUT_FOLDER --films 4 --seed 1 [--everyday]

With `--everyday` the camera is a cheap one on a stand that gives way: 720p or 15 frames a second, automatic exposure
and white balance, lost frames, drifting light; disks lie in piles from the start, some with rings printed on their
backs; players also slide disks, carry stacks, topple piles, use both hands and lean over the table.

Beside every film lie FILM.truth.json, FILM.camera.json and FILM.roster.json, as `benchmarks.watch_accuracy` reads
them. Art, table top, light, slant, sizes, noise and what the players do follow from the seed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from benchmarks.film_actions import ACTIONS, EVERYDAY, Action, Json, Place, Players
from benchmarks.film_conditions import TICKS_PER_S, Automatic, Conditions, sagged
from benchmarks.film_hands import CARRIED_MM, SLEEVES, Arm, draw_arm, draw_carried, draw_leaning, walk_by
from benchmarks.film_stage import Picture, Stage, overlaps
from benchmarks.settled_cards import TABLE_MM
from benchmarks.table_tops import Array
from calibration.lens import lens_to_json
from vision.watch.pixel_evidence import moved_picture

REACH_FRAMES = 15
PAUSE_FRAMES = 5
LONG_PAUSE_FRAMES = 75
LEAN_FRAMES = 600
_VARIED = ("move", "onto", "off", "swap", "token", "bump")  # what is done more than once


class Film:
    """One film on its way into a file, and its truth."""

    def __init__(self, seed: int, path: Path, conditions: Conditions) -> None:
        self._rng = np.random.default_rng(1000 + seed)
        self._conditions = conditions
        self.stage = Stage(seed, conditions.size, conditions.ringed_backs)
        self._players = Players(self.stage, self._rng)
        self._table = self._players.set_up(int(self._rng.integers(8, 19)), conditions.piled)
        self._path = path
        self._fps = conditions.fps
        self._writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), self._fps, conditions.size)
        self._tick = 0
        self._frame = 0
        self._automatic = Automatic(conditions)
        self._last: NDArray[np.uint8] | None = None
        self._gain = np.ones(3, np.float32)
        self._flicker = float(self._rng.choice([0.0, 0.012]))
        width, height = conditions.size
        shape = (height + 64, width + 64, 3)
        self._grain = self._rng.standard_normal(shape, dtype=np.float32) * np.float32(self.stage.noise_levels)
        self._shot = self.stage.shoot(self._table.cards)
        self._states: list[Json] = []
        self._events: list[Json] = []

    def shoot(self, actions: int) -> None:
        """Films so many actions."""
        self._rest()
        possible = (*EVERYDAY, *ACTIONS) if self._conditions.everyday else ACTIONS
        kinds = [*self._rng.permutation(possible), *self._rng.choice(_VARIED, max(0, actions - len(possible)))]
        if self._table.covers or "cover" in kinds[:actions]:
            kinds.insert(actions - 1, "cover")
        for kind in kinds[:actions]:
            if kind == "walk":
                self._walk_by()
            elif kind == "expose":
                self._expose()
            elif kind == "nudge":
                self._nudge()
            elif kind == "lean":
                self._lean()
            elif (action := self._players.act(str(kind), self._table)) is not None:
                self._act(action)
            else:
                continue
            self._rest()
        self._writer.release()

    def truth(self, roster: str) -> Json:
        """What was filmed, as the shared films tell it."""
        return {
            "schema": "pinpoint.video-truth/1",
            "events": self._events,
            "states": self._states,
            "fps": self._fps,
            "frames": self._frame,
            "camera": lens_to_json(self.stage.view.lens),
            "camera_tilt_deg": self.stage.tilt_deg,
            "surface": self.stage.surface,
            "light": self.stage.light,
            "noise_levels": self.stage.noise_levels,
            "roster": roster,
        }

    def _rest(self) -> None:
        first = self._frame
        for _ in range(int(self._rng.integers(*self._conditions.still_frames))):
            self._write(self._shot.picture)
        self._states.append({"frame0": first, "frame1": self._frame - 1, "scene": self._scene()})

    def _act(self, action: Action) -> None:
        """An arm reaches in, does it and goes."""
        began = self._frame
        lifted = self.stage.shoot(action.between.cards, action.between.covers)
        after = self.stage.shoot(action.after.cards, action.after.covers)
        arms = [Arm.of(self._rng, self.stage.size) for _ in action.reaches]
        ways = [[self._tip(place) for place in reach] for reach in action.reaches]
        pause = LONG_PAUSE_FRAMES if action.kind == "rest" else PAUSE_FRAMES
        first, last = [tips[0] for tips in ways], [tips[-1] for tips in ways]
        outside = [arm.outside() for arm in arms]
        for tips in _ways(outside, first, REACH_FRAMES):
            self._with_arms(self._shot.picture, arms, tips)
        for _ in range(pause):
            self._with_arms(self._shot.picture, arms, [tip + self._rng.normal(0, 1.0, 2) for tip in first])
        if action.carried is not None and action.flips:
            self._carry(action, arms[0], lifted.picture)
        elif action.sliding:
            self._slide(action, arms[0])
        elif action.carried is not None:
            for tips in (*_ways(first, [tip + 30 for tip in first], 6), *_ways([tip + 30 for tip in first], first, 6)):
                self._with_arms(lifted.picture, arms, tips)
        elif len(ways[0]) > 1:
            for tips in _ways(first, last, REACH_FRAMES):
                self._with_arms(lifted.picture, arms, tips)
        for _ in range(pause):
            self._with_arms(after.picture, arms, [tip + self._rng.normal(0, 1.0, 2) for tip in last])
        for tips in _ways(last, outside, REACH_FRAMES):
            self._with_arms(after.picture, arms, tips)
        self._table, self._shot = action.after, after
        self._tell(action.events, began)

    def _carry(self, action: Action, arm: Arm, table: Picture) -> None:
        card = action.carried
        assert card is not None
        start, end = (np.array(place) for place in action.reaches[0])
        steps = 6 * max(1, action.flips)
        faces = (self.stage.arts[card.profile], self.stage.backs[card.owner])
        for step in range(1, steps + 1):
            at = start + (end - start) * step / steps
            turned = action.flips * step / steps
            back = (card.face == "down") ^ (round(turned) % 2 == 1)
            picture = table.copy()
            draw_carried(picture, card, faces[back], at, self.stage.view, turned)
            draw_arm(picture, arm, self.stage.view.board_to_image(at[None], CARRIED_MM)[0], self._px_per_mm(at))
            self._write(picture)

    def _slide(self, action: Action, arm: Arm) -> None:
        """A finger pushes the card along the cloth, or off what it lies on."""
        for step in action.sliding:
            at = np.array([step.cards[-1].x, step.cards[-1].y])
            self._with_arms(self.stage.shoot(step.cards, step.covers).picture, [arm], [self._tip((at[0], at[1]))])

    def _with_arms(self, table: Picture, arms: Sequence[Arm], tips: Sequence[Array]) -> None:
        picture = table.copy()
        for arm, tip in zip(arms, tips, strict=True):
            draw_arm(picture, arm, tip, self._px_per_mm(np.array([TABLE_MM / 2, TABLE_MM / 2])))
        self._write(picture)

    def _lean(self) -> None:
        """Somebody leans over the table for a while, sways, and goes."""
        sleeve = SLEEVES[int(self._rng.integers(len(SLEEVES)))]
        deep, width = float(self._rng.uniform(0.35, 0.6)), self.stage.size[0]
        for frame in range(LEAN_FRAMES):
            depth = deep * min(1.0, frame / 20, (LEAN_FRAMES - 1 - frame) / 20)
            picture = self._shot.picture.copy()
            draw_leaning(picture, sleeve, depth, 0.02 * width * np.sin(frame / 25))
            self._write(picture)

    def _walk_by(self) -> None:
        across = bool(self._rng.random() < 0.5)
        for step in np.linspace(0, 1, 60):
            self._write(self._shot.picture * walk_by(float(step), across, self.stage.size))

    def _expose(self) -> None:
        """The camera finds another exposure and white balance."""
        target = (self._gain * self._rng.uniform(0.8, 1.12) * self._rng.uniform(0.95, 1.05, 3)).astype(np.float32)
        for gain in np.linspace(self._gain, target, 8):
            self._gain = gain.astype(np.float32)
            self._write(self._shot.picture)

    def _nudge(self) -> None:
        began, old = self._frame, self._shot.picture
        before = self.stage.nudge(self._rng)
        after = self.stage.view
        self._shot = self.stage.shoot(self._table.cards, self._table.covers)
        moved = moved_picture(old.astype(np.uint8), before, after).astype(np.float32)
        for share in np.linspace(0, 1, 12)[1:-1]:
            part = 0.5 - 0.5 * np.cos(np.pi * share)
            away = 18 * np.sin(6 * share) * (1 - share)
            swing = np.array([[1, 0, away], [0, 1, away / 2]])
            mixed = old if part < 0.5 else moved
            swung = cv2.warpAffine(mixed, swing, self.stage.size, borderMode=cv2.BORDER_REPLICATE)
            self._write(np.asarray(swung, dtype=np.float32))
        self._tell(({"type": "camera_moved"},), began)

    def _tell(self, events: Sequence[Json], began: int) -> None:
        when = {"t": self._frame / self._fps, "frame": self._frame, "t_from": began / self._fps}
        self._events += [{**event, **when} for event in events]

    def _scene(self) -> Json:
        pieces = []
        for card in self._table.cards:
            x, y = self.stage.to_board(card.x, card.y)
            kinds = [token[0] for token in card.tokens]
            piece: Json = {"id": card.id, "owner": card.owner, "profile": card.profile, "x": x, "y": y}
            piece |= {"shape": {"circle_mm": card.diameter_mm}, "face": card.face, "face_height_mm": card.height}
            piece |= {"tokens": {kind: kinds.count(kind) for kind in kinds}}
            pieces.append({**piece, "visible_fraction": self._shot.shown[card.id]})
        above = sorted(overlaps(self._table.cards))
        return {"game": "diskwars", "pieces": pieces, "above": [list(pair) for pair in above]}

    def _tip(self, place: Place) -> Array:
        return np.asarray(self.stage.view.board_to_image(np.array([place]), CARRIED_MM)[0])

    def _px_per_mm(self, at_mm: Array) -> float:
        return float(self.stage.view.px_per_mm(at_mm[None])[0])

    def _write(self, picture: Picture) -> None:
        """One tick of the film; what the film's rate leaves out still changes the camera's automatic."""
        self._tick += 1
        automatic = self._automatic.gain(picture)
        if self._tick % (TICKS_PER_S // self._fps):
            return
        if self._last is not None and self._rng.random() < self._conditions.repeated:
            self._put(self._last)
            return
        width, height = self.stage.size
        seconds = self._tick / TICKS_PER_S
        drift = 1 + self._conditions.drift * min(1.0, seconds / 60)
        gain = self._gain * np.asarray(automatic * drift, dtype=np.float32)
        if self._flicker:
            rows = np.arange(height, dtype=np.float32)[:, None, None]
            bands = self._flicker * np.sin(2.1 * self._frame + rows / 90)
            picture = picture * (gain * (1 + bands)).astype(np.float32)
        elif np.any(gain != 1):
            picture = picture * gain
        picture = sagged(picture, self.stage.view.lens, self._conditions.sag_px_per_s * seconds)
        down, right = (int(value) for value in self._rng.integers(0, 64, 2))
        grain = self._grain[down : down + height, right : right + width]
        self._put(np.asarray(cv2.add(picture, grain, dtype=cv2.CV_8U), dtype=np.uint8))

    def _put(self, picture: NDArray[np.uint8]) -> None:
        self._writer.write(picture)
        self._last = picture
        self._frame += 1


def _ways(starts: Sequence[Array], ends: Sequence[Array], frames: int) -> Iterator[list[Array]]:
    """The ways of hands: they set off and arrive gently."""
    for share in np.linspace(0, 1, frames + 1)[1:]:
        part = 0.5 - 0.5 * np.cos(np.pi * share)
        yield [start + (end - start) * part for start, end in zip(starts, ends, strict=True)]


def _write_roster(stage: Stage, folder: Path, name: str) -> str:
    (folder / "art").mkdir(parents=True, exist_ok=True)
    profiles = []
    for profile in stage.profiles:
        art = f"art/{name}-{profile.id}.png"
        cv2.imwrite(str(folder / art), (stage.arts[profile.id] * 255).astype(np.uint8))
        size = {"circle_mm": profile.diameter_mm}
        profiles.append({"id": profile.id, "name": profile.id, "owner": profile.owner, "art": art, **size})
    written = {"schema": "pinpoint.roster/1", "profiles": profiles}
    (folder / f"{name}.roster.json").write_text(json.dumps(written), encoding="utf-8")
    return f"{name}.roster.json"


def film_game(seed: int, folder: Path, actions: int, conditions: Conditions) -> Path:
    """One film with all that lies beside it."""
    name = f"film-{seed:03d}"
    folder.mkdir(parents=True, exist_ok=True)
    film = Film(seed, folder / f"{name}.mp4", conditions)
    roster = _write_roster(film.stage, folder, name)
    film.shoot(actions)
    truth = film.truth(roster)
    (folder / f"{name}.camera.json").write_text(json.dumps(truth["camera"]), encoding="utf-8")
    (folder / f"{name}.truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return folder / f"{name}.mp4"


def _size(text: str) -> tuple[int, int]:
    width, height = text.split("x")
    return int(width), int(height)


def main() -> None:
    """Films as many games as asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--films", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--actions", type=int, default=16)
    parser.add_argument("--everyday", action="store_true", help="as a cheap camera films an evening at home")
    parser.add_argument("--rest", type=float, metavar="S", help="seconds between two actions on average")
    parser.add_argument("--size", type=_size, metavar="WxH", help="of a picture in pixels")
    parser.add_argument("--fps", type=int, help="a divisor of 30")
    args = parser.parse_args()
    for seed in range(args.seed, args.seed + args.films):
        conditions = Conditions.of_everyday(seed) if args.everyday else Conditions()
        if args.rest:
            still = round(TICKS_PER_S * args.rest)
            conditions = replace(conditions, still_frames=(still // 2, still + still // 2))
        conditions = replace(conditions, size=args.size or conditions.size, fps=args.fps or conditions.fps)
        print(film_game(seed, args.folder, args.actions, conditions), flush=True)


if __name__ == "__main__":
    main()
