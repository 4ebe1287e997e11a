"""Every worked example of the orchestrator's document, and its error texts to the letter."""

import json
from pathlib import Path

import pytest

from actionledger.profiles.orchestrator import parse_actions, strip_action_blocks
from actionledger.profiles.orchestrator.actions import CATALOGUE

FENCE = "`" * 3
ALL_NAMES = (
    "'create_issues' | 'invoke_cheenoski' | 'update_plan' | 'request_info' | 'escalate' | 'request_review' | "
    "'create_branch'"
)
ISSUE = {"title": "[Backend] Auth", "body": "", "labels": ["backend"]}


def block(value: object) -> str:
    """Return a value as a model writes it into its response."""
    return f"{FENCE}json\n{json.dumps(value, indent=2)}\n{FENCE}"


def test_a_single_action():
    """One valid action between two sentences: the action, and the sentences around one blank line."""
    action = {"action": "create_branch", "branch_name": "feature/jwt-auth", "from": "main"}
    text = (
        f"\nI'll create a branch for this work:\n\n{block(action)}\n\nThis will allow parallel development.\n"
    )
    parsed = parse_actions(text)
    assert parsed.actions == [action]
    assert parsed.narrative == "I'll create a branch for this work:\n\nThis will allow parallel development."
    assert parsed.errors == []


def test_several_blocks_of_which_one_is_invalid():
    """The valid action is kept, both blocks leave the narrative, the other one is an error."""
    plan = {"action": "update_plan", "plan": "Implement auth system"}
    wrong = {"action": "create_issues", "issues": "not-an-array"}
    parsed = parse_actions(
        f"\nFirst, update the plan:\n\n{block(plan)}\n\nThen create issues:\n\n{block(wrong)}\n"
    )
    assert parsed.actions == [plan]
    assert parsed.narrative == "First, update the plan:\n\nThen create issues:"
    assert parsed.errors == ['Invalid action "create_issues": issues: Expected array, received string']


@pytest.mark.parametrize("newline", ["\\n", "\n"], ids=["escaped", "raw"])
def test_backticks_within_a_string_close_nothing(newline):
    """A code example in an issue's body is content, with escaped and with raw line breaks."""
    body = f"## Example{newline}{FENCE}typescript{newline}const token = jwt.sign(payload);{newline}{FENCE}"
    text = (
        f"\nCreate an issue with code examples:\n\n{FENCE}json\n"
        f'{{"action": "create_issues", "issues": [{{"title": "[Backend] JWT implementation", "body": "{body}", '
        f'"labels": ["backend"]}}]}}\n{FENCE}\n'
    )
    parsed = parse_actions(text)
    (issue,) = parsed.actions[0]["issues"]
    assert issue["body"] == f"## Example\n{FENCE}typescript\nconst token = jwt.sign(payload);\n{FENCE}"
    assert parsed.narrative == "Create an issue with code examples:"
    assert parsed.errors == []


def test_json_that_is_no_action_stays_in_the_narrative():
    """A configuration that is shown is neither an action nor an error, and nothing of it is lost."""
    config = block({"project": {"repo": "owner/repo", "baseBranch": "main"}})
    text = f"Here's the config structure:\n\n{config}\n\nThis is just for reference."
    parsed = parse_actions(text)
    assert (parsed.actions, parsed.errors) == ([], [])
    assert parsed.narrative == text


def test_a_list_of_actions_in_one_block():
    """Each item is an action; a branch without a base starts from main."""
    parsed = parse_actions(
        block(
            [
                {"action": "create_branch", "branch_name": "feature/auth"},
                {"action": "update_plan", "plan": "Phase 1"},
            ]
        )
    )
    assert parsed.actions == [
        {"action": "create_branch", "branch_name": "feature/auth", "from": "main"},
        {"action": "update_plan", "plan": "Phase 1"},
    ]
    assert parsed.narrative == ""


def test_a_comment_and_a_trailing_comma_are_mended():
    """The document's parser lost this block and logged it; its meaning is plain."""
    text = f'{FENCE}json\n{{\n  "action": "update_plan",\n  "plan": "Implement auth",  // later\n}}\n{FENCE}'
    assert parse_actions(text).actions == [{"action": "update_plan", "plan": "Implement auth"}]


def test_the_first_example_of_the_document():
    """A plan and issues in two blocks, with prose before each."""
    plan = {
        "action": "update_plan",
        "plan": "Implement JWT-based authentication with refresh tokens",
    }
    issues = {
        "action": "create_issues",
        "issues": [
            {
                "title": "[Backend] JWT authentication",
                "body": "## Overview\n...",
                "labels": ["backend", "ralphy-1"],
            }
        ],
    }
    parsed = parse_actions(
        f"Here's my plan for authentication:\n\n{block(plan)}\n\nI'll break this into issues:\n\n{block(issues)}\n"
    )
    assert parsed.actions == [plan, issues]
    assert parsed.narrative == "Here's my plan for authentication:\n\nI'll break this into issues:"


@pytest.mark.parametrize("text", ["", " \n ", "Nothing to do here."])
def test_text_without_an_action(text):
    """There is nothing but narrative."""
    parsed = parse_actions(text)
    assert (parsed.actions, parsed.narrative, parsed.errors) == ([], text.strip(), [])


def test_no_labels_are_labels():
    """The document's own unit test: an empty list of labels and a body of code."""
    body = f"{FENCE}typescript\ncode\n{FENCE}"
    parsed = parse_actions(
        block({"action": "create_issues", "issues": [{"title": "Test", "body": body, "labels": []}]})
    )
    assert [action["action"] for action in parsed.actions] == ["create_issues"]
    assert parsed.errors == []


ERRORS = [
    ({"action": "create_issues"}, 'Invalid action "create_issues": issues: Required'),
    (
        {"action": "invoke_cheenoski", "label": 123},
        'Invalid action "invoke_cheenoski": label: Expected string, received number',
    ),
    (
        {"action": "unknown_action"},
        f'Invalid action "unknown_action": Invalid discriminator value. Expected {ALL_NAMES}',
    ),
    (
        {"action": "create_issues", "issues": [ISSUE | {"labels": "backend"}]},
        'Invalid action "create_issues": issues.0.labels: Expected array, received string',
    ),
    (
        {"action": "create_issues", "issues": "not-an-array"},
        'Invalid action "create_issues": issues: Expected array, received string',
    ),
    (
        {"action": "create_issues", "issues": []},
        'Invalid action "create_issues": issues: Array must contain at least 1 element(s)',
    ),
    (
        {"action": "update_plan", "plan": ""},
        'Invalid action "update_plan": plan: String must contain at least 1 character(s)',
    ),
    (
        {"action": "create_issues", "issues": [{"title": None, "body": True, "labels": {}}, 5]},
        (
            'Invalid action "create_issues": issues.0.title: Expected string, received null; '
            "issues.0.body: Expected string, received boolean; issues.0.labels: Expected array, received object; "
            "issues.1: Expected object, received number"
        ),
    ),
    (
        {"action": "create_issues", "issues": [ISSUE | {"label": "x"}]},
        "Invalid action \"create_issues\": issues.0: Unrecognized key(s) in object: 'label'",
    ),
    (
        {"action": "update_plan", "plan": "x", "plans": "y"},
        "Invalid action \"update_plan\": Unrecognized key(s) in object: 'plans'",
    ),
    ({"action": 5}, f'Invalid action "": Invalid discriminator value. Expected {ALL_NAMES}'),
]


@pytest.mark.parametrize(("value", "error"), ERRORS, ids=lambda value: str(value)[:60])
def test_errors_are_worded_as_in_the_document(value, error):
    """Each field error has the document's words, several of them are joined, and the narrative is clear of the block."""
    parsed = parse_actions(f"So:\n\n{block(value)}")
    assert parsed.errors == [error]
    assert (parsed.actions, parsed.narrative) == ([], "So:")


def test_all_names_are_listed_in_the_catalogues_order():
    """The error about an unknown name shows what there is."""
    assert ALL_NAMES.replace("'", "").split(" | ") == list(CATALOGUE.names)


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ('{"action": "update_plan", "plan": }', "value"),
        ('[{"action": "update_plan", "plan": "x"}, {"action": "upd', "before its value"),
    ],
)
def test_an_action_that_cannot_be_read_is_an_error(body, word):
    """A lost action is never silent; the document's parser logged it at best."""
    (error,) = parse_actions(f"{FENCE}json\n{body}\n{FENCE}").errors
    assert error.startswith("Not read: ")
    assert word in error


def test_an_example_is_neither_run_nor_an_error():
    """What stands in another language's fence is somebody's code."""
    inner = json.dumps({"action": "no_such_action"})
    parsed = parse_actions(f"Write it so:\n\n{FENCE}typescript\nconst a = {inner};\n{FENCE}\n")
    assert (parsed.actions, parsed.errors) == ([], [])


def test_the_narrative_alone_is_deprecated():
    """The old function gives the same narrative, and says what to use instead."""
    text = f"I'll create issues:\n\n{block({'action': 'update_plan', 'plan': 'x'})}\n\nThis is my reasoning."
    with pytest.warns(DeprecationWarning, match="parse_actions"):
        narrative = strip_action_blocks(text)
    assert narrative == parse_actions(text).narrative == "I'll create issues:\n\nThis is my reasoning."


def test_a_field_that_is_near_none_is_left_out_with_a_note():
    """As the page says; one that is near a known one is an error (above)."""
    parsed = parse_actions(block({"action": "update_plan", "plan": "x", "colour": "red"}))
    assert parsed.actions == [{"action": "update_plan", "plan": "x"}]
    [note] = parsed.errors
    assert "The field 'colour' of 'update_plan' was left out" in note
    page = (Path(__file__).parents[3] / "docs" / "orchestrator.md").read_text(encoding="utf-8")
    assert "`The field 'x' of 'update_plan' was left out`" in page
