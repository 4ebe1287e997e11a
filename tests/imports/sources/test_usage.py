"""Tokens in the providers' own names, and what is billed beside a message."""

import json
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.core.recordings import Usage
from actionledger.imports.shapes import anthropic
from actionledger.imports.sources.usage import usage_of, with_thoughts
from actionledger.ledger.queries import billed_beside, usage


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


MESSAGE = {"type": "message", "input_tokens": 5, "output_tokens": 40, "cache_read_input_tokens": 100}
ADVISOR = {"type": "advisor_message", "model": "claude-opus-4-6", "input_tokens": 900, "output_tokens": 70}
COMPACTION = {
    "type": "compaction",
    "input_tokens": 3000,
    "output_tokens": 200,
    "cache_creation_input_tokens": 50,
}
TOP = {"input_tokens": 5, "output_tokens": 40, "cache_read_input_tokens": 100}


@pytest.mark.parametrize("read", [usage_of, anthropic.usage])
def test_iterations_are_among_the_tokens(read: Any) -> None:
    """An advisor's and a compaction's beside the message's own, which are not counted twice."""
    assert read({**TOP, "iterations": [MESSAGE]}) == read(TOP)
    took = read({**TOP, "iterations": [MESSAGE, ADVISOR, COMPACTION, "strange", {"type": 5}]})
    assert (took.input_tokens, took.output_tokens) == (105 + 900 + 3050, 40 + 70 + 200)
    assert (took.cached_tokens, took.cache_write_tokens) == (100, 50)
    assert [(each.kind, each.model, each.output_tokens) for each in took.billed] == [
        ("advisor_message", "claude-opus-4-6", 70),
        ("compaction", "", 200),
        ("iteration", "", 0),
    ]


@pytest.mark.parametrize("read", [usage_of, anthropic.usage])
def test_counts_that_are_the_first_iterations_alone_are_completed(read: Any) -> None:
    """As they are where an advisor was asked: the message's own second iteration is billed as well."""
    took = read({**TOP, "iterations": [MESSAGE, ADVISOR, MESSAGE]})
    assert (took.input_tokens, took.output_tokens, took.cached_tokens) == (210 + 900, 80 + 70, 200)
    summed = read(
        {
            "input_tokens": 10,
            "output_tokens": 80,
            "cache_read_input_tokens": 200,
            "iterations": [MESSAGE, MESSAGE],
        }
    )
    assert (summed.input_tokens, summed.billed) == (210, ())


def test_what_is_kept_for_an_hour_and_searches_are_known() -> None:
    """They cost otherwise, and are no tokens beside the message's."""
    took = usage_of(
        {
            **TOP,
            "cache_creation_input_tokens": 30,
            "cache_creation": {"ephemeral_1h_input_tokens": 20, "ephemeral_5m_input_tokens": 10},
            "server_tool_use": {"web_search_requests": 2, "web_fetch_requests": 0},
        }
    )
    assert took.input_tokens == 135
    assert [(each.kind, each.long_writes, each.requests) for each in took.billed] == [
        ("ephemeral_1h_input_tokens", 20, 0),
        ("web_search_requests", 0, 2),
    ]


def test_a_summary_of_pis_is_billed_with_the_response_after_it(tmp_path: Path) -> None:
    """Nobody answers it; its tokens and its cost are in the sums, once, however often the file is read."""

    def line(kind: str, **more: Any) -> str:
        return json.dumps({"type": kind, "id": "x", "timestamp": "2026-05-12T01:02:27Z", **more}) + "\n"

    def cost(dollars: float, **tokens: int) -> dict[str, Any]:
        return {
            "input": 0,
            "output": 0,
            "cacheRead": 0,
            "cacheWrite": 0,
            **tokens,
            "cost": {"total": dollars},
        }

    def said(text: str, at: int) -> str:
        message = {
            "role": "assistant", "model": "m", "timestamp": at, "stopReason": "stop",
            "content": [{"type": "text", "text": text}], "usage": cost(0.5, input=10, output=5),
        }  # fmt: skip
        return line("message", message=message)

    file = tmp_path / "s.jsonl"
    head = line("session", cwd="/w") + said("one", 1)
    summary = line("compaction", summary="All.", tokensBefore=99, usage=cost(10.0, input=700, output=60))
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        for text in (head, head + summary, head + summary + said("two", 2), head + summary + said("two", 2)):
            file.write_text(text, encoding="utf-8")
            al.import_path(file, ledger, format="pi")
        found = usage(ledger)
        assert (found.turns, found.input_tokens, found.output_tokens, found.cost_usd) == (2, 720, 70, 11.0)
        assert [(each.kind, each.output_tokens) for each in billed_beside(ledger)] == [("compaction", 60)]


@pytest.mark.parametrize(
    ("output", "thoughts", "total", "shown", "beside", "whole"),
    [
        (5, 20, 35, 10, (), 25),
        (25, 20, 35, 10, (), 25),
        (25, 20, None, 10, (), 25),
        (5, 20, None, None, (), 25),
        (25, 20, 155, 10, (100,), 45),
        (25, 20, 135, 10, (100,), 25),
        (25, 20, "45", 0, (), 25),
        (25, 0, 45, 20, (), 25),
        (None, 20, 35, 10, (), None),
    ],
)
def test_thoughts_are_among_what_was_written(  # noqa: PLR0917
    output: int | None,
    thoughts: int,
    total: Any,
    shown: int | None,
    beside: tuple[int, ...],
    whole: int | None,
) -> None:
    """Where the total says that they stand beside it, or they are more than it."""
    assert with_thoughts(output, thoughts, total, shown, *beside) == whole
