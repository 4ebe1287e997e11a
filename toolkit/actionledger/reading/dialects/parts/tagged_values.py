"""The values of a call whose parameters are tags: where each ends, and what it is.

A value is raw text and may hold what looks like tags. It is closed by the grammar: by the closing tag that a further
parameter or the end of the call follows, behind whole calls that the value holds. Where a second reading is as plausible
(another parameter or another call begins inside the value and isn't closed there), the call is refused.
"""

import re
from typing import Any

from rapidfuzz.distance import Levenshtein

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.parts.call_tags import TagGrammar
from actionledger.reading.dialects.parts.json_values import Reach, value_at
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.dialects.parts.nesting import behind_nested, close_around
from actionledger.reading.dialects.parts.value_marks import marks_in
from actionledger.reading.dialects.parts.verdicts import Closed, closing_tag
from actionledger.reading.dialects.parts.xml_text import CDATA, CDATA_CLOSES, unescaped
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.options import DecodeOptions

_MAY_BE_TEXT = frozenset({Reason.MALFORMED_JSON, Reason.TEXT_AFTER_VALUE})
_FIRST_TOKEN = re.compile(r"<[^<>]++>(?=[^<>\s])")
"""The first token of a closing tag that is made of several."""

_MISSPELT = 2
"""By how many signs a closing tag may differ from the format's."""

_NO_TEXT = '{["'
"""What a value begins with that was meant as JSON, whatever can be read of it."""


class RefusedError(Exception):
    """The call can't be read; ``end`` is where it ends if that is known better than by its next closing tag."""

    def __init__(self, issue: Issue, end: int | None = None) -> None:
        super().__init__(issue.code)
        self.issue = issue
        self.end = end


class TaggedValues:
    """Reads the values of one call, and notes what had to be changed.

    Args:
        source: the response.
        end: where the text to look at ends, in code points.
        grammar: how the format writes calls.
        options: what may be repaired.
    """

    def __init__(self, source: Source, end: int, grammar: TagGrammar, options: DecodeOptions) -> None:
        self.source, self.text, self.end = source, source.text, end
        self.grammar, self.options = grammar, options
        self.repairs: list[Repair] = []
        self.issues: list[Issue] = []

    def json_value(self, parameter: re.Match[str]) -> tuple[Any, int]:
        """Read a value that is JSON: it says itself where it ends. One that is plain text is a text, whatever the tag says."""
        start = parameter.end()
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
        """Read a value that is raw text."""
        grammar, text = self.grammar, self.text
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
        return self.trimmed(value.of(text)), close.end

    def without_marks(self, opener: str, value: Span, close: Span) -> Span:
        """Return where a value stands that holds tags; one that holds the format's own may be refused."""
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
        """Return where a value stands without the first token of its closing tag, where that stands twice."""
        token = _FIRST_TOKEN.match(self.grammar.parameter_closes)
        stop = value.start + len(value.of(self.text).rstrip())
        if token is None or not self.text.endswith(token[0], value.start, stop):
            return value
        stray = Span(stop - len(token[0]), stop)
        if RepairKind.STRAY_MARK not in self.options.repairs:
            raise RefusedError(Issue(Reason.AMBIGUOUS, stray, "A token of the format stands in it."))
        self.repairs.append(Repair(RepairKind.STRAY_MARK, stray, token[0], ""))
        return Span(value.start, stray.start)

    def verbatim_value(self, start: int) -> tuple[str, int]:
        """Read a section of XML that holds text as it is: no tag in it means anything."""
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
        """Read a value whose tag isn't closed before the next call begins: the closing tag was left out, or it quotes."""
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
            return self.trimmed(self.text[start : close.start()]), close.start()
        if first < self.end:
            detail = "Another call begins in it: it is quoted, or the tag was never closed."
            issue = Issue(Reason.AMBIGUOUS, Span(start, first), detail)
            raise RefusedError(issue)
        if following == len(self.text):
            raise RefusedError(Issue(Reason.TRUNCATED, Span(start, following)), following)
        raise RefusedError(Issue(Reason.UNCLOSED_TAG, Span(start, following)), following)

    def misspelt_closer(self, start: int, end: int) -> Span | None:
        """Return the tag that a value ends with if it is nearly the parameter's closing one."""
        closer = self.grammar.parameter_closes
        stop = start + len(self.text[start:end].rstrip())
        begins = stop
        for _ in range(closer.count("<")):
            begins = self.text.rfind("<", max(start, stop - len(closer) - _MISSPELT), max(begins, start))
        if begins < 0 or not closer.endswith(">") or not self.text.endswith(">", begins, stop):
            return None
        distance = Levenshtein.distance(self.text[begins:stop], closer, score_cutoff=_MISSPELT)
        return Span(begins, stop) if distance <= _MISSPELT else None

    def opens_parameter(self, start: int, end: int) -> bool:
        return self.grammar.parameter.search(self.text, start, end) is not None

    def trimmed(self, body: str) -> str:
        if not self.grammar.line_breaks:
            return body
        body = re.sub(r"\A\r?\n", "", body)
        body = re.sub(r"\r?\n\Z", "", body)
        return unescaped(body) if self.grammar.is_xml else body

    def closed(self, closer: str, at: int) -> Closed:
        """Return the closing tag that is due here, be it in another spelling."""
        spelt, due = self.grammar.spellings.get(closer), behind_blanks(self.text, at, self.end)
        if spelt and self.text.startswith(spelt, due, self.end):
            found = Span(due, due + len(spelt))
            return Closed(*found, repairs=self.respelt(found, closer))
        return closing_tag(self.text, at, self.end, closer, self.options)

    def respelt(self, found: Span, closer: str) -> tuple[Repair, ...]:
        """Return the repair of a closing tag in another spelling; none where it is the format's."""
        before = found.of(self.text)
        if before == closer:
            return ()
        if RepairKind.TAG_SPELLING not in self.options.repairs:
            raise RefusedError(Issue(Reason.TAG_SPELLING, found, f"Expected {closer}"))
        return (Repair(RepairKind.TAG_SPELLING, found, before, closer),)

    # Where a call ends that can't be read

    def refused_end(self, start: int) -> int:
        """Return what is behind its closing tag, or where the next call begins."""
        grammar = self.grammar
        following = self.source.search(grammar.next_call, start, self.end)
        at = self.source.search(grammar.call_close, start, following)
        close = grammar.call_close.match(self.text, at, following)
        return close.end() if close else following

    def behind_nested(self, start: int) -> int:
        """Return where a call ends that may hold others."""
        return behind_nested(self.text, start, self.end, self.grammar.brackets)


def _adds(close: Closed) -> bool:
    """Return whether a closing tag is missing, and a repair adds it."""
    return any(repair.kind is RepairKind.UNCLOSED_TAG for repair in close.repairs)
