"""READ and CHECK together: what was found, and what a catalogue says of it."""

import dataclasses

import pytest

from actionledger.core.values import ParseResult, Reading
from actionledger.core.vocabulary import ActionStatus, Outcome, Reason, RepairKind
from actionledger.profiles import profile_named
from actionledger.reading.parsers import parser_named
from actionledger.runtime.parse_result import read_response

ASSISTANT = profile_named("assistant")
TEXT = """Here:

```actions
{"actions": [
  {"type": "list_tasks",},
  {"type": "delete_task", "task_id": "seven"},
  {"type": "dance"},
  {"content": "x"}
]}
```
"""


def statuses(result):
    return [call.status for call in result.actions]


def test_a_result_is_a_reading_with_its_actions_checked():
    """Everything that reading found is taken over; the actions say what came of the check."""
    found = ASSISTANT.parser.read(TEXT)
    result = read_response(TEXT, ASSISTANT.parser, ASSISTANT.catalogue)
    shared = {field.name for field in dataclasses.fields(Reading)} & {
        field.name for field in dataclasses.fields(ParseResult)
    }
    for name in shared - {"actions"}:
        assert getattr(result, name) == getattr(found, name)
    assert (result.parser_name, result.catalogue) == (ASSISTANT.parser.name, ASSISTANT.catalogue.name)
    assert [call.span for call in result.actions] == [raw.span for raw in found.actions]


def test_the_check_doesnt_change_what_came_of_reading():
    """Whether a text could be read is one question, whether its actions are right is another."""
    result = read_response(TEXT, ASSISTANT.parser, ASSISTANT.catalogue)
    assert result.outcome is Outcome.REPAIRED
    assert statuses(result) == [
        ActionStatus.VALID,
        ActionStatus.INVALID,
        ActionStatus.UNKNOWN,
        ActionStatus.INVALID,
    ]
    assert [call.reason for call in result.actions] == [
        None,
        Reason.WRONG_TYPE,
        Reason.UNKNOWN_ACTION,
        Reason.MISSING_NAME,
    ]


def test_without_a_catalogue_every_named_action_is_not_checked():
    """Nothing says which actions exist, but one without a name can't be run by anybody."""
    result = read_response(TEXT, ASSISTANT.parser, None)
    assert result.catalogue is None
    assert statuses(result) == [ActionStatus.NOT_CHECKED] * 3 + [ActionStatus.INVALID]
    assert len(result.valid_actions) == 3


def test_a_call_has_the_repairs_inside_it_and_the_result_has_all():
    """A trailing comma in the first action is no matter of the others."""
    result = read_response(TEXT, ASSISTANT.parser, ASSISTANT.catalogue)
    assert [len(call.repairs) for call in result.actions] == [1, 0, 0, 0]
    assert [repair.kind for repair in result.repairs] == [RepairKind.TRAILING_COMMA]


def test_valid_actions_are_those_that_may_run():
    """The convenient view leaves out what was refused and what was only shown."""
    result = read_response(TEXT, ASSISTANT.parser, ASSISTANT.catalogue)
    assert [call.name for call in result.valid_actions] == ["list_tasks"]


def test_an_example_is_not_checked():
    """What is shown may be wrong on purpose."""
    coder = profile_named("coder")
    result = read_response("```\n<read_file><path></path></read_file>\n```", coder.parser, coder.catalogue)
    assert statuses(result) == [ActionStatus.ILLUSTRATION]
    assert (result.actions[0].reason, result.valid_actions) == (Reason.EXAMPLE, ())


@pytest.mark.parametrize("name", ["assistant", "coder", "mint", "orchestrator", "reasoner"])
@pytest.mark.parametrize("text", ["", "prose", "\ud800 ``` <execute> {", TEXT])
def test_any_text_can_be_read_under_any_profile(name, text):
    """Never an error, and the text itself comes back untouched."""
    profile = profile_named(name)
    assert read_response(text, profile.parser, profile.catalogue).text == text


def test_a_baseline_is_checked_like_any_parser():
    """Its actions meet the same catalogue, so that the two rates can be compared."""
    text = '```actions\n{"actions": [{"type": "list_tasks", "limit": 0}]}\n```'
    result = read_response(text, parser_named("gembrain-standard"), ASSISTANT.catalogue)
    assert (result.outcome, statuses(result)) == (Outcome.CLEAN, [ActionStatus.INVALID])
