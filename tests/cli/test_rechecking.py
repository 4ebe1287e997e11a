"""``recheck``: recorded calls under another schema, policy or rate."""

import json

import pytest


def test_what_would_have_been_stopped_is_printed(run, recorded, tmp_path):
    """By name, by reason, with what had succeeded, and some of the calls."""
    policy = tmp_path / "policy.toml"
    policy.write_text('[[rule]]\naction = "list_tasks"\nverdict = "reject"\nwhy = "Not now."\n')
    done = run("recheck", "-l", recorded, "--policy", policy, "-p", "assistant")
    assert (done.code, done.err) == (0, "")
    assert "policy: reject 2" in done.out
    row = next(line for line in done.out.splitlines() if line.startswith(("list_tasks", " list_tasks")))
    assert row.split()[1] == row.split()[-1]
    assert "would not have run by themselves 100.0%" in done.out
    assert "list_tasks: reject Not now." in done.out


def test_the_same_as_json(run, recorded, tmp_path):
    """Each count, and the calls with what the schema refuses."""
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([{"name": "read_file", "parameters": {}}]))
    value = run("recheck", "-l", recorded, "--tools", tools, "--json").value
    names = {each["name"]: each for each in value["by_name"]}
    counts = names["list_tasks"]
    assert (counts["calls"], counts["refused"], counts["stopped"]) == (3, 2, 3)  # one never was valid
    assert value["changes"]["newly_refused"] == 2
    assert names["read_file"]["stopped"] == 0
    assert value["reasons"] == {"unknown_action": 2}
    assert [call["change"] for call in value["examples"]] == ["newly_refused", "newly_refused", "same"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ((), 2, "Nothing is asked"),
        (("--rate", "x"), 2, "write NAME=COUNT/SECONDS"),
        (("--rate", "x=0/5"), 2, "give two positive numbers"),
        (("--tools", "none.json"), 1, "none.json"),
        (("--under", "coda"), 2, "coda"),
        (("--rate", "x=1/5", "--until", "1990-01-01"), 2, "No recorded call fits"),
    ],
)
def test_wrong_uses_are_told(run, recorded, arguments, code, said):
    """One line, and no table."""
    done = run("recheck", "-l", recorded, *arguments)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
