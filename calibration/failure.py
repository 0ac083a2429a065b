"""What comes out when a table could not be measured: said in words, never replaced by a guess."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a picture gave no table. Counts as false, so `if not view:` reads as it should."""

    reason: str
    hint: str
    seen: tuple[int, ...] = ()
    field_mm: tuple[float, float] | None = None  # the size the tokens mark, where only the given size was wrong

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        seen = ", ".join(map(str, self.seen)) if self.seen else "none"
        return f"{self.reason} (kit markers seen: {seen}); {self.hint}"
