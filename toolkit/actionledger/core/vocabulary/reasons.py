"""The reasons why something is not as it was meant to be, and the sentence of each."""

from enum import StrEnum


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
    TOOL_MARKUP_IN_CONTENT = "tool_markup_in_content"
    TOOL_MARKUP_IN_REASONING = "tool_markup_in_reasoning"
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
    AGAINST_RULES = "against_rules"
    CANCELLED = "cancelled"
    CONTEXT_LIMIT = "context_limit"
    NO_RESULT = "no_result"
    NOT_READ = "not_read"
    SCHEMA_ERROR = "schema_error"
    TOOL_ERROR = "tool_error"

    @property
    def is_note(self) -> bool:
        """Whether it is only a note: the action was parsed and may run all the same."""
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
    Reason.BRACKETS: "A list stands in round brackets, or an object's brackets stand twice.",
    Reason.MISSING_OPENER: "An object or a list begins without its bracket.",
    Reason.SKIPPED: "A word stands where nothing of the kind belongs.",
    Reason.AMBIGUOUS: "The text can be read in two plausible ways.",
    Reason.MISSING_VALUE: "A key has no value.",
    Reason.SEVERAL_VALUES: "Several values stand where one was looked for; the first was read.",
    Reason.TOO_MUCH_WORK: "Reading the value takes more steps than the parser's limit.",
    Reason.EMPTY_BLOCK: "The block has no content.",
    Reason.WRONG_SHAPE: "It has another shape than the format asks for.",
    Reason.NOT_AN_ACTION: "The block holds data that is no action.",
    Reason.EXAMPLE: "The block is shown as an example, not meant to run.",
    Reason.CALL_IN_PROSE: "The block stands within a sentence: it may be meant or only mentioned.",
    Reason.REASONING: "The model thinks this to itself.",
    Reason.TOOL_MARKUP_IN_CONTENT: "A tool call is left as text in a message whose calls are kept apart: no one read it, and nothing ran.",
    Reason.TOOL_MARKUP_IN_REASONING: "A tool call is left in the model's reasoning: no one read it, and nothing ran.",
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
    Reason.NO_MATCH: "Nothing there fits what the action asks for.",
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
    Reason.NO_RESULT: "The command's exit status 1 is its answer: nothing found, something different, or not so.",
    Reason.NOT_READ: "The file has to be read before it may be changed.",
    Reason.SCHEMA_ERROR: "The tool's own runtime refused the arguments.",
    Reason.AGAINST_RULES: "The tool keeps to a rule that this goes against: a balance, what is left, the state of a thing.",
    Reason.TOOL_ERROR: "The tool reported an error, and nothing says of which kind.",
}
