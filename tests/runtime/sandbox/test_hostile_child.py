"""A process that lies: the host believes no frame, no length and no value of it."""

import json
import struct
import sys

import pytest

from actionledger.runtime.sandbox.base import Api, CodeOutcome, Limits
from actionledger.runtime.sandbox.process import ProcessSandbox

HEAD = """
import json, os, struct, sys
def read():
    size = struct.unpack("<I", os.read(0, 4))[0]
    body = b""
    while len(body) < size:
        body += os.read(0, size - len(body))
    return json.loads(body)
def raw(data):
    try:
        while data:
            data = data[os.write(1, data):]
    except BrokenPipeError:
        os._exit(0)
def send(frame):
    body = json.dumps(frame).encode()
    raw(struct.pack("<I", len(body)) + body)
"""
CONFINED = (
    'read()\nsend({"kind": "confined", "seccomp": True, "landlock": 0, "unprivileged": True})\nread()\n'
)


class ForgingLauncher:
    """Starts a process that says what a test wants it to say."""

    name = "forging"

    def __init__(self, script):
        self.script = script

    def missing(self):
        return ""

    def command(self, label):
        return [sys.executable, "-I", "-S", "-c", HEAD + self.script]

    def environment(self):
        return {}

    def end(self, label):
        pass


def run(script, code="1", **options):
    with ProcessSandbox(ForgingLauncher(script)) as sandbox:
        return sandbox.run(code, **({"limits": Limits(seconds=60, start_seconds=60)} | options))


@pytest.mark.parametrize(
    "script",
    [
        'read()\nsend({"kind": "confined", "seccomp": False})\nread()',
        'read()\nsend({"kind": "confined", "seccomp": 1})\nread()',
        'read()\nsend({"kind": "done", "value": 1})\nread()',
        'read()\nsend({"kind": "unconfined", "why": "no seccomp here"})',
        'read()\nraw(b"garbage, and much of it")\nread()',
        'sys.exit("no python here")',
        "read()",
    ],
)
def test_code_is_not_sent_before_the_process_is_confined(tmp_path, script):
    """Whatever else it says, or nothing: the run is refused, and the code has not left the host."""
    seen = tmp_path / "seen"
    leak = f"\nopen({str(seen)!r}, 'w').write(json.dumps(read()))"
    lying = script + leak if "sys.exit" not in script else script
    result = run(lying, code="secret = 1", limits=Limits(start_seconds=5))
    assert result.outcome is CodeOutcome.REFUSED
    assert not seen.exists() or "secret" not in seen.read_text()


def test_a_process_that_never_answers_is_given_up():
    """The time to start is bounded by itself."""
    result = run("import time\ntime.sleep(60)", limits=Limits(start_seconds=0.5))
    assert result.outcome is CodeOutcome.REFUSED
    assert result.elapsed_ms < 50_000


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ('send({"kind": "done", "value": {"a": [1, None]}})', CodeOutcome.SUCCEEDED),
        (
            'send({"kind": "raised", "type": "Odd\\ud800", "message": "x" * 100_000, "line": 99})',
            CodeOutcome.FAILED,
        ),
        ('send({"kind": "done"})', CodeOutcome.CRASHED),
        ('send({"kind": "confined", "seccomp": True})', CodeOutcome.CRASHED),
        ('send({"kind": "output", "stream": "secrets", "text": "x", "cut": False})', CodeOutcome.CRASHED),
        ('send({"kind": "output", "stream": "stdout", "text": ["x"], "cut": False})', CodeOutcome.CRASHED),
        ('send({"kind": "log", "message": {"x": 1}})', CodeOutcome.CRASHED),
        (
            'send({"kind": "call", "method": "add", "arguments": {"a": 1}, "keywords": {}})',
            CodeOutcome.CRASHED,
        ),
        ('send({"kind": "call", "method": ["add"], "arguments": [], "keywords": {}})', CodeOutcome.CRASHED),
        ('send({"kind": "raised", "type": "E", "message": "m", "line": "1"})', CodeOutcome.CRASHED),
        ('send({"kind": "__class__"})', CodeOutcome.CRASHED),
        ("send([1, 2])", CodeOutcome.CRASHED),
        ("send(None)", CodeOutcome.CRASHED),
        ('raw(struct.pack("<I", 0))', CodeOutcome.CRASHED),
        ('raw(struct.pack("<I", 0xFFFFFFFF) + b"x" * 100)', CodeOutcome.CRASHED),
        ('raw(struct.pack("<I", 4) + b"\\xff\\xfe\\xfd\\xfc")', CodeOutcome.CRASHED),
        ('raw(struct.pack("<I", 50_000) + b"[" * 50_000)', CodeOutcome.LIMIT_EXCEEDED),
        ('raw(struct.pack("<I", 20_016) + b\'{"kind": "done"\' + b"," + b"9" * 20_000)', CodeOutcome.CRASHED),
        ('raw(struct.pack("<I", 1000) + b"{")', CodeOutcome.CRASHED),
        ('send({"kind": "done", "value": [[]] * 200_000})', CodeOutcome.LIMIT_EXCEEDED),
        ('send({"kind": "done", "value": "x" * 3_000_000})', CodeOutcome.LIMIT_EXCEEDED),
        (
            'v = 1\nfor _ in range(100): v = [v]\nsend({"kind": "done", "value": v})',
            CodeOutcome.LIMIT_EXCEEDED,
        ),
        ('send({"kind": "too_large", "what": "x" * 100_000})', CodeOutcome.LIMIT_EXCEEDED),
        (
            'body = json.dumps({"kind": "output", "stream": "stdout", "text": "x" * 100_000, "cut": False})\nwhile True: raw(struct.pack("<I", len(body)) + body.encode())',
            CodeOutcome.LIMIT_EXCEEDED,
        ),
        (
            'while True: send({"kind": "call", "method": "add", "arguments": [1], "keywords": {}})',
            CodeOutcome.LIMIT_EXCEEDED,
        ),
        (
            'send({"kind": "call", "method": "add", "arguments": [[[]] * 200_000], "keywords": {}})\nread()',
            CodeOutcome.LIMIT_EXCEEDED,
        ),
        ("while True: pass", CodeOutcome.TIMED_OUT),
        ("pass", CodeOutcome.CRASHED),
    ],
)
def test_every_lie_has_an_outcome(script, outcome):
    """None raises, none hangs, none fills the host; what comes back can be written down."""
    # What is counted has all the time that a busy machine takes for it; only what never ends is ended by the clock.
    seconds = 3 if outcome is CodeOutcome.TIMED_OUT else 120
    limits = Limits(seconds=seconds, start_seconds=60, calls=100, calls_size=100_000, output=10_000)
    result = run(CONFINED + script, api=Api(methods={"add": lambda n: n}), limits=limits)
    assert result.outcome is outcome, result
    assert len(json.dumps(result.as_document()).encode()) < 50_000


@pytest.mark.parametrize("method", ["remove", "log", "__class__", "add.__globals__", "", "add\x00", "gb.add"])
def test_methods_that_are_not_on_the_list_are_not_called(method):
    """The proxy in the process is a courtesy; the list is kept in the host."""
    called = []
    script = (
        f"{CONFINED}\nsend({{'kind': 'call', 'method': {method!r}, 'arguments': [], 'keywords': {{}}}})\n"
        "send({'kind': 'done', 'value': read()})"
    )
    result = run(script, api=Api(methods={"add": lambda: called.append(1)}))
    assert (called, result.value["kind"], result.value["type"]) == ([], "raised", "AttributeError")


def test_keywords_cannot_reach_beyond_a_signature():
    """Names that Python would not take are a TypeError in the code, no more."""
    script = (
        f"{CONFINED}\nsend({{'kind': 'call', 'method': 'add', 'arguments': [], 'keywords': {{'self': 1, 'x y': 2}}}})\n"
        "send({'kind': 'done', 'value': read()})"
    )
    result = run(script, api=Api(methods={"add": lambda n: n}))
    assert result.value["type"] == "TypeError"


def test_a_frame_in_pieces_is_a_frame():
    """The pipe may cut anywhere."""
    body = json.dumps({"kind": "done", "value": "ü" * 10}).encode()
    data = struct.pack("<I", len(body)) + body
    pieces = f"import time\nfor byte in {data!r}:\n    raw(bytes([byte]))\n    time.sleep(0.001)"
    assert run(CONFINED + pieces).value == "ü" * 10


def test_code_may_forge_frames_of_its_own(confined):
    """Inside the real process too: a forged result is taken as a result, and a forged call is checked."""
    code = "import sys\nsys.modules['inside.main']._tell({'kind': 'done', 'value': 'forged'})"
    assert confined.run(code).value == "forged"
    code = "import sys\nsys.modules['inside.main']._tell({'kind': 'call', 'method': 'x', 'arguments': 1, 'keywords': {}})"
    assert confined.run(code).outcome is CodeOutcome.CRASHED
