"""Diskwars as one GameSystem: its questions, its rulings, its open readings."""

from __future__ import annotations

from assistant.games.diskwars.field import RULER_MM
from assistant.games.diskwars.ranges import HIGH_GROUND, ask_los, ask_near, ask_range
from assistant.games.diskwars.rulings import rulings
from assistant.games.diskwars.stacks import BETWEEN, ask_overlaps, ask_pins
from assistant.rules.game import GameSystem, Question

DISKWARS = GameSystem(
    id="diskwars",
    name="Warhammer: Diskwars",
    table_mm=(914.4, 914.4),
    circles_mm=(38.1, 50.8, 76.2),
    ruler_mm=RULER_MM,
    questions=(
        Question("range", "range A B", "the distance from rim to rim and its band", ask_range),
        Question("within", "within A B INCHES", "whether B is within, and completely within, of A", ask_near),
        Question("los", "los A B", "whether A sees B", ask_los),
        Question("overlaps", "overlaps", "the disks and terrain that disks cover", ask_overlaps),
        Question("pins", "pins", "who pins whom", ask_pins),
    ),
    rulings=rulings,
    readings=(BETWEEN, HIGH_GROUND),
    token_kinds=("activation", "damage", "wound", "empowerment"),
)
