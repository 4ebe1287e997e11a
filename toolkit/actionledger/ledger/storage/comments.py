"""The meaning of tables and columns, with units, from the docstrings of their classes: for comments in the file, and for pages."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from inspect import cleandoc

from duckdb import DuckDBPyConnection

from actionledger.core.patterns import regex
from actionledger.core.text import sql_text
from actionledger.ledger.storage.connections import transaction
from actionledger.ledger.storage.schema import LINK, QUARANTINE, TABLES, VIEWS, Table

ROWS = {
    "runs": "a set of parse attempts made together: live, import, reparse or rerun",
    "parsers": "a parser's configuration, once for each hash",
    "tools": "a list of tools that a model was offered, once for each hash",
    "left_out": "how much of a recording is no part of a session, by file and reason; sum(count) is what the file holds",
    "sessions": "a session: where it comes from, what it ran with, whether it reached its aim, whose child it is, what it is called",
    "turns": "one response of a model: its raw text, what the model was shown and told, its tokens, cost and times",
    "parse_attempts": "one parser over one response; run_kind NOT IN ('reparse', 'rerun') picks each turn's first reading",
    "blocks": "a candidate stretch of a response's text",
    "repairs": "one change that made a text readable",
    "issues": "one thing that is wrong with a response",
    "actions": "one call that was read, valid or not",
    "validation_errors": "one field that an action's model refuses, or took in another type",
    "executions": "one try at running an action; origin says whether it was run here or a recording says what came of it",
    "reversals": "what an action has changed was undone, or redone",
    "approvals": "an action that waits, or has waited, for a decision",
    "resumptions": "a turn that went on after its end",
    "superseded": "a turn that is gone, since its recording has more of the same response by now",
    "forgotten": "a session of which all that was recorded is gone, or that was taken in again since; the last row of each counts",
    "permissions": "a call of another runtime: whether it was let run or refused, by whom, and which hooks ran beside it",
    "unacted_turns": "a response in which a reading has found no call: how it ended, and why it stopped where it did",
    "session_outcomes": "how a session came out, by its last turn and by what its source says",
    "recorded_verdicts": "what a recording says of its own session, where it does: whether it succeeded, and what its harness counted",
    "events": "everything that was recorded, with the message of what has no table of its own",
    "quarantine": "a line of a segment that can't be read, whole",
}
"""The meaning of a row, by table and view; for others it is in the docstring of their class."""

_COMPUTED: dict[str, tuple[str, dict[str, str]]] = {
    "permissions": (
        "executions",
        {
            "decision": "allowed or refused; NULL where the recording says neither",
            "decided_by": "person, hook, rule, mode, or nobody where a person had to be asked and there was none; not_recorded elsewhere",
            "why": "the source's own word for it; NULL where it has none",
            "hooks": "the hooks that ran beside the call, each with how it ended; NULL where none is recorded",
        },
    ),
    "unacted_turns": (
        "parse_attempts",
        {
            "ending": "how it ended: stopped_without_acting, unparseable, final_answer, went_on or not_known",
            "why": "why it stopped without acting: announced, left_as_text, empty, cut, refused or broken_off; NULL for other endings",
        },
    ),
    "session_outcomes": (
        "sessions",
        {
            "outcome": "finished, stopped_without_acting, interrupted, failed, open or not_known",
            "why": "what says so: recorded for the source's own verdict, the source's word, or how the last turn ended",
        },
    ),
    "recorded_verdicts": (
        "sessions",
        {
            "took": "in how many of its responses the recording's own harness took an action; NULL where it does not say",
            "counted": "of how many responses it says so",
        },
    ),
}
"""Computed views: the table that describes their columns, and the descriptions of their own columns."""

_OF_LINK = (
    "which link of the chain in links the row was taken in by; NULL where that was before there was one"
)

_ARGUMENT = regex(r"^    ([a-z_, ]+): (.+(?:\n {8}.+)*)", re.MULTILINE)


def row_meaning(name: str) -> str:
    """Return the meaning of a table's or view's row; empty if unknown."""
    if name in ROWS:
        return ROWS[name]
    halves = _made_of(name)
    said = cleandoc(halves[0].source.__doc__ or "").partition("\n\n")[0] if halves else ""
    return _words(said)


@cache
def column_meanings(name: str) -> dict[str, str]:
    """Return the meaning of each column of a table or view, with its unit; empty for an unknown name."""
    if name in _COMPUTED:
        of, own = _COMPUTED[name]
        return {**column_meanings(of), **own}
    return {
        column.name: _words(_meaning_of(part.source, column.field.partition(".")[0]))
        for table in reversed(_made_of(name))
        for part in table.parts
        for column in part.columns
    }


def texts_of(name: str) -> frozenset[str]:
    """Return the columns of a table or view that hold what a model, a tool or a person wrote."""
    return frozenset(column for table in _made_of(name) for column in table.blanks)


def meanings() -> Iterator[str]:
    """Yield the names and meanings of tables, views and their columns."""
    for name in (*(table.name for table in (*TABLES, QUARANTINE)), *VIEWS):
        yield name
        yield row_meaning(name)
        for column, meaning in column_meanings(name).items():
            yield f"{column} {meaning}"


def comment_on_everything(connection: DuckDBPyConnection, *, columns_of_views: bool = True) -> None:
    """Add the meanings of tables, views and columns to the current database as comments, which any tool shows."""
    there = connection.execute(
        "SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = current_database() AND NOT internal"
    ).fetchall()
    with transaction(connection):
        connection.execute(";".join(_statements(there, columns_of_views=columns_of_views)))


def _statements(there: Sequence[tuple[str, str]], *, columns_of_views: bool) -> Iterator[str]:
    for name in sorted({table for table, _ in there}):
        if meaning := row_meaning(name):
            yield f"COMMENT ON {'VIEW' if name in VIEWS else 'TABLE'} {name} IS {sql_text(meaning)}"
    for table, column in there:
        if table in VIEWS and not columns_of_views:
            continue
        if meaning := column_meanings(table).get(column, _OF_LINK if column == LINK else ""):
            yield f'COMMENT ON COLUMN {table}."{column}" IS {sql_text(meaning)}'


def _made_of(name: str) -> list[Table]:
    """Return the tables that define the columns of a table or view: its own, or those that it joins."""
    names = {name} if name not in VIEWS else {f"{name[:-1]}_{half}" for half in ("starts", "ends", "details")}
    return [table for table in (*TABLES, QUARANTINE) if table.name in names]


def _meaning_of(source: type, field: str) -> str:
    for kind in source.__mro__:
        for names, text in _ARGUMENT.findall(cleandoc(kind.__doc__ or "")):
            if field in names.split(", "):
                return str(text)
    text = getattr(source, field).__doc__ or ""
    return text[:1].lower() + text[1:]


def _words(text: str) -> str:
    """Return a docstring's words as a phrase, with NULL for None."""
    words = " ".join(text.split()).rstrip(".").replace("``", "`")
    return re.sub(r"\bNone\b", "NULL", words)
