"""``orchestrator run``, ``answer`` and ``plan``: directives and their layers, what a person says, and what docs/orchestrator.md shows."""

import json
import re
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.runtime.models import ScriptedModel

FENCE = "`" * 3
HOSTILE = "[bold]bold[/nope] \x1b[31mred\x07 \x9b2J \u202ebackwards"
HOSTILE_SHOWN = r"[bold]bold[/nope] \x1b[31mred\x07 \x9b2J \u202ebackwards"
PLAN = {"action": "update_plan", "plan": "First the index."}
ISSUES = {"action": "create_issues", "issues": [{"title": "Accents", "body": "", "labels": ["search"]}]}
INVOKE = {"action": "invoke_cheenoski", "label": "search"}
QUESTION = {"action": "request_info", "question": "Which database?", "context": "There are two."}
REVIEW = {"action": "request_review", "target": "the plan"}


def rows(query: str) -> list[Any]:
    with al.open_ledger("actionledger.duckdb", read_only=True) as ledger:
        return ledger.sql(query).fetchall()


def test_a_directive_goes_down_the_layers(run, whole, repository):
    """Each message is shown with what its actions came to; all of it is recorded; all succeeded is exit code 0."""
    done = run("orchestrator", "run", "work", "Find accents.", *whole, "--repository", repository)
    assert done.code == 0, done
    lines = done.out.splitlines()
    assert lines[:3] == [
        "2ic -> eng-lead: parsed (0.0 s)",
        "We begin with the index.",
        'Action 1 (update_plan) succeeded: {"version":1}',
    ]
    assert "eng-lead -> team-lead: parsed (0.0 s)" in lines
    assert lines[-1] == "Ended (finished): All layers had their say."
    sessions = rows(
        "SELECT model, metadata->>'layer', metadata->>'orchestration' FROM sessions ORDER BY model"
    )
    assert [session[:2] for session in sessions] == [
        (name, name) for name in ("2ic", "eng-lead", "team-lead")
    ]
    assert len({orchestration for *_, orchestration in sessions}) == 1


def test_one_model_can_play_every_layer(run, tmp_path):
    """A script is gone through by all of them; a layer with a model of its own has that one."""
    (tmp_path / "all.jsonl").write_text('"One."\n"Three."')
    (tmp_path / "own.jsonl").write_text('"Two."')
    models = ["--model", "scripted:all.jsonl", "--layer", "eng-lead=scripted:own.jsonl"]
    done = run("orchestrator", "run", "work", "Go.", *models, "--json")
    assert done.code == 0, done
    assert [message["content"] for message in done.value["messages"]] == ["One.", "Two.", "Three."]


def test_a_question_is_answered_and_the_run_goes_on(run, play, said):
    """What is printed says which request to answer, by which command, and how to go on."""
    first = play(_2ic=[said("I have to know.", QUESTION)], team_lead=[])
    done = run("orchestrator", "run", "work", "Find accents.", *first)
    assert done.code == 3
    assert "Request 1 (info) from 2ic" in done.out
    assert "Which database?\nThere are two.\n  Next: actionledger orchestrator answer work 1 TEXT" in done.out
    assert "actionledger orchestrator run work --ledger actionledger.duckdb" in done.out
    assert "Which database?" in run("orchestrator", "requests", "work").out
    answered = run("orchestrator", "answer", "work", 1, f"SQLite {HOSTILE}", "--by", "ada")
    assert answered.out.startswith("Request 1 answered by ada.\n")
    assert "Nothing waits for an answer." in run("orchestrator", "requests", "work").out
    shown = run("orchestrator", "requests", "work", "--all").out
    assert f"SQLite {HOSTILE_SHOWN}" in shown
    done = run("orchestrator", "run", "work", *play(_2ic=[said("So be it.", PLAN)], team_lead=["Fine."]))
    assert (done.code, "Ended (finished)" in done.out) == (0, True)
    assert rows("SELECT count(*) FROM turns WHERE prompt LIKE '%SQLite [bold]%'") == [(1,)]


@pytest.mark.parametrize("decision", ["approve", "reject"])
def test_what_waits_is_decided_and_carried_out(run, play, decision, said):
    """The command that decides is printed; the next run carries it out, and a rejection that was wanted is no failure."""
    layers = play(_2ic=[said("Nobody waits for this.", ISSUES)])
    done = run("orchestrator", "run", "work", "Find accents.", *layers)
    assert done.code == 3
    (approval,) = run("approvals", "list", "--json").value
    short = approval["approval_id"][:8]
    assert (
        f"Next: actionledger approvals approve {short} --ledger actionledger.duckdb (or reject)" in done.out
    )
    assert "Then: actionledger approvals run --ledger actionledger.duckdb" in done.out
    run("approvals", decision, short, "--by", "ada")
    done = run("orchestrator", "run", "work", *layers)
    assert (done.code, "Ended (finished)" in done.out) == (0, True)
    assert ("create_issues succeeded" in done.out) == (decision == "approve")
    assert len(run("orchestrator", "issues", "work", "--json").value) == (decision == "approve")


def test_auto_waits_for_nobody(run, play, said):
    """What would wait for approval is done at once."""
    layers = play(team_lead=[said("Go.", ISSUES, INVOKE)])
    assert run("orchestrator", "run", "work", "Go.", *layers, "--auto").code == 0
    (job,) = run("orchestrator", "jobs", "work", "--json").value
    assert (job["label"], job["issues"], job["state"]) == ("search", [1], "queued")
    assert "search" in run("orchestrator", "jobs", "work").out


def test_a_review_is_shown_and_holds_nobody_up(run, play, said):
    """The run is finished, and says what a person is asked to look at."""
    done = run("orchestrator", "run", "work", "Go.", *play(_2ic=[said("Look.", REVIEW)]))
    assert done.code == 0
    assert "Request 1 (review) from 2ic" in done.out
    assert "To go on" not in done.out


def test_a_dry_run_does_nothing(run, whole, repository):
    """It says what would be done, to the end of the orchestration."""
    done = run("orchestrator", "run", "work", "Go.", *whole, "--repository", repository, "--dry-run")
    assert done.code == 0, done
    assert done.out.count("dry run") == 3
    assert run("orchestrator", "plan", "work").out == "There is no plan yet.\n"
    assert run("orchestrator", "issues", "work").out == "No issue is open.\n"
    assert run("orchestrator", "jobs", "work").out == "No job was queued.\n"


def test_json_is_one_value(run, play, said):
    """All messages with the document's names, this run's turns, and what waits for a person."""
    layers = play(_2ic=[said("I have to know.", QUESTION, ISSUES)])
    done = run("orchestrator", "run", "work", "Go.", *layers, "--json")
    value = done.value
    assert (done.code, done.err, value["status"]) == (3, "", "waiting")
    (message,) = value["messages"]
    assert (message["from"], message["to"], message["costUsd"]) == ("2ic", "ceo", None)
    statuses = [each["status"] for each in value["turns"][0]["observations"]]
    assert (value["turns"][0]["layer"], statuses) == ("2ic", ["succeeded", "pending"])
    assert [each["subject"] for each in value["requests"]] == ["Which database?"]
    assert [each["name"] for each in value["approvals"]] == ["create_issues"]
    approval = value["approvals"][0]["approval_id"]
    run("approvals", "approve", approval)
    run("orchestrator", "answer", "work", 1, "SQLite.")
    done = run("orchestrator", "run", "work", *play(_2ic=["Fine."]), "--json")
    assert [(each["layer"], each["status"]) for each in done.value["decided"]] == [("2ic", "succeeded")]
    assert (len(done.value["messages"]), len(done.value["turns"])) == (2, 1)


def test_what_was_said_and_kept_is_text(run, play, said):
    """Of a model or of a person: no markup, no escape sequence, in no command."""
    hostile = {
        "action": "create_issues",
        "issues": [{"title": HOSTILE, "body": HOSTILE, "labels": [HOSTILE]}],
    }
    layers = play(
        _2ic=[said(HOSTILE, {"action": "update_plan", "plan": HOSTILE})],
        team_lead=[said(HOSTILE, hostile, {"action": "request_review", "target": HOSTILE})],
    )
    done = run("orchestrator", "run", "work", HOSTILE, *layers)
    assert done.code == 0, done
    outs = [done.out, *(run("orchestrator", name, "work").out for name in ("requests", "plan", "issues"))]
    assert [HOSTILE_SHOWN in out for out in outs] == [True] * 4
    assert "\x1b" not in "".join(outs)


@pytest.mark.parametrize(
    ("responses", "code", "words"),
    [
        ([], 1, "Ended (model_failed): The layer '2ic' gave no response"),
        (['```json\n{"action": "update_plan"}\n```'] * 2, 1, "Ended (finished)"),
        (['```json\n{"action": "update_plan", "plan": }\n```'] * 2, 1, "Ended (finished)"),
        (
            ['```json\n{"action": "create_branch", "branch_name": "x"}\n```'],
            3,
            "create_branch of 2ic waits for approval",
        ),
        (["Only words."], 0, "Ended (finished)"),
    ],
)
def test_the_exit_code_says_what_came_of_it(run, play, responses, code, words):
    """0 all succeeded, 1 something failed or was lost, 3 a person is needed."""
    done = run("orchestrator", "run", "work", "Go.", *play(_2ic=responses))
    assert (done.code, words in done.out) == (code, True), done


def test_half_a_character_stops_nothing(run, play):
    """In a response: it is shown and kept as far as there is something to keep."""
    question = f"? \ud83d\n\n{FENCE}json\n{json.dumps(QUESTION)}\n{FENCE}"
    assert run("orchestrator", "run", "work", "Go.", *play(_2ic=[question])).code == 3
    assert run("orchestrator", "answer", "work", 1, "SQLite").code == 0
    assert run("orchestrator", "run", "work", *play(_2ic=["Fine."])).code == 0
    (request,) = run("orchestrator", "requests", "work", "--all", "--json").value
    assert (request["subject"], request["answer"]) == ("Which database?", "SQLite")


def test_the_number_of_responses_can_be_limited(run, play, whole):
    """What was cut off goes on with a higher limit."""
    done = run("orchestrator", "run", "work", "Go.", *whole, "--max-turns", 1)
    assert (done.code, "Ended (turn_limit)" in done.out) == (1, True)
    assert "actionledger orchestrator run work --ledger" in done.out
    done = run("orchestrator", "run", "work", *play(_2ic=[], eng_lead=["Fine."], team_lead=["Fine."]))
    assert done.code == 0


def test_ctrl_c_keeps_what_was_said(run, play, whole, monkeypatch):
    """The exit code says that it was stopped, so does the record, and the next run goes on."""
    complete = ScriptedModel.complete

    def stopped(self, *given, **more):
        if self.name == "eng-lead":
            raise KeyboardInterrupt
        return complete(self, *given, **more)

    with monkeypatch.context() as patch:
        patch.setattr(ScriptedModel, "complete", stopped)
        done = run("orchestrator", "run", "work", "Go.", *whole)
    assert done.code == 130
    assert "Stopped. What was said and done is saved." in done.err
    assert rows("SELECT detail->>'status' FROM events WHERE code = 'orchestration_stopped'") == [("stopped",)]
    done = run("orchestrator", "run", "work", *play(_2ic=[], eng_lead=["Fine."], team_lead=["Fine."]))
    assert (done.code, done.out.count(" -> ")) == (0, 2)


_KILLED = """
import os, signal
from actionledger.cli import main
from actionledger.profiles.orchestrator.tracker import Tracker
file = Tracker.file
def killed(self, *given):
    file(self, *given)
    os.kill(os.getpid(), signal.SIGKILL)
Tracker.file = killed
main()
"""


def test_a_killed_run_goes_on_where_it_stopped(run, tmp_path, play, said, forked):
    """Nobody is asked again, and what had its effect has it once."""
    layers = play(_2ic=[said("First.", PLAN)], team_lead=[said("Then.", ISSUES)])
    killed = forked.run(_KILLED, tmp_path, "orchestrator", "run", "work", "Go.", *layers)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    done = run("orchestrator", "run", "work", *play(_2ic=[], team_lead=[]))
    assert (done.code, "team-lead -> ceo" in done.out) == (0, True)
    assert len(run("orchestrator", "issues", "work", "--json").value) == 1


def test_a_cost_is_what_the_tokens_come_to(run, server):
    """A server counts the tokens; the price is for all layers, or for one."""
    for _ in range(2):
        server.whole({"role": "assistant", "content": "Fine."}, model="m")
    model = f"openai:m@{server.url}"
    layers = [f"--layer=2ic={model}", f"--layer=team-lead={model}"]
    prices = ["--price", "1000000/0", "--price", "team-lead=0/1000000"]
    done = run("orchestrator", "run", "work", "Go.", *layers, *prices)
    assert done.code == 0, done
    assert [line.rpartition(", ")[2] for line in done.out.splitlines() if " -> " in line] == [
        "$3.0000)",
        "$2.0000)",
    ]
    assert len(server.seen) == 2


def test_an_answer_is_for_what_waits(run, sentence, play, said):
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


PAGE = (Path(__file__).parents[3] / "docs" / "orchestrator.md").read_text(encoding="utf-8")

VARIES = re.compile(r"\b(?P<id>[0-9a-f]{8})\b|(?P<moment>\b\d{4}-\d\d-\d\dT[\d:+]+)")
"""What is another one each time: the id of an approval, and the time."""


def fenced(label: str) -> list[str]:
    """Return the bodies of the page's fences of a label."""
    return re.findall(rf"^```{label}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def shown() -> Iterator[tuple[str, str]]:
    """Yield each command of the page with what it prints."""
    for part in re.split(r"^\$ ", fenced("console")[0], flags=re.MULTILINE)[1:]:
        command, _, printed = part.partition("\n")
        yield command, printed


def test_the_transcript_is_what_happens(run, tmp_path):
    """From top to bottom, in a folder with the scripts that it shows."""
    for name, script in zip(("first", "second"), fenced("jsonl"), strict=True):
        (tmp_path / f"{name}.jsonl").write_text(script)
    now: dict[str, str] = {}
    for command, printed in shown():
        words = [now.get(word, word) for word in shlex.split(command)]
        assert words[0] == "actionledger"
        done = run(*words[1:])
        assert done.err == ""
        assert VARIES.sub("…", done.out) == VARIES.sub("…", printed)
        now |= dict(zip(ids(printed), ids(done.out), strict=True))


def ids(text: str) -> list[str]:
    return [found["id"] for found in VARIES.finditer(text) if found["id"]]
