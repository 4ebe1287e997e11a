"""The pages in a real browser: what only a browser has, which is marks to select, keys to press and requests to refuse."""

import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from browsing import Visit, copied, launched, served, window
from effort import is_soak
from identity_provider import CLIENT, provider
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Locator,
    Page,
    TimeoutError as PageTimeoutError,
    expect,
)
from ports import free_port

from actionledger.core.ids import derived_id, now
from actionledger.core.vocabulary import Outcome
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.storage.copies import count_rows
from actionledger_dashboard.server import document
from actionledger_dashboard.viewer.page import page_of
from actionledger_dashboard.viewer.queries import view_of

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@pytest.fixture(scope="module")
def url(larger: Path) -> Iterator[str]:
    """The address of a running dashboard."""
    with served(larger) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The machine's own Chromium."""
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def shared(browser: Browser) -> Iterator[BrowserContext]:
    """A window in a time zone far from UTC; what its tabs share is fetched and compiled once."""
    size = {"width": 1440, "height": 1400}
    with window(browser, viewport=size, timezone_id="America/Los_Angeles") as context:
        yield context


@pytest.fixture
def visit(url: str, shared: BrowserContext) -> Iterator[Visit]:
    """A fresh tab."""
    page = shared.new_page()
    visit = Visit(url, page)
    page.on("request", visit.note)
    page.on("pageerror", lambda error: visit.errors.append(str(error)))
    yield visit
    page.close()


def row(page: Page, index: int) -> Locator:
    """Return the link of a table's row."""
    return page.locator("tbody a").nth(index)


def worst(page: Page) -> Locator:
    """Return the link of the overview's first group of failures."""
    return page.locator("table[aria-label='failures, worst first'] tbody a").first


def test_what_is_there_twice_for_a_moment_is_waited_for(shared: BrowserContext) -> None:
    """By what is asked and what is expected; both ended at once with what was drawn beside what was there before."""
    page = shared.new_page()
    for asked in (lambda one: one.inner_text(), lambda one: expect(one).to_be_visible()):
        page.set_content(
            "<p>a</p><p>a</p><script>setTimeout(() => document.querySelector('p').remove(), 500)</script>"
        )
        asked(page.get_by_text("a"))
    page.close()


def test_four_questions_take_at_most_two_clicks(visit: Visit) -> None:
    """From the start page: how often without any, what did nothing and for which reason in one, why in two, whether another is better in one."""
    page = visit.page
    clicks: list[int] = []

    def asked(*presses: Callable[[], Locator]) -> None:
        visit.open()
        assert re.fullmatch(r"[\d.]+%", page.locator(".lead b").first.inner_text())
        for press in presses:
            press().click()
            visit.settle()
        clicks.append(len(presses))

    asked()
    asked(lambda: page.locator(".note a", has_text=re.compile("stopped without acting|unparseable")).first)
    page.locator("tbody a").first.wait_for()
    asked(lambda: worst(page), lambda: page.locator("table[aria-label='turns of the group'] tbody a").first)
    page.locator(".verdict.bad, .card .chip.bad").first.wait_for()
    asked(lambda: page.get_by_role("link", name="with the first readings"))
    page.locator(".answer .headline .chip").wait_for()
    assert (clicks, visit.errors) == ([0, 1, 2, 1], [])


@pytest.mark.soak
def test_what_is_picked_is_seen_where_the_page_is_drawn_twice(url: str, browser: Browser) -> None:
    """A browser that knows who reviews says so at once, and what was picked in the first run had not reached the page then."""
    with window(browser) as context:
        context.add_init_script("localStorage.setItem('actionledger.reviewer', 'ann')")
        visit = Visit(url, context.new_page())
        for path, picked in (("review", "turns"), ("review?by=approvals", "approvals")):
            visit.open(path)
            visit.page.get_by_text("You review as ann.").wait_for()
            visit.settle()
            switch = visit.page.get_by_test_id("stButtonGroup").first
            expect(switch.locator("[aria-checked=true]")).to_have_text([picked])


def test_no_list_runs_off_a_screen_of_1440_pixels(visit: Visit) -> None:
    """The list of sessions did by 180 pixels: its last columns were seen by whoever scrolled."""
    visit.page.set_viewport_size({"width": 1440, "height": 900})
    for path in ("sessions", "turns", "tools"):
        visit.open(path)
        frame = visit.page.locator(".frame:has(table)").first
        frame.wait_for()
        assert frame.evaluate("frame => frame.scrollWidth - frame.clientWidth") <= 0, path


def test_an_address_of_no_page_says_so(visit: Visit) -> None:
    """The overview was shown as if it were that."""
    visit.open("heatmap?model=small")
    visit.page.get_by_text('There is no page "heatmap"; this is the overview.').wait_for()
    visit.open("sessions/x")
    visit.page.get_by_text('There is no page "sessions/x"; this is the overview.').wait_for()
    visit.page.keyboard.press("Escape")  # Streamlit says it, too
    visit.page.get_by_role("link", name="Live", exact=True).click()
    visit.page.wait_for_url(f"{visit.url}/live")
    visit.settle()
    visit.open("sessions")
    expect(visit.page.get_by_text("There is no page")).to_have_count(0)


def test_from_a_reason_over_its_turns_to_the_replay(visit: Visit, tmp_path: Path) -> None:
    """Two rows lead from why things fail to the characters of a response, by a press or by the keyboard."""
    page = visit.page
    visit.open()
    worst(page).click()
    page.wait_for_url("**/?*group=*")
    turn = page.locator("table[aria-label='turns of the group'] tbody a").first
    turn.wait_for()
    visit.settle()
    turn.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/replay?*session=*")
    page.wait_for_selector(".turn[data-turn]")
    picture = tmp_path / "replay.png"
    page.screenshot(path=picture)
    assert picture.stat().st_size > 10_000
    assert visit.errors == []


def press_mark(visit: Visit, chart: int, mark: str, leads_to: str) -> None:
    """Press a mark of a chart until it leads somewhere: while a busy machine still draws, a press can go astray."""
    drawn = visit.page.get_by_test_id("stVegaLiteChart").nth(chart)
    for _ in range(12):
        with suppress(PageTimeoutError):  # it is not there any more where a press has led away, late
            drawn.locator(f'svg path[aria-label*="{mark}"]').first.click(force=True, timeout=8000)
        with suppress(PageTimeoutError):
            visit.page.wait_for_url(leads_to, timeout=8000)
            return
    visit.page.wait_for_url(leads_to)


def test_a_number_leads_to_its_turns(visit: Visit) -> None:
    """A number of the strip, what a step lost, one of a group's dialects: each is a link to the turns that it counts."""
    page = visit.page
    for look, name, expected in (
        ("funnel", "60.0%", "outcome=clean&outcome=repaired"),
        ("funnel", "2 not parsed", "stage=reading"),
        (
            "parse+rates",
            re.compile("read in xml_tags"),
            "model=small&outcome=clean&outcome=repaired&dialect=xml_tags",
        ),
    ):
        visit.open(f"?show={look}")
        page.get_by_role("link", name=name, exact=isinstance(name, str)).last.click()
        page.wait_for_url(f"**/turns?*{expected}*")
        page.locator("tbody tr").first.wait_for()
        page.go_back()
        page.wait_for_url(f"**/?show={look}")
        page.locator(".lead b").first.wait_for()
    assert visit.errors == []


def test_on_a_phone_the_overview_fits_in_three_screens_and_the_pages_are_at_the_bottom(
    url: str, browser: Browser
) -> None:
    """The answers below each other; five pages at hand, the others and a search behind a button."""
    with window(browser, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True) as context:
        visit = Visit(url, context.new_page())
        visit.open()
        page = visit.page
        worst(page).wait_for()
        page.get_by_test_id("stVegaLiteChart").wait_for()
        visit.settle()
        questions = page.locator(".question h2")
        expect(questions).to_have_text(["Did it work?", "What went wrong?", "What did it cost?"])
        main = "document.querySelector('[data-testid=stMain]')"
        page.wait_for_function(f"{main}.scrollHeight <= 3 * 844")
        # The heads of tables, which cards have none of, reached beyond the window unseen, so that the page could be moved aside.
        page.wait_for_function(f"{main}.scrollWidth == 390 && document.documentElement.scrollWidth == 390")
        nav = page.locator("nav[aria-label=pages]")
        bar = nav.bounding_box()
        assert bar
        assert bar["y"] + bar["height"] == 844
        at_hand = ["Overview", "Sessions", "Usage", "Tools", "Review"]
        expect(nav.locator("a:visible")).to_have_text(at_hand)
        more = page.get_by_role("button", name="More", exact=True)
        more.click()
        expect(page.get_by_role("link", name="Compare", exact=True)).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("link", name="Compare", exact=True)).to_be_hidden()
        more.click()
        page.get_by_role("link", name="Health", exact=True).click()
        page.wait_for_url("**/health")
        visit.settle()
        expect(page.get_by_role("link", name="Compare", exact=True)).to_be_hidden()
        assert visit.errors == []


def test_a_text_is_found_in_all_sessions_from_every_page(visit: Visit) -> None:
    """A key leads to the field, where no page has that key itself; what was filtered does not narrow it."""
    page = visit.page
    visit.open("?task=demo")
    page.keyboard.press("/")
    page.keyboard.type("Number 1")
    page.keyboard.press("Enter")
    page.wait_for_url("**/turns?search=Number+1")
    page.locator("tbody mark").first.wait_for()
    visit.open(f"replay?{STEPS}&turn=0")
    page.wait_for_selector(".turn[data-turn]")
    page.keyboard.press("/")
    page.wait_for_function("document.activeElement.shadowRoot?.activeElement?.className == 'find'")
    assert visit.errors == []


def test_filters_go_along_over_pages_without_any_and_survive_a_reload(visit: Visit) -> None:
    """They stood in the server's memory of a visit, which a reload ends."""
    page = visit.page
    visit.open("?task=demo")
    page.get_by_role("link", name="Health", exact=True).click()
    page.wait_for_url("**/health")
    visit.settle()
    page.reload()
    page.get_by_role("link", name="Turns", exact=True).click()
    page.wait_for_url("**/turns?task=demo")
    assert visit.errors == []


def test_what_takes_longer_than_a_glance_shows_that_it_works(visit: Visit) -> None:
    """After 300 ms, by a style alone: a run's state turns it on."""
    visit.open()
    app = visit.page.locator("[data-testid=stApp]")
    shown = "(app) => [getComputedStyle(app, '::before').animationName, getComputedStyle(app, '::before').animationDelay]"
    assert app.evaluate(shown) == ["none", "0s"]
    app.evaluate("(app) => app.setAttribute('data-test-script-state', 'running')")
    assert app.evaluate(shown) == ["works", "0.3s"]


def test_on_a_phone_the_box_of_a_search_stays_wide_enough_to_write_in(url: str, browser: Browser) -> None:
    """What was found stands above it: beside it there were ten pixels left."""
    with window(browser, viewport={"width": 390, "height": 844}, is_mobile=True, has_touch=True) as context:
        visit = Visit(url, context.new_page())
        visit.open(f"replay?session={derived_id('session', 'steps')}&find=create_file")
        visit.page.locator(".hits", has_text="here").wait_for()
        box = visit.page.locator(".find").bounding_box()
        assert box
        assert box["width"] > 80


@pytest.mark.soak
def test_a_point_leads_to_the_turns_of_its_day_and_back(visit: Visit) -> None:
    """A selection is spent when it has led somewhere, and what it narrowed is not narrowed on the page that it was made on."""
    page = visit.page
    visit.open("?task=demo")
    press_mark(visit, 0, "From: 2026-03-02", "**/turns?*since=2026-03-02&until=2026-03-02*")
    visit.settle()
    page.locator("tbody tr").first.wait_for()
    page.go_back()
    page.locator(".lead b").first.wait_for()
    visit.settle()
    page.wait_for_url(f"{visit.url}/?task=demo")
    assert visit.errors == []


@pytest.mark.soak
def test_going_back_finds_every_page_as_it_was(visit: Visit) -> None:
    """Filters, search, page, order and turn are those of before, each a step of its own."""
    page = visit.page
    visit.open("sessions?source=jsonl&order=most%20turns%20first&search=e")
    page.get_by_role("link", name="steps").click()
    page.wait_for_selector("#turn-0")
    visit.settle()
    page.keyboard.press("s")
    page.wait_for_url("**/replay?*turn=0*")
    page.locator("#turn-0").wait_for(state="detached")
    page.wait_for_selector(".turn[data-turn='0']")
    visit.settle()
    for index in (1, 2):
        page.keyboard.press("j")
        page.wait_for_url(f"**/replay?*turn={index}*")
        page.wait_for_selector(f".turn[data-turn='{index}']")
        visit.settle()
    page.get_by_role("link", name="Turns", exact=True).click()
    page.wait_for_url("**/turns?source=jsonl&search=e")
    visit.settle()
    for index in (2, 1, 0):
        page.go_back()
        page.wait_for_selector(f".turn[data-turn='{index}']")
        visit.settle()
    page.go_back()
    page.wait_for_url("**/transcript?session=*")
    page.wait_for_selector("#turn-0")
    visit.settle()
    page.go_back()
    page.wait_for_url("**/sessions?source=jsonl&order=most%20turns%20first&search=e")
    visit.settle()
    row(page, 0).wait_for()
    expect(page.get_by_label("Search")).to_have_value("e")
    assert visit.errors == []


@pytest.mark.soak
def test_going_back_finds_the_page_of_a_list(visit: Visit) -> None:
    """Leaving the second page of a list by one of its rows, or by another filter, leads back to it."""
    page = visit.page
    visit.open("turns?task=many&page=2")
    row(page, 0).click()
    page.wait_for_selector(".turn[data-turn]")
    page.go_back()
    page.wait_for_url("**/turns?task=many&page=2")
    visit.settle()
    page.get_by_label("Search").fill("Number 1")
    page.get_by_label("Search").press("Enter")
    page.wait_for_url("**/turns?task=many&search=Number+1")
    page.go_back()
    visit.settle()
    page.wait_for_url("**/turns?task=many&page=2")
    page.locator("[aria-current=true], [aria-current=page]").first.wait_for(state="attached")


def test_the_bar_of_a_list_is_worked_by_keys_and_keeps_the_focus(visit: Visit) -> None:
    """Each is one step of the history that begins the list anew; a page is a link, and what is being typed stays."""
    page = visit.page
    visit.open("turns?task=many")
    following = page.get_by_role("link", name="next page")
    following.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/turns?task=many&page=2")
    page.locator("nav a[aria-label='page 2'][aria-current=page]").wait_for()
    visit.requests.clear()
    visit.open("sessions?page=1")
    asked = {url.rpartition("/static/js/")[2] for url in visit.requests if "/static/js/" in url}
    assert asked
    assert [name for name in asked if name not in document()] == []  # a list waits for no other script
    box = page.get_by_label("Only failing")
    box.focus()
    page.keyboard.press("Space")
    page.wait_for_url("**/sessions?failing=1")
    visit.settle()
    # The page rests before it has heard of the step as well: the box may be drawn anew between two looks at it.
    expect(box).to_be_checked()
    expect(box).to_be_focused()
    page.get_by_label("Order").select_option("most turns first")
    page.wait_for_url("**/sessions?failing=1&order=most+turns+first")
    visit.settle()
    search = page.get_by_label("Search")
    search.fill("no such words")
    search.press("Enter")
    page.wait_for_url("**/sessions?failing=1&order=most+turns+first&search=no+such+words")
    page.get_by_text("Nothing matches").wait_for()
    search.fill("")
    search.press("Enter")
    page.wait_for_url("**/sessions?failing=1&order=most+turns+first")
    row(page, 0).wait_for()
    page.go_back()
    page.wait_for_url("**&search=no+such+words")
    expect(search).to_have_value("no such words")
    page.get_by_text("Nothing matches").wait_for()
    for _ in range(5):
        visit.settle()
        search.evaluate(
            "input => { input.value = ''; input.dispatchEvent(new Event('change')); history.back(); }"
        )
        page.wait_for_url("**&search=no+such+words")
        expect(search).to_have_value("no such words")  # though the page was not drawn without them
    assert visit.errors == []


@pytest.mark.soak
def test_a_download_has_every_row_of_the_filter(visit: Visit, tmp_path: Path) -> None:
    """Each file has as many rows as its button says, which is more than the page shows, and one leaves the buttons for the next."""
    page = visit.page
    visit.open("turns?task=many")
    page.get_by_role("button", name="Export 60").click()
    for label, form in (("Parquet", "parquet"), ("JSON lines", "jsonl"), ("CSV", "csv")):
        with page.expect_download() as started:
            page.get_by_role("button", name=f"Download 60 as {label}").click()
        file = tmp_path / f"turns.{form}"
        started.value.save_as(file)
        assert count_rows(file, form) == 60
    expect(page.locator("tbody tr")).to_have_count(50)
    assert page.get_by_test_id("stElementToolbar").count() == 0


def test_a_filter_is_added_and_removed(visit: Visit) -> None:
    """Added from the bar it is a chip and stands in the link, is there again after a reload, and its cross takes it out of both."""
    page = visit.page
    visit.open("turns?task=demo")
    page.get_by_role("button", name="Add filter").click()
    page.get_by_label("Filter by").fill("Outc")
    page.get_by_role("option", name="Outcome", exact=True).click()
    page.get_by_role("combobox", name="Outcome").fill("unpars")
    page.get_by_role("option", name="unparseable").click()
    page.wait_for_url("**/turns?task=demo&outcome=failed")
    page.locator(".chips .filter", has_text="unparseable").wait_for()
    page.reload()
    visit.settle()
    page.locator(".chips .filter", has_text="unparseable").wait_for()
    page.get_by_text("1 turn, the latest first").wait_for()
    page.get_by_role("link", name="Sessions", exact=True).click()
    page.wait_for_url("**/sessions?task=demo&outcome=failed")
    page.get_by_text("1 session", exact=True).wait_for()
    page.get_by_role("link", name="Remove the filter Outcome: unparseable").click()
    page.wait_for_url("**/sessions?task=demo")
    visit.settle()
    page.locator(".chips .filter", has_text="unparseable").wait_for(state="detached")
    expect(page.locator(".chips .filter")).to_have_count(1)
    page.go_back()
    page.wait_for_url("**/sessions?task=demo&outcome=failed")
    page.locator(".chips .filter", has_text="unparseable").wait_for()
    assert visit.errors == []


@pytest.mark.soak
def test_a_hit_opens_with_its_characters_in_the_link(visit: Visit, mixed: str) -> None:
    """What was searched for is marked in the list, and its place in the response goes along to the replay."""
    page = visit.page
    visit.open("turns?task=demo&search=%E8%AA%AA%E6%98%8E.MD")
    expect(page.locator("tbody mark").first).to_have_text("說明.md")
    row(page, 0).click()
    start = mixed.index("說明.md")
    page.wait_for_url(f"**/replay?*at={start}-{start + len('說明.md')}")
    page.wait_for_selector(".turn[data-turn='0']")
    assert visit.errors == []


def test_keys_step_through_the_turns(visit: Visit) -> None:
    """Arrow and letter go on and back, e goes to the next turn with an error, the link follows, and no quick press is lost."""
    page = visit.page
    visit.open(f"replay?session={derived_id('session', 'steps')}&turn=0")
    page.wait_for_selector(".turn[data-turn='0']")
    page.keyboard.press("j")
    page.keyboard.press("j")  # before the page has followed
    page.wait_for_selector(".turn[data-turn='2']")
    for key, turn in (
        ("k", 1),
        ("ArrowRight", 2),
        ("Home", 0),
        ("e", 2),
        ("ArrowLeft", 1),
        ("End", 3),
    ):
        page.keyboard.press(key)
        page.wait_for_selector(f".turn[data-turn='{turn}']")
        page.wait_for_url(f"**/replay?*turn={turn}*")
    page.get_by_role("button", name="turns", exact=True).click()
    page.locator(".list [data-turn='2']").click()
    page.wait_for_selector(".turn[data-turn='2']")
    expect(page.locator(".verdict")).to_have_text("unparseable")
    assert visit.errors == []


def test_marked_text_is_exactly_the_blocks_text(visit: Visit, mixed: str) -> None:
    """Offsets are code points: emoji, Chinese and CR LF before a block move nothing."""
    page = visit.page
    visit.open(f"replay?session={derived_id('session', 'steps')}&turn=0")
    page.wait_for_selector(".turn[data-turn='0']")
    start, end = mixed.index("<create"), mixed.index("</create_file>") + len("</create_file>")
    marks = page.locator(".text mark")
    assert marks.nth(0).evaluate("mark => mark.textContent") == mixed[start:end]
    assert marks.nth(1).evaluate("mark => mark.textContent") == mixed[mixed.index("{") : mixed.index(" 好了")]
    assert page.locator(".text").evaluate("text => text.textContent") == mixed
    assert page.locator(".text mark .spot").evaluate("spot => spot.textContent") == ","
    marks.nth(0).focus()
    expect(page.locator(".why")).to_contain_text(f"[{start}, {end})")


def test_marks_explain_themselves_without_a_mouse(visit: Visit) -> None:
    """What is stepped to shows why, says it to who hears the page, and leads to its card and back by Enter."""
    page = visit.page
    visit.open(f"replay?session={derived_id('session', 'steps')}&turn=0")
    page.wait_for_selector(".turn[data-turn='0']")
    expect(page.locator(".why")).to_be_hidden()
    spot = page.locator(".text .spot")
    spot.focus()
    expect(page.locator(".why")).to_have_text(re.compile(r'^trailing comma: "," read as nothing · \['))
    described = str(spot.get_attribute("aria-describedby"))
    assert page.locator(f"#{described}").text_content() == page.locator(".why").text_content()
    page.keyboard.press("Escape")
    expect(page.locator(".why")).to_be_hidden()
    page.locator(".text mark").nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.locator(".cards .card:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator(".text mark:focus")).to_have_count(1)


def test_invisible_characters_are_seen_and_copied_as_they_are(visit: Visit, hidden: str) -> None:
    """Each is a token where it stands; the text keeps its characters, and nothing behind a token is turned around."""
    page = visit.page
    visit.open(f"replay?session={derived_id('session', 'hidden')}&turn=0")
    page.wait_for_selector(".turn[data-turn='0']")
    codes = page.locator(".text .token").evaluate_all("all => all.map((one) => one.dataset.code)")
    assert codes == ["U+FEFF", "U+202E", "U+200B", "NUL"]
    assert page.locator(".text").evaluate("text => text.textContent") == hidden
    lefts = page.locator(".text").evaluate(
        """text => {
            const node = [...text.childNodes].find((each) => each.textContent.startsWith("gpj"));
            return [0, 1, 2].map((at) => {
                const range = document.createRange();
                range.setStart(node, at); range.setEnd(node, at + 1);
                return range.getBoundingClientRect().left;
            });
        }"""
    )
    assert lefts == sorted(lefts)
    for box in page.locator(".text .token").evaluate_all("all => all.map((one) => one.offsetWidth)"):
        assert box > 10
    assert page.locator(".text .token").nth(1).get_attribute("aria-label") == "U+202E right-to-left override"
    copied = page.evaluate(
        """() => {
            const host = [...document.querySelectorAll("*")].find((one) => one.shadowRoot?.querySelector(".turn"));
            const text = host.shadowRoot.querySelector(".text");
            getSelection().setBaseAndExtent(text, 0, text, text.childNodes.length);
            return getSelection().toString();
        }"""
    )
    assert "\u202e" in copied
    assert "U+202E" not in copied


def test_keys_are_for_steps_alone(visit: Visit) -> None:
    """l and h go from action to action in every lane, ? tells the keys, / seeks; what is typed into a field steps nowhere."""
    page = visit.page
    visit.open(f"replay?session={derived_id('session', 'steps')}&turn=0")
    page.wait_for_selector(".turn[data-turn='0']")
    for key, picked in (("l", "create_file"), ("l", "read_file"), ("l", "read_file"), ("h", "create_file")):
        page.keyboard.press(key)
        expect(page.locator(".read .picked b")).to_have_text(picked)
        expect(page.locator(".done .picked b")).to_have_text(picked)
        expect(page.locator(".text .called.picked").first).to_be_attached()
    page.keyboard.press("?")
    expect(page.locator(".help")).to_contain_text("next action of the turn")
    page.keyboard.press("j")  # which is told just there, and so does nothing
    page.keyboard.press("Escape")
    expect(page.locator(".help")).to_be_hidden()
    page.keyboard.press("/")
    page.keyboard.type("jejkln?c nothing")
    page.locator(".jump").focus()
    page.keyboard.type("e")
    assert page.locator(".turn").get_attribute("data-turn") == "0"
    assert "turn=0" in page.url
    page.locator(".find").fill("nothing")
    page.locator(".find").press("Enter")
    page.wait_for_url("**/replay?*find=nothing*")
    page.wait_for_selector(".turn[data-turn='1']")
    expect(page.locator(".text .found")).to_have_text("Nothing")
    expect(page.locator(".hits")).to_contain_text("1 of 1 turn has it; here in: response")
    assert visit.errors == []


@pytest.mark.soak
def test_the_map_leads_to_each_turn(visit: Visit) -> None:
    """A place of it is a turn, with its verdict as a height; the worst is the highest."""
    page = visit.page
    visit.open(f"replay?session={derived_id('session', 'steps')}&turn=0")
    page.wait_for_selector(".turn[data-turn='0']")
    heights = page.locator(".cell i").evaluate_all("all => all.map((one) => one.offsetHeight)")
    assert (max(heights), len(heights)) == (heights[2], 4)
    page.locator(".cell").nth(2).click()
    page.wait_for_selector(".turn[data-turn='2']")
    page.wait_for_url("**/replay?*turn=2*")
    expect(page.locator(".cell.here")).to_have_count(1)
    expect(page.locator(".map")).to_have_attribute("aria-valuenow", "2")


SPANS = """text => {
    const marked = [...text.querySelectorAll(".at")].map((one) => one.textContent).join("");
    const place = text.querySelector(".at").getBoundingClientRect(), box = text.parentElement.getBoundingClientRect();
    return [marked, place.top >= box.top && place.bottom <= box.bottom];
}"""


def test_a_link_to_characters_goes_there(visit: Visit, mixed: str, hidden: str, accents: str) -> None:
    """Code points: behind emoji of several, Chinese, CR LF, a byte order mark and NUL they mean what Python's slices mean."""
    page = visit.page
    for session, text, piece in (
        ("steps", mixed, "\n</create_file>\n然後 🚀 {"),
        ("hidden", hidden, "\u202egpj.exe\u200b end\x00 👩‍💻"),
        ("accents", accents, "e\u0301\r\n\x00 z"),
    ):
        start = text.index(piece)
        link = f"replay?session={derived_id('session', session)}&turn=0&at={start}-{start + len(piece)}"
        visit.open(link)
        page.wait_for_selector(".turn[data-turn='0'] .at")
        assert page.locator(".text").evaluate(SPANS) == [piece, True]
        assert page.locator(".text").evaluate("text => text.textContent") == text
    assert visit.errors == []


def test_a_command_is_copied_whole(visit: Visit, shared: BrowserContext) -> None:
    """By its button, without what colours programs, which no page loads."""
    shared.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visit.page
    visit.open("live")
    button = page.get_by_role("button", name="copy", exact=True)
    command = copied(page, button.click)
    assert command.startswith("actionledger watch ~/.claude/projects --ledger ")
    assert not [url for url in visit.requests if "SyntaxHighlighter" in url]


def test_a_link_to_what_is_selected_is_copied(visit: Visit, shared: BrowserContext, mixed: str) -> None:
    """Selected characters, a mark that is stepped to, or the turn alone; the link opens to just them."""
    shared.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visit.page
    visit.open(f"replay?session={derived_id('session', 'steps')}&turn=0")
    page.wait_for_selector(".turn[data-turn='0']")
    assert copied(page, lambda: page.keyboard.press("c")).endswith("&turn=0")
    expect(page.locator(".said")).to_have_text("The link is copied.")
    page.locator(".text mark").nth(1).focus()
    assert copied(page, lambda: page.keyboard.press("c")).endswith(
        f"&at={mixed.index('{')}-{mixed.index(' 好了')}"
    )
    page.locator(".text").evaluate(
        """text => {
            const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
            let node;
            while ((node = walker.nextNode()) && !node.data.includes("👩‍💻"));
            const at = node.data.indexOf("hi");
            getSelection().setBaseAndExtent(node, at, node, at + 2);
        }"""
    )
    link = copied(page, page.locator("[data-do=copy]").click)
    assert link.endswith(f"&at={mixed.index('hi')}-{mixed.index('hi') + 2}")
    page.goto(link)
    page.wait_for_selector(".turn[data-turn='0'] .at")
    expect(page.locator(".text .at")).to_have_text("hi")
    page.keyboard.press("j")
    page.wait_for_url("**/replay?*turn=1")
    assert visit.errors == []


def test_the_viewer_stands_on_a_page_of_its_own(
    larger: Path, browser: Browser, tmp_path: Path, mixed: str
) -> None:
    """As a notebook has it: without a server, stepped through by the same keys, its lanes in step, and asking nobody for anything."""
    with open_ledger(larger, read_only=True) as ledger:
        file = tmp_path / "session.html"
        file.write_text(page_of(view_of(ledger, derived_id("session", "steps"))), encoding="utf-8")
    with window(browser, viewport={"width": 1440, "height": 900}) as context:
        page = context.new_page()
        asked: list[str] = []
        faults: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(file.as_uri())
        assert page.locator(".text").evaluate("text => text.textContent") == mixed
        for key, turn in (("j", 1), ("e", 2), ("End", 3), ("k", 2)):
            page.keyboard.press(key)
            assert page.locator(".turn").get_attribute("data-turn") == str(turn)
        assert page.locator(".verdict").inner_text() == "unparseable"
        assert page.locator("[data-do=copy]").is_hidden()
        for width, columns in ((1440, 4), (1000, 2), (390, 1)):
            page.set_viewport_size({"width": width, "height": 900})
            lefts = page.locator(".lane").evaluate_all("lanes => lanes.map((lane) => lane.offsetLeft)")
            assert len(set(lefts)) == columns, f"lanes at {width} pixels begin at {lefts}"
    assert (asked, faults) == ([file.as_uri()], [])


def test_late_answers_move_nothing(larger: Path, browser: Browser, tmp_path: Path) -> None:
    """A slow server's answers to earlier steps leave the viewer where the last step led, also where an earlier one led there, too."""
    with open_ledger(larger, read_only=True) as ledger:
        file = tmp_path / "session.html"
        file.write_text(page_of(view_of(ledger, derived_id("session", "steps"))), encoding="utf-8")
    with window(browser) as context:
        page = context.new_page()
        page.add_init_script(
            "const add = document.addEventListener;"
            "document.addEventListener = (...heard) => add.apply(document, (window.first = heard));"
        )
        page.goto(file.as_uri())
        page.evaluate(SLOW_SERVER)
        for key in ("j", "j", "k", "End", "k"):
            page.keyboard.press(key)
        assert page.evaluate("asked") == [[1, 1], [2, 2], [1, 3], [3, 4], [2, 5]]
        seen = [page.evaluate("([turn, step]) => answer(turn, step)", one) for one in page.evaluate("asked")]
        assert seen == ["2"] * 5
        assert page.evaluate("answer(0, 5)") == "0"  # a link leads elsewhere
        page.keyboard.press("j")
        assert page.evaluate("answer(0, 5)") == "1"


SLOW_SERVER = """() => {
  const root = document.querySelector(".turn");
  const data = JSON.parse(document.getElementById("view").textContent);
  const turns = { ...data.near, [data.index]: data.turn };
  window.asked = [];
  let stop = () => {};
  window.answer = (index, step) => {
    stop();
    stop = view(root, { ...data, index, turn: turns[index], near: turns, step }, { go: (...step) => asked.push(step) });
    return root.dataset.turn;
  };
  delete document.addEventListener;
  document.removeEventListener(...window.first);
  memories.delete(root);
  answer(0, 0);
}"""
"""Stands in for a server whose answers come when they want; the page's own, which answers at once, hears no key any more."""


@pytest.mark.soak
def test_is_it_better_in_one_press(visit: Visit) -> None:
    """From the overview to the answer is one press, and to both readings of a lost turn are two more."""
    page = visit.page
    visit.open()
    page.get_by_role("link", name="with the first readings").click()
    page.wait_for_url("**/compare?by=runs&before_run=first&after_run=*")
    page.locator(".answer .headline .chip").wait_for()
    expect(page.locator(".headline")).to_contain_text("too few sessions")
    expect(page.locator(".grid td.bad")).to_have_text(re.compile(r"^1\n"), use_inner_text=True)
    page.get_by_role("link", name="lost", exact=False).first.click()
    page.wait_for_url("**/compare?*bucket=lost*")
    visit.settle()
    page.locator("table[aria-label='turns: lost'] tbody a").first.click()
    page.wait_for_url("**/compare?*session=*")
    page.wait_for_selector(".readings[data-turn='0']")
    expect(page.locator(".side .title .chip")).to_have_text(["parsed with repairs", "unparseable"])
    assert page.locator(".side .text").nth(1).evaluate("text => text.textContent").startswith("😀 我先看看")
    page.go_back()
    page.wait_for_url("**/compare?*bucket=lost")
    page.locator("table[aria-label='turns: lost'] tbody a").first.wait_for()
    field = page.get_by_label("Read again")
    field.select_option("same")
    page.wait_for_url("**/compare?*bucket=same*")
    visit.settle()
    expect(field).to_have_value("same")
    page.go_back()
    page.wait_for_url("**/compare?*bucket=lost")
    page.locator("table[aria-label='turns: lost'] tbody a").first.wait_for()
    expect(field).to_have_value("lost")
    assert visit.errors == []


def test_keys_step_through_two_readings(visit: Visit) -> None:
    """Beside each other the turns are stepped through as anywhere, and each step is one of the browser's history."""
    page = visit.page
    visit.open(f"replay?session={derived_id('session', 'steps')}&turn=0")
    page.get_by_role("link", name="First differs at turn 0").click()
    page.wait_for_selector(".readings[data-turn='0']")
    visit.settle()
    page.keyboard.press("j")
    page.wait_for_selector(".readings[data-turn='1']")
    visit.settle()
    page.keyboard.press("ArrowLeft")
    page.wait_for_selector(".readings[data-turn='0']")
    visit.settle()
    page.go_back()
    page.wait_for_selector(".readings[data-turn='1']")
    assert visit.errors == []


STEPS = f"session={derived_id('session', 'steps')}"
HOSTILE = (
    f"session={derived_id('session', '![x](https://evil.example/x.png)<img src=https://evil.example/y.png>')}"
)
PAGES = [
    *("", "?show=funnel", "turns", f"replay?{HOSTILE}&turn=0", f"compare?bucket=lost&{STEPS}&turn=0"),
    *("sql", "playground", f"review?{HOSTILE}&turn=0"),
]
"""Pages with as much on them as they can have, no two of which are made of the same components."""

MORE_PAGES = [
    *("sessions", "usage", "usage?by=tool", "tools", f"transcript?{STEPS}", "live", "health", "left_out"),
    *(
        "turns?task=many",
        "compare",
        "compare?by=models",
        "compare?as=table&of=models&measure=finished&row=small",
        "compare?as=two+sessions",
        "compare?by=sources",
        "compare?after_run=unknown",
    ),
    *(
        "review",
        "review?by=approvals",
        "review?by=this+week",
        "review?by=agreement",
        f"review?{STEPS}&turn=0",
    ),
    *(
        "?show=failures",
        "?show=parse+rates",
        "?show=usage",
        "?task=undated",
        "?model=unknown",
        "turns?search=nothing+at+all",
        "replay",
    ),
    *(f"replay?{HOSTILE}&turn=1", f"replay?{STEPS}&turn=0&beside=first"),
    *(f"replay?{STEPS}&turn={turn}" for turn in range(4)),
]
"""The same otherwise, and empty ones."""


@pytest.mark.scaled
@pytest.mark.parametrize(
    ("scheme", "width"),
    [
        ("light", 1440),
        *(
            pytest.param(*each, marks=pytest.mark.soak)
            for each in (("dark", 1440), ("light", 390), ("dark", 390))
        ),
    ],
)
def test_no_page_has_a_fault_by_wcag_or_asks_another_host_or_for_what_is_not_there(
    url: str, browser: Browser, scheme: str, width: int
) -> None:
    """axe-core finds no violation of WCAG 2 A and AA, and hostile names are neither images nor markup anywhere."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    faults = []
    missing: list[str] = []
    with window(browser, viewport={"width": width, "height": 1400}, color_scheme=scheme) as context:
        # as who has said their name
        context.add_init_script("localStorage.setItem('actionledger.reviewer', 'ann')")
        visit = Visit(url, context.new_page())
        visit.page.on("request", visit.note)
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        visit.page.on("response", lambda got: missing.append(got.url) if got.status >= 400 else None)
        for path in [*PAGES, *(MORE_PAGES if is_soak() else ())]:
            visit.open(path)
            if "session=" in path:
                visit.page.wait_for_selector(".turn[data-turn], .readings[data-turn]")
            assert visit.page.locator("img[src*='evil.example']").count() == 0
            found = axe.Axe().run(visit.page, options={"runOnly": WCAG})
            violations = found.response["violations"]
            faults += [(path, fault["id"], fault["nodes"][0]["html"]) for fault in violations]
        visit.page.wait_for_load_state("networkidle")
    assert faults == []
    assert visit.outside() == []
    assert visit.errors == []
    assert missing == []


def test_a_question_is_asked_and_its_answer_is_text(visit: Visit, hostile: str) -> None:
    """Ctrl+Enter runs it; what a model wrote is shown, in the table, the chart and its tooltip, and fetched by nobody."""
    page = visit.page
    visit.open("sql")
    field = page.get_by_role("textbox", name="Statement")
    field.fill("SELECT external_id AS image, count(*) AS n FROM sessions GROUP BY ALL ORDER BY ALL")
    field.press("Control+Enter")
    table = page.get_by_role("table", name="rows of the answer")
    table.get_by_text(hostile).wait_for()
    assert (
        table.evaluate("table => table.parentElement.tabIndex") == 0
    )  # it is scrolled by keyboard, and has no link
    bar = page.get_by_test_id("stVegaLiteChart").locator("svg path[aria-label^='image']").first
    bar.hover(force=True)
    page.locator(".vg-tooltip.visible, #vg-tooltip-element").first.wait_for()
    assert page.locator("img[src*='evil.example']").count() == 0
    assert visit.outside() == []
    assert visit.errors == []


def test_what_is_recorded_shows_by_itself_and_otherwise_nothing_moves(
    browser: Browser, recorder: Callable[[Ledger], Any], tmp_path: Path
) -> None:
    """A response stands on the open page when its process has flushed it, and leads to its replay; a page without news stays."""
    path = tmp_path / "live.duckdb"
    with open_ledger(path, in_background=False) as ledger, served(path) as address:
        writer = recorder(ledger)
        writer.run("live")
        writer.session("first", at=now())
        writer.turn("first", 0, "Hello.", Outcome.NO_ACTION, at=now())
        ledger.flush()
        with window(browser) as context:
            visit = Visit(address, context.new_page())
            visit.page.on("request", visit.note)
            visit.open("live")
            visit.page.get_by_text("Hello.").wait_for()
            for _ in range(20):  # a busy machine still draws what a page that moves would draw for ever
                visit.page.evaluate(COUNT_CHANGES)
                visit.page.wait_for_timeout(3000)
                if not visit.page.evaluate("window.changes"):
                    break
            assert visit.page.evaluate("window.changes") == 0
            writer.turn("first", 1, "And more.", Outcome.NO_ACTION, at=now())
            ledger.flush()
            visit.page.get_by_text("And more.").wait_for()
            assert visit.page.evaluate("window.changes") > 0
            row(visit.page, 0).click()
            visit.page.wait_for_url("**/replay?*turn=1")
            assert visit.outside() == []


def test_a_session_that_goes_on_grows_while_its_replay_is_open(
    browser: Browser, recorder: Callable[[Ledger], Any], tmp_path: Path
) -> None:
    """A turn that comes is counted and stepped to; what is seen of the one that is shown stays as it is."""
    path = tmp_path / "live.duckdb"
    with open_ledger(path, in_background=False) as ledger, served(path) as address:
        writer = recorder(ledger)
        writer.run("live")
        writer.session("first", at=now())
        writer.turn("first", 0, "Hello.", Outcome.NO_ACTION, at=now())
        ledger.flush()
        with window(browser) as context:
            visit = Visit(address, context.new_page())
            visit.open(f"replay?session={derived_id('session', 'first')}")
            page = visit.page
            page.locator(".script", has_text="Hello.").wait_for()
            writer.turn("first", 1, "And more.", Outcome.NO_ACTION, at=now())
            ledger.flush()
            page.locator(".of", has_text="/ 1").wait_for()
            expect(page.locator(".script", has_text="Hello.")).to_be_visible()
            page.locator(".turn").press("j")
            page.locator(".script", has_text="And more.").wait_for()


COUNT_CHANGES = """
window.changes = 0;
const seen = new MutationObserver((changes) => { window.changes += changes.length; });
for (const host of document.querySelectorAll("[data-testid=stMain] *"))
  if (host.shadowRoot) seen.observe(host.shadowRoot, { childList: true, subtree: true, characterData: true });
"""
"""Counts what changes in what our own components have drawn."""


SECRETS = """
[auth]
redirect_uri = "http://localhost:{port}/oauth2callback"
cookie_secret = "a text that is long enough to be one"
client_id = "{client}"
client_secret = "s"
server_metadata_url = "{provider}/.well-known/openid-configuration"

[actionledger]
allowed = ["ann@team.example"]
"""


@pytest.mark.soak
def test_who_comes_is_asked_and_whoever_is_not_listed_sees_nothing(
    browser: Browser, sample: Path, tmp_path: Path
) -> None:
    """By a provider on this machine: its login leads back to the page, for whoever is listed."""
    pytest.importorskip("authlib", reason="authlib is not installed: the extra login brings it")
    port = free_port()
    (tmp_path / ".streamlit").mkdir()
    with provider(sub="1", email="eve@evil.example", email_verified=True) as asked:
        secrets = SECRETS.format(port=port, client=CLIENT, provider=asked.address)
        (tmp_path / ".streamlit" / "secrets.toml").write_text(secrets)
        with served(sample, tmp_path, port), window(browser) as context:
            visit = Visit(f"http://localhost:{port}", context.new_page())
            visit.open("health")
            assert asked.asked == []
            visit.page.get_by_role("button", name="Log in").click()
            visit.page.get_by_text("eve@evil.example is not among those who are let in.").wait_for()
            expect(visit.page.get_by_role("link", name="Sessions")).to_have_count(0)
            visit.page.get_by_role("button", name="Log out").click()
            asked.claims["email"] = "ann@team.example"
            visit.page.get_by_role("button", name="Log in").click()
            visit.page.get_by_role("link", name="Sessions").wait_for()
            visit.page.get_by_role("button", name="Log out").click()
            visit.page.get_by_text("Log in to see this ledger").wait_for()


def test_pages_are_served_with_a_policy_and_for_this_machine_only(url: str) -> None:
    """The policy is on every response, and a foreign host name is refused."""
    with urllib.request.urlopen(url) as response:
        policy = response.headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "script-src 'self' blob: 'sha256-" in policy
    assert "img-src 'self' data: blob:;" in policy
    assert "unsafe-eval" not in policy
    assert "http:" not in policy
    assert "https:" not in policy
    foreign = urllib.request.Request(url, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="400"):
        urllib.request.urlopen(foreign)
