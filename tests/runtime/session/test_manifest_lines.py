"""What a manifest's file says, and what it can't say."""

import pytest

from actionledger.runtime.session.states.capture import CapturedState
from actionledger.runtime.session.states.lines import read


def test_a_line_that_is_nested_too_deep_is_damage_and_no_fault():
    """Whoever can write a manifest's file can write that."""
    found = read(b"[" * 200_000 + b"\n")
    assert (found.lines, found.is_damaged) == ([], True)
    with pytest.raises(ValueError, match="nested deeper"):
        CapturedState.from_bytes(b"[" * 200_000)
