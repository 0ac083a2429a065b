"""What people can tell of any table."""

from __future__ import annotations

import pytest

from assistant.games.firefight.system import FIREFIGHT
from assistant.rules.game import split_words
from assistant.rules.names import resolved
from assistant.rules.tellings import COMMON
from assistant.scene.errors import GameError
from assistant.scene.notation import from_notation
from assistant.scene.reading import scene_from_json
from assistant.scene.values import Scene
from assistant.scene.writing import scene_to_json
from assistant.session.playing import begun

TABLE = from_notation("""
scene firefight table=1200x1200
player red edge=south
piece g1 circle=25 at=100,100 owner=red unit=guards
piece g2 circle=25 at=130,100 owner=red unit=guards tokens.wounds=2
piece w circle=25 owner=red state=["casualty","stunned"]
piece d9 circle=25 at=500,500
objective east at=600,600 holder=red
""")


def tell(text: str, scene: Scene = TABLE) -> Scene:
    word, *words = split_words(text)
    telling = next(each for each in COMMON if each.word == word)
    after = telling.tell(scene, resolved(scene, telling.usage, words))
    assert scene_from_json(scene_to_json(after)) == after
    return after


def test_pieces_are_placed_removed_and_put_back() -> None:
    assert tell("place g1 200 300 90").piece("g1").centre == (200, 300)
    assert tell("place g1 200 300 90").piece("g1").facing_deg == 90
    assert tell("place w 1 2").piece("w").state == ("stunned",)
    assert [piece.state for piece in tell("casualty guards").pieces[:2]] == [("casualty",)] * 2
    assert tell("reserve w").piece("w").state == ("stunned", "reserve")
    back = tell("same d9 w")
    assert back.piece("w").centre == (500, 500)
    assert "d9" not in {piece.id for piece in back.pieces}


def test_states_tokens_values_and_markers() -> None:
    assert tell("state guards stunned").piece("g2").state == ("stunned",)
    assert tell("state w stunned off").piece("w").state == ("casualty",)
    assert tell("token g2 wounds 0").piece("g2").tokens == {}
    assert tell("stat guards quality 4").piece("g1").stats == {"quality": 4}
    assert tell('keyword g1 "tough 3"').piece("g1").keywords == ("tough 3",)
    assert tell('keyword g1 "tough 3" off', tell('keyword g1 "tough 3"')).piece("g1").keywords == ()
    assert tell("owner d9 red").piece("d9").owner == "red"
    assert tell("unit d9 wolves").piece("d9").unit == "wolves"
    assert tell("holder east").objectives[0].holder is None
    assert tell("marker west 10 20 40").objectives[1].circle_mm == 40
    assert tell("marker east 10 20").objectives[0].holder == "red"
    assert tell("unmark east").objectives == ()
    zones = tell("zone red b 0 0 10 0 10 10", tell("zone red a 0 0 10 0 10 10")).zones
    assert [(zone.id, zone.owner) for zone in zones] == [("a", "red"), ("b", "red")]
    assert [player.id for player in tell("player blue north").players] == ["red", "blue"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("place g1 200", "expected 'place A X Y"),
        ("place g1 nan 3", "finite number"),
        ("state g1 casualty", "tell `casualty g1`"),
        ("state g1 stunned maybe", "expected on or off"),
        ("token g1 wounds -1", "whole number"),
        ("marker g1 1 1", "name of something else"),
        ("marker far 9999 1", "off the table"),
        ("marker flat 1 1 0", "diameter over 0"),
        ("same g1 w2", "did you mean 'w'"),
        ("same g1 g2", "must be on the table"),
        ("zone red a 0 0 1 1", "at least three corners"),
        ("player blue up", "expected north"),
        ("owner g1 green", "unknown player 'green'"),
    ],
)
def test_what_cannot_be_is_refused(text: str, why: str) -> None:
    with pytest.raises(GameError) as refused:
        tell(text)
    assert why in str(refused.value)


def test_owners_play_where_nobody_was_named() -> None:
    scene = from_notation(
        "scene firefight table=1200x1200\npiece a circle=25 at=9,9 owner=x\npiece b circle=25 at=99,9 owner=y"
    )
    assert [player.id for player in begun(FIREFIGHT, scene, {}).ledger().scene.players] == ["x", "y"]
