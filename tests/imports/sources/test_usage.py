"""Tokens in the providers' own names: each counts the same things in another way."""

import pytest

from actionledger.core.recordings import Usage
from actionledger.imports.sources.usage import usage_of


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "prompt_tokens_details": {"cached_tokens": 80},
                "completion_tokens_details": {"reasoning_tokens": 12},
            },
            Usage(input_tokens=100, output_tokens=20, cached_tokens=80, reasoning_tokens=12),
            id="openai-chat",
        ),
        pytest.param(
            {
                "input_tokens": 100,
                "output_tokens": 20,
                "input_tokens_details": {"cached_tokens": 80},
                "output_tokens_details": {"reasoning_tokens": 12},
            },
            Usage(input_tokens=100, output_tokens=20, cached_tokens=80, reasoning_tokens=12),
            id="openai-responses",
        ),
        pytest.param(
            {
                "input_tokens": 100,
                "cached_input_tokens": 80,
                "output_tokens": 20,
                "reasoning_output_tokens": 12,
            },
            Usage(input_tokens=100, output_tokens=20, cached_tokens=80, reasoning_tokens=12),
            id="codex",
        ),
        pytest.param(
            {
                "input_tokens": 10,
                "cache_read_input_tokens": 80,
                "cache_creation_input_tokens": 10,
                "output_tokens": 20,
            },
            Usage(input_tokens=100, output_tokens=20, cached_tokens=80, cache_write_tokens=10),
            id="anthropic",
        ),
        pytest.param(
            {"inputTokens": 10, "cacheReadInputTokens": 90, "outputTokens": 20},
            Usage(input_tokens=100, output_tokens=20, cached_tokens=90),
            id="bedrock",
        ),
        pytest.param(
            {
                "promptTokenCount": 100,
                "cachedContentTokenCount": 80,
                "candidatesTokenCount": 8,
                "thoughtsTokenCount": 12,
            },
            Usage(input_tokens=100, output_tokens=20, cached_tokens=80, reasoning_tokens=12),
            id="gemini",
        ),
        pytest.param(
            {"input_tokens": True, "output_tokens": -1, "prompt_tokens": 2**70}, Usage(), id="no-counts"
        ),
        pytest.param({"prompt_tokens_details": None, "input_tokens_details": 3}, Usage(), id="no-details"),
        pytest.param({}, Usage(), id="nothing"),
    ],
)
def test_each_providers_counts_mean_the_same(given, expected):
    """Input holds what was cached, output what was thought."""
    assert usage_of(given) == expected


def test_what_is_known_beside_is_added():
    """Times, cost and why it stopped stand elsewhere in a recording."""
    assert usage_of({"output_tokens": 1}, cost_usd=0.5).cost_usd == 0.5
