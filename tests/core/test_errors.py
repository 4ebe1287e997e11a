"""The error tree, and what a bare install lacks, named with its extra."""

import ast
import inspect
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from actionledger.core import errors
from actionledger.core.errors import (
    ActionError,
    ActionLedgerError,
    LedgerError,
    MissingPackageError,
    UnknownNameError,
    UsageError,
    missing,
    require,
)
from actionledger.core.vocabulary import Reason

ERRORS = [cls for _, cls in inspect.getmembers(errors, inspect.isclass) if issubclass(cls, Exception)]


def test_every_error_has_the_same_root():
    """One ``except`` is enough to catch whatever the toolkit raises on purpose."""
    assert len(ERRORS) >= 9
    assert all(issubclass(cls, ActionLedgerError) for cls in ERRORS)


@pytest.mark.parametrize("cls", ERRORS, ids=lambda cls: cls.__name__)
def test_the_tree_in_the_docstring_is_the_tree(cls):
    """The drawing at the head of the module names each class, deeper than its parent."""
    lines = {line.strip(" │├└─").split("  ")[0]: line for line in errors.__doc__.splitlines()}
    line = lines[cls.__name__]
    if cls is not ActionLedgerError:
        parent = lines[cls.__bases__[0].__name__]
        assert line.index(cls.__name__) == parent.index(cls.__bases__[0].__name__) + 4


def test_audiences_are_told_apart():
    """What a developer got wrong isn't what an operator has to mend, nor what the model is told."""
    branches = [UsageError, LedgerError, errors.SourceError, ActionError]
    assert all(cls.__bases__ == (ActionLedgerError,) for cls in branches)


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        ("codr", ["mint", "coder"], "There is no profile 'codr'. Did you mean 'coder'? Known: coder, mint."),
        ("zzz", ["mint", "coder"], "There is no profile 'zzz'. Known: coder, mint."),
        ("x", {"a": 1}, "There is no profile 'x'. Known: a."),
    ],
)
def test_an_unknown_name_is_told_the_near_one_and_all_known_ones(name, known, message):
    """One sentence says what was asked for, what may have been meant and what there is."""
    assert str(UnknownNameError("profile", name, known)) == message


def test_an_action_error_carries_its_reason():
    """The code goes into the record, the sentence to the model."""
    error = ActionError(Reason.NOT_FOUND, "There is no task 7.")
    assert (error.reason, str(error)) == (Reason.NOT_FOUND, "There is no task 7.")


ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
WITH_ANOTHER = {"IPython", "botocore", "click", "pydantic_core", "referencing"}
"""What comes with a dependency that needs it: ipykernel, boto3, typer, pydantic and jsonschema."""

IMPORTED_AS = {
    "google_re2": "re2",
    "googleapis_common_protos": "google.rpc",
    "opentelemetry_proto": "opentelemetry.proto",
    "opentelemetry_sdk": "opentelemetry.sdk",
    "pyyaml": "yaml",
}
"""Packages that are imported by another name than they are installed by."""

ALWAYS_THERE = {"actionledger", "actionledger_dashboard", *sys.stdlib_module_names}


def imported_by(requirements: list[str]) -> set[str]:
    names = {Requirement(each).name.replace("-", "_").lower() for each in requirements}
    return {IMPORTED_AS.get(name, name) for name in names}


def imported_in(nodes: Iterable[ast.AST]) -> set[str]:
    return {
        name.split(".")[0]
        for node in nodes
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and not node.level
            else []
        )
    }


def needed_by(package: str) -> set[str]:
    """Return what an installed package can't do without."""
    try:
        found = map(Requirement, requires(package) or [])
    except PackageNotFoundError:
        return set()
    return {canonicalize_name(each.name) for each in found if "extra" not in str(each.marker)}


@pytest.fixture(scope="module")
def nodes() -> list[ast.AST]:
    """All calls and imports of the toolkit."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in sorted((ROOT / "toolkit").rglob("*.py"))]
    kinds = ast.Call | ast.Import | ast.ImportFrom
    return [node for tree in trees for node in ast.walk(tree) if isinstance(node, kinds)]


def test_every_extra_that_is_named_brings_what_is_needed(nodes):
    """Each package of a message is one of the extra that the message names."""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    needs = [call for call in calls if getattr(call.func, "id", "") in {"require", "missing"}]
    told = [
        [argument.value for argument in call.args] for call in needs if isinstance(call.args[0], ast.Constant)
    ]
    assert len(told) >= 7
    for purpose, extra, *packages in told:
        brought = imported_by(PROJECT["optional-dependencies"][extra])
        assert set(packages) <= brought, purpose


def test_every_optional_import_is_of_an_extra(nodes):
    """What the toolkit imports beyond its own dependencies, some extra brings."""
    needed = imported_by(PROJECT["dependencies"])
    optional = set().union(*map(imported_by, PROJECT["optional-dependencies"].values()))
    beyond = imported_in(nodes) - ALWAYS_THERE - needed - WITH_ANOTHER
    assert beyond <= {each.split(".")[0] for each in optional}
    assert {"httpx", "tenacity", "prompt_toolkit", "pydantic_monty", "polars"} <= beyond


def test_what_tests_and_benchmarks_import_is_named():
    """Some extra names it, or the package that can't do without it; what merely happens to be there isn't there for everybody."""
    extras = chain.from_iterable(PROJECT["optional-dependencies"].values())
    names = {canonicalize_name(Requirement(each).name) for each in (*PROJECT["dependencies"], *extras)}
    brought = names.union(*map(needed_by, names))
    installed_as, ours = packages_distributions(), {file.stem for file in (ROOT / "tests/support").iterdir()}
    ours |= {"lab"}
    unnamed = {}
    for file in sorted((ROOT / "tests").rglob("*.py")):
        if (
            file.parent.name == "programs"
        ):  # of the lab, which installs what they need into folders of their own
            continue
        beside = {each.stem for each in file.parent.iterdir()}
        tree = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        for name in imported_in(tree) - ALWAYS_THERE - ours - beside:
            if brought.isdisjoint(map(canonicalize_name, installed_as.get(name, [name]))):
                unnamed[name] = file.relative_to(ROOT).as_posix()
    assert unnamed == {}


def test_what_is_missing_is_said_in_one_sentence():
    """The purpose, the packages and the command; nothing where all is there."""
    assert missing("A test", "dev", "pytest") is None
    with pytest.raises(MissingPackageError) as caught:
        require("A rocket", "space", "pytest", "no_such_package", "nor_this_one")
    assert str(caught.value) == (
        "A rocket needs no-such-package and nor-this-one, not installed here: pip install 'actionledger[space]'."
    )
    assert isinstance(caught.value, UsageError)


BARE = """
import sys
for name in ("pandas", "polars", "pyarrow", "altair", "streamlit", "httpx", "tenacity", "pydantic_monty", "IPython"):
    sys.modules[name] = None
import actionledger as al
result = al.parse('```actions\\n{"actions": []}\\n```', profile="assistant")
with al.open_ledger("x.duckdb") as ledger:
    rows = ledger.sql("SELECT 1 AS one")
    for shown in (result, al.explain(result), rows, ledger, al.Rate(1, 2)):
        assert shown._repr_html_().startswith("<div") and str(shown)
    print(list(rows))
"""


def test_displays_need_no_extra(tmp_path):
    """A bare install reads results and shows everything."""
    done = subprocess.run(
        [sys.executable, "-c", BARE], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("[(1,)]\n", 0), done.stderr
