"""Lines into tables: once each, and no line holds up the others."""

import json

import duckdb
import pytest

from actionledger.core.ids import new_id
from actionledger.ledger.storage import loading
from actionledger.ledger.storage.encoding import encode
from actionledger.ledger.storage.loading import Loader
from actionledger.ledger.storage.segments import Line
from actionledger.ledger.upkeep.migrations import migrate


@pytest.fixture
def connection():
    with duckdb.connect() as opened:
        migrate(opened)
        yield opened


def lines(*data: bytes, segment: str = "w.jsonl") -> list[Line]:
    found, start = [], 0
    for each in data:
        found.append(Line(segment, start, each))
        start += len(each)
    return found


def counted(loader: Loader) -> tuple[int, int, int]:
    return loader.tally.events, loader.tally.duplicates, loader.tally.quarantined


def test_an_event_is_taken_in_once(connection, make) -> None:
    """Seen before in the database, in the same batch or in other letters: passed over with all its rows."""
    event = make.response()
    shouted = encode(event).replace(event.event_id.encode(), event.event_id.upper().encode())
    loader = Loader(connection)
    loader.load(lines(encode(event), encode(event)))
    loader.load(lines(shouted, segment="v.jsonl"))
    assert counted(loader) == (1, 2, 0)
    assert connection.execute("SELECT count(*) FROM turn_starts").fetchone() == (1,)


def test_events_of_a_database_beside_are_known(connection, make) -> None:
    """A reader passes over what the published copy holds."""
    loader = Loader(connection)
    loader.load(lines(encode(make.parser()), encode(event := make.note())))
    connection.execute("ATTACH ':memory:' AS tail; USE tail")
    migrate(connection)
    tail = Loader(connection, beside="memory")
    tail.load(lines(encode(event), encode(make.parser()), encode(make.parser("0" * 64))))
    assert counted(tail) == (2, 1, 0)
    assert connection.execute("SELECT parser_id FROM parsers").fetchall() == [("0" * 64,)]


def test_a_parser_is_kept_once(connection, make) -> None:
    """The first event of a configuration makes its row; later ones are events without one."""
    loader = Loader(connection)
    loader.load(lines(encode(make.parser(version="1")), encode(make.parser(version="2"))))
    loader.load(lines(encode(make.parser(version="3"))))
    assert counted(loader) == (3, 0, 0)
    assert connection.execute("SELECT version FROM parsers").fetchall() == [("1",)]


def test_what_cannot_be_read_is_kept_aside(connection, make) -> None:
    """Each unreadable line is kept with its place and its reason, the others are taken in."""
    bad = (b'{"kind": "moon_landed"}\n', b"no json\n", encode(make.note(session_id="mine")))
    loader = Loader(connection)
    loader.load(lines(encode(make.note()), *bad, encode(make.note())))
    assert counted(loader) == (2, 0, 3)
    rows = connection.execute("SELECT segment, reason, line FROM quarantine ORDER BY byte_offset").fetchall()
    assert [segment for segment, _, _ in rows] == ["w.jsonl"] * 3
    reasons = [reason for _, reason, _ in rows]
    assert reasons[0] == "unknown kind: 'moon_landed'"
    assert reasons[1].startswith("bad JSON: ")
    assert reasons[2] == "bad field: session_id is not a UUID: 'mine'"
    assert [line for _, _, line in rows] == [data.decode().rstrip("\n") for data in bad]


def test_an_unreadable_line_is_kept_whole(connection) -> None:
    """Its segment goes, so nothing of it may be left out, whatever bytes it is made of."""
    Loader(connection).load(lines(b"\xff\x00" + b"x" * 20_000_000 + b"\n"))
    (line,) = connection.execute("SELECT line FROM quarantine").fetchone()
    assert line == "\\xff\x00" + "x" * 20_000_000


def test_offsets_are_noted_with_the_rows(connection, make) -> None:
    """How far each segment was taken in is written in the same transaction."""
    first, second = lines(encode(make.note()), b"bad\n"), lines(encode(make.note()), segment="v.jsonl")
    loader = Loader(connection)
    loader.load([*first, *second])
    noted = dict(connection.execute("FROM segments").fetchall())
    assert noted == {"w.jsonl": first[-1].end, "v.jsonl": second[-1].end}


def test_a_line_that_duckdb_refuses_holds_up_no_other(connection, make, monkeypatch) -> None:
    """Whatever gets past our own checks is found, put aside with DuckDB's reason, and the rest is taken in."""
    monkeypatch.setattr(loading, "fit", lambda row: row)
    notes = [make.note(session_id=new_id() if number != 3 else "mine") for number in range(9)]
    loader = Loader(connection)
    loader.load(lines(*(encode(note) for note in notes)))
    assert counted(loader) == (8, 0, 1)
    (line, reason) = connection.execute("SELECT line, reason FROM quarantine").fetchone()
    assert json.loads(line)["event_id"] == notes[3].event_id
    assert "mine" in reason
    assert connection.execute("SELECT count(*) FROM events").fetchone() == (8,)


def test_json_is_json_and_what_is_none_is_a_string(connection, make) -> None:
    """Arguments can be asked for by path; text that is no JSON is kept whole, as a JSON string."""
    actions = [
        make.action(arguments=text)
        for text in ('{"a": {"b": [1, "漢"]}}', '{"a": ', '{"a": "\\u0000\\ud800"}')
    ]
    Loader(connection).load(lines(*(encode(make.parsed(actions=(action,))) for action in actions)))
    rows = connection.execute("SELECT arguments ->> '$.a', arguments ->> '$' FROM actions").fetchall()
    assert rows[0][0] == '{"b":[1,"漢"]}'
    assert rows[1] == (None, '{"a": ')
    assert rows[2][0] == "\x00\ufffd"
    assert connection.execute("SELECT count(*) FROM events WHERE detail IS NULL").fetchone() == (3,)


def test_a_very_long_text_is_taken_in(connection, make) -> None:
    """DuckDB's limit on one object follows the longest row."""
    text = "漢" * 7_000_000
    Loader(connection).load(lines(encode(make.response(text))))
    assert connection.execute("SELECT characters, length(text) FROM turn_starts").fetchone() == (
        len(text),
        len(text),
    )


def test_a_database_that_cannot_be_written_raises(connection, make, monkeypatch) -> None:
    """A full disk is no reason to put lines aside."""

    def fail(*_arguments: object) -> None:
        raise duckdb.IOException("No space left on device")

    monkeypatch.setattr(loading.Staging, "insert", fail)
    loader = Loader(connection)
    with pytest.raises(duckdb.IOException):
        loader.load(lines(encode(make.note()), encode(make.note())))
    assert counted(loader) == (0, 0, 0)
    assert connection.execute("SELECT count(*) FROM quarantine").fetchone() == (0,)


def test_a_turn_that_is_superseded_goes_with_all_that_was_found_in_it(connection, make) -> None:
    """In whatever order the events come; what is about the turn that takes its place stays."""
    old, new = new_id(), new_id()
    events = [
        event
        for turn_id in (old, new)
        for event in (
            make.response(turn_id=turn_id),
            make.parsed(turn_id=turn_id, blocks=(make.block(),), actions=(make.action(),)),
            make.recorded(turn_id=turn_id),
        )
    ]
    superseded = make.superseded(old, new)
    for place in range(len(events) + 1):
        with duckdb.connect() as database:
            migrate(database)
            loader = Loader(database)
            for event in (*events[:place], superseded, *events[place:]):
                loader.load(lines(encode(event)))
            for table in ("turn_starts", "parse_attempts", "blocks", "actions", "execution_starts"):
                assert database.execute(f"SELECT DISTINCT turn_id::VARCHAR FROM {table}").fetchall() == [
                    (new,)
                ]
            assert database.execute("SELECT count(*) FROM execution_ends").fetchone() == (1,)
            assert database.execute("SELECT count(*) FROM executions").fetchone() == (1,)
