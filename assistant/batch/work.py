"""One film watched again, or one log judged again: what a worker does."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from assistant.games import GAMES
from assistant.log.event import Event
from assistant.log.game_log import GameLog
from assistant.log.plain_text import one_line
from assistant.log.replay import recompute
from assistant.rules.game import GameSystem, house_rules
from assistant.rules.record import ruling_to_json
from assistant.rules.ruling import Ruling
from assistant.scene.errors import GameError
from assistant.session import TableSetting, session_for
from assistant.session.referee import Referee
from calibration.errors import InputError
from calibration.lens import read_lens
from vision.camera.source import open_source
from vision.look.pieces import Pieces
from vision.roster.profiles import read_roster

LOG_SUFFIX = ".pinpoint"
FILM_SUFFIXES = (".mp4", ".avi", ".mkv", ".mov", ".webm")
_HASHED = 1 << 20  # bytes from both ends of a source that say whether it is the same


@dataclass(frozen=True, slots=True)
class Job:
    """One source and what it is judged with."""

    source: str
    game: str
    readings: Mapping[str, str] = field(default_factory=dict)

    def key(self) -> str:
        """The same for the same source, content, readings and version: what was done is not done again."""
        with_what = (self.game, sorted(self.readings.items()), _version())
        text = repr((self.source, *with_what, _fingerprint(Path(self.source))))
        return hashlib.sha256(text.encode()).hexdigest()[:24]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a source; `error` says why where nothing did."""

    source: str
    kind: str  # film or log
    events: tuple[Mapping[str, Any], ...] = ()
    close_calls: tuple[Mapping[str, Any], ...] = ()
    differences: tuple[Mapping[str, Any], ...] = ()
    error: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def rejudge(job: Job) -> dict[str, Any]:
    """The outcome of one job as plain values. A broken source is an outcome, never an exception."""
    kind = "log" if job.source.endswith(LOG_SUFFIX) else "film"
    try:
        found = _log(job) if kind == "log" else _film(job)
    except (GameError, InputError, OSError, ValueError) as error:
        found = Outcome(job.source, kind, error=one_line(str(error)) or type(error).__name__)
    return found.to_json()


def _game(name: str) -> GameSystem:
    found = next((game for game in GAMES if game.id == name), None)
    if found is None:
        raise InputError("unknown game", name, f"expected one of {', '.join(game.id for game in GAMES)}")
    return found


def _film(job: Job) -> Outcome:
    path, game = Path(job.source), _game(job.game)
    beside = path.with_suffix(".camera.json") if path.is_file() else path / "camera.json"
    lens = read_lens(beside) if beside.exists() else None
    rosters = [path.with_suffix(".roster.json"), path.parent / "roster.json"]
    roster = next((read_roster(file) for file in rosters if file.exists()), None)
    setting = TableSetting(game, roster=roster, house=job.readings)
    session = session_for(setting, Pieces(roster.sizes_mm(), roster) if roster else Pieces(), lens)
    referee = Referee(session, setting)  # the same that `pinpoint watch` asks, without a log
    events: list[Mapping[str, Any]] = []
    close_calls: list[Mapping[str, Any]] = []
    found, notice = False, ""
    source = open_source(job.source)
    try:
        while (item := source.read()) is not None:
            update = referee.update(item)
            if update is None:
                continue
            moment = update.moment
            found |= moment.view is not None
            notice = moment.notice or notice
            events += [event_row(job.source, event) for event in moment.events]
            if moment.new_state:
                close_calls += _close_rows(job.source, moment.time_s, moment.frame_index, moment.rulings)
    finally:
        source.close()
        referee.close()
    if not found:
        raise InputError("no table", job.source, notice or "no frame shows its corner tokens")
    return Outcome(job.source, "film", tuple(events), tuple(close_calls))


def _log(job: Job) -> Outcome:
    with GameLog(Path(job.source)) as log:
        game = _game(log.settings.game)

        def judge(scene: Any, readings: Mapping[str, str]) -> list[dict[str, Any]]:
            house = house_rules(game, {**readings, **job.readings})
            return [ruling_to_json(ruling) for ruling in game.rulings(scene, house)]

        differences = tuple(
            {"source": job.source, "t": one.t_s, "frame": one.frame, "was": _said(one.was), "now": _said(one.now)}
            for one in recompute(log, judge)
        )
        events = tuple(event_row(job.source, logged.event) for logged in log.events())
        close_calls: list[Mapping[str, Any]] = []
        for state in log.states():
            rulings = game.rulings(state.scene, house_rules(game, {**log.settings.readings, **job.readings}))
            close_calls += _close_rows(job.source, state.t_s, state.frame, rulings)
        return Outcome(job.source, "log", events, tuple(close_calls), differences)


def event_row(source: str, event: Event) -> dict[str, Any]:
    """One event as a row of the table: the fields everybody asks for, the rest as text."""
    fields = event.fields
    start, end = fields.get("from"), fields.get("to")
    return {
        "source": source,
        "t": event.t_s,
        "frame": event.frame,
        "type": event.type,
        "piece": _text(fields.get("piece") or fields.get("top")),
        "other": _text(fields.get("bottom")),
        "from_x": _part(start, 0),
        "from_y": _part(start, 1),
        "to_x": _part(end, 0),
        "to_y": _part(end, 1),
        "distance_mm": _number(fields.get("distance_mm")),
        "flips": _number(fields.get("flips")),
        "allowed": _text(fields.get("allowed")),
        "certainty": _number(fields.get("certainty")),
        "rule": _text(fields.get("rule")),
    }


def _close_rows(source: str, t_s: float, frame: int, rulings: Iterable[Ruling]) -> list[dict[str, Any]]:
    """The rulings that a person should measure by hand, one row each."""
    return [
        {
            "source": source,
            "t": t_s,
            "frame": frame,
            "kind": ruling.kind,
            "pieces": " ".join(ruling.pieces),
            "verdict": ruling.verdict.value,
            "margin_mm": ruling.margin_mm,
            "certainty": ruling.certainty,
            "sentence": ruling.sentence,
            "rule": ruling.rule,
        }
        for ruling in rulings
        if ruling.close_call
    ]


def _said(record: Mapping[str, Any] | None) -> str:
    return "" if record is None else str(record.get("sentence", ""))


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _part(value: object, index: int) -> float | None:
    return _number(value[index]) if isinstance(value, list) and len(value) > index else None


def _version() -> str:
    """Of the program: another one may judge differently."""
    try:
        return metadata.version("pinpoint-referee")
    except metadata.PackageNotFoundError:
        return ""


def _fingerprint(path: Path) -> str:
    """Size and both ends of a file; names and sizes of a folder."""
    if path.is_dir():
        return repr([(file.name, file.stat().st_size) for file in sorted(path.iterdir())])
    try:
        with path.open("rb") as stream:
            head = stream.read(_HASHED)
            size = stream.seek(0, 2)
            stream.seek(max(0, size - _HASHED))
            return f"{size} {hashlib.sha256(head + stream.read()).hexdigest()}"
    except OSError:
        return "unreadable"
