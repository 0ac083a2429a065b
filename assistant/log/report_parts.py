"""The parts of a battle report beside the steps: figures, close calls, corrections, heat maps, lists."""

from __future__ import annotations

from html import escape

from assistant.log.board_svg import Annotations, Look, board_svg, evidence_points, whole_table, window_around
from assistant.log.clock import moment_text
from assistant.log.heat import CELLS_ACROSS, heat_map
from assistant.log.report_steps import Battlefields, step_of
from assistant.log.story import CloseCall, Story, record_list
from assistant.log.summary import Summary, correction_text, player_rows
from assistant.log.telling import ruling_line, sentence
from assistant.scene.values import Scene

_FAINTEST = 0.03


def figure_tiles(story: Story, summary: Summary) -> str:
    """The game in a few large figures."""
    tiles = [
        (summary.counts["moved"], "moves"),
        (summary.counts["pinned"], "pins"),
        (summary.counts["removed"], "casualties"),
        (len(story.close_calls), "close calls"),
        (summary.counts["correction"], "corrections"),
        (summary.counts["violation"], "violations"),
    ]
    if summary.rounds:
        tiles.insert(0, (len(summary.rounds), "rounds"))
    items = "".join(f"<li><b>{count}</b><span>{name}</span></li>" for count, name in tiles)
    return f'<ul class="figures">{items}</ul>'


def player_table(summary: Summary, look: Look) -> str:
    """What each player did, and how long the turns took."""
    players = [f"{_dot(look, figures.player)}{escape(figures.player)}" for figures in summary.players]
    head = "".join(f'<th class="number">{player}</th>' for player in players)
    rows = "".join(
        f"<tr><th>{name}</th>" + "".join(f'<td class="number">{cell}</td>' for cell in cells) + "</tr>"
        for name, *cells in player_rows(summary)
    )
    return f'<div class="scroll"><table><tr><th></th>{head}</tr>{rows}</table></div>' if players else ""


def close_call_cards(story: Story, fields: Battlefields, look: Look) -> str:
    """Every close call with the part of the table it rests on."""
    cards = [_close_call_card(call, story, fields, look) for call in story.close_calls]
    return f'<div class="cards">{"".join(cards)}</div>' if cards else ""


def correction_rows(story: Story) -> str:
    """What people overruled."""
    rows = [
        f"<tr><td>{_moment(story, logged.event.t_s)}</td><td>{escape(correction_text(logged.event))}</td></tr>"
        for logged in story.events
        if logged.event.type == "correction"
    ]
    return f'<div class="scroll"><table>{"".join(rows)}</table></div>' if rows else ""


def heat_cards(story: Story, fields: Battlefields, look: Look) -> str:
    """A map for each player: the darker, the longer pieces stood there."""
    if not story.states:
        return ""
    scene = story.states[-1].scene
    cards = []
    for player in story.players():
        heat = heat_map(story, player)
        if heat:
            drawing = _heat_svg(heat, scene, fields.name(scene), look.style(player))
            cards.append(f'<div class="card"><h3>{_dot(look, player)}{escape(player)}</h3>{drawing}</div>')
    return f'<div class="cards">{"".join(cards)}</div>' if cards else ""


def event_rows(story: Story) -> str:
    """The list of all events."""
    rows = "".join(
        f'<tr><td class="number"><a href="#step={number}">{moment_text(logged.event.t_s)}</a></td>'
        f"<td>{escape(sentence(logged.event, story.names))}</td></tr>"
        for number, logged in enumerate(story.events, start=1)
    )
    return f"<details><summary>{len(story.events)} steps</summary><table>{rows}</table></details>" if rows else ""


def setting_rows(story: Story) -> str:
    """Source, version and rule readings."""
    settings = story.settings
    rows = [("source", _public_source(settings.source)), ("version", settings.version)]
    rows += [(f"reading: {name}", value) for name, value in sorted(settings.readings.items())]
    told = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows if value)
    return f"<table>{told}</table>" if told else ""


def _public_source(source: str) -> str:
    """A source as strangers may read it: of a file or folder only its name, no path of this computer.

    >>> _public_source("/home/anna/films/friday.mp4"), _public_source("http://phone:8080/video"), _public_source("0")
    ('friday.mp4', 'http://phone:8080/video', '0')
    """
    if "://" in source:
        return source
    return source.replace("\\", "/").rstrip("/").rpartition("/")[2]


def _close_call_card(call: CloseCall, story: Story, fields: Battlefields, look: Look) -> str:
    state = story.state(call.state_id)
    drawing = ""
    if state is not None:
        scene = state.scene
        marks = tuple(record_list(call.record, "evidence"))
        pieces = tuple(piece for piece in record_list(call.record, "pieces") if isinstance(piece, str))
        points = evidence_points(marks) + [piece.centre for piece in scene.on_field() if piece.id in pieces]
        told = Annotations(pieces=pieces, evidence=marks)
        drawing = board_svg(scene, look, fields.name(scene), told, window_around(points, scene))
    return (
        f'<div class="card"><h3>{_moment(story, call.t_s)}</h3>{drawing}<p>{escape(ruling_line(call.record))}</p></div>'
    )


def _heat_svg(heat: dict[tuple[int, int], float], scene: Scene, field_name: str, style: str) -> str:
    side, most = scene.table.width_mm / CELLS_ACROSS, max(heat.values()) or 1.0
    seen = whole_table(scene)
    cells = "".join(
        f'<rect class="heat {style}" x="{column * side:.1f}" y="{row * side:.1f}" width="{side:.1f}"'
        f' height="{side:.1f}" opacity="{(seconds / most) ** 0.5:.2f}"/>'
        for (column, row), seconds in sorted(heat.items())
        if seconds / most > _FAINTEST**2
    )
    box = f"{seen.left:.1f} {seen.top:.1f} {seen.width:.1f} {seen.depth:.1f}"
    return f'<svg class="board" viewBox="{box}" role="img"><use href="#{field_name}"/>{cells}</svg>'


def _moment(story: Story, t_s: float) -> str:
    number = step_of(story, t_s)
    text = f'<span class="time">{moment_text(t_s)}</span>'
    return f'<a href="#step={number}">{text}</a>' if number else text


def _dot(look: Look, player: str) -> str:
    return f'<span class="dot {look.style(player)}"></span>'
