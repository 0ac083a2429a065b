"""Conquest as one GameSystem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.games.conquest.arcs import ask_arc
from assistant.games.conquest.armies import check
from assistant.games.conquest.bookkeeping import ask_morale, ask_status
from assistant.games.conquest.charge_moves import ask_charge_move
from assistant.games.conquest.charging import ask_charge
from assistant.games.conquest.clash import ask_clash
from assistant.games.conquest.course import PLAY
from assistant.games.conquest.course_state import ACTION, REINFORCEMENT, SUPREMACY, VICTORY
from assistant.games.conquest.draw_events import ask_draw
from assistant.games.conquest.duels import ask_duel, ask_escort, ask_heal
from assistant.games.conquest.fights import (
    ask_aura_of_death,
    ask_clash_roll,
    ask_hits,
    ask_impact_roll,
    ask_volley_roll,
    ask_wounds,
)
from assistant.games.conquest.formation import ask_formation
from assistant.games.conquest.garrisons import ask_leave, ask_occupy
from assistant.games.conquest.magic import ask_spell
from assistant.games.conquest.marching import ask_march
from assistant.games.conquest.nerve import WITHDRAWAL, ask_crossing, ask_test
from assistant.games.conquest.objectives import ask_objective
from assistant.games.conquest.reforming import ask_combat_reform, ask_reform, ask_withdraw
from assistant.games.conquest.reinforcements import ask_line, ask_reinforcements
from assistant.games.conquest.rulings import rulings
from assistant.games.conquest.setup import ask_terrain
from assistant.games.conquest.sight import HIDING, ask_los
from assistant.games.conquest.space import ask_separation
from assistant.games.conquest.special import ask_rules
from assistant.games.conquest.volley import HALVING, ask_volley
from assistant.rules.asked import ask_range, ask_within
from assistant.rules.game import GameSystem, House, Question
from assistant.rules.ruling import Ruling
from assistant.scene.values import MM_PER_INCH, Scene


def _range(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    return replace(ask_range(scene, words, house), rule="CQ-1")


def _within(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    return replace(ask_within(scene, words, house), rule="CQ-1")


CONQUEST = GameSystem(
    id="conquest",
    name="Conquest: The Last Argument of Kings",
    table_mm=(72 * MM_PER_INCH, 48 * MM_PER_INCH),
    circles_mm=(),
    rects_mm=((60.0, 60.0), (60.0, 120.0), (100.0, 100.0)),
    ruler_mm={"objective": 3 * MM_PER_INCH, "charge": 11 * MM_PER_INCH, "long": 24 * MM_PER_INCH},
    questions=(
        Question("range", "range A B", "the distance between stands, of regiments by their nearest", _range),
        Question("within", "within A B INCHES", "whether B is within, and completely within, of A", _within),
        Question("los", "los R S", "whether regiment R sees regiment S", ask_los),
        Question("formation", "formation R", "ranks, files and what is wrong with them", ask_formation),
        Question("arc", "arc R S", "the arcs of R in which S lies", ask_arc),
        Question("volley", "volley R S", "clear and obstructed shots, effective range, and the shots", ask_volley),
        Question("clash", "clash R S", "engaged and supporting stands, and their attacks", ask_clash),
        Question("charge", "charge R S", "whether R may charge S, and the roll that reaches", ask_charge),
        Question(
            "separation", "separation", "regiments nearer than an inch to what they must keep off", ask_separation
        ),
        Question("objective", "objective O", "who seizes an objective", ask_objective),
        Question("march", "march R LEG ...", "what a march with wheels costs and whether it is legal", ask_march),
        Question("reform", "reform R FILES FACING", "whether a regiment may take that formation", ask_reform),
        Question(
            "combat-reform",
            "combat-reform R FILES FACING [X Y]",
            "whether a fighting regiment may take that formation",
            ask_combat_reform,
        ),
        Question("withdraw", "withdraw R FACING LEG ...", "whether a regiment may leave a fight", ask_withdraw),
        Question("occupy", "occupy R T", "whether a regiment may enter a garrison", ask_occupy),
        Question("leave", "leave R X Y FILES FACING", "whether a regiment may leave its garrison so", ask_leave),
        Question(
            "reinforcements", "reinforcements PLAYER", "what arrives this round, on which roll", ask_reinforcements
        ),
        Question("line", "line PLAYER CLASS", "how far forward the reinforcement line may be", ask_line),
        Question("morale", "morale R", "the number to roll for morale", ask_morale),
        Question("status", "status R", "whether a regiment is broken or shattered", ask_status),
        Question("volley-roll", "volley-roll R S DICE ...", "a volley from its dice to casualties", ask_volley_roll),
        Question("clash-roll", "clash-roll R S DICE ...", "a clash from its dice to the casualties", ask_clash_roll),
        Question("impact-roll", "impact-roll R S DICE ...", "a charge's impact to casualties", ask_impact_roll),
        Question("hits", "hits R N DICE ...", "automatic hits on a regiment, to the casualties", ask_hits),
        Question("wounds", "wounds R N DICE ...", "who falls of so many wounds", ask_wounds),
        Question("heal", "heal R N", "who heals and who returns", ask_heal),
        Question("charge-move", "charge-move R S ROLL", "where a rolled charge ends", ask_charge_move),
        Question("duel", "duel A B DICE ...", "a duel of two characters", ask_duel),
        Question("escort", "escort A R", "whether a character may join another regiment", ask_escort),
        Question("spell", "spell A R ATTUNEMENT ...", "whether a spell is cast", ask_spell),
        Question("draw", "draw R EVENT ...", "what a draw event does", ask_draw),
        Question("test", "test R WHAT DICE ...", "the dice that an action costs", ask_test),
        Question("crossing", "crossing R T DICE ...", "the dice of terrain that is crossed", ask_crossing),
        Question("aura-of-death", "aura-of-death R", "the hits of enemies that R touches", ask_aura_of_death),
        Question("rules", "rules R", "the special rules of a regiment and what they do", ask_rules),
        Question("terrain", "terrain", "terrain laid out against the rules", ask_terrain),
    ),
    rulings=rulings,
    readings=(HIDING, HALVING, WITHDRAWAL),
    figures=True,
    token_kinds=("wounds", "activated"),
    phases=(REINFORCEMENT, SUPREMACY, ACTION, VICTORY),
    play=PLAY,
    army=check,
)
