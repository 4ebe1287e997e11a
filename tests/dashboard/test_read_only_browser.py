"""A dashboard that only reads, in a real browser: whatever is pressed, nothing of the ledger's is written, and the page says so."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Visit, launched, served, window
from playwright.sync_api import Browser, BrowserContext

import actionledger as al
from actionledger.core.ids import derived_id
from actionledger.ledger.saved import Saved
from actionledger_dashboard.permissions import CASES_VARIABLE

pytestmark = [pytest.mark.browser, pytest.mark.slow]

STEPS = derived_id("session", "steps")
FILES = "".join(f"<create_file><path>{name}</path><content>x</content></create_file>" for name in "ab")
SAID = {
    f"playground?session={STEPS}&turn=0": "Nothing can be written here: this dashboard only reads.",
    "review?by=approvals": "Nothing can be decided here: this dashboard only reads.",
    f"review?session={STEPS}&turn=0": "Nothing can be said here: this dashboard only reads.",
    "sessions": "Nothing can be saved here: this dashboard only reads.",
    "sql": "Nothing can be saved here: this dashboard only reads.",
}
"""What each page that could write something says instead."""

WRITES = "Save|Rename|Delete|Remove|Approve|Reject|Decide|Comment|Write|Withdraw|Change|done"
"""What the buttons are called that would."""

KEYS = ["j", "k", "h", "l", "e", "c", "r", "w", "1", "Delete", "Control+s", "Control+Enter", "?", "Escape"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The machine's own Chromium."""
    with launched() as browser:
        yield browser


@pytest.fixture
def used(sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A ledger in which somebody has judged, saved and decided something, and two files wait."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "own").mkdir()
    path = Path(shutil.copy(sample, tmp_path / "own" / "own.duckdb"))
    monkeypatch.setenv(CASES_VARIABLE, str(path.parent / "cases"))
    with al.open_ledger(path) as ledger:
        said: tuple[dict[str, Any], ...] = (
            {"verdict": "wrong"},
            {"label": "flaky"},
            {"comment": "Here."},
            {"decision": "Mend it."},
        )
        for what in said:
            al.review(ledger, STEPS, 0, by="ann", **what)
        with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "work") as runtime:
            runtime.handle(FILES)
    Saved(path, "queries").put("One", "SELECT 1")
    Saved(path, "views").put("Mine", {"page": "sessions", "query": "failing=1"})
    return path


def written(path: Path) -> dict[Path, tuple[int, bytes]]:
    """Return all that stands beside a ledger, when each was changed, and what is in it: a file that came and went has changed its folder."""
    return {
        each: (each.stat().st_mtime_ns, each.read_bytes() if each.is_file() else b"")
        for each in (path.parent, *path.parent.rglob("*"))
    }


def press_all(visit: Visit) -> None:
    """Press every button of a page that leads nowhere else, those that a press brings among them, and the keys."""
    page = visit.page
    buttons = page.locator("[data-testid=stMain]").get_by_role("button")
    for number in range(buttons.count()):
        button = buttons.nth(number)
        if button.is_visible() and button.is_enabled():
            button.click(force=True)
            visit.settle()
    for key in KEYS:
        page.keyboard.press(key)
    visit.settle()


def opened(context: BrowserContext, url: str, path: str) -> Visit:
    """A tab of somebody who has said who they are."""
    visit = Visit(url, context.new_page())
    visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
    visit.page.add_init_script("localStorage.setItem('actionledger.reviewer', 'ann')")
    visit.open(path)
    return visit


@pytest.mark.soak
def test_whatever_is_pressed_nothing_is_written_and_each_page_says_why(used: Path, browser: Browser) -> None:
    """By the mouse and by keys; no button is left that could write."""
    before = written(used)
    with served(used, None, None, "--read-only") as url, window(browser) as context:
        for path, said in SAID.items():
            visit = opened(context, url, path)
            if path == "sessions":
                visit.page.get_by_role("button", name="Views").click()
            visit.page.get_by_text(said).wait_for()
            names = visit.page.get_by_role("button").all_inner_texts()
            assert not [name for name in names if name.strip().startswith(tuple(WRITES.split("|")))], path
            press_all(visit)
            assert visit.page.get_by_test_id("stException").count() == 0
            assert visit.errors == []
            visit.page.close()
    assert written(used) == before
