"""A secret that passes through a session is in no byte of what is kept, but for what undo needs."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from effort import examples
from hypothesis import HealthCheck, given, settings, strategies as st
from planted import Planted, planted

import actionledger as al

PLANTED = [one for one in planted(7) if "</" not in one.text]


def in_rows(path: Path) -> str:
    """Return all values of all tables of a ledger as one text."""
    with al.open_ledger(path, read_only=True) as ledger:
        there = "SELECT DISTINCT database_name, table_name FROM duckdb_tables()"
        names = ['"{}"."{}"'.format(*row) for row in ledger.sql(there).fetchall()]
        return json.dumps(
            [ledger.sql(f"FROM {name}").fetchall() for name in names], default=str, ensure_ascii=False
        )


def in_files(folder: Path) -> bytes:
    return b"".join(
        path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "contents"
    )


@settings(max_examples=examples(12), suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.sampled_from(PLANTED), min_size=1, max_size=4),
    st.text(alphabet="ab 漢\U0001f600\n\r\t\"\\'", max_size=30),
)
def test_no_byte_of_a_secret_is_kept(chosen: list[Planted], between: str):
    """What the model writes, what is written to a file, read back, told to the model and recorded of it: all of it masked."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "work").mkdir()
        text = "\n".join(f"{between}\n{one.text}" for one in chosen)
        (folder / "work" / "there").write_text(text)
        with (
            al.open_ledger(folder / "l.duckdb") as ledger,
            al.Runtime("coder", ledger=ledger, workspace=folder / "work", auto=True) as runtime,
        ):
            written = (
                f"Here:\n{text}\n<create_file>\n<path>x</path>\n<content>\n{text}</content>\n</create_file>"
            )
            turns = [
                runtime.handle(said, prompt=text)
                for said in (written, "<read_file><path>there</path></read_file>")
            ]
            ledger.flush()
            segments = in_files(folder / "l.duckdb.d")
        kept = in_files(folder / "l.duckdb.d") + (folder / "l.duckdb").read_bytes() + segments
        rows = in_rows(folder / "l.duckdb")
        for one in chosen:
            assert one.secret not in rows
            assert one.secret.encode() not in kept
            assert not any(one.secret in turn.feedback for turn in turns)
        with al.open_ledger(folder / "l.duckdb", read_only=True) as ledger:
            recorded = ledger.sql("SELECT text, feedback FROM turns ORDER BY turn_index").fetchall()
        assert len(recorded[0][0]) == len(written)
        assert [row[1] for row in recorded] == [turn.feedback for turn in turns]


def test_a_secret_that_comes_in_pieces_is_whole_when_it_is_recorded(tmp_path):
    """A model's chunks may cut a key anywhere; what is recorded is the response."""
    key = "gh" + "p_" + "a1B2" * 9
    with al.open_ledger(tmp_path / "l.duckdb") as ledger, al.Runtime("coder", ledger=ledger) as runtime:
        runtime.handle("".join(["use ", key[:3], key[3:7], key[7:]]))
        runtime.note("seen", f"The key {key}.", {"key": {"value": [key]}})
    assert key not in in_rows(tmp_path / "l.duckdb")


@pytest.mark.parametrize("pad", ["x", "漢", "\n", '"'])
def test_a_secret_at_the_very_edge_of_a_response(tmp_path, pad):
    """The first and the last characters of a text are no exception."""
    key = "gh" + "p_" + "a1B2" * 9
    with al.open_ledger(tmp_path / "l.duckdb") as ledger, al.Runtime("coder", ledger=ledger) as runtime:
        runtime.handle(f"{key} {pad} {key}")
    rows = in_rows(tmp_path / "l.duckdb")
    assert key not in rows
