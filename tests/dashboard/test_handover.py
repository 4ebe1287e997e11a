"""Files that are made for one download: who gets them, how, and that nothing of them is left."""

import logging
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.runtime import backend_operation_handler
from streamlit.runtime.media_file_storage import MediaFileStorageError

from actionledger.core.errors import LedgerError
from actionledger_dashboard import handover, server
from actionledger_dashboard.handover import HandOver, ticket_of
from actionledger_dashboard.server import OwnOrigin

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
    """Of whatever length."""
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
    """Whatever came between."""

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
