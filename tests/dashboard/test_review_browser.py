"""Reviewing in a real browser: a name that is kept, a stretch that is selected, and what a second person sees after that."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

import actionledger as al
from actionledger.demo import take_samples
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


class Walk:
    """A reviewer at a page: what is pressed is counted.

    Args:
        page: the page.
        url: the dashboard's address.
    """

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url, self.presses = page, url, 0

    def press(self, found: Locator) -> None:
        """Press something, and wait for what comes of it."""
        self.presses += 1
        found.click()
        settle(self.page)

    def row(self, label: str, number: int = 0) -> Locator:
        """Return a row's link of the table that goes by a label."""
        return self.page.get_by_role("table", name=label).get_by_role("link").nth(number)

    def way(self, name: str) -> Locator:
        """Return one of the ways to look."""
        of_both = self.page.get_by_role("radio", name=name).or_(
            self.page.get_by_role("button", name=name, exact=True)
        )
        return of_both.first

    def say(self, label: str, words: str, button: str) -> None:
        """Write a sentence, and press what records it."""
        self.page.get_by_role("textbox", name=label, exact=True).fill(words)
        self.press(self.page.get_by_role("button", name=button, exact=True))


@pytest.fixture
def team(served: tuple[str, Path]) -> tuple[str, Path]:
    """The same with the sample sessions of three months in it, and what ann has said of two turns."""
    url, path = served
    with al.open_ledger(path) as ledger:
        take_samples(ledger)
        turns = [group.examples[0] for group in al.failures(ledger).groups[:2]]
        said: tuple[dict[str, Any], ...] = ({"decision": "Say it in the prompt."}, {"assign": "cat"})
        for turn, what in zip(turns, said, strict=True):
            al.review(ledger, turn.session_id, turn.turn_index, by="ann", verdict="wrong")
            al.review(ledger, turn.session_id, turn.turn_index, by="ann", **what)
    return url, path


@pytest.mark.soak
def test_a_reviewers_half_hour(team: tuple[str, Path], browser: Browser) -> None:
    """Each step of it as the dashboard's page of the docs has it, in so many presses; what was said stands in the ledger."""
    url, path = team
    with closing(browser.new_context(viewport={"width": 1440, "height": 1000})) as window:
        walk = Walk(page := window.new_page(), url)
        page.set_default_timeout(PATIENCE)
        opened(page, url)
        walk.press(page.get_by_role("link", name="Review", exact=True))
        page.get_by_role("textbox", name="Your name, to stand beside what you say").fill("cat")
        page.keyboard.press("Enter")
        page.get_by_text("You review as cat.").wait_for()
        settle(page)

        walk.press(walk.way("this week"))
        walk.press(walk.row("failures that are new or have grown"))
        page.get_by_text("Executions", exact=False).first.wait_for()
        walk.press(page.get_by_role("link", name="this week", exact=True))
        assert walk.presses == 4, "what is new, and a turn of it"

        walk.press(walk.row("what was decided"))
        walk.press(page.get_by_role("button", name="This decision is done"))
        page.locator(".lanes .chip", has_text="decision, done").wait_for()
        walk.press(page.get_by_role("link", name="this week", exact=True))
        assert walk.presses == 7, "what was decided last time"

        walk.press(walk.way("turns"))
        walk.press(walk.row("turns: failing, not judged by me"))
        first = page.locator(".bar .where").inner_text()
        walk.press(walk.way("wrong"))
        page.locator(".lanes .chip.bad", has_text="verdict: wrong").wait_for()
        page.get_by_role("combobox", name="Labels").fill("flaky")
        page.keyboard.press("Enter")
        page.locator(".lanes .card", has_text="flaky").wait_for()
        page.keyboard.press("Escape")
        settle(page)
        walk.say("Comment", "Here it goes astray.", "Comment")
        page.locator(".lanes .card", has_text="Here it goes astray.").wait_for()
        settle(page)
        walk.say("What is to be done about it", "Name the goal by its number.", "Decide")
        page.locator(".lanes .card", has_text="Name the goal by its number.").wait_for()
        settle(page)
        assert walk.presses == 12, "a turn of the queue, all that there is to say of it"
        seen = {first}
        for _ in range(3):
            there = page.url
            page.keyboard.press("j")
            page.wait_for_url(lambda address: address != there)  # noqa: B023 - asked at once
            settle(page)
            expect(page.locator(".bar .where")).to_have_count(1)
            seen.add(page.locator(".bar .where").inner_text())
        assert len(seen) == 4
        walk.press(page.get_by_role("link", name="in the playground", exact=True))
        page.get_by_role("button", name="Download the case").wait_for()
        page.go_back()
        settle(page)

        walk.press(page.get_by_role("link", name="queue", exact=True))
        walk.press(walk.way("agreement"))
        page.get_by_text("Judged so far: ann 2, cat 1.").wait_for()
        assert walk.presses == 15
    with al.open_ledger(path, read_only=True) as ledger:
        assert sorted((str(each.aspect), each.value) for each in al.reviews(ledger, by="cat")) == [
            ("comment", "Here it goes astray."),
            ("decision", "Name the goal by its number."),
            ("label", "flaky"),
            ("verdict", "wrong"),
        ]
