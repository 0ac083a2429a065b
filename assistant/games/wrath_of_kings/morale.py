"""Morale and army building: WK-35 and WK-36."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.games.wrath_of_kings.elements import is_commander, is_leader, rank_of
from assistant.rules.answers import expect_words, listed, player, texts, verdict
from assistant.rules.game import House, QuestionError
from assistant.rules.keywords import has_keyword
from assistant.rules.ledger import losses_known
from assistant.rules.ruling import Ruling
from assistant.scene.values import JsonValue, Piece, Player, Scene

MODELS_A_POINT = 3


@dataclass(frozen=True, slots=True)
class Morale:
    """An army's morale: what it began with and what it has lost."""

    start: int
    lost: int

    @property
    def now(self) -> int:
        """What is left; at a round's end 0 or less loses."""
        return self.start - self.lost


@dataclass(frozen=True, slots=True)
class GameSize:
    """How large an army is: ranks of each type, options, and the leaders' values."""

    leaders: int
    infantry: int
    specialists: int
    options: int
    leadership: int
    commander: int


SIZES = {
    "patrol": GameSize(2, 12, 2, 0, 3, 5),
    "skirmish": GameSize(3, 18, 2, 2, 5, 7),
    "battle": GameSize(5, 24, 4, 4, 7, 9),
}
OPTION_INFANTRY = 3


def army_of(scene: Scene, owner: str) -> list[Piece]:
    """All models of a player, on the table or not."""
    return [piece for piece in scene.pieces if piece.owner == owner]


def morale_of(army: Sequence[Piece], by_motivations: int = 0) -> Morale:
    """A third of the models and the leaders' ranks, less what casualties and motivations took."""
    fallen = [piece for piece in army if "casualty" in piece.state]
    start = len(army) // MODELS_A_POINT + sum(rank_of(piece) for piece in army if is_leader(piece))
    lost = len(fallen) // MODELS_A_POINT + sum(rank_of(piece) for piece in fallen if is_leader(piece))
    return Morale(start, lost + by_motivations)


def morale_now(scene: Scene, who: Player) -> Morale:
    """A player's morale; his `morale_lost` counts what motivations took."""
    taken = who.extra.get("morale_lost", 0)
    if isinstance(taken, bool) or not isinstance(taken, int):
        raise QuestionError(f"expected a whole number for morale_lost of {who.id}, got {taken!r}")
    if not losses_known(scene):
        raise QuestionError(
            f"what {who.id} has lost is not known: give the player `started` (the names of his models),"
            " list casualties with state casualty, or start the game with `pinpoint game`"
        )
    return morale_of(army_of(scene, who.id), taken)


def ask_initiative(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`initiative`: what each player adds to his die; the one alone at the lowest morale adds what he lacks."""
    del house
    expect_words(words, 0, 0, "initiative")
    morale = {who.id: morale_now(scene, who).now for who in scene.players}
    if not morale:
        raise QuestionError("the scene has no players: initiative is rolled between them")
    least, most = min(morale.values()), max(morale.values())
    alone = list(morale.values()).count(least) == 1
    bonus: dict[str, JsonValue] = {
        name: most - least if alone and now == least else 0 for name, now in sorted(morale.items())
    }
    adds = [f"{name} adds {more}" for name, more in bonus.items() if more]
    return Ruling(
        kind="initiative",
        verdict=verdict(bool(adds)),
        sentence=f"Initiative: {adds[0] if adds else 'nobody adds anything'} to the die.",
        rule="WK-26",
        answer={"bonus": bonus},
    )


def ask_morale(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`morale PLAYER`: an army's morale; a player's `morale_lost` counts what motivations took."""
    del house
    expect_words(words, 1, 1, "morale PLAYER")
    who = player(scene, words[0])
    morale = morale_now(scene, who)
    return Ruling(
        kind="morale",
        verdict=verdict(morale.now > 0),
        sentence=f"{who.id} has {morale.now} of {morale.start} morale left.",
        rule="WK-35",
        answer={"start": morale.start, "lost": morale.lost, "now": morale.now, "broken": morale.now <= 0},
    )


def army_faults(army: Sequence[Piece], size: GameSize) -> list[str]:
    """What an army has against the game size: too many ranks of a type, values, a missing commander."""
    ranks = Counter[str]()
    for piece in army:
        for kind in ("leader", "infantry", "specialist"):
            if has_keyword(piece.types, kind):
                ranks[kind] += rank_of(piece)
                break
        else:
            ranks["other"] += 1
    faults = []
    options = -(-max(0, ranks["infantry"] - size.infantry) // OPTION_INFANTRY)
    options += max(0, ranks["specialist"] - size.specialists)
    if ranks["leader"] > size.leaders:
        faults.append(f"{ranks['leader']} ranks of leaders, {size.leaders} allowed")
    if options > size.options:
        faults.append(f"{options} options used, {size.options} allowed")
    if ranks["other"]:
        faults.append(f"{ranks['other']} models that are neither leader nor infantry nor specialist")
    commanders = sum(1 for piece in army if is_commander(piece))
    if commanders != 1:
        faults.append(f"{commanders} commanders, 1 expected")
    for piece in army:
        value = size.commander if is_commander(piece) else size.leadership
        if is_leader(piece) and piece.stats.get("leadership", value) != value:
            faults.append(f"{piece.id} has leadership {piece.stats['leadership']:g}, {value} expected")
    names = Counter(piece.profile for piece in army if has_keyword(piece.types, "character") and piece.profile)
    faults += [f"the character {name} {count} times" for name, count in names.items() if count > 1]
    return sorted(faults)


def ask_army(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    """`army PLAYER SIZE`: whether an army fits a patrol, a skirmish or a battle."""
    del house
    expect_words(words, 2, 2, "army PLAYER SIZE")
    who = player(scene, words[0])
    if words[1] not in SIZES:
        raise QuestionError(f"expected one of {', '.join(SIZES)}, got {words[1]!r}")
    faults = army_faults(army_of(scene, who.id), SIZES[words[1]])
    return Ruling(
        kind="army",
        verdict=verdict(not faults),
        sentence=f"The army of {who.id} fits a {words[1]}."
        if not faults
        else f"The army of {who.id} does not fit a {words[1]}: {listed(faults)}.",
        rule="WK-36",
        answer={"legal": not faults, "violations": texts(faults)},
    )
