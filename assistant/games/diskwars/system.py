"""Diskwars as one GameSystem: its questions, its rulings, its open readings."""

from __future__ import annotations

from assistant.games.diskwars.armies import check
from assistant.games.diskwars.catalogue import completed
from assistant.games.diskwars.commands import STRATEGIES, ask_commands
from assistant.games.diskwars.course import PLAY
from assistant.games.diskwars.engagements import ask_engagements
from assistant.games.diskwars.field import RULER_MM
from assistant.games.diskwars.melee import TARGETS, ask_melee
from assistant.games.diskwars.moves import SWAMP, ask_move, ask_reach, ask_scout
from assistant.games.diskwars.pinning import ask_pins
from assistant.games.diskwars.ranges import ask_near, ask_range
from assistant.games.diskwars.resolving import ask_cards, ask_damage, ask_magic, ask_points, ask_shot
from assistant.games.diskwars.rulings import rulings
from assistant.games.diskwars.setup import ask_deployment, ask_reinforce, ask_terrain
from assistant.games.diskwars.shooting import COVERS, ask_attack, ask_scatter
from assistant.games.diskwars.sights import HIGH_GROUND, ask_los
from assistant.games.diskwars.stacks import BETWEEN, ask_overlaps
from assistant.games.diskwars.standing import ask_activatable, ask_control, ask_eliminated
from assistant.rules.game import GameSystem, Question

DISKWARS = GameSystem(
    id="diskwars",
    name="Warhammer: Diskwars",
    table_mm=(914.4, 914.4),  # DW-8
    circles_mm=(38.1, 50.8, 76.2),
    ruler_mm=RULER_MM,
    questions=(
        Question("range", "range A B", "the distance from rim to rim and its band", ask_range),
        Question("within", "within A B INCHES", "whether B is within, and completely within, of A", ask_near),
        Question("los", "los A B", "whether A sees B", ask_los),
        Question("overlaps", "overlaps", "the disks and terrain that disks cover", ask_overlaps),
        Question("pins", "pins", "who pins whom", ask_pins),
        Question("engagements", "engagements", "who fights whom, and in which order", ask_engagements),
        Question("activatable", "activatable PLAYER", "the disks a player can activate", ask_activatable),
        Question("control", "control", "who controls which terrain", ask_control),
        Question("attack", "attack A B [N]", "whether A may shoot at B, and with what", ask_attack),
        Question("scatter", "scatter A B N", "whom N scatters strike", ask_scatter),
        Question("move", "move A X Y", "the fewest flips to a place, and what is met there", ask_move),
        Question("reach", "reach A", "every place a disk can move to", ask_reach),
        Question("deployment", "deployment", "faults of deployment", ask_deployment),
        Question("terrain", "terrain", "faults of terrain placement", ask_terrain),
        Question("reinforce", "reinforce A X Y", "whether a disk may reinforce there", ask_reinforce),
        Question("scout", "scout A X Y", "whether a disk may scout there", ask_scout),
        Question("commands", "commands P1=strategy P2=strategy ...", "the order of command cards", ask_commands),
        Question("melee", "melee [I a>b ...]", "damage, wounds and casualties of engagements", ask_melee),
        Question("shot", "shot A B RESULT ...", "what given battle dice do", ask_shot),
        Question("magic", "magic A B", "whether A may use magic on B, and what it does", ask_magic),
        Question("damage", "damage A POINTS TYPE [SOURCE]", "what one lot of damage does", ask_damage),
        Question("points", "points PLAYER casualty=N ...", "victory points by an objective", ask_points),
        Question("cards", "cards P1=CARD ...", "deployment cards along the edges, and the zones they make", ask_cards),
        Question("eliminated", "eliminated", "who is out, and who has won", ask_eliminated),
    ),
    rulings=rulings,
    readings=(BETWEEN, HIGH_GROUND, TARGETS, COVERS, SWAMP),
    token_kinds=("activation", "damage", "wound", "empowerment"),
    zone_mm=RULER_MM["medium"],
    phases=("deployment", "activation", "melee", "end"),
    cards=STRATEGIES,
    play=PLAY,
    army=check,
    completed=completed,
)
