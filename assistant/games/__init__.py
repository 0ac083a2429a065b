"""The games Pinpoint referees. A new one is a package here and one line below."""

from importlib import import_module

from assistant.rules.game import GameSystem

PACKAGES = (
    "diskwars",
    "wrath_of_kings",
    "firefight",
    "conquest",
)


def system_of(package: str) -> GameSystem:
    """The game of a package: what its module `system` calls by the package's name in capitals."""
    system: GameSystem = getattr(import_module(f"{__name__}.{package}.system"), package.upper())
    return system


GAMES: tuple[GameSystem, ...] = tuple(system_of(package) for package in PACKAGES)
