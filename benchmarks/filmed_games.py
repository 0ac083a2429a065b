"""Films games of its own, with exact truth, so that following is measured on films nobody tuned it to.

    .venv/bin/python -m benchmarks.filmed_games OUT_FOLDER --films 4 --seed 1

Beside every film lie FILM.truth.json, FILM.camera.json and FILM.roster.json, as `benchmarks.watch_accuracy` reads
them. Art, table top, light, slant, sizes, noise and what the players do follow from the seed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
import numpy as np

from benchmarks.film_actions import ACTIONS, Action, Json, Place, Players
from benchmarks.film_hands import CARRIED_MM, Arm, draw_arm, draw_carried, walk_by
from benchmarks.film_stage import HEIGHT, WIDTH, Picture, Stage, overlaps
from benchmarks.settled_cards import TABLE_MM
from benchmarks.table_tops import Array
from calibration.lens import lens_to_json
from vision.watch.pixel_evidence import moved_picture

FPS = 30
STILL_FRAMES = (36, 50)  # at rest between actions, at least and at most
REACH_FRAMES = 15
PAUSE_FRAMES = 5
LONG_PAUSE_FRAMES = 75
_VARIED = ("move", "onto", "off", "swap", "token", "bump")  # what is done more than once


class Film:
    """One film on its way into a file, and its truth."""

    def __init__(self, seed: int, path: Path) -> None:
        self._rng = np.random.default_rng(1000 + seed)
        self.stage = Stage(seed)
        self._players = Players(self.stage, self._rng)
        self._table = self._players.set_up(int(self._rng.integers(8, 19)))
        self._path = path
        self._writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), FPS, (WIDTH, HEIGHT))
        self._frame = 0
        self._gain = np.ones(3, np.float32)
        self._flicker = float(self._rng.choice([0.0, 0.012]))
        shape = (HEIGHT + 64, WIDTH + 64, 3)
        self._grain = self._rng.standard_normal(shape, dtype=np.float32) * np.float32(self.stage.noise_levels)
        self._shot = self.stage.shoot(self._table.cards)
        self._states: list[Json] = []
        self._events: list[Json] = []

    def shoot(self, actions: int) -> None:
        """Films so many actions."""
        self._rest()
        kinds = [*self._rng.permutation(ACTIONS), *self._rng.choice(_VARIED, max(0, actions - len(ACTIONS)))]
        if self._table.covers or "cover" in kinds[:actions]:
            kinds.insert(actions - 1, "cover")
        for kind in kinds[:actions]:
            if kind == "walk":
                self._walk_by()
            elif kind == "expose":
                self._expose()
            elif kind == "nudge":
                self._nudge()
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
            "fps": FPS,
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
        for _ in range(int(self._rng.integers(*STILL_FRAMES))):
            self._write(self._shot.picture)
        self._states.append({"frame0": first, "frame1": self._frame - 1, "scene": self._scene()})

    def _act(self, action: Action) -> None:
        """An arm reaches in, does it and goes."""
        began = self._frame
        lifted = self.stage.shoot(action.between.cards, action.between.covers)
        after = self.stage.shoot(action.after.cards, action.after.covers)
        arm = Arm.of(self._rng)
        tips = [self._tip(place) for place in action.reach]
        pause = LONG_PAUSE_FRAMES if action.kind == "rest" else PAUSE_FRAMES
        for tip in _way(arm.outside(), tips[0], REACH_FRAMES):
            self._with_arm(self._shot.picture, arm, tip)
        for _ in range(pause):
            self._with_arm(self._shot.picture, arm, tips[0] + self._rng.normal(0, 1.0, 2))
        if action.carried is not None and len(tips) > 1:
            self._carry(action, arm, lifted.picture)
        elif action.carried is not None:
            for tip in (*_way(tips[0], tips[0] + 30, 6), *_way(tips[0] + 30, tips[0], 6)):
                self._with_arm(lifted.picture, arm, tip)
        for _ in range(pause):
            self._with_arm(after.picture, arm, tips[-1] + self._rng.normal(0, 1.0, 2))
        for tip in _way(tips[-1], arm.outside(), REACH_FRAMES):
            self._with_arm(after.picture, arm, tip)
        self._table, self._shot = action.after, after
        self._tell(action.events, began)

    def _carry(self, action: Action, arm: Arm, table: Picture) -> None:
        card = action.carried
        assert card is not None
        start, end = (np.array(place) for place in action.reach)
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

    def _with_arm(self, table: Picture, arm: Arm, tip: Array) -> None:
        picture = table.copy()
        draw_arm(picture, arm, tip, self._px_per_mm(np.array([TABLE_MM / 2, TABLE_MM / 2])))
        self._write(picture)

    def _walk_by(self) -> None:
        across = bool(self._rng.random() < 0.5)
        for step in np.linspace(0, 1, 60):
            self._write(self._shot.picture * walk_by(float(step), across))

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
            swung = cv2.warpAffine(mixed, swing, (WIDTH, HEIGHT), borderMode=cv2.BORDER_REPLICATE)
            self._write(np.asarray(swung, dtype=np.float32))
        self._tell(({"type": "camera_moved"},), began)

    def _tell(self, events: Sequence[Json], began: int) -> None:
        when = {"t": self._frame / FPS, "frame": self._frame, "t_from": began / FPS}
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
        if self._flicker:
            rows = np.arange(HEIGHT, dtype=np.float32)[:, None, None]
            bands = self._flicker * np.sin(2.1 * self._frame + rows / 90)
            picture = picture * (self._gain * (1 + bands)).astype(np.float32)
        elif np.any(self._gain != 1):
            picture = picture * self._gain
        down, right = (int(value) for value in self._rng.integers(0, 64, 2))
        grain = self._grain[down : down + HEIGHT, right : right + WIDTH]
        self._writer.write(np.asarray(cv2.add(picture, grain, dtype=cv2.CV_8U), dtype=np.uint8))
        self._frame += 1


def _way(start: Array, end: Array, frames: int) -> Iterator[Array]:
    """A hand's way: it sets off and arrives gently."""
    for share in np.linspace(0, 1, frames + 1)[1:]:
        yield start + (end - start) * (0.5 - 0.5 * np.cos(np.pi * share))


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


def film_game(seed: int, folder: Path, actions: int) -> Path:
    """One film with all that lies beside it."""
    name = f"film-{seed:03d}"
    folder.mkdir(parents=True, exist_ok=True)
    film = Film(seed, folder / f"{name}.mp4")
    roster = _write_roster(film.stage, folder, name)
    film.shoot(actions)
    truth = film.truth(roster)
    (folder / f"{name}.camera.json").write_text(json.dumps(truth["camera"]), encoding="utf-8")
    (folder / f"{name}.truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return folder / f"{name}.mp4"


def main() -> None:
    """Films as many games as asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--films", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--actions", type=int, default=16)
    args = parser.parse_args()
    for seed in range(args.seed, args.seed + args.films):
        print(film_game(seed, args.folder, args.actions), flush=True)


if __name__ == "__main__":
    main()
