"""Calls of offered names that no dialect has parsed, in fences and in prose."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Span
from actionledger.core.vocabulary import Reason
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.evidence.arguments import NoCallError
from actionledger.reading.evidence.names import Form, Mention
from actionledger.reading.evidence.own_marks import prefix_before
from actionledger.reading.evidence.places import stands_alone
from actionledger.reading.evidence.rests import NAMELESS, end_of_call, has_names, is_signature, own_span
from actionledger.reading.evidence.statements import Run, Statements, chain_before
from actionledger.reading.evidence.stretches import Stretch
from actionledger.reading.evidence.tags import (
    end_of_lines,
    escaped_opening_of,
    is_filled,
    is_setting,
    opening_of,
)
from actionledger.reading.scan.openings import text_before
from actionledger.reading.scan.source import Source

_CODE = regex(
    r"^[ \t]*+(?:@\w|(?:async[ \t]++def|def|class|import|from|for|if|elif|else|while|with|try|except|return|raise|lambda|del|global"
    r"|function(?![ \t]*+:)|public|private|static|package|using|func|fn|let|const|var|export|assert|yield)\b(?![ \t]*+[:(=]?[ \t]*+\"))"
    r"|^[ \t]*+(?:#include|#!|</?\w+>[ \t]*+$|\$[ \t])",
    re.MULTILINE,
)
_DEFINES = regex(
    r"\b(?:(?:def|class|function|func|fn|async[ \t]+def)[ \t]+|lambda\b[^\n:(){}]{0,60}:[ \t]*)\Z"
)
_LOOKS_LIKE_CODE = regex(
    r"^[ \t]*+(?:[^\W\d][\w.\[\]\"']*+[ \t]*+[-+*/|]?=(?!=)|(?:(?:await|return)[ \t]*+)?[^\W\d][\w.]*+\(|[)\]}]+[;,]?[ \t]*+$)|[;{][ \t]*+$",
    re.MULTILINE,
)
_DIFF = regex(r"\s*+(?:`{3,}+|~{3,}+)[ \t]*+(?:diff|patch|udiff)\b", re.IGNORECASE)
_BLANK_LINE = regex(r"\n[ \t\r]*+\n")
_LINE_OPENS = regex(r"^[^\w\n]{0,12}?(?=[\[{(])", re.MULTILINE)
_PARAGRAPH = 2_000
"""The searched part of a paragraph before and after a call, in code points."""

_ABOVE = 4_000
_BESIDE = 400
"""The distance before a name in which its value may begin, on lines above it and on its own, in code points."""

_WITHOUT_JSON: frozenset[Form] = frozenset({"lines", "options"})
_NO_JSON = "Its arguments are lines or options."

_MARKS_LOST = "Marks of its format are missing."
_LOST: dict[Form, str] = {"rest": NAMELESS, "left": _MARKS_LOST, "cut": "The text ends behind its name."}
"""The message about a call that is never read, by its form."""

_MOST_LOST = 100
"""The maximum of separate lost calls; further ones in a stretch are lost together with the next one."""

_MOST_STARTS = 6
_WORK = 24


class Candidate(NamedTuple):
    """A place where an offered name is called."""

    span: Span  # all of it, with its fence
    body: Span  # its fence's content; the same as `span` without a fence
    run: Run | None  # the calls; None if they are unreadable
    issue: Issue | None  # why they are unreadable; None if they aren't
    is_alone: bool  # whether nothing else is on its lines, or in its fence
    is_code: bool = False  # whether there is code around it
    fence: Span | None = None  # the fence that holds it


class Candidates:
    """Finds a response's candidates."""

    def __init__(self, source: Source, statements: Statements, mentions: Sequence[Mention]) -> None:
        self.text = source.text
        self.statements = statements
        self._mentions = mentions
        self._starts_of = [mention.start for mention in mentions]
        self._written = Span(behind_blanks(self.text, 0, len(self.text)), len(self.text.rstrip()))
        self._lost_so_far = 0
        self._most_work = _WORK * len(source.text) + 100_000

    def within(self, stretch: Stretch) -> Iterator[Candidate]:
        """Yield the candidates of a stretch in text order, never overlapping."""
        first, last = (bisect_left(self._starts_of, at) for at in stretch.span)
        mentions = self._mentions[first:last]
        if not mentions:
            return
        for candidate in self._candidates(stretch, mentions):
            first, last = (bisect_left(self._starts_of, at) for at in candidate.span)
            named = self._mentions[first:last]
            if any(each.is_capital for each in named):
                yield from self._in_capitals(candidate, named)
            else:
                yield self._or_code(candidate, named)

    def _in_capitals(self, candidate: Candidate, named: Sequence[Mention]) -> Iterator[Candidate]:
        """Yield a candidate whose name differs only in capitals as a lost call; nothing if it is another tag."""
        if candidate.run is None and all(each.is_capital for each in named):
            return
        meant = next(each for each in named if each.is_capital)
        detail = f"The name is {meant.span.of(self.text)!r}; the tool is called {meant.name!r}."
        issue = Issue(Reason.UNKNOWN_ACTION, candidate.span, detail)
        yield candidate._replace(run=None, issue=issue)

    def _or_code(self, candidate: Candidate, named: Sequence[Mention]) -> Candidate:
        """Return a candidate, marked as code if its names may be a program's own: ``readFile('a')`` in a text about it."""
        is_recased = named and all(each.is_recased and each.form in {"call", "object"} for each in named)
        is_all = candidate.span.start <= self._written.start and self._written.end <= candidate.span.end
        if is_all or not is_recased:
            return candidate
        issue = Issue(
            Reason.EXAMPLE, candidate.span, "It may be a function of a program by nearly that name."
        )
        return candidate._replace(run=None, issue=issue, is_code=True)

    def _candidates(self, stretch: Stretch, mentions: Sequence[Mention]) -> Iterator[Candidate]:
        if not stretch.is_fence:
            yield from self._in_the_open(stretch.body, mentions, None)
            return
        if _DIFF.match(self.text, *stretch.span):
            issue = Issue(Reason.EXAMPLE, mentions[0].span, "It is part of a change to a file.")
            yield Candidate(stretch.span, stretch.body, None, issue, True, True, stretch.span)
            return
        run = self._run(stretch.body.start, stretch.body.end, None)
        if not isinstance(run, Run) and mentions[0].form in {"tag", *_WITHOUT_JSON}:
            run = self._covering(mentions[0], stretch.body.start, stretch.body)
        if isinstance(run, Run) and not self.text[run.span.end : stretch.body.end].strip():
            yield Candidate(stretch.span, stretch.body, run, None, is_alone=True, fence=stretch.span)
            return
        body = stretch.body.of(self.text)
        if _CODE.search(body) or self._is_program(run, stretch.body, mentions):
            issue = Issue(Reason.EXAMPLE, mentions[0].span, "It is part of a program.")
            yield Candidate(
                stretch.span, stretch.body, None, issue, is_alone=True, is_code=True, fence=stretch.span
            )
            return
        is_lost = mentions[0].form in _LOST
        if isinstance(run, Issue) and not is_lost and self._is_all(stretch, mentions):
            place = self._unread_span(mentions[0], run, stretch.body.start, stretch.body)
            is_code = self._states_code(run, place, stretch.body)
            yield Candidate(
                stretch.span, stretch.body, None, run, is_alone=True, is_code=is_code, fence=stretch.span
            )
            return
        yield from self._in_the_open(stretch.body, mentions, stretch.span)

    def _is_program(self, run: Run | Issue | None, body: Span, mentions: Sequence[Mention]) -> bool:
        """Return whether the rest of a fence's content is code rather than prose."""
        if isinstance(run, Run):
            rest = self.text[body.start : run.span.start] + self.text[run.span.end : body.end]
        else:
            line = self.text.rfind("\n", body.start, mentions[0].start) + 1
            rest = self.text[body.start : max(line, body.start)]
        return _LOOKS_LIKE_CODE.search(rest) is not None

    def _is_all(self, stretch: Stretch, mentions: Sequence[Mention]) -> bool:
        """Return whether an unreadable call is the fence's content, rather than a sentence in it."""
        lead, _ = self.statements.leads(stretch.body.start, stretch.body.end)
        if mentions[0].form in _WITHOUT_JSON:
            return "\n" not in self.text[lead : mentions[0].start]
        first = chain_before(self.text, mentions[0].start, stretch.body.start)
        return lead >= first or self.text[lead : lead + 1] in set("[{(\"'")

    def _in_the_open(
        self, body: Span, mentions: Sequence[Mention], fence: Span | None
    ) -> Iterator[Candidate]:
        low = body.start
        for mention in mentions:
            if mention.start < low or mention.start >= body.end:
                continue
            candidate = self._at(mention, low, body, fence)
            if candidate is not None:
                yield candidate
                low = candidate.span.end

    def _at(self, mention: Mention, low: int, body: Span, fence: Span | None) -> Candidate | None:
        """Return the candidate at a mention; None for a tag that is a word."""
        if mention.form in _LOST:
            return self._lost(mention, low, body, fence, _LOST[mention.form])
        read = self._covering(mention, low, body)
        if mention.form == "own" and not (isinstance(read, Run) and self._is_alone(read.span, body)):
            return self._lost(mention, low, body, fence, _MARKS_LOST)
        if isinstance(read, Run):
            span = read.span
            is_alone = self._is_alone(span, body)
            return Candidate(span, span, read, None, is_alone, self._is_in_code(span, body), fence)
        if mention.form == "tag" and not self._is_filled(mention, low, body.end):
            return None
        span = self._unread_span(mention, read, low, body)
        issue = Issue(read.code, span, read.detail)
        is_code = self._states_code(read, span, body)
        is_alone = self._begins_line(mention, span.start, low)
        return Candidate(span, span, None, issue, is_alone, is_code, fence)

    def _is_alone(self, span: Span, body: Span) -> bool:
        return stands_alone(self.text, span, body.start)

    def _lost(self, mention: Mention, low: int, body: Span, fence: Span | None, why: str) -> Candidate:
        """Return a call with some of its format's marks. No sentence holds these, though a quotation may."""
        span = own_span(self.text, mention, low, body.end)
        self._lost_so_far += 1
        if self._lost_so_far > _MOST_LOST:
            last = self._mentions[bisect_left(self._starts_of, body.end) - 1]
            span = Span(span.start, max(span.end, min(last.end, body.end)))
        is_alone = self.text[span.start - 1 : span.start] not in set("`'\"")
        if mention.form == "cut":
            span = Span(self._begin_of_cut(mention, span.start, low), span.end)
            is_alone = self._is_alone(span, body)
            issue = Issue(Reason.TRUNCATED, span, why)
            return Candidate(span, span, None, issue, is_alone, fence=fence)
        issue = Issue(Reason.WRONG_SHAPE, span, why)
        return Candidate(span, span, None, issue, is_alone, self._is_in_code(span, body), fence)

    def _begin_of_cut(self, mention: Mention, start: int, low: int) -> int:
        """Return where a value begins that the text's end cuts off after the name of its call."""
        line = max(low, self.text.rfind("\n", low, mention.start) + 1)
        opens = [at for sign in "[{" if (at := self.text.find(sign, line, mention.start)) >= 0]
        return min([start, *opens])

    def _unread_span(self, mention: Mention, why: Issue, low: int, body: Span) -> Span:
        """Return the span of an unreadable call, with everything before and after it that belongs to it."""
        start, end = mention.start, mention.end
        if why.span:
            start = min(start, why.span.start) if why.span.start >= low else start
            end = max(end, min(why.span.end, body.end))
        if mention.form == "tag" and (opens := escaped_opening_of(self.text, mention, low, body.end)) >= 0:
            start = opens
        if mention.form not in {"call", "object"}:
            return Span(start, end)
        if self.statements.work <= self._most_work:
            end = max(end, end_of_call(self.text, mention, body.end))
            self.statements.work += end - mention.end
        end, _ = self.statements.tails(end, body.end)
        line = max(low, self.text.rfind("\n", low, mention.start) + 1)
        lead, _ = self.statements.leads(line, body.end)
        if chain_before(self.text, mention.start, low) <= lead <= mention.start:
            start = min(start, behind_blanks(self.text, line, lead))
        return Span(start, end)

    def _is_filled(self, mention: Mention, low: int, end: int) -> bool:
        is_escaped = escaped_opening_of(self.text, mention, low, end) >= 0
        return is_escaped or is_filled(self.text, mention, end)

    def _begins_line(self, mention: Mention, start: int, low: int) -> bool:
        first = min(start, chain_before(self.text, mention.start, low))
        if not text_before(self.text, first).strip(" \t*_`>"):
            return True
        line = max(low, self.text.rfind("\n", low, first) + 1)
        opens, _ = self.statements.leads(line, first)
        return mention.form in {"text", "pair", "key"} and self.text.startswith(("{", "["), opens)

    def _states_code(self, why: Issue, span: Span, body: Span) -> bool:
        """Return whether an unreadable call is code, in itself or in its context."""
        if why.code is Reason.EXAMPLE or self._is_in_code(span, body) or is_signature(self.text, span):
            return True
        before = Span(max(body.start, span.start - _PARAGRAPH), span.start)
        behind = Span(span.end, min(body.end, span.end + _PARAGRAPH))
        return has_names(why) and (self._has_code(before) or self._has_code(behind))

    def _has_code(self, part: Span) -> bool:
        """Return whether a line looks like code without a call of an offered name."""
        for line in _LOOKS_LIKE_CODE.finditer(self.text, *part):
            mention = bisect_left(self._starts_of, line.start())
            end = self.text.find("\n", line.end(), part.end)
            if mention == len(self._starts_of) or self._starts_of[mention] >= (end if end >= 0 else part.end):
                return True
        return False

    def _covering(self, mention: Mention, low: int, body: Span) -> Run | Issue:
        """Parse the run of calls that holds a mention, or return why there is none."""
        worst: Issue | None = None
        end = body.end
        if mention.form in _WITHOUT_JSON:
            start = behind_blanks(
                self.text, max(low, self.text.rfind("\n", low, mention.start) + 1), mention.start
            )
            span = Span(start, end_of_lines(self.text, mention, end))
            if mention.form == "lines" and is_setting(
                self.text, mention, span, body.start, self.statements.offer
            ):
                return Issue(Reason.EXAMPLE, span, "It is a setting of a document.")
            return Issue(Reason.WRONG_SHAPE, span, _NO_JSON)
        if (opens := opening_of(self.text, mention, low)) >= 0:
            try:
                return self.statements.tagged(opens, mention, end)
            except NoCallError as error:
                worst = error.issue
        if mention.form == "tag" and escaped_opening_of(self.text, mention, low, end) >= 0:
            return Issue(Reason.WRONG_SHAPE, mention.span, "The signs of its tags are escaped.")
        if mention.form == "tag":
            return worst or Issue(Reason.NOT_AN_ACTION, mention.span, "It is a tag of its own.")
        for start in self._starts(mention, low):
            run = self._run(start, end, mention)
            if isinstance(run, Run):
                return run
            if run is not None and (worst is None or worst.code is Reason.NOT_AN_ACTION):
                worst = run
        detail = "It is called within something else."
        return worst or Issue(Reason.NOT_AN_ACTION, mention.span, detail)

    def _run(self, start: int, end: int, mention: Mention | None) -> Run | Issue | None:
        """Parse a run from here; None if it doesn't reach the mention, an issue if it is unreadable."""
        if self.statements.work > self._most_work:
            return Issue(Reason.TOO_MUCH_WORK, Span(start, end))
        try:
            run = self.statements.run_at(start, end)
        except NoCallError as error:
            return error.issue
        if mention and not run.span.start <= mention.start < run.span.end:
            return None
        return run

    def _starts(self, mention: Mention, low: int) -> list[int]:
        """Return where the value that holds a mention may begin, the likeliest place first."""
        text = self.text
        paragraph = max(low, mention.start - _ABOVE)
        line = max(low, text.rfind("\n", low, mention.start) + 1)
        chain = chain_before(text, mention.start, low)
        starts: list[int] = [line]
        if mention.form in {"call", "object", "own"}:
            starts.append(chain)
            starts.append(max(low, prefix_before(text, mention.start)))
        outer = [found.end() for found in _LINE_OPENS.finditer(text, paragraph, mention.start)]
        starts += outer[:2] + outer[-2:]
        inner = [at for at in range(max(line, mention.start - _BESIDE), mention.start) if text[at] in "[{("]
        if mention.form not in {"call", "object", "own"}:
            starts += inner[:2] + inner[-2:]
            before = text.rfind("{", paragraph, mention.start)
            starts += [before] if before >= low else []
        else:
            starts += inner[:1]
        return list(dict.fromkeys(starts))[:_MOST_STARTS]

    def _is_in_code(self, span: Span, body: Span) -> bool:
        """Return whether the paragraph of a span holds a definition, an import or another statement."""
        text = self.text
        if _DEFINES.search(text[max(body.start, span.start - _MOST_BLANKS) : span.start]):
            return True
        if _WITHIN.search(text[max(body.start, span.start - _MOST_BLANKS) : span.start]):
            return True
        first, last = max(body.start, span.start - _PARAGRAPH), min(body.end, span.end + _PARAGRAPH)
        start = max(first, text.rfind("\n\n", first, span.start))
        gap = _BLANK_LINE.search(text, span.end, last)
        paragraph = (
            text[start : span.start],
            text[span.end : gap.start() if gap else last],
        )
        return any(_CODE_LINE.search(part) for part in paragraph)


_MOST_BLANKS = 80
_WITHIN = regex(r"(?:(?:\w|=[ \t]*+)[\[({]|[\])}\"'],)[ \t\r]*+\n[ \t]*+\Z")
"""The end of a line that continues on the next one."""

_CODE_LINE = regex(
    r"^[ \t]*+(?:(?:async[ \t]++)?def[ \t]++\w++[ \t]*+\([^\n]*:[ \t\r]*+$|class[ \t]++\w++(?:\([^\n()]*+\))?+:[ \t\r]*+$"
    r"|import[ \t]++[\w., ]++$|from[ \t]++[\w.]++[ \t]++import\b|return\b|(?:const|let|var)[ \t]++\w++[ \t]*+=|function[ \t]++\w++\()"
    r"|^(?P<margin>[ \t]*+)(?:(?:async[ \t]++)?(?:for|with)|if|while|except|elif|match|case|(?:try|else|finally)(?=[ \t]*+:))\b"
    r"[^\n]*:[ \t\r]*+\n(?P=margin)[ \t]"
    r"|^[^\n\"']*\)[^\n\"'(){}]{0,40}\{[ \t\r]*+\n[ \t]",
    re.MULTILINE,
)
"""The beginning of a definition, an import or another statement. Sentences begin with some of these words and end with a colon,
too: an indented line below shows a statement.
"""
