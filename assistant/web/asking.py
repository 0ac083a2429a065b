"""Questions from other screens, answered as `ask` answers them, of the table now or at a moment."""

from __future__ import annotations

import threading
from collections import OrderedDict

from assistant.rules.game import ask, quoted
from assistant.rules.pointed import between
from assistant.rules.record import ruling_to_json
from assistant.rules.ruling import Ruling
from assistant.scene.errors import GameError
from assistant.scene.values import JsonValue, Scene
from assistant.web.feed import Feed
from assistant.web.options import WebOptions

_KEPT = 256  # answers: many phones ask the same of the same table


class AskError(Exception):
    """A question that has no answer, with the reason."""


class Asking:
    """Answers questions; called from worker threads."""

    def __init__(self, feed: Feed, options: WebOptions) -> None:
        self._feed = feed
        self._options = options
        self._lock = threading.Lock()
        self._known: OrderedDict[tuple[int, str], tuple[Scene, Ruling]] = OrderedDict()

    def ask(self, question: str, at_s: float | None = None) -> Ruling:
        """One question; AskError says why there is no answer."""
        if len(question) > self._options.question_letters:
            raise AskError(f"too long: expected at most {self._options.question_letters} letters")
        return self._ruling(self._scene(at_s), question)

    def between(self, first: str, second: str, at_s: float | None = None) -> list[JsonValue]:
        """Everything the game says of two pieces: range, sight and what one may do to the other, as full rulings."""
        scene = self._scene(at_s)
        try:
            pieces = (scene.piece(first), scene.piece(second))
        except GameError as error:
            raise AskError(str(error)) from None
        found: list[JsonValue] = []
        for words in between(self._feed.setting.game, *pieces):
            question = " ".join(map(quoted, words))
            try:
                found.append({"question": question, **ruling_to_json(self._ruling(scene, question))})
            except AskError as error:
                found.append({"question": question, "error": str(error)})
        return found

    def _scene(self, at_s: float | None) -> Scene:
        scene = self._feed.scene_at(at_s)
        if scene is None:
            raise AskError("no settled table at that moment")
        return scene

    def _ruling(self, scene: Scene, question: str) -> Ruling:
        key = (id(scene), question)
        with self._lock:
            known = self._known.get(key)
        if known is not None and known[0] is scene:
            return known[1]
        setting = self._feed.setting
        try:
            ruling = ask(setting.game, scene, question, setting.house)
        except GameError as error:
            raise AskError(str(error)) from None
        with self._lock:
            self._known[key] = (scene, ruling)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return ruling
