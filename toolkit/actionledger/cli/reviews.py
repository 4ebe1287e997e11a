"""``reviews``: people's reviews of turns, and the reviewers' agreement."""

import getpass
from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated

import typer

from actionledger.cli.filters import Chosen, filtered
from actionledger.cli.options import JsonOption, LedgerOption, existing, turn_named
from actionledger.cli.tables import (
    Sheet,
    console,
    plain,
    print_json,
    print_text,
    rate_value,
    shortened,
    shown_rate,
)
from actionledger.core.vocabulary import Judgement, ReviewAspect
from actionledger.ledger import open_ledger
from actionledger.ledger.queries.names import session_names
from actionledger.ledger.queries.reviews import Review, reviews
from actionledger.ledger.review import change, review, settle, withdraw
from actionledger.replay.reviewer_agreement import ReviewerAgreement, reviewer_agreement
from actionledger.replay.statistics import Coefficient

ByOption = Annotated[str | None, typer.Option("--by", help="Reviewer; default: your login")]
IdArgument = Annotated[str, typer.Argument(help="Review's id, as 'reviews list --json' shows it")]

app = typer.Typer(help="Write and list reviews of turns.", no_args_is_help=True)


@app.command("list")
@filtered(lists=True)
def list_reviews(
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    aspect: Annotated[
        list[ReviewAspect] | None,
        typer.Option("--aspect", help="Kind of review; repeat for several"),
    ] = None,
    by: Annotated[str | None, typer.Option("--by", help="Only reviews by this person")] = None,
    assigned_to: Annotated[
        str | None, typer.Option("--assigned-to", help="Only turns assigned to this person")
    ] = None,
    only_open: Annotated[bool, typer.Option("--open", help="Only open assignments and decisions")] = False,
    withdrawn: Annotated[bool, typer.Option("--withdrawn", help="Include withdrawn reviews")] = False,
    as_json: JsonOption = False,
) -> None:
    """List current reviews."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        found = reviews(
            opened,
            within(opened),
            aspects=aspect or (),
            by=by,
            assigned_to=assigned_to,
            only_open=only_open,
            withdrawn=withdrawn,
        )
        names = session_names(opened, {each.session_id for each in found})
    if as_json:
        print_json([asdict(each) | {"session": names[each.session_id]} for each in found])
    elif found:
        console.print(_sheet(found, names))
    else:
        print_text("Nothing was said of any turn that this picks.")


@app.command("add")
def add(
    turn: Annotated[str, typer.Argument(metavar="SESSION#TURN", help="Turn, such as retry-backoff#3")],
    ledger: LedgerOption = None,
    *,
    by: ByOption = None,
    verdict: Annotated[
        Judgement | None, typer.Option("--verdict", help="Whether the reading is right")
    ] = None,
    label: Annotated[str | None, typer.Option("--label", help="Label for the turn")] = None,
    comment: Annotated[str | None, typer.Option("--comment", help="Comment")] = None,
    assign: Annotated[str | None, typer.Option("--assign", help="Person to assign the turn to")] = None,
    decision: Annotated[str | None, typer.Option("--decision", help="Decision about the turn")] = None,
    span: Annotated[
        tuple[int, int] | None,
        typer.Option("--span", metavar="START END", help="Characters that it is about, in code points"),
    ] = None,
    run: Annotated[str | None, typer.Option("--run", help="Run whose reading it is about")] = None,
) -> None:
    """Add a verdict, label, comment, assignment or decision to a turn."""
    session, index = turn_named(turn)
    with open_ledger(existing(ledger)) as opened:
        said = review(
            opened,
            session,
            index,
            by=by or getpass.getuser(),
            verdict=verdict,
            label=label,
            comment=comment,
            assign=assign,
            decision=decision,
            span=span,
            run=run,
        )
    console.print(plain(f"{said.aspect} {said.step} by {said.changed_by}: {said.review_id}"))


@app.command("change")
def change_review(
    review_id: IdArgument,
    value: Annotated[str, typer.Argument(help="New value")],
    ledger: LedgerOption = None,
    by: ByOption = None,
) -> None:
    """Change a review; the record keeps the earlier value."""
    with open_ledger(existing(ledger)) as opened:
        _print_changed(change(opened, review_id, value, by=by or getpass.getuser()))


@app.command("withdraw")
def withdraw_review(review_id: IdArgument, ledger: LedgerOption = None, by: ByOption = None) -> None:
    """Withdraw a review; the record keeps it."""
    with open_ledger(existing(ledger)) as opened:
        _print_changed(withdraw(opened, review_id, by=by or getpass.getuser()))


@app.command("done")
def settle_review(review_id: IdArgument, ledger: LedgerOption = None, by: ByOption = None) -> None:
    """Mark an assignment or a decision as done."""
    with open_ledger(existing(ledger)) as opened:
        _print_changed(settle(opened, review_id, by=by or getpass.getuser()))


@app.command("agreement")
@filtered(lists=True)
def show_agreement(
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    as_json: JsonOption = False,
) -> None:
    """Print how well reviewers agree, beyond chance."""
    with open_ledger(existing(ledger), read_only=True) as opened:
        found = reviewer_agreement(opened, within(opened))
    if as_json:
        print_json(_as_value(found))
    else:
        _print(found)


def _print_changed(said: Review) -> None:
    console.print(plain(f"{said.aspect} {said.step} by {said.changed_by}: {shortened(said.value)}"))


def _sheet(found: list[Review], names: Mapping[str, str]) -> Sheet:
    sheet = Sheet("id", "changed (UTC)", "turn", "by", "what", "state", "says", "of")
    for each in found:
        sheet.add_row(
            each.review_id,
            f"{each.changed_at:%Y-%m-%d %H:%M}",
            plain(f"{names[each.session_id]}#{each.turn_index}"),
            plain(each.reviewer),
            str(each.aspect),
            str(each.step) + (", of an earlier state" if each.is_of_earlier_state else ""),
            plain(shortened(each.value)),
            plain(shortened(each.quote)),
        )
    return sheet


def _print(found: ReviewerAgreement) -> None:
    if not found.readings:
        said = ", ".join(f"{name} {count:,}" for name, count in found.by_reviewer.items())
        console.print(plain(f"No reading was judged by two people yet. Judged so far: {said or 'nothing'}."))
        return
    console.print(
        f"all say the same of {shown_rate(found.rate)} ({found.rate.successes:,} of {found.rate.count:,} readings)"
    )
    for coefficient in (found.coefficient, found.fleiss):
        if coefficient is not None:
            console.print(f"{coefficient.name} {coefficient}")
    sheet = Sheet("one", "other", "readings", "the same", "Cohen's kappa")
    for pair in found.pairs:
        sheet.add_row(
            plain(pair.one), plain(pair.other), f"{pair.rate.count:,}", shown_rate(pair.rate), str(pair.kappa)
        )
    console.print(sheet)


def _as_value(found: ReviewerAgreement) -> dict[str, object]:
    return {
        "by_reviewer": found.by_reviewer,
        "rate": rate_value(found.rate),
        "coefficients": [
            _coefficient(each) for each in (found.coefficient, found.fleiss) if each is not None
        ],
        "pairs": [
            {
                "one": pair.one,
                "other": pair.other,
                "rate": rate_value(pair.rate),
                "kappa": _coefficient(pair.kappa),
                "counts": [
                    {"one": one, "other": other, "readings": count}
                    for (one, other), count in pair.counts.items()
                ],
            }
            for pair in found.pairs
        ],
    }


def _coefficient(found: Coefficient) -> dict[str, object]:
    return {"name": found.name, "value": found.value, "interval": found.interval}
