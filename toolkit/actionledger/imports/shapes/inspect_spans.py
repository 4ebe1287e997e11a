"""Whose events are whose in a sample of Inspect: an agent's, a scorer's, a subtask's, or the sample's own."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from actionledger.imports.sources.access import objects_at, text_at

_OWNING = frozenset({"agent", "scorer", "subtask"})
"""Kinds of spans, and of the steps before there were spans, whose events are not the sample's own."""


@dataclass(frozen=True, slots=True)
class Owner:
    """What events belong to.

    Args:
        key: what it is told apart by in its sample; empty for the sample itself.
        kind: ``agent``, ``scorer``, ``subtask`` or ``tool``.
        name: what its author called it.
        above: the key of what it is within.
    """

    key: str = ""
    kind: str = ""
    name: str = ""
    above: str = ""


class Owners:
    """Tells whose each event of a sample is.

    Args:
        sample: the sample.
    """

    def __init__(self, sample: Mapping[str, Any]) -> None:
        self.by_key: dict[str, Owner] = {"": Owner()}
        self._spans = {
            text_at(event, "id"): event
            for event in objects_at(sample, "events")
            if text_at(event, "event") == "span_begin" and text_at(event, "id")
        }
        self._of_span: dict[str, Owner] = {}
        self._sample = sample

    def events(self) -> Iterator[tuple[Mapping[str, Any], Owner]]:
        """Yield each event with what it belongs to, those within a subtask or a tool's run among them."""
        yield from self._within(objects_at(self._sample, "events"), Owner(), "")

    def lineage(self, owner: Owner) -> Iterator[Owner]:
        """Yield what an owner is within, the nearest first, the sample itself last."""
        seen = {owner.key}
        while owner.key:
            owner = self.by_key.get(owner.above, Owner())
            if owner.key in seen:
                return
            seen.add(owner.key)
            yield owner

    def _within(
        self, events: Iterator[Mapping[str, Any]], around: Owner, place: str
    ) -> Iterator[tuple[Mapping[str, Any], Owner]]:
        steps: list[Owner] = []
        for number, event in enumerate(events):
            kind, here = text_at(event, "event"), f"{place}{number}"
            owner = self._spanning(text_at(event, "span_id")) or (steps[-1] if steps else around)
            if kind == "step" and text_at(event, "action") == "begin":
                steps.append(self._step(event, owner, here))
            elif kind == "step" and steps:
                steps.pop()
            yield event, owner
            if kind in {"tool", "subtask"} and event.get("events"):
                name = text_at(event, "function") or text_at(event, "name")
                inner = self._kept(Owner(f"{name or kind}-{here}", kind, name, owner.key))
                yield from self._within(objects_at(event, "events"), inner, f"{here}.")

    def _step(self, event: Mapping[str, Any], owner: Owner, place: str) -> Owner:
        kind, name = text_at(event, "type"), text_at(event, "name")
        return self._kept(Owner(f"{name}-{place}", kind, name, owner.key)) if kind in _OWNING else owner

    def _spanning(self, span_id: str) -> Owner | None:
        """Return the nearest span around that owns its events; None for none."""
        if span_id in self._of_span:
            return self._of_span[span_id]
        around: dict[str, Mapping[str, Any]] = {}
        while span_id in self._spans and span_id not in around:
            around[span_id] = self._spans[span_id]
            span_id = text_at(self._spans[span_id], "parent_id")
        owner: Owner | None = None
        for each, span in reversed(around.items()):
            if text_at(span, "type") in _OWNING:
                above = owner.key if owner else ""
                owner = self._kept(Owner(each, text_at(span, "type"), text_at(span, "name"), above))
            if owner:
                self._of_span.setdefault(each, owner)
        return owner

    def _kept(self, owner: Owner) -> Owner:
        return self.by_key.setdefault(owner.key, owner)
