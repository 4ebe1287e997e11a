"""The client: what it sends, and what it makes of the answers that servers give."""

import gc

import pytest

from actionledger.core.errors import UsageError
from actionledger.reading.messages import read_message
from actionledger.runtime.models import Completion, Message, Usage
from actionledger.runtime.models.openai import OpenAICompatible

TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]


def everything(chunks):
    """Return the pieces of a stream and the completion that the last one carries."""
    pieces = list(chunks)
    assert [piece.completion is None for piece in pieces] == [True] * (len(pieces) - 1) + [False]
    return pieces, pieces[-1].completion


# What is sent


def test_a_request_is_what_the_interface_takes(server, client, hello, key):
    """Messages, tools, stops and options go where OpenAI's interface has them; the key goes into its header."""
    server.whole()
    calls = ({"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}},)
    shown = [*hello, Message("assistant", "", calls), Message("tool", "3", call_id="c1")]
    client(options={"temperature": 0, "seed": None}).complete(shown, tools=TOOLS, stop=["END"])
    [seen] = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.headers["Authorization"] == f"Bearer {key}"
    assert seen.body == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hello 😀"},
            {"role": "assistant", "content": "", "tool_calls": list(calls)},
            {"role": "tool", "content": "3", "tool_call_id": "c1"},
        ],
        "tools": TOOLS,
        "stop": ["END"],
        "temperature": 0,
    }


def test_a_stream_asks_for_its_usage_unless_told_not_to(server, client, hello):
    """``stream_options`` can be left out for servers that don't take it."""
    for options in ({}, {"stream_options": None}):
        server.stream(server.piece("Hi", "stop"), server.DONE)
        everything(client(options=options).stream(hello, stop="END"))
    first, second = (seen.body for seen in server.seen)
    assert (first["stream"], first["stop"]) == (True, ["END"])
    assert first["stream_options"] == {"include_usage": True}
    assert "stream_options" not in second


def test_half_a_character_is_sent_as_it_is_recorded(server, client):
    """What a model wrote may hold half a surrogate pair; the next request still goes out."""
    server.whole()
    client().complete([Message("user", "a\ud83d")])
    assert server.seen[0].body["messages"][0]["content"] == "a\ufffd"


def test_nothing_is_asked_before_the_first_piece_is(server, client, hello):
    """Making a stream costs nothing."""
    client().stream(hello)
    assert server.seen == []


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"options": {"messages": []}}, "'messages'"),
        ({"retries": -1}, "retries"),
        ({"max_bytes": 0}, "max_bytes"),
    ],
)
def test_a_client_that_cannot_work_is_not_made(given, word):
    """The developer hears which argument it is."""
    with pytest.raises(UsageError, match=word):
        OpenAICompatible("http://127.0.0.1:1/v1", "m", **given)


@pytest.mark.parametrize("value", [{1}, float("nan")])
def test_what_json_has_no_form_for_is_told_before_it_is_sent(server, client, hello, value):
    """An option or a tool that can't be written is the developer's to mend."""
    with pytest.raises(UsageError, match="tools and options"):
        client(options={"seed": value}).complete(hello)
    assert server.seen == []


# Good answers


def test_a_response_in_one_piece(server, client, hello):
    """Text, reason, usage, the server's name for the model, and its message as it sent it."""
    message = {"role": "assistant", "content": "Hi 😀", "reasoning_content": "Hm.", "annotations": []}
    server.whole(message)
    model = client()
    found = model.complete(hello)
    assert (found.text, found.reasoning, found.finish_reason, found.model) == ("Hi 😀", "Hm.", "stop", "m-1")
    assert found.usage == Usage(3, 2)
    assert found.message == message
    assert found.elapsed_ms > 0
    assert model.name == "m"


def test_a_stream_gives_pieces_and_then_all_of_it(server, client, hello):
    """The pieces together are the text; the last one carries usage and reason."""
    usage = server.event({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": True}})
    server.stream(
        b": comment\r\n\r\n",
        server.piece("", role="assistant"),
        server.piece("Hi"),
        server.piece(" 😀\u2028"),
        server.piece(None, "stop"),
        usage,
        server.piece(),
        server.DONE,
    )
    pieces, found = everything(client().stream(hello))
    assert [piece.text for piece in pieces] == ["Hi", " 😀\u2028", ""]
    assert (found.text, found.finish_reason, found.model) == ("Hi 😀\u2028", "stop", "m-1")
    assert found.usage == Usage(3, None)
    assert found.message == {"role": "assistant", "content": "Hi 😀\u2028"}


@pytest.mark.parametrize("content", [None, [], [{"type": "text", "text": None}, {"type": "image"}]])
def test_content_that_says_nothing_is_an_empty_text(server, client, hello, content):
    """A null beside calls is how most servers say that there is no text."""
    server.whole({"content": content, "tool_calls": []})
    server.stream(server.piece(finish="stop", content=content), server.DONE)
    assert client().complete(hello).text == everything(client().stream(hello))[1].text == ""


def test_content_in_parts_is_joined(server, client, hello):
    """Some servers send a list of parts where others send a text, and thoughts among them."""
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    parts = [{"type": "text", "text": "a"}, thought, {"type": "text", "text": "b"}]
    server.whole({"content": parts})
    server.stream(server.piece(finish="stop", content=parts), server.DONE)
    for found in (client().complete(hello), everything(client().stream(hello))[1]):
        assert (found.text, found.reasoning) == ("ab", "Hm.")


def test_thoughts_are_kept_apart(server, client, hello):
    """``reasoning_content`` and ``reasoning`` are no text; sent under both names they count once."""
    server.stream(
        server.piece(reasoning_content="One.", reasoning="One."),
        server.piece(reasoning=" Two."),
        server.piece("Three.", "stop"),
        server.DONE,
    )
    pieces, found = everything(client().stream(hello))
    assert [(piece.reasoning, piece.text) for piece in pieces[:3]] == [
        ("One.", ""),
        (" Two.", ""),
        ("", "Three."),
    ]
    assert (found.reasoning, found.text) == ("One. Two.", "Three.")
    assert found.as_message() == Message("assistant", "Three.")


def call(place, call_id=None, name=None, arguments=None):
    """Return a piece of a call; what is None is left out."""
    function = {"name": name, "arguments": arguments}
    fields = {
        "index": place,
        "id": call_id,
        "function": {key: text for key, text in function.items() if text},
    }
    return {key: value for key, value in fields.items() if value is not None}


@pytest.mark.parametrize(
    "deltas",
    [
        pytest.param(
            [[call(0, "a", "look", '{"x')], [call(1, "b", "go")], [call(0, None, None, '": 1}')], [call(1, None, None, "{}")]],
            id="interleaved by place",
        ),
        pytest.param(
            [[call(0, "a", "look", '{"x": 1}'), call(1, "b", "go", "{}")]],
            id="all at once",
        ),
        pytest.param(
            [[call(0, "a", "look", '{"x": 1}')], [call(0, "b", "go", "{}")]],
            id="every call at place 0",
        ),
        pytest.param(
            [[call(None, "a", "look", '{"x')], [call(None, None, None, '": 1}')], [call(None, "b", "go", "{}")]],
            id="no place at all",
        ),
        pytest.param(
            [[call(0, "a", "look", {"x": 1})], [call(1, "b", "go", {})]],
            id="arguments as objects",
        ),
        pytest.param(
            [[call(0, "a", "look", '{"x')], [call(0, "a", "look", '": 1}')], [call(1, "b", "go", "{}")]],
            id="id and name with every piece",
        ),
    ],
)  # fmt: skip
def test_calls_are_put_together(server, client, hello, deltas):
    """However a server cuts its calls, the parser reads the same two."""
    server.stream(
        *(server.piece(tool_calls=delta) for delta in deltas), server.piece(finish="tool_calls"), server.DONE
    )
    found = everything(client().stream(hello))[1]
    read = read_message(found.message)
    assert [(action.name, action.arguments, action.call_id) for action in read.actions] == [
        ("look", {"x": 1}, "a"),
        ("go", {}, "b"),
    ]
    assert (read.issues, read.text, found.finish_reason) == ((), "", "tool_calls")
    assert [shown["id"] for shown in found.as_message().tool_calls] == ["a", "b"]


def test_calls_without_place_and_id_stay_apart(server, client, hello):
    """A name begins another call."""
    server.stream(
        *(server.piece(tool_calls=[call(None, None, name, "{}")]) for name in ("look", "go")), server.DONE
    )
    found = everything(client().stream(hello))[1]
    assert [action.name for action in read_message(found.message).actions] == ["look", "go"]


@pytest.mark.parametrize("names", [("look", "go"), ("look", "look")])
def test_calls_of_one_place_without_id_stay_apart(server, client, hello, names):
    """Behind arguments another name begins another call, and so does the same one where they are whole."""
    server.stream(*(server.piece(tool_calls=[call(0, None, name, "{}")]) for name in names), server.DONE)
    found = everything(client().stream(hello))[1]
    assert [(action.name, action.arguments) for action in read_message(found.message).actions] == [
        (name, {}) for name in names
    ]


def test_a_name_that_is_said_with_each_piece_begins_no_call(server, client, hello):
    """Some servers send it again, with the next of the arguments or with none."""
    pieces = ('{"x', '": 1}', "")
    server.stream(*(server.piece(tool_calls=[call(0, None, "look", piece)]) for piece in pieces), server.DONE)
    [action] = read_message(everything(client().stream(hello))[1].message).actions
    assert (action.name, action.arguments) == ("look", {"x": 1})


def test_the_old_form_of_a_call_is_read_as_well(server, client, hello):
    """``function_call`` came before ``tool_calls``; the call is not lost."""
    server.stream(
        server.piece(function_call={"name": "look", "arguments": "{"}),
        server.piece(function_call={"arguments": "}"}),
        server.piece(finish="function_call"),
        server.DONE,
    )
    [action] = read_message(everything(client().stream(hello))[1].message).actions
    assert (action.name, action.arguments) == ("look", {})


def test_a_refusal_is_kept_in_the_message(server, client, hello):
    """It is no text, and it is not lost."""
    server.stream(server.piece(refusal="I "), server.piece(None, "stop", refusal="won't."), server.DONE)
    found = everything(client().stream(hello))[1]
    assert (found.text, found.message["refusal"]) == ("", "I won't.")


def test_characters_cut_anywhere_stay_whole(server, client, hello):
    """A packet may end within a character or a line, and a line may end in CRLF."""
    body = (
        b"\xef\xbb\xbf"
        + server.piece("漢😀").replace(b"\n", b"\r\n")
        + server.piece("é", "stop")
        + server.DONE
    )
    server.stream(*(body[place : place + 1] for place in range(len(body))))
    assert everything(client().stream(hello))[1].text == "漢😀é"


def test_halves_of_characters_are_joined(server, client, hello):
    """Servers that count in UTF-16 cut a character in two; a half that stays alone is given out at the end."""
    halves = (
        b'data: {"choices": [{"delta": {"content": "%s"}}]}\n\n' % half
        for half in (b"a\\ud83d", b"\\ude00b\\ud83d")
    )
    server.stream(*halves, server.DONE)
    pieces, found = everything(client().stream(hello))
    assert found.text == "a😀b\ud83d" == "".join(piece.text for piece in pieces)


def test_an_unfinished_last_line_is_read(server, client, hello):
    """A stream may end without the line break that its last event should have."""
    server.stream(server.piece("Hi", "stop").rstrip(), b"\n\ndata:[DONE]")
    assert everything(client().stream(hello))[1].text == "Hi"


@pytest.mark.parametrize("ending", [b"", b"data: {oops\n\n"])
def test_a_stream_that_said_why_it_ends_is_whole(server, client, hello, ending):
    """Without ``[DONE]`` nothing but the usage can be missing."""
    server.stream(server.piece("Hi", "length"), ending or server.CUT)
    found = everything(client().stream(hello))[1]
    assert (found.text, found.finish_reason, found.usage) == ("Hi", "length", None)


def test_a_stream_need_not_say_why_it_ends(server, client, hello):
    """``[DONE]`` is enough."""
    server.stream(server.piece("Hi"), server.DONE)
    assert everything(client().stream(hello))[1].finish_reason is None


# Life and death


def test_closing_the_stream_ends_the_request(server, client, hello):
    """The server notices, and can stop the model."""
    server.stream(server.piece("Hi"), server.FLOOD)
    chunks = client().stream(hello)
    assert next(chunks).text == "Hi"
    chunks.close()
    assert server.client_left.wait(60)


def test_a_closed_client_says_so(server, client, hello):
    """Closing twice does nothing; asking afterwards is the developer's mistake."""
    with client() as model:
        pass
    model.close()
    with pytest.raises(UsageError, match="closed"):
        model.complete(hello)


def test_a_forgotten_client_lets_go_of_its_connections(server):
    """Nobody has to close what was made by a text in a configuration."""
    model = OpenAICompatible(server.url, "m", key_variable=None)
    closing = model._transport.close
    del model
    gc.collect()
    assert not closing.alive


def test_one_client_serves_many_requests(server, client, hello):
    """What an answer left behind doesn't get into the next one."""
    model = client()
    server.stream(server.piece("One"), server.DONE)
    server.whole()
    server.stream(server.piece("Two"), server.DONE)
    texts = [everything(model.stream(hello))[1], model.complete(hello), everything(model.stream(hello))[1]]
    assert all(isinstance(found, Completion) for found in texts)
    assert [found.text for found in texts] == ["One", "Hi 😀", "Two"]
