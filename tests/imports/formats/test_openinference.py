"""Spans of OpenInference: flattened messages are messages again, whether an exporter nested the names or not."""

import json

import pytest

import actionledger as al
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, Relation
from actionledger.imports.formats.openinference import SOURCE, read
from actionledger.imports.formats.otel import KIND, openinference_step
from actionledger.imports.shapes.spans import Span
from actionledger.imports.sources.registry import recognised, sample_of

TRACE = "4bedea77bb33b9c5f280371eae21ea97"
CALL = "llm.output_messages.0.message.tool_calls.{}.tool_call"


def span(number: int, kind: str, parent: int = 0, **fields) -> dict:
    return {
        "name": fields.pop("name", kind.lower()),
        "context": {"trace_id": TRACE, "span_id": f"{number:016x}"},
        "parent_id": f"{parent:016x}" if parent else None,
        "start_time": f"2026-02-03T15:19:{number:02}Z",
        "end_time": f"2026-02-03T15:19:{number + 1:02}Z",
        "status_code": fields.pop("status", "OK"),
        "attributes": {"openinference.span.kind": kind} | fields.pop("attributes", {}),
        **fields,
    }


REQUEST = {
    "llm.model_name": "m",
    "llm.system": "openai",
    "session.id": "talk",
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.contents.0.message_content.type": "text",
    "llm.input_messages.0.message.contents.0.message_content.text": "Where?",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "I look.",
    f"{CALL.format(0)}.id": "a",
    f"{CALL.format(0)}.function.name": "look",
    f"{CALL.format(0)}.function.arguments": '{"at": 1,}',
    f"{CALL.format(1)}.id": "b",
    f"{CALL.format(1)}.function.name": "look",
    f"{CALL.format(1)}.function.arguments": '{"at": 2}',
    "llm.tools.0.tool.json_schema": json.dumps({"type": "function", "function": {"name": "look"}}),
    "llm.token_count.prompt": 9,
    "llm.token_count.completion": 4,
    "llm.token_count.prompt_details.cache_read": 5,
    "llm.cost.total": 0.25,
}
RAN = {"tool.name": "look", "input.value": '{"at": 2}', "output.value": "two"}


def deep(attributes: dict) -> dict:
    """Return dotted names as objects in objects, as Phoenix downloads them; lists stay flat below their name."""
    found: dict = {}
    for key, value in attributes.items():
        *above, last = key.split(".")
        at = found
        for part in above:
            at = at.setdefault(part, {})
        at[last] = value
    return found


@pytest.fixture
def items(tmp_path):
    """Return what is read of spans, one a line."""

    def read_all(*spans: dict) -> list:
        path = tmp_path / "spans.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in spans))
        assert recognised(sample_of(path))[0].source is SOURCE
        return list(read(path))

    return read_all


@pytest.mark.parametrize("spelled", [dict, deep])
def test_flattened_messages_are_messages_again(items, spelled):
    """With calls as the model wrote them, what was offered, tokens and cost; a tool's span is what came of its call."""
    kind = "openinference.span.kind"
    spans = [span(1, "AGENT"), span(2, "LLM", 1, attributes=REQUEST), span(4, "TOOL", 1, attributes=RAN)]
    for each in spans:
        each["attributes"] = spelled(each["attributes"])
    assert kind in spans[0]["attributes"] or spelled is deep
    (session,) = [each for each in items(*spans) if isinstance(each, RecordedSession)]
    (turn,) = session.turns
    assert (session.external_id, session.model, turn.prompt, turn.text) == ("talk", "m", "Where?", "I look.")
    assert turn.capture is Capture.ARGUMENTS
    assert [(each.call_id, each.arguments) for each in turn.calls] == [
        ("a", '{"at": 1,}'),
        ("b", '{"at": 2}'),
    ]
    assert [(each.call_id, each.output, each.is_error) for each in turn.results] == [("b", "two", False)]
    assert json.loads(turn.tools) == [{"type": "function", "function": {"name": "look"}}]
    usage = turn.usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.cost_usd) == (9, 4, 5, 0.25)


def test_a_tool_that_failed_says_why(items):
    """By its exception, where it has no output."""
    raised = {"name": "exception", "attributes": {"exception.message": "no such file"}}
    failed = span(4, "TOOL", attributes={"tool.name": "look"}, status="ERROR", events=[raised])
    (session,) = items(span(2, "LLM", attributes=REQUEST), failed)[:1]
    assert [(each.output, each.is_error) for each in session.turns[0].results] == [("no such file", True)]


def test_an_answer_without_messages_is_its_output(items):
    """A provider's whole response, or a text."""
    body = {"choices": [{"message": {"role": "assistant", "content": "Here."}, "finish_reason": "stop"}]}
    spans = [
        span(1, "LLM", attributes={"input.value": "Where?", "output.value": json.dumps(body)}),
        span(2, "LLM", attributes={"input.value": "And?", "output.value": "There."}),
    ]
    session = items(*spans)[0]
    assert [(turn.prompt, turn.text) for turn in session.turns] == [("Where?", "Here."), ("And?", "There.")]


def test_a_thought_that_is_only_in_the_providers_answer_is_the_turns(items):
    """OpenInference's messages of chat completions have no place for it; run by CrewAI in the lab."""
    message = {"role": "assistant", "content": "", "reasoning_content": "I think again."}
    body = {"id": "c1", "choices": [{"finish_reason": "tool_calls", "index": 0, "message": message}]}
    call = "llm.output_messages.0.message.tool_calls.0.tool_call."
    said = {
        "llm.output_messages.0.message.role": "assistant", call + "id": "call_1",
        call + "function.name": "look", call + "function.arguments": '{"at": 2}',
        "output.value": json.dumps(body),
    }  # fmt: skip
    (turn,) = only(items(span(1, "LLM", attributes={"input.value": "Where?", **said}))).turns
    assert (turn.reasoning, turn.text) == ("I think again.", "")
    assert [each.name for each in turn.calls] == ["look"]


def test_an_agent_of_langchain_s_below_a_tool_is_a_child(tmp_path):
    """Its chain alone is called what the metadata of all within it says."""
    called = {
        f"{CALL.format(0)}.id": "a",
        f"{CALL.format(0)}.function.name": "ask",
        f"{CALL.format(0)}.function.arguments": "{}",
    }

    def of(name: str, more: dict | None = None) -> dict:
        return {"metadata": json.dumps({"lc_agent_name": name})} | (more or {})

    request = {key: value for key, value in REQUEST.items() if not key.startswith(("llm.output", "session"))}
    said = {"llm.output_messages.0.message.role": "assistant"}
    text = {"llm.output_messages.0.message.content": "I look."}
    spans = [
        span(1, "CHAIN", name="boss", attributes=of("boss")),
        span(2, "LLM", 1, attributes=of("boss", request | said | called)),
        span(3, "TOOL", 1, name="ask", attributes=of("boss", {"input.value": "{}", "output.value": "x"})),
        span(4, "CHAIN", 3, name="expert", attributes=of("expert")),
        span(5, "CHAIN", 4, name="model", attributes=of("expert")),
        span(6, "LLM", 5, attributes=of("expert", request | said | text)),
    ]
    path = tmp_path / "spans.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in spans))
    found = [each for each in read(path) if isinstance(each, RecordedSession)]
    assert [(each.external_id, each.parent, each.relation, len(each.turns)) for each in found] == [
        (TRACE, "", None, 1),
        (f"{TRACE}/{4:016x}", TRACE, Relation.SUBAGENT, 1),
    ]


RESPONSE = json.dumps({"id": "resp_1234567", "object": "response", "output": []})


def only(session_items: list) -> RecordedSession:
    (session,) = (each for each in session_items if isinstance(each, RecordedSession))
    return session


IN_PARTS = {
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "I look.",
    "llm.output_messages.1.message.role": "assistant",
    "llm.output_messages.1.message.tool_calls.0.tool_call.id": "a",
    "llm.output_messages.1.message.tool_calls.0.tool_call.function.name": "look",
    "llm.output_messages.1.message.tool_calls.0.tool_call.function.arguments": '{"at": 1}',
    "llm.system": "openai",
}


def test_an_answer_told_in_parts_is_one(items):
    """Of the Responses interface each item is a message; choices of others are answers of their own."""
    said = IN_PARTS
    (turn,) = only(items(span(1, "LLM", attributes=said | {"output.value": RESPONSE}))).turns
    assert (turn.text, [call.name for call in turn.calls], turn.capture) == (
        "I look.",
        ["look"],
        Capture.ARGUMENTS,
    )
    assert len(only(items(span(1, "LLM", attributes=said))).turns) == 2


@pytest.mark.parametrize("others", [0, 2])
def test_the_parts_that_an_older_ledger_has_as_turns_become_the_one_answer(items, ledger, others):
    """It was made a turn of each: the whole one stands for them, and nothing is counted twice."""
    more = {f"llm.output_messages.{n}.message.content": f"And {n}." for n in range(2, 2 + others)}
    parts = only(items(span(1, "LLM", attributes=IN_PARTS | more)))
    whole = only(items(span(1, "LLM", attributes=IN_PARTS | more | {"output.value": RESPONSE})))
    for session in (parts, whole, whole):
        al.import_sessions(ledger, [session])
    assert ledger.sql("SELECT turn_index, call_count FROM turns").fetchall() == [(0, 1)]
    assert ledger.sql("SELECT count(*) FROM actions").fetchall() == [(1,)]


def test_what_is_hidden_is_not_recorded(items):
    """The mark that stands in its place is no text; a tool's definition is no argument."""
    hidden = {"input.value": "__REDACTED__", "output.value": "__REDACTED__"}
    schema = json.dumps({"type": "object", "properties": {"at": {"type": "integer"}}})
    session = only(
        items(
            span(1, "LLM", attributes={"llm.token_count.prompt": 9} | hidden),
            span(2, "TOOL", attributes={"tool.name": "look", "tool.parameters": schema} | hidden),
        )
    )
    (turn,) = session.turns
    assert (turn.capture, turn.text, turn.calls, turn.usage.input_tokens) == (Capture.NONE, "", (), 9)


@pytest.mark.parametrize(
    ("given", "arguments"),
    [
        ({"input.value": '{"at": 2}', "tool.parameters": '{"at": {"type": "integer"}}'}, '{"at": 2}'),
        ({"input.value": '{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"at": 2}}'}, {"at": 2}),
        ({"tool.parameters": '{"at": 2}'}, '{"at": 2}'),
    ],
)
def test_a_tool_was_given_its_input(given, arguments):
    """Not what its definition says that it takes."""
    attributes = {KIND: "TOOL", "tool.name": "look"} | given
    assert openinference_step(Span("1", "t", attributes=attributes)).arguments == arguments


def test_langchains_message_is_what_a_tool_gave():
    """It names the call, and says whether it failed."""
    held = {"content": "gone", "tool_call_id": "a", "status": "error", "type": "tool"}
    given = {KIND: "TOOL", "tool.name": "look", "output.value": json.dumps({"type": "tool", "data": held})}
    found = openinference_step(Span("1", "t", attributes=given, failed=False))
    assert (found.call_id, found.output, found.is_error) == ("a", "gone", True)


def test_a_node_says_which_call_its_tool_answers(items):
    """Where the tool has raised, nothing else does; equal names start in another order."""
    node = [{"name": "look", "args": {"at": 1}, "id": "a", "type": "tool_call"}]
    session = only(
        items(
            span(1, "LLM", attributes=REQUEST),
            span(2, "CHAIN", attributes={"input.value": json.dumps([node[0] | {"id": "b"}])}),
            span(3, "TOOL", 2, attributes={"tool.name": "look", "input.value": "2", "output.value": "two"}),
            span(4, "CHAIN", attributes={"input.value": json.dumps(node)}),
            span(5, "TOOL", 4, attributes={"tool.name": "look", "output.value": "one"}, status="ERROR"),
        )
    )
    assert {each.call_id: each.output for each in session.turns[0].results} == {"a": "one", "b": "two"}


def test_a_bare_schema_has_its_tools_name_beside_it(items):
    """As its name and description are told by themselves."""
    tool = {
        "llm.tools.0.tool.name": "look",
        "llm.tools.0.tool.description": "Look.",
        "llm.tools.0.tool.json_schema": json.dumps({"type": "object", "properties": {}}),
    }
    request = {key: value for key, value in REQUEST.items() if not key.startswith("llm.tools")}
    (turn,) = only(items(span(1, "LLM", attributes=request | tool))).turns
    (offered,) = json.loads(turn.tools)
    assert (offered["function"]["name"], offered["function"]["description"]) == ("look", "Look.")
    assert offered["function"]["parameters"]["type"] == "object"


@pytest.mark.parametrize(
    ("output", "capture"),
    [
        ('{"tool_calls": [{"name": "look"}]}', Capture.CALLS),
        ('{"function": {"name": "look"}}', Capture.ARGUMENTS),
    ],
)
def test_langchain_writes_arguments_anew(output, capture):
    """Unless a provider's own strings are there."""
    given = {KIND: "LLM", **REQUEST, "output.value": output}
    found = openinference_step(
        Span("1", "t", attributes=given, scope="openinference.instrumentation.langchain")
    )
    assert found.keeps is capture


def test_a_call_that_langchain_could_not_read_is_in_its_output_alone():
    broken = {
        "type": "invalid_tool_call",
        "id": "c1",
        "name": "run",
        "args": '{"command": "l',
        "error": "no JSON",
    }
    message = {"content": "I try.", "type": "ai", "tool_calls": [], "invalid_tool_calls": [broken]}
    written = {"lc": 1, "type": "constructor", "id": ["langchain", "AIMessage"], "kwargs": message}
    given = {
        "openinference.span.kind": "LLM",
        "output.value": json.dumps({"generations": [[{"text": "I try.", "message": written}]]}),
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "I try.",
    }
    found = openinference_step(
        Span("1", "t", attributes=given, scope="openinference.instrumentation.langchain")
    )
    (said,) = found.said
    assert (said.text, [(call.call_id, call.name, call.arguments) for call in said.calls]) == (
        "I try.",
        [("c1", "run", '{"command": "l')],
    )


def test_a_part_that_is_a_thought_is_none_of_the_answers_words(items):
    part = "llm.output_messages.0.message.contents.{}.message_content.{}"
    said = {
        "llm.output_messages.0.message.role": "assistant",
        part.format(0, "type"): "reasoning",
        part.format(0, "text"): "I think.",
        part.format(1, "type"): "text",
        part.format(1, "text"): "I say.",
    }
    (session,) = (
        each
        for each in items([span(1, "LLM", attributes={"llm.model_name": "m"} | said)])
        if isinstance(each, RecordedSession)
    )
    (turn,) = session.turns
    assert (turn.text, turn.reasoning) == ("I say.", "I think.")


def test_an_empty_answer_that_stands_for_a_failed_request_is_no_turn(items):
    """LangChain's recorder writes one; an empty answer that was counted is a model's own."""
    empty = {"llm.model_name": "m", "llm.output_messages.0.message.role": "assistant"}
    failed = span(1, "LLM", attributes=empty, status="ERROR")
    counted = span(2, "LLM", attributes=empty | {"llm.token_count.completion": 0}, status="ERROR")
    found = items([failed, counted])
    turns = [turn.external_id for each in found if isinstance(each, RecordedSession) for turn in each.turns]
    assert turns == [f"{2:016x}"]


def test_a_span_that_only_puts_a_request_together_is_none(items):
    """LlamaIndex' has the kind of a model's, and what is to be sent for its output."""
    prepared = {
        "input.value": "{}",
        "output.value": json.dumps({"messages": ["ChatMessage(…)"], "tools": []}),
    }
    session = only(items(span(1, "LLM", attributes=prepared), span(2, "LLM", attributes=REQUEST)))
    assert [turn.text for turn in session.turns] == ["I look."]


def shown(number: int, **fields) -> dict:
    """A request whose history ends with a message of some fields."""
    said = {f"llm.input_messages.1.{name}": held for name, held in fields.items()}
    answer = {
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "So.",
    }
    return span(number, "LLM", attributes={"llm.system": "openai", "session.id": "talk"} | said | answer)


def test_a_result_of_which_the_role_alone_is_there_is_not_recorded(items):
    """Haystack's trace has no more of it, whatever came of the call."""
    session = only(items(span(1, "LLM", attributes=REQUEST), shown(3, **{"message.role": "tool"})))
    assert session.turns[0].results == ()


def test_a_result_of_autogen_s_says_whether_it_is_an_error(items):
    """While the span of the tool says that all was well: the model was told otherwise."""
    ran = span(2, "TOOL", attributes={"tool.name": "look", "input.value": '{"at": 1,}', "output.value": "x"})
    told = [
        json.dumps({"name": "look", "content": "no such place", "call_id": call_id, "is_error": is_error})
        for call_id, is_error in (("a", True), ("b", False))
    ]
    named = {f"function.{place}": each for place, each in enumerate(told)}
    asked, told_of = span(1, "LLM", attributes=REQUEST), shown(3, **{"message.role": "function"}, **named)
    session = only(items(asked, ran, told_of))
    assert [(each.call_id, each.output, each.is_error) for each in session.turns[0].results] == [
        ("a", "no such place", True),
        ("b", "no such place", False),
    ]


def test_what_autogen_calls_a_thought_and_why_it_ended_stand_in_its_result(items):
    result = {"finish_reason": "length", "content": [], "usage": {}, "cached": False, "thought": "I look."}
    said = {key: held for key, held in REQUEST.items() if not key.endswith("0.message.content")}
    (turn,) = only(items(span(1, "LLM", attributes=said | {"output.value": json.dumps(result)}))).turns
    assert (turn.text, turn.reasoning, turn.usage.finish_reason) == ("", "I look.", "length")


def answered(each):
    """Return a span as Phoenix answers with it: its kind stands beside its attributes."""
    told = {key: held for key, held in each["attributes"].items() if key != KIND}
    return each | {"id": "U3Bhbjox", "span_kind": each["attributes"][KIND], "attributes": told, "events": []}


def of_kinds(each):
    """Return a span as Phoenix writes OTLP: each value with all kinds of values, all but one empty."""
    kinds = (
        "array_value",
        "bool_value",
        "bytes_value",
        "double_value",
        "int_value",
        "kvlist_value",
        "string_value",
    )
    attributes = [
        {
            "key": key,
            "value": dict.fromkeys(kinds) | {"string_value" if isinstance(held, str) else "int_value": held},
        }
        for key, held in each["attributes"].items()
        if isinstance(held, str | int)
    ]
    ids = {key: each["context"][key] for key in ("trace_id", "span_id")}
    return {
        "name": each["name"],
        **ids,
        "parent_span_id": None,
        "attributes": attributes,
        "status": {"code": 1},
        "kind": "SPAN_KIND_INTERNAL",
    }


def as_row(each):
    """Return a span as a row of Phoenix's table: a column for each name, lists of messages in one, counts as fractions."""
    told = each["attributes"]
    calls = [
        {
            f"tool_call.{key}": told[f"{CALL.format(place)}.{key}"]
            for key in ("id", "function.name", "function.arguments")
        }
        for place in range(2)
        if f"{CALL.format(0)}.id" in told
    ]
    plain = {
        key: float(held) if isinstance(held, int) else held
        for key, held in told.items()
        if "_messages." not in key and "tools." not in key
    }
    if calls:
        said = {"message.role": "assistant", "message.content": "I look.", "message.tool_calls": calls}
        plain |= {
            "llm.output_messages": [said],
            "llm.input_messages": [{"message.role": "user", "message.content": "Where?"}],
        }
        plain |= {
            "llm.tools": [{"tool.json_schema": told["llm.tools.0.tool.json_schema"]}],
            "embedding.model_name": None,
        }
    columns = {f"attributes.{key}": held for key, held in plain.items()}
    ids = {f"context.{key}": held for key, held in each["context"].items()}
    return {
        "name": each["name"],
        "span_kind": told[KIND],
        "parent_id": None,
        "start_time": each["start_time"],
        **ids,
        **columns,
    }


@pytest.mark.parametrize(
    "written",
    [
        lambda spans: json.dumps({"data": [answered(each) for each in spans], "next_cursor": None}),
        lambda spans: json.dumps([answered(each) for each in spans]),
        lambda spans: json.dumps({"data": [of_kinds(each) for each in spans], "next_cursor": None}),
        lambda spans: "".join(json.dumps(as_row(each)) + "\n" for each in spans),
    ],
    ids=["REST", "its client", "OTLP", "table"],
)
def test_each_form_in_which_phoenix_gives_spans_is_read(written, tmp_path):
    """Phoenix 20.26.1: the same calls, results and tokens as in the spans that were sent to it."""
    path = tmp_path / "spans.json"
    path.write_text(written([span(1, "LLM", attributes=REQUEST), span(2, "TOOL", attributes=RAN)]))
    assert [each.source.name for each in recognised(sample_of(path))][:1] == ["openinference"]
    session = only([item for item in read(path) if isinstance(item, RecordedSession)])
    (turn,) = session.turns
    assert (
        turn.text,
        turn.prompt,
        session.external_id,
        turn.usage.input_tokens,
        turn.usage.cached_tokens,
    ) == ("I look.", "Where?", "talk", 9, 5)
    assert [(call.call_id, call.arguments) for call in turn.calls] == [
        ("a", '{"at": 1,}'),
        ("b", '{"at": 2}'),
    ]
    assert [(each.call_id, each.output) for each in turn.results] == [("b", "two")]
    assert json.loads(turn.tools)[0]["function"]["name"] == "look"


def test_a_thought_of_autogen_s_without_any_word_is_an_answer(items):
    result = {
        "finish_reason": "stop",
        "content": "",
        "usage": {},
        "cached": False,
        "thought": "I only think.",
    }
    said = REQUEST | {"llm.output_messages.0.message.content": "", "output.value": json.dumps(result)}
    (turn,) = only(items(span(1, "LLM", attributes=said))).turns
    assert (turn.text, turn.reasoning, turn.usage.finish_reason) == ("", "I only think.", "stop")


def test_a_run_that_a_framework_tells_of_below_the_instrumentation_is_the_same(items):
    """AutoGen's own span knows the call, and that it failed; the one around it says that all was well."""
    ran = span(3, "TOOL", attributes=RAN | {"output.value": "no such place"})
    own = span(4, "", 3, name="execute_tool look", status="ERROR")
    own["attributes"] = {
        "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look", "gen_ai.tool.call.id": "b",
        "error.type": "ValueError",
    }  # fmt: skip
    session = only(items(span(1, "LLM", attributes=REQUEST), ran, own))
    assert [(each.call_id, each.output, each.is_error) for each in session.turns[0].results] == [
        ("b", "no such place", True)
    ]


def test_an_empty_answer_has_none_of_the_words_that_print_it(items):
    """LlamaIndex prints an answer of nothing as its role and None."""
    empty = {"llm.output_messages.0.message.role": "assistant", "output.value": "assistant: None"}
    (turn,) = only(items(span(1, "LLM", attributes={"llm.token_count.completion": 3} | empty))).turns
    assert (turn.text, turn.usage.output_tokens) == ("", 3)
