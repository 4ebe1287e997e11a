"""The reasoner's actions as its planner sees them, and their executors in a session."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock

from rapidfuzz import fuzz, process

from actionledger.actions.catalogue import Catalogue
from actionledger.core.canonical import JsonDict
from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.reasoner.actions import CATALOGUE, ReasonerAction
from actionledger.profiles.reasoner.context import (
    ActionExecutor,
    ExecutorContext,
    SharedContext,
    in_words,
    on_one_line,
    tidy,
)
from actionledger.profiles.reasoner.store import (
    INTENSITIES,
    MAX_ENTRIES,
    STORE_FILE,
    Entry,
    Intensity,
    ListPart,
    Persona,
    PersonaStore,
    TextPart,
)
from actionledger.reading.said import SpokenAnswer
from actionledger.reading.tolerant_json import DecodeOptions, decode
from actionledger.runtime.execution.handlers import Context, Handler, HandlerFactory, Handlers
from actionledger.runtime.execution.profile import ActionSettings, ExecutionSettings
from actionledger.runtime.models import Model
from actionledger.runtime.workspace import Workspace


def in_thoughts(answer: SpokenAnswer) -> str:
    """Return a thought; if a model only thinks aloud, its thoughts are the answer."""
    return in_words(answer if answer.text else SpokenAnswer(answer.thoughts, ""))


def felt_in_words(answer: SpokenAnswer) -> tuple[str, Intensity | None]:
    return (text := on_one_line(in_words(answer))), _named_intensity(text)


def felt(answer: SpokenAnswer) -> tuple[str, Intensity | None]:
    text = in_words(answer)
    found = decode(text, max(text.find("{"), 0), options=DecodeOptions()).value
    mood, intensity = (found.get("mood"), found.get("intensity")) if isinstance(found, dict) else (None, None)
    if not isinstance(mood, str) or not mood.strip():
        wrong = f'The answer has no JSON object with a text as "mood": {text[:80]!r}'
    elif named := _named_intensity(intensity) if isinstance(intensity, str) else None:
        return on_one_line(tidy(mood)), named
    elif intensity is None:
        wrong = f"The answer names the mood {mood[:80]!r} and no intensity"
    else:
        wrong = f"The answer names the mood {mood[:80]!r}, but {str(intensity)[:80]!r} is not an intensity"
    expected = 'expected {"mood": "worried", "intensity": "low"}, the intensity one of low, medium, high.'
    raise ActionError(Reason.BAD_FORMAT, f"{wrong}; {expected}")


def _named_intensity(text: str) -> Intensity | None:
    """Return the intensity in a text, if it names exactly one."""
    named = [each for each in INTENSITIES if re.search(rf"\b{each}\b", text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


class ThinkExecutor(ActionExecutor):
    """Thinks; only the thoughts change."""

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> JsonDict:
        """Return the thought."""
        thought = given.answer(action, "My thoughts, in a few sentences:", in_thoughts)
        return {"summary": thought, "changed": False}


class Speaking(ActionExecutor):
    """Says something to the user."""

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> JsonDict:
        """Return the spoken text, and record it."""
        said = given.answer(action, "What I say to the user, and nothing else:", in_words)
        given.store.say(given.store.persona.name, said)
        return {"summary": said}


class DoneExecutor(ActionExecutor):
    """Ends the sequence."""

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> JsonDict:
        """Return why it ends."""
        given.shared.end()
        return {"summary": tidy(action.context) or "The sequence is complete."}


class TakingUp(ActionExecutor):
    """Takes up a chain; its actions run after the sequence that names it."""

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> JsonDict:
        """Return that it follows."""
        why = f": {tidy(action.context)}" if action.context.strip() else "."
        return {"summary": f"The sequence {given.name!r} follows{why}"}


class MoodExecutor(ActionExecutor):
    """Changes the mood."""

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> JsonDict:
        """Return the new mood."""
        mood, intensity = given.answer(
            action,
            'My mood now, as JSON and nothing else: {"mood": "…", "intensity": "low|medium|high"}',
            felt if given.model else felt_in_words,
        )

        def feel(persona: Persona) -> Persona:
            return replace(persona, mood=mood, intensity=intensity or persona.intensity)

        step, changed = given.store.change(given.name, feel)
        now = step.persona
        return {"summary": f"I feel {now.mood} ({now.intensity}).", "changed": changed, "step": step.step}


@dataclass(frozen=True, slots=True)
class DescriptionExecutor(ActionExecutor):
    """Changes a part that is one text."""

    part: TextPart

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> JsonDict:
        """Return the new text."""
        text = on_one_line(
            given.answer(
                action, f"My {self.part} now, in full, in a sentence or two and nothing else:", in_words
            )
        )
        change: JsonDict = {self.part: text}
        step, changed = given.store.change(given.name, lambda persona: replace(persona, **change))
        return {"summary": text, "changed": changed, "step": step.step}


_LIKE = 60
"""The minimal likeness of a context and the entry that it means, 0 to 100."""


_CLEAR = 10
"""The minimal lead in likeness of the meant entry over the next one."""


@dataclass(frozen=True, slots=True)
class Adding(ActionExecutor):
    """Adds an entry to a list; an existing one changes nothing."""

    part: ListPart
    one: str  # the name of one of its entries

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> JsonDict:
        """Return the entry."""
        text = on_one_line(
            given.answer(action, f"The {self.one} to keep, in one sentence and nothing else:", in_words)
        )

        def add(persona: Persona) -> Persona:
            entries = persona.entries(self.part)
            if any(entry.text == text for entry in entries):
                return persona
            if len(entries) >= MAX_ENTRIES:
                message = (
                    f"There are {len(entries)} {self.part} already, which is the most; remove one first."
                )
                raise ActionError(Reason.TOO_LARGE, message)
            change: JsonDict = {self.part: (*entries, Entry(persona.next_number, text))}
            return replace(persona, next_number=persona.next_number + 1, **change)

        step, changed = given.store.change(given.name, add)
        number = next(entry.number for entry in step.persona.entries(self.part) if entry.text == text)
        return {"summary": f"#{number} {text}", "changed": changed, "step": step.step, "number": number}


@dataclass(frozen=True, slots=True)
class Removing(ActionExecutor):
    """Removes an entry from a list, if it is clear which one."""

    part: ListPart
    one: str  # the name of one of its entries

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> JsonDict:
        """Return the entry that was removed."""
        meant = given.answer(
            action, f"The {self.one} to let go of: its number, such as #3, and nothing else.", in_words
        )
        removed: list[Entry] = []

        def remove(persona: Persona) -> Persona:
            entry = self._found(meant, persona.entries(self.part))
            removed.append(entry)
            change: JsonDict = {
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
        """Return the entry that is meant: by its number, or the clearly nearest one."""
        if not entries:
            raise ActionError(Reason.NOT_FOUND, f"There are no {self.part} to let go of.")
        known = "; ".join(f"#{entry.number} {entry.text[:80]}" for entry in entries[-10:])
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
    """Return the numbers of entries in a text: each after a #, or alone."""
    alone = re.fullmatch(r"(\d{1,9})\.?", text)
    return {int(alone[1])} if alone else {int(number) for number in re.findall(r"#(\d{1,9})", text)}


EXECUTORS: dict[str, ActionExecutor] = {
    "think": ThinkExecutor(),
    "update_mood": MoodExecutor(),
    "add_memory": Adding("memories", "memory"),
    "remove_memory": Removing("memories", "memory"),
    "update_appearance": DescriptionExecutor("appearance"),
    "update_environment": DescriptionExecutor("environment"),
    "add_goal": Adding("goals", "goal"),
    "remove_goal": Removing("goals", "goal"),
    "add_desire": Adding("desires", "desire"),
    "remove_desire": Removing("desires", "desire"),
    "speak": Speaking(),
    "done": DoneExecutor(),
}
"""Each action's executor."""

TAKING_UP = TakingUp()
"""The executor of an action that names a chain."""


_TIMEOUT = 180.0
"""The maximal duration of an action, including the model's answer, in seconds."""


class ActionRegistry:
    """The actions that a planner may use.

    Args:
        catalogue: their models.
    """

    def __init__(self, catalogue: Catalogue = CATALOGUE) -> None:
        self.catalogue = catalogue

    @property
    def actions(self) -> dict[str, type[ReasonerAction]]:
        """Each action's model by its name, in the catalogue's order."""
        models = zip(self.catalogue.names, self.catalogue.actions, strict=True)
        return {name: model for name, model in models if issubclass(model, ReasonerAction)}

    def get_planning_guidance(self) -> str:
        """Return each action with its purpose and the context that it needs, for a planner's prompt."""
        return "\n".join(
            line
            for name, action in self.actions.items()
            for line in (
                f"- {name}: {' '.join(action.get_action_description().split())}",
                f"  Context needed: {action.get_context_description()}",
            )
        )

    def execution_settings(self) -> ExecutionSettings:
        """Return the actions' settings: independent actions run concurrently."""
        return ExecutionSettings(
            tuple(
                (
                    name,
                    ActionSettings(
                        timeout=_TIMEOUT, retries=1, parallel=True, reads=action.reads, writes=action.writes
                    ),
                )
                for name, action in self.actions.items()
            )
        )


def reasoner_handlers(
    model: Model | None, shared: SharedContext | None, persona: Persona | None, names: Iterable[str]
) -> HandlerFactory:
    """Return a factory of a session's handlers; the persona is in ``reasoner.sqlite`` in its workspace."""
    return partial(_make, model, shared, persona, tuple(names))


def _make(
    model: Model | None,
    shared: SharedContext | None,
    persona: Persona | None,
    names: tuple[str, ...],
    workspace: Workspace,
) -> Handlers:
    place = _Place(workspace, persona)

    def handler(name: str, store: Callable[[], PersonaStore]) -> Handler:
        def run(action: ReasonerAction, context: Context) -> dict[str, object]:
            given = ExecutorContext(
                name,
                store(),
                shared or place.shared_context_of(context.turn_id),
                context.cancelled,
                model,
            )
            return EXECUTORS.get(name, TAKING_UP).execute(action, given)

        return run

    return Handlers(
        {name: handler(name, place.real) for name in names},
        previews={name: handler(name, place.copy) for name in names},
        close=place.close,
        opens=place.open,
    )


class _Place:
    """A session's persona and its copy for dry runs, each opened on first use, and its current turn's sequence.

    If no sequence is set up, each response is one.
    """

    def __init__(self, workspace: Workspace, persona: Persona | None) -> None:
        self._path = workspace.root / STORE_FILE
        self._persona = persona
        self._stores: dict[Callable[..., PersonaStore], PersonaStore] = {}
        self._turn = ("", SharedContext())
        self._lock = Lock()

    def open(self) -> None:
        """Open the persona, if it isn't open yet."""
        self.real()

    def real(self) -> PersonaStore:
        return self._opened(PersonaStore)

    def copy(self) -> PersonaStore:
        """Return a copy in memory, in which dry runs see the changes of those before them."""
        return self._opened(PersonaStore.copy_of)

    def _opened(self, make: Callable[..., PersonaStore]) -> PersonaStore:
        with self._lock:
            if make not in self._stores:
                self._stores[make] = make(self._path, self._persona)
            return self._stores[make]

    def shared_context_of(self, turn_id: str) -> SharedContext:
        with self._lock:
            if self._turn[0] != turn_id:
                self._turn = (turn_id, SharedContext())
            return self._turn[1]

    def close(self) -> None:
        with self._lock:
            for store in self._stores.values():
                store.close()
            self._stores.clear()
