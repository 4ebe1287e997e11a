"""The confined process: how it may die, and that nothing is left of it."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from actionledger.runtime.sandbox.backends import ConfinedSandbox
from actionledger.runtime.sandbox.base import Api, CodeOutcome, Limits
from actionledger.runtime.sandbox.inside.modules import MODULES, rare_modules_in

PROMISED = [
    "math",
    "json",
    "re",
    "datetime",
    "collections",
    "itertools",
    "statistics",
    "random",
    "string",
    "textwrap",
    "functools",
    "dataclasses",
    "typing",
    "decimal",
    "fractions",
    "uuid",
    "hashlib",
    "base64",
    "csv",
    "io",
    "heapq",
    "bisect",
    "enum",
    "time",
]

FEATURES = {
    "strptime": ("from datetime import datetime\ndatetime.strptime('5 Jan 2026', '%d %b %Y').day", 5),
    "local time": ("import time\nisinstance(time.strftime('%Y', time.localtime()), str)", True),
    "mktime": ("import time\ntime.mktime(time.localtime(1000000000))", 1000000000.0),
    "encodings": (
        "'é'.encode('latin-1').hex() + 'é'.encode('cp1252').hex() + 'é'.encode('utf-16-le').hex()",
        "e9e9e900",
    ),
    "random": ("import random\n0 <= random.random() < 1", True),
    "uuid4": ("import uuid\nlen(str(uuid.uuid4()))", 36),
    "uuid1": ("import uuid\nlen(str(uuid.uuid1()))", 36),
    "secrets": ("import secrets\nlen(secrets.token_hex(8))", 16),
    "hashes": (
        "import hashlib\nsorted(len(hashlib.new(n, b'x').hexdigest()) for n in ('md5', 'sha1', 'sha512', 'blake2b'))",
        [32, 40, 128, 128],
    ),
    "key derivation": ("import hashlib\nlen(hashlib.pbkdf2_hmac('sha256', b'a', b'b', 10))", 32),
    "decimal": (
        "from decimal import Decimal, getcontext\ngetcontext().prec = 5\nstr(Decimal(1) / 3)",
        "0.33333",
    ),
    "pickle": ("import pickle\npickle.loads(pickle.dumps([1, {2}]))", [1, [2]]),
    "copy": ("import copy\ncopy.deepcopy({'a': [1]})", {"a": [1]}),
    "string io": ("import io\nf = io.StringIO()\nprint('a', file=f)\nf.getvalue()", "a\n"),
    "bytes to stdout": ("import sys\nsys.stdout.buffer.write(b'raw')\nsys.stdout.isatty()", False),
    "redirected": (
        "import contextlib, io\nwith contextlib.redirect_stdout(io.StringIO()) as f:\n    print(1)\nf.getvalue()",
        "1\n",
    ),
    "asyncio": (
        "import asyncio\nasync def f():\n    async with asyncio.timeout(5):\n        return await asyncio.sleep(0.01, 3)\nasyncio.run(f())",
        3,
    ),
    "regular expressions": ("import re\nre.sub(r'(?i)A(?=b)', 'x', 'ab Ab')", "xb xb"),
    "xml": ("import xml.etree.ElementTree as e\ne.fromstring('<a><b>1</b></a>').find('b').text", "1"),
    "toml": ("import tomllib\ntomllib.loads('a = 1')", {"a": 1}),
    "urls": ("from urllib.parse import urlencode\nurlencode({'q': 'a b'})", "q=a+b"),
    "traceback": (
        "import traceback\ntry:\n    1 / 0\nexcept Exception:\n    t = traceback.format_exc()\n'1 / 0' in t",
        True,
    ),
    "warnings": ("import warnings\nwarnings.warn('careful')\n1", 1),
    "logging": ("import logging\nlogging.warning('careful')\n1", 1),
    "exception groups": (
        "try:\n    raise ExceptionGroup('g', [ValueError(1)])\nexcept* ValueError as g:\n    n = len(g.exceptions)\nn",
        1,
    ),
    "exec": ("exec('x = 1')\neval('x + 1')", 2),
    "input": ("try:\n    input()\nexcept EOFError:\n    r = 'nothing to read'\nr", "nothing to read"),
    "exit": ("import sys\nprint('x')\nsys.exit(0)", None),
    "exit by name": ("exit()", None),
    "metaclasses": ("class M(type):\n    def __call__(cls): return 7\nclass A(metaclass=M): pass\nA()", 7),
    "all zones": (
        "import zoneinfo, datetime\nstr(datetime.datetime(2026, 7, 1, tzinfo=zoneinfo.ZoneInfo('Asia/Tokyo')).utcoffset())",
        "9:00:00",
    ),
}


@pytest.mark.parametrize("name", PROMISED)
def test_promised_modules_can_be_imported(name):
    """They are on the list of what is loaded beforehand."""
    assert name in MODULES


def test_what_is_preloaded_is_there(confined):
    """Every module on the list, by an import of the code's own."""
    code = "import importlib\nfailed = []\nfor name in NAMES:\n    importlib.import_module(name)\nlen(NAMES)"
    assert confined.run(f"NAMES = {MODULES!r}\n{code}").value == len(MODULES)


def test_a_rare_module_is_loaded_where_the_code_names_it():
    """By a word of its own, wherever that stands; the host loads none of them for the question."""
    assert rare_modules_in("import asyncio\nfrom xml.etree import ElementTree") == [
        "asyncio",
        "xml.etree.ElementTree",
    ]
    assert rare_modules_in("__import__('queue')") == ["queue"]
    assert rare_modules_in("import json\nasyncio_like = 1") == []


def test_a_rare_module_that_the_code_does_not_name_says_how(confined):
    """No file can be opened once the code has begun."""
    result = confined.run("__import__('asy' + 'ncio')")
    assert result.error is not None
    assert "Write 'import asyncio' as it stands" in result.error.message


@pytest.mark.parametrize("name", FEATURES)
def test_features(confined, name):
    """What the language and its library do elsewhere they do here, without a file or a socket."""
    code, value = FEATURES[name]
    result = confined.run(code)
    assert (result.outcome, result.value) == (CodeOutcome.SUCCEEDED, value), result


def test_the_environment_is_empty(confined, monkeypatch):
    """Nothing of the host's; the local zone alone is known."""
    monkeypatch.setenv("ACTIONLEDGER_SECRET", "hidden")
    assert set(confined.run("import os\nlist(os.environ)").value) <= {"TZ"}
    assert confined.run("import sys\n[sys.argv, sys.path]").value == [["<code>"], []]


@pytest.mark.parametrize(
    ("code", "how"),
    [
        ("import os\nos._exit(3)", "exit status 3"),
        ("import os\nos.abort()", "signal SIG"),
        ("import os\nos.close(0)\nos.close(1)\nwhile True: pass", ""),
        (
            "import sys\nsys.setrecursionlimit(10**9)\ndef f(): return [f()]\nclass A:\n    def __repr__(self): return repr(self)\nrepr(A())",
            "signal SIG",
        ),
    ],
)
def test_a_process_that_dies_is_a_crash(confined, code, how):
    """By its own hand, by a broken memory, by closing the channel; the message says how it ended."""
    result = confined.run(f"print('x')\n{code}", limits=Limits(seconds=60))
    assert result.outcome in {CodeOutcome.CRASHED, CodeOutcome.LIMIT_EXCEEDED, CodeOutcome.FAILED}
    assert result.stdout == "x\n"
    if result.outcome is CodeOutcome.CRASHED:
        assert how in result.message


def test_a_process_that_is_killed_from_outside_is_a_crash(confined):
    """As the kernel does when a machine runs out of memory."""
    api = Api(methods={"die": lambda pid: os.kill(pid, signal.SIGKILL)})
    result = confined.run("import os\ngb.die(os.getpid())\nwhile True: pass", api=api)
    assert result.outcome is CodeOutcome.CRASHED
    assert "SIGKILL" in result.message


def test_writing_to_the_channel_is_a_crash(confined):
    """Code that goes round print and hits the pipe is told not to."""
    result = confined.run("import os\nos.write(1, b'hello, world, this is not a frame')")
    assert result.outcome is CodeOutcome.CRASHED
    assert "print()" in result.message


def test_threads_are_refused_in_words(confined):
    """A thread could outlive its run; it is never started, and the code is told."""
    result = confined.run("import threading\nthreading.Thread(target=print).start()")
    assert (result.outcome, result.error.type) == (CodeOutcome.FAILED, "RuntimeError")
    assert "thread" in result.message


def test_a_file_that_is_refused_is_explained(confined):
    """The model is told that there are no files here, and what there is."""
    result = confined.run("open('notes.txt')")
    assert result.error.type == "PermissionError"
    assert "no files" in result.message


def test_endless_printing_ends_with_the_time(confined):
    """What is over the limit is dropped in the process; the host keeps no more than its share."""
    result = confined.run("while True:\n    print('x' * 1000)", limits=Limits(seconds=1.5, output=10_000))
    assert result.outcome is CodeOutcome.TIMED_OUT
    assert len(result.stdout) < 10_200


def test_a_hook_at_exit_does_not_run(confined):
    """The process ends at once when the code has ended."""
    result = confined.run("import atexit, time\natexit.register(time.sleep, 60)\n1")
    assert result.elapsed_ms < 30_000


def test_a_return_at_the_end_of_a_try_still_cleans_up(confined):
    """A return outside of functions leaves the code as an exception would."""
    result = confined.run("try:\n    return 5\nfinally:\n    print('cleaned')")
    assert (result.value, result.stdout) == (5, "cleaned\n")


def test_nothing_is_left_of_a_run():
    """No process, no zombie, no descriptor: after runs of every kind there is what there was before."""
    codes = ("1", "1 / 0", "while True: pass", "import os\nos._exit(1)", "import os\nos.write(1, b'x' * 99)")
    gc.collect()
    before = open_descriptors(), children()
    with ConfinedSandbox() as sandbox:
        for code in codes:
            sandbox.run(code, limits=Limits(seconds=0.5))
    assert (open_descriptors(), children()) == before


def test_it_works_above_descriptor_1024():
    """``select`` would not; a busy server has more descriptors than that."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 2000:
        pytest.skip("this machine allows too few descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 2000), hard))
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(1100)]
    try:
        with ConfinedSandbox() as sandbox:
            assert sandbox.run("1 + 1").value == 2
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_fork_of_the_host_does_not_take_the_spare_of_its_parent():
    """Both go on, each with processes of its own."""
    with ConfinedSandbox() as sandbox:
        sandbox.run("1")
        pid = os.fork()
        if pid == 0:
            os._exit(0 if sandbox.run("2").value == 2 else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        assert sandbox.run("3").value == 3


def test_a_spare_that_died_is_replaced():
    """It may be killed while it waits."""
    with ConfinedSandbox() as sandbox:
        sandbox.run("1")
        os.kill(sandbox._spare._ready.pid, signal.SIGKILL)
        assert sandbox.run("2").value == 2


def test_a_sandbox_may_be_used_by_a_thread_that_ends():
    """The process kept ready belongs to the program, not to the thread that started it."""
    with ConfinedSandbox() as sandbox:
        thread = threading.Thread(target=sandbox.run, args=("1",))
        thread.start()
        thread.join()
        assert sandbox.run("2").value == 2


def test_a_host_that_is_killed_leaves_no_process_behind(tmp_path):
    """A busy child and the spare end by themselves: one at its alarm, the other at the end of its channel."""
    script = (
        "from actionledger.runtime.sandbox.backends import ConfinedSandbox\n"
        "from actionledger.runtime.sandbox.base import Api\n"
        "from actionledger.runtime.sandbox.base import Limits\n"
        "s = ConfinedSandbox()\n"
        "api = Api(methods={'say': lambda pid: print(pid, flush=True)})\n"
        "s.run('import os, time\\ngb.say(os.getpid())\\ntime.sleep(1000)', api=api, limits=Limits(seconds=1))\n"
    )
    host = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    child = int(host.stdout.readline())
    host.kill()
    host.wait()
    host.stdout.close()
    deadline = time.monotonic() + 120
    while is_running(child):
        assert time.monotonic() < deadline, "the child is still there"
        time.sleep(0.1)


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def open_descriptors():
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def children():
    return {pid for path in Path("/proc/self/task").glob("*/children") for pid in path.read_text().split()}
