"""What a recording says of a session and a response, and what a field is not for."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import actionledger as al
from actionledger.core.errors import UsageError
from actionledger.core.recordings import NO_DETAILS
from actionledger.imports.import_run import details_of, title_of
from actionledger.imports.turn_usage import known_usage
from actionledger.ledger.queries import unpriced
from actionledger.ledger.queries.lineage import children, family
from actionledger.ledger.queries.sessions import sessions
from actionledger.runtime.session.erasure import forget

ASKED = "SELECT title, title_from, project, git_branch FROM sessions"
DETAILS = al.SessionDetails(project="/work/shop", git_branch="main", agent="codex", agent_version="1.2")


def session(
    *turns: al.RecordedTurn, details: al.SessionDetails = DETAILS, **more: object
) -> al.RecordedSession:
    return al.RecordedSession("s", None, "m", "", turns, details=details, **more)


def turn(index: int, prompt: str | None = None) -> al.RecordedTurn:
    return al.RecordedTurn(index, f"answer {index}", prompt=prompt)


def imported(ledger: al.Ledger, *pieces: al.RecordedSession) -> list[tuple[object, ...]]:
    al.import_sessions(ledger, pieces)
    return ledger.sql(ASKED).fetchall()


def test_the_first_prompt_is_the_title_where_nobody_gives_one(ledger) -> None:
    assert imported(ledger, session(turn(0, "Mend the\n  till."))) == [
        ("Mend the till.", "prompt", "/work/shop", "main")
    ]


def test_what_is_said_in_a_later_piece_holds(ledger) -> None:
    """But for the folder, which is the one that the session began in."""
    later = al.SessionDetails(
        title="The till", title_from=al.TitleOrigin.AGENT, project="/elsewhere", git_branch="fix"
    )
    pieces = (session(turn(0, "Mend it."), is_last=False), session(turn(1), details=later))
    assert imported(ledger, *pieces) == [("The till", "agent", "/work/shop", "fix")]


def test_a_persons_title_outlives_an_agents() -> None:
    own = al.SessionDetails(title="Mine", title_from=al.TitleOrigin.PERSON)
    agents = al.SessionDetails(title="Its", title_from=al.TitleOrigin.AGENT)
    assert own.then(agents).title == "Mine"
    assert agents.then(own).title == "Mine"
    assert own.then(replace(own, title="Newer")).title == "Newer"


def test_that_a_turn_was_broken_off_is_said_of_the_last_one_alone() -> None:
    broken = al.SessionDetails(aborted="interrupted")
    assert broken.then(NO_DETAILS).aborted == ""
    assert NO_DETAILS.then(broken).aborted == "interrupted"


def test_the_same_again_is_recorded_once_and_another_title_is_added(ledger) -> None:
    """A title that went and came again is the last one again."""
    whole = session(turn(0, "Mend it."))
    named = replace(whole, details=replace(DETAILS, title="The till", title_from=al.TitleOrigin.AGENT))
    for piece in (whole, whole, named, named, whole):
        imported(ledger, piece)
    assert ledger.sql("SELECT title FROM session_details ORDER BY described_at").fetchall() == [
        ("Mend it.",),
        ("The till",),
        ("Mend it.",),
    ]
    assert ledger.sql("SELECT count(*) FROM turns").fetchall() == [(1,)]


def test_a_session_that_an_older_toolkit_took_in_is_described_by_the_next_import(ledger) -> None:
    imported(ledger, session(turn(0), details=NO_DETAILS))
    assert imported(ledger, session(turn(0))) == [("", None, "/work/shop", "main")]


def test_a_secret_in_a_title_is_masked(ledger) -> None:
    key = "sk-ant-" + "api03-" + "x7Kq9" * 18
    ((title, *_),) = imported(ledger, session(turn(0, f"Use {key} here.")))
    assert key not in title
    assert title.startswith("Use ")


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("", ""),
        ("  Mend\tit.\n", "Mend it."),
        ("<context>\nA long one.\n</context>\n\nMend it.", "Mend it."),
        ("<context>never closed", "<context>never closed"),
        ("word " * 40, "word " * 15 + "word…"),
    ],
)
def test_the_title_of_a_prompt_is_one_line(prompt: str, title: str) -> None:
    assert title_of(prompt) == title


@pytest.mark.parametrize(
    ("metadata", "found"),
    [
        ({"kind": "math"}, NO_DETAILS),
        (
            {"cwd": "/work/shop", "branch": "main", "version": "1.2", "headCommit": "c0ffee"},
            replace(DETAILS, git_commit="c0ffee", agent="some_agent"),
        ),
        (
            {"cwd": "/work/shop", "gitBranch": "HEAD"},
            al.SessionDetails(project="/work/shop", agent="some_agent"),
        ),
        (
            {"title": "The till", "title_source": "manual"},
            al.SessionDetails(title="The till", title_from=al.TitleOrigin.PERSON, agent="some_agent"),
        ),
        (
            {"title": "The till", "title_source": "auto", "agent": "kilo"},
            al.SessionDetails(title="The till", title_from=al.TitleOrigin.AGENT, agent="kilo"),
        ),
    ],
)
def test_metadata_says_it_where_a_source_has_no_fields_for_it(metadata, found) -> None:
    piece = session(turn(0), details=NO_DETAILS, metadata=metadata, source="some_agent")
    assert details_of(piece) == found


def test_what_is_forgotten_has_no_title_any_more(ledger) -> None:
    imported(ledger, session(turn(0, "Mend the till.")))
    [(session_id,)] = ledger.sql("SELECT session_id::VARCHAR FROM sessions").fetchall()
    forget(ledger, [session_id], by="ann")
    assert ledger.sql("SELECT count(*) FROM session_details").fetchall() == [(0,)]


def test_without_texts_a_title_a_folder_and_a_branch_are_blank(ledger, tmp_path) -> None:
    imported(ledger, session(turn(0, "Mend the till.")))
    ledger.flush()
    with al.open_ledger(ledger.path, read_only=True, without_text=True) as blank:
        assert blank.sql(ASKED).fetchall() == [("", "prompt", "", "")]


def test_a_link_that_was_not_known_when_a_session_began_is_added(ledger) -> None:
    """By the next import of the same files, wherever children are asked for; nothing is doubled."""
    parent, child = (
        session(turn(0, "Mend it.")),
        replace(session(turn(0, "Look.")), external_id="c", details=NO_DETAILS),
    )
    imported(ledger, parent, child)
    linked = replace(child, parent="s", relation=al.Relation.SUBAGENT)
    for _ in range(2):
        imported(ledger, parent, linked)
    asked = "SELECT external_id, relation, parent_session_id IS NOT NULL FROM sessions ORDER BY 1"
    assert ledger.sql(asked).fetchall() == [("c", "subagent", True), ("s", None, False)]
    (row,) = ledger.sql("SELECT session_id::VARCHAR FROM sessions WHERE external_id = 's'").fetchall()
    assert [each.external_id for each in children(ledger, row[0])] == ["c"]
    listed = {each.external_id: each.parent_session_id for each in sessions(ledger)}
    assert listed == {"s": None, "c": row[0]}
    assert len(family(ledger, [row[0]])) == 2
    assert ledger.sql("SELECT count(*) FROM turns").fetchall() == [(2,)]


TOOK = al.Usage(input_tokens=1_000_000, output_tokens=100_000)


@pytest.mark.parametrize(
    ("turn", "tokens"),
    [
        (
            al.RecordedTurn(0, "cut", usage=al.Usage(input_tokens=0, output_tokens=0, cost_usd=0.0)),
            (None, None, None),
        ),
        (al.RecordedTurn(0, "cut", usage=al.Usage(input_tokens=9, output_tokens=0)), (9, None, None)),
        (al.RecordedTurn(0, "", usage=al.Usage(input_tokens=9, output_tokens=0)), (9, 0, None)),
        (al.RecordedTurn(0, "word " * 40, usage=al.Usage(input_tokens=9, output_tokens=3)), (9, None, None)),
        (al.RecordedTurn(0, "word " * 15, usage=al.Usage(input_tokens=9, output_tokens=3)), (9, 3, None)),
        (
            al.RecordedTurn(
                0, "- " * 99, usage=al.Usage(input_tokens=9, output_tokens=3, finish_reason="stop")
            ),
            (9, 3, None),
        ),
        (al.RecordedTurn(0, "x", usage=al.Usage(output_tokens=120, reasoning_tokens=140)), (None, 260, 140)),
        (al.RecordedTurn(0, "x", usage=al.Usage(output_tokens=140, reasoning_tokens=120)), (None, 140, 120)),
    ],
)
def test_what_nobody_counted_is_not_known(
    turn: al.RecordedTurn, tokens: tuple[int | None, int | None, int | None]
) -> None:
    """Of messages that were broken off, or begun and never finished; and thoughts are among the output, whoever counts them apart."""
    usage_ = known_usage(turn)
    assert (usage_.input_tokens, usage_.output_tokens, usage_.reasoning_tokens) == tokens
    assert usage_.cost_usd is None


def test_without_the_lists_nothing_is_guessed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Turns without a price are counted all the same."""
    monkeypatch.setattr("actionledger.imports.turn_usage.is_installed", lambda: False)
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        report = al.import_sessions(
            ledger, [al.RecordedSession("s", None, "o3", "", (al.RecordedTurn(0, "a", usage=TOOK),))]
        )
        assert (report.listed, dict(report.unpriced)) == (0, {"o3": 1})
        assert [(each.model, each.turns) for each in unpriced(ledger)] == [("o3", 1)]


SESSION: dict[str, Any] = {"external_id": "s", "profile": None, "model": "m", "task": "t", "turns": ()}
TURN: dict[str, Any] = {"index": 0, "text": "hi", "capture": al.Capture.CALLS}


def kinds_session(**given: Any) -> al.RecordedSession:
    return al.RecordedSession(**SESSION | given)


def kinds_turn(**given: Any) -> al.RecordedSession:
    return kinds_session(turns=(al.RecordedTurn(**TURN | given),))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (kinds_session(external_id=5), "RecordedSession.external_id takes str, not 5 of the type int"),
        (kinds_session(turns="abc"), "RecordedSession.turns takes"),
        (kinds_session(turns=({"text": "hi"},)), "RecordedSession.turns takes"),
        (kinds_session(model=None), "RecordedSession.model takes str, not None"),
        (kinds_session(scores={"a": "b"}), "RecordedSession.scores takes"),
        (kinds_session(labels="abc"), "RecordedSession.labels takes"),
        (kinds_session(relation="brother"), "RecordedSession.relation takes"),
        (kinds_session(started_at="2026"), "RecordedSession.started_at takes"),
        (kinds_turn(index=0.5), "RecordedTurn.index takes int, not 0.5 of the type float"),
        (kinds_turn(index=True), "RecordedTurn.index takes int, not True of the type bool"),
        (kinds_turn(text=b"hi"), "RecordedTurn.text takes str, not b'hi' of the type bytes"),
        (kinds_turn(capture="whole"), "RecordedTurn.capture takes Capture, not 'whole'"),
        (kinds_turn(usage={"input_tokens": 5}), "RecordedTurn.usage takes Usage"),
        (kinds_turn(usage=al.Usage(input_tokens="5")), "Usage.input_tokens takes"),  # type: ignore[arg-type]
        (kinds_turn(calls=(al.RecordedCall("c", None, {}),)), "RecordedCall.name takes str"),  # type: ignore[arg-type]
        (
            kinds_turn(results=(al.RecordedResult("c", duration_ms="long"),)),
            "RecordedResult.duration_ms takes",
        ),  # type: ignore[arg-type]
        ("s", "import_sessions takes a RecordedSession, a LeftOut or a Refusal"),
    ],
)
def test_a_value_of_another_kind_is_refused(tmp_path, given, said):
    """It ended in an error of Python's, or in the table of what can't be read while it was counted as taken in."""
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        with pytest.raises(UsageError, match=said):
            al.import_sessions(ledger, [kinds_session(external_id="before"), given])
        assert ledger.sql("SELECT external_id FROM session_starts").fetchall() == [("before",)]
        assert ledger.sql("SELECT count(*) FROM quarantine").fetchall() == [(0,)]


def test_what_fits_is_taken_in(tmp_path):
    """A list in the place of a tuple, a whole number in that of a score, a word in that of one of a list of words."""
    calls = [al.RecordedCall("c", "look", {"at": [1, None]})]
    results = [al.RecordedResult("c", {"a": 1}, duration_ms=3, finished_at=datetime(2026, 1, 2))]
    given = kinds_session(
        turns=[al.RecordedTurn(0, "hi", capture=al.Capture.CALLS, calls=calls, results=results)],  # type: ignore[arg-type]
        scores={"a": 1},
        labels=["x"],
    )
    with al.open_ledger(tmp_path / "l.duckdb", in_background=False) as ledger:
        report = al.import_sessions(ledger, [given])
        assert (report.turns, report.calls, report.results) == (1, 1, 1)
        assert ledger.sql("SELECT count(*) FROM quarantine").fetchall() == [(0,)]
