"""Attempts at each wall around a command, with every set of means that a machine may have to build them."""

import json
import os
import shutil
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from actionledger.core.errors import ActionError
from actionledger.core.vocabulary import Reason
from actionledger.runtime.commands import Means, Wall

PYTHON = sys.executable
COUNTED = {Wall.MEMORY, Wall.NUMBER}

ATTEMPT = """
import ctypes, errno, json, os, pathlib, signal, socket, sys, time
def attempt(what):
    try:
        what()
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
    return "done"
def status_of(process):
    return pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
libc = ctypes.CDLL(None, use_errno=True)
def checked(answer):
    if answer < 0:
        raise OSError(ctypes.get_errno(), "")
"""


def tried(run, code, *attempts, **settings):
    """Run attempts in a command, each an expression; return what came of each."""
    lines = ", ".join(f"attempt(lambda: {one})" for one in attempts)
    ran = run(PYTHON, "-c", f"{ATTEMPT}\n{code}\nprint(json.dumps([{lines}]))", **settings)
    assert ran.status == 0, ran.stderr
    return json.loads(ran.stdout)


LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the walls are Linux's")
pytestmark = LINUX


@pytest.mark.parametrize(
    ("means", "standing"),
    [
        (Means(landlock=4), set(Wall)),
        (Means(landlock=0), set(Wall)),
        (Means(namespaces=False, landlock=6), set(Wall) - {Wall.PROCESSES}),
        (Means(namespaces=False, landlock=4), set(Wall) - {Wall.PROCESSES, Wall.SIGNALS}),
        (Means(namespaces=False, landlock=4, filter=False), {Wall.FILES, *COUNTED}),
        (Means(namespaces=False, landlock=0), {Wall.ENDING, Wall.NETWORK, *COUNTED}),
        (Means(namespaces=False, landlock=0, filter=False), COUNTED),
    ],
)
def test_the_result_names_the_walls_that_stood(run, root, means, standing):
    """Fewer means, fewer walls; where none keeps it to the workspace, it isn't run unless that is allowed by name."""
    ran = run("true", means=means, unconfined=True)
    expected = {*standing}
    if Wall.PROCESSES in standing and Wall.PROCESSES not in ran.walls:
        pytest.skip("this machine has no namespaces for this user")
    assert set(ran.walls) == expected
    if Wall.FILES not in standing:
        with pytest.raises(ActionError, match="--unconfined-commands") as refusal:
            run("touch", "made", means=means)
        assert refusal.value.reason is Reason.UNAVAILABLE
        assert list(root.iterdir()) == []


def test_the_network_is_a_wall_unless_it_is_allowed(run, held):
    """It is off where nobody says otherwise."""
    assert Wall.NETWORK in run("true", means=held).walls
    assert Wall.NETWORK not in run("true", means=held, network=True).walls


def test_its_supervisor_cannot_be_ended(run, held, gone, locking):
    """By no signal, of any call; what was started then would outlive the command, and its writes would be the next one's."""
    code = f"""{locking}
for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
    for aim in (os.getppid(), -os.getppid(), {os.getpid()}):
        if aim not in (0, 1):
            attempt(lambda: os.kill(aim, number))
libc.syscall(200 if os.uname().machine == "x86_64" else 130, os.getppid(), 9)
attempt(lambda: signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9))
attempt(lambda: signal.pidfd_send_signal(os.open(f"/proc/{{os.getppid()}}", os.O_RDONLY), 9))
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1.5)
        open("late", "w").write("late")
    os._exit(0)
"""
    ran = run(PYTHON, "-c", ATTEMPT + code + "\nprint('alive')", means=held)
    assert (ran.status, ran.stdout) == (0, "alive\n")
    assert gone()


def test_everybody_at_once_gets_no_signal(run, held):
    """``kill(-1)`` ends at most what the command started itself; its supervisor says so."""
    ran = run(PYTHON, "-c", "import os\ntry: os.kill(-1, 9)\nexcept OSError: print('refused')", means=held)
    assert ran.status in {0, -signal.SIGKILL}


def test_the_memory_of_its_supervisor_is_closed(run, held):
    """Nor can it be traced: whoever could write there could have it say anything."""
    parent = "os.getppid()"
    answers = tried(
        run,
        "",
        f"open(f'/proc/{{{parent}}}/mem', 'r+b')",
        f"open(f'/proc/{{{parent}}}/mem', 'rb')",
        f"os.readlink(f'/proc/{{{parent}}}/fd/0')",
        f"open(f'/proc/{{{parent}}}/fd/1', 'w')",
        f"open(f'/proc/{{{parent}}}/environ').read()",
        f"checked(libc.ptrace(16, {parent}, 0, 0))",
        means=held,
    )
    assert "done" not in answers


def test_processes_outside_are_not_seen(run, held):
    """Where the wall ``processes`` stands: neither by number nor by name."""
    ran = run("ls", "/proc", means=held)
    if Wall.PROCESSES not in ran.walls:
        pytest.skip("no wall against seeing them")
    assert len([name for name in ran.stdout.split() if name.isdecimal()]) <= 2


def test_the_switches_of_the_kernel_are_out_of_reach(run, held):
    """Root could name there a program that the kernel runs outside of every wall; it is opened and not written to."""
    switches = ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe", "/proc/sysrq-trigger")
    answers = tried(run, "", *(f"open({switch!r}, 'r+b', 0)" for switch in switches), means=held)
    assert "done" not in answers


@pytest.mark.parametrize("secret", ["/etc/shadow", "/etc/gshadow", "/etc/sudoers"])
def test_what_only_root_may_read_is_not_read(run, held, secret):
    """Whoever this process is: as root in a container it still isn't the command's business."""
    assert "done" not in tried(run, "", f"open({secret!r}).read()", means=held)
    assert tried(run, "", "open('/etc/passwd').read()", means=held) == ["done"]


def test_the_home_of_its_user_is_not_read(run, held, monkeypatch, tmp_path):
    """Keys, histories and settings are not there."""
    home = tmp_path / "ada"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_ed25519").write_text("key")
    monkeypatch.setenv("HOME", str(home))
    answers = tried(
        run, "", f"open({str(home / '.ssh/id_ed25519')!r}).read()", f"os.listdir({str(home)!r})", means=held
    )
    assert "done" not in answers


def test_no_service_of_this_machine_is_reached(run, held, tmp_path):
    """By no port, no abstract socket, and no socket with a path; sockets of its own are another matter."""
    with socket.create_server(("127.0.0.1", 0)) as by_port, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0actionledger-{os.getpid()}")
        abstract.listen()
        with socket.socket(socket.AF_UNIX) as by_path:
            by_path.bind(str(tmp_path / "s"))
            by_path.listen()
            answers = tried(
                run,
                "unix = lambda where: socket.socket(socket.AF_UNIX).connect(where)",
                f"socket.create_connection({by_port.getsockname()!r}, timeout=2)",
                f"unix('\\0actionledger-{os.getpid()}')",
                f"unix({str(tmp_path / 's')!r})",
                "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
                means=held,
            )
    assert "done" not in answers


def test_it_may_serve_itself_in_a_network_of_its_own(run):
    """Tests that start a server on the loopback device keep working."""
    code = "server = socket.create_server(('127.0.0.1', 0))"
    answers = tried(run, code, "socket.create_connection(server.getsockname(), timeout=60)")
    if Wall.PROCESSES not in run("true").walls:
        pytest.skip("no network of its own without namespaces")
    assert answers == ["done"]


def test_processes_that_share_memory_work(run, root):
    """Queues and semaphores need a ``/dev/shm``; it is the command's own, and what is left there goes with it."""
    (root / "shares.py").write_text(
        "import multiprocessing as m\n"
        "if __name__ == '__main__':\n"
        "    queue = m.Queue(); child = m.Process(target=queue.put, args=(3,)); child.start(); print(queue.get())\n"
    )
    ran = run(PYTHON, "shares.py")
    if Wall.PROCESSES not in ran.walls:
        pytest.skip("no shared memory of its own without namespaces")
    assert ran.stdout == "3\n", ran.stderr
    assert run(PYTHON, "-c", "open('/dev/shm/actionledger-left', 'w')").status == 0
    assert not Path("/dev/shm/actionledger-left").exists()


def test_it_has_no_descriptor_of_the_host(run, held, tmp_path):
    """A file that the host has open, even one that its children would inherit."""
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        ran = run(PYTHON, "-c", "import os; print(sorted(map(int, os.listdir('/proc/self/fd'))))", means=held)
    # The fourth is the listing's own.
    assert json.loads(ran.stdout) == [0, 1, 2, 3], ran.stderr


BOMB = "import os, time\nfor _ in range(1000):\n    try:\n        if os.fork() == 0: time.sleep(60)\n    except OSError: time.sleep(0.01)\ntime.sleep(60)"


def test_a_bomb_of_processes_is_bounded(run, held, gone, locking):
    """The command is ended, with all of them."""
    ran = run(PYTHON, "-c", locking + BOMB, means=held, processes=100, seconds=120.0)
    assert ran.ended_by == "processes" or ran.status
    assert gone()
    assert ran.seconds < 100


@pytest.mark.parametrize("how", ["one", "many", "shared"])
def test_a_bomb_of_memory_is_bounded(run, held, how):
    """Whether one process takes it all, many take some, or they share it."""
    take = "x = bytearray(b'x') * (400 << 20)"
    if how == "many":
        take = "import os\nfor _ in range(8):\n    if os.fork() == 0:\n        x = bytearray(b'x') * (60 << 20)\n        break"
    if how == "shared":
        take = "import mmap\nx = mmap.mmap(-1, 400 << 20)\nfor at in range(0, 400 << 20, 4096): x[at] = 1"
    ran = run(
        PYTHON, "-c", f"{take}\nimport time\ntime.sleep(60)", means=held, memory=200 << 20, seconds=120.0
    )
    assert ran.ended_by == "memory" or ran.status == 1
    assert ran.ended_by or "MemoryError" in ran.stderr


def test_a_daemon_writes_nothing_once_its_command_is_over(run, root, held):
    """Neither later nor in the name of the next command."""
    code = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        while True: open('daemon', 'a').write('x'); time.sleep(0.01)\n    os._exit(0)\nwhile not os.path.exists('daemon'): time.sleep(0.01)"
    assert run(PYTHON, "-c", code, means=held).status == 0
    size = (root / "daemon").stat().st_size
    time.sleep(0.3)
    assert (root / "daemon").stat().st_size == size
    with suppress(FileNotFoundError):
        Path(root / "daemon").unlink()


@pytest.mark.parametrize(
    "words",
    [
        ("python3", "-c", "print(1)"),
        ("git", "--version"),
        ("gcc", "--version"),
        ("make", "--version"),
        ("node", "-e", "1"),
    ],
    ids=lambda words: words[0],
)
def test_ordinary_programs_work(run, held, words):
    if shutil.which(words[0]) is None:
        pytest.skip("not installed here")
    ran = run(*words, means=held)
    assert ran.status == 0, ran.stderr
