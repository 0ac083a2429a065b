"""How long a cold table solve and a per-frame check take, beside a bare ArUco detection in the same run.

`python -m benchmarks.calibration_speed PICTURE …` prints processor milliseconds on one core and the ratios.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np

from calibration.arrays import ByteImage
from calibration.drift import Watch
from calibration.kit import codes
from calibration.markers import to_gray
from calibration.table_solve import solve_table

TABLE_MM = 914.4


def best_ms(work: Callable[[], object], rounds: int) -> float:
    """The least processor time over some rounds: what else the machine does only adds."""
    times = []
    for _ in range(rounds):
        start = time.thread_time()
        work()
        times.append(time.thread_time() - start)
    return 1000 * min(times)


def measure(bgr: ByteImage) -> tuple[float, float, float, float] | None:
    """Milliseconds of a bare detection, a cold solve with a lens, one without, and a check."""
    watch = Watch.start(bgr, TABLE_MM, TABLE_MM)
    if not isinstance(watch, Watch):
        return None
    gray = to_gray(bgr)
    lens = watch.view.lens
    plain = cv2.aruco.ArucoDetector(codes(), cv2.aruco.DetectorParameters())
    return (
        best_ms(lambda: plain.detectMarkers(gray), 7),
        best_ms(lambda: solve_table(bgr, TABLE_MM, TABLE_MM, lens), 5),
        best_ms(lambda: solve_table(bgr, TABLE_MM, TABLE_MM), 3),
        best_ms(lambda: watch.check(gray), 20),
    )


def main() -> None:
    """Prints one line a picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pictures", nargs="+", type=Path, metavar="PICTURE")
    cv2.setNumThreads(1)
    for path in parser.parse_args().pictures:
        picture = cv2.imread(str(path))
        times = measure(np.asarray(picture, dtype=np.uint8)) if picture is not None else None
        if times is None:
            print(f"{path.name}: no table")
            continue
        bare, cold, blind, check = times
        print(
            f"{path.name}: bare ArUco {bare:.1f} ms; cold solve {cold:.1f} ms ({cold / bare:.1f} times);"
            f" without a lens {blind:.1f} ms ({blind / bare:.1f}); check {check:.2f} ms ({check / bare:.3f})"
        )


if __name__ == "__main__":
    main()
