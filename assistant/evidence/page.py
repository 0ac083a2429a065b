"""The evidence of one event as a folder: pictures, clip, scenes, rulings, and one page that shows them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from assistant.evidence.drawing import png_of
from assistant.evidence.of_event import event_card, event_clip, event_zooms
from assistant.evidence.overlay_clip import write_overlay
from assistant.evidence.snapshots import happening_of, logged_event, names_in, rulings_of_state
from assistant.log.clip_files import Clip
from assistant.log.clock import moment_text
from assistant.log.entry import LoggedEvent
from assistant.log.errors import LogError
from assistant.log.game_log import GameLog
from assistant.log.plain_text import one_line
from assistant.log.telling import ruling_line, sentence
from assistant.log.verifying import verify
from assistant.rules.record import ruling_to_json
from assistant.rules.wording import named
from assistant.scene.values import JsonValue
from assistant.scene.writing import scene_to_text
from assistant.session.history import Happening

_POLICY = (
    "default-src 'none'; img-src 'self' data: file:; media-src 'self' file:; style-src 'unsafe-inline'; base-uri 'none'"
)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A picture of the page: its file and what it says."""

    file: str
    title: str
    text: str


def export_evidence(log: GameLog, event_id: int, folder: Path) -> tuple[str, ...]:
    """Writes the folder, which appears only when it is whole; the names of its files.

    A clip that is missing or was changed is named on the page, and is no error.
    """
    logged = logged_event(log, event_id)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise LogError("no place for the evidence", folder, "it is there and not empty; choose another name")
    unfinished = folder.with_name(f".{folder.name}.{os.getpid()}.new")
    try:
        unfinished.mkdir(parents=True)
        _fill(log, logged, unfinished)
        names = tuple(sorted(path.name for path in unfinished.iterdir()))
        if folder.exists():
            folder.rmdir()
        unfinished.rename(folder)
    except OSError as error:
        raise LogError("cannot write", folder, error.strerror or str(error)) from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return names


def _fill(log: GameLog, logged: LoggedEvent, folder: Path) -> None:
    happening = happening_of(log, logged)
    names = {} if happening is None else dict(names_in(happening.after.scene, log.settings.roster))
    shown: list[_Shown] = []
    card = event_card(log, logged)
    if card is not None:
        (folder / "card.png").write_bytes(png_of(card.picture))
        shown.append(_Shown("card.png", "The move", f"{card.measure.headline()}; {card.measure.ruling()}"))
    for number, zoom in enumerate(event_zooms(log, logged), start=1):
        name = f"gap-{number}.png"
        (folder / name).write_bytes(png_of(zoom.picture))
        told = named(ruling_line(ruling_to_json(zoom.ruling)), names)
        shown.append(_Shown(name, "A close look", f"{zoom.measure()}. {told}"))
    films = _films(log, logged, happening, folder)
    scenes = {} if happening is None else {"before": happening.before, "after": happening.after}
    for name, table in scenes.items():
        if table is not None:
            (folder / f"{name}.scene.json").write_text(scene_to_text(table.scene), encoding="utf-8")
    rulings = [ruling_to_json(ruling) for ruling in rulings_of_state(log, logged.state_id)]
    _write_json(folder / "rulings.json", list(rulings))
    _write_json(folder / "event.json", {"number": logged.id, **logged.event.to_json()})
    about = set(logged.event.pieces())
    said = [named(ruling_line(record), names) for record in rulings if about & {str(name) for name in _pieces(record)}]
    there = [name for name, table in scenes.items() if table is not None]
    page = _page(log, logged, names, shown, films, said, there)
    (folder / "index.html").write_text(page, encoding="utf-8", errors="backslashreplace")


def _films(log: GameLog, logged: LoggedEvent, happening: Happening | None, folder: Path) -> list[str]:
    """The clip, with and without what was detected, and its strip, as parts of the page."""
    clip = event_clip(log, logged)
    if clip is None:
        return ["<p>No clip was recorded of this event.</p>"]
    if clip.state != "whole":
        return [f"<p>The clip {escape(clip.record.name)} is {clip.state}: {escape(clip.why)}.</p>"]
    shutil.copyfile(clip.path, folder / "clip.mp4")
    parts = [_video("clip.mp4", f"{moment_text(clip.record.start_s)} to {moment_text(clip.record.end_s)}", clip)]
    try:
        if happening is not None and write_overlay(clip, happening, folder / "clip-overlay.mp4"):
            parts.append(_video("clip-overlay.mp4", "with what was detected", None))
    except LogError as error:
        parts.append(f"<p>{escape(str(error))}</p>")
    strip = event_clip(log, logged, ".jpg")
    if strip is not None and strip.state == "whole":
        shutil.copyfile(strip.path, folder / "strip.jpg")
        parts.append('<figure><img src="strip.jpg" alt="ten frames of the clip"></figure>')
    return parts


def _video(name: str, text: str, clip: Clip | None) -> str:
    digest = f"<br><code>SHA-256 {escape(clip.record.sha256)}</code>" if clip else ""
    return (
        f'<figure><video src="{name}" controls muted playsinline preload="auto"></video>'
        f"<figcaption>{escape(text)}{digest}</figcaption></figure>"
    )


def _page(
    log: GameLog,
    logged: LoggedEvent,
    names: Mapping[str, str],
    shown: Sequence[_Shown],
    films: Sequence[str],
    said: Sequence[str],
    scenes: Sequence[str],
) -> str:
    event = logged.event
    told = one_line(sentence(event, names))
    title = f"Event {logged.id}: {told}"
    pictures = "".join(
        f'<figure><img src="{one.file}" alt="{escape(one.title)}">'
        f"<figcaption>{escape(one_line(one.text))}</figcaption></figure>"
        for one in shown
    )
    rulings = "".join(f"<li>{escape(one_line(line))}</li>" for line in said)
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<link rel="icon" href="data:,">',
        f"<title>{escape(title)}</title><style>{_style()}</style></head><body>",
        f"<header><h1>{escape(told)}</h1>",
        f'<p class="soft">{escape(log.settings.game)} · {moment_text(event.t_s)} · event {logged.id} of '
        f"{escape(log.path.name)}</p></header><main>",
        pictures,
        "<h2>Film</h2>",
        *films,
        f"<h2>What the rules say</h2><ul>{rulings}</ul>" if rulings else "",
        '<h2>Files</h2><ul><li><a href="event.json">event</a></li><li><a href="rulings.json">rulings</a></li>',
        *(f'<li><a href="{name}.scene.json">scene {name}</a></li>' for name in scenes),
        "</ul>",
        f'<p class="soft">{escape(_integrity(log.path))}</p>',
        "</main></body></html>",
        "",
    ]
    return "\n".join(part for part in parts if part)


def _integrity(path: Path) -> str:
    try:
        return one_line(verify(path).line)
    except LogError as error:  # a log from before checksums
        return one_line(str(error))


def _style() -> str:
    return (files("assistant.evidence") / "page.css").read_text(encoding="utf-8")


def _pieces(record: Mapping[str, JsonValue]) -> list[JsonValue]:
    pieces = record.get("pieces")
    return pieces if isinstance(pieces, list) else []


def _write_json(path: Path, data: object) -> None:
    path.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n", encoding="utf-8")
