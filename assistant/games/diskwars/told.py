"""What players tell of a game of Diskwars, word by word: cards, activations, dice, choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assistant.games.diskwars import play
from assistant.games.diskwars.catalogue import core_set
from assistant.games.diskwars.commands import STRATEGIES
from assistant.games.diskwars.play_moves import flips_to
from assistant.games.diskwars.play_round import ready
from assistant.games.diskwars.play_setup import DeploymentCard, initiative, zones_of
from assistant.games.diskwars.play_state import (
    Act,
    Activate,
    Card,
    Choose,
    EndCard,
    EndScouting,
    Fight,
    Flip,
    Flips,
    Focus,
    Game,
    Magic,
    Part,
    Passed,
    Phase,
    Placed,
    Scout,
    Shot,
    UseAbility,
)
from assistant.rules.answers import expect_words, listed, number, player, whole
from assistant.rules.game import House, QuestionError
from assistant.rules.ledger import PlayError
from assistant.rules.names import did_you_mean
from assistant.rules.tellings import EDGES, Telling
from assistant.scene.values import Point, Scene


@dataclass(frozen=True, slots=True)
class Moved:
    """A move the camera saw of a disk that may still act: the game before it, and the flips."""

    before: Game
    piece: str
    flips: Flips


@dataclass(frozen=True, slots=True)
class Position:
    """A game of Diskwars: in set-up while `game` is None, then in play."""

    scene: Scene
    house: House
    started: Mapping[str, tuple[str, ...]]
    rolls: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # d6 and unspent points
    hands: Mapping[str, tuple[Card, ...]] = field(default_factory=dict)
    cards: tuple[DeploymentCard, ...] = ()
    scenario: str | None = None
    objectives: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    game: Game | None = None
    moved: Moved | None = None


def in_play(position: Position) -> Game:
    """The game in play; in set-up that is an error that says what to do."""
    if position.game is None:
        raise PlayError("the game is being set up: tell `advance` when it is done")
    return position.game


def in_setup(position: Position) -> Position:
    """The position in set-up; in play that is an error."""
    if position.game is not None:
        raise PlayError("the game is in play: this belongs to its set-up")
    return position


def played(position: Position, act: Act) -> Position:
    """The position after an act of the game."""
    return replace(position, game=play.advance(in_play(position), act), moved=None)


# Set-up


def tell_edge(position: Position, words: Sequence[str]) -> Position:
    """`edge PLAYER EDGE` (DW-10)."""
    expect_words(words, 2, 2, "edge PLAYER EDGE")
    who = player(in_setup(position).scene, words[0])
    if words[1] not in EDGES:
        raise QuestionError(f"expected {', '.join(EDGES)}, got {words[1]!r}")
    players = tuple(replace(one, edge=words[1]) if one.id == who.id else one for one in position.scene.players)
    return replace(position, scene=replace(position.scene, players=players))


def tell_initiative(position: Position, words: Sequence[str]) -> Position:
    """`initiative PLAYER ...`: the players from first to last (DW-12)."""
    scene = in_setup(position).scene
    names = [player(scene, word).id for word in words]
    if sorted(names) != sorted(one.id for one in scene.players):
        raise QuestionError(f"expected every player once: {', '.join(one.id for one in scene.players)}")
    players = tuple(replace(one, initiative=names.index(one.id) + 1) for one in scene.players)
    note = f"Initiative: {listed(names)} (DW-12)."
    return replace(position, scene=replace(scene, players=players), notes=(*position.notes, note))


def tell_roll(position: Position, words: Sequence[str]) -> Position:
    """`roll PLAYER D6 [UNSPENT]`: when all have rolled, who hands out the initiative tokens (DW-11)."""
    expect_words(words, 2, 3, "roll PLAYER D6 [UNSPENT]")
    scene = in_setup(position).scene
    who, roll = player(scene, words[0]).id, whole(words[1], "the d6")
    if not 1 <= roll <= 6:
        raise QuestionError(f"expected a d6 of 1 to 6, got {roll}")
    unspent = whole(words[2], "the unspent points") if len(words) == 3 else 0
    rolls = {**position.rolls, who: (roll, unspent)}
    if len(rolls) < len(scene.players):
        return replace(position, rolls=rolls)
    best, again = initiative({n: r for n, (r, _) in rolls.items()}, {n: u for n, (_, u) in rolls.items()})
    if best is None:
        note = f"{listed(again)} are tied and reroll (DW-11)."
        return replace(
            position, rolls={n: pair for n, pair in rolls.items() if n not in again}, notes=(*position.notes, note)
        )
    note = f"{best} rolled highest and decides who is first (DW-11)."
    return replace(position, rolls=rolls, notes=(*position.notes, note))


def tell_hand(position: Position, words: Sequence[str]) -> Position:
    """`hand PLAYER CARD ...`: titles, with `:strategy:N` where the sources lost them (DW-149)."""
    if len(words) < 2:
        raise QuestionError("expected 'hand PLAYER CARD ...', each card as TITLE or TITLE:STRATEGY:N")
    who = player(in_setup(position).scene, words[0]).id
    cards = tuple(_card(word) for word in words[1:])
    titles = [card.id for card in cards]
    twice = sorted({title for title in titles if titles.count(title) > 1})
    if twice:
        raise PlayError(f"{who} holds {listed(twice)} twice (DW-149)")
    return replace(position, hands={**position.hands, who: cards})


def _card(word: str) -> Card:
    title, *more = word.split(":")
    entry = core_set().command(title)
    strategy, activation = entry.strategy, entry.activation
    if len(more) == 2:
        strategy, activation = more[0], whole(more[1], f"the activations of {title}")
    elif more:
        raise QuestionError(f"expected {title}:STRATEGY:N, got {word!r}")
    if strategy is None or activation is None:
        raise QuestionError(f"the sources lost what is on {entry.name}: give it as {entry.id}:STRATEGY:N")
    if strategy not in STRATEGIES:
        raise QuestionError(f"expected a strategy of {', '.join(STRATEGIES)}, got {strategy!r}")
    return Card(entry.id, strategy, activation)


def tell_scenario(position: Position, words: Sequence[str]) -> Position:
    """`scenario NAME`: the card whose ability holds for all (DW-13)."""
    expect_words(words, 1, 1, "scenario NAME")
    return replace(in_setup(position), scenario=_scenario(words[0]))


def tell_objective(position: Position, words: Sequence[str]) -> Position:
    """`objective PLAYER NAME|casualty=N|hero_casualty=N`: what a player scores for (DW-13, DW-135)."""
    if len(words) < 2:
        raise QuestionError("expected 'objective PLAYER NAME' or 'objective PLAYER casualty=1 hero_casualty=5'")
    who = player(in_setup(position).scene, words[0]).id
    pays: dict[str, int] = {}
    for word in words[1:]:
        name, equals, count = word.partition("=")
        if equals:
            if name not in ("casualty", "hero_casualty"):
                raise QuestionError(f"expected casualty=N or hero_casualty=N, got {word!r}")
            pays[name] = whole(count, name)
        else:
            pays |= core_set().scenarios[_scenario(word)].objective
    return replace(position, objectives={**position.objectives, who: pays})


def _scenario(title: str) -> str:
    known = core_set().scenarios
    if title not in known:
        raise QuestionError(f"unknown scenario {title!r}{did_you_mean(title, known)}; there are {', '.join(known)}")
    return title


def tell_card(position: Position, words: Sequence[str]) -> Position:
    """`card PLAYER NAME START_MM END_MM VALUE [KEYWORD ...]`: a deployment card along the edge (DW-14 to DW-16)."""
    if len(words) < 5:
        raise QuestionError("expected 'card PLAYER NAME START_MM END_MM VALUE [KEYWORD ...]'")
    scene = in_setup(position).scene
    who = player(scene, words[0]).id
    start, end = number(words[2], "the start"), number(words[3], "the end")
    card = DeploymentCard(words[1], who, start, end, whole(words[4], "the value"), tuple(words[5:]))
    cards = (*(other for other in position.cards if other.id != card.id), card)
    zones = zones_of(cards, scene.players, scene.table, scene.ruler_mm)
    kept = tuple(zone for zone in scene.zones if zone.kind != "deployment")
    return replace(position, cards=cards, scene=replace(scene, zones=(*kept, *zones)))


# Play


def tell_choose(position: Position, words: Sequence[str]) -> Position:
    """`choose PLAYER CARD` (DW-51)."""
    expect_words(words, 2, 2, "choose PLAYER CARD")
    game = in_play(position)
    who = player(game.scene, words[0]).id
    hand = [card.id for card in game.hands.get(who, ())]
    fits = [title for title in hand if title == words[1]] or [t for t in hand if t.startswith(words[1].lower())]
    return played(position, Choose(who, fits[0] if len(fits) == 1 else words[1]))


def tell_activation(action: str) -> Callable[[Position, Sequence[str]], Position]:
    """`move A X Y …`, `shoot A B …` and so on; a mobile disk does another thing after `then` (DW-64, DW-79)."""

    def tell(position: Position, words: Sequence[str]) -> Position:
        if not words:
            raise QuestionError(f"expected '{action} A ...'")
        first, second = _split_then(words[1:])
        piece = words[0]
        game, before = in_play(position), position.moved
        parts: list[Part] = []
        if before is not None and before.piece == piece and action != "move" and not second:
            game, parts = before.before, [before.flips]
        else:
            before = None
        parts.append(_part(game, piece, action, first))
        if second:
            parts.append(_part(game, piece, second[0], second[1:]))
        return played(replace(position, game=game), Activate(piece, tuple(parts)))

    return tell


def _split_then(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    if "then" not in words:
        return words, ()
    place = list(words).index("then")
    if place + 1 == len(words):
        raise QuestionError("expected an action after 'then'")
    return words[:place], words[place + 1 :]


def _part(game: Game, piece: str, action: str, words: Sequence[str]) -> Part:
    plain = [word for word in words if "=" not in word]
    named = dict(word.split("=", 1) for word in words if "=" in word)
    if action == "move":
        spots = _points(plain, named, ("dangers", "engaging"))
        dice = _dice(named, "dangers"), _dice(named, "engaging")
        if len(spots) == 1 and (way := flips_to(game, piece, spots[0])) is not None:
            return Flips(way.landings, *dice)
        return Flips(spots, *dice)
    if action == "reinforce":
        spots = _points(plain, named, ("dangers", "engaging"))
        if len(spots) != 1:
            raise QuestionError("expected 'reinforce A X Y [dangers=N,…] [engaging=N,…]'")
        return Placed(spots[0], _dice(named, "dangers"), _dice(named, "engaging"))
    if action == "shoot":
        _only(named, ("attack", "strength", "rerolls"))
        if not plain:
            raise QuestionError("expected 'shoot A B RESULT … [attack=N] [strength=N] [rerolls=RESULT,…]'")
        attack = whole(named.get("attack", "0"), "the attack")
        strength = whole(named["strength"], "the strength") if "strength" in named else None
        rerolls = tuple(word for word in named.get("rerolls", "").split(",") if word)
        return Shot(plain[0], tuple(plain[1:]), attack, strength, rerolls)
    if action == "magic":
        expect_words(plain, 1, 1, "magic A B")
        return Magic(plain[0])
    if action == "focus":
        _only(named, ("at",))
        spot = named["at"].split(",") if "at" in named else []
        placed = Placed(_points(spot, {}, ())[0]) if spot else None
        return Focus(tuple(plain), placed)
    if action == "pass":
        expect_words(plain, 0, 0, "pass A")
        return Passed()
    raise QuestionError(f"unknown action {action!r}: expected move, shoot, magic, focus, reinforce or pass")


def _only(named: Mapping[str, str], known: Sequence[str]) -> None:
    for name in named:
        if name not in known:
            raise QuestionError(f"unknown {name}=: expected {', '.join(f'{word}=' for word in known)}")


def _points(words: Sequence[str], named: Mapping[str, str], known: Sequence[str]) -> tuple[Point, ...]:
    _only(named, known)
    if not words or len(words) % 2:
        raise QuestionError("expected X Y for each place")
    values = [number(word, "a place") for word in words]
    return tuple(zip(values[::2], values[1::2], strict=True))


def _dice(named: Mapping[str, str], name: str) -> tuple[int, ...]:
    return tuple(whole(word, name) for word in named.get(name, "").split(",") if word)


def tell_ability(position: Position, words: Sequence[str]) -> Position:
    """`ability A B [a>b ...]`: the battle ability of the card being resolved (DW-62)."""
    if len(words) < 2:
        raise QuestionError("expected 'ability A B [a>b ...]'")
    return played(position, UseAbility(words[0], words[1], _choices(words[2:])))


def tell_scout(position: Position, words: Sequence[str]) -> Position:
    """`scout A X Y ... [dangers=N,...]` (DW-29)."""
    if not words:
        raise QuestionError("expected 'scout A X Y ...'")
    part = _part(in_play(position), words[0], "move", words[1:])
    if not isinstance(part, Flips):
        raise QuestionError("expected 'scout A X Y ...'")
    return played(position, Scout(words[0], part.landings, part.dangers))


def tell_flip(position: Position, words: Sequence[str]) -> Position:
    """`flip X Y`: the flip that a text forces."""
    expect_words(words, 2, 2, "flip X Y")
    return played(position, Flip((number(words[0], "x"), number(words[1], "y"))))


def tell_fight(position: Position, words: Sequence[str]) -> Position:
    """`fight I a>b ...`: the engagement the first player picks, and whom disks strike (DW-118, DW-119)."""
    if not words:
        raise QuestionError("expected 'fight I a>b ...'")
    return played(position, Fight(whole(words[0], "the engagement"), _choices(words[1:])))


def _choices(words: Sequence[str]) -> dict[str, str]:
    for word in words:
        if word.count(">") != 1:
            raise QuestionError(f"expected a>b (who strikes whom), got {word!r}")
    return {word.split(">")[0]: word.split(">")[1] for word in words}


def end_of(game: Game) -> Act:
    """The act that ends the step the game is in."""
    if game.phase is Phase.OVER:
        raise PlayError("the game is over")
    if game.phase is Phase.SCOUT:
        return EndScouting()
    if game.phase is Phase.RESOLVE:
        return EndCard()
    if game.phase is Phase.MELEE:
        return Fight(ready(game)[0])
    waiting = [need.player for need in play.needs(game)]
    raise PlayError(f"{listed(waiting)} must choose a command card (DW-51)")


_ACTS = (
    ("move", "move A X Y [X Y ...]", "an activated disk flips there; then= a second action of a mobile one"),
    ("shoot", "shoot A B RESULT ...", "a ranged attack with its dice: scatter, hit, critical, miss, chaos"),
    ("magic", "magic A B", "the magic of a disk"),
    ("focus", "focus A B ...", "a disk's own focus ability"),
    ("reinforce", "reinforce A X Y", "a disk comes from the reserve"),
    ("pass", "pass A", "an activated disk does nothing"),
)

TELLINGS: tuple[Telling[Position], ...] = (
    Telling("edge", "edge PLAYER EDGE", "set-up: who sits where", tell_edge),
    Telling("roll", "roll PLAYER D6 [UNSPENT]", "set-up: the roll for initiative", tell_roll),
    Telling("initiative", "initiative PLAYER PLAYER ...", "set-up: the players from first to last", tell_initiative),
    Telling("hand", "hand PLAYER CARD ...", "set-up: a player's command cards", tell_hand),
    Telling("scenario", "scenario NAME", "set-up: whose ability holds for all", tell_scenario),
    Telling("objective", "objective PLAYER NAME", "set-up: what a player scores for", tell_objective),
    Telling("card", "card PLAYER NAME START END VALUE ...", "set-up: a deployment card along an edge", tell_card),
    Telling("choose", "choose PLAYER CARD", "a player's command card", tell_choose),
    *(Telling(word, usage, summary, tell_activation(word)) for word, usage, summary in _ACTS),
    Telling("ability", "ability A B [a>b ...]", "the battle ability of the card being resolved", tell_ability),
    Telling("scout", "scout A X Y [X Y ...]", "a free move before the first round", tell_scout),
    Telling("flip", "flip X Y", "the flip a text forces on a disk", tell_flip),
    Telling("fight", "fight I a>b ...", "the engagement to fight now, and who strikes whom", tell_fight),
)
