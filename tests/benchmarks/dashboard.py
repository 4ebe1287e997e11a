"""How long the dashboard's pages take in a real browser, beside a bare Streamlit page in the same run: ``make bench-dashboard``.

    python tests/benchmarks/dashboard.py [--rounds 5] [--turns 500000] [--ledger LEDGER] [--folder FOLDER]

The ledger is made of MINT's recordings with two readings each where they are beside the checkout, else of the samples; with ``--turns`` it
is repeated until it has so many. Each figure is the median of the rounds: seconds by the clock, from the press or the navigation until
it is seen, and the server's processor seconds until the page rests, which a busy machine changes less. ``hello`` is Streamlit with one
line of text, in rounds between: what a page costs before anything of ours is on it.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from dashboard_ledgers import made
from dashboard_serving import Figures, Server, bare, dashboard_of, serving
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.table import Table

READY = "[data-testid=stApp][data-test-script-state=notRunning]"
ROW, ANSWER, TURN, STEPS = "table tbody th a", ".question b", ".turn[data-turn]", ".cell"
PATIENCE_MS = 180_000
NARROW = (
    "profile=mint",
    "source=mint",
    "capture=text",
    "profile=mint&capture=text",
    "profile=mint&source=mint",
    "source=mint&capture=text",
)
SEARCHED = ("return", "sum", "answer", "import", "print", "the", "file")
HELLO_COLD, HELLO, COLD, WHOLE = "hello, cold server", "hello", "first page, cold server", "the whole of it"
LIST, FILTER, SEARCH, OPEN, STEP = (
    "list, from navigation",
    "a filter",
    "a search",
    "open a session",
    "step to a turn",
)
WARM, NARROWED = "overview, from navigation", "overview, narrowed"
GOALS = {
    COLD: (3.0, 4.0),
    LIST: (0.8, 0.8),
    FILTER: (1.0, 1.0),
    SEARCH: (0.8, 1.0),
    OPEN: (0.7, 0.7),
    STEP: (0.3, 0.3),
}
"""What is to be kept on a quiet machine, in seconds: on two readings of MINT, and on half a million turns."""

MEGABYTES = (400, 500)
LARGE = 500_000


def main() -> None:
    """Measure, and print the table."""
    given = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    given.add_argument("--rounds", type=int, default=5)
    given.add_argument("--turns", type=int, default=0, help="repeat the ledger until it has so many")
    given.add_argument("--ledger", type=Path, help="measure on this one")
    given.add_argument("--folder", type=Path, help="keep the ledgers here, to be measured again")
    asked = given.parse_args()
    with tempfile.TemporaryDirectory() as temporary, chromium() as browser:
        folder = Path(temporary)
        kept = asked.folder or folder
        name = f"{asked.turns}-turns" if asked.turns else "two-readings"
        ledger = asked.ledger or made(kept / f"{name}.duckdb", asked.turns)
        figures = Figures()
        for _ in range(asked.rounds):
            cold(figures, browser, bare(folder), HELLO_COLD, "text=hello")
            cold(figures, browser, dashboard_of(ledger), COLD, ANSWER)
        with serving(*bare(folder)) as plain, serving(*dashboard_of(ledger)) as ours:
            warm(figures, browser, plain, ours, asked.rounds)
            memory = ours.megabytes(), plain.megabytes()
    show(figures, memory, is_large=asked.turns >= LARGE)


@contextmanager
def chromium() -> Iterator[Browser]:
    """The machine's own browser."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


def seen(page: Page, what: str) -> None:
    """Wait until something is seen."""
    page.wait_for_selector(what, timeout=PATIENCE_MS)


def rest(page: Page) -> None:
    """Wait until the page rests, with all that belongs to it."""
    page.wait_for_selector(READY, timeout=PATIENCE_MS)
    page.locator("[data-stale=true]").first.wait_for(state="detached", timeout=PATIENCE_MS)


def cold(figures: Figures, browser: Browser, words: tuple[str, ...], name: str, what: str) -> None:
    """Measure the first page of a server that has shown nothing, in a browser that knows nothing of it."""
    with serving(*words) as server, closing(browser.new_context()) as window:
        page = window.new_page()
        used, begin = server.processor(), time.perf_counter()
        page.goto(server.address)
        seen(page, what)
        figures.keep(name, time.perf_counter() - begin, server.processor() - used)
        rest(page)
        if name == COLD:
            figures.keep(WHOLE, time.perf_counter() - begin, server.processor() - used)


@dataclass(frozen=True)
class Visit:
    """A tab at a server, and what is measured in it."""

    figures: Figures
    server: Server
    page: Page

    def measure(self, what: str, act: Callable[[], object], selector: str) -> None:
        """Measure an act until something is seen, by the clock, and until the page rests, by the server's processor."""
        used, begin = self.server.processor(), time.perf_counter()
        act()
        seen(self.page, selector)
        took = time.perf_counter() - begin
        rest(self.page)
        self.figures.keep(what, took, self.server.processor() - used)

    def go(self, path: str = "") -> None:
        """Go to a page."""
        self.page.goto(f"{self.server.address}/{path}")


def warm(figures: Figures, browser: Browser, plain: Server, ours: Server, rounds: int) -> None:
    """Measure what somebody does who comes again, each round with a filter and a search that nobody has asked for yet."""
    with closing(browser.new_context(viewport={"width": 1440, "height": 1000})) as window:
        for number in range(rounds + 1):
            kept = figures if number else Figures()  # the first visit fills the browser's memory
            page = window.new_page()
            bare_page = Visit(kept, plain, page)
            bare_page.measure(HELLO, bare_page.go, "text=hello")
            walk(Visit(kept, ours, page), number)
            page.close()


def walk(visit: Visit, number: int) -> None:
    """Go through the pages: the list, a filter, a search, a session, steps in it, the overview."""
    page, word = visit.page, SEARCHED[number % len(SEARCHED)]
    visit.measure(LIST, lambda: visit.go("sessions"), ROW)
    models = page.locator("table tbody td[data-label=Model] a")
    visit.measure(FILTER, models.nth(number * 7 % models.count()).click, ".chips .filter")
    visit.go("turns")
    rest(page)
    page.get_by_label("Search").fill(word)
    visit.measure(SEARCH, lambda: page.keyboard.press("Enter"), "table tbody mark")
    visit.go(f"sessions?order=most+turns+first&page={number + 1}")
    rest(page)
    visit.measure(OPEN, page.locator(ROW).nth(number).click, TURN)
    rest(page)
    page.keyboard.press("s")
    seen(page, STEPS)
    page.keyboard.press("Home")
    rest(page)
    for index in range(1, min(4, page.locator(STEPS).count())):
        visit.measure(STEP, lambda: page.keyboard.press("j"), f".turn[data-turn='{index}']")
    visit.measure(WARM, visit.go, ANSWER)
    visit.measure(NARROWED, lambda: visit.go(f"?{NARROW[number % len(NARROW)]}"), ANSWER)


def show(figures: Figures, memory: tuple[float, float], *, is_large: bool) -> None:
    """Print the figures beside what is to be kept and beside the bare page."""
    table = Table("what", "seconds", "to be kept", "times hello", "server's processor s")
    for what in figures.clock:
        clock, processor = figures.medians(what)
        beside = figures.medians(HELLO_COLD if what in {HELLO_COLD, COLD, WHOLE} else HELLO)[0]
        goal = f"{GOALS[what][is_large]:.1f}" if what in GOALS else ""
        table.add_row(what, f"{clock:.2f}", goal, f"{clock / beside:.1f}", f"{processor:.2f}")
    ours, plain = memory
    table.add_row("memory, MB", f"{ours:,.0f}", f"{MEGABYTES[is_large]}", f"{ours / plain:.1f}", "")
    Console().print(table)


if __name__ == "__main__":
    main()
