"""Deployment, terrain placement and reinforcing: DW-14 to DW-28, DW-81 to DW-86."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.games.diskwars.field import Field, disc_of, enemies, has, under
from assistant.games.diskwars.moves import laid, landing_certainty
from assistant.games.diskwars.standing import controller
from assistant.rules.answers import expect_words, listed, measured, number, texts, verdict
from assistant.rules.chance import all_sure, normal_below, sure
from assistant.rules.game import House
from assistant.rules.measure import TOUCH_MM, gap_mm, overlaps, sticking_out_mm, wholly_within
from assistant.rules.ruling import Area, Mark, Meaning, Ring, Ruling
from assistant.rules.shapes import Disc, area_of, field_outline, polygon
from assistant.scene.values import Circle, JsonValue, Piece, Scene, Terrain, Zone

EDGE_MM = 0.5  # near enough to touch the field's edge
FAULTS = {
    "outside battlefield": "DW-18",
    "near edge": "DW-19",
    "near terrain": "DW-20",
    "outside zone": "DW-21",
    "count": "DW-22",
    "overlaps enemy": "DW-23",
    "enemy zone": "DW-24",
    "hero in reserve": "DW-25",
    "lake": "DW-28",
}


def deployment_zones(scene: Scene) -> tuple[Zone, ...]:
    """The zones disks are deployed and reinforced in."""
    return tuple(zone for zone in scene.zones if zone.kind in (None, "deployment"))


def own_zones(scene: Scene, piece: Piece) -> list[Zone]:
    """The deployment zones of a disk's controller."""
    return [zone for zone in deployment_zones(scene) if zone.owner == piece.owner]


def enemy_zones(scene: Scene, piece: Piece) -> list[Zone]:
    """The deployment zones of everyone else."""
    return [zone for zone in deployment_zones(scene) if zone.owner is not None and zone.owner != piece.owner]


def deployment_violations(field: Field) -> list[tuple[str, str, str]]:
    """(piece or zone, its id, rule), sorted by id and rule."""
    found: set[tuple[str, str, str]] = set()
    for disk in field.disks:
        disc = disc_of(disk)
        if not any(wholly_within(disc, area_of(zone)) for zone in own_zones(field.scene, disk)):
            found.add(("piece", disk.id, "outside zone"))
        if any(overlaps(disc, area_of(zone)) for zone in enemy_zones(field.scene, disk)):
            found.add(("piece", disk.id, "enemy zone"))
        if not has(disk, "flying") and not has(disk, "strider") and field.stands_on(disk.id, "lake"):
            found.add(("piece", disk.id, "lake"))
    for first, second in field.overlapping:
        if enemies(field.disks[field.place(first)], field.disks[field.place(second)]):
            found |= {("piece", first, "overlaps enemy"), ("piece", second, "overlaps enemy")}
    for piece in field.scene.pieces:
        if "hero" in piece.traits and "reserve" in piece.state:
            found.add(("piece", piece.id, "hero in reserve"))
    for zone in deployment_zones(field.scene):
        if zone.value is not None and len(disks_in(field, zone)) != zone.value:
            found.add(("zone", zone.id, "count"))
    return sorted(found, key=lambda entry: (entry[1], entry[2], entry[0]))


def disks_in(field: Field, zone: Zone) -> list[str]:
    """The owner's disks that lie completely inside a zone."""
    return [disk.id for disk in field.disks if disk.owner == zone.owner and wholly_within(disc_of(disk), area_of(zone))]


def deployment_certainty(field: Field) -> float:
    """How sure the list of deployment faults is."""
    certainties = []
    for place, disk in enumerate(field.disks):
        zones = own_zones(field.scene, disk)
        if zones and field.sigmas[place] > 0:
            out = min(sticking_out_mm(disc_of(disk), area_of(zone)) for zone in zones)
            certainties.append(sure(normal_below(0.0, out, float(field.sigmas[place])), out <= TOUCH_MM))
    certainties += [field.overlap_certainty(first, second) for first, second in field.overlapping]
    return all_sure(certainties)


def ask_deployment(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`deployment`: every fault of where the disks were put before the first round."""
    expect_words(words, 0, 0, "deployment")
    field = Field(scene, house)
    faults = deployment_violations(field)
    certainty = deployment_certainty(field)
    entries: list[JsonValue] = [{kind: identity, "rule": rule} for kind, identity, rule in faults]
    return Ruling(
        kind="violation",
        verdict=verdict(bool(faults), certainty),
        sentence=f"Deployment faults: {listed([f'{identity} ({rule})' for _, identity, rule in faults])}."
        if faults
        else "The deployment is valid.",
        rule=FAULTS[faults[0][2]] if faults else "DW-21",
        pieces=tuple(sorted({identity for kind, identity, _ in faults if kind == "piece"})),
        evidence=_fault_marks(field, faults),
        certainty=certainty,
        answer=measured({"violations": entries}, certainty),
    )


def _fault_marks(field: Field, faults: Sequence[tuple[str, str, str]]) -> tuple[Mark, ...]:
    marks: list[Mark] = []
    zones = {zone.id: zone.outline for zone in field.scene.zones}
    ground = {piece.id: piece.outline for piece in field.scene.terrain}
    for kind, identity, rule in faults:
        if kind in ("zone", "terrain"):
            outline = zones[identity] if kind == "zone" else ground[identity]
            marks.append(Area(outline, Meaning.VIOLATION, rule))
        elif identity in field.index:
            disc = field.disc(field.place(identity))
            marks.append(Ring(disc.centre, disc.radius_mm, Meaning.VIOLATION, rule))
    return tuple(marks)


def terrain_violations(field: Field) -> list[tuple[str, str]]:
    """(terrain, rule) for terrain outside the field, near an edge or near another piece, sorted."""
    table = field.scene.table
    border = polygon(field_outline(table.width_mm, table.depth_mm)).exterior
    short = field.limit_mm("short")
    found: set[tuple[str, str]] = set()
    pieces = field.scene.terrain
    for index, piece in enumerate(pieces):
        outside = any(
            not (-TOUCH_MM <= x <= table.width_mm + TOUCH_MM and -TOUCH_MM <= y <= table.depth_mm + TOUCH_MM)
            for x, y in piece.outline
        )
        if outside:
            found.add((piece.id, "outside battlefield"))
        if outside or polygon(area_of(piece)).distance(border) <= short + TOUCH_MM:
            found.add((piece.id, "near edge"))
        for other in pieces[:index]:
            if gap_mm(area_of(piece), area_of(other)) <= short + TOUCH_MM:
                found |= {(piece.id, "near terrain"), (other.id, "near terrain")}
    return sorted(found)


def ask_terrain(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`terrain`: every fault of where the terrain was put."""
    expect_words(words, 0, 0, "terrain")
    field = Field(scene, house)
    faults = terrain_violations(field)
    entries: list[JsonValue] = [{"terrain": identity, "rule": rule} for identity, rule in faults]
    return Ruling(
        kind="violation",
        verdict=verdict(bool(faults)),
        sentence=f"Terrain faults: {listed([f'{identity} ({rule})' for identity, rule in faults])}."
        if faults
        else "The terrain lies as it may.",
        rule=FAULTS[faults[0][1]] if faults else "DW-18",
        evidence=_fault_marks(field, [("terrain", identity, rule) for identity, rule in faults]),
        answer=measured({"violations": entries}, 1.0),
    )


def reinforcement(field: Field, piece: Piece, spot: Disc) -> tuple[str | None, list[str]]:
    """How a disk may reinforce at a spot (zone, windmill, flank), or why it may not."""
    if any(wholly_within(spot, area_of(zone)) for zone in own_zones(field.scene, piece)):
        return "zone", []
    if any(_windmill(field, piece, terrain, spot) for terrain in field.scene.terrain):
        return "windmill", []
    if not has(piece, "flank"):
        return None, ["outside zone"]
    reasons = _flank_reasons(field, piece, spot)
    return (None, reasons) if reasons else ("flank", [])


def _windmill(field: Field, piece: Piece, terrain: Terrain, spot: Disc) -> bool:
    return "windmill" in terrain.keywords and under(spot, terrain) and controller(field, terrain) == piece.owner


def _flank_reasons(field: Field, piece: Piece, spot: Disc) -> list[str]:
    table = field.scene.table
    whole_field = field_outline(table.width_mm, table.depth_mm)
    reasons = []
    if abs(sticking_out_mm(Disc(spot.centre, 0.0), whole_field)) > spot.radius_mm + EDGE_MM:
        reasons.append("not on an edge")
    if sticking_out_mm(spot, whole_field) > EDGE_MM:
        reasons.append("outside battlefield")
    if any(overlaps(spot, area_of(zone)) for zone in enemy_zones(field.scene, piece)):
        reasons.append("enemy zone")
    if any(enemies(piece, field.disks[field.place(name)]) for name in laid(field, piece.id, spot)):
        reasons.append("pins enemy")
    return reasons


def ask_reinforce(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`reinforce A X Y`: whether a disk of the reserve may be put there, and by which right."""
    expect_words(words, 3, 3, "reinforce A X Y")
    field = Field(scene, house)
    piece = scene.piece(words[0])
    spot = disc_of(piece, (number(words[1], "x"), number(words[2], "y")))
    how, reasons = reinforcement(field, piece, spot)
    if "reserve" not in piece.state:
        how, reasons = None, [*reasons, "not in reserve"]
    landed = laid(field, piece.id, spot)
    certainty = landing_certainty(field, piece.id, spot)
    means = Meaning.VIOLATION if reasons else Meaning.FREE
    radius = piece.shape.radius_mm if isinstance(piece.shape, Circle) else 0.0
    return Ruling(
        kind="reinforce",
        verdict=verdict(not reasons, certainty),
        sentence=f"{piece.id} may not reinforce there: {listed(sorted(reasons))}."
        if reasons
        else f"{piece.id} may reinforce there ({how}).",
        rule="DW-84" if how == "flank" else "DW-85" if how == "windmill" else "DW-81",
        pieces=(piece.id,),
        evidence=(Ring(spot.centre, radius, means),),
        certainty=certainty,
        answer=measured(
            {"legal": not reasons, "how": how, "reasons": texts(sorted(reasons)), "pins": texts(landed)}, certainty
        ),
    )


def setup_rulings(field: Field) -> tuple[Ruling, ...]:
    """One ruling for each fault: of terrain at any time, of deployment before the first round."""
    faults = [("terrain", identity, rule) for identity, rule in terrain_violations(field)]
    certainty = 1.0
    if field.scene.round == 0:
        zoned = bool(deployment_zones(field.scene))  # nobody is outside of zones that nobody told of
        faults += [fault for fault in deployment_violations(field) if zoned or fault[2] != "outside zone"]
        certainty = deployment_certainty(field)
    return tuple(_fault_ruling(field, fault, certainty) for fault in faults)


def _fault_ruling(field: Field, fault: tuple[str, str, str], certainty: float) -> Ruling:
    kind, identity, rule = fault
    sure_enough = 1.0 if kind == "terrain" else certainty
    return Ruling(
        kind="violation",
        verdict=verdict(True, sure_enough),
        sentence=f"{identity}: {rule}.",
        rule=FAULTS[rule],
        pieces=(identity,) if kind == "piece" else (),
        evidence=_fault_marks(field, [fault]),
        certainty=sure_enough,
        answer=measured({kind: identity, "rule": rule}, sure_enough),
    )
