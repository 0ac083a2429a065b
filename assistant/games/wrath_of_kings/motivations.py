"""Motivations as far as places and counts decide them: WK-37 to WK-51."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from assistant.games.wrath_of_kings.areas import reached, sphere_in
from assistant.games.wrath_of_kings.contact import contacts
from assistant.games.wrath_of_kings.control import control_of
from assistant.games.wrath_of_kings.elements import is_leader, of_objective, rank_of
from assistant.games.wrath_of_kings.zones import LETTERS, NO_MANS_LAND, STRIP_MM, place_of, sides, strips, strips_under
from assistant.rules.answers import expect_words, listed, measured, player, texts, verdict
from assistant.rules.chance import jointly_sure
from assistant.rules.checks import held_sure
from assistant.rules.game import House, QuestionError
from assistant.rules.judged import Judged, contact, piece_body, together
from assistant.rules.keywords import has_keyword
from assistant.rules.measure import TOUCH_MM, gap_mm, wholly_within
from assistant.rules.ruling import Meaning, Ring, Ruling
from assistant.rules.shapes import marker
from assistant.scene.values import MM_PER_INCH, Circle, JsonValue, Objective, Piece, Player, Scene

APART_MM = 4 * MM_PER_INCH
LINES = "lines"
CENTRED_MM = 2.0  # a marker that far off a line is still meant to lie on it


@dataclass(frozen=True, slots=True)
class Standing:
    """What a motivation says of a scene: morale to score now or at the round's end, and who may act for it now.

    `carried` scores when the model that carries the markers next activates, not before.
    """

    scores: tuple[tuple[str, int], ...] = ()
    carried: tuple[tuple[str, int], ...] = ()
    may: tuple[str, ...] = ()
    certainty: float = 1.0


@dataclass(frozen=True, slots=True)
class Motivation:
    """One motivation: its rule, where its objectives go (strip letters, no-mans-land, lines) and what it looks at."""

    rule: str
    place: str
    standing: Callable[[Scene, str], Standing]
    pool: int = 0  # markers in its pool at the start, for each rank of own leaders; 0: it has none
    marks: str = ""  # whose models carry markers from the start: own or enemy


def marks_on(piece: Piece) -> int:
    """The markers that the enemy's motivation put on a model: `mark`, or `marker` where both sides use one kind."""
    return piece.tokens.get("mark", 0) or piece.tokens.get("marker", 0)


def _own(scene: Scene, who: str, *types: str) -> list[Piece]:
    return [p for p in scene.on_field() if p.owner == who and (not types or has_keyword(p.types, *types))]


def _foes(scene: Scene, who: str, *types: str) -> list[Piece]:
    return [p for p in scene.on_field() if p.owner not in (who, None) and (not types or has_keyword(p.types, *types))]


def objectives_of(scene: Scene, who: str) -> list[Objective]:
    """A player's objectives: those that carry him as `owner`, or all when none carries anybody."""
    owned = [objective for objective in scene.objectives if "owner" in objective.extra]
    return [o for o in owned if o.extra["owner"] == who] if owned else list(scene.objectives)


def _held(scene: Scene, who: str) -> tuple[list[Objective], float]:
    """The objectives of a player that he controls, and how sure that is."""
    own = [(o, control_of(scene, of_objective(o))) for o in objectives_of(scene, who)]
    return [o for o, found in own if found.player == who], jointly_sure([found.certainty for _, found in own])


def strips_of(piece: Piece, scene: Scene, mine: Callable[[str], bool]) -> tuple[set[str], list[Judged]]:
    """The letters of the strips under a model, of those players that are meant, and what that rests on."""
    under = [(letter, judged) for name, letter, judged in strips_under(piece, scene) if mine(name)]
    return {letter for letter, judged in under if judged.yes}, [judged for _, judged in under]


def objective_strips(objective: Objective, scene: Scene, who: str) -> set[str]:
    """The letters of the enemy's strips under an objective."""
    base = marker(objective)
    return {
        letter
        for player_, edge in sides(scene)
        for index, letter in enumerate(LETTERS)
        if player_.id != who and gap_mm(base, strips(scene.table, edge, index, index + 1)) == 0.0
    }


def _escort(scene: Scene, who: str) -> Standing:
    held, certainty = _held(scene, who)
    home = [o for o in held if objective_strips(o, scene, who) & set("ABC")]
    return Standing(scores=tuple((o.id, 2) for o in home), certainty=certainty)


def _near_leaders(scene: Scene, who: str, leaders: list[Piece], own: bool) -> Standing:
    """The infantry of a player, or of his enemies, in the spheres of some leaders."""
    near = [
        (model, judged)
        for leader in leaders
        for model, judged in reached(leader, scene, sphere_in(leader))
        if has_keyword(model.types, "infantry") and (model.owner == (who if own else leader.owner))
    ]
    inside = {model.id for model, judged in near if judged.yes}
    return Standing(may=tuple(sorted(inside)), certainty=together(judged for _, judged in near))


def _stand_ground(scene: Scene, who: str) -> Standing:
    near = _near_leaders(scene, who, [foe for foe in _foes(scene, who) if is_leader(foe)], own=True)
    return replace(near, carried=_carried(scene, who, 1, "infantry"))


def _no_confidence(scene: Scene, who: str) -> Standing:
    marked = [foe for foe in _foes(scene, who) if is_leader(foe) and marks_on(foe)]
    return _near_leaders(scene, who, marked, own=False)


def _fallen(scene: Scene, who: str) -> list[Piece]:
    """The enemies that were killed with a marker on them."""
    enemies = [p for p in scene.pieces if p.owner not in (who, None)]
    return [p for p in enemies if "casualty" in p.state and marks_on(p)]


def _sever(scene: Scene, who: str) -> Standing:
    return Standing(scores=tuple((p.id, 2 * marks_on(p)) for p in _fallen(scene, who)))


def _assassinate(scene: Scene, who: str) -> Standing:
    return Standing(scores=tuple((p.id, 2 * rank_of(p)) for p in _fallen(scene, who) if is_leader(p)))


def _interact(*types: str) -> Callable[[Scene, str], Standing]:
    def standing(scene: Scene, who: str) -> Standing:
        held, certainty = _held(scene, who)
        bodies = [of_objective(o).body for o in held]
        touches = {p.id: [contact(piece_body(p), o) for o in bodies] for p in _own(scene, who, *types)}
        able = [name for name, touch in touches.items() if any(judged.yes for judged in touch)]
        sure = together(judged for touch in touches.values() for judged in touch)
        return Standing(may=tuple(sorted(able)), certainty=jointly_sure([certainty, sure]))

    return standing


def _unstoppable(scene: Scene, who: str) -> Standing:
    found = [(p, *strips_of(p, scene, lambda name: name != who)) for p in _own(scene, who) if is_leader(p)]
    certainty = jointly_sure([held_sure(judged, any) for _, _, judged in found])
    return Standing(may=tuple(sorted(p.id for p, letters, _ in found if letters)), certainty=certainty)


def _prisoners(scene: Scene, who: str) -> Standing:
    kept, sure = _captors(scene, who)
    return Standing(scores=tuple((p.id, 2) for p in kept), certainty=together(sure))


def prisoners_kept(scene: Scene, who: str) -> list[Piece]:
    """The models with a marker that are unengaged in their own A, B or C (WK-43)."""
    return _captors(scene, who)[0]


def _captors(scene: Scene, who: str) -> tuple[list[Piece], list[Judged]]:
    kept, sure = [], list[Judged]()
    for captor in (p for p in _own(scene, who) if p.tokens.get("marker", 0)):
        letters, judged = strips_of(captor, scene, lambda name: name == who)
        touching = contacts(captor, scene)
        sure += [*judged, *(met for _, met in touching)]
        if letters & set("ABC") and not any(met.yes for _, met in touching):
            kept.append(captor)
    return kept, sure


def _land_grab(scene: Scene, who: str) -> Standing:
    held, certainty = _held(scene, who)
    return Standing(scores=tuple((o.id, 1) for o in held), certainty=certainty)


def _carried(scene: Scene, who: str, worth: int, *types: str) -> tuple[tuple[str, int], ...]:
    """What the markers that a player's models carry are worth."""
    return tuple((p.id, worth * p.tokens["marker"]) for p in _own(scene, who, *types) if p.tokens.get("marker", 0))


def _loot(scene: Scene, who: str) -> Standing:
    return replace(_interact("infantry")(scene, who), scores=_carried(scene, who, 1, "infantry"))


def _intel(scene: Scene, who: str) -> Standing:
    return Standing(carried=_carried(scene, who, 2))


def _personal_gain(scene: Scene, who: str) -> Standing:
    touching = {p.id: contacts(p, scene) for p in _own(scene, who, "leader", "specialist")}
    able = [name for name, met in touching.items() if any(judged.yes and marks_on(foe) for foe, judged in met)]
    sure = together(judged for met in touching.values() for foe, judged in met if marks_on(foe))
    return Standing(may=tuple(sorted(able)), certainty=sure)


def _infiltrate(scene: Scene, who: str) -> Standing:
    found = [(p, *strips_of(p, scene, lambda name: name != who)) for p in _own(scene, who, "infantry")]
    able = tuple(sorted(p.id for p, letters, _ in found if letters & set("ABC")))
    certainty = together(each for _, _, judged in found for each in judged)
    return Standing((), _carried(scene, who, 1, "infantry"), able, certainty)


def _glory(scene: Scene, who: str) -> Standing:
    return Standing(may=tuple(sorted(p.id for p in _own(scene, who) if is_leader(p) and p.tokens.get("marker", 0))))


MOTIVATIONS = {
    "call-to-glory": Motivation("WK-37", "", _glory, marks="own leaders, their rank each"),
    "escort-civilians": Motivation("WK-38", "", _escort),
    "stand-your-ground": Motivation("WK-39", "", _stand_ground, pool=2),
    "sever-the-head": Motivation("WK-40", "", _sever, marks="enemy leaders and specialists, R in all, up to rank each"),
    "burn-it-down": Motivation("WK-41", "D", _interact()),
    "unstoppable-force": Motivation("WK-42", "", _unstoppable, pool=1),
    "capture-prisoners": Motivation("WK-43", "", _prisoners, pool=1),
    "assassinate": Motivation("WK-44", "", _assassinate),
    "steal-intel": Motivation("WK-45", "", _intel, pool=1),
    "land-grab": Motivation("WK-46", "C", _land_grab, pool=2),
    "loot-and-plunder": Motivation("WK-47", NO_MANS_LAND, _loot, pool=2),
    "personal-gain": Motivation("WK-48", "", _personal_gain, marks="enemy infantry, 2R in all, one each"),
    "disrupt-supply-line": Motivation("WK-49", LINES, _interact()),
    "infiltrate": Motivation("WK-50", "", _infiltrate, pool=2),
    "no-confidence": Motivation("WK-51", "", _no_confidence, marks="enemy leaders, twice their rank each"),
}


def leader_ranks(scene: Scene, who: str) -> int:
    """R of the motivations: the total ranks of a player's leaders, the fallen included."""
    return sum(rank_of(piece) for piece in scene.pieces if piece.owner == who and is_leader(piece))


def pool_left(scene: Scene, who: Player, motivation: Motivation) -> int | None:
    """The markers left in a player's pool: as told in his `pool`, else all that his models do not carry."""
    if not motivation.pool:
        return None
    told = who.extra.get("pool")
    if isinstance(told, int) and not isinstance(told, bool):
        return told
    carried = sum(piece.tokens.get("marker", 0) for piece in _own(scene, who.id))
    return max(0, motivation.pool * leader_ranks(scene, who.id) - carried)


def misplaced(scene: Scene, who: str, place: str) -> list[tuple[str, str]]:
    """(objective, rule) of a player's objectives that lie where the motivation does not want them, sorted."""
    found = set()
    own = objectives_of(scene, who) if place else []
    for objective in own:
        if not _in_place(objective, scene, who, place):
            found.add((objective.id, "outside zone"))
        edge = min(objective.x, objective.y, scene.table.width_mm - objective.x, scene.table.depth_mm - objective.y)
        # Exactly four inches is within four inches (WK-3).
        if place != LINES and edge - marker(objective).radius_mm <= APART_MM + TOUCH_MM:
            found.add((objective.id, "near edge"))
    if place and place != LINES:
        for first, second in combinations(own, 2):
            if gap_mm(marker(first), marker(second)) <= APART_MM + TOUCH_MM:
                found |= {(first.id, "too close"), (second.id, "too close")}
    if place == LINES and (scene.round or 0) <= 1:  # later, objectives are gone that were there
        found |= _spread_wrongly(own, scene, who)
    return sorted(found)


def _spread_wrongly(own: Sequence[Objective], scene: Scene, who: str) -> set[tuple[str, str]]:
    """Objectives that break the order of Disrupt Supply Line: one on each line, from No Man's Land backwards.

    A line gets a second one when all four have one (WK-49).
    """
    lines: dict[int, list[str]] = {line: [] for line in range(1, len(LETTERS) + 1)}
    for objective in own:
        for line in _lines_under(objective, scene, who):
            lines[line].append(objective.id)
    found = set[tuple[str, str]]()
    least = min(len(names) for names in lines.values())
    for line, names in lines.items():
        ahead = [len(lines[nearer]) for nearer in range(line + 1, len(LETTERS) + 1)]
        if names and ahead and min(ahead) < len(names):
            found |= {(name, "out of order") for name in names}
        if len(names) > least + 1 or len(names) > 2:
            found |= {(name, "line full") for name in names}
    return found


def _lines_under(objective: Objective, scene: Scene, who: str) -> list[int]:
    """The lines between the enemy's strips that an objective is centred on: 1 between A and B, 4 at No Man's Land."""
    found = []
    for enemy, edge in sides(scene):
        away = {
            "north": objective.y,
            "south": scene.table.depth_mm - objective.y,
            "west": objective.x,
            "east": scene.table.width_mm - objective.x,
        }[edge]
        if enemy.id != who:
            found += [n for n in range(1, len(LETTERS) + 1) if abs(away - n * STRIP_MM) <= CENTRED_MM]
    return found


def _in_place(objective: Objective, scene: Scene, who: str, place: str) -> bool:
    base = marker(objective)
    for enemy, edge in sides(scene):
        if enemy.id == who:
            continue
        if place in LETTERS:
            index = LETTERS.index(place)
            if wholly_within(base, strips(scene.table, edge, index, index + 1)):
                return True
    if place == LINES:
        return bool(_lines_under(objective, scene, who))
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
    later: list[JsonValue] = [{"id": name, "morale": points} for name, points in sorted(standing.carried)]
    laid: list[JsonValue] = [{"objective": name, "rule": rule} for name, rule in wrong]
    told = f"{words[1]} of {who.id} takes {total} morale at the round's end"
    if standing.carried:
        names = listed([name for name, _ in sorted(standing.carried)])
        told += f", and {sum(points for _, points in standing.carried)} when {names} next activate"
    return Ruling(
        kind="motivation",
        verdict=verdict(total > 0, standing.certainty),
        sentence=f"{told}; may act for it: {listed(standing.may)}.",
        rule=motivation.rule,
        pieces=tuple(name for name, _ in sorted(standing.scores)),
        evidence=tuple(
            Ring((o.x, o.y), marker(o).radius_mm, Meaning.VIOLATION if o.id in {n for n, _ in wrong} else Meaning.NOTE)
            for o in objectives_of(scene, who.id)
            if motivation.place
        ),
        certainty=standing.certainty,
        answer=measured(
            {
                "morale": total,
                "scores": scored,
                "next_activation": later,
                "may": texts(standing.may),
                "violations": laid,
                "ranks": leader_ranks(scene, who.id),
                "pool": pool_left(scene, who, motivation),
                "marks": motivation.marks,
            },
            standing.certainty,
        ),
    )
