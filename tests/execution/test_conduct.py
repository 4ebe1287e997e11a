"""Which actions may run side by side."""

import pytest

from actionledger.execution.conduct import Conduct


def conduct(reads: str = "", writes: str = "", *, parallel: bool = True) -> Conduct:
    return Conduct(parallel=parallel, reads=frozenset(reads), writes=frozenset(writes))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (conduct(), conduct(), True),
        (conduct("a"), conduct("a"), True),
        (conduct("a", "b"), conduct("a", "c"), True),
        (conduct("a"), conduct("", "a"), False),
        (conduct("", "a"), conduct("", "a"), False),
        (conduct(), conduct(parallel=False), False),
    ],
)
def test_two_actions_run_side_by_side_where_neither_touches_what_the_other_changes(one, other, expected):
    """Reading the same is no matter; and both must allow it. It is the same from either side."""
    assert one.may_join(other) is expected
    assert other.may_join(one) is expected
