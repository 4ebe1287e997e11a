"""Reasoners over scripted models, and the plans that these write."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.profiles.reasoner import Reasoner
from actionledger.runtime.models import Completion, Message, ScriptedModel
from actionledger.runtime.models.base import Chunks, in_pieces, said


def plan(*actions: tuple[str, str] | dict[str, Any], can_extend: bool = False) -> str:
    """Return a planner's response with actions, each as (name, context) or in full."""
    written = [
        action if isinstance(action, dict) else {"action": action[0], "context": action[1]}
        for action in actions
    ]
    return f"```json\n{json.dumps({'actions': written, 'can_extend': can_extend, 'reasoning': 'So.'})}\n```"


class ByFocus:
    """A model that answers by what it is asked: plans in their order, and each action by its focus."""

    name = "by-focus"

    def __init__(self, plans: Sequence[str], answers: dict[str, str]) -> None:
        self.plans = list(plans)
        self.answers = answers
        self.asked: list[str] = []

    def complete(self, messages: Sequence[Message], **_options: Any) -> Completion:
        question = messages[-1].content
        self.asked.append(question)
        if "What should I do next?" in question:
            return said(self.plans.pop(0), model=self.name)
        focus = next(line for line in question.splitlines() if line.startswith("Focus: "))
        return said(self.answers.get(focus.removeprefix("Focus: "), "as it was"), model=self.name)

    def stream(self, messages: Sequence[Message], **options: Any) -> Chunks:
        return in_pieces(self.complete(messages, **options), 8)


@pytest.fixture
def reasoner(tmp_path: Path, ledger: al.Ledger) -> Iterator[Callable[..., Reasoner]]:
    """Makes a reasoner over responses in their order, or over a model; what it is made of can be given."""
    made: list[Reasoner] = []

    def make(*responses: Any, model: Any = None, **given: Any) -> Reasoner:
        values = {"workspace": tmp_path / "workspace", "workers": 1} | given
        made.append(Reasoner(model or ScriptedModel(responses), **values))
        return made[-1]

    yield make
    for each in made:
        each.close()
