"""What failures cost, counted once more without SQL."""

from collections import Counter, defaultdict

import pytest

import actionledger as al
from actionledger.core.recordings import Usage
from actionledger.core.vocabulary import Capture, LeftOutReason, Origin, Reason, Relation
from actionledger.ledger import queries

FAILURES = {
    "a": ("Exit code 1", Reason.COMMAND_FAILED),
    "b": ("String to replace not found in file.", Reason.NO_MATCH),
    "c": ("fine", None),
}


@pytest.fixture
def recorded(tmp_path):
    """Forty turns of five sessions with up to three calls each; a third fails, and every second turn has no tokens."""
    sessions = []
    for number in range(5):
        turns = []
        for index in range(8):
            kinds = [("a", "b", "c")[(number + index + place) % 3] for place in range(1 + index % 3)]
            names = [f"{number}-{index}-{place}" for place in range(len(kinds))]
            calls = tuple(al.RecordedCall(name, "edit", '{"n": 1}') for name in names)
            results = tuple(
                al.RecordedResult(name, FAILURES[kind][0], is_error=kind != "c")
                for name, kind in zip(names, kinds, strict=True)
            )
            usage = Usage() if index % 2 else Usage(input_tokens=100 + index, output_tokens=7, cost_usd=0.5)
            turns.append(
                al.RecordedTurn(
                    index,
                    "x",
                    external_id=f"m{number}-{index}",
                    capture=Capture.ARGUMENTS,
                    calls=calls,
                    results=results,
                    usage=usage,
                )
            )
        sessions.append(al.RecordedSession(f"s{number}", None, "m", "", tuple(turns)))
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, sessions)
        yield ledger, sessions


def test_tokens_and_money_are_those_of_the_turns_with_the_reason(recorded):
    """Each turn once for a reason, however often it has it, and once in all together; counted from what was given."""
    ledger, sessions = recorded
    times, turns = Counter(), defaultdict(dict)
    for session in sessions:
        for turn in session.turns:
            for result in turn.results:
                for key in (FAILURES_BY_TEXT[result.output], "all") if result.is_error else ():
                    times[key] += 1
                    turns[key][session.external_id, turn.index] = turn.usage
    found = {cost.code or "all": cost for cost in queries.failure_costs(ledger)}
    assert set(found) == set(times) == {"all", Reason.COMMAND_FAILED, Reason.NO_MATCH}
    for key, cost in found.items():
        known = [usage for usage in turns[key].values() if usage.input_tokens is not None]
        assert (cost.count, cost.turns) == (times[key], len(turns[key]))
        assert cost.counted == cost.priced == len(known) < cost.turns
        assert cost.input_tokens == sum(usage.input_tokens for usage in known)
        assert cost.output_tokens == sum(usage.output_tokens for usage in known)
        assert cost.cost_usd == sum(usage.cost_usd for usage in known)
        assert cost.sessions == len({session for session, _ in turns[key]})
    assert found["all"].turns < found[Reason.COMMAND_FAILED].turns + found[Reason.NO_MATCH].turns


FAILURES_BY_TEXT = dict(FAILURES.values())


def test_they_are_as_many_as_the_reasons_say(recorded):
    """Two ways to look at the same failures."""
    ledger, _ = recorded
    by_code = Counter()
    for failure in queries.reasons(ledger):
        by_code[failure.stage, failure.code, failure.origin] += failure.count
    _, *costs = queries.failure_costs(ledger)
    assert by_code == {(cost.stage, cost.code, cost.origin): cost.count for cost in costs}


def test_a_reason_opens_as_many_turns_as_it_is_counted_in(recorded):
    """What stands in the table is what its link shows; no turn is of ours."""
    ledger, _ = recorded
    _, *costs = queries.failure_costs(ledger)
    for cost in costs:
        mark = queries.Mark(stage=cost.stage, code=cost.code, origin=cost.origin)
        assert (
            queries.count_turns_behind(ledger, mark=mark)
            == cost.turns
            == len(queries.turns_behind(ledger, mark=mark))
        )
    assert queries.count_turns_behind(ledger, mark=queries.Mark(origin=Origin.RUNTIME)) == 0
    assert queries.count_turns_behind(ledger, mark=queries.Mark(origin=Origin.RECORDED)) == 40


def test_the_small_world_has_no_tokens(world):
    """What nobody recorded is no nought: none of the turns is counted."""
    whole, *costs = queries.failure_costs(world)
    assert (whole.stage, whole.counted, whole.priced) == (None, 0, 0)
    assert whole.count == sum(cost.count for cost in costs) == 9


def test_captures_are_of_what_meant_to_act(tmp_path):
    """A response without a call is in none of them."""
    call = al.RecordedCall("c", "edit", {"n": 1})
    turns = (
        al.RecordedTurn(0, "", capture=Capture.CALLS, calls=(call,)),
        al.RecordedTurn(1, "Done.", capture=Capture.ARGUMENTS),
    )
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, [al.RecordedSession("s", None, "m", "", turns)])
        assert queries.funnel(ledger).captures == {Capture.CALLS: 1}
        assert queries.sessions(ledger)[0].captures == (Capture.CALLS,)


def family(*pairs):
    return [
        al.RecordedSession(
            name, None, "m", "", (), parent=parent, relation=Relation.SUBAGENT if parent else None
        )
        for name, parent in pairs
    ]


def test_a_family_stands_together_in_any_order_and_on_any_page(tmp_path):
    """Each once, a child right under its parent, a grandchild under that; circles and missing parents hide nobody."""
    pairs = [
        ("a", ""),
        ("a1", "a"),
        ("a11", "a1"),
        ("b", ""),
        ("b1", "b"),
        ("lost", "gone"),
        ("x", "y"),
        ("y", "x"),
    ]
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, family(*pairs))
        for order in ("newest", "oldest", "longest", "worst"):
            found = queries.sessions(ledger, order=order)
            names = [row.external_id for row in found]
            assert sorted(names) == sorted(name for name, _ in pairs)
            assert names[names.index("a") :][:3] == ["a", "a1", "a11"]
            assert names[names.index("b") :][:2] == ["b", "b1"]
            depths = {row.external_id: row.depth for row in found}
            assert depths == {"a": 0, "a1": 1, "a11": 2, "b": 0, "b1": 1, "lost": 0, "x": 0, "y": 0}
            paged = [queries.sessions(ledger, order=order, limit=3, offset=at) for at in (0, 3, 6)]
            assert [row.external_id for page in paged for row in page] == names


def test_what_was_refused_stands_once_with_the_import_that_said_it_first(tmp_path):
    """However often it is read; a turn that comes with another text is among it."""
    lines = tmp_path / "log.jsonl"
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        assert (queries.count_refused(ledger), queries.refused(ledger)) == (0, [])
        for text in ("One.", "Two."):
            lines.write_text(f'{{"session": "s", "text": "{text}"}}\nno line\n', encoding="utf-8")
            al.import_path(lines, ledger)
        found = queries.refused(ledger)
        assert [each.code for each in found] == ["turn_differs", "line_refused"]
        assert found[1].message.startswith(f"{lines}:2: The line is not JSON")
        assert queries.count_refused(ledger) == 2
        assert queries.refused(ledger, limit=1, offset=1) == found[1:]


def test_what_was_left_out_is_counted_by_its_import(tmp_path):
    """Both ways to look have the same sum; a file that grew stands under the import that saw it last."""
    with al.open_ledger(tmp_path / "l.duckdb") as ledger:
        al.import_sessions(ledger, [al.LeftOut("f", LeftOutReason.EMPTY, "", 2)], origin="first")
        session = al.RecordedSession("s", None, "m", "", (al.RecordedTurn(0, "x"),))
        grown = [
            session,
            al.LeftOut("f", LeftOutReason.EMPTY, "", 5),
            al.LeftOut("g", LeftOutReason.DUPLICATE, "d"),
        ]
        al.import_sessions(ledger, grown, origin="second")
        found = queries.left_out_by_import(ledger)
        assert {(each.origin, each.reason, each.count, each.files) for each in found} == {
            ("second", LeftOutReason.EMPTY, 5, 1),
            ("second", LeftOutReason.DUPLICATE, 1, 1),
        }
        assert sum(each.count for each in found) == sum(each.count for each in queries.left_out(ledger))
