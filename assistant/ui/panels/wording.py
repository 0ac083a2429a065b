"""How verdicts look in the panels: a word, a sign and a colour, never a colour alone."""

from __future__ import annotations

from html import escape

from PyQt6.QtCore import QCoreApplication
from PyQt6.QtGui import QColor, QPalette

from assistant.rules.ruling import Ruling, Verdict
from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour

_SURE = 0.9995


def said(text: str) -> str:
    """A text of the panels in the language of the desktop."""
    return QCoreApplication.translate("panels", text)


def muted(palette: QPalette) -> str:
    """The colour of what is said beside the point: two thirds of the way from the ground to the text, dark or light."""
    ink, ground = palette.color(QPalette.ColorRole.WindowText), palette.color(QPalette.ColorRole.Window)
    pairs = ((ink.red(), ground.red()), (ink.green(), ground.green()), (ink.blue(), ground.blue()))
    return QColor(*((2 * a + b) // 3 for a, b in pairs)).name()


def chip(text: str, ink: Ink) -> str:
    """A short word on a coloured ground, as rich text."""
    return (
        f'<span style="background-color:{colour(ink).name()};color:#10141a;font-weight:600">'
        f"&nbsp;{escape(text)}&nbsp;</span>"
    )


def verdict_chip(ruling: Ruling) -> str:
    """The verdict of a ruling; a close call is called that whatever the likelier answer is."""
    verdict = Verdict.TOO_CLOSE if ruling.close_call else ruling.verdict
    if ruling.kind == "range" and verdict is not Verdict.TOO_CLOSE:  # a distance is no yes and no no
        band = ruling.answer.get("band")
        return chip(band if isinstance(band, str) else said("distance"), Ink.MEASURE)
    match verdict:
        case Verdict.YES:
            return chip(said("✓ yes"), Ink.FREE)
        case Verdict.NO:
            return chip(said("✗ no"), Ink.BLOCKED)
        case Verdict.TOO_CLOSE:
            return chip(said("≈ too close"), Ink.CLOSE)


def ruling_html(ruling: Ruling, palette: QPalette, asked: bool = True) -> str:
    """A ruling in a few lines: verdict, sentence, rule, how sure.

    What nobody asked has no yes or no in front; only what is doubtful or against the rules is marked, calmly.
    """
    sure = said("certain") if ruling.certainty >= _SURE else said("{n:.1f} % sure").format(n=100 * ruling.certainty)
    parts = [ruling.rule, sure]
    if ruling.margin_mm is not None:
        parts.append(said("{mm:.1f} mm from changing").format(mm=ruling.margin_mm))
    sigma = ruling.answer.get("sigma_mm")
    if isinstance(sigma, int | float) and sigma > 0:
        parts.append(said("measured to ±{mm:.1f} mm").format(mm=2 * sigma))
    details = escape(" · ".join(part for part in parts if part))
    mark = ""
    if asked or ruling.close_call or ruling.verdict is Verdict.TOO_CLOSE:
        mark = verdict_chip(ruling) + " "
    elif ruling.kind == "violation":
        mark = chip(said("! look"), Ink.VIOLATION) + " "
    return (
        f'<p style="margin:0 0 8px 0">{mark}{escape(ruling.sentence)}<br>'
        f'<span style="font-size:small;color:{muted(palette)}">{details}</span></p>'
    )
