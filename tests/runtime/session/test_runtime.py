"""A session from the outside: what would be done, what is recorded of its folder, how it ends."""

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import ActionError, LedgerError, UsageError
from actionledger.core.events import RunFinished, SessionFinished
from actionledger.runtime.execution.handlers import Handlers
from actionledger.runtime.session.decisions import signing_key, spend

CREATE = "<create_file><path>a.txt</path><content>hello</content></create_file>"


def task(content: str, **fields: str) -> dict[str, str]:
    return {"type": "create_task", "content": content, **fields}


def actions(*written: dict[str, str]) -> str:
    return "```actions\n" + json.dumps(written) + "\n```"


def assistant(*, previews: dict[str, Any]) -> al.Profile:
    profile = al.profile("assistant")

    def handlers(workspace):
        made = profile.handlers(workspace)
        return Handlers(made, close=made.close, previews=previews)

    return replace(profile, handlers=handlers)


def test_a_preview_has_what_would_be_done(tmp_path):
    """Nothing is done, and a later action sees nothing of an earlier one."""
    with al.Runtime("coder", workspace=tmp_path) as runtime:
        turn = runtime.handle(CREATE)
        (preview,) = runtime.preview(turn)
    assert (preview.index, preview.call.name, preview.message) == (0, "create_file", "")
    assert "hello" in json.dumps(preview.result)
    assert not (tmp_path / "a.txt").exists()


def test_a_preview_says_why_there_is_none(tmp_path):
    """A handler may have none, and a file that is there can't be created."""
    (tmp_path / "a.txt").mkdir()
    with al.Runtime("coder", workspace=tmp_path) as runtime:
        (refused,) = runtime.preview(runtime.handle(CREATE))
    assert refused.result is None
    assert refused.message.startswith("It would fail. ")
    assert "a.txt" in refused.message
    with al.Runtime(assistant(previews={})) as runtime:
        (silent,) = runtime.preview(runtime.handle(actions(task("Call Ada"))))
    assert (silent.result, silent.message) == (None, "Nobody can say beforehand what it does.")


def test_a_preview_takes_no_values_from_results_that_are_not_there():
    """An action that waits for another one's result has no arguments yet."""
    said = dict.fromkeys(("create_task", "get_task"), lambda *_: "would run")
    second = {"type": "get_task", "task_id": "${action_1.task_id}"}
    with al.Runtime(assistant(previews=said)) as runtime:
        turn = runtime.handle(actions(task("Call Ada", id="action_1"), second))
        first, referring = runtime.preview(turn)
    assert (first.result, first.message) == ("would run", "")
    assert (referring.result, referring.message) == (
        None,
        "It takes values from results that are not there yet.",
    )


@pytest.mark.parametrize("given", [True, False])
def test_a_folder_of_its_own_is_recorded_as_temporary(given, ledger, tmp_path):
    """Whoever opens the session again has to know whether its folder was to stay."""
    with al.Runtime("coder", ledger=ledger, workspace=tmp_path / "work" if given else None) as runtime:
        runtime.handle("Nothing to do.")
        root = str(runtime.workspace)
    ((metadata,),) = ledger.sql("SELECT metadata FROM sessions").fetchall()
    assert json.loads(metadata) == {"workspace": root, "temporary": not given}


def test_a_session_ends_once():
    """What is closed stays closed, with the first reason, and takes nothing more."""
    events = []
    with al.Runtime("assistant", listen=events.append) as runtime:
        runtime.handle("Nothing to do.")
        runtime.close(success=True, reason="done")
        runtime.close(success=False, reason="again")
    ends = [event for event in events if isinstance(event, SessionFinished | RunFinished)]
    assert [type(event) for event in ends] == [SessionFinished, RunFinished]
    assert (ends[0].success, ends[0].reason) == (True, "done")
    with pytest.raises(UsageError, match="closed"):
        runtime.handle("More.")
    with pytest.raises(UsageError, match="closed"):
        runtime.note("code", "A sentence.")


def test_a_session_that_never_began_leaves_no_record(ledger):
    """Opening one says nothing of what was done."""
    al.Runtime("assistant", ledger=ledger).close(success=True)
    assert ledger.sql("SELECT count(*) FROM sessions").fetchall() == [(0,)]


def test_an_error_is_why_a_session_ends(ledger):
    """The record names it."""
    with suppress(ZeroDivisionError), al.Runtime("assistant", ledger=ledger) as runtime:
        runtime.handle("Nothing to do.")
        raise ZeroDivisionError
    assert ledger.sql("SELECT success, reason FROM sessions").fetchall() == [(None, "ZeroDivisionError")]


def test_a_session_is_open_once(ledger, tmp_path):
    """Two that act in its name would not know of each other; once it is closed, another may."""
    first = al.Runtime("assistant", ledger=ledger, workspace=tmp_path / "work")
    first.handle("Nothing to do.")
    with pytest.raises(LedgerError, match=f"{first.session_id} is open elsewhere"):
        al.Runtime.reopen(ledger, first.session_id)
    first.close()
    with al.Runtime.reopen(ledger, first.session_id) as again:
        assert again.session_id == first.session_id


def test_a_session_may_be_switched_while_it_runs(tmp_path):
    """A person who sits beside it changes their mind."""
    with al.Runtime("coder", workspace=tmp_path, dry_run=True) as runtime:
        runtime.auto = True
        (tried,) = runtime.handle(CREATE).observations
        runtime.dry_run = False
        (done,) = runtime.handle(CREATE).observations
    assert (runtime.auto, runtime.dry_run) == (True, False)
    assert (str(tried.status), str(done.status)) == ("dry_run", "succeeded")


def test_what_nothing_has_changed_is_not_undone(tmp_path):
    """It says so, whether a turn is named or not."""
    with al.Runtime("coder", workspace=tmp_path) as runtime:
        turn = runtime.handle("Nothing to do.")
        with pytest.raises(UsageError):
            runtime.undo()
        with pytest.raises(ActionError):
            runtime.undo(turn.turn_id)


def test_a_decision_is_spent_once():
    """The second time is no error: it says that it was."""
    signing_key()  # makes the folder
    assert spend("0123456789abcdef:signature")
    assert not spend("0123456789abcdef:signature")
    assert spend("fedcba9876543210:signature")
