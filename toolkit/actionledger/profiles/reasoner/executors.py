"""What carries the actions out: a model is asked what each comes to; without one the context is taken as it stands."""

import re
from dataclasses import dataclass, replace
from typing import Any

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.profiles.reasoner.actions import ReasonerAction
from actionledger.profiles.reasoner.executor_context import Executor, ExecutorContext, on_one_line, tidy
from actionledger.profiles.reasoner.listing import Adding, Removing
from actionledger.profiles.reasoner.persona import INTENSITIES, Intensity, Persona, TextPart
from actionledger.reading.tolerant_json import DecodeOptions, decode


class Thinking(Executor):
    """Thinks; nothing changes but the thoughts."""

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> dict[str, Any]:
        """Return the thought."""
        return {"summary": given.answer(action, "My thoughts, in a few sentences:"), "changed": False}


class Speaking(Executor):
    """Says something to the user."""

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> dict[str, Any]:
        """Return what was said, and keep it."""
        said = given.answer(action, "What I say to the user, and nothing else:")
        given.store.say(given.store.persona.name, said)
        return {"summary": said}


class Ending(Executor):
    """Ends the sequence."""

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> dict[str, Any]:
        """Return why it ends."""
        given.shared.end()
        return {"summary": tidy(action.context) or "The sequence is complete."}


class TakingUp(Executor):
    """Takes up a chain; its actions are carried out when the sequence that names it is over."""

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> dict[str, Any]:
        """Return that it follows."""
        why = f": {tidy(action.context)}" if action.context.strip() else "."
        return {"summary": f"The sequence {given.name!r} follows{why}"}


class Feeling(Executor):
    """Changes the mood."""

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> dict[str, Any]:
        """Return the mood as it is now."""
        answer = given.answer(
            action, 'My mood now, as JSON and nothing else: {"mood": "…", "intensity": "low|medium|high"}'
        )
        mood, intensity = _felt(answer) if given.model else (on_one_line(answer), _named_intensity(answer))

        def feel(persona: Persona) -> Persona:
            return replace(persona, mood=mood, intensity=intensity or persona.intensity)

        step, changed = given.store.change(given.name, feel)
        now = step.persona
        return {"summary": f"I feel {now.mood} ({now.intensity}).", "changed": changed, "step": step.step}


@dataclass(frozen=True, slots=True)
class Describing(Executor):
    """Changes a part that is one text.

    Args:
        part: which one.
    """

    part: TextPart

    def carry_out(self, action: ReasonerAction, given: ExecutorContext) -> dict[str, Any]:
        """Return the text as it is now."""
        text = on_one_line(
            given.answer(action, f"My {self.part} now, in full, in a sentence or two and nothing else:")
        )
        change: dict[str, Any] = {self.part: text}
        step, changed = given.store.change(given.name, lambda persona: replace(persona, **change))
        return {"summary": text, "changed": changed, "step": step.step}


def _felt(answer: str) -> tuple[str, Intensity]:
    """Return the mood that a model's answer names."""
    start = answer.find("{")
    value = decode(answer, max(start, 0), options=DecodeOptions()).value
    if isinstance(value, dict):
        mood, intensity = value.get("mood"), value.get("intensity")
        if isinstance(mood, str) and mood.strip() and intensity in INTENSITIES:
            return on_one_line(tidy(mood)), intensity
    message = (
        f"The answer names no mood: {answer[:80]!r}; "
        'expected {"mood": "worried", "intensity": "low"}, the intensity one of low, medium, high.'
    )
    raise ActionError(Reason.BAD_FORMAT, message)


def _named_intensity(text: str) -> Intensity | None:
    """Return the intensity that a text names, if it names just one."""
    named = [each for each in INTENSITIES if re.search(rf"\b{each}\b", text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


EXECUTORS: dict[str, Executor] = {
    "think": Thinking(),
    "update_mood": Feeling(),
    "add_memory": Adding("memories", "memory"),
    "remove_memory": Removing("memories", "memory"),
    "update_appearance": Describing("appearance"),
    "update_environment": Describing("environment"),
    "add_goal": Adding("goals", "goal"),
    "remove_goal": Removing("goals", "goal"),
    "add_desire": Adding("desires", "desire"),
    "remove_desire": Removing("desires", "desire"),
    "speak": Speaking(),
    "done": Ending(),
}
"""What carries out each action."""

TAKING_UP = TakingUp()
"""What carries out an action that names a chain."""
