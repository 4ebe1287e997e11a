"""Reviewing in a real browser: a name that is kept, a stretch that is selected, and what a second person sees after that."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from browsing import Visit, launched, served, window
from playwright.sync_api import BrowserContext, Locator, expect

import actionledger as al
from actionledger.core.ids import derived_id
from actionledger.demo import take_samples

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TURN = f"review?session={derived_id('session', 'steps')}&turn=0"


@pytest.fixture
def path(sample: Path, tmp_path: Path) -> Path:
    """A ledger of its own."""
    return Path(shutil.copy(sample, tmp_path / "own.duckdb"))


def visited(context: BrowserContext, url: str) -> Visit:
    """A tab that tells what it asked for, and what went wrong in it."""
    visit = Visit(url, context.new_page())
    visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
    visit.page.on("request", visit.note)
    return visit


@pytest.mark.soak
def test_a_label_is_seen_by_a_second_reviewer_after_a_reload(path: Path, hostile: str) -> None:
    """One judges, labels, and comments on a selected stretch; the other has another name, judges too, and sees all of it."""
    with served(path) as url, launched() as browser, window(browser) as hers, window(browser) as his:
        visits = her_visit, his_visit = visited(hers, url), visited(his, url)
        first, second = her_visit.page, his_visit.page
        her_visit.open(TURN)
        first.get_by_role("textbox", name="Your name (shown with your reviews)").fill("ann")
        first.get_by_role("button", name="Start").click()
        first.get_by_text("You review as ann.").wait_for()
        her_visit.settle()
        first.get_by_role("radio", name="wrong").or_(first.get_by_role("button", name="wrong")).first.click()
        first.locator(".lanes .card", has_text="verdict").wait_for()
        her_visit.settle()
        first.get_by_role("combobox", name="Labels").fill("flaky")
        first.keyboard.press("Enter")
        first.locator(".lanes .card", has_text="flaky").wait_for()
        first.keyboard.press("Escape")
        her_visit.settle()
        first.locator(".text").dblclick(position={"x": 55, "y": 24})
        place = first.get_by_role("combobox", name="Comment on (select a stretch of the text, or choose)")
        expect(place).to_have_value(re.compile(r"selected \["))
        her_visit.settle()
        first.get_by_role("textbox", name="Comment", exact=True).fill(hostile)
        first.get_by_role("button", name="Comment", exact=True).click()
        first.locator(".lanes .chip", has_text="comment").wait_for()

        first.reload()
        her_visit.settle()
        first.get_by_text("You review as ann.").wait_for()

        his_visit.open(TURN)
        expect(second.get_by_role("textbox", name="Your name (shown with your reviews)")).to_have_value("")
        second.get_by_role("textbox", name="Your name (shown with your reviews)").fill("bob")
        second.get_by_role("button", name="Start").click()
        second.locator(".lanes .card", has_text="2 more").wait_for()
        expect(second.locator(".lanes .card", has_text="flaky")).to_have_count(0)
        his_visit.settle()
        second.get_by_role("radio", name="right").or_(
            second.get_by_role("button", name="right")
        ).first.click()
        second.locator(".lanes .card", has_text="flaky").wait_for()
        second.locator(".lanes .chip.bad", has_text="verdict").wait_for()
        assert second.locator("img[src*='evil.example']").count() == 0
    for visit in visits:
        assert (visit.errors, visit.outside()) == ([], [])
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
        visit: the tab.
    """

    def __init__(self, visit: Visit) -> None:
        self.visit, self.page, self.presses = visit, visit.page, 0

    def press(self, found: Locator) -> None:
        """Press something, and wait for what comes of it."""
        self.presses += 1
        found.click()
        self.visit.settle()

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
def team(path: Path) -> Path:
    """The same with the sample sessions of three months in it, and what ann has said of two turns."""
    with al.open_ledger(path) as ledger:
        take_samples(ledger)
        turns = [group.examples[0] for group in al.failures(ledger).groups[:2]]
        said: tuple[dict[str, Any], ...] = ({"decision": "Say it in the prompt."}, {"assign": "cat"})
        for turn, what in zip(turns, said, strict=True):
            al.review(ledger, turn.session_id, turn.turn_index, by="ann", verdict="wrong")
            al.review(ledger, turn.session_id, turn.turn_index, by="ann", **what)
    return path


@pytest.mark.soak
def test_a_reviewers_half_hour(team: Path) -> None:
    """Each step of it as the dashboard's page of the docs has it, in so many presses; what was said stands in the ledger."""
    size = {"width": 1440, "height": 1000}
    with served(team) as url, launched() as browser, window(browser, viewport=size) as context:
        walk = Walk(visit := visited(context, url))
        page = visit.page
        visit.open()
        walk.press(page.get_by_role("link", name="Review", exact=True))
        page.get_by_role("textbox", name="Your name (shown with your reviews)").fill("cat")
        page.keyboard.press("Enter")
        page.get_by_text("You review as cat.").wait_for()
        visit.settle()

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
        visit.settle()
        walk.say("Comment", "Here it goes astray.", "Comment")
        page.locator(".lanes .card", has_text="Here it goes astray.").wait_for()
        visit.settle()
        walk.say("What should be done about it", "Name the goal by its number.", "Decide")
        page.locator(".lanes .card", has_text="Name the goal by its number.").wait_for()
        visit.settle()
        assert walk.presses == 12, "a turn of the queue, all that there is to say of it"
        seen = {first}
        for _ in range(3):
            where = page.locator(".bar .where")
            before = where.inner_text()
            page.keyboard.press("j")
            expect(where.filter(has_text=before)).to_have_count(0)
            visit.settle()
            expect(where).to_have_count(1)  # the turn before may stand beside it while the page is drawn
            seen.add(where.inner_text())
        assert len(seen) == 4
        walk.press(page.get_by_role("link", name="in the playground", exact=True))
        page.get_by_role("button", name="Download the case").wait_for()
        page.go_back()
        visit.settle()

        walk.press(page.get_by_role("link", name="queue", exact=True))
        walk.press(walk.way("agreement"))
        page.get_by_text("Judged so far: ann 2, cat 1.").wait_for()
        assert walk.presses == 15
    with al.open_ledger(team, read_only=True) as ledger:
        assert sorted((str(each.aspect), each.value) for each in al.reviews(ledger, by="cat")) == [
            ("comment", "Here it goes astray."),
            ("decision", "Name the goal by its number."),
            ("label", "flaky"),
            ("verdict", "wrong"),
        ]
