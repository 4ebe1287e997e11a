"""``reviews``: what people say of turns, and how far they agree."""

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

ByOption = Annotated[str | None, typer.Option("--by", help="Who says it; your login if not given.")]
IdArgument = Annotated[str, typer.Argument(help="The id, as 'reviews list --json' shows it.")]

app = typer.Typer(
    help="Say what is right and wrong about turns, and see what others say.", no_args_is_help=True
)


@app.command("list")
@filtered(lists=True)
def list_reviews(
    ledger: LedgerOption = None,
    *,
    within: Chosen,
    aspect: Annotated[
        list[ReviewAspect] | None,
        typer.Option("--aspect", help="Only such things; more than once for several."),
    ] = None,
    by: Annotated[str | None, typer.Option("--by", help="Only what this person said.")] = None,
    assigned_to: Annotated[
        str | None, typer.Option("--assigned-to", help="Only what is assigned to this person.")
    ] = None,
    only_open: Annotated[
        bool, typer.Option("--open", help="Only assignments and decisions that are not done.")
    ] = False,
    withdrawn: Annotated[bool, typer.Option("--withdrawn", help="Also what was withdrawn.")] = False,
    as_json: JsonOption = False,
) -> None:
    """List what people say of turns, as it stands now."""
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
    turn: Annotated[str, typer.Argument(metavar="SESSION#TURN", help="The turn, such as retry-backoff#3.")],
    ledger: LedgerOption = None,
    *,
    by: ByOption = None,
    verdict: Annotated[
        Judgement | None, typer.Option("--verdict", help="Whether what was read is right.")
    ] = None,
    label: Annotated[str | None, typer.Option("--label", help="A label for the turn.")] = None,
    comment: Annotated[str | None, typer.Option("--comment", help="A comment.")] = None,
    assign: Annotated[str | None, typer.Option("--assign", help="Who is to look at it.")] = None,
    decision: Annotated[
        str | None, typer.Option("--decision", help="What was decided to do about it.")
    ] = None,
    span: Annotated[
        tuple[int, int] | None,
        typer.Option("--span", metavar="START END", help="The stretch that is meant, in code points."),
    ] = None,
    run: Annotated[str | None, typer.Option("--run", help="The run whose reading is judged.")] = None,
) -> None:
    """Say one thing of a turn: a verdict, a label, a comment, an assignment or a decision."""
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
    value: Annotated[str, typer.Argument(help="What is said from now on.")],
    ledger: LedgerOption = None,
    by: ByOption = None,
) -> None:
    """Say something otherwise; what was said before stays in the record."""
    with open_ledger(existing(ledger)) as opened:
        _print_changed(change(opened, review_id, value, by=by or getpass.getuser()))


@app.command("withdraw")
def withdraw_review(review_id: IdArgument, ledger: LedgerOption = None, by: ByOption = None) -> None:
    """Take back what was said; that it was said stays in the record."""
    with open_ledger(existing(ledger)) as opened:
        _print_changed(withdraw(opened, review_id, by=by or getpass.getuser()))


@app.command("done")
def settle_review(review_id: IdArgument, ledger: LedgerOption = None, by: ByOption = None) -> None:
    """Say that an assignment or a decision is done."""
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
    """Print how far people agree on what was read rightly, beyond what chance would have."""
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
