"""Formats whose actions are objects in a JSON value: which objects those are, and what is read from them."""

from abc import abstractmethod
from dataclasses import replace
from json import dumps
from typing import Any, ClassVar

from actionledger.parsing.dialects.base import Dialect, Found, Written, named_arguments
from actionledger.parsing.dialects.fence_content import Content
from actionledger.parsing.scan.options import STRICT, DecodeOptions
from actionledger.parsing.scan.tolerant import Decoded, decode_nested
from actionledger.parsing.scan.tolerant.decoded import Evidence
from actionledger.values import Issue, Repair, Span
from actionledger.vocabulary import BlockStatus, Reason, RepairKind


class JsonShape(Dialect):
    """A format whose block is a JSON value that holds objects, each an action with its name under one key."""

    discriminator: ClassVar[str]
    """The key that names the action."""

    shape: ClassVar[str]
    """What the value has to look like, for people."""

    list_key: ClassVar[str] = ""
    """The key of the list that the actions stand in; empty where they stand in none."""

    @abstractmethod
    def objects(self, value: Any) -> list[Any] | Reason:
        """Return the objects that the format calls actions, or why the value has none."""

    def is_intended(self, body: str) -> bool:  # noqa: ARG002 - a format may look into it
        """Return whether a block that can't be read was meant to hold actions: whoever writes the label means it."""
        return True

    def judged(self, text: str, block: Found, content: Content, options: DecodeOptions) -> Found:
        """Return a block with the actions of its content, or with the reason why it has none.

        Args:
            text: the response.
            block: the block, of which only the places count.
            content: what stands in it.
            options: what may be repaired.
        """
        is_intended = self.is_intended(block.body.of(text))
        if issue := content.refusal:
            return _malformed(block, issue.code, (), issue) if is_intended else _data(block)
        values = tuple(_unnested(text, decoded, self.list_key, options) for decoded in content.values)
        held = [self.objects(decoded.value) for decoded in values]
        if content.is_cut and isinstance(held[-1], Reason) and is_intended:
            held[-1] = Reason.TRUNCATED  # what is missing may have given it the right shape
        if all(objects is Reason.NOT_AN_ACTION for objects in held):
            return _data(block)
        pairs = list(zip(values, held, strict=True))
        actions = tuple(action for decoded, objects in pairs for action in self._actions(decoded, objects))
        repairs = replace(content, values=values).repairs
        issues = [issue for decoded in values for issue in decoded.issues]
        if content.is_cut and not actions:
            return _malformed(block, Reason.TRUNCATED, repairs, *issues)
        if faults := self._faults(text, pairs, block, has_actions=bool(actions)):
            return _malformed(block, faults[0].code, repairs, *faults, *issues)
        status = BlockStatus.REPAIRED if repairs else BlockStatus.STRICT
        return replace(block, status=status, actions=actions, repairs=repairs, issues=tuple(issues))

    def _actions(self, decoded: Decoded, objects: list[Any] | Reason) -> list[Written]:
        """Return the actions that are whole, each with its place; what is no object has the value's."""
        written = []
        for item in () if isinstance(objects, Reason) else objects:
            if decoded.is_cut(item):
                continue
            is_object = isinstance(item, dict)
            name, arguments = (
                named_arguments(item, self.discriminator) if is_object else ("", {"value": item})
            )
            written.append(Written(name, arguments, decoded.span_of(item)))
        return written

    def _faults(
        self, text: str, pairs: list[tuple[Decoded, list[Any] | Reason]], block: Found, *, has_actions: bool
    ) -> list[Issue]:
        """Return what is wrong with values that were read: another shape, or a list that was never filled."""
        faults = [
            Issue(Reason.WRONG_SHAPE, Span(decoded.start, decoded.end), f"Expected {self.shape}")
            for decoded, objects in pairs
            if objects is Reason.WRONG_SHAPE
        ]
        last = pairs[-1][0]
        if not has_actions and any(_closes_at_once(repair, text, last.start) for repair in last.repairs):
            detail = "The block ends before its value does."
            faults.append(Issue(Reason.MALFORMED_JSON, Span(last.start, block.body.end), detail))
        return faults


def _closes_at_once(repair: Repair, text: str, start: int) -> bool:
    """Return whether a repair closes a list right behind its bracket: nobody said that it was to be empty."""
    before = text[start : repair.span.start]
    return repair.kind is RepairKind.MISSING_CLOSER and before.rstrip().endswith("[")


def _unnested(text: str, decoded: Decoded, list_key: str, options: DecodeOptions) -> Decoded:
    """Return a value with the JSON that it, or the list in it, holds as a string: encoded once too often."""
    if RepairKind.NESTED_JSON not in options.repairs or decoded.repairs or not decoded.ok:
        return decoded
    value = decoded.value
    held = value.get(list_key) if isinstance(value, dict) else value
    if not isinstance(held, str):
        return decoded
    nested = decode_nested(held, options=STRICT.model_copy(update={"max_depth": options.max_depth}))
    if not nested.ok or nested.issues:
        return decoded
    value = {**value, list_key: nested.value} if isinstance(value, dict) else nested.value
    span = Span(decoded.start, decoded.end)
    repair = Repair(RepairKind.NESTED_JSON, span, span.of(text), dumps(value, ensure_ascii=False))
    return replace(decoded, value=value, evidence=Evidence(before=(repair,)))


def _data(block: Found) -> Found:
    return replace(block, status=BlockStatus.IGNORED, reason=Reason.NOT_AN_ACTION)


def _malformed(block: Found, reason: Reason, repairs: tuple[Repair, ...], *issues: Issue) -> Found:
    in_order = tuple(sorted(issues, key=lambda issue: issue.span or block.span))
    return replace(block, status=BlockStatus.MALFORMED, reason=reason, repairs=repairs, issues=in_order)
