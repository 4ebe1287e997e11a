"""An alert is raised once, whoever checks: recorded, sent, and raised again only when it had ended."""

import json
import smtplib
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

import pytest

import actionledger as al
from actionledger.cli.alerts import raising
from actionledger.cli.alerts.raising import AlertClock, raise_alerts
from actionledger.cli.alerts.rules import Rules, rules_in
from actionledger.core.errors import UsageError
from actionledger.ledger.queries.recent import alerts, count_alerts

SECRET = "sk-ant-api03-" + "a1B2" * 22 + "AA"


class Hook:
    """A server that takes what it is sent."""

    def __init__(self, status: int = 200) -> None:
        self.status = status  # what it answers
        self.taken: list[dict[str, Any]] = []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                hook.taken.append(json.loads(body))
                self.send_response(hook.status)
                if hook.status == 307:
                    self.send_header("location", "http://127.0.0.1:9/elsewhere")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/secret-path"


@pytest.fixture
def hook() -> Iterator[Hook]:
    """A server that takes alerts."""
    made = Hook()
    yield made
    made.server.shutdown()


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger with a turn that cost two dollars."""
    path = tmp_path / "l.duckdb"
    add(path, "s1", 2.0)
    return path


def add(path: Path, name: str, cost: float) -> None:
    """Record one more turn."""
    turn = al.RecordedTurn(
        0, "Hello.", external_id=name, usage=al.Usage(input_tokens=1, output_tokens=1, cost_usd=cost)
    )
    with al.open_ledger(path) as opened:
        al.import_sessions(opened, [al.RecordedSession(name, None, "m", "", (turn,))])


def rules_of(folder: Path, above: float, *, name: str = "cost", secrets: str = "") -> Rules:
    """Return the rules of a file."""
    path = folder / "alerts.toml"
    path.write_text(
        f'link = "http://127.0.0.1:8501"\n{secrets}\n[[rule]]\nname = "{name}"\nnumber = "usage.cost_usd"\nabove = {above}\n'
    )
    return rules_in(path)


def test_an_alert_is_raised_once_and_again_after_it_ended(
    ledger: Path, tmp_path: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is sent has the number, the bound and a link."""
    monkeypatch.setenv(raising.WEBHOOK, hook.address)
    told: list[str] = []
    rules = rules_of(tmp_path, 1.5)
    for _ in range(3):
        raise_alerts(ledger, rules, told.append)
    assert told == ["cost: usage.cost_usd is 2; the rule fires above 1.5."]
    [sent] = hook.taken
    assert (sent["rule"], sent["value"], sent["link"]) == ("cost", 2.0, "http://127.0.0.1:8501/alerts")
    with al.open_ledger(ledger, read_only=True) as opened:
        [kept] = alerts(opened)
        assert (kept.rule, kept.number, kept.asked, kept.found) == (
            "cost",
            "usage.cost_usd",
            "above 1.5",
            "2",
        )
    raise_alerts(ledger, rules_of(tmp_path, 5.0), told.append)
    raise_alerts(ledger, rules, told.append)
    assert len(told) == len(hook.taken) == 2


def test_many_who_watch_raise_it_once(
    ledger: Path, tmp_path: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the same time, each with a connection of its own."""
    monkeypatch.setenv(raising.SLACK, hook.address)
    rules = rules_of(tmp_path, 1.5)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: raise_alerts(ledger, rules, lambda _: None), range(6)))
    assert [list(each) for each in hook.taken] == [["text"]]
    with al.open_ledger(ledger, read_only=True) as opened:
        assert count_alerts(opened) == 1


@pytest.mark.parametrize("status", [307, 500])
def test_what_could_not_be_sent_is_said_without_the_address_and_sent_later(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """Nothing follows a redirection; after some minutes whoever checks next tries again."""
    hook, told = Hook(status), []
    monkeypatch.setenv(raising.WEBHOOK, hook.address)
    rules = rules_of(tmp_path, 1.5)
    raise_alerts(ledger, rules, told.append)
    assert told[1] == f"cost: {raising.WEBHOOK} was not told: HTTPError {status}."
    raise_alerts(ledger, rules, told.append)
    assert len(hook.taken) == 1
    monkeypatch.setattr(raising, "_AGAIN", raising._AGAIN * 0)
    hook.status = 200
    for _ in range(2):
        raise_alerts(ledger, rules, told.append)
    assert len(hook.taken) == 2
    assert len(told) == 2
    hook.server.shutdown()


def test_a_secret_in_a_name_is_masked_and_slack_sees_no_markup(
    ledger: Path, tmp_path: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule's name is somebody's text, too."""
    monkeypatch.setenv(raising.SLACK, hook.address)
    raise_alerts(ledger, rules_of(tmp_path, 1.5, name=f"<!channel> {SECRET[:60]}"), lambda _: None)
    [sent] = hook.taken
    assert "&lt;!channel&gt;" in sent["text"]
    assert SECRET[13:40] not in sent["text"]


def test_addresses_in_a_file_need_a_file_of_one_s_own(ledger: Path, tmp_path: Path, hook: Hook) -> None:
    """Else others could read the secret that they are."""
    secrets = tmp_path / "to.env"
    secrets.write_text(f"# ours\n{raising.WEBHOOK}={hook.address}\n")
    secrets.chmod(0o644)
    rules = rules_of(tmp_path, 1.5, secrets='secrets = "to.env"')
    with pytest.raises(UsageError, match="chmod 600"):
        raise_alerts(ledger, rules, lambda _: None)
    secrets.chmod(0o600)
    raise_alerts(ledger, rules, lambda _: None)
    assert len(hook.taken) == 1
    secrets.write_text("PATH=x")
    with pytest.raises(UsageError, match="names 'PATH'"):
        raise_alerts(ledger, rules, lambda _: None)


@pytest.mark.parametrize(
    ("name", "address"),
    [
        (raising.WEBHOOK, "file:///etc/passwd"),
        (raising.SLACK, "hooks.slack.com"),
        (raising.SMTP, "smtp://host"),
    ],
)
def test_an_address_that_is_none_is_refused_without_being_shown(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, address: str
) -> None:
    """It may be a secret that was put into the wrong variable."""
    monkeypatch.setenv(name, address)
    with pytest.raises(UsageError, match=name) as refused:
        raise_alerts(ledger, rules_of(tmp_path, 1.5), lambda _: None)
    assert address not in str(refused.value)


def test_a_mail_is_sent_after_tls_and_login(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A password never goes in clear; the subject is the rule's name."""
    done: list[Any] = []

    class Server:
        def __init__(self, host: str, port: int, timeout: float) -> None:
            done.append((host, port))

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def starttls(self, context: object) -> None:
            done.append("tls")

        def login(self, user: str, password: str) -> None:
            done.append((user, password))

        def send_message(self, mail: EmailMessage) -> None:
            done.append((mail["Subject"], mail["From"], mail["To"], mail.get_content()))

    monkeypatch.setattr(smtplib, "SMTP", Server)
    monkeypatch.setenv(raising.SMTP, "smtp://me:p%40ss@mail.test:2525?from=a@b.test&to=c@d.test&to=e@f.test")
    raise_alerts(ledger, rules_of(tmp_path, 1.5), lambda _: None)
    *_, (subject, sender, to, text) = done
    assert done[:3] == [("mail.test", 2525), "tls", ("me", "p@ss")]
    assert (subject, sender, to) == ("actionledger: cost", "a@b.test", "c@d.test, e@f.test")
    assert text.startswith(
        "cost: usage.cost_usd is 2; the rule fires above 1.5. http://127.0.0.1:8501/alerts"
    )


def test_a_clock_checks_while_something_else_runs(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And says a fault once while it lasts."""
    told: list[str] = []
    raised, failed = threading.Event(), threading.Event()

    def tell(sentence: str) -> None:
        told.append(sentence)
        (failed if "could not be checked" in sentence else raised).set()

    monkeypatch.setattr(raising, "EVERY_SECONDS", 0.05)
    with AlertClock(ledger, rules_of(tmp_path, 5.0), tell):
        add(ledger, "s2", 9.0)
        assert raised.wait(120)
    with AlertClock(tmp_path / "none.duckdb", rules_of(tmp_path, 5.0), tell):
        assert failed.wait(120)
    assert [each for each in told if each.startswith("cost")] == [
        "cost: usage.cost_usd is 11; the rule fires above 5."
    ]


def test_a_fault_that_nobody_foresaw_ends_no_watch(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said, and the next minute is checked as any other."""
    told: list[str] = []
    raised = threading.Event()
    whole = raising.raise_alerts

    def once_broken(*given: Any) -> Any:
        monkeypatch.setattr(raising, "raise_alerts", whole)
        raise RuntimeError("the disk sings")

    def tell(sentence: str) -> None:
        told.append(sentence)
        if sentence.startswith("cost"):
            raised.set()

    monkeypatch.setattr(raising, "EVERY_SECONDS", 0.05)
    monkeypatch.setattr(raising, "raise_alerts", once_broken)
    with AlertClock(ledger, rules_of(tmp_path, 1.5), tell):
        assert raised.wait(120)
    assert told[0] == "Alerts could not be checked: the disk sings"


def test_a_server_that_speaks_no_http_is_said(
    ledger: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The alert stands, and what was not told is named."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(b"220 mail\r\n")

        threading.Thread(target=answer, daemon=True).start()
        monkeypatch.setenv(raising.WEBHOOK, f"http://127.0.0.1:{server.getsockname()[1]}/x")
        told: list[str] = []
        raise_alerts(ledger, rules_of(tmp_path, 1.5), told.append)
    assert told[1] == f"cost: {raising.WEBHOOK} was not told: BadStatusLine."


def test_the_command_sends(run: Callable[..., Any], ledger: Path, tmp_path: Path) -> None:
    """Once, and its code says each time that the rule fires."""
    rules_of(tmp_path, 1.5)
    first, second = (
        run("check", "--send", "--rules", tmp_path / "alerts.toml", "-l", ledger) for _ in range(2)
    )
    assert (first.code, second.code) == (4, 4)
    assert "the rule fires" in first.err
    assert "the rule fires" not in second.err
