"""Ranged attacks in play: the dice players rolled, scatter, damage, and what texts make of results."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.games.diskwars.abilities import CHAOS_IS_HIT, FLIPS_ON_CHAOS, IGNORES_SCATTER, MISSES_WOUND
from assistant.games.diskwars.field import Field, disc_of, has
from assistant.games.diskwars.play_state import Forced, Game, PlayError, Shot
from assistant.games.diskwars.play_table import dealt, with_token, wound
from assistant.games.diskwars.shooting import attack_reasons, dice_of, scatter_order, struck_in_turn
from assistant.games.diskwars.sights import sight_between
from assistant.games.diskwars.stacks import pins
from assistant.games.diskwars.values import taken, tokens
from assistant.rules.answers import listed
from assistant.rules.measure import gap_mm, overlaps
from assistant.rules.shapes import area_of
from assistant.rules.sight import free_line
from assistant.scene.values import Circle, Piece, RangedAttack, Scene, Terrain

TOWER = RangedAttack("siege", 3, 3)
RESULTS = ("scatter", "hit", "critical", "miss", "chaos")


def dice_now(game: Game, attack: RangedAttack, shooter: Piece, target: Piece) -> int:
    """The battle dice of an attack, with the scenario's text."""
    extra = 1 if game.scenario == "rain-of-arrows" and "missile" in shooter.traits else 0
    return dice_of(game.table, attack, target) + extra


def shot(game: Game, shooter: Piece, fired: Shot) -> tuple[Scene, list[str], Forced | None]:
    """The table after a ranged attack, what happened, and a flip that a text forces."""
    table = game.table
    target = game.scene.piece(fired.target)
    attack = shooter.ranged[fired.attack] if fired.attack < len(shooter.ranged) else None
    sight = sight_between(table, shooter.id, target.id)
    reasons = [
        reason
        for reason in attack_reasons(table, shooter, target, attack, sight)
        if reason not in ("activated", "pinned")
    ]
    if attack is None or reasons:
        raise PlayError(f"{shooter.id} cannot shoot at {target.id}: {listed(reasons)} (DW-87)")
    scene, notes, _ = resolved(game, shooter, target, attack, dice_now(game, attack, shooter, target), fired)
    results, band = fired.results, _band(table, shooter, target)
    if shooter.profile in MISSES_WOUND and results.count("miss") >= 2:
        scene, told = wound(scene, shooter.id, "two misses or more")
        notes += told
    forced = None
    if shooter.profile in FLIPS_ON_CHAOS and "chaos" in results and scene.piece(shooter.id).on_field:
        nearest = nearest_unpinned(Field(scene, game.house), shooter.id)
        forced = Forced(shooter.id, nearest) if nearest is not None else None
    return scene, [f"{shooter.id} shoots at {target.id} at {band} range.", *notes], forced


def resolved(
    game: Game, shooter: Piece, target: Piece, attack: RangedAttack, dice: int, fired: Shot
) -> tuple[Scene, list[str], dict[str, int]]:
    """The table after that many battle dice of an attack, what happened, and the points that went through."""
    results = _read(fired.results, dice, f"{shooter.id} rolls {dice} battle dice at {target.id}")
    strength = _strength(attack, fired, shooter.id)
    hits = _hits(game.table, shooter, target, results, fired)
    return _struck(game.scene, attack, strength, hits, _band(game.table, shooter, target) == "siege", shooter)


def _band(table: Field, shooter: Piece, target: Piece) -> str:
    return table.band(max(0.0, float(table.gaps[table.place(shooter.id), table.place(target.id)])))


def tower_shot(game: Game, tower: Terrain, owner: str, fired: Shot) -> tuple[Scene, list[str]]:
    """The siege attack of a Watchtower in Strongholds, measured from its outline; its high ground sees across all."""
    table, target = game.table, game.scene.piece(fired.target)
    body = Piece(tower.id, Circle(1.0), owner=owner)
    distance = gap_mm(area_of(tower), disc_of(target))
    blockers = [
        area_of(piece)
        for piece in game.scene.terrain
        if "blocks sight" in piece.keywords and piece != tower and not overlaps(disc_of(target), area_of(piece))
    ]
    if "high ground" not in tower.keywords and free_line(area_of(tower), disc_of(target), blockers) is None:
        raise PlayError(f"{tower.id} does not see {target.id} (DW-49)")
    if has(target, f"immune {TOWER.type}") or has(target, "immune ranged"):
        raise PlayError(f"{tower.id} cannot shoot at {target.id}: immune (DW-113)")
    dice = dice_of(table, TOWER, target)
    results = _read(fired.results, dice, f"{tower.id} rolls {dice} battle dice at {target.id}")
    hits = _hits(table, body, target, results, fired)
    scene, notes, _ = _struck(game.scene, TOWER, 3, hits, table.band(distance) == "siege", body)
    return scene, [f"{tower.id} shoots at {target.id} at {table.band(distance)} range.", *notes]


def _read(results: Sequence[str], count: int, what: str) -> list[str]:
    if len(results) != count or any(result not in RESULTS for result in results):
        raise PlayError(f"{what}: expected {count} of {', '.join(RESULTS)}, got {', '.join(results) or 'none'}")
    return list(results)


def _strength(attack: RangedAttack, fired: Shot, shooter: str) -> int:
    if isinstance(attack.strength, int):
        return attack.strength
    if fired.strength is None or not 1 <= fired.strength <= 6:
        raise PlayError(f"{shooter} has a strength of d6: roll it with the attack (DW-92)")
    return fired.strength


def _hits(table: Field, shooter: Piece, target: Piece, results: Sequence[str], fired: Shot) -> list[tuple[str, str]]:
    """Whom each hit or critical hit strikes: first rolls the target, rerolls of scatter the others in turn."""
    order = [] if shooter.profile in IGNORES_SCATTER else scatter_order(table, target)
    struck = struck_in_turn(order, results.count("scatter"))
    rerolled = _read(fired.rerolls, len(struck), f"scatter of {shooter.id} strikes {listed(struck)}")
    pairs = [(target.id, result) for result in results] + list(zip(struck, rerolled, strict=True))
    chaos = "hit" if shooter.profile in CHAOS_IS_HIT else "chaos"
    return [
        (name, chaos if result == "chaos" else result)
        for name, result in pairs
        if (chaos if result == "chaos" else result) in ("hit", "critical")
    ]


def _struck(
    scene: Scene, attack: RangedAttack, strength: int, hits: Sequence[tuple[str, str]], siege: bool, shooter: Piece
) -> tuple[Scene, list[str], dict[str, int]]:
    """All damage at once, one lot a disk (DW-94); critical hits activate (DW-93); at siege range hits do nothing."""
    lots: dict[str, int] = {}
    notes = []
    for name, result in hits:
        if result == "critical" or not siege:
            lots[name] = lots.get(name, 0) + strength
    through = {name: taken(scene.piece(name), points, attack.type, "ranged") for name, points in lots.items()}
    for name in sorted({name for name, result in hits if result == "critical"}):
        if tokens(scene.piece(name), "activation") == 0 and through.get(name, 0) > 0:
            scene = with_token(scene, name, "activation", 1)
            notes.append(f"{name} gets an activation token (DW-93).")
    scene, told = dealt(scene, through, f"shot by {shooter.id}")
    return scene, notes + told, {name: points for name, points in through.items() if points > 0}


def nearest_unpinned(table: Field, identity: str) -> str | None:
    """The nearest disk that a disk is not pinning."""
    here = table.place(identity)
    pinned = {pin.bottom for pin in pins(table) if pin.top == identity}
    others = [
        (max(0.0, float(table.gaps[here, place])), disk.id)
        for place, disk in enumerate(table.disks)
        if disk.id != identity and disk.id not in pinned
    ]
    return min(others)[1] if others else None
