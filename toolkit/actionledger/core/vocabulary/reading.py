"""The words for results of parsing and validation: outcomes and statuses, kinds of repairs, ranks of evidence."""

from enum import StrEnum


class Outcome(StrEnum):
    """The outcome of parsing one response."""

    CLEAN = "clean"
    REPAIRED = "repaired"
    PARTIAL = "partial"
    FAILED = "failed"
    NO_ACTION = "no_action"
    ABSTAINED = "abstained"
    EMPTY = "empty"
    NOT_RECORDED = "not_recorded"

    @property
    def has_intent(self) -> bool:
        """Whether the model meant to act (the denominator of every parse rate)."""
        return self in {Outcome.CLEAN, Outcome.REPAIRED, Outcome.PARTIAL, Outcome.FAILED}

    @property
    def is_success(self) -> bool:
        """Whether everything that was meant could be parsed."""
        return self in {Outcome.CLEAN, Outcome.REPAIRED}

    @property
    def said(self) -> str:
        """Its name for people."""
        return _OUTCOMES_SAID.get(self, self.value.replace("_", " "))

    @property
    def did_nothing(self) -> bool:
        """Whether it has no action, not even one that says that there is nothing to do. False if nothing was recorded, since it is unknown then."""
        return self in {Outcome.NO_ACTION, Outcome.FAILED, Outcome.EMPTY}


_OUTCOMES_SAID = {
    Outcome.CLEAN: "parsed",
    Outcome.REPAIRED: "parsed with repairs",
    Outcome.PARTIAL: "partly parsed",
    Outcome.FAILED: "unparseable",
    Outcome.NO_ACTION: "no tool call",
}

_STOPPED = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}
)


def was_cut(finish_reason: str | None) -> bool:
    """Return whether a model was stopped before it had finished."""
    return finish_reason is not None and finish_reason.lower() in _STOPPED


class Ending(StrEnum):
    """How a response without a tool call ended.

    Example:
        >>> [str(ending) for ending in al.Ending]
        ['stopped_without_acting', 'unparseable', 'final_answer', 'went_on', 'not_known']
    """

    STOPPED = "stopped_without_acting"
    UNPARSEABLE = "unparseable"
    FINAL_ANSWER = "final_answer"
    WENT_ON = "went_on"
    NOT_KNOWN = "not_known"

    @property
    def said(self) -> str:
        """Its name for people; not *unparseable*, which names an outcome of parsing, and a cut response may have that outcome too."""
        return "could not be parsed" if self is Ending.UNPARSEABLE else self.value.replace("_", " ")

    @property
    def is_failure(self) -> bool:
        """Whether a tool call was due and is missing."""
        return self in {Ending.STOPPED, Ending.UNPARSEABLE}


class Stop(StrEnum):
    """Why a response stopped without acting."""

    ANNOUNCED = "announced"
    LEFT_AS_TEXT = "left_as_text"
    EMPTY = "empty"
    CUT = "cut"
    REFUSED = "refused"
    BROKEN_OFF = "broken_off"

    @property
    def words(self) -> str:
        """The action of such responses, in words that follow their number."""
        return {
            Stop.ANNOUNCED: "announced an action",
            Stop.LEFT_AS_TEXT: "left a call as text",
            Stop.REFUSED: "refused by the provider",
        }.get(self, self.value.replace("_", " "))


class BlockStatus(StrEnum):
    """The result of parsing one candidate block."""

    STRICT = "strict"
    REPAIRED = "repaired"
    MALFORMED = "malformed"
    IGNORED = "ignored"


class ActionStatus(StrEnum):
    """The result of checking one action against its catalogue."""

    VALID = "valid"
    COERCED = "coerced"
    INVALID = "invalid"
    UNKNOWN = "unknown"
    ILLUSTRATION = "illustration"
    NEEDS_APPROVAL = "needs_approval"
    NOT_CHECKED = "not_checked"

    @property
    def is_runnable(self) -> bool:
        """Whether the action may be executed without a person; unchecked ones may."""
        return self in {ActionStatus.VALID, ActionStatus.COERCED, ActionStatus.NOT_CHECKED}

    @property
    def is_plannable(self) -> bool:
        """Whether its arguments fit: the action may run, at once or after a person has approved it."""
        return self.is_runnable or self is ActionStatus.NEEDS_APPROVAL

    @property
    def is_refused(self) -> bool:
        """Whether its catalogue rejects the action."""
        return self in {ActionStatus.INVALID, ActionStatus.UNKNOWN}

    @property
    def said(self) -> str:
        """Its name for people."""
        return "not checked" if self is ActionStatus.NOT_CHECKED else self.value


class RepairKind(StrEnum):
    """The change that a repair made so that the text could be parsed."""

    CONTROL_CHARACTER = "control_character"
    TRAILING_COMMA = "trailing_comma"
    COMMENT = "comment"
    MISSING_CLOSER = "missing_closer"
    UNCLOSED_STRING = "unclosed_string"
    DROPPED_TAIL = "dropped_tail"
    UNCLOSED_FENCE = "unclosed_fence"
    UNCLOSED_TAG = "unclosed_tag"
    MISLABELLED_FENCE = "mislabelled_fence"
    MISSING_FENCE = "missing_fence"
    FENCE_IN_LINE = "fence_in_line"
    MISSING_WRAPPER = "missing_wrapper"
    TAG_SPELLING = "tag_spelling"
    TAG_ATTRIBUTES = "tag_attributes"
    SEVERAL_VALUES = "several_values"
    NESTED_JSON = "nested_json"
    SPACE = "space"
    QUOTES = "quotes"
    TRIPLE_QUOTES = "triple_quotes"
    STRING_PREFIX = "string_prefix"
    INNER_QUOTE = "inner_quote"
    ESCAPE = "escape"
    CONCATENATION = "concatenation"
    UNQUOTED_KEY = "unquoted_key"
    UNQUOTED_VALUE = "unquoted_value"
    LITERAL = "literal"
    NON_FINITE_NUMBER = "non_finite_number"
    NUMBER = "number"
    COLON = "colon"
    MISSING_COLON = "missing_colon"
    MISSING_COMMA = "missing_comma"
    EXTRA_COMMA = "extra_comma"
    SEPARATOR = "separator"
    ELLIPSIS = "ellipsis"
    EXTRA_CLOSER = "extra_closer"
    BRACKETS = "brackets"
    MISSING_OPENER = "missing_opener"
    MISSING_VALUE = "missing_value"
    SKIPPED = "skipped"
    MISSING_MARKS = "missing_marks"
    STRAY_MARK = "stray_mark"
    CALL_AS_TEXT = "call_as_text"
    CALL_IN_PRINT = "call_in_print"
    CALL_AWAITED = "call_awaited"
    CALL_ASSIGNED = "call_assigned"
    CALL_AS_STRING = "call_as_string"
    CALL_AS_PAIR = "call_as_pair"
    CALL_AS_TAG = "call_as_tag"
    TOOL_MAP = "tool_map"
    MODULE_PREFIX = "module_prefix"
    NAME_SPELLING = "name_spelling"
    NAME_KEY = "name_key"
    ARGUMENT_KEY = "argument_key"
    POSITIONAL_ARGUMENT = "positional_argument"
    ARGUMENTS_UNPACKED = "arguments_unpacked"
    FLAT_ARGUMENTS = "flat_arguments"


class Evidence(StrEnum):
    """The evidence that a call without its format's own marks was meant, strongest first.

    A response that is only a call means it; a quoted call is not meant. Only the first three are executed.
    """

    WHOLE = "whole"
    LAST = "last"
    AMONG = "among"
    SENTENCE = "sentence"
    EXAMPLE = "example"
    QUOTATION = "quotation"
    CODE = "code"
