"""The one error a person causes: something handed over that cannot be used."""

from __future__ import annotations


class InputError(Exception):
    """Says what is wrong, where, and what to do about it, in one line.

    `str(error)` reads "<what> in <where>: <why>".
    """

    def __init__(self, what: str, where: str, why: str) -> None:
        super().__init__(f"{what} in {where}: {why}")
        self.what = what
        self.where = where
        self.why = why
