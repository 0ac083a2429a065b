"""Dice that people rolled and told, by the step they were rolled for: `hits:1,3,5 saves:2,6`.

A resolution takes the dice of one step after another. Where a step's dice were not told yet it stops there, and the
answer says how many dice are needed, so that people roll only what the rules ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from assistant.rules.game import Answer, QuestionError
from assistant.scene.errors import GameError

Roll = tuple[int, ...]


class DiceWantedError(GameError):
    """The resolution stops here: so many dice of this step were not told yet."""

    def __init__(self, step: str, count: int) -> None:
        super().__init__(f"{count} dice for {step} are needed")
        self.step = step
        self.count = count


@dataclass(slots=True)
class Dice:
    """The told dice of one resolution; each step is taken once."""

    told: Mapping[str, Roll]
    taken: set[str] = field(default_factory=set)

    def take(self, step: str, count: int) -> Roll:
        """The dice of a step. None needed: an empty roll. Not told: the resolution stops."""
        if count == 0:
            if self.told.get(step):
                raise QuestionError(f"expected no dice for {step}, got {len(self.told[step])}")
            self.taken.add(step)
            return ()
        if step not in self.told:
            raise DiceWantedError(step, count)
        self.taken.add(step)
        roll = self.told[step]
        if len(roll) != count:
            raise QuestionError(f"expected {count} dice for {step}, got {len(roll)}")
        return roll


def read_dice(words: Sequence[str], sides: int) -> dict[str, Roll]:
    """Dice as they are written in a question, by step.

    >>> read_dice(["hits:1,3", "saves:6"], 6), read_dice(["hits:"], 6)
    ({'hits': (1, 3), 'saves': (6,)}, {'hits': ()})
    """
    found: dict[str, Roll] = {}
    for word in words:
        step, colon, numbers = word.rpartition(":")
        if not colon or not step:
            raise QuestionError(f"expected dice such as hits:1,3,5, got {word!r}")
        if step in found:
            raise QuestionError(f"dice for {step} were told twice")
        found[step] = tuple(die(each, step, sides) for each in numbers.split(",") if each)
    return found


def die(text: str, step: str, sides: int) -> int:
    """One die of so many sides."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= sides:
        raise QuestionError(f"expected numbers of 1 to {sides} for {step}, got {text!r}")
    return int(text)


def resolve(told: Mapping[str, Roll], steps: Callable[[Dice, Answer], None]) -> Answer:
    """What the steps write into the answer, with `needs` {step: dice} of the step where the told dice end.

    Dice told for a step that the resolution never comes to are an error.
    """
    dice, fields = Dice(told), Answer()
    try:
        steps(dice, fields)
        fields["needs"] = {}
    except DiceWantedError as wanted:
        fields["needs"] = {wanted.step: wanted.count}
    unused = sorted(set(told) - dice.taken)
    if unused:
        raise QuestionError(f"no dice are rolled for {', '.join(unused)} here")
    return fields
