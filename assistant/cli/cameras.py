"""`pinpoint cameras`: the cameras there are, with their modes."""

from __future__ import annotations

import argparse
import json
import sys

import cv2

from assistant.log.plain_text import one_line
from vision.camera.devices import camera_modes, list_cameras

NONE = "no camera found; plug one in, or give play the address of a telephone's camera (see the README)"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How to write the list."""
    parser.add_argument("--json", action="store_true", help="as a JSON list of number, name and modes")


def run(args: argparse.Namespace) -> int:
    """Lists number, name and modes; a camera that another program uses is listed without modes."""
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)
    cameras = [(camera, camera_modes(camera.number)) for camera in list_cameras()]
    if not cameras:
        print(NONE, file=sys.stderr)
    if args.json:
        listed = [
            {
                "number": camera.number,
                "name": camera.name,
                "modes": [[mode.width, mode.height, round(mode.fps, 1)] for mode in modes],
            }
            for camera, modes in cameras
        ]
        print(json.dumps(listed, sort_keys=True))
        return 0
    for camera, modes in cameras:
        sizes = ", ".join(f"{mode.width}x{mode.height} at {mode.fps:.3g} fps" for mode in modes)
        print(f"{camera.number:>3}  {one_line(camera.name)}: {sizes or 'in use by another program, or no picture'}")
    return 0
