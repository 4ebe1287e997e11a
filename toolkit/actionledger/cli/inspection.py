"""``show``: list sessions, a session's turns, or one annotated turn with its results."""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Annotated

import typer

from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.options import JsonOption, LedgerOption, existing
from actionledger.cli.tables import Sheet, console, plain, print_json, print_note, print_text, shortened
from actionledger.core.errors import UsageError
from actionledger.core.text import counted
from actionledger.ledger import Ledger, open_ledger
from actionledger.ledger.queries.filters import EVERYTHING, Filter
from actionledger.ledger.queries.lineage import children
from actionledger.ledger.queries.names import one_place, session_names
from actionledger.ledger.queries.session import Session, session
from actionledger.ledger.queries.sessions import count_sessions, sessions
from actionledger.ledger.queries.turns import turns, why_not
from actionledger.report.explanation import Tone, recorded_turn, turn_lines

_STYLES: dict[Tone, str] = {"head": "bold", "quiet": "dim", "plain": ""}


@filtered(lists=True)
def show(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="SESSION[#TURN]",
            help="Session by name, id, title or the beginning of one; turn by its index from 0",
        ),
    ] = None,
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Maximum number of sessions")] = 50,
    as_json: JsonOption = False,
) -> None:
    """List sessions; show a session's turns, or one turn annotated."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        chosen = within(opened)
        if what is None:
            _list_sessions(opened, chosen, limit, as_json=as_json)
            return
        if chosen != Filter(run_id=chosen.run_id):
            raise UsageError(
                f"{what!r} is shown whole; {replace(chosen, run_id=None).words} picks sessions, so leave one of the two out."
            )
        session_id, index = one_place(opened, what)
        if index is None:
            _list_turns(opened, session_id, chosen.run_id, as_json=as_json)
        else:
            _show_turn(opened, what, chosen.run_id, as_json=as_json)


def _list_sessions(ledger: Ledger, within: Filter, limit: int, *, as_json: bool) -> None:
    found = sessions(ledger, within, limit=limit)
    names = session_names(ledger, {each.session_id for each in found})
    if as_json:
        print_json([{"session": names[each.session_id], **asdict(each)} for each in found])
        return
    if not found and within != EVERYTHING:
        print_text(f"No session has a response that fits {within.words}.")
        return
    if not found:
        print_text("No session is recorded. 'actionledger import --help' says how to take some in.")
        return
    is_narrowed = within != EVERYTHING
    fit = ["that fit"] if is_narrowed else []
    ended = ["ended"] if any(each.reason for each in found) else []
    sheet = Sheet(
        *("session", "began (UTC)", "profile, model", "turns", *fit),
        *("parsed", "valid", "failed", *ended, "title"),
    )
    for each in found:
        sheet.add_row(
            names[each.session_id],
            f"{each.started_at:%Y-%m-%d %H:%M}" if each.started_at else "",
            ", ".join(name for name in (each.profile, each.model) if name and name != "none"),
            f"{each.turns:,}",
            *([f"{each.matching:,}"] if is_narrowed else []),
            each.parsed.refusal or f"{each.parsed.successes} of {each.parsed.count}",
            _valid(each.valid, each.checked, each.actions),
            str(each.failed),
            *([each.reason or ""] if ended else []),
            shortened(each.title or ""),
        )
    console.print(sheet)
    whole = count_sessions(ledger, within)
    if whole > len(found):
        print_note(f"{len(found):,} of {whole:,} sessions, the newest first; --limit shows more.")


def _list_turns(ledger: Ledger, session_id: str, run_id: str | None, *, as_json: bool) -> None:
    found = turns(ledger, session_id, run_id)
    whole = session(ledger, session_id)
    assert whole is not None
    reasons = why_not(ledger, session_id, run_id)
    name = session_names(ledger, [session_id])[session_id]
    if as_json:
        below = [asdict(each) for each in children(ledger, session_id)]
        rows = [asdict(each) | {"why_not": reasons.get(each.index, "")} for each in found]
        print_json({"session": name, **asdict(whole), "children": below, "turns": rows})
        return
    for line in (*_session_lines(whole, name), *_lineage_lines(ledger, whole)):
        print_text(line)
    sheet = Sheet("turn", "outcome", "why not", "characters", "actions", "valid", "tries", "failed")
    for each in found:
        sheet.add_row(
            f"#{each.index}",
            each.outcome.said if each.outcome else "not read",
            reasons.get(each.index, ""),
            f"{each.characters:,}",
            str(each.actions),
            _valid(each.valid, each.checked, each.actions),
            str(each.executions),
            str(each.failed),
        )
    console.print(sheet)


def _valid(valid: int, checked: int, actions: int) -> str:
    """Return the number of valid actions, among those with a catalogue to check against."""
    return f"{valid} of {checked}" if checked else "not checked" if actions else ""


def _session_lines(whole: Session, name: str) -> Iterator[str]:
    yield f"Session {name} ({whole.session_id}) from {whole.source}"
    if whole.title:
        yield f"Title: {shortened(whole.title)}"
    profile = f"Profile {whole.profile}, model" if whole.profile not in {"", "none"} else "Model"
    yield f"{profile} {whole.model or 'not recorded'}, task {whole.task or 'not recorded'}"
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


def _show_turn(ledger: Ledger, place: str, run: str | None, *, as_json: bool) -> None:
    recorded = recorded_turn(ledger, place, run)
    if as_json:
        steps = [asdict(step) for step in recorded.steps]
        print_json(asdict(recorded.detail) | {"session": recorded.name, "timeline": steps})
        return
    for line in turn_lines(recorded):
        console.print(plain(line.text), style=_STYLES[line.tone])
