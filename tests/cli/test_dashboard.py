"""``dashboard``: needs its packages, and says so."""

import socket
import sys
from types import ModuleType

import pytest

import actionledger as al
from actionledger.cli import demo
from actionledger.demo import SOURCE
from actionledger.imports import import_sessions
from actionledger.ledger import open_ledger
from actionledger_dashboard import permissions
from actionledger_dashboard.permissions import CASES_VARIABLE, cases_folder


def test_without_its_packages_it_says_what_to_install(sentence, monkeypatch):
    """One sentence, with the command."""
    monkeypatch.setitem(sys.modules, "streamlit", None)
    assert "pip install 'actionledger[dashboard]'" in sentence("dashboard")


@pytest.mark.parametrize(
    ("arguments", "served"),
    [
        (("x.duckdb",), ("x.duckdb", None, True, False)),
        (("--ledger", "y.duckdb", "--port", "8600"), ("y.duckdb", 8600, True, False)),
        (("x.duckdb", "-l", "y.duckdb", "--open"), ("x.duckdb", None, False, False)),
        (("--read-only",), ("actionledger.duckdb", None, True, True)),
    ],
)
def test_it_serves_the_ledger_that_is_named(run, monkeypatch, tmp_path, arguments, served):
    """By the argument, by the option, or by custom; without a browser unless asked for. Its exit code is the server's."""
    for name in ("x", "y", "actionledger"):
        open_ledger(tmp_path / f"{name}.duckdb").close()
    calls = []

    def serve(ledger, port, *, headless, read_only):
        calls.append((str(ledger), port, headless, read_only))
        return 3

    server = ModuleType("actionledger_dashboard.server")
    server.serve = serve
    monkeypatch.setitem(sys.modules, "actionledger_dashboard.server", server)
    assert run("dashboard", *arguments).code == 3
    assert calls == [served]


@pytest.fixture
def no_server(monkeypatch):
    """A server that must not be started."""
    server = ModuleType("actionledger_dashboard.server")
    server.serve = lambda *_arguments, **_options: pytest.fail("it was started")
    monkeypatch.setitem(sys.modules, "actionledger_dashboard.server", server)


def test_what_is_no_ledger_is_refused_before_anything_starts(run, sentence, no_server, tmp_path):
    """A file of another kind, a folder, nothing at all."""
    (tmp_path / "x.duckdb").write_text("no ledger")
    assert "is not a DuckDB database" in sentence("dashboard", "x.duckdb")
    assert "is a folder" in sentence("dashboard", ".")
    assert "There is no ledger at y.duckdb" in sentence("dashboard", "-l", "y.duckdb")
    assert [file.name for file in tmp_path.iterdir()] == ["x.duckdb"]


def test_a_port_that_can_not_be_is_refused_before_anything_starts(run, sentence, no_server, recorded):
    """One that is taken, and one that there is not."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = sentence("dashboard", recorded, "--port", port)
    assert f"on port {port}: Address already in use; choose another" in said
    for port in ("65536", "-1", "x"):
        done = run("dashboard", recorded, f"--port={port}")
        assert (done.code, done.out) == (2, "")
        assert "--port" in done.err


def test_any_port_is_one_that_is_free(run, monkeypatch, recorded):
    """As 0 means everywhere."""
    ports = []
    server = ModuleType("actionledger_dashboard.server")
    server.serve = lambda _ledger, port, **_options: ports.append(port)
    monkeypatch.setitem(sys.modules, "actionledger_dashboard.server", server)
    assert run("dashboard", recorded, "--port", "0").code == 0
    assert ports[0] > 1023


@pytest.fixture
def served(monkeypatch):
    """The ledgers that were served, none of them for real."""
    shown = []
    server = ModuleType("actionledger_dashboard.server")
    server.serve = lambda ledger, _port, **_options: shown.append(str(ledger))
    monkeypatch.setitem(sys.modules, "actionledger_dashboard.server", server)
    return shown


def test_the_demo_is_made_where_it_is_absent(run, served, monkeypatch, tmp_path):
    """In the current folder, once; the next time its ledger is shown as it is."""
    made = []

    def fill(ledger, path, sessions):
        made.append((str(path), len(sessions) > 500))
        import_sessions(
            ledger, [al.RecordedSession("s", "coder", "m", "", (al.RecordedTurn(0, "x"),))], source=SOURCE
        )

    monkeypatch.setattr(demo, "fill", fill)
    assert run("dashboard", "--demo").code == 0
    assert run("dashboard", "--demo").code == 0
    assert run("dashboard", "--demo", "other.duckdb").code == 0
    assert made == [("demo.duckdb", True), ("other.duckdb", True)]
    assert served == ["demo.duckdb", "demo.duckdb", "other.duckdb"]


def test_somebody_elses_ledger_is_not_shown_as_the_demo(run, sentence, no_server, tmp_path):
    """What is no demo stays as it is, and that is said."""
    open_ledger(tmp_path / "team.duckdb").close()
    said = sentence("dashboard", "--demo", "team.duckdb")
    assert (
        said
        == "team.duckdb has none of the sample sessions; name another file for them, or show this one without --demo."
    )
    with open_ledger(tmp_path / "team.duckdb", read_only=True) as ledger:
        assert ledger.sql("SELECT count(*) FROM sessions").fetchall() == [(0,)]


def test_a_page_that_only_reads_decides_nothing_and_is_promised_no_code(sentence, recorded, monkeypatch):
    """It told a code that no page took."""
    monkeypatch.setattr(permissions, "_codes", [])
    assert "leave --decide out" in sentence("dashboard", str(recorded), "--read-only", "--decide")
    assert not permissions.may_be_decided_here()


def test_a_page_decides_and_writes_cases_only_where_it_is_asked_to(run, recorded, tmp_path, monkeypatch):
    """The code stands in the terminal alone, and another one decides nothing."""
    monkeypatch.setattr(permissions, "_codes", [])
    server = ModuleType("actionledger_dashboard.server")
    server.serve = lambda *_, **__: 0
    monkeypatch.setitem(sys.modules, "actionledger_dashboard.server", server)
    monkeypatch.setenv(CASES_VARIABLE, "")
    assert run("dashboard", recorded).err == ""
    assert not permissions.may_be_decided_here()
    assert cases_folder() is None
    done = run("dashboard", recorded, "--decide", "--cases", tmp_path / "cases")
    assert (done.code, done.out) == (0, "")
    code = done.err.split()[-1]
    assert permissions.is_code(code)
    assert not permissions.is_code("")
    assert not permissions.is_code(code[:-1])
    assert cases_folder() == tmp_path / "cases"
