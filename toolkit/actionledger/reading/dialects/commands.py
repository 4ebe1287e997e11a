"""Commands and programs: one fenced command (mini-swe-agent), one in a tag (SWE-agent), and the tags of MINT and CodeAct.

A bash fence is usually an example, so the parser of all formats searches for one only if a shell was offered.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import BlockStatus, Reason
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.markers import read_block, refused
from actionledger.reading.dialects.parts.writing import PlainCall, fenced, raw_text
from actionledger.reading.scan.openings import Opening, at_line_start
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

SHELLS = (
    *("bash", "shell", "sh", "terminal", "local_shell", "run_bash", "execute_bash", "run", "run_command", "execute_command"),
    *("run_shell_command", "run_terminal_cmd", "run_terminal_command", "run_in_terminal", "exec_command"),
)  # fmt: skip
"""The names of tools that run a shell command, the plainest first."""


def shell_tool(source: Source, *, is_needed: bool) -> str:
    """Return the name of the tool that runs a command: as it was offered, else the plainest name."""
    offered = (name for name in SHELLS if source.names and name in source.names)
    return next(offered, "" if is_needed else SHELLS[0])


def one_command(calls: Sequence[PlainCall]) -> str:
    """Return the command of the only call."""
    if len(calls) > 1:
        raise ValueError("a response has exactly one command")
    (call,) = calls
    if call.name not in SHELLS or call.arguments.keys() != {"command"}:
        raise ValueError(f"{call.name!r} with {list(call.arguments)} is not bash(command)")
    return raw_text(call.arguments["command"])


_OPENER = regex(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(?i:mswea_bash_command|bash)(?=\s|$)", re.MULTILINE)


class BashFence(Dialect):
    """The one ```` ```bash ```` fence of a response is a command to run; the runtime refuses a response with several."""

    name: Literal["bash_fence"] = "bash_fence"
    # whether it is looked for only where a tool was offered that runs a command of a shell
    needs_shell: bool = False
    source = "mini-swe-agent, config/mini_textbased.yaml and models/utils/actions_text.py; version 2 labels it mswea_bash_command"
    rules = (
        "Write exactly one command, in a fence labelled bash; join several with && or ||.",
        "It is run as it stands: escape nothing.",
    )
    example = "I list the files.\n\n```bash\nls -la\n```"
    strings_only = True

    @property
    def fence_labels(self) -> frozenset[str]:
        """The labels of both versions."""
        return frozenset({"bash", "mswea_bash_command"})

    def read(self, source: Source, opening: Opening, end: int, _options: DecodeOptions) -> Found | None:
        """Read the fenced command that begins here; see ``Dialect.read``."""
        name = shell_tool(source, is_needed=self.needs_shell)
        if not name:
            return None
        closing = source.closing_fence(opening, opening.end, end)
        span, body = Span(opening.start, closing.end), Span(opening.end, closing.start)
        command = body.of(source.text).strip()
        if not closing.found:  # a cut-off command may do something else
            reason = Reason.UNCLOSED_FENCE if command else Reason.TRUNCATED
            return refused(span, body, Issue(reason, Span(opening.start, opening.end)))
        if not command:
            return refused(span, body, Issue(Reason.EMPTY_BLOCK, body))
        if source.search(_OPENER, 0, len(source.text)) < source.text.rfind("\n", 0, opening.start) + 1:
            detail = "A response has exactly one bash block, and another one stands before it."
            return refused(span, body, Issue(Reason.AMBIGUOUS, body, detail))
        return read_block(span, body, (Written(name, {"command": command}, span),))

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write the one command; see ``Dialect.write``."""
        return fenced("bash", one_command(calls))


_COMMAND_TAGS_OPENER, _CLOSER = "<command>", "</command>"
_OPENS = regex(r"<[a-zA-Z][^<>]{0,200}>\s*\Z")
_TAG = regex(r"\s*</?[a-zA-Z]")
_LINE_ENDS = regex(r"[ \t]*(?:\r?\n|\Z)")
_NEXT_OPENER, _NEXT_CLOSER = regex(_COMMAND_TAGS_OPENER), regex(_CLOSER)
_AROUND = 400
"""The searched distance around a pair for another tag, in code points."""


class CommandTags(Dialect):
    """The last ``<command>…</command>`` of a response is a command to run; what stands before it is thought.

    The runtime takes all from the last opening tag to the last closing one, whatever it is. Where a pair holds another tag of
    the two, that may be anything but the command, so it is malformed; so is a pair before the last, which the runtime drops.
    """

    name: Literal["command_tags"] = "command_tags"
    # whether it is looked for only where a tool was offered that runs a command of a shell, on lines of its own and not within another tag
    needs_shell: bool = False
    source = "SWE-agent, sweagent/tools/parsing.py, XMLThoughtActionParser (xml_thought_action)"
    rules = (
        "Write exactly one command, between <command> and </command>, behind what you think; join several with && or ||.",
        "It is run as it stands: escape nothing.",
    )
    example = "I list the files.\n<command>\nls -la\n</command>"
    strings_only = True
    last_counts = True

    @property
    def literals(self) -> frozenset[str]:
        """The opening tag."""
        return frozenset({_COMMAND_TAGS_OPENER})

    def read(self, source: Source, opening: Opening, end: int, _options: DecodeOptions) -> Found | None:
        """Read the command of the tag that opens here; see ``Dialect.read``."""
        name = shell_tool(source, is_needed=self.needs_shell)
        if not name:
            return None
        pair = _pair(source, opening, end)
        if pair is None or (self.needs_shell and not _stands_alone(source.text, pair.span)):
            return None
        if pair.issue:
            return self.unless_quoted(refused(pair.span, pair.body, pair.issue), source.text)
        call = Written(name, {"command": pair.body.of(source.text).strip()}, pair.span)
        return self.unless_quoted(read_block(pair.span, pair.body, (call,)), source.text)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write the one command; see ``Dialect.write``."""
        return f"{_COMMAND_TAGS_OPENER}\n{one_command(calls)}\n{_CLOSER}"


class _Pair(NamedTuple):
    """Two tags with the text between them, and why that is not the command."""

    span: Span
    body: Span
    issue: Issue | None


def _pair(source: Source, opening: Opening, end: int) -> _Pair | None:
    """Return the pair that opens here; None if a sentence before the counting pair only mentions the tag."""
    text = source.text
    again = source.search(_NEXT_OPENER, opening.end, end)
    close = source.search(_NEXT_CLOSER, opening.end, end)
    if close >= again:
        if end in (again, close):
            issue = Issue(
                Reason.UNCLOSED_TAG, Span(opening.start, opening.end), f"The tag is {_COMMAND_TAGS_OPENER}."
            )
            return _Pair(Span(opening.start, again), Span(opening.end, again), issue)
        if at_line_start(text, again) and not at_line_start(text, opening.start):
            return None
        return _to_the_last(text, opening, end, "A <command> stands within another one.")
    span, body = Span(opening.start, close + len(_CLOSER)), Span(opening.end, close)
    if again < end:
        detail = "The last command of a response counts, and another one stands behind it."
        return _Pair(span, body, Issue(Reason.AMBIGUOUS, body, detail))
    if source.find(_CLOSER, span.end, end) >= 0:
        return _to_the_last(text, opening, end, "Another </command> stands behind the first one.")
    is_empty = not body.of(text).strip()
    return _Pair(span, body, Issue(Reason.EMPTY_BLOCK, body) if is_empty else None)


def _to_the_last(text: str, opening: Opening, end: int, detail: str) -> _Pair:
    """Return everything up to the last closing tag; its command is unknown."""
    close = text.rfind(_CLOSER, opening.end, end)
    body = Span(opening.end, close)
    return _Pair(Span(opening.start, close + len(_CLOSER)), body, Issue(Reason.AMBIGUOUS, body, detail))


def _stands_alone(text: str, span: Span) -> bool:
    """Return whether a pair is alone on its lines and not in a larger element."""
    before, behind = text[max(0, span.start - _AROUND) : span.start], text[span.end : span.end + _AROUND]
    is_within = _OPENS.search(before) is not None or _TAG.match(behind) is not None
    return at_line_start(text, span.start) and _LINE_ENDS.match(behind) is not None and not is_within


_FENCE = "```python"
_CLOSES = regex(r"\n[ \t]*```")

_FIELDS = {"execute": "code", "solution": "answer"}


class Mint(Dialect):
    """Each ``<execute>…</execute>`` and ``<solution>…</solution>`` is an action; its body is raw text.

    The tags are special to the protocol, so a markdown fence around them makes no example of them; inline code does.
    A tag that is not closed before the same one opens again is malformed: what it was to hold can't be known.
    """

    name: Literal["mint"] = "mint"
    source = "MINT-bench, prompt template and agent harness; CodeAct uses the same tags"
    rules = (
        (
            "Write Python code between <execute> and </execute>, or the final answer between <solution> "
            "and </solution>."
        ),
        "What stands between the tags is taken as it is: escape nothing.",
    )
    example = "<thought>I add the numbers.</thought>\n<execute>\nprint(2 + 3)\n</execute>"
    strings_only = True
    respects_fences = False

    @property
    def literals(self) -> frozenset[str]:
        """The opening tags."""
        return frozenset({"<execute>", "<solution>"})

    def read(self, source: Source, opening: Opening, end: int, _options: DecodeOptions) -> Found | None:
        """Read the body of the tag that opens here; see ``Dialect.read``."""
        text, tag = source.text, opening.label[1:-1]
        closer = f"</{tag}>"
        again = source.find(opening.label, opening.end, end)
        close = source.find(closer, opening.end, again if again >= 0 else end)
        if close >= 0:
            body, span = Span(opening.end, close), Span(opening.start, close + len(closer))
            found = self._read_body(text, tag, span, body)
        else:
            openers = (source.find(f"<{name}>", opening.end, end) for name in _FIELDS)
            stop = min((at for at in openers if at >= 0), default=end)
            body, span = Span(opening.end, stop), Span(opening.start, stop)
            issue = Issue(
                Reason.UNCLOSED_TAG, Span(opening.start, opening.end), f"The tag is {opening.label}."
            )
            found = Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
        return self.unless_quoted(found, text)

    def write(self, calls: Sequence[PlainCall]) -> str:
        """Write each action in its tag; see ``Dialect.write``."""
        return "\n".join(map(_written, calls))

    @staticmethod
    def _read_body(text: str, tag: str, span: Span, body: Span) -> Found:
        value = body.of(text).strip()
        if not value:
            issue = Issue(Reason.EMPTY_BLOCK, body)
            return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
        return Found(BlockStatus.STRICT, span, body, (Written(tag, {_FIELDS[tag]: value}, span),))


class MintFences(Mint):
    """The same where the prompt asks for code in a fence labelled ``python``: such a fence is an action, as a pair of tags is.

    MINT's harness prompted OpenCodeInterpreter so. No response in general is read by it: a fence of Python is mostly an example.
    """

    name: Literal["mint_fences"] = "mint_fences"  # type: ignore[assignment]
    rules = (
        "Write Python code in a fence labelled python, or the final answer between <solution> and </solution>.",
        "What stands in the fence or between the tags is taken as it is: escape nothing.",
    )
    example = "<thought>I add the numbers.</thought>\n```python\nprint(2 + 3)\n```"

    @property
    def literals(self) -> frozenset[str]:
        """The opening tags, and the fence."""
        return frozenset({"<execute>", "<solution>", _FENCE})

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:
        """Read the body of the fence or the tag that opens here; see ``Dialect.read``."""
        if opening.label != _FENCE:
            return super().read(source, opening, end, options)
        text = source.text
        line = text.find("\n", opening.end, end)
        if line < 0 or text[opening.end : line].strip():
            return None  # another label with the same beginning
        closer = _CLOSES.search(text, line, end)
        stop = closer.start() if closer else end
        body, span = Span(line + 1, max(line + 1, stop)), Span(opening.start, closer.end() if closer else end)
        if closer is None:
            issue = Issue(Reason.UNCLOSED_FENCE, Span(opening.start, opening.end), "The fence is ```python.")
            return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,))
        return self._read_body(text, "execute", span, body)


def _written(call: PlainCall) -> str:
    field = _FIELDS.get(call.name)
    if field is None or call.arguments.keys() != {field}:
        raise ValueError(
            f"{call.name!r} with {list(call.arguments)} is neither execute(code) nor solution(answer)"
        )
    return f"<{call.name}>\n{raw_text(call.arguments[field])}\n</{call.name}>"
