"""The names of an event's evidence, as addresses have them, and what each is."""

from __future__ import annotations

CARD, GAP, CLIP = "card.png", "gap.png", "clip.mp4"
KINDS = {CARD: "image/png", GAP: "image/png", CLIP: "video/mp4"}
