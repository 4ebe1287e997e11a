"""``check``: check alert rules against a ledger."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from actionledger.cli.alerts.numbers import NOT_RECORDED, numbers
from actionledger.cli.alerts.raising import raise_alerts
from actionledger.cli.alerts.rules import Checked, check, rules_in
from actionledger.cli.exits import ExitCode
from actionledger.cli.options import JsonOption, LedgerOption, existing
from actionledger.cli.tables import Sheet, console, plain, print_json, print_note, print_text
from actionledger.core.files import write_named
from actionledger.core.text import counted, visible
from actionledger.ledger import open_ledger

RULES = Path("alerts.toml")


def check_rules(
    rules: Annotated[Path, typer.Option("--rules", metavar="FILE", help="File of alert rules")] = RULES,
    ledger: LedgerOption = None,
    *,
    send: Annotated[
        bool, typer.Option("--send", help="Record and send each alert once, as 'watch --alerts' does")
    ] = False,
    list_numbers: Annotated[
        bool, typer.Option("--numbers", help="List the numbers that a rule can use, and check nothing")
    ] = False,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write JUnit XML to this file")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check alert rules against a ledger; exit code 4 if one fires."""
    where = existing(ledger)
    if list_numbers:
        _print_numbers(where, as_json=as_json)
        return
    asked = rules_in(rules)
    if send:
        found = raise_alerts(where, asked, lambda sentence: print_note(sentence, style="yellow"))
    else:
        with open_ledger(where, read_only=True) as opened:
            found = [check(opened, rule) for rule in asked.rules]
    if junit:
        write_named(junit, as_junit(found))
    if as_json:
        print_json([_value(one) for one in found])
    else:
        _print_found(found)
    if any(one.fires for one in found):
        raise typer.Exit(ExitCode.GATE)


def as_junit(found: Sequence[Checked]) -> str:
    """Return the rules' results as JUnit XML: one testcase per rule, skipped if nothing is recorded for it."""
    root = ET.Element("testsuites")
    fired, unknown = sum(one.fires for one in found), sum(one.value is None for one in found)
    suite = ET.SubElement(root, "testsuite", name="actionledger alerts")
    for name, count in (("tests", len(found)), ("failures", fired), ("errors", 0), ("skipped", unknown)):
        suite.set(name, str(count))
    for one in found:
        case = ET.SubElement(
            suite, "testcase", classname="actionledger.alerts", name=visible(one.rule.name), time="0"
        )
        if one.value is None:
            ET.SubElement(case, "skipped", message=visible(one.found))
        elif one.fires:
            ET.SubElement(case, "failure", type="alert", message=visible(one.words))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _print_numbers(ledger: Path, *, as_json: bool) -> None:
    with open_ledger(ledger, read_only=True) as opened:
        found = dict(numbers(opened))
    if as_json:
        print_json(found)
        return
    table = Sheet("number", "now")
    for path, words in found.items():
        table.add_row(plain(path), plain(words))
    console.print(table)


def _print_found(found: Sequence[Checked]) -> None:
    table = Sheet("rule", "number", "is", "fires", "")
    for one in found:
        state = "FIRES" if one.fires else NOT_RECORDED if one.value is None else "ok"
        style = "bold red" if one.fires else ""
        table.add_row(
            *(plain(text) for text in (one.rule.name, one.rule.number, one.found, one.rule.asked, state)),
            style=style,
        )
    console.print(table)
    print_text(
        f"{counted(sum(one.fires for one in found), 'rule')} of {len(found):,} {'fires' if sum(one.fires for one in found) == 1 else 'fire'}."
    )


def _value(one: Checked) -> dict[str, object]:
    return {
        "rule": one.rule.name,
        "number": one.rule.number,
        "asked": one.rule.asked,
        "value": one.value,
        "found": one.found,
        "known": one.value is not None,
        "fires": one.fires,
    }
