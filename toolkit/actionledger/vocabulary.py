"""The closed lists of words: every outcome, status and reason that a record can hold.

A code is stored; the sentence for people (``SENTENCES``) is derived from it and never stored.
"""

from enum import StrEnum


class Outcome(StrEnum):
    """What came of reading one response."""

    CLEAN = "clean"
    REPAIRED = "repaired"
    PARTIAL = "partial"
    FAILED = "failed"
    NO_ACTION = "no_action"
    ABSTAINED = "abstained"
    EMPTY = "empty"

    @property
    def has_intent(self) -> bool:
        """Whether the model meant to act (the denominator of every parse rate)."""
        return self in {Outcome.CLEAN, Outcome.REPAIRED, Outcome.PARTIAL, Outcome.FAILED}

    @property
    def is_success(self) -> bool:
        """Whether all that was intended could be read."""
        return self in {Outcome.CLEAN, Outcome.REPAIRED}


class BlockStatus(StrEnum):
    """What came of reading one candidate stretch of text."""

    STRICT = "strict"
    REPAIRED = "repaired"
    MALFORMED = "malformed"
    IGNORED = "ignored"


class ActionStatus(StrEnum):
    """What came of checking one action against its catalogue."""

    VALID = "valid"
    COERCED = "coerced"
    INVALID = "invalid"
    UNKNOWN = "unknown"
    ILLUSTRATION = "illustration"

    @property
    def is_runnable(self) -> bool:
        """Whether the action may go on to be executed."""
        return self in {ActionStatus.VALID, ActionStatus.COERCED}


class ExecutionStatus(StrEnum):
    """What came of one try at running an action."""

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
        """Whether it is known how long it took: it was tried, and somebody saw its end."""
        return self.was_attempted and self is not ExecutionStatus.INTERRUPTED


class Capture(StrEnum):
    """How much of what the model wrote a recording has kept: the raw text, argument strings, or calls that are parsed.

    Example:
        >>> [str(capture) for capture in al.Capture]
        ['text', 'arguments', 'calls']
    """

    TEXT = "text"
    ARGUMENTS = "arguments"
    CALLS = "calls"

    @property
    def is_auditable(self) -> bool:
        """Whether it can be told how the model's calls were written (what every parse rate is about)."""
        return self is not Capture.CALLS


class CostOrigin(StrEnum):
    """Where a cost comes from: its recording says it, or the user's price file says what such tokens cost."""

    RECORDED = "recorded"
    PRICES = "prices"


class Origin(StrEnum):
    """Who has run an action: this toolkit, or the runtime that its recording comes from."""

    RUNTIME = "runtime"
    RECORDED = "recorded"


class ReviewAspect(StrEnum):
    """What kind of thing somebody says of a turn.

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
    """What is done with something that is said of a turn: it is said, changed, withdrawn, or settled as done."""

    GIVEN = "given"
    CHANGED = "changed"
    WITHDRAWN = "withdrawn"
    DONE = "done"


class Judgement(StrEnum):
    """Whether what was read of a response is right, as a person sees it.

    Example:
        >>> [str(judgement) for judgement in al.Judgement]
        ['right', 'wrong', 'unsure']
    """

    RIGHT = "right"
    WRONG = "wrong"
    UNSURE = "unsure"


class Relation(StrEnum):
    """How a session is the child of another.

    Example:
        >>> [str(relation) for relation in al.Relation]
        ['subagent', 'continuation', 'fork']
    """

    SUBAGENT = "subagent"
    CONTINUATION = "continuation"
    FORK = "fork"


class LeftOutReason(StrEnum):
    """Why something in a recording is no part of a session."""

    BOOKKEEPING = "bookkeeping"
    COMPACTED = "compacted"
    DROPPED = "dropped"
    DUPLICATE = "duplicate"
    EMPTY = "empty"
    ENCRYPTED = "encrypted"
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


LEFT_OUT: dict[LeftOutReason, str] = {
    LeftOutReason.BOOKKEEPING: "The recorder's own notes, which say nothing of the session.",
    LeftOutReason.COMPACTED: "A summary that stands for history that is there already.",
    LeftOutReason.DROPPED: "Something that passed, and that the ledger could not take in time.",
    LeftOutReason.DUPLICATE: "Something that stands elsewhere in the recording as well.",
    LeftOutReason.EMPTY: "Something without any content.",
    LeftOutReason.ENCRYPTED: "Content that only its provider can read.",
    LeftOutReason.INJECTED_CONTEXT: "Text that the runtime has put in a person's place.",
    LeftOutReason.MADE_BY_CLIENT: "A message in the model's place that no model wrote.",
    LeftOutReason.NO_CALL: "A result of a call that is nowhere in the recording.",
    LeftOutReason.NO_RESPONSE: "A request that no model answered: its provider said why, or nothing came.",
    LeftOutReason.NO_SESSION: "Something that belongs to no session.",
    LeftOutReason.NO_TEXT: "An image, a file or another part that is no text.",
    LeftOutReason.NOT_AN_OBJECT: "A value that is no JSON object.",
    LeftOutReason.NOT_IN_SOURCE: "A turn whose text is not in the files that were named for it.",
    LeftOutReason.NOT_RECORDED: "What a model wrote, which its recorder was told not to keep.",
    LeftOutReason.PROGRESS: "A state in between, of which the end is recorded as well.",
    LeftOutReason.REASONING: "What the model thought before it answered, which is no part of its response.",
    LeftOutReason.REPEATED_HISTORY: "Messages that were shown to the model again.",
    LeftOutReason.RUN_BY_PROVIDER: "A call that the provider ran itself, and what came of it.",
    LeftOutReason.TOO_LARGE: "Something larger than is kept of one thing.",
    LeftOutReason.UNKNOWN_FORMAT: "A file of a folder that is no recording of a known format.",
    LeftOutReason.UNKNOWN_KIND: "A kind of entry that this reader doesn't know.",
    LeftOutReason.UNREADABLE: "Something that could not be decoded.",
}


class Reversal(StrEnum):
    """What was done later to the changes of an action that had run: what succeeded has succeeded all the same."""

    UNDONE = "undone"
    REDONE = "redone"


class DecisionKind(StrEnum):
    """What was decided of an action that waited for approval.

    Example:
        >>> [str(decision) for decision in al.DecisionKind]
        ['approved', 'modified', 'rejected']
    """

    APPROVED = "approved"
    MODIFIED = "modified"
    REJECTED = "rejected"


class RunKind(StrEnum):
    """How a set of parse attempts came about."""

    LIVE = "live"
    IMPORT = "import"
    REPARSE = "reparse"
    RERUN = "rerun"

    @property
    def is_first_reading(self) -> bool:
        """Whether such a run reads a turn for the first time (the attempts that reports count by default)."""
        return self not in {RunKind.REPARSE, RunKind.RERUN}


class RepairKind(StrEnum):
    """What a repaired reading changed so that the text could be read."""

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
    """What says that a call was meant which stands without its format's own marks, the strongest first.

    Whoever writes nothing but a call means it; whoever quotes one doesn't. Only the first three are acted on.
    """

    WHOLE = "whole"
    LAST = "last"
    AMONG = "among"
    SENTENCE = "sentence"
    EXAMPLE = "example"
    QUOTATION = "quotation"
    CODE = "code"


class Reason(StrEnum):
    """Why something is not as it was meant to be."""

    # reading
    NO_ACTION_FOUND = "no_action_found"
    MALFORMED_JSON = "malformed_json"
    TEXT_AFTER_VALUE = "text_after_value"
    DUPLICATE_KEY = "duplicate_key"
    NON_FINITE_NUMBER = "non_finite_number"
    TRUNCATED = "truncated"
    TOO_DEEP = "too_deep"
    UNCLOSED_FENCE = "unclosed_fence"
    UNCLOSED_TAG = "unclosed_tag"
    MISLABELLED_FENCE = "mislabelled_fence"
    MISSING_FENCE = "missing_fence"
    FENCE_IN_LINE = "fence_in_line"
    MISSING_WRAPPER = "missing_wrapper"
    TAG_SPELLING = "tag_spelling"
    TAG_ATTRIBUTES = "tag_attributes"
    CONTROL_CHARACTER = "control_character"
    TRAILING_COMMA = "trailing_comma"
    COMMENT = "comment"
    SPACE = "space"
    QUOTES = "quotes"
    TRIPLE_QUOTES = "triple_quotes"
    STRING_PREFIX = "string_prefix"
    INNER_QUOTE = "inner_quote"
    UNCLOSED_STRING = "unclosed_string"
    ESCAPE = "escape"
    CONCATENATION = "concatenation"
    UNQUOTED_KEY = "unquoted_key"
    UNQUOTED_VALUE = "unquoted_value"
    LITERAL = "literal"
    NUMBER = "number"
    COLON = "colon"
    MISSING_COLON = "missing_colon"
    MISSING_COMMA = "missing_comma"
    EXTRA_COMMA = "extra_comma"
    SEPARATOR = "separator"
    ELLIPSIS = "ellipsis"
    MISSING_CLOSER = "missing_closer"
    EXTRA_CLOSER = "extra_closer"
    BRACKETS = "brackets"
    MISSING_OPENER = "missing_opener"
    SKIPPED = "skipped"
    AMBIGUOUS = "ambiguous"
    MISSING_VALUE = "missing_value"
    SEVERAL_VALUES = "several_values"
    TOO_MUCH_WORK = "too_much_work"
    EMPTY_BLOCK = "empty_block"
    WRONG_SHAPE = "wrong_shape"
    NOT_AN_ACTION = "not_an_action"
    EXAMPLE = "example"
    CALL_IN_PROSE = "call_in_prose"
    REASONING = "reasoning"
    BLOCK_LIMIT = "block_limit"
    RESPONSE_TOO_LARGE = "response_too_large"
    READING_TIMED_OUT = "reading_timed_out"
    READER_DIED = "reader_died"
    # checking
    MISSING_NAME = "missing_name"
    UNKNOWN_ACTION = "unknown_action"
    MISSING_FIELD = "missing_field"
    UNKNOWN_FIELD = "unknown_field"
    CONVERTED = "converted"
    WRONG_TYPE = "wrong_type"
    VALUE_NOT_ALLOWED = "value_not_allowed"
    OUT_OF_RANGE = "out_of_range"
    BAD_LENGTH = "bad_length"
    BAD_FORMAT = "bad_format"
    # acting
    NO_HANDLER = "no_handler"
    NOT_APPROVED = "not_approved"
    NOT_FOUND = "not_found"
    PATH_REFUSED = "path_refused"
    NO_MATCH = "no_match"
    SEVERAL_MATCHES = "several_matches"
    TOO_LARGE = "too_large"
    ALREADY_EXISTS = "already_exists"
    NOT_EMPTY = "not_empty"
    CHANGED_SINCE = "changed_since"
    NOT_KEPT = "not_kept"
    NOT_PERMITTED = "not_permitted"
    DISK_ERROR = "disk_error"
    UNKNOWN_DEPENDENCY = "unknown_dependency"
    FORWARD_REFERENCE = "forward_reference"
    DEPENDENCY_CYCLE = "dependency_cycle"
    DUPLICATE_ID = "duplicate_id"
    DEPENDENCY_FAILED = "dependency_failed"
    DEPENDENCY_WAITS = "dependency_waits"
    UNRESOLVED_REFERENCE = "unresolved_reference"
    REFUSED_ARGUMENTS = "refused_arguments"
    REJECTED = "rejected"
    CHANGED_SINCE_APPROVAL = "changed_since_approval"
    MASKED_CONTENT = "masked_content"
    RATE_LIMIT = "rate_limit"
    ACTION_LIMIT = "action_limit"
    FAILURE_LIMIT = "failure_limit"
    REPETITION = "repetition"
    HANDLER_ERROR = "handler_error"
    CODE_ERROR = "code_error"
    CODE_LIMIT = "code_limit"
    COMMAND_REFUSED = "command_refused"
    COMMAND_FAILED = "command_failed"
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    STOPPED = "stopped"
    NEVER_FINISHED = "never_finished"
    # acting, as other runtimes say it
    CANCELLED = "cancelled"
    CONTEXT_LIMIT = "context_limit"
    NOT_READ = "not_read"
    SCHEMA_ERROR = "schema_error"
    TOOL_ERROR = "tool_error"

    @property
    def is_note(self) -> bool:
        """Whether it keeps nothing from being done: what was meant is read and may run all the same."""
        return self in {Reason.UNKNOWN_FIELD, Reason.CONVERTED}


SENTENCES: dict[Reason, str] = {
    Reason.NO_ACTION_FOUND: "The protocol demands an action in every turn; the response has none.",
    Reason.MALFORMED_JSON: "The block's JSON can't be read in one plain way.",
    Reason.TEXT_AFTER_VALUE: "There is text behind the JSON value, before the block ends.",
    Reason.DUPLICATE_KEY: "An object has the same key twice.",
    Reason.NON_FINITE_NUMBER: "NaN and Infinity are not JSON numbers.",
    Reason.TRUNCATED: "The text ends in the middle of a value.",
    Reason.TOO_DEEP: "The value is nested deeper than the parser's limit.",
    Reason.UNCLOSED_FENCE: "The fence was opened and never closed.",
    Reason.UNCLOSED_TAG: "The tag was opened and never closed.",
    Reason.MISLABELLED_FENCE: "The fence's label is not the format's.",
    Reason.MISSING_FENCE: "The block stands without its fence.",
    Reason.FENCE_IN_LINE: "The fence begins, or its content does, in the middle of a line.",
    Reason.MISSING_WRAPPER: "The actions stand without the object that the format puts around them.",
    Reason.TAG_SPELLING: "The tag is spelt otherwise than the format's.",
    Reason.TAG_ATTRIBUTES: "Fields stand in the tag, as its attributes.",
    Reason.CONTROL_CHARACTER: "A string holds a raw line break, tab or other control character.",
    Reason.TRAILING_COMMA: "A comma stands before a closing bracket.",
    Reason.COMMENT: "JSON has no comments.",
    Reason.SPACE: "A blank that JSON doesn't know stands between two tokens.",
    Reason.QUOTES: "A string stands in quotes that are not JSON's.",
    Reason.TRIPLE_QUOTES: "A string stands in triple quotes.",
    Reason.STRING_PREFIX: "A string has a prefix, as in Python.",
    Reason.INNER_QUOTE: "A string holds a quote that is not escaped.",
    Reason.UNCLOSED_STRING: "A string lacks one of its quotes.",
    Reason.ESCAPE: "A string holds a backslash that begins no escape of JSON.",
    Reason.CONCATENATION: "A string is written as a sum of strings.",
    Reason.UNQUOTED_KEY: "A key stands without quotes.",
    Reason.UNQUOTED_VALUE: "A text stands without quotes.",
    Reason.LITERAL: "A literal is written otherwise than true, false and null.",
    Reason.NUMBER: "A number is not written as JSON writes it.",
    Reason.COLON: "Another sign stands where a key needs its colon.",
    Reason.MISSING_COLON: "A key lacks its colon.",
    Reason.MISSING_COMMA: "A comma is missing between two values.",
    Reason.EXTRA_COMMA: "A comma stands before or behind nothing.",
    Reason.SEPARATOR: "Another sign stands where a comma belongs.",
    Reason.ELLIPSIS: "Dots stand for what was left out.",
    Reason.MISSING_CLOSER: "A bracket was opened and never closed.",
    Reason.EXTRA_CLOSER: "A bracket is closed that was never opened.",
    Reason.BRACKETS: "A list stands in round brackets.",
    Reason.MISSING_OPENER: "An object or a list begins without its bracket.",
    Reason.SKIPPED: "A word stands where nothing of the kind belongs.",
    Reason.AMBIGUOUS: "The text can be read in two plausible ways.",
    Reason.MISSING_VALUE: "A key has no value.",
    Reason.SEVERAL_VALUES: "Several values stand where one was looked for; the first was read.",
    Reason.TOO_MUCH_WORK: "Reading the value takes more steps than the parser's limit.",
    Reason.EMPTY_BLOCK: "The block has no content.",
    Reason.WRONG_SHAPE: "The value was read, but it has not the shape that the dialect asks for.",
    Reason.NOT_AN_ACTION: "The block holds data that is no action.",
    Reason.EXAMPLE: "The block is shown as an example, not meant to run.",
    Reason.CALL_IN_PROSE: "The block stands within a sentence: it may be meant or only mentioned.",
    Reason.REASONING: "The model thinks this to itself.",
    Reason.BLOCK_LIMIT: "The response has more blocks than the parser's limit.",
    Reason.RESPONSE_TOO_LARGE: "The response is larger than what a ledger takes, so nothing of it was done.",
    Reason.READING_TIMED_OUT: "Reading the response took longer than it may.",
    Reason.READER_DIED: "What read the response broke off: it raised an error, or its process died.",
    Reason.MISSING_NAME: "The action doesn't say which action it is.",
    Reason.UNKNOWN_ACTION: "No action goes by that name.",
    Reason.MISSING_FIELD: "A required field is missing.",
    Reason.UNKNOWN_FIELD: "The action has no such field.",
    Reason.CONVERTED: "A field's value was written in another type, and taken in its own.",
    Reason.WRONG_TYPE: "A field's value has the wrong type.",
    Reason.VALUE_NOT_ALLOWED: "A field's value is none of the allowed ones.",
    Reason.OUT_OF_RANGE: "A number is outside its range.",
    Reason.BAD_LENGTH: "A value is too short or too long.",
    Reason.BAD_FORMAT: "A value has the wrong form.",
    Reason.NO_HANDLER: "Nothing is registered that could run this action.",
    Reason.NOT_APPROVED: "The policy doesn't let this action run without approval.",
    Reason.NOT_FOUND: "What the action refers to doesn't exist.",
    Reason.PATH_REFUSED: "The path is not inside the workspace.",
    Reason.NO_MATCH: "The text to replace was not found.",
    Reason.SEVERAL_MATCHES: "The text to replace fits in more than one place.",
    Reason.TOO_LARGE: "The content is larger than the limit.",
    Reason.ALREADY_EXISTS: "Something goes by that path already.",
    Reason.NOT_EMPTY: "The folder is not empty.",
    Reason.CHANGED_SINCE: "What stands there is no longer what was left there.",
    Reason.NOT_KEPT: "What stood there before was not kept, so it can't be brought back.",
    Reason.NOT_PERMITTED: "The system doesn't let this be read or changed.",
    Reason.DISK_ERROR: "The disk could not do it.",
    Reason.UNKNOWN_DEPENDENCY: "No action of the response has the id that this one refers to.",
    Reason.FORWARD_REFERENCE: "The action refers by its number to one that stands behind it.",
    Reason.DEPENDENCY_CYCLE: "Actions wait for each other in a circle.",
    Reason.DUPLICATE_ID: "Two actions of the response have the same id.",
    Reason.DEPENDENCY_FAILED: "An action that this one depends on did not succeed.",
    Reason.DEPENDENCY_WAITS: "An action that this one depends on waits for approval.",
    Reason.UNRESOLVED_REFERENCE: "The result that the action refers to has no such value.",
    Reason.REFUSED_ARGUMENTS: "The arguments that the action was to run with are not valid.",
    Reason.REJECTED: "A person has decided against this action.",
    Reason.CHANGED_SINCE_APPROVAL: "The action is no longer what was approved.",
    Reason.MASKED_CONTENT: "A secret in the action was masked when it was recorded, so it can't be run from the record.",
    Reason.RATE_LIMIT: "The action has run as often as it may for now.",
    Reason.ACTION_LIMIT: "The response has more actions than may run in one turn.",
    Reason.FAILURE_LIMIT: "Too many actions have failed in a row.",
    Reason.REPETITION: "The model did the same again and again, and was stopped.",
    Reason.HANDLER_ERROR: "The handler raised an error.",
    Reason.CODE_ERROR: "The code did not run to its end.",
    Reason.CODE_LIMIT: "The code needs more than it may use.",
    Reason.COMMAND_REFUSED: "The command asks for more than one program with its arguments.",
    Reason.COMMAND_FAILED: "The command ended with an error.",
    Reason.UNAVAILABLE: "Something that the action needs could not be reached.",
    Reason.TIMEOUT: "The action did not finish in time.",
    Reason.STOPPED: "The action was stopped before it finished.",
    Reason.NEVER_FINISHED: "The action was started and never finished.",
    Reason.CANCELLED: "The call was given up because of another one beside it.",
    Reason.CONTEXT_LIMIT: "What came of the call is more than the model can be shown.",
    Reason.NOT_READ: "The file has to be read before it may be changed.",
    Reason.SCHEMA_ERROR: "The tool's own runtime refused the arguments.",
    Reason.TOOL_ERROR: "The tool reported an error, and nothing says of which kind.",
}
