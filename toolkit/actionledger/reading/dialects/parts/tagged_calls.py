"""Parse a call whose parameters are tags: where each value ends, and its type.

A value is raw text and may hold text like tags. The grammar closes it: by the closing tag before a further
parameter or the end of the call, after any whole calls in the value. If a second reading is as plausible
(another parameter or another call begins inside the value and isn't closed there), the call is refused.
"""

import re
from typing import Any, NamedTuple

from actionledger.core.canonical import JsonDict
from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.parts.call_tags import (
    CDATA,
    CDATA_CLOSES,
    RefusedError,
    TagGrammar,
    held_arguments,
    is_nearly_marked,
    marks_in,
    unescaped,
)
from actionledger.reading.dialects.parts.json_values import Reach, arguments_at, value_at
from actionledger.reading.dialects.parts.markers import (
    Closed,
    behind_blanks,
    behind_nested,
    close_around,
    closing_tag,
    excerpt,
)
from actionledger.reading.dialects.parts.value_trees import tree_behind
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions
from actionledger.reading.tolerant_json.valid import scan

_MAY_BE_TEXT = frozenset({Reason.MALFORMED_JSON, Reason.TEXT_AFTER_VALUE})
_FIRST_TOKEN = regex(r"<[^<>]++>(?=[^<>\s])")
"""The first token of a closing tag made of several."""

_QUOTES = frozenset("\"'`")
_BREAKS_AROUND = regex(r"\A\r?\n|\r?\n\Z")
_LINE_END = regex(r"\r?\n\Z")
_MISSPELT = 2
"""The maximal number of wrong signs in a closing tag."""

_NO_TEXT = '{["'
"""The beginning of a value that was meant as JSON, even if unreadable."""


class TaggedValues:
    """Reads the values of one call, and notes each change."""

    def __init__(self, source: Source, end: int, grammar: TagGrammar, options: DecodeOptions) -> None:
        self.source, self.text, self.end = source, source.text, end
        self.grammar, self.options = grammar, options
        self.repairs: list[Repair] = []
        self.issues: list[Issue] = []

    def json_value(self, parameter: re.Match[str]) -> tuple[Any, int]:
        """Read a JSON value, which determines its own end. Plain text is read as text, whatever the tag says."""
        start = parameter.end()
        if plain := self.grammar.plain_json.match(self.text, start, self.end):
            return scan(self.text, start)[0], plain.end()
        following = self.source.search(self.grammar.next_call, start, self.end)
        stop = self.source.search(self.grammar.parameter_close, start, following)
        reach = Reach(stop if stop < following else None, following, self.end)
        decoded = value_at(self.source, start, reach, self.options)
        is_cut = bool(decoded.cut) or (bool(decoded.issues) and decoded.issues[0].code is Reason.TRUNCATED)
        if is_cut:
            raise RefusedError(Issue(Reason.TRUNCATED, Span(start, self.end)), self.end)
        close = self.closed(self.grammar.parameter_closes, decoded.end)
        if decoded.ok and close.end > close.start and not _adds(close):
            self.repairs += [*decoded.repairs, *close.repairs]
            self.issues.extend(decoded.issues)
            return decoded.value, close.end
        code = Reason.TEXT_AFTER_VALUE if decoded.ok else decoded.issues[0].code
        begins = behind_blanks(self.text, start, stop)
        is_text = begins < stop and self.text[begins] not in _NO_TEXT
        says_string = parameter.groupdict().get("string") is not None
        if (
            code in _MAY_BE_TEXT
            and says_string
            and is_text
            and RepairKind.TAG_ATTRIBUTES in self.options.repairs
        ):
            says = Span(*parameter.span("string"))
            self.repairs.append(Repair(RepairKind.TAG_ATTRIBUTES, says, "false", "true"))
            return self.text_value(start, parameter[0])
        raise RefusedError(Issue(code, Span(start, stop), "The parameter says that it is JSON."))

    def text_value(self, start: int, opener: str) -> tuple[str, int]:
        """Read a value that is raw text; one without any tag's sign, properly closed, needs no further check."""
        grammar, text = self.grammar, self.text
        if plain := grammar.plain_value.match(text, start, self.end):
            return self.trimmed(plain[1]), plain.end()
        if grammar.is_xml and text.startswith(CDATA, start, self.end):
            return self.verbatim_value(start)
        first = self.source.search(grammar.parameter_close, start, self.end)
        following = self.source.search(grammar.next_call, start, self.end)
        if first > following:
            around = close_around(text, start, self.end, grammar.nesting, grammar.fitting_close)
            if around:
                return self.trimmed(text[start : around.start]), around.end
        if first == self.end or (first > following and self.opens_parameter(following, first)):
            return self.unclosed_value(start, first, following)
        match = grammar.parameter_close.match(text, first, self.end)
        behind = match.end() if match else first
        bound = self.source.search(grammar.next_call, behind, self.end)
        fitting = grammar.fitting_close.search(text, first, bound)
        close = Span(*fitting.span()) if fitting else Span(first, behind)
        value = Span(start, close.start)
        if text.find("<", *value) >= 0:
            value = self.without_half_closer(self.without_marks(opener, value, close))
        self.repairs += self.respelt(close, grammar.parameter_closes)
        return self.trimmed(self.without_near_marks(value)), close.end

    def without_marks(self, opener: str, value: Span, close: Span) -> Span:
        """Return the span of a value that holds tags; one that holds the format's own may be refused."""
        text, spelt = self.text, close.of(self.text)
        if spelt != self.grammar.parameter_closes and text.find(f"<{spelt[2:-1]}", *value) >= 0:
            detail = "A tag in another spelling closes it, and such a one begins in it."
            raise RefusedError(Issue(Reason.AMBIGUOUS, Span(value.start, close.end), detail))
        marks = marks_in(text, opener, value, close, self.grammar.marks)
        if marks.issue:
            raise RefusedError(marks.issue)
        if marks.repairs and RepairKind.STRAY_MARK not in self.options.repairs:
            detail = "A tag of the format stands in it."
            raise RefusedError(Issue(Reason.AMBIGUOUS, marks.repairs[0].span, detail))
        self.repairs += marks.repairs
        return marks.value

    def without_half_closer(self, value: Span) -> Span:
        """Return the span of a value without a repeated first token of its closing tag."""
        token = _FIRST_TOKEN.match(self.grammar.parameter_closes)
        stop = value.start + len(value.of(self.text).rstrip())
        if token is None or not self.text.endswith(token[0], value.start, stop):
            return value
        stray = Span(stop - len(token[0]), stop)
        if RepairKind.STRAY_MARK not in self.options.repairs:
            raise RefusedError(Issue(Reason.AMBIGUOUS, stray, "A token of the format stands in it."))
        self.repairs.append(Repair(RepairKind.STRAY_MARK, stray, token[0], ""))
        return Span(value.start, stray.start)

    def without_near_marks(self, value: Span) -> str:
        """Return a value's text; refuse one that begins or ends with nearly one of its own tags."""
        if is_nearly_marked(text := value.of(self.text), self.grammar):
            detail = "It begins or ends with what may be a tag of the format."
            raise RefusedError(Issue(Reason.AMBIGUOUS, value, detail))
        return text

    def verbatim_value(self, start: int) -> tuple[str, int]:
        """Read a CDATA section, in which tags have no meaning."""
        stop = self.source.find(CDATA_CLOSES, start, self.end)
        if stop < 0:
            raise RefusedError(Issue(Reason.TRUNCATED, Span(start, self.end)), self.end)
        at = stop + len(CDATA_CLOSES)
        close = self.closed(self.grammar.parameter_closes, at)
        if close.issue or (_adds(close) and behind_blanks(self.text, at, self.end) < self.end):
            raise RefusedError(close.issue or Issue(Reason.UNCLOSED_TAG, Span(start, at)))
        self.repairs += close.repairs
        return self.text[start + len(CDATA) : stop], close.end

    def unclosed_value(self, start: int, first: int, following: int) -> tuple[str, int]:
        """Read a value whose tag isn't closed before the next call begins: the closing tag is missing, or the value quotes a call."""
        close = self.grammar.bare_close.search(self.text, start, following)
        if close and not self.opens_parameter(start, close.start()):
            if misspelt := self.misspelt_closer(start, close.start()):
                self.repairs += self.respelt(misspelt, self.grammar.parameter_closes)
                return self.trimmed(self.text[start : misspelt.start]), misspelt.end
            added = closing_tag(
                self.text, close.start(), close.start(), self.grammar.parameter_closes, self.options
            )
            if added.issue:
                raise RefusedError(added.issue)
            self.repairs.extend(added.repairs)
            value = self.trimmed(self.without_near_marks(Span(start, close.start())))
            # The call's closing tag is on a line of its own after the place where each value's tag would be.
            return value if self.grammar.line_breaks else _LINE_END.sub("", value), close.start()
        if first < self.end:
            detail = "Another call begins in it: it is quoted, or the tag was never closed."
            issue = Issue(Reason.AMBIGUOUS, Span(start, first), detail)
            raise RefusedError(issue)
        if following == len(self.text):
            raise RefusedError(Issue(Reason.TRUNCATED, Span(start, following)), following)
        raise RefusedError(Issue(Reason.UNCLOSED_TAG, Span(start, following)), following)

    def misspelt_closer(self, start: int, end: int) -> Span | None:
        """Return the tag at a value's end that is nearly the parameter's closing one."""
        closer = self.grammar.parameter_closes
        stop = start + len(self.text[start:end].rstrip())
        begins = stop
        for _ in range(closer.count("<")):
            begins = self.text.rfind("<", max(start, stop - len(closer) - _MISSPELT), max(begins, start))
        if self.text.startswith("/<", begins - 1) and begins > start:
            begins -= 1  # the two signs are exchanged
        if begins < 0 or not closer.endswith(">") or not self.text.endswith(">", begins, stop):
            return None
        from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - slow to load, and rarely needed

        distance = Levenshtein.distance(self.text[begins:stop], closer, score_cutoff=_MISSPELT)
        return Span(begins, stop) if distance <= _MISSPELT else None

    def opens_parameter(self, start: int, end: int) -> bool:
        return self.grammar.parameter.search(self.text, start, end) is not None

    def trimmed(self, body: str) -> str:
        if not self.grammar.line_breaks:
            return body
        body = _BREAKS_AROUND.sub("", body) if "\n" in body else body
        return unescaped(body) if self.grammar.is_xml else body

    def closed(self, closer: str, at: int) -> Closed:
        """Return the closing tag expected here, in any spelling."""
        spelt, due = self.grammar.spellings.get(closer), behind_blanks(self.text, at, self.end)
        if spelt and self.text.startswith(spelt, due, self.end):
            found = Span(due, due + len(spelt))
            return Closed(*found, repairs=self.respelt(found, closer))
        return closing_tag(self.text, at, self.end, closer, self.options)

    def respelt(self, found: Span, closer: str) -> tuple[Repair, ...]:
        """Return the repair of a closing tag in another spelling; none if it is the format's."""
        before = found.of(self.text)
        if before == closer:
            return ()
        if RepairKind.TAG_SPELLING not in self.options.repairs:
            raise RefusedError(Issue(Reason.TAG_SPELLING, found, f"Expected {closer}"))
        return (Repair(RepairKind.TAG_SPELLING, found, before, closer),)

    # Where an unreadable call ends

    def refused_end(self, start: int) -> int:
        """Return the place after its closing tag, or where the next call begins."""
        grammar = self.grammar
        following = self.source.search(grammar.next_call, start, self.end)
        at = self.source.search(grammar.call_close, start, following)
        close = grammar.call_close.match(self.text, at, following)
        return close.end() if close else following

    def behind_nested(self, start: int) -> int:
        """Return where a call ends that may hold others."""
        return behind_nested(self.text, start, self.end, self.grammar.brackets)


def _adds(close: Closed) -> bool:
    """Return whether a repair adds a missing closing tag."""
    return any(repair.kind is RepairKind.UNCLOSED_TAG for repair in close.repairs)


class TaggedCall(NamedTuple):
    """A parsed call."""

    name: str  # the callee's name
    arguments: JsonDict  # its parameters by name
    span: Span  # all of it, its opening and closing tags included
    inner_end: int  # where its body ends
    repairs: tuple[Repair, ...] = ()  # repairs, issues: what was changed, and minor problems
    issues: tuple[Issue, ...] = ()
    refusal: Issue | None = None  # why it is unreadable; None if it was parsed


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

    def read(self, at: int) -> tuple[JsonDict, int, int]:
        """Read from after the opening tag; return the arguments, the body's end and the call's end."""
        arguments: JsonDict = {}
        if opens := self.grammar.object.match(self.text, at, self.end):
            arguments, at = self.json_arguments(opens.end())
        while parameter := self.parameter_at(at):
            key = parameter["key"].strip()
            if key in arguments:
                span, detail = Span(*parameter.span("key")), f"The parameter is {key[:80]!r}."
                raise RefusedError(Issue(Reason.DUPLICATE_KEY, span, detail))
            if not key or key[0] in _QUOTES or key[-1] in _QUOTES:
                span = Span(*parameter.span("key"))
                raise RefusedError(Issue(Reason.WRONG_SHAPE, span, "A parameter has no proper name."))
            if not self.grammar.has_kinds:
                arguments[key], at = self.text_value(parameter.end(), parameter[0])
                continue
            said = parameter.groupdict()
            is_json = said.get("string") == "false" or bool(said.get("json"))
            if said.get("tree"):
                arguments[key], at = tree_behind(self.source, parameter, self.end, self.grammar, self.options)
                continue
            arguments[key], at = (
                self.json_value(parameter) if is_json else self.text_value(parameter.end(), parameter[0])
            )
        if not self.grammar.closes.match(self.text, at, self.end):
            # Refuse a call with an unreadable rest; one that just ends lacks only its closing tag.
            has_parameters = bool(arguments)
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
        inner_end, at = self.close(self.grammar.call_closes, at)
        return arguments, inner_end, self.close(self.grammar.tail, at)[1] if self.grammar.tail else at

    def parameter_at(self, at: int) -> re.Match[str] | None:
        """Return the opening of the parameter expected here; a missing opening tag of its value is a repair."""
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
        """Return whether a parameter's closing tag is the first tag after a place."""
        tag = self.text.find("<", start, self.end)
        return tag >= 0 and self.grammar.parameter_close.match(self.text, tag, self.end) is not None

    def close(self, closer: str, at: int) -> tuple[int, int]:
        """Return where a closing tag expected here begins and ends; a missing one is a repair."""
        due = behind_blanks(self.text, at, self.end)
        if self.text.startswith(closer, due, self.end):
            return due, due + len(closer)
        closed = self.closed(closer, at)
        if closed.issue:
            raise RefusedError(closed.issue)
        self.repairs.extend(closed.repairs)
        return closed.start, closed.end

    def json_arguments(self, start: int) -> tuple[JsonDict, int]:
        """Read an object in place of the parameters."""
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
