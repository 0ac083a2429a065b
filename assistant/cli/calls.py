"""`pinpoint evaluate FOLDER --calls`: every call asked of the detected and of the true scene of Diskwars tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from assistant.cli.call_tally import UNKNOWN_TERRAIN, Call
from assistant.games.diskwars.field import BANDS, Field
from assistant.games.diskwars.ranges import band_certainty
from assistant.games.diskwars.sights import look_along, sights_certainty
from assistant.games.diskwars.stacks import pins
from assistant.rules.asked import judge_within
from assistant.rules.bodies import Body, gap_between, scale_sigma
from assistant.rules.game import GameSystem, ask, house_rules, quoted
from assistant.rules.ruling import CLOSE_CALL, Ruling
from assistant.rules.unknown_terrain import MOST, as_anything, as_bare_ground, chance_of_turning, unknown_pieces
from assistant.scene.values import MM_PER_INCH, Circle, Piece, Scene, Terrain
from vision.report.scoring import MATCH_MM, VISIBLE_FROM

WITHIN_IN = 6  # the distance that `within` is asked for
CLEAR_MM = 3.0  # a call whose truth is this far from its limit should not be abstained from
COVERED = 0.9  # share of what two disks share from which others hide it
SAMPLE_MM = 1.5
NEAR_MM = 40.0  # pairs with a larger gap are not asked whether they overlap
NO_MATCH_MM = 4 * MATCH_MM  # what leaving a disk without match costs: less than a hidden one of another size does
STILL = "a still cannot know"
Places = NDArray[np.intp]


def calls_of(game: GameSystem, seen: Scene, true: Scene) -> list[Call]:
    """Every call of one picture. Wrong are answers that the true scene does not give to the same disks."""
    house = house_rules(game, {})
    names = matched(seen, true)
    fields = Field(seen, house), Field(true, house)
    return [
        *_range_calls(seen, names, fields),
        *_stack_calls(names, fields),
        *_sight_calls(names, fields),
        *_pin_calls(names, fields),
        *_list_calls(game, seen, true, names),
    ]


def matched(seen: Scene, true: Scene) -> dict[str, str]:
    """The true id of every detected disk that is one.

    A hidden disk, or one of another name, is matched only where it takes no other's place.
    """
    ours, theirs = seen.on_field(), true.on_field()
    if not ours or not theirs:
        return {}
    here, there = (np.array([piece.centre for piece in some]) for some in (ours, theirs))
    apart = np.linalg.norm(here[:, None] - there[None], axis=2)
    wider = np.abs(np.array([[_size(a) - _size(b) for b in theirs] for a in ours]))
    hidden = np.array([float(str(piece.extra.get("visible_fraction", 1.0))) < VISIBLE_FROM for piece in theirs])
    other_name = np.array(
        [[None not in (a.profile, b.profile) and a.profile != b.profile for b in theirs] for a in ours]
    )
    cost = apart + wider + 3 * MATCH_MM * hidden + 2 * MATCH_MM * other_name
    cost = np.where(apart <= MATCH_MM, cost, np.inf)
    rows, columns = linear_sum_assignment(np.minimum(cost, NO_MATCH_MM))
    return {ours[i].id: theirs[j].id for i, j in zip(rows, columns, strict=True) if cost[i, j] < NO_MATCH_MM}


def _range_calls(seen: Scene, names: Mapping[str, str], fields: tuple[Field, Field]) -> Iterator[Call]:
    ours, theirs = fields
    scale = scale_sigma(seen)
    bodies = {name: Body.of(name, (seen.piece(name),)) for name in names}
    limits = [theirs.limit_mm(band) for band in BANDS[:3]]
    for a, b in combinations(names, 2):
        gap = gap_between(bodies[a], bodies[b], scale)
        true_gap = _true_gap(theirs, names, a, b)
        cause = _size_cause(fields, names, (a, b)) or "place"
        band = ours.band(gap.mm)
        clear = min(abs(true_gap - limit) for limit in limits) > CLEAR_MM
        right = band == theirs.band(max(0.0, true_gap))
        yield Call("band", band_certainty(ours, gap, band), right, clear, cause)
        limit = WITHIN_IN * MM_PER_INCH
        near, _, certainty = judge_within(bodies[a], bodies[b], gap, limit)
        # The answer also says whether all of B is within: its limit counts like the other.
        whole = true_gap + 2 * theirs.radii[theirs.place(names[b])]
        clear = min(abs(true_gap - limit), abs(whole - limit)) > CLEAR_MM
        yield Call("within", certainty, near == (true_gap <= limit), clear, cause)


def _stack_calls(names: Mapping[str, str], fields: tuple[Field, Field]) -> Iterator[Call]:
    """Overlap of near pairs, and who lies above where two overlap truly."""
    ours, theirs = fields
    true_over = {frozenset(pair) for pair in theirs.overlapping}
    over = {frozenset(pair) for pair in ours.overlapping}
    for a, b in combinations(names, 2):
        gap = _true_gap(theirs, names, a, b)
        if gap >= NEAR_MM:
            continue
        truth = frozenset((names[a], names[b]))
        cause = _size_cause(fields, names, (a, b)) or "place"
        right = (frozenset((a, b)) in over) == (truth in true_over)
        yield Call("overlap", ours.overlap_certainty(a, b), right, abs(gap) > CLEAR_MM, cause)
        pair = next((pair for pair in ((a, b), (b, a)) if pair in ours.order), None)
        if pair is not None and truth in true_over:
            right = (names[pair[0]], names[pair[1]]) in theirs.order
            apart = STILL if _under_a_third(theirs, names[a], names[b]) else ""
            yield Call("above", max(0.5, ours.order[pair]), right, gap < -CLEAR_MM, "order", apart)


def _under_a_third(theirs: Field, first: str, second: str) -> bool:
    """Whether nearly all that two true disks share lies under others: no still shows which of them is the upper one."""
    pair = [theirs.place(first), theirs.place(second)]
    over = [theirs.place(top) for top, bottom in theirs.order if bottom in (first, second)]
    radius = float(theirs.radii[pair[0]])
    across = np.arange(-radius, radius, SAMPLE_MM)
    points = theirs.centres[pair[0]] + np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)
    inside = np.linalg.norm(points[:, None] - theirs.centres[None], axis=2) < theirs.radii[None]
    shared = inside[:, pair].all(axis=1)
    covered = inside[:, [place for place in over if place not in pair]].any(axis=1)
    return bool(covered[shared].mean() > COVERED) if shared.any() else False


def _sight_calls(names: Mapping[str, str], fields: tuple[Field, Field]) -> Iterator[Call]:
    """Line of sight of all pairs; those that turn on terrain of unknown kind are counted apart."""
    ours, theirs = fields
    pairs = list(combinations(names, 2))
    if not pairs:
        return
    here = _places(ours, pairs)
    there = _places(theirs, [(names[a], names[b]) for a, b in pairs])
    unknown = unknown_pieces(ours.scene)
    bare = Field(as_bare_ground(ours.scene, unknown), ours.house)
    visible = look_along(bare, *here)
    certainty = sights_certainty(bare, *here, visible)
    turns, kinds = _on_unknown_kinds(bare, unknown, here, visible)
    true = look_along(theirs, *there)
    clear = (look_along(theirs, *there, CLEAR_MM) == true) & (look_along(theirs, *there, -CLEAR_MM) == true)
    for row in range(len(pairs)):
        stated = min(MOST, max(0.5, certainty[row] * kinds[row])) if turns[row] else certainty[row]
        cause = "terrain not detected" if visible[row] else "terrain"
        apart = UNKNOWN_TERRAIN if turns[row] else ""
        yield Call("sight", float(stated), bool(visible[row] == true[row]), bool(clear[row]), cause, apart)


def _on_unknown_kinds(
    bare: Field, unknown: tuple[Terrain, ...], here: tuple[Places, Places], visible: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Which lines turn on terrain of unknown kind, and the chance that none of the pieces that decide turns them."""
    turns = visible != look_along(Field(as_anything(bare.scene, unknown), bare.house), *here)
    alone = [visible != look_along(Field(as_anything(bare.scene, (piece,)), bare.house), *here) for piece in unknown]
    together = ~np.any(alone, axis=0) if alone else turns  # where no piece decides alone, all of them do
    chance = np.ones(len(visible))
    for piece, decides in zip(unknown, alone, strict=True):
        chance[decides | together] *= 1.0 - chance_of_turning(piece)
    return turns, chance


def _pin_calls(names: Mapping[str, str], fields: tuple[Field, Field]) -> Iterator[Call]:
    ours, theirs = fields
    true_pins = {(pin.top, pin.bottom) for pin in pins(theirs)}
    true_over = {frozenset(pair) for pair in theirs.overlapping}
    for pin in pins(ours):
        top, bottom = names.get(pin.top), names.get(pin.bottom)
        right = (top, bottom) in true_pins
        if top is None or bottom is None:
            cause = "false detection"
        elif (bottom, top) in theirs.order:
            cause = "order"
        elif frozenset((top, bottom)) not in true_over:
            cause = "place"
        else:
            cause = "a disk between them was not detected"
        unknowable = ours.contact.get((pin.top, pin.bottom), 1.0) < CLOSE_CALL  # nobody saw the upper one being laid
        yield Call("pin", pin.certainty, right, True, cause, STILL if unknowable else "")


def _list_calls(game: GameSystem, seen: Scene, true: Scene, names: Mapping[str, str]) -> Iterator[Call]:
    """The lists of the whole table, and each of their items."""
    ours, theirs = (ask(game, scene, "pins") for scene in (seen, true))
    yield _whole("pins", ours, theirs, names)
    ours, theirs = (ask(game, scene, "engagements") for scene in (seen, true))
    yield _whole("engagements", ours, theirs, names)
    true_fights = _fights(theirs, None)
    for fight, certainty in zip(_fights(ours, names), _numbers(ours.answer["certainties"]), strict=True):
        yield Call("engagement", certainty, fight in true_fights, True, "stack", STILL)
    known = {piece.id: piece for piece in true.on_field()}
    for player in true.players:
        ours, theirs = (ask(game, scene, f"activatable {quoted(player.id)}") for scene in (seen, true))
        yield _whole("activatable", ours, theirs, names)
        free, truly_free = (set(_texts(ruling.answer["disks"])) for ruling in (ours, theirs))
        certainties = ours.answer["certainties"]
        for name, stated in certainties.items() if isinstance(certainties, dict) else ():
            cause = _status_cause(seen.piece(name), known.get(names.get(name, "")))
            right = name in names and (name in free) == (names[name] in truly_free)
            yield Call("activation", float(str(stated)), right, True, cause, STILL)


def _status_cause(piece: Piece, true: Piece | None) -> str:
    if true is None:
        return "false detection"
    if piece.owner != true.owner:
        return "owner"
    same = bool(piece.tokens.get("activation")) == bool(true.tokens.get("activation"))
    return "stack" if same else "token"


def _fights(ruling: Ruling, names: Mapping[str, str] | None) -> list[object]:
    """Each engagement as attackers and defenders by their true ids, and its step."""
    entries = ruling.answer["engagements"]
    found: list[object] = []
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict):
            sides = [
                sorted(_true_name(name, names) for name in _texts(entry[side])) for side in ("attackers", "defenders")
            ]
            found.append((tuple(sides[0]), tuple(sides[1]), entry["step"]))
    return found


def _whole(kind: str, ours: Ruling, theirs: Ruling, names: Mapping[str, str]) -> Call:
    right = _renamed(ours, names) == _renamed(theirs, None)
    return Call(kind, ours.certainty, right, True, "whole table", STILL)


def _renamed(ruling: Ruling, names: Mapping[str, str] | None) -> object:
    """The answer without its certainty, ids replaced by the true ones; order of lists does not matter."""

    def plain(value: object) -> object:
        if isinstance(value, str):
            return _true_name(value, names)
        if isinstance(value, list):
            return sorted((plain(part) for part in value), key=repr)
        if isinstance(value, dict):
            return {key: plain(part) for key, part in value.items()}
        return value

    skipped = ("certainty", "close_call", "certainties", "scrum_certainties", "unknown_terrain")
    return {key: plain(value) for key, value in ruling.answer.items() if key not in skipped}


def _true_name(name: str, names: Mapping[str, str] | None) -> str:
    return name if names is None else names.get(name, f"no disk {name}")


def _true_gap(theirs: Field, names: Mapping[str, str], a: str, b: str) -> float:
    return float(theirs.gaps[theirs.place(names[a]), theirs.place(names[b])])


def _size_cause(fields: tuple[Field, Field], names: Mapping[str, str], pair: tuple[str, str]) -> str:
    ours, theirs = fields
    same = all(abs(_size(ours.scene.piece(i)) - _size(theirs.scene.piece(names[i]))) < 1.0 for i in pair)
    return "" if same else "size"


def _places(field: Field, pairs: Iterable[tuple[str, str]]) -> tuple[Places, Places]:
    found = np.array([(field.place(a), field.place(b)) for a, b in pairs], dtype=np.intp)
    return found[:, 0], found[:, 1]


def _numbers(value: object) -> list[float]:
    return [float(str(part)) for part in value] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    return [str(part) for part in value] if isinstance(value, list) else []


def _size(piece: Piece) -> float:
    return piece.shape.diameter_mm if isinstance(piece.shape, Circle) else 0.0
