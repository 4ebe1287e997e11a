"""Whatever a model wrote is text in a display, and nothing but."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest
from effort import examples
from hypothesis import given, settings, strategies as st

import actionledger as al
from actionledger.core.tables import Table, html_table, text_table
from actionledger.core.values import (
    ActionCall,
    Block,
    FieldError,
    Issue,
    Observation,
    ParseResult,
    Repair,
    Span,
    Turn,
)
from actionledger.core.vocabulary import (
    ActionStatus,
    BlockStatus,
    ExecutionStatus,
    Outcome,
    Reason,
    RepairKind,
)
from actionledger.ledger.queries.differences import (
    ActionDifference,
    ReadAction,
    TurnDifference,
    field_differences,
)
from actionledger.replay.reparse import ReparseReport

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "&lt;b&gt; &amp; &#60;script&#62;",
    "![x](http://example.com/x.png) [a](javascript:alert(1)) $$x$$",
    "</span></pre></div></style><iframe src=//example.com>",
    "a\u202egnp.exe\u2066\u200b\ufeff\x1b[31m\u2028\U000e0041",
]
MADE_BY_US = {
    "div", "style", "span", "b", "pre", "bdi", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "i", "u",
}  # fmt: skip
ATTRIBUTES = {"class", "title", "data-tag", "data-is", "style"}
UNSEEN = "\u202e\u2066\u200b\ufeff\x1b\u2028\U000e0041"


class Page(HTMLParser):
    """What a browser would make of a display: its elements, attributes, and the text of the raw response."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.raw = ""
        self.loose = ""
        self._open: list[str] = []
        self._raw_depth: int | None = None
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        self._open.append(tag)
        if ("class", "al-raw") in attrs:
            self._raw_depth = len(self._open)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag
        if self._raw_depth is not None and len(self._open) < self._raw_depth:
            self._raw_depth = None

    def handle_data(self, data):
        if self._open[-1:] != ["style"]:
            self.text += data
            self.loose += data if self._open[-1:] != ["bdi"] else ""
        if self._raw_depth is not None:
            self.raw += data


def everywhere(evil: str) -> ParseResult:
    """A reading with a text in every field that a model can fill."""
    span = Span(0, len(evil))
    repair = Repair(RepairKind.TRAILING_COMMA, span, evil, evil)
    issue = Issue(Reason.UNCLOSED_FENCE, span, evil)
    error = FieldError(Reason.WRONG_TYPE, evil, evil, evil)
    block = Block(0, evil, BlockStatus.REPAIRED, span, span, None, (repair,), (issue,))
    call = ActionCall(
        evil, {evil: [evil, None]}, ActionStatus.INVALID, span, evil, 0, errors=(error,), call_id=evil
    )
    return ParseResult(evil, Outcome.REPAIRED, (call,), (block,), (issue,), evil, "id", evil, evil)


def displays(evil: str) -> dict[str, object]:
    result = everywhere(evil)
    seen = Observation(
        evil,
        0,
        evil,
        ExecutionStatus.FAILED,
        Reason.NOT_FOUND,
        {evil: evil},
        evil,
        errors=result.actions[0].errors,
    )
    turn = Turn(evil, evil, 0, result, (seen,), evil, (Issue(Reason.NOT_FOUND, None, evil),), evil)
    return {
        "result": result,
        "explanation": al.explain(result),
        "turn": turn,
        "quiet turn": replace(turn, observations=(replace(seen, message=""),)),
    }


@pytest.mark.parametrize("evil", HOSTILE)
def test_no_field_becomes_markup(evil):
    """Every element and attribute is one that the display made; what the model wrote is found in its text."""
    for value in displays(evil).values():
        page = Page(value._repr_html_())
        assert set(page.tags) <= MADE_BY_US
        assert {name for name, _ in page.attributes} <= ATTRIBUTES
        assert {value for name, value in page.attributes if name == "style"} == set()
        assert page.raw == evil
        assert not set(UNSEEN) & set(page.loose)
        assert not any(set(UNSEEN) & set(value or "") for _, value in page.attributes)


@pytest.mark.parametrize("evil", HOSTILE)
def test_no_table_becomes_markup(evil):
    """Columns, texts, nested values and bytes of a result."""
    table = Table([evil, evil], [(evil, {evil: [evil]}), (evil.encode(), None)], 2)
    page = Page(html_table(table))
    assert set(page.tags) <= MADE_BY_US
    assert {name for name, _ in page.attributes} <= {"class"}
    assert not set(UNSEEN) & set(page.text)
    assert len(text_table(table).splitlines()) == 5


@pytest.mark.parametrize("evil", HOSTILE)
def test_what_a_terminal_is_sent_is_only_text(evil):
    """No control character and no change of direction; a name can't begin a line of its own."""
    result = everywhere(evil)
    for value in displays(evil).values():
        if isinstance(value, str):
            continue
        for text in (repr(value), str(value)):
            assert not set(text) & set(UNSEEN)
            assert len(text.splitlines()) <= 16
    assert "\n" not in repr(result)


def test_text_is_of_one_screen():
    block = '{"type": "create_task", "content": "%s"}' % ("x" * 500)
    text = '```actions\n{"actions": [' + ",".join([block] * 300) + "]}\n```"
    result = al.parse(text, profile="assistant")
    assert len(result.actions) == 300
    assert len(repr(result)) < 300
    lines = str(result).splitlines()
    assert len(lines) <= 16
    assert max(map(len, lines)) <= 200
    assert lines[-1].startswith("  and 2")
    with al.Runtime("assistant", dry_run=True) as runtime:
        turn = runtime.handle(text)
    assert len(repr(turn)) < 300
    assert len(str(turn).splitlines()) <= 16


EXACT = [
    "\n\nleading line breaks\n",
    '漢字 😀 e\u0301 👩\u200d👩\u200d👧\r\n```actions\r\n{"actions": [{"type": "create_task", "content": "漢\u0301😀",}]}\r\n```\r\nend\r',
    "nul \x00 and \x85 \u2028 \x0c \x7f",
    "&amp; <b> ' \" `",
    "",
]


def as_html(text: str) -> str:
    """What of a text HTML can hold, character by character."""
    return "".join("\u2400" if c == "\0" else "\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)


@pytest.mark.parametrize("text", EXACT)
def test_the_text_content_is_the_response(text):
    """Character by character, so that a span is a place in it; what HTML can't hold has one character in its place."""
    result = al.parse(text, profile="assistant")
    page = Page(al.explain(result)._repr_html_())
    assert page.raw == as_html(text)
    for call in result.actions:
        assert page.raw[call.span.start : call.span.end] == as_html(call.span.of(text))


PARTS = st.sampled_from(
    [
        *HOSTILE,
        *EXACT,
        "```actions\n",
        '{"actions": [{"type": "fly",}]',
        "```\n",
        "<think>",
        "</think>",
        "\ud800",
        "\r",
    ]
)


@settings(max_examples=examples(60))
@given(st.lists(PARTS, max_size=8).map("".join))
def test_no_character_is_lost_and_every_element_is_closed(text):
    result = al.parse(text, profile="assistant")
    assert Page(al.explain(result)._repr_html_()).raw == as_html(text)


@st.composite
def crossing(draw):
    """A reading whose places cross each other, as no parser should make them."""
    text = draw(st.text("ab<\n\r", max_size=12))
    place = st.integers(0, len(text))
    spans = [Span(*sorted((draw(place), draw(place)))) for _ in range(draw(st.integers(0, 6)))]
    blocks = tuple(
        Block(
            i, "d", BlockStatus.REPAIRED, span, span, None, (Repair(RepairKind.TRAILING_COMMA, span, "", ""),)
        )
        for i, span in enumerate(spans)
    )
    calls = tuple(ActionCall("f", {}, ActionStatus.VALID, span, "d", 0) for span in reversed(spans))
    return ParseResult(text, Outcome.CLEAN, calls, blocks, (), "", "id", "p", None)


@given(crossing())
def test_marks_that_cross_lose_nothing(result):
    """Elements nest whatever the spans do."""
    assert Page(al.explain(result)._repr_html_()).raw == result.text


def test_nothing_is_fetched_and_nothing_runs():
    """No script, no address, no import of a style sheet in what the display itself brings."""
    html = everywhere("x")._repr_html_()
    for word in ("<script", "http:", "https:", "url(", "@import", "src=", "href=", "onload"):
        assert word not in html


def test_a_rate_without_an_interval_shows_itself(monkeypatch):
    """Nothing was counted, or nothing can be said of how far it may be off."""
    assert "al-bar" in al.Rate(0, 0)._repr_html_()
    assert "<i " in al.Rate(3, 4)._repr_html_()
    monkeypatch.setattr(al.Rate, "interval", None)
    monkeypatch.setattr(al.Rate, "__str__", lambda self: "75 % <few>")
    assert "<i " not in al.Rate(3, 4)._repr_html_()
    assert "75 % &lt;few&gt;" in al.Rate(3, 4)._repr_html_()


@pytest.mark.parametrize("hostile", HOSTILE)
def test_a_difference_is_text_and_nothing_but(hostile):
    """Names, fields and values on both sides; nothing unseen steers a terminal."""
    status = ActionStatus.VALID
    before = ReadAction(0, hostile, status, None, {hostile: hostile, "x": 1})
    after = ReadAction(1, hostile, ActionStatus.INVALID, Reason.WRONG_TYPE, {hostile: [hostile], "x": 2})
    fields = tuple(field_differences(before.arguments, after.arguments))
    pairs = (ActionDifference("rejected", before, after, fields), ActionDifference("added", None, after))
    difference = TurnDifference("t", "s", 3, Outcome.CLEAN, Outcome.PARTIAL, None, Reason.TRUNCATED, pairs)
    page = Page(difference._repr_html_())
    assert set(page.tags) <= MADE_BY_US
    assert {name for name, _ in page.attributes} <= ATTRIBUTES
    for shown in (page.text, str(difference)):
        assert not set(UNSEEN) & set(shown)
        assert "wrong_type" in shown
    assert "parsed → partly parsed (truncated)" in str(difference)
    assert str(difference).count("\n") == 5


def test_a_report_and_a_ledger_show_themselves(tmp_path):
    """A report names what changed and its p-value; a ledger what it holds, and closed, that it is."""
    with al.open_ledger(tmp_path / "<b>.duckdb") as ledger:
        with al.Runtime("assistant", ledger=ledger) as runtime:
            runtime.handle('```actions\n{"actions": [{"type": "list_tasks"},]}\n```')
        report = al.reparse(ledger, parser="gembrain-standard")
        assert isinstance(report, ReparseReport)
        assert "1 turn read again by gembrain-standard: 1 lost; over the 1 turn" in str(report)
        assert len(repr(report)) < 300
        page = Page(report._repr_html_())
        assert "gembrain-standard" in page.text
        assert "repairedfailed" in page.text
        page = Page(ledger._repr_html_())
        assert "turns1" in page.text
        assert set(page.tags) <= MADE_BY_US
    assert repr(ledger) == f"<Ledger '{tmp_path / '<b>.duckdb'}': closed>"
    assert "closed" in Page(ledger._repr_html_()).text
