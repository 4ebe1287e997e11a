"""A file that holds nothing of a format, and is read as one of it: each format counts, refuses or says something."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from actionledger.core.recordings import RecordedSession
from actionledger.core.vocabulary import LeftOutReason
from actionledger.imports.parts import items_of
from actionledger.imports.sources.base import LeftOut, Refusal
from actionledger.imports.sources.registry import source_named, sources

TEXTS = {
    "no element": "[]",
    "no field": "{}",
    "no objects": '[1, 2, "x", null]',
    "other lists": "[[], {}]",
    "an object without a field": "[{}]",
    "other objects": '[{"a": 1}]',
    "another object": '{"a": 1}',
    "a text": '"text"',
    "a number": "7",
    "no messages": '{"messages": []}',
    "no objects for messages": '{"messages": [1, "x", null]}',
    "other objects for messages": '{"messages": [{"a": 1}]}',
    "a message of nobody's": '[{"role": "user"}]',
}


@pytest.fixture(params=TEXTS.values(), ids=TEXTS.keys())
def file(request, tmp_path) -> Iterator[Path]:
    path = tmp_path / "recording"
    path.write_text(f"{request.param}\n")
    return path


@pytest.mark.parametrize("name", list(sources()))
def test_no_format_passes_over_a_file_in_silence(name, file):
    """There is no turn in it, and it is told of."""
    items = list(items_of(file, name, source_named(name).read, lambda _bytes: None))
    assert any(isinstance(item, LeftOut | Refusal) for item in items)
    assert not [item for item in items if isinstance(item, RecordedSession) and item.turns]


STRANGE = '[1, "x", null, {"a": 1}, {"role": "user"}, {"role": "user", "content": "Go."}, {"role": "assistant", "content": "On it."}]'


@pytest.mark.parametrize("text", [STRANGE, f'{{"messages": {STRANGE}}}'])
@pytest.mark.parametrize("name", ["cline", "mini_swe_agent"])
def test_each_element_that_is_no_message_is_told(name, text, tmp_path):
    """Beside messages, too: what is no object by what it is, in Cline's as a refusal of its own."""
    path = tmp_path / "recording"
    path.write_text(text)
    items = list(source_named(name).read(path, None))
    counts = {(item.reason, item.detail): item.count for item in items if isinstance(item, LeftOut)}
    refused = [item.reason for item in items if isinstance(item, Refusal)]
    no_objects = {(LeftOutReason.NOT_AN_OBJECT, kind): 1 for kind in ("int", "str", "NoneType")}
    assert counts == {
        (LeftOutReason.UNKNOWN_KIND, "(a)"): 1,
        (LeftOutReason.EMPTY, "message"): 1,
        **({} if name == "cline" else no_objects),
    }
    assert refused == (
        [
            f"Message {number} is not an object but {kind}."
            for number, kind in enumerate(("int", "str", "NoneType"), 1)
        ]
        if name == "cline"
        else []
    )
    [session] = [item for item in items if isinstance(item, RecordedSession)]
    assert [turn.text for turn in session.turns] == ["On it."]


def test_a_trajectory_without_an_answer_says_how_it_ended(tmp_path):
    """And that no model answered; one that says nothing of itself is no session."""
    path = tmp_path / "a.traj.json"
    asked = '"messages": [{"role": "user", "content": "Go."}]'
    none = LeftOut(str(path), LeftOutReason.NO_RESPONSE, "trajectory")
    for info, reasons in (
        ("", []),
        ('"info": {"exit_status": "AuthenticationError"}, ', ["AuthenticationError"]),
    ):
        path.write_text(f"{{{info}{asked}}}")
        items = list(source_named("mini_swe_agent").read(path, None))
        assert [item.reason for item in items if isinstance(item, RecordedSession)] == reasons
        assert none in items
