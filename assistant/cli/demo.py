"""`pinpoint demo`: a bundled game through the whole pipeline, into the window or into a report."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from itertools import combinations
from pathlib import Path

from assistant.cli.inputs import game_of, scene_of_file
from assistant.cli.looking import pieces_of
from assistant.log.telling import sentence
from assistant.rules.game import ask, quoted
from assistant.rules.ruling import Ruling
from assistant.scene.values import Piece, Scene
from assistant.session import Moment, Session, TableSetting, session_for
from calibration.errors import InputError
from calibration.lens import read_lens
from vision.camera.source import open_source
from vision.roster.profiles import read_roster
from vision.types.frame import Frame

SAMPLES = Path(__file__).parents[2] / "sample_images"
GAME = SAMPLES / "game"
ROSTER = SAMPLES / "tables" / "roster.json"
MOST_OF_A_KIND = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """With or without a window."""
    parser.add_argument(
        "--headless", action="store_true", help="print events and rulings and write one picture instead"
    )
    parser.add_argument("--screenshot", type=Path, metavar="OUT.png", help="save the window's first settled state, end")


def run(args: argparse.Namespace) -> int:
    """Plays the game; without a screen the same as with --headless."""
    if not GAME.is_dir():
        raise InputError("no demo", str(GAME), "start it from the project's own folder, where sample_images/ lies")
    setup = scene_of_file(GAME / "setup.json")
    roster = read_roster(ROSTER)
    setting = TableSetting(game_of(setup.game), setup.players, roster, setup.terrain)
    session = session_for(setting, pieces_of(setting.game, roster, ()), read_lens(GAME / "camera.json"))
    if args.screenshot is None and (args.headless or not has_screen()):
        return _report(session, setting)
    from assistant.app import run_live  # the window's library is loaded only where a window opens
    from assistant.ui.setup.profile import TableProfile

    lens = read_lens(GAME / "camera.json")
    profile = TableProfile(str(GAME), setup.game, lens, ROSTER, (), setup.terrain, setup.players)
    source = open_source(str(GAME))
    try:
        return run_live(source, session, setting, None, args.screenshot, in_step=True, profile=profile)
    finally:
        source.close()


def has_screen() -> bool:
    """Whether a window can be shown."""
    if not sys.platform.startswith("linux"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _report(session: Session, setting: TableSetting) -> int:
    """Prints what happened and what the rules say of the last table, and writes its picture."""
    source = open_source(str(GAME))
    last: tuple[Frame, Moment] | None = None
    names: dict[str, str] = {}
    try:
        while isinstance(frame := source.read(), Frame):
            moment = session.update(frame)
            names.update({piece.id: piece_name(piece, setting) for piece in moment.scene.pieces})
            for event in moment.events:
                print(f"{event.t_s:6.1f} s  {sentence(event, names)}", flush=True)
            if moment.settled and moment.view is not None:
                last = (frame, moment)
    finally:
        source.close()
    if last is None:
        raise InputError("no settled table", str(GAME), "the demo's pictures are damaged; restore sample_images/")
    frame, moment = last
    print(f"\nThe table at the end: {len(moment.scene.pieces)} disks, {len(moment.scene.above)} overlaps.")
    _print_rulings(moment.rulings)
    for ruling in _questions(moment.scene, setting):
        print(_line(ruling))
    print(f"\nPicture: {_write_picture(frame, moment)}")
    return 0


def piece_name(piece: Piece, setting: TableSetting) -> str:
    """What a player calls it: the roster's name, with the id to tell copies apart."""
    profile = setting.roster.by_id().get(piece.profile or "") if setting.roster else None
    return f"{profile.name} ({piece.id})" if profile else piece.id


def _print_rulings(rulings: tuple[Ruling, ...]) -> None:
    told: Counter[str] = Counter()
    for ruling in rulings:
        told[ruling.kind] += 1
        if told[ruling.kind] <= MOST_OF_A_KIND:
            print(_line(ruling))
    for kind, count in told.items():
        if count > MOST_OF_A_KIND:
            print(f"  ... and {count - MOST_OF_A_KIND} more of kind {kind}")


def _line(ruling: Ruling) -> str:
    close = "  TOO CLOSE TO CALL, measure by hand" if ruling.close_call else ""
    return f"  {ruling.rule:7} {ruling.sentence}  (certainty {ruling.certainty:.3f}){close}"


def _questions(scene: Scene, setting: TableSetting) -> tuple[Ruling, ...]:
    """Distance and sight between the two enemies that are nearest without touching."""
    pairs = []
    for first, second in combinations(scene.on_field(), 2):
        if first.owner and second.owner and first.owner != second.owner:
            measured = ask(setting.game, scene, f"range {quoted(first.id)} {quoted(second.id)}")
            distance = measured.answer["distance_mm"]
            if isinstance(distance, float | int) and distance > 0:
                pairs.append((distance, first.id, second.id, measured))
    if not pairs:
        return ()
    _, first_id, second_id, measured = min(pairs, key=lambda pair: pair[:3])
    return (measured, ask(setting.game, scene, f"los {quoted(first_id)} {quoted(second_id)}"))


def _write_picture(frame: Frame, moment: Moment) -> Path:
    from assistant.ui.application import application
    from assistant.ui.picture import render_picture, save_picture

    assert moment.view is not None
    app = application(offscreen_allowed=True)
    image = render_picture(frame.bgr, moment.view, moment.scene, moment.rulings)
    folder = Path.cwd() if os.access(Path.cwd(), os.W_OK) else Path(tempfile.gettempdir())
    path = folder / "pinpoint-demo.png"
    save_picture(image, path)
    del app
    return path
