"""What every sandbox keeps to, whatever it is made of."""

import threading
import time

import pytest

from actionledger.runtime.sandbox.base import Api, CodeOutcome, Limits

SHORT = Limits(seconds=3)
NESTED = "a = []\nfor _ in range(40):\n    a = [a, a]\n"


def nothing(*arguments, **keywords):
    return None


def test_the_last_expression_is_the_result(sandbox):
    """As at a prompt: the value of the last line, if that is an expression."""
    assert sandbox.run("x = 20\nx * 2 + 2").value == 42
    assert sandbox.run("x = 1").value is None
    assert sandbox.run("").outcome is CodeOutcome.SUCCEEDED


def test_a_return_outside_of_functions_is_the_result(sandbox):
    """Models write their code as the body of a function."""
    result = sandbox.run("if True:\n    return [1, 2]\nprint('never')")
    assert (result.outcome, result.value, result.stdout) == (CodeOutcome.SUCCEEDED, [1, 2], "")


def test_results_are_json(sandbox):
    """What JSON doesn't know is shown as a list or a text."""
    assert sandbox.run("(1, 2)").value == [1, 2]
    assert sandbox.run("{1: 'a', None: 'b', True: {2}}").value in (
        {"1": [2], "null": "b"},
        {"true": [2], "null": "b"},
    )
    assert sandbox.run("import datetime\ndatetime.date(2026, 1, 5)").value == "2026-01-05"
    assert isinstance(sandbox.run("lambda: 1").value, str)


def test_output_is_captured(sandbox):
    result = sandbox.run("import sys\nprint('a', 1)\nprint('b', file=sys.stderr)\nprint('c', end='')")
    assert (result.stdout, result.stderr) == ("a 1\nc", "b\n")


def test_methods_are_called_in_the_host(sandbox):
    """Arguments by place and by name go over, the answer comes back."""
    calls = []

    def create(content, *, tags=None):
        calls.append((content, tags))
        return {"id": len(calls), "content": content}

    api = Api(methods={"create": create, "notes.add": create})
    result = sandbox.run("gb.create('a', tags=['x'])\nf = gb.notes.add\nf(content='ü')['id']", api=api)
    assert (result.value, result.calls, calls) == (2, 2, [("a", ["x"]), ("ü", None)])


def test_the_object_has_the_name_that_the_host_gives_it(sandbox):
    """``gb`` is the assistant's name for it, not the sandbox's."""
    assert sandbox.run("tools.double(21)", api=Api("tools", {"double": lambda n: n * 2})).value == 42


def test_an_unknown_method_names_the_near_one(sandbox):
    """So that the model can mend its call."""
    result = sandbox.run("gb.creat_task('x')", api=Api(methods={"create_task": nothing}))
    assert result.outcome is CodeOutcome.FAILED
    assert result.error.type == "AttributeError"
    assert "Did you mean 'create_task'?" in result.message


@pytest.mark.parametrize(
    "error", [ValueError("no such status"), KeyError("id"), TypeError("two few"), OSError("disk")]
)
def test_what_a_method_raises_can_be_caught(sandbox, error):
    """As the same built-in class, with its text."""

    def fail():
        raise error

    name = type(error).__name__
    code = f"try:\n    gb.fail()\nexcept {name} as error:\n    print(str(error.args[0]))"
    assert sandbox.run(code, api=Api(methods={"fail": fail})).stdout == f"{error.args[0]}\n"


def test_what_a_method_raises_of_its_own_is_a_runtime_error(sandbox):
    """A class that the code can't know keeps its text."""

    class HostError(Exception):
        pass

    def fail():
        raise HostError("not today")

    result = sandbox.run("gb.fail()", api=Api(methods={"fail": fail}))
    assert (result.error.type, result.error.message, result.error.line) == ("RuntimeError", "not today", 1)


def test_arguments_must_be_json(sandbox):
    """Code is told which call, and what is allowed instead."""
    result = sandbox.run("x = 1\ngb.save({1, 2})", api=Api(methods={"save": nothing}))
    assert (result.error.type, result.error.line, result.calls) == ("TypeError", 2, 0)
    assert "gb.save()" in result.message
    assert "JSON" in result.message


def test_messages_are_logged(sandbox):
    """What the code logs is kept in order, and isn't printed."""
    result = sandbox.run("gb.log('one')\nfor i in range(2):\n    gb.log(i)")
    assert (result.logs, result.stdout, result.calls) == (("one", "0", "1"), "", 0)


def test_an_error_says_where(sandbox):
    """Class, text, and the line of the code, not of anything around it."""
    result = sandbox.run("def f(x):\n    return 1 / x\n\nprint('before')\nf(0)")
    assert (result.outcome, result.stdout, result.value) == (CodeOutcome.FAILED, "before\n", None)
    assert (result.error.type, result.error.line, result.error.source) == (
        "ZeroDivisionError",
        2,
        "return 1 / x",
    )
    assert result.message == "ZeroDivisionError: division by zero (line 2: return 1 / x)"


def test_a_syntax_error_says_where(sandbox):
    """The document's own example: a bracket that is never closed."""
    result = sandbox.run("x = 1\ngb.create_task('test'\n")
    assert (result.outcome, result.error.type) == (CodeOutcome.FAILED, "SyntaxError")
    assert result.error.line in {2, 3}


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("undefined_var", "NameError"),
        ("{'a': 1}['nonexistent_field']", "KeyError"),
        ("def f():\n    return f()\nf()", "RecursionError"),
        ("import requests", "ModuleNotFoundError"),
        ("assert 1 == 2, 'unequal'", "AssertionError"),
    ],
)
def test_errors_keep_their_class(sandbox, code, error):
    """The classes that the model knows how to mend."""
    result = sandbox.run(code)
    assert (result.outcome, result.error.type) == (CodeOutcome.FAILED, error)


@pytest.mark.parametrize(
    "code", ["print('x')\nwhile True:\n    pass", "import time\nprint('x')\ntime.sleep(30)"]
)
def test_what_takes_too_long_is_stopped(sandbox, code):
    """Busy or asleep; what was printed before is kept."""
    began = time.monotonic()
    result = sandbox.run(code, limits=SHORT)
    assert (result.outcome, result.stdout) == (CodeOutcome.TIMED_OUT, "x\n")
    assert "3 s" in result.message
    assert time.monotonic() - began < 25


def test_a_run_can_be_called_off(sandbox):
    """From another thread, in the middle of it."""
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    result = sandbox.run("while True:\n    pass", limits=Limits(seconds=120), cancel=cancel)
    assert result.outcome is CodeOutcome.CANCELLED
    assert result.elapsed_ms < 60_000


def test_memory_is_limited(sandbox):
    limits = Limits(memory=200 * 2**20, seconds=120)
    for code in ("x = 'a' * 10**9", "x = []\nwhile True:\n    x.append('a' * 100_000 + str(len(x)))"):
        result = sandbox.run(code, limits=limits)
        assert (result.outcome, result.error.type) == (CodeOutcome.LIMIT_EXCEEDED, "MemoryError")
        assert "200 MiB" in result.message


def test_output_is_cut(sandbox):
    """After so many characters, with a line that says so; the code goes on."""
    result = sandbox.run("for i in range(5000):\n    print('x' * 9)\n7", limits=Limits(output=1000))
    assert (result.outcome, result.value) == (CodeOutcome.SUCCEEDED, 7)
    assert result.stdout.startswith("xxxxxxxxx\n" * 99)
    assert len(result.stdout) < 1100
    assert "only the first 1,000 characters" in result.stdout


def test_a_cut_does_not_go_through_a_secret(sandbox):
    """Half of one is not known as one, and would be recorded."""
    result = sandbox.run("print('x' * 79 + ' ' + 'ghp_' + 'a1B2' * 9)", limits=Limits(output=100))
    assert result.stdout.startswith("x" * 79 + " ")
    assert "a1B2" not in result.stdout


def test_logs_are_cut(sandbox):
    """A log is no way round the limit on output."""
    result = sandbox.run("for i in range(500):\n    gb.log('x' * 100)", limits=Limits(output=1000))
    assert sum(map(len, result.logs)) <= 1000


def test_a_shared_structure_is_no_way_to_hang_the_host(sandbox):
    """Forty lists that hold each other twice are endless as JSON: refused as a result and as an argument."""
    result = sandbox.run(f"{NESTED}a")
    assert (result.outcome, result.value) == (CodeOutcome.LIMIT_EXCEEDED, None)
    result = sandbox.run(f"{NESTED}gb.save(a)", api=Api(methods={"save": nothing}))
    assert (result.outcome, result.error.type, result.error.line) == (CodeOutcome.FAILED, "ValueError", 4)


@pytest.mark.parametrize(
    "code", ["a = []\na.append(a)\na", "a = []\nfor _ in range(200):\n    a = [a]\na", "'x' * 2_000_000"]
)
def test_a_result_is_bounded(sandbox, code):
    """By its depth and by its bytes; the model is told to end with less."""
    result = sandbox.run(code)
    assert result.outcome in {CodeOutcome.LIMIT_EXCEEDED, CodeOutcome.SUCCEEDED}
    assert len(str(result.value)) < 1000


def test_an_integer_beyond_all_digits_is_no_way_to_stop_the_host(sandbox):
    """Python itself refuses to write it."""
    result = sandbox.run("2 ** 100_000")
    assert (result.outcome, result.value) == (CodeOutcome.LIMIT_EXCEEDED, None)
    assert "smaller value" in result.message


def test_calls_are_counted(sandbox):
    """A loop of a million small calls ends at the limit."""
    calls = []
    api = Api(methods={"add": calls.append})
    result = sandbox.run("for i in range(10**6):\n    gb.add(i)", api=api, limits=Limits(calls=50))
    assert (result.outcome, len(calls)) == (CodeOutcome.LIMIT_EXCEEDED, 50)
    assert "50 calls of gb" in result.message


def test_the_bytes_of_calls_are_counted(sandbox):
    """Many calls of a middling size are one large one; answers count too."""
    limits = Limits(calls_size=100_000)
    api = Api(methods={"save": nothing, "load": lambda: "x" * 20_000})
    for code in ("for i in range(900):\n    gb.save('x' * 1000)", "for i in range(900):\n    gb.load()"):
        result = sandbox.run(code, api=api, limits=limits)
        assert result.outcome is CodeOutcome.LIMIT_EXCEEDED
        assert "100,000 bytes" in result.message


def test_an_answer_is_bounded(sandbox):
    """A method that gives back too much raises in the code, which may ask for less."""
    api = Api(methods={"load": lambda: "x" * 5000, "wrong": lambda: {1, 2}})
    result = sandbox.run("gb.load()", api=api, limits=Limits(value_size=1000))
    assert (result.error.type, "ask for less" in result.message) == ("ValueError", True)
    assert sandbox.run("gb.wrong()", api=api).error.type == "TypeError"


def test_code_is_bounded(sandbox):
    """Code that is too long is refused before anything is started."""
    result = sandbox.run("x = 1\n" * 100, limits=Limits(code_size=500))
    assert (result.outcome, result.calls) == (CodeOutcome.REFUSED, 0)
    assert "600 characters" in result.message


@pytest.mark.parametrize(
    "code", ["print('\\ud800|\\x00')", "gb.log('\\ud800')", "'\\ud800'", "raise ValueError('\\ud800')"]
)
def test_halves_of_surrogate_pairs_do_not_stop_anything(sandbox, code):
    """Whatever comes back can be written as UTF-8."""
    result = sandbox.run(code)
    assert result.outcome in {CodeOutcome.SUCCEEDED, CodeOutcome.FAILED}
    str(result).encode()


def test_code_that_is_no_text_fails_alone(sandbox):
    """NUL and surrogates in the code itself."""
    for code in ("x = 1\x00", "'\ud800'"):
        result = sandbox.run(code)
        assert result.outcome in {CodeOutcome.FAILED, CodeOutcome.SUCCEEDED}
        str(result).encode()


def test_runs_know_nothing_of_each_other(sandbox):
    """Each run has a fresh interpreter."""
    assert sandbox.run("leak = 1").outcome is CodeOutcome.SUCCEEDED
    sandbox.run("import json\njson.leak = 1")
    assert sandbox.run("leak").error.type == "NameError"
    assert sandbox.run("import json\nhasattr(json, 'leak')").value is False


def test_threads_may_share_a_sandbox(sandbox):
    """Runs at the same time don't mix."""
    found = {}

    def run(number):
        found[number] = sandbox.run(f"gb.same({number})", api=Api(methods={"same": lambda n: n})).value

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {0: 0, 1: 1, 2: 2, 3: 3}


def test_a_closed_sandbox_can_be_used_again(sandbox):
    """Closing lets go of what is kept ready, no more."""
    sandbox.close()
    sandbox.close()
    assert sandbox.run("1 + 1").value == 2


def test_the_document_has_six_keys(sandbox):
    """Exactly those that the assistant's document promises."""
    good = sandbox.run("print('hi')\n{'n': 1}").as_document()
    assert list(good) == ["success", "stdout", "stderr", "result", "error", "execution_time"]
    assert good | {"execution_time": 0} == {
        "success": True,
        "stdout": "hi\n",
        "stderr": "",
        "result": {"n": 1},
        "error": "",
        "execution_time": 0,
    }
    bad = sandbox.run("1 / 0").as_document()
    assert (bad["success"], bad["result"]) == (False, None)
    assert bad["error"].startswith("ZeroDivisionError")
    assert 0 < bad["execution_time"] < 60
