"""A session or a comparison as one HTML file from its page: it opens offline, and what others wrote is text in it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browsing import Visit, launched, served, window
from playwright.sync_api import Browser
from streamlit.testing.v1 import AppTest

from actionledger.core.ids import derived_id
from actionledger.ledger import open_ledger
from actionledger.ledger.queries import Filter
from actionledger.replay.contrasts import contrast
from actionledger.report.exports.reports import contrast_report, tables_report
from actionledger_dashboard.components.sharing import _tabled
from actionledger_dashboard.components.tables import Column

Open = Callable[..., AppTest]

STEPS = derived_id("session", "steps")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as started:
        yield started


def shared(page: Path, browser: Browser) -> tuple[str, list[str]]:
    """Open a file in a browser without a network; return its text and what it asked for beside itself."""
    with window(browser, offline=True) as context:
        opened = context.new_page()
        asked: list[str] = []
        opened.on("request", lambda request: asked.append(request.url))
        opened.goto(page.as_uri())
        return opened.inner_text("body"), [url for url in asked if url != page.as_uri()]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (f"replay?session={STEPS}&turn=0", "Turn 0"),
        ("compare?as=table&of=models&measure=finished&row=small", "against each other one"),
        ("compare?as=two+sessions", "Second session"),
        ("compare?by=models", "Contrast"),
        ("compare?by=runs", "Two readings of the same turns"),
    ],
)
def test_a_page_is_one_file_that_opens_offline(
    larger: Path, browser: Browser, tmp_path: Path, path: str, expected: str
) -> None:
    """It asks for nothing, runs nothing, and is called after what it shows."""
    with served(larger) as url, window(browser, accept_downloads=True) as context:
        visit = Visit(url, context.new_page())
        visit.open(path)
        with visit.page.expect_download() as got:
            visit.page.get_by_role("button", name="Share as HTML").click()
        file = tmp_path / got.value.suggested_filename
        got.value.save_as(file)
    assert re.fullmatch(r"[\w.-]+\.html", file.name)
    text, asked = shared(file, browser)
    assert expected in text
    assert asked == []
    written = file.read_text(encoding="utf-8")
    assert "default-src 'none'" in written
    assert "<script" not in written.lower()
    assert "src=http" not in re.sub(r"&lt;.*?&gt;", "", written)


def test_what_others_wrote_is_text(hostile: str) -> None:
    """Names in cells, and names of tables."""
    columns = [Column("Model", [hostile]), Column("Sessions", [3], "number")]
    written = "".join(tables_report(hostile, [_tabled(hostile, columns)]))
    assert "<img" not in written
    assert "&lt;img" in written
    assert "<td" in written


def test_a_cell_without_a_value_is_a_dash() -> None:
    """As on the page; NULL is a word of databases."""
    written = "".join(tables_report("Tools", [_tabled("Tools", [Column("Calls", [3, None], "number")])]))
    assert "–" in written
    assert "NULL" not in written


def test_a_contrast_has_its_measures(sample: Path) -> None:
    """As the page and the command line have them."""
    with open_ledger(sample, read_only=True) as ledger:
        models = [name for (name,) in ledger.sql("SELECT DISTINCT model FROM turns ORDER BY 1").fetchall()]
        found = contrast(ledger, Filter(models=(models[0],)), Filter(models=(models[1],)))
    written = "".join(contrast_report(found, (models[0], models[1])))
    assert "parsed, of those that meant to act" in written or "Contrast" in written
    assert written.endswith("</body></html>\n")
