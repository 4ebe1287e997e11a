"""``demo``: sample sessions taken in, run and reported in one go."""

from actionledger.ledger import open_ledger


def test_the_demo_takes_in_runs_and_reports(run, log, tmp_path):
    """Its ledger is complete when it ends, and the next step is said."""
    done = run("demo", "-l", "x.duckdb", "--data", log)
    assert (done.code, done.err) == (0, "")
    assert (
        "3 sessions with 6 new turns imported; 0 turns were already recorded. Recorded in x.duckdb."
        in done.out
    )
    assert "Funnel" in done.out
    assert done.out.rstrip().endswith("Next: actionledger dashboard x.duckdb")
    with open_ledger(tmp_path / "x.duckdb", read_only=True) as ledger:
        assert ledger.sql("SELECT status, count(*) FROM executions GROUP BY ALL ORDER BY 1").fetchall() == [
            ("failed", 1),
            ("succeeded", 2),
        ]


def test_a_second_demo_doubles_nothing(run, log):
    """It prints the same report over the same numbers."""
    first = run("demo", "-l", "x.duckdb", "--data", log)
    second = run("demo", "-l", "x.duckdb", "--data", log)
    assert second.code == 0
    assert (
        "0 sessions with 0 new turns imported; 6 turns were already recorded. Recorded in x.duckdb."
        in second.out
    )
    assert second.out.partition("Funnel")[2] == first.out.partition("Funnel")[2]


def test_its_ledger_has_a_name_of_its_own(run, log, tmp_path):
    """Trying the demo touches nobody's ledger."""
    run("demo", "--data", log)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.duckdb", "demo.duckdb.d", "log.jsonl"]


def test_a_line_that_cannot_be_read_is_said(run, log):
    """As an import says it, with the same exit code; the others are taken in."""
    log.write_text(log.read_text() + "\n[bold]oops[/nope]\n")
    done = run("demo", "-l", "x.duckdb", "--data", log)
    assert done.code == 1
    assert "6 new turns" in done.out
    assert "log.jsonl:7: The line is not JSON" in done.err


def test_what_cannot_be_done_is_said_in_one_sentence(sentence, log, tmp_path):
    """Missing data, or a file that is no ledger; nothing is made then."""
    assert "can't be read" in sentence("demo", "--data", "missing.jsonl")
    assert "is not a DuckDB database" in sentence("demo", "--data", log, "-l", log)
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]


def test_hostile_names_are_text(run, log):
    """A path with what looks like markup is printed as it is."""
    done = run("demo", "-l", "[bold]x[ /nope].duckdb", "--data", log)
    assert done.code == 0
    assert "Recorded in [bold]x[ /nope].duckdb" in done.out
