"""Responses that models wrote: the project's own samples, and what a folder of recordings holds.

Beside our parsers stand readers that repair JSON. They get the response as it is, prose and all, as people do who call
them for want of anything better; what they make of it is another matter. Strict readers refuse nearly all of them.
"""

import gzip
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from rich.table import Table
from rivals import Read, readers
from timing import seconds

from actionledger.core.errors import SourceError
from actionledger.core.recordings import RecordedSession
from actionledger.imports.formats import mint as mint_format
from actionledger.imports.sources.base import Refusal
from actionledger.imports.sources.json_values import json_lines
from actionledger.reading.parsers import PARSERS

SAMPLES = Path(__file__).parents[2] / "data" / "sessions.jsonl"
FEW = 300
"""How many responses of one kind are read, unless all are asked for."""

OTHERS = ("fast_json_repair", "json_repair", "jiter", "orjson")
_USELESS = 0.5
"""The share of refused responses from which a reader's time says nothing."""

_CHAT = "# aider chat started"
_NOT_THE_MODEL = re.compile(r"(?m)^(?:#{4} |> |# aider chat started).*(?:\n|\Z)")
"""Lines of an aider transcript that the person or the program wrote."""


class Corpus(NamedTuple):
    """Responses from one place."""

    title: str  # what they are
    parsers: tuple[str, ...]  # the names of the parsers that are to read them
    texts: Sequence[str]  # the responses


def recorded(folder: Path, *, is_full: bool) -> Iterator[Corpus]:
    """Yield what each folder in a folder of recordings holds: MINT's sessions, lines with a ``text``, aider's transcripts."""
    for each in sorted(path for path in folder.iterdir() if path.is_dir()):
        if texts := list(_of_mint(each)):
            yield Corpus(each.name, ("mint", "auto"), some(texts, is_full=is_full))
        elif texts := [*_of_lines(each), *_of_chats(each)]:
            yield Corpus(each.name, ("auto",), some(texts, is_full=is_full))


def samples(*, is_full: bool) -> Iterator[Corpus]:
    """Yield the project's own samples by profile, and all of them."""
    lines = [json.loads(line) for line in SAMPLES.read_text(encoding="utf-8").splitlines()]
    for profile in sorted({line["profile"] for line in lines}):
        texts = [line["text"] for line in lines if line["profile"] == profile]
        yield Corpus("samples", (profile,), some(texts, is_full=is_full))
    yield Corpus("samples", ("auto",), some([line["text"] for line in lines], is_full=is_full))


def some(texts: Sequence[str], *, is_full: bool) -> Sequence[str]:
    """Return all texts, or a few from all over them."""
    return texts if is_full else texts[:: max(1, len(texts) // FEW)]


def table(folder: Path | None, *, is_full: bool) -> Table:
    """Return the table of how long reading each corpus takes, beside the readers of JSON that are installed."""
    made = Table(title="Corpora read whole on one core: seconds, and how many times as long others take")
    for column in ("corpus", "parser", "texts", "MB", "s", "a second", *OTHERS):
        is_name = column in {"corpus", "parser"}
        made.add_column(column.replace("_", " "), justify="left" if is_name else "right", no_wrap=is_name)
    others = readers()
    *_, all_samples = samples(is_full=is_full)
    for corpus in (all_samples, *(recorded(folder, is_full=is_full) if folder else ())):
        size = sum(len(text.encode(errors="replace")) for text in corpus.texts) / 1e6
        theirs = {name: _run(others[name], corpus.texts) for name in OTHERS if name in others}
        for parser in corpus.parsers:
            ours, _ = _run(PARSERS[parser].read, corpus.texts)
            made.add_row(
                corpus.title,
                parser,
                f"{len(corpus.texts):,}",
                f"{size:.1f}",
                f"{ours:.2f}",
                f"{len(corpus.texts) / ours:,.0f}",
                *(_beside(theirs.get(name), ours) for name in OTHERS),
            )
    return made


def _run(read: Read, texts: Sequence[str]) -> tuple[float, float]:
    """Return the seconds that reading all texts takes, and the share of them that was refused."""
    refused = 0

    def read_all() -> None:
        nonlocal refused
        for text in texts:
            try:
                read(text)
            except Exception:  # noqa: BLE001 - whatever a library raises, it has not read the text
                refused += 1

    return seconds(read_all), refused / len(texts)


def _beside(theirs: tuple[float, float] | None, ours: float) -> str:
    if theirs is None:
        return "not installed"
    taken, refused = theirs
    return f"refuses {refused:.0%}" if refused > _USELESS else f"x{taken / ours:.2f}"


def _of_mint(folder: Path) -> Iterator[str]:
    try:
        files = sorted(folder.rglob("results.jsonl*"))
    except SourceError:
        return
    for file in files:
        for session in mint_format.read(file):
            if isinstance(session, RecordedSession):
                yield from (turn.text for turn in session.turns)


def _of_lines(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("*.jsonl*")):
        for line in json_lines(file):
            if not isinstance(line, Refusal) and isinstance(line[1].get("text"), str):
                yield line[1]["text"]


def _of_chats(folder: Path) -> Iterator[str]:
    for file in sorted(folder.rglob("*.md.gz")):
        chat = gzip.decompress(file.read_bytes()).decode(errors="replace")
        if chat.lstrip().startswith(_CHAT):
            yield from (said.strip() for said in _NOT_THE_MODEL.split(chat) if said.strip())
