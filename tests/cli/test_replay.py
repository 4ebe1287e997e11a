"""``replay``: recorded turns under another parser."""

import re
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest

import actionledger as al
from actionledger.cli import replay
from actionledger.core.rates import shown_p
from actionledger.ledger.queries import rereading


@pytest.fixture
def ledger(recorded: Path, tmp_path: Path) -> Path:
    """A copy of the recorded ledger, to be written to."""
    shutil.copy(recorded, tmp_path / "team.duckdb")
    shutil.copytree(f"{recorded}.d", tmp_path / "team.duckdb.d")
    return tmp_path / "team.duckdb"


def test_what_changed_is_printed(run, ledger):
    """Rates before and after, the interval, the test, and each bucket with examples."""
    done = run("replay", "--parser", "gembrain-standard", "-p", "assistant", "-l", ledger)
    assert (done.code, done.err) == (0, "")
    assert "5 turns read again by gembrain-standard in " in done.out
    assert "over the 4 turns that meant to act in both readings, in 2 sessions:" in done.out
    assert "success before 75.0% too few sessions, after 50.0% too few sessions" in done.out
    assert "difference too few sessions, p = 1 by the sign-flip test over sessions" in done.out
    assert "p = 1 by the exact McNemar test, which takes turns for independent" in done.out
    table = done.out[done.out.index("what changed") :]
    rows = dict(re.findall(r"(?m)^ ?(\w[\w ]*?) {2,}([\d,]+)\b", table))
    assert rows == {
        "same": "3",
        "recovered": "0",
        "lost": "1",
        "newly rejected": "0",
        "newly accepted": "0",
        "other actions": "0",
        "other arguments": "0",
        "meant to act only after": "0",
        "meant to act only before": "0",
        "meant to act in neither": "1",
    }
    [example] = re.findall(r"(?m)^ ?lost +1 +(\S+)$", table)
    assert run("show", example, "-l", ledger).code == 0
    assert not re.match(r"[0-9a-f]{8}-", example), "a session goes by its name"


def test_turns_that_a_parser_is_not_for_are_said_before(run, ledger):
    """On the standard error, and in the value; what it makes of them is no loss, and there is nothing to compare."""
    done = run("replay", "--parser", "gembrain-standard", "-p", "coder", "-l", ledger)
    assert done.err == (
        "actionledger: 1 of the turns are of profiles whose formats gembrain-standard doesn't read: coder (1). "
        "What it makes of them says nothing; --profile picks others.\n"
    )
    assert "no turn meant to act in both readings, so there is no parse rate to compare" in done.out
    value = run("replay", "--parser", "gembrain-standard", "-p", "coder", "-l", ledger, "--json").value
    assert value["unfit"] == {"coder": 1}
    assert (value["counts"]["no_longer_intent"], value["counts"]["lost"]) == (1, 0)
    assert (value["before"]["rate"], value["difference"]) == (None, None)


def test_calls_of_an_unknown_profile_are_said_to_be_unchecked(run, tmp_path):
    """What a catalogue refused at first and nothing checks now is in the bucket of the newly accepted."""
    actions = al.ActionSet("shop")

    @actions.action(example={"sku": "A1"})
    def order(sku: str) -> str:
        """Order an article."""
        return sku

    profile = al.custom_profile("shop", dialects=["hermes"], actions=actions)
    with al.open_ledger(tmp_path / "shop.duckdb") as ledger, al.Runtime(profile, ledger=ledger) as runtime:
        runtime.handle('<tool_call>{"name": "ordr", "arguments": {}}</tool_call>')
    done = run("replay", "--parser", "auto", "-l", "shop.duckdb")
    assert "1 turn of the profile 'shop', which is not known here" in done.err


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "p < 0.001"), (1e-18, "p < 0.001"), (0.00099, "p < 0.001"), (0.0314, "p = 0.031"), (1.0, "p = 1")],
)
def test_a_probability_is_never_shown_as_nothing(value, text):
    assert shown_p(value) == text


def test_the_same_as_json(run, ledger):
    """With the run that it was recorded as, to compare with later."""
    value = run("replay", "--parser", "gembrain-standard", "-p", "assistant", "-l", ledger, "--json").value
    assert {bucket: count for bucket, count in value["counts"].items() if count} == {
        "same": 3,
        "lost": 1,
        "no_intent": 1,
    }
    assert (value["turns"], value["intent"], value["parser"]) == (5, 4, "gembrain-standard")
    assert (value["p_value"], value["p_value_by_turn"], value["difference"]) == (1, 1, None)
    assert (value["before"]["successes"], value["after"]["successes"]) == (3, 2)
    back = run("replay", "--parser", "assistant", "--run", value["run_id"], "-l", ledger, "--json").value
    assert (back["counts"]["same"], back["counts"]["recovered"], back["counts"]["lost"]) == (3, 1, 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--parser", "gembrain"), "There is no parser 'gembrain'."),
        (("--parser", "coder", "--until", "1990-01-01"), "No recorded turn fits"),
        (("--parser", "coder", "--run", "last week"), "There is no run"),
        (("--parser", "coder", "--run", "00000000-0000-4000-8000-000000000009"), "There is no run"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(sentence, ledger, arguments, said):
    """With exit code 1 and without a traceback."""
    assert said in sentence("replay", *arguments, "-l", ledger)


def test_what_is_no_ledger_is_refused(sentence, log):
    before = log.read_bytes()
    assert "is not a DuckDB database" in sentence("replay", "--parser", "coder", "-l", log)
    assert log.read_bytes() == before


def test_how_turns_differ_is_shown(run, ledger):
    """Field by field, of the bucket that was asked for; as JSON, too."""
    words = ("replay", "--parser", "gembrain-standard", "-p", "assistant", "-l", ledger, "--bucket", "lost")
    done = run(*words, "--show", "3")
    assert done.code == 0
    assert re.search(r"(?m)^[0-9a-f-]{36}#1: parsed with repairs → unparseable \(\w+\)$", done.out)
    assert "\n  removed list_tasks\n    {}" in done.out
    [difference] = run(*words, "--json").value["differences"]
    assert (difference["turn_index"], difference["actions"][0]["kind"]) == (1, "removed")
    quiet = run(
        "replay", "--parser", "assistant", "-p", "assistant", "-l", ledger, "--show", "5", "--json"
    ).value
    assert quiet["differences"] == [], "what is the same has no difference to show"


def test_a_replay_that_was_stopped_says_how_it_goes_on(run, ledger, monkeypatch):
    """With the code of what the user has stopped; then only the rest is read."""
    monkeypatch.setattr(rereading, "_BATCH_TURNS", 2)

    @contextmanager
    def stopping(label):
        def stop(now):
            raise KeyboardInterrupt

        yield stop

    words = ("replay", "--parser", "gembrain-standard", "-p", "assistant", "-l", ledger)
    with monkeypatch.context() as patched:
        patched.setattr(replay, "progress", stopping)
        done = run(*words)
    assert done.code == 130
    assert "Stopped. 2 of 5 turns are read and kept (run " in done.out
    assert "the same command with --resume goes on." in done.out
    done = run(*words, "--resume")
    assert done.code == 0
    assert "5 turns read again by gembrain-standard in " in done.out
    assert ", 2 of them before it was resumed; run " in done.out
    done = run(*words, "--resume")
    assert done.code == 2
    assert "Nothing to resume: the ledger has no rereading without an end" in done.err


@pytest.mark.soak
def test_processes_print_the_same_table(run, ledger):
    tables = [
        run(
            "replay", "--parser", "gembrain-standard", "-p", "assistant", "-l", ledger, "--workers", count
        ).out
        for count in (1, 2)
    ]
    first, second = (re.sub(r"in [\d.]+ s; run \S+", "", table) for table in tables)
    assert first == second


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--parser", "coder", "--bucket", "gained"), "There is no bucket 'gained'."),
        (("--parser", "coder", "--against", "no-such-thing"), "is not a wheel, a folder, or a commit"),
        (
            ("--parser", "coder", "-p", "coder", "--texts", "no.parquet"),
            "No texts of turns can be read from",
        ),
    ],
)
def test_what_an_option_cannot_be_is_said(sentence, ledger, arguments, said):
    assert said in sentence("replay", *arguments, "-l", ledger)
