"""Tools that are offered in these tests, and reading with them."""

from collections.abc import Callable

import pytest

import actionledger as al

WEATHER = {
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}},
}
TIME = {
    "name": "clock.get_time",
    "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}},
}


@pytest.fixture(scope="session")
def read() -> Callable[..., al.ParseResult]:
    """Return what reads a text with the two tools."""
    return lambda text, dialects="auto": al.parse(text, dialects=dialects, tools=[WEATHER, TIME])
