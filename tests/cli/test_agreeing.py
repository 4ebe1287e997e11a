"""``agreement``: what is read here beside what a recording's own runtime made of it."""

import json

import actionledger as al


def taken(path):
    """Make a ledger of a call that both take, one that only they ran, and one that only we see."""
    tools = json.dumps([{"name": "read_file", "parameters": {}}])
    turns = (
        al.RecordedTurn(
            0,
            "",
            calls=(al.RecordedCall("1", "read_file", {}), al.RecordedCall("2", "read_file", {})),
            results=(al.RecordedResult("1", "text"),),
            capture=al.Capture.CALLS,
            tools=tools,
        ),
    )
    with al.open_ledger(path) as ledger:
        al.import_sessions(ledger, [al.RecordedSession("[b]one", None, "m", "", turns, source="trials")])
    return path


def test_it_is_printed_by_pair_and_source(run, tmp_path):
    """Names of sessions are a text, and none of it is markup."""
    done = run("agreement", "-l", taken(tmp_path / "calls.duckdb"))
    assert (done.code, done.err) == (0, "")
    assert "agree" in done.out
    assert "[b]one#0 read_file: valid here, not_run there" in done.out


def test_the_same_as_json(run, tmp_path):
    """Each pair with its count."""
    value = run("agreement", "-l", taken(tmp_path / "calls.duckdb"), "--json").value
    assert {(each["here"], each["there"]): each["calls"] for each in value["counts"]} == {
        ("valid", "not_run"): 1,
        ("valid", "taken"): 1,
    }
    assert (value["rate"]["successes"], value["rate"]["count"]) == (1, 2)
    assert set(value["by_source"]) == {"trials"}


def test_no_verdict_is_said(run, recorded):
    """Sessions without recorded results have nothing to agree with."""
    done = run("agreement", "-l", recorded)
    assert (done.code, "nothing to compare" in done.out) == (0, True)
