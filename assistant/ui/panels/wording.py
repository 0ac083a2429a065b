"""How verdicts look in the panels: a word, a sign and a colour, never a colour alone."""

from __future__ import annotations

from html import escape

from PyQt6.QtGui import QColor, QPalette

from assistant.rules.ruling import Ruling, Verdict
from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour

_CHIPS = {
    Verdict.YES: ("✓ yes", Ink.FREE),
    Verdict.NO: ("✗ no", Ink.BLOCKED),
    Verdict.TOO_CLOSE: ("≈ too close", Ink.CLOSE),
}


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
        return chip(band if isinstance(band, str) else "distance", Ink.MEASURE)
    return chip(*_CHIPS[verdict])


def ruling_html(ruling: Ruling, palette: QPalette, asked: bool = True) -> str:
    """A ruling in a few lines: verdict, sentence, rule, how sure.

    What nobody asked has no yes or no in front; only what is doubtful or against the rules is marked, calmly.
    """
    sure = f"{100 * ruling.certainty:.1f} % sure" if ruling.certainty < 0.9995 else "certain"
    parts = [ruling.rule, sure]
    if ruling.margin_mm is not None:
        parts.append(f"{ruling.margin_mm:.1f} mm from changing")
    sigma = ruling.answer.get("sigma_mm")
    if isinstance(sigma, int | float) and sigma > 0:
        parts.append(f"measured to ±{2 * sigma:.1f} mm")
    details = escape(" · ".join(part for part in parts if part))
    mark = ""
    if asked or ruling.close_call or ruling.verdict is Verdict.TOO_CLOSE:
        mark = verdict_chip(ruling) + " "
    elif ruling.kind == "violation":
        mark = chip("! look", Ink.VIOLATION) + " "
    return (
        f'<p style="margin:0 0 8px 0">{mark}{escape(ruling.sentence)}<br>'
        f'<span style="font-size:small;color:{muted(palette)}">{details}</span></p>'
    )
