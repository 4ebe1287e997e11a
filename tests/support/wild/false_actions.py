"""Counts the actions that are read in texts which only show calls: documentation, and histories of chats about code.

    PYTHONPATH=tests/support python -m wild.false_actions [--show N]

Each text is read with no names, and with those that it calls itself as if they had been offered; each with the pass for
evidence and without. None of the texts was written to have anything done, so what evidence adds is false.
"""

import argparse
import gzip
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path
from typing import NamedTuple

from actionledger.core.values import RawAction
from actionledger.reading.parsers import PARSERS
from wild.recordings import CORPORA

REPOSITORY = Path(__file__).parents[3]
SKIPPED = frozenset({".venv", "node_modules", ".git"})
_CALLED = re.compile(r"(?<![\w.])([A-Za-z_]\w{2,60})\(")
_MESSAGE = re.compile(r"(?m)((?:^####(?: .*)?\n)+)")
_MARK = re.compile(r"(?m)^#### ?")
_AUTO = PARSERS["auto"]
SETTINGS = {"ignored": _AUTO.model_copy(update={"evidence": "ignored"}), "read": _AUTO}


class Document(NamedTuple):
    """A text that shows calls."""

    source: str  # what kind of text it is
    title: str  # what it is called
    text: str  # all of it

    @property
    def names(self) -> frozenset[str]:
        """What the text itself calls, as if it had been offered."""
        return frozenset(_CALLED.findall(self.text))


class FalseAction(NamedTuple):
    """An action that was read where only evidence says that it was meant."""

    document: Document  # where
    action: RawAction  # what was read


class Count(NamedTuple):
    """The actions of one document."""

    without: int  # those of the dialects alone
    with_evidence: int  # those with the pass for evidence
    added: tuple[FalseAction, ...]  # those of the pass


def documents() -> Iterator[Document]:
    """Yield each text that is here once: our own documents, those of installed packages, shared ones, and histories."""
    seen: set[str] = set()
    for make in (_own, _of_packages, _shared, _histories):
        for each in make():
            if each.text not in seen:
                seen.add(each.text)
                yield each


def counted(document: Document, names: frozenset[str] | None) -> Count:
    """Return what is read in a document."""
    read = {
        setting: [action for action in parser.read(document.text, names).actions if not action.illustration]
        for setting, parser in SETTINGS.items()
    }
    added = tuple(FalseAction(document, action) for action in read["read"] if action.evidence)
    return Count(len(read["ignored"]), len(read["read"]), added)


def main() -> int:
    """Count, and print a line a source."""
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    reader.add_argument("--show", type=int, default=0, help="print so many of the actions that evidence adds")
    options = reader.parse_args()
    begin = time.process_time()
    rows: dict[str, Counter[str]] = {}
    found: list[FalseAction] = []
    for document in documents():
        row = rows.setdefault(document.source, Counter())
        row["texts"] += 1
        for kind, names in (("no names", None), ("names", document.names)):
            count = counted(document, names)
            row[f"{kind}, without"] += count.without
            row[f"{kind}, with"] += count.with_evidence
            row[f"{kind}, added"] += len(count.added)
            found += count.added
    _print(rows)
    for document, action in found[: options.show]:
        start, end = action.span
        print(
            f"\n=== {document.title} {action.evidence}\n{document.text[max(0, start - 300) : end + 150]}\n--- {action.name}"
        )
    print(f"\n{time.process_time() - begin:.0f} s of the processor")
    return 0


def _print(rows: dict[str, Counter[str]]) -> None:
    columns = [f"{kind}, {what}" for kind in ("no names", "names") for what in ("without", "with", "added")]
    print(f"{'':20} {'texts':>7} " + " ".join(f"{column:>17}" for column in columns))
    total: Counter[str] = sum(rows.values(), Counter())
    for source, row in [*rows.items(), ("all", total)]:
        print(f"{source:20} {row['texts']:>7,} " + " ".join(f"{row[column]:>17,}" for column in columns))


def _own() -> Iterator[Document]:
    yield from _markdown("own", REPOSITORY)


def _shared() -> Iterator[Document]:
    yield from _markdown("shared", CORPORA.parent)


def _markdown(source: str, folder: Path) -> Iterator[Document]:
    for path in sorted(folder.rglob("*.md")):
        if not SKIPPED & set(path.relative_to(folder).parts):
            title = path.relative_to(folder).as_posix()
            yield Document(source, title, path.read_text(encoding="utf-8", errors="replace"))


def _of_packages() -> Iterator[Document]:
    """Yield what installed packages say of themselves."""
    for each in sorted(distributions(), key=lambda each: each.metadata["Name"]):
        text = each.read_text("METADATA") or ""
        if text:
            yield Document("packages", each.metadata["Name"], text.partition("\n\n")[2])


def _histories() -> Iterator[Document]:
    """Yield aider's histories as wholes, and their messages and answers by themselves."""
    for path in sorted((CORPORA / "aider-swe-bench").glob("*.md.gz")):
        text = gzip.decompress(path.read_bytes()).decode(errors="replace")
        yield Document("histories", path.name, text)
        for number, part in enumerate(_MESSAGE.split(text)):
            source, whole = ("messages", _MARK.sub("", part)) if number % 2 else ("answers", part)
            if whole.strip():
                yield Document(source, f"{path.name} {number}", whole)


if __name__ == "__main__":
    sys.exit(main())
