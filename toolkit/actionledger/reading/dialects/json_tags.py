"""JSON directly between tags or special tokens: Hermes, Granite, Phi-4, Apertus, InternLM, Mistral and Nemotron.

Several of them share an opening marker. Each block has one dialect: ``<tool_call>`` with an object, or with a closed
list, is Hermes'; an unclosed list is Granite's. A closed ``<|tool_call|>`` is Phi-4's, otherwise Granite's.
"""

import re
from collections.abc import Sequence
from typing import Literal

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Found, Generations, Written
from actionledger.reading.dialects.parameter_tags import Qwen3Coder
from actionledger.reading.dialects.parts.json_calls import arguments_of, whole_items
from actionledger.reading.dialects.parts.json_shapes import in_order
from actionledger.reading.dialects.parts.marked import Marked
from actionledger.reading.dialects.parts.markers import Close, Marker, begins, behind_blanks, loose_end
from actionledger.reading.dialects.parts.truncation import CALLS_END, VALUE_ENDS
from actionledger.reading.dialects.parts.writing import PlainCall, call_object, json_text
from actionledger.reading.tolerant_json import Decoded

_LIST = regex(r"\s*+(?:\[|\Z)")
_PART_OF_A_NAME = regex(r"[\w.]")


class Hermes(Marked):
    """Each ``<tool_call>…</tool_call>`` is a call, as a JSON object with ``name`` and ``arguments``."""

    name: Literal["hermes"] = "hermes"
    optional_closers = {"</tool_call>": "vLLM's parser reads an object to the end of the text without it"}
    source = "Nous Research's function calling format; the chat templates of Hermes 2 Pro, Qwen2.5 and Qwen3"
    rules = (
        'An action is a JSON object with "name" and "arguments" between <tool_call> and </tool_call>.',
        "Several actions follow one another, each between tags of its own, and text may stand around them.",
    )
    example = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
    closers = {"<tool_call>": "</tool_call>"}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the object or the closed list after the tag; an unclosed list is Granite's."""
        found = super().read_values(marker, start)
        if not found or not _begins_list(marker, start):
            return found
        if found.status is BlockStatus.MALFORMED:
            return None if found.reason is Reason.TEXT_AFTER_VALUE else found
        is_cut = any(issue.code is Reason.TRUNCATED for issue in found.issues)
        return found if is_cut or found.span.end > found.body.end else None

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call between tags of its own; see ``Dialect.write``."""
        objects = (json_text(call_object(call)) for call in calls)
        return "\n".join(f"<tool_call>\n{written}\n</tool_call>" for written in objects)


class _GraniteList(Marked):
    """A list of calls behind ``<|tool_call|>`` (Granite 3.0) or ``<tool_call>`` (3.1 and later), closed by nothing.

    Sarashina writes ``<|tool_calls|>``, which begins Solar Open's calls as well, and the list as Python.
    """

    name: Literal["granite"] = "granite"
    closers = {"<|tool_call|>": "", "<tool_call>": "", "<|tool_calls|>": ""}
    others = {
        "<|tool_call|>": "<|/tool_call|>",
        "<tool_call>": "</tool_call>",
        "<|tool_calls|>": "<|/tool_calls|>",
    }

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list after the marker, unless it is closed."""
        if marker.opening.label == "<tool_call>" and not _begins_list(marker, start):
            return None
        text, at = marker.source.text, behind_blanks(marker.source.text, start, marker.end)
        if marker.opening.label == "<|tool_calls|>" and not text.startswith("[", at, marker.end):
            return None
        found = super().read_values(marker, start)
        if not found:
            return None
        closer = self.others[marker.opening.label]
        if found.status is BlockStatus.MALFORMED:
            is_closed = marker.source.find(closer, marker.opening.end, found.span.end) >= 0
        else:
            is_closed = text.startswith(closer, behind_blanks(text, found.body.end, marker.end))
        return None if is_closed else found


class _GraniteObject(Marked):
    """Each ``<function_call>`` is followed by a call, as a JSON object, closed by nothing: granite-20b-functioncalling."""

    name: Literal["granite"] = "granite"
    closers = {"<function_call>": ""}
    others = {"<function_call>": "</function_call>"}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the object after the tag, unless the tag is closed."""
        if _begins_list(marker, start) and behind_blanks(marker.source.text, start, marker.end) < marker.end:
            return None
        found = super().read_values(marker, start)
        if found is None:
            return None
        at = behind_blanks(marker.source.text, found.body.end, marker.end)
        return None if marker.source.text.startswith(self.others[marker.opening.label], at) else found


class Granite(Generations):
    """A list of calls behind ``<|tool_call|>`` (Granite 3.0) or ``<tool_call>`` (3.1 and later), closed by nothing."""

    name: Literal["granite"] = "granite"
    optional_closers = Hermes.optional_closers
    source = "IBM Granite 3, chat templates; Granite 4 (as Hermes) and granite-20b-functioncalling, vLLM's chat template and parsers"
    rules = (
        (
            "Actions are one JSON list behind <|tool_call|>, at the end of the response: objects with "
            '"name" and "arguments".'
        ),
    )
    example = '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]'
    generations = (_GraniteList(), Hermes(), _GraniteObject())


class Phi4(Marked):
    """A list of calls in ``<|tool_call|>…<|/tool_call|>``, or behind the word ``functools``, closed by nothing."""

    name: Literal["phi4"] = "phi4"
    optional_closers = {"<|/tool_call|>": VALUE_ENDS}
    source = (
        "The special tokens of Microsoft Phi-4-mini; its chat template in vLLM, which asks for functools[…]"
    )
    rules = (
        (
            'Actions are one JSON list between <|tool_call|> and <|/tool_call|>: objects with "name" '
            'and "arguments".'
        ),
    )
    example = '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}]<|/tool_call|>'
    closers = {"<|tool_call|>": "<|/tool_call|>", "functools[": ""}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list; after the opening word, the bracket is the list's."""
        opening = marker.opening
        if opening.label == "<|tool_call|>":
            return super().read_values(marker, start)
        if _PART_OF_A_NAME.match(marker.source.text[max(0, opening.start - 1) : opening.start]):
            return None
        return super().read_values(marker._replace(opening=opening._replace(end=start - 1)), start - 1)


def _begins_list(marker: Marker, start: int) -> bool:
    """Return whether a list begins here, or the text ends."""
    return _LIST.match(marker.source.text, start, marker.end) is not None


_SHAPE = (
    "Expected a list of objects, each with the tool's name as its only key and an object with the arguments."
)


class Apertus(Marked):
    """A list of ``{NAME: {arguments}}`` between ``<|tools_prefix|>`` and ``<|tools_suffix|>``.

    What stands between ``<|inner_prefix|>`` and ``<|inner_suffix|>`` is the model's thoughts.
    """

    name: Literal["apertus"] = "apertus"
    optional_closers = {"<|tools_suffix|>": VALUE_ENDS}
    source = "Apertus 2509, chat template"
    rules = (
        (
            "Actions are one JSON list between <|tools_prefix|> and <|tools_suffix|>: for each an object whose "
            "only key is its name, with its arguments as an object."
        ),
    )
    example = '<|tools_prefix|>[{"get_weather": {"city": "Paris"}}]<|tools_suffix|>'
    closers = {"<|tools_prefix|>": "<|tools_suffix|>"}
    thought_markers = {"<|inner_prefix|>": "<|inner_suffix|>"}

    def calls_in(self, values: Sequence[Decoded]) -> tuple[list[Written], list[Issue]] | Issue:
        """Return the calls in values, each named by its key."""
        written: list[Written] = []
        for item, span in whole_items(values):
            if not isinstance(item, dict) or len(item) != 1:
                return Issue(Reason.WRONG_SHAPE, span, _SHAPE)
            [(name, held)] = item.items()
            arguments = arguments_of(held)
            if arguments is None or not name.strip():
                return Issue(Reason.WRONG_SHAPE, span, _SHAPE)
            written.append(Written(name, arguments, span))
        return written, []

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write a list of all calls between the tokens; see ``Dialect.write``."""
        return f"<|tools_prefix|>{json_text([{call.name: call.arguments} for call in calls])}<|tools_suffix|>"


_PLUGIN = "<|plugin|>"


class InternLm(Marked):
    """Each ``<|action_start|><|plugin|>…<|action_end|>`` is a call, as a JSON object.

    Code for the interpreter, behind ``<|interpreter|>``, is none.
    """

    name: Literal["internlm"] = "internlm"
    optional_closers = {"<|action_end|>": VALUE_ENDS}
    source = (
        "InternLM2, chat format; InternLM3 and Intern-S1, tool calls as vLLM's and SGLang's parsers read them"
    )
    rules = (
        (
            "An action is <|action_start|><|plugin|>, a JSON object with "
            '"name" and "parameters", and <|action_end|>.'
        ),
        "Several actions follow one another, each between tokens of its own.",
    )
    example = (
        '<|action_start|><|plugin|>\n{"name": "get_weather", "parameters": {"city": "Paris"}}<|action_end|>'
    )
    closers = {"<|action_start|>": "<|action_end|>"}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the object after the plugin's token."""
        text, end = marker.source.text, marker.end
        at = behind_blanks(text, start, end)
        if text.startswith(_PLUGIN, at, end):
            return super().read_values(marker, at + len(_PLUGIN))
        if begins(_PLUGIN, text, at, end):
            return marker.refused(Issue(Reason.TRUNCATED, Span(at, end)), at)
        return marker.nothing_behind()

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call between tokens of its own; see ``Dialect.write``."""
        objects = (json_text(call_object(call, arguments="parameters")) for call in calls)
        return "\n".join(f"<|action_start|><|plugin|>\n{written}<|action_end|>" for written in objects)


_NAME = r"[^\W\d][\w.:/-]*+"
_HEAD = regex(
    rf"(?:\s*+(?P<spaced>{_NAME})(?=\s*+\[(?:CALL_ID|ARGS)\])|(?P<name>{_NAME}))"
    r"(?:\s*+\[CALL_ID\]\s*+(?P<call_id>[\w-]++))?(?P<args>\s*+\[ARGS\])?"
)


class Mistral(Marked):
    """Until tokenizer version 7 a list of calls, each with an ``id``; since version 11 a marker for each call."""

    name: Literal["mistral"] = "mistral"
    source = (
        "mistral-common, the instruct tokenizers of versions 3 to 13; the chat templates of Mistral's models"
    )
    rules = (
        "An action is [TOOL_CALLS], its name, [ARGS] and its arguments as a JSON object.",
        "Several actions follow one another, each with both markers.",
    )
    example = '[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}'
    closers = {"[TOOL_CALLS]": ""}

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the list after the marker, or the one call that it opens."""
        head = _HEAD.match(marker.source.text, start, marker.end)
        return _named_call(marker, head) if head else super().read_values(marker, start)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each call after a marker of its own; see ``Dialect.write``."""
        return "".join(map(_written, calls))


def _written(call: PlainCall) -> str:
    identifier = f"[CALL_ID]{call.call_id}" if call.call_id else ""
    return f"[TOOL_CALLS]{call.name}{identifier}[ARGS]{json_text(call.arguments)}"


def _named_call(marker: Marker, head: re.Match[str]) -> Found | None:
    """Read the arguments after a name; None if the marker and a word after it are only mentioned."""
    text, end = marker.source.text, marker.end
    at = behind_blanks(text, head.end(), end)
    if at >= end:
        return marker.malformed(Issue(Reason.TRUNCATED, Span(marker.opening.start, end)), Close(end, end))
    if not head["args"] and text[at] != "{":
        return None
    arguments = marker.arguments_at(at)
    if isinstance(arguments, Issue):
        return marker.refused(arguments, at)
    span = Span(marker.opening.start, arguments.end)
    return Found(
        BlockStatus.REPAIRED if arguments.repairs else BlockStatus.STRICT,
        Span(span.start, loose_end(text, span.end, end)),
        Span(marker.opening.end, arguments.end),
        (Written(head["spaced"] or head["name"], arguments.values, span, head["call_id"]),),
        repairs=arguments.repairs,
        issues=arguments.issues,
    )


_READ = frozenset({BlockStatus.STRICT, BlockStatus.REPAIRED})


class _InTag(Marked):
    """A list of calls in ``<TOOLCALL>…</TOOLCALL>``; several without the list's brackets are mended."""

    name: Literal["nemotron"] = "nemotron"
    closers = {"<TOOLCALL>": "</TOOLCALL>"}
    holds_several = True
    gap = regex(r"\s*+,\s*+")

    def read_values(self, marker: Marker, start: int) -> Found | None:
        """Read the calls in the tag."""
        found = super().read_values(marker, start)
        if found is None or found.status not in _READ or len(found.actions) < 2:
            return found
        begins = behind_blanks(marker.source.text, start, marker.end)
        if (
            marker.source.text.startswith("[", begins)
            or RepairKind.MISSING_WRAPPER not in marker.options.repairs
        ):
            return found
        repair = Repair(RepairKind.MISSING_WRAPPER, Span(begins, begins), "", "[")
        return found._replace(status=BlockStatus.REPAIRED, repairs=in_order((repair,), found.repairs))


class Nemotron(Generations):
    """A JSON list of calls in ``<TOOLCALL>…</TOOLCALL>``."""

    name: Literal["nemotron"] = "nemotron"
    optional_closers = {
        "</TOOLCALL>": VALUE_ENDS,
        "</function></tool_call>": CALLS_END,
    }
    source = "Llama-3.3-Nemotron-Super-49B-v1.5 and Nemotron Nano v2, chat templates; Nemotron 3 as vLLM's parser reads it"
    rules = (
        (
            'Actions are one JSON list between <TOOLCALL> and </TOOLCALL>: objects with "name" and '
            '"arguments".'
        ),
    )
    example = '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}]</TOOLCALL>'
    generations = (_InTag(), Qwen3Coder())
