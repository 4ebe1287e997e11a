"""The commands that start processes, and the choice between sandboxes."""

import sys
from contextlib import closing

import pytest

from actionledger.core.errors import SandboxError, UnknownNameError
from actionledger.profiles.assistant.handlers import document_of
from actionledger.runtime.sandbox import backends
from actionledger.runtime.sandbox.backends import (
    BubblewrapLauncher,
    ConfinedSandbox,
    ContainerLauncher,
    ContainerSandbox,
    HostLauncher,
    choose,
    sandbox_names,
)
from actionledger.runtime.sandbox.base import Availability, CodeOutcome, CodeResult
from actionledger.runtime.sandbox.ending import RunEnding
from actionledger.runtime.sandbox.monty import MontySandbox
from actionledger.runtime.sandbox.process import verdict

HELD = {
    "opening a file": "PermissionError",
    "making a socket": "PermissionError",
    "forking": "PermissionError",
    "starting a program": "PermissionError",
    "taking 1 GB of memory": "MemoryError",
}


def test_the_host_python_is_isolated():
    """No site packages, no environment, no folder of the user's."""
    command = HostLauncher().command("x")
    assert command[1:3] == ["-I", "-S"]
    assert HostLauncher().environment() == {}


def test_a_container_is_closed_on_every_side():
    """Network, files, rights, processes and memory, and nothing is fetched at run time."""
    command = ContainerLauncher("podman", "python:3.13-slim").command("actionledger-1")
    line = " ".join(command)
    for part in (
        "run --rm --interactive --name actionledger-1",
        "--pull never",
        "--network none",
        "--ipc none",
        "--read-only",
        "--user 65534:65534",
        "--cap-drop ALL",
        "--security-opt no-new-privileges",
        "--pids-limit 16",
        "--memory 1g --memory-swap 1g",
        "target=/sandbox/inside,readonly",
        "--entrypoint python python:3.13-slim -I -S",
    ):
        assert part in line
    assert command[0].endswith("podman")
    assert "privileged" not in line.replace("no-new-privileges", "")


def test_a_container_engine_that_is_not_there_is_named():
    """The operator is told what to install."""
    assert "install one of docker, podman" in ContainerLauncher("no-such-engine").missing()
    availability = ContainerSandbox("no-such-engine").available()
    assert (availability.available, "no-such-engine" in availability.reason) == (False, True)


def test_a_container_that_cannot_start_is_a_refusal():
    """Run without asking first: the code does not run, and nothing raises."""
    result = ContainerSandbox("no-such-engine").run("1")
    assert result.outcome is CodeOutcome.REFUSED


def test_bubblewrap_shares_nothing_but_python():
    """Every namespace is new, nothing is writable, and no folder of the user's is shown."""
    command = BubblewrapLauncher().command("x")
    assert {"--unshare-all", "--die-with-parent", "--clearenv", "--cap-drop"} <= set(command)
    assert "--bind" not in command
    shown = [command[i + 1] for i, option in enumerate(command) if option == "--ro-bind-try"]
    assert "/" not in shown
    assert "/etc" not in shown
    assert "/home" not in shown


@pytest.mark.parametrize("attempt", HELD)
def test_one_attempt_that_is_not_stopped_is_enough(attempt):
    """A probe that gets out anywhere makes the sandbox unavailable, and says where."""
    ended = RunEnding(CodeOutcome.SUCCEEDED, HELD | {attempt: "done"})
    availability = verdict(ended, "walls")
    assert not availability
    assert f"{attempt} (done)" in availability.reason


def test_a_probe_that_is_held_everywhere_is_enough():
    """And a probe that did not run is not."""
    assert verdict(RunEnding(CodeOutcome.SUCCEEDED, HELD), "walls") == Availability(
        available=True, reason="walls"
    )
    assert not verdict(RunEnding(CodeOutcome.SUCCEEDED, {}), "walls")
    assert not verdict(RunEnding(CodeOutcome.TIMED_OUT, message="too slow"), "walls")


def test_the_probe_fails_where_nothing_confines(monkeypatch):
    """The proof is no formality: with the walls left out of the process, the probe gets out."""
    from actionledger.runtime.sandbox import launch

    boot = (
        "import sys; sys.path.insert(0, {folder!r}); import inside.main as m; from inside.lockdown import Walls; "
        "m.lock_down = lambda *a, **k: Walls(True, 0, True); m.main()"
    )
    monkeypatch.setattr(launch, "_BOOT", boot)
    with ConfinedSandbox() as sandbox:
        availability = sandbox.available()
    assert not availability
    assert "opening a file (done)" in availability.reason
    assert "forking (done)" in availability.reason


def test_names_are_known():
    """The four, and auto; another name is refused with the near one."""
    assert sandbox_names() == ("confined", "monty", "bubblewrap", "container")
    with pytest.raises(UnknownNameError, match="Did you mean 'confined'"):
        choose("confind")


def test_auto_takes_the_first_that_proves_itself(monkeypatch):
    """The confined CPython where it can, else Monty."""
    taken = choose()
    assert taken.name in {"confined", "monty"}
    taken.close()
    monkeypatch.setattr(
        ConfinedSandbox, "available", lambda self: Availability(available=False, reason="no walls")
    )
    monkeypatch.setattr(MontySandbox, "available", lambda self: Availability(available=True, reason="here"))
    with pytest.warns(RuntimeWarning, match=r"'monty'.*a part of Python only.*confined: no walls"):
        assert choose("auto").name == "monty"


def test_auto_refuses_rather_than_run_unconfined(monkeypatch):
    """The operator is told what was tried, why it failed, and what to do."""
    monkeypatch.setattr(
        ConfinedSandbox, "available", lambda self: Availability(available=False, reason="no walls")
    )
    monkeypatch.setattr(
        MontySandbox, "available", lambda self: Availability(available=False, reason="not installed")
    )
    with pytest.raises(SandboxError) as error:
        choose()
    assert "confined: no walls; monty: not installed" in str(error.value)
    assert "bubblewrap" in str(error.value)


def test_monty_that_is_not_installed_is_named(monkeypatch):
    """The extra that holds it is named."""
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    availability = MontySandbox().available()
    assert (availability.available, "actionledger[sandbox]" in availability.reason) == (False, True)


def test_the_choices_are_all_sandboxes():
    """Each has the name by which it is chosen."""
    assert [make().name for make in backends._SANDBOXES.values()] == list(sandbox_names())


@pytest.mark.parametrize(
    "code", ["def g():\n    yield 1\nlist(g())", "x = 1\ndel x", "import statistics", "'a'.no_such_method()"]
)
def test_code_that_monty_may_lack_something_for_says_so(code):
    """The model learns that it has a part of Python only; an error of its own making is left as it is."""
    with closing(MontySandbox()) as monty:
        if not monty.available():
            pytest.skip("Monty is not here")
        assert "a part of Python only" in monty.run(code).message
        assert "a part of Python only" not in monty.run("1 / 0").message


def test_a_result_says_that_its_code_ran_in_monty():
    """The six keys of the document, and one more where the code had a part of Python only."""
    results = [CodeResult(outcome=CodeOutcome.SUCCEEDED, sandbox=name) for name in ("confined", "monty")]
    documents = [document_of(result) for result in results]
    assert [document.get("sandbox") for document in documents] == [None, "monty"]
