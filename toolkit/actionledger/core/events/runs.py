"""Events of runs: start and finish, parsers, offered tools, skipped input, and notes for reviewers."""

from dataclasses import field
from typing import Any, Literal

from actionledger.core.events.base import BigInt, Id, JsonText, Recorded, Settings, Word
from actionledger.core.frozen import dataclass
from actionledger.core.vocabulary import LeftOutReason, RunKind


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted(Recorded):
    """A set of parse attempts begins.

    Args:
        run_kind: how it comes about.
        name: what people call it.
        source: where its texts come from: a path, a run id, or empty for live sessions.
        parent_run_id: for a reparse, the run whose turns are read again; None for the first readings.
        toolkit_version: the version of this package.
        python_version: the version of Python.
    """

    kind: Literal["run_started"] = "run_started"
    run_kind: RunKind
    name: Word
    source: str
    parent_run_id: Id | None = None
    toolkit_version: Word
    python_version: Word


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinished(Recorded):
    """A run is over; a run without this event was cut off.

    Args:
        turns: how many turns it has read: of an import those that were new when it read them, also where another import has taken in the
            same at once, and those in whose place others stand by now; ``turns`` by its ``run_id`` has those that are its own.
        refused: how many inputs it could not read at all (unreadable lines of a file).
    """

    kind: Literal["run_finished"] = "run_finished"
    turns: BigInt
    refused: BigInt = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserUsed(Recorded):
    """A parser's configuration, recorded once for each hash.

    Args:
        parser_id: the hash of the configuration.
        name: its name.
        version: its version.
        configuration: all of it, as JSON text.
    """

    kind: Literal["parser_used"] = "parser_used"
    parser_id: Word
    name: Word
    version: Word
    configuration: Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolsOffered(Recorded):
    """A list of tools that a model was offered, recorded once for each hash.

    Args:
        tools_hash: the hash of the list.
        tools: the list as the OpenAI interface takes it, as JSON text.
    """

    kind: Literal["tools_offered"] = "tools_offered"
    tools_hash: Word
    tools: JsonText


@dataclass(frozen=True, slots=True, kw_only=True)
class InputLeftOut(Recorded):
    """How much of a file is no part of a session, for one reason, beyond what was recorded of it before.

    Args:
        path: the file.
        reason: why it was left out.
        detail: what it is, in a word or two; empty where the reason says all.
        count: how many more such things the file holds than when it was taken in before; less than nothing where they are fewer.
    """

    kind: Literal["input_left_out"] = "input_left_out"
    path: str
    reason: LeftOutReason
    detail: str = ""
    count: BigInt


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemNoted(Recorded):
    """Something about the run itself that a reviewer should see.

    Args:
        code: what, in one word: ``line_refused``, …
        message: the sentence for people.
        session_id, turn_id: where it belongs, if anywhere.
        detail: particulars, as JSON values by name.
    """

    kind: Literal["system_noted"] = "system_noted"
    code: Word
    message: str
    session_id: Id | None = None
    turn_id: Id | None = None
    detail: dict[str, Any] = field(default_factory=dict)
