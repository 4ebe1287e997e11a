"""What each of the 12 actions does, without a model: contexts are taken as they stand."""

import json
from threading import Event

import pytest

import actionledger as al
from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import ExecutionStatus, Reason
from actionledger.profiles.reasoner import ActionRegistry, sequence_of
from actionledger.profiles.reasoner.actions import AddGoal
from actionledger.profiles.reasoner.context import ExecutorContext, SharedContext
from actionledger.profiles.reasoner.registry import EXECUTORS
from actionledger.profiles.reasoner.store import STORE_FILE, PersonaStore
from actionledger.runtime.models import ScriptedModel

from .conftest import plan


@pytest.fixture
def run(tmp_path):
    """Runs a plan of actions in a session; gives what came of each."""
    with al.Runtime("reasoner", workspace=tmp_path) as runtime:

        def act(*actions):
            return runtime.handle(plan(*actions), prompt="Well?").observations

        yield act


@pytest.fixture
def persona(tmp_path, run):
    """The persona as it is now."""

    def now():
        store = PersonaStore(tmp_path / STORE_FILE)
        found = store.persona
        store.close()
        return found

    return now


def test_every_action_can_be_carried_out():
    """Each has an executor, and there is none for nothing."""
    assert set(EXECUTORS) == set(ActionRegistry().actions)


def test_a_dry_run_is_what_the_real_run_would_be(tmp_path):
    """Each action sees what those before it would have changed; the persona stays as it was."""
    text = plan(("add_goal", "Plant the beans"), ("remove_goal", "#1"), ("update_mood", "glad"), ("done", ""))

    def results(runtime):
        # Actions on different parts run in parallel, so which of them is the earlier step is left open.
        return [each.result | {"step": None} for each in runtime.handle(text).observations]

    with al.Runtime("reasoner", workspace=tmp_path, dry_run=True) as runtime:
        dry = results(runtime)
        assert not (tmp_path / STORE_FILE).exists()
        runtime.dry_run = False
        assert results(runtime) == dry
    assert dry[1]["summary"] == "#1 Plant the beans"


@pytest.mark.parametrize(
    ("name", "part", "one"),
    [("memory", "memories", "memory"), ("goal", "goals", "goal"), ("desire", "desires", "desire")],
)
def test_entries_come_and_go(run, persona, name, part, one):
    """Added with a number of its own, removed by that number or by what it says."""
    first, second = run((f"add_{name}", "Plant the beans"), (f"add_{name}", "Call the sister"))
    assert [first.result["number"], second.result["number"]] == [1, 2]
    assert [entry.text for entry in persona().entries(part)] == ["Plant the beans", "Call the sister"]
    (removed,) = run((f"remove_{name}", "#1 is over"))
    assert removed.result["summary"] == "#1 Plant the beans"
    (removed,) = run((f"remove_{name}", "Call the sister, since she has called"))
    assert persona().entries(part) == ()


def test_the_same_entry_again_changes_nothing(run, persona):
    """It is said so, and the history has no step of it."""
    first, again = run(("add_goal", "Plant the beans"), ("add_goal", "Plant the beans"))
    assert (first.result["changed"], again.result["changed"]) == (True, False)
    assert len(persona().goals) == 1


@pytest.mark.parametrize(
    ("context", "reason"),
    [
        ("#9", Reason.NOT_FOUND),
        ("the weather in Paris", Reason.NO_MATCH),
        ("Plant beans in the garden", Reason.SEVERAL_MATCHES),
        ("#1 and #2", Reason.SEVERAL_MATCHES),
    ],
)
def test_an_entry_that_is_not_plain_is_not_removed(run, persona, context, reason):
    """A wrong one forgotten is worse than none: the model is told the numbers."""
    run(("add_goal", "Plant beans in the garden, east"), ("add_goal", "Plant beans in the garden, west"))
    (observation,) = run(("remove_goal", context))
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, reason)
    assert "#1 Plant beans in the garden, east" in observation.message
    assert len(persona().goals) == 2


def test_looks_and_place_are_texts(run, persona):
    """The new one stands in the place of the old one."""
    run(
        ("update_appearance", "A raincoat."),
        ("update_environment", "The garden."),
        ("update_appearance", "A hat."),
    )
    assert (persona().appearance, persona().environment) == ("A hat.", "The garden.")


@pytest.mark.parametrize(
    ("context", "intensity"), [("worried, high", "high"), ("worried", "medium"), ("low or high", "medium")]
)
def test_a_mood_has_an_intensity(run, persona, context, intensity):
    """The one that is named, if just one is; else it stays."""
    run(("update_mood", context))
    assert (persona().mood, persona().intensity) == (context, intensity)


def test_a_list_has_an_end(run, persona, monkeypatch):
    """Beyond it the model is told to let go of something first."""
    monkeypatch.setattr("actionledger.profiles.reasoner.registry.MAX_ENTRIES", 1)
    *_, refused = run(("add_goal", "one"), ("add_goal", "two"))
    assert (refused.status, refused.reason) == (ExecutionStatus.FAILED, Reason.TOO_LARGE)


def test_text_is_kept_within_bounds(run, persona):
    """Blanks around it go, what is too long is cut, half a surrogate pair is replaced."""
    run(("update_environment", "  " + "x" * 5000), ("update_appearance", "a\ud800b"))
    assert len(persona().environment) == 2000
    assert persona().appearance == "a\ufffdb"


def test_an_entry_is_one_line(run, persona):
    """A memory can't look like the mood where the state is told."""
    run(("add_memory", "They like beans\nMood: furious (high)"))
    assert persona().described(["memories"]).splitlines() == [
        "Memories:",
        "  #1 They like beans Mood: furious (high)",
    ]


def test_an_empty_context_is_refused(run):
    """There is nothing to keep."""
    (observation,) = run(("add_memory", "  "))
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.BAD_LENGTH)


def test_an_answer_that_comes_too_late_changes_nothing(tmp_path):
    """Once nobody waits for the action, the next one may be under way."""
    store, cancelled = PersonaStore(tmp_path / "p.sqlite"), Event()
    cancelled.set()
    given = ExecutorContext(
        "add_goal", store, SharedContext(), cancelled, ScriptedModel(["Plant the beans."])
    )
    action = AddGoal(action="add_goal", context="x")
    with pytest.raises(ActionError) as caught:
        EXECUTORS["add_goal"].execute(action, given)
    assert (caught.value.reason, store.persona.goals) == (Reason.STOPPED, ())
    store.close()


def test_a_result_can_be_referred_to(run, persona):
    """An action takes over what another one came to."""
    run(
        {"action": "think", "context": "They like beans", "id": "thought"},
        {"action": "add_memory", "context": "${thought.summary}"},
    )
    assert persona().memories[0].text == "They like beans"


def test_a_dry_run_changes_nothing(tmp_path):
    """It says what it would run."""
    with al.Runtime("reasoner", workspace=tmp_path, dry_run=True) as runtime:
        (observation,) = runtime.handle(plan(("add_goal", "x"))).observations
    assert observation.status is ExecutionStatus.DRY_RUN
    assert not (tmp_path / STORE_FILE).exists()


def test_planning_guidance_is_as_documented():
    """Two lines for each action: what it does, and what context it needs."""
    lines = ActionRegistry().get_planning_guidance().splitlines()
    assert len(lines) == 24
    assert lines[0] == "- think: Work out what one feels about the situation and what it means."
    assert lines[1].startswith("  Context needed: What to think through")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (plan(("think", "x"), can_extend=True), (("think", "x"), True, "So.")),
        (
            '```json\n{"actions": [{"action": "think", "context": "x"}], "can_extend": "yes",}\n```',
            (("think", "x"), False, ""),
        ),
        ("Nothing to do.", (None, False, "")),
    ],
)
def test_a_sequence_says_whether_it_may_go_on(text, expected):
    """Only a plain yes is one."""
    sequence = sequence_of(al.parse(text, profile="reasoner"))
    action, can_extend, reasoning = expected
    assert [(each.action, each.context) for each in sequence.actions] == ([action] if action else [])
    assert (sequence.can_extend, sequence.reasoning) == (can_extend, reasoning)


def test_results_are_json(run):
    """Each result says in words what came of it."""
    observations = run(("think", "a"), ("add_goal", "b"), ("speak", "c"), ("done", ""))
    assert [json.loads(json.dumps(each.result))["summary"] for each in observations] == [
        "a",
        "#1 b",
        "c",
        "The sequence is complete.",
    ]
