"""A command runs with its words as they are, is listened to and kept up to a limit, and is ended in time."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from late_clock import AHEAD_SECONDS, late_once

from actionledger.core.errors import ActionError, UsageError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.commands import CommandSettings
from actionledger.runtime.commands.process import MARGIN, OutputCapture

PYTHON = sys.executable


def python(code):
    return (PYTHON, "-c", code)


def test_a_command_says_what_it_says(run):
    """Both outputs apart, the exit status, and how long it took."""
    ran = run(*python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"))
    assert (ran.status, ran.stdout, ran.stderr, ran.ended_by) == (3, "out\n", "err\n", "")
    assert 0 < ran.seconds < 20


def test_words_arrive_as_they_are(run):
    """No character means anything to anybody between here and the program."""
    words = ["$(touch x)", "; touch x", "| touch x", "`touch x`", "a b", "'\"\\", "*", "", "\n", "猫"]
    ran = run(*python("import json, sys; print(json.dumps(sys.argv[1:]))"), *words)
    assert json.loads(ran.stdout) == words


def test_it_runs_in_the_workspace_with_an_input_that_is_at_its_end(run, root):
    """And finds programs of the workspace by a path, but not by a name."""
    ran = run(*python("import os, sys; print(os.getcwd()); print(repr(sys.stdin.read()))"))
    assert ran.stdout == f"{root.resolve()}\n''\n"
    (root / "tool").write_text("#!/bin/sh\necho here\n")
    (root / "tool").chmod(0o755)
    assert run("./tool").stdout == "here\n"
    with pytest.raises(ActionError) as refusal:
        run("tool")
    assert refusal.value.reason is Reason.NOT_FOUND


def test_a_folder_of_the_path_that_is_relative_is_passed_over(run, root, monkeypatch):
    """Else a file of the workspace could take the place of a program."""
    (root / "ls").write_text("#!/bin/sh\necho caught\n")
    (root / "ls").chmod(0o755)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")
    assert "caught" not in run("ls").stdout


def test_nothing_of_the_environment_is_passed_on_but_what_is_listed(run, monkeypatch):
    """A key in the environment stays there; the home is a folder of the session's own."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    seen = json.loads(
        run(*python("import json, os; print(json.dumps(dict(os.environ)))"), environment={"A": "1"}).stdout
    )
    assert seen["LC_ALL"] == "C.UTF-8"
    assert seen["A"] == "1"
    assert seen["HOME"] == seen["TMPDIR"] != os.environ["HOME"]
    assert "sk-secret" not in json.dumps(seen)


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSEGV])
def test_a_command_that_a_signal_ends_says_which(run, sent):
    assert run(*python(f"import os; os.kill(os.getpid(), {int(sent)})")).status == -sent


def test_a_command_that_takes_too_long_is_ended(run, root, monkeypatch):
    """It is asked first (SIGTERM), and may say something yet."""
    late_once(monkeypatch, root / "on")
    # It waits for the signal itself: a handler of Python isn't called by one that comes just before a sleep begins, until that is over.
    code = "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [15])\nprint('go', flush=True)\nopen('on', 'w')\nsignal.sigwait([15])\nprint('bye', flush=True)"
    ran = run(*python(code), grace=50.0)
    assert (ran.ended_by, ran.status, ran.stdout) == ("timeout", None, "go\nbye\n")
    assert ran.seconds < AHEAD_SECONDS + 50


def test_one_that_will_not_end_is_killed(run, root, monkeypatch):
    late_once(monkeypatch, root / "on")
    code = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nprint('go', flush=True)\nopen('on', 'w')\nwhile True: time.sleep(60)"
    ran = run(*python(code), grace=0.2)
    assert (ran.ended_by, ran.stdout) == ("timeout", "go\n")
    assert ran.seconds < AHEAD_SECONDS + 50


ESCAPES = {
    "a child": "p = subprocess.Popen(['sleep', '60'], close_fds=False)",
    "a session of its own": "p = subprocess.Popen(['sleep', '60'], start_new_session=True, close_fds=False)",
    "a daemon": "p = subprocess.Popen([sys.executable, '-c', 'import os,time\\nif os.fork(): os._exit(0)\\nos.setsid()\\nif os.fork(): os._exit(0)\\nopen(\"daemon\",\"w\").write(str(os.getpid()))\\ntime.sleep(60)'], close_fds=False); p.wait()\nwhile not (os.path.exists('daemon') and open('daemon').read()): time.sleep(0.01)",
    "one that ignores signals": "p = subprocess.Popen([sys.executable, '-c', 'import signal,time; signal.signal(15, 1); time.sleep(60)'], close_fds=False)",
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux hands orphans on")
@pytest.mark.parametrize("ending", ["by itself", "called off"])
def test_nothing_that_it_started_stays(run, gone, locking, held, ending):
    """Whether it ends by itself or is ended as soon as they are there: children, sessions of their own and daemons go with it."""
    escapes = "\n".join(ESCAPES.values())
    code = f"{locking}import os, subprocess, sys, time\n{escapes}\nprint('on', flush=True)\n"
    called_off = threading.Event()
    if ending == "called off":
        code += "time.sleep(60)\n"
    heard = lambda _name, _text: called_off.set() if ending == "called off" else None  # noqa: E731
    ran = run(*python(code), seconds=50.0, means=held, on_output=heard, cancelled=called_off)
    assert ran.ended_by == ("cancelled" if ending == "called off" else "")
    assert ran.stdout == "on\n"
    assert gone()


def test_a_command_is_called_off(run):
    """Setting the event ends it at once."""
    cancelled = threading.Event()
    heard = lambda _name, _text: cancelled.set()  # noqa: E731
    ran = run(
        *python("import time; print('go', flush=True); time.sleep(60)"), on_output=heard, cancelled=cancelled
    )
    assert (ran.ended_by, ran.status) == ("cancelled", None)
    assert ran.seconds < 50


def test_output_is_heard_while_it_comes(run, root):
    """The command waits for an answer to what it said, and gets it."""
    code = "import os, time\nprint('ready', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.01)\nprint('went')"
    heard = []

    def listen(name, text):
        heard.append((name, text))
        (root / "go").touch()

    assert run(*python(code), on_output=listen).stdout == "ready\nwent\n"
    assert heard == [("stdout", "ready\n"), ("stdout", "went\n")]


def test_a_listener_that_fails_leaves_no_command_behind(run, gone, locking):
    """Its error goes on to whoever runs the command."""

    def fail(_name, text):
        raise RuntimeError(text)

    with pytest.raises(RuntimeError, match="on"):
        run(*python(f"{locking}import time; print('on', flush=True); time.sleep(60)"), on_output=fail)
    assert gone()


def test_much_output_blocks_nobody(run):
    """Both outputs are read to their end; the beginning and the end are kept."""
    code = (
        "import sys\nfor _ in range(3000): print('x' * 500); print('y' * 500, file=sys.stderr)\nprint('end')"
    )
    ran = run(*python(code), output=1000)
    assert ran.status == 0
    assert "characters left out" in ran.stdout
    assert ran.stdout.endswith("end\n")
    assert len(ran.stderr) < 1100


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_a_host_that_is_killed_takes_its_commands_with_it(root, tmp_path, gone, locking):
    """Nothing is left that runs for nobody."""
    inner = f"{locking}import time; print('on', flush=True); time.sleep(60)"
    code = (
        "import sys, pathlib\n"
        "from actionledger.runtime.commands.process import run_command\n"
        "from actionledger.runtime.commands import CommandSettings\n"
        f"run_command([sys.executable, '-c', {inner!r}],\n"
        "    workspace=pathlib.Path(sys.argv[1]), home=pathlib.Path(sys.argv[2]), settings=CommandSettings(),\n"
        "    on_output=lambda name, text: print(text, end='', flush=True))\n"
    )
    with subprocess.Popen(
        [PYTHON, "-c", code, str(root), str(tmp_path)], stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout.readline() == "on\n"
        host.kill()
    assert gone()


@pytest.mark.parametrize("word", ["no-such-program", "./missing", "folder", "/nowhere/x"])
def test_a_program_that_is_not_there_is_said(run, root, word):
    (root / "folder").mkdir()
    with pytest.raises(ActionError) as refusal:
        run(word)
    assert refusal.value.reason is Reason.NOT_FOUND


def test_a_program_that_cannot_be_started_is_said(run, root):
    """Such as one that is no program at all."""
    (root / "text").write_bytes(b"\0\1\2")
    (root / "text").chmod(0o755)
    with pytest.raises(ActionError, match="could not be started: Exec format error"):
        run("./text")


def test_files_beyond_the_limit_cannot_be_written(run, root):
    """The command is told by the system, or ended."""
    ran = run(*python("open('large', 'wb').write(b'x' * 100_000)"), file_bytes=10_000)
    assert ran.status != 0
    assert (root / "large").stat().st_size <= 10_000


@pytest.mark.parametrize("name", ["seconds", "grace", "output", "file_bytes"])
def test_a_setting_that_lets_nothing_run_is_refused(name):
    """Zero is no limit that anything could keep."""
    with pytest.raises(UsageError, match=name):
        CommandSettings(**{name: 0})


def test_no_descriptor_is_left_open(run):
    run("true")
    before = list(Path("/dev/fd").iterdir())
    for _ in range(5):
        run("true")
    assert len(list(Path("/dev/fd").iterdir())) == len(before)


PEM = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow7QpXz3vKd9LmT2\n" * 40 + "-----END RSA PRIVATE KEY-----"


def captured(pieces, limit=10):
    heard = []
    capture = OutputCapture("stdout", limit, lambda name, text: heard.append((name, text)))
    for piece in pieces:
        capture.add(piece)
    capture.add(b"", final=True)
    return capture.text, heard


def test_a_short_output_is_kept_whole():
    """And heard piece by piece, under its name."""
    assert captured([b"abc", b"def"]) == ("abcdef", [("stdout", "abc"), ("stdout", "def")])


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_of_a_long_output_the_beginning_and_the_end_are_kept(size):
    """A line between them says how much is missing, however the output was cut."""
    data = b"0123456789abcdefghijklmnopqrstuvwxyz"
    text, heard = captured([data[at : at + size] for at in range(0, len(data), size)])
    assert text == "01234\n[… 26 characters left out …]\nvwxyz"
    assert "".join(piece for _, piece in heard) == data.decode()


def test_an_output_of_just_the_limit_is_kept_whole():
    """Nothing is left out of it, so nothing says so."""
    assert captured([b"0123456789"])[0] == "0123456789"


def test_a_character_that_is_cut_between_two_pieces_is_read():
    """And bytes that are no UTF-8 become U+FFFD."""
    assert captured([b"\xf0\x9f", b"\x98\x80"])[0] == "😀"
    assert captured([b"a\xff", b"\xe9"])[0] == "a\ufffd\ufffd"


def test_an_endless_output_takes_no_more_room_than_the_limit():
    """What is behind the beginning is dropped as new text comes."""
    capture = OutputCapture("stdout", 100)
    for _ in range(1000):
        capture.add(b"x" * 1000)
    assert max(len(capture._head.text), len(capture._tail.text)) <= 100 + MARGIN
    assert sum(map(len, capture._tail._pieces)) <= 100 + MARGIN + 1000
    assert capture.text.count("x") == 100


@pytest.mark.parametrize(
    "secret", [f"ghp_{'Ab3' * 12}", "password=hunter2hunter2", PEM], ids=["token", "named", "key"]
)
@pytest.mark.parametrize("size", [1000, 100_000])
def test_a_secret_that_the_cut_goes_through_is_masked(secret, size):
    """Wherever the cut falls, at the end of the beginning or at the beginning of the end, no half of it is left."""
    value = "QpXz3vKd9L" if secret == PEM else secret.removeprefix("password=")
    for shift in range(0, len(secret), max(1, len(secret) // 6)):
        before, behind = b" a" * 500, b"z " * 500
        text = secret.encode()
        first = b"." * (1000 - shift) + text + before
        last = behind + text + b"." * (1000 - len(text) + shift)
        data = first + b" y" * 80_000 + last
        kept, _ = captured([data[at : at + size] for at in range(0, len(data), size)], limit=2000)
        assert not [at for at in range(len(value) - 6) if value[at : at + 6] in kept]
        assert "characters left out" in kept
        assert len(kept) == 2000 + len("\n[… 0 characters left out …]\n") + len(f"{len(data) - 2000:,}") - 1
