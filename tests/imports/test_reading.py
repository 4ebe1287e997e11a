"""Turns of which no text is recorded, and files that hold nothing."""

from dataclasses import replace
from pathlib import Path

import pytest
from given_items import left_out
from rich.console import Console

import actionledger as al
from actionledger.cli.report import print_report
from actionledger.cli.summary import funnel_table
from actionledger.core.vocabulary import Capture, LeftOutReason, Outcome
from actionledger.imports import import_sessions
from actionledger.imports.parts import items_of
from actionledger.imports.sources.registry import sources
from actionledger.ledger import open_ledger
from actionledger.ledger.queries import (
    EVERYTHING,
    Filter,
    Mark,
    count_turns_behind,
    funnel,
    funnel_by,
    unacted,
)
from actionledger.ledger.queries.skipped import uncounted
from actionledger.ledger.queries.stages import NOT_MEANT
from actionledger.ledger.queries.usage import usage

CALL = al.RecordedCall("a", "look", '{"at": 1}')


def session() -> al.RecordedSession:
    bare = al.RecordedTurn(
        0, "", external_id="1", capture=Capture.NONE, usage=al.Usage(input_tokens=7, latency_ms=3.0)
    )
    read = al.RecordedTurn(
        1, "", external_id="2", capture=Capture.ARGUMENTS, calls=(CALL,), usage=al.Usage(input_tokens=5)
    )
    return al.RecordedSession("s", None, "m", "", (bare, read), source="otel")


def test_nothing_but_tokens_is_a_report(tmp_path, capsys):
    """It says how many responses there are, and what they took; the groups have none to count."""
    with open_ledger(tmp_path / "l.duckdb") as ledger:
        whole = session()
        import_sessions(ledger, [replace(whole, turns=whole.turns[:1])])
        assert (funnel(ledger).responses, funnel(ledger).not_recorded) == (0, 1)
        assert funnel_by(ledger, "model") == []
        print_report(ledger, EVERYTHING)
    said = capsys.readouterr().out
    assert "1 response not recorded but for tokens and times" in said
    assert "7" in said


def test_what_is_not_recorded_is_in_no_rate(tmp_path):
    """Nor taken in again by a second import; what it took is summed with the others."""
    with open_ledger(tmp_path / "l.duckdb") as ledger:
        assert import_sessions(ledger, [session()]).turns == 2
        assert import_sessions(ledger, [session()]).turns == 0
        found = funnel(ledger)
        assert (found.responses, found.not_recorded, found.outcomes[Outcome.NOT_RECORDED]) == (1, 1, 1)
        assert (found.meant.count, found.parse_success.count, found.not_auditable) == (1, 1, 0)
        assert unacted(ledger).rate.count == 1
        assert count_turns_behind(ledger, Filter(), NOT_MEANT) == 0
        assert count_turns_behind(ledger, Filter(), Mark(outcomes=("not_recorded",))) == 1
        assert usage(ledger).input_tokens == 12
        (told,) = uncounted(ledger, not_recorded=found.not_recorded)
        assert ledger.sql(f"SELECT count(*) FROM ({told.listing})").fetchone() == (told.count,) == (1,)
        console = Console(width=200)
        with console.capture() as shown:
            console.print(funnel_table(found))
    assert "content not recorded, only tokens and times" in shown.get()


OTHERS = {
    "lines": '{"session": "s", "text": "hi"}\n' * 2 + '{"a": {"b": [1]}}\n',
    "object": '{\n  "a": {"b": [1, 2]}\n}\n',
    "list": '[1, 2, "x"]\n',
    "values": '"a"\n5\nnull\n',
    "text": "# Hi\n\nHello.\n",
}


@pytest.mark.parametrize("form", sorted(sources()))
def test_a_file_of_another_format_is_not_passed_over_in_silence(tmp_path: Path, form: str):
    """It is refused, left out and counted, or read as what it may be; of an empty one there is nothing to say."""
    for name, content in (OTHERS | {"empty": ""}).items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text(content)
        given = list(items_of(path, form, sources()[form].read, lambda _count: None))
        assert given or not content
        assert content or (LeftOutReason.EMPTY, "file") not in left_out(given)
