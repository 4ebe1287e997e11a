"""``actionledger run`` and the loop against a server: whole, broken and stopped."""

import signal
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from forked_python import ForkedPython, Running

import actionledger as al
from actionledger.core.errors import SandboxError
from actionledger.profiles.assistant.reasoning import IterativeReasoner
from actionledger.runtime.agent import Ending, converse
from actionledger.runtime.sandbox import choose

GOOD = '```actions\n{"actions": [{"type": "create_task", "content": "a"}]}\n```'

LISTENING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has it ignored
from actionledger.cli import main
main()
"""


@pytest.fixture
def start(forked: ForkedPython, tmp_path: Path) -> Callable[..., AbstractContextManager[Running]]:
    """Begins a run with some options."""
    words = ("run", "assistant", "Plan.", "--ledger", tmp_path / "l.duckdb")
    return lambda *more: forked.begun(LISTENING, tmp_path, *words, *more, OPENAI_API_KEY="")


def ended(process: Running) -> tuple[int, str, str]:
    """Return a process' status when it has ended, and what it wrote."""
    return process.wait(), process.stdout.read(), process.stderr.read()


def rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    with al.open_ledger(folder / "l.duckdb", read_only=True) as ledger:
        return ledger.sql(query).fetchall()


def test_a_live_model_is_streamed_acted_on_and_recorded(server, tmp_path, start):
    """Two requests: the second holds what came of the first response."""
    server.stream(server.piece(GOOD[:20]), server.piece(GOOD[20:], "stop"), server.DONE)
    server.stream(server.piece("Done.", "stop"), server.DONE)
    with start("--model", f"openai:m@{server.url}", "--stream") as process:
        status, out, err = ended(process)
    assert status == 0, err
    assert "Done." in out
    last = server.seen[1].body["messages"][-1]
    assert (last["role"], '"task_id":1' in last["content"]) == ("user", True)
    assert rows(tmp_path, "SELECT model, reason FROM sessions") == [("m", "answered")]


def test_ctrl_c_in_the_middle_of_a_response_keeps_what_was_recorded(server, tmp_path, start):
    """The turn before is there, the session has an end, and the exit code says that it was stopped."""
    server.whole({"role": "assistant", "content": GOOD})
    server.stream(server.piece("Now I"), server.STALL, server.DONE)
    with start("--model", f"openai:m@{server.url}") as process:
        deadline = time.monotonic() + 120
        while len(server.seen) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        status, out, err = ended(process)
    assert status == 130, (out, err)
    assert "Traceback" not in err
    assert rows(tmp_path, "SELECT success, reason FROM sessions") == [(False, "stopped")]
    assert rows(tmp_path, "SELECT status FROM executions") == [("succeeded",)]
    assert rows(tmp_path, "SELECT count(*) FROM runs WHERE finished_at IS NOT NULL") == [(1,)]


def test_ctrl_c_while_code_runs_ends_the_code_and_the_session(tmp_path, start):
    """The execution is recorded as interrupted, and nothing of it goes on."""
    try:
        choose().close()
    except SandboxError as error:
        pytest.skip(str(error))
    code = "gb.create_task('begun')\\nwhile True: pass"
    text = f'```actions\n{{"actions": [{{"type": "execute_code", "code": "{code}"}}]}}\n```'
    (tmp_path / "response.md").write_text(text)
    with start("--response", "response.md", "--workspace", "w") as process:
        deadline = time.monotonic() + 120
        while not (tmp_path / "w" / "assistant.sqlite").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        status, out, err = ended(process)
    assert status == 130, (out, err)
    assert "Traceback" not in err
    assert rows(tmp_path, "SELECT success, reason FROM sessions") == [(False, "stopped")]
    assert rows(tmp_path, "SELECT status, reason FROM executions") == [("interrupted", "stopped")]


def test_a_stream_that_breaks_is_asked_for_again(server, client):
    """The whole response is acted on once; the half of it not at all."""
    server.stream(server.piece(GOOD), server.CUT)
    server.stream(server.piece("Nothing to do.", "stop"), server.DONE)
    with al.Runtime("assistant") as session:
        ended = converse(session, client(), "Plan.", on_piece=lambda _piece: None)
    assert ended.ending is Ending.ANSWERED
    assert [turn.observations for turn in ended.turns] == [()]


def test_a_refused_request_ends_it_with_the_servers_reason(server, tmp_path, start):
    """A wrong key is nothing to try again."""
    server.refuse(401, {"error": {"message": "Incorrect key"}})
    with start("--model", f"openai:m@{server.url}") as process:
        status, out, err = ended(process)
    assert status == 1, err
    assert "Incorrect key" in out
    assert rows(tmp_path, "SELECT success, reason FROM sessions") == [(False, "model_failed")]


@pytest.mark.parametrize("final", [True, False])
def test_the_iterative_reasoner_over_a_server(server, client, final):
    """It ends at ``is_final``, and goes on without."""
    step = '```iteration\n{"next_actions": [{"type": "list_tasks"}], "is_final": %s}\n```'
    server.whole({"role": "assistant", "content": step % str(final).lower()})
    if not final:
        server.whole({"role": "assistant", "content": step % "true"})
    ended = IterativeReasoner(model=client()).run("Look.")
    assert (ended.ending, len(ended.turns)) == (Ending.FINAL, 1 if final else 2)
