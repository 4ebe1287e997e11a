"""Logs of Braintrust: rows are put together, and a snapshot without identifiers is no log."""

import json
from collections import Counter

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.formats.braintrust import SOURCE, read
from actionledger.imports.sources.base import LeftOut
from actionledger.imports.sources.registry import recognised, sample_of

AT = 1_758_026_593.0


def row(number: int, kind: str, parent: int = 0, **fields) -> dict:
    return {
        "id": f"i{number}",
        "span_id": f"s{number}",
        "root_span_id": "s1",
        "span_parents": [f"s{parent}"] if parent else None,
        "span_attributes": {"name": fields.pop("name", kind), "type": kind},
        "metrics": {"start": AT + number, "end": AT + number + 1} | fields.pop("metrics", {}),
        **fields,
    }


def part(number: int, **fields) -> dict:
    return {"id": f"i{number}", "span_id": f"s{number}", "root_span_id": "s1", "_is_merge": True, **fields}


CALL = {"id": "a", "type": "function", "function": {"name": "look", "arguments": '{"at": 1}'}}
SAID = [
    {
        "index": 0,
        "finish_reason": "tool_calls",
        "message": {"role": "assistant", "content": "I look.", "tool_calls": [CALL]},
    }
]
ROWS = [
    row(
        1,
        "task",
        name="agent",
        scores={"right": 0.5, "length": -2, "tone": "kind", "later": None},
        tags=["dev"],
    ),
    row(2, "llm", 1, input=[{"role": "user", "content": "Where?"}], metadata={"model": "m"}),
    part(2, output=SAID, metrics={"prompt_tokens": 9, "completion_tokens": 4, "time_to_first_token": 0.25}),
    row(3, "tool", 1, name="look", input=[{"at": 1}, {"toolCallId": "a"}], output="here"),
]


@pytest.fixture
def items(tmp_path):
    """Return what is read of values, one a line."""

    def read_all(*values: object) -> list:
        path = tmp_path / "log.jsonl"
        path.write_text("".join(json.dumps(each) + "\n" for each in values))
        return list(read(path))

    return read_all


@pytest.mark.parametrize(
    "spelled", [lambda rows: rows, lambda rows: [{"rows": rows}], lambda rows: [{"events": rows}]]
)
def test_parts_of_a_span_are_put_together(items, tmp_path, spelled):
    """As rows, as a payload, as the API gives them: one turn with what each part said."""
    (session, passed) = items(*spelled(ROWS))
    (turn,) = session.turns
    assert recognised(sample_of(tmp_path / "log.jsonl"))[0].source is SOURCE
    assert (session.external_id, session.model, session.labels) == ("s1", "m", ("dev",))
    assert (
        str(session.scores) == "{'right': 0.5, 'length': -2.0, 'tone': nan}"
    )  # whoever records it counts what is no number
    assert (turn.prompt, turn.text, turn.usage.finish_reason) == ("Where?", "I look.", "tool_calls")
    assert [(each.call_id, each.arguments) for each in turn.calls] == [("a", '{"at": 1}')]
    assert [(each.call_id, each.output) for each in turn.results] == [("a", "here")]
    usage = turn.usage
    assert (usage.input_tokens, usage.output_tokens) == (9, 4)
    assert (usage.time_to_first_token_ms, usage.latency_ms) == (250, 1000)
    assert (passed.reason, passed.detail) == (LeftOutReason.BOOKKEEPING, "span")


def test_a_tool_that_failed_says_why(items):
    failed = row(3, "tool", 1, name="look", input={"at": 1}, error="no such file")
    session, *_ = items(*ROWS[:3], failed)
    assert [(each.output, each.is_error) for each in session.turns[0].results] == [("no such file", True)]


def test_rows_without_identifiers_belong_to_no_trace(items, tmp_path):
    """Snapshots of payloads have none: they are counted, and not taken for a log."""
    found = items({"name": "generateText", "input": {"prompt": "<prompt>"}, "output": {}, "metadata": None})
    assert [each for each in found if isinstance(each, RecordedSession)] == []
    assert Counter(each.reason for each in found if isinstance(each, LeftOut)) == {
        LeftOutReason.NO_SESSION: 1
    }
    assert SOURCE not in [each.source for each in recognised(sample_of(tmp_path / "log.jsonl"))]
