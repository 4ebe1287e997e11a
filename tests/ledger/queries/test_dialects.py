"""In which dialects responses were read, counted by hand: what could not be read counts too."""

import pytest

from actionledger.core.errors import UsageError
from actionledger.core.rates import Rate
from actionledger.ledger import queries
from actionledger.ledger.queries import Filter


def test_a_dialect_is_a_share_of_all_that_meant_to_act(world: queries.Queryable) -> None:
    """Of the three responses of "small" and the four of "large" that meant to act, some were read, each in a dialect."""
    assert [(found.label, found.dialect, found.share) for found in queries.dialects_by(world, "model")] == [
        ("large", "actions", Rate(1, 4)),
        ("large", "json_action", Rate(1, 4)),
        ("small", "xml_tags", Rate(2, 3)),
    ]


@pytest.mark.parametrize("dimension", ["profile", "model", "task", "source", "run"])
def test_shares_of_a_label_sum_up_to_its_parse_success(
    world: queries.Queryable, dimension: queries.Dimension
) -> None:
    """The denominator is the parse rate's own: nothing that could not be read is left out of it."""
    within = Filter()
    found = queries.dialects_by(world, dimension, within)
    for label, funnel in queries.funnel_by(world, dimension, within):
        if dimension == "run" and label not in {part.label for part in found}:
            continue  # re-readings are counted by run alone
        shares = [part.share for part in found if part.label == label]
        assert {share.count for share in shares} <= {funnel.intent}
        assert sum(share.successes for share in shares) == funnel.parsed


def test_all_together(world: queries.Queryable) -> None:
    """Without a dimension there is one label, and a filter narrows the whole."""
    assert [(found.dialect, found.share) for found in queries.dialects(world)] == [
        ("xml_tags", Rate(2, 7)),
        ("actions", Rate(1, 7)),
        ("json_action", Rate(1, 7)),
    ]
    small = queries.dialects(world, Filter(models=("small",)))
    assert [(found.dialect, found.share) for found in small] == [("xml_tags", Rate(2, 3))]


def test_no_rate_and_no_split_is_by_what_reading_found(world: queries.Queryable) -> None:
    """A rate within a dialect would be a rate within its own outcome."""
    with pytest.raises(UsageError, match="a rate within its own outcome"):
        queries.dialects(world, Filter(dialects=("xml_tags",)))
    assert "dialect" not in queries.Dimension.__args__  # type: ignore[attr-defined]
