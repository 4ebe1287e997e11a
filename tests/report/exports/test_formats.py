"""Reports, spans and trajectories: what is in them is what the ledger has, counted once more; and nothing in them runs or asks."""

import json
import shutil
from html.parser import HTMLParser
from pathlib import Path
from uuid import UUID

import pytest

import actionledger as al
from actionledger.ledger import queries
from actionledger.report.exports.otlp import traces
from actionledger.report.exports.parts import SCHEMA, track, trajectory
from actionledger.report.exports.reports import POLICY, comparison_report, session_report


class Page(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


@pytest.fixture
def one(ledger):
    """The longer of the sessions of another runtime."""
    [found] = [row.session_id for row in queries.sessions(ledger) if row.external_id == "one"]
    return track(ledger, found)


@pytest.fixture
def compared(ledger):
    """The first readings beside those of the run that read again."""
    [again] = [run.run_id for run in queries.runs(ledger) if str(run.kind) == "reparse"]
    return queries.compare_runs(ledger, None, again)


def test_a_report_shows_model_text_as_text_alone(one, compared):
    """No element that loads or runs anything, whatever the texts hold; a policy forbids it besides."""
    for pieces in (session_report(one), comparison_report(compared, ("<b>first</b>", "auto"))):
        page = Page("".join(pieces))
        names = {name for name, _ in page.elements}
        assert names <= {
            "html", "head", "meta", "title", "style", "body", "h1", "section", "div", "b", "span", "details", "summary",
            "pre", "table", "thead", "tbody", "tr", "th", "td", "bdi",
        }  # fmt: skip
        loads = {"src", "href", "srcset", "action", "background", "poster", "data", "formaction"}
        assert not any(loads & attributes.keys() for _, attributes in page.elements)
        assert not any(key.startswith("on") for _, attributes in page.elements for key in attributes)
        assert {"http-equiv": "Content-Security-Policy", "content": POLICY} in [
            each for _, each in page.elements
        ]


def test_a_report_has_every_turn_whole(one, ledger):
    """The text of a turn's passage is the response; what came of its calls stands under it, told apart."""
    html = "".join(session_report(one))
    text = "".join(Page(html).texts)
    for detail in one.turns():
        assert detail.response.text.replace("\x00", "␀") in text
    assert [attributes["id"] for _, attributes in Page(html).elements if "id" in attributes] == [
        f"turn-{index}" for index in range(3)
    ]
    assert text.count("executed by the recorded agent") == 3
    assert "exit 2, 12.5 ms" in text


def test_a_comparison_has_every_bucket(compared):
    """With as many turns as it has."""
    text = "".join(Page("".join(comparison_report(compared, ("first", "auto")))).texts)
    assert str(compared.before) in text
    assert f"{compared.pairs:,} turns" in text


@pytest.mark.browser
def test_a_report_asks_nobody_for_anything(one, tmp_path):
    """In a browser, from a file: no request but the file's own, and no script ran."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("there is no Chromium here")
    file = tmp_path / "report.html"
    file.write_text("".join(session_report(one)), encoding="utf-8")
    asked, said = [], []
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.goto(file.as_uri())
        page.wait_for_timeout(500)
        shown = page.evaluate("document.querySelectorAll('section').length")
        browser.close()
    assert (asked, said, shown) == ([file.as_uri()], [], 3)


def test_spans_are_those_of_the_ledger(one, ledger):
    """A trace a session; a span for it, for each response and each try; each with a parent that is there."""
    [resource] = traces([one])["resourceSpans"]
    [scope] = resource["scopeSpans"]
    spans = scope["spans"]
    assert len(spans) == 1 + 3 + 3
    assert {span["traceId"] for span in spans} == {UUID(one.session.session_id).hex}
    ids = [span["spanId"] for span in spans]
    assert len(set(ids)) == len(ids)
    assert all(len(each) == 16 for each in ids)
    assert [span.get("parentSpanId", ids[0]) in ids for span in spans] == [True] * 7
    assert all(int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) for span in spans)
    [chat] = [span for span in spans if _of(span).get("actionledger.turn_index") == "1"]
    assert int(chat["endTimeUnixNano"]) - int(chat["startTimeUnixNano"]) == 900_000_000
    assert _of(chat)["gen_ai.usage.input_tokens"] == "100"
    assert json.loads(_of(chat)["gen_ai.output.messages"])[0]["parts"] == _parts(one)[1]
    tools = [span for span in spans if span["name"] == "execute_tool edit"]
    assert [span["status"]["code"] for span in tools] == [1, 2, 2]
    json.dumps(traces([one])).encode()


def _of(span: dict) -> dict:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def _parts(one) -> list[list[dict]]:
    """Return each response's text, up to the argument string of its one call, and that call."""
    found = []
    for detail in one.turns():
        text = detail.response.text
        at = text.rindex('{"path"') if detail.response.capture == "arguments" else len(text)
        parts: list[dict] = [{"type": "text", "content": text[:at]}]
        if detail.response.capture != "text":
            [call_id] = {each.call_id for each in detail.executions}
            [action] = detail.actions
            arguments = text[at:] or json.loads(action.arguments)
            parts.append({"type": "tool_call", "id": call_id, "name": action.name, "arguments": arguments})
        found.append(parts)
    return found


def test_a_trajectory_has_each_step_call_and_result(one):
    """In order, numbered from 1; a result names a call of its own step; the totals are the steps' sums."""
    value = json.loads(json.dumps(trajectory(one)))
    assert (value["schema_version"], value["session_id"]) == (SCHEMA, "one")
    steps = value["steps"]
    assert [step["step_id"] for step in steps] == list(range(1, 7))
    assert [step["source"] for step in steps] == ["user", "agent"] * 3
    agents = steps[1::2]
    texts = [[part["content"] for part in parts if part["type"] == "text"] for parts in _parts(one)]
    assert [step["message"] for step in agents] == ["".join(each) for each in texts]
    for step in agents:
        names = [call["tool_call_id"] for call in step["tool_calls"]]
        assert [result["source_call_id"] for result in step["observation"]["results"]] == names
    assert value["final_metrics"]["total_prompt_tokens"] == 300
    assert value["final_metrics"]["total_steps"] == 6
    assert "timestamp" not in agents[2]


def test_our_own_trajectory_is_one_whose_arguments_are_objects(ledger):
    """Also of a live session, and of a response that could not be read."""
    for row in queries.sessions(ledger):
        for step in trajectory(track(ledger, row.session_id))["steps"]:
            assert all(isinstance(call["arguments"], dict) for call in step.get("tool_calls", []))


def test_a_session_page_has_its_title_and_whole_results(tmp_path: Path) -> None:
    """A result of many lines is shown as lines, to its end; a response of calls alone has no empty passage."""
    lines = "\n".join(f"line {number} of the file" for number in range(200))
    turn = al.RecordedTurn(
        0,
        "",
        capture=al.Capture.CALLS,
        calls=(al.RecordedCall("c", "Read", {"path": "a"}),),
        results=(al.RecordedResult("c", lines),),
    )
    session = al.RecordedSession("s1", None, "m", "", (turn,), details=al.SessionDetails(title="Read it all"))
    with al.open_ledger(tmp_path / "whole.duckdb") as ledger:
        al.import_sessions(ledger, [session])
        [session_id] = al.sessions(ledger).df()["session_id"]
        html = "".join(session_report(track(ledger, str(session_id))))
    assert "<h1>Read it all</h1>" in html
    assert lines in html
    assert "<summary>Response</summary>" not in html
