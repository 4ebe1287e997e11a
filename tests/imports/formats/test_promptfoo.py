"""Results of promptfoo 0.123.1, as its own providers have written them: a session each, with calls however an adapter gives them."""

import json

import pytest
from given_items import sessions

from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.formats import promptfoo
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.imports.sources.registry import recognised, sample_of

TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
TOOK = {
    "prompt": 40, "completion": 9, "cached": 0, "total": 49, "numRequests": 1,
    "completionDetails": {"reasoning": 3, "cacheReadInputTokens": 17, "cacheCreationInputTokens": 0},
}  # fmt: skip
CALLED = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"at": "a'}}
SAID = {"role": "assistant", "content": "I look.", "reasoning_content": "Where?", "tool_calls": [CALLED]}
IN_WORDS = (
    "Thinking: Where?\nSignature: bGFi\n\nI look.\n\n"
    '{"type":"tool_use","id":"c1","name":"look","input":{"at":"a"}}\n\n{"type":"tool_use","id":"c2","name":"look","input":"{\\"at\\": \\"a"}'
)
RESPONSE = {
    "id": "resp_1", "object": "response", "model": "served-1", "status": "completed",
    "output": [
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
        {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"at": "a'},
    ],
    "usage": {"input_tokens": 40, "output_tokens": 9, "output_tokens_details": {"reasoning": 3}},
}  # fmt: skip


def result(number=0, provider="openai:chat:asked-1", success=True, error=None, **response):
    answered = (
        {"tokenUsage": TOOK, "finishReason": "tool_calls", "latencyMs": 34, **response} if response else {}
    )
    return {
        "id": f"r{number}", "provider": {"id": provider, "label": ""}, "prompt": {"raw": "One.", "label": "{{q}}"},
        "promptIdx": 0, "testIdx": number, "testCase": {"vars": {"q": "One."}}, "vars": {"q": "One."}, "latencyMs": 35,
        "success": success, "score": float(success), "namedScores": {"brief": 0.5}, "gradingResult": {"pass": success},
        "failureReason": 2 if error else int(not success), "error": error, "response": answered, "cost": 0,
    }  # fmt: skip


def document(*results):
    listed = list(results or (result(output=SAID), result(1, output="Done.")))
    providers = [{"id": "openai:chat:asked-1", "config": {"tools": [TOOL]}}]
    return {
        "evalId": "eval-1",
        "results": {"version": 3, "timestamp": "2026-12-01T12:58:01.536Z", "prompts": [], "results": listed, "stats": {}},
        "config": {"providers": providers},
        "metadata": {"promptfooVersion": "0.123.1"},
    }  # fmt: skip


def read(tmp_path, value, name="results.json"):
    path = tmp_path / name
    lines = (
        "".join(json.dumps(each) + "\n" for each in value)
        if name.endswith("l")
        else json.dumps(value, indent=2)
    )
    path.write_text(lines)
    assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [("promptfoo", 1)]
    return list(promptfoo.read(path))


def test_a_result_is_a_session_with_its_score(tmp_path):
    said, done = sessions(read(tmp_path, document()))
    (turn,) = said.turns
    assert (turn.text, turn.prompt, turn.reasoning, turn.capture) == (
        "I look.",
        "One.",
        "Where?",
        Capture.ARGUMENTS,
    )
    assert [(call.call_id, call.name, call.arguments) for call in turn.calls] == [("c1", "look", '{"at": "a')]
    usage = turn.usage
    counts = (usage.input_tokens, usage.output_tokens, usage.cached_tokens, usage.reasoning_tokens)
    assert (counts, usage.cache_write_tokens, usage.latency_ms) == ((40, 9, 17, 3), None, 34)
    assert json.loads(turn.tools) == [TOOL]
    assert (said.external_id, said.model, said.success, dict(said.scores)) == (
        "r0", "asked-1", True, {"score": 1.0, "brief": 0.5},
    )  # fmt: skip
    assert done.turns[0].text == "Done."


@pytest.mark.parametrize(
    "output",
    [
        SAID,
        [CALLED],
        f"I look.\n{json.dumps({'type': 'function_call', 'call_id': 'c1', 'name': 'look', 'arguments': CALLED['function']['arguments']}, separators=(',', ':'))}",
    ],
)
def test_calls_are_read_however_an_adapter_gives_them(output, tmp_path):
    ((turn,),) = [each.turns for each in sessions(read(tmp_path, document(result(output=output))))]
    assert [(call.call_id, call.name, call.arguments) for call in turn.calls] == [("c1", "look", '{"at": "a')]
    assert turn.text in {"I look.", ""}


def test_calls_in_words_of_anthropic_s_adapter(tmp_path):
    """Arguments that were no JSON stand there as a text; only a signed thought is one."""
    (one, two) = sessions(
        read(tmp_path, document(result(output=IN_WORDS), result(1, output="Thinking: no.\n\nOr not.")))
    )
    assert [call.arguments for call in one.turns[0].calls] == [{"at": "a"}, '{"at": "a']
    assert (one.turns[0].text, one.turns[0].reasoning) == ("I look.", "Where?")
    assert (two.turns[0].text, two.turns[0].reasoning) == ("Thinking: no.\n\nOr not.", "")


def test_a_provider_s_own_answer_counts_where_it_was_kept(tmp_path):
    (one,) = sessions(
        read(
            tmp_path,
            document(result(provider="openai:responses:asked-1", output="I look.\n{}", raw=RESPONSE)),
        )
    )
    (turn,) = one.turns
    assert (one.model, turn.text, turn.calls[0].arguments) == ("served-1", "I look.", '{"at": "a')


def test_lines_are_the_same_sessions_without_tools(tmp_path):
    (one,) = sessions(read(tmp_path, [result(output=SAID)], "results.jsonl"))
    assert (one.external_id, one.turns[0].tools) == ("r0", "")


def test_a_request_that_failed_is_counted(tmp_path):
    found = read(tmp_path, document(result(success=False, error="API error: 500"), result(1, output="Done.")))
    assert len(list(sessions(found))) == 1
    assert [(each.reason, each.count) for each in found if isinstance(each, LeftOut)] == [
        (LeftOutReason.NO_RESPONSE, 1)
    ]


def test_a_document_that_breaks_off_keeps_its_whole_results(tmp_path):
    path = tmp_path / "results.json"
    text = json.dumps(document(), indent=2)
    path.write_text(text[: text.index('"Done."')])
    found = list(promptfoo.read(path))
    assert [each.external_id for each in sessions(found)] == ["r0"]
    assert any(isinstance(each, Refusal) for each in found)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("openai:chat:gpt-5", "gpt-5"), ("openai:gpt-5", "gpt-5"), ("anthropic:messages:claude", "claude"), ("echo", "echo"),
        ("ollama:chat:llama3:8b", "llama3:8b"), ("bedrock:us.model-v1:0", "us.model-v1:0"),
    ],
)  # fmt: skip
def test_a_provider_s_name_has_the_model_s(name, model, tmp_path):
    (one,) = sessions(read(tmp_path, document(result(provider=name, output="Done."))))
    assert one.model == model
