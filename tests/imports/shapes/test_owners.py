"""Whose a request is, as agents were seen to say it."""

import json

import pytest

from actionledger.core.vocabulary import Relation
from actionledger.imports.shapes.base import HEADERS, NOBODY, RequestOwner, owner_of

ID, OTHER = "01a2285e-bf09-7283-8c61-c4416558e7fc", "01a2285e-f62d-7f83-a2d0-dd1de518a007"


def codex(thread, **more):
    said = json.dumps({"session_id": ID, "thread_id": thread, **more})
    return {
        "prompt_cache_key": ID,
        "client_metadata": {"session_id": ID, "thread_id": thread, "x-codex-turn-metadata": said},
    }


@pytest.mark.parametrize(
    ("body", "headers", "expected"),
    [
        ({"metadata": {"user_id": json.dumps({"device_id": "d", "session_id": ID})}}, {}, RequestOwner(ID)),
        ({"metadata": {"user_id": f"user_ab_account__session_{ID}"}}, {}, RequestOwner(ID)),
        ({}, {"x-claude-code-session-id": ID}, RequestOwner(ID)),
        (
            {"metadata": {"user_id": json.dumps({"session_id": ID})}},
            {"x-claude-code-session-id": ID, "x-claude-code-agent-id": "a1"},
            RequestOwner(f"{ID}/a1", ID, Relation.SUBAGENT),
        ),
        (codex(ID), {}, RequestOwner(ID)),
        (codex(OTHER, parent_thread_id=ID), {}, RequestOwner(OTHER, ID, Relation.SUBAGENT)),
        (codex(OTHER, forked_from_thread_id=ID), {}, RequestOwner(OTHER, ID, Relation.FORK)),
        (
            {"prompt_cache_key": ID},
            {"thread-id": OTHER, "x-codex-parent-thread-id": ID},
            RequestOwner(OTHER, ID, Relation.SUBAGENT),
        ),
        ({"prompt_cache_key": "ses_7ab3c9d2e1f0"}, {}, RequestOwner("ses_7ab3c9d2e1f0")),
        ({"conversation": {"id": "conv_1"}}, {}, RequestOwner("conv_1")),
        ({"conversation": "conv_1"}, {}, RequestOwner("conv_1")),
    ],
)
def test_agents_name_their_session_and_what_it_comes_from(body, headers, expected):
    assert owner_of(body, tuple(headers.items())) == expected


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"prompt_cache_key": "my-app-v1"},
        {"metadata": {"user_id": "ada"}},
        {"metadata": {"user_id": '{"session_id": 3}'}},
        {"metadata": {"user_id": "{" * 100_000}},
        {"metadata": {"user_id": '{"a":' * 10_000}},
        {"metadata": "x", "client_metadata": [1], "conversation": 7, "session_id": {}},
        {"session_id": "x" * 100_000},
    ],
)
def test_what_names_no_session_is_nobody_s(body):
    """One name for all that a program asks, a person, and whatever else may stand there."""
    assert owner_of(body, (("authorization", ID), ("user-agent", ID))) == NOBODY


def test_no_header_that_holds_a_key_is_looked_at():
    assert not HEADERS & {"authorization", "x-api-key", "api-key", "cookie", "x-goog-api-key"}
