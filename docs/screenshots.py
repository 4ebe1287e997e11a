"""Take the pictures of every page of the dashboard anew, from the sample sessions: ``python docs/screenshots.py [PAGE …]``.

Each page in light and in dark, in a window and on a phone, as WebP in ``docs/images/dashboard``. It takes a Chromium, and the extras
``dashboard`` and ``dev``.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

import actionledger as al
from actionledger.demo import take_samples
from actionledger_dashboard.server import free_port

FOLDER = Path(__file__).parent / "images" / "dashboard"
SIZES = {1440: 1000, 390: 844}
SMALL = 60_000
"""How many bytes a picture has at most, if a bearable quality allows."""

QUALITIES = (80, 65, 50, 35)
READY = "[data-testid=stApp][data-test-script-state=notRunning]"
SECOND = "gembrain-standard"
AGENTS = Path(__file__).parents[1] / "data" / "agents"
LONGEST = "SELECT session_id::VARCHAR FROM sessions JOIN turns USING (session_id) WHERE agent <> '' GROUP BY ALL ORDER BY count(*) DESC, 1"

STATEMENT = "SELECT model, outcome, count(*) AS turns FROM parse_attempts GROUP BY ALL ORDER BY ALL"
CUT_OFF = {
    "a-night-without-network": [
        {"type": "file-history-snapshot"},
        {"type": "user", "isMeta": True, "message": {"content": "Caveat: the messages below were written by the client."}},
        {"type": "user", "message": {"content": "Which tests are slow?"}},
        *({"type": "assistant", "error": "server_error", "message": {"model": "<synthetic>", "content": []}} for _ in range(3)),
        {"type": "system", "subtype": "api_error"},
    ],
    "begun-anew": [
        {"type": "user", "isCompactSummary": True, "message": {"content": "What was said before, in short."}},
        {"type": "queue-operation", "operation": "enqueue"},
        {"type": "mode", "mode": "plan"},
    ],
}  # fmt: skip
"""Transcripts of an agent whose model has never answered, by their names."""

PASTED = 'On it.\n<tool_call>{"name": "add", "arguments": {"a": 1, "b": 2,}}</tool_call>\nThat is all.'


def main() -> None:
    """Make a ledger, serve it, and take what is asked for."""
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        os.environ["XDG_STATE_HOME"] = temporary  # whoever runs this has a state of their own
        ledger = Path(temporary, "team.duckdb")
        session, turn, agents = filled(ledger)
        paths = pages(f"session={session}&turn={turn}", agents)
        names = sys.argv[1:] or list(paths)
        found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        FOLDER.mkdir(parents=True, exist_ok=True)
        with served(ledger) as address:
            for name in names:
                for scheme in ("light", "dark"):
                    for width in SIZES:
                        kept = take(browser, f"{address}/{paths[name]}", name, scheme, width)
                        sys.stdout.write(f"{kept.name}: {kept.stat().st_size:,} bytes\n")


def pages(turn: str, agents: list[str]) -> dict[str, str]:
    """Return the address of each page, by the name of its pictures.

    Args:
        turn: the query that names a turn.
        agents: sessions of agents, the longest first.
    """
    return {
        "overview": "",
        "sessions": "sessions",
        "turns": "turns?search=task",
        "replay": f"replay?{turn}",
        "compare": "compare",
        "compare_table": "compare?as=table&of=models&measure=success&row=heron-8b",
        "compare_sessions": f"compare?as=two+sessions&before_session={agents[0]}&after_session={agents[1]}",
        "usage": "usage",
        "tools": "tools",
        "transcript": f"transcript?session={agents[0]}",
        "playground": "playground",
        "review": f"review?{turn}",
        "review_queue": "review",
        "review_week": "review?by=this+week",
        "review_approvals": "review?by=approvals",
        "review_agreement": "review?by=agreement",
        "left_out": "left_out",
        "live": "live?window=day",
        "sql": f"sql?q={STATEMENT.replace(' ', '+')}",
        "health": "health",
    }


def filled(path: Path) -> tuple[str, int, list[str]]:
    """Make a ledger of what a team has: samples, a second reading, reviews, something that waits; return a turn to look at, and sessions of agents."""
    with al.open_ledger(path) as ledger:
        take_samples(ledger)
        import_cut_off(ledger)
        al.import_path(AGENTS, ledger)
        al.reparse(ledger, parser=SECOND)
        groups = al.failures(ledger).groups
        turns = [(each.session_id, each.turn_index) for group in groups[:12] for each in group.examples[:2]]
        for number, turn in enumerate(turns):
            al.review(ledger, *turn, by="ann", verdict="wrong" if number % 3 else "right")
            al.review(ledger, *turn, by="bob", verdict="wrong" if number % 4 else "right")
        al.review(ledger, *turns[0], by="ann", label="flaky")
        al.review(ledger, *turns[0], by="ann", comment="The comma is the tool's, not the model's.")
        al.review(ledger, *turns[1], by="ann", assign="bob")
        al.review(ledger, *turns[2], by="ann", decision="Say in the prompt that nothing follows the block.")
        with (
            tempfile.TemporaryDirectory() as folder,
            al.Runtime("coder", ledger=ledger, workspace=folder) as runtime,
        ):
            runtime.handle("<create_file><path>notes.md</path><content>Tuesday.</content></create_file>")
            runtime.handle("Nothing more to do until somebody has looked.")
        example = next(
            group for group in groups if group.key.stage == "reading" and group.examples[0].span is not None
        ).examples[0]
        agents = [session for (session,) in ledger.sql(LONGEST).fetchall()]
        return example.session_id, example.turn_index, agents


def import_cut_off(ledger: al.Ledger) -> None:
    """Import recordings of which nothing is part of a session."""
    with tempfile.TemporaryDirectory() as temporary:
        for name, lines in CUT_OFF.items():
            said = [
                line | {"sessionId": name, "uuid": f"{number}", "parentUuid": None}
                for number, line in enumerate(lines)
            ]
            Path(temporary, f"{name}.jsonl").write_text("\n".join(map(json.dumps, said)), encoding="utf-8")
        al.import_path(temporary, ledger, format="claude_code")


@contextmanager
def served(ledger: Path) -> Iterator[str]:
    """The address of a dashboard that shows a ledger."""
    port = free_port(8601)
    words = ["-m", "actionledger_dashboard", "--ledger", str(ledger), "--port", str(port)]
    server = subprocess.Popen([sys.executable, *words], stdout=subprocess.DEVNULL)  # noqa: S603 - our own words
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with suppress(urllib.error.URLError), urllib.request.urlopen(f"{address}/_stcore/health"):  # noqa: S310 - our own
                break
            time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait()


def take(browser: Browser, address: str, name: str, scheme: str, width: int) -> Path:
    """Take one picture, and return its file."""
    size = {"width": width, "height": SIZES[width]}
    is_phone = width == min(SIZES)
    with closing(
        browser.new_context(viewport=size, color_scheme=scheme, is_mobile=is_phone, has_touch=is_phone)
    ) as window:
        window.add_init_script("localStorage.setItem('actionledger.reviewer', 'ann')")
        page = window.new_page()
        page.goto(address)
        settle(page)
        ACTS.get(name, settle)(page)
        page.evaluate(NO_FOLDER, f"{tempfile.gettempdir()}/")
        page.wait_for_timeout(600)  # what is drawn in a canvas says nowhere that it is done
        picture = page.screenshot()
    file = FOLDER / f"{name}-{scheme}-{width}.webp"
    for quality in QUALITIES:
        written = BytesIO()
        Image.open(BytesIO(picture)).convert("RGB").save(written, "WEBP", quality=quality, method=6)
        if written.tell() <= SMALL:
            break
    file.write_bytes(written.getvalue())
    return file


def settle(page: Page) -> None:
    """Wait until a page rests."""
    page.wait_for_selector(READY, timeout=60_000)
    page.locator("[data-stale=true]").first.wait_for(state="detached")
    page.wait_for_timeout(400)
    page.wait_for_selector(READY, timeout=60_000)


def paste(page: Page) -> None:
    """Paste a response, and have it read."""
    page.get_by_label("The response").fill(PASTED)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".readings .text")
    settle(page)
    page.locator(".readings").first.scroll_into_view_if_needed()


def run_statement(page: Page) -> None:
    """Run the statement that the address holds."""
    page.get_by_role("textbox", name="Statement").press("Control+Enter")
    page.get_by_role("table", name="rows of the answer").wait_for()
    settle(page)


NO_FOLDER = """(temporary) => {
    const folder = new RegExp(temporary.replaceAll("/", "\\/") + "[^\\/ ]+\\/", "g");
    const shorten = (root) => {
        const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(folder, "");
        for (const one of root.querySelectorAll("*")) if (one.shadowRoot) shorten(one.shadowRoot);
    };
    shorten(document.body);
}"""
"""Takes the folder of whoever runs this out of what is seen."""

ACTS: dict[str, Callable[[Page], None]] = {"playground": paste, "sql": run_statement}
"""What is done on a page before its picture is taken."""

if __name__ == "__main__":
    main()
