"""A hundred scripts such as an assistant writes: each does the same in a sandbox as in plain Python."""

import ast
import io
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from effort import is_soak

from actionledger.runtime.sandbox.base import Limits
from actionledger.runtime.sandbox.inside.plain import shown

CELL = "# %% "
SCRIPTS = dict(
    sorted(
        script.split("\n", 1)
        for file in (Path(__file__).parent / "scripts").glob("*.py")
        for script in file.read_text().removeprefix(CELL).split(f"\n{CELL}")
    )
)
MONTY_CANNOT = {
    "average_and_median",
    "bytes_and_bits",
    "context_manager",
    "csv_parse",
    "csv_report",
    "custom_exception",
    "dataclass_order",
    "dataclass_rows",
    "decorators",
    "delete_variables",
    "enum_status",
    "fibonacci",
    "fractions_recipe",
    "generator_pipeline",
    "graphlib_order",
    "heap_priorities",
    "inheritance",
    "month_calendar",
    "pretty_print",
    "properties",
    "reduce_product",
    "slices",
    "string_constants",
    "string_template",
    "textwrap_note",
    "uuid_from_name",
    "zoneinfo_meeting",
}
"""What Monty's smaller Python lacks (modules, inheritance, yield, del, properties); a newer one may have it."""


def in_plain_python(code, assistant):
    """Run a script here, with the host's object itself."""
    names = {"__name__": "__main__", "gb": assistant}
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    output, errors = io.StringIO(), io.StringIO()
    with redirect_stdout(output), redirect_stderr(errors):
        exec(compile(tree, "script", "exec"), names)
        value = eval(compile(last, "script", "eval"), names) if last else None
    value = shown(value, Limits().result_bounds).value
    return output.getvalue(), errors.getvalue(), value, tuple(assistant.logs), assistant.kept


def in_sandbox(sandbox, code, assistant):
    """Run a script there, with the host's object behind the proxy."""
    result = sandbox.run(code, api=assistant.api())
    if not result.succeeded:
        return result.message
    return result.stdout, result.stderr, result.value, result.logs, assistant.kept


@pytest.fixture(scope="module")
def expected(make_assistant):
    return {name: in_plain_python(code, make_assistant()) for name, code in SCRIPTS.items()}


def test_there_are_a_hundred():
    """The hundred are there, and each of them does something that can be compared."""
    assert len(SCRIPTS) == 100


@pytest.mark.scaled
def test_scripts_do_as_in_plain_python(sandbox, expected, make_assistant):
    """Same text printed, same value, same log, same tasks kept; Monty may fail those that it is known to."""
    # Bubblewrap and containers run what the confined Python runs: a tenth of it shows that nothing is missing there.
    share = 10 if sandbox.name not in {"confined", "monty"} else 1 if is_soak() else 4
    chosen = list(SCRIPTS)[::share]
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda name: in_sandbox(sandbox, SCRIPTS[name], make_assistant()), chosen)
        different = {name: what for name, what in zip(chosen, found, strict=True) if what != expected[name]}
    allowed = MONTY_CANNOT if sandbox.name == "monty" else set()
    assert set(different) <= allowed, json.dumps(different, indent=1, default=str)
