"""Reviewing in a real browser: a name that is kept, a stretch that is selected, and what a second person sees after that."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import actionledger as al
from actionledger.ids import derived_id
from actionledger_dashboard.server import free_port

pytestmark = [pytest.mark.browser, pytest.mark.slow]

READY = "[data-testid=stApp][data-test-script-state=notRunning]"
PATIENCE = 60_000
TURN = f"review?session={derived_id('session', 'steps')}&turn=0"


@pytest.fixture
def served(sample: Path, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The address of a dashboard over a ledger of its own, and the ledger."""
    if not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        pytest.skip("no Chromium found; 'apt-get install chromium' brings one")
    path = Path(shutil.copy(sample, tmp_path / "own.duckdb"))
    port = free_port(18_501)
    command = [sys.executable, "-m", "actionledger_dashboard", "--ledger", str(path), "--port", str(port)]
    server = subprocess.Popen(command)
    try:
        yield f"http://127.0.0.1:{port}", path
    finally:
        server.terminate()
        server.wait()


@pytest.fixture
def browser() -> Iterator[Browser]:
    """The machine's own Chromium."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


def settle(page: Page) -> None:
    page.wait_for_selector(READY, timeout=PATIENCE)
    page.locator("[data-stale=true]").first.wait_for(state="detached")


def opened(page: Page, address: str) -> None:
    """Open a page, as soon as somebody answers."""
    for attempt in range(60):
        try:
            page.goto(address)
            break
        except Exception:
            if attempt == 59:
                raise
            page.wait_for_timeout(500)
    settle(page)


def test_a_label_is_seen_by_a_second_reviewer_after_a_reload(
    served: tuple[str, Path], browser: Browser, hostile: str
) -> None:
    """One judges, labels, and comments on a selected stretch; the other has another name, judges too, and sees all of it."""
    url, path = served
    errors: list[str] = []
    asked: list[str] = []
    with closing(browser.new_context()) as hers, closing(browser.new_context()) as his:
        pages = [hers.new_page(), his.new_page()]
        for page in pages:
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("request", lambda request: asked.append(request.url))
        first, second = pages
        opened(first, f"{url}/{TURN}")
        first.get_by_role("textbox", name="Your name, to stand beside what you say").fill("ann")
        first.get_by_role("button", name="Review as this person").click()
        first.get_by_text("You review as ann.").wait_for()
        settle(first)
        first.get_by_role("radio", name="wrong").or_(first.get_by_role("button", name="wrong")).first.click()
        first.locator(".lanes .card", has_text="verdict").wait_for()
        settle(first)
        first.get_by_role("combobox", name="Labels").fill("flaky")
        first.keyboard.press("Enter")
        first.locator(".lanes .card", has_text="flaky").wait_for()
        first.keyboard.press("Escape")
        settle(first)
        first.locator(".text").dblclick(position={"x": 55, "y": 24})
        place = first.get_by_role("combobox", name="Comment on (select a stretch of the text, or choose)")
        expect(place).to_have_value(re.compile(r"selected \["), timeout=PATIENCE)
        settle(first)
        first.get_by_role("textbox", name="Comment", exact=True).fill(hostile)
        first.get_by_role("button", name="Comment", exact=True).click()
        first.locator(".lanes .chip", has_text="comment").wait_for()

        first.reload()
        settle(first)
        first.get_by_text("You review as ann.").wait_for()

        opened(second, f"{url}/{TURN}")
        assert (
            second.get_by_role("textbox", name="Your name, to stand beside what you say").input_value() == ""
        )
        second.get_by_role("textbox", name="Your name, to stand beside what you say").fill("bob")
        second.get_by_role("button", name="Review as this person").click()
        second.locator(".lanes .card", has_text="2 more").wait_for()
        assert second.locator(".lanes .card", has_text="flaky").count() == 0
        settle(second)
        second.get_by_role("radio", name="right").or_(
            second.get_by_role("button", name="right")
        ).first.click()
        second.locator(".lanes .card", has_text="flaky").wait_for()
        second.locator(".lanes .chip.bad", has_text="verdict").wait_for()
        assert second.locator("img[src*='evil.example']").count() == 0
    assert errors == []
    assert not [address for address in asked if "evil.example" in address]
    with al.open_ledger(path, read_only=True) as ledger:
        [comment] = al.reviews(ledger, aspects=["comment"])
        [(text,)] = ledger.sql("SELECT text FROM turns WHERE turn_id = ?", [comment.turn_id]).fetchall()
        assert {(each.reviewer, each.value) for each in al.reviews(ledger, aspects=["verdict"])} == {
            ("ann", "wrong"),
            ("bob", "right"),
        }
    assert comment.value == hostile
    assert comment.span is not None
    assert comment.span.of(text) == comment.quote
    assert comment.quote.strip()
