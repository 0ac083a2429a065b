"""Text from strangers made harmless: on a terminal, in a spreadsheet, in an address that may hold a password."""

from __future__ import annotations

import re

# C0 and C1 controls (a terminal obeys them), the marks that turn the reading direction round, and half characters, as
# which bytes of a file's name that are no text are handed over and which no stream can write
_CONTROLS = re.compile(r"[\ud800-\udfff\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_USER = re.compile(r"(?<=://)[^/?#\s\"'@]*(?:@[^/?#\s\"'@]*)*(?=@)")
_SECRET = re.compile(
    r"(?i)([?&;][a-z0-9_.-]*(?:pass|pwd|passwd|password|token|secret|auth|key|credential|signature)[a-z0-9_.-]*=)[^&;#\s\"'\\]+"
)
HIDDEN = "***"


def visible(text: str) -> str:
    r"""The text with control characters written out, as JSON writes them; line ends and tabs stay.

    >>> visible("a\x1b[2Jb\nc")
    'a\\u001b[2Jb\nc'
    """
    return _CONTROLS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def one_line(text: str) -> str:
    r"""The same for a text that belongs on one line.

    >>> one_line("a\nb\tc")
    'a\\u000ab\\u0009c'
    """
    return visible(text).replace("\n", "\\u000a").replace("\t", "\\u0009")


def csv_cell(value: object) -> object:
    """A cell that no spreadsheet takes for a formula; numbers are left as they are.

    >>> csv_cell("=1+1"), csv_cell("a"), csv_cell(-3.5)
    ("'=1+1", 'a', -3.5)
    """
    if not isinstance(value, str):
        return value
    shown = one_line(value)
    return f"'{shown}" if value.startswith(_FORMULA) or value.lstrip().startswith(_FORMULA) else shown


def without_password(text: str) -> str:
    """The text with the user part and the secret parameters of every address in it hidden.

    >>> without_password("rtsp://ann:pa@ss@10.0.0.7:554/live?token=abc&fps=5")
    'rtsp://***@10.0.0.7:554/live?token=***&fps=5'
    >>> without_password("a@b.c and game.mp4")
    'a@b.c and game.mp4'
    """
    if "://" not in text:
        return text
    return _SECRET.sub(rf"\1{HIDDEN}", _USER.sub(HIDDEN, text))
