"""The words for records: captures, origins, outcomes of sessions, skipped input, reviews, executions and decisions."""

from enum import StrEnum


class Capture(StrEnum):
    """How much of a response a recording has kept: the raw text, argument strings, parsed calls, or nothing.

    Example:
        >>> [str(capture) for capture in al.Capture]
        ['text', 'arguments', 'calls', 'none']
    """

    TEXT = "text"
    ARGUMENTS = "arguments"
    CALLS = "calls"
    NONE = "none"

    @property
    def is_auditable(self) -> bool:
        """Whether the recording shows how the model's calls were written, which parse rates need."""
        return self in {Capture.TEXT, Capture.ARGUMENTS}

    @property
    def said(self) -> str:
        """Its name for people."""
        return {
            Capture.TEXT: "raw text",
            Capture.ARGUMENTS: "raw arguments only",
            Capture.CALLS: "parsed calls only",
            Capture.NONE: "no text",
        }[self]


class CostOrigin(StrEnum):
    """The origin of a cost: the recording, the user's price file, or the provider's price list."""

    RECORDED = "recorded"
    PRICES = "prices"
    LIST_PRICES = "list_prices"


BY_PRICES: dict[CostOrigin | None, str] = {
    CostOrigin.PRICES: " by a price file",
    CostOrigin.LIST_PRICES: " by list prices",
}
"""The words after a cost that was not recorded."""


class Origin(StrEnum):
    """Who executed an action: actionledger, or the recorded agent."""

    RUNTIME = "runtime"
    RECORDED = "recorded"


class Relation(StrEnum):
    """How a session is related to its parent.

    Example:
        >>> [str(relation) for relation in al.Relation]
        ['subagent', 'continuation', 'fork']
    """

    SUBAGENT = "subagent"
    CONTINUATION = "continuation"
    FORK = "fork"


class TitleOrigin(StrEnum):
    """Who gave a session its title.

    Example:
        >>> [str(origin) for origin in al.TitleOrigin]
        ['person', 'agent', 'prompt']
    """

    PERSON = "person"
    AGENT = "agent"
    PROMPT = "prompt"


class SessionOutcome(StrEnum):
    """A session's outcome, by its last turn and by its source.

    Example:
        >>> [str(outcome) for outcome in al.SessionOutcome]
        ['finished', 'stopped_without_acting', 'interrupted', 'failed', 'open', 'not_known']
    """

    FINISHED = "finished"
    STOPPED = "stopped_without_acting"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    OPEN = "open"
    NOT_KNOWN = "not_known"

    @property
    def words(self) -> str:
        """Its name in words."""
        return self.value.replace("_", " ")


class ForgettingStep(StrEnum):
    """The decision about a session: it is erased, or may be imported again."""

    FORGOTTEN = "forgotten"
    READMITTED = "readmitted"


class RunKind(StrEnum):
    """How a set of parse attempts was made."""

    LIVE = "live"
    IMPORT = "import"
    REPARSE = "reparse"
    RERUN = "rerun"

    @property
    def is_first_reading(self) -> bool:
        """Whether such a run parses a turn for the first time (the attempts that reports count by default)."""
        return self not in {RunKind.REPARSE, RunKind.RERUN}


class LeftOutReason(StrEnum):
    """Why an import skipped something in a recording."""

    BOOKKEEPING = "bookkeeping"
    COMPACTED = "compacted"
    DROPPED = "dropped"
    DUPLICATE = "duplicate"
    EMPTY = "empty"
    ENCRYPTED = "encrypted"
    FORGOTTEN = "forgotten"
    INJECTED_CONTEXT = "injected_context"
    MADE_BY_CLIENT = "made_by_client"
    NO_CALL = "no_call"
    NO_RESPONSE = "no_response"
    NO_SESSION = "no_session"
    NO_TEXT = "no_text"
    NOT_AN_OBJECT = "not_an_object"
    NOT_IN_SOURCE = "not_in_source"
    NOT_RECORDED = "not_recorded"
    PROGRESS = "progress"
    REASONING = "reasoning"
    REPEATED_HISTORY = "repeated_history"
    RUN_BY_PROVIDER = "run_by_provider"
    TOO_LARGE = "too_large"
    UNKNOWN_FORMAT = "unknown_format"
    UNKNOWN_KIND = "unknown_kind"
    UNREADABLE = "unreadable"


BILLED_BESIDE = "billed_beside"
"""The code of the note on something that was billed beside a message."""

COMPACTED = "context_compacted"
"""The code of the note that the context was compacted right before a response."""

PERMISSION = "permission_decided"
"""The code of the note on who allowed or refused a call."""

LEFT_OUT: dict[LeftOutReason, str] = {
    LeftOutReason.BOOKKEEPING: "The recorder's own notes, which say nothing about the session.",
    LeftOutReason.COMPACTED: "A summary of history that is already recorded.",
    LeftOutReason.DROPPED: "Something that arrived faster than the ledger could record it.",
    LeftOutReason.DUPLICATE: "Something that the recording also has in another place.",
    LeftOutReason.EMPTY: "Something without any content.",
    LeftOutReason.ENCRYPTED: "Content that only its provider can read.",
    LeftOutReason.FORGOTTEN: "A turn of an erased session; --again-forgotten imports it anyway.",
    LeftOutReason.INJECTED_CONTEXT: "User-role text inserted by the agent.",
    LeftOutReason.MADE_BY_CLIENT: "Assistant-role message written by the client.",
    LeftOutReason.NO_CALL: "A result whose call is nowhere in the recording.",
    LeftOutReason.NO_RESPONSE: "A request without a response: the provider returned an error, or nothing came.",
    LeftOutReason.NO_SESSION: "Something that belongs to no session.",
    LeftOutReason.NO_TEXT: "An image, a file or another part that is not text.",
    LeftOutReason.NOT_AN_OBJECT: "A value that is not a JSON object.",
    LeftOutReason.NOT_IN_SOURCE: "A turn whose text is not in the files given for it.",
    LeftOutReason.NOT_RECORDED: "Model output that the recorder was told not to keep.",
    LeftOutReason.PROGRESS: "An intermediate state, whose final state is recorded.",
    LeftOutReason.REASONING: "What the model thought before it answered, which is not part of its response.",
    LeftOutReason.REPEATED_HISTORY: "Messages that were sent to the model again.",
    LeftOutReason.RUN_BY_PROVIDER: "A call that the provider ran itself, and its result.",
    LeftOutReason.TOO_LARGE: "Something larger than the limit for a single item.",
    LeftOutReason.UNKNOWN_FORMAT: "A file in a folder that is not a recording in a known format.",
    LeftOutReason.UNKNOWN_KIND: "A kind of entry that this reader doesn't know.",
    LeftOutReason.UNREADABLE: "Something that could not be decoded.",
}


class ReviewAspect(StrEnum):
    """The kind of a review.

    Example:
        >>> [str(aspect) for aspect in al.ReviewAspect]
        ['verdict', 'label', 'comment', 'assignment', 'decision']
    """

    VERDICT = "verdict"
    LABEL = "label"
    COMMENT = "comment"
    ASSIGNMENT = "assignment"
    DECISION = "decision"

    @property
    def can_be_settled(self) -> bool:
        """Whether it is open until somebody has done it."""
        return self in {ReviewAspect.ASSIGNMENT, ReviewAspect.DECISION}


class ReviewStep(StrEnum):
    """The step of a review: given, changed, withdrawn, or done."""

    GIVEN = "given"
    CHANGED = "changed"
    WITHDRAWN = "withdrawn"
    DONE = "done"


class Judgement(StrEnum):
    """A person's judgement whether a response was parsed correctly.

    Example:
        >>> [str(judgement) for judgement in al.Judgement]
        ['right', 'wrong', 'unsure']
    """

    RIGHT = "right"
    WRONG = "wrong"
    UNSURE = "unsure"


# Results of actions that may run, and decisions about them.
class ExecutionStatus(StrEnum):
    """The result of one try at running an action."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    DENIED = "denied"
    RATE_LIMITED = "rate_limited"
    SKIPPED = "skipped"
    PENDING = "pending"
    DRY_RUN = "dry_run"
    INTERRUPTED = "interrupted"

    @property
    def was_attempted(self) -> bool:
        """Whether the action's effect was tried (the denominator of the execution rate)."""
        return self in {
            ExecutionStatus.SUCCEEDED,
            ExecutionStatus.FAILED,
            ExecutionStatus.TIMED_OUT,
            ExecutionStatus.INTERRUPTED,
        }

    @property
    def has_duration(self) -> bool:
        """Whether its duration is known: it was tried, and its end was seen."""
        return self.was_attempted and self is not ExecutionStatus.INTERRUPTED


class Reversal(StrEnum):
    """A later change to the effects of an action that had run; its status is still succeeded."""

    UNDONE = "undone"
    REDONE = "redone"


class DecisionKind(StrEnum):
    """The decision on an action that waited for approval.

    Example:
        >>> [str(decision) for decision in al.DecisionKind]
        ['approved', 'modified', 'rejected']
    """

    APPROVED = "approved"
    MODIFIED = "modified"
    REJECTED = "rejected"
