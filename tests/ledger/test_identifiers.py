"""Many identifiers at once become the bytes that DuckDB holds, or are refused."""

from uuid import UUID

import duckdb
import pytest
from hypothesis import given, strategies as st

from actionledger.ledger.storage.arrow import identifier_bytes

ONE = "6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11"


@given(st.lists(st.uuids(), max_size=20))
def test_they_are_the_bytes_of_each(identifiers: list[UUID]):
    assert identifier_bytes([str(each) for each in identifiers]) == b"".join(
        each.bytes for each in identifiers
    )


@pytest.mark.parametrize(
    "wrong",
    [
        ["", ONE],
        [ONE.upper()],
        [ONE.replace("-", "")],
        ["{" + ONE.replace("-", "") + "--}"],
        [ONE[:8] + ONE[8:].replace("-", "a")],
        ["6f1d5a0-e6a43-5f0e-9c38-0d5a3b0a7c11"],
        [ONE[:-1] + "g"],
        [ONE[:-1] + "-"],
        [ONE[:-1] + "é"],
        [ONE[:-1] + "\ud800"],
        [ONE[:-1], ONE + ONE[-1]],
        ["İ" + ONE[1:]],
    ],
)
def test_what_duckdb_would_not_give_back_as_it_is_is_refused(wrong: list[str]):
    with pytest.raises(ValueError):
        identifier_bytes(wrong)


@st.composite
def nearly_identifiers(draw: st.DrawFn) -> str:
    """Return an identifier with one character put in, taken out or put in another's place."""
    text = str(draw(st.uuids()))
    place = draw(st.integers(0, len(text)))
    gone = draw(st.integers(0, 1))
    return text[:place] + draw(st.sampled_from(["", *"09afAFg-{} "])) + text[place + gone :]


@given(nearly_identifiers())
def test_whatever_is_taken_is_given_back_by_duckdb(text: str):
    try:
        made = identifier_bytes([text])
    except ValueError:
        return
    assert UUID(bytes=made) == UUID(text)
    assert duckdb.sql("SELECT $1::UUID::VARCHAR", params=[text]).fetchall() == [(text,)]
