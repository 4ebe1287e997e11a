"""The results of parsing: spans and blocks of the response, their repairs and issues, and the actions as written."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from actionledger.core.frozen import made_quickly
from actionledger.core.vocabulary import SENTENCES, BlockStatus, Evidence, Outcome, Reason, RepairKind


class Span(NamedTuple):
    """A span ``[start, end)`` of the raw response, in Unicode code points.

    Example:
        >>> al.Span(2, 5).of("a (b) c")
        '(b)'
    """

    start: int
    end: int

    def of(self, raw: str) -> str:
        """Return the span's text in its response.

        Example:
            >>> al.Span(0, 2).of("漢字 and more")
            '漢字'
        """
        return raw[self.start : self.end]


@made_quickly
@dataclass(frozen=True, slots=True)
class Repair:
    """One change that made a text readable.

    Args:
        kind: which kind of change.
        span: where, in the raw response; empty where something was only added.
        before: the text that stood there.
        after: what it was read as.

    Example:
        >>> text = '<tool_call>{"name": "f", "arguments": {},}</tool_call>'
        >>> [repair] = al.parse(text, dialects=["hermes"]).repairs
        >>> str(repair.kind), repair.span, repair.before, repair.after
        ('trailing_comma', Span(start=40, end=41), ',', '')
    """

    kind: RepairKind
    span: Span
    before: str
    after: str


@made_quickly
@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is not as it was meant to be.

    Args:
        code: what is wrong.
        span: where, in the raw response; None where the lack of something is the matter.
        detail: the particulars that the code's sentence leaves open, for people.

    Example:
        >>> [issue] = al.parse("Well.", profile="mint").issues
        >>> str(issue.code), issue.span
        ('no_action_found', None)
    """

    code: Reason
    span: Span | None = None
    detail: str = ""

    @property
    def message(self) -> str:
        """The code's sentence with the details, for people."""
        return f"{SENTENCES[self.code]} {self.detail}".rstrip()


@made_quickly
@dataclass(frozen=True, slots=True)
class Block:
    """A candidate stretch of the response, read or not.

    Args:
        index: its place among the response's blocks, from 0.
        dialect: the dialect that claimed it.
        status: what came of reading it.
        span: all of it, fence or tags included.
        body: what stands between fence or tags.
        reason: why it is malformed or ignored; None otherwise.
        repairs: the changes that made it readable, in text order.
        issues: what is wrong with it, in text order.
        evidence: what says that it was meant, or not, where it stands without its format's own marks; None where it has
            them.

    Example:
        >>> result = al.parse("Hm. <execute>1 + 1</execute>", profile="mint")
        >>> [block] = result.blocks
        >>> str(block.status), block.span.of(result.text), block.body.of(result.text)
        ('strict', '<execute>1 + 1</execute>', '1 + 1')
    """

    index: int
    dialect: str
    status: BlockStatus
    span: Span
    body: Span
    reason: Reason | None = None
    repairs: tuple[Repair, ...] = ()
    issues: tuple[Issue, ...] = ()
    evidence: Evidence | None = None


class RawAction(NamedTuple):
    """One action as it was written, before validation.

    Args:
        name: the action's name; empty if the text has none.
        arguments: its fields by name, as JSON values.
        span: its text in the response.
        dialect: the dialect that parsed it.
        block: the index of its block.
        strings_only: whether the dialect can only write strings (tags), so that ``"5"`` may mean 5.
        illustration: why it is only shown; None if it is meant.
        call_id: the identifier that the model gave it, if any.
        evidence: the evidence that it was meant, or not, if it lacks its format's own marks.
        doubt: why it never runs without a person's approval; None if it may.

    Example:
        >>> [action] = al.parser("mint").read("<execute>1 + 1</execute>").actions
        >>> action.name, action.arguments
        ('execute', {'code': '1 + 1'})
    """

    name: str
    arguments: dict[str, Any]
    span: Span
    dialect: str
    block: int
    strings_only: bool = False
    illustration: Reason | None = None
    call_id: str | None = None
    evidence: Evidence | None = None
    doubt: Reason | None = None


@made_quickly
@dataclass(frozen=True, slots=True)
class Reading:
    """The result of parsing one response, before it is checked against a catalogue.

    Args:
        text: the raw response.
        outcome: the outcome of parsing.
        blocks: the candidate stretches, in text order, never overlapping.
        actions: the actions as written, in text order.
        issues: everything wrong with the text, including the blocks' issues, in text order.
        narrative: the response without the blocks of actions, with blank lines folded.
        parser_id: the hash of the parser's configuration.

    Example:
        >>> reading = al.parser("mint").read("I look. <execute>1 + 1</execute>")
        >>> str(reading.outcome), reading.narrative, len(reading.blocks)
        ('clean', 'I look.', 1)
    """

    text: str
    outcome: Outcome
    blocks: tuple[Block, ...]
    actions: tuple[RawAction, ...]
    issues: tuple[Issue, ...]
    narrative: str
    parser_id: str
