"""What looks like a call where no tools are known is said, wherever a dialect passes over it."""

import pytest

from actionledger.core.vocabulary import Outcome, Reason
from actionledger.reading.heads import bare_readers, with_looks
from actionledger.reading.parsers import parser_for, parser_named
from actionledger.reading.scan.source import Source
from actionledger.reading.stream import StreamParser

JSON = '{"name": "delete_file", "parameters": {"path": "a.txt"}}'
LIST = '[delete_file(path="a.txt")]'


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("llama3_json", f"I would then use this: {JSON} but I may not."),
        ("llama3_json", f"那么我会使用这个：{JSON} 但是我没有权限。"),
        ("llama3_json", "{" + JSON),
        ("pythonic", f"I would then use this: {LIST} but I may not."),
        ("pythonic", f"千万不要发送这个：{LIST}"),
        ("pythonic", "[" + LIST),
        ("pythonic", '[delete_file((path="a.txt")]'),
        ("json", f"```json\n{{{JSON}\n```"),
    ],
)
def test_what_looks_like_a_call_is_said(dialect, text):
    read = parser_for((dialect,)).read(text)
    assert read.outcome is Outcome.NO_ACTION
    assert [issue.code for issue in read.issues] == [Reason.CALL_IN_PROSE]


@pytest.mark.parametrize(
    "text",
    [
        "out[ref.Name()] = ref.Hash()",
        "model = Sequential([Dense(units=4)])",
        "found = names[pred.strip()]",
        'It is {"name": "Bern", "country": "CH"}.',
    ],
)
def test_code_and_data_are_no_calls(text):
    assert parser_for(("pythonic", "llama3_json")).read(text).issues == ()


def test_data_in_which_a_call_stands_is_said_to():
    """Another format takes the fence for data of its own."""
    read = parser_named("auto").read(f"Sure: ```json\n{JSON}\n```")
    assert Reason.CALL_IN_PROSE in [issue.code for issue in read.issues]


def test_where_tools_are_known_their_names_decide():
    text = f"Use this: {JSON} then."
    assert (
        with_looks(Source(text, frozenset({"search"})), [], bare_readers(parser_for(("json",)).dialects))
        == []
    )


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_a_stream_reads_them_as_the_whole_text(size):
    text = f"Use this: {JSON} then.\n\n{JSON}\n\n" + "And so on. " * 40
    stream = StreamParser(parser_for(("json",)))
    given = [block for at in range(0, len(text), size) for block, _ in stream.feed(text[at : at + size])]
    assert given == list(stream.finish().blocks[: len(given)])
