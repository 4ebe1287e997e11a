"""Which changes are tried: one at each of so many places, drawn by a seed, and none where only a type is written."""

import ast
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from cosmic_ray.commands import init
from cosmic_ray.work_db import use_db
from cosmic_ray.work_item import MutationSpec

Place = tuple[Path, tuple[int, int]]
"""A module and where in it, as line and column."""

_SAME = ("_Is_Eq", "_IsNot_NotEq")
"""Operators that change nothing between what is compared by ``is`` here: members of enums, None, classes."""


def mutants_of(modules: Sequence[Path]) -> dict[Place, list[MutationSpec]]:
    """Return all changes that can be made to modules, by their place, in the order of the text."""
    with TemporaryDirectory() as folder, use_db(f"{folder}/session.sqlite") as db:
        init(modules, db, {})
        found = [mutation for item in db.work_items for mutation in item.mutations]
    typed = {module: set(_typed_lines(module)) for module in modules}
    by_place: dict[Place, list[MutationSpec]] = defaultdict(list)
    for each in sorted(found, key=_order):
        is_typed = (each.start_pos[0], each.start_pos[1]) in typed[each.module_path]
        if not is_typed and not each.operator_name.endswith(_SAME):
            by_place[each.module_path, each.start_pos].append(each)
    return by_place


def drawn(mutants: dict[Place, list[MutationSpec]], count: int, seed: int) -> list[MutationSpec]:
    """Return a change at each of so many places, in the order of the text.

    An operator can be replaced by a dozen others and a number by two: drawn by place, each line counts the same.
    """
    draw = random.Random(seed)
    places = draw.sample(list(mutants), min(count, len(mutants)))
    return sorted((draw.choice(mutants[place]) for place in places), key=_order)


def _order(each: MutationSpec) -> tuple[Path, tuple[int, int], str, int]:
    return each.module_path, each.start_pos, each.operator_name, each.occurrence


def _typed_lines(module: Path) -> Iterator[tuple[int, int]]:
    """Yield every place of a module that stands in an annotation, in what is declared to be a type, or in how a dataclass is made."""
    text = module.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)):
        for types in _types_in(node):
            end_line, end_column = types.end_lineno or types.lineno, types.end_col_offset or 0
            for line in range(types.lineno, end_line + 1):
                first = types.col_offset if line == types.lineno else 0
                last = end_column if line == end_line else len(lines[line - 1])
                yield from ((line, column) for column in range(first, last))


def _types_in(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation:
        yield node.annotation
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns:
        yield node.returns
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "dataclass":
        yield from (keyword.value for keyword in node.keywords)
    if isinstance(node, ast.AnnAssign) and node.value and ast.unparse(node.annotation) == "TypeAlias":
        yield node.value
