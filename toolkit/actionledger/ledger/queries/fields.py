"""The fields of a filter: each row has its forms in SQL, in an address, as a command's option, in a message and on a page."""

from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias, get_args

from actionledger.core.vocabulary import (
    Capture,
    Ending,
    ExecutionStatus,
    Judgement,
    Origin,
    Outcome,
    Reason,
    SessionOutcome,
)
from actionledger.ledger.queries.base import Stage
from actionledger.ledger.queries.labels import LABELS, VERDICTS, filed

Kind: TypeAlias = Literal["many", "one", "switch", "day", "text", "number", "score"]
"""The values that a field accepts: many, one, a switch, a time, free text, a number above 0, or bounds of scores."""

Rows: TypeAlias = Literal["session", "turn", "attempt"]
"""The rows that a field's condition selects."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a filter."""

    name: str  # its name in `Filter`, and in `Dimensions` if its values are recorded
    parameter: str  # its name in an address
    help: str  # the help text of its option
    kind: Kind = "many"  # the values that it accepts
    # whether it depends on the outcome of a response, so that no rate may be computed within it
    is_found: bool = False
    option: str = ""  # the name of its option without `--`, if different from its parameter
    letter: str = ""  # the short form of its option
    label: str = ""  # its name on a page, if different from its noun
    words: str = ""  # its form in a message, if different from its noun and the value
    choices: tuple[str, ...] = ()  # all its possible values, if the list is closed
    is_recorded: bool = False  # whether its values come from a ledger
    # the rows that its condition selects; None if `scopes` combines the condition with others
    of: Rows | None = None
    # the SQL condition, with its values as the parameter `$name`; by default its own column has one of the values
    condition: str = ""

    def __post_init__(self) -> None:
        set_field = partial(object.__setattr__, self)
        set_field("option", self.option or self.parameter)
        set_field("label", self.label or self.noun.capitalize())
        set_field("words", self.words or f"{self.noun} {{}}")
        set_field("condition", self.condition or f"list_contains(${self.name}, {self.parameter})")

    @property
    def noun(self) -> str:
        """The name of one value in a message."""
        return self.option.replace("_", " ")

    @property
    def flag(self) -> str:
        """Its option, as on a command line."""
        return f"--{self.option.replace('_', '-')}"


_RAN = "session_id IN (SELECT session_id FROM sessions WHERE list_contains(${values}, {column}))"

_TOOK = (
    "session_id IN (SELECT session_id FROM turn_starts GROUP BY session_id HAVING {sum} {comparison} ${name})"
)
_COST, _SECONDS = "sum(cost_usd)", "epoch(max(occurred_at) - min(occurred_at))"

FIELDS = (
    Field("profiles", "profile", "Profile", letter="-p", is_recorded=True, of="session"),
    Field("models", "model", "Model", letter="-m", is_recorded=True, of="session"),
    Field("tasks", "task", "Task", is_recorded=True, of="session"),
    Field(
        "sources",
        "source",
        "Source of the session",
        is_recorded=True,
        of="session",
        condition="session_id IN (SELECT session_id FROM session_starts WHERE list_contains($sources, source))",
    ),
    Field(
        "projects",
        "project",
        "Folder that the session ran in",
        is_recorded=True,
        of="session",
        condition=_RAN.format(column="project", values="projects"),
    ),
    Field(
        "branches",
        "branch",
        "Git branch that the session ran on",
        is_recorded=True,
        of="session",
        condition=_RAN.format(column="git_branch", values="branches"),
    ),
    Field(
        "agents",
        "agent",
        "Agent of the session",
        is_recorded=True,
        of="session",
        condition=_RAN.format(column="agent", values="agents"),
    ),
    Field("run_id", "run", "Run whose readings count; default: the first readings", "one"),
    Field("captures", "capture", f"Capture: {', '.join(Capture)}", choices=tuple(Capture)),
    Field(
        "labels",
        "label",
        "Session's label in its source",
        is_recorded=True,
        of="session",
        condition=f"session_id IN (SELECT session_id FROM ({filed()}) WHERE list_contains($labels, label))",
    ),
    Field("scores", "score", "Session's score, such as 'reward>=0.5'", "score"),
    Field(
        "min_cost",
        "min_cost",
        "Minimum cost of the session in dollars",
        "number",
        label="Cost at least ($)",
        words="cost at least ${:g}",
        of="session",
        condition=_TOOK.format(sum=_COST, comparison=">=", name="min_cost"),
    ),
    Field(
        "max_cost",
        "max_cost",
        "Maximum cost of the session in dollars",
        "number",
        label="Cost at most ($)",
        words="cost at most ${:g}",
        of="session",
        condition=_TOOK.format(sum=_COST, comparison="<=", name="max_cost"),
    ),
    Field(
        "min_duration",
        "min_duration",
        "Minimum seconds from the first to the last response",
        "number",
        label="Duration at least (seconds)",
        words="at least {:g} seconds",
        of="session",
        condition=_TOOK.format(sum=_SECONDS, comparison=">=", name="min_duration"),
    ),
    Field(
        "max_duration",
        "max_duration",
        "Maximum seconds from the first to the last response",
        "number",
        label="Duration at most (seconds)",
        words="at most {:g} seconds",
        of="session",
        condition=_TOOK.format(sum=_SECONDS, comparison="<=", name="max_duration"),
    ),
    Field(
        "since",
        "since",
        "Start time, UTC: 2026-03-01 or 2026-03-01T12:00:00",
        "day",
        label="From (UTC)",
        words="since {:%Y-%m-%d %H:%M}",
    ),
    Field(
        "until",
        "until",
        "End time, UTC, not included",
        "day",
        label="To (UTC)",
        words="until {:%Y-%m-%d %H:%M}",
    ),
    Field(
        "outcomes",
        "outcome",
        f"Outcome of parsing: {', '.join(Outcome)}",
        is_found=True,
        choices=tuple(Outcome),
        of="attempt",
    ),
    Field(
        "endings",
        "ending",
        f"Ending without a tool call: {', '.join(Ending)}",
        is_found=True,
        label="Ended without a tool call",
        choices=tuple(Ending),
        of="attempt",
        condition="attempt_id IN (SELECT attempt_id FROM unacted_turns WHERE list_contains($endings, ending))",
    ),
    Field(
        "session_outcomes",
        "session_outcome",
        f"Outcome of the session: {', '.join(SessionOutcome)}",
        is_found=True,
        choices=tuple(SessionOutcome),
        of="session",
        condition="session_id IN (SELECT session_id FROM session_outcomes WHERE list_contains($session_outcomes, outcome))",
    ),
    Field(
        "dialects",
        "dialect",
        "Dialect of the calls, or 'none'",
        is_found=True,
        is_recorded=True,
        of="attempt",
    ),
    Field(
        "is_failing",
        "failing",
        "Turns in which parsing, checking or acting failed",
        "switch",
        is_found=True,
        words="failing",
    ),
    Field(
        "stage",
        "stage",
        "Stage that failed: reading, checking or acting",
        "one",
        is_found=True,
        label="Went wrong in",
        words="failed in {}",
        choices=get_args(Stage),
    ),
    Field(
        "reasons",
        "code",
        "Reason of the failure",
        is_found=True,
        option="reason",
        choices=tuple(Reason),
    ),
    Field(
        "action",
        "action",
        "Action; with --stage or --reason, the one that failed",
        "text",
        is_found=True,
    ),
    Field(
        "executions",
        "execution",
        f"Status of an execution: {', '.join(ExecutionStatus)}",
        is_found=True,
        choices=tuple(ExecutionStatus),
    ),
    Field(
        "origin",
        "origin",
        f"Who ran it: {', '.join(Origin)}",
        "one",
        is_found=True,
        label="Run by",
        words="run by {}",
        choices=tuple(Origin),
    ),
    Field(
        "verdicts",
        "verdict",
        f"Reviewer's verdict: {', '.join(Judgement)}",
        is_found=True,
        choices=tuple(Judgement),
        of="attempt",
        condition=f"attempt_id IN (SELECT attempt_id FROM ({VERDICTS}) WHERE list_contains($verdicts, verdict))",
    ),
    Field(
        "turn_labels",
        "turn_label",
        "Reviewer's label on the turn",
        is_found=True,
        is_recorded=True,
        of="turn",
        condition=f"turn_id IN (SELECT turn_id FROM ({LABELS}) WHERE list_contains($turn_labels, label))",
    ),
    Field(
        "text",
        "search",
        "Text in a response, arguments, results or the session's name",
        "text",
        is_found=True,
        option="text",
        words="text {!r}",
    ),
)
"""All fields of a filter, those known before parsing first."""
