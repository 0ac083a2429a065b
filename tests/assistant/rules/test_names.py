"""Names and unique beginnings wherever ids are accepted."""

from __future__ import annotations

import pytest

from assistant.rules.names import resolved
from assistant.scene.errors import GameError
from assistant.scene.notation import from_notation

TABLE = from_notation("""
scene firefight table=1200x1200
player red edge=south
player blue edge=north
piece g1 circle=25 at=100,100 owner=red unit=guards profile=guard
piece g2 circle=25 at=130,100 owner=red unit=guards profile=guard
piece w1 circle=25 at=500,500 owner=blue unit="Dire Wolves"
piece h circle=32 at=700,500 owner=blue name="Captain Grey"
terrain wood outline=0,0;10,0;10,10 name="Dark Wood"
objective east at=600,600
""")


@pytest.mark.parametrize(
    ("usage", "words", "expected"),
    [
        ("charge U V", ["guards", "Dire Wolves"], ["guards", "Dire Wolves"]),
        ("charge U V", ["GU", "dire"], ["guards", "Dire Wolves"]),
        ("charge U V", ["g", "dire-wolves"], ["guards", "Dire Wolves"]),
        ("coherency U", ["Guard"], ["guards"]),
        ("range A B", ["captain", "dark w"], ["h", "wood"]),
        ("objective O", ["E"], ["east"]),
        ("rout PLAYER", ["R"], ["red"]),
        ("move A X Y [X Y ...]", ["W1", "1", "2", "h", "x"], ["w1", "1", "2", "h", "x"]),
        ("combined L M1 M2 ...", ["G1", "G2", "W1", "CAPTAIN GREY"], ["g1", "g2", "w1", "h"]),
        ("melee [I a>b ...]", ["0", "G1>captain"], ["0", "g1>h"]),
        ("commands P1=strategy P2=strategy ...", ["RED=bold", "b=slow"], ["red=bold", "blue=slow"]),
        ("army PLAYER SIZE", ["b", "guards"], ["blue", "guards"]),
    ],
)
def test_words_become_ids(usage: str, words: list[str], expected: list[str]) -> None:
    assert resolved(TABLE, usage, words) == expected


@pytest.mark.parametrize(
    ("usage", "word", "message"),
    [
        ("shoot A U", "g", "'g' is ambiguous: it can be g1, g2"),
        ("los A B", "guard", "'guard' is ambiguous: it can be g1, g2"),
        ("coherency U", "gaurds", "unknown unit 'gaurds'; did you mean 'guards'?; this scene has"),
        ("rout PLAYER", "green", "unknown player 'green'; this scene has blue, red"),
        ("objective O", "", "unknown objective ''"),
    ],
)
def test_words_that_are_no_id(usage: str, word: str, message: str) -> None:
    with pytest.raises(GameError) as refused:
        resolved(TABLE, usage, [word])
    assert message in str(refused.value)
