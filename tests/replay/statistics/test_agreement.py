"""Agreement beyond chance: by hand, beside statsmodels, and from the papers' own tables."""

from collections import Counter
from importlib import import_module
from types import ModuleType

import numpy as np
import pytest

from actionledger.replay.statistics import JudgedItem, cohen_kappa, fleiss_kappa, krippendorff_alpha

VALUES = ("right", "wrong", "unsure")


@pytest.fixture(scope="module")
def inter_rater() -> ModuleType:
    """What statsmodels has for it; to load that takes longer than all tests here."""
    return import_module("statsmodels.stats.inter_rater")


def drawn(count: int, people: int, seed: int, *, per_session: int = 1) -> list[JudgedItem]:
    """Return things that people mostly judge alike."""
    chance = np.random.default_rng(seed)
    things = []
    for number in range(count):
        truth = chance.choice(VALUES, p=[0.6, 0.3, 0.1])
        said = {
            f"p{person}": str(truth if chance.random() < 0.8 else chance.choice(VALUES))
            for person in range(people)
        }
        things.append(JudgedItem(f"s{number // per_session}", said))
    return things


def table(things: list[JudgedItem]) -> np.ndarray:
    counts = Counter((thing.judgements["p0"], thing.judgements["p1"]) for thing in things)
    return np.array([[counts[one, other] for other in VALUES] for one in VALUES])


def test_kappa_by_hand() -> None:
    """Of ten, seven alike: 0.7 seen; by the margins 6·5 + 4·5 of a hundred, 0.5, expected: 0.2 / 0.5."""
    pairs = (
        [("right", "right")] * 4 + [("wrong", "wrong")] * 3 + [("right", "wrong")] * 2 + [("wrong", "right")]
    )
    things = [JudgedItem(f"s{n}", {"a": one, "b": other}) for n, (one, other) in enumerate(pairs)]
    assert cohen_kappa(things, "a", "b").value == pytest.approx((0.7 - 0.5) / 0.5)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_cohens_is_statsmodels(inter_rater: ModuleType, seed: int) -> None:
    """Three values, a hundred things, whichever of the two is named first."""
    things = drawn(100, 2, seed)
    expected = inter_rater.cohens_kappa(table(things)).kappa
    assert cohen_kappa(things, "p0", "p1").value == pytest.approx(expected, abs=1e-12)
    assert cohen_kappa(things, "p1", "p0").value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("people", [2, 3, 5])
def test_fleiss_is_statsmodels(inter_rater: ModuleType, people: int) -> None:
    things = drawn(60, people, people)
    counts = [[list(thing.judgements.values()).count(value) for value in VALUES] for thing in things]
    assert fleiss_kappa(things).value == pytest.approx(inter_rater.fleiss_kappa(np.array(counts)), abs=1e-12)


def test_fleiss_needs_as_many_judgements_of_each() -> None:
    """A mean over unequal numbers would be another coefficient."""
    with pytest.raises(ValueError, match="as many judgements"):
        fleiss_kappa([JudgedItem("s", {"a": "x", "b": "x"}), JudgedItem("s", {"a": "x", "b": "x", "c": "x"})])


def test_alpha_is_the_papers() -> None:
    """Krippendorff (2011): two observers of ten units, 0.095; four of twelve with gaps, 0.743 for nominal data."""
    two = ["0100000010", "1110010000"]
    four = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
    assert krippendorff_alpha(units(two)).value == pytest.approx(0.095, abs=5e-4)
    assert krippendorff_alpha(units(four)).value == pytest.approx(0.743, abs=5e-4)


def units(observers: list[str]) -> list[JudgedItem]:
    """Return what observers noted of each unit, ``.`` for nothing."""
    return [
        JudgedItem(
            f"s{number}",
            {f"o{which}": noted[number] for which, noted in enumerate(observers) if noted[number] != "."},
        )
        for number in range(len(observers[0]))
    ]


def test_what_one_alone_has_judged_says_nothing() -> None:
    things = drawn(40, 2, 7)
    more = [*things, *(JudgedItem("x", {"p0": "right"}) for _ in range(30))]
    assert cohen_kappa(more, "p0", "p1").value == cohen_kappa(things, "p0", "p1").value
    assert krippendorff_alpha(more).value == krippendorff_alpha(things).value


@pytest.mark.parametrize("said", [["right"] * 20, []])
def test_where_all_is_judged_alike_nothing_can_be_told(said: list[str]) -> None:
    """Chance alone would have it so, and there is no coefficient of nothing."""
    things = [JudgedItem(f"s{n}", {"a": value, "b": value}) for n, value in enumerate(said)]
    for found in (cohen_kappa(things, "a", "b"), krippendorff_alpha(things), fleiss_kappa(things)):
        assert (found.value, found.interval) == (None, None)


def test_one_without_a_difference_has_no_interval() -> None:
    """Sessions drawn anew from perfect agreement agree perfectly: that would be an interval of no width."""
    things = [
        JudgedItem(f"s{n}", {"a": value, "b": value}) for n, value in enumerate(["right", "wrong"] * 20)
    ]
    assert (cohen_kappa(things, "a", "b").value, cohen_kappa(things, "a", "b").interval) == (1, None)


def test_few_sessions_have_no_interval() -> None:
    """A hundred things of three sessions say little of a fourth."""
    assert cohen_kappa(drawn(99, 2, 3, per_session=33), "p0", "p1").interval is None


def test_the_interval_of_things_on_their_own_is_nearly_the_asymptotic_one(inter_rater: ModuleType) -> None:
    """Where each session has one thing, drawing sessions is drawing things, as statsmodels' formula has it."""
    things = drawn(400, 2, 5)
    expected = inter_rater.cohens_kappa(table(things))
    low, high = cohen_kappa(things, "p0", "p1").interval or (0.0, 0.0)
    width = expected.kappa_upp - expected.kappa_low
    assert low == pytest.approx(expected.kappa_low, abs=width / 8)
    assert high == pytest.approx(expected.kappa_upp, abs=width / 8)


def test_alike_things_of_a_session_widen_the_interval() -> None:
    """Each thing ten times over in its session says no more than once."""
    once = drawn(100, 2, 11)
    tenfold = [JudgedItem(thing.session, thing.judgements) for thing in once for _ in range(10)]
    assert cohen_kappa(tenfold, "p0", "p1").interval == cohen_kappa(once, "p0", "p1").interval
