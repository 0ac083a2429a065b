"""Counts the modules and the named numeric constants of a package: `python -m benchmarks.count_constants [vision]`.

A constant is a name bound to a number, or to a tuple of numbers, at the top of a module, or a field of an options
class with such a default. Names bound in more than one module are listed, since each value should be defined once.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Constant(NamedTuple):
    """Where a number is named."""

    path: Path
    line: int
    name: str


def constants_of(path: Path) -> Iterator[Constant]:
    """The named numeric constants of one module."""
    tree = ast.parse(path.read_text())
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.endswith("Options"):
            yield from (constant for part in node.body for constant in _named(path, part))
        else:
            yield from _named(path, node)


def _named(path: Path, node: ast.stmt) -> Iterator[Constant]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _numeric(value):
            yield Constant(path, node.lineno, name)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if _numeric(value):
            yield Constant(path, node.lineno, name)
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
            for target, value in zip(names, values, strict=False):
                if isinstance(target, ast.Name) and _numeric(value):
                    yield Constant(path, node.lineno, target.id)


def _numeric(value: ast.expr) -> bool:
    match value:
        case ast.Constant(value=bool()):
            return False
        case ast.Constant(value=int() | float()):
            return True
        case ast.UnaryOp(operand=operand):
            return _numeric(operand)
        case ast.BinOp(left=left, right=right):
            return _numeric(left) and _numeric(right)
        case ast.Tuple(elts=elts):
            return bool(elts) and all(_numeric(part) for part in elts)
    return False


def main() -> None:
    """Prints the counts."""
    root = Path(sys.argv[1] if len(sys.argv) > 1 else "vision")
    modules = [path for path in sorted(root.rglob("*.py")) if path.name != "__init__.py"]
    found = [constant for path in modules for constant in constants_of(path)]
    twice = {name: n for name, n in Counter(constant.name for constant in found).items() if n > 1}
    print(f"{root}: {len(modules)} modules, {len(found)} named numeric constants")
    print(f"names defined more than once: {len(twice)}  {', '.join(sorted(twice))}")


if __name__ == "__main__":
    main()
