"""A bundle for a report of a failure: what is in it, and what of a user's is never in it."""

import json
from pathlib import Path

import pytest
from planted import planted

import actionledger as al
from actionledger.imports.bundles import bundle
from actionledger.ledger import open_ledger
from actionledger.ledger.storage.schema import SCHEMA_VERSION

PRIVATE = "orchid-Merger-4711"
"""A word that stands in everything a user may name or write, and in no bundle without texts."""

SECRET = next(planted()).secret

ROLLOUT = (
    {
        "type": "session_meta",
        "payload": {
            "id": "0199aaaa-0000-7000-8000-000000000001",
            "cli_version": "9.9.0",
            "cwd": f"/home/{PRIVATE}",
        },
    },
    {"type": "turn_context", "payload": {"model": f"{PRIVATE}-model"}},
    {"type": "teleported", "payload": {"how": PRIVATE, "place": 1}},
    {"type": PRIVATE + " is a sentence", "payload": {}},
    {
        "type": "response_item",
        "payload": {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": f"{PRIVATE} is done."}],
        },
    },
)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory) -> Path:
    """A ledger with a session of Codex of a version that nobody has tested, and one of a program's own."""
    folder = tmp_path_factory.mktemp(PRIVATE)
    rollout = folder / "rollout-2026-11-01T00-00-00-0199aaaa-0000-7000-8000-000000000001.jsonl"
    stamped = ({"timestamp": "2026-11-01T00:00:00.000Z"} | line for line in ROLLOUT)
    rollout.write_text("\n".join(map(json.dumps, stamped)))
    path = folder / f"{PRIVATE}.duckdb"
    with open_ledger(path) as opened:
        al.import_path(rollout, opened)
        text = f'```actions\n{{"actions": [{{"type": "create_task", {PRIVATE} {SECRET}\n```'
        opened.record_turn(PRIVATE, text, profile="assistant", model=PRIVATE)
    return path


@pytest.fixture(scope="module")
def made(ledger):
    """A bundle without texts."""
    return bundle(ledger)


def test_it_has_the_versions(made):
    """Of this package, of what it needs, of the system and of the ledger."""
    versions = made["versions"]
    assert versions["actionledger"] == al.__version__
    assert versions["schema"] == made["ledger"]["schema"] == SCHEMA_VERSION
    assert {"python", "system", "machine", "packages", "reading_rules"} <= set(versions)
    assert made["ledger"]["is_readable"]


def test_it_says_what_no_reader_knows(made):
    """A kind by its name and keys; a version beyond those that were tested."""
    kinds = {each["kind"]: each["count"] for each in made["unknown_kinds"]}
    assert any(kind.startswith("teleported") for kind in kinds)
    assert "custom" in kinds
    assert [(each["source"], each["version"]) for each in made["newer_than_tested"]] == [("codex", "9.9.0")]


def test_it_counts_what_came_of_reading(made):
    [failed] = [row for row in made["readings"] if row["outcome"] == "failed"]
    assert (failed["dialect"], failed["responses"]) == ("actions", 1)
    assert made["issues"]


def test_nothing_of_a_user_is_in_it(made):
    """No text, no name of a session, a model, a file or a folder, and no secret."""
    assert made["has_text"] is False
    assert "text" not in made
    assert PRIVATE not in json.dumps(made)


def test_texts_are_added_where_somebody_asks_and_masked(ledger):
    """A secret in one is asterisks."""
    text = json.dumps(bundle(ledger, with_text=True)["text"])
    assert PRIVATE in text
    assert SECRET not in text


def test_a_ledger_that_cannot_be_read_has_its_checks(tmp_path):
    """It is then that somebody needs one."""
    broken = tmp_path / "team.duckdb"
    broken.write_text("no ledger")
    made = bundle(broken)
    assert made["ledger"]["is_readable"] is False
    assert {"check": "published file", "level": "needs you"} in made["ledger"]["checks"]
    assert "readings" not in made
