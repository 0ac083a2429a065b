"""How verdicts look in the panels: a word, a sign and a colour, never a colour alone."""

from __future__ import annotations

from html import escape

from assistant.rules.ruling import Ruling, Verdict
from assistant.ui.overlays.model import Ink
from assistant.ui.overlays.palette import colour

_CHIPS = {
    Verdict.YES: ("✓ yes", Ink.FREE),
    Verdict.NO: ("✗ no", Ink.BLOCKED),
    Verdict.TOO_CLOSE: ("≈ too close", Ink.CLOSE),
}


def chip(text: str, ink: Ink) -> str:
    """A short word on a coloured ground, as rich text."""
    return (
        f'<span style="background-color:{colour(ink).name()};color:#10141a;font-weight:600">'
        f"&nbsp;{escape(text)}&nbsp;</span>"
    )


def verdict_chip(ruling: Ruling) -> str:
    """The verdict of a ruling; a close call is called that whatever the likelier answer is."""
    verdict = Verdict.TOO_CLOSE if ruling.close_call else ruling.verdict
    return chip(*_CHIPS[verdict])


def ruling_html(ruling: Ruling) -> str:
    """A ruling in a few lines: verdict, sentence, rule, how sure."""
    sure = f"{100 * ruling.certainty:.1f} % sure" if ruling.certainty < 0.9995 else "certain"
    parts = [ruling.rule, sure]
    if ruling.margin_mm is not None:
        parts.append(f"{ruling.margin_mm:.1f} mm from changing")
    sigma = ruling.answer.get("sigma_mm")
    if isinstance(sigma, int | float) and sigma > 0:
        parts.append(f"measured to ±{2 * sigma:.1f} mm")
    details = escape(" · ".join(part for part in parts if part))
    return (
        f'<p style="margin:0 0 8px 0">{verdict_chip(ruling)} {escape(ruling.sentence)}<br>'
        f'<span style="font-size:small;color:gray">{details}</span></p>'
    )
