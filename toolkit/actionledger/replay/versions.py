"""Parse turns with another version of this package: its results arrive over a pipe as JSON and are recorded under its parser."""

import hashlib
import json
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from actionledger.core.canonical import JsonMap, json_text
from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.processes import cores
from actionledger.core.recording import RunKey
from actionledger.core.recording.turns import response_parsed
from actionledger.core.values import ActionCall, Block, Issue, ParseResult
from actionledger.core.vocabulary import LeftOutReason, Outcome, Reason
from actionledger.ledger.queries.rereading import Batch, RecordedResponse
from actionledger.ledger.storage.encoding import encode
from actionledger.replay.environments import environment_of
from actionledger.replay.processes import PAYS_FROM, Command, Processes, first_answer
from actionledger.replay.runners import Reading, unread_line


@dataclass(frozen=True, slots=True)
class OtherParser:
    """A parser of another version, as it is recorded."""

    id: str  # the hash of the version's content and the parser's configuration
    name: str  # the parser's name, with the version's
    version: str
    # the content's hash, and the parser's configuration if that version reports it, as JSON text
    configuration: str


class OtherVersion:
    """Another version of this package with one of its parsers.

    Args:
        against: the version: a wheel, a folder with its source, or a commit, branch or tag.
        parser: the parser's name.
        seconds: limit per text, in seconds of processor time.

    Raises:
        UsageError: the version is unknown, or does not have the parser.
    """

    def __init__(self, against: str, parser: str, seconds: float) -> None:
        self._version = environment_of(against)
        self._setup = {"parser": parser, "seconds": seconds}
        self.identity = self._described(parser)

    def runner(self, workers: int | None) -> Callable[[RunKey, int], "ReadByOther"]:
        """Return a factory for the runner, given its run and the number of turns."""

        def runner(run: RunKey, turns: int) -> ReadByOther:
            count = workers or (cores() if turns >= PAYS_FROM else 1)
            return ReadByOther(self._command, self.identity, run, count)

        return runner

    @property
    def _command(self) -> Command:
        words = (str(self._version.python), "-I", str(Path(__file__).resolve().with_name("other_version.py")))
        return Command(words, self._setup, "The other version")

    def _described(self, parser: str) -> OtherParser:
        said = json.loads(first_answer(self._command))
        if not Path(said["file"]).is_relative_to(self._version.python.parent.parent):
            raise UsageError(
                f"The other version isn't the one that is imported in its environment: {said['file']}."
            )
        if parser not in said["parsers"]:
            raise UnknownNameError("parser of that version", parser, said["parsers"])
        version = self._version
        configuration = json_text(
            {
                "name": parser,
                "package": "actionledger",
                "version": said["version"],
                "content": version.key,
                "configuration": said["configuration"],
            }
        )
        digest = hashlib.sha256(configuration.encode()).hexdigest()[:16]
        return OtherParser(
            digest, f"{parser} @ {said['version']} {version.label}", said["version"], configuration
        )


class ReadByOther:
    """Parses turns in processes of another version and converts their answers."""

    def __init__(self, command: Command, parser: OtherParser, run: RunKey, count: int) -> None:
        self._parser = parser
        self._run = run
        self._processes = Processes(command, count, convert=self._converted, fail=self._failed)

    def run(self, batches: Iterable[Batch]) -> Generator[list[Reading], None, None]:
        """See ``Runner``."""
        return self._processes.run(batches)

    def _converted(self, response: RecordedResponse, line: bytes) -> Reading:
        said = json.loads(line)
        if "error" in said:
            return self._failed(response, Reason.READER_DIED, str(said["error"]))
        left_out: list[LeftOutReason] = []
        try:
            result = result_of(said["result"], response.text, self._parser, left_out)
        except (ValueError, TypeError, KeyError):
            return Reading(None, left_out=(LeftOutReason.UNREADABLE,))
        event = response_parsed(result, response.key, self._run, 0)
        return Reading(encode(event), left_out=tuple(left_out))

    def _failed(self, response: RecordedResponse, reason: Reason, detail: str) -> Reading:
        return Reading(unread_line(response, self._parser, self._run, reason, detail), failed=reason)


def result_of(said: JsonMap, text: str, parser: OtherParser, left_out: list[LeftOutReason]) -> ParseResult:
    """Return another version's result as this one's; a field that it doesn't report stays empty."""
    outcome = Outcome(said["outcome"])
    actions = tuple(_action(each) for each in said.get("actions") or ())
    if not all(_is_within(each, text) for each in actions):
        raise ValueError("an action's place isn't in the text")
    return ParseResult(
        text=text,
        outcome=outcome,
        actions=actions,
        blocks=tuple(_known(Block, said.get("blocks"), text, left_out)),
        issues=tuple(_known(Issue, said.get("issues"), text, left_out)),
        narrative=str(said.get("narrative") or ""),
        parser_id=parser.id,
        parser_name=parser.name,
        catalogue=said.get("catalogue"),
    )


def _action(said: JsonMap) -> ActionCall:
    unsaid = {"action": None, "repairs": (), "references": (), "notes": ()}  # not in any record
    given = {name: said[name] for name in ActionCall._fields if name in said and name not in unsaid}
    call: ActionCall = _adapter(ActionCall).validate_python(given)
    return call


def _known(kind: type, said: Iterable[Any] | None, text: str, left_out: list[LeftOutReason]) -> Iterable[Any]:
    """Yield the items whose values this version knows and whose places are within the text."""
    names = {field.name for field in fields(kind)}
    for each in said or ():
        try:
            found = _adapter(kind).validate_python({name: each[name] for name in names if name in each})
        except ValidationError:
            left_out.append(LeftOutReason.UNKNOWN_KIND)
            continue
        if _is_within(found, text):
            yield found
        else:
            left_out.append(LeftOutReason.UNREADABLE)


def _is_within(found: ActionCall | Block | Issue, text: str) -> bool:
    """Return whether an item's place is within the text: another version's places are not trusted."""
    spans = [found.span] if isinstance(found, ActionCall | Issue) else [found.span, found.body]
    return all(span is None or 0 <= span.start <= span.end <= len(text) for span in spans)


@lru_cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
