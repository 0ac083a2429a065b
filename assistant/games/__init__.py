"""The games Pinpoint referees. A new one is a package here and one line below."""

from assistant.games.conquest.system import CONQUEST
from assistant.games.diskwars.system import DISKWARS
from assistant.games.firefight.system import FIREFIGHT
from assistant.games.wrath_of_kings.system import WRATH_OF_KINGS
from assistant.rules.game import GameSystem

GAMES: tuple[GameSystem, ...] = (DISKWARS, WRATH_OF_KINGS, FIREFIGHT, CONQUEST)
