"""Two servers may each have a tool of one name: their namespaces tell them apart, in calls and in what was offered."""

import json

import pytest

import actionledger as al
from actionledger.core.names import qualified
from actionledger.core.vocabulary import ActionStatus, Reason
from actionledger.imports.shapes import openai_responses
from actionledger.imports.shapes.observations import offered
from actionledger.runtime.parse_result import catalogue_of_tools


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
