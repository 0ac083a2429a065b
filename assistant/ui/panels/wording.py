"""How verdicts look in the panels: a word, a sign and a colour, never a colour alone."""

from __future__ import annotations

from html import escape

from assistant.rules.game import GameSystem
from assistant.rules.ruling import Ruling
from assistant.ui.catalogue import say, tell
from assistant.ui.design import design
from assistant.ui.verdicts import SIGNS, Tone, is_certain, tone_of
from calibration.view import TableView

_LONG_NAME = 26  # letters
_WORDS = {Tone.GOOD: "yes", Tone.BAD: "no", Tone.DOUBT: "too close"}


def muted() -> str:
    """The colour of what is said beside the point."""
    return design().theme.quiet


def chip(text: str, ground: str) -> str:
    """A short word on a coloured ground, as rich text."""
    ink = design().theme.on_signal
    return f'<span style="background-color:{ground};color:{ink};font-weight:600">&nbsp;{escape(text)}&nbsp;</span>'


def tone_colour(tone: Tone) -> str:
    """The ground of a chip of that tone."""
    theme = design().theme
    return {Tone.GOOD: theme.good, Tone.BAD: theme.bad, Tone.DOUBT: theme.doubt, Tone.FACT: "#cfe0ee"}[tone]


def verdict_chip(ruling: Ruling) -> str:
    """The verdict of a ruling as players mean it: nothing against the rules is a tick, whatever was asked."""
    tone = tone_of(ruling)
    if tone is Tone.FACT:
        band = ruling.answer.get("band")
        if ruling.kind == "range":
            return chip(tell(band) if isinstance(band, str) else say("distance"), tone_colour(tone))
        return ""
    word = say(_WORDS[tone])
    if ruling.kind == "violation" and tone is not Tone.DOUBT:
        word = say("by the rules") if tone is Tone.GOOD else say("against the rules")
    return chip(f"{SIGNS[tone]} {word}", tone_colour(tone))


def ruling_html(ruling: Ruling, asked: bool = True) -> str:
    """A ruling in a few lines: verdict, sentence, rule, how sure.

    What nobody asked has no yes or no in front; only what is doubtful or against the rules is marked.
    """
    sure = say("certain") if is_certain(ruling) else say("{n:.1f} % sure", n=100 * ruling.certainty)
    parts = [ruling.rule, sure]
    if ruling.margin_mm is not None:
        parts.append(say("{mm:.1f} mm from changing", mm=ruling.margin_mm))
    sigma = ruling.answer.get("sigma_mm")
    if isinstance(sigma, int | float) and sigma > 0:
        parts.append(say("measured to ±{mm:.1f} mm", mm=2 * sigma))
    details = escape(" · ".join(part for part in parts if part))
    tone = tone_of(ruling)
    marked = asked or tone is Tone.DOUBT or (ruling.kind == "violation" and tone is Tone.BAD)
    mark = f"{verdict_chip(ruling)} " if marked else ""
    small = design().scale.small
    return (
        f'<p style="margin:0 0 8px 0">{mark}{escape(tell(ruling.sentence))}<br>'
        f'<span style="font-size:{small}px;color:{muted()}">{details}</span></p>'
    )


def status_words(pieces: int, corrections: int) -> str:
    """The line below a live table."""
    words = [say("{count} pieces", count=pieces)]
    if corrections:
        words.append(say("corrections held: {n}", n=corrections))
    return " · ".join(words)


def measured_words(view: TableView, camera_mode: str) -> str:
    """How the table was measured, for the diagnostics."""
    measured = view.calibration
    words = [
        say("table from {n} tokens", n=len(measured.tokens)),
        say("scale from {what}", what=tell(measured.scale_source)),
        say("residual {rms:.2f} px", rms=measured.rms_px),
    ]
    if camera_mode:
        words.append(say("camera {mode}", mode=camera_mode))
    return " · ".join(words)


def short_name(game: GameSystem) -> str:
    """A game's name without its second half, where it is long."""
    return game.name.partition(":")[0] if len(game.name) > _LONG_NAME else game.name
