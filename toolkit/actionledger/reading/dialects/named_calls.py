"""The tool's name before its arguments as JSON: Functionary, Inkling, Step-Audio and Cohere.

Functionary 3.1 has the name in a tag around the arguments, 3.2 after three brackets on a line of its own.
"""

import re
from collections.abc import Sequence
from typing import ClassVar, Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.values.calls import only_text_of
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.base import Dialect, Found, Generations, Written
from actionledger.reading.dialects.parts.json_calls import Keys
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Marker, read_block, refused, shown, thoughts_behind
from actionledger.reading.dialects.parts.truncation import VALUE_ENDS, cut_off
from actionledger.reading.dialects.parts.writing import PlainCall, json_text
from actionledger.reading.scan.openings import Opening, OpeningKind, at_line_start
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_OPENER, _CLOSER = "<function=", "</function>"
_HEAD = regex(r"<function=(?P<name>[^<>\s]++)>\s*+(?=\{)")

_RECIPIENT = ">>>"
_ADDRESSED = regex(r">>>(?!all\s)(?P<name>[A-Za-z_][\w.-]*+)[ \t]*+\r?\n\s*+(?=\{)")
_FIRST = r"\A[A-Za-z_][\w.-]*+[ \t]*+\r?\n\s*+\{"
_ADDRESS = "<|recipient|>"
_IN_TOKENS = regex(
    r"(?:<\|recipient\|>\s*+)?+(?!all\b)(?P<name>[A-Za-z_][\w.-]*+)\s*+<\|content\|>\s*+(?=\{)"
)
_FIRST_IN_TOKENS = r"\A[A-Za-z_][\w.-]*+\s*+<\|content\|>\s*+\{"
_CUT = regex(r">>>(?P<name>[A-Za-z_][\w.-]*+)[ \t]*+\r?\n\s*+\Z")


class Functionary(Dialect):
    """``<function=NAME>``, the arguments as a JSON object, ``</function>``; in generation 3.2 ``>>>NAME``, a line break and the object.

    In generation 2, ``<|recipient|>`` is before the name and ``<|content|>`` before the object. In 3.2, what stands behind ``>>>all`` is the answer's text. The prompt ends with the first brackets, so that a response begins with
    a name; where that was offered and another message follows, it is a call.
    """

    name: Literal["functionary"] = "functionary"
    optional_closers = {"</function>": VALUE_ENDS}
    source = (
        "MeetKai's Functionary 2, 3.1 and 3.2, prompt templates (v2, llama31, llama3_v3); Llama 3.1, prompt format for "
        "user-defined custom tools"
    )
    rules = (
        "An action is its arguments as a JSON object between <function=NAME> and </function>.",
        "Several actions follow one another.",
    )
    example = '<function=get_weather>{"city": "Paris"}</function>'

    @property
    def literals(self) -> frozenset[str]:
        """The tag that opens a call, and the marks before a message's recipient."""
        return frozenset({_OPENER, _RECIPIENT, _ADDRESS})

    @property
    def line_patterns(self) -> frozenset[str]:
        """A name at the start of the response, with an object after it."""
        return frozenset({_FIRST, _FIRST_IN_TOKENS})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the object after the name; parameters in tags are Qwen3-Coder's. See ``Dialect.read``."""
        if opening.label == _RECIPIENT:
            return self._read_message(Marker(source, opening, "", end, options))
        if head := _IN_TOKENS.match(source.text, opening.start, end):
            marker = Marker(source, opening, "", end, options)
            return self.unless_quoted(_call(marker, head["name"], head.end()), source.text)
        if opening.label == _ADDRESS:
            return None
        if opening.kind is OpeningKind.LINE:
            return _first_message(Marker(source, opening, "", end, options))
        head = _HEAD.match(source.text, opening.start, end)
        if head is None:
            return None
        found = _call(Marker(source, opening, _CLOSER, end, options), head["name"], head.end())
        return self.unless_quoted(found, source.text)

    def _read_message(self, marker: Marker) -> Found | None:
        """Read a message of generation 3.2, which ends with its object; more than three brackets belong to no dialect."""
        text, start = marker.source.text, marker.opening.start
        if text.endswith(">", 0, start):
            return None
        if head := _ADDRESSED.match(text, start, marker.end):
            return self.unless_quoted(_call(marker, head["name"], head.end()), text)
        cut = _CUT.match(text, start, marker.end)
        is_due = cut is not None and marker.source.names is not None and cut["name"] in marker.source.names
        return marker.refused(Issue(Reason.TRUNCATED, marker.span), marker.end) if is_due else None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call in a tag of its own; see ``Dialect.write``."""
        return "\n".join(f"<function={call.name}>{json_text(call.arguments)}{_CLOSER}" for call in calls)


def _first_message(marker: Marker) -> Found | None:
    """Read the response's first message, if it is for an offered tool and a marked message follows it."""
    source, at = marker.source, marker.opening.end - 1
    name = marker.opening.label.split(maxsplit=1)[0]
    if not source.names or name not in source.names:
        return None
    found = _call(marker, name, at)
    return found if source.text.startswith(_RECIPIENT, found.span.end) else None


def _call(marker: Marker, name: str, at: int) -> Found:
    arguments = marker.arguments_at(at)
    if isinstance(arguments, Issue):
        return marker.refused(arguments, at)
    close = marker.closing(arguments.end)
    if isinstance(close, Found):
        return close
    span = Span(marker.opening.start, close.end)
    written = Written(name, arguments.values, span)
    return read_block(
        span, Span(at, close.start), (written,), arguments.repairs + close.repairs, arguments.issues
    )


_INVOKE = "<|content_invoke_tool_json|>"
_END = "<|end_message|>"
_INVOKE_TEXT = "<|content_invoke_tool_text|>"
_HEADER = regex(
    rf"<\|message_model\|>(?P<name>[^<>\n]{{0,200}}+)(?:{re.escape(_INVOKE)}|(?P<text>{re.escape(_INVOKE_TEXT)}))"
)


class Inkling(Marked):
    """An object with ``name`` and ``args`` behind ``<|content_invoke_tool_json|>``.

    Before that token the block's own begins, with the name. A text by itself stands behind ``<|content_invoke_tool_text|>``: it is the
    only argument, ``text`` where the tool's own name for it is unknown. A block of ``<|content_thinking|>`` is the model's thoughts.
    """

    name: Literal["inkling"] = "inkling"
    optional_closers = {_END: "the model's end of turn, which servers take away"}
    source = "Inkling, message blocks as SGLang's and llama.cpp's parsers read them"
    rules = (
        (
            "An action is a block of its own: <|message_model|>, its name, <|content_invoke_tool_json|>, a JSON "
            'object with "name" and "args", and <|end_message|>.'
        ),
    )
    example = (
        "<|message_model|>get_weather<|content_invoke_tool_json|>"
        '{"name": "get_weather", "args": {"city": "Paris"}}<|end_message|>'
    )
    closers = {"<|message_model|>": _END, _INVOKE: _END, _INVOKE_TEXT: _END}
    may_stay_open = True
    keys = Keys(("name",), ("args", "arguments", "parameters"))
    thought_markers = {"<|content_thinking|>": _END}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the object after the token of a call; the name before the token must be the same."""
        if marker.opening.label == _INVOKE:
            return super().read_values(marker, start)
        if marker.opening.label == _INVOKE_TEXT:
            return _of_text(marker, "", start)
        header = _HEADER.match(marker.source.text, marker.opening.start, marker.end)
        if header is None:
            return None
        if header["text"]:
            return _of_text(marker, header["name"].strip(), header.end())
        found = super().read_values(
            marker._replace(opening=marker.opening._replace(end=header.end())), header.end()
        )
        name = header["name"].strip()
        if found and name and any(action.name != name for action in found.actions):
            detail = f"The block is {name[:80]!r}'s, its object another one's."
            issue = Issue(Reason.AMBIGUOUS, Span(*header.span("name")), detail)
            return refused(found.span, found.body, issue)
        return found

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a block for each call; see ``Dialect.write``."""
        return "".join(
            f"<|message_model|>{call.name}{_INVOKE}"
            f"{json_text({'name': call.name, 'args': call.arguments})}{_END}"
            for call in calls
        )


def _of_text(marker: Marker, name: str, start: int) -> Found | None:
    """Return the call whose only argument is the text after its header; a text without its end waits, since it may be longer."""
    close = marker.source.find(_END, start, marker.end)
    span = Span(marker.opening.start, close + len(_END) if close >= 0 else marker.end)
    body = Span(start, close if close >= 0 else marker.end)
    if not name and not body.of(marker.source.text).strip():
        return None  # the token is only mentioned
    if not name:
        return refused(span, body, Issue(Reason.WRONG_SHAPE, span, "No tool is named."))
    key = only_text_of(marker.source.names, name) or "text"
    found = read_block(span, body, (Written(name, {key: body.of(marker.source.text)}, span),))
    return found if close >= 0 else cut_off(found, marker.end)


_STEP_AUDIO_OPENER, _STEP_AUDIO_CLOSER = "<tool_call>", "</tool_call>"
_STEP_AUDIO_HEAD = regex(r"\s*+function[ \t]*+\n[ \t]*+(?P<name>[\w.:/@-]++)[ \t]*+(?:\n\s*+|\Z)")
_STEP_AUDIO_CUT = regex(r"\s*+function[ \t]*+\n[ \t]*+\Z")


class StepAudio(Dialect):
    """``<tool_call>function``, the tool's name on the next line and its arguments behind it."""

    name: Literal["step_audio"] = "step_audio"
    optional_closers = {_STEP_AUDIO_CLOSER: VALUE_ENDS}
    source = "Step-Audio 2, tool calls as a parser for vLLM reads them; no checkpoint was seen"
    rules = (
        (
            "An action stands between <tool_call> and </tool_call>: the word function, the tool's name and its arguments "
            "as a JSON object, each on a line of its own."
        ),
        "Several actions follow one another, each between tags of its own.",
    )
    example = '<tool_call>function\nget_weather\n{"city": "Paris"}</tool_call>'

    @property
    def literals(self) -> frozenset[str]:
        """The opening tag."""
        return frozenset({_STEP_AUDIO_OPENER})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the call that begins here; see ``Dialect.read``."""
        marker = Marker(source, opening, _STEP_AUDIO_CLOSER, end, options, may_stay_open=self.may_stay_open)
        found = self._call(marker)
        return self.unless_quoted(found, source.text) if found else None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call between tags of its own; see ``Dialect.write``."""
        return "\n".join(
            f"{_STEP_AUDIO_OPENER}function\n{call.name}\n{json_text(call.arguments)}{_STEP_AUDIO_CLOSER}"
            for call in calls
        )

    def _call(self, marker: Marker) -> Found | None:
        """Return the call after the tag; None if it is another dialect's, or mentioned."""
        text, start, end = marker.source.text, marker.opening.end, marker.end
        head = _STEP_AUDIO_HEAD.match(text, start, end)
        is_cut = head.end() == end if head else _STEP_AUDIO_CUT.match(text, start, end) is not None
        if is_cut and at_line_start(text, marker.opening.start):
            return marker.refused(Issue(Reason.TRUNCATED, Span(marker.opening.start, end)), start)
        if head is None or is_cut:
            return None
        arguments = marker.arguments_at(head.end())
        if isinstance(arguments, Issue):
            return marker.refused(arguments, head.end())
        close = marker.closing(arguments.end)
        if isinstance(close, Found):
            return close
        span = Span(marker.opening.start, close.end)
        written = (Written(head["name"], arguments.values, span),)
        repairs = arguments.repairs + close.repairs
        return read_block(span, Span(start, close.start), written, repairs, arguments.issues)


_FENCE = regex(r"\s*+```(?:json)?+\s*+(?=[\[{])")
_NO_CALL = frozenset({"directly_answer", "directly-answer"})
"""What Command R calls where it calls no tool."""


class _InTokens(Marked):
    """A list of calls between ``<|START_ACTION|>`` and ``<|END_ACTION|>``: Command R7B, Command A and later.

    What stands between ``<|START_THINKING|>`` and ``<|END_THINKING|>`` is the model's thoughts.
    """

    name: Literal["cohere"] = "cohere"
    closers = {"<|START_ACTION|>": "<|END_ACTION|>"}
    thoughts: ClassVar[tuple[str, str]] = ("<|START_THINKING|>", "<|END_THINKING|>")
    keys = Keys(("tool_name", "name"), ("parameters", "arguments"), "tool_call_id")

    @property
    def literals(self) -> frozenset[str]:
        """The opening tokens of calls and of thoughts."""
        return super().literals | {self.thoughts[0]}

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the calls, or skip the thoughts, that begin here; see ``Dialect.read``."""
        if opening.label != self.thoughts[0]:
            return super().read(source, opening, end, options)
        return thoughts_behind(source, opening, self.thoughts[1], end)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls, each with its number if it has no identifier; see ``Dialect.write``."""
        objects = [
            {"tool_call_id": call.call_id or str(index), "tool_name": call.name, "parameters": call.arguments}
            for index, call in enumerate(calls)
        ]
        return f"<|START_ACTION|>{json_text(objects)}<|END_ACTION|>"


class _InFence(Marked):
    """A list of calls in a ``json`` fence behind a line ``Action:``: Command R and Command R+.

    A call of ``directly_answer``, a tool that their template offers by itself, says that no tool is called.
    """

    name: Literal["cohere"] = "cohere"
    closers = {"Action:": "```"}
    keys = Keys(("tool_name",), ("parameters",))

    @property
    def literals(self) -> frozenset[str]:
        """None: the label is at the start of a line."""
        return frozenset()

    @property
    def line_patterns(self) -> frozenset[str]:
        """The label."""
        return frozenset({"Action:"})

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list in the fence; a value of another shape belongs to no dialect."""
        fence = _FENCE.match(marker.source.text, start, marker.end)
        found = super().read_values(marker, fence.end()) if fence else None
        if found is None or found.reason is Reason.WRONG_SHAPE:
            return None
        none = _NO_CALL - (marker.source.names or frozenset())
        actions = tuple(action for action in found.actions if action.name not in none)
        return (
            found._replace(actions=actions) if actions or not found.actions else shown(found.span, found.body)
        )


class Cohere(Generations):
    """A JSON list of calls between ``<|START_ACTION|>`` and ``<|END_ACTION|>``, or in a fence behind ``Action:``."""

    name: Literal["cohere"] = "cohere"
    optional_closers = {"<|END_ACTION|>": VALUE_ENDS, "```": VALUE_ENDS}
    source = "Command R and R+, Command R7B and Command A, chat templates"
    rules = (
        (
            "Actions are one JSON list between <|START_ACTION|> and <|END_ACTION|>: objects with "
            '"tool_call_id", "tool_name" and "parameters".'
        ),
    )
    example = (
        '<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}}]'
        "<|END_ACTION|>"
    )
    generations = (_InTokens(), _InFence())
