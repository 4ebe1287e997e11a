"""The tools of the Berkeley function-calling leaderboard, in its own spelling of types, and the answers that it accepts."""

import gzip
import json
import warnings
from collections import Counter

import pytest
from corpus_files import CORPORA

import actionledger as al
from actionledger.actions.tools import ToolCatalogue
from actionledger.core.errors import RenderError
from actionledger.core.vocabulary import ActionStatus

pytestmark = [pytest.mark.corpus, pytest.mark.soak]


LEFT_OUT = ("", None)
"""What an answer has in place of a field that may be left out."""


def lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


@pytest.fixture(scope="module")
def leaderboard():
    found = CORPORA / "bfcl"
    if not found.is_dir():
        pytest.skip("The questions are not here: expected in shared/corpora/bfcl beside the checkout.")
    return found


@pytest.fixture(autouse=True)
def without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def chosen(options):
    """Return the first accepted value; within an object each field has accepted values of its own."""
    if not isinstance(options, list):
        return options
    value = next(option for option in options if option not in LEFT_OUT)
    if isinstance(value, dict):
        return given(value)
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        return [chosen([each]) for each in value]
    return value


def given(fields):
    """Return the fields of an answer that have an accepted value."""
    return {
        name: chosen(options)
        for name, options in fields.items()
        if not isinstance(options, list) or any(option not in LEFT_OUT for option in options)
    }


def answer(calls):
    return [(name, given(fields)) for call in calls for name, fields in call.items()]


def test_every_tool_is_loaded_and_nothing_is_left_unchecked(leaderboard):
    """One tool of all has a type that is empty; every other type is known."""
    questions = [each for path in sorted(leaderboard.glob("*.gz")) for each in lines(path)]
    catalogues = [ToolCatalogue.of(question["function"]) for question in questions]
    assert sum(len(catalogue.tools) for catalogue in catalogues) == 6616 == text_count(leaderboard)
    assert len(questions) == 2741
    said = [warning for catalogue in catalogues for warning in catalogue.warnings]
    assert [warning.split(": ")[1] for warning in said] == ["'' is not a type; that is not checked."]


def text_count(leaderboard):
    """Count the tools by their parameters' root, in the text alone."""
    return sum(
        gzip.decompress(path.read_bytes()).count(b'"parameters": {"type": "dict", "')
        for path in leaderboard.glob("*.gz")
    )


WRONG_BY_THEMSELVES = {"missing_field": 4}
EXPECTED = {
    "hermes": {"valid": 3209, "coerced": 25, "invalid": 68, "value_not_allowed": 41, "wrong_type": 23},
    "qwen3_coder": {"valid": 1172, "coerced": 2063, "invalid": 67, "value_not_allowed": 41, "wrong_type": 22},
}
"""How many calls have which status, and why those are refused that are: their answers break their own schemas."""


@pytest.mark.parametrize("dialect", ["hermes", "qwen3_coder"])
def test_the_accepted_answers_are_read_back(leaderboard, dialect):
    """Each answer is written in a dialect, read and checked against the tools of its question."""
    seen = Counter()
    for path in sorted((leaderboard / "possible_answer").glob("*.gz")):
        tools = {question["id"]: question["function"] for question in lines(leaderboard / path.name)}
        for each in lines(path):
            calls = answer(each["ground_truth"])
            try:
                text = al.render(calls, dialect)
            except RenderError:
                seen["not written"] += 1
                continue
            read = al.parse(text, dialects=[dialect], tools=tools[each["id"]])
            assert [call.name for call in read.actions] == [name for name, _ in calls]
            if dialect == "hermes":  # the other one writes only texts
                valid = [(call, each) for call, (_, each) in zip(read.actions, calls, strict=True)]
                assert all(
                    call.arguments == each for call, each in valid if call.status is not ActionStatus.COERCED
                )
            seen.update(str(call.status) for call in read.actions)
            refused = [call for call in read.actions if not call.status.is_runnable]
            seen.update(str(call.reason) for call in refused)
    assert seen == EXPECTED[dialect] | WRONG_BY_THEMSELVES
