"""Cassettes: exchanges with providers are put together to sessions, whatever their bodies were stored as."""

import base64
import gzip
import json
import struct
from collections import Counter

import pytest

from actionledger.core.errors import SourceError
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture, LeftOutReason, Relation
from actionledger.imports.formats.cassettes import SOURCE, read
from actionledger.imports.sources.base import LeftOut
from actionledger.imports.sources.registry import recognised, sample_of

yaml = pytest.importorskip("yaml")

ASK = {"role": "user", "content": "Read a"}
CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": '{"path": "a"}'}}
TOOLS = [{"type": "function", "function": {"name": "read", "parameters": {}}}]


def asked(*messages):
    return {"model": "gpt-4o", "messages": [ASK, *messages], "tools": TOOLS}


def answer(name, **message):
    choice = {"message": {"role": "assistant", **message}, "finish_reason": "stop"}
    usage = {"prompt_tokens": 9, "completion_tokens": 3}
    return {"id": name, "model": "gpt-4o-1", "choices": [choice], "usage": usage}


def interaction(request, response, uri="https://api.openai.com/v1/chat/completions"):
    return {
        "request": {"method": "POST", "uri": uri, "headers": {}, "body": json.dumps(request)},
        "response": {"headers": {}, "status": {"code": 200}, "body": {"string": response}},
    }


@pytest.fixture
def cassette(tmp_path):
    """Writes a cassette and returns what is read of it."""

    def of(*interactions):
        path = tmp_path / "test_agent.yaml"
        path.write_text(yaml.safe_dump({"interactions": list(interactions), "version": 1}))
        assert [(each.source.name, each.sureness) for each in recognised(sample_of(path))] == [
            ("cassettes", 1)
        ]
        return list(read(path))

    return of


def pieces(items):
    return [item for item in items if isinstance(item, RecordedSession)]


def turns(items):
    return [turn for piece in pieces(items) for turn in piece.turns]


def left(items):
    return {(item.reason, item.detail): item.count for item in items if isinstance(item, LeftOut)}


def test_a_request_that_repeats_a_response_goes_on_from_it(cassette):
    """One session of two turns; the result comes with the second request, and what was said before is counted."""
    first, second = (
        answer("chatcmpl-000000001", content="Looking.", tool_calls=[CALL]),
        answer("chatcmpl-000000002", content="It says a."),
    )
    told = {"role": "tool", "tool_call_id": "c1", "content": "text of a"}
    again = asked(first["choices"][0]["message"], told)
    items = cassette(interaction(asked(), json.dumps(first)), interaction(again, json.dumps(second)))
    one, two = pieces(items)
    assert {one.external_id, two.external_id} == {"chatcmpl-000000001"}
    assert [(turn.external_id, turn.index, turn.prompt) for turn in turns(items)] == [
        ("chatcmpl-000000001", 0, "Read a"),
        ("chatcmpl-000000002", 1, None),
    ]
    assert [(each.call_id, each.output) for each in two.results] == [("c1", "text of a")]
    assert {turn.capture for turn in turns(items)} == {Capture.ARGUMENTS}
    assert left(items) == {(LeftOutReason.REPEATED_HISTORY, "message"): 2}


def test_calls_that_a_client_has_named_anew_are_known_by_what_they_are(cassette):
    """A result goes to the call at the same place."""
    first, second = (
        answer("chatcmpl-000000001", content="", tool_calls=[CALL]),
        answer("chatcmpl-000000002", content="It says a."),
    )
    renamed = {"role": "assistant", "tool_calls": [{**CALL, "id": "fc_9"}]}
    again = asked(renamed, {"role": "tool", "tool_call_id": "fc_9", "content": "text of a"})
    items = cassette(interaction(asked(), json.dumps(first)), interaction(again, json.dumps(second)))
    assert [each.call_id for piece in pieces(items) for each in piece.results] == ["c1"]
    assert {piece.external_id for piece in pieces(items)} == {"chatcmpl-000000001"}


def test_two_ways_on_from_one_response_are_a_session_and_a_fork(cassette):
    """The second has the first for its parent, and the result that both bring counts once."""
    first = answer("chatcmpl-000000001", content="", tool_calls=[CALL])
    told = {"role": "tool", "tool_call_id": "c1", "content": "text of a"}
    again = asked(first["choices"][0]["message"], told)
    bodies = [
        (asked(), first),
        (again, answer("chatcmpl-000000002", content="A.")),
        (again, answer("chatcmpl-000000003", content="B.")),
    ]
    items = cassette(*(interaction(request, json.dumps(response)) for request, response in bodies))
    assert [(piece.external_id, piece.parent, piece.relation) for piece in pieces(items)] == [
        ("chatcmpl-000000001", "", None),
        ("chatcmpl-000000001", "", None),
        ("chatcmpl-000000003", "chatcmpl-000000001", Relation.FORK),
    ]
    assert sum(len(piece.results) for piece in pieces(items)) == 1
    assert left(items)[LeftOutReason.REPEATED_HISTORY, "result"] == 1


def test_a_response_of_nobody_here_makes_no_turn(cassette):
    """What a request says that a model said may be anybody's; its result belongs to no call."""
    told = [
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "text of a"},
    ]
    items = cassette(
        interaction(asked(*told), json.dumps(answer("chatcmpl-000000002", content="It says a.")))
    )
    assert [turn.external_id for turn in turns(items)] == ["chatcmpl-000000002"]
    assert left(items) == {(LeftOutReason.REPEATED_HISTORY, "message"): 2, (LeftOutReason.NO_CALL, ""): 1}


def test_an_error_makes_no_turn_and_says_no_word_of_it(cassette):
    """The kind is counted: its sentence may hold a key."""
    error = {"error": {"message": "Incorrect API key provided: sk-1", "code": "invalid_api_key"}}
    items = cassette(interaction(asked(), json.dumps(error)))
    assert left(items) == {(LeftOutReason.NO_RESPONSE, "invalid_api_key"): 1}


def test_what_is_asked_of_no_model_is_left_out(cassette):
    """By its path, without the identifiers in it."""
    uri = "https://api.openai.com/v1/files/file-MDLqXZjNjNeLwwaRACNDNf?x=1"
    assert left(cassette(interaction({}, '{"id": "file", "object": "file"}', uri))) == {
        (LeftOutReason.BOOKKEEPING, "POST /v1/files"): 1
    }


def sent(*events):
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


CHAT = sent(
    {
        "id": "chatcmpl-000000001",
        "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Look"}}],
    },
    {"choices": [{"index": 0, "delta": {"content": "ing."}}]},
    {
        "choices": [
            {
                "index": 0,
                "delta": {
                    "tool_calls": [
                        {"index": 0, "id": "c1", "function": {"name": "read", "arguments": '{"path"'}}
                    ]
                },
            }
        ]
    },
    {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": ': "a"}'}}]}}]},
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    {
        "choices": [],
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": 3,
            "completion_tokens_details": {"reasoning_tokens": 1},
        },
    },
)
MESSAGES = sent(
    {
        "type": "message_start",
        "message": {
            "id": "chatcmpl-000000001",
            "model": "m",
            "usage": {"input_tokens": 9, "output_tokens": 1},
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Looking."}},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "tool_use", "id": "c1", "name": "read", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": '{"path"'},
    },
    {
        "type": "content_block_delta",
        "index": 1,
        "delta": {"type": "input_json_delta", "partial_json": ': "a"}'},
    },
    {"type": "message_delta", "delta": {"stop_reason": "tool_calls"}, "usage": {"output_tokens": 3}},
)
ITEM = {"type": "function_call", "call_id": "c1", "name": "read", "arguments": '{"path": "a"}'}
SAID = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Looking."}]}
RESPONSES = sent(
    {
        "type": "response.created",
        "response": {"id": "chatcmpl-000000001", "status": "in_progress", "output": []},
    },
    {"type": "response.output_item.added", "output_index": 0, "item": {**SAID, "content": []}},
    {"type": "response.output_text.delta", "output_index": 0, "delta": "Looking."},
    {"type": "response.output_item.added", "output_index": 1, "item": {**ITEM, "arguments": ""}},
    {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"path": "a"}'},
    {
        "type": "response.completed",
        "response": {
            "id": "chatcmpl-000000001",
            "status": "tool_calls",
            "output": [SAID, ITEM],
            "usage": {"input_tokens": 9, "output_tokens": 3},
        },
    },
)


def frame(name, payload):
    def header(key, value):
        return bytes([len(key)]) + key.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()

    headers = header(":event-type", name) + header(":message-type", "event")
    body = json.dumps(payload).encode()
    return struct.pack(">III", 16 + len(headers) + len(body), len(headers), 0) + headers + body + b"\0\0\0\0"


CONVERSE = b"".join(
    [
        frame("messageStart", {"role": "assistant"}),
        frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Look"}}),
        frame("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "ing."}}),
        frame(
            "contentBlockStart",
            {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "c1", "name": "read"}}},
        ),
        frame("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"path"'}}}),
        frame("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"toolUse": {"input": ': "a"}'}}}),
        frame("messageStop", {"stopReason": "tool_calls"}),
        frame("metadata", {"usage": {"inputTokens": 9, "outputTokens": 3}}),
    ]
)


@pytest.mark.parametrize("stream", [CHAT, MESSAGES, RESPONSES, CONVERSE])
def test_a_stream_is_put_together_with_the_arguments_as_written(cassette, stream):
    """Whose ever it is, it is the response that it would have been in one piece."""
    (turn,) = turns(cassette(interaction(asked(), stream)))
    assert (turn.text, turn.capture) == ("Looking.", Capture.ARGUMENTS)
    assert [(each.call_id, each.name, each.arguments) for each in turn.calls] == [
        ("c1", "read", '{"path": "a"}')
    ]
    assert (turn.usage.input_tokens, turn.usage.output_tokens) == (9, 3)
    assert turn.usage.finish_reason == "tool_calls"


@pytest.mark.parametrize("stream", [CHAT, MESSAGES, RESPONSES, CONVERSE])
def test_a_stream_that_was_cut_keeps_what_came(cassette, stream):
    """Wherever it breaks off, the text before is there, and nothing raises."""
    seen = Counter()
    for end in range(0, len(stream), 29):
        for turn in turns(cassette(interaction(asked(), stream[:end]))):
            assert "Looking.".startswith(turn.text)
            seen[turn.text] += 1
    assert seen["Looking."]


def test_geminis_pieces_are_one_answer(cassette):
    """A call without an identifier gets one of its answer's, so that its result can come later."""
    part = {"functionCall": {"name": "read", "args": {"path": "a"}}}
    stream = sent(
        {"responseId": "response-000000001", "candidates": [{"content": {"parts": [{"text": "Look"}]}}]},
        {"responseId": "response-000000001", "candidates": [{"content": {"parts": [{"text": "ing."}]}}]},
        {
            "responseId": "response-000000001",
            "candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 3},
        },
    )
    uri = "https://generativelanguage.googleapis.com/v1beta/models/gemini-9:streamGenerateContent"
    ask = {"role": "user", "parts": [{"text": "Read a"}]}
    said = {"role": "model", "parts": [{"text": "Looking."}, part]}
    came = {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "x"}}}]}
    last = {"responseId": "response-000000002", "candidates": [{"content": {"parts": [{"text": "x"}]}}]}
    items = cassette(
        interaction({"contents": [ask]}, stream, uri),
        interaction({"contents": [ask, said, came]}, json.dumps(last), uri),
    )
    first, second = turns(items)
    assert (first.text, first.model, first.usage.output_tokens) == ("Looking.", "gemini-9", 3)
    assert [each.call_id for each in first.calls] == ["response-000000001/0"]
    assert [(each.call_id, each.output) for piece in pieces(items) for each in piece.results] == [
        ("response-000000001/0", {"output": "x"})
    ]
    assert second.index == 1


def test_bodies_are_read_however_they_were_stored(cassette):
    """Parsed, gzipped, in base64: the turn is the same."""
    body = json.dumps(answer("chatcmpl-000000001", content="Hi")).encode()
    stored = [
        {"parsed_body": json.loads(body)},
        {"body": {"string": gzip.compress(body)}},
        {"body": {"base64_string": base64.b64encode(body).decode()}},
        {"body": {"string": body}},
    ]
    for response in stored:
        (turn,) = turns(cassette({"request": {"parsed_body": asked()}, "response": response}))
        assert (turn.external_id, turn.text) == ("chatcmpl-000000001", "Hi")


def test_what_is_no_cassette_is_refused(tmp_path):
    path = tmp_path / "a.yaml"
    for text, why in [
        ("a: [", "not YAML"),
        ("[1]", "not a cassette but list"),
        ("a: 1", "no list of interactions"),
    ]:
        path.write_text(text)
        with pytest.raises(SourceError, match=why):
            list(read(path))


def test_aliases_that_explode_are_refused(tmp_path):
    """A few lines of YAML can stand for billions of values."""
    lines = ["a: &a [1,1,1,1,1,1,1,1,1]"]
    lines += [f"{b}: &{b} [{','.join([f'*{a}'] * 9)}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)]
    path = tmp_path / "a.yaml"
    path.write_text("\n".join([*lines, "interactions: []"]))
    with pytest.raises(SourceError, match="each alias counted"):
        list(read(path))


@pytest.mark.corpus
def test_cassettes_of_others_are_read_whole(corpus, counted):
    """As many turns, calls and tokens as a search through the texts finds."""
    paths = corpus("vcr-cassettes/*/*.yaml")
    found = counted(SOURCE.name, *paths)
    # Counted apart from our code: answers by what each interface's body has, calls by their marks, tokens by their usage, with 195 of advisors.
    assert found["refused"] == 0
    assert (found["turns"], found["calls"], found["tokens"]) == (144, 54, 16480)
