"""What recordings say of their own sessions, beside what is read here; and that no list ranks models by a parse rate."""

import pytest

import actionledger as al
from actionledger.core.rates import Rate
from actionledger.ledger import queries
from actionledger.ledger.queries.filters import Filter

TAGS, PROSE = "<execute>1 + 1</execute>", "I can't."


def session(name: str, model: str, texts: tuple[str, ...], success: bool | None, **metadata: object):
    """Return a recorded session of MINT's profile."""
    turns = tuple(al.RecordedTurn(index, text) for index, text in enumerate(texts))
    return al.RecordedSession(name, "mint", model, "", turns, success=success, metadata=metadata)


@pytest.fixture
def ledger(tmp_path):
    """Two models: the one that is parsed more often succeeds less often."""
    with al.open_ledger(tmp_path / "l.duckdb") as opened:
        al.import_sessions(
            opened,
            [
                session("a", "neat", (TAGS, TAGS), False, harness={"took": 2, "missed": 0}),
                session("b", "neat", (TAGS,), False, harness={"took": 1, "missed": 0}),
                session("c", "free", (PROSE, PROSE, TAGS), True, harness={"took": 2, "missed": 1}),
                session(
                    "d",
                    "free",
                    (PROSE,),
                    True,
                    counts={"propose_solution": 0, "use_tool": 1, "invalid_action": 0},
                ),
                session("e", "free", (PROSE,), None, harness={"took": -1, "missed": "?"}),
                session("f", "other", (TAGS,), None),
            ],
        )
        yield opened


def test_each_session_that_says_something_is_a_row(ledger):
    """Its verdict, and what its harness counted, also where an older import has it elsewhere; what is no count is not taken for one."""
    rows = "SELECT model, success, took, counted FROM recorded_verdicts ORDER BY model, success, took"
    assert ledger.sql(rows).fetchall() == [
        ("free", True, 1, 1),
        ("free", True, 2, 3),
        ("neat", False, 1, 1),
        ("neat", False, 2, 2),
    ]


def test_both_are_rates_by_model(ledger):
    """Of sessions, and of responses in their sessions; a model of which nothing is said is not there."""
    found = {each.label: each for each in queries.recorded_verdicts(ledger, "model")}
    assert set(found) == {"free", "neat"}
    assert (found["free"].succeeded, found["free"].took) == (Rate(2, 2), Rate(3, 4))
    assert (found["neat"].succeeded, found["neat"].took) == (Rate(0, 2), Rate(3, 3))
    assert found["free"].took.clustering.sessions == 2
    [whole] = queries.recorded_verdicts(ledger, within=Filter(models=("free",)))
    assert (whole.label, whole.succeeded, whole.took) == ("", Rate(2, 2), Rate(3, 4))
    assert queries.recorded_verdicts(ledger, "model", Filter(models=("other",))) == []


def test_a_comparison_of_models_has_them_beside_our_rates(ledger):
    """The one that is read less often has succeeded more often."""
    found = al.compare(ledger, Filter(models=("neat",)), Filter(models=("free",)))
    measures = {each.name: (each.before, each.after) for each in found.measures}
    assert measures["parse_success"] == (Rate(3, 3), Rate(1, 5))
    assert measures["recorded_success"] == (Rate(0, 2), Rate(2, 2))
    assert measures["harness_took"] == (Rate(3, 3), Rate(3, 4))
    assert "recorded success" in str(found)
    pytest.importorskip("altair")
    assert al.charts.compared(found, "neat", "free").to_dict()


def test_models_are_not_ranked_by_a_parse_rate(ledger):
    """They stand by how many responses they have, in every list; other dimensions by the rate."""
    assert [name for name, _ in queries.funnel_by(ledger, "model")] == ["free", "neat", "other"]
    pytest.importorskip("altair")
    by_model = al.charts.groups(ledger, by="model").to_dict()
    [rows] = [rows for rows in by_model["datasets"].values() if len(rows) == 3]
    assert [(row["name"], row["share"]) for row in rows] == [("free", 0.2), ("neat", 1.0), ("other", 1.0)]
