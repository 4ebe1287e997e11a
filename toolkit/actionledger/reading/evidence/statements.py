"""Calls as statements in sequence, with harmless text that models put before and after them.

``print(…)`` around a call, ``await`` or a name for its result before it, special tokens, backticks, list markers and
semicolons are skipped, each with a named repair. Anything else ends the run of statements.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from actionledger.core.patterns import regex
from actionledger.core.values import Issue, Repair, Span
from actionledger.core.values.calls import parameters_of
from actionledger.core.vocabulary import Reason, RepairKind
from actionledger.reading.dialects.base import Written
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.dialects.parts.value_faults import unless_doubtful
from actionledger.reading.evidence.arguments import ARGUMENT_KEYS, NoCallError, holds_call, texts_in, tidied
from actionledger.reading.evidence.names import Mention, names_of
from actionledger.reading.evidence.own_marks import mark_behind, prefix_before
from actionledger.reading.evidence.rests import is_signature
from actionledger.reading.evidence.shapes import Shapes, is_envelope
from actionledger.reading.evidence.stretches import with_keywords, with_plain_names, without_filler
from actionledger.reading.evidence.tags import opening_of, tagged_at
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json import Call, Decoded, decode
from actionledger.reading.tolerant_json.faults import DecodeOptions

_MARK = (
    r"<\|tool_call>(?:call:)?+|<tool_call\|>|<\|(?!(?:start_header_id|im_start|start|turn)\|)[^|<>\n]{1,40}+\|>|<｜[^｜<>\n]{1,40}+｜>|\[/?[A-Z][A-Z_]{2,30}+\]|</?s>|◁[^◁▷\n]{1,40}+▷"
    r"|</?[A-Za-z][\w:-]{0,40}+(?:[ =][^<>\n]{0,80}+)?+>|&lt;/?[A-Za-z][\w:-]{0,40}+&gt;|\\</?[A-Za-z][\w:-]{0,40}+\\?>"
)
"""A special token, or a tag of no format."""

_TURN = r"<\|start_header_id\|>assistant<\|end_header_id\|>|<\|im_start\|>assistant\b|<start_of_turn>model\b"
"""The beginning of the answer's own turn."""

_ASSIGNED = (
    r"(?:(?:const|let|var)[ \t]++)?+[^\W\d][\w]*+(?:[ \t]*+:[ \t]*+[\w\[\], .|]{1,60}?)?[ \t]*+=(?!=)[ \t]*+"
)

_LEAD = regex(
    rf"(?P<blank>\s++)|(?P<comment>\#(?!\#)[^\n]*+(?=\n|\Z)|//[^\n]*+(?=\n|\Z))|(?P<mark>{_TURN}|{_MARK}|`{{1,2}}(?!`)|\*\*|functools(?=\[))"
    rf"|(?P<awaited>await\b[ \t]*+)|(?P<assigned>{_ASSIGNED})|(?P<comma>[,;])|(?P<item>(?:[-*+•]|\d{{1,2}}[.)])[ \t]++)"
    rf"|(?P<label>(?:(?:[Tt]ool|[Ff]unction|API)[ _]?)?(?:[Cc]alls?|[Aa]ctions?|[Oo]utput|[Aa]nswer)[ \t]*+:[ \t]*+(?=[\[{{(\"'`\w]))"
)
_TAIL = regex(
    rf"(?P<blank>[ \t]++)|(?P<mark>{_MARK}|`{{1,2}}(?!`)|\*\*)|(?P<comma>[;,](?!\s*+[)\]}}]))|(?P<junk>[;,]|[)\]}}\"'](?=[ \t]*+(?:[;,)\]}}\"'`]|\r?\n|\Z|<)))"
    rf"|(?P<comment>(?:\#|//)[^\n]*+(?=\n|\Z))|(?P<dot>[.:。：](?=[ \t]*+(?:\r?\n|\Z)))"
)
_KINDS = {
    "mark": RepairKind.STRAY_MARK,
    "awaited": RepairKind.CALL_AWAITED,
    "assigned": RepairKind.CALL_ASSIGNED,
    "comment": RepairKind.COMMENT,
    "junk": RepairKind.EXTRA_CLOSER,
}
_NAMED_OBJECT = regex(
    rf"[ \t]*+:?+\s*+(?:(?:{'|'.join(ARGUMENT_KEYS)})[ \t]*+[:=]\s*+)?+(?=\{{)", re.IGNORECASE
)
_UNCLEAR = frozenset({Reason.AMBIGUOUS, Reason.MALFORMED_JSON, Reason.TRUNCATED})
_QUOTE_GUESSES = frozenset({RepairKind.INNER_QUOTE, RepairKind.UNCLOSED_STRING})
_CALL = regex(r"[^\W\d][\w.\\-]{0,200}+[ \t]?\(")
_PRINTS = regex(r"print\([ \t]*+[^\W\d]\w*+(?:[ \t]*+,[ \t]*+[^\W\d]\w*+)*+[ \t]*+\)[ \t]*+;?+(?=\s|\Z|#)")
_ENDS_STATEMENT = regex(r"[ \t]*+(?:\r?\n|\Z|[;,])")
_CONTINUES = regex(
    r"[ \t]*+(?!-->)(?:\.[^\W\d]|\[(?!/?[A-Z])|[-+/%|&]|\*(?!\*[^\w\n]*+(?:\n|\Z))|==|if\b[^\n]*\belse\b|for[ \t]++\w++[ \t]++in\b)"
)


class Run(NamedTuple):
    """Calls in sequence."""

    span: Span  # where they are, with what belongs to them before and after
    first: int  # where the first of them begins
    actions: tuple[Written, ...]  # the calls
    repairs: tuple[Repair, ...]  # repairs, issues: what was changed, what is wrong, in text order
    issues: tuple[Issue, ...]


class Statements:
    """Parses calls as statements."""

    def __init__(
        self, source: Source, offer: frozenset[str], options: DecodeOptions, mentions: Sequence[Mention]
    ) -> None:
        self.source, self.text = source, source.text
        self.plain = with_plain_names(source.text, mentions)
        self.offer = offer
        self.names = names_of(offer)
        self.options = options.model_copy(update={"calls": True})
        self.work = 0
        """The number of characters read so far."""

    def run_at(self, start: int, end: int) -> Run:
        """Parse the calls that begin here, in sequence."""
        shapes = Shapes(self.text, self.names, self.offer, self.options)
        actions: list[Written] = []
        repairs: list[Repair] = []
        at, stop, first = start, start, -1
        while True:
            behind, leading = self.leads(at, end)
            if actions and (printed := _PRINTS.match(self.text, behind, end)):
                place = Span(behind, printed.end())
                repairs += [*leading, Repair(RepairKind.CALL_IN_PRINT, place, place.of(self.text), "")]
                at = stop = printed.end()
                continue
            known = len(shapes.deviations.repairs), len(shapes.issues)
            try:
                read, value_end = self._statement(shapes, behind, end)
            except NoCallError:
                if not actions:
                    raise
                del shapes.deviations.repairs[known[0] :], shapes.issues[known[1] :]
                break
            first = first if actions else behind
            actions += read
            repairs += leading
            at, trailing = self.tails(value_end, end)
            repairs += trailing
            stop = at
            goes_on = bool(trailing) or self.text[value_end:at].strip() != ""
            if not goes_on and not _ENDS_STATEMENT.match(self.text, at, end) and not self.leads(at, end)[1]:
                break
        found = tuple(tidied(self._as_written([*shapes.deviations.repairs, *repairs])))
        if self.plain != self.text:
            actions = [each._replace(arguments=without_filler(each.arguments)) for each in actions]
        begins = min([first, *(repair.span.start for repair in found)])
        span = Span(begins, max(stop, *(repair.span.end for repair in found)) if found else stop)
        return Run(span, first, tuple(actions), found, _ordered(shapes.issues, span))

    def tagged(self, start: int, mention: Mention, end: int) -> Run:
        """Parse the calls in tags named after tools, in sequence."""
        actions: list[Written] = []
        repairs: list[Repair] = []
        at: int = start
        following: Mention | None = mention
        while following is not None:
            parameters = parameters_of(self.offer, following.name)
            tagged = tagged_at(self.source, Span(at, end), following, parameters, self.options)
            self.work += tagged.span.end - at
            actions.append(Written(following.name, tagged.arguments, tagged.span))
            repairs += tagged.repairs
            stop = tagged.span.end
            at = behind_blanks(self.text, stop, end)
            following = next(self.names.mentions(self.text, at, min(end, at + _NEAR)), None)
            if following and opening_of(self.text, following, at) != at:
                following = None
        wrapped = _OPENS_WRAPPER.search(self.text[max(0, start - _NEAR) : start])
        begins = start - len(wrapped[0]) if wrapped else start
        if wrapped:
            place = Span(begins, start)
            repairs.insert(0, Repair(RepairKind.STRAY_MARK, place, place.of(self.text), ""))
        return Run(Span(begins, stop), start, tuple(actions), tuple(tidied(repairs)), ())

    def _as_written(self, repairs: list[Repair]) -> list[Repair]:
        """Return repairs with the response's own text before them, since the decoder has read another text."""
        made = [replace(repair, before=repair.span.of(self.text)) for repair in repairs]
        return [repair for repair in made if repair.before != repair.after]

    def _statement(self, shapes: Shapes, at: int, end: int) -> tuple[list[Written], int]:
        """Parse one value that holds calls; return its end as well."""
        text = self.text
        if (named := self._named_object(at, end)) is not None:
            name, begins = named
            decoded = self._decoded(begins, end)
            if not isinstance(decoded.value, dict):
                raise NoCallError(Reason.WRONG_SHAPE, Span(at, decoded.end))
            if is_envelope(decoded.value, name, self.names, parameters_of(self.offer, name)):
                return shapes.calls_in(decoded), decoded.end
            if is_signature(text, Span(begins, decoded.end)) and _has_bare_words(decoded):
                raise NoCallError(Reason.EXAMPLE, Span(at, decoded.end), "It says what the tool takes.")
            shapes.deviations.repairs += decoded.repairs
            shapes.issues += decoded.issues
            head = Span(at, begins)
            shapes.deviations.repairs.append(
                Repair(RepairKind.CALL_AS_TEXT, head, head.of(text), f'{{"name": "{name}", "arguments": ')
            )
            return [Written(name, decoded.value, Span(at, decoded.end))], decoded.end
        if pair := _PAIR.match(text, at, end):
            return self._bracketed_pair(shapes, pair, end)
        if at >= end or not (text[at] in "[{(\"'“" or self._is_call(at, end)):
            raise NoCallError(Reason.NOT_AN_ACTION, Span(at, min(at + 1, end)))
        try:
            decoded = self._decoded(at, end)
        except NoCallError as error:
            if text[at] != "[" or error.issue.code not in _UNCLEAR:
                raise
            return self._elements(shapes, at, end, error)
        if isinstance(decoded.value, Call) and _CONTINUES.match(text, decoded.end, end):
            raise NoCallError(Reason.EXAMPLE, Span(at, decoded.end), "The call is part of an expression.")
        return shapes.calls_in(decoded), decoded.end

    def _elements(self, shapes: Shapes, start: int, end: int, why: NoCallError) -> tuple[list[Written], int]:
        """Parse the calls of an unreadable list one by one; a quote may close more in the list than in a call."""
        written: list[Written] = []
        at = start + 1
        while True:
            at = behind_blanks(self.text, at, end)
            if not self._is_call(at, end):
                raise why
            decoded = self._decoded(at, end)
            written += shapes.calls_in(decoded)
            at = behind_blanks(self.text, decoded.end, end)
            if self.text.startswith("]", at, end):
                return written, at + 1
            if not self.text.startswith(",", at, end):
                raise why
            at += 1

    def _swallows(self, decoded: Decoded) -> bool:
        """Return whether a quote that was read as content may have closed its string: the string holds another call."""
        if not any(repair.kind in _QUOTE_GUESSES for repair in decoded.repairs):
            return False
        return any(
            mention.form == "call"
            for held in texts_in(decoded.value)
            for mention in self.names.mentions(held, 0, len(held))
        )

    def _bracketed_pair(self, shapes: Shapes, pair: re.Match[str], end: int) -> tuple[list[Written], int]:
        """Parse ``("f", {…})``."""
        name = self.names.meant(pair["name"])
        decoded = self._decoded(pair.end(), end)
        closes = _CLOSES_PAIR.match(self.text, decoded.end, end)
        has_closer = self.text.endswith(
            ")", pair.start(), decoded.end
        )  # then the decoder counted it as an extra one
        if (
            name is None
            or not (closes or has_closer)
            or not isinstance(decoded.value, dict)
            or holds_call(decoded.value)
        ):
            raise NoCallError(Reason.NOT_AN_ACTION, Span(pair.start(), decoded.end))
        stop = closes.end() if closes else decoded.end
        shapes.deviations.repairs += [each for each in decoded.repairs if each.span.end < stop]
        after = f'{{"name": "{name}", "arguments": '
        shapes.deviations.repairs.append(Repair(RepairKind.CALL_AS_PAIR, Span(*pair.span()), pair[0], after))
        return [Written(name, decoded.value, Span(pair.start(), stop))], stop

    def _decoded(self, at: int, end: int) -> Decoded:
        decoded = self._decoded_in(self.plain, at, end)
        if (not decoded.ok or decoded.cut) and (self._is_call(at, end)):
            otherwise, noted, behind = with_keywords(self.plain, at, end)
            self.work += _COST + max(behind - at, len(otherwise))
            again = self._decoded_in(otherwise, 0, len(otherwise)).moved(at) if noted else decoded
            if again.ok and not again.cut:
                return replace(again, evidence=replace(again.evidence, before=tuple(noted)))
        if decoded.ok and self._swallows(decoded):
            raise NoCallError(
                Reason.AMBIGUOUS, Span(at, decoded.end), "A string may end before another call."
            )
        if not decoded.ok:
            issue = decoded.issues[0]
            span = issue.span or Span(at, decoded.end)
            raise NoCallError(issue.code, Span(at, max(span.end, at)), issue.detail)
        if decoded.cut and not self._lacks_brackets_alone(decoded):
            raise NoCallError(Reason.TRUNCATED, Span(at, decoded.end))
        return decoded

    def _lacks_brackets_alone(self, decoded: Decoded) -> bool:
        """Return whether a list of whole calls lacks only its closing bracket at the text's end."""
        is_list = isinstance(decoded.value, list) and bool(decoded.value)
        ends_whole = self.text[decoded.start : decoded.end].rstrip().endswith((")", "}"))
        return is_list and ends_whole and all(each is decoded.value for each in decoded.cut)

    def _is_call(self, at: int, end: int) -> bool:
        call = _CALL.match(self.plain, at, end)
        return call is not None

    def _decoded_in(self, text: str, at: int, end: int) -> Decoded:
        decoded = unless_doubtful(text, decode(text, at, options=self.options, end=end))
        self.work += max(0, decoded.end - at) + 1
        return decoded

    def _named_object(self, at: int, end: int) -> tuple[str, int] | None:
        """Return the name before an object with its arguments, and where that object begins."""
        spelt = _NAME.match(self.text, at, end)
        name = self.names.meant(spelt[0]) if spelt else None
        if spelt is None or name is None:
            return None
        gap = _NAMED_OBJECT.match(self.text, mark_behind(self.text, spelt.end()) or spelt.end(), end)
        return (name, gap.end()) if gap else None

    def leads(self, at: int, end: int) -> tuple[int, list[Repair]]:
        """Return where a statement begins after skippable text, and the repairs that skip it."""
        return _passed(_LEAD, self.plain, at, end)

    def tails(self, at: int, end: int) -> tuple[int, list[Repair]]:
        return _passed(_TAIL, self.text, at, end)


_NAME = regex(r"[^\W\d][\w.\\-]{0,200}+")
_PAIR = regex(r"""\(\s*+(?P<quote>["'])(?P<name>[^"'\n]{1,120}+)(?P=quote)\s*+,\s*+(?=\{)""")
_CLOSES_PAIR = regex(r"\s*+,?+\s*+\)")


def chain_before(text: str, at: int, low: int) -> int:
    """Return where everything that belongs to a call's name begins: module, ``await``, brackets and quotes around it."""
    start = prefix_before(text, at)
    window = max(low, start - _WINDOW)
    found = _CHAIN.search(text[window:start])
    return max(low, window + found.start() if found else start)


_OPENS_WRAPPER = regex(r"<(?:tool_calls?|function_calls?)>\s*+\Z")
_WINDOW = 120
_NEAR = 160
_MOST_MARKS = 24
_COST = 2_000
"""The assumed minimal cost of reading a broken call again, in characters."""
_CHAIN = regex(rf"(?:functools(?=\[)|print\(\s*+|await[ \t]++|{_ASSIGNED}|[\[({{]\s*+|[\"'`])++\Z")


def _has_bare_words(decoded: Decoded) -> bool:
    return any(repair.kind is RepairKind.UNQUOTED_VALUE for repair in decoded.repairs)


def _passed(pattern: re.Pattern[str], text: str, at: int, end: int) -> tuple[int, list[Repair]]:
    repairs: list[Repair] = []
    for _ in range(_MOST_MARKS):
        found = pattern.match(text, at, end)
        if not found or found.end() == at:
            break
        kind = _KINDS.get(found.lastgroup or "")
        if kind:
            repairs.append(Repair(kind, Span(*found.span()), found[0], ""))
        at = found.end()
    return at, repairs


def _ordered(issues: list[Issue], span: Span) -> tuple[Issue, ...]:
    return tuple(sorted((issue for issue in issues), key=lambda issue: issue.span or span))
