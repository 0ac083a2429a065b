"""Warhammer: Diskwars. The catalogue's numbers (DW-n) name its rules everywhere."""
