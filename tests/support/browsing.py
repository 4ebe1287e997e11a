"""A dashboard in a real browser: the server, the tab, and what it has asked for."""

import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Locator,
    LocatorAssertions,
    Page,
    Request,
    expect,
    sync_playwright,
)
from ports import free_port

READY = "[data-testid=stApp][data-test-script-state=notRunning]"
PATIENCE_SECONDS = 120
"""How long anything is waited for, at most: on a busy machine a page takes half a minute."""

expect.set_options(timeout=PATIENCE_SECONDS * 1000)


def _patient(asked: Callable[..., Any]) -> Callable[..., Any]:
    """Ask again while there are several: Streamlit draws the new beside the old for a moment, and Playwright gives up at once."""

    @wraps(asked)
    def ask(self: Any, *arguments: Any, **options: Any) -> Any:
        give_up_at = monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return asked(self, *arguments, **options)
            except (Error, AssertionError) as error:
                if "strict mode violation" not in str(error) or monotonic() > give_up_at:
                    raise
            Event().wait(0.05)

    return ask


for _kind in (Locator, LocatorAssertions):
    for _name, _asked in list(vars(_kind).items()):
        if callable(_asked) and not _name.startswith("_"):
            setattr(_kind, _name, _patient(_asked))


@dataclass
class Visit:
    """One browser tab, and every host that it asked for something."""

    url: str
    page: Page
    requests: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def note(self, request: Request) -> None:
        """Keep what was asked for."""
        self.requests.append(request.url)

    def open(self, path: str = "") -> None:
        """Open a page, and wait until it rests."""
        self.page.goto(f"{self.url}/{path}")
        self.settle()

    def settle(self) -> None:
        """Wait until the page rests, from when it has heard of the last press."""
        self.page.evaluate("() => new Promise((done) => setTimeout(done, 50))")
        self.page.wait_for_selector(READY)
        self.page.locator("[data-stale=true]").first.wait_for(state="detached")

    def outside(self) -> list[str]:
        """Return what was asked of another host."""
        return [url for url in self.requests if not url.startswith((self.url, "data:", "blob:"))]


def copied(page: Page, press: Callable[[], None]) -> str:
    """Return what a press copies, in a window that may read and write what is copied."""
    page.evaluate("navigator.clipboard.writeText('')")
    press()
    return str(page.wait_for_function("navigator.clipboard.readText()").json_value())


def chromium() -> str:
    """Return the machine's own Chromium; the test is skipped where there is none."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    pytest.skip("no Chromium found; 'apt-get install chromium' brings one")


@contextmanager
def launched() -> Iterator[Browser]:
    """The machine's own Chromium."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium(), args=["--no-sandbox"], timeout=PATIENCE_SECONDS * 1000
        )
        yield browser
        browser.close()


@contextmanager
def window(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    """A window of a browser whose pages wait as long as anything is waited for."""
    with closing(browser.new_context(**options)) as context:
        context.set_default_timeout(PATIENCE_SECONDS * 1000)
        yield context


@contextmanager
def served(ledger: Path, folder: Path | None = None, port: int | None = None, *options: str) -> Iterator[str]:
    """The address of a dashboard that shows a ledger, started in a folder, with options of its command."""
    chromium()
    port = port or free_port()
    command = [
        sys.executable,
        "-m",
        "actionledger_dashboard",
        "--ledger",
        str(ledger),
        "--port",
        str(port),
        *options,
    ]
    server = subprocess.Popen(command, cwd=folder)
    try:
        _wait_for(f"http://127.0.0.1:{port}/_stcore/health", server)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    pause = Event()
    for _ in range(PATIENCE_SECONDS * 10):
        assert server.poll() is None, "the dashboard ended before it answered"
        try:
            with urllib.request.urlopen(address, timeout=PATIENCE_SECONDS):
                return
        except (urllib.error.URLError, TimeoutError):
            pause.wait(0.1)
    pytest.fail("the dashboard never answered")
