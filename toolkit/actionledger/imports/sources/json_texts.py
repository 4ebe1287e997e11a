"""JSON texts of others in which halves of surrogate pairs stand, as programs of Python and JavaScript write them."""

import json
from typing import Any

from pydantic_core import from_json

from actionledger.core.text import from_utf8_with_halves, may_have_halves


def value_of(text: str | bytes) -> Any:
    """Return the value of a JSON text; a half stays in it as it is."""
    try:
        return from_json(text)
    except ValueError:
        there = from_utf8_with_halves(text) if isinstance(text, bytes) else text
        if not may_have_halves(there):
            raise
    return json.loads(there)  # slower, but it takes them
