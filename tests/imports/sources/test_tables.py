"""Tables through DuckDB: rows are turns, columns are named or mapped, and what can't be read is refused with its line."""

import gzip
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from given_items import sessions
from pyarrow import parquet

from actionledger.core.errors import SourceError, UsageError
from actionledger.imports.formats.table import SOURCE, header
from actionledger.imports.sources.base import Refusal, Sample
from actionledger.imports.sources.tables import _row_ranges, frame_sessions, read_table

TEXT = 'é 中 🙂,\r\n"quoted"\n  end '


@pytest.fixture
def csv(tmp_path):
    """Writes a file; gives its path."""

    def write(data: str | bytes, name: str = "t.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        return path

    return write


def texts(items) -> list[str]:
    return [turn.text for session in sessions(items) for turn in session.turns]


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def test_a_csv_is_read_as_it_is_written(csv):
    """Texts keep their spaces, line ends, quotes and leading zeros; an empty cell is nothing."""
    path = csv(
        f"session,text,turn,model,at,success,extra\n007,{quoted(TEXT)},3,,2026-05-04T12:00:00+02:00,true,0010\n"
    )
    (session,) = read_table(path)
    (turn,) = session.turns
    assert (session.external_id, turn.index, turn.text) == ("007", 3, TEXT)
    assert (turn.occurred_at, session.success, session.model) == (datetime(2026, 5, 4, 10), True, "")
    assert session.metadata == {"extra": "0010"}


@pytest.mark.parametrize(("name", "delimiter"), [("t.csv", ";"), ("t.tsv", "\t"), ("t[1]*?.csv", ",")])
def test_delimiters_are_found_out(csv, name, delimiter):
    """And a name with a pattern's characters is a name."""
    rows = "".join(f"s{n}{delimiter}text {n}{delimiter}m\n" for n in range(20))
    path = csv(f"session{delimiter}text{delimiter}model\n{rows}", name)
    csv("session,text\nnot,this\n", "t1xx.csv")
    assert texts(read_table(path)) == [f"text {n}" for n in range(20)]


def test_a_zipped_csv_is_read(csv):
    """As DuckDB unpacks it."""
    assert texts(read_table(csv(gzip.compress(b"session,text\na,hi\n"), "t.csv.gz"))) == ["hi"]


def test_a_row_that_cannot_be_read_is_refused_alone(csv):
    """With its line; the rows around it are taken."""
    path = csv("session,text,turn\na,one,0\na,two,1,too,many\na,three,2\na,,3\na,five,x\n")
    found = list(read_table(path))
    assert texts(found) == ["one", "three"]
    refused = [item for item in found if isinstance(item, Refusal)]
    assert [(item.line, item.reason.split(":")[0]) for item in refused] == [
        (3, "The field 'text'"),
        (4, "The field 'turn'"),
        (3, "The row can't be read"),
    ]


OPEN = "'{}' can't be read as a table: a quote in line {} isn't closed, or its text goes on behind it."


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ('a,"open\nb,hello\n', "2"),
        ('a,"two\nlines"\nb,"x"y\nc,"z"\n', "4"),
        ("".join(f'r,"text, {n}"\n' for n in range(900)) + 'a,"open\n', "902"),
        ('a,"Hi" she said\n', "2"),
    ],
)
@pytest.mark.parametrize(("name", "pack"), [("t.csv", bytes), ("t.csv.gz", gzip.compress)])
def test_a_csv_with_an_open_quote_is_refused_with_what_to_do(csv, rows, line, name, pack):
    """Its quotes were taken for text then, the lines of one text for rows, and the rows that are right were refused."""
    path = csv(pack(f"session,text\n{rows}".encode()), name)
    with pytest.raises(SourceError) as refused:
        list(read_table(path))
    assert OPEN.format(name, line) in str(refused.value).replace(f"{path.parent}/", "")
    assert 'each of its own twice: "he said ""hi""".' in str(refused.value)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ('a,he said "hi"\nb,5" wide\n', ['he said "hi"', '5" wide']),
        ('a,"say \\"hi\\", you"\nb,"x"\n', ['say "hi", you', "x"]),
        ("a,'hi, you'\nb,'x'\n", ["hi, you", "x"]),
        ('a,"C:\\"\nb,"x ""q"" y"\n', ["C:\\", 'x "q" y']),
    ],
)
def test_quotes_that_are_closed_are_read(csv, rows, expected):
    """Also those within a text, escaped ones, and single ones."""
    assert texts(read_table(csv(f"session,text\n{rows}"))) == expected


def test_quotes_that_come_late_are_quotes(csv):
    """Behind the rows by which a file's quotes are found out; they were text, and what was quoted was split."""
    plain = "".join(f"s{n},text {n}\n" for n in range(25_000))
    path = csv(f'session,text\n{plain}z,"text, with ""q"" and\na line"\ny,more\n')
    assert texts(read_table(path))[-2:] == ['text, with "q" and\na line', "more"]
    found = list(read_table(csv(f'session,text\n{plain}z,"open\ny,more\n')))
    assert len(texts(found)) == 25_000
    assert [str(item).rpartition("/")[2] for item in found if isinstance(item, Refusal)] == [
        "t.csv:25002: The row can't be read: Value with unterminated quote found."
    ]


@pytest.mark.parametrize(
    ("header", "columns", "said"),
    [
        ("session,text,text", {}, r"names a column twice \('text', 'text'\), and which of them holds 'text'"),
        ("session,Text,text", {}, r"names a column twice \('Text', 'text'\)"),
        (
            "a,a,text",
            {"session": "a"},
            r"\('a', 'a'\), and which of them holds 'session' is not known: rename one",
        ),
    ],
)
def test_a_column_that_is_named_twice_is_refused(csv, header, columns, said):
    """The first one was taken, and nothing said so; where nobody reads it as a field, both are kept."""
    with pytest.raises(SourceError, match=said):
        list(read_table(csv(f"{header}\na,b,c\n"), columns=columns))
    [session] = read_table(csv("session,text,x,x\na,b,1,2\n"))
    assert session.metadata == {"x": "1", "x_1": "2"}


def test_columns_are_mapped(csv):
    """A column that is named as a field, but is another's, is that one's."""
    path = csv("chat,answer,text\nc,said,not this\n")
    (session,) = read_table(path, columns={"session": "chat", "text": "answer"})
    assert (session.external_id, session.turns[0].text) == ("c", "said")


@pytest.mark.parametrize("columns", [{}, {"session": "chat"}, {"session": "chat", "text": "answr"}])
def test_a_missing_column_is_said_with_those_there_are(csv, columns):
    with pytest.raises(SourceError, match=r"with the columns 'chat', 'answer'; .*--map .*text="):
        list(read_table(csv("chat,answer\nc,said\n"), columns=columns))


@pytest.mark.parametrize("data", [b"PAR1rest", b"\0\0\0\0", b""], ids=["parquet", "zeros", "nothing"])
def test_what_is_no_table_is_one_sentence(csv, data):
    """Nothing of it is taken for a text."""
    with pytest.raises(SourceError) as raised:
        list(read_table(csv(data)))
    assert "\n" not in str(raised.value)


def test_what_is_not_in_utf8_is_said_with_what_to_do(csv):
    """In Latin-1 the row."""
    refused, *_ = (
        each
        for each in read_table(csv("session,text\ns,Grüße\n".encode("latin-1")))
        if isinstance(each, Refusal)
    )
    assert "iconv -f LATIN1" in refused.reason


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize(
    "text", ["session,text\ns,Grüße\n", "session,text\r\ns,漢字\r\n", "会話,本文\ns,🙂\n"]
)
def test_a_table_of_wide_characters_is_refused_with_what_to_do(csv, encoding, text):
    """Marked or not, packed or not: DuckDB took NULs into the columns' names, or a row of it for the header."""
    data = text.encode(encoding)
    plain, packed = csv(data), csv(gzip.compress(data), "t.csv.gz")
    iconv = encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
    with pytest.raises(SourceError, match=rf"is a table in {iconv}.*: iconv -f {iconv} -t UTF-8 FILE"):
        list(read_table(plain))
    with pytest.raises(SourceError, match=rf"has to be unpacked first, in {iconv}"):
        list(read_table(packed))


def test_a_table_of_wide_characters_is_known_by_its_columns(csv):
    """So that it is refused by its name in a folder, too, where what is unknown is only counted."""
    data = "session,text\ns,Grüße\n".encode("utf-16-le")
    assert SOURCE.recognise(Sample(csv(data), data)) == 0.9


def test_a_parquet_file_is_read_by_its_types(tmp_path):
    """Numbers, times with and without a zone, and what is nested, as its JSON."""
    path = tmp_path / "t.parquet"
    duckdb.sql(
        f"COPY (SELECT 7 AS session, {{'say': 'hi'}} AS text, 4.0::DOUBLE AS turn, true AS success, "
        f"TIMESTAMPTZ '2026-05-04 12:00:00+02' AS at, [1, 2] AS extra) TO '{path}' (FORMAT parquet)"
    )
    (session,) = read_table(path)
    (turn,) = session.turns
    assert (session.external_id, turn.text, turn.index) == ("7", '{"say":"hi"}', 4)
    assert (turn.occurred_at, session.success) == (datetime(2026, 5, 4, 10), True)
    assert session.metadata == {"extra": "[1,2]"}


_PEAK = """
import re, sys
from pathlib import Path
from actionledger.imports.sources.base import RecordedSession
from actionledger.imports.sources.tables import read_table
turns = characters = 0
for item in read_table(Path(sys.argv[1])):
    assert isinstance(item, RecordedSession), item
    turns += len(item.turns)
    characters += sum(len(turn.text) + len(turn.prompt or "") for turn in item.turns)
# What the system says of a child's resources begins with its parent's.
print(turns, characters, *re.findall(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text()))
"""


def written(path: Path, query: str) -> Path:
    """Write the rows of a query as Parquet; return its path."""
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
    return path


@pytest.mark.parametrize("column", ["text", "prompt"])
def test_a_small_parquet_file_takes_no_memory_for_all_that_it_holds(tmp_path, column):
    """Rows are taken by their bytes: three kilobytes with a gigabyte of text take two hundred megabytes, and nothing is left out."""
    columns = {"session": "'s'", "text": "'Hello.'", "turn": "i"} | {column: "repeat('x', 4000000)"}
    picked = ", ".join(f"{value} AS {name}" for name, value in columns.items())
    path = written(tmp_path / "t.parquet", f"SELECT {picked} FROM range(256) t(i)")
    assert path.stat().st_size < 10_000
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(path)], capture_output=True, text=True, check=True
    )
    turns, characters, peak = map(int, done.stdout.split())
    assert turns == 256
    assert characters == 256 * (4_000_000 + (len("Hello.") if column == "prompt" else 0))
    assert peak < 400 * 1024


def test_a_row_that_is_too_long_is_refused_alone(tmp_path):
    """It is not even fetched; those before and behind it are read, in order."""
    longest = "CASE WHEN i % 3 = 2 THEN 17000000 ELSE 5000000 END"
    path = written(
        tmp_path / "t.parquet", f"SELECT 's' AS session, repeat('x', {longest}) AS text FROM range(16) t(i)"
    )
    given = list(read_table(path))
    refused = [each for each in given if isinstance(each, Refusal)]
    assert [each.line for each in refused] == [3, 6, 9, 12, 15]
    assert "17,000,001 bytes of text, more than 16,777,216" in refused[0].reason
    assert [len(text) for text in texts(given)] == [5_000_000] * 11


def grouped(path: Path, prompts: list[Any], rows_a_group: int) -> Path:
    """Write rows whose prompts are nested, in row groups of that many; return the path."""
    columns = {"session": ["s"] * len(prompts), "text": ["Hello."] * len(prompts), "prompt": prompts}
    parquet.write_table(pa.table(columns), path, row_group_size=rows_a_group)
    return path


def test_long_lists_are_read_in_slices(tmp_path):
    """A row group whose lists would not become JSON at once is read a part of its rows at a time, whole and in order."""
    said = "".join(chr(33 + i * 7919 % 90) for i in range(120_000))
    prompts = [
        [{"role": "user", "content": f"{row} {part} {said[row * 97 :]}"} for part in range(2)]
        for row in range(300)
    ]
    path = grouped(tmp_path / "t.parquet", prompts, 300)
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(path)], capture_output=True, text=True, check=True
    )
    turns, characters, peak = map(int, done.stdout.split())
    assert turns == 300
    assert characters > sum(len(part["content"]) for prompt in prompts for part in prompt)
    assert peak < 500 * 1024


def test_lists_that_do_not_fit_are_refused_before_they_are_decoded(tmp_path):
    """By the count of values that the file itself gives; the sentence says what to do."""
    path = written(
        tmp_path / "t.parquet",
        "SELECT 's' AS session, 'Hello.' AS text, range(20000) AS prompt FROM range(2048) t(i)",
    )
    with duckdb.connect() as connection, pytest.raises(MemoryError):
        _row_ranges(connection, [str(path)])
    with pytest.raises(SourceError, match=r"more than 512MB of memory.*smaller row groups"):
        list(read_table(path))


def test_a_damaged_parquet_file_is_read_up_to_the_damage(tmp_path):
    """That the sizes of later rows can't be asked for keeps no earlier row back."""
    path = written(
        tmp_path / "t.parquet", "SELECT 's' AS session, 'Hello ' || i AS text FROM range(400000) t(i)"
    )
    data = bytearray(path.read_bytes())
    place = len(data) * 3 // 4
    data[place : place + 2000] = b"\xff" * 2000
    path.write_bytes(data)
    given = list(read_table(path))
    assert texts(given)[:2] == ["Hello 0", "Hello 1"]
    assert isinstance(given[-1], Refusal) or isinstance(given[-2], Refusal)


def test_a_compressed_table_that_unpacks_to_far_too_much_is_refused(csv):
    """As any compressed file is, with what to do if that is right."""
    row = f"s,{'x' * 1_000_000}\n"
    path = csv(gzip.compress(b"session,text\n" + row.encode() * 300), "t.csv.gz")
    with pytest.raises(SourceError, match="more than 200 times its size"):
        list(read_table(path))


def test_a_cut_parquet_file_is_one_sentence(tmp_path):
    """Its footer is missing."""
    path = tmp_path / "t.parquet"
    duckdb.sql(f"COPY (SELECT 'a' AS session, 'x' AS text) TO '{path}' (FORMAT parquet)")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(SourceError, match="can't be read as a table"):
        list(read_table(path))
    assert SOURCE.recognise(Sample(path, path.read_bytes())) == 0.0


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_data_frame_is_read(kind):
    """Of whichever library; what is missing is nothing."""
    package = pytest.importorskip(kind)
    data = {"chat": ["a", "a", "b"], "answer": ["one", TEXT, None], "turn": [0, 5, 1]}
    frame = package.table(data) if kind == "pyarrow" else package.DataFrame(data)
    found = list(frame_sessions(frame, {"session": "chat", "text": "answer"}))
    assert texts(found) == ["one", TEXT]
    assert [turn.index for turn in sessions(found)[0].turns] == [0, 5]
    assert [item.line for item in found if isinstance(item, Refusal)] == [3]


@pytest.mark.parametrize(
    ("frame", "columns", "said"),
    [
        ([1, 2], {}, "A list is not a data frame"),
        ({"session": ["a"]}, {}, "A dict is not a data frame"),
        (None, {"text": "nope"}, "not a data frame"),
    ],
)
def test_what_is_no_data_frame_is_wrong_use(frame, columns, said):
    with pytest.raises(UsageError, match=said):
        list(frame_sessions(frame, columns))


def test_a_data_frame_without_its_columns_is_wrong_use():
    frame = pytest.importorskip("pandas").DataFrame({"chat": ["a"]})
    with pytest.raises(UsageError, match="with the columns 'chat'"):
        list(frame_sessions(frame))


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        (b"session,text\na,b\n", ("session", "text")),
        (b"\xef\xbb\xbfid;answer\n", ("id", "answer")),
        (b"Dear Ada,\nhow are you\n", ()),
        (b'{"a": 1, "b": 2}\n', ()),
        (b"one line without an end, no table", ()),
        (b"", ()),
    ],
)
def test_a_csv_is_known_by_its_first_line(head, columns):
    """Which names columns."""
    assert header(Sample(Path("x"), head)) == columns
