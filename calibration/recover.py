"""A token that was not read, looked for where the others say it must lie: half covered, in glare, or too small."""

from __future__ import annotations

import cv2
import numpy as np

from calibration import homography
from calibration.arrays import ByteImage, FloatArray
from calibration.kit import CARD_HEIGHT_MM, TOKEN_MARKER_MM, nominal_token_centres_mm, square_mm
from calibration.marker_fit import MarkerFit, fit_marker, kit_print
from calibration.markers import to_gray
from calibration.view import TableView

_REACH_MM = 14.0  # how far off its nominal place the token is looked for
_LEAST_LIKENESS = 0.55
_LEAST_CONTRAST = 0.15
_WORST_RESIDUAL = 0.2
_TEXELS = 16


def recover_token(bgr: ByteImage, view: TableView, token: int) -> MarkerFit | None:
    """The token's measured marker, if the picture has it near its nominal place in this view."""
    centre = nominal_token_centres_mm(view.width_mm, view.depth_mm)[token]
    expected = view.board_to_image(square_mm(TOKEN_MARKER_MM) + centre, CARD_HEIGHT_MM)
    px_per_mm = float(view.px_per_mm(centre[None])[0])
    start = _most_alike(to_gray(bgr), token, expected, round(_REACH_MM * px_per_mm))
    if start is None:
        return None
    fit = fit_marker(bgr, token, start, view.lens)
    if fit is None or fit.residual > _WORST_RESIDUAL or fit.contrast < _LEAST_CONTRAST:
        return None
    # A fit that ran away from the expected shape has taken something else for the token.
    shape = (fit.corners_px - fit.corners_px.mean(axis=0)) - (expected - expected.mean(axis=0))
    side_px = TOKEN_MARKER_MM * px_per_mm
    return fit if float(np.abs(shape).max()) < 0.15 * side_px + 1.0 else None


def _most_alike(gray: ByteImage, token: int, expected: FloatArray, reach_px: int) -> FloatArray | None:
    """The expected corners moved to where the picture looks most like the token within reach."""
    low = np.floor(expected.min(axis=0)).astype(int)
    high = np.ceil(expected.max(axis=0)).astype(int) + 1
    if (low - reach_px < 0).any() or (high + reach_px > [gray.shape[1], gray.shape[0]]).any():
        reach_px = int(min(low.min(), *(np.array([gray.shape[1], gray.shape[0]]) - high), reach_px))
    if reach_px < 1:
        return None
    cells = kit_print(token).cells
    drawn = np.kron(cells, np.ones((_TEXELS, _TEXELS))).astype(np.float32)
    size = float(len(drawn))
    frame = np.array([[0.0, 0.0], [size, 0.0], [size, size], [0.0, size]]) - 0.5
    to_picture = homography.from_corners(frame, expected - low)
    width, height = (int(v) for v in high - low)
    template = cv2.GaussianBlur(
        cv2.warpPerspective(drawn, to_picture, (width, height), flags=cv2.INTER_AREA, borderValue=1.0), (0, 0), 0.8
    )
    around = gray[low[1] - reach_px : high[1] + reach_px, low[0] - reach_px : high[0] + reach_px].astype(np.float32)
    likeness = cv2.matchTemplate(around, template, cv2.TM_CCOEFF_NORMED)
    _, best, _, place = cv2.minMaxLoc(likeness)
    if best < _LEAST_LIKENESS:
        return None
    return np.asarray(expected + np.array(place) - reach_px, dtype=np.float64)
