"""A page of another origin in a real browser, before the proxy, the receiver and the dashboard: it gets nothing, and nothing is recorded."""

import json
from collections.abc import Iterator
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
from browsing import launched, served, window
from fake_upstream import Upstream
from playwright.sync_api import Page
from spans_of_agents import agent, batch

import actionledger as al
from actionledger.imports.live.server import OtlpServer, ProxyServer

ASKED = {"model": "gpt-x", "messages": [{"role": "user", "content": "Forged."}]}

POST = """async ([url, body, kinds]) => {
  const statuses = [];
  for (const kind of kinds)
    for (const mode of ["no-cors", "cors"]) {
      const headers = kind === null ? {} : {"content-type": kind};
      const data = kind === null ? new Blob([body]) : body;
      try { statuses.push((await fetch(url, {method: "POST", mode, headers, body: data})).status); }
      catch { statuses.push("failed"); }
    }
  new Image().src = url;
  navigator.sendBeacon(url, body);
  const form = Object.assign(document.createElement("form"), {action: url, method: "post", enctype: "text/plain", target: "there"});
  document.body.append(Object.assign(document.createElement("iframe"), {name: "there"}), form);
  form.append(Object.assign(document.createElement("input"), {name: body, value: ""}));
  form.submit();
  await new Promise(resolve => setTimeout(resolve, 1500));
  return statuses;
}"""

SOCKET = """url => new Promise(resolve => {
  const socket = new WebSocket(url);
  socket.onopen = () => resolve("open");
  socket.onerror = () => resolve("refused");
})"""

KINDS = ["text/plain", "application/x-www-form-urlencoded", None, "application/json"]


class _Empty(BaseHTTPRequestHandler):
    """A page without anything."""

    def do_GET(self) -> None:
        """Answer."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Elsewhere</title><body></body>")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def foreign() -> Iterator[Page]:
    """A page of another port of this machine, which a browser takes for the same site and another origin."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Empty) as server:
        Thread(target=partial(server.serve_forever, 0.05), daemon=True).start()
        try:
            with launched() as browser, window(browser) as context:
                page = context.new_page()
                page.goto(f"http://127.0.0.1:{server.server_port}/")
                yield page
        finally:
            server.shutdown()


def test_a_page_asks_no_model(foreign: Page, upstream: Upstream, ledger: al.Ledger) -> None:
    """By none of the ways that a browser has for any page; a program beside it is answered."""
    with ProxyServer(upstream.address, ledger) as proxy:
        url = f"{proxy.address}/v1/chat/completions"
        statuses = foreign.evaluate(POST, [url, json.dumps(ASKED), KINDS])
        assert set(statuses) <= {0, 403, "failed"}
        assert upstream.asked == []
        assert httpx.post(url, json=ASKED).status_code == 200
        assert [each.json for each in upstream.asked] == [ASKED]


def test_a_page_sends_no_spans(foreign: Page, ledger: al.Ledger) -> None:
    body = json.dumps(batch(*agent(1)))
    with OtlpServer(ledger) as server:
        url = f"{server.address}/v1/traces"
        statuses = foreign.evaluate(POST, [url, body, KINDS])
        assert set(statuses) <= {0, 403, "failed"}
    assert ledger.sql("SELECT count(*) FROM turns").fetchall() == [(0,)]


def test_a_page_reads_no_dashboard(foreign: Page, tmp_path: Path) -> None:
    """Neither over its socket nor by a request."""
    path = tmp_path / "x.duckdb"
    with al.open_ledger(path) as ledger:
        ledger.record_turn("s1", "A secret.")
    with served(path) as address:
        socket = address.replace("http:", "ws:") + "/_stcore/stream"
        assert foreign.evaluate(SOCKET, socket) == "refused"
        assert set(foreign.evaluate(POST, [f"{address}/_stcore/upload_file/x/y", "x", KINDS])) <= {
            0,
            403,
            "failed",
        }
