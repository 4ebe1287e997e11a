"""Comparisons at a glance: each rate of both sides with its count, the test, and nothing that others wrote as markup."""

import pytest

import actionledger as al
from actionledger.runtime.models import ScriptedModel

CALL = al.render([("list_tasks", {})], "actions")
HOSTILE = "<b>a</b>"


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    """Two models over the same task."""
    with al.open_ledger(tmp_path_factory.mktemp("compared") / "team.duckdb") as opened:
        for model, text in ((HOSTILE, CALL), ("b", CALL.replace("{", "(", 1))):
            with al.Runtime("assistant", ledger=opened, model=model, task="list") as runtime:
                runtime.handle(text)
        yield opened


def test_two_sets_are_shown_with_both_rates_and_the_tasks(ledger):
    """As text and as a table; what has no interval says why."""
    found = al.compare(ledger, al.Filter(models=(HOSTILE,)), al.Filter(models=("b",)))
    assert str(found.measures[0].before) in found._repr_html_()
    for shown in (str(found), found._repr_html_()):
        assert "parse success" in shown
        assert "too few sessions" in shown
        assert "over the 1 task that both were given: parse success -100.0% (too few tasks), p = 1" in shown


def test_two_runs_are_shown_with_what_changed(ledger):
    """Each bucket with its count, and the test over sessions."""
    found = al.compare(ledger, None, al.reparse(ledger, parser="gembrain-standard").run_id)
    assert str(found).startswith("2 turns that both have read: 2 same;")
    assert "<td>same</td>" in found._repr_html_()


def test_an_experiment_is_shown_with_each_variant(ledger):
    """Its name is whatever somebody has given it."""
    variant = al.Variant(name=HOSTILE, profile="assistant", model=lambda task: ScriptedModel([CALL, "Done."]))
    shown = al.experiment(ledger, "<i>w", [variant], {"a": "Do."})._repr_html_()
    assert "&lt;b&gt;a&lt;/b&gt;" in shown
    assert "<b>a</b>" not in shown
    assert "<i>w" not in shown
    assert "100.0% too few sessions (1/1 in 1 session)" in shown
