"""Calls that are spoken and a chime for what is against the rules; one key mutes both."""

from __future__ import annotations

import math
import struct
import wave
from pathlib import Path

from PyQt6.QtCore import QLocale, QObject, QSettings, QStandardPaths, QUrl

from assistant.ui import catalogue

_RATE = 22_050
_NOTES = ((880.0, 0.16), (660.0, 0.34))  # Hz and seconds of the chime


class Voice(QObject):
    """Speaks in the language of the window where the system has a voice; says nothing where it has none."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.muted = str(QSettings().value("voice/muted", "false")) == "true"
        self.said: list[str] = []  # what was spoken or would have been, the newest last
        self._speech: object | None = None
        self._chime: object | None = None

    def mute(self, muted: bool) -> None:
        """Turns the voice and the chime off or on, and keeps that for the next time."""
        self.muted = muted
        QSettings().setValue("voice/muted", "true" if muted else "false")

    def speak(self, text: str) -> None:
        """Says a call, in place of one that is still being said."""
        if self.muted or (self.said and self.said[-1] == text):
            return
        self.said = [*self.said[-20:], text]
        from PyQt6.QtTextToSpeech import QTextToSpeech  # loaded only where something is spoken

        if self._speech is None:
            engines = [name for name in QTextToSpeech.availableEngines() if name != "mock"]
            self._speech = QTextToSpeech(engines[0], self) if engines else False
        if isinstance(self._speech, QTextToSpeech):
            self._speech.setLocale(QLocale(catalogue.current().code))
            self._speech.stop()
            self._speech.say(text)

    def chime(self) -> None:
        """Two falling notes."""
        if self.muted:
            return
        from PyQt6.QtMultimedia import QMediaDevices, QSoundEffect

        if self._chime is None:
            self._chime = QSoundEffect(self) if QMediaDevices.defaultAudioOutput().id().size() else False
            if isinstance(self._chime, QSoundEffect):
                cache = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.CacheLocation))
                cache.mkdir(parents=True, exist_ok=True)
                self._chime.setSource(QUrl.fromLocalFile(str(chime_file(cache / "chime.wav"))))
        if isinstance(self._chime, QSoundEffect):
            self._chime.play()


def chime_file(path: Path) -> Path:
    """Writes the chime as a sound file."""
    samples: list[int] = []
    for hertz, seconds in _NOTES:
        count = int(_RATE * seconds)
        for index in range(count):
            fade = math.exp(-4.0 * index / count)
            samples.append(round(12_000 * fade * math.sin(2 * math.pi * hertz * index / _RATE)))
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(_RATE)
        sound.writeframes(struct.pack(f"<{len(samples)}h", *samples))
    return path
