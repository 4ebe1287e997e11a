"""What is drawn of what came of a turn; images and files in it are named."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, strategies as st
from one_turn import DETAIL, RUN, UNDONE, lanes_of

from actionledger.core.vocabulary import ExecutionStatus, Reason, Reversal, RunKind
from actionledger.ledger.queries import Told
from actionledger_dashboard.viewer.media import named_media, text_of_parts
from actionledger_dashboard.viewer.results import went_wrong


def test_what_was_undone_stays_beside_what_was_done() -> None:
    """A card of its own behind the executions, with what was changed and when."""
    lane = lanes_of(replace(DETAIL, reversals=(UNDONE,)))[-1]
    *_, card = lane["cards"]
    assert (card["name"], card["status"], card["where"]) == (
        "create_file",
        "undone",
        "2026-01-02 03:04:05 UTC",
    )
    assert card["lines"] == ["a", "and 2 more"]


def test_an_action_says_that_it_was_undone_and_redone() -> None:
    """In order and with when; what another reading's action went through is no word on this one's card."""
    again = replace(UNDONE, kind=Reversal.REDONE, reversed_at=datetime(2026, 1, 2, 3, 5))
    other = replace(UNDONE, attempt_id="y")
    lanes = lanes_of(replace(DETAIL, reversals=(UNDONE, again, other)))
    [action] = lanes[-2]["cards"]
    assert action["lines"] == ["undone 2026-01-02 03:04:05 UTC", "redone 2026-01-02 03:05:00 UTC"]
    assert [card["block"] for card in lanes[-1]["cards"]] == ["0", "0", "0", None]


@pytest.mark.parametrize(
    ("result", "shown"),
    [('"a\\n\\"b\\""', 'a\n"b"'), ('"said"', ""), ('{"a":"b\\n"}', '{\n  "a": "b\\n"\n}')],
)
def test_a_result_that_is_a_text_is_shown_as_it_came_back(result: str, shown: str) -> None:
    """Line by line, and not as one line with JSON's escapes; once, where it is the message as well."""
    ran = replace(RUN, result=result, message="said")
    [card] = lanes_of(replace(DETAIL, executions=(ran,)))[-1]["cards"]
    assert card["value"] == shown


def test_lanes_say_so_where_there_is_nothing() -> None:
    """A turn without actions and executions has sentences in their place."""
    lanes = lanes_of(replace(DETAIL, blocks=(), actions=(), executions=()))
    assert [(lane["title"], lane["cards"], bool(lane["whenEmpty"])) for lane in lanes] == [
        ("Actions", [], True),
        ("Executions", [], True),
    ]


def test_executions_of_another_reading_are_named_as_such() -> None:
    """What was done under the first reading was not done again by a later one."""
    again = replace(DETAIL, executions=(replace(RUN, attempt_id="of the first reading"),))
    lane = lanes_of(again)[-1]
    assert lane["title"] == "Executions, as recorded under the first reading"
    assert lane["cards"][0]["block"] is None


@pytest.mark.parametrize(
    ("kind", "said"),
    [(RunKind.LIVE, "Nothing was executed."), (RunKind.IMPORT, "Not recorded: ")],
)
def test_a_turn_of_a_recording_does_not_say_that_nothing_was_done(kind: RunKind, said: str) -> None:
    """What another runtime did is not known where its recording doesn't say it."""
    detail = replace(DETAIL, executions=(), readers=(replace(DETAIL.readers[0], kind=kind),))
    assert lanes_of(detail)[-1]["whenEmpty"].startswith(said)


@pytest.mark.parametrize(
    ("at", "said"), [(datetime(2026, 1, 2), "Nothing was executed."), (None, "Not recorded: ")]
)
def test_an_import_that_runs_what_it_reads_knows_that_nothing_was_done(
    at: datetime | None, said: str
) -> None:
    """It told the model at a time of its own; what a recording says was told has none."""
    readers = (replace(DETAIL.readers[0], kind=RunKind.IMPORT),)
    response = replace(DETAIL.response, told=(Told("No action was found.", at, is_resumed=False),))
    detail = replace(DETAIL, response=response, executions=(), readers=readers)
    assert lanes_of(detail)[-1]["whenEmpty"].startswith(said)


def test_what_another_reading_did_in_vain_is_no_fault_of_this_one() -> None:
    """A turn goes wrong by what came of the actions of the reading that is shown, as the filter has it."""
    failed = replace(RUN, status=ExecutionStatus.FAILED, reason=Reason.NOT_FOUND)
    own = replace(DETAIL, executions=(failed,))
    assert went_wrong(own) == ("parsed with repairs, a tool call failed", Reason.NOT_FOUND)
    others = replace(DETAIL, executions=(replace(failed, attempt_id="of the first reading"),))
    assert went_wrong(others) == ("", None)


DATA = "QUJD" * 100


@pytest.mark.parametrize(
    ("part", "name"),
    [
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}},
            "[image: image/png, 300 bytes]",
        ),
        ({"type": "image", "data": DATA, "mimeType": "image/webp"}, "[image: image/webp, 300 bytes]"),
        (
            {"type": "image_url", "image_url": {"url": f"data:image/gif;base64,{DATA}"}},
            "[image: image/gif, 300 bytes]",
        ),
        (
            {"type": "input_image", "image_url": "https://example.org/a.png"},
            "[image: https://example.org/a.png]",
        ),
        ({"inlineData": {"mimeType": "application/pdf", "data": DATA}}, "[file: application/pdf, 300 bytes]"),
        ({"type": "image", "source": {"type": "file", "file_id": "file_1"}}, "[image]"),
    ],
)
def test_a_part_is_named(part: dict[str, Any], name: str) -> None:
    """By its kind, its media type and its size; of one that lies elsewhere by its address."""
    assert named_media(part) == name
    assert named_media({"content": [part]}) == {"content": [name]}
    assert text_of_parts([{"type": "text", "text": "Here:"}, part]) == f"Here:\n{name}"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.text().filter(lambda key: key not in {"type", "inlineData"}), inner)
        ),
    )
)
def test_what_is_no_part_stays_as_it_is(value: Any) -> None:
    assert named_media(value) == value


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "file", "name": "a.py", "size": 12},
        {"type": "file", "name": "a.py", "url": "https://example.org/a.py"},
        {"type": "image", "width": 3, "data": "logo"},
        {"type": "document", "title": "Plan"},
        {"type": "file", "file": "a.py"},
        {"type": "document", "source": {"path": "a.md"}},
    ],
)
def test_what_a_tool_says_of_files_is_no_part(entry: dict[str, Any]) -> None:
    """A listing has entries of such types, too: all that they say is shown."""
    assert named_media([entry]) == [entry]


def test_what_is_nested_very_deep_is_no_error() -> None:
    """Its innermost parts stay as they are."""
    deep: Any = {"type": "image", "data": DATA}
    for _ in range(50_000):
        deep = [deep]
    assert named_media(deep)


@pytest.mark.parametrize(
    "value",
    [
        [],
        ["a", 1],
        {"text": "a"},
        "a",
        None,
        [{"type": "text", "text": 1}],
        [{"text": "a", "score": 2}],
        [{"type": [], "text": "a"}],
    ],
)
def test_what_is_no_list_of_texts_has_no_text(value: Any) -> None:
    """It is shown as JSON."""
    assert text_of_parts(value) is None
