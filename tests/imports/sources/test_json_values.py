"""The objects of a file, whether it is one document, a list, lines, or one value behind the other."""

import gzip
import json

import pytest

from actionledger.core.errors import SourceError
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.json_values import json_objects, numbered_objects, value_of

ONE, TWO = {"a": 1}, {"b": [2, {"c": "é\n"}]}


@pytest.mark.parametrize(
    "text",
    [
        f"{json.dumps(ONE)}\n{json.dumps(TWO)}\n",
        f"\n{json.dumps(ONE)}\n{json.dumps(TWO)}",
        json.dumps([ONE, TWO]),
        json.dumps([ONE, TWO], indent=2),
        json.dumps(ONE, indent=2) + "\n" + json.dumps(TWO, indent=2) + "\n",
        "\ufeff" + json.dumps(ONE, indent=2) + json.dumps(TWO),
        json.dumps(ONE) + json.dumps(TWO),
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_objects_are_read_however_they_stand(tmp_path, text, zipped):
    """Each once, in order."""
    path = tmp_path / "x.json"
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    assert list(json_objects(path)) == [ONE, TWO]


def test_what_is_no_object_is_refused(tmp_path):
    """And the rest goes on; a broken end keeps what was before it."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps([ONE, 5, TWO], indent=1))
    one, refused, two = json_objects(path)
    assert (one, two) == (ONE, TWO)
    assert "no object but int" in str(refused)
    path.write_text(json.dumps(ONE, indent=1) + "\n{'")
    kept, broken = json_objects(path)
    assert kept == ONE
    assert isinstance(broken, Refusal)
    path.write_bytes(gzip.compress(json.dumps([ONE], indent=1).encode())[:-6])
    assert any(isinstance(each, Refusal) for each in json_objects(path))


def test_too_deep_a_value_is_refused(tmp_path):
    """It is no recursion without an end."""
    path = tmp_path / "x.json"
    path.write_text("\n" + "[" * 5000 + "]" * 5000)
    assert [type(each) for each in json_objects(path)] == [Refusal]


def test_a_file_that_isnt_there_is_an_error(tmp_path):
    """With its name."""
    with pytest.raises(SourceError, match="nowhere"):
        list(json_objects(tmp_path / "nowhere.json"))


def test_a_broken_first_line_costs_itself_alone(tmp_path):
    """The rest are lines all the same, each with its number; a list's elements have their places."""
    path = tmp_path / "spans.jsonl"
    path.write_text('{"cut": \n{"a": 1}\n\n{"b": 2}\n')
    refusal, *found = numbered_objects(path)
    assert isinstance(refusal, Refusal)
    assert (refusal.line, found) == (1, [(2, {"a": 1}), (4, {"b": 2})])
    path.write_text('[{"a": 1},\n5,\n{}\n]')
    assert [each if isinstance(each, tuple) else each.line for each in numbered_objects(path)] == [
        (1, {"a": 1}),
        2,
        (3, {}),
    ]


@pytest.mark.parametrize("half", ["\ud800", "\\ud800"])
def test_a_half_of_a_letter_stays_in_a_value(half):
    """Whether the text has it as an escape or holds it itself, as the text of an attribute does."""
    assert value_of(f'{{"a": "{half}"}}') == {"a": "\ud800"}
