"""Writes the regression pins anew: `python -m tests.accuracy.regenerate`."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from assistant.session.view_json import view_to_json
from tests.accuracy.fingerprint import PINS, fingerprint, stored_view
from tests.accuracy.tables import SHIPPED, draw_tables, tables_of

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        tables = [*tables_of(SHIPPED), *draw_tables(Path(folder))]
        pins = fingerprint((table, stored_view(view_to_json(table.view()))) for table in tables)
    PINS.write_text(json.dumps(pins, indent=1).replace(",\n    ", ", ").replace("[\n    ", "["), encoding="utf-8")
