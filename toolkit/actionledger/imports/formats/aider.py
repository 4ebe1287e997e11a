"""aider's chat histories: ``.aider.chat.history.md``, Markdown that grows as long as its repository is used.

Defined by Aider-AI/aider, ``aider/io.py``: ``# aider chat started at`` begins a session. A person's lines begin with ``#### ``, aider's own with ``>
``, and both end in two spaces, unlike the model's headings and quotations. Of words of aider's with several lines, only the first has the sign and only
the last the spaces. The rest is the model's text with its edits, which is parsed. There are no identifiers: a turn is identified by its index in its
session. Tokens and cost are in a line of aider's after the message, or before 0.45 in one before it; it counts those of a streamed response itself.
``results_of`` finds the edits' results in aider's lines. 0.86.2 was run.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from actionledger.core.patterns import regex
from actionledger.core.recordings import RecordedResult, RecordedSession, RecordedTurn, SessionDetails, Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Reason
from actionledger.imports.shapes.base import Passed, left_out
from actionledger.imports.sources.access import non_empty
from actionledger.imports.sources.base import Recorded, Sample, Source, Wording
from actionledger.imports.sources.containers import OnRead, opened, shown

# The results of a message's edits, from aider's lines after it.
_BLOCK = regex(r"^<{5,9} SEARCH[^\n]*\n.*?^>{5,9} (?:REPLACE|UPDATED)[^\n]*$", re.DOTALL | re.MULTILINE)
_APPLIED = "Applied edit to "
_FAILED = regex(r"# \d+ SEARCH/REPLACE blocks? failed to match|failed to exactly match lines")
_MALFORMED = "did not conform to the edit format"
_REFLECTED = regex(
    rf"{_FAILED.pattern}|{_MALFORMED}|^# Fix any errors below|^## See relevant line|^I ran this command|^The LLM|Malformed"
)


def results_of(text: str, notes: Sequence[str]) -> tuple[tuple[RecordedResult, ...], str]:
    """Return the results of a message's edits, and aider's feedback to the model."""
    blocks = [_plain(found[0]) for found in _BLOCK.finditer(text)]
    said = "\n".join(notes)
    fed_back = said if _REFLECTED.search(said) else ""
    if not blocks:
        return (), fed_back
    if _MALFORMED in said and not _FAILED.search(said):
        return tuple(RecordedResult("", said, is_error=True) for _ in blocks), fed_back
    failed = {_plain(found[0]) for found in _BLOCK.finditer(said)} if _FAILED.search(said) else set()
    has_applied = any(note.startswith(_APPLIED) for note in notes)
    results: list[RecordedResult] = []
    for block in blocks:
        if block in failed:
            results.append(RecordedResult("", said, is_error=True))
        elif has_applied or (failed and "applied successfully" in said):
            results.append(RecordedResult("", "Applied edit.", is_error=False))
        else:
            break
    return tuple(results), fed_back


def _plain(block: str) -> str:
    return "\n".join(line.rstrip() for line in block.splitlines())


NAME = "aider"

_START = regex(r"# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_MODEL = regex(r"(?:Main model|Models?): (\S+)")
_VERSION = regex(r"Aider v(\d[\w.+-]{0,40})")
_MANY_LINES = regex(r"> # \d+ SEARCH/REPLACE blocks? failed to match!\s*$")
"""How aider begins words of several lines that may come right after the model's."""
_COMMAND = regex(r"/(?P<name>[a-z-]+|!)(?:\s+(?P<said>.*))?$", re.DOTALL)
_SAYING = frozenset({"ask", "code", "architect", "context", "help"})
"""The commands whose words are for the model."""

_AFTER = regex(
    r"Tokens: (?P<sent>[\d.,]+[kM]?) sent"
    r"(?:, (?P<written>[\d.,]+[kM]?) cache write)?(?:, (?P<cached>[\d.,]+[kM]?) cache hit)?, (?P<received>[\d.,]+[kM]?) received\."
    r"(?: Cost: \$(?P<cost>[\d.,]+) (?:message|request))?"
)
_BEFORE = regex(
    r"(?P<sent>[\d.,]+[kM]?) prompt tokens, (?P<received>[\d.,]+[kM]?) completion tokens(?:, \$(?P<cost>[\d.,]+) cost)?"
)
_LONGEST_LINE = 2**20

_WORDINGS = (
    # Before it names the blocks, aider says of both that the format was not kept.
    Wording(
        r"SEARCH/REPLACE blocks? failed to match|failed to exactly match lines",
        Reason.NO_MATCH,
        "# 1 SEARCH/REPLACE block failed to match!",
        is_telling=True,
    ),
    Wording(
        r"did not conform to the edit format",
        Reason.SCHEMA_ERROR,
        "The LLM did not conform to the edit format.",
        is_telling=True,
    ),
)


@dataclass(slots=True)
class _Session:
    """A session while its lines come in."""

    name: str
    started_at: datetime | None = None
    model: str = ""
    version: str = ""
    turns: list[RecordedTurn] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    note: list[str] = field(default_factory=list)
    """The lines so far of words of aider's with several lines."""
    is_behind_note: bool = False
    """Whether the line before was aider's: the model's words come after an empty one."""
    before: Usage = field(default_factory=Usage)
    has_marks: bool = False
    """Whether its start, its end or one of its lines is aider's or a person's: otherwise it may be any text."""


def read(path: Path, on_read: OnRead | None = None) -> Recorded:
    """Yield the sessions of a history."""
    passed: Passed = Counter()
    times: Counter[str] = Counter()
    # A folder may hold several other files, each with a history.
    is_own = path.name.startswith(".aider.chat.history")
    folder = path.absolute().parent.name if is_own else path.name.split(".md")[0]
    session = _Session(f"{folder}/before")
    for line in _lines(path, on_read, passed):
        if found := _START.match(line):
            session.has_marks = True
            yield from _done(session, passed)
            times[found[1]] += 1
            again = f"#{times[found[1]]}" if times[found[1]] > 1 else ""
            session = _Session(f"{folder}/{found[1]}{again}", _time(found[1]), has_marks=True)
        elif _is_of_aider(line, session):
            session.has_marks = True
            _close_message(session)
            _take_line(line, session)
        elif line.startswith("####") and line.endswith("  "):
            session.has_marks = True
            _close_message(session)
            _end_note(session)
            session.told.append(line[4:-2].removeprefix(" "))
        elif line.strip() or session.said:
            if not session.said:
                _close_told(session, passed)
            session.said.append(line)
        session.is_behind_note = line.startswith(">") and line.endswith("  ")
    yield from _done(session, passed)
    yield from left_out(shown(path), passed)


def recognise(sample: Sample) -> float:
    """Return the certainty that a sample is a history of aider's."""
    head = sample.head.decode(errors="replace")
    if any(_START.match(line) for line in head.splitlines()):
        return 1.0
    return 0.9 if sample.path.name.startswith(".aider.chat.history") else 0.0


def _lines(path: Path, on_read: OnRead | None, passed: Passed) -> Iterator[str]:
    """Yield the lines without their ends; a last line without an end is still being written, and its author is unknown."""
    with opened(path, on_read, only_lines=False) as file:
        while line := file.readline(_LONGEST_LINE):
            if not line.endswith(b"\n") and len(line) < _LONGEST_LINE:
                passed[LeftOutReason.PROGRESS, "line"] += 1
                return
            yield line.decode(errors="replace").removesuffix("\n").removesuffix("\r")


def _is_of_aider(line: str, session: _Session) -> bool:
    """Return whether a line is aider's: it is marked, or it goes on with words of several lines, of which the first and the last are."""
    if session.note:
        return not (line.startswith("####") and line.endswith("  "))
    return line.startswith(">") and (
        line.endswith("  ") or session.is_behind_note or _MANY_LINES.match(line) is not None
    )


def _take_line(line: str, session: _Session) -> None:
    """Take a line of aider's; one of several is kept until their last."""
    session.note.append(line if session.note else line[1:].removeprefix(" "))
    if line.endswith("  "):
        _end_note(session)


def _end_note(session: _Session) -> None:
    if session.note:
        note = "\n".join(session.note).removesuffix("  ")
        session.note.clear()
        _take_note(note, session)


def _take_note(note: str, session: _Session) -> None:
    if found := _BEFORE.match(note):
        session.before = _usage(found.groupdict())
    elif found := _AFTER.match(note):
        if session.turns:
            session.turns[-1] = replace(session.turns[-1], usage=_usage(found.groupdict()))
    elif (model := _MODEL.match(note)) and not session.turns:
        session.model = model[1].rstrip(",")
    elif (version := _VERSION.match(note)) and not session.turns:
        session.version = version[1]
    elif session.turns:
        session.notes.append(note)


def _close_message(session: _Session) -> None:
    """Make a turn of the model's text."""
    text = "\n".join(session.said).strip("\n")
    session.said.clear()
    if not text:
        return
    place = len(session.turns)
    prompt = "\n".join(session.told) if session.told and not place else None
    session.told.clear()
    session.turns.append(
        RecordedTurn(place, text, prompt, external_id=str(place), usage=session.before, capture=Capture.TEXT)
    )
    session.before = Usage()


def _close_told(session: _Session, passed: Passed) -> None:
    """Add the words of aider and the person to the turn before them."""
    words = "\n".join(session.told)
    if command := _COMMAND.match(words.strip()):
        if command["name"] not in _SAYING:
            passed[LeftOutReason.BOOKKEEPING, "command"] += 1
        words = command["said"] or "" if command["name"] in _SAYING else ""
    session.told = [words] if words.strip() else []
    if not session.turns:
        return
    last = session.turns[-1]
    results, fed_back = results_of(last.text, session.notes)
    said = "\n\n".join(filter(None, (fed_back, *session.told)))
    session.turns[-1] = replace(last, results=results, feedback=said or None)
    session.notes.clear()
    session.told.clear()


def _done(session: _Session, passed: Passed) -> Iterator[RecordedSession]:
    _close_message(session)
    _close_told(session, passed)
    if not session.turns:
        passed[LeftOutReason.EMPTY, "session"] += session.started_at is not None
        return
    if not session.has_marks:
        passed[LeftOutReason.UNKNOWN_FORMAT, "text"] += 1
        return
    yield RecordedSession(
        session.name,
        None,
        session.model,
        "",
        tuple(session.turns),
        source=NAME,
        metadata=non_empty({"version": session.version}),
        details=SessionDetails(agent=NAME, agent_version=session.version),
        started_at=session.started_at,
    )


def _usage(found: dict[str, str | None]) -> Usage:
    cost = found.get("cost")
    return Usage(
        input_tokens=_count(found.get("sent")),
        output_tokens=_count(found.get("received")),
        cached_tokens=_count(found.get("cached")),
        cache_write_tokens=_count(found.get("written")),
        cost_usd=_number(cost) if cost else None,
    )


def _count(written: str | None) -> int | None:
    """Return a count that aider has rounded for people: 207, 14,165, 1.2k."""
    if not written:
        return None
    factor = {"k": 1000, "M": 1_000_000}.get(written[-1], 1)
    number = _number(written.rstrip("kM"))
    return None if number is None else round(number * factor)


def _number(written: str) -> float | None:
    try:
        return float(written.replace(",", "").rstrip("."))
    except ValueError:
        return None


def _time(written: str) -> datetime | None:
    try:
        return datetime.fromisoformat(written)
    except ValueError:
        return None


SOURCE = Source(
    NAME,
    "aider",
    Capture.TEXT,
    read,
    recognise,
    patterns=(".aider.chat.history.md", "*.md", "*.md.gz"),
    wordings=_WORDINGS,
    tested="0.86.2",
    loses="Identifiers; exact tokens above a thousand, which aider rounds, and of streamed responses the provider's counts, in whose place aider has its own; the time of a message and its zone; which files were shown to the model; "
    "a line of the model's that looks like a person's or aider's.",
)
