"""A game in figures: rounds, moves, flips, pins, casualties, close calls, corrections, time per turn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from assistant.log.clock import clock_text, moment_text
from assistant.log.event import Event
from assistant.log.packing import text_of
from assistant.log.story import Story
from assistant.log.telling import ruling_line


@dataclass(frozen=True, slots=True)
class Span:
    """A round by its number, or a turn by its player, from one moment to another."""

    of: str
    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """How long it took."""
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class PlayerFigures:
    """What one player did and lost."""

    player: str
    moves: int
    flips: int
    casualties: tuple[str, ...]
    turns: tuple[Span, ...]

    @property
    def mean_turn_s(self) -> float | None:
        """How long a turn took on average."""
        return sum(turn.length_s for turn in self.turns) / len(self.turns) if self.turns else None


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a game; `counts` has every type of event."""

    rounds: tuple[Span, ...]
    players: tuple[PlayerFigures, ...]
    counts: Counter[str]
    length_s: float


def summarise(story: Story) -> Summary:
    """Counts a game through."""
    turns = turns_of(story)
    return Summary(
        rounds=rounds_of(story),
        players=tuple(_figures(story, player, turns) for player in story.players()),
        counts=Counter(logged.event.type for logged in story.events),
        length_s=story.end_s - _start_s(story),
    )


def rounds_of(story: Story) -> tuple[Span, ...]:
    """When each round began and ended, as the scenes say; none where they do not."""
    starts: list[tuple[str, float]] = []
    for state in story.states:
        number = state.scene.round
        if number is not None and (not starts or starts[-1][0] != str(number)):
            starts.append((str(number), state.t_s))
    ends = [start for _, start in starts[1:]] + [story.end_s] * bool(starts)
    return tuple(Span(number, start, end) for (number, start), end in zip(starts, ends, strict=True))


def turns_of(story: Story) -> tuple[Span, ...]:
    """A turn is a run of moves by one player; its time begins when the turn before it ended."""
    turns: list[Span] = []
    before_s = _start_s(story)
    for logged in story.events:
        event = logged.event
        player = _mover(event, story)
        if player is None:
            continue
        if turns and turns[-1].of == player:
            turns[-1] = Span(player, turns[-1].start_s, event.t_s)
        else:
            turns.append(Span(player, before_s, event.t_s))
        before_s = event.t_s
    return tuple(turns)


def summary_text(story: Story) -> str:
    """The figures as lines for a terminal."""
    summary = summarise(story)
    head = [story.settings.game, story.settings.started, clock_text(summary.length_s)]
    lines = [" · ".join(part for part in head if part), ""]
    lines += [
        f"round {span.of}: {clock_text(span.start_s)} to {clock_text(span.end_s)} ({clock_text(span.length_s)})"
        for span in summary.rounds
    ] or ["rounds: not on record"]
    lines += ["", *_player_lines(summary), ""]
    counts = summary.counts
    lines.append(f"pins: {counts['pinned']}, {counts['unpinned']} undone")
    for kind in ("token", "engagement", "violation", "bumped", "camera_moved", "camera_lost"):
        if counts[kind]:
            lines.append(f"{kind.replace('_', ' ')}: {counts[kind]}")
    lines.append(f"close calls: {len(story.close_calls)}")
    lines += [f"  {moment_text(call.t_s)}  {ruling_line(call.record)}" for call in story.close_calls]
    corrections = [logged.event for logged in story.events if logged.event.type == "correction"]
    lines.append(f"corrections: {len(corrections)}")
    lines += [f"  {moment_text(event.t_s)}  {correction_text(event)}" for event in corrections]
    return "\n".join(lines) + "\n"


def player_rows(summary: Summary) -> list[tuple[str, ...]]:
    """Rows of figures, each a name and a cell for every player."""
    players = summary.players
    means_s = [figures.mean_turn_s for figures in players]
    longest_s = [max((turn.length_s for turn in figures.turns), default=None) for figures in players]
    return [
        ("moves", *(str(figures.moves) for figures in players)),
        ("flips", *(str(figures.flips) for figures in players)),
        ("casualties", *(str(len(figures.casualties)) for figures in players)),
        ("turns", *(str(len(figures.turns)) for figures in players)),
        ("time per turn", *("–" if mean is None else clock_text(mean) for mean in means_s)),
        ("longest turn", *("–" if most is None else clock_text(most) for most in longest_s)),
    ]


def correction_text(event: Event) -> str:
    """A correction as one line: why, and what is different."""
    changes = event.fields.get("changes")
    told = [
        f"{change.get('path')} {text_of(change.get('before'))} to {text_of(change.get('after'))}"
        for change in (changes if isinstance(changes, list) else ())
        if isinstance(change, dict)
    ]
    return f"{event.fields.get('why', '')}: {'; '.join(told) or 'nothing changed'}"


def _start_s(story: Story) -> float:
    return story.states[0].t_s if story.states else 0.0


def _mover(event: Event, story: Story) -> str | None:
    """Whose move an event is; setting up is no move."""
    piece = event.fields.get("piece")
    if event.type != "moved" and not (event.type == "appeared" and event.t_s > _start_s(story)):
        return None
    return story.owners.get(piece) if isinstance(piece, str) else None


def _figures(story: Story, player: str, turns: tuple[Span, ...]) -> PlayerFigures:
    own = [
        (logged.event, str(logged.event.fields["piece"]))
        for logged in story.events
        if story.owners.get(str(logged.event.fields.get("piece"))) == player
    ]
    flips = [event.fields.get("flips") for event, _ in own if event.type == "moved"]
    return PlayerFigures(
        player=player,
        moves=len(flips),
        flips=sum(count for count in flips if isinstance(count, int)),
        casualties=tuple(piece for event, piece in own if event.type == "removed"),
        turns=tuple(turn for turn in turns if turn.of == player),
    )


def _player_lines(summary: Summary) -> list[str]:
    rows = [("", *(figures.player for figures in summary.players)), *player_rows(summary)]
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
