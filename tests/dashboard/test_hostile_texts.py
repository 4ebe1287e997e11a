"""Texts that would do something where they are taken for more than text, in every field and on every page, in a real browser."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import pytest
from browsing import Visit, launched, served, window
from hostile_texts import HOST, HOSTILE_TEXTS, RAN
from playwright.sync_api import Browser

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.events import ActionRecord
from actionledger.core.ids import derived_id, now
from actionledger.core.recordings import (
    RecordedCall,
    RecordedResult,
    RecordedSession,
    RecordedTurn,
    SessionDetails,
    Usage,
)
from actionledger.core.values import Block, FieldError, Issue, Repair, Span
from actionledger.core.vocabulary import (
    ActionStatus,
    BlockStatus,
    ExecutionStatus,
    LeftOutReason,
    Outcome,
    Reason,
    RepairKind,
    RunKind,
)
from actionledger.imports import import_sessions
from actionledger.imports.sources.base import LeftOut
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.saved import KIND, LONGEST_NAME, Saved, SavedView, save_view

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ALL = "all of them"
RESPONSE = "\n".join(HOSTILE_TEXTS)


def record_hostile(recorder: Any) -> None:
    """Record a session by each text, and one whose one response has all of them."""
    for name in HOSTILE_TEXTS:
        recorder.run(name, RunKind.REPARSE)
    recorder.run("live")
    for number, text in enumerate(HOSTILE_TEXTS):
        recorder.session(text, model=text, task=text, at=now())
        failing = number % 2 == 0
        _turn(recorder, text, text, [text], {"model": text, "task": text}, failing=failing)
    recorder.session(ALL, at=now())
    _turn(recorder, ALL, RESPONSE, HOSTILE_TEXTS, {}, failing=True)
    _turn(recorder, ALL, RESPONSE, HOSTILE_TEXTS, {"run": HOSTILE_TEXTS[0]}, failing=False)


def _turn(
    recorder: Any, session: str, response: str, texts: Sequence[str], place: dict[str, str], *, failing: bool
) -> None:
    blocks, actions, issues = [], [], []
    at = 0
    for index, text in enumerate(texts):
        span = Span(at, at + len(text))
        at = span.end + 1
        repair = Repair(RepairKind.TRAILING_COMMA, Span(span.start, span.start + 1), text, text)
        blocks.append(Block(index, text, BlockStatus.REPAIRED, span, span, repairs=(repair,)))
        issues.append(Issue(Reason.UNCLOSED_TAG, span, text))
        errors = (FieldError(Reason.WRONG_TYPE, text, text, text),) if failing else ()
        actions.append(
            ActionRecord(
                action_id=derived_id("hostile", session, index, place.get("run", "")),
                index=index,
                block=index,
                dialect=text,
                name=text,
                status=ActionStatus.INVALID if failing else ActionStatus.VALID,
                reason=errors[0].code if errors else None,
                span=span,
                arguments=json.dumps({text: text}),
                errors=errors,
            )
        )
    recorder.turn(
        session,
        0,
        response,
        Outcome.PARTIAL if failing else Outcome.REPAIRED,
        at=now(),
        reason=Reason.UNCLOSED_TAG if failing else None,
        dialect=texts[0],
        blocks=tuple(blocks),
        actions=tuple(actions),
        issues=tuple(issues),
        feedback=response,
        done=ExecutionStatus.FAILED,
        **place,
    )


@pytest.fixture(scope="module")
def url(recorder: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a dashboard in whose ledger every text is in every field."""
    path = tmp_path_factory.mktemp("hostile") / "hostile.duckdb"
    with open_ledger(path) as ledger:
        record_hostile(recorder(ledger))
        import_hostile(ledger)
        say_hostile(ledger)
    for text in HOSTILE_TEXTS:
        name = " ".join(text.split())[:LONGEST_NAME]
        Saved(path, "queries").put(name, f"SELECT {text!r}")
        with suppress(UsageError):  # of what nobody can see no name is made
            save_view(Saved(path, KIND), SavedView(name, "turns", "task=x"))
    with served(path) as address:
        yield address


def import_hostile(ledger: Ledger) -> None:
    """Import a session of another runtime whose calls and results are the texts, with what was left out of it."""
    calls = [RecordedCall(f"c{number}", text, {text: text}) for number, text in enumerate(HOSTILE_TEXTS)]
    known = [
        each
        for text in HOSTILE_TEXTS
        for each in (
            ("Edit", {"file_path": text, "old_string": text, "new_string": RESPONSE}),
            (
                "apply_patch",
                f"*** Begin Patch\n*** Update File: {text}\n@@ {text}\n-{text}\n+{text}\n*** End Patch",
            ),
            ("Bash", {"command": text, "description": text}),
            ("Read", {"file_path": text}),
            ("TodoWrite", {"todos": [{"content": text, "status": text, "activeForm": text}]}),
        )
    ]
    calls += [RecordedCall(f"k{number}", name, arguments) for number, (name, arguments) in enumerate(known)]
    results = [RecordedResult(call.call_id, f"{call.name}\n{RESPONSE}", is_error=True) for call in calls]
    turn = RecordedTurn(0, RESPONSE, calls=tuple(calls), results=tuple(results))
    left = [LeftOut(text, LeftOutReason.ENCRYPTED, text, 1) for text in HOSTILE_TEXTS]
    called = [
        RecordedSession(
            f"called {number}",
            None,
            text,
            "",
            (RecordedTurn(0, text, usage=Usage(input_tokens=number, cost_usd=1.0)),),
            details=SessionDetails(title=text, project=f"/{text}", git_branch=text, agent=text),
        )
        for number, text in enumerate(HOSTILE_TEXTS)
    ]
    session = RecordedSession("elsewhere", None, "m", "", (turn,))
    import_sessions(ledger, [session, *called, *left], origin=HOSTILE_TEXTS[0])


def say_hostile(ledger: Ledger) -> None:
    """Let two people say each text of one turn."""
    turn = derived_id("session", ALL), 0
    for text in (*HOSTILE_TEXTS[:5], RESPONSE):
        al.review(ledger, *turn, by="ann", comment=text)
        al.review(ledger, *turn, by="ann", decision=text)
    for label in HOSTILE_TEXTS[:8]:
        al.review(ledger, *turn, by="ann", label=label[:60])
    al.review(ledger, *turn, by="ann", verdict="wrong")
    al.review(ledger, *turn, by=HOSTILE_TEXTS[1], verdict="right")
    al.review(ledger, *turn, by="ann", assign=HOSTILE_TEXTS[1])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The machine's own Chromium."""
    with launched() as browser:
        yield browser


@pytest.fixture
def visit(url: str, browser: Browser) -> Iterator[Visit]:
    """A tab that tells what it asked for, and what went wrong in it."""
    with window(browser, viewport={"width": 1440, "height": 3000}) as context:
        context.add_init_script("localStorage.setItem('actionledger.reviewer', 'ann')")
        visit = Visit(url, context.new_page())
        visit.page.on("request", visit.note)
        visit.page.on("pageerror", lambda error: visit.errors.append(str(error)))
        visit.page.on("dialog", lambda dialog: visit.errors.append(dialog.message))
        yield visit


TURN = f"session={derived_id('session', ALL)}&turn=0"
PAGES = ("", f"replay?{TURN}", f"review?{TURN}", "playground", "sql")
MORE_PAGES = (
    *(
        "turns",
        "live",
        "left_out",
        "?reasons=by+action",
        "sessions",
        "tools",
        f"transcript?{TURN}",
        f"transcript?session={derived_id('session', 'jsonl', 'elsewhere')}",
        *(f"usage?by={by}" for by in ("day", "session", "project", "branch", "model", "tool")),
        f"turns?search={HOST}",
        "compare",
        "compare?by=models",
        f"health?{urlencode(dict.fromkeys(HOSTILE_TEXTS, 1))}",
    ),
    *(f"replay?session={derived_id('session', 'jsonl', 'elsewhere')}", f"compare?bucket=lost&{TURN}"),
    *("review", "review?by=this+week", "review?by=approvals", "review?by=agreement", "left_out?by=by+import"),
)

MARKUP = f"""() => {{
    const found = [];
    const look = (root) => {{
        for (const one of root.querySelectorAll("script, img, iframe, object, embed, base, meta, link, video, audio, form, [onerror], [onload]"))
            if (one.outerHTML.includes("{HOST}") || one.outerHTML.includes("{RAN}")) found.push(one.outerHTML.slice(0, 200));
        for (const one of root.querySelectorAll("a")) if (/^javascript:|^data:/i.test(one.href)) found.push(one.href);
        for (const one of root.querySelectorAll("*")) if (one.shadowRoot) look(one.shadowRoot);
    }};
    look(document);
    return [found, window.{RAN} ?? null];
}}"""
"""What on a page is an element that a text has made, and whether a script of one has run."""

ACTS = {
    "playground": lambda page: (
        page.get_by_label("The response").fill(RESPONSE),
        page.keyboard.press("Control+Enter"),
        page.locator(".readings .text").wait_for(),
    ),
    "sql": lambda page: (
        page.get_by_role("textbox", name="Statement").fill(
            "SELECT external_id AS image, count(*) AS n FROM sessions GROUP BY ALL"
        ),
        page.keyboard.press("Control+Enter"),
        page.get_by_role("table", name="rows of the answer").wait_for(),
    ),
}


@pytest.mark.parametrize(
    "paths", [PAGES, pytest.param(MORE_PAGES, marks=pytest.mark.soak)], ids=["each", "all"]
)
def test_no_page_takes_a_text_for_more_than_text(visit: Visit, paths: Sequence[str]) -> None:
    """No element of one, no script, no request to another host; and each page is whole."""
    page = visit.page
    for path in paths:
        visit.open(path)
        if path in ACTS:
            ACTS[path](page)
            visit.settle()
        assert (path, page.evaluate(MARKUP)) == (path, [[], None])
        assert (path, page.get_by_test_id("stException").count()) == (path, 0)
    page.wait_for_load_state("networkidle")
    assert visit.outside() == []
    assert visit.errors == []


def test_a_response_of_them_is_shown_as_it_was_written(visit: Visit) -> None:
    """Character by character, the unseen ones and those that turn text around among them."""
    visit.open(f"replay?{TURN}")
    shown = visit.page.locator(".text").first
    shown.wait_for()
    assert shown.evaluate("text => text.textContent") == RESPONSE
