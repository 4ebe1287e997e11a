"""How deep a value is nested: containers are counted, empty ones too, and nothing recurses."""

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from actionledger.core.canonical import is_deeper


def nested(levels: int, inner: object, *, with_keys: bool = False) -> object:
    for _ in range(levels):
        inner = {"漢": inner, "b": 1} if with_keys else [0, inner]
    return inner


@pytest.mark.parametrize("with_keys", [False, True])
@pytest.mark.parametrize(("levels", "inner"), [(3, 1), (2, []), (2, {}), (2, {"a": None})])
def test_containers_are_counted_and_not_what_is_in_them(levels, inner, with_keys):
    value = nested(levels, inner, with_keys=with_keys)
    assert [is_deeper(value, limit) for limit in range(5)] == [True, True, True, False, False]


@pytest.mark.parametrize("value", [1, "[[[", None, True, 1.5])
def test_what_is_no_container_has_no_level(value):
    assert not is_deeper(value, 0)


def test_a_value_deeper_than_the_stack_is_looked_at():
    assert is_deeper(nested(100_000, 1), 99_999)
    assert not is_deeper(nested(100_000, 1), 100_000)


def test_other_mappings_count_where_they_are_named():
    value = MappingProxyType({"a": MappingProxyType({"b": [1]})})
    assert not is_deeper(value, 0)
    assert is_deeper(value, 2, (Mapping, list))
    assert not is_deeper(value, 3, (Mapping, list))
