"""Questions about given results: shots, magic, damage, points, deployment cards (DW-13 to DW-16, DW-87 to DW-114)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assistant.games.diskwars.abilities import magic_value
from assistant.games.diskwars.field import Field, keyword_value
from assistant.games.diskwars.melee import hurt
from assistant.games.diskwars.play_focus import cast
from assistant.games.diskwars.play_round import points
from assistant.games.diskwars.play_setup import DeploymentCard, card_faults, edge_faults, zones_of
from assistant.games.diskwars.play_shots import resolved
from assistant.games.diskwars.play_state import Game, Magic, Phase, Shot
from assistant.games.diskwars.play_table import health
from assistant.games.diskwars.shooting import ask_attack, dice_of
from assistant.games.diskwars.sights import sight_between, sight_certainty, sight_marks
from assistant.games.diskwars.values import taken, tokens
from assistant.rules.answers import expect_words, listed, measured, number, player, texts, verdict, whole
from assistant.rules.bodies import body, gap_between, scale_sigma
from assistant.rules.chance import all_sure, sure
from assistant.rules.game import Answer, House, QuestionError
from assistant.rules.ledger import PlayError
from assistant.rules.measure import TOUCH_MM
from assistant.rules.ruling import CLOSE_CALL, Area, Line, Meaning, Ruling
from assistant.scene.values import JsonValue, Scene

KINDS = ("physical", "arcane", "true")
SOURCES = ("ranged", "impact")


def _effect(before: Scene, after: Scene, through: Mapping[str, int]) -> Answer:
    """Damage and wounds taken now, casualties, and disks that get an activation token."""
    wounds: dict[str, JsonValue] = {}
    gone, active = [], []
    for piece in before.on_field():
        now = after.piece(piece.id)
        more = tokens(now, "wound") - tokens(piece, "wound")
        if not now.on_field:
            gone.append(piece.id)
        if not now.on_field or more > 0:
            wounds[piece.id] = max(1, more)
        if now.on_field and tokens(now, "activation") > tokens(piece, "activation"):
            active.append(piece.id)
    return {
        "damage": dict(sorted(through.items())),
        "wounds": dict(sorted(wounds.items())),
        "casualties": texts(sorted(gone)),
        "activated": texts(sorted(active)),
    }


def ask_shot(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`shot A B RESULT ... [attack=N] [strength=N] [rerolls=RESULT,...]`: what given battle dice do.

    Where it is too close to call whether the target has cover, the last die counts or does not: two outcomes.
    """
    plain = [word for word in words if "=" not in word]
    named = dict(word.split("=", 1) for word in words if "=" in word)
    if len(plain) < 3:
        raise QuestionError("expected 'shot A B RESULT ... [attack=N] [strength=N] [rerolls=RESULT,...]'")
    which = whole(named.get("attack", "0"), "the attack")
    asked = ask_attack(scene, (plain[0], plain[1], str(which)), house)
    reasons = asked.answer.get("reasons")
    if isinstance(reasons, list) and reasons:
        return _ruling(asked, {"legal": False, "reasons": reasons, "outcomes": []}, asked.sentence)
    field = Field(scene, house)
    shooter, target = (field.disks[field.place(word)] for word in plain[:2])
    options = _dice(field, shooter.id, target.id, which)
    results, most = plain[2:], max(count for count, _ in options)
    if len(results) != most:
        raise QuestionError(f"expected {most} battle dice, got {len(results)}")
    strength = whole(named["strength"], "the strength") if "strength" in named else None
    rerolls = tuple(word for word in named.get("rerolls", "").split(",") if word)
    found: list[Answer] = []
    for count, chance in options:
        rolled = tuple(results[:count])
        fired = Shot(target.id, rolled, which, strength, rerolls[: rolled.count("scatter")])
        try:
            game = Game(scene, house, {}, Phase.RESOLVE)
            after, _, through = resolved(game, shooter, target, shooter.ranged[which], count, fired)
        except PlayError as error:
            raise QuestionError(str(error)) from None
        found.append({"dice": count, "chance": round(chance, 4), **_effect(scene, after, through)})
    best = {key: found[0][key] for key in ("damage", "wounds", "casualties", "activated")}
    damage, gone = found[0]["damage"], found[0]["casualties"]
    told = listed([f"{count} to {name}" for name, count in damage.items()]) if isinstance(damage, dict) else ""
    sentence = f"{shooter.id} shoots at {target.id}; damage: {told}"
    sentence += f"; casualties: {listed([str(name) for name in gone])}." if isinstance(gone, list) and gone else "."
    return _ruling(asked, {"legal": True, "reasons": [], **best, "outcomes": [*found]}, sentence)


def _dice(field: Field, shooter: str, target: str, which: int) -> list[tuple[int, float]]:
    """The battle dice with their chance: one number, or two where the target's cover is too close to call (DW-90)."""
    attack = field.disks[field.place(shooter)].ranged[which]
    dice = dice_of(field, attack, field.disks[field.place(target)])
    cover = all_sure(
        [
            field.terrain_certainty(field.place(target), column)
            for column, piece in enumerate(field.scene.terrain)
            if "cover" in piece.keywords
        ]
    )
    if cover >= CLOSE_CALL or attack.dice == 1:
        return [(dice, 1.0)]
    other = attack.dice - 1 if dice == attack.dice else attack.dice
    return [(dice, cover), (other, 1.0 - cover)]


def _ruling(asked: Ruling, answer: Answer, sentence: str) -> Ruling:
    return Ruling(
        kind="shot",
        verdict=verdict(bool(answer["legal"]), asked.certainty),
        sentence=sentence,
        rule="DW-93",
        pieces=asked.pieces,
        evidence=asked.evidence,
        margin_mm=asked.margin_mm,
        certainty=asked.certainty,
        answer=measured(answer, asked.certainty),
        house=asked.house,
    )


def ask_magic(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`magic A B`: whether A may use its magic on B, and what it does (DW-153)."""
    expect_words(words, 2, 2, "magic A B")
    field = Field(scene, house)
    caster, target = (field.disks[field.place(word)] for word in words)
    gap = gap_between(body(scene, caster.id), body(scene, target.id), scale_sigma(scene))
    limit = field.limit_mm("medium")
    sight = sight_between(field, caster.id, target.id)
    certainty = all_sure(
        [
            sure(gap.chance_within(limit), gap.mm <= limit + TOUCH_MM),
            sight_certainty(field, caster.id, target.id, sight.visible),
        ]
    )
    strength = magic_value(field, caster, keyword_value(caster, "magic"))
    try:
        after, _ = cast(Game(scene, house, {}, Phase.RESOLVE), caster, Magic(target.id))
        why, through = "", {target.id: taken(target, strength, "arcane")}
    except PlayError as error:
        after, why, through = scene, str(error), {}
    told = f"{caster.id} deals {strength} arcane damage to {target.id}." if not why else f"{why}."
    return Ruling(
        kind="shot",
        verdict=verdict(not why, certainty),
        sentence=told,
        rule="DW-153",
        pieces=(caster.id, target.id),
        evidence=(Line(*gap.line, Meaning.MEASURE), *sight_marks(field, caster.id, target.id, sight)),
        margin_mm=abs(gap.mm - limit),
        certainty=certainty,
        answer=measured({"legal": not why, "why": why, **_effect(scene, after, through)}, certainty),
    )


def ask_damage(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`damage A POINTS physical|arcane|true [ranged|impact]`: what one lot of damage does (DW-106 to DW-113)."""
    del house
    expect_words(words, 3, 4, "damage A POINTS physical|arcane|true [ranged|impact]")
    piece, lot = scene.piece(words[0]), whole(words[1], "the points")
    if words[2] not in KINDS or (len(words) == 4 and words[3] not in SOURCES):
        raise QuestionError(f"expected {', '.join(KINDS)}, then {' or '.join(SOURCES)} or nothing")
    if not piece.on_field:
        raise QuestionError(f"{piece.id} is off the field ({', '.join(piece.state)})")
    through = taken(piece, lot, words[2], *words[3:])
    state, wounds = hurt(piece, health(piece), through) if through else (health(piece), 0)
    what = "is a casualty" if state.fallen else "is wounded and stays" if wounds else "stays"
    return Ruling(
        kind="wound",
        verdict=verdict(wounds > 0),
        sentence=f"{piece.id} takes {through} of {lot} points and {what}.",
        rule="DW-107",
        pieces=(piece.id,),
        answer={
            "taken": through,
            "wound": wounds > 0,
            "casualty": state.fallen,
            "damage": 0 if state.fallen else state.damage,
            "wounds": state.wounds,
        },
    )


def ask_points(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`points PLAYER casualty=N hero_casualty=N`: the victory points of a player by his objective (DW-135)."""
    del house
    if len(words) < 2:
        raise QuestionError("expected 'points PLAYER casualty=N hero_casualty=N'")
    who = player(scene, words[0]).id
    pays: dict[str, int] = {}
    for word in words[1:]:
        name, equals, count = word.partition("=")
        if not equals or name not in ("casualty", "hero_casualty"):
            raise QuestionError(f"expected casualty=N or hero_casualty=N, got {word!r}")
        pays[name] = whole(count, name)
    total = points(scene, who, pays)
    lost = sorted(p.id for p in scene.pieces if "casualty" in p.state and p.owner not in (None, who))
    return Ruling(
        kind="points",
        verdict=verdict(total > 0),
        sentence=f"{who} has {total} points for {listed(lost)}.",
        rule="DW-135",
        pieces=tuple(lost),
        answer={"points": total, "casualties": texts(lost)},
    )


def ask_cards(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`cards PLAYER=NAME,START,END,VALUE ...`: deployment cards along the edges, in mm (DW-14, DW-139, DW-140)."""
    del house
    if not words:
        raise QuestionError("expected 'cards PLAYER=NAME,START,END,VALUE ...'")
    cards = [_card(scene, word) for word in words]
    faults = [*edge_faults(scene.players)]
    known = {name for name, _ in faults}
    if known & {card.player for card in cards}:
        raise QuestionError(f"{listed(sorted(known))}: every player needs an edge of his own (DW-10)")
    faults = card_faults(cards, scene.players, scene.table, scene.ruler_mm)
    zones = zones_of(cards, scene.players, scene.table, scene.ruler_mm)
    listing: list[JsonValue] = [{"card": name, "rule": rule} for name, rule in faults]
    shown: list[JsonValue] = [
        {"id": zone.id, "owner": zone.owner, "value": zone.value, "outline": [[x, y] for x, y in zone.outline]}
        for zone in zones
    ]
    told = listed([f"{name} ({rule})" for name, rule in faults])
    return Ruling(
        kind="violation",
        verdict=verdict(bool(faults)),
        sentence=f"Deployment cards laid wrongly: {told}." if faults else f"The cards make {len(zones)} zones.",
        rule="DW-14",
        evidence=tuple(Area(zone.outline, Meaning.REACH, zone.id) for zone in zones),
        answer={"violations": listing, "zones": shown},
    )


def _card(scene: Scene, word: str) -> DeploymentCard:
    owner, equals, rest = word.partition("=")
    parts = rest.split(",")
    if not equals or len(parts) != 4:
        raise QuestionError(f"expected PLAYER=NAME,START,END,VALUE, got {word!r}")
    start, end = number(parts[1], "the start"), number(parts[2], "the end")
    return DeploymentCard(parts[0], player(scene, owner).id, start, end, whole(parts[3], "the value"))
