"""Images and files in results are named, whatever interface they come from; nothing else changes."""

from typing import Any

import pytest
from hypothesis import given, strategies as st

from actionledger_dashboard.viewer.media import named_media, text_of_parts

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
    """However it is nested."""
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
