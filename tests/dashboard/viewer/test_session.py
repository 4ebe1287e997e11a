"""A session's facts and family."""

from dataclasses import replace

from actionledger.core.vocabulary import Relation
from actionledger.ledger.queries import Child, Session
from actionledger.ledger.queries.lineage import Start
from actionledger_dashboard.viewer.session import facts_of, family_of

SESSION = Session("s", "x" * 30 + "END" + "y" * 30, "jsonl", "coder", "", "", None, None, "{}", 3, None, None)
CHILD = Child("c", "child\u202e", Relation.SUBAGENT, 2, 1)


def test_long_names_are_cut_in_the_middle_and_told_whole() -> None:
    """Names differ at their ends."""
    [name, *_] = facts_of(SESSION)
    assert (name["text"][:5], name["text"][-5:], len(name["text"])) == ("xxxxx", "yyyyy", 40)
    assert name["whole"] == SESSION.external_id
    said = {fact["label"]: fact["text"] for fact in facts_of(SESSION)}
    assert (said["Model"], said["Started (UTC)"]) == ("–", "not recorded")
    assert "Ended" not in said


def test_a_fact_that_says_nothing_is_no_fact() -> None:
    """An import has no profile, and most recordings don't say whether a session succeeded."""
    said = {fact["label"]: fact["text"] for fact in facts_of(replace(SESSION, profile="none"))}
    assert said.keys().isdisjoint({"Ended", "Profile"})
    failed = {fact["label"]: fact["text"] for fact in facts_of(replace(SESSION, success=False, reason="cut"))}
    assert failed["Ended"] == "no success: cut"


def test_a_child_leads_to_its_page_and_opens_in_place() -> None:
    """Its name is text, with what nobody sees in it named."""
    [row] = family_of(
        SESSION, None, [CHILD], href_of="replay?session={}".format, opened_of="?child={}&turn={}".format
    )
    assert (row["href"], row["opened"], row["role"], row["failed"]) == (
        "replay?session=c",
        "?child=c&turn=None",
        "subagent",
        1,
    )
    assert [piece["code"] for piece in row["name"] if isinstance(piece, dict)] == ["U+202E"]


def test_a_parent_that_is_not_in_the_ledger_is_said() -> None:
    """And leads nowhere."""
    orphan = replace(SESSION, parent_session_id="gone", relation=Relation.FORK)
    [row] = family_of(orphan, None, [], href_of="replay?session={}".format)
    assert (row["role"], row["href"]) == ("fork of a session that is not in this ledger", None)


def test_a_child_says_which_call_has_started_it() -> None:
    """And opens at that call's turn; of one whose call is unknown that is said, of a fork nothing: no call starts it."""
    start = Start("c", 7, 0, "Task", "result")
    fork = replace(CHILD, session_id="f", relation=Relation.FORK)
    rows = family_of(SESSION, None, [CHILD, fork], [start], opened_of="?child={}&turn={}".format)
    assert [(row["start"], row["opened"]) for row in rows] == [
        ("started in turn 7 by Task", "?child=c&turn=7"),
        ("", "?child=f&turn=None"),
    ]
    [row] = family_of(SESSION, None, [CHILD])
    assert row["start"] == "which call has started it is not recorded"
