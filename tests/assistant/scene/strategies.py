"""Scenes of every shape, for tests that must hold for all of them."""

from __future__ import annotations

from hypothesis import strategies as st

from assistant.scene.values import (
    Circle,
    JsonValue,
    Objective,
    OrderCertainty,
    Piece,
    Player,
    RangedAttack,
    Rect,
    Scene,
    Table,
    Terrain,
    Zone,
)

numbers = st.one_of(st.integers(-5000, 5000), st.floats(-5000, 5000, allow_nan=False))
lengths = st.floats(0.1, 500)
words = st.text(min_size=1, max_size=12)
texts = st.lists(words, max_size=3).map(tuple)
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**9), 10**9), st.floats(-1e9, 1e9), st.text(max_size=8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)
extras = st.dictionaries(
    st.one_of(st.text(max_size=6), st.sampled_from(["at", "circle", "outline", "table", "a.b", "stats.x"])).map(
        lambda key: f"{key}" if key in ("at", "circle", "a.b", "stats.x") else f"q{key}"
    ),
    json_values,
    max_size=2,
)
points = st.tuples(numbers, numbers)
outlines = st.lists(points, min_size=3, max_size=6).map(tuple)
shapes = st.one_of(st.builds(Circle, lengths), st.builds(Rect, lengths, lengths))
attacks = st.builds(
    RangedAttack,
    range=st.sampled_from(["short", "siege"]),
    dice=st.integers(0, 5),
    strength=st.one_of(st.integers(0, 9), st.just("d6")),
    type=st.sampled_from(["physical", "arcane"]),
    extra=extras,
)


@st.composite
def pieces(draw: st.DrawFn, identity: str) -> Piece:
    on_field = draw(st.booleans())
    return Piece(
        id=identity,
        shape=draw(shapes),
        x=draw(numbers) if on_field else None,
        y=draw(numbers) if on_field else None,
        owner=draw(st.none() | words),
        sigma_mm=draw(st.just(0.0) | st.floats(0.01, 9)),
        facing_deg=draw(st.just(0.0) | st.floats(0.01, 359)),
        profile=draw(st.none() | words),
        unit=draw(st.none() | words),
        size=draw(st.none() | st.integers(0, 9)),
        rank=draw(st.none() | words),
        visible=draw(st.booleans()),
        stats=draw(st.dictionaries(st.text(max_size=6), numbers, max_size=3)),
        tokens=draw(st.dictionaries(st.text(max_size=6), st.integers(0, 9), max_size=2)),
        keywords=draw(texts),
        traits=draw(texts),
        types=draw(texts),
        state=draw(st.just(("charging",)) | st.just(())) if on_field else ("reserve",),
        ranged=draw(st.lists(attacks, max_size=2).map(tuple)),
        extra=draw(extras),
    )


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    names = draw(st.lists(words, max_size=4, unique=True))
    pairs = [(top, bottom) for top in names for bottom in names if top < bottom]
    above = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=4)) if pairs else []
    return Scene(
        game=draw(words),
        table=Table(draw(lengths), draw(lengths), draw(extras)),
        players=tuple(
            Player(
                name, draw(st.sampled_from(["north", "west", None])), draw(st.none() | st.integers(1, 4)), draw(extras)
            )
            for name in draw(st.lists(words, max_size=2, unique=True))
        ),
        pieces=tuple(draw(pieces(name)) for name in names),
        above=tuple(above),
        above_certainty=tuple(OrderCertainty(top, bottom, draw(st.floats(0.5, 1))) for top, bottom in above[:1]),
        terrain=tuple(
            Terrain(name, draw(outlines), draw(texts), draw(st.none() | st.integers(0, 4)), draw(extras))
            for name in draw(st.lists(words, max_size=2, unique=True))
        ),
        zones=tuple(
            Zone(name, draw(outlines), draw(st.none() | words), "deployment", draw(st.none() | st.integers(0, 9)))
            for name in draw(st.lists(words, max_size=2, unique=True))
        ),
        objectives=tuple(
            Objective(name, draw(numbers), draw(numbers), draw(st.none() | lengths), draw(st.none() | words))
            for name in draw(st.lists(words, max_size=2, unique=True))
        ),
        ruler_mm=draw(st.dictionaries(words, lengths, max_size=3)),
        round=draw(st.none() | st.integers(0, 9)),
        calibration=draw(extras),
        extra=draw(extras),
    )
