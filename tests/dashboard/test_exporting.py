"""The files of lists: their labels, their rows, who gets them, and why one could not be made."""

import csv
import io
import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.runtime import backend_operation_handler
from streamlit.runtime.media_file_storage import MediaFileStorageError
from streamlit.testing.v1 import AppTest

import actionledger as al
from actionledger.core.errors import LedgerError
from actionledger.core.ids import derived_id
from actionledger.core.rates import Rate
from actionledger.core.recordings import RecordedSession, RecordedTurn
from actionledger.core.vocabulary import Origin, Reason
from actionledger.imports import import_sessions
from actionledger.ledger import open_ledger, queries
from actionledger.ledger.queries import Filter
from actionledger.ledger.queries.marks import Selection, listed_turns, whole_turns_behind
from actionledger.ledger.queries.sessions import whole_sessions
from actionledger.ledger.storage.copies import write_rows
from actionledger.replay.failure_changes import FailureChange
from actionledger.replay.failure_groups import FailureKey
from actionledger_dashboard import handover, server
from actionledger_dashboard.components import tables
from actionledger_dashboard.components.review_week import as_rows
from actionledger_dashboard.components.tables import Column, csv_text
from actionledger_dashboard.components.wording import known
from actionledger_dashboard.handover import HandOver, ticket_of
from actionledger_dashboard.server import OwnOrigin

SESSIONS, TURNS = "views/sessions.py", "views/turns.py"


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger whose sessions and turns have labels: both, one of the two, none; the same twice, and one that would be a formula."""
    path = tmp_path_factory.mktemp("labels") / "labelled.duckdb"
    turns = tuple(RecordedTurn(number, "Nothing to do.") for number in range(3))
    filed = {"both": ("nightly", "=1+1", "flaky"), "filed": ("nightly",), "given": (), "none": ()}
    items = [RecordedSession(name, None, "m", "", turns, labels=labels) for name, labels in filed.items()]
    with open_ledger(path) as ledger:
        import_sessions(ledger, items, source="chatlog", origin="theirs.jsonl")
    with open_ledger(path) as ledger:
        ids = {row.external_id: row.session_id for row in queries.sessions(ledger)}
        for name, turn, label in (
            ("both", 2, "early"), ("both", 1, "zoo"), ("both", 0, "flaky"), ("given", 1, "flaky"), ("given", 1, "a, b"),
        ):  # fmt: skip
            al.review(ledger, ids[name], turn, by="ann", label=label)
    return path


def labels_in(file: Path) -> list[tuple[str, str, str]]:
    """Return of each row of a file which it is, and its labels as a list shows them."""
    if file.suffix == ".csv":  # DuckDB's own reader knows how it writes a list
        found = duckdb.sql(f"FROM read_csv('{file}', types={{'labels': 'VARCHAR[]'}})")
    else:
        found = duckdb.sql(
            f"FROM '{file}'"
            if file.suffix == ".parquet"
            else f"FROM read_json('{file}', columns={{external_id: 'VARCHAR', turn_index: 'INTEGER', labels: 'VARCHAR[]'}})"
        )
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
    return [(row["external_id"], str(row.get("turn_index")), ", ".join(row["labels"])) for row in rows]


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_file_has_the_labels_of_its_list(
    open_page: Callable[..., AppTest],
    drawn: Callable[[AppTest, str], dict[str, Any]],
    labelled: Path,
    tmp_path: Path,
    form: Any,
) -> None:
    """Cell by cell: first what a session is filed under, then what people say of its turns, each once."""
    for page, selection in ((SESSIONS, Selection(*whole_sessions())), (TURNS, listed_turns())):
        file = tmp_path / f"list.{form}"
        with open_ledger(labelled, read_only=True) as ledger:
            count = write_rows(ledger, selection, file, form)
        table = drawn(open_page(labelled, page), "table")
        places = {column["label"]: place for place, column in enumerate(table["columns"])}
        shown = [
            (
                row[places["Session"]],
                str(row[places["Turn"]]) if page == TURNS else "None",
                row[places["Labels"]],
            )
            for row in table["rows"]
        ]
        found = labels_in(file)
        if page == SESSIONS:
            found = [(name, "None", labels) for name, _, labels in found]
        assert count == len(shown) == (4 if page == SESSIONS else 12)
        assert sum(bool(labels) for _, _, labels in shown) == (3 if page == SESSIONS else 7)
        assert sorted(found) == sorted(shown)


def rows_of(file: Path) -> list[dict[str, object]]:
    """Return the rows of a file by a reader of its own."""
    if file.suffix == ".csv":
        csv.field_size_limit(1 << 30)
        return list(csv.DictReader(io.StringIO(file.read_bytes().decode(), newline="")))
    if file.suffix == ".jsonl":
        return [json.loads(line) for line in file.read_text(encoding="utf-8").split("\n") if line]
    found = duckdb.sql(f"FROM '{file}'")
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_file_has_the_rows_of_the_list_alone(sample: Path, tmp_path: Path, form: str) -> None:
    """As many as are counted, hostile names, line breaks and filters by what came of them included."""
    with open_ledger(sample, read_only=True) as ledger:
        for within in (Filter(), Filter(tasks=("demo",), outcomes=("failed",)), Filter(text="😀")):
            file = tmp_path / f"turns.{form}"
            count = write_rows(ledger, listed_turns(within), file, form)
            listed = queries.turns_behind(ledger, within, limit=None)
            wanted = sorted((turn.session_id, str(turn.turn_index), turn.outcome) for turn in listed)
            found = [
                (str(row["session_id"]), str(row["turn_index"]), row["outcome"]) for row in rows_of(file)
            ]
            assert count == len(wanted) == queries.count_turns_behind(ledger, within) > 0
            assert sorted(found) == wanted
            at_once = tmp_path / f"at_once.{form}"
            write_rows(ledger, Selection(*whole_turns_behind(within)), at_once, form)
            assert file.read_bytes() == at_once.read_bytes()
            assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
def test_a_file_of_sessions_is_the_list(elsewhere: Path, tmp_path: Path, form: str) -> None:
    """In its order, children under their parent, with the same numbers."""
    within = Filter(text="edit")
    with open_ledger(elsewhere, read_only=True) as ledger:
        file = tmp_path / f"sessions.{form}"
        count = write_rows(ledger, Selection(*whole_sessions(within, order="worst")), file, form)
        listed = queries.sessions(ledger, within, order="worst", limit=None)
    assert count == len(listed) == 2
    found = [(row["external_id"], str(row["turns"]), str(row["meant_to_act"])) for row in rows_of(file)]
    assert found == [(row.external_id, str(row.turns), str(row.parsed.count)) for row in listed]


def test_no_cell_is_a_formula(sample: Path, tmp_path: Path) -> None:
    """A spreadsheet runs nothing that a model wrote, in CSV alone; numbers stay numbers, and a long text is counted as well."""
    texts = ["=HYPERLINK(1)", "+1", "-1", "@x", "\t=1", "\r=1", "a=1", "'=1", "x" * 200_000]
    shown = " UNION ALL ".join(
        f"SELECT {place} AS place, $t{place} AS text, -1 AS number" for place in range(len(texts))
    )
    selection = Selection(f"{shown} ORDER BY 1", {f"t{place}": text for place, text in enumerate(texts)})
    with open_ledger(sample, read_only=True) as ledger:
        for form in ("csv", "jsonl"):
            assert write_rows(ledger, selection, tmp_path / f"t.{form}", form) == len(texts)
    written = rows_of(tmp_path / "t.csv")
    assert [row["text"] for row in written] == [f"'{text}" for text in texts[:6]] + texts[6:]
    assert {row["number"] for row in written} == {"-1"}
    assert [row["text"] for row in rows_of(tmp_path / "t.jsonl")] == texts


def test_a_list_that_has_become_empty_is_no_error(sample: Path, tmp_path: Path) -> None:
    """The file has its heading, and no row."""
    nobody = Filter(models=(derived_id("no such model"),))
    with open_ledger(sample, read_only=True) as ledger:
        for selection in (listed_turns(nobody), Selection(*whole_sessions(nobody))):
            assert write_rows(ledger, selection, tmp_path / "none.csv", "csv") == 0
    assert (tmp_path / "none.csv").read_text().startswith("session_id,")


def test_rows_that_are_here_already_hold_no_formula_either() -> None:
    """Numbers stay numbers; no rows are an empty file."""
    written = csv_text([{"text": "=HYPERLINK(1)", "number": -1}, {"text": "@x", "number": 2}])
    assert [row.split(",")[0] for row in written.splitlines()] == ["text", "'=HYPERLINK(1)", "'@x"]
    assert written.splitlines()[1].endswith(",-1")
    assert csv_text([{"=1+1": 1}]).startswith("'=1+1"), "a column of the SQL page is called as a link says"
    assert not csv_text([])


def test_a_sum_says_of_how_many_turns_it_is_recorded() -> None:
    """Where that is not all of them."""
    assert [known("0.2 s", of, 3) for of in (0, 2, 3)] == ["not recorded", "0.2 s (2 of 3 turns)", "0.2 s"]


def test_a_link_of_no_words_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody hears where it leads: a session without a model has no link to all of these."""
    shown: list[dict[str, object]] = []
    monkeypatch.setattr(tables, "_mount_table", lambda key, data: shown.extend(data["columns"]))
    columns = [
        Column("Session", ["a", "b", "c"]),
        Column("Model", ["", "x", None], "name", hrefs=["?1", "?2", "?3"]),
    ]
    tables.show_table("key", "label", columns, ["?a", "?b", "?c"])
    assert [column["hrefs"] for column in shown] == [[], ["", "?2", ""]]


def test_what_became_of_failures_is_a_file() -> None:
    """A row for each group, those that are gone among them, with a turn of this week where it has one."""
    key = FailureKey("acting", Reason.NO_MATCH, "=edit", Origin.RUNTIME, "No match for #.")
    gone = FailureKey("reading", Reason.UNCLOSED_TAG, "", None, "")
    changes = [
        FailureChange(key, "grown", 1, 3, Rate(1, 57), Rate(3, 53), 0.25, 0.5, 570, 530),
        FailureChange(gone, "gone", 2, 0, Rate(2, 57), Rate(0, 53), 0.5, 1.0, 570, 530),
    ]
    found = list(csv.DictReader(io.StringIO(csv_text(as_rows(changes, [])))))
    assert [(row["became"], row["stage"], row["code"], row["action"], row["origin"]) for row in found] == [
        ("grown", "acting", "no_match", "'=edit", "runtime"),
        ("gone", "reading", "unclosed_tag", "", ""),
    ]
    assert [
        (
            row["turns_now"],
            row["of_turns_now"],
            row["sessions_now"],
            row["of_sessions_now"],
            row["p_adjusted"],
        )
        for row in found
    ] == [
        ("3", "530", "3", "53", "0.5"),
        ("0", "530", "0", "53", "1.0"),
    ]


WHOLE = bytes(range(256)) * 20_000
GOES_THERE, LOOKS = {"sec-fetch-mode": "navigate"}, {"sec-fetch-mode": "cors"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files are made."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def written(file: Path) -> None:
    """Write a file of five megabytes, and see where it lies."""
    file.write_bytes(WHOLE)
    assert file.parent.stat().st_mode & 0o777 == 0o700


def offering(content: bytes) -> TestClient:
    """A server that has something to download, as Streamlit serves it."""

    async def media(_: Request) -> Response:
        headers = {"content-disposition": 'attachment; filename="turns.csv"', "accept-ranges": "bytes"}
        return Response(content, headers=headers, media_type="text/csv")

    middleware = [Middleware(OwnOrigin, port=8765), Middleware(HandOver)]
    return TestClient(Starlette(routes=[Route("/media/x.csv", media)], middleware=middleware))


def test_a_browser_gets_the_file_once(folder: Path) -> None:
    """Under the name and as what Streamlit would have sent; Streamlit's page looks before, and gets nothing of it."""
    browser = offering(ticket := ticket_of("turns.csv", written))
    assert browser.get("/media/x.csv", headers=LOOKS).content == ticket
    assert len(list(folder.glob("actionledger-export-*/turns.csv"))) == 1
    got = browser.get("/media/x.csv", headers=GOES_THERE)
    assert (got.status_code, got.content) == (200, WHOLE)
    assert got.headers["content-length"] == str(len(WHOLE))
    assert got.headers["content-disposition"] == 'attachment; filename="turns.csv"'
    assert got.headers["content-type"].startswith("text/csv")
    assert list(folder.iterdir()) == []
    again = browser.get("/media/x.csv", headers=GOES_THERE)
    assert again.status_code == 410
    assert again.text.endswith("export it again.")


def test_a_browser_that_does_not_say_why_it_asks_gets_the_file_each_time(folder: Path) -> None:
    """One of its requests may be the page's: the file stays until its time is over."""
    browser = offering(ticket := ticket_of("turns.csv", written))
    for _ in range(2):
        assert browser.get("/media/x.csv").content == WHOLE
    handover._forget(ticket)
    assert browser.get("/media/x.csv").status_code == 410
    assert list(folder.iterdir()) == []


def test_a_page_of_another_origin_gets_nothing(folder: Path) -> None:
    """It is refused as everywhere; the file waits on."""
    browser = offering(ticket := ticket_of("turns.csv", written))
    foreign = {**GOES_THERE, "origin": "http://127.0.0.1:9"}
    assert browser.get("/media/x.csv", headers=foreign).status_code == 403
    assert list(folder.glob("actionledger-export-*/turns.csv"))
    handover._forget(ticket)


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 84, b"actionledger-export:", WHOLE])
def test_what_is_no_ticket_is_sent_as_it_is(content: bytes) -> None:
    got = offering(content).get("/media/x.csv", headers=GOES_THERE)
    assert (got.status_code, got.content, got.headers["accept-ranges"]) == (200, content, "bytes")


def test_a_file_that_nobody_asks_for_goes(folder: Path) -> None:
    """When its time is over, as where its page was closed while it was made; a server doesn't wait for that to end."""
    limit = handover._waiting[ticket_of("turns.csv", written)].limit
    assert (limit.interval, limit.daemon) == (handover.SECONDS, True)
    limit.function(*limit.args)
    limit.cancel()
    assert list(folder.iterdir()) == []


def test_nothing_is_left_of_a_file_that_could_not_be_written(folder: Path) -> None:
    def half(file: Path) -> None:
        file.write_bytes(WHOLE)
        raise LedgerError("There is no room for it.")

    with pytest.raises(LedgerError, match="no room"):
        ticket_of("turns.csv", half)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(
    ("why", "shown"), [(LedgerError("The ledger\x1b is gone."), "The ledger[ESC] is gone."), (OSError(28, "No room"), "No room"), (ValueError("?"), None)]
)  # fmt: skip
def test_the_terminal_is_told_why_in_a_sentence(
    why: Exception, shown: str | None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without Streamlit's traceback, which what nobody has foreseen keeps."""
    logger = logging.getLogger(server._LOGGER)
    monkeypatch.setattr(logger, "filters", [])
    monkeypatch.setattr(logger, "propagate", True)
    server.say_no_more_than_why()
    error = MediaFileStorageError("Callable execution failed")
    error.__cause__ = why
    logger.error("Error executing deferred callable for file_id %s", "x", exc_info=error)
    record = caplog.records[0]
    assert (record.exc_info is None) == (shown is not None)
    assert record.getMessage().startswith("No file was made. " if shown else "Error executing")
    assert (shown or "") in record.getMessage()


def test_streamlit_logs_under_this_name() -> None:
    """Another version may have another one."""
    assert backend_operation_handler._LOGGER.name == server._LOGGER
