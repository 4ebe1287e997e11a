"""The orchestrator's seven actions, and what its documents show of them."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from actionledger.core.vocabulary import ActionStatus, Reason
from actionledger.profiles.orchestrator.actions import CATALOGUE
from actionledger.profiles.orchestrator.layers import AT_ONCE, LAYERS

NAMES = (
    "create_issues",
    "invoke_cheenoski",
    "update_plan",
    "request_info",
    "escalate",
    "request_review",
    "create_branch",
)
ISSUE = {"title": "Accents", "body": "", "labels": []}

LEAST = {
    "create_issues": {"issues": [ISSUE]},
    "invoke_cheenoski": {"label": "x"},
    "update_plan": {"plan": "x"},
    "request_info": {"question": "x"},
    "escalate": {"reason": "x"},
    "request_review": {"target": "x"},
    "create_branch": {"branch_name": "x"},
}
DEFAULTS = {
    "request_info": {"context": ""},
    "escalate": {"context": ""},
    "request_review": {"notes": ""},
    "create_branch": {"from": "main"},
}


def test_the_catalogue_holds_just_the_documented_actions():
    """There are seven actions, in the document's order, told apart by the field 'action'."""
    assert CATALOGUE.names == NAMES
    assert CATALOGUE.discriminator == "action"


@pytest.mark.parametrize("name", NAMES)
def test_required_fields_are_enough_and_the_rest_has_defaults(checked, name):
    """The least arguments are valid, and every other field has its default."""
    call = checked(CATALOGUE, name, LEAST[name])
    assert call.status is ActionStatus.VALID
    expected = {"action": name} | LEAST[name] | DEFAULTS.get(name, {})
    assert call.action.model_dump(by_alias=True) == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_required_field_is_missed(checked, name):
    """Each action has one required field."""
    (field,) = LEAST[name]
    assert [(error.code, error.path) for error in checked(CATALOGUE, name, {}).errors] == [
        (Reason.MISSING_FIELD, field)
    ]


ERROR_EXAMPLES = [
    ("create_issues", {}, Reason.MISSING_FIELD, "issues", "array"),
    ("invoke_cheenoski", {"label": 123}, Reason.WRONG_TYPE, "label", "string"),
    (
        "create_issues",
        {"issues": [ISSUE | {"labels": "search"}]},
        Reason.WRONG_TYPE,
        "issues.0.labels",
        "array",
    ),
    ("create_issues", {"issues": "none"}, Reason.WRONG_TYPE, "issues", "array"),
    ("unknown_action", {}, Reason.UNKNOWN_ACTION, "", ", ".join(NAMES)),
]


@pytest.mark.parametrize("example", ERROR_EXAMPLES)
def test_the_documents_error_examples_have_their_codes(checked, example):
    """Each error that the document shows is one field error with the same path and the same expectation."""
    name, arguments, code, path, expected = example
    (error,) = checked(CATALOGUE, name, arguments).errors
    assert (error.code, error.path) == (code, path)
    assert expected in error.expected


@pytest.mark.parametrize(
    ("issues", "reason", "path"),
    [
        ([], Reason.BAD_LENGTH, "issues"),
        ([ISSUE, ISSUE | {"title": ""}], Reason.BAD_LENGTH, "issues.1.title"),
        ([{"title": "x", "body": ""}], Reason.MISSING_FIELD, "issues.0.labels"),
        ([ISSUE | {"label": "x"}], Reason.UNKNOWN_FIELD, "issues.0.label"),
    ],
)
def test_issues_are_checked_one_by_one(checked, issues, reason, path):
    """There is at least one issue, and each has its three fields and no other."""
    (error,) = checked(CATALOGUE, "create_issues", {"issues": issues}).errors
    assert (error.code, error.path) == (reason, path)


def test_from_is_written_as_the_document_writes_it(checked):
    """The field 'from' is a keyword of Python; a response writes it all the same, and only so."""
    call = checked(CATALOGUE, "create_branch", {"branch_name": "x", "from": "dev"})
    assert call.action.from_branch == "dev"
    other = checked(CATALOGUE, "create_branch", {"branch_name": "x", "from_branch": "dev"})
    assert (other.reason, other.errors[0].path) == (Reason.UNKNOWN_FIELD, "from_branch")


PAGE = (Path(__file__).parents[3] / "docs" / "orchestrator.md").read_text(encoding="utf-8")


def fenced(label: str) -> list[str]:
    """Return the bodies of the page's fences of a label."""
    return re.findall(rf"^```{label}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def test_the_examples_run_and_print_what_is_below_them(tmp_path, monkeypatch):
    """All of them, in one empty folder, from top to bottom."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "work").mkdir()
    printed = []
    for code in fenced("python"):
        out = StringIO()
        with redirect_stdout(out):
            exec(compile(code, "docs/orchestrator.md", "exec"), {"__name__": "page"})
        printed.append(out.getvalue())
    reading, store, cascade, handler = printed
    assert [reading, cascade] == fenced("text")
    assert (store, handler) == ("# Issues\n\n", "")


def test_the_table_of_layers_is_the_code_s():
    """Each cell says what the policy does."""
    rows = re.findall(r"^\| (`.*?`) \| (.*?) \| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE)
    shown = {
        (name, layer): cell
        for names, *cells in rows
        for name in re.findall(r"`(\w+)`", names)
        for layer, cell in zip(LAYERS, cells, strict=True)
    }
    assert shown == {
        (name, layer): "at once" if name in AT_ONCE[layer] else "queued"
        for name in CATALOGUE.names
        for layer in LAYERS
    }


def test_every_action_is_described():
    """The table of actions leaves none out."""
    assert {name for name in CATALOGUE.names if f"| `{name}` |" not in PAGE} == set()
