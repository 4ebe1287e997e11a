"""The coder's commands: what the model is told of them, what may run, and what never does."""

import sys

import pytest
from late_clock import late_once

from actionledger.core.vocabulary import DecisionKind, ExecutionStatus, Reason
from actionledger.profiles import PROFILES
from actionledger.profiles.coder import coder_profile, with_commands
from actionledger.runtime.commands import CommandSettings, Means, Wall
from actionledger.runtime.execution.approval import Decision, Verdict

POLICY = PROFILES["coder"].policy


def test_a_command_runs_and_its_result_says_what_came_of_it(session):
    """Status, both outputs, what it changed, and whether something held it."""
    session.write("main.py", "import sys\nprint('out')\nprint('err', file=sys.stderr)\nopen('made', 'w')\n")
    result = session.done("execute_command", command=f"{sys.executable} main.py", description="Try it")
    seconds = result.pop("seconds")
    assert 0 < seconds < 60
    assert result == {
        "command": f"{sys.executable} main.py",
        "exit_code": 0,
        "stdout": "out\n",
        "stderr": "err\n",
        "changed": ["made"],
        "confined": result["confined"],
    }
    assert Wall.FILES in result["confined"]


def test_a_command_that_fails_tells_the_model_why(session):
    """The message holds its status and the end of what it said; the result holds all of it."""
    session.write("main.py", "print('before')\nraise SystemExit('broken')\n")
    observation = session.run("execute_command", command=f"{sys.executable} main.py")
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.COMMAND_FAILED)
    assert observation.message == (
        'The command ended with exit status 1. Its stderr ends: "broken". Its stdout ends: "before".'
    )
    assert observation.result["exit_code"] == 1


def test_the_end_of_a_long_complaint_reaches_the_model(session):
    """The last lines are what says what went wrong."""
    session.write(
        "main.py",
        "import sys\nfor _ in range(5000): print('x' * 80, file=sys.stderr)\nsys.exit('the reason')\n",
    )
    turn = session.handle(("execute_command", {"command": f"{sys.executable} main.py"}))
    assert "the reason" in turn.feedback
    assert len(turn.feedback) < 4000


def test_a_command_that_takes_too_long_is_timed_out(open_session, monkeypatch):
    """What it said until then is kept."""
    session = open_session(coder_profile("c", commands=CommandSettings(seconds=90.0, grace=0.2)))
    late_once(monkeypatch, session.root / "on")
    session.write("main.py", "import time\nprint('go', flush=True)\nopen('on', 'w')\ntime.sleep(300)\n")
    observation = session.run("execute_command", command=f"{sys.executable} main.py")
    assert (observation.status, observation.reason) == (ExecutionStatus.TIMED_OUT, Reason.TIMEOUT)
    assert observation.result["stdout"] == "go\n"
    assert "after 90 s" in observation.message


NOTHING = Means(namespaces=False, landlock=0, filter=False)


def test_where_nothing_holds_a_command_it_is_not_run(open_session):
    """As on a system without Landlock and namespaces: the operator is told what to do."""
    session = open_session(coder_profile("c", commands=CommandSettings(means=NOTHING)))
    observation = session.run("execute_command", command="touch made")
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.UNAVAILABLE)
    assert "--unconfined-commands" in observation.message
    assert "made" not in session.tree()


@pytest.mark.parametrize("by", ["setting", "environment"])
def test_an_operator_allows_commands_without_walls_by_name(open_session, monkeypatch, by):
    """Their results say that nothing held them."""
    if by == "environment":
        monkeypatch.setenv("ACTIONLEDGER_COMMANDS", "unconfined")
    settings = CommandSettings(unconfined=by == "setting", means=NOTHING)
    session = open_session(coder_profile("c", commands=settings))
    result = session.done("execute_command", command="true")
    assert not set(result["confined"]) & {Wall.FILES, Wall.PROCESSES, Wall.SIGNALS, Wall.ENDING, Wall.NETWORK}
    assert "not confined" in result["notes"][0]


def test_other_settings_of_commands_are_the_coders_alone():
    """Options of the command line that speak of commands change no other profile."""
    assert with_commands("coder", CommandSettings()) == "coder"
    assert with_commands("assistant", CommandSettings(unconfined=True)) == "assistant"
    changed = with_commands("coder", CommandSettings(unconfined=True))
    assert (changed.name, changed is PROFILES["coder"]) == ("coder", False)


def test_a_command_that_fails_without_a_network_is_told_so(session):
    """The model learns that there is none."""
    observation = session.run("execute_command", command="false")
    assert "no network" in observation.result["notes"][0]


@pytest.mark.parametrize(
    "command",
    [
        "touch made; true",
        "true && touch made",
        "echo x > made",
        "echo $(touch made)",
        "echo `touch made`",
        "sh -c 'touch made'",
        "true\ntouch made",
        "true | tee made",
    ],
)
def test_no_command_reaches_a_shell(session, command):
    """It is refused as a whole; the model is told what to do instead."""
    observation = session.run("execute_command", command=command)
    assert (observation.status, observation.reason) == (ExecutionStatus.FAILED, Reason.COMMAND_REFUSED)
    assert session.tree() == {}


def test_a_value_that_was_filled_in_is_read_like_any_other_text(session):
    """What a file holds can't add a command to one that names it."""
    session.write("name", "x; touch made")
    turn = session.handle(
        ("read_file", {"path": "name"}), ("execute_command", {"command": "ls ${action_1.content}"})
    )
    assert turn.observations[1].reason is Reason.COMMAND_REFUSED
    assert session.tree() == {"name": "x; touch made"}


@pytest.mark.parametrize(
    ("command", "verdict"),
    [
        ("make test", Verdict.ESCALATE),
        ("git status", Verdict.ESCALATE),
        ("git push", Verdict.REJECT),
        ("git 'push' origin", Verdict.REJECT),
        ("sudo ls", Verdict.REJECT),
        ("su", Verdict.REJECT),
        ("sudoku", Verdict.ESCALATE),
    ],
)
def test_the_policy_decides_by_program_and_arguments(command, verdict):
    """A command waits for a person; what is for people only is refused, in an automatic session too."""
    assert POLICY.rule_for("execute_command", {"command": command}).verdict is verdict
    automatic = POLICY.automatic().rule_for("execute_command", {"command": command}).verdict
    assert automatic is (Verdict.APPROVE if verdict is Verdict.ESCALATE else verdict)


def test_a_command_waits_for_a_person_and_runs_when_one_agrees(open_session):
    session = open_session(auto=False)
    turn = session.handle(("execute_command", {"command": "touch made"}))
    assert turn.observations[0].status is ExecutionStatus.PENDING
    assert session.tree() == {}
    done = session.runtime.resume(turn.turn_id, {0: Decision(DecisionKind.APPROVED, by="ada")})
    assert done.observations[0].status is ExecutionStatus.SUCCEEDED
    assert session.tree() == {"made": ""}


@pytest.mark.parametrize(
    ("command", "file"),
    [
        (f"{sys.executable} run.py", "run.py"),
        (f"{sys.executable} -m pack.tool", "pack/tool.py"),
        ("./tool --fast", "tool"),
        (f"env A=1 {sys.executable} --option=run.py", "run.py"),
        ("make", "Makefile"),
    ],
)
@pytest.mark.parametrize("change", ["content", "deleted", "none"])
def test_what_a_command_names_is_part_of_what_is_approved(open_session, command, file, change):
    """A script that was changed between a person's yes and its run is not run."""
    session = open_session(auto=False)
    session.write(file, "harmless\n")
    turn = session.handle(("execute_command", {"command": command}))
    if change == "content":
        session.write(file, "harmful!\n")
    elif change == "deleted":
        (session.root / file).unlink()
    done = session.runtime.resume(turn.turn_id, {0: Decision(DecisionKind.APPROVED, by="ada")})
    is_refused = done.observations[0].reason is Reason.CHANGED_SINCE_APPROVAL
    assert is_refused == (change != "none")


def test_what_the_same_turn_writes_is_approved_there(open_session):
    """A script that is made and then run is no change since somebody looked; a change by a later turn is one."""
    session = open_session(auto=False)
    make = ("create_file", {"path": "run.py", "content": "print('made')\n"})
    turn = session.handle(make, ("execute_command", {"command": f"{sys.executable} run.py"}))
    yes = Decision(DecisionKind.APPROVED, by="ada")
    done = session.runtime.resume(turn.turn_id, {0: yes, 1: yes})
    assert [observation.status for observation in done.observations] == [ExecutionStatus.SUCCEEDED] * 2
    assert done.observations[1].result["stdout"] == "made\n"


def test_output_is_heard_while_a_command_runs(open_session):
    """By whoever the profile was made for."""
    heard = []
    session = open_session(coder_profile("c", on_output=lambda name, text: heard.append((name, text))))
    session.done("execute_command", command="echo hello")
    assert heard == [("stdout", "hello\n")]
