"""What a layer's responses cost."""

import pytest

from actionledger.core.errors import UsageError
from actionledger.profiles.orchestrator.layers import Price


@pytest.mark.parametrize("dollars", [-1.0, float("nan"), float("inf")])
def test_a_price_is_a_number_from_0(dollars):
    """A cost that is none would make every sum of costs one."""
    with pytest.raises(UsageError, match="numbers from 0"):
        Price(1.0, dollars)
