"""Raise each alert once, whichever process checks: alerts are kept next to the ledger, recorded in it, and sent."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self

from actionledger.cli.alerts.checking import Checked, check
from actionledger.cli.alerts.rules import Rules
from actionledger.cli.alerts.sending import SendingError, destinations, send
from actionledger.core.ids import new_id, now
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
