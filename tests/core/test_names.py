"""Which known name a wrong one was meant to be, and namespaces that tell apart two tools of one name."""

import json

import pytest
from hypothesis import given, strategies as st
from steps import steps

import actionledger as al
from actionledger.core.names import did_you_mean, names_to_suggest, near_names, qualified
from actionledger.core.vocabulary import ActionStatus, Reason
from actionledger.imports.shapes import openai_responses
from actionledger.imports.shapes.observations import offered
from actionledger.runtime.parse_result import catalogue_of_tools

FILES = ("create_file", "read_file", "delete_file", "move_file", "create_directory", "execute_command")
KNOWN = ("create_task", "update_task", "search_tasks", "create_goal", "execute_code")


@pytest.mark.parametrize(
    "word",
    [
        "creat_task",
        "cerate_task",
        "create_tasks",
        "CREATE_TASK",
        "createTask",
        "CreateTask",
        "create-task",
        "create task",
        "createtask",
        "task_create",
        "functions.create_task",
        "create_task_action",
    ],
)
def test_another_spelling_finds_its_name(word):
    """Slips of the pen, humps, hyphens, words in another order and words around it: one name is meant, and only one."""
    assert near_names(word, KNOWN) == ("create_task",)


@pytest.mark.parametrize("word", ["weather", "send_email", "zzz", "", "!?", "create_task" * 20, "\ud800"])
def test_another_word_finds_nothing(word):
    """What is no spelling of a known name gets no hint, which would lead astray."""
    assert near_names(word, KNOWN) == ()


@pytest.mark.parametrize(("word", "name"), [("rde", "red"), ("gren", "green"), ("blues", "blue")])
def test_short_words_are_found_too(word, name):
    """Two letters that changed places are one slip, in a word of three letters as well."""
    assert near_names(word, ("red", "green", "blue")) == (name,)


def test_equally_near_names_are_all_named():
    """Where the word alone doesn't decide, the hint doesn't either."""
    assert near_names("task", ("create_task", "update_task", "goal")) == ("create_task", "update_task")
    assert len(near_names("task", [f"{verb}_task" for verb in ("get", "put", "cut", "set", "let")])) == 3


def test_the_nearest_name_comes_first_and_far_ones_are_left_out():
    """A second name is named beside the first only if it is about as near."""
    assert near_names("user_nam", ("user_names", "user_name", "username_of_owner")) == (
        "user_name",
        "user_names",
    )
    assert near_names("createtask", ("update_task", "create_task")) == ("create_task",)


def test_the_hint_is_a_question():
    """It reads as the end of a sentence, and is empty where there is nothing to ask."""
    assert did_you_mean("contnt", ("content", "notes")) == "did you mean 'content'?"
    assert did_you_mean("task", ("a_task", "b_task")) == "did you mean 'a_task' or 'b_task'?"
    assert did_you_mean("zzz", ("content", "notes")) == ""


def test_names_that_differ_in_case_alone_are_both_known():
    assert set(near_names("path", ("Path", "PATH"))) == {"Path", "PATH"}


@given(st.text(), st.lists(st.text(), max_size=5))
def test_any_text_is_taken(word, known):
    """Whatever a model calls an action, the answer is made of known names."""
    assert set(near_names(word, known)) <= set(known)


def test_many_wrong_names_among_many_tools_cost_little():
    """A response full of unknown names can't hold up the session: a hundred are compared with 500 long names in C."""
    tools = [f"tool_{number}_" + "abcdefgh_" * 8 for number in range(500)]
    words = [f"tol_{number}_" + "hgfedcba_" * 9 for number in range(100)]
    assert steps(lambda: [near_names(word, tools) for word in words]) < 20 * (len(words) + len(tools))


def listing(server: str, *required: str) -> dict:
    """A server whose only tool is named as that of any other."""
    schema = {
        "type": "object",
        "properties": {name: {"type": "integer"} for name in required},
        "required": list(required),
        "additionalProperties": False,
    }
    tool = {"type": "function", "name": "list", "parameters": schema}
    return {"type": "namespace", "name": server, "description": "", "tools": [tool]}


def call(namespace: str, **arguments: object) -> dict:
    named = {"namespace": namespace, "name": "list", "arguments": json.dumps(arguments)}
    return {"type": "function_call", "call_id": f"{namespace}-1", **named}


TOOLS = [listing("mcp__files", "depth"), listing("mcp__mail")]


@pytest.mark.parametrize(
    ("namespace", "name"), [("", "list"), ("functions", "list"), (None, "list"), ("a", "a__list")]
)
def test_a_name_stands_behind_its_namespace(namespace, name):
    assert qualified(namespace, "list") == name
    assert qualified("a", "") == ""


def test_each_call_is_checked_against_its_own_servers_tool():
    message = {"output": [call("mcp__files", depth=1), call("mcp__mail"), call("mcp__mail", depth=1)]}
    first, second, third = al.parse_message(message, tools=TOOLS).actions
    assert [(each.name, each.status) for each in (first, second)] == [
        ("mcp__files__list", ActionStatus.VALID),
        ("mcp__mail__list", ActionStatus.VALID),
    ]
    assert (third.status, third.reason) == (ActionStatus.INVALID, Reason.UNKNOWN_FIELD)


def test_what_was_offered_and_what_was_looked_up_have_the_names_of_the_calls():
    """A tool that was deferred stands among the items of the request that comes after its search."""
    names = {tool["function"]["name"] for tool in offered(TOOLS)}
    assert names == {"mcp__files__list", "mcp__mail__list"}
    body = {"model": "m", "tools": TOOLS[:1], "input": [{"type": "tool_search_output", "tools": TOOLS}]}
    found = catalogue_of_tools(openai_responses.request(body).tools)
    assert found is not None
    assert set(found.names) == names


def test_a_name_that_stands_twice_takes_no_checks_from_the_others():
    """Which of the two is meant can't be known, so what it takes is not checked."""
    twice = [
        {"type": "function", "function": {"name": name, "parameters": {"type": "object", "required": [need]}}}
        for name, need in (("list", "a"), ("list", "b"), ("read", "c"))
    ]
    found = catalogue_of_tools(json.dumps(twice))
    assert found is not None
    assert found.names == ("list", "read")
    assert not list(found.tools[0].errors({}))
    assert list(found.tools[1].errors({}))


def test_a_call_that_another_runtime_ran_loses_no_field():
    """In a text that we run the field is left out with a note; a provider's call was refused for it, or was run with it."""
    tools = [{"name": "list", "parameters": listing("", "depth")["tools"][0]["parameters"]}]
    body = {"tool_calls": [{"id": "1", "function": {"name": "list", "arguments": '{"depth": 1, "zzz": 2}'}}]}
    [recorded] = al.parse_message(body, tools=tools).actions
    assert (recorded.status, recorded.reason) == (ActionStatus.INVALID, Reason.UNKNOWN_FIELD)
    text = '<tool_call>{"name": "list", "arguments": {"depth": 1, "zzz": 2}}</tool_call>'
    [written] = al.parse(text, dialects=["hermes"], tools=tools).actions
    assert written.status is ActionStatus.COERCED


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("remove_file", "delete_file"),
        ("rename_file", "move_file"),
        ("write_file", "create_file"),
        ("openFile", "read_file"),
        ("make_folder", "create_directory"),
        ("run_command", "execute_command"),
        ("delet_file", "delete_file"),
    ],
)
def test_a_name_of_the_same_meaning_comes_before_one_of_similar_letters(word, meant):
    """What a model writes for removal is never told to be the nearest to a move."""
    assert names_to_suggest(word, FILES)[0] == meant


@pytest.mark.parametrize("word", ["complete_task", "close_task", "rename_task", "print"])
def test_a_name_with_another_word_is_not_suggested(word):
    """A model that is told so does it: a task to be completed was deleted."""
    assert names_to_suggest(word, ("delete_task", "create_task", "get_task", "execute_code")) == ()


def test_what_says_nothing_means_nothing():
    """No name is suggested for signs alone, or for a text that is no name."""
    assert names_to_suggest("_", ("_", *FILES)) == ()
    assert names_to_suggest("write_file" * 11, FILES) == ()
