"""The gate: a candidate that is as good passes, one that is worse doesn't, and each condition decides at its own border."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import actionledger as al
from actionledger.core.errors import UnknownNameError, UsageError
from actionledger.core.vocabulary import ActionStatus, Outcome, RepairKind
from actionledger.demo import sample_sessions
from actionledger.ledger.queries.expected import ExpectedAction, ExpectedTurn, compare_readings
from actionledger.reading.parsers import REPAIRS, DialectParser
from actionledger.reading.tolerant_json import DecodeOptions
from actionledger.replay.gate.report import (
    Condition,
    GateReport,
    Requirements,
    WorseTurn,
    acting_needed,
    conditions,
)
from actionledger.replay.paired import with_test
from actionledger.report.gates import gate_junit
from actionledger.report.markdown import MOST_CHARACTERS, code, gate_markdown

ASSISTANT: DialectParser = al.parser("assistant")
WORSE = ASSISTANT.model_copy(
    update={"name": "no-commas", "decoding": DecodeOptions(repairs=REPAIRS - {RepairKind.TRAILING_COMMA})}
)
HOSTILE = "x` `` ``` </code>]]> \x00\x1b[31m\ufffe\ud800 | <b>&amp; @team\n## no"


@pytest.fixture(scope="module")
def ledger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[al.Ledger]:
    """Sample sessions of the assistant, and of others."""
    with al.open_ledger(tmp_path_factory.mktemp("gate") / "team.duckdb") as opened:
        taken = islice(sample_sessions(), 160)
        al.import_sessions(opened, [each for each in taken if each.profile in {"assistant", "reasoner"}])
        yield opened


def texts(ledger: al.Ledger) -> list[tuple[str, str]]:
    found = ledger.sql("SELECT turn_id, text FROM turn_starts WHERE profile = 'assistant'").fetchall()
    return [(str(turn), text) for turn, text in found]


def gate(ledger, candidate, **asked) -> GateReport:
    return al.gate(
        ledger, baseline="first", candidate=candidate, within=al.Filter(profiles=("assistant",)), **asked
    )


def failing(report: GateReport) -> set[str]:
    return {condition.name for condition in report.conditions if not condition.passed}


def test_the_same_parser_passes(ledger):
    """Nothing is lost, refused or read otherwise, and every condition is said, met or not."""
    report = gate(ledger, "assistant", max_changed=0, min_rate=0.5)
    assert report.passed
    assert [condition.name for condition in report.conditions] == [
        "lost",
        "no_longer_intent",
        "newly_rejected",
        "changed",
        "success",
        "not_worse",
        "acting",
        "read_again",
    ]
    assert all(condition.asked and condition.found for condition in report.conditions)
    assert report.comparison.pairs == len(texts(ledger))


def test_a_parser_without_a_repair_does_not_pass(ledger):
    """What it loses is counted once more, by reading each text with both."""

    def is_lost(text):
        was, now = (each.read(text).outcome for each in (ASSISTANT, WORSE))
        return was.has_intent and now.has_intent and was.is_success and not now.is_success

    lost = {turn for turn, text in texts(ledger) if is_lost(text)}
    report = gate(ledger, WORSE)
    assert len(lost) > 3
    assert "lost" in failing(report)
    assert (
        report.conditions[0].value
        == len(lost)
        == len([each for each in report.worse if each.bucket == "lost"])
    )
    assert {turn.turn_id for turn in report.comparison.turns["lost"]} == lost
    assert all("removed" in turn.detail or "rejected" in turn.detail for turn in report.worse[:3])
    assert gate(ledger, WORSE, max_lost=len(lost) - 1).conditions[0].passed is False
    assert gate(ledger, WORSE, max_lost=len(lost)).conditions[0].passed is True


def test_a_parser_that_sees_nothing_does_not_pass(ledger):
    """It loses nothing, since nothing is meant any more."""
    blind = ASSISTANT.model_copy(
        update={"name": "blind", "dialects": al.parser("reasoner").dialects, "evidence": "ignored"}
    )
    report = gate(ledger, blind)
    assert report.comparison.counts["no_longer_intent"] > report.comparison.counts["lost"]
    assert "no_longer_intent" in failing(report)
    assert "no_longer_intent" not in failing(gate(ledger, blind, most={"no_longer_intent": 10_000}))


def test_a_run_is_judged_by_its_name_and_nothing_is_read(ledger):
    """By its id as well; and a run that has read only some turns has not read the others."""
    parser = ASSISTANT.model_copy(update={"name": "named"})
    done = al.reparse(ledger, parser=parser, within=al.Filter(profiles=("assistant",)))
    runs = len(ledger.sql("FROM runs"))
    for candidate in ("reparse named", done.run_id):
        assert gate(ledger, candidate).passed
    whole = al.gate(ledger, baseline="first", candidate=done.run_id)
    everything = ledger.sql("SELECT count(*) FROM turn_starts").fetchone()[0]
    assert failing(whole) == {"read_again"}
    assert whole.conditions[-1].value == everything - done.turns
    assert al.gate(ledger, baseline="first", candidate=done.run_id, allow_missing=True).passed
    assert len(ledger.sql("FROM runs")) == runs


def test_a_run_is_a_baseline(ledger):
    """What is worse than the first readings may be as good as another run."""
    done = al.reparse(ledger, parser=WORSE, within=al.Filter(profiles=("assistant",)))
    report = al.gate(
        ledger,
        baseline=done.run_id,
        candidate=WORSE,
        within=al.Filter(profiles=("assistant",)),
        max_changed=0,
    )
    assert report.passed
    better = al.gate(
        ledger, baseline=done.run_id, candidate="assistant", within=al.Filter(profiles=("assistant",))
    )
    assert better.comparison.counts["recovered"] == gate(ledger, WORSE).comparison.counts["lost"]
    assert better.passed


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"candidate": "asistant"}, UsageError, "There is no parser 'asistant'. Did you mean 'assistant'"),
        ({"baseline": "nothing"}, UsageError, "There is no run 'nothing'"),
        ({"most": {"gained": 1}}, UnknownNameError, "There is no bucket 'gained'"),
        ({"most": {"same": 1}}, UnknownNameError, "There is no bucket 'same'"),
        ({"max_lost": -1}, UsageError, "give 0 or more"),
        ({"min_rate": 99}, UsageError, "min_rate is 99; give a share from 0 to 1"),
        ({"within": al.Filter(profiles=("nobody",))}, UsageError, "No recorded turn fits"),
    ],
)
def test_what_can_not_be_asked_is_refused(ledger, asked, error, says):
    with pytest.raises(error, match=re.escape(says)):
        al.gate(ledger, **({"baseline": "first", "candidate": "assistant"} | asked))


# Conditions, each alone at its border: readings made by hand.

CALL = ExpectedAction("list_tasks", ActionStatus.VALID, "0" * 64)
REFUSED = ExpectedAction("list_tasks", ActionStatus.INVALID, "0" * 64)
OTHER = ExpectedAction("list_tasks", ActionStatus.VALID, "1" * 64)
NAMED = ExpectedAction("list_goals", ActionStatus.VALID, "0" * 64)


def reading(session: int, index: int, outcome=Outcome.CLEAN, actions=(CALL,)) -> ExpectedTurn:
    return ExpectedTurn(f"s{session}", index, "assistant", "m", "0" * 64, None, outcome, actions)


LOST = (Outcome.FAILED, ())
TURNS = [(session, index) for session in range(20) for index in range(5)]
BEFORE = [reading(*place) for place in TURNS]


def found(changed: dict[int, tuple], before=BEFORE, **asked) -> dict[str, Condition]:
    after = [reading(*place, *changed[at]) if at in changed else before[at] for at, place in enumerate(TURNS)]
    most = asked.pop("most", {})
    return {
        each.name: each
        for each in conditions(with_test(compare_readings(before, after)), Requirements(most=most, **asked))
    }


@pytest.mark.parametrize(
    ("bucket", "change"),
    [
        ("lost", LOST),
        ("no_longer_intent", (Outcome.NO_ACTION, ())),
        ("newly_rejected", (Outcome.CLEAN, (REFUSED,))),
        ("changed_arguments", (Outcome.CLEAN, (OTHER,))),
        ("changed_actions", (Outcome.CLEAN, (NAMED,))),
    ],
)
def test_a_bucket_may_have_so_many_and_not_one_more(bucket, change):
    """Three turns under a limit of three, and of two."""
    three = dict.fromkeys((0, 40, 80), change)
    assert found(three, most={bucket: 3})[bucket].passed
    condition = found(three, most={bucket: 2})[bucket]
    assert (condition.passed, condition.value, condition.limit, condition.found) == (False, 3, 2, "3 of 100")


def test_changes_of_both_kinds_count_together():
    """Two with other arguments and one with another name."""
    three = {0: (Outcome.CLEAN, (OTHER,)), 5: (Outcome.CLEAN, (OTHER,)), 9: (Outcome.CLEAN, (NAMED,))}
    assert found(three, max_changed=3)["changed"].passed
    assert not found(three, max_changed=2)["changed"].passed
    assert "changed" not in found(three)


def test_the_lower_end_of_the_interval_over_sessions_decides():
    """One session loses all its turns: the share is 95 %, the plain interval ends above the one that takes sessions together."""
    whole_session = dict.fromkeys(range(5), LOST)
    rate = al.Rate(95, 100)
    low = found(whole_session, min_rate=0)["success"].value
    assert low < rate.interval[0] - 0.01 < rate.value
    assert found(whole_session, min_rate=low)["success"].passed
    assert not found(whole_session, min_rate=low + 1e-9)["success"].passed
    assert not found(whole_session, min_rate=rate.interval[0])["success"].passed


def few(count: int) -> tuple[list[ExpectedTurn], list[ExpectedTurn]]:
    before = [reading(0, index) for index in range(count)]
    return before, [reading(0, 0, *LOST), *before[1:]]


def test_too_few_sessions_do_not_pass_unless_that_is_allowed():
    """However good the share is; it is said, and with the word it is the share that counts."""
    compared = with_test(compare_readings(*few(100)))
    [success, worse, acting] = conditions(compared, Requirements(most={}, min_rate=0.9))
    assert (success.passed, worse.passed, acting.passed) == (False, False, True)
    assert (success.lacks_evidence, worse.lacks_evidence) == (True, False)
    assert "too few sessions" in success.found
    assert "too few sessions" in worse.found
    [success, worse, _] = conditions(compared, Requirements(most={}, min_rate=0.99, allow_few=True))
    assert (success.passed, success.value, worse.passed) == (True, 0.99, True)
    assert not next(conditions(compared, Requirements(most={}, min_rate=0.991, allow_few=True))).passed
    same = with_test(compare_readings(few(3)[0], few(3)[0]))
    assert next(
        conditions(same, Requirements(most={}))
    ).passed  # nothing is lost: there is no loss to tell from chance


def test_a_loss_counts_where_chance_makes_it_less_often():
    """Five sessions lose a turn each and six do: two sided, 2 / 2^5 and 2 / 2^6."""
    five, six = ({5 * session: LOST for session in range(count)} for count in (5, 6))
    assert found(five)["not_worse"].value == pytest.approx(2 / 2**5)
    assert found(six)["not_worse"].value == pytest.approx(2 / 2**6)
    assert found(five)["not_worse"].passed
    assert not found(six)["not_worse"].passed
    assert found(six, alpha=0.03)["not_worse"].passed
    assert "not_worse" not in found(six, alpha=None)
    gained = [reading(*place, *(LOST if place[0] < 6 else ())) for place in TURNS]
    assert found(dict.fromkeys(range(30), (Outcome.CLEAN,)), before=gained)["not_worse"].passed


def test_success_of_nothing_does_not_pass():
    """Where neither means to act there is no rate, and no gate passes: not even where few are allowed."""
    silent = [reading(*place, Outcome.NO_ACTION, ()) for place in TURNS]
    assert not found({}, before=silent, min_rate=0)["success"].passed
    for allow_few in (False, True):
        for condition in found({}, before=silent, allow_few=allow_few).values():
            assert condition.passed == (condition.name != "acting")
            assert condition.lacks_evidence == (condition.name == "acting")


def test_so_many_turns_must_have_meant_to_act():
    """Seven did: as many are enough, one more is not there; what the others could hide is said."""
    silent = [reading(*place, Outcome.NO_ACTION, ()) for place in TURNS]
    before = [*BEFORE[:7], *silent[7:]]
    for least, passed in ((7, True), (8, False)):
        acting = found({}, before=before, min_acting=least)["acting"]
        assert (acting.passed, acting.lacks_evidence, acting.value) == (passed, not passed, 7)
    assert acting.asked == "at least 8 turns that meant to act"
    assert acting.found.startswith("7 of 100; with none lost, ")
    assert found({}, before=before, allow_few=True)["acting"].passed


@pytest.mark.parametrize("least", [0.0, 0.5, 0.9, 0.99, 0.999])
def test_a_bound_says_how_many_turns_it_takes(least):
    """One fewer, all of them read, does not reach it by the interval of the rates; no number reaches 1."""
    needed = acting_needed(least, al.Rate(1, 1))
    assert al.Rate(needed, needed).interval[0] >= least
    assert needed == 1 or al.Rate(needed - 1, needed - 1).interval[0] < least
    assert acting_needed(1.0, al.Rate(1, 1)) is None


def test_what_a_bound_takes_is_asked():
    """A hundred in twenty sessions are too few for 0.999, whatever is read; where the bound is reached there is nothing to ask."""
    acting = found({}, min_rate=0.999)["acting"]
    assert (acting.passed, acting.lacks_evidence) == (False, True)
    assert "all of them read, 99.9 % takes" in acting.asked
    assert found({}, min_rate=0.999)["success"].lacks_evidence
    reached = found({}, min_rate=found({}, min_rate=0.5)["success"].value)
    assert reached["success"].passed
    assert reached["acting"].passed
    assert "is reached by no number of turns" in found({}, min_rate=1.0)["acting"].asked


# What is written of it.


@pytest.fixture
def hostile() -> GateReport:
    """A report whose every text a model may have written is hostile, with many turns."""
    turn = WorseTurn(
        "lost", "lost", HOSTILE, 1, HOSTILE, Outcome.CLEAN, Outcome.FAILED, f"  removed {HOSTILE}\n" * 3
    )
    allowed = WorseTurn("changed", "changed_actions", "s", 1, "m", Outcome.CLEAN, Outcome.CLEAN, "")
    asked = (
        Condition("lost", "at most 0 turns", "3 of 4", 0, 3, passed=False),
        Condition("changed", "at most 1 turn", "1 of 4", 1, 1, passed=True),
    )
    compared = with_test(compare_readings(*few(4)))
    return GateReport(HOSTILE, HOSTILE, asked, compared, (turn,) * 300 + (allowed,), (HOSTILE,))


def test_junit_is_xml_whatever_a_model_wrote(hostile):
    """One testcase a condition and one a turn, up to a bound; what is allowed is skipped, not failed."""
    root = ET.fromstring(gate_junit(hostile))
    [suite] = root
    cases = suite.findall("testcase")
    assert len(cases) == 2 + 200
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("202", "201", "0")
    assert [case.find("failure") is None for case in cases[:3]] == [False, True, False]
    assert "⟨NUL⟩⟨ESC⟩[31m⟨U+FFFE⟩⟨U+D800⟩ | <b>&amp; @team" in cases[2].get("name")
    assert "]]>" in cases[2].find("failure").text
    few_turns = GateReport("b", "c", hostile.conditions, hostile.comparison, hostile.worse[-1:])
    last = ET.fromstring(few_turns.junit())[0].findall("testcase")[-1]
    assert last.find("skipped") is not None
    assert last.find("failure") is None


def test_markdown_keeps_a_models_text_in_code(hostile):
    """Outside of code spans nothing of it is left, and no line begins with what it wrote."""
    said = gate_markdown(hostile)
    assert len(said) < MOST_CHARACTERS
    outside = re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", said)
    for word in ("@team", "<b>", "</code>", "## no", "\x1b", "\x00"):
        assert word not in outside
    assert said.count("\n- lost: ") == 20
    assert "… and 281 more" in said


@pytest.mark.parametrize("text", ["`", "``", "a`b``c", "`x", "x`", " ", "", "a\nb", "|"])
def test_a_code_span_holds_its_text(text):
    """Its marks are longer than any run of backticks in it."""
    [(marks, held)] = re.findall(r"^(`+)(.*)\1$", code(text))
    assert marks not in re.findall("`+", held)
    assert "\n" not in held


def test_a_comment_is_bounded(hostile):
    """Notes without end are cut, and what is left out is counted."""
    many = GateReport("b", "c", hostile.conditions, hostile.comparison, (), ("long " * 100,) * 1000)
    assert len(many.markdown()) < MOST_CHARACTERS + 100
    assert "more lines." in many.markdown()


def test_it_is_shown(hostile):
    """As a line, as lines, and as HTML without anybody's markup."""
    assert repr(hostile) == "<GateReport The gate does not pass: 1 of 2 conditions not met>"
    assert "NOT MET  lost" in str(hostile)
    assert "\x1b" not in str(hostile)
    assert "<b>&amp; @team" not in hostile._repr_html_()


def test_a_file_need_not_be_named_json(ledger, tmp_path: Path):
    """A path is a file in any case, and a run's name isn't one."""
    al.bless(ledger, tmp_path / "held", within=al.Filter(profiles=("assistant",)), with_texts=True)
    assert al.gate(None, baseline=tmp_path / "held", candidate="assistant").passed


def test_each_limit_is_said_once_and_none_is_passed_over(ledger):
    """``lost`` and ``changed`` are limited by settings of their own; a run's texts are in its ledger."""
    for most, error in (({"lost": 5}, "max_lost"), ({"changed": 5}, "no bucket 'changed'")):
        with pytest.raises(UsageError, match=error):
            gate(ledger, "assistant", most=most)
    with pytest.raises(UsageError, match="texts for a baseline's file"):
        gate(ledger, "assistant", texts=Path("texts"))


def test_why_there_is_nothing_to_judge_is_said(ledger):
    """A run held against itself, and a selection in which nothing is."""
    run = al.reparse(ledger, parser="reasoner", within=al.Filter(profiles=("reasoner",))).run_id
    with pytest.raises(UsageError, match=f"Both sides are run {run}; name two"):
        al.gate(ledger, baseline=run, candidate=run)
    with pytest.raises(UsageError, match="No recorded turn fits model nobody"):
        al.gate(ledger, baseline="first", candidate=run, within=al.Filter(models=("nobody",)))


def test_a_full_disk_takes_no_baseline_away(ledger, tmp_path, monkeypatch):
    """The blessed one stays, as it was."""
    path = tmp_path / "baseline.json"
    blessed = al.bless(ledger, path, within=al.Filter(profiles=("reasoner",)))
    real = Path.write_bytes

    def fails(self, content):
        real(self, content[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", fails)
    with pytest.raises(al.ActionLedgerError, match="can't be written: No space left"):
        al.bless(ledger, path)
    assert al.Baseline.loads(path.read_text()) == blessed


def test_first_readings_stand_before_a_run(ledger):
    """And a run that is among them is told to be that."""
    run = al.reparse(ledger, parser="reasoner", within=al.Filter(profiles=("reasoner",))).run_id
    with pytest.raises(UsageError, match="name them before the run"):
        al.compare(ledger, run, "first")
    taken = ledger.sql("SELECT run_id::VARCHAR FROM runs WHERE run_kind = 'import'").fetchone()[0]
    with pytest.raises(UsageError, match="are the first ones themselves"):
        al.gate(ledger, baseline="first", candidate=taken)
