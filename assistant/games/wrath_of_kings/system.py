"""Wrath of Kings as one GameSystem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from assistant.games.wrath_of_kings.activation import SHARING, ask_combined
from assistant.games.wrath_of_kings.areas import ask_aura, ask_soi
from assistant.games.wrath_of_kings.armies import check
from assistant.games.wrath_of_kings.attacks import (
    ask_attack,
    ask_combined_attack,
    ask_inspire,
    ask_training,
    ask_will_check,
)
from assistant.games.wrath_of_kings.charts import LOST_INSPIRING, LOST_RANGED, LOST_SUNDERING
from assistant.games.wrath_of_kings.contact import ask_engaged
from assistant.games.wrath_of_kings.control import ask_control
from assistant.games.wrath_of_kings.course import PLAY
from assistant.games.wrath_of_kings.course_motivations import ESCORT
from assistant.games.wrath_of_kings.course_state import INITIATIVE, TURN
from assistant.games.wrath_of_kings.damage import ask_damage
from assistant.games.wrath_of_kings.forced import ask_force
from assistant.games.wrath_of_kings.morale import ask_army, ask_initiative, ask_morale
from assistant.games.wrath_of_kings.motivations import ask_motivation
from assistant.games.wrath_of_kings.movement import ask_move, ask_sprint
from assistant.games.wrath_of_kings.rulings import rulings
from assistant.games.wrath_of_kings.setup import ask_terrain
from assistant.games.wrath_of_kings.sight import BLOCKING, ask_los
from assistant.games.wrath_of_kings.zones import ask_zone
from assistant.rules.asked import ask_range, ask_within
from assistant.rules.game import GameSystem, House, Question
from assistant.rules.ruling import Ruling
from assistant.scene.values import MM_PER_INCH, Scene


def _range(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    return replace(ask_range(scene, words, house), rule="WK-2")


def _within(scene: Scene, words: Sequence[str], house: House) -> Ruling:
    return replace(ask_within(scene, words, house), rule="WK-3")  # WK-4: of itself always


WRATH_OF_KINGS = GameSystem(
    id="wrath-of-kings",
    name="Wrath of Kings",
    table_mm=(48 * MM_PER_INCH, 48 * MM_PER_INCH),
    circles_mm=(30.0, 40.0, 50.0, 80.0),
    ruler_mm={"objective": MM_PER_INCH, "sphere": 6 * MM_PER_INCH, "commander": 8 * MM_PER_INCH},
    questions=(
        Question("range", "range A B", "the distance from base to base", _range),
        Question("within", "within A B INCHES", "whether B is within, and completely within, of A", _within),
        Question("los", "los A B", "whether A sees B, and what is between them", ask_los),
        Question("engaged", "engaged A", "the enemies A is in contact with", ask_engaged),
        Question("soi", "soi A", "the models in a leader's sphere of influence", ask_soi),
        Question("aura", "aura A INCHES", "the models in an area around A", ask_aura),
        Question("control", "control T", "who controls a terrain piece or an objective", ask_control),
        Question("zone", "zone A", "the strips A stands in, and whether it may deploy there", ask_zone),
        Question("move", "move A X Y [X Y ...]", "what a maneuver costs and whether it is legal", ask_move),
        Question("sprint", "sprint A X Y", "the same for a sprint", ask_sprint),
        Question("combined", "combined L M1 M2 ...", "whether a leader may activate models together", ask_combined),
        Question("morale", "morale PLAYER", "the morale an army has left", ask_morale),
        Question("initiative", "initiative", "what each player adds to his die for the first turn", ask_initiative),
        Question("damage", "damage A HITS", "what so many hits do to a model", ask_damage),
        Question("attack", "attack A ACTION TARGET:DICE ...", "an attack from its dice to the damage", ask_attack),
        Question(
            "combined-attack",
            "combined-attack L B M:ACTION ...",
            "an attack of several models from its dice to the damage",
            ask_combined_attack,
        ),
        Question("will-check", "will-check A N [dice:...]", "how many dice of a will check succeed", ask_will_check),
        Question("inspire", "inspire L M1 M2 ...", "whom a leader inspires in a combined activation", ask_inspire),
        Question("training", "training PLAYER", "what a commander's training gives", ask_training),
        Question("force", "force A INCHES X Y ...", "whether a forced movement is as its cause says", ask_force),
        Question("army", "army PLAYER SIZE", "whether an army fits a patrol, skirmish or battle", ask_army),
        Question("motivation", "motivation PLAYER NAME", "what a motivation scores, and who may act", ask_motivation),
        Question("terrain", "terrain", "terrain laid out against the rules", ask_terrain),
    ),
    rulings=rulings,
    readings=(BLOCKING, SHARING, LOST_RANGED, LOST_SUNDERING, LOST_INSPIRING, ESCORT),
    figures=True,
    token_kinds=("activated", "damage", "marker", "mark"),
    phases=(INITIATIVE, TURN),
    play=PLAY,
    army=check,
)
