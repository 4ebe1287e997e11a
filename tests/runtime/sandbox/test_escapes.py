"""Attempts to get out of a sandbox. All of them are held, by every sandbox, and the host is as it was before."""

import json
import os
import platform
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from actionledger.runtime.sandbox.base import CodeOutcome, Limits
from actionledger.runtime.sandbox.inside.modules import RARE

ATTEMPTS = tomllib.loads(Path(__file__).with_name("escapes.toml").read_text())
NAMED = {f"{topic}/{name}": code for topic, codes in ATTEMPTS.items() for name, code in codes.items()}
SECRET = "the-secret-of-the-host"

CALLS = """
import sys
ctypes = sys.modules["inside.lockdown"].ctypes
libc = ctypes.CDLL(None, use_errno=True)
buffer = ctypes.create_string_buffer(8192)
page = (ctypes.addressof(buffer) + 4095) & ~4095
FACTS |= {"call": libc.syscall, "buffer": buffer, "page": ctypes.c_void_p(page)}
"""
"""What the attempts on the kernel itself need: ctypes, as the process's own code still holds it."""

TRY = """
def tried(code):
    names = dict(FACTS)
    try:
        try:
            return eval(compile(code, "attempt", "eval"), names)
        except SyntaxError:
            exec(code, names)
            return names.get("got")
    except BaseException as error:
        return None

{name: repr(got)[:200] for name, code in ATTEMPTS.items() if (got := tried(code))}
"""


@pytest.fixture
def host(tmp_path, monkeypatch):
    """A host worth breaking into: a secret in a file and in the environment, a server, a process."""
    monkeypatch.setenv("ACTIONLEDGER_SECRET", SECRET)
    (tmp_path / "secret.py").write_text(f"got = {SECRET!r}\n")
    victim = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        facts = {
            "SECRET_FILE": str(tmp_path / "secret.py"),
            "FOLDER": str(tmp_path),
            "PORT": server.getsockname()[1],
            "HOST_PID": os.getpid(),
            "VICTIM_PID": victim.pid,
        }
        yield facts, server, victim, tmp_path
    victim.kill()
    victim.wait()


def test_there_are_enough_attempts():
    """A table that lost its rows would prove nothing."""
    assert len(NAMED) >= 136


def test_the_attempts_would_succeed_without_a_sandbox(host):
    """In plain Python most of the harmless ones do get out: the table tests the sandbox, not its own spelling."""
    facts = host[0]
    harmless = {name: code for name, code in NAMED.items() if name.startswith(("reading/", "looking/"))}
    *body, last = TRY.strip().splitlines()
    source = "\n".join(
        ["import json, sys", "FACTS, ATTEMPTS = json.load(sys.stdin)", *body, f"print(json.dumps({last}))"]
    )
    done = subprocess.run(
        [sys.executable, "-c", source],
        input=json.dumps([facts, harmless]),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert len(json.loads(done.stdout)) > len(harmless) * 0.7


def test_the_attempts_on_the_kernel_reach_it(confined):
    """They hold what they need: with it a call that is allowed does succeed."""
    result = confined.run(f"FACTS = {{}}\n{CALLS}\nlibc.syscall(GETPID) > 0".replace("GETPID", "39"))
    assert result.value is True


def test_every_attempt_is_held(sandbox, host):
    """Nothing is read, written, started, reached or signalled; no secret comes back."""
    facts, server, victim, folder = host
    before = sorted(path.name for path in folder.iterdir())
    tried = tried_alone if sandbox.name == "monty" else tried_together
    assert tried(sandbox, facts) == {}
    assert victim.poll() is None
    assert sorted(path.name for path in folder.iterdir()) == before
    with pytest.raises(BlockingIOError):
        server.accept()


@pytest.mark.parametrize(
    "code",
    [
        "call(0x40000000 + 2, b'/etc/passwd', 0)",
        "ctypes.string_at(0)",
        "ctypes.memset(ctypes.addressof(ctypes.c_int(0)), 0x90, 1 << 40)",
        "ctypes.CFUNCTYPE(None)(ctypes.addressof(buffer))()",
        "libc.abort()",
        "libc.exit(0)",
        "libc.close(1)",
    ],
)
def test_an_attempt_that_ends_the_process_ends_nothing_else(confined, code):
    """Machine code, a second table of system calls, a broken memory: the process dies, and the host says so."""
    result = confined.run(
        f"FACTS = {{}}\n{CALLS}\ncall = libc.syscall\n{code}\n'still here'", limits=Limits(seconds=60)
    )
    assert result.outcome in {CodeOutcome.CRASHED, CodeOutcome.FAILED}
    assert confined.run("1 + 1").value == 2


def tried_together(sandbox, facts):
    """Run all attempts of a topic in one process; return what got out."""
    escaped = {}
    for topic, attempts in ATTEMPTS.items():
        if topic == "syscalls" and platform.machine() != "x86_64":
            continue
        needs = CALLS if topic == "syscalls" else ""
        code = f"FACTS = {facts!r}\nATTEMPTS = {attempts!r}\nMODULES = {RARE}\n{needs}\n{TRY}"
        result = sandbox.run(code, limits=Limits(seconds=120))
        assert result.succeeded, (topic, result)
        assert SECRET not in str(result)
        escaped |= result.value
    return escaped


def tried_alone(sandbox, facts):
    """Run each attempt by itself, for a Python without a kernel to call; return what got out."""
    escaped = {}
    prelude = "".join(f"{name} = {value!r}\n" for name, value in facts.items())
    for name, code in NAMED.items():
        ending = "\ngot" if "got = " in code else ""
        result = sandbox.run(f"{prelude}{code}{ending}", limits=Limits(seconds=5))
        assert SECRET not in str(result)
        if result.succeeded and result.value:
            escaped[name] = result.value
    return escaped
