"""A blessed baseline: each turn's parse in a small file that needs no ledger, with the texts next to it."""

import gzip
import hashlib
import io
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from actionledger.core.compressed import unpacked
from actionledger.core.errors import SourceError, UsageError, require_path
from actionledger.core.files import write_named
from actionledger.core.text import printable_json
from actionledger.core.vocabulary import ActionStatus, Outcome
from actionledger.ledger import Ledger
from actionledger.ledger.queries.base import Queryable, refuse_no_ledger
from actionledger.ledger.queries.expected import (
    ExpectedAction,
    ExpectedParser,
    ExpectedTurn,
    count_without_text,
    expected_parsers,
    expected_turns,
    recorded_contents,
)
from actionledger.ledger.queries.filters import EVERYTHING, Filter, rated
from actionledger.ledger.queries.names import FIRST, Called, one_run, session_names
from actionledger.reading.parsers import READING_RULES

FORMAT = "actionledger baseline"
VERSION = 1

_MOST_BYTES = 256 * 2**20
"""Maximum size of a baseline in bytes, enough for a million turns."""

_Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True, slots=True)
class Baseline:
    r"""A blessed parse of each turn: its outcome and its actions' names, statuses and argument hashes, without text.

    Args:
        parsers: the parsers of the turns.
        turns: the parses, by session name and turn.
        without_text: number of turns left out because only parsed calls were recorded.
        reading_rules: the parsing rules of the version that wrote it.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle('```actions\n{"actions": [{"type": "list_tasks"}]}\n```')
        ...     baseline = al.bless(ledger, "baseline.json")
        >>> [(str(turn.outcome), turn.actions[0].name) for turn in baseline.turns]
        [('clean', 'list_tasks')]
        >>> al.Baseline.loads(baseline.dumps()) == baseline
        True
    """

    parsers: tuple[ExpectedParser, ...]
    turns: tuple[ExpectedTurn, ...]
    without_text: int = 0
    reading_rules: int = READING_RULES

    @property
    def counts(self) -> dict[str, Any]:
        """Number of sessions and turns, and of turns by outcome."""
        outcomes = Counter(turn.outcome for turn in self.turns)
        return {
            "sessions": len({turn.session_id for turn in self.turns}),
            "turns": len(self.turns),
            "without_text": self.without_text,
            "outcomes": {outcome.value: outcomes[outcome] for outcome in Outcome if outcomes[outcome]},
        }

    def dumps(self) -> str:
        r"""Return the file's text, one line per turn; the same parses always give the same text.

        Example:
            >>> al.Baseline((), ()).dumps().splitlines()[1]
            '  "format": "actionledger baseline",'
        """
        body = "".join(f"{line}\n" for line in _lines(self))
        return f'{body}  "sha256": "{hashlib.sha256(body.encode()).hexdigest()}"\n}}\n'

    @classmethod
    def loads(cls, content: str, name: str = "The baseline") -> "Baseline":
        """Parse a baseline file's text.

        Args:
            content: the text.
            name: the file's name, for errors.

        Raises:
            SourceError: it is not a baseline, was cut or changed, or was written by a newer version.

        Example:
            >>> al.Baseline.loads(al.Baseline((), ()).dumps()).turns
            ()
        """
        text = content.replace("\r\n", "\n")  # a checkout may have converted the line ends
        found = _validated(text, name).value()
        if found.dumps() != text:
            raise SourceError(
                f"{name} was changed since it was blessed: it is not what its sha256 is of. Take it back from the repository, or "
                "bless the readings again with 'actionledger bless'."
            )
        return found


def load_baseline(path: Path) -> Baseline:
    """Load a baseline's file."""
    name = f"The baseline {str(path)!r}"
    try:
        if not path.is_file():
            raise SourceError(f"{name} is not a file.")
        if path.stat().st_size > _MOST_BYTES:
            raise SourceError(f"{name} has more than {_MOST_BYTES:,} bytes, more than any baseline.")
        content = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise SourceError(f"{name} is not UTF-8 text: {error.reason} at byte {error.start:,}.") from error
    except OSError as error:
        raise SourceError(f"{name} can't be read: {error.strerror}.") from error
    return Baseline.loads(content, name)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Parser(_Strict):
    name: str
    id: str
    reading_rules: int


class _Action(_Strict):
    name: str
    status: ActionStatus
    arguments: _Hash


class _Turn(_Strict):
    session: str
    turn: int = Field(ge=0, lt=2**63)
    profile: str
    model: str
    text: _Hash
    tools: _Hash | None
    outcome: Outcome
    actions: tuple[_Action, ...]

    def value(self) -> ExpectedTurn:
        actions = tuple(ExpectedAction(each.name, each.status, each.arguments) for each in self.actions)
        return ExpectedTurn(
            self.session,
            self.turn,
            self.profile,
            self.model,
            self.text,
            self.tools,
            self.outcome,
            actions,
        )


class _Counts(_Strict):
    sessions: int
    turns: int
    without_text: int = Field(ge=0)
    outcomes: dict[str, int]


class _File(_Strict):
    format: Literal["actionledger baseline"]
    version: Literal[1]
    reading_rules: int
    parsers: tuple[_Parser, ...]
    counts: _Counts
    turns: tuple[_Turn, ...]
    sha256: _Hash

    def value(self) -> Baseline:
        return Baseline(
            tuple(ExpectedParser(each.name, each.id, each.reading_rules) for each in self.parsers),
            tuple(turn.value() for turn in self.turns),
            self.counts.without_text,
            self.reading_rules,
        )


def in_order(baseline: Baseline) -> Baseline:
    """Return a baseline with its turns in file order: by session, turn and text."""
    turns = sorted(baseline.turns, key=lambda turn: (turn.session_id, turn.turn_index, turn.text))
    return replace(baseline, turns=tuple(turns))


def _validated(text: str, name: str) -> _File:
    try:
        return _File.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(map(str, first["loc"]))
    if where == "version":
        raise SourceError(f"{name} has another format than version {VERSION}; bless the readings again.")
    if not where:
        raise SourceError(f"{name} is not a baseline, or was cut off: {first['msg']}.")
    raise SourceError(f"{name} is not a baseline as 'actionledger bless' writes it: {where}: {first['msg']}.")


def _lines(baseline: Baseline) -> Iterator[str]:
    """Yield all of a file but its last line: one line per turn, so that a diff shows which parses changed."""
    yield "{"
    yield f'  "format": {_json(FORMAT)},'
    yield f'  "version": {VERSION},'
    yield f'  "reading_rules": {baseline.reading_rules},'
    parsers = [
        {"name": each.name, "id": each.id, "reading_rules": each.reading_rules} for each in baseline.parsers
    ]
    yield f'  "parsers": {_json(parsers)},'
    yield f'  "counts": {_json(baseline.counts)},'
    yield '  "turns": ['
    for place, turn in enumerate(baseline.turns, 1):
        yield f"    {_json(_turn(turn))}{',' if place < len(baseline.turns) else ''}"
    yield "  ],"


def _turn(turn: ExpectedTurn) -> dict[str, Any]:
    actions = [
        {"name": each.name, "status": each.status.value, "arguments": each.arguments} for each in turn.actions
    ]
    return {
        "session": turn.session_id,
        "turn": turn.turn_index,
        "profile": turn.profile,
        "model": turn.model,
        "text": turn.text,
        "tools": turn.tools,
        "outcome": turn.outcome.value,
        "actions": actions,
    }


def _json(value: object) -> str:
    return printable_json(json.dumps(value, ensure_ascii=False))


SUFFIX = ".texts.jsonl.gz"
_LONGEST_LINE = 512 * 2**20
_LARGEST_FILE = 64 * 2**20
"""Maximum size of a folder's file in bytes, equal to a ledger's limit per text."""


def hash_of(content: str) -> str:
    """Return the SHA-256 of a text in UTF-8, as hexadecimal digits."""
    return hashlib.sha256(content.encode()).hexdigest()


def beside(baseline: Path) -> Path:
    """Return the path for a baseline's texts: ``baseline.texts.jsonl.gz`` for ``baseline.json``."""
    return baseline.with_name(baseline.name.removesuffix(".json") + SUFFIX)


def packed(contents: Iterable[str]) -> bytes:
    """Return texts as a file's content, one per line in order of hash; the same texts give the same bytes."""
    by_hash = sorted((hash_of(content), content) for content in set(contents))
    lines = (json.dumps({"sha256": digest, "content": content}) for digest, content in by_hash)
    file = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as archive:
        archive.writelines(f"{line}\n".encode() for line in lines)
    return file.getvalue()


def found_in_files(path: Path, wanted: Collection[str]) -> dict[str, str]:
    """Return the wanted texts found in a file or folder, by hash."""
    try:
        if path.is_dir():
            return dict(_in_folder(path, set(wanted)))
        return dict(_in_file(path, set(wanted)))
    except OSError as error:
        raise SourceError(f"The texts {str(path)!r} can't be read: {error.strerror or error}.") from error


def found_in_ledger(ledger: Queryable, wanted: Collection[str]) -> dict[str, str]:
    """Return the wanted texts found in a ledger, by hash."""
    return {hash_of(content): content for content in recorded_contents(ledger, sorted(wanted))}


def _in_folder(folder: Path, wanted: set[str]) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        if path.name.endswith(SUFFIX):
            yield from _in_file(path, wanted)
        elif path.stat().st_size <= _LARGEST_FILE:
            data = path.read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            if digest in wanted and (content := _decoded(data)) is not None:
                yield digest, content


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _in_file(path: Path, wanted: set[str]) -> Iterator[tuple[str, str]]:
    with path.open("rb") as file, unpacked(file, file.tell) as lines:
        for number, line in enumerate(iter(lambda: lines.readline(_LONGEST_LINE), b""), start=1):
            try:
                said = json.loads(line)
                content, digest = said["content"], hash_of(said["content"])
                is_as_said = said["sha256"] == digest
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                raise SourceError(
                    f"The texts {str(path)!r} hold no text in line {number:,}: {error!r}."
                ) from error
            if not is_as_said:
                raise SourceError(
                    f"The texts {str(path)!r} were changed: line {number:,} is not what its sha256 is of. Write them again with "
                    "'actionledger bless --with-texts'."
                )
            if digest in wanted:
                yield digest, content


def bless(
    ledger: Ledger,
    to: str | Path,
    *,
    run: Called = FIRST,
    within: Filter = EVERYTHING,
    with_texts: bool = False,
) -> Baseline:
    r"""Write recorded parses as a gate's baseline: a small file for a repository, the same for the same parses.

    Args:
        ledger: the ledger with the parses.
        to: the file to write; an existing one is replaced.
        run: the run whose parses to write, by its id or name; ``first`` for each turn's first parse.
        within: filter for the turns, by properties known before parsing; its ``run_id`` is ``run``.
        with_texts: whether to write the texts next to it, as ``NAME.texts.jsonl.gz``, masked as in the ledger; without them the
            gate needs another source.

    Returns:
        The written baseline.

    Raises:
        UsageError: no turn with a text matches, no run has that name, or two runs are named.
        SourceError: the file can't be written.

    Example:
        >>> with al.open_ledger("team.duckdb") as ledger:
        ...     with al.Runtime("assistant", ledger=ledger) as runtime:
        ...         turn = runtime.handle('```actions\n{"actions": [{"type": "list_tasks"}]}\n```')
        ...     baseline = al.bless(ledger, "baseline.json", with_texts=True)
        >>> baseline.counts["turns"]
        1
        >>> al.gate(None, baseline="baseline.json", candidate="assistant", allow_few=True).passed
        True
    """
    refuse_no_ledger(ledger)
    require_path("What a baseline is written to", to)
    if run != FIRST and within.run_id is not None:
        raise UsageError("Give either run or a run in within.")
    within = rated(within) if run == FIRST else rated(replace(within, run_id=one_run(ledger, run)))
    turns = list(expected_turns(ledger, within))
    if not turns:
        raise UsageError(
            "No recorded turn with a text fits; 'actionledger report' says what the ledger holds."
        )
    names = lasting_names(ledger, turns)
    named = tuple(replace(turn, session_id=names[turn.session_id]) for turn in turns)
    baseline = in_order(Baseline(expected_parsers(ledger, within), named, count_without_text(ledger, within)))
    path = Path(to)
    write_named(path, baseline.dumps())
    if with_texts:
        wanted = {each for turn in turns for each in (turn.text, turn.tools) if each}
        write_named(beside(path), packed(found_in_ledger(ledger, wanted).values()))
    return baseline


def lasting_names(ledger: Ledger, turns: Sequence[ExpectedTurn]) -> dict[str, str]:
    """Return lasting names for the turns' sessions in a file: their own names, else their full ids."""
    names = session_names(ledger, {turn.session_id for turn in turns})
    return {identity: identity if identity.startswith(name) else name for identity, name in names.items()}
