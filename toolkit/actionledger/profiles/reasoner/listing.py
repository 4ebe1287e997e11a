"""Executors over what the persona keeps in lists: memories, goals and desires."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rapidfuzz import fuzz, process

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.reasoner.actions import ReasonerAction
from actionledger.profiles.reasoner.executor_context import Executor, ExecutorContext, on_one_line
from actionledger.profiles.reasoner.persona import MAX_ENTRIES, Entry, ListPart, Persona

_LIKE = 60
"""From here on a context is taken to mean an entry, 0 to 100."""

_CLEAR = 10
"""By so much the entry that is meant must be likelier than the next one."""


@dataclass(frozen=True, slots=True)
class Adding(Executor):
    """Adds an entry to a list; one that is there already changes nothing.

    Args:
        part: which list.
        one: what people call one of its entries.
    """

    part: ListPart
    one: str

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> dict[str, Any]:
        """Return the entry."""
        text = on_one_line(given.answer(action, f"The {self.one} to keep, in one sentence and nothing else:"))

        def add(persona: Persona) -> Persona:
            entries = persona.entries(self.part)
            if any(entry.text == text for entry in entries):
                return persona
            if len(entries) >= MAX_ENTRIES:
                message = (
                    f"There are {len(entries)} {self.part} already, which is the most; remove one first."
                )
                raise ActionError(Reason.TOO_LARGE, message)
            change: dict[str, Any] = {self.part: (*entries, Entry(persona.next_number, text))}
            return replace(persona, next_number=persona.next_number + 1, **change)

        step, changed = given.store.change(given.name, add)
        number = next(entry.number for entry in step.persona.entries(self.part) if entry.text == text)
        return {"summary": f"#{number} {text}", "changed": changed, "step": step.step, "number": number}


@dataclass(frozen=True, slots=True)
class Removing(Executor):
    """Takes an entry out of a list, where it is plain which one.

    Args:
        part: which list.
        one: what people call one of its entries.
    """

    part: ListPart
    one: str

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> dict[str, Any]:
        """Return the entry that was removed."""
        meant = given.answer(
            action, f"The {self.one} to let go of: its number, such as #3, and nothing else."
        )
        removed: list[Entry] = []

        def remove(persona: Persona) -> Persona:
            entry = self._found(meant, persona.entries(self.part))
            removed.append(entry)
            change: dict[str, Any] = {
                self.part: tuple(each for each in persona.entries(self.part) if each is not entry)
            }
            return replace(persona, **change)

        step, _ = given.store.change(given.name, remove)
        (entry,) = removed
        return {
            "summary": f"#{entry.number} {entry.text}",
            "changed": True,
            "step": step.step,
            "number": entry.number,
        }

    def _found(self, meant: str, entries: Sequence[Entry]) -> Entry:
        """Return the entry that is meant: by its number, or else the one that is plainly nearest."""
        known = "; ".join(f"#{entry.number} {entry.text[:80]}" for entry in entries[-10:]) or "none"
        if numbers := _numbers(meant):
            return self._numbered(numbers, entries, known)
        near = process.extract(
            meant, [entry.text for entry in entries], scorer=fuzz.token_set_ratio, limit=2, score_cutoff=_LIKE
        )
        if not near:
            message = f"No {self.one} is like {meant[:80]!r}; name one by its number, such as #3: {known}."
            raise ActionError(Reason.NO_MATCH, message)
        if len(near) > 1 and near[0][1] - near[1][1] < _CLEAR:
            message = (
                f"Several {self.part} are like {meant[:80]!r}; name one by its number, such as #3: {known}."
            )
            raise ActionError(Reason.SEVERAL_MATCHES, message)
        return entries[near[0][2]]

    def _numbered(self, numbers: set[int], entries: Sequence[Entry], known: str) -> Entry:
        if len(numbers) > 1:
            several = ", ".join(f"#{number}" for number in sorted(numbers))
            message = f"{several} are several {self.part}; let go of one at a time: {known}."
            raise ActionError(Reason.SEVERAL_MATCHES, message)
        (number,) = numbers
        found = next((entry for entry in entries if entry.number == number), None)
        if found is None:
            raise ActionError(
                Reason.NOT_FOUND, f"There is no {self.one} #{number}; name one by its number: {known}."
            )
        return found


def _numbers(text: str) -> set[int]:
    """Return the numbers of entries that a text names: each behind a #, or alone."""
    alone = re.fullmatch(r"(\d{1,9})\.?", text)
    return {int(alone[1])} if alone else {int(number) for number in re.findall(r"#(\d{1,9})", text)}
