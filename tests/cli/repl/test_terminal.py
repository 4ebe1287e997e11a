"""The REPL in a real terminal, with a model behind a real server; and with its lines from a pipe."""

import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from fcntl import ioctl
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from actionledger.cli.repl.command import completions
from actionledger.ledger import open_ledger

LISTENING = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background has it ignored
from actionledger.cli import main
main()
"""
COMMAND = [sys.executable, "-c", LISTENING, "repl"]
PATIENCE_SECONDS = 120.0
DOCS = Path(__file__).parents[3] / "docs" / "coder.md"

FIRST = (
    "I'll write it and run it.\n\n<create_file>\n<path>greet.py</path>\n<content>\nprint('hello \x1b[31mAda')\n</content>\n</create_file>\n"
    "\n<execute_command>\n<command>python3 greet.py</command>\n<description>Try it</description>\n</execute_command>\n"
)
SECOND = "It prints hello.\n"


class _Handler(BaseHTTPRequestHandler):
    """Streams the next response; one that is None stalls in its middle until the client is gone."""

    protocol_version = "HTTP/1.1"
    responses: list[str | None]
    asked: list[list[dict[str, str]]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(body["messages"])
        text = self.responses.pop(0)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for start in range(0, len(text or "Half a response"), 7):
            self.piece((text or "Half a response")[start : start + 7])
        if text is None:
            self.rfile.read(1)  # until the client is gone
            return
        self.piece("", "stop")
        self.wfile.write(b"data: [DONE]\n\n")

    def piece(self, text: str, finish: str | None = None) -> None:
        choice = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
        self.wfile.write(b"data: " + json.dumps({"model": "m", "choices": [choice]}).encode() + b"\n\n")
        self.wfile.flush()

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[type[_Handler]]:
    """A server of OpenAI's chat interface; its responses and what it was asked are lists."""
    handler = type("Handler", (_Handler,), {"responses": [], "asked": []})
    served = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    handler.url = f"openai:m@http://127.0.0.1:{served.server_port}/v1"
    thread = threading.Thread(target=served.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield handler
    served.shutdown()
    served.server_close()
    thread.join()


class Terminal:
    """A REPL in a pseudo-terminal."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self.host, client = pty.openpty()
        ioctl(client, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 160, 0, 0))
        self.process = subprocess.Popen(
            arguments, stdin=client, stdout=client, stderr=client, env=environment, start_new_session=True
        )
        os.close(client)
        self.raw = ""
        self.seen = 0

    def until(self, text: str) -> str:
        """Read until a text stands on the terminal, behind what was read before; return what was read."""
        patience = time.monotonic() + PATIENCE_SECONDS
        while text not in self.plain[self.seen :]:
            assert time.monotonic() < patience, f"{text!r} did not come; there is {self.plain[self.seen :]!r}"
            if select.select([self.host], [], [], 0.5)[0]:
                try:
                    self.raw += os.read(self.host, 65536).decode(errors="replace")
                except OSError:  # the other side is gone
                    assert text in self.plain[self.seen :]
        start, self.seen = self.seen, self.plain.index(text, self.seen) + len(text)
        return self.plain[start : self.seen]

    @property
    def plain(self) -> str:
        """What was written, without what prompt-toolkit steers the terminal with."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\r", "", self.raw)

    def type(self, line: str) -> None:
        os.write(self.host, f"{line}\r".encode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.host)


@pytest.fixture
def terminal(server: type[_Handler], tmp_path: Path) -> Iterator[Terminal]:
    """A REPL that has just started."""
    (tmp_path / "work").mkdir()
    environment = os.environ | {
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "TERM": "xterm",
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "OPENAI_API_KEY": "",
    }
    environment.pop("ACTIONLEDGER_LEDGER", None)
    opened = Terminal([*COMMAND, "--model", server.url, "--workdir", str(tmp_path / "work")], environment)
    opened.until("/help shows all commands.")
    opened.until(">")
    yield opened
    opened.close()


def test_a_whole_session(terminal, server, tmp_path):
    """Ask, look, run, ask on, take back, leave; and the ledger has it all."""
    server.responses += [FIRST, SECOND]
    terminal.type("Write a greeting and run it")
    shown = terminal.until("enable auto-execution with /auto on")
    assert "hello \\x1b[31mAda" in shown
    assert (
        "📋 Detected 2 action(s):\n  1. CREATE_FILE: greet.py (24 bytes)\n  2. EXECUTE_COMMAND: python3 greet.py"
        in shown
    )
    terminal.type("/review")
    assert "+print('hello" in terminal.until("⏸ waits")
    terminal.type("/execute")
    shown = terminal.until("✅ All actions completed successfully")
    assert "[1/2] CREATE_FILE: greet.py (24 bytes)\n✓ Completed" in shown
    assert "[2/2] EXECUTE_COMMAND: python3 greet.py\nhello \\x1b[31mAda\n✓ Completed" in shown
    terminal.type("Does it work?")
    terminal.until("It prints hello.")
    assert '"stdout":"hello' in server.asked[1][-1]["content"]
    terminal.type("/undo")
    terminal.until("✓ Undone: greet.py")
    assert list((tmp_path / "work").iterdir()) == []
    terminal.type("/exit")
    assert terminal.process.wait(PATIENCE_SECONDS) == 0
    with open_ledger(tmp_path / "state/actionledger/repl.duckdb", read_only=True) as ledger:
        assert ledger.sql("SELECT text FROM turns ORDER BY turn_index").fetchall() == [(FIRST,), (SECOND,)]
        statuses = ledger.sql(
            "SELECT status FROM executions WHERE action_index = 0 ORDER BY try_number"
        ).fetchall()
        assert statuses == [("pending",), ("succeeded",)]
        assert ledger.sql("SELECT kind FROM reversals WHERE action_index = 0").fetchall() == [("undone",)]
    assert "/execute" in (tmp_path / "state/actionledger/repl_history").read_text()


def test_ctrl_c_stops_a_response_and_loses_nothing(terminal, server, tmp_path):
    """What came is recorded; the REPL goes on, and Ctrl-D leaves it."""
    server.responses += [None, SECOND]
    terminal.type("Tell me")
    terminal.until("Half a response")
    os.kill(terminal.process.pid, signal.SIGINT)
    terminal.until("nothing of it was done.")
    terminal.until(">")
    terminal.type("Again")
    terminal.until("It prints hello.")
    assert server.asked[1][-1]["content"].startswith("Your last response was cut off")
    terminal.until(">")
    os.write(terminal.host, b"\x04")
    assert terminal.process.wait(PATIENCE_SECONDS) == 0
    with open_ledger(tmp_path / "state/actionledger/repl.duckdb", read_only=True) as ledger:
        [(partial,)] = ledger.sql(
            "SELECT detail->>'partial' FROM events WHERE code = 'response_cut_off'"
        ).fetchall()
    assert partial == "Half a response"


def test_lines_of_a_pipe_need_no_terminal(tmp_path, forked):
    """A script can use it; nothing is completed, and it ends with its input."""
    (tmp_path / "work").mkdir()
    (tmp_path / "responses.jsonl").write_text(
        json.dumps("<create_file><path>x</path><content>x</content></create_file>")
    )
    arguments = [
        "--model",
        f"scripted:{tmp_path / 'responses.jsonl'}",
        "--workdir",
        str(tmp_path / "work"),
        "--ledger",
        str(tmp_path / "l.duckdb"),
    ]
    done = forked.run(LISTENING, tmp_path, "repl", *arguments, stdin=b"Go\n/execute\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "✓ Completed" in done.stdout
    assert (tmp_path / "work" / "x").read_text() == "x"


def test_a_ledger_in_the_working_directory_is_refused(tmp_path, forked):
    """Before anything is asked; one sentence says what to do."""
    arguments = ["--workdir", str(tmp_path), "--ledger", str(tmp_path / "l.duckdb")]
    done = forked.run(LISTENING, tmp_path, "repl", *arguments)
    assert done.returncode == 2
    assert "take a ledger outside of it" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_commands_and_their_words_are_completed(typed):
    repl = typed().repl
    assert list(completions(repl, "/ex")) == ["/exit", "/execute"]
    assert list(completions(repl, "/auto o")) == ["on", "off"]
    assert list(completions(repl, "/prompt ")) == ["coding-agent-with-actions"]
    assert list(completions(repl, "/auto on ")) == ["on", "off"]
    assert list(completions(repl, "explain /ex")) == []
    assert list(completions(repl, "/nonsense x")) == []
