"""Motivations as far as places and counts decide them: WK-37 to WK-51."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

from assistant.games.wrath_of_kings.areas import reached, sphere_in
from assistant.games.wrath_of_kings.contact import engaged_with
from assistant.games.wrath_of_kings.control import control_of
from assistant.games.wrath_of_kings.elements import is_leader, of_objective
from assistant.games.wrath_of_kings.zones import LETTERS, NO_MANS_LAND, STRIP_MM, place_of, sides, strips, strips_under
from assistant.rules.answers import expect_words, listed, player, texts, verdict
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import contact, piece_body
from assistant.rules.keywords import has_keyword
from assistant.rules.measure import gap_mm, wholly_within
from assistant.rules.ruling import Meaning, Ring, Ruling
from assistant.rules.shapes import marker
from assistant.scene.values import MM_PER_INCH, Circle, JsonValue, Objective, Piece, Scene

APART_MM = 4 * MM_PER_INCH
CENTRED_MM = 2.0  # a marker that far off a line is still meant to lie on it


@dataclass(frozen=True, slots=True)
class Standing:
    """What a motivation says of a scene: morale to score at the round's end, and who may act for it now."""

    scores: tuple[tuple[str, int], ...] = ()
    may: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Motivation:
    """One motivation: its rule, where its objectives go (strip letters, no-mans-land, lines) and what it looks at."""

    rule: str
    place: str
    standing: Callable[[Scene, str], Standing]


def _own(scene: Scene, who: str, *types: str) -> list[Piece]:
    return [p for p in scene.on_field() if p.owner == who and (not types or has_keyword(p.types, *types))]


def _foes(scene: Scene, who: str, *types: str) -> list[Piece]:
    return [p for p in scene.on_field() if p.owner not in (who, None) and (not types or has_keyword(p.types, *types))]


def objectives_of(scene: Scene, who: str) -> list[Objective]:
    """A player's objectives: those that carry him as `owner`, or all when none carries anybody."""
    owned = [objective for objective in scene.objectives if "owner" in objective.extra]
    return [o for o in owned if o.extra["owner"] == who] if owned else list(scene.objectives)


def _held(scene: Scene, who: str) -> list[Objective]:
    return [o for o in objectives_of(scene, who) if control_of(scene, of_objective(o)).player == who]


def _strips_of_enemies(piece: Piece, scene: Scene, who: str) -> set[str]:
    return {letter for name, letter, judged in strips_under(piece, scene) if judged.yes and name != who}


def _objective_strips(objective: Objective, scene: Scene, who: str) -> set[str]:
    base = marker(objective)
    return {
        letter
        for player_, edge in sides(scene)
        for index, letter in enumerate(LETTERS)
        if player_.id != who and gap_mm(base, strips(scene.table, edge, index, index + 1)) == 0.0
    }


def _escort(scene: Scene, who: str) -> Standing:
    home = [o for o in _held(scene, who) if _objective_strips(o, scene, who) & set("ABC")]
    return Standing(scores=tuple((o.id, 2) for o in home))


def _stand_ground(scene: Scene, who: str) -> Standing:
    inside = {
        model.id
        for leader in _foes(scene, who)
        if is_leader(leader)
        for model, near in reached(leader, scene, sphere_in(leader))
        if near.yes and model.owner == who and has_keyword(model.types, "infantry")
    }
    return Standing(may=tuple(sorted(inside)))


def _sever(scene: Scene, who: str) -> Standing:
    fallen = [p for p in scene.pieces if p.owner not in (who, None) and "casualty" in p.state]
    return Standing(scores=tuple((p.id, 2 * p.tokens["marker"]) for p in fallen if p.tokens.get("marker", 0)))


def _interact(*types: str) -> Callable[[Scene, str], Standing]:
    def standing(scene: Scene, who: str) -> Standing:
        held = [of_objective(o).body for o in _held(scene, who)]
        able = [p.id for p in _own(scene, who, *types) if any(contact(piece_body(p), o).yes for o in held)]
        return Standing(may=tuple(sorted(able)))

    return standing


def _unstoppable(scene: Scene, who: str) -> Standing:
    leaders = [p for p in _own(scene, who) if is_leader(p) and _strips_of_enemies(p, scene, who)]
    return Standing(may=tuple(sorted(p.id for p in leaders)))


def _prisoners(scene: Scene, who: str) -> Standing:
    kept = [
        p
        for p in _own(scene, who)
        if p.tokens.get("marker", 0)
        and not engaged_with(p, scene)
        and {letter for name, letter, near in strips_under(p, scene) if near.yes and name == who} & set("ABC")
    ]
    return Standing(scores=tuple((p.id, 2) for p in kept))


def _land_grab(scene: Scene, who: str) -> Standing:
    return Standing(scores=tuple((o.id, 1) for o in _held(scene, who)))


def _loot(scene: Scene, who: str) -> Standing:
    carried = tuple((p.id, p.tokens["marker"]) for p in _own(scene, who, "infantry") if p.tokens.get("marker", 0))
    return Standing(scores=carried, may=_interact("infantry")(scene, who).may)


def _personal_gain(scene: Scene, who: str) -> Standing:
    able = [
        p.id
        for p in _own(scene, who, "leader", "specialist")
        if any(foe.tokens.get("marker", 0) for foe in engaged_with(p, scene))
    ]
    return Standing(may=tuple(sorted(able)))


def _infiltrate(scene: Scene, who: str) -> Standing:
    able = [p for p in _own(scene, who, "infantry") if _strips_of_enemies(p, scene, who) & set("ABC")]
    carried = tuple((p.id, p.tokens["marker"]) for p in _own(scene, who, "infantry") if p.tokens.get("marker", 0))
    return Standing(scores=carried, may=tuple(sorted(p.id for p in able)))


def _no_confidence(scene: Scene, who: str) -> Standing:
    targets = {
        model.id
        for leader in _foes(scene, who)
        if is_leader(leader) and leader.tokens.get("marker", 0)
        for model, near in reached(leader, scene, sphere_in(leader))
        if near.yes and model.owner == leader.owner and has_keyword(model.types, "infantry")
    }
    return Standing(may=tuple(sorted(targets)))


def _glory(scene: Scene, who: str) -> Standing:
    return Standing(may=tuple(sorted(p.id for p in _own(scene, who) if is_leader(p) and p.tokens.get("marker", 0))))


MOTIVATIONS = {
    "call-to-glory": Motivation("WK-37", "", _glory),
    "escort-civilians": Motivation("WK-38", "", _escort),
    "stand-your-ground": Motivation("WK-39", "", _stand_ground),
    "sever-the-head": Motivation("WK-40", "", _sever),
    "burn-it-down": Motivation("WK-41", "D", _interact()),
    "unstoppable-force": Motivation("WK-42", "", _unstoppable),
    "capture-prisoners": Motivation("WK-43", "", _prisoners),
    "land-grab": Motivation("WK-46", "C", _land_grab),
    "loot-and-plunder": Motivation("WK-47", NO_MANS_LAND, _loot),
    "personal-gain": Motivation("WK-48", "", _personal_gain),
    "disrupt-supply-line": Motivation("WK-49", "lines", _interact()),
    "infiltrate": Motivation("WK-50", "", _infiltrate),
    "no-confidence": Motivation("WK-51", "", _no_confidence),
}


def misplaced(scene: Scene, who: str, place: str) -> list[tuple[str, str]]:
    """(objective, rule) of a player's objectives that lie where the motivation does not want them, sorted."""
    found = set()
    own = objectives_of(scene, who) if place else []
    for objective in own:
        if not _in_place(objective, scene, who, place):
            found.add((objective.id, "outside zone"))
        edge = min(objective.x, objective.y, scene.table.width_mm - objective.x, scene.table.depth_mm - objective.y)
        if place != "lines" and edge - marker(objective).radius_mm < APART_MM:
            found.add((objective.id, "near edge"))
    if place and place != "lines":
        for first, second in combinations(own, 2):
            if gap_mm(marker(first), marker(second)) < APART_MM:
                found |= {(first.id, "too close"), (second.id, "too close")}
    return sorted(found)


def _in_place(objective: Objective, scene: Scene, who: str, place: str) -> bool:
    base = marker(objective)
    for enemy, edge in sides(scene):
        if enemy.id == who:
            continue
        if place in LETTERS:
            index = LETTERS.index(place)
            if wholly_within(base, strips(scene.table, edge, index, index + 1)):
                return True
        elif place == "lines":
            away = {
                "north": objective.y,
                "south": scene.table.depth_mm - objective.y,
                "west": objective.x,
                "east": scene.table.width_mm - objective.x,
            }[edge]
            if any(abs(away - line * STRIP_MM) <= CENTRED_MM for line in range(1, len(LETTERS) + 1)):
                return True
    if place == NO_MANS_LAND:
        spot = Piece(objective.id, Circle(objective.circle_mm or 1.0), objective.x, objective.y)
        return place_of(spot, scene).zones == (NO_MANS_LAND,)
    return False


def ask_motivation(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`motivation PLAYER NAME`: what a motivation scores now, who may act for it, and objectives laid wrongly."""
    del house
    expect_words(words, 2, 2, "motivation PLAYER NAME")
    who = player(scene, words[0])
    if words[1] not in MOTIVATIONS:
        raise QuestionError(f"expected one of {', '.join(MOTIVATIONS)}, got {words[1]!r}")
    motivation = MOTIVATIONS[words[1]]
    standing = motivation.standing(scene, who.id)
    wrong = misplaced(scene, who.id, motivation.place)
    total = sum(points for _, points in standing.scores)
    scored: list[JsonValue] = [{"id": name, "morale": points} for name, points in sorted(standing.scores)]
    laid: list[JsonValue] = [{"objective": name, "rule": rule} for name, rule in wrong]
    told = f"{words[1]} of {who.id} takes {total} morale at the round's end"
    return Ruling(
        kind="motivation",
        verdict=verdict(total > 0),
        sentence=f"{told}; may act for it: {listed(standing.may)}.",
        rule=motivation.rule,
        pieces=tuple(name for name, _ in sorted(standing.scores)),
        evidence=tuple(
            Ring((o.x, o.y), marker(o).radius_mm, Meaning.VIOLATION if o.id in {n for n, _ in wrong} else Meaning.NOTE)
            for o in objectives_of(scene, who.id)
            if motivation.place
        ),
        answer={"morale": total, "scores": scored, "may": texts(standing.may), "violations": laid},
    )
