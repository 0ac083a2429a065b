"""Firefight as one GameSystem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.games.firefight.armies import check
from assistant.games.firefight.bookkeeping import ask_dangerous, ask_quality, ask_rout, ask_wound
from assistant.games.firefight.charging import ask_charge, ask_melee
from assistant.games.firefight.course import PLAY
from assistant.games.firefight.daring import ask_drop, ask_fall, ask_jump, ask_leap, ask_psychic
from assistant.games.firefight.deployment import ZONE, ZONE_IN, ask_ambush, ask_deployment
from assistant.games.firefight.moving import ask_move
from assistant.games.firefight.objectives import ask_objective
from assistant.games.firefight.play_state import ACTIVATIONS, ARRIVALS, MORALE, SETUP
from assistant.games.firefight.rolling import (
    BLAST,
    ask_attacks,
    ask_blocks,
    ask_casualties,
    ask_hits,
    ask_split,
    ask_test,
)
from assistant.games.firefight.rulings import rulings
from assistant.games.firefight.shooting import INDIRECT, ask_los, ask_shoot
from assistant.games.firefight.space import ask_coherency, ask_separation
from assistant.rules.asked import ask_range, ask_within
from assistant.rules.game import GameSystem, House, Question
from assistant.rules.ruling import Ruling
from assistant.scene.values import MM_PER_INCH, Scene


def _range(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    return replace(ask_range(scene, words, house), rule="FF-1")


def _within(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    return replace(ask_within(scene, words, house), rule="FF-1")


FIREFIGHT = GameSystem(
    id="firefight",
    name="Firefight",
    table_mm=(48 * MM_PER_INCH, 48 * MM_PER_INCH),
    circles_mm=(25.0, 28.5, 32.0, 40.0, 50.0),
    ruler_mm={"advance": 6 * MM_PER_INCH, "charge": 12 * MM_PER_INCH, "long": 24 * MM_PER_INCH},
    zone_mm=ZONE_IN * MM_PER_INCH,
    questions=(
        Question("range", "range A B", "the distance from base to base, of units by their nearest models", _range),
        Question("within", "within A B INCHES", "whether B is within, and completely within, of A", _within),
        Question("los", "los A B", "whether A sees B", ask_los),
        Question("coherency", "coherency U", "whether a unit keeps together", ask_coherency),
        Question("separation", "separation", "units nearer than an inch without a charge", ask_separation),
        Question("shoot", "shoot A U", "range, sight and cover of a shot", ask_shoot),
        Question("move", "move A X Y [X Y ...]", "whether a move is an advance, a rush or too far", ask_move),
        Question("charge", "charge U V", "whether a charge reaches base contact", ask_charge),
        Question("melee", "melee U V", "the models that strike", ask_melee),
        Question("objective", "objective O", "who holds a marker at the round's end", ask_objective),
        Question("deployment", "deployment", "models and markers set up against the rules", ask_deployment),
        Question("ambush", "ambush A X Y", "whether a model in reserve may arrive there", ask_ambush),
        Question("psychic", "psychic A U", "sight of a spell, and who may block it", ask_psychic),
        Question("fall", "fall A INCHES", "what a fall does", ask_fall),
        Question("drop", "drop A INCHES", "the dice to drop down", ask_drop),
        Question("leap", "leap A INCHES X Y", "the dice to leap down onto enemies, and on whom", ask_leap),
        Question("jump", "jump A INCHES", "the dice to jump a gap", ask_jump),
        Question("dangerous", "dangerous U", "the dice for standing in dangerous terrain", ask_dangerous),
        Question("quality", "quality U", "the quality a unit tests morale with", ask_quality),
        Question("rout", "rout PLAYER", "whether an army must test for rout", ask_rout),
        Question("attacks", "attacks U V shoot|melee", "the dice a unit rolls, and the score each needs", ask_attacks),
        Question("hits", "hits U V shoot|melee ROLL ...", "the hits of given dice", ask_hits),
        Question(
            "split", "split U A shoot|melee", "who shares attacks around a model, and the dice each gets", ask_split
        ),
        Question("blocks", "blocks U AP ROLL ...", "the wounds that given dice do not block", ask_blocks),
        Question("casualties", "casualties U WOUNDS [DEADLY]", "what wounds do to a unit", ask_casualties),
        Question("test", "test U ROLL", "whether a unit passes a morale test", ask_test),
        Question("wound", "wound A ROLL", "what a wounded model's roll does", ask_wound),
    ),
    rulings=rulings,
    readings=(ZONE, INDIRECT, BLAST),
    figures=True,
    token_kinds=("wounds",),
    phases=(SETUP, ARRIVALS, ACTIVATIONS, MORALE),
    play=PLAY,
    army=check,
)
