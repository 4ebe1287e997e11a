"""Lines of JSON: what can't be decoded is refused with its number and reason, and the rest goes on."""

import gzip
import json
from pathlib import Path

import pytest

from actionledger.core.errors import SourceError
from actionledger.imports.sources import json_values
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.json_values import json_document, json_lines


@pytest.fixture
def file(tmp_path: Path):
    """Writes bytes to a file; a name that ends in .gz gets them gzipped."""

    def write(data: bytes, name: str = "log.jsonl") -> Path:
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write


def refusals(found: list) -> list[tuple[int, str]]:
    return [(item.line, item.reason) for item in found if isinstance(item, Refusal)]


@pytest.mark.parametrize("name", ["log.jsonl", "log.jsonl.gz"])
def test_each_object_comes_with_its_line(file, name):
    """Blank lines are counted and passed over; the last line needs no line break."""
    path = file(b'{"a": 1}\n\n  \t\n{"a": 2}\r\n\r\n{"a": 3}', name)
    assert list(json_lines(path)) == [(1, {"a": 1}), (4, {"a": 2}), (6, {"a": 3})]


def test_objects_one_behind_the_other_are_all_read(file):
    """Two writers of one file leave them so; what follows that is no object is refused, and the objects before it are kept."""
    path = file(b'{"a": 1}{"a": 2}\n{"a": 3} \t{"a": 4} oops\n{"a": 5}[6]\n')
    first, second, third, fourth, refused, fifth, other = json_lines(path)
    assert [first, second, third, fourth, fifth] == [
        (1, {"a": 1}),
        (1, {"a": 2}),
        (2, {"a": 3}),
        (2, {"a": 4}),
        (3, {"a": 5}),
    ]
    assert (refused.line, other.line) == (2, 3)
    assert refused.reason.startswith("The line is not JSON: ")


@pytest.mark.parametrize("data", [b"", b"\n", b"\n \n\r\n\t"])
def test_an_empty_file_has_no_line(file, data):
    assert list(json_lines(file(data))) == []


@pytest.mark.parametrize(
    "line",
    [
        b"oops",
        b'{"a": 1',
        b'{"a": 1,}',
        b"{'a': 1}",
        b'{"a": "\xff\xfe"}',
        b'{"a": "\x01"}',
        b"\x00\x00",
        b"\x1f\x8b\x08",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"a": ' + b"9" * 5000 + b', "b": "\\ud83d"}',
    ],
    ids=lambda line: repr(line[:20]),
)
def test_what_is_no_json_is_refused(file, line):
    """The refusal names file, line and reason, and the lines around it are read."""
    path = file(b'{"a": 1}\n' + line + b'\n{"a": 3}\n')
    first, refusal, last = json_lines(path)
    assert (first, last) == ((1, {"a": 1}), (3, {"a": 3}))
    assert (refusal.file, refusal.line) == (str(path), 2)
    assert refusal.reason.startswith("The line is not JSON: ")
    assert str(refusal).startswith(f"{path}:2: The line is not JSON")
    assert len(str(refusal)) < 1000


@pytest.mark.parametrize(
    ("line", "kind"), [(b"[1]", "list"), (b'"a"', "str"), (b"1", "int"), (b"null", "NoneType")]
)
def test_what_is_no_object_is_refused(file, line, kind):
    """A value of another type names no fields."""
    assert refusals(list(json_lines(file(line)))) == [(1, f"The line holds no object but {kind}.")]


@pytest.mark.parametrize("depth", [json_values.MAX_DEPTH + 1, 900])
@pytest.mark.parametrize("end", [b"1", b'"\\ud83d"'])
def test_what_is_nested_too_deeply_is_refused(file, depth, end):
    """By the one decoder as by the other, so that nobody behind them runs out of stack."""
    (refusal,) = json_lines(file(b'{"a":' + b"[" * depth + end + b"]" * depth + b"}"))
    assert isinstance(refusal, Refusal)


@pytest.mark.parametrize("end", [b"1", b'"\\ud83d"'])
def test_what_is_nested_deeply_is_read(file, end):
    """A hundred levels are no trouble."""
    ((_, value),) = json_lines(file(b'{"a":' + b"[" * 100 + end + b"]" * 100 + b"}"))
    assert list(value) == ["a"]


def test_half_of_a_surrogate_pair_is_read(file):
    """Logs of Python programs hold them, and they are what the model wrote."""
    assert list(json_lines(file(b'{"a": "\\ud83d", "b": "\\ud83d\\ude42"}'))) == [
        (1, {"a": "\ud83d", "b": "🙂"})
    ]


def test_half_of_a_surrogate_pair_in_bytes_is_read(file):
    """Some programs write it as UTF-8 would, if it could."""
    assert list(json_lines(file(b'{"a": "\xed\xa0\xbd"}'))) == [(1, {"a": "\ud83d"})]


def test_a_byte_order_mark_is_passed_over(file):
    """Some editors put one before the first line."""
    assert list(json_lines(file(b'\xef\xbb\xbf{"a": 1}\n{"a": 2}\n'))) == [(1, {"a": 1}), (2, {"a": 2})]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_read_where_its_mark_says_so(file, encoding):
    """As shells of Windows write what is piped into a file: characters beyond the first plane, halves of pairs and long lines included."""
    values = [{"a": "é🙂\u4e2d"}, {"b": "\ud83d"}, {"c": "ä🙂" * 100_000}]
    text = "\ufeff" + "\r\n".join(json.dumps(each, ensure_ascii=False) for each in values)
    assert [item[1] for item in json_lines(file(text.encode(encoding, "surrogatepass")))] == values


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_another_wide_encoding_is_refused_once(file, encoding):
    """Without a mark it is not guessed at, nothing of it is taken for something else, and people are told what to do."""
    path = file('{"a": 1}\n{"a": 2}\n'.encode(encoding))
    called = encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
    with pytest.raises(SourceError, match=rf"is in {called}.*: iconv -f {called} -t UTF-8 FILE"):
        list(json_lines(path))
    with pytest.raises(SourceError, match=rf"is in {called}"):
        json_document(path)


def test_a_line_in_latin_1_is_refused_alone(file):
    """Its neighbours, which are ASCII, are read."""
    bad, good = json_lines(file('{"a": "é"}\n{"a": "e"}'.encode("latin-1")))
    assert good == (2, {"a": "e"})
    assert "it is not UTF-8 at byte 7" in bad.reason
    assert "iconv -f LATIN1 -t UTF-8" in bad.reason


@pytest.mark.parametrize("length", [100, 101, 102, 350, 1000])
def test_a_line_that_is_too_long_is_refused_and_the_next_is_read(file, monkeypatch, length):
    """However long it is, it is one refusal: nothing of it is read, and no other line is lost."""
    monkeypatch.setattr(json_values, "MAX_LINE", 100)
    fits = b'{"a": 1}'
    long = b'{"a": "' + b"x" * (length - 10) + b'"}\n'
    assert len(long) == length
    found = list(json_lines(file(fits + b"\n" + long + fits + b"\n")))
    assert found[0] == (1, {"a": 1})
    assert found[2] == (3, {"a": 1})
    assert isinstance(found[1], Refusal) is (length > 100)
    assert length <= 100 or refusals(found) == [(2, "The line is longer than 100 bytes.")]


def test_a_last_line_that_is_too_long_is_refused(file, monkeypatch):
    monkeypatch.setattr(json_values, "MAX_LINE", 100)
    assert refusals(list(json_lines(file(b'{"a": 1}\n' + b"x" * 1000)))) == [
        (2, "The line is longer than 100 bytes.")
    ]


def test_a_gzipped_file_that_breaks_off_gives_what_it_has(file):
    """Whole lines before the break are read, and the break is refused where it is."""
    path = file(b"".join(b'{"a": %d}\n' % n for n in range(20_000)), "log.jsonl.gz")
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    found = list(json_lines(path))
    assert len(found) > 1000
    assert [item[0] for item in found[:-1]] == list(range(1, len(found)))
    assert found[-1].line == len(found)
    assert "The file breaks off here" in found[-1].reason


@pytest.mark.parametrize("damage", [b"no gzip at all", b"\x1f\x8b\x08\x00rest", b"\x1f\x8b"])
def test_a_file_that_only_claims_to_be_gzipped_is_refused(tmp_path, damage):
    """Its name says .gz, its content doesn't."""
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(damage)
    (refusal,) = json_lines(path)
    assert refusal.line == 1


def test_damage_within_a_gzipped_file_is_refused(file):
    """A changed byte ends the reading with a refusal, not with an error."""
    path = file(json.dumps({"a": list(range(10_000))}).encode() + b"\n", "log.jsonl.gz")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    assert any(isinstance(item, Refusal) for item in json_lines(path))


def test_an_empty_gzipped_file_has_no_line(file):
    assert list(json_lines(file(b"", "log.jsonl.gz"))) == []


@pytest.mark.parametrize("name", ["missing.jsonl", "missing.jsonl.gz", "folder", "no/such/folder.jsonl"])
def test_a_file_that_cannot_be_opened_is_an_error_of_the_operator(tmp_path, name):
    (tmp_path / "folder").mkdir()
    with pytest.raises(SourceError, match=r"The file '.*' can't be read: "):
        list(json_lines(tmp_path / name))


def test_an_object_behind_a_cut_one_is_read(tmp_path):
    """A writer that was killed leaves a line without its end, and the next one goes on in it, or behind bytes that are 0."""
    path = tmp_path / "a.jsonl"
    whole = '{"type": "b", "data": {"type": "x"}}'
    path.write_text(
        f'{{"type": "a", "data": [{{"type": "y"}}, {{"text": "cu{whole}\n'
        + "\0" * 9
        + f"{whole}\n"
        + "\0" * 9
    )
    cut, first, second, nothing = json_lines(path)
    assert isinstance(cut, Refusal)
    assert isinstance(nothing, Refusal)
    assert [first, second] == [(1, json.loads(whole)), (2, json.loads(whole))]


def test_a_part_of_a_cut_object_is_none(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 1, "data": {"type": "x"}\n')
    assert [type(each) for each in json_lines(path)] == [Refusal]
