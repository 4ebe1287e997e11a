"""Ledgers for the pages: one with sessions of every kind, hostile names among them, and an empty one."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

import actionledger_dashboard
from actionledger import Runtime
from actionledger.core.events import (
    ActionRecord,
    ExecutionFinished,
    ExecutionStarted,
    ResponseParsed,
    ResponseReceived,
    RunStarted,
    SessionStarted,
    TurnFinished,
)
from actionledger.core.ids import derived_id
from actionledger.core.recordings import RecordedCall, RecordedResult, RecordedSession, RecordedTurn, Usage
from actionledger.core.values import Block, FieldError, Issue, Repair, Span
from actionledger.core.vocabulary import (
    ActionStatus,
    BlockStatus,
    Capture,
    DecisionKind,
    ExecutionStatus,
    LeftOutReason,
    Outcome,
    Reason,
    Relation,
    RepairKind,
    RunKind,
)
from actionledger.imports import Importer, import_sessions
from actionledger.imports.formats import jsonl
from actionledger.imports.sources.base import LeftOut
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.recorded import Known
from actionledger.runtime.execution.approval import Decision

HOSTILE = "![x](https://evil.example/x.png)<img src=https://evil.example/y.png>"
HIDDEN = "\ufeff😀 photo_\u202egpj.exe\u200b end\x00 👩‍💻"
ACCENTS = "cafe\u0301 👍🏽 e\u0301\r\n\x00 z"
MONDAY = datetime.fromisoformat("2026-03-02T09:00")


@dataclass
class Recorder:
    """Records sessions into a ledger, a few words each."""

    ledger: Ledger
    numbers: Iterator[int] = field(default_factory=count)

    def head(self, run: str = "live") -> dict[str, object]:
        number = next(self.numbers)
        at = MONDAY + timedelta(seconds=number)
        return {"event_id": derived_id("event", number), "recorded_at": at, "run_id": derived_id("run", run)}

    def run(self, name: str, kind: RunKind = RunKind.LIVE) -> None:
        self.ledger.record(
            RunStarted(
                **self.head(name),
                run_kind=kind,
                name=name,
                source="",
                toolkit_version="1",
                python_version="3",
            )
        )

    def session(
        self, name: str, *, model: str = "small", task: str = "demo", at: datetime | None = MONDAY
    ) -> str:
        session_id = derived_id("session", name)
        self.ledger.record(
            SessionStarted(
                **self.head(),
                session_id=session_id,
                external_id=name,
                source="jsonl",
                profile="coder",
                model=model,
                task=task,
                started_at=at,
            )
        )
        return session_id

    def turn(
        self,
        session: str,
        index: int,
        text: str,
        outcome: Outcome,
        *,
        model: str = "small",
        task: str = "demo",
        at: datetime | None = MONDAY,
        run: str = "live",
        dialect: str | None = None,
        reason: Reason | None = None,
        blocks: tuple[Block, ...] = (),
        actions: tuple[ActionRecord, ...] = (),
        issues: tuple[Issue, ...] = (),
        feedback: str | None = None,
        done: ExecutionStatus = ExecutionStatus.SUCCEEDED,
    ) -> None:
        place = {
            "session_id": derived_id("session", session),
            "turn_id": derived_id("turn", session, index),
            "turn_index": index,
            "profile": "coder",
            "model": model,
            "task": task,
            "occurred_at": at,
        }
        attempt = {"attempt_id": derived_id("attempt", session, index, run)}
        first = run == "live"
        if first:
            self.ledger.record(ResponseReceived(**self.head(), **place, text=text))
        self.ledger.record(
            ResponseParsed(
                **self.head(run),
                **place,
                **attempt,
                run_kind=RunKind.LIVE if first else RunKind.REPARSE,
                parser_id="p",
                parser_name="p-1" if first else "p-2",
                catalogue="coder",
                dialect=dialect or ("xml_tags" if actions else ""),
                outcome=outcome,
                reason=reason,
                duration_us=1200,
                blocks=blocks,
                actions=actions,
                issues=issues,
            )
        )
        if not first:
            return
        for action in actions:
            if action.status.is_runnable:
                self.execute(place, attempt, action, done)
        if feedback is not None:
            ids = {name: place[name] for name in ("session_id", "turn_id")}
            self.ledger.record(TurnFinished(**self.head(), **ids, feedback=feedback))

    def execute(
        self, place: dict[str, object], attempt: dict[str, str], action: ActionRecord, status: ExecutionStatus
    ) -> None:
        execution_id = derived_id("execution", action.action_id)
        ids = {name: place[name] for name in ("session_id", "turn_id")}
        failed = status is not ExecutionStatus.SUCCEEDED
        self.ledger.record(
            ExecutionStarted(
                **self.head(),
                **place,
                **attempt,
                execution_id=execution_id,
                action_id=action.action_id,
                action_index=action.index,
                name=action.name,
                dialect=action.dialect,
                trace_id="t",
                try_number=1,
                started_at=MONDAY,
            )
        )
        self.ledger.record(
            ExecutionFinished(
                **self.head(),
                **ids,
                execution_id=execution_id,
                status=status,
                reason=Reason.HANDLER_ERROR if failed else None,
                result="null" if failed else '{"bytes": 12}',
                message=HOSTILE if failed else "",
                duration_ms=2.5,
                finished_at=MONDAY,
            )
        )


MIXED = (
    "😀 我先看看。\r\n<create_file path=\"說明.md\">\nprint('👩‍💻 hi')\n</create_file>\n"
    '然後 🚀 {"action": "read_file", "path": "a",} 好了 🏁'
)
FIRST, SECOND = (
    MIXED[MIXED.index("<create") : MIXED.index("然後")].rstrip(),
    MIXED[MIXED.index("{") : MIXED.index(" 好了")],
)


def block_of(
    text: str,
    index: int,
    piece: str,
    status: BlockStatus = BlockStatus.STRICT,
    *repairs: Repair,
    reason: Reason | None = None,
) -> Block:
    """Return the block that a piece of a text is."""
    start = text.index(piece)
    span = Span(start, start + len(piece))
    return Block(index, "xml_tags", status, span, span, reason=reason, repairs=repairs)


def action_of(
    block: Block, name: str, status: ActionStatus, *errors: FieldError, key: object
) -> ActionRecord:
    """Return an action that is all of a block."""
    return ActionRecord(
        action_id=derived_id("action", key, block.index),
        index=block.index,
        block=block.index,
        dialect="xml_tags",
        name=name,
        status=status,
        reason=errors[0].code if errors else None,
        span=block.span,
        arguments=json.dumps({"path": "說明.md", "note": HOSTILE}, ensure_ascii=False),
        errors=errors,
    )


def record_sample(recorder: Recorder) -> None:
    """Record a session to step through, one with hostile names, one without times, and a re-reading."""
    recorder.run("live")
    recorder.run(f"again {HOSTILE}", RunKind.REPARSE)
    recorder.session("steps")
    comma = MIXED.index(",}")
    repair = Repair(RepairKind.TRAILING_COMMA, Span(comma, comma + 1), ",", "")
    first, second = block_of(MIXED, 0, FIRST), block_of(MIXED, 1, SECOND, BlockStatus.REPAIRED, repair)
    pair = (
        action_of(first, "create_file", ActionStatus.VALID, key="steps"),
        action_of(second, "read_file", ActionStatus.COERCED, key="steps"),
    )
    recorder.turn(
        "steps", 0, MIXED, Outcome.REPAIRED, blocks=(first, second), actions=pair, feedback=f"done {HOSTILE}"
    )
    recorder.turn(
        "steps",
        0,
        MIXED,
        Outcome.FAILED,
        run=f"again {HOSTILE}",
        blocks=(first,),
        reason=Reason.TRAILING_COMMA,
    )
    recorder.turn("steps", 1, "Nothing to do.", Outcome.NO_ACTION)
    broken = f"好 <create_file>{HOSTILE}"
    issue = Issue(Reason.UNCLOSED_TAG, Span(2, len(broken)), HOSTILE)
    open_tag = block_of(broken, 0, broken[2:], BlockStatus.MALFORMED, reason=Reason.UNCLOSED_TAG)
    recorder.turn(
        "steps", 2, broken, Outcome.FAILED, reason=Reason.UNCLOSED_TAG, blocks=(open_tag,), issues=(issue,)
    )
    recorder.turn("steps", 3, "", Outcome.EMPTY)
    _record_hostile(recorder)
    recorder.session("undated", task="undated", at=None)
    recorder.turn("undated", 0, "😀", Outcome.FAILED, task="undated", at=None, reason=Reason.NO_ACTION_FOUND)


def _record_hostile(recorder: Recorder) -> None:
    names = {"model": HOSTILE, "task": HOSTILE}
    tuesday = MONDAY + timedelta(days=1)
    recorder.session(HOSTILE, **names, at=tuesday)
    text = "<a>b</a>"
    block = block_of(text, 0, text)
    refused = FieldError(Reason.UNKNOWN_ACTION, "", HOSTILE, HOSTILE)
    unknown = action_of(block, HOSTILE, ActionStatus.UNKNOWN, refused, key="hostile 0")
    valid = action_of(block, "read_file", ActionStatus.VALID, key="hostile 1")
    shared = {**names, "at": tuesday, "dialect": HOSTILE, "blocks": (block,)}
    recorder.turn(HOSTILE, 0, text, Outcome.CLEAN, actions=(unknown,), **shared)
    recorder.turn(HOSTILE, 1, text, Outcome.CLEAN, actions=(valid,), done=ExecutionStatus.FAILED, **shared)


def record_more(recorder: Recorder) -> None:
    """Record a session of more turns than a page of a list has, and one with characters that nobody sees."""
    recorder.session("many", task="many")
    for index in range(60):
        recorder.turn("many", index, f"Number {index}.", Outcome.NO_ACTION, task="many")
    recorder.session("hidden", task="hidden")
    recorder.turn("hidden", 0, HIDDEN, Outcome.NO_ACTION, task="hidden", feedback=HIDDEN)
    recorder.session("accents", task="hidden")
    recorder.turn("accents", 0, ACCENTS, Outcome.NO_ACTION, task="hidden")


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed ledger with sessions of every kind."""
    path = tmp_path_factory.mktemp("sample") / "sample.duckdb"
    with open_ledger(path) as ledger:
        record_sample(Recorder(ledger))
    return path


@pytest.fixture(scope="session")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same and more: a long session, and one with invisible characters."""
    path = tmp_path_factory.mktemp("larger") / "larger.duckdb"
    with open_ledger(path) as ledger:
        recorder = Recorder(ledger)
        record_sample(recorder)
        record_more(recorder)
    return path


@pytest.fixture(scope="session")
def hidden() -> str:
    """A text in which not everything is seen, and a mark turns what stands behind it around."""
    return HIDDEN


@pytest.fixture(scope="session")
def accents() -> str:
    """The response of the session "accents": combining marks, an emoji with a skin tone, CR LF, NUL."""
    return ACCENTS


@pytest.fixture(scope="session")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed ledger with one session of another runtime, of which nothing but the responses is known."""
    folder = tmp_path_factory.mktemp("imported")
    lines = [
        {"session": "theirs", "profile": "coder", "text": "<read_file><path>a</path></read_file>"},
        {"session": "theirs", "profile": "coder", "text": "Nothing left to do."},
    ]
    (folder / "theirs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    path = folder / "imported.duckdb"
    with open_ledger(path) as ledger:
        importer = Importer(ledger.record, source="jsonl", origin="theirs.jsonl", known=Known())
        for item in jsonl.read(folder / "theirs.jsonl"):
            importer.take(item)
        importer.finish()
    return path


@pytest.fixture(scope="session")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed ledger with what another runtime did: a parent and its child, refusals, errors, tokens, things left out."""
    path = tmp_path_factory.mktemp("elsewhere") / "elsewhere.duckdb"
    call = [RecordedCall(f"c{number}", "edit", '{"path": "a"}') for number in range(4)]
    results = [
        RecordedResult("c0", "done", is_error=False, duration_ms=12.5),
        RecordedResult("c1", f"Exit code 2\n{HOSTILE}", is_error=True, exit_status=2),
        RecordedResult("c2", "no", refused_by="person"),
        RecordedResult("c3", "exec command rejected by user"),
    ]
    turns = [
        RecordedTurn(
            number,
            "Editing.",
            external_id=f"m{number}",
            capture=Capture.CALLS if number == 2 else Capture.ARGUMENTS,
            calls=(call[number],),
            results=(results[number],),
            usage=Usage(
                input_tokens=1000,
                output_tokens=10,
                cost_usd=0.25 if number == 1 else None,
                finish_reason="tool\u202e_use",
            ),
        )
        for number in range(4)
    ]
    items = [
        RecordedSession("parent", None, "big", "", tuple(turns[:3])),
        RecordedSession("child", None, "big", "", (turns[3],), parent="parent", relation=Relation.SUBAGENT),
        RecordedSession("orphan", None, "big", "", (), parent="gone", relation=Relation.FORK),
        LeftOut("theirs.jsonl", LeftOutReason.ENCRYPTED, HOSTILE, 3),
        LeftOut("theirs.jsonl", LeftOutReason.EMPTY),
    ]
    with open_ledger(path) as ledger:
        import_sessions(ledger, items, source="chatlog", origin="theirs.jsonl")
    return path


@pytest.fixture(scope="session")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed ledger with one turn of two actions that waited for a person, and went on twice."""
    folder = tmp_path_factory.mktemp("approved")
    path = folder / "approved.duckdb"
    files = "".join(f"<create_file><path>{name}</path><content>x</content></create_file>" for name in "ab")
    decision = Decision(DecisionKind.APPROVED, by="ann")
    with (
        open_ledger(path) as ledger,
        Runtime("coder", ledger=ledger, workspace=folder / "workspace") as runtime,
    ):
        turn = runtime.handle(files)
        for index in range(2):
            runtime.resume(turn.turn_id, {index: decision})
    return path


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed ledger that holds nothing."""
    path = tmp_path_factory.mktemp("empty") / "empty.duckdb"
    with open_ledger(path):
        pass
    return path


@pytest.fixture(scope="session")
def recorder() -> type[Recorder]:
    """What records sessions into an open ledger."""
    return Recorder


@pytest.fixture(scope="session")
def hostile() -> str:
    """A name that fetches images from elsewhere wherever it is taken for Markdown or HTML."""
    return HOSTILE


@pytest.fixture(scope="session")
def mixed() -> str:
    """The first response of the session "steps": emoji of several code points, Chinese, CR LF."""
    return MIXED


@pytest.fixture(scope="session")
def calls_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed ledger with one response of which nothing but the parsed call was kept."""
    path = tmp_path_factory.mktemp("calls") / "calls.duckdb"
    turn = RecordedTurn(0, "", capture=Capture.CALLS, calls=(RecordedCall("c", "edit", {"path": "a"}),))
    with open_ledger(path) as ledger:
        import_sessions(ledger, [RecordedSession("s", None, "big", "", (turn,))])
    return path


@pytest.fixture(scope="session", autouse=True)
def _components_looked_for_once() -> Iterator[None]:
    """Each page that is opened looks through every installed package for components; what is installed stays as it is."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        once = lru_cache(manifest_scanner.scan_component_manifests)
        monkeypatch.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@pytest.fixture
def open_page(monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """Open a page of a ledger with query parameters, and fail if it shows an exception."""

    def opened(ledger: Path, page: str, /, **parameters: str | list[str]) -> AppTest:
        monkeypatch.setenv(actionledger_dashboard.LEDGER_VARIABLE, str(ledger))
        test = AppTest.from_file(
            Path(actionledger_dashboard.__file__).with_name("app.py"), default_timeout=300
        )
        if page != "views/overview.py":  # the page that a visit begins with that names none
            test.switch_page(
                page
            )  # before the first run a page goes by the name of its file, as its address has it
        for name, value in parameters.items():
            test.query_params[name] = value
        test.run()
        assert not test.exception
        return test

    return opened


@pytest.fixture
def drawn() -> Callable[[AppTest, str], dict[str, Any]]:
    """What one of our own components of a page was given to draw."""

    def found(test: AppTest, component: str) -> dict[str, Any]:
        name = f"actionledger.{component}"
        [shown] = [one for one in test.get("bidi_component") if one.proto.component_name == name]
        return dict(json.loads(shown.proto.json)[0])

    return found


@pytest.fixture
def stats() -> Callable[..., dict[str, tuple[str, list[str]]]]:
    """The numbers of a row of them, each by its label, with the lines below it."""

    def found(test: AppTest, label: str = "Rates") -> dict[str, tuple[str, list[str]]]:
        strips = [
            json.loads(one.proto.json)[0]
            for one in test.get("bidi_component")
            if one.proto.component_name == "actionledger.strip"
        ]
        [shown] = [strip for strip in strips if strip["label"] == label] or [{"stats": []}]
        return {stat["label"]: (stat["number"], stat["below"]) for stat in shown["stats"]}

    return found
