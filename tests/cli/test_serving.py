"""``dashboard``: needs its packages, and says so."""

import socket
import sys
from types import ModuleType

import pytest

from actionledger.ledger import open_ledger


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
    assert "is no DuckDB database" in sentence("dashboard", "x.duckdb")
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
