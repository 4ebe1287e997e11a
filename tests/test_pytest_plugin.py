"""The plugin of pytest, in runs of its own: cases and recorded responses as tests."""

import subprocess
import sys

import pytest

import actionledger as al

pytest_plugins = ["pytester"]
PLUGIN = ("-p", "no:actionledger", "-p", "actionledger.pytest_plugin", "-p", "no:cacheprovider")


@pytest.fixture
def runs(pytester):
    """Runs pytest with the plugin in an empty folder, in this process."""
    return lambda *arguments: pytester.runpytest_inprocess(*PLUGIN, *arguments)


def case_file(pytester, name, text="Well.", outcome="failed"):
    case = al.Case.of(text, profile="mint", why="A response without a tag.")
    path = pytester.path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(case.dumps().replace('outcome = "failed"', f'outcome = "{outcome}"'), encoding="utf-8")
    return path


def test_a_case_is_a_test(pytester, runs):
    """Wherever it lies; one that is read otherwise says what it shows and the difference, and no traceback."""
    case_file(pytester, "good.case.toml")
    case_file(pytester, "bad.case.toml", outcome="clean")
    (pytester.path / "other.toml").write_text("a = 1")
    done = runs()
    done.assert_outcomes(passed=1, failed=1)
    done.stdout.fnmatch_lines(
        ["*case bad*", "A response without a tag.", "*-outcome clean", "*+outcome failed"]
    )
    done.stdout.no_fnmatch_line("*Traceback*")
    done.stdout.no_fnmatch_line("*runtest*")


def test_a_file_that_is_no_case_fails_with_a_sentence(pytester, runs):
    """It is not passed over."""
    (pytester.path / "a.case.toml").write_text("text = 'a'")
    done = runs()
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*is not a case: expect: Field required*"])


def test_folders_of_cases_are_named_in_the_settings(pytester, runs):
    """There each .toml is one."""
    case_file(pytester, "cases/a.toml")
    case_file(pytester, "elsewhere/b.toml")
    pytester.makeini("[pytest]\nactionledger_cases = cases")
    runs("-v").assert_outcomes(passed=1)


def test_what_a_model_wrote_steers_no_terminal(pytester, runs):
    """In a difference it is shown as escapes."""
    case_file(pytester, "a.case.toml", text="<execute>\x1b[31m\u202e</execute>").write_text(
        al.Case.of("<execute>\x1b[31m\u202e</execute>", profile="mint").dumps().replace('"clean"', '"failed"')
    )
    done = runs()
    done.assert_outcomes(failed=1)
    assert "\x1b[31m\u202e" not in done.stdout.str()
    assert "\u202e" not in done.stdout.str()


@pytest.fixture
def recorded(pytester):
    """A ledger with a session that was read by a parser of now, and one of which a reading is not as recorded."""
    text = '```actions\n{"actions": [{"type": "list_tasks"}]}\n```'
    with al.open_ledger(pytester.path / "l.duckdb") as ledger:
        turns = (al.RecordedTurn(0, text), al.RecordedTurn(1, "Well."))
        al.import_sessions(
            ledger, [al.RecordedSession(name, "assistant", "m", "", turns) for name in ("one", "two")]
        )
    return pytester.path / "l.duckdb"


def test_a_session_of_a_ledger_is_a_test(pytester, runs, recorded, monkeypatch):
    """Named on the command line or in the settings; what is read otherwise names the turn."""
    runs("--actionledger-ledger", "l.duckdb").assert_outcomes(passed=2)
    pytester.makeini("[pytest]\nactionledger_ledger = l.duckdb")
    runs().assert_outcomes(passed=2)
    runs("-k", "two").assert_outcomes(passed=1, deselected=1)
    usual = al.profile("assistant").parser
    from actionledger.reading.parsers import PARSERS

    monkeypatch.setitem(PARSERS, "assistant", usual.model_copy(update={"dialects": usual.dialects[1:]}))
    done = runs()
    done.assert_outcomes(failed=2)
    done.stdout.fnmatch_lines(["one#0", "*-outcome clean", "*-action list_tasks {}", "*+outcome failed"])


def test_a_session_in_which_nothing_acts_is_no_evidence(pytester, runs):
    """It is read as before, and says nothing of calls: skipped, not passed."""
    with al.open_ledger(pytester.path / "l.duckdb") as ledger:
        turns = (al.RecordedTurn(0, "Well."), al.RecordedTurn(1, "Very well."))
        al.import_sessions(ledger, [al.RecordedSession("one", "assistant", "m", "", turns)])
    done = runs("--actionledger-ledger=l.duckdb", "-rs")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(["*none of 2 meant to act*"])


def test_what_can_not_be_read_again_is_skipped_with_the_reason(pytester, runs):
    """A parser of somebody else's."""
    actions = al.ActionSet("strange")

    @actions.action(example={})
    def wave() -> None:
        """Wave."""

    profile = al.custom_profile("strange", actions=actions, dialects=["hermes"])
    with al.open_ledger(pytester.path / "l.duckdb") as ledger, al.Runtime(profile, ledger=ledger) as runtime:
        runtime.handle(al.render([("wave", {})], "hermes"))
    done = runs("--actionledger-ledger", "l.duckdb", "-rs")
    done.assert_outcomes(skipped=1)
    done.stdout.fnmatch_lines(["*which nothing here goes by*"])


def test_it_costs_nothing_where_it_is_not_used():
    """Of the toolkit only the tables of its names and its hooks are loaded with it."""
    code = (
        "import sys, actionledger.pytest_plugin; "
        "print(sorted(name for name in sys.modules if name.startswith('actionledger') or name in {'duckdb', 'pydantic'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    tables = ["actionledger", "actionledger._version", "actionledger.core", "actionledger.core.hooks"]
    assert done.stdout.strip() == str([*tables, "actionledger.pytest_plugin"])


@pytest.mark.parametrize("content", [None, b"not a ledger"])
def test_what_is_no_ledger_is_said_in_a_sentence(pytester, runs, content):
    """A file that isn't there, and one that is something else: a wrong use, and no fault of pytest's."""
    if content is not None:
        (pytester.path / "nope.duckdb").write_bytes(content)
    done = runs("--actionledger-ledger", "nope.duckdb")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*actionledger: *nope.duckdb*"])
    done.stderr.no_fnmatch_line("*Traceback*")
    done.stdout.no_fnmatch_line("*INTERNALERROR*")
