"""What a ledger says of a run, as plain rows that are compared."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb


@dataclass(frozen=True)
class Action:
    """A call as it was recorded."""

    call_id: str
    name: str
    status: str
    arguments: str | None


@dataclass(frozen=True)
class Execution:
    """What came of a call, as it was recorded."""

    call_id: str
    status: str


@dataclass
class Turn:
    """A response as it was recorded."""

    text: str
    model: str | None
    finish: str | None
    tokens: dict[str, int | None]
    actions: list[Action] = field(default_factory=list)
    executions: list[Execution] = field(default_factory=list)
    thought: str = ""
    session: str = ""


_TURNS = """
    SELECT turn_id, text, model, finish_reason, input_tokens, cached_tokens, output_tokens, reasoning_tokens,
        reasoning, session_id::VARCHAR
    FROM turns ORDER BY occurred_at, turn_index
"""
_ACTIONS = "SELECT turn_id, call_id, name, status, arguments FROM actions ORDER BY turn_id, action_index"
_EXECUTIONS = "SELECT turn_id, call_id, status FROM executions ORDER BY turn_id, action_index, try_number"


def turns_of(ledger: Path) -> list[Turn]:
    """Read a ledger's turns in order, each with its calls and what came of them."""
    with duckdb.connect(str(ledger), read_only=True) as opened:
        found: dict[Any, Turn] = {}
        for turn_id, text, model, finish, *tokens, thought, session in opened.execute(_TURNS).fetchall():
            names = ("input", "cached", "output", "reasoning")
            found[turn_id] = Turn(
                text or "", model, finish, dict(zip(names, tokens, strict=True)),
                thought=thought or "", session=session or "",
            )  # fmt: skip
        for turn_id, call_id, name, status, arguments in opened.execute(_ACTIONS).fetchall():
            found[turn_id].actions.append(Action(call_id or "", name, status, arguments))
        for turn_id, call_id, status in opened.execute(_EXECUTIONS).fetchall():
            found[turn_id].executions.append(Execution(call_id or "", status))
    return list(found.values())


def parents_of(ledger: Path) -> dict[str, str]:
    """Return each session's parent; the empty text where it has none."""
    with duckdb.connect(str(ledger), read_only=True) as opened:
        rows = opened.execute(
            "SELECT session_id::VARCHAR, parent_session_id::VARCHAR FROM sessions"
        ).fetchall()
    return {session: parent or "" for session, parent in rows}
