"""Reading a call whose parameters are tags: what the formats of ``parameter_tags`` share."""

import re
from dataclasses import dataclass
from typing import Any

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.held_arguments import held_arguments
from actionledger.reading.dialects.parts.json_values import Reach, arguments_at
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.dialects.parts.tagged_values import RefusedError, TaggedValues
from actionledger.reading.dialects.parts.verdicts import excerpt
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions


@dataclass(frozen=True, slots=True)
class TaggedCall:
    """A call as it was read.

    Args:
        name: what is called.
        arguments: its parameters by name.
        span: all of it, its opening and closing tags included.
        inner_end: where its body ends.
        repairs, issues: what was changed, what is wrong without being in the way.
        refusal: why it can't be read; None where it was.
    """

    name: str
    arguments: dict[str, Any]
    span: Span
    inner_end: int
    repairs: tuple[Repair, ...] = ()
    issues: tuple[Issue, ...] = ()
    refusal: Issue | None = None


def read_calls(
    source: Source,
    first: re.Match[str],
    end: int,
    grammar: TagGrammar,
    options: DecodeOptions,
    *,
    is_group: bool,
) -> list[TaggedCall]:
    """Read a call, or all calls of a group; never raises on text."""
    calls: list[TaggedCall] = []
    opened: re.Match[str] | None = first
    while opened:
        calls.append(_read_call(source, opened, end, grammar, options))
        at = behind_blanks(source.text, calls[-1].span.end, end)
        opened = grammar.call.match(source.text, at, end) if is_group and not calls[-1].refusal else None
    return calls


def _read_call(
    source: Source, opened: re.Match[str], end: int, grammar: TagGrammar, options: DecodeOptions
) -> TaggedCall:
    name = opened["name"].strip()
    if opened.groupdict().get("whole"):
        return TaggedCall(name, {}, Span(*opened.span()), opened.end())
    reader = _Reader(source, end, grammar, options)
    try:
        arguments, inner_end, stop = reader.read(opened.end())
    except RefusedError as refused:
        holds_others = refused.issue.code is Reason.AMBIGUOUS
        found_end = reader.behind_nested if holds_others else reader.refused_end
        stop = found_end(opened.end()) if refused.end is None else refused.end
        stop = max(stop, refused.issue.span.end if refused.issue.span else stop)
        return TaggedCall(name, {}, Span(opened.start(), stop), stop, refusal=refused.issue)
    span = Span(opened.start(), stop)
    inside = Span(opened.end(), inner_end)
    arguments, repair = held_arguments(source, name, arguments, inside, options)
    repairs = (repair,) if repair else tuple(reader.repairs)
    return TaggedCall(name, arguments, span, inner_end, repairs, tuple(reader.issues))


class _Reader(TaggedValues):
    """Walks one call: parameters, then the closing tags."""

    def read(self, at: int) -> tuple[dict[str, Any], int, int]:
        """Read from behind the opening tag; return the arguments, where the body ends and where the call does."""
        arguments: dict[str, Any] = {}
        if opens := self.grammar.object.match(self.text, at, self.end):
            arguments, at = self.json_arguments(opens.end())
        while parameter := self.parameter_at(at):
            key, span = parameter["key"].strip(), Span(*parameter.span("key"))
            if key in arguments:
                raise RefusedError(Issue(Reason.DUPLICATE_KEY, span, f"The parameter is {key[:80]!r}."))
            if not key:
                raise RefusedError(Issue(Reason.WRONG_SHAPE, span, "A parameter has no name."))
            said = parameter.groupdict()
            is_json = said.get("string") == "false" or bool(said.get("json"))
            arguments[key], at = (
                self.json_value(parameter) if is_json else self.text_value(parameter.end(), parameter[0])
            )
        if not self.grammar.closes.match(self.text, at, self.end):
            self.refuse_what_follows(at, has_parameters=bool(arguments))
        inner_end, at = self.close(self.grammar.call_closes, at)
        return arguments, inner_end, self.close(self.grammar.tail, at)[1] if self.grammar.tail else at

    def parameter_at(self, at: int) -> re.Match[str] | None:
        """Return the opening of the parameter that is due here; a value's own opening tag that is left out is a repair."""
        grammar = self.grammar
        if parameter := grammar.next_parameter.match(self.text, at, self.end):
            return parameter
        bare = grammar.bare_parameter.match(self.text, at, self.end)
        if bare and not self.is_closed(bare.end()):
            return None
        if bare:
            missing = Span(bare.end(), bare.end())
            if RepairKind.TAG_SPELLING not in self.options.repairs:
                raise RefusedError(Issue(Reason.TAG_SPELLING, missing, f"Expected {grammar.value_opens}"))
            self.repairs.append(Repair(RepairKind.TAG_SPELLING, missing, "", grammar.value_opens))
        return bare

    def is_closed(self, start: int) -> bool:
        """Return whether a parameter's closing tag is the first tag behind a place."""
        tag = self.text.find("<", start, self.end)
        return tag >= 0 and self.grammar.parameter_close.match(self.text, tag, self.end) is not None

    def close(self, closer: str, at: int) -> tuple[int, int]:
        """Return where a closing tag that is due here begins and ends; one that is left out is a repair."""
        closed = self.closed(closer, at)
        if closed.issue:
            raise RefusedError(closed.issue)
        self.repairs.extend(closed.repairs)
        return closed.start, closed.end

    def json_arguments(self, start: int) -> tuple[dict[str, Any], int]:
        """Read an object that stands in place of the parameters."""
        following = self.source.search(self.grammar.next_call, start, self.end)
        stop = self.source.search(self.grammar.call_close, start, following)
        reach = Reach(stop if stop < following else None, following, self.end)
        arguments = arguments_at(self.source, start, reach, self.options)
        if isinstance(arguments, Issue):
            is_cut = arguments.code is Reason.TRUNCATED
            raise RefusedError(arguments, self.end if is_cut else None)
        self.repairs.extend(arguments.repairs)
        self.issues.extend(arguments.issues)
        return arguments.values, arguments.end

    def refuse_what_follows(self, at: int, *, has_parameters: bool) -> None:
        """Refuse a call that goes on in a way that can't be read; one that just ends lacks no more than its closing tag."""
        grammar, text = self.grammar, self.text
        stop = self.source.search(grammar.next_call, at, self.end)
        rest = text[at:stop].strip()
        is_open = rest.startswith(grammar.stem) and not grammar.parameter.search(rest)
        closes = grammar.call_close.search(rest) is not None
        is_cut = grammar.stem.startswith(rest) or (is_open and not closes)
        if stop == len(text) and (is_cut if rest else not has_parameters):
            raise RefusedError(Issue(Reason.TRUNCATED, Span(at, stop)), stop)
        if not has_parameters or grammar.stem in rest or closes:
            what = Span(at, self.source.search(grammar.call_close, at, stop))
            detail = f"Expected a parameter or {grammar.call_closes}, got {excerpt(text, *what)}."
            raise RefusedError(Issue(Reason.WRONG_SHAPE, what, detail))
