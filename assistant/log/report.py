"""A game as one page that needs nothing else: to read on a phone, to step through, to print."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Mapping, Sequence
from html import escape
from importlib.resources import files

from assistant.log.board_svg import Look
from assistant.log.clock import clock_text
from assistant.log.entry import LoggedPicture
from assistant.log.game_log import GameLog
from assistant.log.report_parts import (
    close_call_cards,
    correction_rows,
    event_rows,
    figure_tiles,
    heat_cards,
    player_table,
    setting_rows,
)
from assistant.log.report_steps import Battlefields, step_items, timeline, with_opening
from assistant.log.story import NO_OWNER, Story, read_story
from assistant.log.summary import summarise

MOST_PICTURES = 160  # about 15 MB: what a phone still opens gladly

Evidence = Mapping[int, Sequence[tuple[str, bytes]]]
ShrinkJpeg = Callable[[bytes], bytes | None]


def report_html(log: GameLog, shrink: ShrinkJpeg, evidence: Evidence | None = None) -> str:
    """The battle report; `shrink` makes a stored picture small, or None of one that cannot be shown.

    `evidence` gives the pictures that prove an event, by its id: each a caption and a JPEG.
    """
    story = with_opening(read_story(log))
    players = [player for player in story.players() if player != NO_OWNER]
    look = Look.of(players, story.names)
    fields = Battlefields(look)
    chosen = choose_pictures(list(log.pictures()), MOST_PICTURES)
    pictures = {picture: _data_address(small) for picture in chosen if (small := shrink(log.jpeg(picture.id)))}
    proofs = {
        identity: tuple((caption, _data_address(jpeg)) for caption, jpeg in shown)
        for identity, shown in (evidence or {}).items()
    }
    summary = summarise(story)
    title = f"{story.settings.game}: {' against '.join(players) or 'a game'}"
    sections = [
        f"<h2>The game, step by step</h2>{_player(story, fields, pictures, proofs)}",
        _section("Close calls", close_call_cards(story, fields, look)),
        _section("Corrections", correction_rows(story)),
        _section("Where they stood", heat_cards(story, fields, look)),
        _section("Everything that happened", event_rows(story)),
        _section("Played with", setting_rows(story)),
    ]
    started = story.settings.started[:16].replace("T", " ")
    about = " · ".join(part for part in (started, clock_text(summary.length_s)) if part)
    script = _resource("report.js")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>{_resource('report.css')}</style>",
            "</head>",
            "<body>",
            f'<header><h1>{escape(title)}</h1><div class="soft">{escape(about)}</div></header>',
            f"<main>{figure_tiles(story, summary)}{player_table(summary, look)}",
            *sections,
            "</main>",
            f"<footer>{_footer(len(pictures), sum(1 for _ in log.pictures()))}</footer>",
            f'<svg class="defs" aria-hidden="true">{fields.definitions()}</svg>',
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def choose_pictures(there: list[LoggedPicture], most: int) -> list[LoggedPicture]:
    """Key pictures first, then others evenly over the game, in order."""
    key = [picture for picture in there if picture.key][:most]
    plain = [picture for picture in there if not picture.key]
    room = most - len(key)
    if len(plain) > room:
        plain = [plain[index * len(plain) // room] for index in range(room)]
    return sorted([*key, *plain], key=lambda picture: picture.id)


def _player(
    story: Story,
    fields: Battlefields,
    pictures: dict[LoggedPicture, str],
    proofs: Mapping[int, Sequence[tuple[str, str]]],
) -> str:
    controls = (
        '<div class="controls"><button id="previous" aria-label="previous">◀</button>'
        '<button id="play" aria-label="play">▶</button><button id="next" aria-label="next">▶▏</button>'
        '<input id="slider" type="range" min="0" max="0" value="0" aria-label="step"><output id="clock"></output></div>'
    )
    items = "".join(step_items(story, fields, pictures, proofs))
    return f'<div class="player">{controls}{timeline(story)}<ol class="steps">{items}</ol></div>'


def _section(title: str, content: str) -> str:
    return f"<h2>{title}</h2>{content}" if content else ""


def _footer(shown: int, there: int) -> str:
    pictures = f" {shown} of {there} pictures are shown." if shown < there else ""
    return f"Measured and written down by Pinpoint. Lengths are in millimetres, north is up.{pictures}"


def _data_address(jpeg: bytes) -> str:
    return "data:image/jpeg;base64," + base64.b64encode(jpeg).decode("ascii")


def _policy(script: str) -> str:
    """Nothing from outside, and no script but ours: a name that a player typed can never run."""
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def _resource(name: str) -> str:
    return (files("assistant.log") / name).read_text(encoding="utf-8")
