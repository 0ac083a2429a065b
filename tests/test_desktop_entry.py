"""`./run install` writes a desktop entry that starts the window."""

from __future__ import annotations

import configparser
import re
import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parents[1] / "run"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="desktop entries are for Linux")
def test_the_entry_names_the_program_and_its_icon(tmp_path: Path) -> None:
    script = RUN.read_text(encoding="utf-8")
    function = re.search(r"^install_desktop_entry\(\) \{.*?^\}$", script, re.DOTALL | re.MULTILINE)
    assert function is not None
    home = RUN.parent
    lines = f'home="{home}"\nvenv="{home}/.venv"\nfail() {{ exit 2; }}\n{function[0]}\ninstall_desktop_entry\n'
    subprocess.run(["bash", "-euc", lines], env={"XDG_DATA_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, check=True)
    entry = configparser.ConfigParser(interpolation=None)
    entry.read(tmp_path / "applications" / "pinpoint.desktop", encoding="utf-8")
    told = entry["Desktop Entry"]
    assert told["Exec"] == f'"{home}/.venv/bin/pinpoint"'
    assert told["Type"] == "Application"
    assert (
        (tmp_path / "icons/hicolor/scalable/apps" / f"{told['Icon']}.svg")
        .read_text(encoding="utf-8")
        .startswith("<svg")
    )
    assert "install)" in script
