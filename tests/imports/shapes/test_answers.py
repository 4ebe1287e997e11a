"""Which run of a tool answers which call of a trace."""

from collections import Counter

from actionledger.imports.shapes.answers import Answers, arguments_of
from actionledger.imports.shapes.base import Message
from actionledger.imports.shapes.steps import Step


def test_calls_under_one_identifier_are_told_apart_by_their_arguments():
    """They end in any order, and each is run once."""
    said = Message("model")
    for command in ("one", "two"):
        said.call("c", "run", {"command": command})
    answers = Answers(Counter())
    answers.take(Step("model", "m", said=[said]))
    for command in ("two", "one"):
        ran = Step("tool", command, name="run", call_id="c", arguments=command, output=f"ran {command}")
        answers.take(ran)
    calls, results = answers.of("m", 0)
    assert [call.arguments for call in calls] == [{"command": "one"}, {"command": "two"}]
    assert [result.output for result in results] == ["ran one", "ran two"]


def test_arguments_with_half_a_letter_are_no_obstacle():
    assert arguments_of('{"a": "\ud800"}') == {"a": "\ud800"}
    assert arguments_of("\ud800") == "\ud800"
