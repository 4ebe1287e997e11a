"""How far reviewers agree on what was read rightly."""

import streamlit as st

from actionledger.ledger.queries import Filter
from actionledger.replay.reviewer_agreement import ReviewerAgreement, reviewer_agreement
from actionledger.replay.statistics import Coefficient
from actionledger_dashboard.components import tables
from actionledger_dashboard.components.tables import Column
from actionledger_dashboard.components.visible import visible
from actionledger_dashboard.components.wording import out_of, share
from actionledger_dashboard.data import ask


def show_agreement(within: Filter) -> None:
    """Show how far people agree."""
    found = ask(reviewer_agreement, within)
    st.subheader(
        "Do we agree?",
        help="On whether what was read is right, of readings that two people or more have judged. Kappa and alpha are what is "
        "left of that beyond chance; their intervals take a session for one cluster.",
        anchor=False,
    )
    judged = ", ".join(f"{visible(name)} {count:,}" for name, count in found.by_reviewer.items())
    st.text(f"Judged so far: {judged or 'nothing'}.")
    if not found.readings:
        st.info(
            "No reading has been judged by two people yet: 'turns' has a queue of those judged by others, not by you."
        )
        return
    st.text(
        f"All agree on {share(found.rate)} of the readings that two or more have judged: {out_of(found.rate)}."
    )
    _show_coefficients(found)
    _show_pairs(found)


def _show_coefficients(found: ReviewerAgreement) -> None:
    coefficients = [each for each in (found.coefficient, found.fleiss) if each is not None]
    columns = [
        Column("Beyond chance", [each.name for each in coefficients]),
        Column("Value", [_value(each) for each in coefficients]),
        Column("95 % interval", [each.shown_interval or "–" for each in coefficients]),
        Column("What it means", [_meaning(each) for each in coefficients], "long"),
    ]
    tables.show_table("review.coefficients", "agreement beyond chance", columns, None)


def _show_pairs(found: ReviewerAgreement) -> None:
    columns = [
        Column("One", [pair.one for pair in found.pairs]),
        Column("Other", [pair.other for pair in found.pairs]),
        Column("The same", [share(pair.rate) for pair in found.pairs]),
        Column("n, and 95 % interval", [out_of(pair.rate) for pair in found.pairs]),
        Column("Cohen's kappa", [str(pair.kappa) for pair in found.pairs]),
        Column(
            "Where they differ",
            [
                ", ".join(
                    f"{one} / {other} {count:,}"
                    for (one, other), count in pair.counts.items()
                    if one != other
                )
                or "nowhere"
                for pair in found.pairs
            ],
            "long",
        ),
    ]
    tables.show_table("review.pairs", "agreement of each two people", columns, None)


def _value(found: Coefficient) -> str:
    return "can't be told" if found.value is None else f"{found.value:.2f}"


def _meaning(found: Coefficient) -> str:
    if found.value is None:
        return "Everybody judged everything alike: chance would have it so, too."
    return "1 is full agreement, 0 what chance would have, below 0 less than that."
