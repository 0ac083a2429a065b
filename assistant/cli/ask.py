"""`pinpoint ask`: one question to a scene, or a file of conformance cases."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.cli.inputs import game_of, house_of, scene_of_file, write_answer
from assistant.log.plain_text import one_line
from assistant.rules.cases import matches
from assistant.rules.game import Answer, House, ask, complete, quoted
from assistant.rules.wording import display_names, ruling_text
from assistant.scene.errors import GameError
from assistant.scene.reading import scene_from_json
from assistant.scene.values import JsonValue
from assistant.scene.writing import json_text
from calibration.errors import InputError
from calibration.json_file import parse_json, read_file

_MOST_BYTES = 256 << 20  # of a file of cases: tens of thousands of scenes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """SCENE "QUESTION", or --cases."""
    parser.add_argument(
        "scene", type=Path, nargs="?", metavar="SCENE", help="a scene.json, or a game log (as its ledger has it)"
    )
    parser.add_argument("question", nargs="*", metavar="QUESTION", help='such as "range a b"; quote an id with blanks')
    parser.add_argument("--cases", type=Path, metavar="F.jsonl", help="run conformance cases instead")
    parser.add_argument("--answers", metavar="OUT.jsonl", help="with --cases: write every answer there")
    parser.add_argument("--text", action="store_true", help="a sentence with names and the rule's number")
    parser.add_argument("--house", action="append", default=[], metavar="NAME=VALUE", help="a reading of an open rule")


def run(args: argparse.Namespace) -> int:
    """Prints the answer; with --cases the failures and a summary, exit 1 if any case failed."""
    house = house_of(args.house)
    if args.cases is not None:
        if args.scene is not None:
            raise InputError("wrong call", "pinpoint ask", "expected SCENE and QUESTION, or --cases, not both")
        return _run_cases(args.cases, args.answers, house)
    if args.answers is not None:
        raise InputError("wrong call", "pinpoint ask", "--answers goes with --cases")
    if args.scene is None or not args.question:
        raise InputError("wrong call", "pinpoint ask", 'expected SCENE "QUESTION", or --cases F.jsonl')
    scene = scene_of_file(args.scene)
    try:
        game = game_of(scene.game)
        ruling = ask(game, complete(game, scene), _text(args.question), house)
    except GameError as error:
        raise InputError("wrong question", str(args.scene), str(error)) from None
    if args.text:
        write_answer("-", ruling_text(ruling, display_names(scene)) + "\n")
    else:
        write_answer("-", json_text(dict(ruling.answer)))
    return 0


def _text(words: Sequence[str]) -> str:
    """One question of one or several shell words; ids with blanks keep their quotes."""
    return words[0] if len(words) == 1 else " ".join(map(quoted, words))


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a case file."""

    id: str
    scene: object
    question: str
    expect: Answer
    why: str


def _run_cases(path: Path, answers: str | None, house: House) -> int:
    passed = failed = 0
    written = []
    for case in _cases(path):
        record: dict[str, JsonValue] = {"id": case.id}
        try:
            scene = scene_from_json(case.scene)
            record["answer"] = answer = dict(ask(game_of(scene.game), scene, case.question, house).answer)
            differences = matches(case.expect, answer)
        except (GameError, InputError) as error:
            record["error"] = str(error)
            differences = [f"error: {error}"]
        except Exception as error:  # a fault of the program in one case must not hide the results of the others
            record["error"] = f"internal error: {type(error).__name__}: {error}"
            differences = [str(record["error"])]
        written.append(json.dumps(record, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n")
        if differences:
            failed += 1
            why = f"  [{case.why}]" if case.why else ""
            print(one_line(f"{case.id}: {case.question}: {'; '.join(differences)}{why}"))
        else:
            passed += 1
    if answers is not None:
        write_answer(answers, "".join(written))
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _cases(path: Path) -> Iterator[Case]:
    for number, line in enumerate(read_file(path, "unreadable cases", _MOST_BYTES).splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{path} line {number}"
        data = parse_json(line, "wrong case", where)
        if (
            not isinstance(data, dict)
            or not isinstance(data.get("id"), str)
            or not isinstance(data.get("question"), str)
            or not isinstance(data.get("expect"), dict)
        ):
            raise InputError("wrong case", where, "expected an object with id, scene, question and expect")
        yield Case(data["id"], data.get("scene"), data["question"], data["expect"], str(data.get("why", "")))
