"""A small vector PDF writer: filled shapes, lines and text, in millimetres from the page's top left corner."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

Colour = tuple[float, float, float]
Point = tuple[float, float]

BLACK: Colour = (0.0, 0.0, 0.0)
WHITE: Colour = (1.0, 1.0, 1.0)
_PT = 72 / 25.4
_ROUND = 0.5522847498  # Bézier handles that make a quarter circle
# Widths of Helvetica's characters in thousandths of the size; all others are 556.
_WIDTHS = {
    191: "'",
    222: "ijl",
    260: "|",
    278: " !,./:;I[\\]ft",
    333: "()-`r",
    334: "{}",
    355: '"',
    389: "*",
    469: "^",
    500: "Jcksvxyz",
    584: "+<=>~",
    611: "FTZ",
    667: "&ABEKPSVXY",
    722: "CDHNRUw",
    778: "GOQ",
    833: "Mm",
    889: "%",
    944: "W",
    1015: "@",
}
_WIDTH_OF = {letter: width for width, letters in _WIDTHS.items() for letter in letters}


@dataclass(slots=True)
class Page:
    """One sheet to draw on."""

    width_mm: float
    height_mm: float
    _parts: list[str] = field(default_factory=list)

    def polygon(
        self,
        points: Iterable[Point],
        fill: Colour | None = BLACK,
        line: Colour | None = None,
        line_mm: float = 0.2,
        dash_mm: float = 0.0,
    ) -> None:
        """A closed shape, filled, outlined or both."""
        path = " ".join(f"{self._at(point)} {'m' if index == 0 else 'l'}" for index, point in enumerate(points))
        self._paint(f"{path} h", fill, line, line_mm, dash_mm)

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: Colour | None = BLACK,
        line: Colour | None = None,
        line_mm: float = 0.2,
        dash_mm: float = 0.0,
    ) -> None:
        """An upright rectangle."""
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        self.polygon(corners, fill, line, line_mm, dash_mm)

    def circle(
        self,
        x: float,
        y: float,
        diameter: float,
        fill: Colour | None = BLACK,
        line: Colour | None = None,
        line_mm: float = 0.2,
        dash_mm: float = 0.0,
    ) -> None:
        """A circle about a centre."""
        r, k = diameter / 2, diameter / 2 * _ROUND
        quarters = [
            ((x + r, y + k), (x + k, y + r), (x, y + r)),
            ((x - k, y + r), (x - r, y + k), (x - r, y)),
            ((x - r, y - k), (x - k, y - r), (x, y - r)),
            ((x + k, y - r), (x + r, y - k), (x + r, y)),
        ]
        curves = " ".join(" ".join(self._at(point) for point in quarter) + " c" for quarter in quarters)
        self._paint(f"{self._at((x + r, y))} m {curves} h", fill, line, line_mm, dash_mm)

    def line(
        self, start: Point, end: Point, colour: Colour = BLACK, line_mm: float = 0.2, dash_mm: float = 0.0
    ) -> None:
        """A straight line."""
        self._paint(f"{self._at(start)} m {self._at(end)} l", None, colour, line_mm, dash_mm)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size_mm: float = 3.2,
        colour: Colour = BLACK,
        bold: bool = False,
        align: Literal["left", "middle", "right"] = "left",
        turn_deg: float = 0.0,
    ) -> None:
        """A line of text on its baseline; turned clockwise about its anchor."""
        shift = {"left": 0.0, "middle": 0.5, "right": 1.0}[align] * text_width_mm(words, size_mm, bold)
        cos, sin = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
        at = self._at((x - shift * cos, y - shift * sin))
        escaped = words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        matrix = f"{cos:.6f} {-sin:.6f} {sin:.6f} {cos:.6f} {at}"
        self._parts.append(
            f"BT {_rgb(colour)} rg /{'F2' if bold else 'F1'} {size_mm * _PT:.3f} Tf {matrix} Tm ({escaped}) Tj ET"
        )

    def content(self) -> bytes:
        """The page's drawing commands."""
        return "\n".join(self._parts).encode("cp1252")

    def _at(self, point: Point) -> str:
        return f"{point[0] * _PT:.4f} {(self.height_mm - point[1]) * _PT:.4f}"

    def _paint(self, path: str, fill: Colour | None, line: Colour | None, line_mm: float, dash_mm: float) -> None:
        setting = []
        if fill is not None:
            setting.append(f"{_rgb(fill)} rg")
        if line is not None:
            dash = f"[{dash_mm * _PT:.3f}] 0 d" if dash_mm else "[] 0 d"
            setting.append(f"{_rgb(line)} RG {line_mm * _PT:.4f} w {dash}")
        mode = {(True, True): "B", (True, False): "f", (False, True): "S", (False, False): "n"}
        self._parts.append(" ".join([*setting, path, mode[fill is not None, line is not None]]))


def text_width_mm(words: str, size_mm: float, bold: bool = False) -> float:
    """How wide a line of text is, about; bold letters are a little wider."""
    return sum(_WIDTH_OF.get(letter, 556) for letter in words) / 1000 * size_mm * (1.06 if bold else 1.0)


def _rgb(colour: Colour) -> str:
    return " ".join(f"{part:.3f}" for part in colour)


def pdf_bytes(pages: Sequence[Page], title: str) -> bytes:
    """The pages as one PDF file."""
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    fonts = [
        add(f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>".encode())
        for name in ("Helvetica", "Helvetica-Bold")
    ]
    tree = len(objects) + 2 * len(pages) + 1
    kids = []
    for page in pages:
        data = zlib.compress(page.content(), 9)
        stream = add(b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(data), data))
        box = f"[0 0 {page.width_mm * _PT:.4f} {page.height_mm * _PT:.4f}]"
        used = f"/Resources << /Font << /F1 {fonts[0]} 0 R /F2 {fonts[1]} 0 R >> >>"
        body = f"<< /Type /Page /Parent {tree} 0 R /MediaBox {box} {used} /Contents {stream} 0 R >>"
        kids.append(add(body.encode()))
    add(f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)} >>".encode())
    # Viewers that honour it then print at true size unasked.
    catalog = add(f"<< /Type /Catalog /Pages {tree} 0 R /ViewerPreferences << /PrintScaling /None >> >>".encode())
    info = add(f"<< /Title ({title}) >>".encode("cp1252"))
    return _file(objects, catalog, info)


def _file(objects: Sequence[bytes], catalog: int, info: int) -> bytes:
    out = bytearray(b"%PDF-1.6\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root {catalog} 0 R /Info {info} 0 R >>\n".encode()
    out += b"startxref\n%d\n%%%%EOF\n" % start
    return bytes(out)
