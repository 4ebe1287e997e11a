"""``prompt``, ``schema`` and ``actions``: what a profile's model is told."""

import json

import pytest

import actionledger as al


def test_the_instructions_are_printed_as_they_are(run):
    """So that they can be piped into a file; nothing is added."""
    done = run("prompt", "assistant")
    assert (done.code, done.err) == (0, "")
    assert done.out == al.prompt("assistant")


@pytest.mark.parametrize(
    ("options", "given"),
    [
        (("--short",), {"short": True}),
        (("--dialect", "hermes"), {"dialect": "hermes"}),
        (("-d", "react", "--short"), {"dialect": "react", "short": True}),
    ],
)
def test_dialect_and_length_can_be_chosen(run, options, given):
    assert run("prompt", "orchestrator", *options).out == al.prompt("orchestrator", **given)


def test_the_schema_of_all_actions(run):
    """A union told apart by the field that names the action."""
    value = run("schema", "orchestrator").value
    assert value["discriminator"]["propertyName"] == "action"
    assert set(value["discriminator"]["mapping"]) == set(al.profile("orchestrator").catalogue.names)


def test_the_schema_of_one_action(run):
    value = run("schema", "orchestrator", "create_branch").value
    assert set(value["properties"]) == {"branch_name", "from"}
    assert value["required"] == ["branch_name"]


def test_the_tools(run):
    """All of them, or one, as a list either way."""
    tools = run("schema", "coder", "--tools").value
    assert tools == json.loads(json.dumps(al.tools("coder")))
    (tool,) = run("schema", "coder", "read_file", "--tools").value
    assert tool["function"]["name"] == "read_file"


def test_the_actions_are_listed(run):
    """Each with its fields: what they take, whether they must be given, what they mean."""
    lines = run("actions", "coder").out.splitlines()
    assert any(line.split()[:2] == ["create_file", "Create"] for line in lines)
    path = next(line for line in lines if line.split()[:1] == ["path"])
    assert "string of at least 1 character" in path
    assert "required" in path
    assert any('default ""' in line for line in lines)


def test_the_actions_as_json(run):
    value = run("actions", "assistant", "--json").value
    assert len(value) == 25
    create = value[0]
    assert (create["name"], create["group"]) == ("create_task", "Tasks")
    assert create["example"]["status"] == "pending"
    assert create["fields"][0] == {
        "name": "content",
        "type": "string of at least 1 character",
        "required": True,
        "default": None,
        "description": "What is to be done.",
        "allowed": [],
        "fields": [],
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("prompt", "codr"), "There is no profile 'codr'. Did you mean 'coder'?"),
        (("prompt", "coder", "-d", "hermse"), "There is no dialect 'hermse'. Did you mean 'hermes'?"),
        (("prompt", "orchestrator", "-d", "mint"), "The dialect 'mint' can't write 'create_issues'"),
        (
            ("schema", "coder", "read_fil"),
            "There is no action of coder 'read_fil'. Did you mean 'read_file'?",
        ),
        (("schema", "coder", "read_fil", "--tools"), "There is no action of coder 'read_fil'."),
        (("actions", "codr"), "There is no profile 'codr'."),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(sentence, arguments, said):
    """With exit code 1 and without a traceback."""
    assert said in sentence(*arguments)
