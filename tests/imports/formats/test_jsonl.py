"""The simple format: lines become sessions, and a line that can't be read is refused alone."""

import gzip
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from actionledger.core.errors import SourceError, UsageError
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.imports.formats.jsonl import SOURCE, read as read_jsonl
from actionledger.imports.sources import rows
from actionledger.imports.sources.base import Refusal, Sample


@pytest.fixture
def read(tmp_path: Path):
    """Writes lines (objects, or bytes as they are) and reads them: the sessions, and the refusals."""

    def read_lines(*lines: dict[str, Any] | bytes) -> tuple[list[RecordedSession], list[Refusal]]:
        path = tmp_path / "log.jsonl"
        path.write_bytes(
            b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
        )
        found = list(read_jsonl(path))
        refused = [item for item in found if isinstance(item, Refusal)]
        assert all(refusal.file == str(path) for refusal in refused)
        return [item for item in found if isinstance(item, RecordedSession)], refused

    return read_lines


def line(session: str = "s", text: str = "hi", **more: Any) -> dict[str, Any]:
    return {"session": session, "text": text} | more


def test_a_line_with_all_fields(read):
    """Each is where it belongs; what the format doesn't know is kept as metadata."""
    given = line(
        turn=4,
        profile="coder",
        model="m",
        task="t",
        at="2026-05-04T14:00:00+02:00",
        prompt="p",
        feedback="f",
        success=False,
        reason="gave up",
        customer={"id": 7},
    )
    (session,), refused = read(given)
    assert refused == []
    turn = RecordedTurn(4, "hi", "p", "f", datetime.fromisoformat("2026-05-04T12:00:00"))
    assert session == RecordedSession(
        "s", "coder", "m", "t", (turn,), False, "gave up", {"customer": {"id": 7}}
    )


def test_two_fields_are_enough(read):
    """The rest has its defaults, and what nobody said is None."""
    (session,), _ = read(line())
    assert session == RecordedSession("s", None, "", "", (RecordedTurn(0, "hi"),), None, "", {})


def test_lines_without_a_place_are_counted(read):
    """Their order is the order of the turns."""
    (session,), _ = read(line(text="a"), line(text="b"), line(text="c"))
    assert [(turn.index, turn.text) for turn in session.turns] == [(0, "a"), (1, "b"), (2, "c")]


def test_places_count_and_not_the_order_of_the_lines(read):
    """Turns are given in the order of their places, gaps included."""
    (session,), refused = read(line(text="b", turn=5), line(text="a", turn=2))
    assert [(turn.index, turn.text) for turn in session.turns] == [(2, "a"), (5, "b")]
    assert refused == []


def test_sessions_may_be_mixed(read):
    """Lines of one session may stand anywhere; sessions come in the order of their first lines."""
    sessions, _ = read(line("b", "1"), line("a", "2"), line("b", "3"))
    assert [(session.external_id, len(session.turns)) for session in sessions] == [("b", 2), ("a", 1)]


def test_the_last_word_about_a_session_counts(read):
    """How it ended is said when it ends; lines that say nothing change nothing."""
    (session,), _ = read(line(success=False, reason="so far"), line(success=True, reason="done"), line())
    assert (session.success, session.reason) == (True, "done")


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (b"{oops", "The line is not JSON"),
        (b"[1, 2]", "The line holds no object but list."),
        ({"text": "x"}, "The field 'session': Field required"),
        ({"session": "s"}, "The field 'text': Field required"),
        (line(text=None), "The field 'text': "),
        (line(text=7), "The field 'text': "),
        (line(text=["x"]), "The field 'text': "),
        (line(session=7), "The field 'session': "),
        (line(turn="first"), "The field 'turn': "),
        (line(turn=True), "The field 'turn': A turn's place is a number, and not true or false."),
        (line(turn=False), "The field 'turn': A turn's place is a number, and not true or false."),
        (line(""), "The field 'session': It is empty, and names no session."),
        (line(" \t"), "The field 'session': It is empty, and names no session."),
        (line(turn=1.5), "The field 'turn': "),
        (line(turn=2**31), "The field 'turn': "),
        (line(at="yesterday"), "The field 'at': "),
        (line(at="2026-13-01"), "The field 'at': "),
        (line(at="0001-01-01T00:00:00+14:00"), "The time "),
        (line(at="9999-12-31T23:59:59-14:00"), "The time "),
        (line(success="perhaps"), "The field 'success': "),
        (line(model=None), "The field 'model': "),
        (line(turn=-1), "A turn's place counts from 0, got -1."),
        (line(turn=0), "The session has its turn 0 already."),
    ],
)
def test_a_line_that_cannot_be_read_is_refused_alone(read, bad, reason):
    """With its number and the reason, and the lines around it are taken."""
    (session,), (refusal,) = read(line(text="a"), bad, line(text="b"))
    assert [turn.text for turn in session.turns] == ["a", "b"]
    assert refusal.line == 2
    assert refusal.reason.startswith(reason)
    assert len(refusal.reason) < 300


def test_a_session_of_refused_lines_is_none(read):
    """Where no line of it can be read, there is nothing to take in."""
    sessions, refused = read(line("bad", turn=-1), line("good"))
    assert [session.external_id for session in sessions] == ["good"]
    assert len(refused) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\n",
        "\0",
        "\r\n",
        "half \ud83d",
        "🙂",
        "x" * 1_000_000,
        "\u2028",
        "```actions\n{",
        "\x1b[31m",
    ],
    ids=lambda text: repr(text[:12]),
)
def test_any_text_is_taken_as_it_is(read, text):
    """No character of a response is changed, line ends and halves of pairs included."""
    (session,), refused = read(line(text=text))
    assert session.turns[0].text == text
    assert refused == []


def test_line_ends_of_windows_are_line_ends(read):
    """They are no part of any value."""
    (session,), refused = read(json.dumps(line(task="t")).encode() + b"\r", b"\r")
    assert (session.task, refused) == ("t", [])


def test_a_time_without_a_zone_is_utc(read):
    """With one, it is turned into UTC."""
    (session,), _ = read(
        line(at="2026-05-04T12:00:00"), line(at="2026-05-04T12:00:00Z"), line(at="2026-05-04T12:00+02:00")
    )
    assert [turn.occurred_at.isoformat() for turn in session.turns] == [
        "2026-05-04T12:00:00",
        "2026-05-04T12:00:00",
        "2026-05-04T10:00:00",
    ]


def test_a_field_named_twice_has_its_last_value(read):
    """As JSON readers have it."""
    (session,), _ = read(b'{"session": "s", "text": "a", "text": "b"}')
    assert session.turns[0].text == "b"


def test_a_gzipped_file_is_read_and_its_break_refused(tmp_path):
    """What stands before the break is taken in."""
    path = tmp_path / "log.jsonl.gz"
    data = gzip.compress(b"".join(json.dumps(line(f"s{n}", "x" * n)).encode() + b"\n" for n in range(3000)))
    path.write_bytes(data[:-200])
    found = list(read_jsonl(path))
    refused = [item for item in found if isinstance(item, Refusal)]
    assert len(refused) == 1
    assert "breaks off" in refused[0].reason
    assert len(found) > 1000


def test_an_empty_file_has_no_session(read):
    """Neither has one of blank lines."""
    assert read() == ([], [])
    assert read(b"", b"  ") == ([], [])


def test_a_missing_file_is_an_error_of_the_operator(tmp_path):
    """It is said at once, not line by line."""
    with pytest.raises(SourceError, match="can't be read"):
        list(read_jsonl(tmp_path / "missing"))


def test_a_long_file_comes_in_pieces(read, monkeypatch):
    """No more than a number of turns is held; places are counted on, and what ends a session stands in its last piece."""
    monkeypatch.setattr(rows, "HELD_CHARACTERS", 4)
    given = [line("ab"[n % 2], "xx", task="t") for n in range(9)] + [
        line("a", "x", turn=1),
        line(success=True),
    ]
    sessions, refused = read(*given)
    assert [refusal.reason for refusal in refused] == ["The session has its turn 1 already."]
    turns = [(session.external_id, turn.index) for session in sessions for turn in session.turns]
    assert sorted(turns) == [("a", n) for n in range(5)] + [("b", n) for n in range(4)] + [("s", 0)]
    assert max(len(session.turns) for session in sessions) == 1
    assert [session.external_id for session in sessions if session.is_last] == ["a", "b", "s"]
    assert sessions[-1].success


def test_fields_of_other_names_are_mapped(tmp_path):
    """By the line's own names, also within its objects; what is no field's column is kept as metadata."""
    path = tmp_path / "log.jsonl"
    value = {"chat": "c", "choices": [{"message": {"content": "hi"}}], "text": "not this", "price": 3}
    path.write_text(json.dumps(value) + "\n" + json.dumps({"chat": "c"}))
    assert SOURCE.mapped is not None
    read = SOURCE.mapped({"session": "chat", "text": "choices.0.message.content"})
    refusal, session = read(path, None)
    assert (session.external_id, session.turns[0].text) == ("c", "hi")
    assert session.metadata == {"choices": value["choices"], "price": 3}
    assert refusal.line == 2
    with pytest.raises(UsageError, match=r"no field 'txt'.*there are session, text"):
        SOURCE.mapped({"txt": "a"})


@pytest.mark.parametrize(
    ("values", "sureness"),
    [
        ([line(), line()], 0.9),
        ([line(), {"other": 1}, {"other": 2}], 0.5),
        ([{"session": 1, "text": "x"}], 0.0),
        ([[line()]], 0.0),
        ([], 0.0),
    ],
)
def test_it_is_recognised_by_what_its_lines_hold(values, sureness):
    """A session and a text in most of them."""
    assert SOURCE.recognise(Sample(Path("x"), b"", tuple(values))) == sureness
