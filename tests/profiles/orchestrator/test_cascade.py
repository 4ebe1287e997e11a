"""A directive on its way through scripted layers: down, up, to a person and back, and on after a stop."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from actionledger.core.errors import LedgerError, UsageError
from actionledger.core.vocabulary import DecisionKind
from actionledger.ledger import open_ledger
from actionledger.profiles.orchestrator.briefing import Terms
from actionledger.profiles.orchestrator.cascade import Orchestration, orchestrate
from actionledger.profiles.orchestrator.layers import Layer, Price
from actionledger.profiles.orchestrator.request_queue import FILE as STORE
from actionledger.profiles.orchestrator.state import FILE, CascadeState
from actionledger.runtime.execution.approval import Decision
from actionledger.runtime.models import Completion, ModelUnreachableError, ScriptedModel, Usage
from actionledger.runtime.session.decisions import decide

ISSUE = {"title": "Accents", "body": "Fold them.", "labels": ["search"]}
PLAN = {"action": "update_plan", "plan": "First the index."}
BRANCH = {"action": "create_branch", "branch_name": "search/accents"}
ISSUES = {"action": "create_issues", "issues": [ISSUE]}
INVOKE = {"action": "invoke_cheenoski", "label": "search"}
QUESTION = {"action": "request_info", "question": "Which database?"}
ESCALATION = {"action": "escalate", "reason": "The two contradict each other."}

Cast = Callable[..., list[Layer]]


@pytest.fixture
def cast() -> Cast:
    """Gives layers whose models say what is given for each."""

    def make(**texts: list[Any]) -> list[Layer]:
        layers = {name.strip("_").replace("_", "-"): said for name, said in texts.items()}
        return [Layer(name, ScriptedModel(said, name=f"model-{name}")) for name, said in layers.items()]

    return make


@pytest.fixture
def start(ledger, repository, tmp_path: Path) -> Iterator[Callable[..., Orchestration]]:
    """Begins an orchestration in the test's folder."""
    made: list[Orchestration] = []

    def begin(layers: list[Layer], **given: Any) -> Orchestration:
        values = {"ledger": ledger, "folder": tmp_path / "work", "repository": repository} | given
        made.append(Orchestration.start("Make the search find accents.", layers, **values))
        return made[-1]

    yield begin
    for each in made:
        each.close()


def asked(layer: Layer) -> list[str]:
    """Return the last message of each request to a layer's model."""
    assert isinstance(layer.model, ScriptedModel)
    return [request.messages[-1].content for request in layer.model.asked]


def names(state: CascadeState) -> list[tuple[str, str]]:
    return [(message.from_layer, message.to) for message in state.messages]


@pytest.fixture
def whole(cast, said) -> list[Layer]:
    """Three layers, each of which does its part."""
    return cast(
        _2ic=[said(PLAN, prose="We begin with the index.")],
        eng_lead=[said(BRANCH, prose="On a branch of its own.")],
        team_lead=[said(ISSUES, prose="One issue will do.")],
    )


def test_a_directive_goes_down_the_layers(start, whole, git):
    """Each has its say once, its actions are carried out, and the last message is the person's."""
    orchestration = start(whole)
    ending = orchestration.run()
    assert ending.status == "finished"
    assert names(orchestration.state) == [
        ("2ic", "eng-lead"),
        ("eng-lead", "team-lead"),
        ("team-lead", "ceo"),
    ]
    assert [message.content for message in orchestration.state.messages] == [
        "We begin with the index.",
        "On a branch of its own.",
        "One issue will do.",
    ]
    assert orchestration.state.messages[0].actions == (PLAN,)
    assert [plan.text for plan in orchestration.request_queue.plans()] == ["First the index."]
    assert git("rev-parse", "search/accents")
    assert [issue.title for issue in orchestration.tracker.issues()] == ["Accents"]


def test_a_layer_is_told_what_the_one_before_has_said_and_done(start, whole):
    """The directive, the narrative, the actions and what came of them; and in the system's message its own part."""
    start(whole).run()
    (prompt,) = asked(whole[1])
    for part in (
        "Make the search find accents.",
        "Message from 2ic\n\nWe begin with the index.",
        '"plan":"First the index."',
        'update_plan) succeeded: {"version":1}',
    ):
        assert part in prompt
    system = whole[1].model.asked[0].messages[0]
    assert system.role == "system"
    assert "You lead the engineers" in system.content
    assert "**create_branch**" in system.content
    assert "executed at once: create_branch, escalate" in system.content


def test_cost_and_duration_are_those_of_the_response(start, said):
    """The cost follows from the tokens and the price; where the server counts none, nobody knows it."""

    def response(text: str, usage: Usage | None) -> Completion:
        return Completion(text, "stop", usage, "m", 1234.5, {"role": "assistant", "content": text})

    layers = [
        Layer("2ic", ScriptedModel([response(said(PLAN), Usage(1000, 500))]), Price(3.0, 15.0)),
        Layer("eng-lead", ScriptedModel([response("Fine.", None)]), Price(3.0, 15.0)),
        Layer("team-lead", ScriptedModel([response("Fine.", Usage(1, 1))])),
    ]
    orchestration = start(layers)
    orchestration.run()
    assert [message.cost_usd for message in orchestration.state.messages] == [
        pytest.approx(0.0105),
        None,
        None,
    ]
    assert {message.duration_ms for message in orchestration.state.messages} == {1234.5}


def test_all_of_it_is_in_the_ledger(start, whole, ledger):
    """A session a layer with its model, a turn a response, its executions, and a note of each message."""
    orchestration = start(whole)
    orchestration.run()
    sessions = ledger.sql("SELECT model FROM sessions ORDER BY model").fetchall()
    assert sessions == [("model-2ic",), ("model-eng-lead",), ("model-team-lead",)]
    executions = ledger.sql("SELECT name, status FROM executions ORDER BY name").fetchall()
    assert executions == [(name, "succeeded") for name in ("create_branch", "create_issues", "update_plan")]
    notes = ledger.sql(
        "SELECT turn_id::VARCHAR, detail::VARCHAR FROM events WHERE code = 'layer_message' ORDER BY recorded_at"
    ).fetchall()
    details = [json.loads(detail) for _, detail in notes]
    assert [(each["from"], each["to"]) for each in details] == names(orchestration.state)
    assert {each["orchestration"] for each in details} == {orchestration.state.id}
    turns = ledger.sql("SELECT turn_id::VARCHAR FROM turns").fetchall()
    assert {turn for turn, _ in notes} == {turn for (turn,) in turns}
    prompts = ledger.sql("SELECT count(*) FROM turns WHERE prompt LIKE '%Make the search%'").fetchall()
    assert prompts == [(3,)]


def test_a_layer_that_no_model_plays_is_passed_over(start, cast, said):
    """Two layers make a cascade, and so does one."""
    orchestration = start(cast(team_lead=[said(ISSUES)], _2ic=[said(PLAN)]))
    assert orchestration.run().status == "finished"
    assert names(orchestration.state) == [("2ic", "team-lead"), ("team-lead", "ceo")]


def test_an_escalation_goes_up_and_comes_back_down(start, cast, said):
    """The layer above is asked again, with all that it has said before, and so is the one that has escalated."""
    layers = cast(
        _2ic=[said(PLAN, prose="Both, please."), said(prose="Drop the second requirement.")],
        team_lead=[said(ESCALATION, prose="I can't have both."), said(ISSUES)],
    )
    orchestration = start(layers)
    assert orchestration.run().status == "finished"
    assert names(orchestration.state) == [
        ("2ic", "team-lead"),
        ("team-lead", "2ic"),
        ("2ic", "team-lead"),
        ("team-lead", "ceo"),
    ]
    assert "The two contradict each other." in asked(layers[0])[1]
    roles = [message.role for message in layers[0].model.asked[1].messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert "Drop the second requirement." in asked(layers[1])[1]
    assert orchestration.request_queue.requests() == []


@pytest.mark.parametrize(
    "action", [QUESTION, ESCALATION], ids=["question", "escalation of the highest layer"]
)
def test_a_question_waits_for_the_person(start, cast, said, action):
    """Nobody is asked before the answer; then the same layer goes on with it."""
    layers = cast(_2ic=[said(action), said(PLAN)], team_lead=[said(ISSUES)])
    orchestration = start(layers)
    ending = orchestration.run()
    assert (ending.status, "request 1" in ending.reason) == ("waiting", True)
    assert orchestration.run().status == "waiting"
    assert len(asked(layers[0])) == 1
    orchestration.request_queue.answer(1, "The second one.", by="ada")
    assert orchestration.run().status == "finished"
    assert "The second one." in asked(layers[0])[1]
    assert names(orchestration.state) == [("2ic", "ceo"), ("2ic", "team-lead"), ("team-lead", "ceo")]


def test_what_a_layer_may_not_do_is_queued_and_the_cascade_goes_on(start, cast, said, ledger):
    """It is carried out after a person's approval, by whoever runs the orchestration next, and once."""
    layers = cast(_2ic=[said(ISSUES)], team_lead=[said(prose="Nothing to add.")])
    orchestration = start(layers)
    ending = orchestration.run()
    assert (ending.status, "1 of their actions" in ending.reason) == ("waiting", True)
    assert "create_issues) pending" in asked(layers[1])[0]
    assert orchestration.tracker.issues() == []
    (approval,) = orchestration.waiting()
    decide(ledger, approval.approval_id, Decision(DecisionKind.APPROVED, by="ada"))
    assert orchestration.run().status == "finished"
    assert orchestration.run().status == "finished"
    assert len(orchestration.tracker.issues()) == 1


def test_a_decision_is_told_to_the_layer_that_comes_next(start, cast, said, ledger):
    """A rejection of what an earlier layer wanted is not kept from those who go on."""
    layers = cast(_2ic=[said(ISSUES)], eng_lead=[said(QUESTION), said(prose="Then not.")])
    orchestration = start(layers)
    assert orchestration.run().status == "waiting"
    (approval,) = orchestration.waiting()
    decide(ledger, approval.approval_id, Decision(DecisionKind.REJECTED, by="ada", why="too early"))
    orchestration.request_queue.answer(1, "None.", by="ada")
    assert orchestration.run().status == "finished"
    assert "too early" in asked(layers[1])[1]


def test_what_was_decided_is_told_to_the_caller(start, cast, said, ledger):
    """The layer, and of its turn only the actions that waited; decisions made while the last layer spoke are carried out, too."""
    orchestration: list[Orchestration] = []
    heard: list[tuple[str, list[str]]] = []

    def deciding() -> Iterator[str]:
        (approval,) = orchestration[0].waiting()
        decide(ledger, approval.approval_id, Decision(DecisionKind.APPROVED, by="ada"))
        yield "Nothing to add."

    layers = [
        *cast(_2ic=[said(PLAN, ISSUES)]),
        Layer("team-lead", ScriptedModel(deciding(), name="m")),
    ]
    terms = Terms(on_decided=lambda layer, seen: heard.append((layer, [each.name for each in seen])))
    orchestration.append(start(layers, terms=terms))
    assert orchestration[0].run().status == "finished"
    assert heard == [("2ic", ["create_issues"])]
    assert len(orchestration[0].tracker.issues()) == 1


def test_another_ledger_is_refused(start, cast, said, tmp_path):
    """What waits for approval in the one that it was recorded in would be lost without a word."""
    layers = cast(_2ic=[said(ISSUES)], team_lead=[ModelUnreachableError("gone")])
    start(layers).run()
    with open_ledger(tmp_path / "other.duckdb") as other:
        for _ in range(2):
            with pytest.raises(UsageError, match="does not hold the 1 response of the layer '2ic'"):
                Orchestration.load(tmp_path / "work", layers, ledger=other)
        assert other.sql("SELECT count(*) FROM events").fetchall() == [(0,)]


def test_an_automatic_run_waits_for_nobody(start, cast, said):
    """What would be queued is executed."""
    layers = cast(team_lead=[said(ISSUES, INVOKE)])
    orchestration = start(layers, terms=Terms(auto=True))
    assert orchestration.run().status == "finished"
    assert [job.label for job in orchestration.tracker.jobs()] == ["search"]


def test_a_dry_run_changes_nothing(start, whole, git, ledger, tmp_path):
    """All layers are asked, every action says what it would do, and there is no issue, plan, branch or approval."""
    orchestration = start(whole, dry_run=True)
    assert orchestration.run().status == "finished"
    statuses = ledger.sql("SELECT DISTINCT status FROM executions").fetchall()
    assert statuses == [("dry_run",)]
    assert (orchestration.tracker.issues(), orchestration.request_queue.plans(), orchestration.waiting()) == (
        [],
        [],
        [],
    )
    assert git("for-each-ref", "--format=%(refname)") == "refs/heads/main"


def test_there_are_no_more_responses_than_allowed(start, cast, said):
    """Two layers that hand a decision to each other for ever are stopped; with a higher limit they go on."""
    forever = [said(ESCALATION, prose=f"No. {number}") for number in range(20)]
    layers = cast(_2ic=["Do it."] * 20, team_lead=forever)
    orchestration = start(layers, terms=Terms(max_turns=5))
    ending = orchestration.run()
    assert ending.status == "turn_limit"
    assert len(orchestration.state.messages) == 5
    with pytest.raises(UsageError, match="max_turns"):
        Terms(max_turns=0)


def test_a_model_that_fails_stops_the_cascade_where_it_is(start, cast, said):
    """What was done stays; the next run asks the same layer again."""
    layers = cast(_2ic=[said(PLAN)], team_lead=[ModelUnreachableError("No connection."), said(ISSUES)])
    orchestration = start(layers)
    ending = orchestration.run()
    assert ending.status == "model_failed"
    assert "'team-lead'" in ending.reason
    assert "No connection." in ending.reason
    assert orchestration.run().status == "finished"
    assert len(orchestration.request_queue.plans()) == 1


UNREADABLE = '```json\n{"action": "update_plan", "plan": }\n```'


@pytest.mark.parametrize("text", ["", " \n", "No actions, only words."])
def test_a_response_without_an_action_goes_on(start, cast, said, text):
    """The next layer hears what there was."""
    layers = cast(_2ic=[text], team_lead=[said(ISSUES)])
    orchestration = start(layers)
    assert orchestration.run().status == "finished"
    (prompt,) = asked(layers[1])
    assert (text.strip() or "(nothing)") in prompt
    assert orchestration.state.messages[0].actions == ()


@pytest.mark.parametrize(
    ("text", "word"), [(UNREADABLE, "Not read"), ('```json\n{"action": "update_plan"}\n```', "refused")]
)
def test_a_layer_hears_what_was_wrong_and_writes_it_again(start, cast, said, text, word):
    """Before its message goes on; what is wrong is not somebody else's to guess."""
    layers = cast(_2ic=[text, said(PLAN)], team_lead=[said(ISSUES)])
    orchestration = start(layers)
    assert orchestration.run().status == "finished"
    assert names(orchestration.state) == [("2ic", "2ic"), ("2ic", "team-lead"), ("team-lead", "ceo")]
    assert word in asked(layers[0])[1]
    assert "nothing that is done" in asked(layers[0])[1]
    assert [plan.text for plan in orchestration.request_queue.plans()] == [PLAN["plan"]]


def test_a_layer_that_is_wrong_twice_is_not_asked_a_third_time(start, cast, said):
    """The next layer hears of it."""
    layers = cast(_2ic=[UNREADABLE, UNREADABLE, said(PLAN)], team_lead=[said(ISSUES)])
    orchestration = start(layers)
    assert orchestration.run().status == "finished"
    assert len(asked(layers[0])) == 2
    assert "Not read" in asked(layers[1])[0]
    assert orchestration.request_queue.plans() == []


def test_what_is_told_is_cut_with_a_word(start, cast, said):
    """A response as long as a book doesn't fill the next layer's window."""
    layers = cast(_2ic=["x" * 100_000], team_lead=["Fine."])
    start(layers).run()
    (prompt,) = asked(layers[1])
    assert len(prompt) < 30_000
    assert "20,000 of 100,000 characters are shown" in prompt


def test_it_goes_on_from_what_was_saved(ledger, cast, said, tmp_path):
    """Another process loads it after the first message, asks nobody twice, and repeats nothing."""
    folder = tmp_path / "work"
    first = cast(_2ic=[said(PLAN)], team_lead=[ModelUnreachableError("gone")])
    ending, messages = orchestrate("Search.", first, ledger=ledger, folder=folder)
    assert (ending.status, len(messages)) == ("model_failed", 1)
    second = cast(_2ic=[], team_lead=[said(ISSUES)])
    heard: list[str] = []
    terms = Terms(on_message=lambda message, _turn: heard.append(message.from_layer))
    ending, messages = orchestrate(None, second, ledger=ledger, folder=folder, terms=terms)
    assert (ending.status, len(messages), heard) == ("finished", 2, ["team-lead"])
    assert [(each.name, each.exists()) for each in (folder / FILE, folder / STORE)] == [
        (FILE, True),
        (STORE, True),
    ]
    assert ledger.sql("SELECT count(*) FROM executions").fetchall() == [(2,)]


def test_a_finished_one_stays_finished(ledger, cast, said, tmp_path):
    """Loading it once more asks nobody."""
    for directive, texts in (("Search.", [said(PLAN)]), (None, [])):
        ending, messages = orchestrate(directive, cast(_2ic=texts), ledger=ledger, folder=tmp_path / "work")
        assert (ending.status, len(messages)) == ("finished", 1)


def test_nobody_else_runs_it_meanwhile(start, cast, ledger, tmp_path):
    """A second process is told that it is open."""
    start(cast(_2ic=["a"]))
    with pytest.raises(LedgerError, match="open elsewhere"):
        Orchestration.load(tmp_path / "work", cast(_2ic=["a"]), ledger=ledger)


@pytest.mark.parametrize(
    ("directive", "layers", "message"),
    [
        ("", ["2ic"], "directive is empty"),
        ("x", [], "No layer has a model"),
        ("x", ["2ic", "intern"], "There is no layer 'intern'"),
    ],
)
def test_what_cannot_be_started_is_refused(ledger, tmp_path, directive, layers, message):
    cast = [Layer(name, ScriptedModel([])) for name in layers]
    with pytest.raises(UsageError, match=message):
        Orchestration.start(directive, cast, ledger=ledger, folder=tmp_path / "work")
    assert not (tmp_path / "work").exists()


def test_a_folder_holds_one_orchestration(start, cast, ledger, tmp_path):
    """A second one is refused, and so are other layers for the first."""
    start(cast(_2ic=["a"])).close()
    with pytest.raises(UsageError, match="already; load it"):
        Orchestration.start("y", cast(_2ic=["a"]), ledger=ledger, folder=tmp_path / "work")
    with pytest.raises(UsageError, match="has the layers 2ic; got team-lead"):
        Orchestration.load(tmp_path / "work", cast(team_lead=["a"]), ledger=ledger)


@pytest.mark.parametrize(
    "form",
    [
        "<think>They may be broke.</think>\n{}",
        "They may be broke.\n</think>\n{}",
        "<|channel|>analysis<|message|>They may be broke.<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>",
    ],
)
def test_thoughts_of_a_layer_are_not_handed_on(start, cast, said, form):
    """The next layer gets what was said, and an action that was only thought of is not carried out."""
    thought = form.replace("broke.", f"broke. {said(ISSUES, prose='')}", 1)
    layers = cast(_2ic=[thought.replace("{}", said(PLAN, prose="The index."), 1)], team_lead=["Done."])
    orchestration = start(layers)
    orchestration.run()
    first = orchestration.state.messages[0]
    assert first.content == "The index."
    assert [action["action"] for action in first.actions] == ["update_plan"]
    assert "broke" not in "".join(asked(layers[1]))
