"""Judge calls that no dialect has read by their place.

Calls that are the whole response are meant. So is the last block, or several on lines of their own, unless
the words around them say otherwise. In a sentence they are an issue, and in a quotation or a program an example.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, islice
from typing import Literal, NamedTuple, TypeAlias

from actionledger.core.values import Issue, Repair, Span
from actionledger.core.values.calls import parameters_of
from actionledger.core.vocabulary import BlockStatus, Evidence, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written
from actionledger.reading.dialects.parts.markers import behind_blanks
from actionledger.reading.dialects.parts.python_source import EXPRESSIONS
from actionledger.reading.dialects.parts.truncation import unless_completed
from actionledger.reading.dialects.reasoning import may_end_thoughts, thought_closers
from actionledger.reading.evidence.arguments import ARGUMENT_KEYS, tidied
from actionledger.reading.evidence.candidates import Candidate, Candidates
from actionledger.reading.evidence.echoes import DOCUMENTED, MARKLESS, MENTIONED, READ, Placed, calls_text
from actionledger.reading.evidence.names import Mention
from actionledger.reading.evidence.places import Quotations, inked, is_choice, is_document, speaks_against
from actionledger.reading.evidence.rests import has_names, mentions_and_rests
from actionledger.reading.evidence.statements import Statements
from actionledger.reading.evidence.stretches import stretches
from actionledger.reading.scan.openings import Opening
from actionledger.reading.scan.source import Source
from actionledger.reading.tolerant_json.faults import DecodeOptions

_MOST_OVERLAPS = 100
BESIDE = "Text stands beside it on its line."
UNSAID = "An offered name is called in it."
"""The message about text with an offered name that is no call, if nothing else is known about it."""

_MEANT = frozenset({Evidence.WHOLE, Evidence.LAST, Evidence.AMONG})

EvidenceSetting: TypeAlias = Literal["ignored", "reported", "read", "read_in_sentences"]
"""The treatment of a call by evidence alone."""

_READ_AGAIN = frozenset(
    {
        Reason.MALFORMED_JSON,
        Reason.WRONG_SHAPE,
        Reason.TEXT_AFTER_VALUE,
        Reason.UNKNOWN_ACTION,
    }
)


class ByEvidence(Dialect):
    """Calls of offered tools in no format at all: what they look like, and where they stand, says that they are meant."""

    name: Literal["evidence"] = "evidence"
    source = "No format: what models write when none fits"
    example = 'get_weather(city="Paris")'
    needs_names = True

    def read(self, source: Source, opening: Opening, end: int, options: DecodeOptions) -> Found | None:  # noqa: ARG002
        """Return None: it is asked once all others are done."""
        return None


BY_EVIDENCE = ByEvidence()


class _Weighed(NamedTuple):
    candidate: Candidate
    rank: Evidence
    why: str

    def against(self, why: str) -> "_Weighed":
        """Return it as an example, with the reason."""
        return self._replace(rank=Evidence.EXAMPLE, why=why)


def with_evidence(
    source: Source, placed: Sequence[Placed], options: DecodeOptions, setting: EvidenceSetting
) -> list[Placed]:
    """Return the blocks of a response, with those by evidence alone added."""
    text, offer = source.text, source.names
    if not offer or setting == "ignored":
        return list(placed)
    mentions = _mentioned(text, offer, placed)
    if not mentions:
        return list(placed)
    return _Weighing(source, placed, options, setting, mentions).result()


def _mentioned(text: str, offer: frozenset[str], placed: Sequence[Placed]) -> list[Mention]:
    """Return where offered names are called outside of settled blocks."""
    at = 0
    mentions: list[Mention] = []
    for dialect, found in placed:
        if not is_open(dialect, found, offer) and found.reason is not Reason.REASONING:
            mentions += mentions_and_rests(text, at, found.span.start, offer)
            at = found.span.end
    return mentions + mentions_and_rests(text, at, len(text), offer)


def is_open(dialect: Dialect, found: Found, offer: frozenset[str]) -> bool:
    """Return whether a block may hold calls that its dialect did not read."""
    match found.status:
        case BlockStatus.MALFORMED:
            if found.reason is Reason.TRUNCATED or found.reason is Reason.AMBIGUOUS:
                return (
                    dialect.name in MARKLESS
                )  # after a format's own marks, a text with two readings has no third one
            return found.reason in _READ_AGAIN
        case BlockStatus.IGNORED if found.reason is Reason.EXAMPLE:
            is_program = not found.actions and all(
                issue.detail in {"It is a program.", EXPRESSIONS} for issue in found.issues
            )
            is_marked = bool(found.actions) and dialect.name not in MARKLESS
            return dialect.name not in DOCUMENTED and not is_marked and (not found.issues or is_program)
        case BlockStatus.IGNORED:
            is_mention = found.reason is Reason.CALL_IN_PROSE and dialect.name in DOCUMENTED
            return found.reason is Reason.NOT_AN_ACTION or (
                is_mention and all(_holds_arguments(action, offer) for action in found.actions)
            )
        case _:
            for action in found.actions:
                if not _holds_arguments(action, offer):
                    return False
            return bool(found.actions)


def _holds_arguments(action: Written, offer: frozenset[str]) -> bool:
    """Return whether a documented format's action has all its arguments under one key for which it has no field."""
    if _HOLDERS.isdisjoint(action.arguments):
        return False
    keys = [key for key in action.arguments if key in ARGUMENT_KEYS]
    parameters = parameters_of(offer, action.name)
    return len(keys) == 1 and parameters is not None and keys[0] not in parameters


_HOLDERS = frozenset(ARGUMENT_KEYS)


class _Weighing:
    """Weighs one response."""

    def __init__(
        self,
        source: Source,
        placed: Sequence[Placed],
        options: DecodeOptions,
        setting: EvidenceSetting,
        mentions: list[Mention],
    ) -> None:
        self.source, self.text = source, source.text
        self.placed, self.options, self.setting = placed, options, setting
        self.quotations = Quotations(self.text)
        self.statements = Statements(source, source.names or frozenset(), options, mentions)
        self.thoughts = [found.span for _, found in placed if found.reason is Reason.REASONING]
        self.inked = inked(self.text, self.thoughts)
        self.is_document = is_document(self.text)
        self.mentions = mentions
        self.starts = [mention.start for mention in mentions]

    def result(self) -> list[Placed]:
        """Return all blocks in text order."""
        kept = [(dialect, self._thought(found)) for dialect, found in self.placed]
        opened = [found for dialect, found in kept if self._is_open(dialect, found)]
        covered = [found.span for dialect, found in kept if not self._is_open(dialect, found)]
        fenced = [(found.span, found.body) for found in opened if _begins_fence(found, self.text)]
        candidates = Candidates(self.source, self.statements, self.mentions)
        weighed = [
            self._weighed(candidate)
            for stretch in stretches(self.source, covered, fenced)
            for candidate in candidates.within(stretch)
        ]
        weighed = self._judged_together(weighed)
        return self._merged(kept, [(each, self._found(each)) for each in weighed])

    def _is_open(self, dialect: Dialect, found: Found) -> bool:
        return is_open(dialect, found, self.source.names or frozenset())

    def _thought(self, found: Found) -> Found:
        """Add an issue for each call in thoughts."""
        if found.reason is not Reason.REASONING:
            return found
        first, last = (bisect_left(self.starts, at) for at in found.span)
        known = sorted(issue.span for issue in found.issues if issue.code is Reason.REASONING and issue.span)
        ends = list(accumulate((span.end for span in known), max))

        def is_known(at: int) -> bool:
            before = bisect_right(known, at, key=lambda span: span.start)
            return before > 0 and at < ends[before - 1]

        inside = [
            each for each in self.mentions[first:last] if each.form != "rest" and not is_known(each.start)
        ]
        issues = (Issue(Reason.REASONING, each.span, MENTIONED) for each in inside)
        ordered = sorted([*found.issues, *issues], key=lambda issue: issue.span or found.span)
        return found._replace(issues=tuple(ordered)) if inside else found

    @cached_property
    def _thought_until(self) -> int:
        """Return where thoughts end by a closing marker that no dialect has read; 0 if there is none."""
        if not may_end_thoughts(self.text):
            return 0
        covered = [found.span for dialect, found in self.placed if not self._is_open(dialect, found)]
        last = 0
        for stretch in stretches(self.source, covered, ()):
            closers = thought_closers(self.text, stretch.span)
            last = max([last, *(closer.end for closer in closers)])
        return last

    # One candidate

    def _weighed(self, candidate: Candidate) -> _Weighed:
        span = candidate.span
        if quoted := self.quotations.around(span):
            return _Weighed(candidate, Evidence.QUOTATION, quoted.why)
        if span.start < self._thought_until:
            return _Weighed(candidate, Evidence.QUOTATION, "It stands in the model's thoughts.")
        if candidate.is_code:
            why = candidate.issue.detail if candidate.issue and candidate.issue.detail else ""
            return _Weighed(candidate, Evidence.CODE, why or "Code stands around it.")
        if not candidate.is_alone:
            return _Weighed(candidate, Evidence.SENTENCE, BESIDE)
        if span.start <= self.inked.start and self.inked.end <= span.end:
            return _Weighed(candidate, Evidence.WHOLE, "")
        if why := speaks_against(self.source, span.start, span.end):
            return _Weighed(candidate, Evidence.EXAMPLE, why)
        if candidate.run and self.text.startswith("**", span.start):
            return _Weighed(candidate, Evidence.SENTENCE, "It is set in bold, and may be a heading.")
        if (
            candidate.fence is None
            and candidate.run
            and not any(each.arguments for each in candidate.run.actions)
        ):
            return _Weighed(candidate, Evidence.SENTENCE, "It has no arguments, and may be a mention.")
        if self.is_document:
            return _Weighed(candidate, Evidence.EXAMPLE, "The response is a document.")
        if candidate.issue and has_names(candidate.issue) and not self._ends_answer(span):
            return _Weighed(candidate, Evidence.CODE, candidate.issue.detail)
        return _Weighed(candidate, Evidence.LAST, "")

    def _ends_answer(self, span: Span) -> bool:
        """Return whether only further calls follow a stretch."""
        end = self.inked.end
        behind = behind_blanks(self.text, span.end, end)
        line = self.text.find("\n", behind, end)
        following = bisect_left(self.starts, span.end)
        is_call = following < len(self.starts) and self.starts[following] <= (line if line >= 0 else end)
        return behind >= end or is_call

    # All of them

    def _judged_together(self, weighed: list[_Weighed]) -> list[_Weighed]:
        """Judge candidates together: of two equal ones the first counts, of a choice none, next to marked calls none."""
        has_marked = any(
            found.status in READ and found.actions and dialect.name not in MARKLESS
            for dialect, found in self._settled()
        )
        stated = {
            calls_text(found.actions): found.span
            for _, found in self._settled()
            if found.status in READ and found.actions
        }
        judged: list[_Weighed] = []
        last: int | None = None
        for each in weighed:
            if each.rank not in _MEANT or not each.candidate.run:
                judged.append(each)
                continue
            span, calls = each.candidate.span, calls_text(each.candidate.run.actions)
            why = ""
            if calls in stated:
                why = "It states the same calls once more."
            elif has_marked:
                why = "Another block has its format's own marks."
            elif last is not None and is_choice(self.text[judged[last].candidate.span.end : span.start]):
                why = "It is one of two that the text offers as a choice."
                judged[last] = judged[last].against(why)
            else:
                stated[calls] = span
                if last is not None:
                    judged[last] = judged[last]._replace(rank=Evidence.AMONG)
                last = len(judged)
            judged.append(each.against(why) if why else each)
        return judged

    def _settled(self) -> list[Placed]:
        return [(dialect, found) for dialect, found in self.placed if not self._is_open(dialect, found)]

    def _found(self, weighed: _Weighed) -> Found:
        candidate, rank, why = weighed
        is_meant = rank in _MEANT
        if not candidate.run:
            return self._unread(candidate, rank, why, is_meant=is_meant)
        if rank is Evidence.SENTENCE and self.setting == "read_in_sentences":
            is_meant = True
        if not is_meant:
            code = Reason.CALL_IN_PROSE if rank is Evidence.SENTENCE else Reason.EXAMPLE
            return self._ignored(candidate, code, why, rank)
        marks = Repair(
            RepairKind.MISSING_MARKS, Span(candidate.span.start, candidate.span.start), "", "<tool_call>"
        )
        repairs = tuple(tidied([marks, *candidate.run.repairs]))
        if refused := next((repair for repair in repairs if repair.kind not in self.options.repairs), None):
            issue = Issue(
                Reason.WRONG_SHAPE, candidate.span, f"Reading it takes the repair {refused.kind.value!r}."
            )
            return self._malformed(candidate, issue, rank)
        if self.setting == "reported":
            issue = Issue(
                Reason.WRONG_SHAPE,
                candidate.span,
                "It is a call in another format than those that are read here.",
            )
            return self._malformed(candidate, issue, rank)
        found = Found(
            BlockStatus.REPAIRED,
            candidate.span,
            candidate.body,
            candidate.run.actions,
            repairs=repairs,
            issues=candidate.run.issues,
            evidence=rank,
        )
        return unless_completed(found, self.source)

    def _unread(self, candidate: Candidate, rank: Evidence, why: str, *, is_meant: bool) -> Found:
        issue = candidate.issue or Issue(Reason.NOT_AN_ACTION, candidate.span)
        if is_meant and issue.code is not Reason.NOT_AN_ACTION:
            return self._malformed(candidate, Issue(issue.code, candidate.span, issue.detail), rank)
        why = why if why and not is_meant else issue.detail or UNSAID
        return self._ignored(candidate, Reason.EXAMPLE, why, rank)

    def _ignored(self, candidate: Candidate, code: Reason, why: str, rank: Evidence) -> Found:
        actions = candidate.run.actions if candidate.run else ()
        issues = (Issue(code, candidate.span, why),)
        span, body = candidate.span, candidate.body
        return Found(BlockStatus.IGNORED, span, body, actions, reason=code, issues=issues, evidence=rank)

    def _malformed(self, candidate: Candidate, issue: Issue, rank: Evidence) -> Found:
        span, body = candidate.span, candidate.body
        return Found(BlockStatus.MALFORMED, span, body, reason=issue.code, issues=(issue,), evidence=rank)

    # Among the dialects' blocks

    def _merged(self, kept: list[Placed], found: list[tuple[_Weighed, Found]]) -> list[Placed]:
        """Return the dialects' blocks with the new ones, which replace those that they read again."""
        merged = {block.span: (dialect, block) for dialect, block in kept}
        opened = [block for dialect, block in kept if self._is_open(dialect, block)]
        low = 0
        for _, new in found:
            while low < len(opened) and opened[low].span.end <= new.span.start:
                low += 1
            following = islice(opened, low, low + _MOST_OVERLAPS)
            overlapping = [old for old in following if old.span.start < new.span.end]
            if self._may_replace(overlapping, new):
                for old in overlapping:
                    merged.pop(old.span, None)
                low += len(overlapping)
                merged[new.span] = BY_EVIDENCE, new
            elif not self._note_in(merged, overlapping, new) and new.span.end > overlapping[-1].span.end:
                rest = _behind(overlapping[-1], new)
                merged[rest.span] = BY_EVIDENCE, rest
        return [merged[span] for span in sorted(merged)]

    def _may_replace(self, overlapping: list[Found], new: Found) -> bool:
        if not overlapping:
            return True
        covers = all(new.span.start <= old.span.start and old.span.end <= new.span.end for old in overlapping)
        has_more = any(old.status is not BlockStatus.IGNORED or old.actions for old in overlapping)
        if new.status is BlockStatus.REPAIRED:
            return not has_more or new.span.start <= min(old.span.start for old in overlapping)
        return covers and not has_more and (new.status is BlockStatus.MALFORMED or bool(new.actions))

    def _note_in(self, merged: dict[Span, Placed], overlapping: list[Found], new: Found) -> bool:
        """Note a new finding in a remaining block and return whether it is noted; an unreadable block has its reason already."""
        for old in overlapping:
            placed = merged.get(old.span)
            if placed is None or old.status is not BlockStatus.IGNORED:
                continue
            dialect, block = placed
            span = Span(max(new.span.start, old.span.start), min(new.span.end, old.span.end))
            issues = [*block.issues, *(Issue(issue.code, span, issue.detail) for issue in new.issues)]
            ordered = tuple(sorted(issues, key=lambda issue: issue.span or span))
            merged[old.span] = dialect, block._replace(issues=ordered)
            return True
        return False


def _behind(old: Found, new: Found) -> Found:
    """Return the part of a new finding after the unreadable block in which it begins."""
    span = Span(old.span.end, new.span.end)
    detail = new.issues[0].detail if new.issues else ""
    issue = Issue(Reason.EXAMPLE, span, detail or "It begins within a block that can't be read.")
    return Found(BlockStatus.IGNORED, span, span, reason=issue.code, issues=(issue,), evidence=new.evidence)


def _begins_fence(found: Found, text: str) -> bool:
    return text[found.span.start : found.span.start + 40].lstrip()[:1] in {"`", "~"}
