"""Twenty things that people look for, each found from the overview in as many presses as ``docs/dashboard.md`` says."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TypeAlias

import pytest
from browsing import Visit, launched, served, window
from playwright.sync_api import Locator, Page, expect

import actionledger as al
from actionledger.core.ids import now

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAGE = Path(__file__).parents[2] / "docs" / "dashboard.md"
STARTED = now() - timedelta(hours=9)
"""When the first turns were; that may be another month than now."""
PATCH = {"file_path": "/work/shop/till.py", "old_string": "a = 1", "new_string": "a = 2"}


def turn(place: int, call: al.RecordedCall, cost: float | None, *, fails: bool = False) -> al.RecordedTurn:
    return al.RecordedTurn(
        place,
        f"**Step {place}** of it.",
        prompt=f"Do {place}." if place != 1 else None,
        model="gpt-4o",
        occurred_at=STARTED + timedelta(hours=place),
        capture=al.Capture.CALLS,
        calls=(call,),
        results=(al.RecordedResult(call.call_id, "till not found" if fails else "done", is_error=fails),),
        usage=al.Usage(input_tokens=500 * (place + 1), output_tokens=90, reasoning_tokens=40, cost_usd=cost),
    )


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A dashboard of a session with a subagent, and of another one of another project."""
    turns = (
        turn(0, al.RecordedCall("c0", "Edit", PATCH), 0.5),
        turn(1, al.RecordedCall("c1", "Bash", {"command": "pytest"}), 0.25, fails=True),
        turn(2, al.RecordedCall("c2", "Bash", {"command": "ls"}), None),
    )
    told = {"agent": "claude_code", "git_branch": "main"}
    till = al.SessionDetails(title="Mend the till", project="/work/shop", **told)
    count = al.SessionDetails(title="Count it", project="/work/shop", **told)
    other = al.SessionDetails(
        title="Paint the door", project="/work/house", agent="codex", git_branch="paint"
    )
    sessions = (
        al.RecordedSession("s1", None, "gpt-4o", "", turns, details=till),
        al.RecordedSession(
            "s2", None, "gpt-4o", "", turns[:1], details=count, parent="s1", relation=al.Relation.SUBAGENT
        ),
        al.RecordedSession("s3", None, "gpt-4o", "", (turn(0, turns[2].calls[0], 2.0),), details=other),
    )
    path = tmp_path_factory.mktemp("wishes") / "l.duckdb"
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, sessions)
    with served(path) as address:
        yield address


class Reader:
    """Somebody at the overview, whose presses are counted."""

    def __init__(self, visit: Visit) -> None:
        self.presses = 0
        self.page: Page = visit.page
        self._visit = visit  # the tab

    def press(self, *places: Locator) -> None:
        """Press one after the other."""
        for place in places:
            place.click()
            self.presses += 1
            self._visit.settle()

    def go(self, *names: str) -> None:
        """Press pages of the bar, and links and buttons of what is shown then."""
        for name in names:
            self.press(self.page.get_by_role("link", name=name, exact=True).first)

    def open(self) -> None:
        """Open the session's transcript."""
        self.go("Sessions", "Mend the till")
        self.page.locator("#turn-0").wait_for()

    def row(self, *texts: str) -> None:
        """Expect a row with each of these."""
        found = self.page.locator("tbody tr")
        for text in texts:
            found = found.filter(has_text=text)
        expect(found.first).to_be_visible()

    def group(self, by: str) -> None:
        """Group what was used, by the field beside the heading."""
        self.go("Usage")
        self.page.get_by_label("Group by").select_option(by)
        self.presses += 1
        self._visit.settle()

    def filter(self, field: str, value: str) -> None:
        """Add a filter of the bar, by what is typed."""
        self.press(self.page.get_by_role("button", name="Add filter"))
        self.page.get_by_label("Filter by").fill(field)
        self.press(self.page.get_by_role("option", name=field, exact=True))
        self.page.get_by_label(field, exact=True).last.fill(value)
        self.page.keyboard.press("Enter")
        self._visit.settle()

    def sees(self, text: str) -> None:
        """Expect a text."""
        expect(self.page.get_by_text(text).first).to_be_visible()


def of_subagents(reader: Reader) -> None:
    reader.go("Sessions")
    reader.row("Mend the till", "+ $0.5000 in 1 subagent")
    reader.press(reader.page.locator(".fold"))
    reader.row("↳ Count it")


def within(reader: Reader) -> None:
    reader.open()
    reader.press(reader.page.get_by_label("Find in this session"))
    reader.page.keyboard.type("pytest")
    reader.page.keyboard.press("Enter")
    reader.sees("In 1 turn:")


def across(reader: Reader) -> None:
    reader.page.keyboard.press("/")
    reader.page.keyboard.type("pytest")
    reader.page.keyboard.press("Enter")
    reader.page.wait_for_url("**/turns?search=pytest")
    reader.row("Mend the till")


def jumps(reader: Reader) -> None:
    reader.open()
    reader.press(reader.page.get_by_role("button", name="next prompt"))
    expect(reader.page.locator(".turn.here")).to_have_attribute("data-turn", "2")


def keeps(reader: Reader) -> None:
    reader.go("Sessions", "paint", "Usage")
    reader.page.reload()
    reader.page.wait_for_url("**/usage?branch=paint")
    reader.sees("in 1 session")


def compares(reader: Reader) -> None:
    reader.go("Compare")
    reader.press(reader.page.get_by_role("radio", name="two sessions"))
    reader.sees("Second session")


def shares(reader: Reader) -> None:
    reader.open()
    with reader.page.expect_download() as got:
        reader.press(reader.page.get_by_role("button", name="Share as HTML"))
    assert got.value.suggested_filename == "Mend-the-till.html"


def grows(reader: Reader) -> None:
    reader.open()
    reader.press(reader.page.get_by_text("Context: 1,500 input tokens at most, over 3 turns"))
    expect(reader.page.locator("[data-testid=stVegaLiteChart]")).to_be_visible()


def opens(reader: Reader, *places: str) -> None:
    reader.open()
    for place in places:
        expect(reader.page.locator(place).first).to_be_visible()


def filters(reader: Reader, field: str, value: str, found: str) -> None:
    reader.go("Sessions")
    reader.filter(field, value)
    reader.sees(found)


def on(page: str, *texts: str) -> Callable[[Reader], None]:
    """Return what looks for a row of a page."""

    def look(reader: Reader) -> None:
        reader.go(page)
        reader.row(*texts)

    return look


def grouped(by: str, *texts: str) -> Callable[[Reader], None]:
    """Return what looks for a row of what was used, grouped by something."""

    def look(reader: Reader) -> None:
        reader.group(by)
        reader.row(*texts)

    return look


Wish: TypeAlias = Callable[[Reader], None]

WISHES: dict[str, Wish] = {
    "cost per session": on("Sessions", "Mend the till", "$0.75"),
    "cost per day": on("Usage", f"{STARTED:%Y-%m}", "$"),
    "cost per project": grouped("project", "/work/house", "$2.00"),
    "cost per branch": grouped("branch", "paint", "$2.00"),
    "built-in prices": lambda reader: (reader.go("Usage"), reader.sees("by list prices of"))[-1],
    "subagents rolled up": of_subagents,
    "context growth": grows,
    "search across sessions": across,
    "search within a session": within,
    "jump between prompts": jumps,
    "transcript": lambda reader: opens(reader, "#turn-0 .user", "#turn-1 .call"),
    "diffs": lambda reader: opens(reader, ".diff .plus", ".diff .minus"),
    "Markdown": lambda reader: opens(reader, "#turn-0 strong"),
    "calls by tool": on("Tools", "Bash", "Edit"),
    "filter by error": lambda reader: filters(reader, "Reason", "not_found", "1 session"),
    "filters kept between views": keeps,
    "compare two sessions": compares,
    "alerts": lambda reader: (reader.go("Alerts"), reader.sees("No alert has been raised"))[-1],
    "one file to share": shares,
    "filter by duration": lambda reader: filters(reader, "Duration at least (seconds)", "60", "1 session"),
    "reasoning tokens apart": lambda reader: (reader.go("Usage"), reader.sees("Reasoning tokens"))[-1],
}


def presses_of() -> dict[str, int]:
    """Return how many presses the page of the documentation says that each takes."""
    rows = (line.strip("| \n").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines())
    return {row[0]: int(row[-1]) for row in rows if len(row) == 3 and row[-1].isdigit()}


def test_each_wish_is_where_the_page_says(url: str) -> None:
    """All of them in one tab, each from the overview."""
    took: dict[str, int] = {}
    with (
        launched() as browser,
        window(browser, viewport={"width": 1440, "height": 900}, accept_downloads=True) as context,
    ):
        visit = Visit(url, context.new_page())
        for name, look in WISHES.items():
            visit.open()
            reader = Reader(visit)
            look(reader)
            took[name] = reader.presses
    assert took == {name: presses for name, presses in presses_of().items() if name in WISHES}
