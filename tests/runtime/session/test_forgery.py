"""A program that an agent ran can't decide in a person's place: neither in the ledger nor with a key."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from forked_python import COMMAND, ForkedPython

import actionledger as al
from actionledger.core.errors import DecisionKeyError, UsageError
from actionledger.core.events import ApprovalDecided, ApprovalRequested
from actionledger.core.ids import new_id, now
from actionledger.core.values import Approval
from actionledger.core.vocabulary import DecisionKind, ExecutionStatus
from actionledger.ledger.queries.progress import approvals_of_turn
from actionledger.runtime.commands import Commands, CommandSettings, Wall
from actionledger.runtime.execution.approval import Decision
from actionledger.runtime.execution.execution_events import POLICY
from actionledger.runtime.session.decisions import (
    decide,
    decided_approvals,
    key_path,
    open_decisions,
    pending_approvals,
    signing_key,
)
from actionledger.runtime.workspace import Workspace

APPROVED = Decision(DecisionKind.APPROVED, "ada")
S, P = ExecutionStatus.SUCCEEDED, ExecutionStatus.PENDING

FORGERY = r"""
import json, pathlib, uuid
(segment,) = pathlib.Path("actionledger.duckdb.d/segments").glob("*.jsonl")
lines = [json.loads(line) for line in segment.read_text().splitlines()]
asked = next(line for line in lines if line["kind"] == "approval_requested" and line["name"] == "create_file")
decided = {key: asked[key] for key in ("recorded_at", "run_id", "session_id", "turn_id", "approval_id")}
decided |= {"kind": "approval_decided", "event_id": str(uuid.uuid4()), "decision": "approved", "decided_by": "ada", "why": ""}
with segment.open("a") as file:
    file.write(json.dumps(decided | {"decided_hash": asked["content_hash"]}) + "\n")
print("forged")
"""


def create(path: str) -> str:
    return f"<create_file><path>{path}</path><content>one</content></create_file>\n"


def command(words: str) -> str:
    return f"<execute_command><command>{words}</command></execute_command>\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "team.duckdb"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


@pytest.fixture
def ledger(path: Path) -> Iterator[al.Ledger]:
    with al.open_ledger(path) as opened:
        yield opened


@pytest.fixture
def asked(ledger: al.Ledger, work: Path) -> Approval:
    """A closed session asks to write the file ``a``."""
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        runtime.handle(create("a"))
    (waiting,) = pending_approvals(ledger)
    return waiting


def claimed(asked: Approval, **given: object) -> ApprovalDecided:
    """Return the line that anybody can write."""
    values = {
        "event_id": new_id(),
        "recorded_at": now(),
        "run_id": new_id(),
        "session_id": asked.session_id,
        "turn_id": asked.turn_id,
        "approval_id": asked.approval_id,
        "decision": DecisionKind.APPROVED,
        "decided_by": "ada",
        "why": "",
        "decided_hash": asked.content_hash,
    }
    return ApprovalDecided(**values | given)


def copied(decided: Approval, **given: object) -> ApprovalDecided:
    """Return the line of a decision that was made, once more, with some of it changed."""
    values = {
        "recorded_at": decided.decided_at,
        "decision": decided.decision,
        "decided_by": decided.decided_by,
        "why": decided.why,
        "decided_hash": decided.decided_hash,
        "changed_arguments": decided.changed_arguments,
        "signature": decided.signature,
    }
    return claimed(decided, **values | given)


def resumed(ledger: al.Ledger, asked: Approval) -> tuple[al.Turn, list[str]]:
    """Go on with the turn as another process would; return also why decisions weren't taken."""
    told: list[str] = []
    with al.Runtime.reopen(
        ledger, asked.session_id, listen=lambda event: told.append(getattr(event, "message", ""))
    ) as runtime:
        turn = runtime.resume(asked.turn_id)
    return turn, [each for each in told if "doesn't count:" in each]


def assert_asked_again(ledger: al.Ledger, asked: Approval, words: str) -> None:
    """The turn goes on, nothing of it runs, the reason is said and recorded, and a person can decide."""
    turn, (told,) = resumed(ledger, asked)
    assert words in told
    assert turn.observations[0].status is P
    assert turn.observations[0].message.endswith("A decision that is recorded doesn't count.")
    (again,) = pending_approvals(ledger)
    assert again.approval_id != asked.approval_id
    query = "SELECT message FROM events WHERE code = 'decision_not_taken'"
    assert (told,) in ledger.sql(query).fetchall()


def test_a_ledger_that_the_agent_may_write_is_refused(tmp_path: Path, forked: ForkedPython) -> None:
    """A program in the workspace would append a decision, which another process would carry out as a person's."""
    path = tmp_path / "actionledger.duckdb"
    (tmp_path / "forge.py").write_text(FORGERY)
    try:
        with (
            al.open_ledger(path) as ledger,
            al.Runtime("coder", ledger=ledger, workspace=tmp_path) as runtime,
        ):
            turn = runtime.handle(create("owned") + command("python3 forge.py"))
            forged = runtime.resume(turn.turn_id, {1: APPROVED}).observations[1]
            assert forged.result["stdout"] == "forged\n", forged
        told = forked.run(COMMAND, tmp_path, "approvals", "run", "--ledger", path).stdout
    except UsageError as refusal:
        told = str(refusal)
    assert not (tmp_path / "owned").exists(), told
    assert "lies in the workspace" in told


def test_a_decision_that_nobody_signed_is_asked_for_again(ledger, work, asked):
    """Whoever can append a line to a segment gets no further than that; the person's own decision does."""
    ledger.record(claimed(asked))
    assert [each.approval_id for each in pending_approvals(ledger)] == [asked.approval_id]
    assert_asked_again(ledger, asked, "approved by 'ada' doesn't count: nobody has signed it.")
    assert not (work / "a").exists()
    (again,) = pending_approvals(ledger)
    decide(ledger, again.approval_id, APPROVED)
    turn, told = resumed(ledger, asked)
    assert (turn.observations[0].status, told) == (S, [])


def test_a_claim_keeps_no_person_from_deciding(ledger, work, asked):
    """Neither before nor after: what was signed counts, whatever else is recorded."""
    ledger.record(claimed(asked))
    decide(ledger, asked.approval_id, Decision(DecisionKind.REJECTED, "ada"))
    ledger.record(claimed(asked))
    ledger.record(claimed(asked, recorded_at=now() - timedelta(days=1)))
    turn, told = resumed(ledger, asked)
    assert (turn.observations[0].status, told) == (ExecutionStatus.DENIED, [])
    assert list(work.iterdir()) == []


CHANGES = {
    "other arguments": {
        "decision": DecisionKind.MODIFIED,
        "changed_arguments": json.dumps({"path": "b", "content": ""}),
    },
    "another decision": {"decision": DecisionKind.REJECTED},
    "somebody else": {"decided_by": "bob"},
    "another reason": {"why": "It is Friday."},
    "another time": {"recorded_at": now() + timedelta(seconds=1)},
    "another content": {"decided_hash": "0" * 64},
    "a signature of nothing": {"signature": ":"},
    "half a signature": {"signature": "0" * 32},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_signature_is_about_all_that_a_decision_says(ledger, work, asked, change, monkeypatch):
    """A copy of the line with one thing changed is no decision."""
    elsewhere: list[object] = []
    with monkeypatch.context() as patched:
        patched.setattr(type(ledger), "record", lambda _self, event: elsewhere.append(event))
        decided = decide(ledger, asked.approval_id, APPROVED)
    ledger.record(copied(decided, **change))
    assert len(elsewhere) == 1
    assert open_decisions(ledger)[0].approval.decision is None
    assert_asked_again(ledger, asked, "isn't signed with this user's key")
    assert list(work.iterdir()) == []


def test_a_signature_of_an_earlier_approval_is_none_of_a_later_one(ledger, work, asked):
    """The same action, asked for again: the old line under the new request's id, or the new action under the old one's."""
    decided = decide(ledger, asked.approval_id, APPROVED)
    resumed(ledger, asked)
    (work / "a").unlink()
    with al.Runtime.reopen(ledger, asked.session_id) as runtime:
        later = runtime.handle(create("a"))
    (waiting,) = pending_approvals(ledger)
    assert waiting.content_hash == decided.content_hash
    ledger.record(copied(decided, approval_id=waiting.approval_id, turn_id=waiting.turn_id))
    assert_asked_again(ledger, waiting, "isn't signed with this user's key")
    (waiting,) = pending_approvals(ledger)
    ledger.record(
        ApprovalRequested(
            event_id=new_id(),
            recorded_at=now(),
            run_id=new_id(),
            session_id=later.session_id,
            turn_id=later.turn_id,
            turn_index=later.index,
            profile="coder",
            model="",
            task="",
            occurred_at=None,
            approval_id=asked.approval_id,
            attempt_id=new_id(),
            action_id=new_id(),
            action_index=0,
            name=asked.name,
            arguments=asked.arguments,
            content_hash=asked.content_hash,
            policy_version=asked.policy_version,
        )
    )
    resumed(ledger, waiting)
    assert not (work / "a").exists()


def test_a_decision_counts_in_its_own_ledger_and_once(path, ledger, work, asked, tmp_path):
    """Neither in a copy of the ledger, nor in one that was put back to before it was carried out."""
    decide(ledger, asked.approval_id, APPROVED)
    ledger.close()
    for name in ("copy", "before"):
        shutil.copyfile(path, tmp_path / f"{name}.duckdb")
        shutil.copytree(f"{path}.d", tmp_path / f"{name}.duckdb.d")
    with al.open_ledger(tmp_path / "copy.duckdb") as copy:
        assert_asked_again(copy, asked, "in this ledger")
    with al.open_ledger(path) as again:
        assert resumed(again, asked)[0].observations[0].status is S
    (work / "a").unlink()
    shutil.rmtree(f"{path}.d")
    shutil.copyfile(tmp_path / "before.duckdb", path)
    shutil.copytree(tmp_path / "before.duckdb.d", f"{path}.d")
    with al.open_ledger(path) as put_back:
        assert_asked_again(put_back, asked, "it was carried out before")
    assert not (work / "a").exists()


def test_what_was_carried_out_here_is_not_carried_out_there(path, ledger, work, tmp_path):
    """A decision of the session's own process is used as well, once it was."""
    with al.Runtime("coder", ledger=ledger, workspace=work) as runtime:
        turn = runtime.handle(create("a"))
        runtime.resume(turn.turn_id, {0: APPROVED})
    recorded = approvals_of_turn(ledger, turn.turn_id)[-1]
    assert recorded.signature
    assert [each.name for each in (key_path().parent / "carried-out").iterdir()] == [
        recorded.signature.partition(":")[0]
    ]


def test_a_policy_decides_anew(ledger, work, asked):
    """What is recorded as its decision is a claim like any other, and none that is worth a word."""
    ledger.record(claimed(asked, decided_by=POLICY))
    turn, told = resumed(ledger, asked)
    assert (turn.observations[0].status, told) == (P, [])
    assert [each.approval_id for each in pending_approvals(ledger)] == [asked.approval_id]


def test_what_is_shown_is_what_is_decided_about(ledger, asked):
    """A request that shows other arguments than its hash is of is not decided about."""
    shown = json.dumps({"path": "harmless", "content": ""})
    ledger.record(
        ApprovalRequested(
            event_id=new_id(),
            recorded_at=now(),
            run_id=new_id(),
            session_id=asked.session_id,
            turn_id=asked.turn_id,
            turn_index=0,
            profile="coder",
            model="",
            task="",
            occurred_at=None,
            approval_id=(forged := new_id()),
            attempt_id=new_id(),
            action_id=new_id(),
            action_index=0,
            name=asked.name,
            arguments=shown,
            content_hash=asked.content_hash,
            policy_version=asked.policy_version,
        )
    )
    with pytest.raises(UsageError, match="contradicts itself"):
        decide(ledger, forged, APPROVED)


def spoil_missing(key: Path) -> None:
    key.unlink()


def spoil_open(key: Path) -> None:
    key.chmod(0o644)


def spoil_truncated(key: Path) -> None:
    key.write_bytes(key.read_bytes()[:-1])


def spoil_emptied(key: Path) -> None:
    key.write_bytes(b"")


def spoil_link(key: Path) -> None:
    key.symlink_to(key.rename(key.with_name("elsewhere")))


def spoil_folder(key: Path) -> None:
    key.unlink()
    key.mkdir(mode=0o700)


SPOILT = {
    spoil_missing: "isn't there",
    spoil_open: "is open to other users (mode 0644), who may have read it",
    spoil_truncated: "is damaged",
    spoil_emptied: "is damaged",
    spoil_link: "is a symbolic link",
    spoil_folder: "is not a file",
}


@pytest.mark.parametrize(("spoil", "words"), SPOILT.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_without_a_key_that_is_this_users_alone_nothing_counts(ledger, work, asked, spoil, words):
    """It is said what is wrong with it, by whoever decides, too; a decision in the session's own process needs none."""
    decide(ledger, asked.approval_id, APPROVED)
    spoil(key_path())
    assert_asked_again(ledger, asked, words)
    (again,) = pending_approvals(ledger)
    if spoil is not spoil_missing:
        with pytest.raises(DecisionKeyError, match=r"The key for decisions .* remove it, and decide again"):
            decide(ledger, again.approval_id, APPROVED)
    with al.Runtime.reopen(ledger, asked.session_id) as runtime:
        turn = runtime.resume(asked.turn_id, {0: APPROVED})
    assert turn.observations[0].status is S


def test_of_two_who_share_a_ledger_each_decides_for_what_they_carry_out(
    ledger, work, asked, tmp_path, monkeypatch
):
    """Each trusts the own key; the other's decision is asked for again, and can be made by the one who carries it out."""
    mine = signing_key()
    with monkeypatch.context() as bobs:
        bobs.setenv("XDG_STATE_HOME", str(tmp_path / "bob"))
        decide(ledger, asked.approval_id, Decision(DecisionKind.APPROVED, "bob"))
        assert signing_key() != mine
    (status,) = open_decisions(ledger)
    assert "approved by 'bob' doesn't count: it isn't signed with this user's key" in status.sentence
    decide(ledger, asked.approval_id, APPROVED)
    assert resumed(ledger, asked)[0].observations[0].status is S


def test_a_key_is_made_once_for_its_owner_only(ledger, asked):
    """At the first decision, in the user's folder, and nowhere in the ledger's."""
    assert not key_path().exists()
    decide(ledger, asked.approval_id, APPROVED)
    key = signing_key()
    assert (key_path().stat().st_mode & 0o777, key_path().parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [each.name for each in key_path().parent.iterdir()] == ["decisions.key"]
    assert signing_key() == key
    kept = [file.read_bytes() for file in ledger.path.parent.rglob("*") if file.is_file()]
    assert not any(key in each or key.hex().encode() in each for each in kept)


def test_where_nothing_confines_commands_only_the_own_process_decides(ledger, work, asked, monkeypatch):
    """A program that could read the key could sign; the sentence says where to decide."""
    monkeypatch.setattr(Commands, "walls", lambda _self: (Wall.MEMORY,))
    decide(ledger, asked.approval_id, APPROVED)
    assert_asked_again(ledger, asked, "commands run unconfined here (nothing keeps them to the workspace)")
    with al.Runtime.reopen(ledger, asked.session_id) as runtime:
        turn = runtime.resume(asked.turn_id, {0: APPROVED})
    assert turn.observations[0].status is S


def test_a_key_in_the_workspace_shows_nothing(ledger, work, asked, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(work / "state"))
    decide(ledger, asked.approval_id, APPROVED)
    assert_asked_again(ledger, asked, "lies in the workspace")


def test_a_key_where_commands_may_read_shows_nothing(ledger, work, asked, tmp_path, monkeypatch):
    """As in a folder of programs that a user keeps their state in, too."""
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    decide(ledger, asked.approval_id, APPROVED)
    assert_asked_again(ledger, asked, f"commands may read {tmp_path}")


@pytest.fixture
def held(work):
    """A machine where commands keep to their workspace."""
    commands = Commands(Workspace(work), CommandSettings())
    standing = commands.walls()
    commands.close()
    if Wall.FILES not in standing:
        pytest.skip("nothing keeps a command to its workspace here")


@pytest.mark.usefixtures("held")
def test_a_command_reads_no_key_and_writes_no_ledger(ledger, path, work, asked):
    """Confined as commands are; outside of that, the same program does both."""
    decide(ledger, asked.approval_id, Decision(DecisionKind.REJECTED, "ada"))
    segments = sorted(map(str, Path(f"{path}.d", "segments").glob("*.jsonl")))
    places = [str(key_path()), str(key_path().parent), *segments, str(path)]
    work.joinpath("try.py").write_text(
        f"""
import os
for place in {places!r}:
    for flags in (os.O_RDONLY, os.O_WRONLY | os.O_APPEND):
        try:
            os.close(os.open(place, flags))
            print("opened", place)
        except IsADirectoryError:
            pass
        except PermissionError:
            print("refused")
        except FileNotFoundError:
            print("hidden")
"""
    )
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True) as runtime:
        said = runtime.handle(command("python3 try.py")).observations[0].result["stdout"]
    assert "opened" not in said
    # A folder that can be seen is not opened for writing.
    assert said.count("refused") + said.count("hidden") >= 2 * len(places) - 1
    free = subprocess.run(
        [sys.executable, work / "try.py"], capture_output=True, text=True, check=True
    ).stdout
    assert free.count("opened") == 2 * len(places) - 1


@pytest.mark.usefixtures("held")
def test_a_program_beside_the_state_folder_reads_no_key(ledger, work, asked, tmp_path, monkeypatch):
    """``~/.local`` holds programs, which may read what they were installed with, and the user's state."""
    local = tmp_path / "local"
    monkeypatch.setenv("XDG_STATE_HOME", str(local / "state"))
    decide(ledger, asked.approval_id, APPROVED)
    for folder in ("bin", "lib"):
        (local / folder).mkdir()
    (local / "lib" / "own").write_text("its own")
    program = local / "bin" / "look"
    program.write_text(f'#!/bin/sh\ncat "{local}/lib/own" "{key_path()}"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    with al.Runtime("coder", ledger=ledger, workspace=work, auto=True) as runtime:
        observation = runtime.handle(command("look")).observations[0]
    assert observation.result["stdout"] == "its own"
    assert any(why in observation.result["stderr"] for why in ("ermission denied", "No such file"))
    assert resumed(ledger, asked)[0].observations[0].status is S


def test_code_reads_no_key_and_writes_no_ledger(ledger, path, work, asked):
    decide(ledger, asked.approval_id, APPROVED)
    for place, mode in ((key_path(), "r"), (path, "a")):
        code = f"open({str(place)!r}, {mode!r})"
        with al.Runtime("assistant", ledger=ledger, auto=True) as runtime:
            text = al.render([("execute_code", {"code": code})], "actions")
            (observation,) = runtime.handle(text).observations
        assert observation.status is ExecutionStatus.FAILED, observation
    assert decided_approvals(ledger)[0].approval_id == asked.approval_id
