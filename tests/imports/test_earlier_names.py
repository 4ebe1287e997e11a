"""A ledger that an earlier version filled: what that one had named otherwise counts once, and nothing is doubled."""

import json
from dataclasses import replace

import pytest

from actionledger import import_path, import_sessions, open_ledger
from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import ExecutionStatus
from actionledger.imports import results
from actionledger.imports.formats.codex import read
from actionledger.imports.formats.provider_wire import read as read_wire
from actionledger.imports.sources.wordings import JudgedResult
from actionledger.ledger.queries import recorded
from actionledger.ledger.upkeep.health import Check, examine

AT, LATER = "2026-08-20T10:00:00.000Z", "2026-08-21T11:00:00.100Z"
TOKENS = {"input_tokens": 1000, "output_tokens": 100}


def _line(at: str, kind: str, **payload) -> dict:
    return {"timestamp": at, "type": kind, "payload": payload}


def _said(at: str, text: str) -> dict:
    return _line(
        at, "response_item", type="message", role="assistant", content=[{"type": "output_text", "text": text}]
    )


def _history(at: str) -> list[dict]:
    info = {"last_token_usage": TOKENS, "total_token_usage": TOKENS}
    call = {"type": "function_call", "name": "exec_command", "call_id": "c1", "arguments": "{}"}
    return [
        _said(at, "First answer"),
        _line(at, "event_msg", type="token_count", info=info),
        _line(
            at, "response_item", type="message", role="user", content=[{"type": "input_text", "text": "two"}]
        ),
        _said(at, "Second answer"),
        _line(
            at,
            "response_item",
            type="message",
            role="user",
            content=[{"type": "input_text", "text": "three"}],
        ),
        _line(at, "response_item", **call),
        _line(at, "response_item", type="function_call_output", call_id="c1", output="a"),
    ]


FILES = {
    "rollout-a.jsonl": [_line(AT, "session_meta", id="a", timestamp=AT), *_history(AT)],
    "rollout-b.jsonl": [
        _line(LATER, "session_meta", id="b", forked_from_id="a", parent_thread_id="a", timestamp=LATER),
        *_history(LATER),
        _said("2026-08-21T11:00:04.000Z", "Child answer"),
    ],
}
"""A session, and its child with a copy of its history without its head."""

_KEY, _OTHER = "01a2285e-bf09-7283-8c61-c4416558e7fc", "01a2285e-f62d-7f83-a2d0-dd1de518a007"
_NUMBERS = "SELECT (SELECT count(*) FROM sessions), count(*), sum(input_tokens)::INT FROM turns"
_ROWS = """
SELECT s.external_id, t.turn_id::VARCHAR, t.text, input_tokens, count(e.execution_id)
FROM turns t JOIN sessions s USING (session_id) LEFT JOIN executions e USING (turn_id) GROUP BY ALL ORDER BY ALL"""


@pytest.fixture
def folder(tmp_path):
    """Where the recordings lie."""
    made = tmp_path / "sessions"
    made.mkdir()
    for name, lines in FILES.items():
        (made / name).write_text("".join(json.dumps(each) + "\n" for each in lines))
    return made


def _asked(path, query: str) -> list[tuple]:
    with open_ledger(path, in_background=False) as ledger:
        return ledger.sql(query).fetchall()


def _earlier(folder) -> list[RecordedSession]:
    """Return what earlier versions made of the files: each answer in words under a name of its own session."""
    found = [
        each for path in sorted(folder.iterdir()) for each in read(path) if isinstance(each, RecordedSession)
    ]
    return [
        replace(
            each,
            turns=tuple(
                replace(turn, external_id=turn.formerly or turn.external_id, formerly="")
                for turn in each.turns
            ),
        )
        for each in found
    ]


def test_what_stood_there_twice_counts_once_and_the_doctor_says_so(folder, tmp_path):
    old, new = tmp_path / "old.duckdb", tmp_path / "new.duckdb"
    with open_ledger(old, in_background=False) as ledger:
        import_sessions(ledger, _earlier(folder), source="codex")
    assert _asked(old, _NUMBERS) == [(2, 6, 2000)]
    report = import_path(folder, old)
    import_path(folder, new)
    assert (report.turns, report.merged, report.differing) == (0, 2, [])
    assert _asked(new, _NUMBERS) == [(2, 4, 1000)]
    assert _asked(old, _ROWS) == _asked(new, _ROWS)
    again = import_path(folder, old)
    assert (again.turns, again.merged) == (0, 0)
    said = [each.sentence for each in examine(old).findings if each.check is Check.LEFT_OUT]
    assert any(each.startswith("2 responses count no longer") for each in said)


def test_what_has_gone_on_since_is_taken_in_beside_it(folder, tmp_path):
    """Also where the session that was copied from is not there, and comes later."""
    child = folder / "rollout-b.jsonl"
    with open_ledger(tmp_path / "x.duckdb", in_background=False) as ledger:
        import_sessions(ledger, _earlier(folder)[1:], source="codex")
    with child.open("a") as file:
        asked = _line(
            LATER,
            "response_item",
            type="message",
            role="user",
            content=[{"type": "input_text", "text": "four"}],
        )
        file.write(
            "".join(
                json.dumps(each) + "\n" for each in (asked, _said("2026-08-21T11:00:09.000Z", "And more"))
            )
        )
    import_path(child, tmp_path / "x.duckdb")
    import_path(folder, tmp_path / "x.duckdb")
    texts = [
        text
        for (text,) in _asked(tmp_path / "x.duckdb", "SELECT text FROM turns WHERE text <> '' ORDER BY 1")
    ]
    assert [each for each in texts if not each.startswith("{")] == [
        "And more",
        "Child answer",
        "First answer",
        "Second answer",
    ]


@pytest.mark.parametrize("cut", range(1, len(FILES["rollout-b.jsonl"])))
def test_a_beginning_and_then_the_whole_is_the_whole(folder, tmp_path, cut):
    child = folder / "rollout-b.jsonl"
    whole = child.read_text()
    import_path(folder, tmp_path / "once.duckdb")
    child.write_text("".join(whole.splitlines(keepends=True)[:cut]))
    import_path(folder, tmp_path / "grown.duckdb")
    child.write_text(whole)
    import_path(folder, tmp_path / "grown.duckdb")
    assert _asked(tmp_path / "grown.duckdb", _ROWS) == _asked(tmp_path / "once.duckdb", _ROWS)


def test_a_name_that_two_sessions_had_is_the_firsts_alone(tmp_path):
    """A server counted their calls from 0: the second's turns were dropped as copies, and are imported now."""
    folder, old, new = tmp_path / "sessions", tmp_path / "old.duckdb", tmp_path / "new.duckdb"
    folder.mkdir()
    for name in ("a", "b"):
        call = {"name": "exec_command", "call_id": "functions.exec_command:0", "arguments": "{}"}
        lines = [
            _line(AT, "session_meta", id=name, timestamp=AT),
            _line(LATER, "response_item", type="function_call", **call),
            _line(LATER, "response_item", type="function_call_output", call_id=call["call_id"], output=name),
            _said(LATER, "Done."),
        ]
        (folder / f"rollout-{name}.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    with open_ledger(old, in_background=False) as ledger:
        import_sessions(ledger, _earlier(folder), source="codex")
    import_path(folder, new)
    for _ in range(2):
        import_path(folder, old)
        assert _asked(old, _ROWS) == _asked(new, _ROWS)
    assert [row[0] for row in _asked(new, _ROWS)] == ["a", "a", "b", "b"]


def test_a_session_goes_on_under_the_name_that_the_ledger_has(tmp_path):
    """One of requests was named by its first response, and is by its client now: no second one begins, and its fork is linked to it."""
    path, old, new = tmp_path / "wire.jsonl", tmp_path / "old.duckdb", tmp_path / "new.duckdb"
    asked: list[dict] = [{"role": "user", "content": "Go."}]
    for number, key in enumerate((_KEY, _KEY, _OTHER)):
        told = {"role": "assistant", "content": f"Answer {number}."}
        answer = {
            "id": f"chatcmpl-number-{number:04}",
            "choices": [{"message": told, "finish_reason": "stop"}],
        }
        entry = {"request": {"model": "m", "messages": asked, "prompt_cache_key": key}, "response": answer}
        with path.open("a") as file:
            file.write(json.dumps(entry) + "\n")
        asked = [*asked, told, {"role": "user", "content": "On."}]
    with open_ledger(old, in_background=False) as ledger:  # all of it was one session
        whole = [each for each in read_wire(path) if isinstance(each, RecordedSession)]
        names = {"external_id": "chatcmpl-number-0000", "formerly": "", "parent": "", "relation": None}
        import_sessions(ledger, [replace(each, **names) for each in whole], source="provider_wire")
    assert import_path(path, old).sessions == 1  # the fork, of which there is no response of its own
    assert _asked(old, "SELECT count(*) FROM turns") == [(3,)]
    linked = "SELECT s.external_id, p.external_id FROM sessions s LEFT JOIN sessions p ON p.session_id = s.parent_session_id ORDER BY ALL"
    assert _asked(old, linked) == [(_OTHER, "chatcmpl-number-0000"), ("chatcmpl-number-0000", None)]
    import_path(path, new)
    assert _asked(new, linked) == [(_KEY, None), (_OTHER, _KEY)]


REFUSED = [
    _line(AT, "session_meta", id="a", timestamp=AT),
    _said(AT, "I try."),
    _line(AT, "response_item", type="function_call", name="exec_command", call_id="c1", arguments="{}"),
    _line(AT, "response_item", type="function_call_output", call_id="c1", output="unsupported call: go"),
    _said(AT, "Done."),
]


def _executions(ledger) -> tuple:
    """What came of calls, and how many responses and calls there are."""
    asked = (
        "SELECT (SELECT count(*) FROM turns), (SELECT count(*) FROM actions), status, reason FROM executions"
    )
    return tuple(ledger.sql(asked).fetchall())


@pytest.mark.parametrize("is_earlier", [True, False])
def test_what_an_earlier_version_said_of_a_result_is_said_anew(tmp_path, monkeypatch, is_earlier):
    """It took a refusal for a success; nothing is doubled, and what stood there is told. This version's own word is not asked after."""
    path, ledger_path = tmp_path / "rollout-a.jsonl", tmp_path / "team.duckdb"
    path.write_text("".join(json.dumps(line) + "\n" for line in REFUSED))
    with monkeypatch.context() as earlier, open_ledger(ledger_path) as ledger:
        success = JudgedResult(ExecutionStatus.SUCCEEDED, None, is_inferred=True)
        earlier.setattr(results, "judged", lambda *_: success)
        import_path(path, ledger, workers=1)
        assert _executions(ledger) == ((2, 1, "succeeded", None),)
    monkeypatch.setattr(recorded, "READING_RULES", recorded.READING_RULES + is_earlier)
    path.touch()
    with open_ledger(ledger_path) as ledger:
        report = import_path(path, ledger, workers=1)
        expected = ("failed", "unknown_action") if is_earlier else ("succeeded", None)
        assert _executions(ledger) == ((2, 1, *expected),)
        assert (report.revised, report.known) == ((1, 1) if is_earlier else (0, 2))
    told = [each for each in examine(ledger_path).findings if "another one stands for" in each.sentence]
    assert bool(told) == is_earlier
