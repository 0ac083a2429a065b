"""The course of a game as a panel shows it: plain values for the window, the phone page and the command line. No Qt.

`panel_of(course)` gives everything to draw. Everything a person can do is a text to hand back: a need's or a choice's
`tell`, `advance` and `back`; `Referee.tell(text, by=...)` takes them live, `pinpoint game F.pinpoint tell TEXT` in a
recorded log. A need without choices has a `usage` to type by. `panel_to_json` is the same for pages.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assistant.rules.ledger import Need, Note, Option
from assistant.rules.play import ADVANCE, Course
from assistant.scene.values import JsonValue

LAST_NOTES = 12


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """One player: what he has on the table, in reserve and lost, and his score."""

    id: str
    score: int
    on_table: int
    reserve: int
    casualties: int
    started: int
    in_turn: bool


@dataclass(frozen=True, slots=True)
class GamePanel:
    """What a panel shows. `needs` are in order: the first is the one to answer now."""

    round: int
    phase: str
    turn: str | None
    players: tuple[PlayerRow, ...]
    needs: tuple[Need, ...]
    notes: tuple[Note, ...]  # the last consequences, oldest first
    acted: tuple[str, ...]
    over: bool
    winner: str | None
    can_go_back: bool
    words: tuple[tuple[str, str], ...] = field(default=())  # (usage, summary) of all that can be told
    last: str = ""  # the last entry, what `back` takes back


def panel_of(course: Course) -> GamePanel:
    """The panel of a game as it stands."""
    ledger = course.ledger()
    rows = []
    for player in ledger.scene.players:
        own = [piece for piece in ledger.scene.pieces if piece.owner == player.id]
        rows.append(
            PlayerRow(
                player.id,
                ledger.scores.get(player.id, 0),
                sum(1 for piece in own if piece.on_field),
                sum(1 for piece in own if "reserve" in piece.state),
                sum(1 for piece in own if "casualty" in piece.state),
                len(ledger.started.get(player.id, ())),
                ledger.turn == player.id,
            )
        )
    return GamePanel(
        ledger.round,
        ledger.phase,
        ledger.turn,
        tuple(rows),
        course.needs(),
        ledger.notes[-LAST_NOTES:],
        ledger.acted,
        ledger.over,
        ledger.winner,
        len(course.steps) > 1,
        (*((telling.usage, telling.summary) for telling in course.play.tellings), (ADVANCE, "what comes next")),
        course.steps[-1].entry.text,
    )


def need_to_json(need: Need) -> dict[str, JsonValue]:
    """A need with the answers there are."""
    choices: list[JsonValue] = [{"label": choice.label, "tell": choice.tell} for choice in need.choices]
    return {"player": need.player, "what": need.what, "choices": choices, "usage": need.usage}


def option_to_json(option: Option) -> dict[str, JsonValue]:
    """An option with what stands against it."""
    return {
        "action": option.action,
        "may": not option.reasons,
        "reasons": list(option.reasons),
        "usage": option.usage,
    }


def panel_to_json(panel: GamePanel) -> dict[str, JsonValue]:
    """The panel as JSON values."""
    players: list[JsonValue] = [
        {
            "id": row.id,
            "score": row.score,
            "on_table": row.on_table,
            "reserve": row.reserve,
            "casualties": row.casualties,
            "started": row.started,
            "in_turn": row.in_turn,
        }
        for row in panel.players
    ]
    return {
        "round": panel.round,
        "phase": panel.phase,
        "turn": panel.turn,
        "players": players,
        "needs": [need_to_json(need) for need in panel.needs],
        "notes": [{"text": note.text, "rule": note.rule} for note in panel.notes],
        "acted": list(panel.acted),
        "over": panel.over,
        "winner": panel.winner,
        "can_go_back": panel.can_go_back,
        "last": panel.last,
    }


def panel_text(panel: GamePanel) -> str:
    """The panel as lines of text."""
    head = "over" if panel.over else f"round {panel.round}, {panel.phase}"
    if panel.over:
        head += f": {panel.winner} wins" if panel.winner else ": nobody wins"
    elif panel.turn:
        head += f": {panel.turn} to act"
    lines = [head]
    for row in panel.players:
        lines.append(
            f"  {row.id}: score {row.score}, {row.on_table} on the table, {row.reserve} in reserve,"
            f" {row.casualties} lost"
        )
    for need in panel.needs:
        who = f"{need.player}: " if need.player else ""
        picks = "; ".join(f"{choice.label} [{choice.tell}]" for choice in need.choices)
        lines.append(f"  needed: {who}{need.what}" + (f" ({picks})" if picks else "") + _typed(need))
    return "\n".join(lines)


def _typed(need: Need) -> str:
    return f" [{need.usage}]" if need.usage else ""
