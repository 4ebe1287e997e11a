"""The transcript in a real browser: keys that jump and step, links that are copied, a text that is seen raw."""

from pathlib import Path

import pytest
from browsing import copied, launched, served, window
from playwright.sync_api import expect

import actionledger as al

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A ledger of a session of three turns; the second one's call fails."""
    turns = tuple(
        al.RecordedTurn(
            place,
            f"**Turn {place}** is here.",
            external_id=f"t{place}",
            prompt=f"Do {place}." if place != 1 else None,
            capture=al.Capture.CALLS,
            calls=(al.RecordedCall(f"c{place}", "Bash", {"command": f"ls {place} -a [x] (y) \\."}),),
            results=(al.RecordedResult(f"c{place}", "no such file", is_error=place == 1),),
            usage=al.Usage(input_tokens=5, output_tokens=1, cost_usd=0.5),
        )
        for place in range(3)
    )
    details = al.SessionDetails(
        title="List all of it", project="/work/shop", agent="claude_code", agent_version="2.1"
    )
    file = tmp_path / "l.duckdb"
    with al.open_ledger(file) as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s1", None, "own-1", "", turns, details=details)])
    return file


def test_keys_links_and_the_raw_text(path: Path) -> None:
    """The facts have the title and the cost; ``n`` and ``e`` jump, ``s`` steps through the turn where the reader is."""
    with served(path) as url, launched() as browser, window(browser) as context:
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=url)
        page = context.new_page()
        page.goto(f"{url}/transcript?session=s1")
        here = page.locator(".turn.here")
        page.locator("#turn-0 strong").wait_for()
        for fact in ("List all of it", "shop", "claude_code 2.1", "$1.50"):
            expect(page.get_by_text(fact, exact=True).first).to_be_visible()
        page.get_by_text("Context: 5 input tokens at most, over 3 turns").click()
        expect(page.locator("[data-testid=stVegaLiteChart]")).to_be_visible()
        page.keyboard.press("n")
        expect(here).to_have_attribute("data-turn", "2")
        page.keyboard.press("E")
        expect(here).to_have_attribute("data-turn", "1")
        expect(here.locator(".call")).to_have_attribute("data-look", "bad")
        expect(here.locator("strong")).to_have_text("Turn 1")
        page.get_by_role("button", name="previous prompt").click()
        expect(here).to_have_attribute("data-turn", "0")
        page.get_by_role("button", name="next failure").click()
        expect(here).to_have_attribute("data-turn", "1")
        page.get_by_role("button", name="Raw text").click()
        expect(here.locator(".answer .raw")).to_have_text("**Turn 1** is here.")
        link = copied(page, page.get_by_role("button", name="copy the link to turn 1").click)
        expect(here.get_by_text("copied", exact=True)).to_be_visible()
        assert link.startswith(f"{url}/transcript?session=")
        assert link.endswith("&turn=1")
        expect(page.get_by_role("button", name="Share as HTML")).to_be_visible()
        page.keyboard.press("s")
        page.wait_for_url("**/replay?session=*&turn=1")


def test_a_searched_text_is_marked_and_stepped_through(path: Path) -> None:
    """In what the model says and in folded results; ``f`` and ``F`` go to the next and the previous turn that has it."""
    with served(path) as url, launched() as browser, window(browser) as context:
        page = context.new_page()
        page.goto(f"{url}/transcript?session=s1&find=LS+2+-a+%5Bx%5D+(y)+%5C.")
        expect(page.locator("#turn-2 .command mark")).to_have_text("ls 2 -a [x] (y) \\.")
        page.goto(f"{url}/transcript?session=s1&find=such")
        expect(page.locator(".result mark")).to_have_text(["such"] * 3)
        here = page.locator(".turn.here")
        for key, place in (("f", "1"), ("f", "2"), ("F", "1")):
            page.keyboard.press(key)
            expect(here).to_have_attribute("data-turn", place)
        page.get_by_role("button", name="next hit").click()
        expect(here).to_have_attribute("data-turn", "2")
        expect(here.locator("mark").first).to_be_in_viewport()
