"""The hall's pages and scripts, and those it shares with a table's own server: boards, overlays, colours."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources

from assistant.hall.access import Role
from assistant.web.pages import Page, pages_in, read_pages

HALL_PAGES: Mapping[str, tuple[str, Role]] = {
    "/": ("hall.html", Role.SPECTATOR),
    "/judge": ("judge.html", Role.JUDGE),
    "/pairings": ("pairings.html", Role.SPECTATOR),
    "/table/{name}": ("table.html", Role.SPECTATOR),
    "/overlays": ("overlays.html", Role.SPECTATOR),
}


def read_files() -> dict[str, Page]:
    """Every file by its name; `live.js` is the hall's, so that shared overlays follow the table on air."""
    return {**read_pages(), **pages_in(resources.files("assistant.hall").joinpath("static"))}
