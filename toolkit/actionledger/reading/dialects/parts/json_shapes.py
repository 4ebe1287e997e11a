"""Formats whose actions are objects in a JSON fence: which objects these are, and how they are read."""

import re
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from json import dumps
from typing import Any, ClassVar, TypeAlias

from actionledger.core.canonical import JsonMap
from actionledger.core.values import Issue, Repair, Span, rows_of
from actionledger.core.vocabulary import BlockStatus, Reason, RepairKind
from actionledger.reading.dialects.base import Dialect, Found, Written, named_arguments
from actionledger.reading.dialects.parts.fence_content import Content
from actionledger.reading.dialects.parts.markers import read_block, refused
from actionledger.reading.dialects.parts.plain_calls import plain_objects
from actionledger.reading.dialects.parts.truth import truth_of
from actionledger.reading.tolerant_json import Decoded, decode_nested
from actionledger.reading.tolerant_json.decoded import Evidence
from actionledger.reading.tolerant_json.faults import STRICT, DecodeOptions
from actionledger.reading.tolerant_json.valid import Outlined

_LISTS = ("actions", "next_actions", "steps", "tool_calls", "calls")
"""The keys under which models list their actions."""
_NAME_KEYS = ("type", "action", "name", "tool", "tool_name", "action_type", "function")
"""The keys under which they name one."""
_FLAG_KINDS = frozenset({bool, type(None)})

Names: TypeAlias = frozenset[str] | None
"""The names of the actions that the model was offered; None if unknown."""


class JsonShape(Dialect):
    """A format whose block is a JSON value that holds objects, each an action with its name under one key."""

    discriminator: ClassVar[str]
    """The key that names the action."""

    shape: ClassVar[str]
    """The required form of the value, for people."""

    list_key: ClassVar[str] = ""
    """The key of the list of actions; empty if there is no list."""

    telling_key: ClassVar[str] = ""
    """The key without which a value is mere data; empty if the format's label suffices."""

    flags: ClassVar[tuple[str, ...]] = ()
    """The keys next to the actions whose values are true or false."""

    @abstractmethod
    def objects(self, value: Any) -> list[Any] | Reason:
        """Return the objects that are actions in this format, or why the value has none."""

    def unwrapped(self, value: Any, names: Names) -> list[Any] | None:
        """Return a value's actions without the format's wrapper: the value itself, its list under another key, or one object for a list.

        If mere data may have the format's label, only known names make it an action. An object whose list and key
        of names both differ belongs to another format.
        """
        if self.telling_key and names is None:
            return None
        names_of = None if self.list_key and not self.telling_key else names
        items: Any = value if isinstance(value, list) else [value]
        if isinstance(value, dict) and not is_named(value, self.discriminator):
            listed = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
            listed = listed or [[value[key]] for key in [self.list_key] if isinstance(value.get(key), dict)]
            items = listed[0] if len(listed) == 1 else [] if self.list_key else [value]
        are_actions = bool(items) and all(
            isinstance(item, dict)
            and self.list_key not in item
            and is_named(item, self.discriminator if self.list_key else self.name_key(item, names), names_of)
            for item in items
        )
        return items if are_actions else None

    def name_key(self, item: JsonMap, names: Names) -> str | None:
        """Return the key with which an object names a known action: the format's own, or one that models write instead."""
        if self.discriminator in item:
            return self.discriminator
        return (
            None if names is None else next((key for key in _NAME_KEYS if is_named(item, key, names)), None)
        )

    def is_intended(self, body: str) -> bool:
        """Return whether an unreadable block was meant to hold actions."""
        return not self.telling_key or re.search(rf"""\b{self.telling_key}["']?\s*+:""", body) is not None

    def judged(
        self,
        text: str,
        span: Span,
        body: Span,
        content: Content,
        options: DecodeOptions,
        *,
        names: Names,
    ) -> Found:
        """Return a block with the actions of its content, or why it has none."""
        if plain := self._plain_actions(content):
            return read_block(span, body, tuple(plain))
        if issue := content.refusal:
            return refused(span, body, issue) if self.is_intended(body.of(text)) else data(span, body)
        values = tuple(_unnested(text, decoded, self.list_key, options) for decoded in content.values)
        held = [self.objects(decoded.value) for decoded in values]
        wrappers = tuple(self._wrapped(values, held, options, names))
        if content.is_cut and isinstance(held[-1], Reason) and self.is_intended(body.of(text)):
            held[-1] = Reason.TRUNCATED  # the missing part may have given it the right shape
        if all(objects is Reason.NOT_AN_ACTION for objects in held):
            return data(span, body)
        pairs = list(zip(values, held, strict=True))
        known = names if RepairKind.NAME_KEY in options.repairs else None
        actions = tuple(
            action for decoded, objects in pairs for action in self._actions(decoded, objects, known)
        )
        keys = tuple(self._renamed(text, pairs, known))
        repairs = in_order(in_order(wrappers, keys), content.repairs_with(values))
        issues = (*(issue for decoded in values for issue in decoded.issues), *self._flags(values))
        if content.is_cut and not actions:
            return _malformed(span, body, Reason.TRUNCATED, repairs, issues)
        faults = () if actions else _never_filled(text, values[-1], body)
        if faults := (*self._misshapen(pairs), *faults):
            return _malformed(span, body, faults[0].code, repairs, (*faults, *issues))
        return read_block(span, body, actions, repairs, issues)

    def _plain_actions(self, content: Content) -> list[Written] | None:
        """Return the actions of one valid value exactly in the format's shape; None if there is more to check."""
        if content.refusal or content.beside or len(content.values) != 1:
            return None
        (decoded,) = content.values
        value = decoded.value
        if type(decoded) is not Outlined or (type(value) is dict and type(value.get(self.list_key)) is str):
            return None
        objects = self.objects(value)
        if not objects or isinstance(objects, Reason):
            return None
        for flag in self.flags:
            if type(value.get(flag)) not in _FLAG_KINDS or (flag not in value and _like_flag(value, flag)):
                return None
        return plain_objects(decoded, objects, self.discriminator)

    def _wrapped(
        self,
        values: Sequence[Decoded],
        held: list[list[Any] | Reason],
        options: DecodeOptions,
        names: Names,
    ) -> Iterator[Repair]:
        """Add the actions in values without the format's wrapper; yield the repairs."""
        for index, (decoded, objects) in enumerate(zip(values, held, strict=True)):
            if not isinstance(objects, Reason) or RepairKind.MISSING_WRAPPER not in options.repairs:
                continue
            if actions := self.unwrapped(decoded.value, names):
                held[index] = actions
                yield self._wrapper(decoded)

    def _wrapper(self, decoded: Decoded) -> Repair:
        """Return the repair that adds the format's wrapper to actions."""
        value = decoded.value
        if isinstance(value, dict) and isinstance(held := value.get(self.list_key), dict):
            (span,) = decoded.spans_of([held])
            return Repair(RepairKind.MISSING_WRAPPER, Span(span.start, span.start), "", "[")
        opens = "[" if isinstance(value, dict) else ""
        span = Span(decoded.start, decoded.start)
        return Repair(
            RepairKind.MISSING_WRAPPER, span, "", f'{{"{self.list_key}": {opens}' if self.list_key else opens
        )

    def _renamed(
        self, text: str, pairs: list[tuple[Decoded, list[Any] | Reason]], names: Names
    ) -> Iterator[Repair]:
        """Yield a repair for each action named under another key than the format's."""
        for decoded, objects in pairs:
            items = (
                [] if isinstance(objects, Reason) else [each for each in objects if isinstance(each, dict)]
            )
            for item, span in zip(items, decoded.spans_of(items), strict=True):
                key = self.name_key(item, names)
                if key not in {None, self.discriminator}:
                    at = re.compile(rf"\b{key}\b").search(text, *span)
                    place = Span(*at.span()) if at else span
                    yield Repair(RepairKind.NAME_KEY, place, place.of(text), self.discriminator)

    def _actions(self, decoded: Decoded, objects: list[Any] | Reason, names: Names) -> list[Written]:
        """Return the whole actions, each with its place; an item that is no object has the value's place."""
        items = [] if isinstance(objects, Reason) else objects
        if decoded.cut:
            items = [item for item in items if not decoded.is_cut(item)]
        rows = [
            (*named_arguments(item, self.name_key(item, names) or self.discriminator), span, None, None)
            if isinstance(item, dict)
            else ("", {"value": item}, span, None, None)
            for item, span in zip(items, decoded.spans_of(items), strict=True)
        ]
        return rows_of(Written, rows)

    def _flags(self, values: Sequence[Decoded]) -> Iterator[Issue]:
        """Yield an issue for each flag that is neither of JSON's true and false, or has another name."""
        for decoded in values:
            for flag in self.flags if isinstance(decoded.value, dict) else ():
                value, span = decoded.value.get(flag), Span(decoded.start, decoded.end)
                if flag not in decoded.value and (other := _like_flag(decoded.value, flag)):
                    detail = f"{other!r} is no key here: write {flag!r}, which is taken for false."
                    yield Issue(Reason.UNKNOWN_FIELD, span, detail)
                if value is None or isinstance(value, bool):
                    continue
                given = dumps(value, ensure_ascii=False)[:80]
                if (truth := truth_of(value)) is None:
                    detail = f"{flag!r} is {given} and is taken for false; expected true or false."
                    yield Issue(Reason.WRONG_TYPE, span, detail)
                else:
                    detail = f"{flag!r} is {given} and is taken for {dumps(truth)}."
                    yield Issue(Reason.CONVERTED, span, detail)

    def _misshapen(self, pairs: list[tuple[Decoded, list[Any] | Reason]]) -> Iterator[Issue]:
        """Yield an issue for each value of another shape."""
        for decoded, objects in pairs:
            if objects is Reason.WRONG_SHAPE:
                span = Span(decoded.start, decoded.end)
                yield Issue(Reason.WRONG_SHAPE, span, f"Expected {self.shape}")


def _like_flag(value: JsonMap, flag: str) -> str | None:
    """Return a true flag of a similar name: ``isFinal`` or ``final`` for ``is_final``."""
    alike = {flag.replace("_", ""), flag.partition("_")[2]}
    return next(
        (key for key, held in value.items() if truth_of(held) and re.sub(r"[ _-]", "", key).lower() in alike),
        None,
    )


def is_named(item: JsonMap, key: str | None, names: Names = None) -> bool:
    """Return whether an object has a name under a key, in any capitals; a known name, if names are known."""
    name = item.get(key) if key else None
    return isinstance(name, str) and (names is None or name in names or name.lower() in names)


def in_order(outer: tuple[Repair, ...], inner: tuple[Repair, ...]) -> tuple[Repair, ...]:
    """Return the repairs around a value and those in it, in text order."""
    if not outer or not inner:
        return outer or inner
    return tuple(sorted((*outer, *inner), key=lambda repair: repair.span))


def _never_filled(text: str, last: Decoded, body: Span) -> tuple[Issue, ...]:
    """Return an issue if a repair closed a list right after its bracket: it may not have been meant as empty."""
    if not any(_closes_at_once(repair, text, last.start) for repair in last.repairs):
        return ()
    detail = "The block ends before its value does."
    return (Issue(Reason.MALFORMED_JSON, Span(last.start, body.end), detail),)


def _closes_at_once(repair: Repair, text: str, start: int) -> bool:
    if repair.kind is not RepairKind.MISSING_CLOSER:
        return False
    return text[start : repair.span.start].rstrip().endswith("[")


def _unnested(text: str, decoded: Decoded, list_key: str, options: DecodeOptions) -> Decoded:
    """Return a value with its JSON string, or that of its list, decoded: it was encoded once too often."""
    value = decoded.value
    held = value.get(list_key) if isinstance(value, dict) else value
    if not isinstance(held, str) or RepairKind.NESTED_JSON not in options.repairs or decoded.repairs:
        return decoded
    nested = decode_nested(held, options=STRICT.model_copy(update={"max_depth": options.max_depth}))
    if not nested.ok or nested.issues:
        return decoded
    value = {**value, list_key: nested.value} if isinstance(value, dict) else nested.value
    span = Span(decoded.start, decoded.end)
    repair = Repair(RepairKind.NESTED_JSON, span, span.of(text), dumps(value, ensure_ascii=False))
    return replace(decoded, value=value, evidence=Evidence(before=(repair,)))


def data(span: Span, body: Span) -> Found:
    """Return a block with data and no action."""
    return Found(BlockStatus.IGNORED, span, body, reason=Reason.NOT_AN_ACTION)


def _malformed(
    span: Span, body: Span, reason: Reason, repairs: tuple[Repair, ...], issues: tuple[Issue, ...]
) -> Found:
    in_order = tuple(sorted(issues, key=lambda issue: issue.span or span))
    return Found(BlockStatus.MALFORMED, span, body, reason=reason, repairs=repairs, issues=in_order)
