"""What a model is shown after a mistake has the right shape as it stands, and holds what the model tried."""

import json

import pytest

import actionledger as al
from actionledger.core.vocabulary import ActionStatus, Reason
from actionledger.profiles import profile_named
from actionledger.runtime.execution.feedback import corrector, render
from actionledger.runtime.execution.mending import mender


def told(text: str, profile: str) -> str:
    """Return the feedback on a response of which nothing ran."""
    known = profile_named(profile)
    return render(al.parse(text, profile=profile), (), correct=corrector(known), mend=mender(known))


def shown(text: str, profile: str) -> dict[str, object]:
    """Return the object in the last block that a model is shown."""
    value: dict[str, object] = json.loads(
        told(text, profile).rpartition("```")[0].rpartition("```")[2].partition("\n")[2]
    )
    return value


ISSUE = '{"action": "create_issues", "issues": [{"title": "Login fails", "body": "500", %s}]}'


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ('"labels": "bug, auth"', {"labels": ["bug", "auth"]}),
        ('"labels": "bug\\nauth"', {"labels": ["bug", "auth"]}),
        ('"labels": "bug", "assignee": "Ada"', {"labels": ["bug"]}),
        ('"tags": ["bug"]', {"labels": ["…"]}),
    ],
)
def test_a_fault_within_a_value_is_mended_within_it(given, meant):
    """The rest of the value is what the model wrote."""
    text = f"```json\n{ISSUE % given}\n```"
    assert shown(text, "orchestrator") == {
        "action": "create_issues",
        "issues": [{"title": "Login fails", "body": "500", **meant}],
    }


@pytest.mark.parametrize(
    ("plan", "meant"),
    [
        ('["Index", "Page"]', "Index\nPage"),
        ('{"first": "Index", "second": 2}', "first: Index\nsecond: 2"),
        ('[{"step": 1}]', "…"),
        ("[]", "…"),
    ],
)
def test_a_text_that_was_written_as_a_list_is_shown_as_lines(plan, meant):
    """An object of plain values, too; what has no plain reading is left to the model."""
    text = f'```json\n{{"action": "update_plan", "plan": {plan}}}\n```'
    assert shown(text, "orchestrator") == {"action": "update_plan", "plan": meant}


@pytest.mark.parametrize("name", ["delete_goal", "create_task"])
def test_an_action_without_its_fields_is_not_shown_with_the_values_of_an_example(name):
    """A model that copies it would delete goal 1, or create a task that nobody wants."""
    copied = json.dumps(shown(f'```actions\n{{"actions": [{{"type": "{name}"}}]}}\n```', "assistant"))
    assert not al.parse(f"```actions\n{copied}\n```", profile="assistant").valid_actions


@pytest.mark.parametrize(
    "text",
    [
        '```actions\n{"actions": ["create_task: Iron shirts"]}\n```',
        '```actions\ncreate_task content="Iron shirts"\n```',
        "Now I do these:\n\n1. create_task: Iron shirts\n2. list_tasks",
    ],
)
def test_a_name_before_its_value_is_shown_with_it(text):
    """In a text for an action, in a block without JSON, and in a numbered list."""
    value = shown(text, "assistant")
    assert value["actions"][0] == {"type": "create_task", "content": "Iron shirts"}  # type: ignore[index]


def test_tags_within_json_are_shown_as_json():
    """They hold what was tried."""
    text = '```actions\n{"actions": ["<create_task><content>Iron shirts</content></create_task>"]}\n```'
    assert shown(text, "assistant") == {"actions": [{"type": "create_task", "content": "Iron shirts"}]}


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"action": "deploy", "env": "prod"}\n```',
        '```json\n{"name": "deploy", "arguments": {}}\n```',
    ],
)
def test_an_example_has_the_shape_that_the_format_asks_for(text):
    """Also in a field that is no text; and who copies it as it stands has done nothing."""
    example = {"action": "create_issues", "issues": [{"title": "…", "body": "…", "labels": ["…"]}]}
    assert shown(text, "orchestrator") == example
    [copied] = al.parse(
        f"```json\n{json.dumps(example, ensure_ascii=False)}\n```", profile="orchestrator"
    ).actions
    assert (copied.status, copied.reason) == (ActionStatus.NEEDS_APPROVAL, Reason.EXAMPLE)


THOUGHT = "<think>\nI could call list_tasks() for that.\n</think>\n"


@pytest.mark.parametrize(
    "rest", ["You work in Lisbon time.", '```actions\n{"actions": [{"type": "list_goals"}]}\n```']
)
def test_what_was_only_weighed_in_thoughts_is_not_told(rest):
    """The model has answered or acted; the record keeps the mention."""
    assert told(THOUGHT + rest, "assistant") == ""
    assert [issue.code for issue in al.parse(THOUGHT + rest, profile="assistant").issues] == [
        Reason.REASONING
    ]


def test_a_call_that_stands_only_in_thoughts_is_told():
    """Nothing else was said, or a whole call is in them: it may be lost."""
    assert "thinks this to itself" in told(THOUGHT, "assistant")
    block = '<think>\n```actions\n{"actions": [{"type": "list_tasks"}]}\n```\n</think>\nDone.'
    assert "thinks this to itself" in told(block, "assistant")
