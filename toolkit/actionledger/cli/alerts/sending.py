"""Send alerts: webhook, Slack, e-mail or desktop notification. Addresses are secrets, from the environment or a file of mode 0600."""

import json
import os
import shutil
import smtplib
import ssl
import subprocess
import sys
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from http.client import HTTPException
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from actionledger.core.errors import SourceError, UsageError
from actionledger.core.privacy import mask

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
