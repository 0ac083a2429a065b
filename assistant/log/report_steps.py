"""The part of a battle report that is stepped through: a board for every event, and the line of time above it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape

from assistant.log.board_svg import Annotations, Look, board_svg, field_symbol, point_of
from assistant.log.clock import clock_text
from assistant.log.entry import LoggedEvent, LoggedPicture, RulingRecord, State
from assistant.log.event import Event
from assistant.log.story import Story, record_list
from assistant.log.summary import rounds_of
from assistant.log.telling import ruling_line, sentence
from assistant.scene.values import JsonValue, Point, Scene

PICTURE_WITHIN_S = 3.0
_ARROW = (
    '<marker id="arrow" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="6" markerHeight="6" orient="auto">'
    '<path d="M0 0L10 5L0 10z" fill="#22262b"/></marker>'
)


class Battlefields:
    """The battlefields of a report: each different one is drawn once, and used by name."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self._symbols: dict[str, str] = {}

    def name(self, scene: Scene) -> str:
        """The id of the scene's field."""
        drawn = field_symbol(scene, self.look, "")
        return self._symbols.setdefault(drawn, f"field{len(self._symbols)}")

    def definitions(self) -> str:
        """All fields, and the arrow's head."""
        return _ARROW + "".join(drawn.replace('id=""', f'id="{name}"', 1) for drawn, name in self._symbols.items())


def with_opening(story: Story) -> Story:
    """The story with a note at its head where the game's first state came about without an event."""
    first = story.states[0] if story.states else None
    if first is None or any(logged.state_id == first.id for logged in story.events):
        return story
    note = Event(first.t_s, first.frame, "note", {"text": "the table as the game began"})
    return replace(story, events=(LoggedEvent(0, note, first.id), *story.events))


def step_items(
    story: Story,
    fields: Battlefields,
    pictures: Mapping[LoggedPicture, str],
    proofs: Mapping[int, Sequence[tuple[str, str]]],
) -> Iterator[str]:
    """One list item for every event: what happened, the board afterwards, the picture, what proves it.

    `proofs` are captions and addresses of pictures, by the event's id.
    """
    states = {state.id: state for state in story.states}
    drawn: set[int] = set()
    for number, logged in enumerate(story.events, start=1):
        picture = _picture_of(logged, pictures)
        figure = ""
        if picture is not None and picture.id not in drawn:
            drawn.add(picture.id)
            caption = escape(f"{clock_text(picture.t_s)} {picture.caption}".strip())
            figure = (
                f'<figure id="picture{picture.id}"><img src="{pictures[picture]}" alt="the table">'
                f"<figcaption>{caption}</figcaption></figure>"
            )
        figure += "".join(
            f'<figure class="proof"><img src="{address}" alt="evidence">'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
            for caption, address in proofs.get(logged.id, ())
        )
        refers = f' data-picture="picture{picture.id}"' if picture else ""
        yield _item(number, logged.event, states.get(logged.state_id or 0), story, fields, refers, figure)


def timeline(story: Story) -> str:
    """A mark for every event, at its time; each leads to its step."""
    start_s = min([logged.event.t_s for logged in story.events], default=0.0)
    length_s = max(story.end_s - start_s, 1e-9)
    close = {call.t_s for call in story.close_calls}
    parts = [
        f'<span class="round" style="left:{_share(span.start_s - start_s, length_s)}">{escape(span.of)}</span>'
        for span in rounds_of(story)
    ]
    for number, logged in enumerate(story.events, start=1):
        event = logged.event
        style = event.type + (" close" if event.t_s in close else "")
        title = escape(f"{clock_text(event.t_s)} {sentence(event, story.names)}")
        left = _share(event.t_s - start_s, length_s)
        parts.append(f'<a class="{style}" style="left:{left}" href="#step={number}" title="{title}"></a>')
    return f'<div class="timeline">{"".join(parts)}</div>'


def step_of(story: Story, t_s: float) -> int | None:
    """The number of the step in which the table came to be as it was at a moment."""
    numbers = [number for number, logged in enumerate(story.events, start=1) if logged.event.t_s <= t_s]
    return numbers[-1] if numbers else None


def _item(
    number: int, event: Event, state: State | None, story: Story, fields: Battlefields, refers: str, figure: str
) -> str:
    told = f'<span class="time">{clock_text(event.t_s)}</span>{escape(sentence(event, story.names))}'
    calls = [call.record for call in story.close_calls if call.t_s == event.t_s]
    board = ""
    if state is not None:
        board = board_svg(state.scene, fields.look, fields.name(state.scene), pointed_out(event, calls))
    around = f'<p class="soft">round {state.scene.round}</p>' if state and state.scene.round is not None else ""
    close = "".join(f'<li class="closely">{escape(ruling_line(record))}</li>' for record in calls)
    rulings = f"<ul>{close}</ul>" if close else ""
    return (
        f'<li class="step" id="s{number}" data-clock="{clock_text(event.t_s)}"{refers}><h3>{told}</h3>'
        f'<div class="pair"><div>{board}</div><div class="words">{around}{rulings}{figure}</div></div></li>'
    )


def pointed_out(event: Event, calls: Sequence[RulingRecord]) -> Annotations:
    """What a board points out about an event, and about what was close just then."""
    moves: list[tuple[JsonValue, JsonValue]] = [(event.fields.get("from"), event.fields.get("to"))]
    several = event.fields.get("pieces")
    for item in several if isinstance(several, list) else ():
        if isinstance(item, dict):
            moves.append((item.get("from"), item.get("to")))
    ways: list[tuple[Point, Point]] = []
    gone: list[tuple[Point, str]] = []
    for start, end in ((point_of(start), point_of(end)) for start, end in moves):
        if start is not None and end is not None:
            ways.append((start, end))
        elif start is not None:
            gone.append((start, str(event.fields.get("piece", ""))))
    evidence = [mark for record in calls for mark in record_list(record, "evidence")]
    return Annotations(event.pieces(), tuple(ways), tuple(gone), tuple(evidence))


def _picture_of(logged: LoggedEvent, pictures: Mapping[LoggedPicture, str]) -> LoggedPicture | None:
    """The picture nearest in time, of the same state of the table."""
    fitting = [
        (abs(picture.t_s - logged.event.t_s), picture.id, picture)
        for picture in pictures
        if picture.state_id == logged.state_id
    ]
    nearest = min(fitting, default=None)
    return nearest[2] if nearest and nearest[0] <= PICTURE_WITHIN_S else None


def _share(part: float, whole: float) -> str:
    return f"{max(0.0, min(1.0, part / whole)) * 99.5:.2f}%"
