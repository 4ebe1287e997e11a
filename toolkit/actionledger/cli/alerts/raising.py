"""Raise each alert once, whichever process checks: alerts are kept next to the ledger, recorded in it, and sent to a webhook, Slack, mail or the desktop."""

import json
import os
import shutil
import smtplib
import ssl
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from email.message import EmailMessage
from http.client import HTTPException
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self, TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from actionledger.cli.alerts.rules import Checked, Rules, check
from actionledger.core.errors import SourceError, UsageError
from actionledger.core.ids import new_id, now
from actionledger.core.privacy import mask
from actionledger.core.recording import alert_raised
from actionledger.ledger import open_ledger
from actionledger.ledger.saved import RAISED, Saved

EVERY_SECONDS = 60.0
_AGAIN = timedelta(minutes=2)
"""Time after which another process sends a claimed but unsent alert, since the first process may be gone."""

_MOST_TRIES = 5


def raise_alerts(path: Path, rules: Rules, tell: Callable[[str], None]) -> list[Checked]:
    """Check rules and raise those that newly fire (again, if an alert has ended), telling each alert and failure to send; return each rule's result."""
    to = destinations(rules.secrets)
    with open_ledger(path, read_only=True) as ledger:
        found = [check(ledger, rule) for rule in rules.rules]
    kept = Saved(path, RAISED)
    if claimed := _claimed(kept, found, now()):
        _record(path, claimed)
        for one in claimed:
            tell(one.words)
    for one in found:
        _send(kept, one, to, rules.link, tell)
    return found


def _claimed(kept: Saved, found: Sequence[Checked], moment: datetime) -> list[Checked]:
    """Return the results that fire and were not raised yet, and mark them as raised."""
    claimed: list[Checked] = []

    def change(held: dict[str, Any]) -> dict[str, Any]:
        claimed.clear()
        after = dict(held)
        for one in found:
            before = held.get(one.rule.key)
            if one.value is None:
                continue  # an unknown value ends no alert
            if not one.fires:
                after.pop(one.rule.key, None)
            elif before is None or not one.entries <= set(before["entries"]):
                claimed.append(one)
                after[one.rule.key] = {
                    "rule": one.rule.name,
                    "at": moment.isoformat(),
                    "entries": sorted(one.entries),
                    "told": [],
                    "tries": 0,
                    "text": one.words,
                }
        current = {one.rule.key for one in found}
        names = {one.rule.name for one in found}
        return {key: value for key, value in after.items() if key in current or value["rule"] not in names}

    kept.change(change)
    return claimed


def _record(path: Path, claimed: Sequence[Checked]) -> None:
    with open_ledger(path) as ledger:
        for one in claimed:
            rule = one.rule
            detail = {
                "rule": rule.name,
                "number": rule.number,
                "asked": rule.asked,
                "found": one.found,
                "value": one.value,
            }
            ledger.record(alert_raised(new_id(), one.words, detail))


def _send(kept: Saved, one: Checked, to: dict[str, str], link: str, tell: Callable[[str], None]) -> None:
    """Send an alert to its remaining destinations; other processes leave it to this one for a while."""
    mine: list[str] = []
    alert: dict[str, Any] = {}

    def take(held: dict[str, Any]) -> dict[str, Any]:
        mine.clear()
        entry = held.get(one.rule.key)
        if entry is None or not one.fires:
            return held
        missing = [name for name in to if name not in entry["told"]]
        is_taken = entry["tries"] and now() - datetime.fromisoformat(entry["at"]) < _AGAIN * entry["tries"]
        if not missing or is_taken or entry["tries"] >= _MOST_TRIES:
            return held
        mine.extend(missing)
        alert.update(entry)
        return held | {one.rule.key: entry | {"tries": entry["tries"] + 1}}

    kept.change(take)
    told = []
    for name in mine:
        try:
            send(name, to[name], _message(one, alert, link))
            told.append(name)
        except SendingError as error:
            tell(f"{one.rule.name}: {error}")
    if told:
        kept.change(lambda held: _with_announced(held, one.rule.key, told))


def _with_announced(held: dict[str, Any], key: str, told: list[str]) -> dict[str, Any]:
    entry = held.get(key)
    return held if entry is None else held | {key: entry | {"told": sorted({*entry["told"], *told})}}


def _message(one: Checked, alert: dict[str, Any], link: str) -> dict[str, Any]:
    """Return an alert's message: counts and a link, without model text."""
    where = f"{link}/alerts" if link else ""
    return {
        "text": f"{alert['text']} {where}".rstrip(),
        "rule": one.rule.name,
        "number": one.rule.number,
        "value": one.value,
        "asked": one.rule.asked,
        "raised_at": f"{alert['at']}Z",
        "link": where,
    }


class AlertClock:
    """Checks rules every minute in the background, telling each alert and fault; a lasting fault only once."""

    def __init__(self, path: Path, rules: Rules, tell: Callable[[str], None]) -> None:
        self._path, self._rules, self._tell = path, rules, tell
        self._stop = Event()
        self._thread = Thread(target=self._run, name="alerts", daemon=True)

    def __enter__(self) -> Self:
        destinations(self._rules.secrets)  # reports invalid addresses before anything runs
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(EVERY_SECONDS)

    def _run(self) -> None:
        fault = ""
        while True:
            try:
                raise_alerts(self._path, self._rules, self._tell)
                fault = ""
            except Exception as error:  # noqa: BLE001 - reported; one fault must not end the watch
                if (said := str(error) or type(error).__name__) != fault:
                    fault = said
                    self._tell(f"Alerts could not be checked: {fault}")
            if self._stop.wait(EVERY_SECONDS):
                return


WEBHOOK = "ACTIONLEDGER_ALERTS_WEBHOOK"
SLACK = "ACTIONLEDGER_ALERTS_SLACK"
SMTP = "ACTIONLEDGER_ALERTS_SMTP"
DESKTOP = "ACTIONLEDGER_ALERTS_DESKTOP"
VARIABLES = (WEBHOOK, SLACK, SMTP, DESKTOP)

_SECONDS = 15.0
_OTHERS = 0o077

Message: TypeAlias = Mapping[str, Any]
"""An alert to send: its text, and its parts."""

Send: TypeAlias = Callable[[str, Message], None]


class SendingError(Exception):
    """Raised if an alert could not be sent; the message contains no secret."""


def destinations(secrets: Path | None) -> dict[str, str]:
    """Return the destinations of alerts by their variables' names, from a file with lines such as ``ACTIONLEDGER_ALERTS_WEBHOOK=https://…``, or the environment."""
    given: Mapping[str, str] = os.environ if secrets is None else _in_file(secrets)
    found = {name: given[name] for name in VARIABLES if given.get(name)}
    for name, address in found.items():
        _refuse_address(name, address)
    return found


def send(name: str, address: str, message: Message) -> None:
    """Send an alert."""
    masked = {
        key: mask(value.encode()).decode() if isinstance(value, str) else value
        for key, value in message.items()
    }
    try:
        _SENDERS[name](address, masked)
    except (OSError, HTTPException, smtplib.SMTPException, subprocess.SubprocessError, ValueError) as error:
        # An error's text may contain the address, which is a secret.
        raise SendingError(f"{name} was not told: {type(error).__name__}{_status(error)}.") from error


def _status(error: Exception) -> str:
    code = getattr(error, "code", None) or getattr(error, "smtp_code", None)
    return f" {code}" if isinstance(code, int) else ""


def _in_file(path: Path) -> dict[str, str]:
    try:
        mode = path.stat().st_mode
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise SourceError(f"The addresses of alerts in {str(path)!r} can't be read: {error}.") from error
    if os.name == "posix" and mode & _OTHERS:
        raise UsageError(f"Others may read {str(path)!r}, which holds secrets; run: chmod 600 {path}")
    given = dict(
        line.split("=", 1) for line in map(str.strip, lines) if "=" in line and not line.startswith("#")
    )
    if others := [name for name in given if name not in VARIABLES]:
        raise UsageError(f"{str(path)!r} names {others[0][:80]!r}; it takes {', '.join(VARIABLES)}.")
    return given


def _refuse_address(name: str, address: str) -> None:
    schemes = {WEBHOOK: ("https", "http"), SLACK: ("https", "http"), SMTP: ("smtp", "smtps")}.get(name)
    if schemes is None:
        return
    try:
        whole = urlsplit(address)
        is_one = whole.scheme in schemes and bool(whole.hostname) and (whole.port or 1) > 0
    except ValueError:
        is_one = False
    if not is_one:
        raise UsageError(f"{name} holds no address of the kind {schemes[0]}://HOST/…")
    if name == SMTP and not {"from", "to"} <= parse_qs(whole.query).keys():
        raise UsageError(f"{name} needs a sender and a recipient: smtps://USER:PASSWORD@HOST?from=A&to=B")


class _NoRedirect(HTTPRedirectHandler):
    """Refuses redirects: an alert goes only to the given address."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _post(address: str, value: object) -> None:
    headers = {"content-type": "application/json", "user-agent": "actionledger"}
    request = Request(address, json.dumps(value).encode(), headers, method="POST")  # noqa: S310 - only http and https are accepted
    with build_opener(_NoRedirect).open(request, timeout=_SECONDS) as answer:
        answer.read(1)


def _to_slack(address: str, message: Message) -> None:
    text = str(message["text"]).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    _post(address, {"text": text})


def _to_mail(address: str, message: Message) -> None:
    server = urlsplit(address)
    said = parse_qs(server.query)
    mail = EmailMessage()
    mail["From"], mail["To"] = said["from"][0], ", ".join(said["to"])
    mail["Subject"] = f"actionledger: {message['rule']}"
    mail.set_content(str(message["text"]))
    context = ssl.create_default_context()
    if server.scheme == "smtps":
        open_server: Any = smtplib.SMTP_SSL(
            server.hostname or "", server.port or 465, timeout=_SECONDS, context=context
        )
    else:
        open_server = smtplib.SMTP(server.hostname or "", server.port or 587, timeout=_SECONDS)
    with open_server as opened:
        if server.scheme == "smtp" and (server.username or opened.has_extn("starttls")):
            opened.starttls(context=context)  # never send a password unencrypted
        if server.username:
            opened.login(unquote(server.username), unquote(server.password or ""))
        opened.send_message(mail)


def _to_desktop(_: str, message: Message) -> None:
    title, text = f"actionledger: {message['rule']}", str(message["text"])
    if sys.platform == "darwin":
        script = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run"
        command = ["osascript", "-e", script, title, text]
    else:
        command = ["notify-send", "--app-name=actionledger", "--", title, text]
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(command[0])
    subprocess.run(command, check=True, timeout=_SECONDS, stdin=subprocess.DEVNULL, capture_output=True)  # noqa: S603 - no shell


_SENDERS: dict[str, Send] = {WEBHOOK: _post, SLACK: _to_slack, SMTP: _to_mail, DESKTOP: _to_desktop}
