"""Batches: an answer is a session named by its request, in whatever order the answers come."""

import json

import pytest
from given_items import sessions

from actionledger.core.vocabulary import Capture, LeftOutReason
from actionledger.imports.formats.openai_batch import SOURCE, read
from actionledger.imports.sources.base import LeftOut
from actionledger.imports.sources.registry import recognised, sample_of


def answered(name, text="Hola", **fields):
    body = {
        "id": f"chatcmpl-00000000{name}",
        "model": "m",
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3},
    }
    return {
        "id": "b1",
        "custom_id": name,
        "response": {"status_code": 200, "body": body},
        "error": None,
        **fields,
    }


def asked(name, **fields):
    body = {"model": "m", "messages": [{"role": "user", "content": f"Say {name}"}], **fields}
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}


@pytest.fixture
def batch(tmp_path):
    """Writes a file of answers and returns what is read of it."""

    def of(*lines, name="batch_output.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [
            ("openai_batch", 1)
        ]
        return list(read(path))

    return of


def left(items):
    return {(item.reason, item.detail): item.count for item in items if isinstance(item, LeftOut)}


def test_each_answer_is_a_session_of_its_own(batch):
    """Named by its request and its own identifier, since many batches have a first request; nothing that was offered is known, so that its text is read."""
    found = sessions(batch(answered("b"), answered("a")))
    assert [(each.external_id, each.turns[0].text, each.turns[0].usage.output_tokens) for each in found] == [
        ("b/chatcmpl-00000000b", "Hola", 3),
        ("a/chatcmpl-00000000a", "Hola", 3),
    ]
    assert [each.labels for each in found] == [("b",), ("a",)]
    assert found[0].turns[0].capture is Capture.TEXT


def test_what_was_asked_is_taken_from_the_file_beside_it(batch, tmp_path):
    """By its name, whatever the order; with tools the calls are split off."""
    tools = [{"type": "function", "function": {"name": "f"}}]
    lines = [asked("a"), asked("b", tools=tools)]
    (tmp_path / "batch_input.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    one, other = (each.turns[0] for each in sessions(batch(answered("b"), answered("a"))))
    assert (one.prompt, one.capture, other.prompt, other.tools) == ("Say b", Capture.ARGUMENTS, "Say a", "")


def test_a_file_of_requests_has_no_sessions(batch):
    assert left(batch(asked("a"), asked("b"), name="x.jsonl")) == {(LeftOutReason.BOOKKEEPING, "request"): 2}


def test_anthropics_results_are_read(batch):
    """Those that came to nothing say why."""
    message = {
        "type": "message",
        "id": "msg_000000000001",
        "role": "assistant",
        "content": [{"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a"}}],
        "usage": {"input_tokens": 9, "output_tokens": 3},
    }
    items = batch(
        {"custom_id": "a", "result": {"type": "succeeded", "message": message}},
        {"custom_id": "b", "result": {"type": "expired"}},
        {
            "custom_id": "c",
            "result": {
                "type": "errored",
                "error": {"type": "error", "error": {"type": "invalid_request_error", "message": "secret"}},
            },
        },
    )
    (session,) = sessions(items)
    assert (session.external_id, session.turns[0].calls[0].name) == ("a/msg_000000000001", "read")
    assert session.turns[0].capture is Capture.CALLS
    assert left(items) == {
        (LeftOutReason.NO_RESPONSE, "expired"): 1,
        (LeftOutReason.NO_RESPONSE, "invalid_request_error"): 1,
    }


def test_an_answer_that_failed_is_counted(batch):
    failed = answered(
        "a", response={"status_code": 429, "body": {"error": {"type": "rate_limit", "message": "x"}}}
    )
    none = answered("b", response=None, error={"code": "batch_expired", "message": "x"})
    items = batch(failed, none)
    assert sessions(items) == []
    assert sum(left(items).values()) == 2
    assert (LeftOutReason.NO_RESPONSE, "batch_expired") in left(items)


@pytest.mark.corpus
def test_batches_of_others_are_read_whole(corpus, counted):
    """As many answers and tokens as their lines say."""
    paths = corpus("agents/openai-batch/*output.jsonl")
    bodies = [
        json.loads(line)["response"]["body"] for path in paths for line in path.read_text().splitlines()
    ]
    found = counted(SOURCE.name, *paths)
    assert (found["sessions"], found["turns"], found["refused"]) == (len(bodies), len(bodies), 0)
    assert found["tokens"] == sum(body["usage"]["completion_tokens"] for body in bodies)
