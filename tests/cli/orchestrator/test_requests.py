"""``orchestrator answer`` and ``plan``: what a person says, and what was planned."""

PLAN = {"action": "update_plan", "plan": "First the index."}
QUESTION = {"action": "request_info", "question": "Which database?", "context": "There are two."}


def test_an_answer_is_for_what_waits(run, sentence, play, said):
    """Once, and with words in it."""
    run("orchestrator", "run", "work", "Go.", *play(_2ic=[said("?", QUESTION)]))
    assert "those that do: 1" in sentence("orchestrator", "answer", "work", "2", "Yes.")
    assert "those that do: 1" in sentence("orchestrator", "answer", "work", 2**64, "Yes.")
    assert "no words" in sentence("orchestrator", "answer", "work", "1", " ")
    run("orchestrator", "answer", "work", "1", "Yes.")
    assert "those that do: none" in sentence("orchestrator", "answer", "work", "1", "No.")
    (request,) = run("orchestrator", "requests", "work", "--all", "--json").value
    assert request["answer"] == "Yes."


def test_the_plan_that_holds_is_shown(run, play, said):
    """And earlier ones where they are asked for."""
    second = {"action": "update_plan", "plan": "Then\nthe page."}
    run("orchestrator", "run", "work", "Go.", *play(_2ic=[said("x", PLAN)], eng_lead=[said("x", second)]))
    shown = run("orchestrator", "plan", "work").out
    assert (shown.startswith("Version 2 from eng-lead"), "Then\nthe page.\n" in shown) == (True, True)
    assert "First" not in shown
    plans = run("orchestrator", "plan", "work", "--all", "--json").value
    assert [(plan["version"], plan["layer"]) for plan in plans] == [(1, "2ic"), (2, "eng-lead")]
