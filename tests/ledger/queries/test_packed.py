"""Identifiers in a few bytes each answer as a set and a dictionary of them would."""

import pickle
from uuid import UUID

import duckdb
from hypothesis import given, strategies as st

from actionledger.ledger.queries.packed import KnownTurn, PackedIds, PackedTurns

# Few upper halves, so that many are alike in them.
IDS = st.builds(
    lambda upper, lower: str(UUID(int=upper << 64 | lower)),
    st.sampled_from([0, 1, 2**63 - 1, 2**63, 2**64 - 1]),
    st.integers(0, 2**64 - 1) | st.integers(0, 3),
)
TURNS = st.builds(
    KnownTurn,
    st.integers(0, 2**64 - 1).map("{:016x}".format),
    st.integers(0, 2**31 - 1),
    st.integers(0, 2**31 - 1),
    st.none() | st.integers(0, 2**63 - 1),
    st.booleans(),
    session_id=st.just(""),
)


@given(st.sets(IDS), st.lists(IDS))
def test_ids_are_those_that_were_given(there: set[str], asked: list[str]):
    packed = PackedIds(sorted(there))
    assert len(packed) == len(there)
    assert all(each in packed for each in there)
    assert [each in packed for each in asked] == [each in there for each in asked]


@given(st.dictionaries(IDS, TURNS), st.lists(IDS))
def test_turns_are_those_that_were_given_also_in_another_process(
    there: dict[str, KnownTurn], asked: list[str]
):
    packed = pickle.loads(pickle.dumps(PackedTurns(sorted(there.items()))))
    assert len(packed) == len(there)
    assert {each: packed.get(each) for each in there} == there
    assert [packed.get(each) for each in asked] == [there.get(each) for each in asked]


@given(st.sets(IDS, max_size=30))
def test_duckdb_has_them_in_the_order_that_is_wanted(there: set[str]):
    found = duckdb.sql(
        "SELECT id::VARCHAR FROM (SELECT unnest($1::UUID[]) AS id) ORDER BY id", params=[list(there)]
    )
    assert [each for (each,) in found.fetchall()] == sorted(there)


def test_nothing_is_in_none():
    assert "6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11" not in PackedIds()
    assert PackedTurns().get("6f1d5a0e-6a43-5f0e-9c38-0d5a3b0a7c11") is None
    assert not PackedIds()
    assert not PackedTurns()
