"""Which actions may run side by side."""

import pytest

from actionledger.runtime.execution.profile import ActionSettings


def settings(reads: str = "", writes: str = "", *, parallel: bool = True) -> ActionSettings:
    return ActionSettings(parallel=parallel, reads=frozenset(reads), writes=frozenset(writes))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (settings(), settings(), True),
        (settings("a"), settings("a"), True),
        (settings("a", "b"), settings("a", "c"), True),
        (settings("a"), settings("", "a"), False),
        (settings("", "a"), settings("", "a"), False),
        (settings(), settings(parallel=False), False),
    ],
)
def test_two_actions_run_side_by_side_where_neither_touches_what_the_other_changes(one, other, expected):
    """Reading the same is no matter; and both must allow it. It is the same from either side."""
    assert one.may_join(other) is expected
    assert other.may_join(one) is expected
