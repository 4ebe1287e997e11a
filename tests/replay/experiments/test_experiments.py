"""Variants over the same tasks: each conversation once, within the budget, and what is said of them is what was recorded."""

from threading import Event, Lock

import pytest

import actionledger as al
from actionledger.runtime.models import Completion, ModelError, ScriptedModel, Usage

CALL = al.render([("list_tasks", {})], "actions")
BROKEN = '```actions\n{"actions": [{"type"\n```'
TASKS = {f"task {number}": f"Do number {number}." for number in range(12)}


def said(text: str, tokens: int = 10) -> Completion:
    """Return a response that took so many tokens."""
    return Completion(text, "stop", Usage(tokens, 0), "scripted", 0.0, {})


class Models:
    """Makes scripted models, and remembers for which tasks and what they were shown."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.made: list[tuple[str, ScriptedModel]] = []
        self.lock = Lock()

    def __call__(self, task: str) -> ScriptedModel:
        model = ScriptedModel([said(text) for text in self.texts])
        with self.lock:
            self.made.append((task, model))
        return model


def variants(clear: Models, vague: Models) -> tuple[al.Variant, al.Variant]:
    """Return two wordings for models that answer as these do."""
    return (
        al.Variant(name="clear", profile="assistant", model=clear, system="Write one actions block."),
        al.Variant(name="vague", profile="assistant", model=vague, system="Act."),
    )


def test_both_variants_work_on_each_task_and_are_compared_over_tasks(ledger):
    """Each is shown its own instructions and the task; rates and the test are those of what was recorded."""
    clear, vague = Models(CALL, "Done."), Models(BROKEN, "Done.")
    found = al.experiment(ledger, "wording", variants(clear, vague), TASKS, workers=4)
    assert (found.begun, found.known, found.left, dict(found.failed)) == (24, 0, 0, {})
    assert sorted(task for task, _ in clear.made) == sorted(TASKS)
    shown = {task: [message.content for message in model.asked[0].messages] for task, model in vague.made}
    assert all("Act." in words[0] and TASKS[task] in words[-1] for task, words in shown.items())
    table = found.df().set_index("variant")
    assert table["sessions"].tolist() == [12, 12]
    assert table["parse_success"].tolist() == [1.0, 0.0]
    tasks = found.compare("clear", "vague").tasks
    assert (tasks.tasks, tasks.mean) == (12, -1.0)
    assert tasks.p_value < 0.001
    rows = ledger.sql(
        "SELECT json_extract_string(metadata, '$.experiment.variant'), count(*) FROM sessions GROUP BY 1 ORDER BY 1"
    )
    assert rows.fetchall() == [("clear", 12), ("vague", 12)]
    notes = ledger.sql(
        "SELECT DISTINCT detail ->> 'system' FROM events WHERE code = 'conversation_started' ORDER BY 1"
    )
    assert notes.fetchall() == [("Act.",), ("Write one actions block.",)]


def test_what_was_held_is_not_held_again(ledger):
    """A budget leaves both variants with the same tasks; called again it goes on, and at the end nothing is asked any more."""
    clear, vague = Models(CALL, "Done."), Models(BROKEN, "Done.")
    both = variants(clear, vague)
    first = al.experiment(ledger, "w", both, TASKS, workers=1, budget=al.Budget(responses=8))
    assert (first.begun, first.left) == (len(clear.made) + len(vague.made), 24 - first.begun)
    assert 0 < first.begun < 24
    assert abs(len(clear.made) - len(vague.made)) <= 1
    second = al.experiment(ledger, "w", both, TASKS)
    assert (second.begun, second.known, second.left) == (24 - first.begun, first.begun, 0)
    third = al.experiment(ledger, "w", both, TASKS)
    assert (third.begun, third.known) == (0, 24)
    assert len(ledger.sql("FROM sessions")) == 24


@pytest.mark.parametrize("budget", [al.Budget(tokens=40), al.Budget(seconds=0)])
def test_tokens_and_time_are_a_budget_too(ledger, budget):
    """What servers say that was taken; nothing is begun beyond it."""
    clear = Models(CALL, "Done.")
    found = al.experiment(ledger, "w", variants(clear, clear)[:1], TASKS, workers=1, budget=budget)
    assert found.left == 12 - found.begun
    assert found.begun == (2 if budget.tokens else 0)


def test_a_conversation_that_broke_off_is_held_again(ledger):
    """And says why; the others are not touched by it."""
    failing = {"task 3"}

    def model(task: str) -> ScriptedModel:
        return ScriptedModel([ModelError("no such host") if task in failing else said(CALL), said("Done.")])

    variant = al.Variant(name="only", profile="assistant", model=model)
    first = al.experiment(ledger, "w", [variant], TASKS)
    assert list(first.failed) == [("only", "task 3")]
    assert "no such host" in first.failed["only", "task 3"]
    failing.clear()
    second = al.experiment(ledger, "w", [variant], TASKS)
    assert (second.begun, second.known, dict(second.failed)) == (1, 11, {})


def test_another_variant_of_the_same_name_is_refused(ledger):
    """Its sessions would be counted with those of other settings."""
    models = Models(CALL, "Done.")
    variant = al.Variant(name="only", profile="assistant", model=models, system="Act.")
    al.experiment(ledger, "w", [variant], {"a": "Do."})
    other = al.Variant(name="only", profile="assistant", model=models, system="Act well.")
    with pytest.raises(al.ActionLedgerError, match="other settings"):
        al.experiment(ledger, "w", [other], {"a": "Do."})
    assert al.experiment(ledger, "v", [other], {"a": "Do."}).begun == 1


def test_a_grid_has_each_combination():
    """Named by what differs; an axis that is none is refused."""
    parsers = {"new": "assistant", "old": "gembrain-standard"}
    found = al.Variant.grid(
        profile={"assistant": "assistant"},
        model={"m": "ollama:m"},
        parser=parsers,
        system={"a": "A.", "b": "B."},
    )
    assert [variant.name for variant in found] == ["new × a", "new × b", "old × a", "old × b"]
    assert [variant.chosen.parser.name for variant in found[1:3]] == ["assistant", "gembrain-standard"]
    assert len({variant.settings_hash for variant in found}) == 4
    for axes in ({"wording": {"a": "A."}}, {"system": {}}):
        with pytest.raises(al.ActionLedgerError, match="axis"):
            al.Variant.grid(**axes)


@pytest.mark.parametrize(
    "wrong",
    [
        *(
            {"name": ""},
            {"tasks": {}},
            {"variants": ()},
            {"repeats": 0},
            {"workers": 0},
            {"variants": "twice"},
        ),
        *({"tasks": ["a"]}, {"tasks": {1: "Do."}}, {"tasks": {"a": 7}}, {"tasks": {"a": " "}}),
        *({"tasks": {"a\ud800": "Do."}}, {"name": "half \udc00"}),
    ],
)
def test_what_is_no_experiment_is_refused(ledger, wrong):
    models = Models(CALL)
    only = al.Variant(name="only", profile="assistant", model=models)
    given = {"name": "w", "variants": (only,), "tasks": {"a": "Do."}} | wrong
    if given["variants"] == "twice":
        given["variants"] = (only, only)
    with pytest.raises(al.ActionLedgerError):
        al.experiment(ledger, **given)
    assert models.made == []


def test_it_says_how_far_it_is(ledger):
    """Conversation by conversation, those of before among them."""
    models = Models(CALL, "Done.")
    only = al.Variant(name="only", profile="assistant", model=models)
    al.experiment(ledger, "w", [only], {"a": "Do."})
    seen = []
    al.experiment(
        ledger, "w", [only], {"a": "Do.", "b": "Do."}, repeats=2, workers=1, on_progress=seen.append
    )
    assert [(each.done, each.total) for each in seen] == [(2, 4), (3, 4), (4, 4)]


class Raises:
    """A model of somebody's that raises what is no error of a model's, or gives what is no response."""

    name = "raises"

    def __init__(self, error: Exception | None) -> None:
        self.error = error

    def complete(self, _messages, *, tools=None, stop=None):
        if self.error:
            raise self.error


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (lambda _: Raises(ConnectionResetError("gone")), "It raised ConnectionResetError: gone"),
        (lambda _: Raises(None), "It gave 'NoneType' and no Completion"),
        (lambda _: {}["model"], "Its model can't be made: KeyError: 'model'"),
    ],
)
def test_whatever_a_model_raises_breaks_off_its_conversations_alone(ledger, model, why):
    """The other variant's are held to their ends, and each repeat that broke off is named."""
    pair = (
        al.Variant(name="raises", profile="assistant", model=model),
        al.Variant(name="clear", profile="assistant", model=Models(CALL, "Done.")),
    )
    found = al.experiment(ledger, "w", pair, {"a": "Do."}, repeats=2)
    assert found.failed.keys() == {("raises", "a"), ("raises", "a (repeat 2)")}
    assert all(why in each for each in found.failed.values())
    ended = ledger.sql("SELECT reason FROM sessions WHERE source LIKE '%raises'").fetchall()
    assert {reason for (reason,) in ended} <= {"model_failed"}
    assert len(ledger.sql("FROM sessions WHERE source LIKE '%clear'")) == 2


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_a_stop_waits_for_no_model(ledger, error):
    """What is under way is recorded as stopped, what was held is kept, and the same call goes on."""
    never, asked = Event(), Event()

    class Slow(ScriptedModel):
        def complete(self, messages, **given):
            asked.set()
            never.wait(60)
            return super().complete(messages, **given)

    def model(task: str) -> ScriptedModel:
        return (Slow if task == "slow" and not never.is_set() else ScriptedModel)([said("Done.")])

    def stop(progress: al.ExperimentProgress) -> None:
        assert asked.wait(60)
        raise error

    only = [al.Variant(name="only", profile="assistant", model=model)]
    tasks = {"quick": "Do.", "slow": "Do."}
    try:
        with pytest.raises(error) as raised:
            al.experiment(ledger, "w", only, tasks, workers=2, on_progress=stop)
        ended = ledger.sql("SELECT task, reason FROM sessions ORDER BY task").fetchall()
        assert (ended, never.is_set()) == ([("quick", "answered"), ("slow", "stopped")], False)
    finally:
        never.set()
    if error is KeyboardInterrupt:
        assert "1 of its 2 conversations are recorded to their ends; the same call goes on" in str(
            raised.value
        )
    again = al.experiment(ledger, "w", only, tasks)
    assert (again.begun, again.known, dict(again.failed)) == (1, 1, {})


def test_two_are_not_at_one_experiment(ledger):
    inside: list[str] = []

    def model(_: str) -> ScriptedModel:
        with pytest.raises(al.ActionLedgerError) as error:
            al.experiment(ledger, "w", [only], {"a": "Do."})
        inside.append(str(error.value))
        return ScriptedModel([said("Done.")])

    only = al.Variant(name="only", profile="assistant", model=model)
    assert al.experiment(ledger, "w", [only], {"a": "Do."}).begun == 1
    assert inside == ["Another process is at the experiment 'w' right now; let it end, or stop it first."]


@pytest.mark.parametrize("wrong", [{"responses": -1}, {"seconds": float("nan")}, {"tokens": "10"}])
def test_a_budget_that_can_not_be_is_refused(wrong):
    """It would hold nothing, without a word."""
    with pytest.raises(al.ActionLedgerError, match="A budget of"):
        al.Budget(**wrong)
