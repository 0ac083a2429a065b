"""One catalogue for every text of the window: labels, calls, rulings and events.

The English text is the key. A language is one file in `languages/`: `texts` maps what the window says, `sentences`
maps the sentences that rules and events make, with `{name}` where they put something in. A word that is put in
(a reason, a side of the table) is looked up by itself. What a file lacks is shown in English.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from PyQt6.QtCore import QCoreApplication, QLocale, QSettings, QTranslator

FOLDER = Path(__file__).parent / "languages"
_HOLE = re.compile(r"\{(\w+)\}")
_LIST = re.compile(r", | and ")
_TRANSLATORS: list[CatalogueTranslator] = []


@dataclass(frozen=True, slots=True)
class Language:
    """One language: its own name, its texts and its sentences by their English ones."""

    code: str
    name: str
    texts: Mapping[str, str] = field(default_factory=dict)
    sentences: Mapping[str, str] = field(default_factory=dict)

    def text(self, english: str) -> str:
        """A text of the window."""
        return self.texts.get(english, english)

    def sentence(self, english: str) -> str:
        """A sentence that rules or events made: looked up whole, then by its shape."""
        if not english or not (self.sentences or self.texts):
            return english
        known = self.sentences.get(english) or self.texts.get(english)
        if known is not None:
            return known
        for shape, pattern in _shapes(self.code):
            found = pattern.fullmatch(english)
            if found is not None:
                return self._filled(self.sentences[shape], found)
        return english

    def _filled(self, template: str, found: re.Match[str]) -> str:
        """The template with what stood in the sentence; each word of a list is looked up."""
        values = {name: self._word(value) for name, value in found.groupdict().items()}
        return _HOLE.sub(lambda hole: values.get(hole.group(1), hole.group(0)), template)

    def _word(self, word: str) -> str:
        whole = self.sentences.get(word) or self.texts.get(word)
        if whole is not None:
            return whole
        parts = _LIST.split(word)
        if len(parts) == 1:
            nested = self._by_shape(word)
            return word if nested is None else nested
        joint = self.sentences.get(" and ", " and ")
        told = [self._word(part) for part in parts]
        return ", ".join(told[:-1]) + (joint if " and " in word else ", ") + told[-1]

    def _by_shape(self, word: str) -> str | None:
        for shape, pattern in _shapes(self.code):
            if not shape.startswith("{") and (found := pattern.fullmatch(word)) is not None:
                return self._filled(self.sentences[shape], found)
        return None


ENGLISH = Language("en", "English")


class CatalogueTranslator(QTranslator):
    """Lets Qt's own `tr` look texts up in a language of the catalogue."""

    def __init__(self, language: Language) -> None:
        super().__init__()
        self.chosen = language

    def translate(
        self, context: str | None, source_text: str | None, disambiguation: str | None = None, n: int = -1
    ) -> str:
        """The text in the language; the English one where it has none."""
        del context, disambiguation, n
        return self.chosen.text(source_text or "")

    def isEmpty(self) -> bool:
        """Whether there is nothing to look up."""
        return not self.chosen.texts


@cache
def languages() -> Mapping[str, Language]:
    """Every language there is, English first."""
    found = {"en": ENGLISH}
    for path in sorted(FOLDER.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        found[path.stem] = Language(path.stem, str(data["name"]), data["texts"], data["sentences"])
    return found


def choose(code: str) -> None:
    """Puts a language in force; windows that are open keep the words they were built with until they open again."""
    for translator in _TRANSLATORS:
        QCoreApplication.removeTranslator(translator)
    _TRANSLATORS.clear()
    language = languages().get(code, ENGLISH)
    translator = CatalogueTranslator(language)
    _TRANSLATORS.append(translator)
    QCoreApplication.installTranslator(translator)


def apply_remembered() -> None:
    """Puts the language of the last time in force, or the desktop's where none was chosen."""
    kept = QSettings().value("language")
    choose(str(kept) if kept in languages() else QLocale.system().name().partition("_")[0])


def remember(code: str) -> None:
    """Keeps a language for the next time and puts it in force."""
    QSettings().setValue("language", code)
    choose(code)


def current() -> Language:
    """The language in force."""
    return _TRANSLATORS[-1].chosen if _TRANSLATORS else ENGLISH


def say(english: str, **values: object) -> str:
    """A text of the window with its values put in."""
    text = current().text(english)
    return text.format(**values) if values else text


def tell(sentence: str) -> str:
    """A sentence of the rules or the log in the language in force."""
    return current().sentence(sentence)


@cache
def _shapes(code: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The sentences with holes as patterns, those with the most fixed text first."""
    shaped = [shape for shape in languages()[code].sentences if _HOLE.search(shape)]
    shaped.sort(key=lambda shape: -len(_HOLE.sub("", shape)))
    return tuple((shape, _pattern(shape)) for shape in shaped)


def _pattern(shape: str) -> re.Pattern[str]:
    parts = _HOLE.split(shape)
    seen: set[str] = set()
    made = []
    for index, part in enumerate(parts):
        if index % 2 == 0:
            made.append(re.escape(part))
        elif part in seen:
            made.append(f"(?P={part})")
        else:
            seen.add(part)
            made.append(f"(?P<{part}>.+?)")
    return re.compile("".join(made), re.DOTALL)
