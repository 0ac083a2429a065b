"""A JSON file that somebody handed over: read whole, but never without bound."""

from __future__ import annotations

import json
from pathlib import Path

from calibration.errors import InputError

MOST_BYTES = 32 << 20


def read_json(path: Path, what: str) -> object:
    """The file's content; `what` begins the error line where it is no JSON, too large or cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InputError(what, str(path), f"expected at most {MOST_BYTES >> 20} MB")
        return json.loads(content.decode("utf-8"))
    except OSError as error:
        raise InputError(what, str(path), error.strerror or str(error)) from None
    except (ValueError, RecursionError) as error:
        raise InputError(what, str(path), f"expected JSON ({error})") from None
