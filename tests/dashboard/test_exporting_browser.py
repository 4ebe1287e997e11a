"""A file that can't be made, in a real browser: the page says why, and makes it as soon as it can be made again."""

from pathlib import Path

import pytest
from browsing import Visit, launched, served, window
from playwright.sync_api import expect

from actionledger.ledger.storage.copies import count_rows
from actionledger.ledger.storage.files import LedgerFiles

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_why_no_file_was_made_is_said(sample: Path, tmp_path: Path) -> None:
    """For as long as the page stays; the buttons make their files again once the ledger is back."""
    path = tmp_path / "mine.duckdb"
    path.write_bytes(sample.read_bytes())
    with served(path) as url, launched() as browser, window(browser) as context:
        visit = Visit(url, context.new_page())
        for page in ("sessions", "turns"):
            visit.open(page)
            visit.page.get_by_role("button", name="Export").click()
            published = LedgerFiles.at(path).published
            content = published.read_bytes()
            published.write_bytes(b"no ledger" * 1000)
            # Once: a second file would be asked for while the first one's sentence stands, perhaps when the ledger is back.
            visit.page.get_by_role("button", name="as Parquet").click()
            expect(
                visit.page.get_by_text(f"No file was made. The ledger {path} can't be read")
            ).to_be_visible()
            published.write_bytes(content)
            for label, form in (("CSV", "csv"), ("Parquet", "parquet"), ("JSON lines", "jsonl")):
                with visit.page.expect_download() as started:
                    visit.page.get_by_role("button", name=f"as {label}").click()
                file = tmp_path / f"{page}.{form}"
                started.value.save_as(file)
                assert count_rows(file, form) > 1
