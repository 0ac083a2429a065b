"""Tables are drawn and detected once for all tests of the gate."""

from __future__ import annotations

import pytest

from tests.accuracy.tables import SHIPPED, TruthTable, draw_tables, tables_of
from vision.types.sighting import TableSighting

Detected = list[tuple[TruthTable, TableSighting]]


@pytest.fixture(scope="session")
def shipped() -> Detected:
    """The shipped tables with what is detected on them."""
    return [(table, table.detect()) for table in tables_of(SHIPPED)]


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Detected:
    """Tables drawn from fixed seeds with what is detected on them."""
    return [(table, table.detect()) for table in draw_tables(tmp_path_factory.mktemp("drawn"))]
