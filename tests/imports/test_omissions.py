"""What was left out of a file counts as the file stands, however often it was taken in while it grew."""

import gzip
import json
from pathlib import Path

import pytest
from effort import soaked

from actionledger.imports import import_path
from actionledger.ledger import open_ledger
from actionledger.ledger.queries import left_out, left_out_by_import

SAMPLES = Path(__file__).parents[2] / "data/agents"
MESSAGE = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "On it."}]}


def counted(path: Path) -> list[tuple[object, ...]]:
    """The table, summed plainly, and beside it what the queries say."""
    with open_ledger(path, read_only=True) as ledger:
        plain = ledger.sql(
            "SELECT path, reason, detail, sum(count) AS n FROM left_out GROUP BY ALL HAVING n <> 0 ORDER BY ALL"
        ).fetchall()
        assert sum(each.count for each in left_out(ledger)) == sum(row[3] for row in plain)
        assert sum(each.count for each in left_out_by_import(ledger)) == sum(row[3] for row in plain)
        return [tuple(row) for row in plain]


@pytest.mark.parametrize(
    "sample",
    soaked(
        ["claude-code/retry-backoff.jsonl", "codex/rollout-slow-report.jsonl"],
        ["codex/rollout-slow-report.jsonl"],
    ),
)
def test_growing_prefixes_are_counted_once(tmp_path, sample):
    """Taken in after every few lines, a file has left out what it has left out as a whole."""
    lines = (SAMPLES / sample).read_text().splitlines(keepends=True)
    # A result whose call nobody has recorded, and a kind of line that nobody knows, in both formats' spelling.
    lost = json.loads(lines[-1]) | {"type": "response_item"}
    lost["payload"] = {"type": "function_call_output", "call_id": "lost", "output": "?"}
    answer = json.loads(lines[-1]) | {"type": "user"}
    answer["message"] = {"content": [{"type": "tool_result", "tool_use_id": "lost", "content": "?"}]}
    strange = json.loads(lines[-1]) | {"type": "strange"}
    added = [json.dumps(each) + "\n" for each in (lost, answer, strange)]
    lines = [*lines[:3], *added, *lines[3:], *added]
    file, grown, whole = tmp_path / "a.jsonl", tmp_path / "grown.duckdb", tmp_path / "whole.duckdb"
    for end in sorted({*range(4, len(lines), 9), len(lines)}):
        file.write_text("".join(lines[:end]))
        import_path(file, grown)
    import_path(file, whole)
    assert counted(grown) == counted(whole)
    assert "no_call" in {row[1] for row in counted(whole)}


def test_what_a_file_holds_no_more_is_left_out_no_more(tmp_path):
    """Fewer, none, and then as many as at first; what another file holds stays."""
    head = {"timestamp": "2026-01-02T03:04:05Z", "type": "session_meta", "payload": {"id": "s"}}
    said = head | {"type": "response_item", "payload": MESSAGE}
    file, other, ledger = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "team.duckdb"
    for strange in (3, 1, 0, 3):
        rows = [head, said, *[head | {"type": "strange"}] * strange]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        other.write_text("".join(json.dumps(row) + "\n" for row in [*rows[:2], head | {"type": "odd"}]))
        import_path(tmp_path, ledger, format="codex")
        left = {
            (Path(path).name, detail): n
            for path, _, detail, n in counted(ledger)
            if detail in {"strange", "odd"}
        }
        assert left == ({("a.jsonl", "strange"): strange} if strange else {}) | {("b.jsonl", "odd"): 1}


def test_a_reading_that_breaks_off_takes_nothing_back(tmp_path):
    """What a file that could not be read to its end had left out before, it still has."""
    file, ledger = tmp_path / "a.jsonl.gz", tmp_path / "team.duckdb"
    head = {"timestamp": "2026-01-02T03:04:05Z", "type": "session_meta", "payload": {"id": "s"}}
    said = head | {"type": "response_item", "payload": MESSAGE}
    rows = [head, said, *[head | {"type": "strange", "payload": {"id": str(n)}} for n in range(99)]]
    whole = gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode())
    file.write_bytes(whole)
    import_path(file, ledger, format="codex")
    before = counted(ledger)
    file.write_bytes(whole[: len(whole) // 2])
    assert import_path(file, ledger, format="codex").refusals
    assert counted(ledger) == before
    assert before[0][3] == 99
