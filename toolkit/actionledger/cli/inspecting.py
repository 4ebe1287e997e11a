"""``show``: the sessions, one session's turns, or one turn annotated, with all that came of it."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Annotated

import typer

from actionledger.cli.ledgers import existing
from actionledger.cli.options import JsonOption, LedgerOption
from actionledger.cli.sheets import Sheet
from actionledger.cli.tables import console, plain, print_json, print_note, print_text
from actionledger.errors import UsageError
from actionledger.explaining import explain
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.lineage import children
from actionledger.ledger.queries.naming import one_run, one_session, session_names
from actionledger.ledger.queries.sessions import Session, count_sessions, session, sessions
from actionledger.ledger.queries.timeline import Step, timeline
from actionledger.ledger.queries.turn import TurnDetail, turn
from actionledger.ledger.queries.turns import turns
from actionledger.plurals import counted
from actionledger.values import ActionCall, Block, Issue, ParseResult
from actionledger.vocabulary import Origin


def show(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="SESSION[#TURN]",
            help="A session by its name, its id or the beginning of it, and a turn by its place, from 0.",
        ),
    ] = None,
    ledger: LedgerOption = None,
    *,
    run: Annotated[
        str | None, typer.Option("--run", help="Show this run's reading, not the first one.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many sessions are listed at most.")] = 50,
    as_json: JsonOption = False,
) -> None:
    """Show a turn annotated, with what came of it; a session's turns; or, with nothing given, the sessions."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        if what is None:
            _list_sessions(opened, limit, as_json=as_json)
            return
        run_id = None if run is None else one_run(opened, run)
        session_id, index = _place(opened, what)
        if index is None:
            _list_turns(opened, session_id, run_id, as_json=as_json)
        else:
            _show_turn(opened, session_id, index, run_id, as_json=as_json)


def _place(ledger: Ledger, what: str) -> tuple[str, int | None]:
    """Return the session and the turn that a text names; a session's own name may hold the sign between them."""
    name, sign, index = what.rpartition("#")
    if not sign or not index.isascii() or not index.isdigit():
        return one_session(ledger, what), None
    try:
        return one_session(ledger, what), None
    except UsageError:
        return one_session(ledger, name), int(index)


def _list_sessions(ledger: Ledger, limit: int, *, as_json: bool) -> None:
    found = sessions(ledger, limit=limit)
    names = session_names(ledger, {each.session_id for each in found})
    if as_json:
        print_json([{"session": names[each.session_id], **asdict(each)} for each in found])
        return
    if not found:
        print_text("No session is recorded. 'actionledger import --help' says how to take some in.")
        return
    sheet = Sheet(
        "session", "began (UTC)", "profile, model", "turns", "read whole", "valid", "failed", "ended"
    )
    for each in found:
        sheet.add_row(
            names[each.session_id],
            f"{each.started_at:%Y-%m-%d %H:%M}" if each.started_at else "",
            ", ".join(filter(None, (each.profile, each.model))),
            f"{each.turns:,}",
            each.parsed.refusal or f"{each.parsed.successes} of {each.parsed.count}",
            f"{each.valid} of {each.actions}",
            str(each.failed),
            each.reason or "",
        )
    console.print(sheet)
    whole = count_sessions(ledger)
    if whole > len(found):
        print_note(f"{len(found):,} of {whole:,} sessions, the newest first; --limit shows more.")


def _list_turns(ledger: Ledger, session_id: str, run_id: str | None, *, as_json: bool) -> None:
    found = turns(ledger, session_id, run_id)
    whole = session(ledger, session_id)
    assert whole is not None
    name = session_names(ledger, [session_id])[session_id]
    if as_json:
        below = [asdict(each) for each in children(ledger, session_id)]
        rows = [asdict(each) for each in found]
        print_json({"session": name, **asdict(whole), "children": below, "turns": rows})
        return
    for line in (*_session_lines(whole, name), *_lineage_lines(ledger, whole)):
        print_text(line)
    sheet = Sheet("turn", "outcome", "why not", "characters", "actions", "valid", "tries", "failed")
    for each in found:
        sheet.add_row(
            f"#{each.index}",
            str(each.outcome or "not read"),
            str(each.reason or ""),
            f"{each.characters:,}",
            str(each.actions),
            str(each.valid),
            str(each.executions),
            str(each.failed),
        )
    console.print(sheet)


def _session_lines(whole: Session, name: str) -> Iterator[str]:
    yield f"Session {name} ({whole.session_id}) from {whole.source}"
    yield f"Profile {whole.profile}, model {whole.model or 'not recorded'}, task {whole.task or 'not recorded'}"
    ended = {True: "reached its aim", False: "did not reach its aim", None: ""}[whole.success]
    if ended or whole.reason:
        yield f"It ended: {', '.join(filter(None, (ended, whole.reason)))}"
    if whole.scores not in {None, "{}"}:
        yield f"Scored: {whole.scores}"
    if whole.labels not in {None, "[]"}:
        yield f"Filed under: {whole.labels}"


def _lineage_lines(ledger: Ledger, whole: Session) -> Iterator[str]:
    if whole.parent_session_id is not None:
        parent = session(ledger, whole.parent_session_id)
        of = parent.external_id if parent else f"{whole.parent_session_id}, which is not recorded"
        yield f"A {whole.relation or 'child'} of {of}"
    for child in children(ledger, whole.session_id):
        yield f"Under it: {child.external_id}, {child.relation or 'child'}, {counted(child.turns, 'turn')}"


def _show_turn(ledger: Ledger, session_id: str, index: int, run_id: str | None, *, as_json: bool) -> None:
    found = turn(ledger, session_id, index, run_id)
    name = session_names(ledger, [session_id])[session_id]
    if found is None:
        places = [each.index for each in turns(ledger, session_id)]
        has = f"its turns are #{places[0]} to #{places[-1]}" if places else "it has none"
        raise UsageError(f"The session {name!r} has no turn #{index}; {has}.")
    steps = timeline(ledger, found.response.turn_id)
    if as_json:
        value = asdict(found) | {"session": name, "timeline": [asdict(step) for step in steps]}
        print_json(value)
        return
    _print_turn(found, steps, name)


def _print_turn(found: TurnDetail, steps: list[Step], name: str) -> None:
    response = found.response
    at = f", {response.occurred_at:%Y-%m-%d %H:%M:%S} UTC" if response.occurred_at else ""
    print_text(f"{name}#{response.index}{at}", style="bold")
    if not response.text_is_exact:
        print_text("(A secret, or half a character, was replaced before this was recorded.)")
    if response.prompt is not None:
        print_text("The model was shown:", style="bold")
        _print_marked("<", response.prompt)
    if response.reasoning is not None:
        print_text("It thought:", style="bold")
        _print_marked("~", response.reasoning)
    print_text("It wrote:", style="bold")
    if found.attempt is None:
        _print_marked("|", response.text)
        print_text("= nothing has read this response")
    else:
        for line in explain(_result(found)).splitlines():
            style = "dim" if line.startswith("|") else "bold" if line.startswith("=") else ""
            console.print(plain(line), style=style)
    print_text("What came of it:", style="bold")
    for step in steps:
        _print_step(step)
    if not steps:
        print_text("= nothing is recorded")


def _print_step(step: Step) -> None:
    at = f"{step.occurred_at:%H:%M:%S} " if step.occurred_at else ""
    what = f"action {step.action_index}, {step.name}" if step.action_index is not None else step.name
    took = "" if step.duration_ms is None else f" in {step.duration_ms:,.1f} ms"
    why = f" ({step.reason})" if step.reason else ""
    match step.kind:
        case "asked":
            print_text(f"= {at}{what} waits for a person: {step.text}")
        case "decided":
            print_text(f"= {at}{what} {step.status} {step.text}")
        case "run":
            by = ", as its recording says" if step.origin is Origin.RECORDED else ""
            came = step.status.replace("_", " ")
            print_text(f"= {at}{what} {came}{why}{took}{by}: {step.text or 'no result'}")
        case "reversed":
            print_text(f"= {at}{what} {step.status}: {step.text}")
        case "noted":
            print_text(f"= {at}noted, {step.name}: {step.text}")
        case "told":
            again = " again, after the decisions" if step.name else ""
            print_text(f"= {at}The model was told{again}:")
            _print_marked("<", step.text or "(nothing)")


def _print_marked(mark: str, text: str) -> None:
    for line in text.splitlines():
        print_text(f"{mark} {line}", style="dim")


def _result(found: TurnDetail) -> ParseResult:
    """Return what was read as the reader gave it, so that it is shown as ``parse`` shows it."""
    attempt = found.attempt
    assert attempt is not None
    calls = tuple(
        ActionCall(
            name=action.name,
            arguments=json.loads(action.arguments),
            status=action.status,
            span=action.span,
            dialect=action.dialect,
            block=action.block,
            errors=action.errors,
            conversions=action.conversions,
            reason=action.reason,
            call_id=action.call_id,
            evidence=action.evidence,
        )
        for action in found.actions
    )
    return ParseResult(
        text=found.response.text,
        outcome=attempt.outcome,
        actions=calls,
        blocks=tuple(replace(block, issues=_within(block, found.issues)) for block in found.blocks),
        issues=found.issues,
        narrative="",
        parser_id="",
        parser_name=attempt.parser,
        catalogue=attempt.catalogue,
    )


def _within(block: Block, issues: tuple[Issue, ...]) -> tuple[Issue, ...]:
    return tuple(
        issue
        for issue in issues
        if issue.span is not None
        and block.span.start <= issue.span.start
        and issue.span.end <= block.span.end
    )
