"""Displays in a real browser: its text content, and that nothing in it runs or is fetched."""

import shutil
from itertools import compress

import pytest

import actionledger as al

pytestmark = pytest.mark.browser
sync_api = pytest.importorskip("playwright.sync_api")

TEXT = (
    "\n漢字 😀 e\u0301\r\n<script>document.title='run'</script><img src=http://127.0.0.1:9/x onerror=\"document.title='run'\">"
    '\u202egnp\u200b \x00\x1b &amp; \x85\n```actions\n{"actions": [{"type": "create_task", "content": "</pre>漢",}]}\n```\n'
)
READ = "pre => [pre.textContent, getComputedStyle(pre).color, getComputedStyle(pre.querySelector('bdi')).unicodeBidi]"


def test_a_browser_shows_the_response_as_text():
    """Its text content is the response; no script ran, nothing was asked for, and its colour is the page's."""
    chromium = next(
        compress(
            paths := [shutil.which(n) for n in ("chromium", "chromium-browser", "google-chrome")], paths
        ),
        None,
    )
    if chromium is None:
        pytest.skip("no Chromium found; 'apt-get install chromium' brings one")
    html = al.explain(al.parse(TEXT, profile="assistant"))._repr_html_()
    asked: list[str] = []
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.set_content(f'<title>still</title><body style="background:#111;color:rgb(230, 231, 232)">{html}')
        text, colour, bidi = page.eval_on_selector("pre.al-raw", READ)
        title = page.title()
        browser.close()
    assert text == TEXT.replace("\0", "\u2400")
    assert (colour, bidi, title, asked) == ("rgb(230, 231, 232)", "isolate", "still", [])
