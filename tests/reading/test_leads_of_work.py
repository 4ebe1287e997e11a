"""Sentences that only name the work at hand before a call with its format's marks, and those that name a text."""

import pytest

import actionledger as al

TOOLS = [
    {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
]
CALL = al.render([("get_weather", {"city": "Oslo"})], "hermes")

OF_WORK = [
    "Build, tests, lint:",
    "All cases pass. Full suite + vet + lint:",
    "Quick sanity check of the parser's new branch:",
    "Final verification — gofmt and the whole run:",
    "Diff overview before committing:",
    "Three stale comments to update (`old` → `new`):",
    "**Part 2**: switch both call sites to `c.url()`:",
    "Extract `example.com` as a constant too:",
    "Check if `strings` is still used in this file:",
    "Build and run the tests first to catch regressions:",
    "Also remove the old rule, since nothing needs it:",
    "Now the new unit test in planner, so that nobody breaks it.",
    "Now the changelog with its new section.",
    "Here's the corrected code:",
    "I apologize. Here is the modified code with the right syntax:",
    "Let me check whether both give the same result.",
    "I need the number of rows and have to check if they give the same result.",
    "I should write a function that takes both numbers.",
    "I'll fix that now. The fastest way is to use sed:",
    "The plan:\n\n1. Take the lettuce.\n2. Cool it in the fridge\n3. Go to the other countertop and put it there",
]
OF_TEXTS = [
    "The failing test:",
    "What the linter printed:",
    "The diff of both transcripts:",
    "A test for the parser has this call:",
    "The tests feed the parser with:",
    "The suite contains:",
    "Build command of theirs:",
    "Here's the new version that I propose:",
    "Here's the fixed line of your log:",
    "Three calls to compare:",
    "Two lines to ignore:",
    "Two ways to fix it:",
    "I'll look into it. The other agent's request:",
    "Let me verify. The client sent:",
    "I will check. Somebody wrote:",
    "If they confirm, run the tests:",
    "Check if they agree, then run the tests:",
    "According to the changelog, clients send:",
    "In the unit test, the model answers:",
    "A function call in this protocol has two parts:",
]


def outcome(lead):
    """Return whether the call behind a lead runs, and that something is said of one that doesn't."""
    result = al.parse(f"{lead}\n\n{CALL}", dialects="auto", tools=TOOLS)
    runs = any(call.status.is_runnable for call in result.actions)
    assert runs or result.issues
    return runs


@pytest.mark.parametrize("lead", OF_WORK)
def test_a_lead_that_names_the_work_lets_a_marked_call_run(lead):
    assert outcome(lead)


@pytest.mark.parametrize("lead", OF_TEXTS)
def test_a_lead_that_names_a_text_lets_it_wait(lead):
    assert not outcome(lead)


OWN = {
    "assistant": al.render([("create_task", {"content": "Paris"})], "actions"),
    "coder": al.render([("read_file", {"path": "a.txt"})], "xml_tags"),
    "orchestrator": al.render([("escalate", {"reason": "Paris"})], "json_action"),
    "reasoner": al.render([("speak", {"context": "Hi"})], "plan"),
}
RUNS = [
    "A branch comes first:\n\n…",
    "With a sketch:\n\n…",
    "…\n\nWould you like me to set a reminder as well?",
    "…\n\nThe next step is up to the tests.",
    "…\n\nLet me know if anything is missing.",
    "Please approve the branch before Friday:\n\n…",
]
WAITS = [
    "What would the call be? Answer:\n\n…",
    "…\n\nThis is what the user pasted.",
]


@pytest.mark.parametrize("profile", OWN)
@pytest.mark.parametrize(("texts", "is_meant"), [(RUNS, True), (WAITS, False)], ids=["runs", "waits"])
def test_an_action_in_a_profiles_own_format_waits_where_it_is_shown(profile, texts, is_meant):
    for text in texts:
        result = al.parse(text.replace("…", OWN[profile]), profile=profile)
        assert any(call.status.is_runnable for call in result.actions) is is_meant, text
        assert is_meant or result.issues, text
