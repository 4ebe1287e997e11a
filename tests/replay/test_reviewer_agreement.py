"""How far reviewers agree: from what they said to a rate and a coefficient."""

from collections.abc import Iterator
from itertools import product

import pytest

import actionledger as al

SAID = {
    "ann": "rrrwwwrrwu",
    "bob": "rrwwwrrrwu",
    "cem": "rrrww.....",
}
WORDS = {"r": "right", "w": "wrong", "u": "unsure"}


@pytest.fixture(scope="module")
def ledger(tmp_path_factory) -> Iterator[al.Ledger]:
    """Ten sessions of a turn, judged by two people, half of them also by a third."""
    path = tmp_path_factory.mktemp("judged") / "team.duckdb"
    with al.open_ledger(path, in_background=False) as opened:
        for number in range(10):
            opened.record_turn(f"s{number}", "Well.", profile="mint", model="old" if number < 5 else "new")
        for (name, said), number in product(SAID.items(), range(10)):
            if said[number] != ".":
                al.review(opened, f"s{number}", 0, by=name, verdict=WORDS[said[number]])
        yield opened


def test_more_than_two_have_alpha_and_each_pair_its_kappa(ledger) -> None:
    """Counted by hand: all alike on eight of ten; ann and bob on eight, ann and cem on five of five."""
    found = al.reviewer_agreement(ledger)
    assert found.by_reviewer == {"ann": 10, "bob": 10, "cem": 5}
    assert (found.readings, found.rate.successes, found.rate.count) == (10, 8, 10)
    assert found.coefficient.name == "Krippendorff's alpha"
    assert found.fleiss is None
    by_pair = {(pair.one, pair.other): pair for pair in found.pairs}
    assert {two: (pair.rate.successes, pair.rate.count) for two, pair in by_pair.items()} == {
        ("ann", "bob"): (8, 10),
        ("ann", "cem"): (5, 5),
        ("bob", "cem"): (4, 5),
    }
    # ann: 5 right, 4 wrong, 1 unsure; bob the same: 0.42 by chance
    assert by_pair["ann", "bob"].kappa.value == pytest.approx((0.8 - 0.42) / 0.58)
    assert by_pair["ann", "cem"].kappa.value == 1
    assert by_pair["ann", "bob"].counts == {
        ("right", "right"): 4,
        ("right", "wrong"): 1,
        ("unsure", "unsure"): 1,
        ("wrong", "right"): 1,
        ("wrong", "wrong"): 3,
    }


def test_two_have_cohens_kappa_and_three_of_everything_fleiss_too(ledger) -> None:
    """Of the newer model only two have judged; of the older one all three have judged all."""
    newer = al.reviewer_agreement(ledger, al.Filter(models=("new",)))
    assert (newer.coefficient.name, newer.readings, newer.rate.successes) == ("Cohen's kappa", 5, 4)
    older = al.reviewer_agreement(ledger, al.Filter(models=("old",)))
    assert (older.coefficient.name, older.fleiss.name) == ("Krippendorff's alpha", "Fleiss' kappa")
    # five things of three: four alike, one of 1/3; eight right and seven wrong of fifteen
    expected = (8 / 15) ** 2 + (7 / 15) ** 2
    assert older.fleiss.value == pytest.approx(((4 + 1 / 3) / 5 - expected) / (1 - expected))


def test_without_two_there_is_nothing_to_agree_on(tmp_path) -> None:
    """One person's judgements are counted, and no coefficient is made of them."""
    with al.open_ledger(tmp_path / "team.duckdb") as ledger:
        ledger.record_turn("s", "Well.", profile="mint")
        al.review(ledger, "s", 0, by="ann", verdict="wrong")
        found = al.reviewer_agreement(ledger)
    assert (found.by_reviewer, found.readings, found.coefficient.value, found.pairs) == (
        {"ann": 1},
        0,
        None,
        (),
    )
