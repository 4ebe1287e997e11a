"""OpenHands' logs of completions: files of one folder are a session, and a text with its calls in it is read as one."""

import json

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import Capture
from actionledger.imports import import_sessions
from actionledger.imports.formats.completion_log import SOURCE, read, recognise
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.registry import recognised, sample_of
from actionledger.ledger import open_ledger

ASK = {"role": "user", "content": [{"type": "text", "text": "Where am I?"}]}
CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "terminal", "arguments": '{"command": "pwd"}'},
}
SAID = {"role": "assistant", "content": "I look.", "tool_calls": [CALL]}
CAME = {"role": "tool", "tool_call_id": "call_1", "content": "/workspace"}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "terminal",
            "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
        },
    }
]
RAW = "I look.\n<function=terminal>\n<parameter=command>pwd</parameter>\n"


def body(name, **message):
    choice = {"message": {"role": "assistant", **message}, "finish_reason": "tool_calls"}
    usage = {"prompt_tokens": 9, "completion_tokens": 3}
    return {"id": f"chatcmpl-00000000{name}", "model": "m", "choices": [choice], "usage": usage}


def log(response, *messages, **fields):
    kept = {
        "messages": [ASK, *messages],
        "tools": TOOLS,
        "kwargs": {},
        "context_window": 9,
        "response": response,
    }
    return kept | {"cost": 0.25, "timestamp": 1757015025.9, "latency_sec": 1.5} | fields


@pytest.fixture
def folder(tmp_path):
    """Writes logs to a folder, and returns their paths in order."""

    def of(*logs):
        paths = []
        for number, each in enumerate(logs):
            paths.append(tmp_path / f"m-175701502{number}.97.json")
            paths[-1].write_text(json.dumps(each))
            assert recognised(sample_of(paths[-1]))[0].source.name == "completion_log"
            assert recognise(sample_of(paths[-1])) == 1.0
        return paths

    return of


def pieces(paths):
    return [item for path in paths for item in read(path) if isinstance(item, RecordedSession)]


def test_the_files_of_a_folder_are_one_session(folder):
    """Each is a turn, at the place that its history says; results come with the next."""
    first, second = (
        log(body(1, **{k: SAID[k] for k in ("content", "tool_calls")})),
        log(body(2, content="Here."), SAID, CAME),
    )
    one, two = pieces(folder(first, second))
    assert one.external_id == two.external_id
    assert [(piece.turns[0].index, piece.turns[0].prompt) for piece in (one, two)] == [
        (0, "Where am I?"),
        (1, None),
    ]
    assert [(each.call_id, each.output) for each in two.results] == [("call_1", "/workspace")]
    usage = one.turns[0].usage
    assert (usage.cost_usd, usage.latency_ms, usage.output_tokens) == (0.25, 1500, 3)
    assert one.turns[0].capture is Capture.ARGUMENTS


def test_the_order_of_the_files_doesnt_matter(folder, tmp_path):
    """The call's result is found when both are there, and a second import changes nothing."""
    paths = folder(log(body(1, tool_calls=[CALL])), log(body(2, content="Here."), SAID, CAME))
    for number, order in enumerate((paths, paths[::-1])):
        with open_ledger(tmp_path / f"{number}.duckdb") as ledger:
            for path in (*order, *order):
                import_sessions(ledger, read(path), source=SOURCE.name, origin=path)
            counts = "SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM turns), (SELECT count(*) FROM executions)"
            assert ledger.sql(counts).fetchall() == [(1, 2, 1)]


@pytest.mark.parametrize(
    "fields",
    [
        {"raw_response": body(1, content=RAW), "raw_messages": []},
        {
            "response": body(1, content=RAW),
            "fncall_response": body(1, tool_calls=[CALL]),
            "fncall_messages": [ASK],
        },
    ],
)
def test_a_text_that_was_stopped_in_a_call_is_read_as_text(folder, ledger, fields):
    """The model wrote its call into the text, and was stopped before the tag's end."""
    (path,) = folder(log(body(1, content="I look.", tool_calls=[CALL])) | fields)
    (piece,) = pieces([path])
    (turn,) = piece.turns
    assert (turn.text, turn.capture, turn.calls[0].call_id) == (RAW, Capture.TEXT, "call_1")
    import_sessions(ledger, read(path), source=SOURCE.name, origin=path)
    assert ledger.sql("SELECT name FROM actions").fetchall() == [("terminal",)]


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"messages": []}')
    (item,) = read(path)
    assert isinstance(item, Refusal)


@pytest.mark.corpus
def test_logs_of_others_are_read_whole(corpus, counted):
    """As many calls and tokens as their bodies say."""
    paths = corpus("agents/litellm-completion-log/*/*.json")
    bodies = [json.loads(path.read_text())["response"] for path in paths]
    found = counted(SOURCE.name, *paths)
    assert (found["sessions"], found["turns"], found["refused"]) == (2, len(bodies), 0)
    assert found["tokens"] == sum(each["usage"]["completion_tokens"] for each in bodies)
    assert found["calls"] == sum(len(each["choices"][0]["message"]["tool_calls"]) for each in bodies)
