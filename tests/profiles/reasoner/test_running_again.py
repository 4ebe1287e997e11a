"""Recorded sessions of the reasoner run again: which of the actions side by side had opened the persona is in the record."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

import actionledger as al
from actionledger.profiles.reasoner.chains import reasoner_profile
from actionledger.profiles.reasoner.store import STORE_FILE
from actionledger.runtime.execution.profile import Profile
from actionledger.runtime.models import Completion, Message, ScriptedModel
from actionledger.runtime.models.base import Chunks, in_pieces, said

_LONGEST = 30
_ACTIONS = (
    {"action": "add_goal", "context": "first"},
    {"action": "update_appearance", "context": "second"},
)


class _Overtaking:
    """A model that has one action open the persona, and the other one change it first."""

    name = "overtaking"

    def __init__(self, opener: str) -> None:
        self.opener = f"Focus: {opener}"
        self.is_open, self.is_changed = Event(), Event()

    def complete(self, messages: Sequence[Message], **_options: Any) -> Completion:
        if self.opener in messages[-1].content:
            self.is_open.set()
            assert self.is_changed.wait(_LONGEST)
        return said("A text.", model=self.name)

    def stream(self, messages: Sequence[Message], **options: Any) -> Chunks:
        return in_pieces(self.complete(messages, **options), 8)


def _recorded(ledger: al.Ledger, opener: str) -> al.Turn:
    """Record a session whose persona one action opens, and the other one changes first."""
    model = _Overtaking(opener)
    plain = reasoner_profile(model=model, workers=2)

    def handlers(workspace: Any) -> al.Handlers:
        found = plain.handlers(workspace)

        def in_turn(run: Callable[..., Any]) -> Callable[..., Any]:
            def ran(action: Any, context: al.Context) -> Any:
                if action.context == opener:
                    return run(action, context)
                assert model.is_open.wait(_LONGEST)
                result = run(action, context)
                model.is_changed.set()
                return result

            return ran

        return al.Handlers({name: in_turn(run) for name, run in found.items()}, close=found.close)

    gated: Profile = replace(plain, handlers=handlers)
    with al.Runtime(gated, ledger=ledger) as runtime:
        return runtime.handle(
            f"```json\n{json.dumps({'actions': _ACTIONS, 'can_extend': False, 'reasoning': 'So.'})}\n```"
        )


@pytest.mark.parametrize("opener", ["first", "second"])
def test_it_is_identical_whichever_action_opened_the_persona(ledger: al.Ledger, opener: str) -> None:
    """The step that a persona begins with has the time of the action that opened it, which changed it last."""
    turn = _recorded(ledger, opener)
    steps = [each.result["step"] for each in turn.observations if isinstance(each.result, dict)]
    assert steps == ([3, 2] if opener == "first" else [2, 3])
    as_it_was = reasoner_profile(model=ScriptedModel([]), workers=2)
    [shown] = al.rerun(ledger, turn.session_id, profile=as_it_was).sessions
    assert shown.verdict == "identical", [(each.field, each.cause, each.diff) for each in shown.divergences]
    assert shown.performed == 2


def test_what_cant_be_opened_is_said_by_the_action_that_needs_it(ledger: al.Ledger) -> None:
    """A rerun that opens for an action ends in nothing but what the action itself says."""
    turn = _recorded(ledger, "first")
    plain = reasoner_profile(model=ScriptedModel([]), workers=2)

    def handlers(workspace: Any) -> al.Handlers:
        found = plain.handlers(workspace)
        (workspace.root / STORE_FILE).write_text(
            "no database at all, but long enough to be looked at as one" * 20
        )
        return found

    [shown] = al.rerun(ledger, turn.session_id, profile=plain, handlers=handlers).sessions
    said_of = {each.action: each.rerun for each in shown.divergences if each.field == "message"}
    assert set(said_of) == {"add_goal", "update_appearance"}
    assert all("is not a store of the reasoner" in str(text) for text in said_of.values())
